// SPDX-License-Identifier: GPL-2.0-only
/*
 * bus [fetch] [die] - accesses that are not aligned, some of which work, and memory after the end
 * of its file: SIGBUS of both kinds, from loads, stores and atomics, with code before and after
 * them in the same block; with "fetch" from an instruction, too. With "die" the program ends by
 * SIGBUS.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
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

/* Within 16 aligned bytes FEAT_LSE2 and Zama16b allow any address; across their end nothing does.
 */
static void test_atomics(uint8_t *bytes)
{
	for (int i = 1; i <= 3; i++) {
		load_exclusive(bytes + 12 + i);
		CHECK(where == bytes + 12 + i);
		check_codes(1, 0);
		add_atomic(bytes + 28 + i);
		CHECK(where == bytes + 28 + i);
		check_codes(1, 0);
	}
	/* aligned they work */
	load_exclusive(bytes);
	add_atomic(bytes);
	check_codes(0, 0);
}

/* An instruction of the second page is not there. */
static void fetch_at(uint8_t *pages)
{
	CHECK(!mprotect(pages, 2 * PAGE, PROT_READ | PROT_EXEC));
	handle(return_to_link);
	((void (*volatile)(void))(uintptr_t)(pages + PAGE))();
	check_codes(0, 1);
	handle(skip);
}

static void test_end_of_file(bool fetch)
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
	if (fetch)
		fetch_at(pages);
	CHECK(!close(fd) && !munmap(pages, 2 * PAGE));
}

static bool given(int argc, char **argv, const char *word)
{
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], word))
			return true;
	}
	return false;
}

int main(int argc, char **argv)
{
	static uint8_t bytes[64] __attribute__((aligned(16)));

	handle(skip);
	test_plain(bytes);
	test_atomics(bytes);
	test_end_of_file(given(argc, argv, "fetch"));
	puts("bus: good");
	fflush(stdout);
	if (given(argc, argv, "die")) {
		signal(SIGBUS, SIG_DFL);
		add_atomic(bytes + 13);
	}
	return 0;
}
