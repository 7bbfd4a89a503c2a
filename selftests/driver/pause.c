// SPDX-License-Identifier: GPL-2.0-only
/*
 * pause FILE [paused] - traces itself; where two functions are executed that is paused and resumed.
 * FILE is the trace, FILE.config what a decoder needs to know. With `paused` it begins paused.
 *
 * perf knows nothing of it: a kernel that can do it is 6.13, or one that was given it. Prints
 * "unsupported" where it is not.
 */
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "pmu.h"

#define ROUNDS	   20
#define DATA_PAGES 8
#define AUX_PAGES  256

/* The word of perf_event_attr behind aux_sample_size: headers may be older */
#define AUX_ACTION	  (offsetof(struct perf_event_attr, aux_sample_size) + 4)
#define AUX_START_PAUSED  1u
#define AUX_PAUSE	  2u
#define AUX_RESUME	  4u

static struct perf_event_mmap_page *head;
static uint8_t *aux;
static volatile uint64_t sink;

/* Traced, but before trace is resumed for the first time */
__attribute__((noinline)) void outside(uint64_t n)
{
	for (uint64_t i = 0; i < 10 + n; i++)
		sink += i;
}

/* Never traced */
__attribute__((noinline)) void inside(uint64_t n)
{
	for (uint64_t i = 0; i < 10 + n; i++)
		sink += 2 * i;
}

/* Trace is paused, and resumed, where these begin. */
__attribute__((noinline)) void pausing(void)
{
	sink++;
}

__attribute__((noinline)) void resuming(void)
{
	sink++;
}

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void set_action(struct perf_event_attr *attr, uint32_t action)
{
	memcpy((char *)attr + AUX_ACTION, &action, sizeof(action));
}

static int open_trace(uint32_t action)
{
	struct perf_event_attr attr = pmu_make_attr();
	const size_t page = (size_t)getpagesize();
	int fd;

	set_action(&attr, action);
	fd = pmu_open(&attr, 0, -1);
	if (fd < 0) {
		if (action && (errno == EINVAL || errno == E2BIG)) {
			puts("unsupported");
			exit(0);
		}
		fail("the trace event");
	}
	head = mmap(NULL, (1 + DATA_PAGES) * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (head == MAP_FAILED)
		fail("mmap");
	head->aux_offset = (1 + DATA_PAGES) * page;
	head->aux_size = AUX_PAGES * page;
	aux = mmap(NULL, head->aux_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		   (off_t)head->aux_offset);
	if (aux == MAP_FAILED)
		fail("mmap of the AUX area");
	return fd;
}

/* In the group of @trace: where @function begins, it is paused or resumed. */
static void open_action(int trace, void (*function)(void), uint32_t action)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT,
		.size = sizeof(attr),
		.bp_type = HW_BREAKPOINT_X,
		.bp_addr = (uintptr_t)function,
		.bp_len = sizeof(long),
		.sample_period = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	set_action(&attr, action);
	if (syscall(SYS_perf_event_open, &attr, 0, -1, trace, PERF_FLAG_FD_CLOEXEC) < 0)
		fail("an event that pauses or resumes");
}

/* All that came, which is from the area's beginning on */
static void write_trace(const char *name)
{
	FILE *file = fopen(name, "w");

	printf("%llu bytes\n", (unsigned long long)head->aux_head);
	if (!head->aux_head || head->aux_head >= head->aux_size) {
		puts("that is not all of it");
		exit(1);
	}
	if (!file || fwrite(aux, 1, head->aux_head, file) != head->aux_head || fclose(file))
		fail(name);
}

static void write_config(const char *trace)
{
	static const char *const files[] = {"cpu0/trcidr/trcidr0", "cpu0/trcidr/trcidr1",
					    "cpu0/trcidr/trcidr2", "cpu0/trcidr/trcidr8",
					    "cpu0/mgmt/trcdevarch"};
	static const char *const names[] = {"TRCIDR0", "TRCIDR1", "TRCIDR2", "TRCIDR8",
					    "TRCDEVARCH"};
	char path[256], line[64];
	FILE *file;

	snprintf(path, sizeof(path), "%s.config", trace);
	file = fopen(path, "w");
	if (!file)
		fail(path);
	fprintf(file, "TRCCONFIGR=1");
	for (unsigned int i = 0; i < sizeof(files) / sizeof(*files); i++) {
		pmu_read(files[i], line, sizeof(line));
		fprintf(file, ",%s=%s", names[i], line);
	}
	fprintf(file, "\n");
	if (fclose(file))
		fail("the configuration");
}

int main(int argc, char **argv)
{
	int trace;

	if (argc < 2)
		return 2;
	trace = open_trace(argc > 2 ? AUX_START_PAUSED : 0);
	open_action(trace, pausing, AUX_PAUSE);
	open_action(trace, resuming, AUX_RESUME);
	if (ioctl(trace, PERF_EVENT_IOC_ENABLE, 0))
		fail("PERF_EVENT_IOC_ENABLE");
	for (uint64_t round = 0; round < ROUNDS; round++) {
		outside(round);
		pausing();
		inside(round);
		resuming();
	}
	if (ioctl(trace, PERF_EVENT_IOC_DISABLE, 0))
		fail("PERF_EVENT_IOC_DISABLE");
	write_trace(argv[1]);
	write_config(argv[1]);
	return 0;
}
