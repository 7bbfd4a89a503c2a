// SPDX-License-Identifier: GPL-2.0-only
/*
 * interrupted spin [STEPS]: three processes, of which one has left its session and lost its parent.
 * interrupted handle: on SIGINT, say so and end; interrupted ignore: ignore it.
 * interrupted work STEPS: end after so many.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t signalled;
static volatile unsigned int sum;

static void handle(int number)
{
	signalled = number;
}

static unsigned int step(unsigned int value)
{
	return value % 3 ? value / 3 : value * 5 + 1;
}

static void work(unsigned long steps)
{
	for (unsigned long i = 0; i < steps && !signalled; i++)
		sum += step((unsigned int)i ^ sum);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	unsigned long steps = argc > 2 ? strtoul(argv[2], NULL, 0) : ~0ul;

	if (!strcmp(mode, "spin")) {
		if (!fork()) {
			setsid();
			if (fork())
				_exit(0);
		} else {
			fork();
		}
	} else if (!strcmp(mode, "ignore")) {
		signal(SIGINT, SIG_IGN);
	} else if (!strcmp(mode, "handle")) {
		signal(SIGINT, handle);
	}
	puts("begun");
	fflush(stdout);
	work(steps);
	if (signalled)
		puts("interrupted");
	return 0;
}
