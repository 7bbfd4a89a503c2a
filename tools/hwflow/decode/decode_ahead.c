// SPDX-License-Identifier: GPL-2.0-only
/* Giving what workers decoded. */
#include "decode_ahead.h"

#include <stdlib.h>
#include <string.h>

#include "ahead.h"
#include "base/error.h"
#include "base/message.h"
#include "hwflow/transaction.h"
#include "record_events.h"

/* Bytes of trace in a shard at most: of counts, and of ranges, each of which is in the log */
#define MOST_COUNTED 0x200000u
#define MOST_GIVEN   0x40000u

/* struct counts - of a shard: a struct hwf_counts that grows, and its jumps */
struct counts {
	uint64_t *of;
	uint32_t *steps;
	struct hwf_jump *jumps;
	uint32_t *jump_numbers;
	uint32_t of_room;
	uint32_t step_room;
	uint32_t jump_room;
	uint32_t number_room;
	uint32_t step_count;
	uint32_t jump_count;
};

/**
 * struct decode_ahead - shards that were decoded, as they are given
 * @input: what is decoded
 * @shards: the shards
 * @recorder: of the workers
 * @check: what workers do with the events; NULL: they hand them on
 * @how: who takes the events of the piece
 * @code: program of the piece
 * @transactions: events in a transaction, if these are held back
 * @held: memory for them
 * @spaces: of the shard that is given, by number
 * @space_count: how many
 * @space_room: elements of @spaces
 * @nodes: of the shard that is given, by number
 * @node_count: how many, with number 0
 * @node_room: elements of @nodes
 * @counts: of the shard that is given
 * @each: of the next range
 * @failed: memory ran out
 */
struct decode_ahead {
	struct input *input;
	struct ahead *shards;
	struct event_recorder *recorder;
	const struct decode_check *check;
	const struct input_decode *how;
	const struct hwf_code *code;
	struct hwf_transactions transactions;
	struct hwf_flow_event *held;
	const void **spaces;
	uint32_t space_count;
	uint32_t space_room;
	struct hwf_node *nodes;
	uint32_t node_count;
	uint32_t node_room;
	struct counts counts;
	const uint8_t *each;
	bool failed;
};

/* ---- what the log says ---- */

/* Room for one element more; false without memory */
static bool grow(struct decode_ahead *ahead, void *array, uint32_t *room, uint32_t count,
		 size_t size)
{
	void **const pointer = array;
	void *larger;

	if (count < *room)
		return true;
	larger = reallocarray(*pointer, 2 * (size_t)count + 64, size);
	if (!larger) {
		ahead->failed = true;
		return false;
	}
	*pointer = larger;
	*room = 2 * count + 64;
	return true;
}

static void give_event(struct decode_ahead *ahead, const struct hwf_flow_event *event)
{
	if (ahead->how->raw_transactions)
		ahead->how->sink(ahead->how->ctx, event);
	else
		hwf_transactions_push(&ahead->transactions, event);
}

static void take_event(struct decode_ahead *ahead, const void *data)
{
	struct hwf_flow_event event;

	memcpy(&event, data, sizeof(event));
	if (event.kind == HWF_FLOW_RANGE)
		event.u.range.each = ahead->each;
	ahead->each = NULL;
	give_event(ahead, &event);
}

static void take_space(struct decode_ahead *ahead, const struct hwf_context *context)
{
	if (grow(ahead, &ahead->spaces, &ahead->space_room, ahead->space_count,
		 sizeof(*ahead->spaces)))
		ahead->spaces[ahead->space_count++] = ahead->code->space(ahead->code->ctx, context);
}

static void take_node(struct decode_ahead *ahead, const struct hwf_node *node)
{
	const uintptr_t space = (uintptr_t)node->space;

	if (!grow(ahead, &ahead->nodes, &ahead->node_room, ahead->node_count,
		  sizeof(*ahead->nodes)))
		return;
	ahead->nodes[ahead->node_count] = *node;
	ahead->nodes[ahead->node_count++].space =
		space && space <= ahead->space_count ? ahead->spaces[space - 1] : NULL;
}

static void give_steps_event(void *ctx, const struct hwf_flow_event *event)
{
	give_event(ctx, event);
}

static void take_steps(struct decode_ahead *ahead, const uint64_t *words, size_t count)
{
	const struct hwf_graph graph = {.nodes = ahead->nodes, .used = ahead->node_count};
	const struct hwf_steps steps = {
		.graph = &graph, .offset = *words, .step = words + 1, .count = count - 1};

	hwf_steps_each(&steps, give_steps_event, ahead);
}

static void take_count(struct decode_ahead *ahead, const struct work_count *count)
{
	struct counts *counts = &ahead->counts;

	if (!grow(ahead, &counts->of, &counts->of_room, count->step, sizeof(*counts->of)) ||
	    !grow(ahead, &counts->steps, &counts->step_room, counts->step_count,
		  sizeof(*counts->steps)))
		return;
	counts->of[count->step] = count->times;
	counts->steps[counts->step_count++] = count->step;
}

static void take_jump(struct decode_ahead *ahead, const struct hwf_jump *jump)
{
	struct counts *counts = &ahead->counts;

	if (!grow(ahead, &counts->jumps, &counts->jump_room, counts->jump_count,
		  sizeof(*counts->jumps)) ||
	    !grow(ahead, &counts->jump_numbers, &counts->number_room, counts->jump_count,
		  sizeof(*counts->jump_numbers)))
		return;
	counts->jumps[counts->jump_count] = *jump;
	counts->jump_numbers[counts->jump_count] = counts->jump_count;
	counts->jump_count++;
}

static void give_counts(struct decode_ahead *ahead)
{
	struct counts *counts = &ahead->counts;
	struct hwf_graph graph = {
		.nodes = ahead->nodes,
		.used = ahead->node_count,
		.jumps = counts->jumps,
		.counts = {.of = counts->of,
			   .steps = counts->steps,
			   .step_count = counts->step_count,
			   .jumps = counts->jump_numbers,
			   .jump_count = counts->jump_count},
	};

	ahead->how->counts(ahead->how->ctx, &graph);
	counts->step_count = 0;
	counts->jump_count = 0;
}

static bool start_shard(void *ctx, const struct shard *shard)
{
	struct decode_ahead *ahead = ctx;

	ahead->space_count = 0;
	ahead->node_count = 1;
	ahead->each = NULL;
	return !ahead->check || ahead->check->start(ahead->check->ctx, shard);
}

static void take_entry(void *ctx, const struct work_entry *entry)
{
	struct decode_ahead *ahead = ctx;

	switch (entry->kind) {
	case WORK_MESSAGE:
		message_once("%s", (const char *)entry->data);
		break;
	case WORK_EACH:
		ahead->each = entry->data;
		break;
	case WORK_EVENT:
		take_event(ahead, entry->data);
		break;
	case WORK_SPACE:
		take_space(ahead, entry->data);
		break;
	case WORK_NODE:
		take_node(ahead, entry->data);
		break;
	case WORK_STEPS:
		take_steps(ahead, entry->data, entry->size / 8);
		break;
	case WORK_COUNT:
		take_count(ahead, entry->data);
		break;
	case WORK_JUMP:
		take_jump(ahead, entry->data);
		break;
	case WORK_COUNTED:
		give_counts(ahead);
		break;
	case WORK_CHECKED:
		ahead->check->take(ahead->check->ctx, entry->data);
		break;
	default:
		break;
	}
}

/* ---- shards that are decoded again, here ---- */

/* struct again - a shard; what is before it was given already */
struct again {
	const struct decode_ahead *ahead;
	const struct shard *shard;
	const struct input_decode *how;
	bool begun;
};

static void take_again(void *ctx, const struct hwf_flow_event *event)
{
	const struct again *again = ctx;

	if (again->begun)
		again->how->sink(again->how->ctx, event);
}

static void take_back_again(void *ctx, const struct hwf_flow_event *event)
{
	const struct again *again = ctx;

	if (again->begun)
		again->how->taken_back(again->how->ctx, event);
}

static void count_again(void *ctx, struct hwf_graph *graph)
{
	const struct again *again = ctx;

	/* nothing is counted before */
	again->how->counts(again->how->ctx, graph);
}

static void reached_again(void *ctx, size_t at, const uint8_t *state, size_t size)
{
	struct again *again = ctx;

	if (at == again->shard->span.begin)
		again->begun = true;
	else
		ahead_reached(again->ahead->shards, state, size);
}

static int decode_again(void *ctx, const struct shard *shard)
{
	struct decode_ahead *ahead = ctx;
	const struct input_decode *how = ahead->how;
	struct again again = {
		.ahead = ahead, .shard = shard, .how = how, .begun = !shard->span.begin};
	const struct input_part part = {
		.span = shard->span, .reached = reached_again, .ctx = &again};
	struct input_decode later = *how;

	later.sink = take_again;
	later.taken_back = how->taken_back ? take_back_again : NULL;
	later.counts = how->counts ? count_again : NULL;
	later.ctx = &again;
	later.part = &part;
	return input_decode_here(ahead->input, shard->source, shard->piece, &later);
}

/* ---- in the workers ---- */

static void begin_worker(void *ctx)
{
	struct decode_ahead *ahead = ctx;

	ahead->input->ahead = NULL;
}

static void record_shard(void *ctx, const struct shard *shard, struct work_log *log)
{
	const struct decode_ahead *ahead = ctx;

	if (ahead->check && ahead->check->check(ahead->check->ctx, shard, log))
		return;
	event_recorder_shard(ahead->recorder, shard, log);
}

static void ask(void *ctx, const struct shard *shards, size_t count, struct work_log *log)
{
	const struct decode_ahead *ahead = ctx;

	ahead->check->questions.ask(ahead->check->ctx, shards, count, log);
}

static bool answer(void *ctx, const struct shard *shards, size_t count, const uint8_t *questions,
		   struct work_log *answers, bool is_next)
{
	const struct decode_ahead *ahead = ctx;

	return ahead->check->questions.answer(ahead->check->ctx, shards, count, questions, answers,
					      is_next);
}

static void answered(void *ctx, const uint8_t *answers)
{
	const struct decode_ahead *ahead = ctx;

	ahead->check->questions.answered(ahead->check->ctx, answers);
}

/* ---- the interface ---- */

void decode_ahead(struct input *input, const struct input_source *sources, size_t count,
		  const struct input_decode *how, const struct decode_check *check)
{
	static const struct work_questions questions = {ask, answer, answered};
	struct ahead_work work = {
		.begin = begin_worker,
		.shard = record_shard,
		.start = start_shard,
		.entry = take_entry,
		.again = decode_again,
		.most = how->counts ? MOST_COUNTED : MOST_GIVEN,
		.warmth = AHEAD_WARMTH,
		.questions = check ? &questions : NULL,
	};
	struct decode_ahead *ahead;

	decode_ahead_end(input);
	if (input->jobs < 2)
		return;
	ahead = calloc(1, sizeof(*ahead));
	if (!ahead)
		return;
	ahead->input = input;
	ahead->check = check;
	input->ahead = ahead;
	ahead->held = malloc(INPUT_HELD_EVENTS * sizeof(*ahead->held));
	ahead->recorder = event_recorder_new(input, how);
	work.ctx = ahead;
	if (ahead->held && ahead->recorder)
		ahead->shards = ahead_new(input, sources, count, &work);
	if (!ahead->shards)
		decode_ahead_end(input);
}

/* What was decoded of a piece is given, and @status set; false if nothing was decoded of it. */
static bool take_piece(struct input *input, const struct input_source *source,
		       const struct input_piece *piece, const struct input_decode *how, int *status)
{
	struct decode_ahead *ahead = input->ahead;

	if (!ahead_is_next(ahead->shards, piece)) {
		decode_ahead_end(input);
		return false;
	}
	ahead->how = how;
	ahead->code = input_code(input, source, piece);
	if (!ahead->code)
		return false;
	hwf_transactions_init(&ahead->transactions, ahead->held, INPUT_HELD_EVENTS, how->sink,
			      how->taken_back, how->ctx);
	*status = ahead_take(ahead->shards, how->stop);
	if (ahead->failed) {
		input_error(input->path, UINT64_MAX, "out of memory");
		*status = EXIT_UNREADABLE;
	}
	return true;
}

void decode_ahead_end(struct input *input)
{
	struct decode_ahead *ahead = input->ahead;

	if (!ahead)
		return;
	input->ahead = NULL;
	ahead_free(ahead->shards);
	event_recorder_free(ahead->recorder);
	free(ahead->held);
	free(ahead->spaces);
	free(ahead->nodes);
	free(ahead->counts.of);
	free(ahead->counts.steps);
	free(ahead->counts.jumps);
	free(ahead->counts.jump_numbers);
	free(ahead);
}

int input_decode(struct input *input, const struct input_source *source,
		 const struct input_piece *piece, const struct input_decode *how)
{
	int status;

	if (input->ahead && take_piece(input, source, piece, how, &status))
		return status;
	return input_decode_here(input, source, piece, how);
}
