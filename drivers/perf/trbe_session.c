// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records of an AUX area: one is begun, written by the trace buffer, and ended.
 *
 * This is the only place where perf_aux_output_begin() and perf_aux_output_end() are called, for an
 * event that is started or stopped and for an interrupt alike. A record begins with the trace unit
 * being enabled, so it can be decoded by itself.
 *
 * All of it runs on the CPU it is about with interrupts off.
 */
#include <linux/interrupt.h>
#include <linux/math.h>
#include <linux/math64.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/string.h>

#include <uapi/linux/arm_ete_pmu.h>

#include "arm_ete.h"
#include "arm_ete_compat.h"
#include "ete_sysreg.h"
#include "trbe_sysreg.h"

#define CREATE_TRACE_POINTS
#include "arm_ete_trace.h"

/* Where offset of a buffer is, for the trace buffer */
static u64 trbe_session_address(const struct trbe_buffer *buffer, u64 offset)
{
	return offset + (buffer->physical ?: (u64)buffer->map);
}

/*
 * Fill what is before the window, so that nothing but trace and padding is in a record's area. In
 * a ring that is mapped once, it may go from the ring's end to its start.
 */
static void trbe_session_pad(const struct trbe_buffer *buffer, u64 start, u64 bytes)
{
	u64 first = bytes;

	if (!buffer->mirrored)
		first = min(bytes, buffer->size - start);
	memset(buffer->map + start, ARM_ETE_PMU_PADDING, first);
	memset(buffer->map, ARM_ETE_PMU_PADDING, bytes - first);
}

/*
 * What perf_aux_output_begin() says is free leaves out a byte, so that a ring that is full does not
 * look like an empty one. It need not: a head that is ahead of the tail by the ring's size is
 * told from one that is not, by perf and by its readers.
 */
static void trbe_session_describe(struct trbe_session *session, const struct ete_cpu *cpu)
{
	session->ring = (struct trbe_ring) {
		.head = session->handle.head,
		.room = session->handle.size + 1,
		.wakeup = session->handle.wakeup,
		.size = session->buffer->size,
		.mirrored = session->buffer->mirrored,
		.align = cpu->buffer.align,
		.largest = cpu->buffer.largest,
		.page = PAGE_SIZE,
		.errata = cpu->errata,
	};
}

/*
 * Pass over bytes before the window, or, where there is no window, bytes that are of no use for
 * one. perf passes over a byte less than there is room for.
 */
static void trbe_session_skip(struct trbe_session *session, u64 bytes)
{
	const struct trbe_buffer *buffer = session->buffer;

	if (!bytes)
		return;
	trbe_session_pad(buffer, session->ring.head & (session->ring.size - 1), bytes);
	if (buffer->snapshot)
		session->handle.head += bytes;
	else
		perf_aux_output_skip(&session->handle, min_t(u64, bytes, session->handle.size));
}

/* Find the window in what perf says is free */
static bool trbe_session_place(struct trbe_session *session, const struct ete_cpu *cpu)
{
	struct trbe_window *window = &session->window;
	bool placed;

	trbe_session_describe(session, cpu);
	placed = session->buffer->snapshot ? trbe_window_place_snapshot(&session->ring, window) :
		trbe_window_place(&session->ring, window);
	trbe_session_skip(session, window->pad);
	return placed;
}

/*
 * The trace buffer's registers but TRBLIMITR_EL1, which enables it. Base and status are not
 * written where they are held: if the mapping is the same, and if nothing happened.
 */
static void trbe_session_write(struct trbe_session *session, u64 base, u64 status, u64 pointer,
			       u64 trigger)
{
	if (!session->held || session->held_base != base)
		trbe_write_base(base);
	if (!session->held || session->held_status != status)
		trbe_write_status(status);
	session->held_base = base;
	session->held_status = status;
	session->held = true;
	trbe_write_pointer(pointer);
	trbe_write_trigger(trigger);
	if (session->buffer->physical)
		trbe_write_attributes(TRBE_MAR_ATTR_WB | TRBE_MAR_SH_INNER);
}

/*
 * Have the trace buffer's registers say where the window is. The interrupt at the trigger comes by
 * TRG, which software may set, and the Trigger Counter (S_NFQZJ): collection goes on. In snapshot
 * mode there is none, and the counter is for trbe_session_rounds().
 */
static void trbe_session_program(struct ete_cpu *cpu)
{
	struct trbe_session *session = &cpu->session;
	const struct trbe_window *window = &session->window;
	const struct trbe_buffer *buffer = session->buffer;
	u64 trigger = TRBE_TRG_MAX;

	session->limitr = trbe_session_address(buffer, window->limit);
	if (window->trigger) {
		trigger = min(window->trigger, TRBE_TRG_MAX);
		session->limitr |= TRBE_LIMITR_FM_FILL | TRBE_LIMITR_TM_IRQ;
	} else {
		session->limitr |= TRBE_LIMITR_FM_CIRCULAR | TRBE_LIMITR_TM_IGNORE;
	}
	if (buffer->physical)
		session->limitr |= TRBE_LIMITR_NVM;
	trbe_session_write(session, trbe_session_address(buffer, window->base), TRBE_SR_TRG,
			   trbe_session_address(buffer, window->write), trigger);
}

/**
 * trbe_session_filter() - let an event be traced, or not if it is paused
 * @cpu: this CPU
 * @event: the event; nothing is done if it is not the one being traced
 *
 * An event is paused and resumed by others, also where interrupts are off: hence once more, if that
 * happened meanwhile.
 */
void trbe_session_filter(struct ete_cpu *cpu, const struct perf_event *event)
{
	u64 open = ((const struct ete_event *)event->pmu_private)->image.trfcr;
	bool paused;

	if (!READ_ONCE(cpu->session.running) || cpu->session.event != event)
		return;
	do {
		paused = ete_compat_paused(event);
		ete_unit_filter(&cpu->unit, paused ? ete_trfcr_closed(open) : open);
	} while (paused != ete_compat_paused(event));
}

/* The buffer, then the trace unit, then the filter. Both have been programmed. */
static void trbe_session_enable(struct ete_cpu *cpu)
{
	struct trbe_session *session = &cpu->session;

	trbe_enable(session->limitr, cpu->errata);
	ete_unit_enable(cpu);
	WRITE_ONCE(session->running, true);
	trbe_session_filter(cpu, session->event);
}

/**
 * trbe_session_start() - begin a record and trace into it
 * @cpu: this CPU, which has no record open
 * @event: whose record
 *
 * Steps as in S_VKHHY: the pointers, the trace unit's registers, then the buffer is enabled, then
 * the trace unit.
 *
 * Return: false if there is no AUX area, or no room in it; for room the event waits.
 */
bool trbe_session_start(struct ete_cpu *cpu, struct perf_event *event)
{
	struct trbe_session *session = &cpu->session;
	struct ete_event *own = ete_event_of(event);

	/* perf_aux_output_begin() without an AUX area leaves this as it is */
	session->handle.rb = NULL;
	session->buffer = perf_aux_output_begin(&session->handle, event);
	if (!session->buffer) {
		if (session->handle.rb)
			trbe_wait_for_room(cpu, event);
		else
			trbe_wait_end(cpu);
		return false;
	}
	if (!trbe_session_place(session, cpu)) {
		/* without a flag it is no record */
		if (!trbe_wait_is_for_room(cpu, event)) {
			perf_aux_output_flag(&session->handle,
					     ARM_ETE_PMU_AUX_FORMAT | PERF_AUX_FLAG_TRUNCATED);
			own->told = true;
		}
		perf_aux_output_end(&session->handle, 0);
		trbe_wait_for_room(cpu, event);
		return false;
	}
	trbe_wait_end(cpu);
	perf_aux_output_flag(&session->handle, ARM_ETE_PMU_AUX_FORMAT);
	if (own->missed) {
		perf_aux_output_flag(&session->handle, PERF_AUX_FLAG_PARTIAL);
		own->missed = false;
	}
	own->told = false;
	session->event = event;
	session->state = TRBE_SESSION_OPEN;
	cpu->stats.sessions++;
	trace_arm_ete_session_begin(cpu->number, session->handle.head,
				    session->window.limit - session->window.write,
				    session->window.trigger);
	trbe_session_program(cpu);
	ete_unit_program(cpu, &own->image);
	trbe_session_enable(cpu);
	return true;
}

/* Stop the trace unit, then the buffer; then its status can be read */
static u64 trbe_session_quiesce(struct ete_cpu *cpu)
{
	struct trbe_session *session = &cpu->session;

	WRITE_ONCE(session->running, false);
	ete_unit_stop(cpu, &ete_event_of(session->event)->image);
	trbe_disable(cpu->errata);
	session->held_status = trbe_read_status();
	return session->held_status;
}

/* Base and limit are those that the driver has written: the buffer does not change them */
static void trbe_session_report(struct ete_cpu *cpu, enum trbe_event event, u64 status,
				u64 pointer)
{
	ete_notice(cpu, "trace stopped: %s (TRBSR %#llx TRBPTR %#llx TRBBASER %#llx TRBLIMITR %#llx TRBTRG %#llx TRBMAR %#llx)",
		   trbe_event_name(event), status, pointer, cpu->session.held_base,
		   cpu->session.limitr, trbe_read_trigger(), trbe_read_attributes());
}

/* Behind the record that is open trace is missing, or may be */
static void trbe_session_lose(struct ete_cpu *cpu, u64 status)
{
	perf_aux_output_flag(&cpu->session.handle, PERF_AUX_FLAG_PARTIAL);
	cpu->stats.losses++;
	trace_arm_ete_loss(cpu->number, status);
}

/*
 * Rounds of a snapshot's ring after the one in which its end was reached first: TRBSR_EL1.WRAP
 * says that it was, not how often. If they were left out, a record would seem to be there from
 * its beginning that is not. The Trigger Counter has counted each byte; one that has come to 0
 * has seen more than any ring has.
 */
static u64 trbe_session_rounds(const struct trbe_session *session)
{
	const struct trbe_window *window = &session->window;
	u64 left = session->state == TRBE_SESSION_ASLEEP ? session->asleep.trigger :
		trbe_read_trigger();

	if (!left)
		return div64_u64(TRBE_TRG_MAX, window->limit);
	return div64_u64(TRBE_TRG_MAX - left - (window->limit - window->write), window->limit);
}

/* Bytes that the window has got; a pointer that is where it cannot be is no count of any */
static bool trbe_session_collected(const struct trbe_session *session, u64 status, u64 pointer,
				   u64 *bytes)
{
	u64 offset = pointer - trbe_session_address(session->buffer, 0);
	bool wrapped = status & TRBE_SR_WRAP;

	if (session->buffer->snapshot) {
		if (!trbe_window_advance(&session->ring, &session->window, offset, wrapped,
					 bytes))
			return false;
		if (wrapped)
			*bytes += trbe_session_rounds(session) * session->ring.size;
		return true;
	}
	return trbe_window_collected(&session->window, offset, wrapped, bytes);
}

/* Padding again where the errata have made something else of it */
static void trbe_session_mend(const struct trbe_session *session)
{
	u64 from, bytes = trbe_window_spoiled(&session->ring, &session->window, &from);

	memset(session->buffer->map + from, ARM_ETE_PMU_PADDING, bytes);
}

/*
 * perf pads what it saves of a snapshot to whole words, and finds a record that is longer than that
 * only if nothing had to be padded. Returns the bytes of padding, which are of the record: perf
 * has its beginning by its end and its size.
 */
static u64 trbe_session_round_up(struct trbe_session *session)
{
	u64 head = session->handle.head, padding = round_up(head, sizeof(u64)) - head;

	trbe_session_pad(session->buffer, head & (session->ring.size - 1), padding);
	session->handle.head += padding;
	return padding;
}

/*
 * End the record, once the buffer is disabled. What was collected before a fault is kept. Behind
 * what may be missing, or of a trace unit that did not do what it must, the record says PARTIAL; if
 * the event cannot go on at once, TRUNCATED, for which perf would turn it off.
 */
static enum trbe_event trbe_session_close(struct ete_cpu *cpu, u64 status)
{
	struct trbe_session *session = &cpu->session;
	enum trbe_event event = trbe_event_classify(status);
	u64 pointer = session->state == TRBE_SESSION_ASLEEP ? session->asleep.pointer :
		trbe_read_pointer();
	u64 bytes;

	if (!trbe_session_collected(session, status, pointer, &bytes)) {
		event = TRBE_EVENT_UNKNOWN;
		bytes = 0;
	}
	trbe_session_mend(session);
	/* a trace unit that could not be had again has been said, in trbe_session_wake() */
	if (trbe_event_may_have_lost(event) ||
	    (cpu->unit.broken && session->state == TRBE_SESSION_OPEN))
		trbe_session_lose(cpu, status);
	if (trbe_event_is_fatal(event)) {
		trbe_session_report(cpu, event, status, pointer);
		perf_aux_output_flag(&session->handle, PERF_AUX_FLAG_TRUNCATED);
	}
	cpu->stats.bytes += bytes;
	if (session->buffer->snapshot) {
		session->handle.head += bytes;
		bytes += trbe_session_round_up(session);
	}
	session->state = TRBE_SESSION_CLOSED;
	trace_arm_ete_session_end(cpu->number, bytes, session->handle.aux_flags);
	perf_aux_output_end(&session->handle, bytes);
	if (trbe_event_is_fatal(event))
		ete_compat_event_keep(session->event);
	return event;
}

/* The buffer is disabled */
static void trbe_session_acknowledge(struct trbe_session *session)
{
	trbe_clear_status();
	session->held_status = 0;
}

/**
 * trbe_session_stop() - trace no more, and end the record
 * @cpu: this CPU
 *
 * Nothing is to be done where no record is open. An event of the buffer that no interrupt was taken
 * for yet is dealt with here: the interrupt then finds nothing.
 */
void trbe_session_stop(struct ete_cpu *cpu)
{
	struct trbe_session *session = &cpu->session;
	u64 status;

	trbe_wait_end(cpu);
	switch (session->state) {
	case TRBE_SESSION_CLOSED:
		return;
	case TRBE_SESSION_ASLEEP:
		/* somebody else may have the registers now */
		trbe_session_close(cpu, session->held_status);
		return;
	case TRBE_SESSION_OPEN:
		break;
	}
	status = trbe_session_quiesce(cpu);
	if (status & TRBE_SR_IRQ)
		trbe_session_acknowledge(session);
	trbe_session_close(cpu, status);
}

/**
 * trbe_session_tell() - say in a record of no bytes that an event was not traced here
 * @cpu: this CPU, which has no record open
 * @event: the event, which is stopped; nothing is done if it was traced, or if that was said before
 *
 * It may be for the last time that it is stopped: no other record may come that says so. Without
 * room for one it is tried again when it is stopped the next time.
 */
void trbe_session_tell(struct ete_cpu *cpu, struct perf_event *event)
{
	struct trbe_session *session = &cpu->session;
	struct ete_event *own = ete_event_of(event);

	if (!own->missed || own->told || session->state != TRBE_SESSION_CLOSED)
		return;
	/* as in trbe_session_start() */
	session->handle.rb = NULL;
	if (!perf_aux_output_begin(&session->handle, event)) {
		if (session->handle.rb)
			ete_compat_event_keep(event);
		return;
	}
	perf_aux_output_flag(&session->handle, ARM_ETE_PMU_AUX_FORMAT);
	trbe_session_lose(cpu, 0);
	perf_aux_output_end(&session->handle, 0);
	own->told = true;
}

/*
 * Nobody has a record open, and the line is up. Where it does not go down, as with erratum 2064142
 * on a PE that nobody knows to have it, the CPU would do nothing else any more.
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
		pr_err("arm_ete_pmu: cpu%d: the trace buffer's interrupt stays (TRBSR %#llx); it is not used any more\n",
		       cpu->number, status);
	}
	return IRQ_HANDLED;
}

/**
 * trbe_session_interrupt() - the trace buffer's interrupt
 * @irq: its number
 * @data: this CPU
 *
 * The record is ended, and the next begun, with what room there is by then: at the early warning
 * nothing is lost. After what is not understood, or would come again at once, the next one waits.
 *
 * Return: IRQ_NONE if the interrupt was for nothing.
 */
irqreturn_t trbe_session_interrupt(int irq, void *data)
{
	struct ete_cpu *cpu = data;
	struct trbe_session *session = &cpu->session;
	struct perf_event *event = session->event;
	enum trbe_event what;
	u64 status;

	if (session->state != TRBE_SESSION_OPEN)
		return trbe_session_unexpected(cpu, irq);
	/* only a buffer that is quiet has a status that can be relied on (R_VTNCS) */
	status = trbe_session_quiesce(cpu);
	/* collection that has stopped is not gone on with, whoever cleared IRQ */
	if (!(status & (TRBE_SR_IRQ | TRBE_SR_S))) {
		cpu->stats.spurious++;
		trbe_session_enable(cpu);
		return IRQ_NONE;
	}
	trbe_session_acknowledge(session);
	what = trbe_session_close(cpu, status);
	cpu->stats.interrupts[what]++;
	trace_arm_ete_interrupt(cpu->number, status);
	/* the record that has just ended said so */
	ete_event_of(event)->told = cpu->unit.broken || trbe_event_is_fatal(what);
	if (cpu->unit.broken)
		ete_event_of(event)->missed = true;
	else if (trbe_event_is_fatal(what))
		trbe_wait_after_fault(cpu, event);
	else
		trbe_session_start(cpu, event);
	return IRQ_HANDLED;
}

/**
 * trbe_session_reset() - a trace buffer as nobody left it: disabled, with no interrupt
 * @cpu: this CPU, on which trace is prohibited and the trace unit disabled
 */
void trbe_session_reset(struct ete_cpu *cpu)
{
	struct trbe_session *session = &cpu->session;

	trbe_disable(cpu->errata);
	trbe_session_acknowledge(session);
	session->held = false;
	session->masked = false;
	session->state = TRBE_SESSION_CLOSED;
}

/**
 * trbe_session_abandon() - write no more to memory, and leave perf alone
 * @cpu: this CPU
 *
 * For a kernel that is past calling perf.
 */
void trbe_session_abandon(struct ete_cpu *cpu)
{
	if (cpu->session.state != TRBE_SESSION_OPEN)
		return;
	cpu->session.state = TRBE_SESSION_CLOSED;
	trbe_session_quiesce(cpu);
}

/**
 * trbe_session_sleep() - this CPU may lose its power
 * @cpu: this CPU
 *
 * The record stays open, for perf is not to be called here: RCU may not be watching. Its place is
 * remembered.
 */
void trbe_session_sleep(struct ete_cpu *cpu)
{
	struct trbe_session *session = &cpu->session;

	if (session->state != TRBE_SESSION_OPEN)
		return;
	trbe_session_quiesce(cpu);
	session->asleep.pointer = trbe_read_pointer();
	session->asleep.trigger = trbe_read_trigger();
	session->state = TRBE_SESSION_ASLEEP;
}

/**
 * trbe_session_wake() - this CPU is back, whether it lost its power or not
 * @cpu: this CPU, whose trace unit has been claimed anew, or is broken
 *
 * The record goes on where it was. A trace unit that could not be had again is left alone: the
 * record stays as it is until it is ended, and says that something is missing. What the buffer's
 * status said is said again, so an interrupt that it was for comes now. The trace unit begins with
 * synchronisation.
 */
void trbe_session_wake(struct ete_cpu *cpu)
{
	struct trbe_session *session = &cpu->session;

	session->held = false;
	if (session->state != TRBE_SESSION_ASLEEP)
		return;
	if (cpu->unit.broken) {
		trbe_session_lose(cpu, session->held_status);
		return;
	}
	trbe_session_write(session, session->held_base, session->held_status,
			   session->asleep.pointer, session->asleep.trigger);
	session->state = TRBE_SESSION_OPEN;
	ete_unit_program(cpu, &ete_event_of(session->event)->image);
	trbe_session_enable(cpu);
}
