/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of code that programs made at run time, from the files that they wrote for perf. */
#ifndef HWFLOW_SYMBOLS_JIT_H
#define HWFLOW_SYMBOLS_JIT_H

#include <limits.h>
#include <stdbool.h>
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

/**
 * jit_locate() - find a file that names code made at run time
 * @info: the recording
 * @symfs: files of the machine recorded are below this directory; "" for the root
 * @original: path of the file on that machine
 * @path: receives its path on this machine: beside the recording, or below @symfs
 * @root: receives what input_file_open() wants for this path
 *
 * Return: false if there is no such file of this user or of root.
 */
bool jit_locate(const struct perfdata_info *info, const char *symfs, const char *original,
		char path[PATH_MAX], size_t *root);

/**
 * jit_dump_of() - the jitdump file that a process has mapped
 * @info: the recording
 * @pid: the process
 *
 * Return: path of the file on the machine recorded; NULL if there is none.
 */
const char *jit_dump_of(const struct perfdata_info *info, int32_t pid);

/** JIT_MAP_NAME - room for the result of jit_map_name() */
#define JIT_MAP_NAME 64

/**
 * jit_map_name() - where a process writes the names of its code, if it does
 * @pid: the process
 * @name: receives the path on the machine recorded
 */
void jit_map_name(int32_t pid, char name[JIT_MAP_NAME]);

/** jit_free() - free everything; NULL is allowed */
void jit_free(struct jit *jit);

#endif /* HWFLOW_SYMBOLS_JIT_H */
