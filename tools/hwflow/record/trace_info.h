/* SPDX-License-Identifier: GPL-2.0-only */
/* The trace units of the recorded CPUs, for the AUXTRACE_INFO record. */
#ifndef HWFLOW_RECORD_TRACE_INFO_H
#define HWFLOW_RECORD_TRACE_INFO_H

#include "doctor/machine_pmu.h"
#include "perfdata/perfdata.h"

struct perf_cpu_map;

/**
 * trace_info_read() - describe the trace units of the recorded CPUs
 * @pmu: the PMU of program flow trace
 * @cpus: the CPUs; the map of "any CPU" stands for all CPUs that are online
 * @trcconfigr: TRCCONFIGR of the recording
 * @result: receives the trace units in ascending order of CPUs, to be freed
 * @count: receives their number
 *
 * CPUs without a trace unit are omitted.
 *
 * Return: 0, or a negative errno: -ENODEV if no CPU has a trace unit.
 */
int trace_info_read(const struct pmu *pmu, const struct perf_cpu_map *cpus, uint32_t trcconfigr,
		    struct perfdata_cpu **result, size_t *count);

#endif /* HWFLOW_RECORD_TRACE_INFO_H */
