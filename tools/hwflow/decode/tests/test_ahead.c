/* SPDX-License-Identifier: GPL-2.0-only */
/* Shards, workers, and the order in which what they found is given. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "decode/ahead.h"
#include "decode/text_ahead.h"
#include "decode/workers.h"
#include "source/protocol.h"

#define PIECE_BYTES 0x8000u
#define PIECES      3u

/* ---- a trace of Atoms, with a synchronisation and a Trace Info every 1,000 bytes ---- */

static const struct hwf_ete_regs regs = {
	.trcconfigr = 1, .trcidr0 = 0x084002a1, .trcidr2 = 0x40001088, .trcdevarch = 0x47735a13};

/* struct trace - a source with some pieces, and the input it is of */
struct trace {
	struct input input;
	struct input_source source;
	struct input_piece pieces[PIECES];
	uint8_t bytes[PIECES][PIECE_BYTES];
};

static void make_trace(struct trace *trace, size_t last_length)
{
	memset(trace, 0, sizeof(*trace));
	assert_int_equal(protocol_ete.init(&trace->source, &regs), HWF_OK);
	for (size_t i = 0; i < PIECES; i++) {
		memset(trace->bytes[i], 0xf7, PIECE_BYTES);
		for (size_t at = 0; at + 14 < PIECE_BYTES; at += 1000) {
			memset(trace->bytes[i] + at, 0, 11);
			trace->bytes[i][at + 11] = 0x80;
			trace->bytes[i][at + 12] = 0x01;
			trace->bytes[i][at + 13] = 0x00;
		}
		trace->pieces[i] =
			(struct input_piece){.bytes = trace->bytes[i], .length = PIECE_BYTES};
	}
	trace->pieces[PIECES - 1].length = last_length;
	trace->source.pieces = trace->pieces;
	trace->source.piece_count = PIECES;
	trace->input.sources = &trace->source;
	trace->input.source_count = 1;
	trace->input.jobs = 3;
}

static void shards_cover_each_piece(void **state)
{
	static struct trace trace;
	const size_t lengths[] = {0, 1, 999, 4000, PIECE_BYTES};

	(void)state;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		struct shards shards;
		size_t next = 0;

		make_trace(&trace, lengths[i]);
		assert_int_equal(shards_plan(&shards, &trace.source, 1, 3000, 700), 0);
		for (size_t j = 0; j < PIECES; j++) {
			size_t end = 0;

			do {
				const struct shard *shard = &shards.items[next++];

				assert_ptr_equal(shard->piece, &trace.pieces[j]);
				assert_ptr_equal(shard->source, &trace.source);
				assert_int_equal(shard->span.begin, end);
				assert_int_equal(shard->span.from % 1000, 0);
				assert_int_equal(shard->span.from, end ? end - 700 : 0);
				end = shard->span.end;
			} while (end < trace.pieces[j].length);
			assert_int_equal(end, trace.pieces[j].length);
		}
		assert_int_equal(next, shards.count);
		shards_free(&shards);
	}
}

/* Where no synchronisation is, nothing is cut; nor in a protocol that does not look for one. */
static void what_cannot_be_cut_is_one_shard(void **state)
{
	static struct trace trace;
	struct shards shards;

	(void)state;
	make_trace(&trace, PIECE_BYTES);
	memset(trace.bytes, 0xf7, sizeof(trace.bytes));
	assert_int_equal(shards_plan(&shards, &trace.source, 1, 3000, 700), 0);
	assert_int_equal(shards.count, PIECES);
	shards_free(&shards);
}

/* Short pieces are decoded together; no batch is longer than asked for, but where one shard is. */
static void short_pieces_share_a_batch(void **state)
{
	static struct trace trace;
	struct shards shards;

	(void)state;
	make_trace(&trace, 100);
	trace.pieces[0].length = trace.pieces[1].length = 100;
	assert_int_equal(shards_plan(&shards, &trace.source, 1, 200, 50), 0);
	assert_int_equal(shards.count, 3);
	assert_int_equal(shards.items[0].batch, 0);
	assert_int_equal(shards.items[1].batch, 0);
	assert_int_equal(shards.items[2].batch, 1);
	shards_free(&shards);
}

/* ---- workers ---- */

/* struct script - what happens to the shards, by number */
struct script {
	const struct shards *shards;
	size_t dies;  /* its worker ends there */
	size_t fails; /* nothing comes of it */
};

static void begin_nothing(void *ctx)
{
	(void)ctx;
}

static void log_number(void *ctx, const struct shard *shard, struct work_log *log)
{
	const struct script *script = ctx;
	const size_t number = (size_t)(shard - script->shards->items);

	if (number == script->dies)
		_exit(1);
	work_log_copy(log, WORK_TEXT, &number, sizeof(number));
	if (number == script->fails)
		work_log_fail(log);
}

static size_t number_in(const uint8_t *log, size_t at)
{
	struct work_entry entry;

	work_log_next(log, at, &entry);
	assert_int_equal(entry.kind, WORK_TEXT);
	return *(const size_t *)entry.data;
}

/* Whatever shards are passed over, the others come; a worker that has ended takes its own with it.
 */
static void each_shard_is_taken_or_not(void **state)
{
	static struct trace trace;
	struct shards shards;

	(void)state;
	make_trace(&trace, PIECE_BYTES);
	assert_int_equal(shards_plan(&shards, &trace.source, 1, 2000, 500), 0);
	assert_true(shards.count > 20);
	for (size_t step = 1; step < 9; step += 3) {
		struct script script = {.shards = &shards, .dies = SIZE_MAX, .fails = 2 * step};
		const struct work work = {
			.begin = begin_nothing, .shard = log_number, .ctx = &script};
		struct workers *workers;
		size_t died = 0;

		if (step > 1)
			script.dies = 3;
		assert_int_equal(workers_start(&workers, &shards, 3, &work), 0);
		for (size_t i = 0; i < shards.count; i += step) {
			size_t at;
			const uint8_t *log = workers_take(workers, i, &at);

			if (i == script.fails)
				assert_null(log);
			else if (log)
				assert_int_equal(number_in(log, at), i);
			else
				died++;
			if (!log && i != script.fails) {
				assert_true(script.dies != SIZE_MAX);
				assert_int_equal(shards.items[i].batch % 3,
						 shards.items[script.dies].batch % 3);
				assert_true(i >= script.dies ||
					    shards.items[i].batch ==
						    shards.items[script.dies].batch);
			}
		}
		assert_true(step == 1 || died);
		workers_stop(workers);
	}
	shards_free(&shards);
}

/* ---- in order ---- */

/* struct given - what came out, as numbers of bytes; and what the shards say of their ends */
struct given {
	size_t next;    /* offset in the piece that is given next */
	size_t again;   /* how often shards had to be decoded again */
	size_t from;    /* where the last of these began */
	size_t apart;   /* the shard that begins there does not fit the one before; 0: none */
	bool all_apart; /* no shard fits */
	int status;     /* of decoding again */
	struct ahead *ahead;
};

static void log_span(void *ctx, const struct shard *shard, struct work_log *log)
{
	const struct given *given = ctx;
	size_t state = shard->span.begin;

	if (state == given->apart || given->all_apart)
		state++;
	if (shard->span.begin)
		work_log_copy(log, WORK_BEGIN, &state, sizeof(state));
	work_log_copy(log, WORK_TEXT, &shard->span, sizeof(shard->span));
	if (shard->span.end != shard->piece->length)
		work_log_copy(log, WORK_END, &shard->span.end, sizeof(shard->span.end));
}

static void take_span(void *ctx, const struct work_entry *entry)
{
	const struct input_span *span = entry->data;
	struct given *given = ctx;

	if (entry->kind != WORK_TEXT)
		return;
	assert_int_equal(span->begin, given->next);
	given->next = span->end;
}

static int take_again(void *ctx, const struct shard *shard)
{
	struct given *given = ctx;

	given->again++;
	given->from = shard->span.from;
	assert_int_equal(shard->span.begin, given->next);
	given->next = shard->span.end;
	if (shard->span.end != shard->piece->length)
		ahead_reached(given->ahead, (const uint8_t *)&given->next, sizeof(given->next));
	return given->status;
}

static void a_shard_that_does_not_fit_is_done_again(void **state)
{
	static struct trace trace;
	struct given given = {0};
	const struct ahead_work work = {.begin = begin_nothing,
					.shard = log_span,
					.entry = take_span,
					.again = take_again,
					.most = SIZE_MAX,
					.warmth = 0x1000,
					.ctx = &given};
	struct shards shards;

	(void)state;
	setenv("HWFLOW_SHARD_BYTES", "3000", 1);
	make_trace(&trace, PIECE_BYTES);
	assert_int_equal(shards_plan(&shards, &trace.source, 1, 3000, 0x1000), 0);
	for (size_t i = 0; i < 4; i++) {
		given = (struct given){.apart = shards.items[i].span.begin};
		given.ahead = ahead_new(&trace.input, &trace.source, 1, &work);
		assert_non_null(given.ahead);
		for (size_t j = 0; j < PIECES; j++) {
			assert_true(ahead_is_next(given.ahead, &trace.pieces[j]));
			assert_false(ahead_is_next(given.ahead, &trace.pieces[(j + 1) % PIECES]));
			given.next = 0;
			assert_int_equal(ahead_take(given.ahead, NULL), 0);
			assert_int_equal(given.next, PIECE_BYTES);
			assert_int_equal(given.again, i ? j + 1 : 0);
			assert_int_equal(given.from, i ? shards.items[i - 1].span.from : 0);
		}
		assert_false(ahead_is_next(given.ahead, &trace.pieces[0]));
		ahead_free(given.ahead);
	}
	shards_free(&shards);
	unsetenv("HWFLOW_SHARD_BYTES");
}

/* How often shards are decoded again, one, two, four at a time, if @count of them do not fit */
static size_t times_again(size_t count)
{
	size_t times = 0;

	for (size_t done = 0, now = 1; done < count; done += now, now *= 2)
		times++;
	return times;
}

/* Shards in a piece */
static size_t shards_of_piece(const struct trace *trace)
{
	struct shards shards;
	size_t count;

	assert_int_equal(shards_plan(&shards, &trace->source, 1, 3000, 0x1000), 0);
	count = shards.count / PIECES;
	assert_true(count > 3);
	shards_free(&shards);
	return count;
}

static void shards_of_which_none_fits_are_done_again_together(void **state)
{
	static struct trace trace;
	struct given given = {.all_apart = true};
	const struct ahead_work work = {.begin = begin_nothing,
					.shard = log_span,
					.entry = take_span,
					.again = take_again,
					.most = SIZE_MAX,
					.warmth = 0x1000,
					.ctx = &given};

	(void)state;
	setenv("HWFLOW_SHARD_BYTES", "3000", 1);
	make_trace(&trace, PIECE_BYTES);
	given.ahead = ahead_new(&trace.input, &trace.source, 1, &work);
	assert_non_null(given.ahead);
	assert_int_equal(ahead_take(given.ahead, NULL), 0);
	assert_int_equal(given.next, PIECE_BYTES);
	assert_int_equal(given.from, 0);
	assert_int_equal(given.again, times_again(shards_of_piece(&trace) - 1));
	/* what cannot be decoded again ends the piece */
	given.status = 7;
	given.again = 0;
	given.next = 0;
	assert_int_equal(ahead_take(given.ahead, NULL), 7);
	assert_int_equal(given.again, 1);
	assert_true(ahead_is_next(given.ahead, &trace.pieces[2]));
	ahead_free(given.ahead);
	unsetenv("HWFLOW_SHARD_BYTES");
}

static void who_has_enough_gets_no_more(void **state)
{
	static struct trace trace;
	struct given given = {0};
	const struct ahead_work work = {.begin = begin_nothing,
					.shard = log_span,
					.entry = take_span,
					.again = take_again,
					.most = SIZE_MAX,
					.warmth = 0x1000,
					.ctx = &given};
	struct ahead *ahead;
	bool stop = true;

	(void)state;
	setenv("HWFLOW_SHARD_BYTES", "3000", 1);
	make_trace(&trace, PIECE_BYTES);
	ahead = ahead_new(&trace.input, &trace.source, 1, &work);
	assert_non_null(ahead);
	assert_int_equal(ahead_take(ahead, &stop), 0);
	assert_int_equal(given.next, 0);
	assert_true(ahead_is_next(ahead, &trace.pieces[1]));
	stop = false;
	assert_int_equal(ahead_take(ahead, &stop), 0);
	assert_int_equal(given.next, PIECE_BYTES);
	ahead_free(ahead);
	trace.input.jobs = 1;
	assert_null(ahead_new(&trace.input, &trace.source, 1, &work));
	unsetenv("HWFLOW_SHARD_BYTES");
}

/* ---- lines of text ---- */

/* struct lines - parts of a piece that this process goes through itself */
struct lines {
	const struct input_part *part;
	size_t parts;
};

static int write_lines(void *ctx, const struct input_source *source,
		       const struct input_piece *piece, const struct input_part *part)
{
	static const uint8_t decoder[] = {1};
	struct lines *lines = ctx;

	(void)source;
	lines->part = part;
	lines->parts++;
	if (!part)
		return 0;
	if (part->span.begin)
		part->reached(part->ctx, part->span.begin, decoder, sizeof(decoder));
	if (part->span.end != piece->length)
		part->reached(part->ctx, part->span.end, decoder, sizeof(decoder));
	return 0;
}

/* No two shards have the same. */
static void put_part(void *ctx, struct text_state *state)
{
	const struct lines *lines = ctx;

	text_state_put(state, lines->part->span.from);
}

static void what_lines_depend_on_is_compared(void **state)
{
	static struct trace trace;

	(void)state;
	setenv("HWFLOW_SHARD_BYTES", "3000", 1);
	make_trace(&trace, PIECE_BYTES);
	for (int differs = 0; differs < 2; differs++) {
		struct lines lines = {0};
		const struct text_work work = {
			.piece = write_lines, .state = differs ? put_part : NULL, .ctx = &lines};
		struct text_ahead *ahead;

		trace.input.gaps = gaps_new(&trace.input, false);
		ahead = text_ahead_new(&trace.input, &work);
		assert_non_null(ahead);
		for (size_t i = 0; i < PIECES; i++)
			text_ahead_piece(ahead, &work, &trace.source, &trace.pieces[i]);
		assert_int_equal(lines.parts,
				 differs ? PIECES * times_again(shards_of_piece(&trace) - 1) : 0);
		text_ahead_free(ahead);
		gaps_free(trace.input.gaps);
	}
	unsetenv("HWFLOW_SHARD_BYTES");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shards_cover_each_piece),
		cmocka_unit_test(what_cannot_be_cut_is_one_shard),
		cmocka_unit_test(short_pieces_share_a_batch),
		cmocka_unit_test(each_shard_is_taken_or_not),
		cmocka_unit_test(a_shard_that_does_not_fit_is_done_again),
		cmocka_unit_test(shards_of_which_none_fits_are_done_again_together),
		cmocka_unit_test(who_has_enough_gets_no_more),
		cmocka_unit_test(what_lines_depend_on_is_compared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
