// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a program on a bare RV32 machine (QEMU's virt) has around its main(): that is called in U-mode,
 * with one exception of each kind before it, and, if not QUIET, a timer that interrupts it all the
 * time. Handlers are in M-mode. Linked with --wrap=main; files are semihosting's.
 */
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <utime.h>

#define CSR_READ(name)                                                         \
	({                                                                     \
		uint32_t csr_value;                                            \
		__asm__ volatile("csrr %0, " #name : "=r"(csr_value));         \
		csr_value;                                                     \
	})
#define CSR_WRITE(name, value)                                                 \
	__asm__ volatile("csrw " #name ", %0" : : "r"(value) : "memory")

#define MTIMECMP ((volatile uint32_t *)0x2004000)
#define MTIME    ((volatile uint32_t *)0x200bff8)
#define PERIOD   50 /* of the timer, which is at 10 MHz */

#define CAUSE_FETCH_FAULT 1
#define NOWHERE           0x10000 /* no memory is there */

static void timer_next(void)
{
	MTIMECMP[1] = 0;
	MTIMECMP[0] = MTIME[0] + PERIOD;
}

/* Goes on behind the instruction, or, where there is none, where it was called from. */
static __attribute__((interrupt("machine"), aligned(4))) void on_trap(void)
{
	uint32_t cause = CSR_READ(mcause), pc = CSR_READ(mepc), link;

	__asm__ volatile("mv %0, ra" : "=r"(link));
	if (cause >> 31)
		timer_next();
	else if (cause == CAUSE_FETCH_FAULT)
		CSR_WRITE(mepc, link);
	else
		CSR_WRITE(mepc, pc + ((*(uint16_t *)pc & 3) == 3 ? 4 : 2));
}

static void to_user_mode(void)
{
	/* all memory may be accessed */
	CSR_WRITE(pmpaddr0, -1);
	CSR_WRITE(pmpcfg0, 0x1f);
	CSR_WRITE(mtvec, on_trap);
#ifndef QUIET
	timer_next();
	CSR_WRITE(mie, 0x80);
#endif
	/* MPP: U; MPIE */
	__asm__ volatile("la t0, 1f\n csrw mepc, t0\n"
			 "li t0, 0x1800\n csrc mstatus, t0\n"
			 "li t0, 0x80\n csrs mstatus, t0\n mret\n1:"
			 : : : "t0", "memory");
}

/* ecall, ebreak, an illegal instruction, a CSR of M-mode, a load and a fetch from nowhere */
static void take_exceptions(void)
{
	void (*volatile nowhere)(void) = (void (*)(void))NOWHERE;

	__asm__ volatile("ecall\n ebreak\n unimp\n csrr t0, mstatus\n"
			 "lw t0, 0(zero)\n"
			 : : : "t0", "memory");
	nowhere();
}

int __real_main(int argc, char **argv);
int __wrap_main(int argc, char **argv);

int __wrap_main(int argc, char **argv)
{
	to_user_mode();
	take_exceptions();
	return __real_main(argc, argv);
}

/* What bzip2 and lua ask for beyond what semihosting has: each file is a plain one. */
int stat(const char *path, struct stat *result)
{
	*result = (struct stat){.st_mode = S_IFREG | 0644, .st_nlink = 1};
	return 0;
}

int lstat(const char *path, struct stat *result)
{
	return stat(path, result);
}

int fchmod(int fd, mode_t mode)
{
	return 0;
}

int fchown(int fd, uid_t user, gid_t group)
{
	return 0;
}

int utime(const char *path, const struct utimbuf *times)
{
	return 0;
}

int rename(const char *from, const char *to)
{
	return -1;
}
