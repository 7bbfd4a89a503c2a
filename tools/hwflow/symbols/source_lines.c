/* SPDX-License-Identifier: GPL-2.0-only */
/* Source lines of the code of a file: ranges and rows that line_process.h has read. */
#include "source_lines.h"

#include <elfutils/libdw.h>
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/limited_process.h"
#include "base/input_limits.h"
#include "base/message.h"
#include "base/progress.h"
#include "debug_files.h"
#include "elf_bounds.h"
#include "line_process.h"

/* Shares of a file, see input_limits.def */
#define ROWS_SHARE  8u
#define NAMES_SHARE 4u

/*
 * Memory of the process: for each byte of the file, and for each row of LIMIT_lines. libdw takes 1
 * KB a unit, 130 bytes a row, and for each file the bytes of its directory and name.
 */
#define MEMORY_PER_BYTE 14u
#define MEMORY_PER_ROW  128u

/* CPU time of the process in microseconds: at least, for bytes of the file, and for each row of
 * LIMIT_lines */
#define TIME           500000u
#define BYTES_PER_TIME 4u
#define TIME_PER_ROW   1u

/* Bytes of code whose rows are asked for at a time */
#define PIECE 4096u

/* What a piece counts as in addition to its rows */
#define ROWS_PER_PIECE 8u

/* struct piece - node of source_lines.pieces, by start: rows that were asked for */
struct piece {
	uint64_t start;
	uint64_t end;
	struct line_answer *answer; /* NULL: there are none */
};

/**
 * struct source_lines - source lines of a file
 * @module: the file
 * @path: the file that has the debug information, for messages
 * @source: what the process reads
 * @process: the process
 * @opened: the members below are set
 * @bad: nothing more can be read
 * @reported: it was reported that a part cannot be read
 * @size: see size_of()
 * @rows: share of LIMIT_lines that is left
 * @names: share of LIMIT_names that is left
 * @ranges: addresses of units; sorted, without overlap
 * @count: how many
 * @pieces: tree of struct piece
 * @last: the piece that was asked for last
 */
struct source_lines {
	Dwfl_Module *module;
	const char *path;
	struct line_source source;
	struct limited_process process;
	bool opened;
	bool bad;
	bool reported;
	uint64_t size;
	uint64_t rows;
	uint64_t names;
	struct line_range *ranges;
	size_t count;
	void *pieces;
	const struct piece *last;
};

static uint64_t memory_of(const struct source_lines *lines)
{
	return lines->size * MEMORY_PER_BYTE + limit_of(LIMIT_lines) * MEMORY_PER_ROW +
	       limit_of(LIMIT_names);
}

/* The process has ended, or sends too much; it is not started again. */
static void give_up(struct source_lines *lines, enum limited_end end)
{
	lines->bad = true;
	if (end == LIMITED_NO_MEMORY)
		message_once("hwflow: %s: its debug information needs too much memory, so part of "
			     "the file has no source lines; %s",
			     lines->path, limit_text(LIMIT_lines));
	else if (end == LIMITED_NO_TIME)
		message_once("hwflow: %s: its debug information takes too long to read, so part of "
			     "the file has no source lines; %s",
			     lines->path, limit_text(LIMIT_lines));
	else
		message_once("hwflow: %s: libdw fails to read its debug information, so part of "
			     "the file has no source lines",
			     lines->path);
}

static bool start(struct source_lines *lines)
{
	struct limited_task task = {.run = line_process_run,
				    .ctx = &lines->source,
				    .memory = memory_of(lines),
				    .time = TIME + lines->size / BYTES_PER_TIME +
					    TIME_PER_ROW * limit_of(LIMIT_lines)};

	if (lines->process.used >= task.time) {
		give_up(lines, LIMITED_NO_TIME);
		return false;
	}
	task.time -= lines->process.used;
	if (limited_start(&lines->process, &task))
		return true;
	lines->bad = true;
	message_once("hwflow: %s: it has no source lines: no process can be started for them: %s",
		     lines->path, strerror(errno));
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
static struct line_answer *ask(struct source_lines *lines, const struct line_request *request,
			       size_t entry)
{
	const size_t most = (size_t)(memory_of(lines) / 4);
	struct line_answer *answer = NULL;
	enum limited_end end;
	size_t size = 0;

	if (lines->bad || !start(lines))
		return NULL;
	if (limited_send(lines->process.socket, request, sizeof(*request)))
		answer = limited_take(lines->process.socket, most, &size);
	if (answer && is_good(answer, size, entry)) {
		if (answer->damaged && !lines->reported)
			message_once("hwflow: %s: its debug information is damaged, or of a "
				     "version that is not known, so part of the file has no source "
				     "lines",
				     lines->path);
		return answer;
	}
	end = limited_stop(&lines->process);
	give_up(lines, size > most ? LIMITED_NO_MEMORY : end);
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
static void take_ranges(struct source_lines *lines, const struct line_answer *answer)
{
	lines->ranges = malloc(answer->count * sizeof(*lines->ranges) + 1);
	if (!lines->ranges)
		return;
	memcpy(lines->ranges, answer + 1, answer->count * sizeof(*lines->ranges));
	qsort(lines->ranges, answer->count, sizeof(*lines->ranges), compare_ranges);
	for (size_t i = 0; i < answer->count; i++) {
		struct line_range *last = &lines->ranges[lines->count];

		if (lines->count && last[-1].start == lines->ranges[i].start)
			continue;
		if (lines->count && last[-1].end > lines->ranges[i].start)
			last[-1].end = lines->ranges[i].start;
		*last = lines->ranges[i];
		lines->count++;
	}
}

static void open_file(struct source_lines *lines)
{
	const struct line_request all = {.range = {0}};
	const char *debug = NULL;
	struct line_answer *answer;
	Elf *elf;

	lines->opened = true;
	lines->source.dwarf = dwfl_module_getdwarf(lines->module, &lines->source.bias);
	progress_download_end();
	lines->reported = debug_module_report(lines->module, lines->source.dwarf);
	elf = lines->source.dwarf ? dwarf_getelf(lines->source.dwarf) : NULL;
	if (!elf)
		return;
	dwfl_module_info(lines->module, NULL, NULL, NULL, NULL, NULL, NULL, &debug);
	if (debug)
		lines->path = debug;
	lines->size = size_of(elf);
	lines->rows = lines->size / ROWS_SHARE;
	lines->names = lines->size * NAMES_SHARE;
	answer = ask(lines, &all, sizeof(struct line_range));
	if (answer)
		take_ranges(lines, answer);
	free(answer);
}

/* Spends of the limits what rows take. */
static bool spend(struct source_lines *lines, const struct line_answer *answer)
{
	enum limit limit = LIMIT_lines;

	if (limit_spend(limit, &lines->rows, answer->count + ROWS_PER_PIECE)) {
		limit = LIMIT_names;
		if (limit_spend(limit, &lines->names, answer->names))
			return true;
	}
	message_once("hwflow: %s: its line tables are too large, so part of the file has no source "
		     "lines; %s",
		     lines->path, limit_text(limit));
	return false;
}

/* The rows of some addresses, for free(); or NULL */
static struct line_answer *ask_rows(struct source_lines *lines, const struct line_request *request)
{
	struct line_answer *answer = ask(lines, request, sizeof(struct line_row));
	const struct line_row *rows = answer ? (const void *)(answer + 1) : NULL;
	const char *names = answer ? (const char *)(rows + answer->count) : NULL;
	bool good = answer && (!answer->names || !names[answer->names - 1]);

	for (size_t i = 0; good && i < answer->count; i++)
		good = rows[i].name == LINE_END || rows[i].name < answer->names;
	if (answer && !good)
		give_up(lines, LIMITED_FAULT);
	if (good && spend(lines, answer))
		return answer;
	free(answer);
	return NULL;
}

static int compare_pieces(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* The piece of a range that has an address; NULL without memory */
static const struct piece *find_piece(struct source_lines *lines, const struct line_range *range,
				      uint64_t address)
{
	const uint64_t start = address & -(uint64_t)PIECE, end = start + PIECE;
	const struct line_request request = {.range = *range,
					     .start = start > range->start ? start : range->start,
					     .end = end && end < range->end ? end : range->end};
	const struct piece key = {.start = request.start};
	struct piece **found = tfind(&key, &lines->pieces, compare_pieces), *piece;

	if (found)
		return *found;
	piece = malloc(sizeof(*piece));
	if (!piece)
		return NULL;
	*piece = (struct piece){request.start, request.end, ask_rows(lines, &request)};
	if (tsearch(piece, &lines->pieces, compare_pieces))
		return piece;
	free(piece->answer);
	free(piece);
	return NULL;
}

/* The range of an address; NULL if it is of no unit */
static const struct line_range *find_range(const struct source_lines *lines, uint64_t address)
{
	size_t low = 0, high = lines->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (lines->ranges[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < lines->ranges[low - 1].end ? &lines->ranges[low - 1] : NULL;
}

static struct source_line find_row(const struct line_answer *answer, uint64_t address)
{
	const struct line_row *rows = (const void *)(answer + 1);
	const char *names = (const char *)(rows + answer->count);
	size_t low = 0, high = answer->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (rows[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || rows[low - 1].name == LINE_END)
		return (struct source_line){NULL, 0};
	return (struct source_line){names + rows[low - 1].name, (int)rows[low - 1].line};
}

struct source_lines *source_lines_new(Dwfl_Module *module, const char *path)
{
	struct source_lines *lines = calloc(1, sizeof(*lines));

	if (!lines)
		return NULL;
	lines->module = module;
	lines->path = path;
	return lines;
}

struct source_line source_lines_find(struct source_lines *lines, uint64_t address)
{
	const struct source_line none = {NULL, 0};
	const struct piece *piece = lines ? lines->last : NULL;
	const struct line_range *range;

	if (lines && !lines->opened)
		open_file(lines);
	if (!piece || address < piece->start || address >= piece->end) {
		range = lines ? find_range(lines, address) : NULL;
		piece = range ? find_piece(lines, range, address) : NULL;
	}
	if (!piece || !piece->answer)
		return none;
	lines->last = piece;
	return find_row(piece->answer, address);
}

static void free_piece(void *item)
{
	struct piece *piece = item;

	free(piece->answer);
	free(piece);
}

void source_lines_free(struct source_lines *lines)
{
	if (!lines)
		return;
	limited_stop(&lines->process);
	tdestroy(lines->pieces, free_piece);
	free(lines->ranges);
	free(lines);
}
