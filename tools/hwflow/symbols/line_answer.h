/* SPDX-License-Identifier: GPL-2.0-only */
/* An answer of the process that reads units and line tables, as it is made. */
#ifndef HWFLOW_LINE_ANSWER_H
#define HWFLOW_LINE_ANSWER_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "line_process.h"

/* struct line_bytes - a part of an answer */
struct line_bytes {
	char *at;
	size_t size;
	size_t room;
};

/**
 * struct line_writer - the answer to a request
 * @source: what is read
 * @starts_at_0: the file has code at address 0
 * @head: head of the answer
 * @entries: the answer: its head, then ranges, rows or scopes
 * @names: names of the answer
 * @known: tree of names that are in @names, by their address in the memory of libdw
 * @last: of them, the name that was asked for last
 * @directory: where the unit was compiled; NULL if not known
 */
struct line_writer {
	const struct line_source *source;
	bool starts_at_0;
	struct line_answer head;
	struct line_bytes entries;
	struct line_bytes names;
	void *known;
	const struct line_name *last;
	const char *directory;
};

/** line_writer_begin() - begin an answer without entries and names */
void line_writer_begin(struct line_writer *writer);

/** line_writer_put() - append an entry */
void line_writer_put(struct line_writer *writer, const void *entry, size_t size);

/**
 * line_writer_name() - the offset of a name, which is added if it is new
 * @writer: the answer
 * @name: a string of libdw, which stays where it is; NULL has no offset
 *
 * Return: the offset; LINE_END if there is none.
 */
uint32_t line_writer_name(struct line_writer *writer, const char *name);

/** line_writer_unit() - the names of files that follow are those of a unit */
void line_writer_unit(struct line_writer *writer, Dwarf_Die *unit);

/**
 * line_writer_file() - as line_writer_name(), the name of a source file
 *
 * A relative name begins in the directory that the unit was compiled in.
 */
uint32_t line_writer_file(struct line_writer *writer, const char *name);

/** line_writer_fail() - a part of the file cannot be read: it is damaged, unless libdw has no
 * memory
 */
void line_writer_fail(struct line_writer *writer);

/**
 * line_writer_is_code() - does a range have code of the program?
 * @writer: the answer
 * @start: first address, as the file has it
 * @end: address after the last
 *
 * A linker sets the addresses of a function that it leaves out to 0, or in a range to 1, where 0
 * has another meaning. From -1 and -2, which other linkers use, a range does not go on.
 */
bool line_writer_is_code(const struct line_writer *writer, Dwarf_Addr start, Dwarf_Addr end);

/** line_writer_end() - send the answer; false if nobody takes it */
bool line_writer_end(struct line_writer *writer, int socket);

/**
 * line_scopes_put() - append the functions of a unit, and the calls that are inlined in them
 * @writer: the answer
 * @unit: offset of the entry of the unit in .debug_info
 */
void line_scopes_put(struct line_writer *writer, uint64_t unit);

#endif /* HWFLOW_LINE_ANSWER_H */
