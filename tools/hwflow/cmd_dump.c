// SPDX-License-Identifier: GPL-2.0-only
/* hwflow dump: the packets of a trace, one a line. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "format.h"
#include "input.h"

static const char usage[] =
	"usage: hwflow dump [OPTIONS] SRC\n\n"
	"Prints the packets of a trace, one a line: offset, bytes, name, fields.\n\n"
	"  --format=human|ref   for reading (the default), or the stable layout of the\n"
	"                       reference results, for comparing\n";

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
	size_t at = 0;

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
	}
	packet_lines_flush(&lines, dump->format);
	if (piece->length && !stream.synced) {
		dump->errors = true;
		input_error(source->name, 0, "%s; is it an ETE trace?",
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
		dump_piece(dump, source, piece);
	}
}

static int parse(int argc, char **argv, struct dump *dump, struct input_options *options)
{
	static const struct option longs[] = {INPUT_LONG_OPTIONS,
					      {"format", required_argument, NULL, 'f'},
					      {"help", no_argument, NULL, 'h'},
					      {NULL, 0, NULL, 0}};
	int value;

	optind = 1;
	while ((value = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
		int taken = input_option(options, value, optarg);

		if (taken < 0)
			return EXIT_USAGE;
		if (!taken)
			continue;
		if (value == 'f' && !strcmp(optarg, "ref")) {
			dump->format = FORMAT_REF;
		} else if (value == 'f' && !strcmp(optarg, "human")) {
			dump->format = FORMAT_HUMAN;
		} else if (value == 'h') {
			fputs(usage, stdout);
			fputs(INPUT_HELP, stdout);
			return -1;
		} else {
			if (value == 'f')
				fprintf(stderr, "hwflow dump: --format=%s: human or ref\n", optarg);
			return EXIT_USAGE;
		}
	}
	if (optind + 1 != argc) {
		fputs("hwflow dump: want one SRC; try --help\n", stderr);
		return EXIT_USAGE;
	}
	options->path = argv[optind];
	return 0;
}

int cmd_dump(int argc, char **argv)
{
	struct dump dump = {.format = FORMAT_HUMAN};
	struct input_options options;
	struct input *input;
	int status;

	input_options_init(&options);
	status = parse(argc, argv, &dump, &options);
	if (!status) {
		status = input_open(&input, &options);
		if (!status) {
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
