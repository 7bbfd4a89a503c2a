// SPDX-License-Identifier: GPL-2.0-only
/* In a worker: shards are decoded, and compared when their place in the log is known. */
#include "base/array.h"
#include "verify_shard.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "hwflow/graph.h"
#include "decode/loop.h"
#include "verify_riscv.h"
#include "verify_stretches.h"

/* Records that are not freed between two batches */
#define RECORDS_KEPT 0x40000u

/**
 * struct record - instructions that follow each other, or another event
 * @address: of the first instruction; of another event its index in those of the batch
 * @count: instructions; 0: another event
 * @isa: of instructions
 */
struct record {
	uint64_t address;
	uint32_t count;
	uint8_t isa;
};

/* struct bytes - of any size */
struct bytes {
	uint8_t *data;
	size_t size;
};

/**
 * struct decoded - a shard
 * @question: what is asked of it
 * @records: number of the first record
 * @record_count: how many it has
 * @begin: state of the decoder where it begins
 * @end: and where it ends
 * @messages: lines for standard error, each with its 0
 */
struct decoded {
	struct verify_question question;
	size_t records;
	size_t record_count;
	struct bytes begin;
	struct bytes end;
	struct bytes messages;
};

/**
 * struct verify_shards - see verify_shard.h
 * @input: that is decoded
 * @thread: how shards are compared
 * @shard: that is decoded
 * @at: the same
 * @end: address behind the last record
 * @is_user: code of a program is executed, by the last context
 * @records: of all shards of the batch
 * @record_count: how many
 * @record_room: elements of @records
 * @events: of the records that are no instructions
 * @event_count: how many
 * @event_room: elements of @events
 * @list: the shards
 * @list_count: how many
 * @list_room: elements of @list
 * @next: the shard that is compared next
 * @answers: the answers
 * @answer: offset of the answer of @next
 */
struct verify_shards {
	struct input *input;
	const struct verify_thread *thread;
	const struct shard *shard;
	struct decoded *at;
	uint64_t end;
	bool is_user;
	struct record *records;
	size_t record_count;
	size_t record_room;
	struct hwf_flow_event *events;
	size_t event_count;
	size_t event_room;
	struct decoded *list;
	size_t list_count;
	size_t list_room;
	size_t next;
	const uint8_t *answers;
	size_t answer;
};

struct verify_shards *verify_shards_new(struct input *input, const struct verify_thread *thread)
{
	struct verify_shards *shards = calloc(1, sizeof(*shards));

	if (!shards)
		return NULL;
	shards->input = input;
	shards->thread = thread;
	return shards;
}

static void clear(struct verify_shards *shards)
{
	for (size_t i = 0; i < shards->list_count; i++) {
		free(shards->list[i].begin.data);
		free(shards->list[i].end.data);
		free(shards->list[i].messages.data);
	}
	shards->list_count = 0;
	shards->record_count = 0;
	shards->event_count = 0;
	shards->next = 0;
	if (shards->record_room > RECORDS_KEPT) {
		free(shards->records);
		shards->records = NULL;
		shards->record_room = 0;
	}
}

void verify_shards_free(struct verify_shards *shards)
{
	if (!shards)
		return;
	clear(shards);
	free(shards->records);
	free(shards->events);
	free(shards->list);
	free(shards);
}

/* ---- decoding ---- */

/* The shard has what a worker cannot compare. */
static void give_up(struct verify_shards *shards)
{
	shards->at->question.is_plain = false;
}

static void add_bytes(struct verify_shards *shards, struct bytes *bytes, const void *data,
		      size_t size)
{
	uint8_t *larger = realloc(bytes->data, bytes->size + size + 1);

	if (!larger) {
		give_up(shards);
		return;
	}
	memcpy(larger + bytes->size, data, size);
	bytes->data = larger;
	bytes->size += size;
}

static void add_record(struct verify_shards *shards, const struct record *record)
{
	struct record *records = array_room(shards->records, shards->record_count,
					    &shards->record_room, sizeof(*records));

	if (!records) {
		give_up(shards);
		return;
	}
	shards->records = records;
	shards->records[shards->record_count++] = *record;
	shards->at->record_count++;
}

/* Instructions, the first of them at @first; without any an exception or trap, which returns there
 */
static void add_steps(struct verify_question *question, uint64_t first, uint64_t instructions)
{
	if (!question->instructions && !question->exceptions) {
		question->first = first;
		question->begins_with_exception = !instructions;
	}
	question->instructions += instructions;
	question->exceptions = instructions ? 0 : question->exceptions + 1;
	question->has_trace_on = false;
}

/* In code of the kernel the thread is compared at the end of each range: these ranges are not
 * joined.
 */
static bool may_join(const struct verify_shards *shards)
{
	return shards->is_user || !shards->thread->log.is_cpu;
}

static void add_run(struct verify_shards *shards, uint64_t start, uint64_t end,
		    uint32_t instructions, uint8_t isa)
{
	struct record *last = NULL;

	if (!instructions)
		return;
	if (shards->at->record_count && may_join(shards))
		last = &shards->records[shards->record_count - 1];
	if (last && last->count && shards->end == start && last->isa == isa &&
	    last->count <= UINT32_MAX - instructions)
		last->count += instructions;
	else
		add_record(shards,
			   &(struct record){.address = start, .count = instructions, .isa = isa});
	add_steps(&shards->at->question, start, instructions);
	shards->end = end;
}

static void add_event(struct verify_shards *shards, const struct hwf_flow_event *event)
{
	struct hwf_flow_event *events = array_room(shards->events, shards->event_count,
						   &shards->event_room, sizeof(*events));

	if (!events) {
		give_up(shards);
		return;
	}
	shards->events = events;
	add_record(shards, &(struct record){.address = shards->event_count});
	shards->events[shards->event_count++] = *event;
}

static void take_exception(struct verify_question *question, uint16_t type, uint64_t ret)
{
	if (!question->instructions && !question->exceptions)
		question->exception = type;
	add_steps(question, ret, 0);
}

static void take_context(struct verify_shards *shards, const struct hwf_flow_event *event)
{
	const struct hwf_context *context = &event->u.context.context;

	shards->is_user = !context->el_unknown && !context->el;
	shards->at->question.context = *event;
	shards->at->question.has_context = true;
}

static void take_event(void *ctx, const struct hwf_flow_event *event)
{
	struct verify_shards *shards = ctx;
	const struct verify_thread *thread = shards->thread;
	struct verify_question *question = &shards->at->question;

	if (verify_is_gap(event, thread->filtered, thread->code_gaps))
		give_up(shards);
	switch (event->kind) {
	case HWF_FLOW_RANGE:
		add_run(shards, event->u.range.start, event->u.range.end,
			event->u.range.instructions, event->u.range.isa);
		return;
	case HWF_FLOW_EXCEPTION:
		take_exception(question, event->u.exception.type, event->u.exception.ret);
		break;
	case HWF_FLOW_TRAP:
		/* after lost trace, verify does not compare such a trap */
		if (!event->u.trap.has_epc && !question->instructions && !question->exceptions)
			give_up(shards);
		take_exception(question, verify_riscv_type(&event->u.trap), event->u.trap.epc);
		break;
	case HWF_FLOW_CONTEXT:
		take_context(shards, event);
		break;
	case HWF_FLOW_TRACE_ON:
		question->has_trace_on = true;
		break;
	case HWF_FLOW_NO_SYNC:
		break;
	case HWF_FLOW_EXCEPTION_RETURN:
	case HWF_FLOW_CYCLE_COUNT:
	case HWF_FLOW_TIMESTAMP:
	case HWF_FLOW_TIMESTAMP_MARKER:
	case HWF_FLOW_EVENT:
	case HWF_FLOW_INSTRUMENTATION:
	case HWF_FLOW_TRIGGER:
	case HWF_FLOW_MODE:
	case HWF_FLOW_END:
		return;
	default:
		give_up(shards);
		return;
	}
	add_event(shards, event);
}

static void take_steps(void *ctx, const struct hwf_steps *steps)
{
	struct verify_shards *shards = ctx;

	for (size_t i = 0; i < steps->count; i++) {
		const uint32_t step = (uint32_t)steps->step[i];
		const struct hwf_node *node;

		if (step == HWF_STEP_CYCLES) {
			i++;
			continue;
		}
		node = hwf_graph_node(steps->graph, HWF_STEP_NODE(step));
		add_run(shards, node->start, node->end, node->instructions, node->isa);
	}
}

static void take_message(void *ctx, const char *line)
{
	struct verify_shards *shards = ctx;

	add_bytes(shards, &shards->at->messages, line, strlen(line) + 1);
}

/* What stands before the beginning of the shard is another one's. */
static void reached(void *ctx, size_t at, const uint8_t *state, size_t size)
{
	struct verify_shards *shards = ctx;
	struct decoded *decoded = shards->at;

	if (at != shards->shard->span.begin) {
		add_bytes(shards, &decoded->end, state, size);
		if (!size)
			give_up(shards);
		return;
	}
	shards->record_count = decoded->records;
	decoded->record_count = 0;
	decoded->messages.size = 0;
	decoded->question = (struct verify_question){.is_plain = size != 0};
	add_bytes(shards, &decoded->begin, state, size);
}

static void decode(struct verify_shards *shards, const struct shard *shard)
{
	const struct input_part part = {.span = shard->span, .reached = reached, .ctx = shards};
	const struct decode_options how = {.sink = take_event,
					   .ctx = shards,
					   .steps = take_steps,
					   .raw_transactions = true,
					   .part = &part};

	shards->shard = shard;
	shards->is_user = false;
	*shards->at =
		(struct decoded){.question = {.is_plain = true}, .records = shards->record_count};
	message_forward(take_message, shards);
	if (decode_piece(shards->input, shard->source, shard->piece, &how) ||
	    input_is_split(shards->input))
		give_up(shards);
	if (!shards->at->question.is_plain)
		shards->record_count = shards->at->records;
}

void verify_shards_ask(struct verify_shards *shards, const struct shard *batch, size_t count,
		       struct work_log *log)
{
	clear(shards);
	for (size_t i = 0; i < count; i++) {
		struct decoded *list = array_room(shards->list, shards->list_count,
						  &shards->list_room, sizeof(*list));

		/* what is not asked is not answered, nor compared */
		if (!list)
			return;
		shards->list = list;
		shards->at = &shards->list[shards->list_count++];
		decode(shards, &batch[i]);
		work_log_copy(log, WORK_QUESTION, &shards->at->question,
			      sizeof(shards->at->question));
	}
}

/* ---- comparing ---- */

void verify_shards_answered(struct verify_shards *shards, const uint8_t *answers)
{
	struct work_entry entry;

	shards->answers = answers;
	shards->answer = work_log_next(answers, 0, &entry);
}

/* The state of the comparison before the next shard; false if it is not known */
static bool next_answer(struct verify_shards *shards, struct verify_thread *thread)
{
	struct work_entry entry;
	const size_t after = work_log_next(shards->answers, shards->answer, &entry);

	if (entry.kind != WORK_ANSWER)
		return false;
	shards->answer = after;
	if (!entry.size)
		return false;
	memcpy(thread, entry.data, sizeof(*thread));
	truth_reader_receive(&thread->log.reader);
	return true;
}

static void compare(struct verify_thread *thread, const struct verify_shards *shards,
		    const struct decoded *decoded)
{
	struct hwf_flow_event range = {.kind = HWF_FLOW_RANGE};

	for (size_t i = 0; i < decoded->record_count && !thread->wrong && !thread->log.error; i++) {
		const struct record *record = &shards->records[decoded->records + i];

		if (record->count) {
			range.u.range.start = record->address;
			range.u.range.instructions = record->count;
			range.u.range.isa = record->isa;
			verify_take(thread, &range);
		} else {
			verify_take(thread, &shards->events[record->address]);
		}
	}
}

static void put_found(const struct decoded *decoded, const struct verify_thread *thread,
		      const struct shard *shard, struct work_log *log)
{
	if (shard->span.begin)
		work_log_copy(log, WORK_BEGIN, decoded->begin.data, decoded->begin.size);
	for (size_t at = 0; at < decoded->messages.size;) {
		const char *line = (const char *)decoded->messages.data + at;
		const size_t size = strlen(line) + 1;

		work_log_copy(log, WORK_MESSAGE, line, size);
		at += size;
	}
	work_log_copy(log, WORK_CHECKED, thread, sizeof(*thread));
	if (shard->span.end != shard->piece->length)
		work_log_copy(log, WORK_END, decoded->end.data, decoded->end.size);
}

bool verify_shards_check(struct verify_shards *shards, const struct shard *shard,
			 struct work_log *log)
{
	const struct decoded *decoded;
	struct verify_thread thread;
	uint64_t total = 0;
	bool is_equal;

	if (shards->next >= shards->list_count)
		return false;
	decoded = &shards->list[shards->next++];
	if (!next_answer(shards, &thread))
		return false;
	thread.counts = (struct verify_counts){0};
	thread.total = &total;
	compare(&thread, shards, decoded);
	is_equal = !thread.wrong && !thread.log.error;
	if (is_equal)
		put_found(decoded, &thread, shard, log);
	return is_equal;
}
