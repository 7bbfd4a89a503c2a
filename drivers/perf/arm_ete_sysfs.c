// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the driver shows in sysfs, below the PMU's directory: the fields of an event's attributes,
 * and for each CPU the ID registers that a decoder has to know, and counts.
 */
#include <linux/device.h>
#include <linux/kobject.h>
#include <linux/perf_event.h>
#include <linux/stringify.h>
#include <linux/sysfs.h>

#include <asm/virt.h>

#include <uapi/linux/arm_ete_pmu.h>

#include "arm_ete.h"

/**
 * struct ete_format - a field of an event's attributes
 * @attr: its name
 * @member: of struct perf_event_attr that it is in
 * @low: its lowest bit there
 * @high: its highest
 */
struct ete_format {
	struct device_attribute attr;
	const char *member;
	unsigned int low;
	unsigned int high;
};

/* As perf reads it: "config:8", "config2:0-31" */
static ssize_t ete_format_show(struct device *dev, struct device_attribute *attr, char *page)
{
	const struct ete_format *field = container_of(attr, struct ete_format, attr);

	if (field->low == field->high)
		return sysfs_emit(page, "%s:%u\n", field->member, field->low);
	return sysfs_emit(page, "%s:%u-%u\n", field->member, field->low, field->high);
}

#define ETE_FORMAT(field)						\
static struct ete_format ete_format_##field = {				\
	.attr = __ATTR(field, 0444, ete_format_show, NULL),		\
	.member = __stringify(ARM_ETE_PMU_FLD_##field##_CFG),		\
	.low = ARM_ETE_PMU_FLD_##field##_LO,				\
	.high = ARM_ETE_PMU_FLD_##field##_HI,				\
}

ETE_FORMAT(preset);
ETE_FORMAT(branch_broadcast);
ETE_FORMAT(cycacc);
ETE_FORMAT(contextid1);
ETE_FORMAT(contextid2);
ETE_FORMAT(timestamp);
ETE_FORMAT(retstack);
ETE_FORMAT(sinkid);
ETE_FORMAT(configid);
ETE_FORMAT(cc_threshold);
ETE_FORMAT(physical);
ETE_FORMAT(event);
ETE_FORMAT(strobe_on);
ETE_FORMAT(strobe_off);

/* The one of contextid1 and contextid2 that has the kernel's thread number */
static ssize_t contextid_show(struct device *dev, struct device_attribute *attr, char *page)
{
	struct ete_format *field = is_kernel_in_hyp_mode() ? &ete_format_contextid2 :
							     &ete_format_contextid1;

	return ete_format_show(dev, &field->attr, page);
}

static DEVICE_ATTR_RO(contextid);

static struct attribute *ete_format_attrs[] = {
	&ete_format_preset.attr.attr,
	&ete_format_branch_broadcast.attr.attr,
	&ete_format_cycacc.attr.attr,
	&dev_attr_contextid.attr,
	&ete_format_contextid1.attr.attr,
	&ete_format_contextid2.attr.attr,
	&ete_format_timestamp.attr.attr,
	&ete_format_retstack.attr.attr,
	&ete_format_sinkid.attr.attr,
	&ete_format_configid.attr.attr,
	&ete_format_cc_threshold.attr.attr,
	&ete_format_physical.attr.attr,
	&ete_format_event.attr.attr,
	&ete_format_strobe_on.attr.attr,
	&ete_format_strobe_off.attr.attr,
	NULL,
};

static const struct attribute_group ete_format_group = {
	.name = "format",
	.attrs = ete_format_attrs,
};

const struct attribute_group *arm_ete_attr_groups[] = {
	&ete_format_group,
	NULL,
};

/**
 * struct ete_cpu_attr - a file of a CPU's directory: a member of struct ete_cpu
 * @attr: its name
 * @offset: where the member is
 * @is_register: it is a u32, and shown in hexadecimal; else it is a u64
 */
struct ete_cpu_attr {
	struct attribute attr;
	size_t offset;
	bool is_register;
};

#define ETE_CPU_REGISTER(file, member)					\
static struct ete_cpu_attr ete_cpu_##file = {				\
	.attr = { .name = #file, .mode = 0444 },			\
	.offset = offsetof(struct ete_cpu, caps.member),		\
	.is_register = true,						\
}

#define ETE_CPU_COUNT(file, member)					\
static struct ete_cpu_attr ete_cpu_##file = {				\
	.attr = { .name = #file, .mode = 0444 },			\
	.offset = offsetof(struct ete_cpu, stats.member),		\
}

ETE_CPU_REGISTER(trcidr0, idr[0]);
ETE_CPU_REGISTER(trcidr1, idr[1]);
ETE_CPU_REGISTER(trcidr2, idr[2]);
ETE_CPU_REGISTER(trcidr3, idr[3]);
ETE_CPU_REGISTER(trcidr4, idr[4]);
ETE_CPU_REGISTER(trcidr5, idr[5]);
ETE_CPU_REGISTER(trcidr6, idr[6]);
ETE_CPU_REGISTER(trcidr7, idr[7]);
ETE_CPU_REGISTER(trcidr8, idr[8]);
ETE_CPU_REGISTER(trcidr9, idr[9]);
ETE_CPU_REGISTER(trcidr10, idr[10]);
ETE_CPU_REGISTER(trcidr11, idr[11]);
ETE_CPU_REGISTER(trcidr12, idr[12]);
ETE_CPU_REGISTER(trcidr13, idr[13]);
ETE_CPU_REGISTER(trcauthstatus, authstatus);
ETE_CPU_REGISTER(trcdevarch, devarch);
ETE_CPU_COUNT(sessions, sessions);
ETE_CPU_COUNT(bytes, bytes);
ETE_CPU_COUNT(early_warnings, interrupts[TRBE_EVENT_WARNING]);
ETE_CPU_COUNT(wraps, interrupts[TRBE_EVENT_WRAPPED]);
ETE_CPU_COUNT(fills, interrupts[TRBE_EVENT_FILLED]);
ETE_CPU_COUNT(triggers, interrupts[TRBE_EVENT_TRIGGERED]);
ETE_CPU_COUNT(faults_stage1, interrupts[TRBE_EVENT_FAULT_STAGE1]);
ETE_CPU_COUNT(faults_stage2, interrupts[TRBE_EVENT_FAULT_STAGE2]);
ETE_CPU_COUNT(external_aborts, interrupts[TRBE_EVENT_EXTERNAL_ABORT]);
ETE_CPU_COUNT(impdef_events, interrupts[TRBE_EVENT_IMPDEF]);
ETE_CPU_COUNT(unknown_events, interrupts[TRBE_EVENT_UNKNOWN]);
ETE_CPU_COUNT(spurious, spurious);
ETE_CPU_COUNT(losses, losses);
ETE_CPU_COUNT(refusals, refusals);
ETE_CPU_COUNT(register_writes, register_writes);

static struct attribute *ete_trcidr_attrs[] = {
	&ete_cpu_trcidr0.attr,
	&ete_cpu_trcidr1.attr,
	&ete_cpu_trcidr2.attr,
	&ete_cpu_trcidr3.attr,
	&ete_cpu_trcidr4.attr,
	&ete_cpu_trcidr5.attr,
	&ete_cpu_trcidr6.attr,
	&ete_cpu_trcidr7.attr,
	&ete_cpu_trcidr8.attr,
	&ete_cpu_trcidr9.attr,
	&ete_cpu_trcidr10.attr,
	&ete_cpu_trcidr11.attr,
	&ete_cpu_trcidr12.attr,
	&ete_cpu_trcidr13.attr,
	NULL,
};

static struct attribute *ete_mgmt_attrs[] = {
	&ete_cpu_trcauthstatus.attr,
	&ete_cpu_trcdevarch.attr,
	NULL,
};

static struct attribute *ete_stats_attrs[] = {
	&ete_cpu_sessions.attr,
	&ete_cpu_bytes.attr,
	&ete_cpu_early_warnings.attr,
	&ete_cpu_wraps.attr,
	&ete_cpu_fills.attr,
	&ete_cpu_triggers.attr,
	&ete_cpu_faults_stage1.attr,
	&ete_cpu_faults_stage2.attr,
	&ete_cpu_external_aborts.attr,
	&ete_cpu_impdef_events.attr,
	&ete_cpu_unknown_events.attr,
	&ete_cpu_spurious.attr,
	&ete_cpu_losses.attr,
	&ete_cpu_refusals.attr,
	&ete_cpu_register_writes.attr,
	NULL,
};

static const struct attribute_group ete_trcidr_group = {
	.name = "trcidr",
	.attrs = ete_trcidr_attrs,
};

static const struct attribute_group ete_mgmt_group = {
	.name = "mgmt",
	.attrs = ete_mgmt_attrs,
};

static const struct attribute_group ete_stats_group = {
	.name = "stats",
	.attrs = ete_stats_attrs,
};

static const struct attribute_group *ete_cpu_groups[] = {
	&ete_trcidr_group,
	&ete_mgmt_group,
	&ete_stats_group,
	NULL,
};

static ssize_t ete_cpu_show(struct kobject *kobj, struct attribute *attr, char *page)
{
	const struct ete_cpu_attr *file = container_of(attr, struct ete_cpu_attr, attr);
	const void *member = (const u8 *)container_of(kobj, struct ete_cpu, kobj) + file->offset;

	if (file->is_register)
		return sysfs_emit(page, "%#x\n", *(const u32 *)member);
	return sysfs_emit(page, "%llu\n", *(const u64 *)member);
}

static const struct sysfs_ops ete_cpu_sysfs_ops = {
	.show = ete_cpu_show,
};

/* Its memory is the CPU's, which is there until all directories are gone */
static void ete_cpu_kobj_release(struct kobject *kobj)
{
	complete(&container_of(kobj, struct ete_cpu, kobj)->kobj_gone);
}

static const struct kobj_type ete_cpu_type = {
	.release = ete_cpu_kobj_release,
	.sysfs_ops = &ete_cpu_sysfs_ops,
	.default_groups = ete_cpu_groups,
};

/**
 * arm_ete_sysfs_add() - make a CPU's directory
 * @pmu: the driver, registered with perf
 * @number: of the CPU
 *
 * perf reads one for each CPU that is online, whether it can trace or not, and takes a CPU without
 * for an old trace unit. So there is one for each possible CPU, all the time; one without
 * trace shows the ID registers of those with.
 *
 * Return: 0, or a negative error.
 */
int arm_ete_sysfs_add(struct ete_pmu *pmu, unsigned int number)
{
	struct ete_cpu *cpu = per_cpu_ptr(pmu->cpu, number);
	int err;

	init_completion(&cpu->kobj_gone);
	err = kobject_init_and_add(&cpu->kobj, &ete_cpu_type, &pmu->pmu.dev->kobj, "cpu%u", number);
	if (err) {
		kobject_put(&cpu->kobj);
		wait_for_completion(&cpu->kobj_gone);
	}
	return err;
}

/**
 * arm_ete_sysfs_remove() - take a CPU's directory away
 * @pmu: the driver
 * @number: of the CPU
 *
 * Context: process; waits for those who have a file of it open.
 */
void arm_ete_sysfs_remove(struct ete_pmu *pmu, unsigned int number)
{
	struct ete_cpu *cpu = per_cpu_ptr(pmu->cpu, number);

	kobject_put(&cpu->kobj);
	wait_for_completion(&cpu->kobj_gone);
}
