/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A recording of this program, what is in it, and code to be recorded.
 */
#ifndef SELFTESTS_ARM_ETE_TRACE_H
#define SELFTESTS_ARM_ETE_TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "decode.h"
#include "record.h"

#define TRACE_LOSS (PERF_AUX_FLAG_TRUNCATED | PERF_AUX_FLAG_PARTIAL | PERF_AUX_FLAG_COLLISION)

/**
 * struct trace - an event and its recording
 * @rec: the recording
 * @decode: its list of executed ranges, after trace_decode()
 * @bytes: bytes of all AUX records so far, also in snapshot mode
 * @flags: PERF_AUX_FLAG_* of all AUX records
 * @unsynchronised: AUX records that do not begin with an alignment synchronisation packet
 * @jumps: AUX records that begin before the end of the one before them
 * @seen: AUX records that the members above include
 * @open: between trace_open() and trace_close()
 */
struct trace {
	struct record rec;
	struct decode decode;
	uint64_t bytes;
	uint64_t flags;
	unsigned int unsynchronised;
	unsigned int jumps;
	size_t seen;
	bool open;
};

int trace_open(struct trace *trace, const struct perf_event_attr *attr, pid_t pid, int cpu,
	       size_t aux_size, bool snapshot);
void trace_close(struct trace *trace);
int trace_enable(struct trace *trace);
int trace_disable(struct trace *trace);
uint64_t trace_head(const struct trace *trace);
uint64_t trace_collect(struct trace *trace);
size_t trace_count_synchronisations(const struct trace *trace);
int trace_decode(struct trace *trace);
const char *trace_first_gap(const struct trace *trace);
uint64_t trace_executions(const struct trace *trace, const void *at);

/* The instruction that each step of spin(), and of spin_elsewhere(), executes once */
extern const char spin_step[], spin_elsewhere_step[];

/* Steps of spin() so far; of all threads if only one calls it */
extern uint64_t spin_steps;

void spin(unsigned int steps);
void spin_elsewhere(unsigned int steps);
void spin_elsewhere_end(void);
uint64_t spin_for(struct trace *trace, uint64_t bytes);
uint64_t file_offset(const void *code);

#endif
