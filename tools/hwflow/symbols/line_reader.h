/* SPDX-License-Identifier: GPL-2.0-only */
/* What a process reads of the debug information of a file (line_process.h), and its limits. */
#ifndef HWFLOW_LINE_READER_H
#define HWFLOW_LINE_READER_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limited_process.h"
#include "line_process.h"

struct split_file;

/**
 * struct line_reader - the debug information of a file
 * @module: the file
 * @path: the file that has the debug information, for messages
 * @source: what the process reads
 * @process: the process
 * @opened: the members below are set
 * @bad: nothing more can be read
 * @reported: it was reported that a part cannot be read
 * @size: bytes of the file, or if that is more, of its debug information when it is decompressed
 * @rows: share of LIMIT_lines that is left for rows
 * @scopes: likewise for scopes
 * @names: share of LIMIT_names that is left
 * @split_size: bytes of the files of split units so far
 * @split_time: CPU time in microseconds that these took
 * @ranges: addresses of units; sorted, without overlap
 * @count: how many
 */
struct line_reader {
	Dwfl_Module *module;
	const char *path;
	struct line_source source;
	struct limited_process process;
	bool opened;
	bool bad;
	bool reported;
	uint64_t size;
	uint64_t rows;
	uint64_t scopes;
	uint64_t names;
	uint64_t split_size;
	uint64_t split_time;
	struct line_range *ranges;
	size_t count;
};

/** line_answer_names() - the names of an answer with entries of some size */
static inline const char *line_answer_names(const struct line_answer *answer, size_t entry)
{
	return (const char *)(answer + 1) + answer->count * entry;
}

/**
 * line_reader_find() - the unit of an address
 * @reader: the file; the first call opens it
 * @address: the address
 * @end: receives the address where the result is another one
 *
 * Return: a range of the unit; NULL if the address is of no unit.
 */
const struct line_range *line_reader_find(struct line_reader *reader, uint64_t address,
					  uint64_t *end);

/**
 * line_reader_ask() - ask the process
 * @reader: the file; open
 * @request: what is asked for
 * @entry: bytes of an entry of the answer
 * @good: checks all numbers and names of entries
 *
 * What cannot be read is reported once.
 *
 * Return: the answer, for free(); NULL if there is none.
 */
struct line_answer *line_reader_ask(struct line_reader *reader, const struct line_request *request,
				    size_t entry, bool (*good)(const struct line_answer *answer));

/**
 * line_reader_spend() - spend of the limits what an answer takes
 * @reader: the file
 * @share: member of @reader
 * @amount: what is spent of @share, and beyond it of LIMIT_lines
 * @answer: its names are spent, too
 *
 * Return: false if a limit is reached: it was reported.
 */
bool line_reader_spend(struct line_reader *reader, uint64_t *share, uint64_t amount,
		       const struct line_answer *answer);

/**
 * line_reader_ask_split() - line_reader_ask(), of the entries of a split unit
 * @reader: the file that has the unit; its shares of limits grow
 * @file: the file with the entries of the unit
 * @request: what is asked for
 * @entry: bytes of an entry of the answer
 * @good: checks all numbers and names of entries
 */
struct line_answer *line_reader_ask_split(struct line_reader *reader, const struct split_file *file,
					  const struct line_request *request, size_t entry,
					  bool (*good)(const struct line_answer *answer));

/** line_reader_free() - end the process, and free the members */
void line_reader_free(struct line_reader *reader);

#endif /* HWFLOW_LINE_READER_H */
