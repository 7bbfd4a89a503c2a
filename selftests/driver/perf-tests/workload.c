// SPDX-License-Identifier: GPL-2.0-only
/*
 * workload [--record-ctl fifo:CONTROL[,ACK]] -w NAME [ARGUMENT]... - the workloads of `perf test`,
 * built from its sources with their symbols and lines, which Debian's perf was stripped of.
 *
 * With --record-ctl, events of the perf that records are enabled before the workload, and disabled
 * after it. WORKLOADS is WORKLOAD(name) for each of them.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests.h"

#define WORKLOAD(name) DECLARE_WORKLOAD(name);
WORKLOADS
#undef WORKLOAD

#define WORKLOAD(name) &workload__##name,
static const struct test_workload *const workloads[] = {WORKLOADS};

static int open_fifo(const char *path, int flags)
{
	int fd = open(path, flags);

	if (fd < 0) {
		perror(path);
		exit(1);
	}
	return fd;
}

/* What perf answers is "ack" */
static void command(int control, int ack, const char *word)
{
	char answer[16];

	if (control < 0)
		return;
	if (write(control, word, strlen(word)) != (ssize_t)strlen(word) ||
	    (ack >= 0 && read(ack, answer, sizeof(answer)) <= 0)) {
		perror("workload: perf does not answer");
		exit(1);
	}
}

int main(int argc, const char **argv)
{
	const char *name = NULL;
	int control = -1, ack = -1;

	for (argc--, argv++; argc >= 2 && argv[0][0] == '-' && !name; argc -= 2, argv += 2) {
		if (!strcmp(argv[0], "-w")) {
			name = argv[1];
		} else if (!strcmp(argv[0], "--record-ctl") && !strncmp(argv[1], "fifo:", 5)) {
			char *path = strdup(argv[1] + 5), *second = strchr(path, ',');

			if (second)
				*second++ = 0;
			control = open_fifo(path, O_WRONLY);
			if (second)
				ack = open_fifo(second, O_RDONLY);
			free(path);
		}
	}
	for (size_t i = 0; name && i < sizeof(workloads) / sizeof(*workloads); i++) {
		int status;

		if (strcmp(workloads[i]->name, name))
			continue;
		command(control, ack, "enable\n");
		status = workloads[i]->func(argc, argv);
		command(control, ack, "disable\n");
		return status;
	}
	fprintf(stderr, "workload: no workload %s\n", name ? name : "");
	return 1;
}
