// SPDX-License-Identifier: GPL-2.0-only
/*
 * Start of an AUX record on the CPU that executes these functions, and further attempts to start a
 * record. trbe.c has the end of a record.
 *
 * Unless their context says otherwise, functions run with interrupts off on the CPU of the trace
 * buffer that they receive.
 */
#include <linux/irq_work.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/smp.h>

#include <uapi/linux/arm_ete_pmu.h>

#include "arm_ete_compat.h"
#include "arm_ete_trace.h"
#include "ete_event.h"
#include "trbe.h"
#include "trbe_sysreg.h"

/* Delays of further attempts; each attempt without room doubles the delay, up to the longest */
#define TRBE_RETRY_FIRST	(NSEC_PER_MSEC)
#define TRBE_RETRY_LONGEST	(64 * NSEC_PER_MSEC)
/* A trace buffer that faults again at once costs a record and an interrupt for each attempt */
#define TRBE_RETRY_FAULT	(10 * NSEC_PER_MSEC)

/*
 * Write all registers of the trace buffer except TRBLIMITR_EL1, which enables it. Base and status
 * hold their value already if the AUX area is that of the last record, which had no event.
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
 * byte and raises the interrupt at the trigger while collection continues (S_NFQZJ). The window of
 * a snapshot has no trigger and no interrupt: its Trigger Counter counts the bytes for
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
	/* only hwflow-hwcheck and diagnosis need these reads, which take time */
	if (trace_arm_ete_program_enabled())
		trace_arm_ete_program(trbe->cpu, window, trigger,
				      trbe_read_pointer() - trbe_aux_address(aux, 0),
				      trbe_read_trigger());
}

/**
 * trbe_record_filter() - open or close the trace filter according to the pause state of an event
 * @trbe: this CPU's trace buffer
 * @event: the event; nothing is done unless it is being traced
 *
 * Another event may pause and resume this event where interrupts are off, by pseudo-NMI. The loop
 * catches a change between the test and the write.
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

/**
 * trbe_record_enable() - enable the trace buffer, then the trace unit, then open the filter
 * @trbe: this CPU's trace buffer; all registers are programmed
 */
void trbe_record_enable(struct trbe *trbe)
{
	struct trbe_record *record = &trbe->record;

	trbe_enable(record->limitr, trbe->errata);
	if (!ete_unit_enable(trbe->unit))
		ete_notice(&trbe->notices, "the trace unit does not start; it is not used any more");
	WRITE_ONCE(record->running, true);
	trbe_record_filter(trbe, record->event);
}

/* Place the window in the room that perf offers. Returns false if the room is too small. */
static bool trbe_record_place(struct trbe *trbe)
{
	struct trbe_record *record = &trbe->record;

	record->area = (struct trbe_area) {
		.head = record->handle.head,
		.room = ete_compat_room(&record->handle),
		.wakeup = record->handle.wakeup,
		.size = record->aux->size,
		.mirrored = record->aux->mirrored,
		.align = trbe->caps.align,
		.largest = trbe->caps.largest,
		.page = PAGE_SIZE,
		.errata = trbe->errata,
	};
	return record->aux->snapshot ?
		trbe_window_place_snapshot(&record->area, &record->window) :
		trbe_window_place(&record->area, &record->window);
}

/*
 * Open a record and place its window. If there is no room for a window, the record ends without
 * bytes. The first such record of a series is flagged TRUNCATED, which reports the loss.
 */
static bool trbe_record_open(struct trbe *trbe, struct perf_event *event)
{
	struct trbe_record *record = &trbe->record;
	struct trbe_retry *retry = &trbe->retry;
	bool placed;

	record->aux = perf_aux_output_begin(&record->handle, event);
	if (!record->aux)
		return false;
	if (!record->aux->identified)
		ete_compat_report_id(event, ARM_ETE_PMU_HW_ID(trbe->cpu));
	record->aux->identified = true;
	placed = trbe_record_place(trbe);
	trbe_record_pad(record);
	if (placed) {
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

static void trbe_retry_after(struct trbe *trbe, struct perf_event *event, bool for_room, u64 delay)
{
	ete_event_of(event)->missed = true;
	trbe->retry.event = event;
	trbe->retry.for_room = for_room;
	trbe->retry.next = delay;
	/* on a CPU that wakes the machine, timekeeping is suspended until interrupts are on */
	if (trbe->retry.waking)
		irq_work_queue(&trbe->retry.work);
	else
		trbe_retry_arm(&trbe->retry.work);
}

/**
 * trbe_retry_fault() - start a record some time after a fault
 * @trbe: this CPU's trace buffer, which has no record open
 * @event: the event
 */
void trbe_retry_fault(struct trbe *trbe, struct perf_event *event)
{
	trbe_retry_after(trbe, event, false, TRBE_RETRY_FAULT);
}

/*
 * perf_aux_output_begin() found no room. A reader announces progress only by writing aux_tail, so
 * the driver tries again. Each attempt wakes the reader, so the attempts become rarer.
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
 * @trbe: this CPU's trace buffer, which has no record open
 * @event: the event
 *
 * The order is that of S_VKHHY: program the trace buffer, program the trace unit, enable the trace
 * buffer, enable the trace unit.
 *
 * Return: false if the trace unit or the AUX area is not available; a timer then tries again.
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

/**
 * trbe_record_resume() - start a record for the event that waits for an attempt
 * @trbe: this CPU's trace buffer; nothing is done if perf has stopped the event
 */
void trbe_record_resume(struct trbe *trbe)
{
	struct perf_event *event = trbe->retry.event;

	if (event && trbe_record_start(trbe, event))
		event->hw.state = 0;
}

static enum hrtimer_restart trbe_retry_expired(struct hrtimer *timer)
{
	struct trbe *trbe = container_of(timer, struct trbe, retry.timer);

	/* the timers of a CPU that goes offline move to another CPU */
	if (trbe->cpu != smp_processor_id())
		return HRTIMER_NORESTART;
	if (trbe->retry.event && trbe_usable(trbe)) {
		trbe->stats.retries++;
		trbe_record_resume(trbe);
	}
	return HRTIMER_NORESTART;
}

/**
 * trbe_setup() - initialise a trace buffer
 * @trbe: the trace buffer of any CPU
 * @cpu: number of the CPU
 * @unit: the trace unit of the CPU
 *
 * Context: any; no register is accessed.
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
 * trbe_teardown() - wait for attempts to start a record and for messages
 * @trbe: the trace buffer of any CPU, on which no record is started any more
 *
 * Context: process; may sleep.
 */
void trbe_teardown(struct trbe *trbe)
{
	irq_work_sync(&trbe->retry.work);
	hrtimer_cancel(&trbe->retry.timer);
	ete_notices_teardown(&trbe->notices);
}
