// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf.data files: one source a CPU or a thread, one piece an AUX record or a sample with trace.
 * The program is what the processes had mapped at the time. perf record --kcore makes a directory
 * of a perf.data file and kcore_dir, in which the kernel is; hwflow record adds kcore_changes.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/input_file.h"
#include "base/print.h"
#include "capture/deframe.h"
#include "input_exec.h"
#include "input_private.h"
#include "input_programs.h"
#include "perf_source.h"
#include "perfdata/perfdata_read.h"
#include "program/kcore.h"
#include "program/perfmaps.h"
#include "protocol.h"

/* So many sessions whose trace unit cannot be decoded are reported one by one. */
#define UNKNOWN_SHOWN 16

/* enum split - how the programs of a process are told apart in a piece */
enum split {
	NOT_SPLIT,
	SPLIT_BY_PLACE, /* in the trace of a thread, by the addresses at which programs begin */
	SPLIT_BY_TIME,  /* by timestamps */
};

struct perf_input {
	struct input_state state;
	struct perfdata *data;
	struct perfmaps *maps;
	struct source_index index;
	size_t unknown;                  /* sessions whose trace unit cannot be decoded */
	struct frame_store *frames;      /* of all sessions; NULL: none has frames */
	const struct input_piece *piece; /* that perf_code() was called for last */
	enum split split;                /* of @piece */
	struct input_exec exec;          /* of @piece, if SPLIT_BY_PLACE */
	struct input_programs programs;  /* of @placed, which is @piece if SPLIT_BY_TIME */
	const struct input_piece *placed;
};

/* From here on the thread executes the program at exec->at, up to the next exec or the end. */
static void run_exec(struct perf_input *perf, const struct input_piece *piece)
{
	const struct input_exec *exec = &perf->exec;
	const size_t next = exec->first + exec->at;
	const size_t event = next < exec->count ? exec->execs[next].event
						: perfmaps_event_after(perf->maps, piece->time);

	perfmaps_run(perf->maps, piece->pid, event, event);
}

/* Do the timestamps of a piece tell when it was traced? */
static bool has_times(const struct perf_input *perf, const struct input_source *source)
{
	const struct perfdata_info *info = perfdata_info(perf->data);

	return source->protocol->has_elements && info->clock.known && !info->untimed;
}

/* The code of trace in which the programs of a process are told apart by time. NULL without memory
 */
static const struct hwf_code *code_by_time(struct perf_input *perf,
					   const struct input_source *source,
					   const struct input_piece *piece)
{
	const struct perfmaps_time time = {.begin = piece->since, .end = piece->time};
	struct input_programs *programs = &perf->programs;
	const struct hwf_code *code;

	if (perf->placed != piece) {
		perf->placed = NULL;
		if (input_programs_find(programs, source, piece, perf->maps,
					&perfdata_info(perf->data)->clock))
			return NULL;
		perf->placed = piece;
	}
	perf->split = SPLIT_BY_TIME;
	code = perfmaps_code_of_several(perf->maps, &time, piece->pid, source->config.wfx);
	input_programs_start(programs, perf->maps);
	return code;
}

/* The code of a thread's trace. NULL without memory */
static const struct hwf_code *code_of_thread(struct perf_input *perf,
					     const struct input_source *source,
					     const struct input_piece *piece)
{
	struct perfmaps_time time = {.begin = piece->since, .end = piece->time};
	const struct hwf_code *code;
	int status = 0;

	perfmaps_begin_of_tracing(perf->maps, &time, piece->tid);
	perf->exec.maps = perf->maps;
	perf->exec.count = perfmaps_execs(perf->maps, &time, piece->pid, &perf->exec.execs);
	if (perf->exec.count)
		status = input_exec_find(&perf->exec, source, piece,
					 perfdata_info(perf->data)->snapshot);
	if (status < 0)
		return NULL;
	if (status && has_times(perf, source))
		return code_by_time(perf, source, piece);
	if (status)
		return perfmaps_code_of_several(perf->maps, &time, piece->pid, source->config.wfx);
	code = perfmaps_code(perf->maps, &time, piece->pid, source->config.wfx);
	if (perf->exec.count) {
		perf->split = SPLIT_BY_PLACE;
		run_exec(perf, piece);
	}
	return code;
}

static const struct hwf_code *choose_code(struct perf_input *perf,
					  const struct input_source *source,
					  const struct input_piece *piece)
{
	const struct perfmaps_time time = {.begin = piece->since, .end = piece->time};

	perf->piece = piece;
	perf->split = NOT_SPLIT;
	if (source->cpu == INPUT_ANY)
		return code_of_thread(perf, source, piece);
	if (has_times(perf, source))
		return code_by_time(perf, source, piece);
	return perfmaps_code(perf->maps, &time, piece->pid, source->config.wfx);
}

static const struct hwf_code *perf_code(struct input *input, const struct input_source *source,
					const struct input_piece *piece)
{
	struct perf_input *perf = input->private_data;

	return choose_code(perf, source, piece);
}

static bool perf_is_split(const struct input *input)
{
	const struct perf_input *perf = input->private_data;

	return (perf->split == SPLIT_BY_PLACE && perf->exec.place_count) ||
	       (perf->split == SPLIT_BY_TIME && perf->programs.place_count);
}

static bool perf_is_ordered(const struct input *input)
{
	const struct perf_input *perf = input->private_data;

	return perfmaps_is_ordered(perf->maps);
}

static bool pass_place(struct perf_input *perf, const struct hwf_flow_event *event)
{
	struct input_exec *exec = &perf->exec;
	const struct input_exec_place *place = &exec->places[exec->at];

	if (exec->at == exec->place_count || event->kind != place->kind ||
	    event->offset != place->offset)
		return false;
	exec->at++;
	run_exec(perf, perf->piece);
	return true;
}

static bool pass_time(struct perf_input *perf, const struct hwf_flow_event *event)
{
	struct input_programs *programs = &perf->programs;
	const struct input_program_place *place = &programs->places[programs->at];

	if (programs->at == programs->place_count || event->kind != place->kind ||
	    event->offset != place->offset)
		return false;
	programs->at++;
	perfmaps_run(perf->maps, place->pid, place->first, place->last);
	return true;
}

static bool perf_passed(struct input *input, const struct hwf_flow_event *event)
{
	struct perf_input *perf = input->private_data;

	return perf->split == SPLIT_BY_PLACE ? pass_place(perf, event) : pass_time(perf, event);
}

static const struct perfdata_info *perf_recording(const struct input *input)
{
	const struct perf_input *perf = input->private_data;

	return perfdata_info(perf->data);
}

static uint64_t perf_changes(const struct input *input)
{
	const struct perf_input *perf = input->private_data;

	return perfmaps_changes(perf->maps);
}

static void perf_close(struct input *input)
{
	struct perf_input *perf = input->private_data;

	frame_store_free(perf->frames);
	source_index_free(&perf->index);
	input_programs_free(&perf->programs);
	perfmaps_free(perf->maps);
	perfdata_close(perf->data);
	free(perf);
}

static const struct input_kind perf_kind = {
	.code = perf_code,
	.recording = perf_recording,
	.changes = perf_changes,
	.is_split = perf_is_split,
	.is_ordered = perf_is_ordered,
	.passed = perf_passed,
	.close = perf_close,
};

static void report_notes(struct input *input, const struct perfdata_info *info)
{
	for (size_t i = 0; i < info->note_count; i++) {
		const struct perfdata_note *note = &info->notes[i];

		if (note->severity == PERFDATA_INFO)
			continue;
		input_error(info->path, note->at, "%s", note->text);
		input->damaged = true;
	}
}

static const char *loss_of(const struct perfdata_session *session)
{
	if (session->missing && !session->clipped)
		return "the file ends before the trace of this AUX record; it was cut";
	if (session->flags & PERFDATA_AUX_TRUNCATED)
		return "trace was lost: the AUX buffer was full (record with a larger one: "
		       "-m,SIZE)";
	if (session->flags & PERFDATA_AUX_PARTIAL)
		return "trace was lost in this AUX record: it has gaps";
	if (session->flags & PERFDATA_AUX_COLLISION)
		return "trace was lost in this AUX record: another user had the trace unit";
	return NULL;
}

/*
 * The earliest time of a source's last piece: the end of the AUX record before. In snapshot mode,
 * too, the bytes of an AUX record were written after the AUX record before: perf_aux_output_end()
 * counts what was written since perf_aux_output_begin().
 */
static uint64_t begin_of(const struct input_source *source)
{
	const struct input_piece *last = &source->pieces[source->piece_count - 1];

	for (const struct input_piece *piece = last; piece > source->pieces; piece--)
		if (piece[-1].number != last->number)
			return piece[-1].time;
	return 0;
}

/* A PTM is described as an ETMv3 is: by its ETMIDR it is none. */
static bool is_ptm(const struct perfdata_cpu *unit)
{
	return unit->protocol == PERFDATA_ETMV3 && (unit->etmv3.etmidr & 0xf00) == 0x300;
}

static int add_piece(struct input *input, const struct perfdata_session *session, size_t number,
		     const struct perfdata_cpu *unit, const struct file_map *map,
		     const struct frame_stream *stream)
{
	struct perf_input *perf = input->private_data;
	struct input_source *source;
	struct input_piece *piece;

	if (!unit || is_ptm(unit)) {
		if (perf->unknown++ < UNKNOWN_SHOWN)
			input_error(input->path, session->at,
				    "AUX record %zu: its trace unit is %s", number,
				    unit ? "a PTM, which is not decoded" : "not known");
		input->damaged = true;
		return 0;
	}
	source = perf_source(input, &perf->index, session, unit);
	if (!source || input_add_stream(input, source, map, stream))
		return EXIT_UNREADABLE;
	piece = &source->pieces[source->piece_count - 1];
	piece->at = session->bytes ? session->bytes_at : session->at;
	piece->time = session->time;
	if (!stream->cut)
		piece->lost = loss_of(session);
	piece->overwritten = session->clipped;
	piece->is_sample = session->is_sample;
	if (session->is_sample && !session->framed && source->protocol->end_of_sample)
		piece->length = source->protocol->end_of_sample(source, piece);
	piece->pid = session->pid;
	piece->tid = session->tid;
	piece->number = number;
	/* the trace of a sample may repeat that of the sample before */
	piece->since = session->is_sample ? 0 : begin_of(source);
	return 0;
}

/* The file that the trace of a session is in; NULL: it is in memory */
static const struct file_map *map_of(const struct perf_input *perf,
				     const struct perfdata_session *session)
{
	return session->in_file ? perfdata_map(perf->data) : NULL;
}

/* ETMV4_TRACE_ID */
static uint8_t trace_id(const struct perfdata_cpu *unit)
{
	return (unit->protocol == PERFDATA_ETMV3 ? unit->etmv3.etmtraceidr
						 : unit->regs.trctraceidr) &
	       0x7f;
}

/*
 * The CPU that wrote the frames, if the ID is its own; else one with the same sink, for CPUs with
 * different sinks may have the same ID.
 */
static const struct perfdata_cpu *unit_of_id(const struct perfdata_info *info,
					     const struct perfdata_session *session, uint8_t id)
{
	const struct perfdata_cpu *writer =
		session->written_on == PERFDATA_ANY ? NULL : session->unit;
	const struct perfdata_cpu *first = NULL;

	if (writer && trace_id(writer) == id)
		return writer;
	for (size_t i = 0; i < info->cpu_count; i++) {
		if (trace_id(&info->cpus[i]) != id)
			continue;
		if (writer && info->cpus[i].sink == writer->sink)
			return &info->cpus[i];
		if (!first)
			first = &info->cpus[i];
	}
	return first;
}

/* Room for the frames of all sessions */
static int make_store(struct perf_input *perf, const struct perfdata_info *info)
{
	uint64_t framed = 0;

	for (size_t i = 0; i < info->session_count; i++)
		if (info->sessions[i].framed)
			framed += info->sessions[i].size;
	return frame_store_new(&perf->frames, framed);
}

static int add_framed(struct input *input, const struct perfdata_info *info, size_t number)
{
	struct perf_input *perf = input->private_data;
	const struct perfdata_session *session = &info->sessions[number];
	struct frame_streams streams = {0};
	int error = perf->frames ? 0 : make_store(perf, info);
	int status = 0;

	if (!error)
		error = deframe_all(perf->frames, session->bytes, session->size,
				    map_of(perf, session), FRAME_BARRIERS, &streams);
	if (error) {
		deframe_error(input->path, error);
		status = EXIT_UNREADABLE;
	}
	input->damaged |= frame_streams_report(&streams, input->path, session->bytes_at);
	for (size_t i = 0; i < streams.count && !status; i++) {
		const struct frame_stream *stream = &streams.items[i];

		status = add_piece(input, session, number, unit_of_id(info, session, stream->id),
				   frame_store_map(perf->frames), stream);
	}
	frame_streams_free(&streams);
	return status;
}

static int add_sessions(struct input *input, const struct perfdata_info *info)
{
	const struct perf_input *perf = input->private_data;
	int status = 0;

	for (size_t i = 0; i < info->session_count && !status; i++) {
		const struct perfdata_session *session = &info->sessions[i];
		const struct frame_stream whole = {.bytes = session->bytes,
						   .length = session->size};

		if (session->framed && session->size)
			status = add_framed(input, info, i);
		else
			status = add_piece(input, session, i, session->unit, map_of(perf, session),
					   &whole);
	}
	if (perf->unknown > UNKNOWN_SHOWN)
		input_error(input->path, UINT64_MAX,
			    "the trace units of %zu more AUX records are not known, or not decoded",
			    perf->unknown - UNKNOWN_SHOWN);
	return status;
}

static int map_given(void *ctx, uint64_t start, uint64_t length, struct hwf_image_file *file,
		     uint64_t offset)
{
	return perfmaps_map(ctx, start, length, file, offset);
}

/*
 * A piece without trace, which says that all later trace of a source is missing: after the last one
 * of each source.
 */
static int add_ends(struct input *input, const struct perfdata_info *info)
{
	for (size_t i = 0; i < input->source_count; i++) {
		struct input_source *source = &input->sources[i];
		const struct input_piece last = source->pieces[source->piece_count - 1];
		struct input_piece *piece = input_add_piece(source);

		if (!piece)
			return EXIT_UNREADABLE;
		piece->at = last.at + last.length;
		piece->time = piece->since = last.time;
		piece->lost = "the recording was not completed: the trace after this point is not "
			      "in the file";
		piece->pid = last.pid;
		piece->tid = last.tid;
		piece->number = info->session_count;
	}
	return 0;
}

/* --image: what the recording has no file for */
static int add_images(struct perfmaps *maps, const struct input_options *options)
{
	const struct code_taker taker = {perfmaps_image(maps), map_given, maps};

	for (size_t i = 0; i < options->image_count; i++)
		if (code_file_map(&taker, &options->images[i]))
			return EXIT_UNREADABLE;
	return 0;
}

/* The kernel, if the recording has it. Without it there are gaps where its code is needed. */
static int add_kcore(struct input *input, struct perfmaps *maps, const char *path)
{
	char directory[PATH_MAX], changes[PATH_MAX];
	int error;

	snprintf(directory, sizeof(directory), "%s/" KCORE_DIR, path);
	snprintf(changes, sizeof(changes), "%s/" KCORE_CHANGES, path);
	if (access(directory, F_OK))
		return 0;
	error = perfmaps_kcore(maps, directory, changes);
	input->damaged |= error != 0;
	return error == -ENOMEM ? error : 0;
}

bool input_is_perf_directory(const char *path)
{
	char data[PATH_MAX], magic[8];
	bool perfdata = false;
	FILE *file;

	snprintf(data, sizeof(data), "%s/" PERF_DIRECTORY_DATA, path);
	file = input_file_stream(data, strlen(path));
	if (!file)
		return false;
	if (fread(magic, sizeof(magic), 1, file) == 1)
		perfdata = perfdata_is_perfdata(magic, sizeof(magic));
	fclose(file);
	return perfdata;
}

/* perf record --threads has a file a thread beside it. */
static int check_directory(const char *path)
{
	char more[PATH_MAX];

	snprintf(more, sizeof(more), "%s/" PERF_DIRECTORY_DATA ".0", path);
	if (access(more, F_OK))
		return 0;
	input_error(path, UINT64_MAX, "made by perf record --threads; record without --threads");
	return EXIT_UNREADABLE;
}

int input_open_perfdata(struct input *input, const struct input_options *options, bool directory)
{
	struct perf_input *perf = calloc(1, sizeof(*perf));
	const struct perfdata_info *info;
	char message[PERFDATA_MESSAGE], path[PATH_MAX];
	int status;

	if (!perf)
		return EXIT_UNREADABLE;
	perf->state = (struct input_state){.kind = &perf_kind, .options = options};
	input->private_data = perf;
	input->is_perfdata = true;
	snprintf(path, sizeof(path), "%s%s", options->path,
		 directory ? "/" PERF_DIRECTORY_DATA : "");
	if (directory && check_directory(options->path))
		return EXIT_UNREADABLE;
	if (perfdata_open(&perf->data, path, directory ? strlen(options->path) : 0, message)) {
		print(stderr, "hwflow: %s\n", message);
		return EXIT_UNREADABLE;
	}
	info = perfdata_info(perf->data);
	report_notes(input, info);
	if (perfmaps_new(&perf->maps, info, options->symfs) ||
	    (directory && add_kcore(input, perf->maps, options->path)) ||
	    add_images(perf->maps, options))
		return EXIT_UNREADABLE;
	input->incomplete = info->incomplete;
	status = add_sessions(input, info);
	return !status && info->incomplete ? add_ends(input, info) : status;
}
