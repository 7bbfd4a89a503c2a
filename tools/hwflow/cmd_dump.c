// SPDX-License-Identifier: GPL-2.0-only
/* hwflow dump: the packets of a trace, one a line. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "etm3.h"
#include "format_riscv.h"
#include "input_riscv.h"
#include "options.h"
#include "progress.h"

static const char usage[] =
	"usage: hwflow dump [OPTIONS] [SRC]\n\n"
	"Prints the packets of a trace, one a line: offset, bytes, name, fields.\n\n"
	"  --format=human|ref   for reading (the default), or the stable layout of the\n"
	"                       reference results, for comparing\n";

/* Bytes between two looks at the clock */
#define TELL 0x4000u

struct dump {
	enum line_format format;
	bool errors;
};

static void report_bad(const struct input_source *source, const struct hwf_ete_stream *stream,
		       const struct hwf_ete_packet *packet, uint64_t offset)
{
	const char *remedy = packet->type == HWF_ETE_INCOMPLETE
				     ? "the trace was cut here"
				     : "waiting for the next alignment synchronisation";

	input_error(source->name, offset, "header %#04x: %s; %s", packet->header,
		    hwf_err_text(stream->error), remedy);
}

static void dump_piece(struct dump *dump, const struct input_source *source,
		       const struct input_piece *piece)
{
	struct hwf_ete_stream stream;
	struct packet_lines lines;
	struct hwf_ete_packet packet;
	size_t at = 0, told = 0;

	if (source->etm3) {
		dump->errors |= !etm3_dump_piece(source, piece, dump->format);
		return;
	}
	packet_lines_init(&lines, &source->config, stdout);
	hwf_ete_stream_init(&stream, &source->config);
	for (;;) {
		bool tentative = stream.tentative;
		size_t size = hwf_ete_stream_next(&stream, piece->bytes + at, piece->length - at,
						  true, &packet);

		if (!size)
			break;
		if (packet.type > HWF_ETE_UNSYNC && !tentative) {
			dump->errors = true;
			report_bad(source, &stream, &packet, at);
		}
		packet_line(&lines, dump->format, &packet, piece->bytes + at, at,
			    tentative && stream.tentative);
		at += size;
		if (at - told >= TELL) {
			progress_add(at - told);
			told = at;
		}
	}
	progress_add(at - told);
	packet_lines_flush(&lines, dump->format);
	if (piece->length && !stream.synced) {
		dump->errors = true;
		input_error(source->name, 0, "%s; is it a trace of %s?",
			    hwf_err_text(HWF_ERR_NO_SYNC),
			    input_protocol_name(input_protocol_of(source)));
	}
}

/* The same of RISC-V, where a packet that cannot be read does not hide the next */
static void dump_riscv_piece(struct dump *dump, const struct input_source *source,
			     const struct input_piece *piece)
{
	struct hwf_riscv_stream stream;
	struct hwf_riscv_packet packet;
	size_t size;

	input_riscv_stream(source->riscv, &stream);
	for (size_t at = 0;; at += size) {
		size = hwf_riscv_stream_next(&stream, piece->bytes + at, piece->length - at, true,
					     &packet);
		if (!size)
			break;
		progress_add(size);
		if (packet.type == HWF_RISCV_BAD || packet.type == HWF_RISCV_INCOMPLETE) {
			dump->errors = true;
			input_error(source->name, at, "%s; %s", hwf_err_text(stream.error),
				    packet.type == HWF_RISCV_BAD ? "is the --config right?"
								 : "the trace was cut here");
		}
		riscv_packet_line(stdout, dump->format, &stream, &packet, piece->bytes + at, size,
				  at);
	}
	if (piece->length && !input_riscv_has_sync(source->riscv, piece)) {
		dump->errors = true;
		input_error(source->name, 0, "%s; is it a RISC-V trace?",
			    hwf_err_text(HWF_ERR_NO_SYNC));
	}
}

static void dump_source(struct dump *dump, const struct input *input,
			const struct input_source *source)
{
	if (input->source_count > 1)
		printf("# source %s\n", source->name);
	for (size_t i = 0; i < source->piece_count; i++) {
		const struct input_piece *piece = &source->pieces[i];

		/* an AUX record may be there to say just that there was no trace */
		if (input->is_perfdata && !piece->length && !piece->lost)
			continue;
		if (input->is_perfdata)
			printf("# aux record %zu cpu %d tid %d\n", piece->number, source->cpu,
			       piece->tid);
		if (piece->lost) {
			dump->errors = true;
			input_error(source->name, piece->at, "%s", piece->lost);
		}
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
		fprintf(stderr, "hwflow dump: --format=%s: human or ref\n", argument);
		return false;
	}
	return true;
}

static const struct option longs[] = {
	VERB_LONG_OPTIONS,
	{"format", required_argument, NULL, 'f'},
	{NULL, 0, NULL, 0},
};

static const struct verb_options command_line = {usage, "SRC", longs, take_option};

int cmd_dump(int argc, char **argv)
{
	struct dump dump = {.format = FORMAT_HUMAN};
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
			status = dump.errors || input->damaged ? EXIT_GAPS : EXIT_GOOD;
			/* it was said of each source */
			if (input->is_raw && !input_has_sync(input))
				status = EXIT_UNREADABLE;
			input_close(input);
		}
	}
	input_options_free(&options);
	return status < 0 ? EXIT_GOOD : status;
}
