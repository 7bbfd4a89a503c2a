/* SPDX-License-Identifier: GPL-2.0-only */
/* The program of seeds of the fuzz target `command`: functions, calls and debug data. */
#define NOINLINE __attribute__((noinline))

NOINLINE static int odd(int n)
{
	return n & 1;
}

static inline int twice(int n)
{
	return odd(n) ? n + n : n;
}

NOINLINE int sum(int n)
{
	int result = 0;

	for (int i = 0; i < n; i++)
		result += twice(i);
	return result;
}

/* as C++ has it: f::g<y, St>(int) */
NOINLINE int mangled(int n) __asm__("_ZN1f1gIyiEEvi");
NOINLINE int mangled(int n)
{
	return sum(n) + 1;
}

void _start(void)
{
	const int status = mangled(5) == 0;

#ifdef __riscv
	register long number __asm__("a7") = 94, argument __asm__("a0") = status;

	__asm__ volatile("ecall" : : "r"(number), "r"(argument));
#elif defined(__aarch64__)
	register long number __asm__("x8") = 94, argument __asm__("x0") = status;

	__asm__ volatile("svc #0" : : "r"(number), "r"(argument));
#else
	(void)status; /* analysed only */
#endif
	for (;;)
		;
}
