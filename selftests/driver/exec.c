// SPDX-License-Identifier: GPL-2.0-only
/*
 * exec PROGRAM [ARGUMENT]... - executes some code of its own, then another program in its place: one
 * that is linked to the same addresses as this one.
 */
#include <stdio.h>
#include <unistd.h>

static volatile unsigned int sink;

static __attribute__((noinline)) void before(unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		sink = i & 4 ? sink * 5 + i : sink ^ i;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
	before(1000);
	execv(argv[1], argv + 1);
	perror(argv[1]);
	return 1;
}
