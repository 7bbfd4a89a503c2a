/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the driver's files share: what a CPU has, and what it is doing.
 */
#ifndef _ARM_ETE_H
#define _ARM_ETE_H

#include <linux/completion.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/kobject.h>
#include <linux/perf_event.h>
#include <linux/percpu.h>
#include <linux/workqueue.h>

#include "ete_config.h"
#include "trbe_caps.h"
#include "trbe_event.h"
#include "trbe_window.h"

/**
 * struct ete_unit - a trace unit, and what its registers hold
 * @present: the registers of a configuration that it has
 * @held_id: id of the image that was programmed last; 0 if its registers are not known
 * @known: registers whose value is that in @held
 * @held: by enum ete_reg
 * @trfcr: the trace filter
 * @broken: it did what it must not, or not what it must; it is not used any more
 */
struct ete_unit {
	u64 present[ETE_REG_WORDS];
	u64 held_id;
	u64 known[ETE_REG_WORDS];
	u64 held[ETE_NR_REGS];
	u64 trfcr;
	bool broken;
};

/**
 * struct trbe_buffer - an AUX area, for all the sessions that write to it
 * @map: its pages, mapped in a row; twice if @mirrored
 * @physical: its address for a trace buffer that does not translate; 0 if it does
 * @size: bytes of it
 * @mirrored: it is mapped twice
 * @snapshot: it is written over and over
 * @free: unmaps it where that may sleep
 */
struct trbe_buffer {
	void *map;
	phys_addr_t physical;
	u64 size;
	bool mirrored;
	bool snapshot;
	struct work_struct free;
};

enum trbe_session_state {
	TRBE_SESSION_CLOSED,	/* there is no record, the buffer is disabled */
	TRBE_SESSION_OPEN,	/* a record is being written */
	TRBE_SESSION_ASLEEP,	/* it is, but the CPU lost its power, or may */
};

/**
 * struct trbe_session - one record of an AUX area, from its first byte to its last
 * @state: whether there is one
 * @running: the trace unit is enabled for it; its filter may be changed, even by what interrupts
 * where interrupts are off
 * @event: whose it is
 * @handle: perf's
 * @buffer: where it is written
 * @ring: the AUX area as the session began
 * @window: what of it is the trace buffer
 * @limitr: TRBLIMITR_EL1, while collecting
 * @held_base: TRBBASER_EL1
 * @held_status: TRBSR_EL1
 * @held: these two are known
 * @masked: the interrupt line could not be cleared, and is masked until this CPU comes again
 * @asleep: the current write pointer and the Trigger Counter of a session that is asleep
 */
struct trbe_session {
	enum trbe_session_state state;
	bool running;
	struct perf_event *event;
	struct perf_output_handle handle;
	struct trbe_buffer *buffer;
	struct trbe_ring ring;
	struct trbe_window window;
	u64 limitr;
	u64 held_base;
	u64 held_status;
	bool held;
	bool masked;
	struct {
		u64 pointer;
		u64 trigger;
	} asleep;
};

/**
 * struct trbe_wait - a wait until a record may be begun again
 * @timer: tries again
 * @event: which waits; NULL if none does
 * @for_room: for room in the AUX area; else after a fault
 */
struct trbe_wait {
	struct hrtimer timer;
	struct perf_event *event;
	bool for_room;
};

#define ETE_NOTICES	2
#define ETE_NOTICE_SIZE	320

/**
 * struct ete_notices - messages that wait to be printed
 * @work: prints them
 * @count: how many there are
 * @text: of each
 */
struct ete_notices {
	struct irq_work work;
	unsigned int count;
	char text[ETE_NOTICES][ETE_NOTICE_SIZE];
};

/**
 * struct ete_stats - what a CPU has done; documented in Documentation/ABI
 * @sessions: records begun
 * @bytes: of trace in them
 * @interrupts: by what they were for
 * @spurious: interrupts for nothing
 * @losses: records behind which trace is missing, or may be
 * @refusals: times that there was no room for a record
 * @register_writes: registers of the trace unit written to configure it
 */
struct ete_stats {
	u64 sessions;
	u64 bytes;
	u64 interrupts[TRBE_NR_EVENTS];
	u64 spurious;
	u64 losses;
	u64 refusals;
	u64 register_writes;
};

/**
 * struct ete_cpu - a CPU
 * @number: its number
 * @online: it has a trace unit and a trace buffer that the driver may use, and they are ready
 * @caps: what the trace unit can do
 * @buffer: what the trace buffer can do
 * @errata: TRBE_ERRATUM_ bits
 * @unit: its trace unit
 * @session: its trace buffer
 * @wait: until a session may begin
 * @notices: what is to be said of it
 * @stats: what it has done
 * @kobj: its directory in sysfs
 * @kobj_gone: nobody uses that any more
 */
struct ete_cpu {
	int number;
	bool online;
	struct ete_caps caps;
	struct trbe_caps buffer;
	u32 errata;
	struct ete_unit unit;
	struct trbe_session session;
	struct trbe_wait wait;
	struct ete_notices notices;
	struct ete_stats stats;
	struct kobject kobj;
	struct completion kobj_gone;
};

/* May a record begin on it? */
static inline bool ete_cpu_usable(const struct ete_cpu *cpu)
{
	return cpu->online && !cpu->unit.broken && !cpu->session.masked;
}

/**
 * struct ete_event - the driver's part of a perf event
 * @image: register values of it
 * @request: what they were made from
 * @missed: execution that should have been traced was not; the next record says so
 * @told: one has said so already that is of no bytes, or that ended there
 */
struct ete_event {
	struct ete_image image;
	struct ete_request request;
	bool missed;
	bool told;
};

/**
 * struct ete_pmu - the driver
 * @pmu: perf's
 * @wired: CPUs that have the interrupt
 * @cpus: those of them with a trace unit and a trace buffer
 * @caps: what all of their trace units can do
 * @buffer: what all of their trace buffers can do
 * @errata: TRBE_ERRATUM_ bits, of any of them
 * @cpu: by number
 * @irq: of the trace buffers
 * @hotplug: state of CPU hotplug
 * @physical_time: the kernel's own clock is the physical counter
 * @registered: perf knows it; @caps and @buffer do not change any more
 * @ready: all of it is there, and events may be opened
 * @off: the machine is going down; nothing is started any more
 */
struct ete_pmu {
	struct pmu pmu;
	cpumask_t wired;
	cpumask_t cpus;
	struct ete_caps caps;
	struct trbe_caps buffer;
	u32 errata;
	struct ete_cpu __percpu *cpu;
	int irq;
	enum cpuhp_state hotplug;
	bool physical_time;
	bool registered;
	bool ready;
	bool off;
};

static inline struct ete_pmu *ete_pmu_of(const struct perf_event *event)
{
	return container_of(event->pmu, struct ete_pmu, pmu);
}

static inline struct ete_event *ete_event_of(struct perf_event *event)
{
	return event->pmu_private;
}

/* arm_ete_probe.c */
extern struct ete_pmu ete_pmu;

/* arm_ete_cpu.c */
int arm_ete_cpus_add(void);
void arm_ete_cpus_remove(void);
int arm_ete_cpus_watch(void);
void arm_ete_cpus_unwatch(void);

/* ete_unit.c */
const char *ete_unit_claim(struct ete_cpu *cpu, bool again);
void ete_unit_release(struct ete_cpu *cpu);
void ete_unit_program(struct ete_cpu *cpu, const struct ete_image *image);
void ete_unit_enable(struct ete_cpu *cpu);
void ete_unit_filter(struct ete_unit *unit, u64 trfcr);
void ete_unit_stop(struct ete_cpu *cpu, struct ete_image *image);

/* ete_notice.c */
void ete_notice_setup(struct ete_cpu *cpu);
void ete_notice_teardown(struct ete_cpu *cpu);
__printf(2, 3) void ete_notice(struct ete_cpu *cpu, const char *format, ...);

/* trbe_buffer.c */
extern struct workqueue_struct *arm_ete_workqueue;
void *trbe_buffer_setup(struct perf_event *event, void **pages, int nr_pages, bool snapshot);
void trbe_buffer_free(void *buffer);

/* trbe_session.c */
bool trbe_session_start(struct ete_cpu *cpu, struct perf_event *event);
void trbe_session_stop(struct ete_cpu *cpu);
void trbe_session_tell(struct ete_cpu *cpu, struct perf_event *event);
void trbe_session_filter(struct ete_cpu *cpu, const struct perf_event *event);
void trbe_session_sleep(struct ete_cpu *cpu);
void trbe_session_wake(struct ete_cpu *cpu);
irqreturn_t trbe_session_interrupt(int irq, void *cpu);
void trbe_session_reset(struct ete_cpu *cpu);
void trbe_session_abandon(struct ete_cpu *cpu);

/* trbe_wait.c */
void trbe_wait_setup(struct ete_cpu *cpu);
void trbe_wait_teardown(struct ete_cpu *cpu);
bool trbe_wait_is_for_room(const struct ete_cpu *cpu, const struct perf_event *event);
void trbe_wait_for_room(struct ete_cpu *cpu, struct perf_event *event);
void trbe_wait_after_fault(struct ete_cpu *cpu, struct perf_event *event);
void trbe_wait_end(struct ete_cpu *cpu);

/* arm_ete_pmu.c */
int arm_ete_pmu_register(struct ete_pmu *pmu, struct device *parent, const char *name);
void arm_ete_pmu_unregister(struct ete_pmu *pmu);

/* arm_ete_handover.c */
int arm_ete_handover_setup(struct ete_pmu *pmu);
void arm_ete_handover_teardown(void);

/* arm_ete_sysfs.c */
extern const struct attribute_group *arm_ete_attr_groups[];
int arm_ete_sysfs_add(struct ete_pmu *pmu, unsigned int number);
void arm_ete_sysfs_remove(struct ete_pmu *pmu, unsigned int number);

/* The platform device that the kernel makes of the MADT, since 6.7, and the driver before */
#define ARM_ETE_ACPI_DEVICE "arm,trbe"

/* arm_ete_acpi.c */
#ifdef CONFIG_ACPI
int arm_ete_acpi_add_device(void);
void arm_ete_acpi_remove_device(void);
#else
static inline int arm_ete_acpi_add_device(void)
{
	return 0;
}

static inline void arm_ete_acpi_remove_device(void)
{
}
#endif

#endif /* _ARM_ETE_H */
