/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of code that programs made at run time, from the files that they wrote for perf. */
#ifndef HWFLOW_SYMBOLS_JIT_H
#define HWFLOW_SYMBOLS_JIT_H

#include <stddef.h>
#include <stdint.h>

#include "symbols.h"

struct perfdata_info;

/** struct jit - names of all processes of a recording */
struct jit;

/**
 * jit_new() - begin with no names
 * @result: receives it
 * @info: the recording; must outlive it
 * @symfs: files of the recorded machine are below this directory; "" for the root
 * @next_id: identifier of the next function found; see symbols_count()
 *
 * Return: 0 or -ENOMEM.
 */
int jit_new(struct jit **result, const struct perfdata_info *info, const char *symfs,
	    uint32_t *next_id);

/**
 * struct jit_query - an address, with its process and time
 * @pid: process
 * @since: perf time that it was executed at, at the earliest
 * @time: and at the latest
 * @address: virtual address
 * @bytes: code that was executed there; NULL if not known. Other code at the address has other
 * bytes
 * @size: of @bytes
 */
struct jit_query {
	int32_t pid;
	uint64_t since;
	uint64_t time;
	uint64_t address;
	const uint8_t *bytes;
	size_t size;
};

/**
 * jit_find() - name an address
 * @jit: the names
 * @query: the address
 * @place: receives its name; the function is NULL if there is none. In both cases the addresses
 *	are those that the answer holds for
 *
 * The files of a process are read when it is first asked for.
 */
void jit_find(struct jit *jit, const struct jit_query *query, struct place_name *place);

/**
 * jit_line() - the source line of an address
 * @jit: the names
 * @query: the address
 *
 * Return: the line; its file is valid as long as @jit, and NULL if not known.
 */
struct source_line jit_line(struct jit *jit, const struct jit_query *query);

/** jit_free() - free everything; NULL is allowed */
void jit_free(struct jit *jit);

#endif /* HWFLOW_SYMBOLS_JIT_H */
