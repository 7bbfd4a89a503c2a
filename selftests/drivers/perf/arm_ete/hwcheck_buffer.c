// SPDX-License-Identifier: GPL-2.0-only
/* The trace buffer: Trigger Counter, interrupt, pointers, wrap, faults. */
#include "hwcheck.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kselftest.h"
#include "pmu.h"

#define SR_S (1u << 17)
#define SR_EA (1u << 18)
#define SR_WRAP (1u << 20)
#define SR_IRQ (1u << 22)
#define SR_EC(status) ((status) >> 26 & 0x3f)
#define BSC_FILLED 1

/* Bytes that the errata write behind the limit: a cache line */
#define BEHIND_LIMIT 64

#define MOST_LATENCIES 65536

/**
 * struct trigger - what the records of the trigger check have
 * @records: number of records
 * @reached: of them, those with at least as many bytes as TRBTRG_EL1 was set to
 * @interrupts: of them, those with TRBSR_EL1.IRQ
 * @worst: largest difference of TRBTRG_EL1 from what it should be
 * @full: records that filled the buffer
 * @late: bytes after the trigger until trace stopped, of the records with an interrupt
 * @late_count: number of @late
 */
struct trigger {
	uint64_t records;
	uint64_t reached;
	uint64_t interrupts;
	uint64_t worst;
	uint64_t full;
	uint64_t late[MOST_LATENCIES];
	size_t late_count;
};

static struct trigger trigger;

static uint64_t difference(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* The Trigger Counter against the number of bytes, and the interrupt against both */
static void judge_counter(struct hwcheck *check, const struct hwcheck_stop *stop, uint64_t bytes)
{
	const uint64_t expected = bytes >= stop->trigger ? 0 : stop->trigger - bytes;
	const uint64_t off = difference(stop->counter, expected);
	const bool irq = stop->status & SR_IRQ, full = stop->status & SR_S;

	if (off > trigger.worst)
		trigger.worst = off;
	if (off)
		report_finding(&check->report, "trigger-inexact",
			       "TRBTRG_EL1 is %" PRIu64 " after %" PRIu64
			       " bytes with a trigger at %" PRIu64
			       ": it differs from what was written by %" PRIu64 " bytes.",
			       stop->counter, bytes, stop->trigger, off);
	if (irq && !full && bytes < stop->trigger && !off)
		report_finding(&check->report, "spurious-interrupt",
			       "TRBSR_EL1.IRQ is 1 after %" PRIu64 " bytes with a trigger at %" PRIu64
			       ", without a reason.",
			       bytes, stop->trigger);
	else if (irq && !full && bytes < stop->trigger)
		report_finding(&check->report, "trigger-early",
			       "the interrupt came after %" PRIu64 " bytes, the trigger was at %" PRIu64 ".",
			       bytes, stop->trigger);
	if (!irq && bytes > stop->trigger)
		report_finding(&check->report, "trigger-missed",
			       "TRBSR_EL1.IRQ is 0 after %" PRIu64 " bytes with a trigger at %" PRIu64 ".", bytes,
			       stop->trigger);
	if (irq && bytes >= stop->trigger && trigger.late_count < MOST_LATENCIES)
		trigger.late[trigger.late_count++] = bytes - stop->trigger;
	trigger.reached += bytes >= stop->trigger;
	trigger.interrupts += irq && !full;
}

/* A buffer that is full: the pointer must be the base */
static void judge_full(struct hwcheck *check, const struct hwcheck_stop *stop)
{
	trigger.full++;
	if (stop->pointer != stop->base)
		report_finding(&check->report, "overwritten",
			       "TRBPTR_EL1 is %" PRId64 " bytes behind the base after the buffer was full: "
			       "trace was written over its first bytes, as with errata 2119858 and 2139208.",
			       (int64_t)(stop->pointer - stop->base));
}

static void judge_stop(struct hwcheck *check, const struct hwcheck_stop *stop, bool snapshot)
{
	const bool wrapped = stop->status & SR_WRAP;

	trigger.records++;
	if (stop->read != stop->write || stop->began != stop->trigger) {
		report_finding(&check->report, "write-ignored",
			       "TRBPTR_EL1 was written with %" PRIu64 " and TRBTRG_EL1 with %" PRIu64
			       "; they read as %" PRId64 " and %" PRIu64
			       ": writes are ignored after the buffer is disabled, as with erratum 2064142.",
			       stop->write, stop->trigger, (int64_t)stop->read, stop->began);
		return;
	}
	if (SR_EC(stop->status) || stop->status & SR_EA) {
		/* a buffer in Circular mode has WRAP set until trace stops: it may have wrapped long before */
		if (wrapped && stop->pointer - stop->base < BEHIND_LIMIT)
			report_finding(&check->report, "fault-behind-limit",
				       "a fault (TRBSR_EL1 %#" PRIx64 ") came directly when the pointer "
				       "wrapped: trace was written behind the limit, as with errata 2224489 and 2253138.",
				       stop->status);
		return;
	}
	if (!wrapped && (stop->pointer < stop->write || stop->pointer >= stop->limit)) {
		report_finding(&check->report, "pointer-outside",
			       "TRBPTR_EL1 is %" PRId64
			       ", outside of the buffer from %" PRIu64 " to %" PRIu64 ".",
			       (int64_t)stop->pointer, stop->write, stop->limit);
		return;
	}
	if (snapshot && wrapped)
		return;
	judge_counter(check, stop, wrapped ? stop->limit - stop->write : stop->pointer - stop->write);
	if (wrapped && stop->status & SR_S && (stop->status & 0x3f) == BSC_FILLED)
		judge_full(check, stop);
}

/**
 * hwcheck_judge() - compare the registers of all records with what they must be
 * @check: receives findings
 * @log: open
 * @snapshot: the AUX area was overwritten
 */
void hwcheck_judge(struct hwcheck *check, const struct hwcheck_log *log, bool snapshot)
{
	struct hwcheck_stop *stops;
	const size_t count = hwcheck_log_read(log, check->cpu, &stops);
	size_t i;

	for (i = 0; i < count; i++)
		judge_stop(check, &stops[i], snapshot);
	free(stops);
}

/**
 * hwcheck_run_buffer() - record, and judge the registers of all records
 * @check: the machine
 * @log: open
 * @pages: of the AUX area
 * @watermark: struct perf_event_attr.aux_watermark
 * @snapshot: overwrite the AUX area
 *
 * Return: false if no event can be opened.
 */
bool hwcheck_run_buffer(struct hwcheck *check, const struct hwcheck_log *log, size_t pages,
			unsigned int watermark, bool snapshot)
{
	const size_t size = pages * (size_t)getpagesize();
	struct perf_event_attr attr = pmu_make_attr();
	static struct trace trace;
	size_t i;

	attr.aux_watermark = watermark;
	if (trace_open(&trace, &attr, 0, -1, size, snapshot))
		return false;
	hwcheck_log_clear(log);
	trace_enable(&trace);
	for (i = 0; i < 4; i++) {
		const double bytes = check->bytes_per_step > 0.01 ? check->bytes_per_step : 1;

		/* half of the area, so that records end in all places */
		spin((unsigned int)((double)size * 0.5 / bytes) + 100 * (unsigned int)i);
		trace_collect(&trace);
	}
	trace_disable(&trace);
	trace_collect(&trace);
	trace_close(&trace);
	hwcheck_judge(check, log, snapshot);
	return true;
}

/**
 * hwcheck_full_records() - records so far that filled the buffer
 *
 * Return: their number.
 */
uint64_t hwcheck_full_records(void)
{
	return trigger.full;
}

static void add_latency(struct hwcheck *check)
{
	static const unsigned int percents[] = { 0, 50, 99, 100 };
	static const char *const names[] = { "least", "median", "p99", "most" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(percents); i++) {
		const uint64_t bytes = hwcheck_median(trigger.late, trigger.late_count, percents[i]);
		char key[48], label[64];

		snprintf(key, sizeof(key), "late_bytes_%s", names[i]);
		snprintf(label, sizeof(label), "trace after the trigger, %s", names[i]);
		report_uint(&check->report, key, label, "bytes", bytes);
		snprintf(key, sizeof(key), "late_ns_%s", names[i]);
		snprintf(label, sizeof(label), "trigger to interrupt, %s", names[i]);
		report_real(&check->report, key, label, "ns", (double)bytes * check->ns_per_byte);
	}
}

static void add_trigger(struct hwcheck *check)
{
	report_uint(&check->report, "records", "AUX records", "", trigger.records);
	report_uint(&check->report, "reached", "of these reached the trigger", "", trigger.reached);
	report_uint(&check->report, "interrupts", "interrupts", "", trigger.interrupts);
	report_uint(&check->report, "full", "of these filled the buffer", "", trigger.full);
	report_uint(&check->report, "worst", "largest error of TRBTRG_EL1", "bytes", trigger.worst);
	if (!trigger.records)
		report_verdict(&check->report, "not measured: no record was seen");
	else if (!trigger.reached)
		report_verdict(&check->report, "not measured: no record reached the trigger");
	else if (trigger.worst)
		report_verdict(&check->report, "TRBTRG_EL1 is not exact to the byte");
	else
		report_verdict(&check->report, "TRBTRG_EL1 is exact to the byte");
}

/**
 * check_trigger() - whether TRBTRG_EL1 counts each byte, and the time from the trigger to the interrupt
 * @check: the machine
 */
void check_trigger(struct hwcheck *check)
{
	static const unsigned int marks[] = { 0, 700, 1001, 1503, 2049 };
	const uint64_t until = hwcheck_until(check, 25);
	const char *reason = "the in-tree driver has no tracepoint for it";
	struct hwcheck_log log = { "" };
	unsigned int turn = 0;

	report_section(&check->report, "trigger", "Trigger Counter", "H2");
	if (!check->pmu.in_tree)
		reason = hwcheck_log_open(&log);
	if (reason) {
		report_verdict(&check->report, "not measured: %s", reason);
		return;
	}
	hwcheck_calibrate(check);
	do {
		/* each size with each watermark; at least once */
		const size_t pages = (size_t)1 << turn % 6;

		if (!hwcheck_run_buffer(check, &log, pages, marks[turn % ARRAY_SIZE(marks)] + turn / 30, false))
			break;
	} while (++turn < 30 || hwcheck_ns() < until);
	hwcheck_log_close(&log);
	add_trigger(check);
	report_section(&check->report, "interrupt", "Time from trigger to interrupt", "H3");
	add_latency(check);
	report_verdict(&check->report, "%s",
		       trigger.late_count ? "the driver keeps 2048 bytes or a quarter of the buffer for this" :
					    "not measured: there was no interrupt");
}

/* A snapshot that was overwritten some times must be a trace without a gap */
static bool run_snapshot(struct hwcheck *check, uint64_t *bytes)
{
	const struct perf_event_attr attr = pmu_make_attr();
	const size_t size = 4 * (size_t)getpagesize();
	static struct trace trace;
	bool decoded;

	if (trace_open(&trace, &attr, 0, -1, size, true))
		return false;
	trace_enable(&trace);
	spin((unsigned int)(2.5 * (double)size / (check->bytes_per_step > 0.01 ? check->bytes_per_step : 1)));
	trace_disable(&trace);
	trace_collect(&trace);
	decoded = !trace_decode(&trace);
	*bytes += trace.rec.length;
	if (decoded && !check->corrupt && !(trace.flags & TRACE_LOSS) && *trace_first_gap(&trace))
		report_finding(&check->report, "snapshot-gap",
			       "a snapshot that was overwritten has a gap (%s): "
			       "trace is not at its place after a wrap, as with errata 2224489 and 2253138.",
			       trace_first_gap(&trace));
	trace_close(&trace);
	return decoded;
}

/**
 * check_snapshot() - the wrap of a buffer in Circular mode
 * @check: the machine
 */
void check_snapshot(struct hwcheck *check)
{
	const uint64_t until = hwcheck_until(check, 5);
	struct hwcheck_log log = { "" };
	uint64_t turns = 0, bytes = 0, before = trigger.records;

	report_section(&check->report, "snapshot", "Wrap of the buffer", "H10");
	if (!check->pmu.in_tree && !hwcheck_log_open(&log)) {
		hwcheck_run_buffer(check, &log, 4, 0, true);
		hwcheck_log_close(&log);
	}
	while (run_snapshot(check, &bytes) && (++turns < 4 || hwcheck_ns() < until))
		;
	report_uint(&check->report, "snapshots", "snapshots", "", turns);
	report_uint(&check->report, "bytes", "bytes in them", "", bytes);
	report_uint(&check->report, "records", NULL, "", trigger.records - before);
	report_verdict(&check->report, "%s",
		       !turns ? "not measured: no snapshot can be recorded" :
		       check->report.sections[check->report.count - 1].finding_count ?
				"trace or registers are wrong after a wrap" :
		       check->corrupt ? "pointers are right; the trace is corrupt" :
					"trace is right after a wrap");
}

/* The driver's statistics of all CPUs, and what each one means that is not 0 */
static const struct {
	const char *name;
	const char *id;
	const char *text;
} statistics[] = {
	{ "sessions", NULL, NULL },
	{ "bytes", NULL, NULL },
	{ "early_warnings", NULL, NULL },
	{ "losses", NULL, NULL },
	{ "wraps", "wrap-interrupt", "the buffer had an interrupt after a wrap, which the driver did not ask for." },
	{ "triggers", "trigger-stop", "a trigger stopped collection, which the driver did not ask for." },
	{ "faults_stage1", "fault-stage1", "writes of the trace buffer had stage 1 faults." },
	{ "faults_stage2", "fault-stage2", "writes of the trace buffer had stage 2 faults." },
	{ "external_aborts", "external-abort", "the memory system aborted writes of the trace buffer." },
	{ "impdef_events", "impdef-event", "the trace buffer reported implementation defined events." },
	{ "unknown_events", "unknown-event", "TRBSR_EL1 had a reserved value, or TRBPTR_EL1 was out of the buffer." },
	{ "spurious", "spurious-interrupt", "the trace buffer had interrupts without an event." },
};

static uint64_t total(const struct hwcheck *check, const char *name)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < check->pmu.unit_count; i++) {
		const uint64_t value = hwcheck_number(HWCHECK_STATS "/cpu%d/%s", check->pmu.units[i].cpu, name);

		sum += value == UINT64_MAX ? 0 : value;
	}
	return sum;
}

/**
 * check_statistics() - what the driver counted during all checks
 * @check: the machine
 * @end: false: remember what was counted before
 */
void check_statistics(struct hwcheck *check, bool end)
{
	static uint64_t before[ARRAY_SIZE(statistics)];
	size_t i;

	if (end)
		report_section(&check->report, "statistics", "Statistics of the driver", "H10");
	if (end && !check->stats) {
		report_verdict(&check->report, "not measured: there is no " HWCHECK_STATS);
		return;
	}
	for (i = 0; i < ARRAY_SIZE(statistics); i++) {
		const uint64_t now = total(check, statistics[i].name);
		size_t turn;

		if (!end) {
			before[i] = now;
			continue;
		}
		report_uint(&check->report, statistics[i].name, statistics[i].name, "", now - before[i]);
		for (turn = before[i]; statistics[i].id && turn < now; turn++)
			report_finding(&check->report, statistics[i].id, "%s", statistics[i].text);
	}
	if (end)
		report_verdict(&check->report, "%s",
			       check->report.sections[check->report.count - 1].finding_count ?
					"the trace buffer had events that it should not have" :
					"the trace buffer had no other events than early warnings");
}
