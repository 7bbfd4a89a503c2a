// SPDX-License-Identifier: GPL-2.0-only
/*
 * Instructions that trap, one after the other, with nothing executed in between: each handler
 * returns to the next. On riscv64 some have the encoding of a longer instruction than there is.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#include "arch.h"
#include "check.h"

static volatile int traps;

static void skip(int signal, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)signal;
	(void)info;
	traps++;
	context_set_pc(uc, context_pc(uc) + insn_size(context_pc(uc)));
}

int main(void)
{
	static const int signals[] = {SIGILL, SIGTRAP, SIGSEGV};
	struct sigaction action = {.sa_flags = SA_SIGINFO, .sa_sigaction = skip};

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		CHECK(!sigaction(signals[i], &action, NULL));
	__asm__ volatile(TRAPS : : : "memory" TRAPS_CLOBBER);
	CHECK(traps == TRAPS_COUNT);
	puts("traps: good");
	return 0;
}
