// SPDX-License-Identifier: GPL-2.0-only
/*
 * pingpong ROUNDS - in the machine: two processes wake each other, so that this one is switched out
 * and in once a round, if there is but one CPU. Without ROUNDS: a mark for count.c, and nothing
 * else.
 */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void mark(void)
{
	/* a hint that nothing else uses; a processor passes over it */
	__asm__ volatile("hint #0x5a");
}

/* false at the end */
static int pass(int from, int to)
{
	char byte;

	return read(from, &byte, 1) == 1 && write(to, &byte, 1) == 1;
}

int main(int argc, char **argv)
{
	int there[2], back[2];
	char byte = 0;

	if (argc < 2) {
		mark();
		return 0;
	}
	if (pipe(there) || pipe(back))
		return 1;
	if (fork() == 0) {
		close(there[1]);
		while (pass(there[0], back[1]))
			;
		_exit(0);
	}
	close(there[0]);
	for (long rounds = atol(argv[1]); rounds > 0; rounds--)
		if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
			return 1;
	close(there[1]);
	return wait(NULL) < 0;
}
