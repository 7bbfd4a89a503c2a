// SPDX-License-Identifier: GPL-2.0-only
/*
 * Signals and faults, each at the same place in every run: raised, caught and returned from,
 * jumped out of, on a stack of their own, one in the other, and several at once.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "arch.h"
#include "check.h"

static sigjmp_buf out;
static volatile sig_atomic_t seen;
static volatile int *bad_page;

static void on_plain(int signal)
{
	seen = signal;
}

/* Does not touch the stack */
static void on_leaf(int signal)
{
	seen += signal;
}

static void skip(int signal, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)info;
	seen = signal;
	context_set_pc(uc, context_pc(uc) + insn_size(context_pc(uc)));
}

static void jump(int signal, siginfo_t *info, void *context)
{
	(void)info;
	(void)context;
	siglongjmp(out, signal);
}

static void return_to_link(int signal, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)info;
	seen = signal;
	context_set_pc(uc, context_link(uc));
}

/* A fault in the handler of another signal */
static void nest(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	(void)context;
	seen = bad_page[1];
	kill(getpid(), SIGUSR1);
	seen = SIGUSR2;
}

/* Calls a function that is a handler, too, by an address */
static void call_on(int signal, siginfo_t *info, void *context)
{
	void (*volatile other)(int, siginfo_t *, void *) = skip;

	other(signal, info, context);
}

/* Goes on to another handler with the stack and arguments of its own call */
__attribute__((noinline, optimize("O2"))) static void tail_on(int signal, siginfo_t *info,
							      void *context)
{
	static void (*volatile other)(int, siginfo_t *, void *) = skip;

	other(signal, info, context);
}

static void handle(int signal, void (*handler)(int, siginfo_t *, void *), int flags)
{
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags};

	CHECK(!sigaction(signal, &action, NULL));
}

static void handle_plain(int signal, void (*handler)(int), int flags)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = flags};

	CHECK(!sigaction(signal, &action, NULL));
}

static void test_raised(void)
{
	handle_plain(SIGUSR1, on_plain, 0);
	for (int i = 0; i < 10; i++) {
		seen = 0;
		raise(SIGUSR1);
		CHECK(seen == SIGUSR1);
	}
	handle_plain(SIGUSR2, on_leaf, SA_RESETHAND);
	seen = 1;
	kill(getpid(), SIGUSR2);
	CHECK(seen == SIGUSR2 + 1);
}

static void test_faults(void)
{
	handle(SIGSEGV, skip, 0);
	for (int i = 0; i < 5; i++) {
		seen = 0;
		*bad_page = i;
		CHECK(seen == SIGSEGV);
	}
	seen = 0;
	load_twice(&out, bad_page);
	CHECK(seen == SIGSEGV);
	seen = 0;
	load_at_end((uintptr_t)bad_page);
	CHECK(seen == SIGSEGV);
	for (int i = 0; i < 5; i++) {
		if (!sigsetjmp(out, 1)) {
			handle(SIGSEGV, jump, 0);
			bad_page[i] = 1;
			CHECK(0);
		}
	}
	handle(SIGSEGV, call_on, 0);
	seen = 0;
	bad_page[0] = 1;
	CHECK(seen == SIGSEGV);
	handle(SIGSEGV, tail_on, 0);
	for (int i = 0; i < 3; i++) {
		seen = 0;
		bad_page[0] = 1;
		CHECK(seen == SIGSEGV);
	}
}

static void test_instructions(void)
{
	handle(SIGILL, skip, 0);
	seen = 0;
	__asm__ volatile(INSN_UNDEFINED);
	CHECK(seen == SIGILL);
	/* an access that the program has not */
	seen = 0;
	__asm__ volatile(INSN_PRIVILEGED : : : PRIVILEGED_CLOBBER);
	CHECK(seen == SIGILL);
	handle(SIGTRAP, skip, 0);
	for (int i = 0; i < 3; i++) {
		seen = 0;
		__asm__ volatile(INSN_BREAKPOINT);
		CHECK(seen == SIGTRAP);
	}
}

/* Branches to where nothing can be executed */
static void test_fetch(void)
{
	handle(SIGSEGV, return_to_link, 0);
	for (int i = 0; i < 3; i++) {
		void (*volatile to)(void) = (void (*)(void))(uintptr_t)bad_page;

		seen = 0;
		to();
		CHECK(seen == SIGSEGV);
	}
	seen = 0;
	((void (*volatile)(void))(uintptr_t)0x10)();
	CHECK(seen == SIGSEGV);
	handle(SIGBUS, return_to_link, 0);
	seen = 0;
	((void (*volatile)(void))((uintptr_t)bad_page + 2))();
	CHECK(seen == SIGBUS || seen == SIGSEGV);
#ifdef ODD_PC
	seen = 0;
	((void (*volatile)(void))((uintptr_t)test_raised + ODD_PC))();
	CHECK(seen == SIGBUS);
#endif
}

static void test_stack(void)
{
	static uint8_t space[65536];
	stack_t stack = {.ss_sp = space, .ss_size = sizeof(space)};

	CHECK(!sigaltstack(&stack, NULL));
	handle(SIGSEGV, skip, SA_ONSTACK);
	seen = 0;
	*bad_page = 1;
	CHECK(seen == SIGSEGV);
	handle(SIGSEGV, jump, SA_ONSTACK | SA_NODEFER);
	for (int i = 0; i < 4; i++) {
		if (!sigsetjmp(out, 1))
			*bad_page = 1;
	}
	/* in a handler, on the other stack */
	handle(SIGSEGV, skip, 0);
	handle(SIGUSR2, nest, SA_ONSTACK);
	raise(SIGUSR2);
	CHECK(seen == SIGUSR2);
}

/* Several that wait, and are delivered in one go */
static void test_several(void)
{
	sigset_t all, old;

	handle_plain(SIGUSR1, on_plain, 0);
	handle(SIGUSR2, jump, 0);
	handle_plain(SIGHUP, on_leaf, 0);
	handle_plain(SIGURG, on_plain, 0);
	sigemptyset(&all);
	sigaddset(&all, SIGUSR1);
	sigaddset(&all, SIGHUP);
	sigaddset(&all, SIGURG);
	CHECK(!sigprocmask(SIG_BLOCK, &all, &old));
	raise(SIGUSR1);
	raise(SIGHUP);
	raise(SIGURG);
	CHECK(!sigprocmask(SIG_SETMASK, &old, NULL));
	if (!sigsetjmp(out, 1))
		raise(SIGUSR2);
	/* a handler called as what it is: a function */
	on_plain(3);
	((void (*volatile)(int))on_plain)(4);
	CHECK(seen == 4);
}

static void on_last(int signal)
{
	seen = -signal;
}

/* More handlers than a program usually has; the last one is called. */
static void test_many(void)
{
	for (uintptr_t i = 1; i <= 1000; i++)
		handle_plain(SIGUSR1, (void (*)(int))(i << 12), 0);
	handle_plain(SIGUSR1, on_last, 0);
	raise(SIGUSR1);
	CHECK(seen == -SIGUSR1);
}

int main(int argc, char **argv)
{
	uint8_t *pages =
		mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(pages != MAP_FAILED);
	CHECK(!mprotect(pages + 4096, 4096, PROT_NONE));
	bad_page = (volatile int *)(void *)(pages + 4096);
	test_raised();
	test_faults();
	test_instructions();
	test_fetch();
	test_stack();
	test_several();
	test_many();
	puts("signals: good");
	fflush(stdout);
	/* die of a fault, where asked */
	if (argc > 1 && !strcmp(argv[1], "die")) {
		signal(SIGSEGV, SIG_DFL);
		*bad_page = 1;
	}
	if (argc > 1 && !strcmp(argv[1], "abort"))
		abort();
	return 0;
}
