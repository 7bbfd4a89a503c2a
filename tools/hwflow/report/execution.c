/* SPDX-License-Identifier: GPL-2.0-only */
/* Program flow as branches. */
#include "execution.h"

#include <inttypes.h>
#include <linux/arm_ete_pmu.h>

#include "hwflow/riscv_flow.h"
#include "input/selection.h"
#include "listing/format.h"
#include "parallel/decode_ahead.h"
#include "parallel/text_ahead.h"
#include "threads.h"

const char *branch_kind_name(unsigned int kind)
{
	static const char *const names[BRANCH_KINDS] = {
		[BRANCH_START] = "start",         [BRANCH_CONDITIONAL] = "conditional",
		[BRANCH_JUMP] = "jump",           [BRANCH_INDIRECT] = "indirect jump",
		[BRANCH_CALL] = "call",           [BRANCH_INDIRECT_CALL] = "indirect call",
		[BRANCH_RETURN] = "return",       [BRANCH_EXCEPTION_RETURN] = "exception return",
		[BRANCH_EXCEPTION] = "exception",
	};

	return kind < BRANCH_KINDS ? names[kind] : "unknown";
}

static enum branch_kind kind_of(const struct hwf_insn *insn)
{
	const bool direct = insn->kind == HWF_INSN_DIRECT;

	switch (insn->sub) {
	case HWF_SUB_LINK:
		return direct ? BRANCH_CALL : BRANCH_INDIRECT_CALL;
	case HWF_SUB_RET:
	case HWF_SUB_IMPLIED_RET:
		return BRANCH_RETURN;
	case HWF_SUB_ERET:
		return BRANCH_EXCEPTION_RETURN;
	default:
		if (insn->conditional)
			return BRANCH_CONDITIONAL;
		return direct ? BRANCH_JUMP : BRANCH_INDIRECT;
	}
}

int32_t execution_process(const struct execution *execution, const struct threads *threads)
{
	const int32_t pid = execution->tid < 0 ? INPUT_ANY
					       : threads_process(threads, execution->tid,
								 execution->piece->time);

	return pid < 0 ? execution->piece->pid : pid;
}

static void give(struct execution *execution, const struct branch *branch)
{
	if (execution->sink->branch &&
	    cut_has(execution->cut, branch->offset, execution->timestamp))
		execution->sink->branch(execution->sink->ctx, execution, branch);
}

/* Execution is at an address now: gives the branch that led there. */
static void arrive(struct execution *execution, uint64_t offset, uint64_t address)
{
	struct branch branch = execution->pending;

	if (!execution->has_pending) {
		if (execution->joined)
			return;
		branch = (struct branch){.offset = offset, .kind = BRANCH_START, .taken = true};
	}
	branch.to = address;
	branch.to_space = execution->space;
	branch.has_to = true;
	execution->has_pending = false;
	execution->joined = true;
	give(execution, &branch);
}

/* What comes next does not follow from what was: the last branch went somewhere unknown. */
static void leave(struct execution *execution)
{
	if (execution->has_pending)
		give(execution, &execution->pending);
	execution->has_pending = false;
	execution->joined = false;
}

struct branch branch_of_insn(const struct hwf_insn *insn, uint64_t end,
			     const struct hwf_image_space *space, bool taken)
{
	const bool direct = insn->kind == HWF_INSN_DIRECT;

	if (!direct && insn->kind != HWF_INSN_INDIRECT)
		return (struct branch){.kind = BRANCH_KINDS};
	return (struct branch){
		.from = end - insn->size,
		.from_space = space,
		.kind = (uint8_t)kind_of(insn),
		.taken = taken,
		.has_from = true,
		/* where a direct branch goes is known, whatever happens there */
		.to = !taken   ? end
		      : direct ? insn->target
			       : 0,
		.to_space = space,
		.has_to = !taken || direct,
	};
}

static void take_range(struct execution *execution, const struct hwf_flow_event *event)
{
	const struct hwf_flow_range *range = &event->u.range;
	const struct hwf_insn *insn = &range->insn;
	struct branch *pending = &execution->pending;

	gaps_resume(execution->input->gaps, event->offset);
	arrive(execution, event->offset, range->start);
	execution->last = range->end - insn->size;
	execution->after_last = range->end;
	if (execution->sink->range && cut_has(execution->cut, event->offset, execution->timestamp))
		execution->sink->range(execution->sink->ctx, execution, range);
	if (!range->p0 || (insn->kind != HWF_INSN_DIRECT && insn->kind != HWF_INSN_INDIRECT))
		return;
	*pending = branch_of_insn(insn, range->end, execution->space, range->taken);
	pending->offset = event->offset;
	execution->has_pending = range->taken;
	if (!range->taken)
		give(execution, pending);
}

static void take_exception(struct execution *execution, const struct hwf_flow_event *event)
{
	const struct hwf_flow_exception *exception = &event->u.exception;
	const unsigned int call =
		execution->source->config.m_profile ? HWF_EXC_M_SVC : HWF_EXC_CALL;

	if (exception->ret_is_target && exception->has_ret)
		arrive(execution, event->offset, exception->ret);
	if (execution->has_pending)
		leave(execution);
	execution->pending = (struct branch){
		.offset = event->offset,
		.from = exception->ret,
		.from_space = execution->space,
		.kind = BRANCH_EXCEPTION,
		.exception = exception->type,
		.taken = true,
		.has_from = exception->has_ret,
	};
	/* SVC and the like return behind themselves */
	if (exception->type == call && execution->joined && exception->ret == execution->after_last)
		execution->pending.from = execution->last;
	execution->joined = false;
	execution->has_pending = true;
}

/* RISC-V: from the instruction that it returns to */
static void take_trap(struct execution *execution, const struct hwf_flow_event *event)
{
	const struct hwf_flow_trap *trap = &event->u.trap;

	if (execution->has_pending)
		leave(execution);
	execution->pending = (struct branch){
		.offset = event->offset,
		.from = trap->epc,
		.from_space = execution->space,
		.kind = BRANCH_EXCEPTION,
		.trap = *trap,
		.is_trap = true,
		.taken = true,
		.has_from = trap->has_epc,
	};
	execution->joined = false;
	execution->has_pending = true;
}

static void take_context(struct execution *execution, const struct hwf_context *context)
{
	if (execution->code->space)
		execution->space = execution->code->space(execution->code->ctx, context);
	execution->tid = input_context_thread(execution->source, context, execution->tid);
}

/* Adds a gap to those of the input, and hands it on. */
static void give_gap(struct execution *execution, const struct gap *gap)
{
	/* a loss of trace is at the beginning of its piece */
	if (!cut_has(execution->cut, gap->in_file ? 0 : gap->offset, execution->timestamp))
		return;
	gaps_add(execution->input->gaps, gap);
	if (execution->sink->gap)
		execution->sink->gap(execution->sink->ctx, execution, gap);
}

static void take_gap(struct execution *execution, const struct hwf_flow_event *event,
		     const char *reason, const char *remedy)
{
	struct gap gap = {.source = execution->source,
			  .piece = execution->piece,
			  .offset = event->offset,
			  .tid = execution->tid,
			  .space = execution->space,
			  .reason = reason,
			  .remedy = remedy};

	leave(execution);
	if (event->kind == HWF_FLOW_GAP && event->u.gap.has_address) {
		gap.has_address = true;
		gap.address = event->u.gap.address;
		gap.contradicts = event->u.gap.reason == HWF_GAP_MISMATCH;
	}
	give_gap(execution, &gap);
}

static void take_no_sync(struct execution *execution, const struct hwf_flow_event *event)
{
	const struct hwf_el_no_sync *no_sync = &event->u.no_sync;

	if (no_sync->reason == HWF_NO_SYNC_BAD_PACKET)
		take_gap(execution, event, hwf_err_text(no_sync->error), NO_SYNC_REMEDY);
	else if (no_sync->reason == HWF_NO_SYNC_OVERFLOW)
		take_gap(execution, event, "the trace unit's buffer overflowed", NO_SYNC_REMEDY);
	else
		leave(execution);
}

static void take(void *ctx, const struct hwf_flow_event *event)
{
	struct execution *execution = ctx;

	switch (event->kind) {
	case HWF_FLOW_RANGE:
		take_range(execution, event);
		break;
	case HWF_FLOW_EXCEPTION:
		take_exception(execution, event);
		break;
	case HWF_FLOW_CONTEXT:
		take_context(execution, &event->u.context.context);
		break;
	case HWF_FLOW_TRAP:
		take_trap(execution, event);
		break;
	case HWF_FLOW_MODE:
		execution->space = hwf_riscv_space(execution->code, &event->u.mode);
		break;
	case HWF_FLOW_TIMESTAMP:
		if (event->u.timestamp.value)
			execution->timestamp = event->u.timestamp.value;
		break;
	case HWF_FLOW_Q_RANGE:
		take_gap(execution, event, "path unknown: the trace unit gave a Q element", "");
		break;
	case HWF_FLOW_GAP:
		take_gap(execution, event, gap_text(event->u.gap.reason),
			 gap_remedy(event->u.gap.reason));
		break;
	case HWF_FLOW_NO_SYNC:
		take_no_sync(execution, event);
		break;
	case HWF_FLOW_COUNTED:
		/* what comes next is given as counts; it joins itself */
		gaps_resume(execution->input->gaps, event->offset);
		arrive(execution, event->offset, event->u.address);
		execution->has_pending = false;
		execution->joined = false;
		break;
	case HWF_FLOW_TRACE_ON:
	case HWF_FLOW_END:
		leave(execution);
		break;
	default:
		break;
	}
	/* the line of a branch waits for its destination */
	if (execution->cut &&
	    !(execution->has_pending &&
	      cut_has(execution->cut, execution->pending.offset, execution->timestamp)))
		cut_pass(execution->cut, event->offset, execution->timestamp);
}

static void take_counts(void *ctx, struct hwf_graph *graph)
{
	const struct execution *execution = ctx;

	execution->sink->counts(execution->sink->ctx, execution, graph);
}

static struct input_decode how_of(struct execution *execution)
{
	return (struct input_decode){
		.sink = take,
		.counts = execution->sink->counts ? take_counts : NULL,
		.ctx = execution,
	};
}

/* As text_work.piece */
static int run_piece(void *ctx, const struct input_source *source, const struct input_piece *piece,
		     const struct input_part *part)
{
	struct execution *execution = ctx;
	struct input_decode how = how_of(execution);
	int status;

	execution->source = source;
	execution->piece = piece;
	execution->tid = piece->tid;
	execution->timestamp = 0;
	execution->space = NULL;
	execution->has_pending = false;
	execution->joined = false;
	execution->code = input_code(execution->input, source, piece);
	if (!execution->code) {
		input_error(source->file, piece->at, "out of memory");
		return EXIT_UNREADABLE;
	}
	execution->cut = selection_cut(execution->input, source, piece);
	if (piece->lost && (!part || !part->span.from)) {
		const struct gap gap = gap_of_loss(source, piece);

		give_gap(execution, &gap);
	}
	how.part = part;
	if (execution->cut) {
		how.part = &execution->cut->part;
		how.stop = &execution->cut->stop;
		/* what is counted has no offset */
		how.counts = NULL;
	}
	status = input_decode(execution->input, source, piece, &how);
	if (!(execution->cut && execution->cut->stop) && (!part || part->span.end == piece->length))
		gaps_resume(execution->input->gaps, piece->length);
	return status;
}

/* What the lines to come depend on: as text_work.state */
static void put_state(void *ctx, struct text_state *state)
{
	const struct execution *execution = ctx;
	const struct branch *pending = &execution->pending;

	text_state_put(state, (uint32_t)execution->tid);
	text_state_put(state, execution->timestamp);
	text_state_put(state, (uint64_t)execution->joined << 8 | execution->has_pending);
	if (execution->joined) {
		text_state_put(state, execution->last);
		text_state_put(state, execution->after_last);
	}
	if (!execution->has_pending)
		return;
	text_state_put(state, pending->offset);
	text_state_put(state, pending->from);
	text_state_put(state, (uint64_t)pending->kind << 32 | pending->exception);
	text_state_put(state, (uint64_t)pending->taken << 24 | (uint64_t)pending->has_from << 16 |
				      (uint64_t)pending->has_to << 8 | pending->is_trap);
	/* parts are those of ETE, which has no traps */
	state->unknown |= pending->is_trap;
}

static void restart_lines(void *ctx)
{
	const struct execution *execution = ctx;

	execution->sink->lines(execution->sink->ctx);
}

static int run_pieces(struct execution *execution, const struct text_work *work)
{
	struct input *input = execution->input;
	struct text_ahead *ahead = work->restart ? text_ahead_new(input, work) : NULL;
	int status = 0;

	for (size_t i = 0; i < input->source_count && !status; i++) {
		const struct input_source *source = &input->sources[i];

		for (size_t j = 0; j < source->piece_count && !status; j++) {
			if (selection_has_enough(input, source))
				break;
			status = text_ahead_piece(ahead, work, source, &source->pieces[j]);
		}
	}
	text_ahead_free(ahead);
	return status;
}

int execution_run(struct execution *execution, struct input *input,
		  const struct execution_sink *sink)
{
	const struct text_work work = {
		.piece = run_piece,
		.state = put_state,
		.restart = sink->lines ? restart_lines : NULL,
		.merge = sink->merge,
		.ctx = execution,
	};
	struct input_decode how;
	size_t gaps;
	int status;

	*execution = (struct execution){.sink = sink, .input = input, .tid = INPUT_ANY};
	how = how_of(execution);
	if (sink->counts)
		decode_ahead(input, input->sources, input->source_count, &how);
	status = run_pieces(execution, &work);
	if (status)
		return status;
	gaps_kinds(input->gaps, &gaps);
	return gaps || input->damaged ? EXIT_GAPS : EXIT_GOOD;
}
