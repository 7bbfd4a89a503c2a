// SPDX-License-Identifier: GPL-2.0-only
/* hwflow dump: the packets of a trace, one a line. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/options.h"
#include "cli/progress.h"
#include "commands.h"
#include "format_riscv.h"
#include "input/etm3.h"
#include "input/gaps.h"
#include "input/input_riscv.h"
#include "input/selection.h"
#include "parallel/text_ahead.h"

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

struct dump {
	enum line_format format;
	struct input *input;
	struct gaps *gaps;
	const struct input_source *source;
	struct cut *cut;
	uint64_t timestamp;
	struct text *out;
	struct packet_lines lines;
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

/* What is written depends on packets of which the lines are not selected. */
static struct text *out_at(struct dump *dump, uint64_t offset)
{
	return cut_has(dump->cut, offset, dump->timestamp) ? dump->out : text_nowhere();
}

/* Is no line to come selected? Bytes that are not synchronised may have a line before @at. */
static bool has_ended(const struct dump *dump, uint64_t at, uint64_t waiting)
{
	cut_pass(dump->cut, at, dump->timestamp);
	return dump->cut && dump->cut->stop && (!waiting || cut_is_full(dump->cut));
}

static void take_timestamp(struct dump *dump, const struct hwf_ete_packet *packet)
{
	const struct hwf_ete_timestamp *timestamp = &packet->u.timestamp;
	uint64_t value = timestamp->value;

	if (packet->type >= HWF_ETE_TYPES ||
	    hwf_ete_type_codec(packet->type) != HWF_ETE_CODEC_timestamp)
		return;
	if (timestamp->bits < 64)
		value |= dump->lines.timestamp >> timestamp->bits << timestamp->bits;
	if (value)
		dump->timestamp = value;
}

/* A packet that cannot be decoded, for the reason @error, or where decoding goes on */
static void take_gap(struct dump *dump, const struct input_piece *piece, size_t at,
		     const struct hwf_ete_packet *packet, int error)
{
	if (packet->type < HWF_ETE_UNSYNC)
		gaps_resume(dump->gaps, at);
	else if (packet->type > HWF_ETE_UNSYNC && error)
		add_gap(dump, piece, at, &packet->header, (enum hwf_err)error,
			packet->type == HWF_ETE_INCOMPLETE ? CUT_REMEDY : NO_SYNC_REMEDY);
}

static void take_riscv_gap(struct dump *dump, const struct input_piece *piece, size_t at,
			   const struct hwf_riscv_packet *packet, int error)
{
	if (packet->type == HWF_RISCV_BAD || packet->type == HWF_RISCV_INCOMPLETE)
		add_gap(dump, piece, at, NULL, (enum hwf_err)error,
			packet->type == HWF_RISCV_BAD ? "; is the --config right?" : CUT_REMEDY);
	else
		gaps_resume(dump->gaps, at);
}

static void add_lost(struct dump *dump, const struct input_piece *piece)
{
	const struct gap gap = gap_of_loss(dump->source, piece);

	gaps_add(dump->gaps, &gap);
}

static const char *no_sync_remedy(const struct input_source *source)
{
	static const char *const remedies[INPUT_PROTOCOLS] = {
		[INPUT_ETE] = "; is it a trace of ETE?",
		[INPUT_ETMV4] = "; is it a trace of ETMv4?",
		[INPUT_ETMV3] = "; is it a trace of ETMv3?",
		[INPUT_RISCV] = "; is it a trace of RISC-V?",
	};

	return remedies[input_protocol_of(source)];
}

/* What the lines to come depend on: as text_work.state */
static void put_state(void *ctx, struct text_state *state)
{
	const struct dump *dump = ctx;
	const struct packet_lines *lines = &dump->lines;

	for (size_t i = 0; i < HWF_HISTORY; i++) {
		text_state_put(state, lines->history.entry[i].value);
		text_state_put(state, lines->history.entry[i].is);
	}
	text_state_put(state, lines->timestamp);
	text_state_put(state, (uint64_t)lines->cc_threshold << 8 | lines->wait_sync);
	text_state_put(state, lines->unsync_length);
	if (lines->unsync_length)
		text_state_put(state, lines->unsync_offset);
}

/* The state of a stream that has reached a place where parts of a piece meet */
static void tell_reached(const struct input_part *part, size_t at,
			 const struct hwf_ete_stream *stream)
{
	uint8_t bytes[16];
	struct text_state state = {.at = bytes, .end = bytes + sizeof(bytes)};

	text_state_put(&state, stream->offset);
	/* why synchronisation was lost is of no account once it is found again */
	text_state_put(&state, (uint64_t)stream->synced << 8 | stream->tentative);
	part->reached(part->ctx, at, bytes,
		      stream->synced && !stream->tentative ? sizeof(bytes) : 0);
}

static void dump_part(struct dump *dump, const struct input_source *source,
		      const struct input_piece *piece, const struct input_part *part)
{
	const struct input_span whole = {.end = piece->length};
	const struct input_span *span = part ? &part->span : &whole;
	const bool last = span->end == piece->length;
	struct hwf_ete_stream stream;
	struct packet_lines *lines = &dump->lines;
	struct hwf_ete_packet packet;
	size_t at = span->from, told = at, released = at;
	bool begun = !span->begin, is_ended = false;

	packet_lines_init(lines, &source->config, dump->out);
	hwf_ete_stream_init(&stream, &source->config);
	stream.offset = at;
	while (!is_ended) {
		bool tentative = stream.tentative;
		size_t size;

		if (!begun && at >= span->begin) {
			tell_reached(part, span->begin, &stream);
			begun = true;
		}
		if (!last && at >= span->end)
			break;
		size = hwf_ete_stream_next(&stream, piece->bytes + at, piece->length - at, true,
					   &packet);
		if (!size)
			break;
		take_timestamp(dump, &packet);
		lines->out = out_at(dump, at);
		if (lines->out == dump->out)
			take_gap(dump, piece, at, &packet, tentative ? HWF_OK : stream.error);
		packet_line(lines, dump->format, &packet, piece->bytes + at, at,
			    tentative && stream.tentative);
		at += size;
		released = input_release(piece, released, at);
		if (at - told >= TELL) {
			progress_add(at - told);
			told = at;
		}
		is_ended = has_ended(dump, at, lines->unsync_length);
	}
	progress_add(at - told);
	if (is_ended)
		return;
	if (!last) {
		tell_reached(part, span->end, &stream);
		return;
	}
	packet_lines_flush(lines, dump->format);
	if (piece->length && !stream.synced)
		add_gap(dump, piece, 0, NULL, HWF_ERR_NO_SYNC, no_sync_remedy(source));
	gaps_resume(dump->gaps, piece->length);
}

static void take_riscv_time(struct dump *dump, const struct hwf_riscv_stream *stream,
			    const struct hwf_riscv_packet *packet)
{
	const bool is_sync = packet->type == HWF_RISCV_F3_START ||
			     packet->type == HWF_RISCV_F3_TRAP ||
			     packet->type == HWF_RISCV_F3_CONTEXT;

	if (is_sync && stream->config.params.time_width_p && packet->u.sync.time)
		dump->timestamp = packet->u.sync.time;
}

/* The same of RISC-V, where a packet that cannot be read does not hide the next */
static void dump_riscv_piece(struct dump *dump, const struct input_source *source,
			     const struct input_piece *piece)
{
	struct hwf_riscv_stream stream;
	struct hwf_riscv_packet packet;
	size_t released = 0;
	size_t size;

	input_riscv_stream(source->riscv, &stream);
	for (size_t at = 0;; at += size) {
		struct text *out;

		size = hwf_riscv_stream_next(&stream, piece->bytes + at, piece->length - at, true,
					     &packet);
		if (!size)
			break;
		progress_add(size);
		released = input_release(piece, released, at);
		take_riscv_time(dump, &stream, &packet);
		out = out_at(dump, at);
		if (out == dump->out)
			take_riscv_gap(dump, piece, at, &packet, stream.error);
		riscv_packet_line(out, dump->format, &stream, &packet, piece->bytes + at, size, at);
		if (has_ended(dump, at + size, 0))
			return;
	}
	if (piece->length && !input_riscv_has_sync(source->riscv, piece))
		add_gap(dump, piece, 0, NULL, HWF_ERR_NO_SYNC, no_sync_remedy(source));
	input_release(piece, 0, piece->length);
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
	if (source->riscv)
		dump_riscv_piece(dump, source, piece);
	else if (source->etm3)
		etm3_dump_piece(source, piece, dump->format, dump->out, dump->gaps, dump->cut);
	else
		dump_part(dump, source, piece, part);
	return 0;
}

static void dump_sources(struct dump *dump, struct input *input)
{
	const struct text_work work = {.piece = dump_piece, .state = put_state, .ctx = dump};
	struct text_ahead *ahead;

	dump->input = input;
	dump->gaps = input->gaps;
	ahead = text_ahead_new(input, &work);
	for (size_t i = 0; i < input->source_count; i++) {
		const struct input_source *source = &input->sources[i];

		if (input->source_count > 1) {
			text_named_string(dump->out, "# source ", source->name);
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
		dump->format = FORMAT_REF;
	} else if (!strcmp(argument, "human")) {
		dump->format = FORMAT_HUMAN;
	} else {
		fprintf(stderr, "hwflow dump: --format=%s: unknown format; use human or ref\n",
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
	struct dump dump = {.format = FORMAT_HUMAN, .out = text_stdout()};
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
			/* it was said of each source */
			if (input->is_raw && !input_has_sync(input))
				status = EXIT_UNREADABLE;
			input_close(input);
		}
	}
	text_flush(text_stdout());
	input_options_free(&options);
	return status < 0 ? EXIT_GOOD : status;
}
