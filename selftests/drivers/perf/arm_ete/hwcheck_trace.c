// SPDX-License-Identifier: GPL-2.0-only
/* What is in the trace: bytes for a time and for an instruction, whether it is complete, timestamps, losses. */
#include "hwcheck.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/arm_ete_pmu.h>

#include "kselftest.h"
#include "pmu.h"

#define AUX_BYTES (8u << 20)
#define STEPS_FIRST 1000
#define STEPS_MOST 2000000
#define RUN_NS 2000000
#define FIRST_RUNS 10
#define FIRST_STEPS 500

static void run_spin(uint64_t steps)
{
	spin((unsigned int)steps);
}

/**
 * struct workload - code of which each step executes one instruction once
 * @name: for the report
 * @run: executes a number of steps
 * @step: the instruction
 */
struct workload {
	const char *name;
	void (*run)(uint64_t steps);
	const char *step;
};

static const struct workload workloads[] = {
	{ "straight", work_straight, work_straight_step },
	{ "branches", work_branches, work_branches_step },
	{ "calls", work_calls, work_calls_step },
	{ "indirect", work_indirect, work_indirect_step },
	{ "mixed", run_spin, spin_step },
};

/**
 * struct result - of runs of a workload
 * @steps: number of steps, and so are the others
 * @decoded: steps in the trace
 * @instructions: in the trace
 * @bytes: of trace
 * @records: AUX records
 * @flagged: recordings with a loss that the driver reports
 * @plain: nanoseconds without trace
 * @traced: nanoseconds with trace
 */
struct result {
	uint64_t steps;
	uint64_t decoded;
	uint64_t instructions;
	uint64_t bytes;
	uint64_t records;
	uint64_t flagged;
	uint64_t plain;
	uint64_t traced;
};

/* Bytes of the alignment synchronisation at the beginning of a part that are not as they must be */
static unsigned int wrong_sync(const struct record *record, size_t part, unsigned int *inverted)
{
	unsigned int i, wrong = 0;

	*inverted = 0;
	for (i = 0; i < RECORD_SYNC_BYTES; i++) {
		const uint8_t found = record->bytes[record->parts[part].at + i];

		wrong += found != record_sync[i];
		*inverted += found == (record_sync[i] ^ 0xff);
	}
	return wrong;
}

/* Records of our driver begin with synchronisation; those of the in-tree driver need not */
static bool check_begins(struct hwcheck *check, const struct trace *trace)
{
	bool right = true;
	size_t i;

	for (i = 0; i < trace->rec.part_count && !check->pmu.in_tree; i++) {
		unsigned int inverted, wrong;

		if (trace->rec.parts[i].size < RECORD_SYNC_BYTES)
			continue;
		wrong = wrong_sync(&trace->rec, i, &inverted);
		right &= !wrong;
		check->corrupt |= wrong;
		if (wrong > 1)
			report_finding(&check->report, "corrupt-record",
				       "an AUX record does not begin with synchronisation (%u of 12 bytes are wrong, "
				       "%u of them inverted): trace is corrupt from the moment that the buffer is enabled, as with erratum 2038923.",
				       wrong, inverted);
		else if (wrong)
			report_finding(&check->report, "corrupt-bytes",
				       "single bytes of the trace are wrong: 1 of 12 bytes of a synchronisation, as with erratum 1902691.");
	}
	return right;
}

/* Gaps without a report of the driver, in a recording that was decoded */
static void check_complete(struct hwcheck *check, const struct trace *trace, uint64_t steps,
			   uint64_t decoded)
{
	size_t i, corrupt = 0;

	for (i = 0; i < trace->decode.count; i++) {
		const struct decode_item *item = &trace->decode.items[i];

		if (item->kind != DECODE_GAP)
			continue;
		if (item->gap == DECODE_GAP_OVERFLOW)
			report_finding(&check->report, "overflow",
				       "the trace unit had an overflow: the trace buffer did not take its trace in time.");
		else if (item->gap != DECODE_GAP_FLAGS)
			corrupt++;
	}
	if (trace->flags & TRACE_LOSS)
		return;
	if (!check_begins(check, trace))
		return;
	check->corrupt |= corrupt;
	if (corrupt)
		report_finding(&check->report, "corrupt-bytes",
			       "%zu times the trace contradicts the program (%s): "
			       "single bytes are wrong, as with erratum 1902691.",
			       corrupt, trace_first_gap(trace));
	else if (decoded < steps)
		report_finding(&check->report, "unreported-loss",
			       "%" PRIu64 " of %" PRIu64 " steps are not in the trace, and no record "
			       "reports a loss: TSB CSYNC does not flush all trace, as with errata 2054223 and 2067961, or "
			       "the driver does not use this CPU any more and the kernel's log says why.",
			       steps - decoded, steps);
	else if (decoded > steps)
		report_finding(&check->report, "repeated-trace",
			       "the trace has %" PRIu64 " steps; %" PRIu64 " were executed.", decoded, steps);
}

static uint64_t count_instructions(const struct trace *trace)
{
	uint64_t count = 0;
	size_t i;

	for (i = 0; i < trace->decode.count; i++)
		if (trace->decode.items[i].kind == DECODE_RANGE)
			count += trace->decode.items[i].instructions;
	return count;
}

/* One recording of so many steps; false if there is none */
static bool run_traced(struct hwcheck *check, const struct workload *work, uint64_t steps,
		       struct result *result)
{
	const struct perf_event_attr attr = pmu_make_attr();
	static struct trace trace;
	uint64_t begin, decoded;

	if (trace_open(&trace, &attr, 0, -1, AUX_BYTES, false))
		return false;
	trace_enable(&trace);
	begin = hwcheck_ns();
	work->run(steps);
	result->traced += hwcheck_ns() - begin;
	trace_disable(&trace);
	trace_collect(&trace);
	if (trace_decode(&trace)) {
		report_finding(&check->report, "not-decoded", "a recording cannot be decoded at all.");
		trace_close(&trace);
		return false;
	}
	decoded = trace_executions(&trace, work->step);
	check_complete(check, &trace, steps, decoded);
	result->steps += steps;
	result->decoded += decoded;
	result->instructions += count_instructions(&trace);
	result->bytes += trace.bytes;
	result->records += trace.rec.part_count;
	result->flagged += !!(trace.flags & TRACE_LOSS);
	trace_close(&trace);
	return true;
}

static uint64_t run_plain(const struct workload *work, uint64_t steps)
{
	const uint64_t begin = hwcheck_ns();

	work->run(steps);
	return hwcheck_ns() - begin;
}

/* Steps that take some milliseconds */
static uint64_t calibrate(const struct workload *work)
{
	uint64_t steps = STEPS_FIRST;

	while (steps < STEPS_MOST && run_plain(work, steps) < RUN_NS)
		steps *= 2;
	return steps;
}

static void add_result(struct hwcheck *check, const struct workload *work, const struct result *result)
{
	const double instructions = result->instructions ? (double)result->instructions : 1;
	const double traced = result->traced ? (double)result->traced : 1;
	const double plain = result->plain ? (double)result->plain : 1;
	char key[48], label[64];

#define KEY(what, text)                                             \
	(snprintf(key, sizeof(key), "%s_%s", work->name, what), \
	 snprintf(label, sizeof(label), "%s: %s", work->name, text))
	KEY("rate", "trace");
	report_real(&check->report, key, label, "MB/s", (double)result->bytes * 1000 / traced);
	KEY("bits", "for an instruction");
	report_real(&check->report, key, label, "bits", (double)result->bytes * 8 / instructions);
	KEY("slowdown", "time with trace, relative to without");
	report_real(&check->report, key, label, "", traced / plain);
	KEY("bytes", "");
	report_uint(&check->report, key, NULL, "", result->bytes);
	KEY("steps", "");
	report_uint(&check->report, key, NULL, "", result->steps);
	KEY("decoded", "");
	report_uint(&check->report, key, NULL, "", result->decoded);
	KEY("instructions", "");
	report_uint(&check->report, key, NULL, "", result->instructions);
	KEY("flagged", "");
	report_uint(&check->report, key, NULL, "", result->flagged);
#undef KEY
}

/**
 * hwcheck_calibrate() - bytes of trace of the workload spin()
 * @check: receives them
 */
void hwcheck_calibrate(struct hwcheck *check)
{
	const struct perf_event_attr attr = pmu_make_attr();
	static struct trace trace;
	uint64_t begin, ns;

	if (trace_open(&trace, &attr, 0, -1, AUX_BYTES, false))
		return;
	trace_enable(&trace);
	begin = hwcheck_ns();
	spin(20000);
	ns = hwcheck_ns() - begin;
	trace_disable(&trace);
	trace_collect(&trace);
	if (trace.bytes) {
		check->ns_per_byte = (double)ns / (double)trace.bytes;
		check->bytes_per_step = (double)trace.bytes / 20000;
	}
	trace_close(&trace);
}

/**
 * check_first() - whether short recordings are complete
 * @check: the machine
 *
 * If trace is missing, the event stays open until the program ends: trace that the buffer writes too late is written
 * into its AUX area. In snapshot mode the driver writes other values than the registers have each time.
 *
 * Return: false if trace is missing; then it may be written to memory that is used for something else by then.
 */
bool check_first(struct hwcheck *check)
{
	const struct perf_event_attr attr = pmu_make_attr();
	struct hwcheck_log log = { "" };
	static struct trace trace;
	unsigned int i;
	uint64_t decoded;
	bool complete;

	report_section(&check->report, "first", "First recordings", "H10");
	if (trace_open(&trace, &attr, 0, -1, AUX_BYTES, true)) {
		report_finding(&check->report, "cannot-record",
			       "no event of a thread can be opened; the kernel's log may say why.");
		return false;
	}
	if (!check->pmu.in_tree && !hwcheck_log_open(&log))
		hwcheck_log_clear(&log);
	for (i = 0; i < FIRST_RUNS; i++) {
		trace_enable(&trace);
		spin(FIRST_STEPS);
		trace_disable(&trace);
		trace_collect(&trace);
	}
	trace_decode(&trace);
	decoded = trace_executions(&trace, spin_step);
	check_complete(check, &trace, FIRST_RUNS * FIRST_STEPS, decoded);
	report_uint(&check->report, "steps", "steps executed", "", FIRST_RUNS * FIRST_STEPS);
	report_uint(&check->report, "decoded", "steps in the trace", "", decoded);
	if (*log.at)
		hwcheck_judge(check, &log, true);
	hwcheck_log_close(&log);
	/* a corrupt trace is at its place */
	complete = check->corrupt || decoded >= FIRST_RUNS * FIRST_STEPS || trace.flags & TRACE_LOSS;
	report_verdict(&check->report, "%s",
		       complete ? "trace comes in time" :
				  "trace comes too late, so it may be written to any memory: nothing else is checked");
	if (complete)
		trace_close(&trace);
	return complete;
}

/*
 * Trace of the kernel begins at once when the event is enabled, trace of user code after an exception return. It is
 * not decoded, for the kernel's code is not known.
 */
static void check_kernel(struct hwcheck *check)
{
	struct perf_event_attr attr = pmu_make_attr();
	static struct trace trace;
	unsigned int i;

	attr.exclude_kernel = 0;
	if (!check->root || trace_open(&trace, &attr, 0, -1, AUX_BYTES, false))
		return;
	for (i = 0; i < 10; i++) {
		trace_enable(&trace);
		getppid();
		trace_disable(&trace);
	}
	trace_collect(&trace);
	check_begins(check, &trace);
	report_uint(&check->report, "kernel_bytes", NULL, "", trace.bytes);
	trace_close(&trace);
}

/**
 * check_rates() - trace for a time and for an instruction, and whether it is what was executed
 * @check: the machine
 */
void check_rates(struct hwcheck *check)
{
	bool all = true;
	size_t i;

	report_section(&check->report, "rates", "Trace rate, and whether trace is what was executed", "H7");
	for (i = 0; i < ARRAY_SIZE(workloads); i++) {
		const struct workload *work = &workloads[i];
		const uint64_t steps = calibrate(work), until = hwcheck_until(check, 3);
		struct result result = { 0 };

		do {
			result.plain += run_plain(work, steps);
			if (!run_traced(check, work, steps, &result))
				break;
		} while (hwcheck_ns() < until);
		add_result(check, work, &result);
		all &= result.steps && result.steps == result.decoded;
		if (work->run == run_spin && result.bytes) {
			check->ns_per_byte = (double)result.traced / (double)result.bytes;
			check->bytes_per_step = (double)result.bytes / (double)result.steps;
		}
	}
	check_kernel(check);
	report_verdict(&check->report, "%s",
		       all ? "each step that was executed is in the trace once" :
			     "steps are missing, or occur more than once");
}

/* A moment by both clocks: CNTVCT_EL0, and nanoseconds */
struct moment {
	uint64_t ticks;
	uint64_t ns;
};

static struct moment now(void)
{
	return (struct moment){ .ticks = hwcheck_ticks(), .ns = hwcheck_ns() };
}

/* Timestamps of a recording, which are of moments between @before and @after */
struct timed {
	struct decode_times times;
	size_t count;
	struct moment before;
	struct moment after;
};

/* Record some steps with timestamps; false if that is not possible */
static bool record_times(uint64_t config, struct timed *timed)
{
	struct perf_event_attr attr = pmu_make_attr();
	static struct trace trace;
	bool done;

	attr.config |= config;
	if (trace_open(&trace, &attr, 0, -1, AUX_BYTES, false))
		return false;
	timed->before = now();
	trace_enable(&trace);
	spin(20000);
	trace_disable(&trace);
	timed->after = now();
	trace_collect(&trace);
	done = !trace_decode(&trace);
	timed->times = trace.decode.times;
	timed->count = trace.decode.timestamps;
	trace_close(&trace);
	return done && timed->times.first;
}

static unsigned int outside_of(const struct timed *timed)
{
	return (timed->times.first < timed->before.ticks) + (timed->times.last > timed->after.ticks);
}

/*
 * struct rates - ticks in a second
 * @clock: of CNTVCT_EL0
 * @least, @most: of timestamps. When a timestamp was made is known as exactly as its recording was short.
 */
struct rates {
	double clock;
	double least;
	double most;
};

static struct rates rates_of(const struct timed *one, const struct timed *two)
{
	const double ticks = (double)(two->times.first - one->times.first) * 1e9;

	return (struct rates){
		.clock = (double)(two->before.ticks - one->before.ticks) * 1e9 /
			 (double)(two->before.ns - one->before.ns),
		.least = ticks / (double)(two->after.ns - one->before.ns),
		.most = ticks / (double)(two->before.ns - one->after.ns),
	};
}

static void judge_times(struct hwcheck *check, uint64_t backwards, unsigned int outside,
			const struct rates *rates)
{
	const bool off = rates->most < 0.95 * rates->clock || rates->least > 1.05 * rates->clock;

	if (backwards)
		report_finding(&check->report, "timestamps-backwards",
			       "%" PRIu64 " timestamps are less than the one before.", backwards);
	if (outside)
		report_finding(&check->report, "timestamps-outside",
			       "timestamps are not between the values of CNTVCT_EL0 before and after the "
			       "recording: their source is another counter.");
	if (off)
		report_finding(&check->report, "timestamps-rate",
			       "timestamps advance by %.0f to %.0f a second, CNTVCT_EL0 by %.0f.",
			       rates->least, rates->most, rates->clock);
	report_verdict(&check->report, "%s",
		       outside || off ?
		       "timestamps are not values of the counter of the kernel's clock" :
		       backwards ? "timestamps are values of CNTVCT_EL0, not monotone" :
				   "timestamps are values of CNTVCT_EL0, monotone");
}

/**
 * check_timestamps() - source, rate and resolution of timestamps
 * @check: the machine
 */
void check_timestamps(struct hwcheck *check)
{
	/* long beside the time that it takes to open an event */
	const uint64_t span = check->seconds < 100 ? 1000000000 : (uint64_t)check->seconds * 10000000;
	struct timed one, two;
	uint64_t config = 2ULL << ARM_ETE_PMU_SHIFT(timestamp), backwards;
	unsigned int outside;
	struct rates rates;

	report_section(&check->report, "timestamps", "Timestamps", "H8");
	if (check->corrupt) {
		report_verdict(&check->report, "not measured: the trace is corrupt");
		return;
	}
	/*
	 * Ours falls back to synchronisation without a counter. All versions of the in-tree driver have the bit of
	 * one interval, at this place.
	 */
	if (check->pmu.in_tree)
		config = ARM_ETE_PMU_MASK(deprecated_timestamp);
	if (!record_times(config, &one)) {
		report_verdict(&check->report, "not measured: there are no timestamps in the trace");
		return;
	}
	usleep((useconds_t)(span / 1000));
	if (!record_times(config, &two)) {
		report_verdict(&check->report, "not measured: there are no timestamps in the second recording");
		return;
	}
	outside = outside_of(&one) + outside_of(&two);
	backwards = one.times.backwards + two.times.backwards;
	rates = rates_of(&one, &two);
	report_uint(&check->report, "cntfrq", "CNTFRQ_EL0", "Hz", hwcheck_frequency());
	report_real(&check->report, "clock", "CNTVCT_EL0, measured", "Hz", rates.clock);
	report_real(&check->report, "rate_least", "timestamps, at least", "Hz", rates.least);
	report_real(&check->report, "rate_most", "timestamps, at most", "Hz", rates.most);
	report_uint(&check->report, "count", "timestamps", "", one.count + two.count);
	report_uint(&check->report, "least", "smallest difference", "ticks",
		    one.times.least && one.times.least < two.times.least ? one.times.least : two.times.least);
	report_uint(&check->report, "backwards", "backwards", "", backwards);
	report_uint(&check->report, "outside", "outside of CNTVCT_EL0", "", outside);
	judge_times(check, backwards, outside, &rates);
	if (hwcheck_frequency() < 1000000 || hwcheck_frequency() > 10000000000)
		report_finding(&check->report, "cntfrq",
			       "CNTFRQ_EL0 is %" PRIu64 ": firmware has not set it.", hwcheck_frequency());
}

static void spin_pinned(int fd, void *argument)
{
	const unsigned int *steps = argument;

	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	spin(*steps);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
}

/* One recording with an AUX area that is smaller than the trace; adds to the result */
static bool run_loaded(struct hwcheck *check, unsigned int steps, struct result *result)
{
	struct record_config config = { .pmu = &check->pmu, .cpu = -1, .aux_pages = 16 };
	static struct trace trace;
	uint64_t decoded;
	size_t i;

	memset(&trace, 0, sizeof(trace));
	decode_init(&trace.decode);
	if (record_thread(&trace.rec, &config, spin_pinned, &steps, 10000) ||
	    decode_add_self(&trace.decode) || decode_record(&trace.decode, &trace.rec))
		return false;
	for (i = 0; i < trace.rec.part_count; i++) {
		trace.bytes += trace.rec.parts[i].size;
		result->flagged += !!(trace.rec.parts[i].flags & TRACE_LOSS);
	}
	trace.flags = record_flags(&trace.rec);
	decoded = trace_executions(&trace, spin_step);
	check_complete(check, &trace, steps, decoded);
	result->steps += steps;
	result->decoded += decoded;
	result->bytes += trace.bytes;
	result->records += trace.rec.part_count;
	decode_free(&trace.decode);
	record_close(&trace.rec);
	return true;
}

/**
 * check_losses() - bytes that are lost where a thread makes trace faster than a reader takes it
 * @check: the machine
 */
void check_losses(struct hwcheck *check)
{
	const uint64_t until = hwcheck_until(check, 20);
	const double each = check->ns_per_byte > 0 ? check->bytes_per_step : 1;
	/* four times the AUX area of 64 KB */
	const unsigned int steps = (unsigned int)(4 * 65536 / (each > 0.01 ? each : 0.01));
	struct result result = { 0 };
	uint64_t missing;

	report_section(&check->report, "losses", "Losses under load", "H4");
	do {
		if (!run_loaded(check, steps, &result))
			break;
	} while (hwcheck_ns() < until);
	if (!result.steps) {
		report_verdict(&check->report, "not measured: a thread cannot be recorded");
		return;
	}
	missing = result.steps > result.decoded ? result.steps - result.decoded : 0;
	report_uint(&check->report, "steps", "steps executed", "", result.steps);
	report_uint(&check->report, "decoded", "steps in the trace", "", result.decoded);
	report_uint(&check->report, "bytes", "bytes recorded", "", result.bytes);
	report_real(&check->report, "lost_bytes", "bytes lost, by the steps that are missing", "",
		    (double)missing * each);
	report_real(&check->report, "lost_percent", "steps lost", "%",
		    100 * (double)missing / (double)result.steps);
	report_uint(&check->report, "records", "AUX records", "", result.records);
	report_uint(&check->report, "flagged", "of these with a loss reported", "", result.flagged);
	hwcheck_compare_losses(check);
	report_verdict(&check->report, "%s",
		       missing && !result.flagged ? "trace is lost, and no record reports it" :
		       missing ? "trace is lost and reported; a larger AUX area helps" : "nothing is lost");
}
