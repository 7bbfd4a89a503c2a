// SPDX-License-Identifier: GPL-2.0-only
/*
 * The filter of system calls, a program of classic BPF:
 *
 *	another architecture, x32	-> EPERM
 *	a row of sandbox.def		-> EPERM
 *	open(2) for writing		-> EPERM, but for nameless files (O_TMPFILE)
 *	openat2(2)			-> ENOSYS: a filter cannot read its flags, which are in
 *					memory; resolve_open() then uses resolve_walk()
 *	ioctl(2) that types on a terminal	-> EPERM
 *	all others			-> allowed
 *
 * A system call that is denied fails: the verb then reports the error, and the process goes on.
 */
#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
/* Set in the numbers of the x32 interface */
#define X32 0x40000000u
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define ARCHITECTURE AUDIT_ARCH_RISCV64
#endif

#ifndef ARCHITECTURE

int sandbox_filter(const struct sandbox_state *state)
{
	(void)state;
	return -ENOSYS;
}

#else

/* Instructions of the longest program */
#define MOST              512

/* ioctl(2) that puts characters into the input of a terminal */
#define TIOCSTI_REQUEST   0x5412u
#define TIOCLINUX_REQUEST 0x541cu

/* The lower 32 bits of an argument, which is stored with the lowest byte first */
#define ARGUMENT(n)       ((uint32_t)(offsetof(struct seccomp_data, args) + (size_t)8 * (n)))

#define FAIL(error)   (SECCOMP_RET_ERRNO | (error))

/* enum kind - when a row of sandbox.def applies */
enum kind {
	KIND_DENY,
	KIND_WRITE,
	KIND_NETWORK,
};

static const struct row {
	uint32_t number;
	enum kind kind;
} rows[] = {
#define DENY(name)    {SYS_##name, KIND_DENY},
#define WRITE(name)   {SYS_##name, KIND_WRITE},
#define NETWORK(name) {SYS_##name, KIND_NETWORK},
#include "sandbox.def"
#undef DENY
#undef WRITE
#undef NETWORK
};

/* struct program - a filter that is being built */
struct program {
	struct sock_filter code[MOST];
	unsigned short count;
};

static void add(struct program *program, uint16_t code, uint8_t jt, uint8_t jf, uint32_t k)
{
	if (program->count < MOST)
		program->code[program->count++] = (struct sock_filter){code, jt, jf, k};
}

static void load(struct program *program, uint32_t offset)
{
	add(program, BPF_LD | BPF_W | BPF_ABS, 0, 0, offset);
}

static void end(struct program *program, uint32_t action)
{
	add(program, BPF_RET | BPF_K, 0, 0, action);
}

/* If what was loaded is @value, the filter ends. */
static void end_if(struct program *program, uint32_t value, uint32_t action)
{
	add(program, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, value);
	end(program, action);
}

/* Opening for writing fails; @flags: the argument with the flags of open(2) */
static void check_open(struct program *program, uint32_t number, unsigned int flags)
{
	add(program, BPF_JMP | BPF_JEQ | BPF_K, 0, 7, number);
	load(program, ARGUMENT(flags));
	add(program, BPF_ALU | BPF_AND | BPF_K, 0, 0, O_TMPFILE);
	add(program, BPF_JMP | BPF_JEQ | BPF_K, 3, 0, O_TMPFILE);
	load(program, ARGUMENT(flags));
	add(program, BPF_JMP | BPF_JSET | BPF_K, 0, 1, O_ACCMODE | O_CREAT | O_TRUNC);
	end(program, FAIL(EPERM));
	end(program, SECCOMP_RET_ALLOW);
}

static void check_ioctl(struct program *program)
{
	add(program, BPF_JMP | BPF_JEQ | BPF_K, 0, 6, SYS_ioctl);
	load(program, ARGUMENT(1));
	end_if(program, TIOCSTI_REQUEST, FAIL(EPERM));
	end_if(program, TIOCLINUX_REQUEST, FAIL(EPERM));
	end(program, SECCOMP_RET_ALLOW);
}

static void build(struct program *program, const struct sandbox_state *state)
{
	load(program, offsetof(struct seccomp_data, arch));
	add(program, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, ARCHITECTURE);
	end(program, FAIL(EPERM));
	load(program, offsetof(struct seccomp_data, nr));
#ifdef X32
	add(program, BPF_JMP | BPF_JGE | BPF_K, 0, 1, X32);
	end(program, FAIL(EPERM));
#endif
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if ((rows[i].kind == KIND_WRITE && state->writes) ||
		    (rows[i].kind == KIND_NETWORK && state->network))
			continue;
		end_if(program, rows[i].number, FAIL(EPERM));
	}
	if (!state->writes) {
		check_open(program, SYS_openat, 2);
#ifdef SYS_open
		check_open(program, SYS_open, 1);
#endif
		end_if(program, SYS_openat2, FAIL(ENOSYS));
	}
	check_ioctl(program);
	end(program, SECCOMP_RET_ALLOW);
}

int sandbox_filter(const struct sandbox_state *state)
{
	struct program program = {.count = 0};
	struct sock_fprog filter = {.filter = program.code};

	build(&program, state);
	if (program.count == MOST)
		return -E2BIG;
	filter.len = program.count;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) ? -errno : 0;
}

#endif
