/* SPDX-License-Identifier: GPL-2.0-only */
/* Source lines of the code of a file: rows that line_process.h has read. */
#include "source_lines.h"

#include <search.h>
#include <stdlib.h>

#include "line_reader.h"

/* Bytes of code whose rows are asked for at a time */
#define PIECE 4096u

/* and when all are asked for, none of which is kept */
#define WALK_PIECE 0x10000u

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
 * @reader: the file
 * @pieces: tree of struct piece
 * @last: the piece that was asked for last
 */
struct source_lines {
	struct line_reader reader;
	void *pieces;
	const struct piece *last;
};

static bool is_good(const struct line_answer *answer)
{
	const struct line_row *rows = (const void *)(answer + 1);

	for (size_t i = 0; i < answer->count; i++)
		if (rows[i].name != LINE_END && rows[i].name >= answer->names)
			return false;
	return true;
}

/* The rows of some addresses, for free(); or NULL */
static struct line_answer *ask_rows(struct line_reader *reader, const struct line_request *request)
{
	struct line_answer *answer =
		line_reader_ask(reader, request, sizeof(struct line_row), is_good);

	if (answer &&
	    line_reader_spend(reader, &reader->rows, answer->count + ROWS_PER_PIECE, answer))
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
	const struct line_request request = {.kind = LINE_ROWS,
					     .range = *range,
					     .start = start > range->start ? start : range->start,
					     .end = end && end < range->end ? end : range->end};
	const struct piece key = {.start = request.start};
	struct piece **found = tfind(&key, &lines->pieces, compare_pieces), *piece;

	if (found)
		return *found;
	piece = malloc(sizeof(*piece));
	if (!piece)
		return NULL;
	*piece = (struct piece){request.start, request.end, ask_rows(&lines->reader, &request)};
	if (tsearch(piece, &lines->pieces, compare_pieces))
		return piece;
	free(piece->answer);
	free(piece);
	return NULL;
}

/* The position of an address of a piece; @end is set to where the next position is. */
static struct source_position find_row(const struct piece *piece, uint64_t address, uint64_t *end)
{
	const struct source_position none = {NULL, 0, 0, 0};
	const struct line_answer *answer = piece->answer;
	const struct line_row *rows, *row;
	size_t low = 0, high;

	*end = piece->end;
	if (!answer)
		return none;
	rows = (const void *)(answer + 1);
	high = answer->count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (rows[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < answer->count)
		*end = rows[low].address;
	row = low ? &rows[low - 1] : NULL;
	if (!row || row->name == LINE_END)
		return none;
	return (struct source_position){line_answer_names(answer, sizeof(*row)) + row->name,
					row->line, 0, row->discriminator};
}

struct source_lines *source_lines_new(Dwfl_Module *module, const char *path)
{
	struct source_lines *lines = calloc(1, sizeof(*lines));

	if (!lines)
		return NULL;
	lines->reader.module = module;
	lines->reader.path = path;
	return lines;
}

struct line_reader *source_lines_reader(struct source_lines *lines)
{
	return &lines->reader;
}

struct source_position source_lines_position(struct source_lines *lines, uint64_t address,
					     uint64_t *end)
{
	const struct piece *piece = lines->last;

	if (!piece || address < piece->start || address >= piece->end) {
		const struct line_range *range = line_reader_find(&lines->reader, address, end);

		piece = range ? find_piece(lines, range, address) : NULL;
	}
	if (!piece)
		return (struct source_position){NULL, 0, 0, 0};
	lines->last = piece;
	return find_row(piece, address, end);
}

struct source_line source_lines_find(struct source_lines *lines, uint64_t address)
{
	struct source_position position = {NULL, 0, 0, 0};
	uint64_t end;

	if (lines)
		position = source_lines_position(lines, address, &end);
	return (struct source_line){position.file, (int)position.line};
}

/* Gives the rows of an answer to @take, as far as they are in what was asked for. */
static int take_rows(const struct line_answer *answer, const struct line_request *request,
		     source_row_fn *take, void *ctx)
{
	const struct line_row *rows = (const void *)(answer + 1);
	const char *names = line_answer_names(answer, sizeof(*rows));
	int result = 0;

	for (size_t i = 0; !result && i < answer->count; i++) {
		struct source_row row = {.start = rows[i].address, .end = request->end};

		if (i + 1 < answer->count)
			row.end = rows[i + 1].address;
		if (rows[i].name == LINE_END ||
		    (row.start < request->start && row.end <= request->start))
			continue;
		if (row.start < request->start)
			row.start = request->start;
		row.line = (struct source_line){names + rows[i].name, (int)rows[i].line};
		result = take(ctx, &row);
	}
	return result;
}

int source_lines_walk(struct source_lines *lines, source_row_fn *take, void *ctx)
{
	struct line_reader *reader = lines ? &lines->reader : NULL;
	uint64_t end;
	int result = 0;

	/* this reads the ranges */
	if (reader)
		line_reader_find(reader, 0, &end);
	for (size_t i = 0; reader && i < reader->count; i++) {
		const struct line_range *range = &reader->ranges[i];
		struct line_request request = {.kind = LINE_ROWS, .range = *range, .all = 1};

		for (request.start = range->start; request.start < range->end && !result;
		     request.start = request.end) {
			struct line_answer *answer;

			request.end = range->end - request.start > WALK_PIECE
					      ? request.start + WALK_PIECE
					      : range->end;
			answer = ask_rows(reader, &request);
			if (answer)
				result = take_rows(answer, &request, take, ctx);
			free(answer);
		}
	}
	return result;
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
	tdestroy(lines->pieces, free_piece);
	line_reader_free(&lines->reader);
	free(lines);
}
