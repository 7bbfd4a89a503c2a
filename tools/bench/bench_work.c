// SPDX-License-Identifier: GPL-2.0-only
/* Inputs of a benchmark: all that is decoded, in memory before the clock starts. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bench.h"

static int out_of_memory(const char *name)
{
	input_error(name, UINT64_MAX, "out of memory");
	return EXIT_UNREADABLE;
}

static int take_piece(struct bench_work *work, struct bench_unit *unit, struct input *input,
		      const struct input_source *source, const struct input_piece *from)
{
	struct bench_piece *piece = &unit->pieces[unit->piece_count];

	*piece = (struct bench_piece){.bytes = malloc(from->length), .length = from->length};
	if (!piece->bytes)
		return -1;
	/* never a file that is mapped: a copy is all there, and read */
	memcpy(piece->bytes, from->bytes, from->length);
	unit->piece_count++;
	work->bytes += piece->length;
	return bench_code_gather(unit, piece, input_code(input, source, from), &work->mixed);
}

/* The registers of an ETMv4.5 that gives the same trace; 0, or -1 where there is none. */
static int make_etmv4(struct bench_unit *unit)
{
	unit->regs.protocol = HWF_PROTOCOL_ETMV4;
	unit->regs.trcidr1 = (unit->regs.trcidr1 & ~0xff0u) | 0x450u;
	unit->regs.trcdevarch = 0;
	return hwf_ete_config_init(&unit->config, &unit->regs) ? -1 : 0;
}

static int take_source(struct bench_work *work, struct input *input,
		       const struct input_source *source)
{
	struct bench_unit *unit = &work->units[work->unit_count++];

	unit->name = strdup(source->name);
	unit->regs = source->regs;
	unit->config = source->config;
	if (work->etmv4 && make_etmv4(unit))
		return -1;
	unit->pieces = calloc(source->piece_count, sizeof(*unit->pieces));
	if (!unit->name || !unit->pieces)
		return -1;
	for (size_t i = 0; i < source->piece_count; i++) {
		if (source->pieces[i].length &&
		    take_piece(work, unit, input, source, &source->pieces[i]))
			return -1;
	}
	return 0;
}

int bench_work_open(struct bench_work *work, const char *name, const struct input_options *options,
		    bool etmv4)
{
	struct input *input;
	int status = input_open(&input, options);

	*work = (struct bench_work){.etmv4 = etmv4};
	if (status)
		return status;
	work->name = strdup(name);
	work->units = calloc(input->source_count, sizeof(*work->units));
	if (!work->name || !work->units)
		status = out_of_memory(name);
	for (size_t i = 0; i < input->source_count && !status; i++) {
		if (take_source(work, input, &input->sources[i]))
			status = out_of_memory(name);
	}
	input_close(input);
	if (!status && !work->bytes) {
		input_error(name, UINT64_MAX, "no trace in it");
		status = EXIT_UNREADABLE;
	}
	if (status)
		bench_work_close(work);
	return status;
}

static void close_unit(struct bench_unit *unit)
{
	for (size_t i = 0; i < unit->piece_count; i++)
		free(unit->pieces[i].bytes);
	for (size_t i = 0; i < unit->code_count; i++)
		bench_code_free(&unit->codes[i]);
	free(unit->pieces);
	free(unit->codes);
	free(unit->name);
}

void bench_work_close(struct bench_work *work)
{
	for (size_t i = 0; i < work->unit_count; i++)
		close_unit(&work->units[i]);
	free(work->units);
	free(work->name);
	*work = (struct bench_work){0};
}
