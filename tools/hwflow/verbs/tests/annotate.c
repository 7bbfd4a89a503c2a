/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For annotate.sh: branches of all kinds, code that is not executed, a function that falls through
 * into the next one, two processes.
 */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int sink;

static int __attribute__((noinline)) classify(int value)
{
	switch (value % 5) {
	case 0:
		return 3;
	case 1:
		return value / 7;
	case 2:
		sink += value;
		return sink;
	case 3:
		return (int)strlen("three");
	default:
		/* not executed */
		if (value > 1000000) {
			printf("%d %d %d %d\n", value, value + 1, value * 2, value ^ 3);
			sink = value / 3 + value * 5 + (value << 3) + (value ^ 0x55);
		}
		return -value;
	}
}

static int __attribute__((noinline)) sum(int count)
{
	int total = 0;

	for (int i = 0; i < count; i++)
		total += classify(i);
	return total;
}

/* three instructions, then those of into() */
int falls(int value);
__asm__(".text\n"
	".globl falls, into\n"
	".type falls, %function\n"
	"falls: nop; nop; nop\n"
	".size falls, . - falls\n"
	".type into, %function\n"
	"into: nop; ret\n"
	".size into, . - into\n");

int main(void)
{
	const pid_t child = fork();
	int status = 0;

	sink = sum(child ? 1000 : 333);
	for (int i = 0; i < 10; i++)
		sink += falls(i);
	if (child)
		waitpid(child, &status, 0);
	return status;
}
