/* SPDX-License-Identifier: GPL-2.0-only */
/* A PMU as sysfs describes it: its type, the fields of its events, its CPUs. */
#ifndef HWFLOW_RECORD_PMU_H
#define HWFLOW_RECORD_PMU_H

#include <limits.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct record_pmu - a PMU
 * @name: its name in sysfs
 * @directory: its directory in sysfs
 * @type: struct perf_event_attr.type of its events
 */
struct record_pmu {
	char name[64];
	char directory[PATH_MAX];
	uint32_t type;
};

/**
 * record_pmu_open() - find a PMU
 * @pmu: receives the PMU
 * @name: its name, for example "cs_etm"
 *
 * Return: 0, or -ENOENT if the running kernel has no such PMU, or another negative errno.
 */
int record_pmu_open(struct record_pmu *pmu, const char *name);

/**
 * record_pmu_terms() - set the fields of an event from text, as in cs_etm/TERMS/
 * @pmu: the PMU
 * @terms: NAME=VALUE or NAME (which is NAME=1), separated by commas; "@SINK" names a trace buffer
 *of the in-tree driver; may be empty
 * @attr: config, config1, config2 and config3 receive the values
 * @message: receives the reason of an error, with the remedy
 * @size: bytes of @message
 *
 * The directory "format" of the PMU names the fields and gives their bits.
 *
 * Return: 0 or -EINVAL.
 */
int record_pmu_terms(const struct record_pmu *pmu, const char *terms, struct perf_event_attr *attr,
		     char *message, size_t size);

/**
 * record_pmu_register() - read an identification register of a CPU's trace unit
 * @pmu: the PMU
 * @cpu: the CPU
 * @path: file below the directory of the CPU, for example "trcidr/trcidr0"
 * @value: receives the value
 *
 * Return: 0, or a negative errno: -ENOENT if the CPU has no trace unit, or if the file does not
 * exist.
 */
int record_pmu_register(const struct record_pmu *pmu, int cpu, const char *path, uint64_t *value);

#endif /* HWFLOW_RECORD_PMU_H */
