// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the driver leaves out on purpose: the early warning, so that the buffer becomes full, and barriers. It takes a
 * module that was built with HWFLOW_HWCHECK=y.
 */
#include "hwcheck.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <linux/arm_ete_pmu.h>

#include "kselftest.h"
#include "pmu.h"

#define PARAMETER "/sys/module/arm_ete_pmu/parameters/hwcheck"
#define AUX_BYTES (1u << 20)
#define RUNS_LEAST 20

/* Bits of the parameter: drivers/perf/ete_hwcheck.h */
#define LEAVE_OUT_WARNING 0x1u

static const struct {
	unsigned int bit;
	const char *key;
	const char *name;
} barriers[] = {
	{ 0x00, "none", "none" },
	{ 0x02, "tsb", "TSB CSYNC before disabling (R_MRVPT)" },
	{ 0x04, "disable_dsb", "DSB before disabling (R_CKVWP)" },
	{ 0x08, "disable_isb", "ISB after disabling (R_VTNCS)" },
	{ 0x10, "enable_isb", "ISB before enabling (S_VKHHY)" },
	{ 0x20, "clear_isb", "ISB after clearing IRQ (R_BFJKD)" },
	{ 0x40, "filter_isb", "ISB after the filter (R_NNRHD)" },
	{ 0x80, "status_isb", "ISB before TRCSTATR (S_TTPKR)" },
};

static bool leave_out(unsigned int bits)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", bits);
	return write_text(PARAMETER, text);
}

/**
 * check_full() - a buffer that becomes full
 * @check: the machine
 */
void check_full(struct hwcheck *check)
{
	const uint64_t before = hwcheck_full_records(), until = hwcheck_until(check, 5);
	struct hwcheck_log log = { "" };
	unsigned int turn = 0;
	const char *reason;

	report_section(&check->report, "full", "A full buffer", "H1");
	if (!leave_out(LEAVE_OUT_WARNING)) {
		report_verdict(&check->report,
			       "not measured: the driver prevents it; a module built with HWFLOW_HWCHECK=y does not");
		return;
	}
	reason = hwcheck_log_open(&log);
	while (!reason && hwcheck_run_buffer(check, &log, (size_t)1 << turn % 4, 0, false) &&
	       (++turn < 16 || hwcheck_ns() < until))
		;
	leave_out(0);
	hwcheck_log_close(&log);
	report_uint(&check->report, "records", "records that filled the buffer", "",
		    hwcheck_full_records() - before);
	report_verdict(&check->report, "%s",
		       hwcheck_full_records() == before ? "not measured: no buffer became full" :
		       check->report.sections[check->report.count - 1].finding_count ?
				"a full buffer is not as the architecture has it" :
				"collection stops, and the pointer is the base");
}

/**
 * struct runs - of a barrier
 * @all: number of runs
 * @wrong: of them, those whose trace is not what was executed
 */
struct runs {
	uint64_t all;
	uint64_t wrong;
};

/*
 * Runs of one event, whose AUX area stays mapped: trace that comes too late is written into it. User code alone is
 * traced, so the exception that ends it is a Context synchronization event: the ISB
 * after the filter is not needed here.
 */
static bool run_barrier(struct hwcheck *check, unsigned int bits, struct runs *runs)
{
	const uint64_t until = hwcheck_until(check, 2);
	const struct perf_event_attr attr = pmu_make_attr();
	static struct trace trace;

	if (trace_open(&trace, &attr, 0, -1, AUX_BYTES, false))
		return false;
	do {
		leave_out(bits);
		trace_enable(&trace);
		spin(500);
		trace_disable(&trace);
		leave_out(0);
		trace_collect(&trace);
		runs->all++;
		if (trace_decode(&trace))
			break;
		runs->wrong += trace_executions(&trace, spin_step) != 500 || trace.decode.gaps;
		/* what was recorded is not decoded again */
		trace.rec.part_count = 0;
		trace.rec.length = 0;
		trace.seen = 0;
	} while (runs->all < RUNS_LEAST || hwcheck_ns() < until);
	/* a whole record flushes what is left before the area is unmapped */
	trace_enable(&trace);
	trace_disable(&trace);
	trace_close(&trace);
	return true;
}

/**
 * check_barriers() - whether trace is wrong without each barrier, and right with all of them
 * @check: the machine
 */
void check_barriers(struct hwcheck *check)
{
	unsigned int needed = 0;
	bool enough = true;
	size_t i;

	report_section(&check->report, "barriers", "Barriers of D6.6, each left out", "H9");
	if (!check->barriers) {
		report_verdict(&check->report, "not measured: --barriers asks for it; the machine may crash");
		return;
	}
	if (!leave_out(0)) {
		report_verdict(&check->report,
			       "not measured: there is no " PARAMETER ": build the module with HWFLOW_HWCHECK=y");
		return;
	}
	for (i = 0; i < ARRAY_SIZE(barriers); i++) {
		struct runs runs = { 0 };
		char key[48];

		if (!run_barrier(check, barriers[i].bit, &runs))
			break;
		snprintf(key, sizeof(key), "%s_wrong", barriers[i].key);
		report_uint(&check->report, key, NULL, "", runs.wrong);
		report_string(&check->report, barriers[i].key, barriers[i].name,
			      "%" PRIu64 " of %" PRIu64 " recordings are wrong", runs.wrong, runs.all);
		if (!i)
			enough = !runs.wrong;
		else
			needed += !!runs.wrong;
	}
	if (!enough)
		report_finding(&check->report, "barriers-not-enough",
			       "recordings are wrong although no barrier is left out.");
	report_verdict(&check->report, "%s; without one of them recordings are wrong for %u of %zu",
		       enough ? "all barriers together are enough" : "the barriers are not enough", needed,
		       ARRAY_SIZE(barriers) - 1);
}
