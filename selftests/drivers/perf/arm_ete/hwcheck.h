/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of hwflow-hwcheck share. Each check adds one section to the report. */
#ifndef ARM_ETE_HWCHECK_H
#define ARM_ETE_HWCHECK_H

#include "hwcheck_report.h"
#include "trace.h"

#define HWCHECK_STATS "/sys/kernel/debug/arm_ete_pmu"

/**
 * struct hwcheck - the machine, and how to check it
 * @report: the report
 * @pmu: the PMU
 * @cpu: CPU that is measured
 * @seconds: time for all checks together
 * @barriers: leave out barriers on purpose
 * @root: the caller is root
 * @stats: the driver's files in debugfs are there
 * @corrupt: bytes of the trace are wrong: what is derived from the content of the trace is not measured
 * @ns_per_byte: time for a byte of trace of the workload spin(); of hwcheck_calibrate()
 * @bytes_per_step: bytes of trace of a step of spin(); likewise
 * @other: the report of --compare; NULL without the option
 * @other_driver: the driver that @other is about
 */
struct hwcheck {
	struct report report;
	struct record_pmu pmu;
	int cpu;
	unsigned int seconds;
	bool barriers;
	bool root;
	bool stats;
	bool corrupt;
	double ns_per_byte;
	double bytes_per_step;
	FILE *other;
	const char *other_driver;
};

/**
 * struct hwcheck_log - registers of the trace buffer, one record after another, from tracepoints of the driver
 * @at: directory of an instance of tracefs; "" if it is not open
 */
struct hwcheck_log {
	char at[128];
};

/**
 * struct hwcheck_stop - registers of a record
 * @base: TRBBASER_EL1, as an offset into the AUX area, and so are all pointers
 * @write: TRBPTR_EL1 when the record began
 * @limit: TRBLIMITR_EL1
 * @trigger: TRBTRG_EL1 when the record began
 * @read: TRBPTR_EL1, read back after the write
 * @began: TRBTRG_EL1, read back after the write
 * @status: TRBSR_EL1 when trace was stopped, and so are the others below
 * @pointer: TRBPTR_EL1
 * @counter: TRBTRG_EL1
 */
struct hwcheck_stop {
	uint64_t base;
	uint64_t write;
	uint64_t limit;
	uint64_t trigger;
	uint64_t read;
	uint64_t began;
	uint64_t status;
	uint64_t pointer;
	uint64_t counter;
};

/* hwcheck_machine.c */
void check_identity(struct hwcheck *check);
void check_errata(struct hwcheck *check);

/* hwcheck_trace.c */
bool check_first(struct hwcheck *check);
void hwcheck_calibrate(struct hwcheck *check);
void check_rates(struct hwcheck *check);
void check_timestamps(struct hwcheck *check);
void check_losses(struct hwcheck *check);

/* hwcheck_buffer.c */
void check_trigger(struct hwcheck *check);
void check_snapshot(struct hwcheck *check);
void hwcheck_judge(struct hwcheck *check, const struct hwcheck_log *log, bool snapshot);
bool hwcheck_run_buffer(struct hwcheck *check, const struct hwcheck_log *log, size_t pages,
			unsigned int watermark, bool snapshot);
uint64_t hwcheck_full_records(void);
void check_statistics(struct hwcheck *check, bool end);

/* hwcheck_barriers.c */
void check_full(struct hwcheck *check);
void check_barriers(struct hwcheck *check);

/* hwcheck_time.c */
void check_switches(struct hwcheck *check);
void check_idle(struct hwcheck *check);

/* hwcheck_compare.c */
const char *hwcheck_compare_open(struct hwcheck *check, const char *path);
void hwcheck_compare_losses(struct hwcheck *check);
void hwcheck_compare_switches(struct hwcheck *check);
void hwcheck_compare_close(struct hwcheck *check);

/* hwcheck_log.c */
const char *hwcheck_log_open(struct hwcheck_log *log);
void hwcheck_log_clear(const struct hwcheck_log *log);
size_t hwcheck_log_read(const struct hwcheck_log *log, int cpu, struct hwcheck_stop **stops);
void hwcheck_log_close(struct hwcheck_log *log);

/* hwcheck_tools.c */
uint64_t hwcheck_ns(void);
uint64_t hwcheck_ticks(void);
uint64_t hwcheck_frequency(void);
uint64_t hwcheck_number(const char *format, ...) __attribute__((format(printf, 1, 2)));
bool hwcheck_pin(int cpu);
uint64_t hwcheck_median(uint64_t *values, size_t count, unsigned int percent);
uint64_t hwcheck_until(const struct hwcheck *check, unsigned int percent);

/* hwcheck_work.S: workloads of a number of steps, and the instruction that each step executes once */
void work_straight(uint64_t steps);
void work_branches(uint64_t steps);
void work_calls(uint64_t steps);
void work_indirect(uint64_t steps);
extern const char work_straight_step[], work_branches_step[], work_calls_step[],
	work_indirect_step[];

#endif
