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

static const char usage[] =
	"usage: hwflow dump [OPTIONS] [SRC]\n"
	"\n"
	"Prints the packets of a trace, one on each line: offset, bytes, name, fields.\n"
	"\n"
	"  --format=human|ref   layout: for reading (human, the default), or the stable layout of\n"
	"                       hwflow-format(5), for comparison by programs (ref)\n" GAPS_HELP;

/* Bytes between two looks at the clock */
#define TELL 0x4000u

struct dump {
	enum line_format format;
	bool errors;
	struct gaps *gaps;
	const struct input_source *source;
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

	dump->errors = true;
	gaps_add(dump->gaps, &gap);
}

static void add_lost(struct dump *dump, const struct input_piece *piece)
{
	const struct gap gap = gap_of_loss(dump->source, piece);

	dump->errors = true;
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

static void dump_piece(struct dump *dump, const struct input_source *source,
		       const struct input_piece *piece)
{
	struct hwf_ete_stream stream;
	struct packet_lines *lines = &dump->lines;
	struct hwf_ete_packet packet;
	size_t at = 0, told = 0, released = 0;

	if (source->etm3) {
		dump->errors |=
			!etm3_dump_piece(source, piece, dump->format, dump->out, dump->gaps);
		return;
	}
	packet_lines_init(lines, &source->config, dump->out);
	hwf_ete_stream_init(&stream, &source->config);
	for (;;) {
		bool tentative = stream.tentative;
		size_t size = hwf_ete_stream_next(&stream, piece->bytes + at, piece->length - at,
						  true, &packet);

		if (!size)
			break;
		if (packet.type > HWF_ETE_UNSYNC && !tentative)
			add_gap(dump, piece, at, &packet.header, stream.error,
				packet.type == HWF_ETE_INCOMPLETE ? CUT_REMEDY : NO_SYNC_REMEDY);
		else if (packet.type < HWF_ETE_UNSYNC)
			gaps_resume(dump->gaps, at);
		packet_line(lines, dump->format, &packet, piece->bytes + at, at,
			    tentative && stream.tentative);
		at += size;
		released = input_release(piece, released, at);
		if (at - told >= TELL) {
			progress_add(at - told);
			told = at;
		}
	}
	progress_add(at - told);
	packet_lines_flush(lines, dump->format);
	if (piece->length && !stream.synced)
		add_gap(dump, piece, 0, NULL, HWF_ERR_NO_SYNC, no_sync_remedy(source));
	gaps_resume(dump->gaps, piece->length);
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
		size = hwf_riscv_stream_next(&stream, piece->bytes + at, piece->length - at, true,
					     &packet);
		if (!size)
			break;
		progress_add(size);
		released = input_release(piece, released, at);
		if (packet.type == HWF_RISCV_BAD || packet.type == HWF_RISCV_INCOMPLETE)
			add_gap(dump, piece, at, NULL, stream.error,
				packet.type == HWF_RISCV_BAD ? "; is the --config right?"
							     : CUT_REMEDY);
		else
			gaps_resume(dump->gaps, at);
		riscv_packet_line(dump->out, dump->format, &stream, &packet, piece->bytes + at,
				  size, at);
	}
	if (piece->length && !input_riscv_has_sync(source->riscv, piece))
		add_gap(dump, piece, 0, NULL, HWF_ERR_NO_SYNC, no_sync_remedy(source));
	input_release(piece, 0, piece->length);
	gaps_resume(dump->gaps, piece->length);
}

static void dump_source(struct dump *dump, const struct input *input,
			const struct input_source *source)
{
	dump->gaps = input->gaps;
	dump->source = source;
	if (input->source_count > 1) {
		text_named_string(dump->out, "# source ", source->name);
		text_end_line(dump->out);
	}
	for (size_t i = 0; i < source->piece_count; i++) {
		const struct input_piece *piece = &source->pieces[i];

		/* an AUX record may be there to say just that there was no trace */
		if (input->is_perfdata && !piece->length && !piece->lost)
			continue;
		if (input->is_perfdata) {
			text_named_decimal(dump->out, "# aux record ", piece->number);
			text_named_signed(dump->out, " cpu ", source->cpu);
			text_named_signed(dump->out, " tid ", piece->tid);
			text_end_line(dump->out);
		}
		if (piece->lost)
			add_lost(dump, piece);
		if (source->riscv)
			dump_riscv_piece(dump, source, piece);
		else
			dump_piece(dump, source, piece);
	}
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
	GAPS_LONG_OPTIONS,
	{"format", required_argument, NULL, 'f'},
	{NULL, 0, NULL, 0},
};

static const struct verb_options command_line = {
	.usage = usage, .wants = "SRC", .longs = longs, .take = take_option};

int cmd_dump(int argc, char **argv)
{
	struct dump dump = {.format = FORMAT_HUMAN, .out = text_stdout()};
	struct input_options options;
	struct input *input;
	int status;

	input_options_init(&options);
	status = verb_parse(&command_line, argc, argv, &options, &dump);
	if (!status) {
		status = input_open(&input, &options);
		if (!status) {
			input_progress(input, "dump", NULL, true);
			for (size_t i = 0; i < input->source_count; i++)
				dump_source(&dump, input, &input->sources[i]);
			gaps_print(input->gaps);
			status = dump.errors || input->damaged ? EXIT_GAPS : EXIT_GOOD;
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
