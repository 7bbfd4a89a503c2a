/* SPDX-License-Identifier: GPL-2.0-only */
/* The PMUs of a machine that record program flow, and the trace units that they use. */
#ifndef HWFLOW_MACHINE_PMU_H
#define HWFLOW_MACHINE_PMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine_files.h"

/* Trace units of a PMU that differ, and PMUs; a machine with more is described by the first ones */
#define PMU_UNITS 16
#define PMUS      4

#define PMU_IDRS 14

/* directory of all PMUs, relative to the root directory of a machine */
#define PMU_DEVICES "sys/bus/event_source/devices"

enum pmu_driver {
	PMU_OURS,    /* arm_ete_pmu */
	PMU_IN_TREE, /* coresight-etm4x with coresight-trbe, or with another sink */
};

/**
 * struct pmu_unit - trace units that have the same ID registers
 * @cpus: the CPUs that they belong to
 * @idr: TRCIDRn; 0 if sysfs does not have it
 * @devarch: TRCDEVARCH, likewise
 * @authstatus: TRCAUTHSTATUS, likewise
 * @time: ts_source: 1 in this project's driver; TRFCR_ELx.TS in the in-tree driver; 0 if unknown
 */
struct pmu_unit {
	struct machine_cpus cpus;
	uint32_t idr[PMU_IDRS];
	uint32_t devarch;
	uint32_t authstatus;
	uint32_t time;
};

/**
 * struct pmu - a PMU that records program flow
 * @name: as perf has it
 * @type: for perf_event_open()
 * @driver: which driver registered it
 * @filters: address filters of an event
 * @units: its trace units
 * @unit_count: number of @units; 0 if no CPU can be traced
 * @sinks: sinks of the in-tree driver, separated by blanks
 */
struct pmu {
	char name[64];
	uint32_t type;
	enum pmu_driver driver;
	uint32_t filters;
	struct pmu_unit units[PMU_UNITS];
	size_t unit_count;
	char sinks[256];
};

/**
 * pmu_type() - find a PMU of any kind
 * @machine: the machine
 * @name: its name, for example "cs_etm"
 * @type: receives struct perf_event_attr.type of its events
 *
 * Return: false if the running kernel has no such PMU.
 */
bool pmu_type(const struct machine *machine, const char *name, uint32_t *type);

/** pmu_read() - the PMU @name, if it records program flow; otherwise false */
bool pmu_read(const struct machine *machine, const char *name, struct pmu *pmu);

/** pmus_read() - the PMUs of a machine, at most PMUS of them; their number */
size_t pmus_read(const struct machine *machine, struct pmu *pmus);

/**
 * pmu_open_event() - open a disabled event of a PMU that records the code of programs
 * @pmu: the PMU
 * @pid: as perf_event_open(2)
 * @cpu: likewise
 *
 * Return: a file descriptor; -1 with errno set.
 */
int pmu_open_event(const struct pmu *pmu, int pid, int cpu);

/** pmu_driver_name() - the kernel modules that drive a PMU */
const char *pmu_driver_name(const struct pmu *pmu);

/** pmu_find_unit() - the trace unit of a CPU, or NULL */
const struct pmu_unit *pmu_find_unit(const struct pmu *pmu, unsigned int cpu);

/** pmu_unit_bits() - bits @high to @low of TRCIDRn */
static inline uint32_t pmu_unit_bits(const struct pmu_unit *unit, unsigned int n, unsigned int high,
				     unsigned int low)
{
	return unit->idr[n] >> low & (uint32_t)((UINT64_C(1) << (high - low + 1)) - 1);
}

/** pmu_unit_is_ete() - whether a trace unit is an ETE; otherwise it is an ETMv4 or older */
bool pmu_unit_is_ete(const struct pmu_unit *unit);

/** pmu_unit_architecture() - such as "ETE 1.0"; @text has @size bytes and is returned */
const char *pmu_unit_architecture(const struct pmu_unit *unit, char *text, size_t size);

#endif /* HWFLOW_MACHINE_PMU_H */
