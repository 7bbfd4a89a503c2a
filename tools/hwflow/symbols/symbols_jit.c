// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of code that programs made at run time. perf-PID.map is in /tmp. The process maps
 * jit-PID.dump, so that the recording has its path. Both are looked for beside the recording first.
 */
#include "symbols_jit.h"

#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/input_limits.h"
#include "base/message.h"
#include "perfdata/perfdata_read.h"
#include "program/jit_files.h"
#include "program/jit_read.h"

/* entries before an address that are looked at, and bytes that are compared */
#define LOOKED_AT 1024
#define COMPARED  64

/* struct jit_process_file - a file that names come from */
struct jit_process_file {
	struct jit_process_file *next;
	struct jit_file file;
};

/* struct jit_function - node of jit_process.functions: all code of one name */
struct jit_function {
	struct function function;
	char *name;
};

/*
 * struct jit_name - node of jit_process.names: the function of a name in a file. A name may be
 * long, and is compared with others once only, however often its code is found.
 */
struct jit_name {
	const char *bytes;
	const struct function *function;
};

/* struct jit_process - node of jit.processes */
struct jit_process {
	int32_t pid;
	struct jit_codes codes;
	struct jit_process_file *files; /* the last one first */
	void *functions;
	void *names;
};

/* struct jit_table - node of jit.tables: a table of source lines, which is sorted once */
struct jit_table {
	const uint8_t *bytes;
	struct jit_lines lines;
};

/* struct jit_dump - an event that maps a jitdump file */
struct jit_dump {
	int32_t pid;
	const struct perfdata_event *event;
};

/**
 * struct jit - names of all processes of a recording
 * @info: the recording
 * @symfs: see jit_new()
 * @next_id: likewise
 * @processes: tree of struct jit_process
 * @last: the process asked for last
 * @tables: tree of struct jit_table
 * @dumps: the events that map jitdump files, by process
 * @dump_count: how many
 * @dumps_found: @dumps is complete
 */
struct jit {
	const struct perfdata_info *info;
	char *symfs;
	uint32_t *next_id;
	void *processes;
	struct jit_process *last;
	void *tables;
	struct jit_dump *dumps;
	size_t dump_count;
	bool dumps_found;
};

static int compare_processes(const void *a, const void *b)
{
	const struct jit_process *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

static int compare_functions(const void *a, const void *b)
{
	return strcmp(((const struct jit_function *)a)->name,
		      ((const struct jit_function *)b)->name);
}

static int compare_names(const void *a, const void *b)
{
	const uintptr_t x = (uintptr_t)((const struct jit_name *)a)->bytes;
	const uintptr_t y = (uintptr_t)((const struct jit_name *)b)->bytes;

	return (x > y) - (x < y);
}

bool jit_locate(const struct perfdata_info *info, const char *symfs, const char *original,
		char path[PATH_MAX], size_t *root)
{
	struct jit_file file;

	if (!jit_file_open(&file, info, symfs, original))
		return false;
	snprintf(path, PATH_MAX, "%s", file.path);
	*root = file.root;
	jit_file_close(&file);
	return true;
}

/* A file of the recorded machine; NULL if there is none. */
static const struct jit_file *find_file(const struct jit *jit, struct jit_process *process,
					const char *original)
{
	struct jit_process_file *file = calloc(1, sizeof(*file));

	if (!file || !jit_file_open(&file->file, jit->info, jit->symfs, original)) {
		free(file);
		return NULL;
	}
	file->next = process->files;
	process->files = file;
	return &file->file;
}

const char *jit_dump_of(const struct perfdata_info *info, int32_t pid)
{
	for (size_t i = 0; i < info->event_count; i++) {
		const struct perfdata_event *event = &info->events[i];

		if (event->pid == pid && jit_is_dump(event))
			return event->u.mapping->path;
	}
	return NULL;
}

static int compare_dumps(const void *a, const void *b)
{
	const struct jit_dump *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return (x->event > y->event) - (x->event < y->event);
}

/* The events that map jitdump files, sought once for all processes */
static void find_dumps(struct jit *jit)
{
	const struct perfdata_info *info = jit->info;
	size_t count = 0;

	jit->dumps_found = true;
	for (size_t i = 0; i < info->event_count; i++)
		count += jit_is_dump(&info->events[i]);
	jit->dumps = count ? calloc(count, sizeof(*jit->dumps)) : NULL;
	for (size_t i = 0; jit->dumps && i < info->event_count; i++)
		if (jit_is_dump(&info->events[i]))
			jit->dumps[jit->dump_count++] =
				(struct jit_dump){info->events[i].pid, &info->events[i]};
	if (jit->dumps)
		qsort(jit->dumps, jit->dump_count, sizeof(*jit->dumps), compare_dumps);
}

/* The path of the first jitdump file that a process has mapped; NULL for none */
static const char *find_dump(struct jit *jit, int32_t pid)
{
	size_t low = 0, high;

	if (!jit->dumps_found)
		find_dumps(jit);
	if (!jit->dumps)
		return NULL;
	high = jit->dump_count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (jit->dumps[middle].pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return low < jit->dump_count && jit->dumps[low].pid == pid
		       ? jit->dumps[low].event->u.mapping->path
		       : NULL;
}

void jit_map_name(int32_t pid, char name[JIT_MAP_NAME])
{
	snprintf(name, JIT_MAP_NAME, "/tmp/perf-%" PRId32 ".map", pid);
}

/* A jitdump file that cannot be used, or not all of it, is reported; the program went on without.
 */
static void read_dump(const struct jit *jit, struct jit_process *process, const char *original)
{
	const struct jit_file *file = find_file(jit, process, original);
	const char *reason;
	size_t at = 0;

	if (file)
		reason = jit_read_dump(&process->codes, file->bytes, file->size, &at);
	else
		reason = "cannot be opened, or belongs to another user: code made at run time has "
			 "no names; put the file beside the recording";
	if (!reason)
		return;
	if (file)
		message_once("hwflow: %s: offset %#zx: %s", file->path, at, reason);
	else
		message_once("hwflow: %s: %s", original, reason);
}

static void read_files(struct jit *jit, struct jit_process *process)
{
	const char *dump = find_dump(jit, process->pid);
	const struct jit_file *file;
	char map[JIT_MAP_NAME];

	if (dump)
		read_dump(jit, process, dump);
	jit_map_name(process->pid, map);
	file = process->codes.count ? NULL : find_file(jit, process, map);
	if (file)
		jit_read_map(&process->codes, (const char *)file->bytes, file->size);
	jit_sort(&process->codes);
}

static struct jit_process *process_get(struct jit *jit, int32_t pid)
{
	const struct jit_process key = {.pid = pid};
	struct jit_process *process, **found;

	if (jit->last && jit->last->pid == pid)
		return jit->last;
	found = tfind(&key, &jit->processes, compare_processes);
	if (found)
		return jit->last = *found;
	process = calloc(1, sizeof(*process));
	if (!process)
		return NULL;
	process->pid = pid;
	if (!tsearch(process, &jit->processes, compare_processes)) {
		free(process);
		return NULL;
	}
	read_files(jit, process);
	return jit->last = process;
}

/*
 * Counts the words that differ from the executed ones, of the next COMPARED bytes. A word of 0 was
 * not executed, in the copies of code that emulate makes.
 */
static unsigned int count_other(const struct jit_code *code, const struct jit_query *query)
{
	size_t size = query->size < COMPARED ? query->size : COMPARED;
	unsigned int other = 0;

	if (!code->bytes || !query->bytes)
		return 0;
	if (size > code->end - query->address)
		size = (size_t)(code->end - query->address);
	for (size_t i = 0; i + 4 <= size; i += 4) {
		uint32_t was, is;

		memcpy(&was, query->bytes + i, sizeof(was));
		memcpy(&is, code->bytes + (query->address - code->start) + i, sizeof(is));
		other += was && was != is;
	}
	return other;
}

/* struct choice - code that may have been executed */
struct choice {
	const struct jit_code *code;
	unsigned int other; /* see count_other() */
	bool was_there;     /* when the time of the query began */
};

/*
 * Fewer words that differ; then code that was there at the beginning, of several the last; then
 * code that was put there meanwhile, of several the first.
 */
static bool is_better(const struct choice *a, const struct choice *b)
{
	if (!b->code || a->other != b->other)
		return !b->code || a->other < b->other;
	if (a->was_there != b->was_there)
		return a->was_there;
	return (a->code->order > b->code->order) == a->was_there;
}

/* The first entry that begins behind an address */
static size_t find_next(const struct jit_codes *codes, uint64_t address)
{
	size_t low = 0, high = codes->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (codes->codes[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool was_there(const struct jit_code *code, const struct jit_query *query)
{
	return code->from <= query->time && code->until > query->since;
}

/*
 * Were these bytes executed? If they were, times are of no account: they may be of another clock,
 * and a recording of a thread may have none.
 */
static bool was_executed(const struct choice *choice, const struct jit_query *query)
{
	static const uint8_t unknown[4];

	return choice->code->bytes && query->bytes && query->size >= sizeof(unknown) &&
	       memcmp(query->bytes, unknown, sizeof(unknown)) && !choice->other;
}

/*
 * The code that was executed at an address; NULL for none. @first and @last: where the answer
 * holds, which is at most up to the next beginning or end of an entry.
 */
static const struct jit_code *find_code(const struct jit_process *process,
					const struct jit_query *query, uint64_t *first,
					uint64_t *last)
{
	const struct jit_code *codes = process->codes.codes;
	size_t at = find_next(&process->codes, query->address), looked = 0;
	struct choice best = {.code = NULL}, other = best; /* @other: at another time */

	*first = 0;
	*last = at < process->codes.count ? codes[at].start - 1 : UINT64_MAX;
	for (; at > 0 && codes[at - 1].highest > query->address; at--) {
		const struct jit_code *code = &codes[at - 1];
		struct choice choice = {.code = code, .was_there = code->from <= query->since};
		const bool covers = code->end > query->address;
		const uint64_t bound = covers ? code->start : code->end;

		if (looked++ == LOOKED_AT) {
			*first = query->address;
			break;
		}
		if (bound > *first)
			*first = bound;
		if (covers && code->end - 1 < *last)
			*last = code->end - 1;
		if (!covers)
			continue;
		choice.other = count_other(code, query);
		if (was_there(code, query)) {
			if (is_better(&choice, &best))
				best = choice;
		} else if (was_executed(&choice, query) && is_better(&choice, &other)) {
			other = choice;
		}
	}
	if (at > 0 && codes[at - 1].highest <= query->address && codes[at - 1].highest > *first)
		*first = codes[at - 1].highest;
	return best.code ? best.code : other.code;
}

/* Whether a name is within the limit */
static bool is_short(const struct jit_process *process, const struct jit_code *code)
{
	if (code->name_size <= limit_of(LIMIT_name))
		return true;
	message_once("hwflow: %s: the name of a function is too long and not used; %s",
		     process->files ? process->files->file.path : "", limit_text(LIMIT_name));
	return false;
}

/* One function for all code of a name; NULL without memory. */
static const struct function *function_make(struct jit *jit, struct jit_process *process,
					    const struct jit_code *code)
{
	struct jit_function *made = calloc(1, sizeof(*made)), **found = NULL;

	if (made) {
		made->name = strndup(code->name, code->name_size);
		found = made->name ? tsearch(made, &process->functions, compare_functions) : NULL;
	}
	if (found && *found == made)
		made->function = (struct function){
			.name = made->name,
			.file = process->files ? process->files->file.path : "",
			.start = code->start,
			.end = code->end,
			.id = (*jit->next_id)++,
			.bounded = true,
			.sized = true,
		};
	else if (made) {
		free(made->name);
		free(made);
	}
	return found ? &(*found)->function : NULL;
}

/* The function of code; NULL without memory. */
static const struct function *function_get(struct jit *jit, struct jit_process *process,
					   const struct jit_code *code)
{
	const struct jit_name key = {.bytes = code->name};
	struct jit_name **found = tfind(&key, &process->names, compare_names), *made;
	const struct function *function =
		found ? (*found)->function : function_make(jit, process, code);

	if (found || !function)
		return function;
	made = malloc(sizeof(*made));
	if (!made)
		return function;
	*made = (struct jit_name){.bytes = code->name, .function = function};
	if (!tsearch(made, &process->names, compare_names))
		free(made);
	return function;
}

void jit_find(struct jit *jit, const struct jit_query *query, struct place_name *place)
{
	struct jit_process *process = process_get(jit, query->pid);
	const struct jit_code *code;

	*place = (struct place_name){.last = UINT64_MAX};
	code = process ? find_code(process, query, &place->first, &place->last) : NULL;
	if (!code || !is_short(process, code))
		return;
	place->function = function_get(jit, process, code);
	place->offset = query->address - code->start;
}

static int compare_tables(const void *a, const void *b)
{
	const uintptr_t x = (uintptr_t)((const struct jit_table *)a)->bytes;
	const uintptr_t y = (uintptr_t)((const struct jit_table *)b)->bytes;

	return (x > y) - (x < y);
}

/* The source lines of some code; NULL without memory. Code that was moved has the same ones. */
static const struct jit_lines *lines_of(struct jit *jit, const struct jit_code *code)
{
	const struct jit_table key = {.bytes = code->lines};
	struct jit_table *table, **found = tfind(&key, &jit->tables, compare_tables);

	if (found)
		return &(*found)->lines;
	table = malloc(sizeof(*table));
	if (!table)
		return NULL;
	table->bytes = code->lines;
	jit_lines_read(code, &table->lines);
	if (tsearch(table, &jit->tables, compare_tables))
		return &table->lines;
	free(table->lines.entries);
	free(table);
	return NULL;
}

struct source_line jit_line(struct jit *jit, const struct jit_query *query)
{
	struct jit_process *process = process_get(jit, query->pid);
	uint64_t first, last;
	const struct jit_code *code = process ? find_code(process, query, &first, &last) : NULL;
	const struct jit_lines *lines = code ? lines_of(jit, code) : NULL;
	const struct jit_line line =
		lines ? jit_line_of(lines, code, query->address) : (struct jit_line){.file = NULL};

	return (struct source_line){line.file, line.line};
}

int jit_new(struct jit **result, const struct perfdata_info *info, const char *symfs,
	    uint32_t *next_id)
{
	struct jit *jit = calloc(1, sizeof(*jit));

	if (!jit)
		return -ENOMEM;
	jit->info = info;
	jit->next_id = next_id;
	jit->symfs = strdup(symfs);
	if (!jit->symfs) {
		jit_free(jit);
		return -ENOMEM;
	}
	*result = jit;
	return 0;
}

static void free_function(void *item)
{
	struct jit_function *function = item;

	free(function->name);
	free(function);
}

static void free_table(void *item)
{
	struct jit_table *table = item;

	free(table->lines.entries);
	free(table);
}

static void free_process(void *item)
{
	struct jit_process *process = item;

	while (process->files) {
		struct jit_process_file *file = process->files;

		process->files = file->next;
		jit_file_close(&file->file);
		free(file);
	}
	tdestroy(process->names, free);
	tdestroy(process->functions, free_function);
	free(process->codes.codes);
	free(process);
}

void jit_free(struct jit *jit)
{
	if (!jit)
		return;
	tdestroy(jit->processes, free_process);
	tdestroy(jit->tables, free_table);
	free(jit->dumps);
	free(jit->symfs);
	free(jit);
}
