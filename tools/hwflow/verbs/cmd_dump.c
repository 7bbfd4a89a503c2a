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
#include "decode/packets.h"
#include "decode/text_ahead.h"
#include "format.h"
#include "options.h"
#include "select/selection.h"

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

/**
 * struct dump - a dump
 * @input: what is listed
 * @gaps: its gaps
 * @source: of the piece that is listed
 * @packets: packets of @source
 * @cut: what is selected of the piece; NULL: all of it
 * @format: layout
 * @out: takes the lines
 * @timestamp: the last one
 * @is_tentative: synchronisation was lost before this packet
 * @is_synced: the piece has a synchronisation
 * @is_held: bytes that were passed over have no line yet
 */
struct dump {
	struct input *input;
	struct gaps *gaps;
	const struct input_source *source;
	struct packets packets;
	struct cut *cut;
	enum hwf_text_format format;
	struct text *out;
	uint64_t timestamp;
	bool is_tentative;
	bool is_synced;
	bool is_held;
};

/* What cannot be decoded at an offset of a piece; @header: of the packet, or NULL */
static void add_gap(struct dump *dump, const struct input_piece *piece, uint64_t offset,
		    const uint8_t *header, int error, const char *remedy)
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

/* What the lines to come depend on beside the session: as text_work.state */
static void put_state(void *ctx, struct text_state *state)
{
	const struct dump *dump = ctx;

	text_state_put(state, dump->is_synced);
}

/* The dump has reached a place where parts of a piece meet. */
static void tell_reached(const struct dump *dump, const struct input_part *part, size_t at)
{
	uint8_t state[HWF_SESSION_STATE];

	part->reached(part->ctx, at, state,
		      hwf_session_state(dump->packets.session, state, sizeof(state)));
}

/* An error is reported once until synchronisation is found again. */
static void report_packet(struct dump *dump, const struct input_piece *piece,
			  const struct hwf_packet *packet)
{
	const struct protocol *protocol = dump->source->protocol;

	if (!packet->error)
		gaps_resume(dump->gaps, packet->offset);
	else if (packet->error != HWF_ERR_NO_SYNC && !dump->is_tentative)
		add_gap(dump, piece, packet->offset,
			protocol->has_headers ? piece->bytes + packet->offset : NULL, packet->error,
			packet->error == HWF_ERR_NEED_MORE ? CUT_REMEDY : protocol->bad_packet);
}

/* What is written depends on packets of which the lines are not selected. */
static void dump_packet(struct dump *dump, const struct input_piece *piece,
			const struct hwf_packet *packet)
{
	struct text *out = dump->out;

	if (dump->packets.time)
		dump->timestamp = dump->packets.time;
	if (cut_has(dump->cut, packet->offset, dump->timestamp))
		report_packet(dump, piece, packet);
	else
		out = text_nowhere();
	dump->is_held = !hwf_session_line(dump->packets.session, &out->hwf);
	dump->is_tentative = packet->tentative;
	if (!dump->is_synced)
		dump->is_synced = dump->source->protocol->packet_role(packet) != PACKET_UNSYNCED;
}

/* Is no line to come selected? Bytes that are not synchronised may have a line before @at. */
static bool has_ended(const struct dump *dump, uint64_t at)
{
	cut_pass(dump->cut, at, dump->timestamp);
	if (!dump->cut || !dump->cut->stop)
		return false;
	return cut_is_full(dump->cut) || !dump->is_held;
}

static void begin_piece(struct dump *dump, const struct input_piece *piece, size_t from)
{
	packets_begin(&dump->packets, piece, from);
	dump->timestamp = 0;
	dump->is_tentative = dump->is_synced = dump->is_held = false;
}

static void end_piece(struct dump *dump, const struct input_piece *piece)
{
	hwf_session_line(dump->packets.session, &dump->out->hwf);
	if (piece->length && !dump->is_synced)
		add_gap(dump, piece, 0, NULL, HWF_ERR_NO_SYNC, dump->source->protocol->no_sync);
	gaps_resume(dump->gaps, piece->length);
}

static void dump_part(struct dump *dump, const struct input_piece *piece,
		      const struct input_part *part)
{
	const struct input_span whole = {.end = piece->length};
	const struct input_span *span = part ? &part->span : &whole;
	const bool last = span->end == piece->length;
	size_t at = span->from, told = at;
	bool has_begun = !span->begin, is_ended = false;
	struct hwf_packet packet;

	begin_piece(dump, piece, at);
	while (!is_ended) {
		if (!has_begun && at >= span->begin) {
			tell_reached(dump, part, span->begin);
			has_begun = true;
		}
		if ((!last && at >= span->end) || !packets_next(&dump->packets, &packet))
			break;
		dump_packet(dump, piece, &packet);
		at += packet.size;
		if (at - told >= TELL) {
			progress_add(at - told);
			told = at;
		}
		is_ended = has_ended(dump, at);
	}
	progress_add(at - told);
	if (is_ended)
		return;
	if (piece->map)
		file_map_release(piece->map, piece->bytes + dump->packets.released,
				 piece->bytes + at);
	if (last)
		end_piece(dump, piece);
	else
		tell_reached(dump, part, span->end);
}

/* Packets of the piece's source; false without memory */
static bool open_packets(struct dump *dump)
{
	if (dump->packets.session && dump->packets.source == dump->source)
		return true;
	packets_close(&dump->packets);
	if (packets_open(&dump->packets, dump->source))
		return false;
	if (!hwf_session_list(dump->packets.session, dump->format))
		return true;
	packets_close(&dump->packets);
	return false;
}

/* As text_work.piece */
static int dump_piece(void *ctx, const struct input_source *source, const struct input_piece *piece,
		      const struct input_part *part)
{
	struct dump *dump = ctx;
	const bool is_perfdata = dump->input->is_perfdata;
	const bool first = !part || !part->span.from;

	dump->source = source;
	/* an AUX record may be there to say just that there was no trace */
	if (is_perfdata && !piece->length && !piece->lost)
		return 0;
	if (is_perfdata && first) {
		text_named_decimal(dump->out, "# aux record ", piece->number);
		text_named_signed(dump->out, " cpu ", source->cpu);
		text_named_signed(dump->out, " tid ", piece->tid);
		text_end_line(dump->out);
	}
	dump->cut = selection_cut(dump->input, source, piece);
	if (dump->cut)
		part = &dump->cut->part;
	if (piece->lost && first && cut_has(dump->cut, 0, 0))
		add_lost(dump, piece);
	if (!open_packets(dump)) {
		input_error(source->file, piece->at, "out of memory");
		return EXIT_UNREADABLE;
	}
	dump_part(dump, piece, part);
	return 0;
}

static int dump_sources(struct dump *dump, struct input *input)
{
	const struct text_work work = {.piece = dump_piece,
				       .state = put_state,
				       .warmth = WARMTH,
				       .most = MOST_BYTES,
				       .ctx = dump};
	struct text_ahead *ahead;
	int status = 0;

	dump->input = input;
	dump->gaps = input->gaps;
	ahead = text_ahead_new(input, &work);
	for (size_t i = 0; i < input->source_count && !status; i++) {
		const struct input_source *source = &input->sources[i];

		if (input->source_count > 1) {
			text_named_name(dump->out, "# source ", source->name);
			text_end_line(dump->out);
		}
		for (size_t j = 0; j < source->piece_count && !status; j++) {
			if (selection_has_enough(input, source))
				break;
			status = text_ahead_piece(ahead, &work, source, &source->pieces[j]);
		}
	}
	text_ahead_free(ahead);
	packets_close(&dump->packets);
	return status;
}

static bool take_option(void *ctx, int value, const char *argument)
{
	struct dump *dump = ctx;

	(void)value; /* there is one only */
	if (!strcmp(argument, "ref")) {
		dump->format = HWF_TEXT_REF;
	} else if (!strcmp(argument, "human")) {
		dump->format = HWF_TEXT_HUMAN;
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
	struct dump dump = {.format = HWF_TEXT_HUMAN, .out = text_stdout()};
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
			status = dump_sources(&dump, input);
			gaps_print(input->gaps);
			gaps_kinds(input->gaps, &gaps);
			if (!status && (gaps || input->damaged))
				status = EXIT_GAPS;
			status = sync_status(input, INPUT_SYNC_PACKETS, status);
			input_close(input);
		}
	}
	text_flush(text_stdout());
	input_options_free(&options);
	return status < 0 ? EXIT_GOOD : status;
}
