// SPDX-License-Identifier: GPL-2.0-only
/* Lines of text and counts, made by several processes. */
#include "text_ahead.h"

#include <stdlib.h>
#include <string.h>

#include "ahead.h"
#include "base/error.h"
#include "base/message.h"
#include "time_merge.h"
#include "work_counts.h"

/* Bytes of trace in a shard at most: a byte of trace is some hundred bytes of text */
#define MOST_BYTES 0x20000u

/* struct place - WORK_PLACE: source and time of the text that follows, for a merge */
struct place {
	const void *source;
	const void *piece;
	uint64_t time;
};

/**
 * struct text_ahead - see text_ahead.h
 * @input: what is decoded
 * @work: what the verb does
 * @shards: the shards
 * @out: takes the text
 * @source: of @piece
 * @piece: that is taken
 * @code: its program
 * @spaces: of the shard
 * @profile: blocks and edges since the last WORK_COUNTED
 * @failed: memory ran out
 * @log: in a worker: takes all that it finds
 * @span: in a worker: the part that is written
 * @is_known: in a worker: gaps_resume() was called since the last gap
 */
struct text_ahead {
	struct input *input;
	struct text_work work;
	struct ahead *shards;
	struct text *out;
	const struct input_source *source;
	const struct input_piece *piece;
	const struct hwf_code *code;
	struct work_spaces spaces;
	struct hwf_profile *profile;
	bool failed;
	struct work_log *log;
	struct input_span span;
	bool is_known;
};

/* The state of the decoder, and behind it what lines depend on. Returns its bytes, 0 if it is not
 * known. */
static size_t whole_state(const struct text_ahead *ahead, const uint8_t *decoder, size_t size,
			  uint8_t bytes[AHEAD_STATE])
{
	struct text_state state = {.at = bytes + size, .end = bytes + AHEAD_STATE};

	if (!size || size > AHEAD_STATE)
		return 0;
	memcpy(bytes, decoder, size);
	if (ahead->work.state)
		ahead->work.state(ahead->work.ctx, &state);
	return state.unknown ? 0 : (size_t)(state.at - bytes);
}

/* ---- in the workers ---- */

/* NULL in the first process */
static struct text_ahead *this_worker;

/*
 * The next text for standard output is written where its entry will be, so that it is not copied.
 * The log may not change before the text is flushed, nor is there more than one such text: with a
 * merge both of its texts are copied.
 */
static void place_text(const struct text_ahead *ahead)
{
	size_t room = 0;
	char *buffer;

	/* counts come without text */
	if (ahead->work.merge || ahead->work.counts)
		return;
	buffer = work_log_open(ahead->log, &room);
	if (room < TEXT_BYTES) {
		work_log_fail(ahead->log);
		buffer = NULL;
	}
	text_set_buffer(text_stdout(), buffer, room);
}

static int log_text(void *ctx, const char *bytes, size_t size)
{
	const struct text_ahead *ahead = ctx;

	work_log_copy(ahead->log, WORK_TEXT, bytes, size);
	return 0;
}

static int log_output(void *ctx, const char *bytes, size_t size)
{
	const struct text_ahead *ahead = ctx;
	const struct text *text = text_stdout();

	if (bytes == text->hwf.bytes && text->hwf.bytes != text->bytes)
		work_log_close(ahead->log, WORK_TEXT, size);
	else
		work_log_copy(ahead->log, WORK_TEXT, bytes, size);
	place_text(ahead);
	return 0;
}

static void log_place(void *ctx, const void *source, const void *piece, uint64_t time)
{
	const struct text_ahead *ahead = ctx;
	const struct place place = {source, piece, time};

	work_log_copy(ahead->log, WORK_PLACE, &place, sizeof(place));
}

static void log_message(void *ctx, const char *line)
{
	const struct text_ahead *ahead = ctx;

	text_flush(text_stdout());
	work_log_copy(ahead->log, WORK_MESSAGE, line, strlen(line) + 1);
	place_text(ahead);
}

/* A gap, and the name of its file, or an empty one */
static void log_gap(void *ctx, const struct gap *gap, const char *file)
{
	struct text_ahead *ahead = ctx;
	const size_t length = file ? strlen(file) : 0;
	uint8_t *entry;

	ahead->is_known = false;
	text_flush(text_stdout());
	entry = work_log_put(ahead->log, WORK_GAP, sizeof(*gap) + 1 + length + 1);
	if (entry) {
		memcpy(entry, gap, sizeof(*gap));
		entry[sizeof(*gap)] = file != NULL;
		memcpy(entry + sizeof(*gap) + 1, file ? file : "", length + 1);
	}
	place_text(ahead);
}

static void log_resume(void *ctx, uint64_t offset)
{
	struct text_ahead *ahead = ctx;

	if (ahead->is_known)
		return;
	ahead->is_known = true;
	text_flush(text_stdout());
	work_log_copy(ahead->log, WORK_RESUME, &offset, sizeof(offset));
	place_text(ahead);
}

static void begin_worker(void *ctx)
{
	static const struct gaps_taker taker = {log_gap, log_resume};
	struct text_ahead *ahead = ctx;

	this_worker = ahead;
	text_init(text_stdout(), log_output, ahead);
	gaps_forward(ahead->input->gaps, &taker, ahead);
	message_forward(log_message, ahead);
	if (ahead->work.merge)
		time_merge_forward(ahead->work.merge, log_place, log_text, ahead);
}

static void flush_lines(const struct text_ahead *ahead)
{
	text_flush(text_stdout());
	if (ahead->work.merge)
		text_flush(time_merge_lines(ahead->work.merge));
}

static void log_state(const struct text_ahead *ahead, enum work_kind kind, const uint8_t *decoder,
		      size_t size)
{
	uint8_t bytes[AHEAD_STATE];

	size = whole_state(ahead, decoder, size, bytes);
	if (size)
		work_log_copy(ahead->log, kind, bytes, size);
	else
		work_log_fail(ahead->log);
}

static void reached(void *ctx, size_t at, const uint8_t *state, size_t size)
{
	struct text_ahead *ahead = ctx;

	flush_lines(ahead);
	if (at != ahead->span.begin) {
		log_state(ahead, WORK_END, state, size);
		place_text(ahead);
		return;
	}
	work_log_restart(ahead->log);
	if (ahead->work.counts)
		work_spaces_repeat(&ahead->spaces);
	ahead->is_known = false;
	log_state(ahead, WORK_BEGIN, state, size);
	place_text(ahead);
	if (ahead->work.restart)
		ahead->work.restart(ahead->work.ctx);
}

static void log_shard(void *ctx, const struct shard *shard, struct work_log *log)
{
	struct text_ahead *ahead = ctx;
	struct input_part part = {.span = shard->span, .reached = reached, .ctx = ahead};

	ahead->log = log;
	work_spaces_begin(&ahead->spaces, log);
	ahead->span = shard->span;
	ahead->is_known = false;
	place_text(ahead);
	if (ahead->work.restart)
		ahead->work.restart(ahead->work.ctx);
	if (ahead->work.piece(ahead->work.ctx, shard->source, shard->piece, &part))
		work_log_fail(log);
	flush_lines(ahead);
}

const struct hwf_code *text_ahead_code(const struct hwf_code *code)
{
	return this_worker ? work_spaces_code(&this_worker->spaces, code) : code;
}

bool text_ahead_counts(const struct text_counts *counts)
{
	const struct text_ahead *ahead = this_worker;

	if (!ahead)
		return false;
	/* spaces of programs that follow each other have the same contexts, and what is known of
	 * programs at one address is not known in the first process */
	if (input_is_split(ahead->input) || input_is_ordered(ahead->input))
		work_log_fail(ahead->log);
	else
		work_log_counts(ahead->log, &ahead->spaces, counts->tid, counts->profile);
	return true;
}

/* ---- in the process that writes ---- */

static bool start_shard(void *ctx, const struct shard *shard)
{
	struct text_ahead *ahead = ctx;

	(void)shard;
	ahead->out = text_stdout();
	ahead->spaces.count = 0;
	return true;
}

/*
 * One text, as it was handed on: it has whole lines, and whole marks of a merge. What is long is
 * written from where it is.
 */
static void take_text(struct text *out, const struct work_entry *entry)
{
	if (entry->size > TEXT_BYTES / 2) {
		text_pass(out, entry->data, entry->size);
		return;
	}
	memcpy(text_room(out, entry->size), entry->data, entry->size);
	out->hwf.at += entry->size;
}

static void take_gap(const struct text_ahead *ahead, const uint8_t *entry)
{
	const char *file = (const char *)entry + sizeof(struct gap) + 1;
	struct gap gap;

	memcpy(&gap, entry, sizeof(gap));
	gaps_add_in(ahead->input->gaps, &gap, entry[sizeof(gap)] ? file : NULL);
}

static void take_place(struct text_ahead *ahead, const struct place *place)
{
	ahead->out = time_merge_at(ahead->work.merge, place->source, place->piece, place->time);
}

static void take_counts(struct text_ahead *ahead, const struct work_counted *counted)
{
	const struct text_counts counts = {.source = ahead->source,
					   .piece = ahead->piece,
					   .tid = (int32_t)counted->tid,
					   .profile = ahead->profile};

	hwf_profile_set_times(ahead->profile, &counted->times);
	ahead->failed |= hwf_profile_failed(ahead->profile);
	ahead->work.counts(ahead->work.ctx, &counts);
	hwf_profile_clear(ahead->profile);
}

static void take_entry(void *ctx, const struct work_entry *entry)
{
	struct text_ahead *ahead = ctx;

	switch (entry->kind) {
	case WORK_TEXT:
		take_text(ahead->out, entry);
		break;
	case WORK_PLACE:
		take_place(ahead, entry->data);
		break;
	case WORK_MESSAGE:
		message_once("%s", (const char *)entry->data);
		break;
	case WORK_GAP:
		take_gap(ahead, entry->data);
		break;
	case WORK_RESUME:
		gaps_resume(ahead->input->gaps, *(const uint64_t *)entry->data);
		break;
	case WORK_SPACE:
		ahead->failed |= !work_spaces_add(&ahead->spaces, ahead->code, entry->data);
		break;
	case WORK_BLOCK:
	case WORK_EDGE:
		work_counts_take(ahead->profile, &ahead->spaces, entry);
		break;
	case WORK_COUNTED:
		take_counts(ahead, entry->data);
		break;
	case WORK_DONE:
		if (ahead->out->hwf.by_line)
			text_flush(ahead->out);
		break;
	default:
		break;
	}
}

/* struct muted - the lines of what is before the shard were written already */
struct muted {
	struct text_ahead *ahead;
	const struct shard *shard;
	struct text *text;
	int (*write)(void *ctx, const char *bytes, size_t size);
};

static int drop_text(void *ctx, const char *bytes, size_t size)
{
	(void)ctx;
	(void)bytes;
	(void)size;
	return 0;
}

static void drop_gap(void *ctx, const struct gap *gap, const char *file)
{
	(void)ctx;
	(void)gap;
	(void)file;
}

static void drop_resume(void *ctx, uint64_t offset)
{
	(void)ctx;
	(void)offset;
}

static void end_again(const struct text_ahead *ahead, const uint8_t *decoder, size_t size)
{
	uint8_t bytes[AHEAD_STATE];

	size = whole_state(ahead, decoder, size, bytes);
	ahead_reached(ahead->shards, bytes, size);
}

static void reached_again(void *ctx, size_t at, const uint8_t *state, size_t size)
{
	const struct muted *muted = ctx;
	const struct text_work *work = &muted->ahead->work;

	if (at != muted->shard->span.begin) {
		end_again(muted->ahead, state, size);
		return;
	}
	flush_lines(muted->ahead);
	muted->text->hwf.write = muted->write;
	gaps_forward(muted->ahead->input->gaps, NULL, NULL);
	if (work->restart)
		work->restart(work->ctx);
}

static int write_again(void *ctx, const struct shard *shard)
{
	static const struct gaps_taker nobody = {drop_gap, drop_resume};
	struct text_ahead *ahead = ctx;
	const struct text_work *work = &ahead->work;
	struct muted muted = {.ahead = ahead, .shard = shard};
	const struct input_part part = {
		.span = shard->span, .reached = reached_again, .ctx = &muted};

	if (work->restart)
		work->restart(work->ctx);
	if (!shard->span.begin)
		return work->piece(work->ctx, shard->source, shard->piece,
				   shard->span.end == shard->piece->length ? NULL : &part);
	flush_lines(ahead);
	muted.text = work->merge ? time_merge_lines(work->merge) : text_stdout();
	muted.write = muted.text->hwf.write;
	muted.text->hwf.write = drop_text;
	gaps_forward(ahead->input->gaps, &nobody, NULL);
	return work->piece(work->ctx, shard->source, shard->piece, &part);
}

/* ---- the interface ---- */

struct text_ahead *text_ahead_new(struct input *input, const struct text_work *work)
{
	struct ahead_work shards = {
		.begin = begin_worker,
		.shard = log_shard,
		.start = start_shard,
		.entry = take_entry,
		.again = write_again,
		.warmth = work->warmth ? work->warmth : AHEAD_WARMTH,
		.most = work->most ? work->most : MOST_BYTES,
	};
	struct text_ahead *ahead = calloc(1, sizeof(*ahead));

	if (!ahead)
		return NULL;
	ahead->input = input;
	ahead->work = *work;
	shards.ctx = ahead;
	text_stdout_flush();
	if (work->counts)
		ahead->profile = hwf_profile_new();
	if (!work->counts || ahead->profile)
		ahead->shards = ahead_new(input, input->sources, input->source_count, &shards);
	if (ahead->shards)
		return ahead;
	text_ahead_free(ahead);
	return NULL;
}

int text_ahead_piece(struct text_ahead *ahead, const struct text_work *work,
		     const struct input_source *source, const struct input_piece *piece)
{
	int status;

	if (!ahead || !ahead_is_next(ahead->shards, piece))
		return work->piece(work->ctx, source, piece, NULL);
	ahead->source = source;
	ahead->piece = piece;
	ahead->code = work->counts ? input_code(ahead->input, source, piece) : NULL;
	ahead->failed = work->counts && !ahead->code;
	status = ahead->failed ? 0 : ahead_take(ahead->shards, NULL);
	if (!ahead->failed)
		return status;
	input_error(source->file, piece->at, "out of memory");
	return EXIT_UNREADABLE;
}

void text_ahead_free(struct text_ahead *ahead)
{
	if (!ahead)
		return;
	ahead_free(ahead->shards);
	work_spaces_free(&ahead->spaces);
	hwf_profile_free(ahead->profile);
	free(ahead);
}
