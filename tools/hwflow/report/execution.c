/* SPDX-License-Identifier: GPL-2.0-only */
/* Program flow as branches. */
#include "execution.h"

#include <inttypes.h>
#include <linux/arm_ete_pmu.h>

#include "hwflow/riscv_flow.h"
#include "listing/format.h"
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
	if (execution->sink->branch)
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
	if (execution->sink->range)
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
	execution->gaps++;
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
}

static void take_counts(void *ctx, struct hwf_graph *graph)
{
	const struct execution *execution = ctx;

	execution->sink->counts(execution->sink->ctx, execution, graph);
}

static int run_piece(struct execution *execution, const struct input_piece *piece)
{
	const struct input_decode how = {
		.sink = take,
		.counts = execution->sink->counts ? take_counts : NULL,
		.ctx = execution,
	};
	int status;

	execution->piece = piece;
	execution->tid = piece->tid;
	execution->timestamp = 0;
	execution->space = NULL;
	if (piece->lost) {
		const struct gap gap = gap_of_loss(execution->source, piece);

		execution->lost_pieces++;
		give_gap(execution, &gap);
	}
	execution->code = input_code(execution->input, execution->source, piece);
	if (!execution->code) {
		input_error(execution->source->file, piece->at, "out of memory");
		return EXIT_UNREADABLE;
	}
	status = input_decode(execution->input, execution->source, piece, &how);
	gaps_resume(execution->input->gaps, piece->length);
	return status;
}

int execution_run(struct execution *execution, struct input *input,
		  const struct execution_sink *sink)
{
	*execution = (struct execution){.sink = sink, .input = input, .tid = INPUT_ANY};
	for (size_t i = 0; i < input->source_count; i++) {
		execution->source = &input->sources[i];
		for (size_t j = 0; j < execution->source->piece_count; j++) {
			const int status = run_piece(execution, &execution->source->pieces[j]);

			if (status)
				return status;
		}
	}
	return execution->gaps || execution->lost_pieces || input->damaged ? EXIT_GAPS : EXIT_GOOD;
}
