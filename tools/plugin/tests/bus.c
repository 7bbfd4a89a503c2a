// SPDX-License-Identifier: GPL-2.0-only
/*
 * Accesses that are not aligned, which work or not, and memory behind the end of its file: SIGBUS
 * of both kinds, from loads, stores and atomics, with code before and behind them in the same
 * block.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arch.h"
#include "check.h"

#define PAGE 4096

static volatile sig_atomic_t codes[2]; /* of BUS_ADRALN and of BUS_ADRERR: how many came */
static const volatile void *volatile where;

static void skip(int signal, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	CHECK(signal == SIGBUS && (info->si_code == BUS_ADRALN || info->si_code == BUS_ADRERR));
	codes[info->si_code == BUS_ADRERR]++;
	where = info->si_addr;
	context_set_pc(uc, context_pc(uc) + insn_size(context_pc(uc)));
}

static void return_to_link(int signal, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)signal;
	codes[info->si_code == BUS_ADRERR]++;
	context_set_pc(uc, context_link(uc));
}

static void handle(void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};

	CHECK(!sigaction(SIGBUS, &action, NULL));
}

/* How many signals of each kind came since */
static void check_codes(int misaligned, int missing)
{
	CHECK(codes[0] == misaligned && codes[1] == missing);
	codes[0] = 0;
	codes[1] = 0;
}

/* Loads and stores as such need no alignment. */
static void test_plain(uint8_t *bytes)
{
	for (unsigned int i = 0; i < 8; i++) {
		store_at(bytes + i, 0x0123456789abcdef + i);
		CHECK(load_at(bytes + i) == 0x0123456789abcdef + i);
	}
	check_codes(0, 0);
}

static void test_atomics(uint8_t *bytes)
{
	for (int i = 1; i <= 3; i++) {
		load_exclusive(bytes + i);
		CHECK(where == bytes + i);
		check_codes(1, 0);
		add_atomic(bytes + 4 + i);
		CHECK(where == bytes + 4 + i);
		check_codes(1, 0);
	}
	/* aligned they work */
	load_exclusive(bytes);
	add_atomic(bytes);
	check_codes(0, 0);
}

static void test_end_of_file(void)
{
	int fd = memfd_create("short", 0);
	uint8_t *pages;

	CHECK(fd >= 0 && !ftruncate(fd, PAGE));
	pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(pages != MAP_FAILED);
	for (int i = 0; i < 3; i++) {
		load_at(pages + PAGE + 8 * i);
		check_codes(0, 1);
		store_at(pages + PAGE + 8 * i, 1);
		check_codes(0, 1);
	}
	/* the first page is there; what crosses into the second is not */
	load_at(pages + PAGE - 8);
	check_codes(0, 0);
	load_at(pages + PAGE - 4);
	check_codes(0, 1);
	CHECK(!mprotect(pages, 2 * PAGE, PROT_READ | PROT_EXEC));
	handle(return_to_link);
	((void (*volatile)(void))(uintptr_t)(pages + PAGE))();
	check_codes(0, 1);
	CHECK(!close(fd) && !munmap(pages, 2 * PAGE));
}

int main(int argc, char **argv)
{
	static uint8_t bytes[64] __attribute__((aligned(16)));

	handle(skip);
	test_plain(bytes);
	test_atomics(bytes);
	test_end_of_file();
	puts("bus: good");
	fflush(stdout);
	/* die of one, where asked */
	if (argc > 1 && !strcmp(argv[1], "die")) {
		signal(SIGBUS, SIG_DFL);
		add_atomic(bytes + 1);
	}
	return 0;
}
