/* SPDX-License-Identifier: GPL-2.0-only */
/* Program flow as branches, with the thread and the gaps. */
#include "execution.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "decode/input_sync.h"
#include "decode/text_ahead.h"
#include "decode/loop.h"
#include "format.h"
#include "hwflow/text.h"
#include "select/selection.h"
#include "threads.h"

int32_t execution_process(const struct execution *execution, const struct threads *threads)
{
	const int32_t pid = execution->tid < 0 ? INPUT_ANY
					       : threads_process(threads, execution->tid,
								 execution->piece->time);

	return pid < 0 ? execution->piece->pid : pid;
}

/* Bytes of trace in a shard whose ranges are counted, at most */
#define MOST_COUNTED 0x200000u

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
}

/* Hand on the instrumentation that waited for the branch before it. */
static void release_held(struct execution *execution)
{
	const size_t count = execution->held_count;

	execution->held_count = 0;
	for (size_t i = 0; i < count; i++)
		execution->sink->instrumentation(execution->sink->ctx, execution,
						 &execution->held[i]);
}

/* Keep instrumentation until the branch before it is handed on; false without memory */
static bool hold(struct execution *execution, const struct hwf_ete_instrumentation *instrumentation)
{
	struct hwf_ete_instrumentation *held = execution->held;
	size_t room = execution->held_room;

	if (execution->held_count == room) {
		room = room ? 2 * room : 16;
		held = reallocarray(held, room, sizeof(*held));
		if (!held)
			return false;
		execution->held = held;
		execution->held_room = room;
	}
	held[execution->held_count++] = *instrumentation;
	return true;
}

/* A branch is handed on when its destination is known: instrumentation after it waits. */
static void take_instrumentation(struct execution *execution, const struct hwf_flow_event *event)
{
	const struct execution_sink *sink = execution->sink;

	if (!sink->instrumentation || !cut_has(execution->cut, event->offset, execution->timestamp))
		return;
	if (sink->branch && execution->branches.has_pending &&
	    hold(execution, &event->u.instrumentation))
		return;
	release_held(execution);
	sink->instrumentation(sink->ctx, execution, &event->u.instrumentation);
}

/* Hands on what was summed. */
static void give_sum(const struct execution *execution)
{
	struct hwf_branches_sum *sum = execution->branches.sum;

	if (!sum || !sum->ranges)
		return;
	execution->sink->summed(execution->sink->ctx, execution, sum);
	sum->instructions = 0;
	sum->ranges = 0;
}

/* What is executed may be something else after an event: only its counts and times tell nothing. */
static void end_sum(const struct execution *execution, const struct hwf_flow_event *event)
{
	struct hwf_branches_sum *sum = execution->branches.sum;

	if (!sum || event->kind == HWF_FLOW_RANGE)
		return;
	give_sum(execution);
	if (event->kind != HWF_FLOW_TIMESTAMP && event->kind != HWF_FLOW_CYCLE_COUNT)
		sum->end = sum->start;
}

static void take_branch(void *ctx, const struct hwf_branch *branch)
{
	struct execution *execution = ctx;

	give_sum(execution);
	if (cut_has(execution->cut, branch->offset, execution->timestamp))
		execution->sink->branch(execution->sink->ctx, execution, branch);
	if (execution->held_count)
		release_held(execution);
}

static void drop_branch(void *ctx, const struct hwf_branch *branch)
{
	(void)ctx;
	(void)branch;
}

static void take_range(void *ctx, const struct hwf_flow_event *event)
{
	const struct execution *execution = ctx;

	give_sum(execution);
	if (cut_has(execution->cut, event->offset, execution->timestamp))
		execution->sink->range(execution->sink->ctx, execution, &event->u.range);
}

/* All lines of an event are written, but for that of a branch, which waits for its destination. */
static void pass(const struct execution *execution, uint64_t offset)
{
	const struct hwf_branches *branches = &execution->branches;
	struct cut *cut = execution->cut;

	if (branches->has_pending && cut_has(cut, branches->pending.offset, execution->timestamp))
		return;
	cut_pass(cut, offset, execution->timestamp);
}

/* ---- counts of a part of a piece, as what a session counts has no offset; and counts beside
 * branches ---- */

static bool is_counted_here(const struct execution *execution)
{
	return execution->sink->counts && (execution->cut || execution->sink->branch);
}

static void give_counts_here(struct execution *execution)
{
	execution->failed |= hwf_profile_failed(execution->profile);
	execution->sink->counts(execution->sink->ctx, execution, execution->profile);
	hwf_profile_clear(execution->profile);
}

static void count_here(struct execution *execution, const struct hwf_flow_event *event)
{
	const struct hwf_flow_event passed = {.offset = event->offset,
					      .kind = HWF_FLOW_COUNTED,
					      .u.address = event->u.range.start};

	if (event->kind == HWF_FLOW_CONTEXT &&
	    input_context_thread(execution->source, &event->u.context.context, execution->tid) !=
		    execution->tid)
		give_counts_here(execution);
	/* a range that is not selected may be the destination of a branch that is */
	if (event->kind == HWF_FLOW_RANGE &&
	    !cut_has(execution->cut, event->offset, execution->timestamp))
		event = &passed;
	hwf_profile_walk_push(&execution->walk, event);
}

static bool begin_counts_here(struct execution *execution)
{
	if (!execution->profile)
		execution->profile = hwf_profile_new();
	if (!execution->profile)
		return false;
	hwf_profile_walk_init(&execution->walk, execution->profile, execution->code);
	return true;
}

static void take(void *ctx, const struct hwf_flow_event *event)
{
	struct execution *execution = ctx;

	if (is_counted_here(execution))
		count_here(execution, event);
	end_sum(execution, event);
	/* what comes behind HWF_FLOW_COUNTED is given as counts, and joins itself */
	if (event->kind == HWF_FLOW_RANGE || event->kind == HWF_FLOW_COUNTED)
		gaps_resume(execution->input->gaps, event->offset);
	hwf_branches_push(&execution->branches, event);
	execution->space = execution->branches.space;
	switch (event->kind) {
	case HWF_FLOW_CONTEXT:
		execution->tid = input_context_thread(execution->source, &event->u.context.context,
						      execution->tid);
		break;
	case HWF_FLOW_TIMESTAMP:
		if (event->u.timestamp.value)
			execution->timestamp = event->u.timestamp.value;
		break;
	case HWF_FLOW_CYCLE_COUNT:
		execution->cycles += event->u.cycle_count.count;
		execution->has_cycles = true;
		break;
	case HWF_FLOW_Q_RANGE:
		take_gap(execution, event, "path unknown: the trace unit gave a Q element", "");
		break;
	case HWF_FLOW_GAP:
		take_gap(execution, event, hwf_gap_text(event->u.gap.reason),
			 hwf_gap_remedy(event->u.gap.reason));
		break;
	case HWF_FLOW_NO_SYNC:
		take_no_sync(execution, event);
		break;
	case HWF_FLOW_INSTRUMENTATION:
		take_instrumentation(execution, event);
		break;
	default:
		break;
	}
	if (execution->cut)
		pass(execution, event->offset);
}

/* As decode_options.steps, where nobody takes all ranges */
static void take_steps(void *ctx, const struct hwf_steps *steps)
{
	struct execution *execution = ctx;

	hwf_branches_steps(&execution->branches, steps, take, execution);
}

/* Counts of this process go to the sink, and those of a worker to the first process. */
static void take_counts(void *ctx, const struct hwf_profile *profile)
{
	struct execution *execution = ctx;
	const struct text_counts counts = {.source = execution->source,
					   .piece = execution->piece,
					   .tid = execution->tid,
					   .profile = profile};

	if (!text_ahead_counts(&counts))
		execution->sink->counts(execution->sink->ctx, execution, profile);
}

/* As text_work.counts */
static void take_counts_of_worker(void *ctx, const struct text_counts *counts)
{
	struct execution *execution = ctx;

	if (execution->piece != counts->piece)
		execution->code = input_code(execution->input, counts->source, counts->piece);
	execution->source = counts->source;
	execution->piece = counts->piece;
	execution->tid = counts->tid;
	execution->sink->counts(execution->sink->ctx, execution, counts->profile);
}

/* A piece that cannot be decoded is missing, whatever is selected of it. */
static void take_unsynced(struct execution *execution)
{
	struct gap gap;

	if (!sync_gap(execution->input, execution->source, execution->piece, &gap))
		return;
	gaps_add(execution->input->gaps, &gap);
	if (execution->sink->gap)
		execution->sink->gap(execution->sink->ctx, execution, &gap);
}

/* Samples have gaps between them on purpose: no trace was lost. */
static void take_sample(struct execution *execution)
{
	struct gap gap = gap_of_loss(execution->source, execution->piece);

	gap.reason = "a sample begins: the execution before its trace is not recorded";
	if (execution->sink->gap && cut_has(execution->cut, 0, execution->timestamp))
		execution->sink->gap(execution->sink->ctx, execution, &gap);
}

static struct decode_options how_of(struct execution *execution)
{
	return (struct decode_options){
		.sink = take,
		.counts = execution->sink->counts && !execution->sink->branch ? take_counts : NULL,
		.ctx = execution,
	};
}

/* As text_work.piece */
static int run_piece(void *ctx, const struct input_source *source, const struct input_piece *piece,
		     const struct input_part *part)
{
	struct execution *execution = ctx;
	struct decode_options how = how_of(execution);
	int status;

	if (execution->source != source)
		execution->cycles = 0;
	execution->source = source;
	execution->piece = piece;
	execution->tid = piece->tid;
	execution->timestamp = 0;
	execution->space = NULL;
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
	if (piece->is_sample && (!part || !part->span.from))
		take_sample(execution);
	hwf_branches_init(&execution->branches, execution->code,
			  execution->sink->branch ? take_branch : drop_branch,
			  execution->sink->range ? take_range : NULL, execution);
	execution->branches.m_profile = source->config.m_profile;
	execution->branches.sum = execution->cut ? NULL : execution->sink->sum;
	if (execution->branches.sum && !is_counted_here(execution))
		how.steps = take_steps;
	how.part = part;
	if (how.counts)
		how.code = text_ahead_code(execution->code);
	if (execution->cut) {
		how.part = &execution->cut->part;
		how.stop = &execution->cut->stop;
		how.counts = NULL;
	}
	if (is_counted_here(execution) && !begin_counts_here(execution)) {
		input_error(source->file, piece->at, "out of memory");
		return EXIT_UNREADABLE;
	}
	status = decode_piece(execution->input, source, piece, &how);
	give_sum(execution);
	if (is_counted_here(execution))
		give_counts_here(execution);
	if (execution->held_count && (!part || part->span.end == piece->length))
		release_held(execution);
	if (!status && (!part || part->span.end == piece->length))
		take_unsynced(execution);
	if (!(execution->cut && execution->cut->stop) && (!part || part->span.end == piece->length))
		gaps_resume(execution->input->gaps, piece->length);
	return status;
}

/* What the lines to come depend on: as text_work.state */
static void put_state(void *ctx, struct text_state *state)
{
	const struct execution *execution = ctx;
	const struct hwf_branches *branches = &execution->branches;
	const struct hwf_branch *pending = &branches->pending;

	state->unknown |= execution->held_count != 0;
	text_state_put(state, (uint32_t)execution->tid);
	text_state_put(state, execution->timestamp);
	text_state_put(state, (uint64_t)branches->joined << 8 | branches->has_pending);
	if (branches->joined) {
		text_state_put(state, branches->last);
		text_state_put(state, branches->after_last);
	}
	if (!branches->has_pending)
		return;
	text_state_put(state, pending->offset);
	text_state_put(state, pending->from);
	text_state_put(state, (uint64_t)pending->kind << 32 | pending->exception);
	text_state_put(state, (uint64_t)pending->taken << 24 | (uint64_t)pending->has_from << 16 |
				      (uint64_t)pending->has_to << 8 | pending->is_trap);
	if (!pending->is_trap)
		return;
	text_state_put(state, pending->trap.epc);
	text_state_put(state, pending->trap.tval);
	text_state_put(state, (uint64_t)pending->trap.cause << 32 |
				      (uint64_t)pending->trap.interrupt << 16 |
				      (uint64_t)pending->trap.has_epc << 8 |
				      pending->trap.has_tval);
}

static void restart_lines(void *ctx)
{
	const struct execution *execution = ctx;

	if (execution->sink->lines)
		execution->sink->lines(execution->sink->ctx);
}

static int run_pieces(struct execution *execution, const struct text_work *work)
{
	struct input *input = execution->input;
	const struct execution_sink *sink = execution->sink;
	const bool may_split = sink->lines || (sink->counts && !sink->branch && !sink->order);
	struct text_ahead *ahead = may_split ? text_ahead_new(input, work) : NULL;
	int status = 0;

	for (size_t i = 0; i < input->source_count && !status; i++) {
		const size_t at = sink->order ? sink->order[i] : i;
		const struct input_source *source = &input->sources[at];

		for (size_t j = 0; j < source->piece_count && !status; j++) {
			if (selection_has_enough(input, source))
				break;
			status = text_ahead_piece(ahead, work, source, &source->pieces[j]);
		}
	}
	text_ahead_free(ahead);
	return status;
}

/* A profile has counts, and no trace. */
static int give_stored(struct execution *execution)
{
	const struct input *input = execution->input;

	execution->source = &input->sources[0];
	execution->piece = &input->sources[0].pieces[0];
	execution->code = input_code(execution->input, execution->source, execution->piece);
	execution->sink->counts(execution->sink->ctx, execution, input_counts(input));
	return 0;
}

int execution_run(struct execution *execution, struct input *input,
		  const struct execution_sink *sink)
{
	const struct text_work work = {
		.piece = run_piece,
		.state = put_state,
		.counts = sink->counts ? take_counts_of_worker : NULL,
		.restart = restart_lines,
		.merge = sink->merge,
		.most = sink->counts ? MOST_COUNTED : 0,
		.ctx = execution,
	};
	size_t gaps;
	int status;

	*execution = (struct execution){.sink = sink, .input = input, .tid = INPUT_ANY};
	status = input->stored ? give_stored(execution) : run_pieces(execution, &work);
	free(execution->held);
	execution->held = NULL;
	hwf_profile_free(execution->profile);
	execution->profile = NULL;
	if (!status && execution->failed) {
		input_error(input->path, UINT64_MAX, "out of memory");
		status = EXIT_UNREADABLE;
	}
	if (status)
		return status;
	gaps_kinds(input->gaps, &gaps);
	if (input->stored)
		return gaps ? EXIT_GAPS : EXIT_GOOD;
	return sync_status(input, INPUT_SYNC_FLOW, gaps || input->damaged ? EXIT_GAPS : EXIT_GOOD);
}

int execution_run_part(struct execution *execution, struct input *input,
		       const struct execution_sink *sink)
{
	const int status = execution_run(execution, input, sink);

	if (status == EXIT_GAPS)
		return EXIT_GOOD;
	if (status == EXIT_UNREADABLE && !input_has_sync(input, INPUT_SYNC_FLOW))
		return EXIT_GOOD;
	return status;
}
