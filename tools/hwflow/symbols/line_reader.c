/* SPDX-License-Identifier: GPL-2.0-only */
/* What a process reads of the debug information of a file (line_process.h), and its limits. */
#include "line_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/input_limits.h"
#include "base/message.h"
#include "base/progress.h"
#include "debug_files.h"
#include "elf_bounds.h"
#include "split_file.h"

/* Shares of a file, see input_limits.def; an inlined call takes 16 bytes or more of a file */
#define ROWS_SHARE   8u
#define SCOPES_SHARE 16u
#define NAMES_SHARE  4u

/*
 * Memory of the process: for each byte of the file, and for each row of LIMIT_lines. libdw takes 1
 * KB a unit, 130 bytes a row, and for each file the bytes of its directory and name.
 */
#define MEMORY_PER_BYTE 14u
#define MEMORY_PER_ROW  128u

/* Bytes of the files of split units: for each byte of the program, and in addition */
#define SPLIT_RATIO 32u
#define SPLIT_SIZE  (UINT64_C(64) << 20)

/* CPU time of the process in microseconds: at least, for bytes of the file, and for each row of
 * LIMIT_lines */
#define TIME           500000u
#define BYTES_PER_TIME 4u
#define TIME_PER_ROW   1u

static uint64_t memory_of(const struct line_reader *reader)
{
	return reader->size * MEMORY_PER_BYTE + limit_of(LIMIT_lines) * MEMORY_PER_ROW +
	       limit_of(LIMIT_names);
}

/* The process has ended, or sends too much; it is not started again. */
static void give_up(struct line_reader *reader, enum limited_end end)
{
	reader->bad = true;
	if (end == LIMITED_NO_MEMORY)
		message_once("hwflow: %s: its debug information needs too much memory, so part of "
			     "the file has no source lines; %s",
			     reader->path, limit_text(LIMIT_lines));
	else if (end == LIMITED_NO_TIME)
		message_once("hwflow: %s: its debug information takes too long to read, so part of "
			     "the file has no source lines; %s",
			     reader->path, limit_text(LIMIT_lines));
	else
		message_once("hwflow: %s: libdw fails to read its debug information, so part of "
			     "the file has no source lines",
			     reader->path);
}

static bool start_process(struct line_reader *reader)
{
	struct limited_task task = {.run = line_process_run,
				    .ctx = &reader->source,
				    .memory = memory_of(reader),
				    .time = TIME + reader->size / BYTES_PER_TIME +
					    TIME_PER_ROW * limit_of(LIMIT_lines)};

	if (reader->process.used >= task.time) {
		give_up(reader, LIMITED_NO_TIME);
		return false;
	}
	task.time -= reader->process.used;
	if (limited_start(&reader->process, &task))
		return true;
	reader->bad = true;
	message_once("hwflow: %s: it has no source lines: no process can be started for them: %s",
		     reader->path, strerror(errno));
	return false;
}

/* Is the answer what its head says? */
static bool is_good(const struct line_answer *answer, size_t size, size_t entry)
{
	const size_t left = size < sizeof(*answer) ? 0 : size - sizeof(*answer);

	return size >= sizeof(*answer) && answer->count <= left / entry &&
	       left - answer->count * entry == answer->names;
}

/* The answer to a request, with entries of some size, for free(); or NULL */
static struct line_answer *ask(struct line_reader *reader, const struct line_request *request,
			       size_t entry)
{
	const size_t most = (size_t)(memory_of(reader) / 4);
	struct line_answer *answer = NULL;
	enum limited_end end;
	size_t size = 0;

	if (reader->bad || !start_process(reader))
		return NULL;
	if (limited_send(reader->process.socket, request, sizeof(*request)))
		answer = limited_take(reader->process.socket, most, &size);
	if (answer && is_good(answer, size, entry)) {
		if (answer->damaged && !reader->reported)
			message_once("hwflow: %s: its debug information is damaged, or of a "
				     "version that is not known, so part of the file has no source "
				     "lines",
				     reader->path);
		return answer;
	}
	end = limited_stop(&reader->process);
	give_up(reader, size > most ? LIMITED_NO_MEMORY : end);
	free(answer);
	return NULL;
}

/* Bytes of a file, or if that is more, of its debug information when it is decompressed */
static uint64_t size_of(Elf *elf)
{
	const Elf_Data *names = elf_section_names(elf), *data;
	Elf_Scn *section = NULL;
	uint64_t debug = 0;
	GElf_Shdr header;
	size_t size = 0;

	elf_rawfile(elf, &size);
	while ((section = elf_nextscn(elf, section))) {
		const char *name =
			gelf_getshdr(section, &header) ? elf_section_name(names, &header) : "";

		if (strncmp(name, ".debug_", 7) != 0 && strncmp(name, ".zdebug_", 8) != 0)
			continue;
		data = elf_rawdata(section, NULL);
		debug += data && data->d_buf ? data->d_size : 0;
	}
	return size > debug ? size : debug;
}

/* The longer one of two ranges that begin at an address comes first. */
static int compare_ranges(const void *a, const void *b)
{
	const struct line_range *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	return (x->unit > y->unit) - (x->unit < y->unit);
}

/* Takes ranges over. Where two overlap, the one that begins later counts. */
static void take_ranges(struct line_reader *reader, const struct line_answer *answer)
{
	reader->ranges = malloc(answer->count * sizeof(*reader->ranges) + 1);
	if (!reader->ranges)
		return;
	memcpy(reader->ranges, answer + 1, answer->count * sizeof(*reader->ranges));
	qsort(reader->ranges, answer->count, sizeof(*reader->ranges), compare_ranges);
	for (size_t i = 0; i < answer->count; i++) {
		struct line_range *last = &reader->ranges[reader->count];

		if (reader->count && last[-1].start == reader->ranges[i].start)
			continue;
		if (reader->count && last[-1].end > reader->ranges[i].start)
			last[-1].end = reader->ranges[i].start;
		*last = reader->ranges[i];
		reader->count++;
	}
}

static void open_file(struct line_reader *reader)
{
	const struct line_request all = {.kind = LINE_UNITS};
	const char *debug = NULL;
	struct line_answer *answer;
	Elf *elf;

	reader->opened = true;
	reader->source.dwarf = dwfl_module_getdwarf(reader->module, &reader->source.bias);
	progress_download_end();
	reader->reported = debug_module_report(reader->module, reader->source.dwarf);
	elf = reader->source.dwarf ? dwarf_getelf(reader->source.dwarf) : NULL;
	if (!elf)
		return;
	dwfl_module_info(reader->module, NULL, NULL, NULL, NULL, NULL, NULL, &debug);
	if (debug)
		reader->path = debug;
	reader->size = size_of(elf);
	reader->rows = reader->size / ROWS_SHARE;
	reader->scopes = reader->size / SCOPES_SHARE;
	reader->names = reader->size * NAMES_SHARE;
	answer = ask(reader, &all, sizeof(struct line_range));
	if (answer)
		take_ranges(reader, answer);
	free(answer);
}

bool line_reader_spend(struct line_reader *reader, uint64_t *share, uint64_t amount,
		       const struct line_answer *answer)
{
	enum limit limit = LIMIT_lines;

	if (limit_spend(limit, share, amount)) {
		limit = LIMIT_names;
		if (limit_spend(limit, &reader->names, answer->names))
			return true;
	}
	message_once("hwflow: %s: its line tables are too large, so part of the file has no source "
		     "lines; %s",
		     reader->path, limit_text(limit));
	return false;
}

struct line_answer *line_reader_ask(struct line_reader *reader, const struct line_request *request,
				    size_t entry, bool (*good)(const struct line_answer *answer))
{
	struct line_answer *answer = ask(reader, request, entry);
	const char *names = answer ? line_answer_names(answer, entry) : NULL;

	if (!answer || ((!answer->names || !names[answer->names - 1]) && good(answer)))
		return answer;
	limited_stop(&reader->process);
	give_up(reader, LIMITED_FAULT);
	free(answer);
	return NULL;
}

const struct line_range *line_reader_find(struct line_reader *reader, uint64_t address,
					  uint64_t *end)
{
	size_t low = 0, high;

	if (!reader->opened)
		open_file(reader);
	high = reader->count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (reader->ranges[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low && address < reader->ranges[low - 1].end) {
		*end = reader->ranges[low - 1].end;
		return &reader->ranges[low - 1];
	}
	*end = low < reader->count ? reader->ranges[low].start : UINT64_MAX;
	return NULL;
}

struct line_answer *line_reader_ask_split(struct line_reader *reader, const struct split_file *file,
					  const struct line_request *request, size_t entry,
					  bool (*good)(const struct line_answer *answer))
{
	const uint64_t size = size_of(file->elf);
	struct line_reader split = {
		.path = file->path,
		.source = reader->source,
		.process.used = reader->split_time,
		.reported = reader->reported,
	};
	struct line_answer *answer;

	/* several units may name one file: what they take depends on the size of the program */
	if (reader->split_size + size > SPLIT_RATIO * reader->size + SPLIT_SIZE) {
		give_up(&split, LIMITED_NO_MEMORY);
		return NULL;
	}
	reader->split_size += size;
	reader->scopes += size / SCOPES_SHARE;
	reader->names += size * NAMES_SHARE;
	/* libdw also reads the line table in the program */
	split.size = reader->size + reader->split_size;
	split.source.split = file->dwarf;
	answer = line_reader_ask(&split, request, entry, good);
	line_reader_free(&split);
	reader->split_time = split.process.used;
	return answer;
}

void line_reader_free(struct line_reader *reader)
{
	limited_stop(&reader->process);
	free(reader->ranges);
}
