// SPDX-License-Identifier: GPL-2.0-only
/*
 * The PMU's files in sysfs and debugfs.
 */
#include <linux/completion.h>
#include <linux/debugfs.h>
#include <linux/device.h>
#include <linux/kobject.h>
#include <linux/perf_event.h>
#include <linux/stringify.h>
#include <linux/sysfs.h>

#include <asm/virt.h>

#include <uapi/linux/arm_ete_pmu.h>

#include "arm_ete.h"
#include "arm_ete_compat.h"

/**
 * struct ete_format - a field of an event's attributes in sysfs
 * @attr: its name
 * @member: the member of struct perf_event_attr that holds it
 * @low: its lowest bit
 * @high: its highest bit
 */
struct ete_format {
	struct device_attribute attr;
	const char *member;
	unsigned int low;
	unsigned int high;
};

/* perf parses "config:8" and "config2:0-31" */
static ssize_t ete_format_show(struct device *dev, struct device_attribute *attr, char *page)
{
	const struct ete_format *field = container_of(attr, struct ete_format, attr);

	if (field->low == field->high)
		return sysfs_emit(page, "%s:%u\n", field->member, field->low);
	return sysfs_emit(page, "%s:%u-%u\n", field->member, field->low, field->high);
}

#define ETE_FORMAT(name, field) ETE_FORMAT_OF(name, field)
#define ETE_FORMAT_OF(name, field)					\
	(&((struct ete_format) {					\
		.attr = __ATTR(name, 0444, ete_format_show, NULL),	\
		.member = __stringify(ARM_ETE_PMU_FLD_##field##_CFG),	\
		.low = ARM_ETE_PMU_FLD_##field##_LO,			\
		.high = ARM_ETE_PMU_FLD_##field##_HI,			\
	}).attr.attr)

/* contextid is the identifier that holds the kernel's thread number */
static struct attribute *ete_format_attrs[] = {
	ETE_FORMAT(preset, preset),
	ETE_FORMAT(timestamp, timestamp),
	ETE_FORMAT(branch_broadcast, branch_broadcast),
	ETE_FORMAT(cycacc, cycacc),
	ETE_FORMAT(contextid, contextid1),
	ETE_FORMAT(contextid, contextid2),
	ETE_FORMAT(contextid1, contextid1),
	ETE_FORMAT(contextid2, contextid2),
	ETE_FORMAT(retstack, retstack),
	ETE_FORMAT(sinkid, sinkid),
	ETE_FORMAT(configid, configid),
	ETE_FORMAT(cc_threshold, ETE_COMPAT_CC_THRESHOLD),
	ETE_FORMAT(physical, physical),
	ETE_FORMAT(event, event),
	ETE_FORMAT(strobe_on, strobe_on),
	ETE_FORMAT(strobe_off, strobe_off),
	ETE_FORMAT(instrumentation, instrumentation),
	NULL,
};

/* Positions: of the two attributes called contextid one is shown; instrumentation is optional */
#define ETE_FORMAT_CONTEXTID_EL1	4
#define ETE_FORMAT_CONTEXTID_EL2	5
#define ETE_FORMAT_INSTRUMENTATION	16

static umode_t ete_format_is_visible(struct kobject *kobj, struct attribute *attr, int n)
{
	const struct pmu *pmu = dev_get_drvdata(kobj_to_dev(kobj));

	if (n == (is_kernel_in_hyp_mode() ? ETE_FORMAT_CONTEXTID_EL1 : ETE_FORMAT_CONTEXTID_EL2))
		return 0;
	if (n == ETE_FORMAT_INSTRUMENTATION &&
	    !container_of(pmu, struct ete_pmu, pmu)->caps.instrumentation)
		return 0;
	return attr->mode;
}

static const struct attribute_group ete_format_group = {
	.name = "format",
	.attrs = ete_format_attrs,
	.is_visible = ete_format_is_visible,
};

const struct attribute_group *arm_ete_attr_groups[] = {
	&ete_format_group,
	NULL,
};

/**
 * struct ete_cpu_attr - a file in a CPU's directory
 * @attr: its name
 * @offset: the u32 of struct ete_cpu that it shows
 * @format: how it is printed
 */
struct ete_cpu_attr {
	struct attribute attr;
	size_t offset;
	const char *format;
};

#define ETE_CPU_ATTR(file, member, print)				\
	(&((struct ete_cpu_attr) {					\
		.attr = { .name = file, .mode = 0444 },			\
		.offset = offsetof(struct ete_cpu, member),		\
		.format = print,					\
	}).attr)
#define ETE_CPU_IDR(n) ETE_CPU_ATTR("trcidr" __stringify(n), unit.caps.idr[n], "%#x\n")

static struct attribute *ete_trcidr_attrs[] = {
	ETE_CPU_IDR(0), ETE_CPU_IDR(1), ETE_CPU_IDR(2), ETE_CPU_IDR(3), ETE_CPU_IDR(4),
	ETE_CPU_IDR(5), ETE_CPU_IDR(6), ETE_CPU_IDR(7), ETE_CPU_IDR(8), ETE_CPU_IDR(9),
	ETE_CPU_IDR(10), ETE_CPU_IDR(11), ETE_CPU_IDR(12), ETE_CPU_IDR(13), NULL,
};

static struct attribute *ete_mgmt_attrs[] = {
	ETE_CPU_ATTR("trcauthstatus", unit.caps.authstatus, "%#x\n"),
	ETE_CPU_ATTR("trcdevarch", unit.caps.devarch, "%#x\n"),
	NULL,
};

static struct attribute *ete_cpu_attrs[] = {
	ETE_CPU_ATTR("cpu", trbe.cpu, "%d\n"), ETE_CPU_ATTR("ts_source", ts_source, "%d\n"), NULL,
};

static const struct attribute_group ete_trcidr_group = {
	.name = "trcidr",
	.attrs = ete_trcidr_attrs,
};

static const struct attribute_group ete_mgmt_group = {
	.name = "mgmt",
	.attrs = ete_mgmt_attrs,
};

static const struct attribute_group ete_cpu_group = {
	.attrs = ete_cpu_attrs,
};

static const struct attribute_group *ete_cpu_groups[] = {
	&ete_cpu_group, &ete_trcidr_group, &ete_mgmt_group, NULL,
};

static ssize_t ete_cpu_show(struct kobject *kobj, struct attribute *attr, char *page)
{
	const struct ete_cpu_attr *file = container_of(attr, struct ete_cpu_attr, attr);
	const void *member = (const u8 *)container_of(kobj, struct ete_cpu, kobj) + file->offset;

	return sysfs_emit(page, file->format, *(const u32 *)member);
}

static const struct sysfs_ops ete_cpu_sysfs_ops = {
	.show = ete_cpu_show,
};

/* The kobject is part of struct ete_cpu, which exists until all directories are gone */
static void ete_cpu_kobj_release(struct kobject *kobj)
{
	complete(&container_of(kobj, struct ete_cpu, kobj)->kobj_gone);
}

static const struct kobj_type ete_cpu_type = {
	.release = ete_cpu_kobj_release,
	.sysfs_ops = &ete_cpu_sysfs_ops,
	.default_groups = ete_cpu_groups,
};

static void ete_sysfs_remove_cpu(struct ete_cpu *cpu)
{
	kobject_put(&cpu->kobj);
	wait_for_completion(&cpu->kobj_gone);
}

/**
 * arm_ete_sysfs_add() - add the directories of the CPUs to the PMU's
 * @pmu: the PMU, which is registered
 *
 * A directory for each possible CPU: perf reads one for each CPU that is online, and takes a CPU
 * without one for an ETMv3. A CPU without trace shows the ID registers of the first one with trace.
 *
 * Context: process; may sleep.
 * Return: 0, or as kobject_add().
 */
int arm_ete_sysfs_add(struct ete_pmu *pmu)
{
	unsigned int number, done;
	int err = 0;

	for_each_possible_cpu(number) {
		struct ete_cpu *cpu = per_cpu_ptr(pmu->cpu, number);

		init_completion(&cpu->kobj_gone);
		err = kobject_init_and_add(&cpu->kobj, &ete_cpu_type, &pmu->pmu.dev->kobj, "cpu%u",
					   number);
		if (err)
			break;
	}
	if (!err)
		return 0;
	for_each_possible_cpu(done) {
		ete_sysfs_remove_cpu(per_cpu_ptr(pmu->cpu, done));
		if (done == number)
			break;
	}
	return err;
}

/**
 * arm_ete_sysfs_remove() - undo arm_ete_sysfs_add()
 * @pmu: the PMU
 *
 * Context: process; waits until no directory has a user any more.
 */
void arm_ete_sysfs_remove(struct ete_pmu *pmu)
{
	unsigned int number;

	for_each_possible_cpu(number)
		ete_sysfs_remove_cpu(per_cpu_ptr(pmu->cpu, number));
}

#define ETE_STAT(field)		offsetof(struct ete_cpu, trbe.stats.field)
#define ETE_STAT_EVENT(name)	ETE_STAT(interrupts[TRBE_EVENT_##name])

/* Statistics of a CPU in debugfs: they are for tests and diagnosis, and no decoder needs them. */
static const struct {
	const char *name;
	size_t offset;
} ete_stats_files[] = {
	{ "sessions", ETE_STAT(records) },
	{ "bytes", ETE_STAT(bytes) },
	{ "early_warnings", ETE_STAT_EVENT(WARNING) },
	{ "wraps", ETE_STAT_EVENT(WRAPPED) },
	{ "fills", ETE_STAT_EVENT(FILLED) },
	{ "triggers", ETE_STAT_EVENT(TRIGGERED) },
	{ "faults_stage1", ETE_STAT_EVENT(FAULT_STAGE1) },
	{ "faults_stage2", ETE_STAT_EVENT(FAULT_STAGE2) },
	{ "external_aborts", ETE_STAT_EVENT(EXTERNAL_ABORT) },
	{ "impdef_events", ETE_STAT_EVENT(IMPDEF) },
	{ "unknown_events", ETE_STAT_EVENT(UNKNOWN) },
	{ "spurious", ETE_STAT(spurious) },
	{ "losses", ETE_STAT(losses) },
	{ "refusals", ETE_STAT(refusals) },
	{ "retries", ETE_STAT(retries) },
	{ "register_writes", offsetof(struct ete_cpu, unit.writes) },
};

/**
 * arm_ete_debugfs_add() - add the statistics of the CPUs to debugfs
 * @pmu: the PMU
 *
 * Context: process; may sleep.
 */
void arm_ete_debugfs_add(struct ete_pmu *pmu)
{
	unsigned int number, i;

	pmu->debugfs = debugfs_create_dir("arm_ete_pmu", NULL);
	for_each_possible_cpu(number) {
		u8 *cpu = (u8 *)per_cpu_ptr(pmu->cpu, number);
		struct dentry *dir;
		char name[16];

		snprintf(name, sizeof(name), "cpu%u", number);
		dir = debugfs_create_dir(name, pmu->debugfs);
		for (i = 0; i < ARRAY_SIZE(ete_stats_files); i++)
			debugfs_create_u64(ete_stats_files[i].name, 0444, dir,
					   (u64 *)(cpu + ete_stats_files[i].offset));
		debugfs_create_x64("trbidr", 0444, dir,
				   (u64 *)(cpu + offsetof(struct ete_cpu, trbe.idr)));
		debugfs_create_x32("errata", 0444, dir,
				   (u32 *)(cpu + offsetof(struct ete_cpu, trbe.errata)));
	}
}

/**
 * arm_ete_debugfs_remove() - undo arm_ete_debugfs_add()
 * @pmu: the PMU
 *
 * Context: process; waits for tasks that read a file.
 */
void arm_ete_debugfs_remove(struct ete_pmu *pmu)
{
	debugfs_remove_recursive(pmu->debugfs);
}
