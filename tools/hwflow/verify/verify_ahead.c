// SPDX-License-Identifier: GPL-2.0-only
/* The first process: where in the log shards begin, and what of them was equal. */
#include "verify_ahead.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "decode/ahead.h"
#include "decode/loop.h"
#include "verify_shard.h"

/* Bytes of trace in a shard at most */
#define MOST_TRACE 0x40000u

/**
 * struct place - of a shard in the log
 * @next: the place of the shard behind it
 * @shard: the shard
 * @question: what was asked
 * @begin: state of the comparison before it, as the worker has it
 */
struct place {
	struct place *next;
	const struct shard *shard;
	struct verify_question question;
	struct verify_thread begin;
};

/**
 * struct verify_ahead - see verify_ahead.h
 * @thread: what was compared
 * @ahead: the same, as it will be before the shard that is answered next if all before it are
 *	equal; its counts are of no account
 * @is_lost: @ahead is not known, or may be wrong
 * @piece: the piece that was compared last; NULL: none
 * @end: offset in @piece up to which it was compared
 * @first: places of shards that were answered, in order
 * @last: where the next is appended
 * @shards: in a worker
 * @total: of @ahead
 * @input: that is decoded
 * @workers: the processes
 * @again: the shard that is decoded again
 * @has_begun: it has begun; what is before it was compared already
 * @ranges: see verify_ahead_ranges()
 */
struct verify_ahead {
	struct verify_thread *thread;
	struct verify_thread ahead;
	bool is_lost;
	const struct input_piece *piece;
	size_t end;
	struct place *first;
	struct place **last;
	struct verify_shards *shards;
	uint64_t total;
	struct input *input;
	struct ahead *workers;
	const struct shard *again;
	bool has_begun;
	size_t ranges;
};

/* ---- places ---- */

/* Past so many instructions, and so many exceptions after them. The last instructions are kept, as
 * if they had been compared. Returns false if the log has fewer. */
static bool pass(struct verify_thread *thread, uint64_t instructions, uint64_t exceptions)
{
	struct verify_log *log = &thread->log;

	while (instructions || exceptions) {
		uint32_t count;

		if (!verify_advance(thread))
			return false;
		count = instructions < log->run.count ? (uint32_t)instructions : log->run.count;
		if (log->have_event) {
			log->have_event = false;
			thread->trapped = true;
			exceptions -= !instructions;
			continue;
		}
		if (!count)
			return false;
		verify_consume(thread, count);
		instructions -= count;
		if (!log->run.count && instructions > VERIFY_SHOWN) {
			instructions -= VERIFY_SHOWN;
			truth_pass_blocks(&log->reader, &instructions);
			instructions += VERIFY_SHOWN;
		}
	}
	return true;
}

/* Past a shard; false if the place of its end in the log is not known */
static bool pass_shard(struct verify_thread *ahead, const struct verify_question *question)
{
	const struct hwf_flow_exception exception = {.ret = question->first,
						     .type = question->exception};
	const bool first = question->begins_with_exception;

	if (question->has_context)
		verify_take(ahead, &question->context);
	if (question->instructions || question->exceptions) {
		if (ahead->may_skip)
			verify_skip_to(ahead, first ? 0 : question->first,
				       first ? &exception : NULL);
		ahead->nothing = false;
		ahead->between = false;
		if (!ahead->wrong && !pass(ahead, question->instructions, question->exceptions))
			return false;
	}
	ahead->between |= question->has_trace_on;
	return !ahead->wrong && !ahead->log.error;
}

/* Was a shard compared already, with all shards before it? */
static bool is_passed(const struct verify_ahead *verify, const struct shard *shard)
{
	return verify->piece && (shard->piece < verify->piece || (shard->piece == verify->piece &&
								  shard->span.begin < verify->end));
}

/* Appends the place of a shard; NULL if it is not known, or if no worker compares the shard */
static struct place *find(struct verify_ahead *verify, const struct shard *shard,
			  const struct verify_question *question)
{
	struct verify_thread *ahead = &verify->ahead;
	struct place *place = NULL;

	if (!verify->is_lost && question->is_plain)
		place = calloc(1, sizeof(*place));
	verify->is_lost = true;
	if (!place)
		return NULL;
	if (!shard->span.begin)
		verify_begin_piece(ahead, shard->source, shard->piece);
	*place = (struct place){.shard = shard, .question = *question, .begin = *ahead};
	*verify->last = place;
	verify->last = &place->next;
	verify->is_lost = !pass_shard(ahead, question);
	if (shard->span.end == shard->piece->length)
		verify_end_piece(ahead, shard->piece);
	return place;
}

static void answer_shard(struct verify_ahead *verify, const struct shard *shard,
			 const struct verify_question *question, struct work_log *answers)
{
	const struct place *place = is_passed(verify, shard) ? NULL : find(verify, shard, question);

	if (place)
		work_log_copy(answers, WORK_ANSWER, &place->begin, sizeof(place->begin));
	else
		work_log_copy(answers, WORK_ANSWER, NULL, 0);
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
		verify->ahead.code = NULL;
		verify->ahead.quiet = true;
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
	struct verify_log one = *a, other = *b;

	/* one of them may have read its next event already */
	verify_log_advance(&one);
	verify_log_advance(&other);
	return one.reader.stream == other.reader.stream &&
	       truth_reader_at(&one.reader) == truth_reader_at(&other.reader) &&
	       one.run.count == other.run.count && (!one.run.count || one.run.pc == other.run.pc) &&
	       one.have_event == other.have_event;
}

/* Are two comparisons in the same state, but for their counts? */
static bool is_same(const struct verify_thread *a, const struct verify_thread *b)
{
	return a->may_skip == b->may_skip && a->nothing == b->nothing && a->edge == b->edge &&
	       a->lost == b->lost && a->missed == b->missed && a->between == b->between &&
	       a->trapped == b->trapped && a->uncertain == b->uncertain && a->gap == b->gap &&
	       a->tid == b->tid && a->is_user == b->is_user && is_same_place(&a->log, &b->log);
}

static void drop_first(struct verify_ahead *verify)
{
	struct place *place = verify->first;

	verify->first = place->next;
	if (!verify->first)
		verify->last = &verify->first;
	free(place);
}

static void set_passed(struct verify_ahead *verify, const struct shard *shard)
{
	verify->piece = shard->piece;
	verify->end = shard->span.end;
}

/* As ahead_work.start: shards that were passed over are dropped. */
static bool start(void *ctx, const struct shard *shard)
{
	struct verify_ahead *verify = ctx;

	while (verify->first && verify->first->shard != shard)
		drop_first(verify);
	if (!verify->first || !is_same(verify->thread, &verify->first->begin))
		return false;
	set_passed(verify, shard);
	return true;
}

/* A worker has found the shard equal: the comparison goes on after it. */
static void take(struct verify_ahead *verify, const struct verify_thread *found)
{
	const struct verify_question *question = &verify->first->question;
	struct verify_thread *thread = verify->thread;
	struct verify_thread before;

	if (thread->wrong || thread->log.error)
		return;
	if (question->has_context)
		verify_take(thread, &question->context);
	before = *thread;
	*thread = *found;
	truth_reader_receive(&thread->log.reader);
	thread->quiet = before.quiet;
	thread->mute = before.mute;
	thread->code = before.code;
	thread->space = before.space;
	thread->counts = before.counts;
	verify_counts_add(&thread->counts, &found->counts);
	thread->total = before.total;
	*thread->total += found->counts.instructions;
}

/* As ahead_work.entry */
static void take_entry(void *ctx, const struct work_entry *entry)
{
	if (entry->kind == WORK_MESSAGE)
		message_once("%s", (const char *)entry->data);
	else if (entry->kind == WORK_CHECKED)
		take(ctx, entry->data);
}

/* ---- shards that are decoded again, here ---- */

static void take_event(void *ctx, const struct hwf_flow_event *event)
{
	struct verify_ahead *verify = ctx;

	if (!verify->has_begun)
		return;
	verify->ranges += event->kind == HWF_FLOW_RANGE;
	verify_take(verify->thread, event);
}

static void reached(void *ctx, size_t at, const uint8_t *state, size_t size)
{
	struct verify_ahead *verify = ctx;

	if (at == verify->again->span.begin)
		verify->has_begun = true;
	else
		ahead_reached(verify->workers, state, size);
}

static int decode_again(void *ctx, const struct shard *shard)
{
	struct verify_ahead *verify = ctx;
	const struct input_part part = {.span = shard->span, .reached = reached, .ctx = verify};
	const struct decode_options how = {
		.sink = take_event, .ctx = verify, .stop = &verify->thread->wrong, .part = &part};

	verify->again = shard;
	verify->has_begun = !shard->span.begin;
	/* the shards after it may have other places than the workers were told */
	verify->is_lost = true;
	set_passed(verify, shard);
	return decode_piece(verify->input, shard->source, shard->piece, &how);
}

/* ---- in a worker ---- */

static void begin(void *ctx)
{
	(void)ctx;
}

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

static void check(void *ctx, const struct shard *shard, struct work_log *log)
{
	const struct verify_ahead *verify = ctx;

	if (!verify_shards_check(verify->shards, shard, log))
		work_log_fail(log);
}

/* ---- the interface ---- */

struct verify_ahead *verify_ahead_new(struct verify_thread *thread, struct input *input,
				      const struct input_source *source)
{
	static const struct work_questions questions = {ask, answer_batch, answered};
	struct ahead_work work = {
		.begin = begin,
		.shard = check,
		.start = start,
		.entry = take_entry,
		.again = decode_again,
		.most = MOST_TRACE,
		.warmth = AHEAD_WARMTH,
		.questions = &questions,
	};
	struct verify_ahead *verify;

	verify = calloc(1, sizeof(*verify));
	if (!verify)
		return NULL;
	*verify = (struct verify_ahead){
		.thread = thread,
		.is_lost = true,
		.input = input,
		.shards = verify_shards_new(input, thread),
	};
	verify->last = &verify->first;
	work.ctx = verify;
	if (verify->shards)
		verify->workers = ahead_new(input, source, 1, &work);
	if (verify->workers)
		return verify;
	verify_ahead_free(verify);
	return NULL;
}

int verify_piece(struct verify_ahead *ahead, struct verify_thread *thread, struct input *input,
		 const struct input_source *source, const struct input_piece *piece)
{
	const struct decode_options how = {
		.sink = verify_take, .ctx = thread, .stop = &thread->wrong};
	int error;

	verify_begin_piece(thread, source, piece);
	thread->code = input_code(input, source, piece);
	thread->space = NULL;
	if (ahead && ahead_is_next(ahead->workers, piece))
		error = ahead_take(ahead->workers, &thread->wrong);
	else
		error = decode_piece(input, source, piece, &how);
	verify_end_piece(thread, piece);
	return error;
}

size_t verify_ahead_ranges(const struct verify_ahead *ahead)
{
	return ahead->ranges;
}

void verify_ahead_free(struct verify_ahead *ahead)
{
	if (!ahead)
		return;
	ahead_free(ahead->workers);
	while (ahead->first)
		drop_first(ahead);
	verify_shards_free(ahead->shards);
	free(ahead);
}
