/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between the kernels that the driver is built for, and dependences of the driver on
 * the internals of perf's core. Kbuild defines ETE_HAS_ macros for features that the preprocessor
 * cannot see: distributions add features to kernels without a change of the version.
 */
#ifndef _ARM_ETE_COMPAT_H
#define _ARM_ETE_COMPAT_H

#include <linux/capability.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/perf_event.h>
#include <linux/pid_namespace.h>
#include <linux/platform_device.h>
#include <linux/version.h>

#include <asm/virt.h>

#ifdef CONFIG_KVM
#include <asm/kvm_host.h>
#endif

/*
 * The two functions below depend on how kernel/events/ring_buffer.c works. They were written for
 * Linux 6.1, 6.12 and 7.2. tools/setup/tests/perf-core.sh fails for a kernel in which the functions
 * that they depend on differ.
 */

/*
 * Keep an event enabled that perf is about to disable: perf_aux_output_begin() without room and
 * perf_aux_output_end() with TRUNCATED set event->pending_disable, which takes effect when
 * interrupts are on again or when the event leaves its CPU. A reader that has made room by then
 * finds the event enabled and does not enable it again, so the event would stay disabled. No
 * interface prevents this.
 *
 * Context: interrupts off since the call to perf, on the event's CPU.
 */
static inline void ete_compat_event_keep(struct perf_event *event)
{
	event->pending_disable = 0;
}

/*
 * Bytes that may be written to the AUX area. perf_aux_output_begin() counts one byte less, so that
 * a full AUX area does not look empty. perf and its readers distinguish the two by the difference
 * of head and tail. The trace buffer ends at a page boundary: with one byte less, an AUX area of
 * one page would be useless, and any other AUX area would lose a page.
 */
static inline u64 ete_compat_room(const struct perf_output_handle *handle)
{
	return handle->size + 1;
}

/*
 * Report the trace ID of a CPU to the reader of the event. All kernels declare the function; 6.4
 * and later export it to modules.
 */
static inline void ete_compat_report_id(struct perf_event *event, u64 id)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
	perf_report_aux_output_id(event, id);
#endif
}

/* Linux 6.3 added config3 to struct perf_event_attr */
#ifdef PERF_ATTR_SIZE_VER8
#define ETE_COMPAT_CC_THRESHOLD		cc_threshold
#define ete_compat_config3(attr)	((attr)->config3)
#else
#define ETE_COMPAT_CC_THRESHOLD		deprecated_cc_threshold
#define ete_compat_config3(attr)	0
#endif

/* The ninth version of struct perf_event_attr has config4 */
#ifdef PERF_ATTR_SIZE_VER9
#define ete_compat_config4(attr)	((attr)->config4)
#else
#define ete_compat_config4(attr)	0
#endif

/*
 * Whether the task that opens an event may see context identifiers: with the permission that
 * kernel trace requires, and in the initial PID namespace, whose numbers they are. Linux 6.1 does
 * not export perf_event_paranoid to modules; there perf has checked an event that includes the
 * kernel.
 */
static inline bool ete_compat_allow_identifiers(const struct perf_event *event)
{
	if (!task_is_in_init_pid_ns(current))
		return false;
#ifdef ETE_HAS_ALLOW_KERNEL
	return !perf_allow_kernel();
#else
	return !event->attr.exclude_kernel || perfmon_capable();
#endif
}

/*
 * Linux 6.14 and later: KVM without VHE disables the trace buffer and prohibits trace while a
 * virtual machine runs, on CPUs that have announced their trace buffer. Older kernels look at the
 * registers.
 */
static inline void ete_compat_kvm_enable(void)
{
#if defined(ETE_HAS_KVM_TRBE) && defined(CONFIG_KVM)
	kvm_enable_trbe();
#endif
}

static inline void ete_compat_kvm_disable(void)
{
#if defined(ETE_HAS_KVM_TRBE) && defined(CONFIG_KVM)
	kvm_disable_trbe();
#endif
}

static inline void ete_compat_hrtimer_setup(struct hrtimer *timer,
					    enum hrtimer_restart (*function)(struct hrtimer *))
{
#ifdef ETE_HAS_HRTIMER_SETUP
	hrtimer_setup(timer, function, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	timer->function = function;
#endif
}

/* The interrupt of each CPU of a trace buffer device, and these CPUs */
static inline int ete_compat_get_irq(struct platform_device *pdev, struct cpumask *cpus)
{
#ifdef ETE_HAS_IRQ_AFFINITY
	const struct cpumask *affinity;
	int irq = platform_get_irq_affinity(pdev, 0, &affinity);

	if (irq < 0)
		return irq;
	cpumask_copy(cpus, affinity);
	return irq_is_percpu_devid(irq) ? irq : -EINVAL;
#else
	int irq = platform_get_irq(pdev, 0), err;

	if (irq < 0)
		return irq;
	err = irq_get_percpu_devid_partition(irq, cpus);
	return err ?: irq;
#endif
}

static inline int ete_compat_request_irq(int irq, irq_handler_t handler, const char *name,
					 const struct cpumask *cpus, void __percpu *data)
{
#ifdef ETE_HAS_IRQ_AFFINITY
	return request_percpu_irq_affinity(irq, handler, name, cpus, data);
#else
	return request_percpu_irq(irq, handler, name, data);
#endif
}

/* The PMU's parent device in sysfs */
static inline void ete_compat_set_parent(struct pmu *pmu, struct device *parent)
{
#ifdef ETE_HAS_PMU_PARENT
	pmu->parent = parent;
#endif
}

/* Since Linux 6.11, the function remove() of a platform driver returns nothing */
#ifdef ETE_HAS_VOID_REMOVE
#define ETE_REMOVE_TYPE		void
#define ETE_REMOVE_RESULT
#else
#define ETE_REMOVE_TYPE		int
#define ETE_REMOVE_RESULT	0
#endif

/*
 * Since Linux 6.12, an AUX area consists of single pages unless the PMU prefers contiguous ones,
 * which physical=1 requires if the area has more than one page.
 */
#ifdef PERF_PMU_CAP_AUX_PREFER_LARGE
#define ETE_CAP_AUX_PREFER_LARGE	PERF_PMU_CAP_AUX_PREFER_LARGE
#else
#define ETE_CAP_AUX_PREFER_LARGE	0
#endif

/* Since Linux 6.13, one event can pause and resume another event */
#ifdef PERF_EF_PAUSE
#define ETE_EF_PAUSE		PERF_EF_PAUSE
#define ETE_EF_RESUME		PERF_EF_RESUME
#define ETE_CAP_AUX_PAUSE	PERF_PMU_CAP_AUX_PAUSE
#else
#define ETE_EF_PAUSE		0
#define ETE_EF_RESUME		0
#define ETE_CAP_AUX_PAUSE	0
#endif

static inline bool ete_compat_paused(const struct perf_event *event)
{
#ifdef PERF_EF_PAUSE
	return READ_ONCE(event->hw.aux_paused);
#else
	return false;
#endif
}

#endif /* _ARM_ETE_COMPAT_H */
