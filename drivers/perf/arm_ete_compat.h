/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What differs between the kernels that the driver is built for: Linux 6.1, 6.12 and 7.2. What
 * the preprocessor cannot see Kbuild finds out.
 */
#ifndef _ARM_ETE_COMPAT_H
#define _ARM_ETE_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/perf_event.h>
#include <linux/platform_device.h>

/*
 * Leave an event on that perf_aux_output_begin() and perf_aux_output_end() mean to turn off, for
 * want of room or with PERF_AUX_FLAG_TRUNCATED: as soon as interrupts are on again, or when it
 * leaves its CPU, and on CPU 0 never. One who has read by then, and finds it on still, would not
 * turn it on again.
 *
 * Context: interrupts off since then, on the CPU that the event is active on.
 */
static inline void ete_compat_event_keep(struct perf_event *event)
{
	event->pending_disable = 0;
}

/* The device that a PMU belongs to, in sysfs */
static inline void ete_compat_set_parent(struct pmu *pmu, struct device *parent)
{
#ifdef ETE_HAS_PMU_PARENT
	pmu->parent = parent;
#endif
}

/* A platform driver's remove() returns nothing: since 6.11 */
#ifdef ETE_HAS_VOID_REMOVE
#define ETE_REMOVE_TYPE		void
#define ETE_REMOVE_RESULT
#else
#define ETE_REMOVE_TYPE		int
#define ETE_REMOVE_RESULT	0
#endif

/* From 6.12 on an AUX area is of single pages unless it is asked; physical=1 needs a row. */
#ifdef PERF_PMU_CAP_AUX_PREFER_LARGE
#define ETE_CAP_AUX_PREFER_LARGE	PERF_PMU_CAP_AUX_PREFER_LARGE
#else
#define ETE_CAP_AUX_PREFER_LARGE	0
#endif

/* An event may be paused from another one: since 6.13, and in some kernels before */
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

/**
 * ete_compat_get_irq() - the interrupt of the trace buffers, and the CPUs that have it
 * @pdev: the platform device
 * @wired: set to the CPUs whose trace buffers are wired to the interrupt
 *
 * A PPI may be partitioned: it is the trace buffer's on some CPUs only.
 *
 * Return: the interrupt, or a negative error.
 */
static inline int ete_compat_get_irq(struct platform_device *pdev, struct cpumask *wired)
{
#ifdef ETE_HAS_IRQ_AFFINITY
	const struct cpumask *affinity;
	int irq = platform_get_irq_affinity(pdev, 0, &affinity);

	if (irq > 0)
		cpumask_copy(wired, affinity);
	return irq;
#else
	int irq = platform_get_irq(pdev, 0);
	int err;

	if (irq < 0)
		return irq;
	err = irq_get_percpu_devid_partition(irq, wired);
	return err ?: irq;
#endif
}

/**
 * ete_compat_request_irq() - request_percpu_irq() for the CPUs that ete_compat_get_irq() named
 * @irq: the interrupt
 * @handler: its handler
 * @name: its name in /proc/interrupts
 * @wired: the CPUs; the kernel refers to them until free_percpu_irq()
 * @percpu: what the handler gets, per CPU
 *
 * Return: 0 or a negative error: -EINVAL where the interrupt is not one of each CPU.
 */
static inline int ete_compat_request_irq(int irq, irq_handler_t handler, const char *name,
					 const struct cpumask *wired, void __percpu *percpu)
{
#ifdef ETE_HAS_IRQ_AFFINITY
	return request_percpu_irq_affinity(irq, handler, name, wired, percpu);
#else
	return request_percpu_irq(irq, handler, name, percpu);
#endif
}

/* hrtimer_init() and the assignment of the callback are one function since 6.13. */
static inline void ete_compat_timer_setup(struct hrtimer *timer,
					  enum hrtimer_restart (*callback)(struct hrtimer *),
					  enum hrtimer_mode mode)
{
#ifdef ETE_HAS_HRTIMER_SETUP
	hrtimer_setup(timer, callback, CLOCK_MONOTONIC, mode);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, mode);
	timer->function = callback;
#endif
}

#endif /* _ARM_ETE_COMPAT_H */
