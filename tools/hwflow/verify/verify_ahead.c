// SPDX-License-Identifier: GPL-2.0-only
/* The first process: where in the log shards begin, and what of them was equal. */
#include "verify_ahead.h"

#include <stdlib.h>
#include <string.h>

#include "verify_shard.h"

/* Bytes of the log that a shard has at most */
#define MOST_BYTES ((size_t)64 << 20)

/**
 * struct place - of a shard in the log
 * @next: the place of the shard behind it
 * @shard: the shard
 * @question: what was asked
 * @begin: before the shard, and before all that the trace does not tell of
 * @end: behind it
 * @may_skip: before it: the trace has a gap
 * @is_known: the place is known; else there is @shard only
 */
struct place {
	struct place *next;
	const struct shard *shard;
	struct verify_question question;
	struct verify_log begin;
	struct verify_log end;
	bool may_skip;
	bool is_known;
};

/**
 * struct verify_ahead - see verify_ahead.h
 * @thread: what was compared
 * @ahead: the same, as it will be before the shard that is answered next if all before it are
 *	equal; its counts are of no account
 * @is_lost: @ahead is not known: a shard cannot be compared by a worker
 * @first: places of shards that were answered, in order
 * @last: where the next is appended
 * @current: the shard that is given
 * @shards: in a worker
 * @total: of @ahead
 * @check: for decode_ahead()
 */
struct verify_ahead {
	struct verify_thread *thread;
	struct verify_thread ahead;
	bool is_lost;
	struct place *first;
	struct place **last;
	struct place *current;
	struct verify_shards *shards;
	uint64_t total;
	struct decode_check check;
};

/* ---- places ---- */

/* Past what the trace does not tell of before the shard */
static bool skip(struct verify_thread *thread, const struct verify_question *question)
{
	const struct hwf_flow_exception exception = {.ret = question->first,
						     .type = question->exception};

	if (thread->may_skip)
		verify_skip_to(thread, question->is_exception ? 0 : question->first,
			       question->is_exception ? &exception : NULL);
	thread->nothing = false;
	return !thread->wrong && !thread->log.error;
}

/* The place of a shard, and its events of the log. False where that cannot be said: @ahead is
 * anywhere then */
static bool find(struct verify_ahead *verify, const struct verify_question *question,
		 struct place *place, struct verify_answer *answer, struct truth_copy *copy)
{
	struct verify_thread *ahead = &verify->ahead;
	const struct input_piece *piece = place->shard->piece;

	if (!question->is_plain)
		return false;
	if (!place->shard->span.begin)
		verify_begin_piece(ahead, place->shard->source, piece);
	place->begin = ahead->log;
	place->may_skip = ahead->may_skip;
	if (question->steps) {
		if (!skip(ahead, question) || !verify_log_advance(&ahead->log))
			return false;
		answer->log = ahead->log;
		if (!verify_log_pass(&ahead->log, question->steps, copy))
			return false;
	}
	place->end = ahead->log;
	if (place->shard->span.end == piece->length)
		verify_end_piece(ahead, piece);
	return true;
}

/* The events go to where they stay: behind the answer */
static void put_answer(struct verify_ahead *verify, const struct verify_question *question,
		       struct place *place, struct work_log *answers)
{
	struct verify_answer answer = {0};
	struct truth_copy copy = {0};
	uint8_t *to = work_log_open(answers, &copy.room);

	if (to && copy.room > sizeof(answer)) {
		copy.bytes = to + sizeof(answer);
		copy.room -= sizeof(answer);
		copy.room = copy.room < MOST_BYTES ? copy.room : MOST_BYTES;
		if (!verify->is_lost)
			place->is_known = find(verify, question, place, &answer, &copy);
	}
	verify->is_lost = !place->is_known;
	answer.is_known = place->is_known;
	answer.size = place->is_known ? copy.size : 0;
	if (to)
		memcpy(to, &answer, sizeof(answer));
	work_log_close(answers, WORK_ANSWER, sizeof(answer) + answer.size);
}

static void answer_shard(struct verify_ahead *verify, const struct shard *shard,
			 const struct verify_question *question, struct work_log *answers)
{
	static const struct verify_answer none;
	struct place *place = calloc(1, sizeof(*place));

	if (!place) {
		verify->is_lost = true;
		work_log_copy(answers, WORK_ANSWER, &none, sizeof(none));
		return;
	}
	place->shard = shard;
	place->question = *question;
	*verify->last = place;
	verify->last = &place->next;
	put_answer(verify, question, place, answers);
}

static bool any_is_plain(const uint8_t *questions)
{
	struct work_entry entry;
	size_t at = work_log_next(questions, 0, &entry);

	do {
		const struct verify_question *question;

		at = work_log_next(questions, at, &entry);
		question = entry.data;
		if (entry.kind == WORK_QUESTION && question->is_plain)
			return true;
	} while (entry.kind != WORK_DONE);
	return false;
}

/* As work_questions.answer */
static bool answer_batch(void *ctx, const struct shard *shards, size_t count,
			 const uint8_t *questions, struct work_log *answers, bool is_next)
{
	struct verify_ahead *verify = ctx;
	struct work_entry entry;
	size_t at = work_log_next(questions, 0, &entry);

	if (verify->is_lost && is_next) {
		verify->ahead = *verify->thread;
		verify->ahead.total = &verify->total;
		verify->ahead.mute = true;
		verify->is_lost = verify->thread->wrong || verify->thread->log.error;
	} else if (verify->is_lost && any_is_plain(questions)) {
		return false;
	}
	for (size_t i = 0; i < count; i++) {
		static const struct verify_question nothing;
		const struct verify_question *question = &nothing;

		if (entry.kind != WORK_DONE)
			at = work_log_next(questions, at, &entry);
		if (entry.kind == WORK_QUESTION)
			question = entry.data;
		answer_shard(verify, &shards[i], question, answers);
	}
	return true;
}

/* ---- what was equal ---- */

static bool is_same_place(const struct verify_log *a, const struct verify_log *b)
{
	return a->reader.stream == b->reader.stream &&
	       truth_reader_at(&a->reader) == truth_reader_at(&b->reader) &&
	       a->run.count == b->run.count && (!a->run.count || a->run.pc == b->run.pc) &&
	       a->have_event == b->have_event;
}

static void drop_first(struct verify_ahead *verify)
{
	struct place *place = verify->first;

	verify->first = place->next;
	if (!verify->first)
		verify->last = &verify->first;
	free(place);
}

/* As decode_check.start: shards that were passed over are dropped. */
static bool start(void *ctx, const struct shard *shard)
{
	struct verify_ahead *verify = ctx;
	const struct verify_thread *thread = verify->thread;

	while (verify->first && verify->first->shard != shard)
		drop_first(verify);
	verify->current = verify->first;
	if (!verify->current || !verify->current->is_known)
		return true;
	return thread->may_skip == verify->current->may_skip &&
	       is_same_place(&thread->log, &verify->current->begin);
}

/* As decode_check.take */
static void take(void *ctx, const void *found_in)
{
	const struct verify_found *found = found_in;
	struct verify_ahead *verify = ctx;
	struct verify_thread *thread = verify->thread;
	const struct place *place = verify->current;

	if (thread->wrong || thread->log.error)
		return;
	if (found->has_context) {
		const struct hwf_flow_event event = {.kind = HWF_FLOW_CONTEXT,
						     .u.context = found->context};

		verify_take(thread, &event);
	}
	if (!place->question.steps)
		return;
	if (!skip(thread, &place->question))
		return;
	thread->log = place->end;
	thread->instructions += found->instructions;
	thread->exceptions += found->exceptions;
	*thread->total += found->instructions;
	for (unsigned int i = 0; i < found->last_count; i++)
		verify_keep(thread, &found->last[i]);
}

/* ---- in a worker ---- */

static void ask(void *ctx, const struct shard *shards, size_t count, struct work_log *log)
{
	const struct verify_ahead *verify = ctx;

	verify_shards_ask(verify->shards, shards, count, log);
}

static void answered(void *ctx, const uint8_t *answers)
{
	const struct verify_ahead *verify = ctx;

	verify_shards_answered(verify->shards, answers);
}

static bool check(void *ctx, const struct shard *shard, struct work_log *log)
{
	const struct verify_ahead *verify = ctx;

	return verify_shards_check(verify->shards, shard, log);
}

/* ---- the interface ---- */

struct verify_ahead *verify_ahead_new(struct verify_thread *thread, struct input *input)
{
	struct verify_ahead *verify;

	if (thread->log.is_cpu || thread->has_traps || thread->plan)
		return NULL;
	verify = calloc(1, sizeof(*verify));
	if (!verify)
		return NULL;
	*verify = (struct verify_ahead){
		.thread = thread,
		.is_lost = true,
		.shards = verify_shards_new(input, thread),
		.check = {.questions = {ask, answer_batch, answered},
			  .check = check,
			  .start = start,
			  .take = take,
			  .ctx = verify},
	};
	verify->last = &verify->first;
	if (verify->shards)
		return verify;
	free(verify);
	return NULL;
}

const struct decode_check *verify_ahead_check(const struct verify_ahead *ahead)
{
	return ahead ? &ahead->check : NULL;
}

void verify_ahead_free(struct verify_ahead *ahead)
{
	if (!ahead)
		return;
	while (ahead->first)
		drop_first(ahead);
	verify_shards_free(ahead->shards);
	free(ahead);
}
