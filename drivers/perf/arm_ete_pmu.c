// SPDX-License-Identifier: GPL-2.0-only
/*
 * The perf PMU: callbacks of perf's core.
 */
#define pr_fmt(fmt) "arm_ete_pmu: " fmt

#include <linux/bitfield.h>
#include <linux/dcache.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/slab.h>

#include <asm/barrier.h>
#include <asm/sysreg.h>
#include <asm/virt.h>

#include <clocksource/arm_arch_timer.h>

#include <uapi/linux/arm_ete_pmu.h>

#include "arm_ete.h"
#include "arm_ete_compat.h"

/* For ete_filters_validate(), which has no event; perf has memory for nr_addr_filters ranges */
static const struct pmu *ete_registered;

/* The trace buffer of the CPU that executes the caller, which runs with interrupts off */
static struct trbe *ete_this_trbe(struct perf_event *event)
{
	return &this_cpu_ptr(ete_pmu_of(event)->cpu)->trbe;
}

/* An image id that was never used before */
static u64 ete_new_image_id(void)
{
	static atomic64_t last = ATOMIC64_INIT(0);

	return atomic64_inc_return(&last);
}

/*
 * perf requests context identifiers by default. If the task that opens the event may not see them,
 * the trace has none. An inherited event has the identifiers that its parent has.
 */
static void ete_request_init(struct ete_request *request, const struct perf_event *event)
{
	const u64 identifiers = ARM_ETE_PMU_MASK(contextid1) | ARM_ETE_PMU_MASK(contextid2);
	const struct perf_event_attr *attr = &event->attr;

	*request = (struct ete_request) {
		.config = attr->config,
		.config1 = attr->config1,
		.config2 = attr->config2,
		.config3 = ete_compat_config3(attr),
		.config4 = ete_compat_config4(attr),
		.user = !attr->exclude_user,
		.kernel = !attr->exclude_kernel,
		.kernel_at_el2 = is_kernel_in_hyp_mode(),
		.physical_time = ete_pmu_of(event)->physical_time,
	};
	if (event->parent)
		request->config = ete_event_of(event->parent)->request.config;
	/* contextid2 without a kernel at EL2 stays: ete_config_check() refuses it */
	else if (request->config & identifiers && !ete_compat_allow_identifiers(event))
		request->config &= request->kernel_at_el2 ? ~identifiers :
				   ~ARM_ETE_PMU_MASK(contextid1);
}

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
		pr_debug("%s\n", reason);
	return err;
}

static void ete_event_destroy(struct perf_event *event)
{
	atomic_dec(&ete_pmu_of(event)->events);
	kfree(event->pmu_private);
}

/*
 * Attributes that perf's core leaves to the PMU and that trace cannot follow. exclude_hv and
 * exclude_guest are accepted: neither a hypervisor nor a guest is ever traced. sample_period has
 * no meaning, for an event of this PMU counts nothing.
 */
static int ete_check_attr(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	if (has_branch_stack(event) || attr->exclude_host || attr->exclude_idle ||
	    attr->precise_ip || attr->sigtrap)
		return -EOPNOTSUPP;
	return attr->freq || attr->bp_type ? -EINVAL : 0;
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
	err = ete_check_attr(event);
	if (err)
		return err;
	own = kzalloc(sizeof(*own), GFP_KERNEL);
	if (!own)
		return -ENOMEM;
	ete_request_init(&own->request, event);
	mutex_lock(&pmu->lock);
	err = ete_check_request(&own->request, pmu);
	if (!err) {
		ete_config_image(&own->request, &pmu->caps, &own->image);
		atomic_inc(&pmu->events);
	}
	mutex_unlock(&pmu->lock);
	if (err) {
		kfree(own);
		return err;
	}
	own->image.id = ete_new_image_id();
	event->pmu_private = own;
	event->destroy = ete_event_destroy;
	return 0;
}

/*
 * On a CPU that cannot be traced, the event is active but does nothing; a later record reports it.
 */
static void ete_event_start(struct perf_event *event, int flags)
{
	struct trbe *trbe = ete_this_trbe(event);

	if (flags & ETE_EF_RESUME) {
		trbe_record_filter(trbe, event);
		return;
	}
	/* also on a CPU that cannot be traced, so that no exec is missed */
	if (has_addr_filter(event))
		perf_event_addr_filters_sync(event);
	if (!trbe_usable(trbe) || READ_ONCE(ete_pmu_of(event)->off)) {
		ete_event_of(event)->missed = true;
		return;
	}
	if (trbe_record_start(trbe, event))
		event->hw.state = 0;
}

static void ete_event_stop(struct perf_event *event, int flags)
{
	struct trbe *trbe = ete_this_trbe(event);

	if (flags & ETE_EF_PAUSE) {
		trbe_record_filter(trbe, event);
		return;
	}
	if (!(event->hw.state & PERF_HES_STOPPED) || trbe->retry.event == event)
		trbe_record_stop(trbe);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	trbe_record_report_missed(trbe, event);
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

/* A start point and a stop point at the same place are CONSTRAINED UNPREDICTABLE (R_XHFYQ) */
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
	struct perf_addr_filter *filter, *other;
	unsigned int n = 0;

	list_for_each_entry(filter, filters, entry) {
		if (++n > ete_registered->nr_addr_filters) {
			pr_debug("filters: there are more than address comparator pairs\n");
			return -EOPNOTSUPP;
		}
		if (filter->action == PERF_ADDR_FILTER_ACTION_FILTER ? !filter->size : filter->size)
			return -EINVAL;
		list_for_each_entry(other, filters, entry) {
			if (!ete_points_meet(filter, other))
				continue;
			pr_debug("filters: a start point and a stop point have the same address\n");
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
 * The filters, or the mappings of their objects, have changed. perf gives an object that is not
 * mapped the range of 0 bytes at address 0, which no filter of the kernel can be.
 *
 * After exec no object is mapped: the start/stop function then begins as for a new event, for its
 * state is that of the program before.
 */
static void ete_filters_sync(struct perf_event *event)
{
	struct perf_addr_filters_head *head = perf_event_addr_filters(event);
	struct ete_event *own = ete_event_of(event);
	struct ete_request *request = &own->request;
	bool objects = false, mapped = false;
	struct perf_addr_filter *filter;
	unsigned int n = 0;

	list_for_each_entry(filter, &head->list, entry) {
		const struct perf_addr_filter_range *range = &event->addr_filter_ranges[n];

		if (n == ETE_MAX_FILTERS)
			break;
		request->filters[n] = (struct ete_filter) {
			.kind = ete_filter_kind_of(filter),
			.mapped = range->start || range->size,
			.start = range->start,
			.size = range->size,
		};
		if (filter->path.dentry) {
			objects = true;
			mapped |= request->filters[n].mapped;
		}
		n++;
	}
	request->nr_filters = n;
	if (objects && !mapped)
		own->image.start_stop = false;
	ete_config_image(request, &ete_pmu_of(event)->caps, &own->image);
	own->image.id = ete_new_image_id();
}

static void *ete_setup_aux(struct perf_event *event, void **pages, int nr_pages, bool snapshot)
{
	bool physical = event->attr.config1 & ARM_ETE_PMU_MASK(physical);
	const struct ete_pmu *pmu = ete_pmu_of(event);

	return trbe_aux_setup(pages, nr_pages, snapshot, physical, &pmu->buffer, pmu->errata);
}

/*
 * Whether the kernel's clock is the physical counter. It is if the kernel began at EL2: KVM gives
 * the virtual offset to the virtual machine that is loaded. No interface reports to a module which
 * counter the clock is, so both are read. Without EL2 they are equal.
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
	/* order the second read of the counter after the first */
	isb();
	after = read_sysreg(cntpct_el0);
	return before <= now && now <= after;
}

/**
 * arm_ete_pmu_update() - compute the capabilities that all traced CPUs share
 * @pmu: the PMU, with at least one CPU
 *
 * Context: @pmu->lock is held; no event exists: its registers are computed from the capabilities.
 */
void arm_ete_pmu_update(struct ete_pmu *pmu)
{
	const struct ete_cpu *first = per_cpu_ptr(pmu->cpu, cpumask_first(&pmu->cpus));
	unsigned int number;

	pmu->caps = first->unit.caps;
	pmu->buffer = first->trbe.caps;
	pmu->errata = 0;
	for_each_possible_cpu(number) {
		struct ete_cpu *cpu = per_cpu_ptr(pmu->cpu, number);

		if (!cpumask_test_cpu(number, &pmu->cpus)) {
			cpu->unit.caps = first->unit.caps;
			continue;
		}
		ete_caps_intersect(&pmu->caps, &cpu->unit.caps);
		trbe_caps_intersect(&pmu->buffer, &cpu->trbe.caps);
		pmu->errata |= cpu->trbe.errata;
	}
	pmu->pmu.nr_addr_filters = ete_caps_address_pairs(&pmu->caps);
}

/*
 * Contiguous pages are hard to allocate, and vmap() maps single pages in any case. Only a trace
 * buffer that does not translate addresses needs them.
 */
static int ete_capabilities(const struct ete_pmu *pmu)
{
	int always = PERF_PMU_CAP_EXCLUSIVE | PERF_PMU_CAP_ITRACE | ETE_CAP_AUX_PAUSE;

	return pmu->buffer.modes & TRBE_MODE_VIRTUAL ? always : always | ETE_CAP_AUX_PREFER_LARGE;
}

/**
 * arm_ete_pmu_register() - register the PMU with perf
 * @pmu: the PMU, with its CPUs
 * @parent: the first trace buffer device
 * @name: of the PMU
 *
 * Return: 0, or as perf_pmu_register(): -EEXIST if a PMU has that name; or as kobject_add().
 */
int arm_ete_pmu_register(struct ete_pmu *pmu, struct device *parent, const char *name)
{
	int err;

	pmu->pmu = (struct pmu) {
		.module = THIS_MODULE,
		.attr_groups = arm_ete_attr_groups,
		.capabilities = ete_capabilities(pmu),
		.task_ctx_nr = perf_sw_context,
		.event_init = ete_event_init,
		.add = ete_event_add,
		.del = ete_event_del,
		.start = ete_event_start,
		.stop = ete_event_stop,
		.read = ete_event_read,
		.setup_aux = ete_setup_aux,
		.free_aux = trbe_aux_free,
		.addr_filters_validate = ete_filters_validate,
		.addr_filters_sync = ete_filters_sync,
		.nr_addr_filters = ete_caps_address_pairs(&pmu->caps),
	};
	ete_registered = &pmu->pmu;
	pmu->physical_time = ete_time_is_physical();
	ete_compat_set_parent(&pmu->pmu, parent);
	err = perf_pmu_register(&pmu->pmu, name, -1);
	if (err)
		return err;
	err = arm_ete_sysfs_add(pmu);
	if (err) {
		perf_pmu_unregister(&pmu->pmu);
		return err;
	}
	arm_ete_debugfs_add(pmu);
	/* nothing fails after this line: a task that opens an event relies on the PMU to stay */
	WRITE_ONCE(pmu->ready, true);
	return 0;
}

/**
 * arm_ete_pmu_unregister() - undo arm_ete_pmu_register()
 * @pmu: the PMU, without events: an event holds a reference to the module
 *
 * Context: process; waits for tasks that have a file of the PMU open.
 */
void arm_ete_pmu_unregister(struct ete_pmu *pmu)
{
	arm_ete_debugfs_remove(pmu);
	arm_ete_sysfs_remove(pmu);
	perf_pmu_unregister(&pmu->pmu);
}
