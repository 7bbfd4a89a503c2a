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

#include "arm_ete.h"
#include "arm_ete_compat.h"
#include "ete_sysreg.h"
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
static void trbe_session_write(struct trbe_session *session, u64 base, u64 pointer, u64 trigger)
{
	if (!session->held || session->held_base != base)
		trbe_write_base(base);
	if (!session->held || session->held_status != TRBE_SR_TRG)
		trbe_write_status(TRBE_SR_TRG);
	session->held_base = base;
	session->held_status = TRBE_SR_TRG;
	session->held = true;
	trbe_write_pointer(pointer);
	trbe_write_trigger(trigger);
	if (session->buffer->physical)
		trbe_write_attributes(TRBE_MAR_ATTR_WB | TRBE_MAR_SH_INNER);
}

/*
 * Program the window. Software sets TRBSR_EL1.TRG, so the Trigger Counter counts from the first
 * byte and raises the interrupt at the trigger while collection continues (S_NFQZJ). A window
 * without a trigger, in a snapshot, has no interrupt: its Trigger Counter counts the bytes for
 * trbe_window_rounds().
 */
static void trbe_session_program(struct trbe_session *session)
{
	const struct trbe_window *window = &session->window;
	const struct trbe_buffer *buffer = session->buffer;
	u64 trigger = trbe_trigger(window->trigger);

	session->limitr = trbe_buffer_address(buffer, window->limit);
	if (window->trigger)
		session->limitr |= TRBE_LIMITR_FM_FILL | TRBE_LIMITR_TM_IRQ;
	else
		session->limitr |= TRBE_LIMITR_FM_CIRCULAR | TRBE_LIMITR_TM_IGNORE;
	if (buffer->physical)
		session->limitr |= TRBE_LIMITR_NVM;
	trbe_session_write(session, trbe_buffer_address(buffer, window->base),
			   trbe_buffer_address(buffer, window->write), trigger);
	/* the reads cost time: only hwflow-hwcheck and diagnosis need them */
	if (trace_arm_ete_program_enabled())
		trace_arm_ete_program(smp_processor_id(), window, trigger,
				      trbe_read_pointer() - trbe_buffer_address(buffer, 0),
				      trbe_read_trigger());
}

/**
 * trbe_session_filter() - open or close the trace filter as the event's pause state wants
 * @cpu: this CPU
 * @event: the event; nothing is done unless it is being traced
 *
 * Another event pauses and resumes this one, even where interrupts are off, by pseudo-NMI. The loop
 * catches a change that happens between the test and the write.
 */
void trbe_session_filter(struct ete_cpu *cpu, const struct perf_event *event)
{
	u64 open = ete_event_of(event)->image.trfcr;
	bool paused;

	if (!READ_ONCE(cpu->session.running) || cpu->session.event != event)
		return;
	do {
		paused = ete_compat_paused(event);
		ete_unit_filter(&cpu->unit, paused ? ete_trfcr_closed(open) : open);
	} while (paused != ete_compat_paused(event));
}

/* Enable the buffer, then the trace unit, then open the filter; all registers are programmed. */
static void trbe_session_enable(struct ete_cpu *cpu)
{
	struct trbe_session *session = &cpu->session;

	trbe_enable(session->limitr, cpu->errata);
	if (!ete_unit_enable(&cpu->unit))
		ete_notice(&cpu->notices, "the trace unit does not start; it is not used any more");
	WRITE_ONCE(session->running, true);
	trbe_session_filter(cpu, session->event);
}

/* Stop trace and disable trace unit and buffer, in the order of S_VKHHY. Returns the status. */
static u64 trbe_session_disable(struct ete_cpu *cpu)
{
	struct trbe_session *session = &cpu->session;
	struct ete_image *image = &ete_event_of(session->event)->image;

	WRITE_ONCE(session->running, false);
	/* 1. prohibit trace of the kernel (R_NNRHD) */
	ete_unit_prohibit(&cpu->unit);
	/* 2. resolve start and stop points, which are UNKNOWN if speculative in step 4 */
	if (image->start_stop)
		ete_settle_points();
	/* 3. flush the trace unit to the buffer (R_MRVPT) */
	ete_drain(cpu->errata);
	/* 4. disable the trace unit and wait until it is idle */
	if (!ete_unit_disable(&cpu->unit, image))
		ete_notice(&cpu->notices, "the trace unit does not become idle; it is not used any more");
	/* 5. complete the buffer's writes (R_CKVWP) and disable it */
	trbe_disable(cpu->errata);
	/* 6. only now are pointer and status valid (R_VTNCS) */
	session->held_status = trbe_read_status();
	return session->held_status;
}

/* Deassert the interrupt; the buffer is disabled */
static void trbe_session_acknowledge(struct trbe_session *session)
{
	trbe_clear_status();
	session->held_status = 0;
}

/* Trace that belongs behind the open record is or may be missing */
static void trbe_session_lose(struct ete_cpu *cpu, u64 status)
{
	if (cpu->session.lost)
		return;
	cpu->session.lost = true;
	perf_aux_output_flag(&cpu->session.handle, PERF_AUX_FLAG_PARTIAL);
	cpu->stats.losses++;
	trace_arm_ete_loss(cpu->number, status);
}

/*
 * Open a record and place its window. A record without a window has no bytes; the first one of a
 * series says TRUNCATED, so that the reader knows of the loss.
 */
static bool trbe_session_open(struct ete_cpu *cpu, struct perf_event *event)
{
	struct trbe_session *session = &cpu->session;
	struct trbe_retry *retry = &cpu->retry;

	session->buffer = perf_aux_output_begin(&session->handle, event);
	if (!session->buffer)
		return false;
	if (!session->buffer->identified)
		ete_compat_report_id(event, ARM_ETE_PMU_HW_ID(cpu->number));
	session->buffer->identified = true;
	if (trbe_session_place(session, cpu)) {
		perf_aux_output_flag(&session->handle, ARM_ETE_PMU_AUX_FORMAT);
		return true;
	}
	trbe_session_skip(session);
	if (retry->event != event || !retry->for_room) {
		perf_aux_output_flag(&session->handle,
				     ARM_ETE_PMU_AUX_FORMAT | PERF_AUX_FLAG_TRUNCATED);
		ete_event_of(event)->reported = true;
	}
	perf_aux_output_end(&session->handle, 0);
	return false;
}

static void trbe_retry_arm(struct irq_work *work)
{
	struct trbe_retry *retry = container_of(work, struct trbe_retry, work);

	hrtimer_start(&retry->timer, ns_to_ktime(retry->next), HRTIMER_MODE_REL_PINNED_HARD);
}

static void trbe_retry_after(struct ete_cpu *cpu, struct perf_event *event, bool for_room,
			     u64 delay)
{
	ete_event_of(event)->missed = true;
	cpu->retry.event = event;
	cpu->retry.for_room = for_room;
	cpu->retry.next = delay;
	/* a CPU that wakes the machine has no time yet: not before interrupts are on */
	if (cpu->retry.waking)
		irq_work_queue(&cpu->retry.work);
	else
		trbe_retry_arm(&cpu->retry.work);
}

/*
 * perf_aux_output_begin() found no room. A reader announces progress only by writing aux_tail, so
 * the driver tries again, less and less often: each attempt wakes the reader.
 */
static void trbe_retry_for_room(struct ete_cpu *cpu, struct perf_event *event)
{
	const struct perf_event *root = event->parent ?: event;
	struct trbe_retry *retry = &cpu->retry;

	if (retry->event != event || !retry->for_room) {
		cpu->stats.refusals++;
		trace_arm_ete_refusal(cpu->number);
	}
	if (retry->root != root)
		retry->delay = TRBE_RETRY_FIRST;
	retry->root = root;
	ete_compat_event_keep(event);
	trbe_retry_after(cpu, event, true, retry->delay);
	retry->delay = min_t(u64, 2 * retry->delay, TRBE_RETRY_LONGEST);
}

/**
 * trbe_session_start() - open a record and trace into it
 * @cpu: this CPU, which has no record open
 * @event: the event
 *
 * The order is that of S_VKHHY: the buffer's pointers, the trace unit's registers, enable the
 * buffer, enable the trace unit.
 *
 * Return: false if the trace unit or the AUX area is not available; the start is then tried again.
 */
bool trbe_session_start(struct ete_cpu *cpu, struct perf_event *event)
{
	struct trbe_session *session = &cpu->session;
	struct ete_event *own = ete_event_of(event);
	const char *reason = ete_unit_claim(&cpu->unit);

	if (reason) {
		if (cpu->retry.event != event)
			ete_notice(&cpu->notices, "not traced: %s", reason);
		trbe_retry_after(cpu, event, false, TRBE_RETRY_LONGEST);
		return false;
	}
	if (!trbe_session_open(cpu, event)) {
		trbe_retry_for_room(cpu, event);
		return false;
	}
	cpu->retry.event = NULL;
	cpu->retry.root = NULL;
	if (own->missed || own->image.contradicted)
		perf_aux_output_flag(&session->handle, PERF_AUX_FLAG_PARTIAL);
	own->missed = false;
	own->reported = false;
	session->event = event;
	session->lost = false;
	session->state = TRBE_SESSION_OPEN;
	cpu->stats.sessions++;
	trace_arm_ete_session_begin(cpu->number, session->area.head + session->window.pad,
				    session->window.limit - session->window.write,
				    session->window.trigger);
	trbe_session_program(session);
	ete_unit_program(&cpu->unit, &own->image);
	trbe_session_enable(cpu);
	return true;
}

/* Count the bytes that the window has collected; false if the pointer is outside it */
static bool trbe_session_collected(const struct trbe_session *session, u64 status, u64 pointer,
				   u64 trigger, u64 *bytes)
{
	u64 offset = pointer - trbe_buffer_address(session->buffer, 0);
	bool wrapped = status & TRBE_SR_WRAP;

	if (session->window.trigger)
		return trbe_window_collected(&session->window, offset, wrapped, bytes);
	if (!trbe_window_advance(&session->area, &session->window, offset, wrapped, bytes))
		return false;
	if (wrapped)
		*bytes += session->area.size *
			  trbe_window_rounds(&session->window, TRBE_TRG_MAX - trigger);
	return true;
}

/*
 * Pad a snapshot's record to a whole word: perf saves whole words, and finds a record that is
 * longer than the ring only if it had to pad nothing. Returns the bytes of padding; they belong to
 * the record, because perf computes its start from its end and its size.
 */
static u64 trbe_session_round_up(struct trbe_session *session)
{
	u64 head = session->handle.head, padding = round_up(head, sizeof(u64)) - head;

	trbe_buffer_pad(session->buffer, head & (session->area.size - 1), padding);
	session->handle.head += padding;
	return padding;
}

/*
 * Close the record; the buffer is disabled. Trace that was collected before a fault is kept. The
 * record is PARTIAL if trace behind it may be missing or the trace unit failed, and TRUNCATED if
 * the event cannot continue at once. It is PARTIAL as well if no record can be opened behind it.
 */
static enum trbe_event trbe_session_close(struct ete_cpu *cpu, u64 status)
{
	struct trbe_session *session = &cpu->session;
	enum trbe_event event = trbe_event_classify(status);
	u64 pointer = trbe_read_pointer(), trigger = 0;
	u64 bytes, from, spoiled = trbe_window_spoiled(&session->area, &session->window, &from);

	/* only Circular mode needs the Trigger Counter: a switch does without this read */
	if (!session->window.trigger)
		trigger = trbe_read_trigger();
	if (trace_arm_ete_stop_enabled())
		trace_arm_ete_stop(cpu->number, status,
				   pointer - trbe_buffer_address(session->buffer, 0),
				   trbe_read_trigger());
	if (!trbe_session_collected(session, status, pointer, trigger, &bytes)) {
		event = TRBE_EVENT_UNKNOWN;
		bytes = 0;
	}
	/* bytes that an erratum overwrote become padding again */
	memset(session->buffer->map + from, ARM_ETE_PMU_PADDING, spoiled);
	/* of a snapshot, what was written behind the limit is read as well */
	if (session->buffer->snapshot && session->window.trigger && status & TRBE_SR_WRAP)
		trbe_buffer_pad(session->buffer, session->window.limit, PAGE_SIZE);
	if (trbe_event_may_have_lost(event) || cpu->unit.broken)
		trbe_session_lose(cpu, status);
	if (trbe_event_is_fatal(event)) {
		ete_notice(&cpu->notices, "trace stopped: %s (TRBSR %#llx TRBPTR %#llx TRBBASER %#llx TRBLIMITR %#llx TRBTRG %#llx TRBMAR %#llx)",
			   trbe_event_name(event), status, pointer, session->held_base,
			   session->limitr, trbe_read_trigger(), trbe_read_attributes());
		perf_aux_output_flag(&session->handle, PERF_AUX_FLAG_TRUNCATED);
	}
	cpu->stats.bytes += bytes;
	/* a record of no bytes leaves the room as it was */
	if (bytes)
		trbe_session_skip(session);
	if (session->buffer->snapshot) {
		session->handle.head += bytes;
		bytes += trbe_session_round_up(session);
	} else if (trbe_window_fills(&session->area, &session->window, bytes)) {
		trbe_session_lose(cpu, status);
	}
	session->state = TRBE_SESSION_CLOSED;
	trace_arm_ete_session_end(cpu->number, bytes, session->handle.aux_flags);
	perf_aux_output_end(&session->handle, bytes);
	if (trbe_event_is_fatal(event))
		ete_compat_event_keep(session->event);
	return event;
}

/**
 * trbe_session_stop() - stop trace and close the record
 * @cpu: this CPU; nothing is done without an open record
 *
 * An event of the buffer whose interrupt was not taken yet is handled here.
 */
void trbe_session_stop(struct ete_cpu *cpu)
{
	struct trbe_session *session = &cpu->session;
	u64 status;

	cpu->retry.event = NULL;
	if (session->state == TRBE_SESSION_CLOSED)
		return;
	status = trbe_session_disable(cpu);
	if (status & TRBE_SR_IRQ)
		trbe_session_acknowledge(session);
	trbe_session_close(cpu, status);
}

/**
 * trbe_session_cut() - stop trace although the event goes on
 * @cpu: this CPU, which goes offline
 *
 * The event waits for trbe_session_resume(), unless perf stops it before.
 */
void trbe_session_cut(struct ete_cpu *cpu)
{
	struct perf_event *event = cpu->retry.event;

	if (cpu->session.state != TRBE_SESSION_CLOSED) {
		event = cpu->session.event;
		trbe_session_lose(cpu, 0);
		ete_event_of(event)->missed = true;
		ete_event_of(event)->reported = true;
	}
	trbe_session_stop(cpu);
	cpu->retry.event = event;
}

/**
 * trbe_session_resume() - trace the event that trbe_session_cut() has left
 * @cpu: this CPU, which is online again; nothing is done if perf has stopped the event
 */
void trbe_session_resume(struct ete_cpu *cpu)
{
	struct perf_event *event = cpu->retry.event;

	if (event && trbe_session_start(cpu, event))
		event->hw.state = 0;
}

/**
 * trbe_session_report_missed() - report execution that was not traced by a record of no bytes
 * @cpu: this CPU, without an open record
 * @event: the event, which is stopped; nothing is done if nothing was missed or it was reported
 *
 * The event may be stopped for the last time, so no later record may follow. If the AUX area has no
 * room, the next stop tries again.
 */
void trbe_session_report_missed(struct ete_cpu *cpu, struct perf_event *event)
{
	struct trbe_session *session = &cpu->session;
	struct ete_event *own = ete_event_of(event);

	if (!own->missed || own->reported || session->state != TRBE_SESSION_CLOSED)
		return;
	if (!perf_aux_output_begin(&session->handle, event)) {
		ete_compat_event_keep(event);
		return;
	}
	perf_aux_output_flag(&session->handle, ARM_ETE_PMU_AUX_FORMAT);
	session->lost = false;
	trbe_session_lose(cpu, 0);
	perf_aux_output_end(&session->handle, 0);
	own->reported = true;
}

/*
 * An interrupt without an open record. If the line cannot be deasserted, as with erratum 2064142
 * on a PE that is not known to have it, the CPU would take it for ever: the line is masked.
 */
static irqreturn_t trbe_session_unexpected(struct ete_cpu *cpu, int irq)
{
	u64 status = trbe_read_status();

	cpu->stats.spurious++;
	if (!(status & TRBE_SR_IRQ))
		return IRQ_NONE;
	trbe_session_acknowledge(&cpu->session);
	if (trbe_read_status() & TRBE_SR_IRQ) {
		disable_percpu_irq(irq);
		cpu->session.masked = true;
		ete_notice(&cpu->notices, "the trace buffer's interrupt cannot be deasserted (TRBSR %#llx); the CPU is not traced any more",
			   status);
	}
	return IRQ_HANDLED;
}

/**
 * trbe_session_interrupt() - the trace buffer management interrupt
 * @irq: its number
 * @data: points to the pointer to this CPU
 *
 * Close the record and open the next one in the room that there is by now. At the early warning no
 * trace is lost. After a fault or an unknown event, the next record follows after a delay.
 *
 * Return: IRQ_NONE if there was no trace buffer management event.
 */
irqreturn_t trbe_session_interrupt(int irq, void *data)
{
	struct ete_cpu *cpu = *(struct ete_cpu **)data;
	struct trbe_session *session = &cpu->session;
	struct perf_event *event = session->event;
	enum trbe_event what;
	u64 status;

	if (session->state != TRBE_SESSION_OPEN)
		return trbe_session_unexpected(cpu, irq);
	status = trbe_session_disable(cpu);
	/* S without IRQ: collection has stopped, although another agent cleared IRQ */
	if (!(status & (TRBE_SR_IRQ | TRBE_SR_S))) {
		cpu->stats.spurious++;
		trbe_session_enable(cpu);
		return IRQ_NONE;
	}
	trbe_session_acknowledge(session);
	what = trbe_session_close(cpu, status);
	cpu->stats.interrupts[what]++;
	trace_arm_ete_interrupt(cpu->number, status);
	ete_event_of(event)->reported = cpu->unit.broken || trbe_event_is_fatal(what);
	if (cpu->unit.broken)
		ete_event_of(event)->missed = true;
	else if (trbe_event_is_fatal(what))
		trbe_retry_after(cpu, event, false, TRBE_RETRY_FAULT);
	else
		trbe_session_start(cpu, event);
	return IRQ_HANDLED;
}

static enum hrtimer_restart trbe_retry_expired(struct hrtimer *timer)
{
	struct ete_cpu *cpu = container_of(timer, struct ete_cpu, retry.timer);
	struct perf_event *event = cpu->retry.event;

	/* the timers of a CPU that goes offline move to another CPU */
	if (cpu->number != smp_processor_id())
		return HRTIMER_NORESTART;
	if (event && ete_cpu_usable(cpu)) {
		cpu->stats.retries++;
		trbe_session_resume(cpu);
	}
	return HRTIMER_NORESTART;
}

/**
 * trbe_setup() - initialise the attempts to start a session
 * @cpu: any CPU
 */
void trbe_setup(struct ete_cpu *cpu)
{
	cpu->retry.work = IRQ_WORK_INIT_HARD(trbe_retry_arm);
	ete_compat_hrtimer_setup(&cpu->retry.timer, trbe_retry_expired);
}

/**
 * trbe_teardown() - wait until no attempt to start a session is running
 * @cpu: any CPU, on which no session is started any more
 *
 * Context: process; may sleep.
 */
void trbe_teardown(struct ete_cpu *cpu)
{
	irq_work_sync(&cpu->retry.work);
	hrtimer_cancel(&cpu->retry.timer);
}

/**
 * trbe_reset() - disable a trace buffer that may be in any state
 * @cpu: this CPU, on which trace is prohibited and a Context synchronization event has occurred
 *
 * TSB CSYNC precedes the disabling, as R_ZCDDS requires.
 */
void trbe_reset(struct ete_cpu *cpu)
{
	ete_drain(cpu->errata);
	trbe_disable(cpu->errata);
	trbe_session_acknowledge(&cpu->session);
	cpu->session.held = false;
	cpu->session.masked = false;
	cpu->session.state = TRBE_SESSION_CLOSED;
}

/**
 * trbe_session_abandon() - disable the trace buffer without calling perf
 * @cpu: this CPU, on which the kernel has crashed
 */
void trbe_session_abandon(struct ete_cpu *cpu)
{
	if (cpu->session.state != TRBE_SESSION_OPEN)
		return;
	cpu->session.state = TRBE_SESSION_CLOSED;
	trbe_session_disable(cpu);
}

/**
 * trbe_session_sleep() - close the record of a CPU that may lose power
 * @cpu: this CPU; its event goes on, and trbe_session_wake() opens the next record
 */
void trbe_session_sleep(struct ete_cpu *cpu)
{
	struct trbe_session *session = &cpu->session;

	session->asleep = session->state == TRBE_SESSION_OPEN ? session->event : NULL;
	if (session->asleep)
		trbe_session_stop(cpu);
	session->held = false;
}

/**
 * trbe_session_wake() - open a record for the event of a CPU that is back from a low-power state
 * @cpu: this CPU; nothing is done, and no register accessed, unless its session is asleep
 *
 * If that fails, the loss is reported at once if it can be, and the start is tried again.
 */
void trbe_session_wake(struct ete_cpu *cpu)
{
	struct trbe_session *session = &cpu->session;
	struct perf_event *event = session->asleep;

	if (!event)
		return;
	cpu->retry.waking = true;
	if (!trbe_session_start(cpu, event))
		trbe_session_report_missed(cpu, event);
	cpu->retry.waking = false;
	session->asleep = NULL;
}
