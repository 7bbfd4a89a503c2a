/* SPDX-License-Identifier: GPL-2.0-only */
/* hwflow list: capabilities of trace units, and options of events. */
#ifndef HWFLOW_LIST_H
#define HWFLOW_LIST_H

#include "machine_pmu.h"

/* clang-format off */
enum list_kind { FLAG, NUMBER };
/* clang-format on */

/**
 * struct list_capability - a capability of a trace unit
 * @key: its name in JSON
 * @label: its name in text
 * @kind: yes or no, or a number
 * @n: number of the TRCIDR that has it
 * @high: its highest bit
 * @low: its lowest bit
 * @scale: factor of the field
 * @offset: added to a field that is not 0
 */
struct list_capability {
	const char *key;
	const char *label;
	enum list_kind kind;
	unsigned int n;
	unsigned int high;
	unsigned int low;
	unsigned int scale;
	unsigned int offset;
};

/**
 * struct list_option - an option of an event
 * @name: as in the directory format
 * @bits: where it is, for instance config:12
 * @text: what it does, or ""
 * @obstacle: why no trace unit of the PMU has it, or NULL
 */
struct list_option {
	const char *name;
	char bits[64];
	const char *text;
	const char *obstacle;
};

/** list_capability() - capability number @index of a trace unit, or NULL behind the last */
const struct list_capability *list_capability(size_t index);

/** list_value() - its value for a trace unit */
uint64_t list_value(const struct list_capability *capability, const struct pmu_unit *unit);

/** list_time() - the clock of the timestamps of a trace unit, in words */
const char *list_time(const struct pmu *pmu, const struct pmu_unit *unit);

/** list_buffer() - the buffer that a PMU writes to, in words; @text has @size bytes */
const char *list_buffer(const struct pmu *pmu, char *text, size_t size);

/**
 * list_option() - describe an option of the events of a PMU
 * @machine: the machine
 * @pmu: the PMU
 * @name: name of the file in the directory format; must outlive the result
 * @option: receives the description
 */
void list_option(const struct machine *machine, const struct pmu *pmu, const char *name,
		 struct list_option *option);

/** list_cpus() - CPUs that the PMU can trace; on this machine, each CPU is tried */
void list_cpus(const struct machine *machine, const struct pmu *pmu, struct machine_cpus *cpus);

/** list_json() - print PMUs as JSON; false without memory */
bool list_json(const struct machine *machine, const struct pmu *pmus, size_t count);

#endif /* HWFLOW_LIST_H */
