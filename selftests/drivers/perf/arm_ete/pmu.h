/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For the kselftests: the PMU, and how an event of it is opened.
 */
#ifndef SELFTESTS_DRIVER_PMU_H
#define SELFTESTS_DRIVER_PMU_H

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/arm_ete_pmu.h>

#define PMU_DIR "/sys/bus/event_source/devices/" ARM_ETE_PMU_NAME "/"

/* The first line of a file of the PMU, "" if there is none */
static inline void pmu_read(const char *file, char *line, int size)
{
	char path[256];
	FILE *stream;

	line[0] = '\0';
	snprintf(path, sizeof(path), PMU_DIR "%s", file);
	stream = fopen(path, "r");
	if (!stream)
		return;
	if (!fgets(line, size, stream))
		line[0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	fclose(stream);
}

/* Writes a file of the kernel; false if it is not there, or refuses the text: errno says why */
static inline bool write_text(const char *path, const char *text)
{
	const int fd = open(path, O_WRONLY | O_CLOEXEC);
	const bool done = fd >= 0 && write(fd, text, strlen(text)) > 0;
	const int error = errno;

	if (fd >= 0)
		close(fd);
	errno = error;
	return done;
}

/* The type of its events, -1 if there is no such PMU */
static inline int pmu_type(void)
{
	char line[32], *end;
	long type;

	pmu_read("type", line, sizeof(line));
	type = strtol(line, &end, 10);
	return end != line ? (int)type : -1;
}

static inline bool pmu_kernel_at_el2(void)
{
	char line[32];

	pmu_read("format/contextid", line, sizeof(line));
	return !strcmp(line, "config:15");
}

/* The driver traces TRCIT if an event asks for it */
static inline bool pmu_has_instrumentation(void)
{
	char line[32];

	pmu_read("format/instrumentation", line, sizeof(line));
	return line[0];
}

/* An event that traces user code, as perf asks for it; type is 0 if there is no such PMU */
static inline struct perf_event_attr pmu_make_attr(void)
{
	int type = pmu_type();
	struct perf_event_attr attr = {
		.type = type < 0 ? 0 : (unsigned int)type,
		.size = sizeof(attr),
		.sample_period = 1,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return attr;
}

static inline int pmu_open(const struct perf_event_attr *attr, pid_t pid, int cpu)
{
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

#endif
