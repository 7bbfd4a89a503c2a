// SPDX-License-Identifier: GPL-2.0-only
/*
 * The trace buffer of the CPU that executes these functions, and its AUX records.
 *
 * This file alone calls perf_aux_output_begin() and perf_aux_output_end(). The trace unit is
 * enabled anew for each record, so each record begins with synchronisation and can be decoded
 * alone.
 *
 * Unless said otherwise, functions run with interrupts off on the CPU that they are given.
 */
#define pr_fmt(fmt) "arm_ete_pmu: " fmt

#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/math.h>
#include <linux/printk.h>
#include <linux/smp.h>
#include <linux/string.h>

#include <uapi/linux/arm_ete_pmu.h>

#include "arm_ete_compat.h"
#include "ete_event.h"
#include "ete_sysreg.h"
#include "trbe.h"
#include "trbe_sysreg.h"

#define CREATE_TRACE_POINTS
#include "arm_ete_trace.h"

/* Delays of further attempts: from the first to the longest each is twice the one before */
#define TRBE_RETRY_FIRST	(NSEC_PER_MSEC)
#define TRBE_RETRY_LONGEST	(64 * NSEC_PER_MSEC)
/* A buffer that faults at once again opens a record and takes an interrupt each time */
#define TRBE_RETRY_FAULT	(10 * NSEC_PER_MSEC)

/*
 * Write all registers of the trace buffer but TRBLIMITR_EL1, which enables it. Base and status keep
 * their value from one record to the next if the AUX area is the same and there was no event.
 */
static void trbe_record_write(struct trbe *trbe, u64 base, u64 pointer, u64 trigger)
{
	if (!trbe->held || trbe->held_base != base)
		trbe_write_base(base);
	if (!trbe->held || trbe->held_status != TRBE_SR_TRG)
		trbe_write_status(TRBE_SR_TRG);
	trbe->held_base = base;
	trbe->held_status = TRBE_SR_TRG;
	trbe->held = true;
	trbe_write_pointer(pointer);
	trbe_write_trigger(trigger);
	if (trbe->record.aux->physical)
		trbe_write_attributes(TRBE_MAR_ATTR_WB | TRBE_MAR_SH_INNER);
}

/*
 * Program the window. Software sets TRBSR_EL1.TRG, so the Trigger Counter counts from the first
 * byte and raises the interrupt at the trigger while collection continues (S_NFQZJ). A window
 * without a trigger, in a snapshot, has no interrupt: its Trigger Counter counts the bytes for
 * trbe_window_rounds().
 */
static void trbe_record_program(struct trbe *trbe)
{
	struct trbe_record *record = &trbe->record;
	const struct trbe_window *window = &record->window;
	const struct trbe_aux *aux = record->aux;
	u64 trigger = trbe_trigger(window->trigger);

	record->limitr = trbe_aux_address(aux, window->limit);
	if (window->trigger)
		record->limitr |= TRBE_LIMITR_FM_FILL | TRBE_LIMITR_TM_IRQ;
	else
		record->limitr |= TRBE_LIMITR_FM_CIRCULAR | TRBE_LIMITR_TM_IGNORE;
	if (aux->physical)
		record->limitr |= TRBE_LIMITR_NVM;
	trbe_record_write(trbe, trbe_aux_address(aux, window->base),
			   trbe_aux_address(aux, window->write), trigger);
	/* the reads cost time: only hwflow-hwcheck and diagnosis need them */
	if (trace_arm_ete_program_enabled())
		trace_arm_ete_program(smp_processor_id(), window, trigger,
				      trbe_read_pointer() - trbe_aux_address(aux, 0),
				      trbe_read_trigger());
}

/**
 * trbe_record_filter() - open or close the trace filter as the event's pause state wants
 * @trbe: this CPU
 * @event: the event; nothing is done unless it is being traced
 *
 * Another event pauses and resumes this one, even where interrupts are off, by pseudo-NMI. The loop
 * catches a change that happens between the test and the write.
 */
void trbe_record_filter(struct trbe *trbe, const struct perf_event *event)
{
	u64 open = ete_event_of(event)->image.trfcr;
	bool paused;

	if (!READ_ONCE(trbe->record.running) || trbe->record.event != event)
		return;
	do {
		paused = ete_compat_paused(event);
		ete_unit_filter(trbe->unit, paused ? ete_trfcr_closed(open) : open);
	} while (paused != ete_compat_paused(event));
}

/* Enable the buffer, then the trace unit, then open the filter; all registers are programmed. */
static void trbe_record_enable(struct trbe *trbe)
{
	struct trbe_record *record = &trbe->record;

	trbe_enable(record->limitr, trbe->errata);
	if (!ete_unit_enable(trbe->unit))
		ete_notice(&trbe->notices, "the trace unit does not start; it is not used any more");
	WRITE_ONCE(record->running, true);
	trbe_record_filter(trbe, record->event);
}

/* Stop trace and disable trace unit and buffer, in the order of S_VKHHY. Returns the status. */
static u64 trbe_record_disable(struct trbe *trbe)
{
	struct trbe_record *record = &trbe->record;
	struct ete_image *image = &ete_event_of(record->event)->image;

	WRITE_ONCE(record->running, false);
	/* 1. prohibit trace of the kernel (R_NNRHD) */
	ete_unit_prohibit(trbe->unit);
	/* 2. resolve start and stop points, which are UNKNOWN if speculative in step 4 */
	if (image->start_stop)
		ete_settle_points();
	/* 3. flush the trace unit to the buffer (R_MRVPT) */
	ete_drain(trbe->errata);
	/* 4. disable the trace unit and wait until it is idle */
	if (!ete_unit_disable(trbe->unit, image))
		ete_notice(&trbe->notices, "the trace unit does not become idle; it is not used any more");
	/* 5. complete the buffer's writes (R_CKVWP) and disable it */
	trbe_disable(trbe->errata);
	/* 6. only now are pointer and status valid (R_VTNCS) */
	trbe->held_status = trbe_read_status();
	return trbe->held_status;
}

/* Deassert the interrupt; the buffer is disabled */
static void trbe_record_acknowledge(struct trbe *trbe)
{
	trbe_clear_status();
	trbe->held_status = 0;
}

/* Trace that belongs behind the open record is or may be missing */
static void trbe_record_lose(struct trbe *trbe, u64 status)
{
	if (trbe->record.lost)
		return;
	trbe->record.lost = true;
	perf_aux_output_flag(&trbe->record.handle, PERF_AUX_FLAG_PARTIAL);
	trbe->stats.losses++;
	trace_arm_ete_loss(trbe->cpu, status);
}

/*
 * Open a record and place its window. A record without a window has no bytes; the first one of a
 * series says TRUNCATED, so that the reader knows of the loss.
 */
static bool trbe_record_open(struct trbe *trbe, struct perf_event *event)
{
	struct trbe_record *record = &trbe->record;
	struct trbe_retry *retry = &trbe->retry;

	record->aux = perf_aux_output_begin(&record->handle, event);
	if (!record->aux)
		return false;
	if (!record->aux->identified)
		ete_compat_report_id(event, ARM_ETE_PMU_HW_ID(trbe->cpu));
	record->aux->identified = true;
	if (trbe_record_place(trbe)) {
		perf_aux_output_flag(&record->handle, ARM_ETE_PMU_AUX_FORMAT);
		return true;
	}
	trbe_record_skip(record);
	if (retry->event != event || !retry->for_room) {
		perf_aux_output_flag(&record->handle,
				     ARM_ETE_PMU_AUX_FORMAT | PERF_AUX_FLAG_TRUNCATED);
		ete_event_of(event)->reported = true;
	}
	perf_aux_output_end(&record->handle, 0);
	return false;
}

static void trbe_retry_arm(struct irq_work *work)
{
	struct trbe_retry *retry = container_of(work, struct trbe_retry, work);

	hrtimer_start(&retry->timer, ns_to_ktime(retry->next), HRTIMER_MODE_REL_PINNED_HARD);
}

static void trbe_retry_after(struct trbe *trbe, struct perf_event *event, bool for_room,
			     u64 delay)
{
	ete_event_of(event)->missed = true;
	trbe->retry.event = event;
	trbe->retry.for_room = for_room;
	trbe->retry.next = delay;
	/* a CPU that wakes the machine has no time yet: not before interrupts are on */
	if (trbe->retry.waking)
		irq_work_queue(&trbe->retry.work);
	else
		trbe_retry_arm(&trbe->retry.work);
}

/*
 * perf_aux_output_begin() found no room. A reader announces progress only by writing aux_tail, so
 * the driver tries again, less and less often: each attempt wakes the reader.
 */
static void trbe_retry_for_room(struct trbe *trbe, struct perf_event *event)
{
	const struct perf_event *root = event->parent ?: event;
	struct trbe_retry *retry = &trbe->retry;

	if (retry->event != event || !retry->for_room) {
		trbe->stats.refusals++;
		trace_arm_ete_refusal(trbe->cpu);
	}
	if (retry->root != root)
		retry->delay = TRBE_RETRY_FIRST;
	retry->root = root;
	ete_compat_event_keep(event);
	trbe_retry_after(trbe, event, true, retry->delay);
	retry->delay = min_t(u64, 2 * retry->delay, TRBE_RETRY_LONGEST);
}

/**
 * trbe_record_start() - open a record and trace into it
 * @trbe: this CPU, which has no record open
 * @event: the event
 *
 * The order is that of S_VKHHY: the buffer's pointers, the trace unit's registers, enable the
 * buffer, enable the trace unit.
 *
 * Return: false if the trace unit or the AUX area is not available; the start is then tried again.
 */
bool trbe_record_start(struct trbe *trbe, struct perf_event *event)
{
	struct trbe_record *record = &trbe->record;
	struct ete_event *own = ete_event_of(event);
	const char *reason = ete_unit_claim(trbe->unit);

	if (reason) {
		if (trbe->retry.event != event)
			ete_notice(&trbe->notices, "not traced: %s", reason);
		trbe_retry_after(trbe, event, false, TRBE_RETRY_LONGEST);
		return false;
	}
	if (!trbe_record_open(trbe, event)) {
		trbe_retry_for_room(trbe, event);
		return false;
	}
	trbe->retry.event = NULL;
	trbe->retry.root = NULL;
	if (own->missed || own->image.contradicted)
		perf_aux_output_flag(&record->handle, PERF_AUX_FLAG_PARTIAL);
	own->missed = false;
	own->reported = false;
	record->event = event;
	record->lost = false;
	record->state = TRBE_RECORD_OPEN;
	trbe->stats.records++;
	trace_arm_ete_session_begin(trbe->cpu, record->area.head + record->window.pad,
				    record->window.limit - record->window.write,
				    record->window.trigger);
	trbe_record_program(trbe);
	ete_unit_program(trbe->unit, &own->image);
	trbe_record_enable(trbe);
	return true;
}

/* Count the bytes that the window has collected; false if the pointer is outside it */
static bool trbe_record_collected(const struct trbe_record *record, u64 status, u64 pointer,
				   u64 trigger, u64 *bytes)
{
	u64 offset = pointer - trbe_aux_address(record->aux, 0);
	bool wrapped = status & TRBE_SR_WRAP;

	if (record->window.trigger)
		return trbe_window_collected(&record->window, offset, wrapped, bytes);
	if (!trbe_window_advance(&record->area, &record->window, offset, wrapped, bytes))
		return false;
	if (wrapped)
		*bytes += record->area.size *
			  trbe_window_rounds(&record->window, TRBE_TRG_MAX - trigger);
	return true;
}

/*
 * Pad a snapshot's record to a whole word: perf saves whole words, and finds a record that is
 * longer than the ring only if it had to pad nothing. Returns the bytes of padding; they belong to
 * the record, because perf computes its start from its end and its size.
 */
static u64 trbe_record_round_up(struct trbe_record *record)
{
	u64 head = record->handle.head, padding = round_up(head, sizeof(u64)) - head;

	trbe_aux_pad(record->aux, head & (record->area.size - 1), padding);
	record->handle.head += padding;
	return padding;
}

/*
 * Close the record; the buffer is disabled. Trace that was collected before a fault is kept. The
 * record is PARTIAL if trace behind it may be missing or the trace unit failed, and TRUNCATED if
 * the event cannot continue at once. It is PARTIAL as well if no record can be opened behind it.
 */
static enum trbe_event trbe_record_close(struct trbe *trbe, u64 status)
{
	struct trbe_record *record = &trbe->record;
	enum trbe_event event = trbe_event_classify(status);
	u64 pointer = trbe_read_pointer(), trigger = 0;
	u64 bytes, from, spoiled = trbe_window_spoiled(&record->area, &record->window, &from);

	/* only Circular mode needs the Trigger Counter: a switch does without this read */
	if (!record->window.trigger)
		trigger = trbe_read_trigger();
	if (trace_arm_ete_stop_enabled())
		trace_arm_ete_stop(trbe->cpu, status,
				   pointer - trbe_aux_address(record->aux, 0),
				   trbe_read_trigger());
	if (!trbe_record_collected(record, status, pointer, trigger, &bytes)) {
		event = TRBE_EVENT_UNKNOWN;
		bytes = 0;
	}
	/* bytes that an erratum overwrote become padding again */
	memset(record->aux->map + from, ARM_ETE_PMU_PADDING, spoiled);
	/* of a snapshot, what was written behind the limit is read as well */
	if (record->aux->snapshot && record->window.trigger && status & TRBE_SR_WRAP)
		trbe_aux_pad(record->aux, record->window.limit, PAGE_SIZE);
	if (trbe_event_may_have_lost(event) || trbe->unit->broken)
		trbe_record_lose(trbe, status);
	if (trbe_event_is_fatal(event)) {
		ete_notice(&trbe->notices, "trace stopped: %s (TRBSR %#llx TRBPTR %#llx TRBBASER %#llx TRBLIMITR %#llx TRBTRG %#llx TRBMAR %#llx)",
			   trbe_event_name(event), status, pointer, trbe->held_base,
			   record->limitr, trbe_read_trigger(), trbe_read_attributes());
		perf_aux_output_flag(&record->handle, PERF_AUX_FLAG_TRUNCATED);
	}
	trbe->stats.bytes += bytes;
	/* a record of no bytes leaves the room as it was */
	if (bytes)
		trbe_record_skip(record);
	if (record->aux->snapshot) {
		record->handle.head += bytes;
		bytes += trbe_record_round_up(record);
	} else if (trbe_window_fills(&record->area, &record->window, bytes)) {
		trbe_record_lose(trbe, status);
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
 * @trbe: this CPU; nothing is done without an open record
 *
 * An event of the buffer whose interrupt was not taken yet is handled here.
 */
void trbe_record_stop(struct trbe *trbe)
{
	struct trbe_record *record = &trbe->record;
	u64 status;

	trbe->retry.event = NULL;
	if (record->state == TRBE_RECORD_CLOSED)
		return;
	status = trbe_record_disable(trbe);
	if (status & TRBE_SR_IRQ)
		trbe_record_acknowledge(trbe);
	trbe_record_close(trbe, status);
}

/**
 * trbe_record_cut() - stop trace although the event goes on
 * @trbe: this CPU, which goes offline
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
 * trbe_record_resume() - trace the event that trbe_record_cut() has left
 * @trbe: this CPU, which is online again; nothing is done if perf has stopped the event
 */
void trbe_record_resume(struct trbe *trbe)
{
	struct perf_event *event = trbe->retry.event;

	if (event && trbe_record_start(trbe, event))
		event->hw.state = 0;
}

/**
 * trbe_record_report_missed() - report execution that was not traced by a record of no bytes
 * @trbe: this CPU, without an open record
 * @event: the event, which is stopped; nothing is done if nothing was missed or it was reported
 *
 * The event may be stopped for the last time, so no later record may follow. If the AUX area has no
 * room, the next stop tries again.
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

/*
 * An interrupt without an open record. If the line cannot be deasserted, as with erratum 2064142
 * on a PE that is not known to have it, the CPU would take it for ever: the line is masked.
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
 * @data: points to the pointer to this CPU
 *
 * Close the record and open the next one in the room that there is by now. At the early warning no
 * trace is lost. After a fault or an unknown event, the next record follows after a delay.
 *
 * Return: IRQ_NONE if there was no trace buffer management event.
 */
irqreturn_t trbe_record_interrupt(int irq, void *data)
{
	struct trbe *trbe = *(struct trbe **)data;
	struct trbe_record *record = &trbe->record;
	struct perf_event *event = record->event;
	enum trbe_event what;
	u64 status;

	if (record->state != TRBE_RECORD_OPEN)
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
		trbe_retry_after(trbe, event, false, TRBE_RETRY_FAULT);
	else
		trbe_record_start(trbe, event);
	return IRQ_HANDLED;
}

static enum hrtimer_restart trbe_retry_expired(struct hrtimer *timer)
{
	struct trbe *trbe = container_of(timer, struct trbe, retry.timer);
	struct perf_event *event = trbe->retry.event;

	/* the timers of a CPU that goes offline move to another CPU */
	if (trbe->cpu != smp_processor_id())
		return HRTIMER_NORESTART;
	if (event && trbe_usable(trbe)) {
		trbe->stats.retries++;
		trbe_record_resume(trbe);
	}
	return HRTIMER_NORESTART;
}

/**
 * trbe_setup() - initialise a trace buffer
 * @trbe: the trace buffer
 * @cpu: number of its CPU
 * @unit: the trace unit of this CPU
 */
void trbe_setup(struct trbe *trbe, int cpu, struct ete_unit *unit)
{
	trbe->cpu = cpu;
	trbe->unit = unit;
	ete_notices_setup(&trbe->notices, cpu);
	trbe->retry.work = IRQ_WORK_INIT_HARD(trbe_retry_arm);
	ete_compat_hrtimer_setup(&trbe->retry.timer, trbe_retry_expired);
}

/**
 * trbe_teardown() - wait until no attempt to start a record is running
 * @trbe: the trace buffer, on which no record is started any more
 *
 * Context: process; may sleep.
 */
void trbe_teardown(struct trbe *trbe)
{
	irq_work_sync(&trbe->retry.work);
	hrtimer_cancel(&trbe->retry.timer);
}

/**
 * trbe_reset() - disable a trace buffer that may be in any state
 * @trbe: this CPU, on which trace is prohibited and a Context synchronization event has occurred
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

/**
 * trbe_record_abandon() - disable the trace buffer without calling perf
 * @trbe: this CPU, on which the kernel has crashed
 */
void trbe_record_abandon(struct trbe *trbe)
{
	if (trbe->record.state != TRBE_RECORD_OPEN)
		return;
	trbe->record.state = TRBE_RECORD_CLOSED;
	trbe_record_disable(trbe);
}

/**
 * trbe_record_sleep() - close the record of a CPU that may lose power
 * @trbe: this CPU; its event goes on, and trbe_record_wake() opens the next record
 */
void trbe_record_sleep(struct trbe *trbe)
{
	struct trbe_record *record = &trbe->record;

	trbe->asleep = record->state == TRBE_RECORD_OPEN ? record->event : NULL;
	if (trbe->asleep)
		trbe_record_stop(trbe);
	trbe->held = false;
}

/**
 * trbe_record_wake() - open a record for the event of a CPU that is back from a low-power state
 * @trbe: this CPU; without a record that trbe_record_sleep() closed, no register is accessed
 *
 * If that fails, the loss is reported at once if it can be, and the start is tried again.
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
