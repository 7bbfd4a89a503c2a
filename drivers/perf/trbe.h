/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The trace buffer of a CPU, and the records of an AUX area that it writes.
 */
#ifndef _TRBE_H
#define _TRBE_H

#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/perf_event.h>
#include <linux/workqueue.h>

#include "trbe_event.h"
#include "trbe_window.h"

struct ete_cpu;

/**
 * struct trbe_buffer - an AUX area, shared by all sessions that write to it
 * @map: the pages, mapped contiguously; twice in a row if @mirrored
 * @physical: physical address for a trace buffer that does not translate; 0 if it translates
 * @size: bytes of the AUX area
 * @mirrored: the pages are mapped twice
 * @snapshot: the area is overwritten continuously (perf's overwrite mode)
 * @identified: a trace ID was reported to the event's reader. perf decodes all trace of a buffer
 *	by one ID and refuses a second one; for a thread that moves, the first CPU's ID stands for
 *	all.
 * @free: unmaps the area in a context that may sleep
 */
struct trbe_buffer {
	void *map;
	phys_addr_t physical;
	u64 size;
	bool mirrored;
	bool snapshot;
	bool identified;
	struct work_struct free;
};

/**
 * enum trbe_session_state - state of a session
 * @TRBE_SESSION_CLOSED: no AUX record is open; the trace buffer is disabled
 * @TRBE_SESSION_OPEN: an AUX record is open; the trace buffer is enabled
 */
enum trbe_session_state {
	TRBE_SESSION_CLOSED,
	TRBE_SESSION_OPEN,
};

/**
 * struct trbe_session - the AUX record that a trace buffer writes
 * @state: whether a record is open
 * @running: the trace unit is enabled for this record, so its filter may be changed; read by code
 *	that interrupts the owner of the session
 * @lost: the record is flagged PARTIAL for a loss in this session
 * @event: the event of the record
 * @handle: perf's handle of the record
 * @buffer: the AUX area
 * @area: indices of the AUX area when the record was opened
 * @window: pointers of the trace buffer
 * @limitr: value of TRBLIMITR_EL1 without E
 * @held_base: value of TRBBASER_EL1
 * @held_status: value of TRBSR_EL1
 * @held: @held_base and @held_status are known
 * @masked: the interrupt could not be deasserted; its line is masked until the CPU comes online
 * @asleep: the event whose record was closed because the CPU may lose power, in idle or suspend
 */
struct trbe_session {
	enum trbe_session_state state;
	bool running;
	bool lost;
	struct perf_event *event;
	struct perf_output_handle handle;
	struct trbe_buffer *buffer;
	struct trbe_area area;
	struct trbe_window window;
	u64 limitr;
	u64 held_base;
	u64 held_status;
	bool held;
	bool masked;
	struct perf_event *asleep;
};

/**
 * struct trbe_retry - another attempt to start a session that could not be started
 * @timer: starts the attempt
 * @work: starts @timer where that cannot be done at once
 * @event: the event; NULL if no attempt is due
 * @root: the event, or the one that it is inherited from, whose AUX area had no room last; NULL
 *	after a session was started. Its further attempts, also on behalf of other tasks, become
 *	rarer.
 * @for_room: the AUX area had no room
 * @waking: the CPU comes back from a low-power state: the kernel's clock may still be suspended
 * @delay: nanoseconds from an attempt without room to the next
 * @next: nanoseconds that @work starts @timer with
 */
struct trbe_retry {
	struct hrtimer timer;
	struct irq_work work;
	struct perf_event *event;
	const struct perf_event *root;
	bool for_room;
	bool waking;
	u64 delay;
	u64 next;
};

/* trbe_buffer.c */
extern struct workqueue_struct *trbe_workqueue;
void *trbe_buffer_setup(struct perf_event *event, void **pages, int nr_pages, bool snapshot);
void trbe_buffer_free(void *buffer);
void trbe_buffer_pad(const struct trbe_buffer *buffer, u64 start, u64 bytes);
void trbe_session_skip(struct trbe_session *session);
bool trbe_session_place(struct trbe_session *session, const struct ete_cpu *cpu);

/* The address that the trace buffer uses for an offset into the AUX area */
static inline u64 trbe_buffer_address(const struct trbe_buffer *buffer, u64 offset)
{
	return offset + (buffer->physical ?: (u64)buffer->map);
}

/* trbe.c */
void trbe_setup(struct ete_cpu *cpu);
void trbe_teardown(struct ete_cpu *cpu);
void trbe_reset(struct ete_cpu *cpu);
bool trbe_session_start(struct ete_cpu *cpu, struct perf_event *event);
void trbe_session_stop(struct ete_cpu *cpu);
void trbe_session_cut(struct ete_cpu *cpu);
void trbe_session_resume(struct ete_cpu *cpu);
void trbe_session_report_missed(struct ete_cpu *cpu, struct perf_event *event);
void trbe_session_filter(struct ete_cpu *cpu, const struct perf_event *event);
void trbe_session_sleep(struct ete_cpu *cpu);
void trbe_session_wake(struct ete_cpu *cpu);
void trbe_session_abandon(struct ete_cpu *cpu);
irqreturn_t trbe_session_interrupt(int irq, void *data);

#endif /* _TRBE_H */
