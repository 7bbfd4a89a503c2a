// SPDX-License-Identifier: GPL-2.0-only
/* What trace costs: context switches and wake-ups from idle. */
#include "hwcheck.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "pmu.h"

#define AUX_BYTES (4u << 20)
#define TURNS 500
#define MOST_NAPS 100000

/* Cycles of a CPU, of all code; -1 if there is no such counter, or it is not permitted */
static int open_cycles(int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
	};

	return pmu_open(&attr, -1, cpu);
}

static uint64_t read_cycles(int fd)
{
	uint64_t count = 0;

	return fd >= 0 && read(fd, &count, sizeof(count)) == sizeof(count) ? count : 0;
}

/**
 * struct partner - a thread that answers each byte, on the same CPU
 * @in: it reads bytes here
 * @out: and writes them here
 * @cpu: its CPU
 */
struct partner {
	int in;
	int out;
	int cpu;
};

static void *answer(void *argument)
{
	const struct partner *partner = argument;
	char byte;

	hwcheck_pin(partner->cpu);
	while (read(partner->in, &byte, 1) == 1)
		if (write(partner->out, &byte, 1) != 1)
			break;
	return NULL;
}

/**
 * struct turns - time of turns, to the partner and back
 * @count: number of turns
 * @ns: nanoseconds
 * @cycles: of the CPU
 */
struct turns {
	uint64_t count;
	uint64_t ns;
	uint64_t cycles;
};

static void take_turns(struct turns *turns, int to, int from, int cycles)
{
	const uint64_t cycles_before = read_cycles(cycles), begin = hwcheck_ns();
	unsigned int i;
	char byte = 0;

	for (i = 0; i < TURNS; i++)
		if (write(to, &byte, 1) != 1 || read(from, &byte, 1) != 1)
			return;
	turns->count += TURNS;
	turns->ns += hwcheck_ns() - begin;
	turns->cycles += read_cycles(cycles) - cycles_before;
}

/* Turns without and with an event of this thread, alternately */
static bool measure_turns(struct hwcheck *check, struct turns *off, struct turns *on, int to, int from)
{
	const struct perf_event_attr attr = pmu_make_attr();
	const uint64_t until = hwcheck_until(check, 10);
	const int cycles = open_cycles(check->cpu);
	static struct trace trace;
	int err;

	do {
		take_turns(off, to, from, cycles);
		err = trace_open(&trace, &attr, 0, -1, AUX_BYTES, false);
		if (err)
			break;
		trace_enable(&trace);
		take_turns(on, to, from, cycles);
		trace_disable(&trace);
		trace_close(&trace);
	} while (hwcheck_ns() < until);
	if (cycles >= 0)
		close(cycles);
	return !err && off->count && on->count;
}

static void add_turns(struct hwcheck *check, const struct turns *off, const struct turns *on)
{
	const double plain = (double)off->ns / (double)off->count, traced = (double)on->ns / (double)on->count;

	report_uint(&check->report, "turns", "times that the traced thread left and came back", "", on->count);
	report_real(&check->report, "plain_ns", "both switches without trace", "ns", plain);
	report_real(&check->report, "traced_ns", "both switches with trace", "ns", traced);
	report_real(&check->report, "cost_ns", "cost of trace", "ns", traced - plain);
	if (!off->cycles || !on->cycles)
		return;
	report_real(&check->report, "plain_cycles", "both switches without trace", "cycles",
		    (double)off->cycles / (double)off->count);
	report_real(&check->report, "traced_cycles", "both switches with trace", "cycles",
		    (double)on->cycles / (double)on->count);
	report_real(&check->report, "cost_cycles", "cost of trace", "cycles",
		    (double)on->cycles / (double)on->count - (double)off->cycles / (double)off->count);
}

/**
 * check_switches() - cost of a context switch with and without trace
 * @check: the machine
 */
void check_switches(struct hwcheck *check)
{
	struct turns off = { 0 }, on = { 0 };
	struct partner partner = { .cpu = check->cpu };
	int there[2], back[2];
	pthread_t thread;
	bool done;

	report_section(&check->report, "switch", "Context switch to and from a traced thread", "H5");
	if (pipe(there) || pipe(back))
		return;
	partner.in = there[0];
	partner.out = back[1];
	if (pthread_create(&thread, NULL, answer, &partner))
		return;
	done = measure_turns(check, &off, &on, there[1], back[0]);
	close(there[1]);
	pthread_join(thread, NULL);
	close(there[0]);
	close(back[0]);
	close(back[1]);
	if (!done) {
		report_verdict(&check->report, "not measured: no event of a thread can be opened");
		return;
	}
	add_turns(check, &off, &on);
	hwcheck_compare_switches(check);
	report_verdict(&check->report, "a traced thread that leaves its CPU and comes back costs %.0f ns more",
		       (double)on.ns / (double)on.count - (double)off.ns / (double)off.count);
}

/*
 * Sleep @naps times until a moment, and store how late the wake-ups are; returns their number. The
 * moment is chosen anew each time, so that a late wake-up makes no other one late.
 */
static size_t take_naps(uint64_t *late, size_t naps)
{
	struct timespec at, now;
	size_t i;

	for (i = 0; i < naps; i++) {
		clock_gettime(CLOCK_MONOTONIC, &at);
		at.tv_nsec += 2000000;
		at.tv_sec += at.tv_nsec / 1000000000;
		at.tv_nsec %= 1000000000;
		if (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL))
			break;
		clock_gettime(CLOCK_MONOTONIC, &now);
		late[i] = (uint64_t)((now.tv_sec - at.tv_sec) * 1000000000 + now.tv_nsec - at.tv_nsec);
	}
	return i;
}

static void add_naps(struct hwcheck *check, const char *name, const char *text, uint64_t *late, size_t count)
{
	static const unsigned int percents[] = { 50, 99 };
	size_t i;

	for (i = 0; i < 2; i++) {
		char key[48], label[64];

		snprintf(key, sizeof(key), "%s_p%u_ns", name, percents[i]);
		snprintf(label, sizeof(label), "%s, %s", text, i ? "99 %" : "median");
		report_uint(&check->report, key, label, "ns", hwcheck_median(late, count, percents[i]));
	}
}

/**
 * check_idle() - latency of wake-ups from idle with and without an event of the CPU
 * @check: the machine
 */
void check_idle(struct hwcheck *check)
{
	const struct perf_event_attr attr = pmu_make_attr();
	/* 2 ms each, in two series */
	const size_t wanted = (size_t)check->seconds * 10 / 100 * 1000 / 2 / 2;
	const size_t naps = wanted > MOST_NAPS ? MOST_NAPS : wanted < 50 ? 50 : wanted;
	uint64_t *late = calloc(naps, sizeof(*late));
	static struct trace trace;
	int err;

	report_section(&check->report, "idle", "Wake-up from idle", "H6");
	if (!late)
		return;
	report_uint(&check->report, "naps", "wake-ups of each kind", "", naps);
	add_naps(check, "plain", "without trace", late, take_naps(late, naps));
	err = trace_open(&trace, &attr, -1, check->cpu, AUX_BYTES, false);
	if (!err) {
		trace_enable(&trace);
		add_naps(check, "traced", "with an event of the CPU", late, take_naps(late, naps));
		trace_disable(&trace);
		trace_collect(&trace);
		report_uint(&check->report, "bytes", NULL, "", trace.bytes);
		trace_close(&trace);
		report_verdict(&check->report,
			       "measured; a CPU that loses its registers while idle has to restore them");
	} else {
		report_verdict(&check->report, "not measured with trace: an event of a CPU cannot be opened (%s)",
			       strerror(err));
	}
	free(late);
}
