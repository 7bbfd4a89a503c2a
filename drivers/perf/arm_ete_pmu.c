// SPDX-License-Identifier: GPL-2.0-only
/*
 * Program flow trace by the Embedded Trace Extension and the Trace Buffer Extension: what perf's
 * core calls.
 */
#include <linux/bitfield.h>
#include <linux/capability.h>
#include <linux/dcache.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/slab.h>

#include <asm/virt.h>

#include <clocksource/arm_arch_timer.h>

#include <uapi/linux/arm_ete_pmu.h>

#include "arm_ete.h"
#include "arm_ete_compat.h"

/* The CPU that this runs on. Interrupts are off. */
static struct ete_cpu *ete_this_cpu(struct perf_event *event)
{
	return this_cpu_ptr(ete_pmu_of(event)->cpu);
}

/* A new number for an image: never the same again */
static u64 ete_new_image_id(void)
{
	static atomic64_t last = ATOMIC64_INIT(0);

	return atomic64_inc_return(&last);
}

static void ete_request_init(struct ete_request *request, const struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	request->config = attr->config;
	request->config1 = attr->config1;
	request->config2 = attr->config2;
	request->user = !attr->exclude_user;
	request->kernel = !attr->exclude_kernel;
	request->kernel_at_el2 = is_kernel_in_hyp_mode();
	request->physical_time = ete_pmu_of(event)->physical_time;
}

/*
 * What only one who may watch the whole system is to see: the kernel, and which thread runs where.
 * perf's core asks less for the first. An event that a new task inherits was asked for when the
 * first was opened; that task may do less, and begins nevertheless.
 */
static int ete_check_permission(const struct perf_event *event, const struct ete_request *request)
{
	u64 identifiers = ARM_ETE_PMU_MASK(contextid1) | ARM_ETE_PMU_MASK(contextid2);

	if (event->parent || (!request->kernel && !(request->config & identifiers)))
		return 0;
	return perfmon_capable() ? 0 : -EACCES;
}

/* What its trace unit and its trace buffer cannot do, or what no one may ask */
static int ete_check_request(const struct ete_request *request, const struct ete_pmu *pmu)
{
	const char *reason = NULL;
	int err = ete_config_check(request, &pmu->caps, &reason);

	if (!err) {
		reason = trbe_caps_check(&pmu->buffer,
					 request->config1 & ARM_ETE_PMU_MASK(physical));
		err = reason ? -EOPNOTSUPP : 0;
	}
	if (err)
		pr_info_ratelimited("arm_ete_pmu: %s\n", reason);
	return err;
}

static void ete_event_destroy(struct perf_event *event)
{
	kfree(event->pmu_private);
}

static int ete_event_init(struct perf_event *event)
{
	struct ete_pmu *pmu = ete_pmu_of(event);
	struct ete_event *own;
	int err;

	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (!READ_ONCE(pmu->ready))
		return -ENODEV;
	if (event->cpu >= 0 && !cpumask_test_cpu(event->cpu, &pmu->cpus))
		return -ENODEV;
	if (has_branch_stack(event) || event->attr.exclude_host)
		return -EOPNOTSUPP;
	own = kzalloc(sizeof(*own), GFP_KERNEL);
	if (!own)
		return -ENOMEM;
	ete_request_init(&own->request, event);
	err = ete_check_request(&own->request, pmu) ?: ete_check_permission(event, &own->request);
	if (err) {
		kfree(own);
		return err;
	}
	ete_config_image(&own->request, &pmu->caps, &own->image);
	own->image.id = ete_new_image_id();
	event->pmu_private = own;
	event->destroy = ete_event_destroy;
	return 0;
}

/* On a CPU that cannot trace, an event is active but does nothing; a record after says so. */
static void ete_event_start(struct perf_event *event, int flags)
{
	struct ete_pmu *pmu = ete_pmu_of(event);
	struct ete_cpu *cpu = ete_this_cpu(event);

	if (flags & ETE_EF_RESUME) {
		trbe_session_filter(cpu, event);
		return;
	}
	if (!ete_cpu_usable(cpu) || READ_ONCE(pmu->off)) {
		ete_event_of(event)->missed = true;
		return;
	}
	if (has_addr_filter(event))
		perf_event_addr_filters_sync(event);
	if (trbe_session_start(cpu, event))
		event->hw.state = 0;
}

static void ete_event_stop(struct perf_event *event, int flags)
{
	struct ete_cpu *cpu = ete_this_cpu(event);

	if (flags & ETE_EF_PAUSE) {
		trbe_session_filter(cpu, event);
		return;
	}
	if (!(event->hw.state & PERF_HES_STOPPED) || cpu->wait.event == event)
		trbe_session_stop(cpu);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	trbe_session_tell(cpu, event);
}

static int ete_event_add(struct perf_event *event, int flags)
{
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (flags & PERF_EF_START)
		ete_event_start(event, 0);
	return 0;
}

static void ete_event_del(struct perf_event *event, int flags)
{
	ete_event_stop(event, PERF_EF_UPDATE);
}

static void ete_event_read(struct perf_event *event)
{
}

/* A point to start at where there is one to stop at: what that does is UNPREDICTABLE (R_XHFYQ) */
static bool ete_points_meet(const struct perf_addr_filter *a, const struct perf_addr_filter *b)
{
	if (a->action == PERF_ADDR_FILTER_ACTION_FILTER ||
	    b->action == PERF_ADDR_FILTER_ACTION_FILTER || a->action == b->action)
		return false;
	if (a->offset != b->offset || !a->path.dentry != !b->path.dentry)
		return false;
	return !a->path.dentry || d_inode(a->path.dentry) == d_inode(b->path.dentry);
}

static int ete_filters_validate(struct list_head *filters)
{
	struct perf_addr_filter *other;
	struct perf_addr_filter *filter;

	list_for_each_entry(filter, filters, entry) {
		if (filter->action == PERF_ADDR_FILTER_ACTION_FILTER && !filter->size)
			return -EINVAL;
		if (filter->action != PERF_ADDR_FILTER_ACTION_FILTER && filter->size)
			return -EINVAL;
		list_for_each_entry(other, filters, entry) {
			if (!ete_points_meet(filter, other))
				continue;
			pr_info_ratelimited("arm_ete_pmu: filters: trace starts and stops at the same address\n");
			return -EINVAL;
		}
	}
	return 0;
}

static enum ete_filter_kind ete_filter_kind_of(const struct perf_addr_filter *filter)
{
	switch (filter->action) {
	case PERF_ADDR_FILTER_ACTION_START:
		return ETE_FILTER_START;
	case PERF_ADDR_FILTER_ACTION_STOP:
		return ETE_FILTER_STOP;
	default:
		return ETE_FILTER_RANGE;
	}
}

/*
 * The filters, or where what they are about is mapped, have changed. perf has a range of 0 bytes at
 * address 0 for what is not mapped; a filter of the kernel cannot be that.
 */
static void ete_filters_sync(struct perf_event *event)
{
	struct perf_addr_filters_head *head = perf_event_addr_filters(event);
	struct ete_event *own = ete_event_of(event);
	struct ete_request *request = &own->request;
	const struct ete_caps *caps = &ete_pmu_of(event)->caps;
	struct perf_addr_filter *filter;
	const char *reason;
	unsigned int n = 0;

	list_for_each_entry(filter, &head->list, entry) {
		const struct perf_addr_filter_range *range = &event->addr_filter_ranges[n];

		if (n == ETE_MAX_FILTERS)
			break;
		request->filters[n++] = (struct ete_filter) {
			.kind = ete_filter_kind_of(filter),
			.mapped = range->start || range->size,
			.start = range->start,
			.size = range->size,
		};
	}
	request->nr_filters = n;
	if (ete_config_check(request, caps, &reason)) {
		/* too late for an error: nothing is traced, as if nothing were mapped */
		ete_notice(ete_this_cpu(event), "filters: %s", reason);
		while (n)
			request->filters[--n].mapped = false;
	}
	ete_config_image(request, caps, &own->image);
	own->image.id = ete_new_image_id();
}

/*
 * Is the kernel's own clock the physical counter? Where the kernel began at EL2 it is: KVM gives
 * the virtual counter to the virtual machine that is loaded. Which clock it is nobody tells a
 * module, so it is compared. Without EL2 the two are one.
 */
static bool ete_time_is_physical(void)
{
	u64 before, now, after;

	if (is_kernel_in_hyp_mode())
		return true;
	if (!FIELD_GET(ETE_PFR0_EL2, read_sysreg(id_aa64pfr0_el1)))
		return false;
	before = read_sysreg(cntpct_el0);
	now = arch_timer_read_counter();
	/* the counter may be read before its turn */
	isb();
	after = read_sysreg(cntpct_el0);
	return before <= now && now <= after;
}

/**
 * arm_ete_pmu_register() - have perf know the driver
 * @pmu: the driver, with its CPUs known
 * @parent: the device that it was found by
 * @name: of the PMU
 *
 * Return: 0, or as perf_pmu_register(); -EEXIST if there is a PMU of that name.
 */
int arm_ete_pmu_register(struct ete_pmu *pmu, struct device *parent, const char *name)
{
	pmu->pmu = (struct pmu) {
		.module = THIS_MODULE,
		.attr_groups = arm_ete_attr_groups,
		.capabilities = PERF_PMU_CAP_EXCLUSIVE | PERF_PMU_CAP_ITRACE | ETE_CAP_AUX_PAUSE |
				ETE_CAP_AUX_PREFER_LARGE,
		.task_ctx_nr = perf_sw_context,
		.event_init = ete_event_init,
		.add = ete_event_add,
		.del = ete_event_del,
		.start = ete_event_start,
		.stop = ete_event_stop,
		.read = ete_event_read,
		.setup_aux = trbe_buffer_setup,
		.free_aux = trbe_buffer_free,
		.addr_filters_validate = ete_filters_validate,
		.addr_filters_sync = ete_filters_sync,
		.nr_addr_filters = ete_caps_address_pairs(&pmu->caps),
	};
	pmu->physical_time = ete_time_is_physical();
	ete_compat_set_parent(&pmu->pmu, parent);
	return perf_pmu_register(&pmu->pmu, name, -1);
}

/**
 * arm_ete_pmu_unregister() - have perf forget it
 * @pmu: the driver, of which no event is left: an event holds the module
 */
void arm_ete_pmu_unregister(struct ete_pmu *pmu)
{
	perf_pmu_unregister(&pmu->pmu);
}
