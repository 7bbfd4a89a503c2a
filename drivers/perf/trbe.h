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

#include "ete.h"
#include "ete_notice.h"
#include "trbe_event.h"
#include "trbe_window.h"

/**
 * struct trbe_aux - an AUX area, shared by all records that write to it
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
struct trbe_aux {
	void *map;
	phys_addr_t physical;
	u64 size;
	bool mirrored;
	bool snapshot;
	bool identified;
	struct work_struct free;
};

/**
 * enum trbe_record_state - state of a record
 * @TRBE_RECORD_CLOSED: no AUX record is open; the trace buffer is disabled
 * @TRBE_RECORD_OPEN: an AUX record is open; the trace buffer is enabled
 */
enum trbe_record_state {
	TRBE_RECORD_CLOSED,
	TRBE_RECORD_OPEN,
};

/**
 * struct trbe_record - the AUX record that a trace buffer writes
 * @state: whether the record is open
 * @running: the trace unit is enabled for this record, so its filter may be changed; read by code
 *	that interrupts the owner of the record
 * @lost: the record is flagged PARTIAL
 * @event: the event of the record
 * @handle: perf's handle of the record
 * @aux: the AUX area
 * @area: indices of the AUX area when the record was opened
 * @window: pointers of the trace buffer
 * @limitr: value of TRBLIMITR_EL1 without E
 */
struct trbe_record {
	enum trbe_record_state state;
	bool running;
	bool lost;
	struct perf_event *event;
	struct perf_output_handle handle;
	struct trbe_aux *aux;
	struct trbe_area area;
	struct trbe_window window;
	u64 limitr;
};

/**
 * struct trbe_retry - another attempt to start a record that could not be started
 * @timer: starts the attempt
 * @work: starts @timer where that cannot be done at once
 * @event: the event; NULL if no attempt is due
 * @root: the event whose AUX area had no room last, or the event that it is inherited from; NULL
 *	after a record was started. Further attempts for it become rarer, also those on behalf of
 *	other tasks.
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

/**
 * struct trbe_stats - statistics of a trace buffer, shown in debugfs (Documentation/ABI)
 * @records: AUX records opened
 * @bytes: bytes of trace in them
 * @interrupts: trace buffer management interrupts, by enum trbe_event
 * @spurious: interrupts without a trace buffer management event
 * @losses: AUX records flagged PARTIAL
 * @refusals: times that an event began to wait for room in its AUX area
 * @retries: attempts to start a record that could not be started before
 */
struct trbe_stats {
	u64 records;
	u64 bytes;
	u64 interrupts[TRBE_NR_EVENTS];
	u64 spurious;
	u64 losses;
	u64 refusals;
	u64 retries;
};

/**
 * struct trbe - the trace buffer of a CPU
 * @cpu: number of the CPU
 * @online: the CPU is online, and the driver can use its trace unit and its trace buffer
 * @masked: the interrupt could not be deasserted; its line is masked until the CPU comes online
 * @caps: capabilities
 * @idr: TRBIDR_EL1
 * @errata: TRBE_ERRATUM_ bits
 * @unit: the trace unit of the CPU
 * @held: @held_base and @held_status are known
 * @held_base: value of TRBBASER_EL1
 * @held_status: value of TRBSR_EL1
 * @record: the record that is open, or was open last
 * @retry: the next attempt to start a record
 * @asleep: the event whose record was closed because the CPU may lose power, in idle or suspend
 * @notices: messages that wait to be printed
 * @stats: statistics
 */
struct trbe {
	int cpu;
	bool online;
	bool masked;
	struct trbe_caps caps;
	u64 idr;
	u32 errata;
	struct ete_unit *unit;
	bool held;
	u64 held_base;
	u64 held_status;
	struct trbe_record record;
	struct trbe_retry retry;
	struct perf_event *asleep;
	struct ete_notices notices;
	struct trbe_stats stats;
};

/* A record may be started on the CPU */
static inline bool trbe_usable(const struct trbe *trbe)
{
	return trbe->online && !trbe->unit->broken && !trbe->masked;
}

/* trbe_buffer.c */
extern struct workqueue_struct *trbe_workqueue;
void *trbe_aux_setup(void **pages, int nr_pages, bool snapshot, bool physical,
		     const struct trbe_caps *caps, u32 errata);
void trbe_aux_free(void *aux);
void trbe_aux_pad(const struct trbe_aux *aux, u64 start, u64 bytes);
void trbe_record_pad(const struct trbe_record *record);
void trbe_record_skip(struct trbe_record *record);

/* The address that the trace buffer uses for an offset into the AUX area */
static inline u64 trbe_aux_address(const struct trbe_aux *aux, u64 offset)
{
	return offset + (aux->physical ?: (u64)aux->map);
}

/* trbe_start.c */
void trbe_setup(struct trbe *trbe, int cpu, struct ete_unit *unit);
void trbe_teardown(struct trbe *trbe);
bool trbe_record_start(struct trbe *trbe, struct perf_event *event);
void trbe_record_resume(struct trbe *trbe);
void trbe_record_filter(struct trbe *trbe, const struct perf_event *event);
void trbe_record_enable(struct trbe *trbe);
void trbe_retry_fault(struct trbe *trbe, struct perf_event *event);

/* trbe.c */
void trbe_reset(struct trbe *trbe);
void trbe_record_stop(struct trbe *trbe);
void trbe_record_report_missed(struct trbe *trbe, struct perf_event *event);
void trbe_record_cut(struct trbe *trbe);
void trbe_record_sleep(struct trbe *trbe);
void trbe_record_wake(struct trbe *trbe);
void trbe_record_abandon(struct trbe *trbe);
irqreturn_t trbe_record_interrupt(int irq, void *data);

#endif /* _TRBE_H */
