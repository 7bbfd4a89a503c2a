// SPDX-License-Identifier: GPL-2.0-only
/* hwflow verify: what was decoded against the log, event by event. */
#include <inttypes.h>

#include "hwflow/text.h"
#include "verify_compare.h"
#include "verify_riscv.h"
#include "verify_show.h"
#include "verify_stretches.h"

/*
 * Whether the log has another thread than the trace for instructions that are equal, @left of their
 * range after them. The kernel writes the identifier of the next thread between two branches, and
 * the trace unit traces the new context before the second: the trace does not say where in that
 * range the thread changes. Code of a program has one thread in a range.
 */
static bool is_of_other_thread(const struct verify_thread *thread, uint32_t left)
{
	return thread->log.is_cpu && !thread->uncertain && (thread->is_user || !left) &&
	       thread->tid != INPUT_ANY && thread->log.tid >= 0 && thread->log.tid != thread->tid;
}

static void take_range(struct verify_thread *thread, uint64_t offset,
		       const struct hwf_flow_range *range)
{
	uint64_t pc = range->start;
	uint32_t left = range->instructions;

	if (thread->may_skip)
		verify_skip_to(thread, pc, NULL);
	verify_pass_traps(thread);
	while (left && !thread->wrong) {
		uint32_t count;

		if (!verify_advance(thread) || thread->log.have_event || thread->log.run.pc != pc ||
		    thread->log.run.isa != range->isa) {
			verify_differ(thread, offset);
			verify_say_decoded(thread,
					   "%" PRIx64 "%s (in %" PRIx64 " .. %" PRIx64 ")\n", pc,
					   verify_isa_text(range->isa), range->start, range->end);
			return;
		}
		count = left < thread->log.run.count ? left : thread->log.run.count;
		pc += truth_run_bytes(&thread->log.run, count);
		verify_consume(thread, count);
		if (thread->uncertain) {
			thread->counts.anywhere += count;
		} else {
			thread->counts.instructions += count;
			*thread->total += count;
		}
		left -= count;
		if (is_of_other_thread(thread, left)) {
			verify_differ_thread(thread, offset);
			return;
		}
	}
}

static void take_context(struct verify_thread *thread, const struct hwf_context *context)
{
	if (thread->code && thread->code->space)
		thread->space = thread->code->space(thread->code->ctx, context);
	thread->tid = input_context_thread(thread->source, context, thread->tid);
	thread->is_user = !context->el_unknown && !context->el;
}

/* Does the log have this exception next? */
static bool is_next(struct verify_thread *thread, const struct hwf_flow_exception *exception)
{
	return verify_advance(thread) && thread->log.have_event &&
	       verify_is_expected(thread, exception);
}

/* The exception that the log has next was decoded. */
static void take_expected(struct verify_thread *thread)
{
	thread->log.have_event = false;
	thread->trapped = true;
	thread->counts.exceptions += !thread->uncertain;
}

static void take_exception(struct verify_thread *thread, uint64_t offset,
			   const struct hwf_flow_exception *exception)
{
	if (thread->may_skip)
		verify_skip_to(thread, 0, exception);
	if (thread->wrong)
		return;
	while (!is_next(thread, exception) && verify_pass_trap(thread))
		;
	thread->between = false;
	if (!is_next(thread, exception)) {
		verify_differ(thread, offset);
		verify_say_decoded(thread, "exception %s, returns to %" PRIx64 "\n",
				   hwf_exception_name(exception->type), exception->ret);
		return;
	}
	take_expected(thread);
}

/* Does the log have this trap next? */
static bool is_next_trap(struct verify_thread *thread, const struct hwf_flow_trap *trap)
{
	return verify_advance(thread) && thread->log.have_event &&
	       verify_riscv_trap(&thread->log.event.u.exception, trap, thread->dialect);
}

/*
 * Whether the log has the trap here. Before dialect 2.0, which has thaddr, a trap with no
 * instruction since another is told of in its place, as if it were at its address.
 */
static bool find_trap(struct verify_thread *thread, const struct hwf_flow_trap *trap)
{
	struct hwf_flow_trap last = *trap;
	struct verify_thread ahead;

	if (is_next_trap(thread, trap))
		return true;
	if (thread->dialect == HWF_RISCV_V2)
		return false;
	last.has_epc = false;
	ahead = *thread;
	while (verify_advance(&ahead) && ahead.log.have_event) {
		ahead.log.have_event = false;
		ahead.counts.untold++;
		if (is_next_trap(&ahead, &last)) {
			*thread = ahead;
			return true;
		}
	}
	return false;
}

static void take_trap(struct verify_thread *thread, uint64_t offset,
		      const struct hwf_flow_trap *trap)
{
	const uint8_t type = verify_riscv_type(trap);

	/* of an instruction that was not traced: it is one of those that are missing */
	if (thread->may_skip && !trap->has_epc)
		return;
	if (thread->may_skip)
		verify_skip_to(thread, 0,
			       &(struct hwf_flow_exception){.ret = trap->epc, .type = type});
	if (thread->wrong)
		return;
	verify_pass_rounds(thread);
	while (!is_next_trap(thread, trap) && verify_pass_trap(thread))
		;
	thread->between = false;
	if (!find_trap(thread, trap)) {
		verify_differ(thread, offset);
		verify_say_decoded(thread,
				   "trap %s, cause %u, from %" PRIx64 ", value %" PRIx64 "\n",
				   truth_exception_name(type), trap->cause, trap->epc, trap->tval);
		return;
	}
	take_expected(thread);
}

/* Q elements tell how many instructions, not which. */
static void take_q(struct verify_thread *thread, uint64_t offset, const struct hwf_flow_q *q)
{
	uint32_t left = q->instructions;

	/* It may be the first after a gap, and counts from where the trace goes on. */
	if (thread->may_skip && q->has_start)
		verify_skip_to(thread, q->start, NULL);
	thread->may_skip = false;
	if (thread->wrong)
		return;
	if (q->has_start &&
	    (!verify_advance(thread) || thread->log.have_event || thread->log.run.pc != q->start)) {
		verify_differ(thread, offset);
		verify_say_decoded(thread, "an unknown path from %" PRIx64 "\n", q->start);
		return;
	}
	if (!q->has_count) {
		thread->may_skip = true;
		thread->edge = false;
		return;
	}
	while (left) {
		uint32_t count;

		if (!verify_advance(thread) || thread->log.have_event) {
			verify_differ(thread, offset);
			verify_say_decoded(thread, "%u instructions on an unknown path\n", left);
			return;
		}
		count = left < thread->log.run.count ? left : thread->log.run.count;
		verify_consume(thread, count);
		thread->counts.unknown += count;
		left -= count;
	}
}

void verify_take(void *ctx, const struct hwf_flow_event *event)
{
	struct verify_thread *thread = ctx;

	if (thread->wrong || thread->log.error)
		return;
	if (verify_is_gap(event, thread->filtered, thread->code_gaps)) {
		thread->may_skip = true;
		thread->edge = false;
		return;
	}
	switch (event->kind) {
	case HWF_FLOW_CONTEXT:
		take_context(thread, &event->u.context.context);
		break;
	case HWF_FLOW_RANGE:
		thread->nothing = false;
		take_range(thread, event->offset, &event->u.range);
		break;
	case HWF_FLOW_EXCEPTION:
		thread->nothing = false;
		take_exception(thread, event->offset, &event->u.exception);
		break;
	case HWF_FLOW_TRAP:
		thread->nothing = false;
		take_trap(thread, event->offset, &event->u.trap);
		break;
	case HWF_FLOW_TRACE_ON:
		thread->between = true;
		break;
	case HWF_FLOW_Q_RANGE:
		take_q(thread, event->offset, &event->u.q);
		break;
	case HWF_FLOW_NO_SYNC:
		if (thread->lost && event->u.no_sync.error == HWF_ERR_NEED_MORE) {
			/* the buffer was full in the middle of a packet */
			break;
		}
		if (event->u.no_sync.reason != HWF_NO_SYNC_INIT &&
		    event->u.no_sync.reason != HWF_NO_SYNC_DISCARD) {
			verify_differ(thread, event->offset);
			verify_say_decoded(thread, "%s\n", hwf_err_text(event->u.no_sync.error));
		}
		break;
	case HWF_FLOW_GAP:
		verify_differ(thread, event->offset);
		verify_say_decoded(thread, "gap: %s%s\n", hwf_gap_text(event->u.gap.reason),
				   hwf_gap_remedy(event->u.gap.reason));
		break;
	default:
		break;
	}
}

void verify_begin_piece(struct verify_thread *thread, const struct input_source *source,
			const struct input_piece *piece)
{
	thread->source = source;
	thread->piece = piece->number;
	/* RISC-V tells of the first instruction and of the last one */
	thread->may_skip = !thread->has_traps || piece->lost || thread->missed;
	thread->missed = thread->missed || piece->overwritten;
	thread->edge = !piece->lost && !thread->missed;
	thread->lost = piece->lost;
	thread->nothing = true;
	thread->tid = INPUT_ANY;
}

void verify_end_piece(struct verify_thread *thread, const struct input_piece *piece)
{
	thread->missed = piece->lost || piece->is_sample || (thread->missed && thread->nothing);
}

void verify_finish(struct verify_thread *thread)
{
	if (thread->wrong || thread->log.error)
		return;
	thread->may_skip = thread->filtered || thread->may_skip || thread->missed;
	thread->edge = !thread->has_traps && (!thread->may_skip || thread->edge);
	thread->between = true;
	verify_pass_traps(thread);
	/* no instruction is at this address */
	if (thread->edge || thread->may_skip)
		verify_skip_to_first(thread, UINT64_MAX, NULL);
	if (verify_advance(thread)) {
		verify_differ(thread, 0);
		verify_say_decoded(thread, "end of trace\n");
	}
}
