/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A CPU with its trace unit and trace buffer, an event, and the PMU.
 */
#ifndef _ARM_ETE_H
#define _ARM_ETE_H

#include <linux/completion.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/kobject.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>

#include "ete.h"
#include "ete_event.h"
#include "trbe.h"

/**
 * struct ete_cpu - a CPU
 * @irq: interrupt of its trace buffer; 0 if firmware describes none
 * @ts_source: shown in sysfs: 1, which perf takes as "timestamps of the kernel's clock"
 * @unit: the trace unit
 * @trbe: the trace buffer
 * @kobj: the CPU's directory in sysfs
 * @kobj_gone: completed when the directory has no user any more
 */
struct ete_cpu {
	int irq;
	u32 ts_source;
	struct ete_unit unit;
	struct trbe trbe;
	struct kobject kobj;
	struct completion kobj_gone;
};

/**
 * struct ete_pmu - the PMU; there is one, for all trace buffers that firmware describes
 * @pmu: perf's part
 * @cpus: CPUs that can be traced
 * @caps: capabilities that all their trace units share
 * @buffer: capabilities that all their trace buffers share
 * @errata: TRBE_ERRATUM_ bits of any of them
 * @cpu: the CPUs
 * @lock: held while @caps and @buffer change, and while an event is checked against them
 * @events: events that exist; while there are any, @caps and @buffer must not change
 * @debugfs: the driver's directory there
 * @hotplug: state of CPU hotplug
 * @physical_time: the kernel's clock is the physical counter
 * @ready: the PMU is complete, and events may be opened
 * @off: the machine goes down; no record is started any more
 */
struct ete_pmu {
	struct pmu pmu;
	cpumask_t cpus;
	struct ete_caps caps;
	struct trbe_caps buffer;
	u32 errata;
	struct ete_cpu __percpu *cpu;
	struct mutex lock;
	atomic_t events;
	struct dentry *debugfs;
	enum cpuhp_state hotplug;
	bool physical_time;
	bool ready;
	bool off;
};

static inline struct ete_pmu *ete_pmu_of(const struct perf_event *event)
{
	return container_of(event->pmu, struct ete_pmu, pmu);
}

/* arm_ete_cpu.c */
int arm_ete_cpus_setup(struct ete_pmu *pmu);
void arm_ete_cpus_teardown(struct ete_pmu *pmu);
void arm_ete_cpus_add(const struct cpumask *cpus, int irq);
void arm_ete_cpus_remove(const struct cpumask *cpus);

/* arm_ete_sysfs.c */
extern const struct attribute_group *arm_ete_attr_groups[];
int arm_ete_sysfs_add(struct ete_pmu *pmu);
void arm_ete_sysfs_remove(struct ete_pmu *pmu);
void arm_ete_debugfs_add(struct ete_pmu *pmu);
void arm_ete_debugfs_remove(struct ete_pmu *pmu);

/* arm_ete_pmu.c */
int arm_ete_pmu_register(struct ete_pmu *pmu, struct device *parent, const char *name);
void arm_ete_pmu_unregister(struct ete_pmu *pmu);
void arm_ete_pmu_update(struct ete_pmu *pmu);

#endif /* _ARM_ETE_H */
