// SPDX-License-Identifier: GPL-2.0-only
/*
 * Code that no file has: written, executed, written over by other code at the same address and
 * executed again; added to in the same page; mapped from a file, and then from another.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arch.h"
#include "check.h"

typedef int function(int);

static uint32_t *page_new(int prot)
{
	void *page = mmap(NULL, 4096, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(page != MAP_FAILED);
	return page;
}

static int call(const uint32_t *code, int argument)
{
	function *to;

	__builtin___clear_cache((char *)(uintptr_t)code, (char *)(uintptr_t)(code + 16));
	memcpy(&to, &code, sizeof(to));
	return to(argument);
}

/* Not mkstemp(): how many random numbers that takes is not the same in each run. */
static int open_new(char *name)
{
	unsigned int pid = (unsigned int)getpid();

	for (char *at = name + strlen(name); at[-1] != '-'; at--, pid >>= 4)
		at[-1] = "0123456789abcdef"[pid & 15];
	return open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
}

#ifdef __riscv
/* An instruction on two pages, and then with another second half */
static void test_crossing(void)
{
	uint8_t *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(pages != MAP_FAILED);
	for (int i = 0; i < 3; i++) {
		const uint32_t crossing[] = {MOVZ(16 * i), RET};

		memcpy(pages + 4094, crossing, sizeof(crossing));
		CHECK(call((const uint32_t *)(void *)(pages + 4094), 5) == 16 * i);
	}
}
#else
static void test_crossing(void)
{
}
#endif

int main(void)
{
	uint32_t *page = page_new(PROT_READ | PROT_WRITE | PROT_EXEC), *file;
	char name[] = "/tmp/hwflow-jit-00000000";
	uint32_t code[2] = {ADD(7), RET};
	int fd = open_new(name);

	CHECK(fd >= 0);
	unlink(name);
	for (int i = 0; i < 4; i++) {
		page[0] = MOVZ(i);
		page[1] = RET;
		for (int j = 0; j < 20; j++)
			CHECK(call(page, 5) == i);
	}
	/* what is added does not change what was there */
	for (int i = 1; i < 5; i++) {
		page[16 * i] = ADD(i);
		page[16 * i + 1] = RET;
		CHECK(call(page + 16 * i, 5) == 5 + i);
		CHECK(call(page, 5) == 3);
	}
	/* writable, then executable, and back */
	for (int i = 0; i < 3; i++) {
		CHECK(!mprotect(page, 4096, PROT_READ | PROT_WRITE));
		page[0] = ADD(i);
		CHECK(!mprotect(page, 4096, PROT_READ | PROT_EXEC));
		CHECK(call(page, 1) == 1 + i);
	}
	CHECK(write(fd, code, sizeof(code)) == sizeof(code));
	file = mmap(page, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, 0);
	CHECK(file == page && call(file, 1) == 8);
	CHECK(!munmap(page, 4096));
	CHECK(mmap(page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == page);
	page[0] = MOVZ(99);
	page[1] = RET;
	CHECK(call(page, 0) == 99);
	test_crossing();
	puts("jit: good");
	return 0;
}
