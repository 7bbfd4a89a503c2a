// SPDX-License-Identifier: GPL-2.0-only
/* hwflow dump: the packets of a trace, one a line. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/print.h"
#include "base/progress.h"
#include "commands.h"
#include "decode/gaps.h"
#include "decode/input_sync.h"
#include "options.h"
#include "packet_dump.h"
#include "select/selection.h"
#include "source/protocol.h"

static const char usage[] =
	"usage: hwflow dump [OPTIONS] [SRC]\n"
	"\n"
	"Prints the packets of a trace, one on each line: offset, bytes, name, fields.\n"
	"\n"
	"  --format=human|ref   layout: for reading (human, the default), or the stable layout of\n"
	"                       hwflow-format(5), for comparison by programs (ref)\n" SELECTION_HELP
		LIMIT_HELP GAPS_HELP;

/* Bytes between two looks at the clock */
#define TELL 0x4000u

/* Bytes of trace until packets depend on nothing before: a Trace Info packet follows an Alignment
 * Synchronisation packet, then a context */
#define WARMTH 0x100u

/* Bytes of trace in a shard at most: a byte is 50 bytes of text, which stays in the caches */
#define MOST_BYTES 0x8000u

struct dump {
	struct input *input;
	struct gaps *gaps;
	const struct input_source *source;
	struct cut *cut;
	uint64_t timestamp;
	struct text *out;
	struct packet_dump packets;
};

/* What cannot be decoded at an offset of a piece; @header: of the packet, or NULL */
static void add_gap(struct dump *dump, const struct input_piece *piece, uint64_t offset,
		    const uint8_t *header, enum hwf_err error, const char *remedy)
{
	const struct gap gap = {.source = dump->source,
				.piece = piece,
				.offset = offset,
				.tid = piece->tid,
				.has_header = header != NULL,
				.header = header ? *header : 0,
				.reason = hwf_err_text(error),
				.remedy = remedy};

	gaps_add(dump->gaps, &gap);
}

static void add_lost(struct dump *dump, const struct input_piece *piece)
{
	const struct gap gap = gap_of_loss(dump->source, piece);

	gaps_add(dump->gaps, &gap);
}

/* What the lines to come depend on: as text_work.state */
static void put_state(void *ctx, struct text_state *state)
{
	const struct dump *dump = ctx;
	const struct packet_dump_ops *ops = packet_dump_of(dump->source);

	ops->put_state(&dump->packets, state);
}

/* The dump has reached a place where parts of a piece meet. */
static void tell_reached(const struct dump *dump, const struct input_part *part, size_t at)
{
	uint8_t bytes[16];
	struct text_state state = {.at = bytes, .end = bytes + sizeof(bytes)};
	const bool joins = packet_dump_of(dump->source)->put_stream(&dump->packets, &state);

	part->reached(part->ctx, at, bytes, joins ? sizeof(bytes) : 0);
}

/* What is written depends on packets of which the lines are not selected. */
static void dump_packet(struct dump *dump, const struct input_piece *piece, size_t at, size_t size,
			const struct dumped_packet *packet)
{
	bool is_selected;

	if (packet->timestamp)
		dump->timestamp = packet->timestamp;
	is_selected = cut_has(dump->cut, at, dump->timestamp);
	dump->packets.out = is_selected ? dump->out : text_nowhere();
	if (is_selected && packet->error)
		add_gap(dump, piece, at, packet->has_header ? &packet->header : NULL,
			(enum hwf_err)packet->error, packet->remedy);
	else if (is_selected && packet->good)
		gaps_resume(dump->gaps, at);
	packet_dump_of(dump->source)->line(&dump->packets, piece->bytes + at, size, at);
}

/* Is no line to come selected? Bytes that are not synchronised may have a line before @at. */
static bool has_ended(const struct dump *dump, uint64_t at)
{
	const struct packet_dump_ops *ops = packet_dump_of(dump->source);

	cut_pass(dump->cut, at, dump->timestamp);
	if (!dump->cut || !dump->cut->stop)
		return false;
	return cut_is_full(dump->cut) || !ops->holds || !ops->holds(&dump->packets);
}

static void dump_part(struct dump *dump, const struct input_source *source,
		      const struct input_piece *piece, const struct input_part *part)
{
	const struct packet_dump_ops *ops = packet_dump_of(source);
	const struct input_span whole = {.end = piece->length};
	const struct input_span *span = part ? &part->span : &whole;
	const bool last = span->end == piece->length;
	struct dumped_packet packet;
	size_t at = span->from, told = at, released = at;
	bool begun = !span->begin, is_ended = false;

	ops->begin(&dump->packets, source, piece, at);
	while (!is_ended) {
		size_t size;

		if (!begun && at >= span->begin) {
			tell_reached(dump, part, span->begin);
			begun = true;
		}
		if (!last && at >= span->end)
			break;
		size = ops->next(&dump->packets, piece->bytes + at, piece->length - at, &packet);
		if (!size)
			break;
		dump_packet(dump, piece, at, size, &packet);
		at += size;
		released = input_release(piece, released, at);
		if (at - told >= TELL) {
			progress_add(at - told);
			told = at;
		}
		is_ended = has_ended(dump, at);
	}
	progress_add(at - told);
	if (is_ended)
		return;
	if (!last) {
		if (piece->map)
			file_map_release(piece->map, piece->bytes + released, piece->bytes + at);
		tell_reached(dump, part, span->end);
		return;
	}
	if (ops->flush)
		ops->flush(&dump->packets);
	if (piece->length && !ops->synced(&dump->packets))
		add_gap(dump, piece, 0, NULL, HWF_ERR_NO_SYNC, source->protocol->no_sync);
	gaps_resume(dump->gaps, piece->length);
}

/* As text_work.piece */
static int dump_piece(void *ctx, const struct input_source *source, const struct input_piece *piece,
		      const struct input_part *part)
{
	struct dump *dump = ctx;
	const bool is_perfdata = dump->input->is_perfdata;
	const bool first = !part || !part->span.from;

	dump->source = source;
	dump->packets.out = dump->out;
	/* an AUX record may be there to say just that there was no trace */
	if (is_perfdata && !piece->length && !piece->lost)
		return 0;
	if (is_perfdata && first) {
		text_named_decimal(dump->out, "# aux record ", piece->number);
		text_named_signed(dump->out, " cpu ", source->cpu);
		text_named_signed(dump->out, " tid ", piece->tid);
		text_end_line(dump->out);
	}
	dump->timestamp = 0;
	dump->cut = selection_cut(dump->input, source, piece);
	if (dump->cut)
		part = &dump->cut->part;
	if (piece->lost && first && cut_has(dump->cut, 0, 0))
		add_lost(dump, piece);
	dump_part(dump, source, piece, part);
	return 0;
}

static void dump_sources(struct dump *dump, struct input *input)
{
	const struct text_work work = {.piece = dump_piece,
				       .state = put_state,
				       .warmth = WARMTH,
				       .most = MOST_BYTES,
				       .ctx = dump};
	struct text_ahead *ahead;

	dump->input = input;
	dump->gaps = input->gaps;
	ahead = text_ahead_new(input, &work);
	for (size_t i = 0; i < input->source_count; i++) {
		const struct input_source *source = &input->sources[i];

		if (input->source_count > 1) {
			text_named_name(dump->out, "# source ", source->name);
			text_end_line(dump->out);
		}
		for (size_t j = 0; j < source->piece_count; j++) {
			if (selection_has_enough(input, source))
				break;
			text_ahead_piece(ahead, &work, source, &source->pieces[j]);
		}
	}
	text_ahead_free(ahead);
}

static bool take_option(void *ctx, int value, const char *argument)
{
	struct dump *dump = ctx;

	(void)value; /* there is one only */
	if (!strcmp(argument, "ref")) {
		dump->packets.format = HWF_TEXT_REF;
	} else if (!strcmp(argument, "human")) {
		dump->packets.format = HWF_TEXT_HUMAN;
	} else {
		print(stderr, "hwflow dump: --format=%s: unknown format; use human or ref\n",
		      argument);
		return false;
	}
	return true;
}

static const struct option longs[] = {
	GAPS_LONG_OPTIONS,  SELECTION_LONG_OPTIONS,
	LIMIT_LONG_OPTION,  {"format", required_argument, NULL, 'f'},
	{NULL, 0, NULL, 0},
};

static const struct verb_options command_line = {
	.usage = usage, .wants = "SRC", .longs = longs, .take = take_option};

int cmd_dump(int argc, char **argv)
{
	struct dump dump = {.packets.format = HWF_TEXT_HUMAN, .out = text_stdout()};
	struct input_options options;
	struct input *input;
	size_t gaps;
	int status;

	input_options_init(&options);
	status = verb_parse(&command_line, argc, argv, &options, &dump);
	if (!status) {
		status = input_open(&input, &options);
		if (!status) {
			input_progress(input, "dump", NULL, true);
			dump_sources(&dump, input);
			gaps_print(input->gaps);
			gaps_kinds(input->gaps, &gaps);
			status = gaps || input->damaged ? EXIT_GAPS : EXIT_GOOD;
			status = sync_status(input, INPUT_SYNC_PACKETS, status);
			input_close(input);
		}
	}
	text_flush(text_stdout());
	input_options_free(&options);
	return status < 0 ? EXIT_GOOD : status;
}
