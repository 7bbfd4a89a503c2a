// SPDX-License-Identifier: GPL-2.0-only
/*
 * The trace buffer of the CPU that executes these functions: the end of its AUX records, and its
 * interrupt.
 *
 * Only trbe_start.c and this file call perf_aux_output_begin() and perf_aux_output_end(). The trace
 * unit is enabled anew for each record, so each record begins with synchronisation and can be
 * decoded alone.
 *
 * Functions run with interrupts off on the CPU of the trace buffer that they receive.
 */
#include <linux/interrupt.h>
#include <linux/math.h>
#include <linux/string.h>

#include <uapi/linux/arm_ete_pmu.h>

#include "arm_ete_compat.h"
#include "ete_event.h"
#include "ete_sysreg.h"
#include "trbe.h"
#include "trbe_sysreg.h"

#define CREATE_TRACE_POINTS
#include "arm_ete_trace.h"

/* Deassert the interrupt; the trace buffer is disabled */
static void trbe_record_acknowledge(struct trbe *trbe)
{
	trbe_clear_status();
	trbe->held_status = 0;
}

/* Flag the open record PARTIAL: trace after its bytes is missing, or may be */
static void trbe_record_lose(struct trbe *trbe, u64 status)
{
	if (trbe->record.lost)
		return;
	trbe->record.lost = true;
	perf_aux_output_flag(&trbe->record.handle, PERF_AUX_FLAG_PARTIAL);
	trbe->stats.losses++;
	trace_arm_ete_loss(trbe->cpu, status);
}

/* Flag the open record TRUNCATED, and print all registers of the trace buffer */
static void trbe_record_fail(struct trbe *trbe, enum trbe_event event, u64 status, u64 pointer)
{
	ete_notice(&trbe->notices, "trace stopped: %s (TRBSR %#llx TRBPTR %#llx TRBBASER %#llx TRBLIMITR %#llx TRBTRG %#llx TRBMAR %#llx)",
		   trbe_event_name(event), status, pointer, trbe->held_base, trbe->record.limitr,
		   trbe_read_trigger(), trbe_read_attributes());
	perf_aux_output_flag(&trbe->record.handle, PERF_AUX_FLAG_TRUNCATED);
}

/* Count the bytes of trace in the window. Returns false if the pointer is outside the window. */
static bool trbe_record_count(struct trbe *trbe, u64 status, u64 pointer, u64 *bytes)
{
	const struct trbe_record *record = &trbe->record;
	u64 offset = pointer - trbe_aux_address(record->aux, 0);
	bool wrapped = status & TRBE_SR_WRAP;

	if (trace_arm_ete_stop_enabled())
		trace_arm_ete_stop(trbe->cpu, status, offset, trbe_read_trigger());
	if (record->window.trigger)
		return trbe_window_collected(&record->window, offset, wrapped, bytes);
	if (!trbe_window_advance(&record->area, &record->window, offset, wrapped, bytes))
		return false;
	if (wrapped)
		*bytes += record->area.size *
			  trbe_window_rounds(&record->window, TRBE_TRG_MAX - trbe_read_trigger());
	return true;
}

/*
 * Restore the padding that the trace buffer may have overwritten: by an erratum the bytes at the
 * base, and in a snapshot the page after the limit, which its reader reads as well.
 */
static void trbe_record_restore(struct trbe_record *record, u64 status)
{
	u64 from, spoiled = trbe_window_spoiled(&record->area, &record->window, &from);

	memset(record->aux->map + from, ARM_ETE_PMU_PADDING, spoiled);
	if (record->aux->snapshot && record->window.trigger && status & TRBE_SR_WRAP)
		trbe_aux_pad(record->aux, record->window.limit, PAGE_SIZE);
}

/*
 * Pad a snapshot's record to a whole word: perf saves whole words, and finds a record that is
 * longer than the AUX area only if perf had to pad nothing. Returns the bytes of padding. They
 * belong to the record, because perf computes its start from its end and its size.
 */
static u64 trbe_record_round_up(struct trbe_record *record)
{
	u64 head = record->handle.head, padding = round_up(head, sizeof(u64)) - head;

	trbe_aux_pad(record->aux, head & (record->area.size - 1), padding);
	record->handle.head += padding;
	return padding;
}

/* End of a record, steps 1 to 6: stop trace in the order of S_VKHHY. Returns the status. */
static u64 trbe_record_disable(struct trbe *trbe)
{
	struct ete_image *image = &ete_event_of(trbe->record.event)->image;

	WRITE_ONCE(trbe->record.running, false);
	/* 1. Prohibit trace of the kernel (R_NNRHD). */
	ete_unit_prohibit(trbe->unit);
	/* 2. Resolve start and stop points: speculative points are UNKNOWN in step 4. */
	if (image->start_stop)
		ete_settle_points();
	/* 3. Drain the trace unit into the trace buffer (R_MRVPT). */
	ete_drain(trbe->errata);
	/* 4. Disable the trace unit and wait until it is idle. */
	if (!ete_unit_disable(trbe->unit, image))
		ete_notice(&trbe->notices, "the trace unit does not become idle; it is not used any more");
	/* 5. Complete the writes of the trace buffer (R_CKVWP) and disable it. */
	trbe_disable(trbe->errata);
	/* 6. Read the status: it is valid now, as the pointer is (R_VTNCS). */
	trbe->held_status = trbe_read_status();
	return trbe->held_status;
}

/* End of a record, steps 7 to 10: the trace buffer is disabled. Returns the event. */
static enum trbe_event trbe_record_close(struct trbe *trbe, u64 status)
{
	enum trbe_event event = trbe_event_classify(status);
	u64 pointer = trbe_read_pointer(), bytes;
	struct trbe_record *record = &trbe->record;

	/* 7. Count the trace, which includes trace before a fault. */
	if (!trbe_record_count(trbe, status, pointer, &bytes)) {
		event = TRBE_EVENT_UNKNOWN;
		bytes = 0;
	}
	trbe->stats.bytes += bytes;
	/* 8. Restore the padding. */
	trbe_record_restore(record, status);
	/* 9. Flag a loss, also if no record can be opened after this one, and a fatal event. */
	if (trbe_event_may_have_lost(event) || trbe->unit->broken)
		trbe_record_lose(trbe, status);
	if (!record->aux->snapshot && trbe_window_fills(&record->area, &record->window, bytes))
		trbe_record_lose(trbe, status);
	if (trbe_event_is_fatal(event))
		trbe_record_fail(trbe, event, status, pointer);
	/* 10. Publish the record. A record without trace leaves the room as it was. */
	if (bytes)
		trbe_record_skip(record);
	if (record->aux->snapshot) {
		record->handle.head += bytes;
		bytes += trbe_record_round_up(record);
	}
	record->state = TRBE_RECORD_CLOSED;
	trace_arm_ete_session_end(trbe->cpu, bytes, record->handle.aux_flags);
	perf_aux_output_end(&record->handle, bytes);
	if (trbe_event_is_fatal(event))
		ete_compat_event_keep(record->event);
	return event;
}

/**
 * trbe_record_stop() - stop trace and close the record
 * @trbe: this CPU's trace buffer; nothing is done without an open record
 *
 * An event of the trace buffer whose interrupt is still pending is handled here.
 */
void trbe_record_stop(struct trbe *trbe)
{
	u64 status;

	trbe->retry.event = NULL;
	if (trbe->record.state == TRBE_RECORD_CLOSED)
		return;
	status = trbe_record_disable(trbe);
	if (status & TRBE_SR_IRQ)
		trbe_record_acknowledge(trbe);
	trbe_record_close(trbe, status);
}

/*
 * An interrupt without an open record. If the line cannot be deasserted, as with erratum 2064142
 * on a PE that the table of errata lacks, the CPU would take the interrupt forever: the line is
 * masked.
 */
static irqreturn_t trbe_record_unexpected(struct trbe *trbe, int irq)
{
	u64 status = trbe_read_status();

	trbe->stats.spurious++;
	if (!(status & TRBE_SR_IRQ))
		return IRQ_NONE;
	trbe_record_acknowledge(trbe);
	if (trbe_read_status() & TRBE_SR_IRQ) {
		disable_percpu_irq(irq);
		trbe->masked = true;
		ete_notice(&trbe->notices, "the trace buffer's interrupt cannot be deasserted (TRBSR %#llx); the CPU is not traced any more",
			   status);
	}
	return IRQ_HANDLED;
}

/**
 * trbe_record_interrupt() - the trace buffer management interrupt
 * @irq: its number
 * @data: points to the pointer to this CPU's trace buffer
 *
 * Close the record and start the next record in the room that is free now. No trace is lost at the
 * early warning. After a fault or an unknown event, the next record starts after a delay.
 *
 * Return: IRQ_NONE if there was no trace buffer management event.
 */
irqreturn_t trbe_record_interrupt(int irq, void *data)
{
	struct trbe *trbe = *(struct trbe **)data;
	struct perf_event *event = trbe->record.event;
	enum trbe_event what;
	u64 status;

	if (trbe->record.state != TRBE_RECORD_OPEN)
		return trbe_record_unexpected(trbe, irq);
	status = trbe_record_disable(trbe);
	/* S without IRQ: collection has stopped, although another agent cleared IRQ */
	if (!(status & (TRBE_SR_IRQ | TRBE_SR_S))) {
		trbe->stats.spurious++;
		trbe_record_enable(trbe);
		return IRQ_NONE;
	}
	trbe_record_acknowledge(trbe);
	what = trbe_record_close(trbe, status);
	trbe->stats.interrupts[what]++;
	trace_arm_ete_interrupt(trbe->cpu, status);
	ete_event_of(event)->reported = trbe->unit->broken || trbe_event_is_fatal(what);
	if (trbe->unit->broken)
		ete_event_of(event)->missed = true;
	else if (trbe_event_is_fatal(what))
		trbe_retry_fault(trbe, event);
	else
		trbe_record_start(trbe, event);
	return IRQ_HANDLED;
}

/**
 * trbe_record_report_missed() - report a loss by a record of no bytes
 * @trbe: this CPU's trace buffer
 * @event: the event, which is stopped; nothing is done unless an unreported loss is recorded in it
 *
 * perf may not start the event again, so no later record may follow. If the AUX area has no room,
 * the next stop tries again.
 */
void trbe_record_report_missed(struct trbe *trbe, struct perf_event *event)
{
	struct trbe_record *record = &trbe->record;
	struct ete_event *own = ete_event_of(event);

	if (!own->missed || own->reported || record->state != TRBE_RECORD_CLOSED)
		return;
	if (!perf_aux_output_begin(&record->handle, event)) {
		ete_compat_event_keep(event);
		return;
	}
	perf_aux_output_flag(&record->handle, ARM_ETE_PMU_AUX_FORMAT);
	record->lost = false;
	trbe_record_lose(trbe, 0);
	perf_aux_output_end(&record->handle, 0);
	own->reported = true;
}

/**
 * trbe_record_cut() - stop trace although the event goes on
 * @trbe: this CPU's trace buffer; the CPU goes offline
 *
 * The event waits for trbe_record_resume(), unless perf stops it before.
 */
void trbe_record_cut(struct trbe *trbe)
{
	struct perf_event *event = trbe->retry.event;

	if (trbe->record.state != TRBE_RECORD_CLOSED) {
		event = trbe->record.event;
		trbe_record_lose(trbe, 0);
		ete_event_of(event)->missed = true;
		ete_event_of(event)->reported = true;
	}
	trbe_record_stop(trbe);
	trbe->retry.event = event;
}

/**
 * trbe_record_sleep() - close the record of a CPU that may lose its power
 * @trbe: this CPU's trace buffer; the event goes on, and trbe_record_wake() starts the next record
 */
void trbe_record_sleep(struct trbe *trbe)
{
	trbe->asleep = trbe->record.state == TRBE_RECORD_OPEN ? trbe->record.event : NULL;
	if (trbe->asleep)
		trbe_record_stop(trbe);
	trbe->held = false;
}

/**
 * trbe_record_wake() - start a record for the event of a CPU that leaves a low-power state
 * @trbe: this CPU's trace buffer; no register is accessed if trbe_record_sleep() closed no record
 *
 * If the start fails, the loss is reported at once if possible, and a timer tries again.
 */
void trbe_record_wake(struct trbe *trbe)
{
	struct perf_event *event = trbe->asleep;

	if (!event)
		return;
	trbe->retry.waking = true;
	if (!trbe_record_start(trbe, event))
		trbe_record_report_missed(trbe, event);
	trbe->retry.waking = false;
	trbe->asleep = NULL;
}

/**
 * trbe_record_abandon() - disable the trace buffer without calls of perf
 * @trbe: this CPU's trace buffer; the kernel has crashed
 */
void trbe_record_abandon(struct trbe *trbe)
{
	if (trbe->record.state != TRBE_RECORD_OPEN)
		return;
	trbe->record.state = TRBE_RECORD_CLOSED;
	trbe_record_disable(trbe);
}

/**
 * trbe_reset() - disable a trace buffer that may be in any state
 * @trbe: this CPU's trace buffer; trace is prohibited, and a Context synchronization event has
 *	occurred since
 *
 * TSB CSYNC precedes the disabling, as R_ZCDDS requires.
 */
void trbe_reset(struct trbe *trbe)
{
	ete_drain(trbe->errata);
	trbe_disable(trbe->errata);
	trbe_record_acknowledge(trbe);
	trbe->held = false;
	trbe->masked = false;
	trbe->record.state = TRBE_RECORD_CLOSED;
}
