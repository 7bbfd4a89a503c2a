// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events, ranges and counts to a log. Nodes of the graph, and address spaces, are known to this
 * process alone: the log has each of them once, in front of what refers to it, and has numbers from
 * there on.
 */
#include "record_events.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"

/* struct known_space - an address space, and a context that has it */
struct known_space {
	const void *space;
	struct hwf_context context;
};

/* struct known_node - number of a node in the log, if it has the shard's stamp */
struct known_node {
	uint32_t stamp;
	uint32_t number;
};

/**
 * struct event_recorder - see record_events.h
 * @input: what is decoded
 * @how: the options
 * @log: takes the entries
 * @shard: that is decoded
 * @real: its program
 * @code: the same, but that spaces are written to the log
 * @spaces: of the shard; their numbers begin with 1
 * @space_count: how many
 * @nodes: by number in the graph
 * @node_room: elements of @nodes
 * @node_count: nodes that the log has; their numbers begin with 1
 * @stamp: of nodes that the log of this shard has, as numbered since the graph forgot its nodes
 * last
 * @flushes: how often it had forgotten them then
 */
struct event_recorder {
	struct input *input;
	struct input_decode how;
	struct work_log *log;
	const struct shard *shard;
	const struct hwf_code *real;
	struct hwf_code code;
	struct known_space *spaces;
	uint32_t space_count;
	struct known_node *nodes;
	uint32_t node_room;
	uint32_t node_count;
	uint32_t stamp;
	uint32_t flushes;
};

struct event_recorder *event_recorder_new(struct input *input, const struct input_decode *how)
{
	struct event_recorder *recorder = calloc(1, sizeof(*recorder));

	if (!recorder)
		return NULL;
	recorder->input = input;
	recorder->how = *how;
	return recorder;
}

void event_recorder_free(struct event_recorder *recorder)
{
	if (!recorder)
		return;
	free(recorder->spaces);
	free(recorder->nodes);
	free(recorder);
}

static void record_message(void *ctx, const char *line)
{
	const struct event_recorder *recorder = ctx;

	work_log_copy(recorder->log, WORK_MESSAGE, line, strlen(line) + 1);
}

/* ---- the program ---- */

/* The number of a space; 0 for none */
static uint32_t space_number(const struct event_recorder *recorder, const void *space)
{
	uint32_t number = recorder->space_count;

	while (number && recorder->spaces[number - 1].space != space)
		number--;
	return number;
}

static void add_space(struct event_recorder *recorder, const void *space,
		      const struct hwf_context *context)
{
	struct known_space *spaces = reallocarray(recorder->spaces, recorder->space_count + 1,
						  sizeof(*recorder->spaces));

	if (!spaces) {
		work_log_fail(recorder->log);
		return;
	}
	recorder->spaces = spaces;
	spaces[recorder->space_count++] = (struct known_space){space, *context};
	work_log_copy(recorder->log, WORK_SPACE, context, sizeof(*context));
}

static const void *find_space(void *ctx, const struct hwf_context *context)
{
	struct event_recorder *recorder = ctx;
	const void *space = recorder->real->space(recorder->real->ctx, context);

	if (space && !space_number(recorder, space))
		add_space(recorder, space, context);
	return space;
}

static size_t read_code(void *ctx, const void *space, uint64_t address, void *bytes, size_t length)
{
	const struct event_recorder *recorder = ctx;

	return recorder->real->read(recorder->real->ctx, space, address, bytes, length);
}

static void find_run(void *ctx, const void *space, uint64_t address, enum hwf_isa isa,
		     struct hwf_run *run)
{
	const struct event_recorder *recorder = ctx;

	recorder->real->run(recorder->real->ctx, space, address, isa, run);
}

/* ---- nodes ---- */

/* From here on no node is known to the log. */
static void forget_nodes(struct event_recorder *recorder)
{
	recorder->stamp++;
}

static bool make_room(struct event_recorder *recorder, const struct hwf_graph *graph)
{
	if (recorder->flushes != graph->flushes)
		forget_nodes(recorder);
	recorder->flushes = graph->flushes;
	if (recorder->node_room < graph->size) {
		free(recorder->nodes);
		recorder->nodes = calloc(graph->size, sizeof(*recorder->nodes));
		recorder->node_room = recorder->nodes ? graph->size : 0;
	}
	if (!recorder->nodes)
		work_log_fail(recorder->log);
	return recorder->nodes;
}

/* The number of a node in the log, which has it from here on */
static uint32_t log_node(struct event_recorder *recorder, const struct hwf_graph *graph,
			 uint32_t number)
{
	struct known_node *known = &recorder->nodes[number];
	struct hwf_node node;

	if (known->stamp == recorder->stamp)
		return known->number;
	*known = (struct known_node){recorder->stamp, ++recorder->node_count};
	node = *hwf_graph_node(graph, number);
	node.space = (const void *)(uintptr_t)space_number(recorder, node.space);
	work_log_copy(recorder->log, WORK_NODE, &node, sizeof(node));
	return known->number;
}

static uint32_t log_step(struct event_recorder *recorder, const struct hwf_graph *graph,
			 uint32_t step)
{
	return HWF_STEP(log_node(recorder, graph, HWF_STEP_NODE(step)), HWF_STEP_TAKEN(step));
}

/* ---- what is decoded ---- */

static void record_event(void *ctx, const struct hwf_flow_event *event)
{
	const struct event_recorder *recorder = ctx;

	if (event->kind == HWF_FLOW_RANGE && event->u.range.each)
		work_log_copy(recorder->log, WORK_EACH, event->u.range.each,
			      event->u.range.instructions);
	work_log_copy(recorder->log, WORK_EVENT, event, sizeof(*event));
}

static void record_steps(void *ctx, const struct hwf_steps *steps)
{
	struct event_recorder *recorder = ctx;
	uint64_t *to;

	if (!make_room(recorder, steps->graph))
		return;
	/* the nodes stand before them */
	for (size_t i = 0; i < steps->count; i++) {
		if ((uint32_t)steps->step[i] == HWF_STEP_CYCLES)
			i++;
		else
			log_node(recorder, steps->graph, HWF_STEP_NODE(steps->step[i]));
	}
	to = work_log_put(recorder->log, WORK_STEPS, 8 * (1 + steps->count));
	if (!to)
		return;
	*to++ = steps->offset;
	for (size_t i = 0; i < steps->count; i++) {
		const uint64_t step = steps->step[i];

		if ((uint32_t)step == HWF_STEP_CYCLES) {
			to[i] = step;
			i++;
			to[i] = steps->step[i];
			continue;
		}
		to[i] = (step >> 32) << 32 | log_step(recorder, steps->graph, (uint32_t)step);
	}
}

static void record_counts(void *ctx, struct hwf_graph *graph)
{
	struct event_recorder *recorder = ctx;
	const struct hwf_counts *counts = &graph->counts;

	if (!make_room(recorder, graph))
		return;
	for (uint32_t i = 0; i < counts->step_count; i++) {
		const uint32_t step = counts->steps[i];
		struct work_count count = {.times = HWF_COUNT(counts->of[step])};

		if (!count.times)
			continue;
		count.step = log_step(recorder, graph, step);
		work_log_copy(recorder->log, WORK_COUNT, &count, sizeof(count));
	}
	for (uint32_t i = 0; i < counts->jump_count; i++) {
		struct hwf_jump jump = graph->jumps[counts->jumps[i]];

		if (!jump.uses)
			continue;
		jump.from = log_node(recorder, graph, jump.from);
		work_log_copy(recorder->log, WORK_JUMP, &jump, sizeof(jump));
	}
	work_log_copy(recorder->log, WORK_COUNTED, NULL, 0);
}

/* What stands before the beginning of the shard is another one's. */
static void begin_here(struct event_recorder *recorder)
{
	work_log_restart(recorder->log);
	recorder->node_count = 0;
	forget_nodes(recorder);
	for (uint32_t i = 0; i < recorder->space_count; i++)
		work_log_copy(recorder->log, WORK_SPACE, &recorder->spaces[i].context,
			      sizeof(recorder->spaces[i].context));
}

static void reached(void *ctx, size_t at, const uint8_t *state, size_t size)
{
	struct event_recorder *recorder = ctx;
	const bool begins = at == recorder->shard->span.begin;

	if (begins)
		begin_here(recorder);
	if (size)
		work_log_copy(recorder->log, begins ? WORK_BEGIN : WORK_END, state, size);
	else
		work_log_fail(recorder->log);
}

void event_recorder_shard(struct event_recorder *recorder, const struct shard *shard,
			  struct work_log *log)
{
	const struct input_part part = {.span = shard->span, .reached = reached, .ctx = recorder};
	struct input_decode how = recorder->how;

	recorder->log = log;
	recorder->shard = shard;
	recorder->space_count = 0;
	recorder->node_count = 0;
	forget_nodes(recorder);
	message_forward(record_message, recorder);
	recorder->real = input_code(recorder->input, shard->source, shard->piece);
	if (!recorder->real || input_is_split(recorder->input)) {
		work_log_fail(log);
		return;
	}
	recorder->code = (struct hwf_code){.ctx = recorder,
					   .space = recorder->real->space ? find_space : NULL,
					   .read = read_code,
					   .run = recorder->real->run ? find_run : NULL};
	how.sink = record_event;
	how.taken_back = NULL;
	how.ctx = recorder;
	how.raw_transactions = true;
	how.counts = how.counts ? record_counts : NULL;
	how.steps = how.counts ? NULL : record_steps;
	how.stop = NULL;
	how.part = &part;
	how.code = &recorder->code;
	if (input_decode_here(recorder->input, shard->source, shard->piece, &how))
		work_log_fail(log);
}
