// SPDX-License-Identifier: GPL-2.0-only
/* In a worker: shards are decoded, and compared when their place in the log is known. */
#include "verify_shard.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "hwflow/graph.h"

/* Records that are not freed between two batches */
#define RECORDS_KEPT 0x40000u

/**
 * struct record - instructions that follow each other, or an exception
 * @address: of the first instruction; of an exception the return address
 * @count: instructions; 0: an exception
 * @isa: of instructions
 * @type: of an exception
 */
struct record {
	uint64_t address;
	uint32_t count;
	uint8_t isa;
	uint16_t type;
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
 * @context: the last, if @has_context
 * @has_context: it has a context
 */
struct decoded {
	struct verify_question question;
	size_t records;
	size_t record_count;
	struct bytes begin;
	struct bytes end;
	struct bytes messages;
	struct hwf_flow_context context;
	bool has_context;
};

/**
 * struct verify_shards - see verify_shard.h
 * @input: that is decoded
 * @thread: how shards are compared
 * @shard: that is decoded
 * @at: the same
 * @end: address behind the last record
 * @records: of all shards of the batch
 * @record_count: how many
 * @record_room: elements of @records
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
	struct record *records;
	size_t record_count;
	size_t record_room;
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
	struct verify_question *question = &shards->at->question;

	if (!shards->records || shards->record_count == shards->record_room) {
		const size_t room = 2 * shards->record_room + 1024;
		struct record *larger = reallocarray(shards->records, room, sizeof(*larger));

		if (!larger) {
			give_up(shards);
			return;
		}
		shards->records = larger;
		shards->record_room = room;
	}
	if (!shards->at->record_count) {
		question->first = record->address;
		question->is_exception = !record->count;
		question->exception = record->type;
	}
	question->steps += record->count ? record->count : 1;
	shards->records[shards->record_count++] = *record;
	shards->at->record_count++;
}

static void add_run(struct verify_shards *shards, uint64_t start, uint64_t end,
		    uint32_t instructions, uint8_t isa)
{
	struct record *last = NULL;

	if (!instructions)
		return;
	if (shards->at->record_count)
		last = &shards->records[shards->record_count - 1];
	if (last && last->count && shards->end == start && last->isa == isa &&
	    last->count <= UINT32_MAX - instructions) {
		last->count += instructions;
		shards->at->question.steps += instructions;
	} else {
		add_record(shards,
			   &(struct record){.address = start, .count = instructions, .isa = isa});
	}
	shards->end = end;
}

static void take_no_sync(struct verify_shards *shards, const struct hwf_el_no_sync *no_sync)
{
	if (shards->shard->piece->lost && no_sync->error == HWF_ERR_NEED_MORE)
		return;
	if (no_sync->reason != HWF_NO_SYNC_INIT && no_sync->reason != HWF_NO_SYNC_DISCARD)
		give_up(shards);
}

static void take_event(void *ctx, const struct hwf_flow_event *event)
{
	struct verify_shards *shards = ctx;

	switch (event->kind) {
	case HWF_FLOW_RANGE:
		add_run(shards, event->u.range.start, event->u.range.end,
			event->u.range.instructions, event->u.range.isa);
		break;
	case HWF_FLOW_EXCEPTION:
		add_record(shards, &(struct record){.address = event->u.exception.ret,
						    .type = event->u.exception.type});
		break;
	case HWF_FLOW_CONTEXT:
		shards->at->context = event->u.context;
		shards->at->has_context = true;
		break;
	case HWF_FLOW_TRACE_ON:
		if (shards->thread->filtered || event->u.overflow)
			give_up(shards);
		break;
	case HWF_FLOW_NO_SYNC:
		take_no_sync(shards, &event->u.no_sync);
		break;
	case HWF_FLOW_EXCEPTION_RETURN:
	case HWF_FLOW_CYCLE_COUNT:
	case HWF_FLOW_TIMESTAMP:
	case HWF_FLOW_TIMESTAMP_MARKER:
	case HWF_FLOW_EVENT:
	case HWF_FLOW_INSTRUMENTATION:
	case HWF_FLOW_TRIGGER:
	case HWF_FLOW_END:
		break;
	default:
		give_up(shards);
		break;
	}
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
	decoded->has_context = false;
	decoded->question = (struct verify_question){.is_plain = size != 0};
	add_bytes(shards, &decoded->begin, state, size);
}

static void decode(struct verify_shards *shards, const struct shard *shard)
{
	const struct input_part part = {.span = shard->span, .reached = reached, .ctx = shards};
	const struct input_decode how = {.sink = take_event,
					 .ctx = shards,
					 .steps = take_steps,
					 .raw_transactions = true,
					 .part = &part};

	shards->shard = shard;
	*shards->at =
		(struct decoded){.question = {.is_plain = true}, .records = shards->record_count};
	message_forward(take_message, shards);
	if (input_decode(shards->input, shard->source, shard->piece, &how) ||
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
		if (shards->list_count == shards->list_room) {
			const size_t room = 2 * shards->list_room + 16;
			struct decoded *larger = reallocarray(shards->list, room, sizeof(*larger));

			/* what is not asked is not answered, nor compared */
			if (!larger)
				return;
			shards->list = larger;
			shards->list_room = room;
		}
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

/* The place of the next shard, and the events of the log behind it; false if it is not known */
static bool next_place(struct verify_shards *shards, struct verify_log *place)
{
	struct verify_answer answer;
	struct truth_copy copy;
	struct work_entry entry;
	const size_t after = work_log_next(shards->answers, shards->answer, &entry);

	if (entry.kind != WORK_ANSWER)
		return false;
	shards->answer = after;
	memcpy(&answer, entry.data, sizeof(answer));
	if (!answer.is_known)
		return false;
	copy = (struct truth_copy){.bytes = (uint8_t *)entry.data + sizeof(answer),
				   .size = answer.size};
	*place = answer.log;
	truth_reader_of_copy(&place->reader, &copy);
	return true;
}

static void compare(struct verify_thread *thread, const struct record *records, size_t count)
{
	struct hwf_flow_event range = {.kind = HWF_FLOW_RANGE};
	struct hwf_flow_event exception = {.kind = HWF_FLOW_EXCEPTION};

	for (size_t i = 0; i < count && !thread->wrong && !thread->log.error; i++) {
		const struct record *record = &records[i];

		if (record->count) {
			range.u.range.start = record->address;
			range.u.range.instructions = record->count;
			range.u.range.isa = record->isa;
			verify_take(thread, &range);
		} else {
			exception.u.exception.ret = record->address;
			exception.u.exception.type = record->type;
			verify_take(thread, &exception);
		}
	}
}

static void put_found(const struct decoded *decoded, const struct verify_thread *thread,
		      const struct shard *shard, struct work_log *log)
{
	struct verify_found *found;

	if (shard->span.begin)
		work_log_copy(log, WORK_BEGIN, decoded->begin.data, decoded->begin.size);
	for (size_t at = 0; at < decoded->messages.size;) {
		const char *line = (const char *)decoded->messages.data + at;
		const size_t size = strlen(line) + 1;

		work_log_copy(log, WORK_MESSAGE, line, size);
		at += size;
	}
	found = work_log_put(log, WORK_CHECKED, sizeof(*found));
	if (!found)
		return;
	*found = (struct verify_found){.instructions = thread->instructions,
				       .exceptions = thread->exceptions,
				       .context = decoded->context,
				       .has_context = decoded->has_context};
	for (unsigned int i = 0; i < VERIFY_SHOWN; i++) {
		const struct truth_run *run = &thread->last[(thread->last_next + i) % VERIFY_SHOWN];

		if (run->count)
			found->last[found->last_count++] = *run;
	}
	if (shard->span.end != shard->piece->length)
		work_log_copy(log, WORK_END, decoded->end.data, decoded->end.size);
}

bool verify_shards_check(struct verify_shards *shards, const struct shard *shard,
			 struct work_log *log)
{
	const struct decoded *decoded;
	uint64_t total = 0;
	struct verify_thread thread = {
		.total = &total, .wfx = shards->thread->wfx, .quiet = true, .mute = true};
	bool is_equal;

	if (shards->next >= shards->list_count)
		return false;
	decoded = &shards->list[shards->next++];
	if (!next_place(shards, &thread.log))
		return false;
	/* without records there is no memory of them */
	if (decoded->record_count)
		compare(&thread, shards->records + decoded->records, decoded->record_count);
	is_equal = !thread.wrong && !thread.log.error;
	if (is_equal)
		put_found(decoded, &thread, shard, log);
	return is_equal;
}
