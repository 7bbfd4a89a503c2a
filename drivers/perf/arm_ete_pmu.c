// SPDX-License-Identifier: GPL-2.0-only
/*
 * The perf PMU: callbacks of perf's core, and the PMU's files in sysfs and debugfs.
 */
#define pr_fmt(fmt) "arm_ete_pmu: " fmt

#include <linux/bitfield.h>
#include <linux/dcache.h>
#include <linux/debugfs.h>
#include <linux/device.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/stringify.h>
#include <linux/sysfs.h>

#include <asm/virt.h>

#include <clocksource/arm_arch_timer.h>

#include <uapi/linux/arm_ete_pmu.h>

#include "arm_ete.h"
#include "arm_ete_compat.h"

/* ete_filters_validate() is given no event; perf has memory for the ranges of nr_addr_filters */
static const struct pmu *ete_registered;

/* The CPU that executes the caller, which runs with interrupts off */
static struct ete_cpu *ete_this_cpu(struct perf_event *event)
{
	return this_cpu_ptr(ete_pmu_of(event)->cpu);
}

/* An image id that was never used before */
static u64 ete_new_image_id(void)
{
	static atomic64_t last = ATOMIC64_INIT(0);

	return atomic64_inc_return(&last);
}

/*
 * Context identifiers are left out of the trace where the task that opens the event may not see
 * them: perf requests them by itself. An inherited event has what its parent has.
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
	/* contextid2 without a kernel at EL2 stays, to be refused */
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
	struct ete_cpu *cpu = ete_this_cpu(event);

	if (flags & ETE_EF_RESUME) {
		trbe_session_filter(cpu, event);
		return;
	}
	/* on a CPU that cannot be traced as well, so that no exec is missed */
	if (has_addr_filter(event))
		perf_event_addr_filters_sync(event);
	if (!ete_cpu_usable(cpu) || READ_ONCE(ete_pmu_of(event)->off)) {
		ete_event_of(event)->missed = true;
		return;
	}
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
	if (!(event->hw.state & PERF_HES_STOPPED) || cpu->retry.event == event)
		trbe_session_stop(cpu);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	trbe_session_report_missed(cpu, event);
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
	NULL,
};

/* Positions of the two attributes called contextid; one of them is shown */
#define ETE_FORMAT_CONTEXTID_EL1	4
#define ETE_FORMAT_CONTEXTID_EL2	5

static umode_t ete_format_is_visible(struct kobject *kobj, struct attribute *attr, int n)
{
	if (n == (is_kernel_in_hyp_mode() ? ETE_FORMAT_CONTEXTID_EL1 : ETE_FORMAT_CONTEXTID_EL2))
		return 0;
	return attr->mode;
}

static const struct attribute_group ete_format_group = {
	.name = "format",
	.attrs = ete_format_attrs,
	.is_visible = ete_format_is_visible,
};

static const struct attribute_group *ete_attr_groups[] = {
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
#define ETE_CPU_IDR(n) ETE_CPU_ATTR("trcidr" __stringify(n), caps.idr[n], "%#x\n")

static struct attribute *ete_trcidr_attrs[] = {
	ETE_CPU_IDR(0), ETE_CPU_IDR(1), ETE_CPU_IDR(2), ETE_CPU_IDR(3), ETE_CPU_IDR(4),
	ETE_CPU_IDR(5), ETE_CPU_IDR(6), ETE_CPU_IDR(7), ETE_CPU_IDR(8), ETE_CPU_IDR(9),
	ETE_CPU_IDR(10), ETE_CPU_IDR(11), ETE_CPU_IDR(12), ETE_CPU_IDR(13), NULL,
};

static struct attribute *ete_mgmt_attrs[] = {
	ETE_CPU_ATTR("trcauthstatus", caps.authstatus, "%#x\n"),
	ETE_CPU_ATTR("trcdevarch", caps.devarch, "%#x\n"),
	NULL,
};

static struct attribute *ete_cpu_attrs[] = {
	ETE_CPU_ATTR("cpu", number, "%d\n"), ETE_CPU_ATTR("ts_source", ts_source, "%d\n"), NULL,
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

static void ete_sysfs_remove(struct ete_cpu *cpu)
{
	kobject_put(&cpu->kobj);
	wait_for_completion(&cpu->kobj_gone);
}

/*
 * A directory for each possible CPU: perf reads one for each CPU that is online, and takes a CPU
 * without one for an ETMv3. A CPU without trace shows the ID registers of the first one with trace.
 */
static int ete_sysfs_add(struct ete_pmu *pmu)
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
		ete_sysfs_remove(per_cpu_ptr(pmu->cpu, done));
		if (done == number)
			break;
	}
	return err;
}

/* Statistics of a CPU in debugfs: they are for tests and diagnosis, and no decoder needs them. */
static const struct {
	const char *name;
	size_t offset;
} ete_stats_files[] = {
	{ "sessions", offsetof(struct ete_cpu, stats.sessions) },
	{ "bytes", offsetof(struct ete_cpu, stats.bytes) },
	{ "early_warnings", offsetof(struct ete_cpu, stats.interrupts[TRBE_EVENT_WARNING]) },
	{ "wraps", offsetof(struct ete_cpu, stats.interrupts[TRBE_EVENT_WRAPPED]) },
	{ "fills", offsetof(struct ete_cpu, stats.interrupts[TRBE_EVENT_FILLED]) },
	{ "triggers", offsetof(struct ete_cpu, stats.interrupts[TRBE_EVENT_TRIGGERED]) },
	{ "faults_stage1", offsetof(struct ete_cpu, stats.interrupts[TRBE_EVENT_FAULT_STAGE1]) },
	{ "faults_stage2", offsetof(struct ete_cpu, stats.interrupts[TRBE_EVENT_FAULT_STAGE2]) },
	{ "external_aborts",
	  offsetof(struct ete_cpu, stats.interrupts[TRBE_EVENT_EXTERNAL_ABORT]) },
	{ "impdef_events", offsetof(struct ete_cpu, stats.interrupts[TRBE_EVENT_IMPDEF]) },
	{ "unknown_events", offsetof(struct ete_cpu, stats.interrupts[TRBE_EVENT_UNKNOWN]) },
	{ "spurious", offsetof(struct ete_cpu, stats.spurious) },
	{ "losses", offsetof(struct ete_cpu, stats.losses) },
	{ "refusals", offsetof(struct ete_cpu, stats.refusals) },
	{ "retries", offsetof(struct ete_cpu, stats.retries) },
	{ "register_writes", offsetof(struct ete_cpu, unit.writes) },
};

static void ete_debugfs_add(struct ete_pmu *pmu)
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
				   (u64 *)(cpu + offsetof(struct ete_cpu, trbidr)));
		debugfs_create_x32("errata", 0444, dir,
				   (u32 *)(cpu + offsetof(struct ete_cpu, errata)));
	}
}

/*
 * Whether the kernel's clock is the physical counter. It is where the kernel began at EL2: KVM
 * gives the virtual offset to the virtual machine that is loaded. No interface tells a module
 * which counter the clock is, so both are read. Without EL2 they are the same.
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
	/* order the second read of the counter behind the first */
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

	pmu->caps = first->caps;
	pmu->buffer = first->buffer;
	pmu->errata = 0;
	for_each_possible_cpu(number) {
		struct ete_cpu *cpu = per_cpu_ptr(pmu->cpu, number);

		if (!cpumask_test_cpu(number, &pmu->cpus)) {
			cpu->caps = first->caps;
			continue;
		}
		ete_caps_intersect(&pmu->caps, &cpu->caps);
		trbe_caps_intersect(&pmu->buffer, &cpu->buffer);
		pmu->errata |= cpu->errata;
	}
	pmu->pmu.nr_addr_filters = ete_caps_address_pairs(&pmu->caps);
}

/*
 * Contiguous pages are hard to get, and vmap() maps them one by one all the same. Only a trace
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
		.attr_groups = ete_attr_groups,
		.capabilities = ete_capabilities(pmu),
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
	ete_registered = &pmu->pmu;
	pmu->physical_time = ete_time_is_physical();
	ete_compat_set_parent(&pmu->pmu, parent);
	err = perf_pmu_register(&pmu->pmu, name, -1);
	if (err)
		return err;
	err = ete_sysfs_add(pmu);
	if (err) {
		perf_pmu_unregister(&pmu->pmu);
		return err;
	}
	ete_debugfs_add(pmu);
	/* nothing fails behind this line: whoever opens an event relies on the driver to stay */
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
	unsigned int number;

	debugfs_remove_recursive(pmu->debugfs);
	for_each_possible_cpu(number)
		ete_sysfs_remove(per_cpu_ptr(pmu->cpu, number));
	perf_pmu_unregister(&pmu->pmu);
}
