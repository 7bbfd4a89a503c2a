/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names for addresses. elfutils finds symbol tables and DWARF, in the file itself or in separate
 * debug files.
 */
#include <errno.h>
#include <limits.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/input_limits.h"
#include "base/message.h"
#include "debug_files.h"
#include "demangle.h"
#include "segments.h"
#include "source_frames.h"
#include "source_lines.h"
#include "symbols.h"
#include "symbols_file.h"
#include "symbols_jit.h"

/**
 * struct symbols - names of all files that were asked for
 * @debug: how elfutils finds debug files
 * @symfs: see symbols_new()
 * @demangle: likewise
 * @files: tree of struct symbols_file
 * @last: the one asked for last
 * @unknown: the function of no file
 * @next_id: of the next function found
 * @jit: names of code made at run time; NULL without a recording
 * @pid: see symbols_at()
 * @since: likewise
 * @time: likewise
 */
struct symbols {
	struct debug_files debug;
	char *symfs;
	bool demangle;
	void *files;
	struct symbols_file *last;
	struct function unknown;
	uint32_t next_id;
	struct jit *jit;
	int32_t pid;
	uint64_t since;
	uint64_t time;
};

static int compare_files(const void *a, const void *b)
{
	const uintptr_t x = (uintptr_t)((const struct symbols_file *)a)->file;
	const uintptr_t y = (uintptr_t)((const struct symbols_file *)b)->file;

	return (x > y) - (x < y);
}

/* The names of a file, at or in @path, read when it is first asked for; NULL without memory. */
static struct symbols_file *node_get(struct symbols *symbols, struct hwf_image_file *file,
				     const char *path)
{
	struct symbols_file key = {.file = file}, *node = symbols->last, **found;

	if (node && node->file == file)
		return node;
	found = tfind(&key, &symbols->files, compare_files);
	if (found)
		return symbols->last = *found;
	node = symbols_file_new(file, path, &symbols->debug, &symbols->next_id);
	if (!node)
		return NULL;
	if (!tsearch(node, &symbols->files, compare_files)) {
		symbols_file_free(node);
		return NULL;
	}
	return symbols->last = node;
}

/*
 * The names of the code at an offset: those of the file, or of an ELF file inside it. @offset
 * becomes an offset in the file that has the names. NULL without memory.
 */
static struct symbols_file *file_get(struct symbols *symbols, struct hwf_image_file *file,
				     uint64_t *offset)
{
	const char *path = hwf_image_file_path(file);
	struct symbols_file *node = node_get(symbols, file, path);
	uint64_t begin;
	struct hwf_image_file *inner = node ? symbols_file_inner(node, *offset, &begin) : NULL;

	if (!inner)
		return node;
	*offset -= begin;
	return node_get(symbols, inner, path);
}

/* A file offset as an address of the file's own. */
static uint64_t own_address(const struct symbols_file *node, uint64_t offset)
{
	const struct hwf_image_segment *segment = segments_find(node->offsets, offset);

	return segment ? segment->address + (offset - segment->offset) : offset;
}

/* The name for display, made when it is first asked for */
static void show(const struct symbols *symbols, struct symbols_file *node,
		 const struct function *function)
{
	size_t index;
	char *name;

	if (!symbols->demangle || !node->shown || !node->asked || function < node->functions ||
	    function >= node->functions + node->count)
		return;
	index = (size_t)(function - node->functions);
	if (node->asked[index])
		return;
	node->asked[index] = true;
	name = demangle(function->name);
	if (name && !limit_spend(LIMIT_names, &node->names, strlen(name) + 1)) {
		message_once("hwflow: %s: its C++ names are too long in sum; others are printed as "
			     "they are in the symbol table; %s",
			     hwf_image_file_name(node->file), limit_text(LIMIT_names));
		free(name);
		name = NULL;
	}
	node->shown[index] = name;
	if (name)
		node->functions[index].name = name;
}

/* Makes the query for an address of code made at run time; false if the process is not known. */
static bool make_query(const struct symbols *symbols, const struct hwf_image_place *place,
		       uint64_t address, struct jit_query *query)
{
	const uint8_t *bytes;
	size_t size;

	if (symbols->pid < 0)
		return false;
	*query = (struct jit_query){.pid = symbols->pid,
				    .since = symbols->since,
				    .time = symbols->time,
				    .address = address};
	bytes = hwf_image_file_bytes(place->file, &size);
	if (bytes && place->offset < size) {
		query->bytes = bytes + place->offset;
		query->size = size - place->offset;
	}
	if (query->size > place->length - (address - place->start))
		query->size = place->length - (address - place->start);
	return true;
}

struct place_name symbols_find(struct symbols *symbols, const struct hwf_image_space *space,
			       uint64_t address)
{
	struct place_name name = {&symbols->unknown, address, address, address, false};
	struct hwf_image_place place;
	struct symbols_file *node;
	struct jit_query query;
	struct place_name jit;
	uint64_t offset, own, first, last;

	if (!hwf_image_find(space, address, &place))
		return name;
	offset = place.offset;
	node = file_get(symbols, place.file, &offset);
	if (!node)
		return name;
	own = own_address(node, offset);
	name.function = symbols_file_find(node, own, &first, &last);
	show(symbols, node, name.function);
	name.offset = own - name.function->start;
	/* in virtual addresses, within the mapping */
	name.first = own - first < address - place.start ? address - (own - first) : place.start;
	name.last = place.start + place.length - 1;
	if (last - own < name.last - address)
		name.last = address + (last - own);
	/* a program may also name code of its own file, which has no symbols */
	name.of_process = symbols->jit && !name.function->bounded;
	if (!name.of_process || !make_query(symbols, &place, address, &query))
		return name;
	jit_find(symbols->jit, &query, &jit);
	name.first = jit.first > name.first ? jit.first : name.first;
	name.last = jit.last < name.last ? jit.last : name.last;
	if (jit.function) {
		name.function = jit.function;
		name.offset = jit.offset;
	}
	return name;
}

/*
 * The address whose line is that of an instruction. Addresses of T32 code in DWARF may have bit 0
 * set, as the symbols have. An instruction has at least two bytes, so that its second byte is in
 * the same row of a line table, with bit 0 or without.
 */
static uint64_t line_address(const struct symbols_file *node, uint64_t own)
{
	return own | (hwf_image_elf_address(hwf_image_file_elf(node->file)->machine, 1) ^ 1);
}

struct source_line symbols_line_in_file(struct symbols *symbols, struct hwf_image_file *file,
					uint64_t offset)
{
	struct symbols_file *node = file_get(symbols, file, &offset);

	if (!node || !node->module)
		return (struct source_line){NULL, 0};
	return source_lines_find(node->lines, line_address(node, own_address(node, offset)));
}

/* Functions and inlined calls of a file; NULL if it has none */
static struct source_frames *calls_of(struct symbols *symbols, struct hwf_image_file *file,
				      struct symbols_file **node)
{
	*node = node_get(symbols, file, hwf_image_file_path(file));
	if (*node && !(*node)->calls && (*node)->lines)
		(*node)->calls = source_frames_new((*node)->lines);
	return *node ? (*node)->calls : NULL;
}

struct source_stack symbols_frames(struct symbols *symbols, struct hwf_image_file *file,
				   uint64_t address)
{
	struct source_stack stack = {.end = UINT64_MAX};
	struct symbols_file *node;
	struct source_frames *calls = calls_of(symbols, file, &node);
	uint16_t machine;

	if (!calls)
		return stack;
	machine = hwf_image_file_elf(file)->machine;
	stack = source_frames_find(calls, line_address(node, address));
	stack.end = hwf_image_elf_address(machine, stack.end);
	stack.entry = hwf_image_elf_address(machine, stack.entry);
	return stack;
}

bool symbols_frames_range(struct symbols *symbols, struct hwf_image_file *file, uint64_t address,
			  size_t index, struct source_range *range)
{
	struct symbols_file *node;
	struct source_frames *calls = calls_of(symbols, file, &node);
	uint16_t machine;

	if (!calls || !source_frames_range(calls, line_address(node, address), index, range))
		return false;
	machine = hwf_image_file_elf(file)->machine;
	range->start = hwf_image_elf_address(machine, range->start);
	range->end = hwf_image_elf_address(machine, range->end);
	return true;
}

const struct function *symbols_function(struct symbols *symbols, struct hwf_image_file *file,
					uint64_t address, uint64_t *last)
{
	struct symbols_file *node = node_get(symbols, file, hwf_image_file_path(file));
	const struct function *function = &symbols->unknown;
	uint64_t first;

	*last = UINT64_MAX;
	if (node)
		function = symbols_file_find(node, address, &first, last);
	if (node)
		show(symbols, node, function);
	return function;
}

struct source_line symbols_line(struct symbols *symbols, const struct hwf_image_space *space,
				uint64_t address)
{
	const struct source_line none = {NULL, 0};
	struct hwf_image_place place;
	struct symbols_file *node;
	struct jit_query query;
	uint64_t offset;

	if (!hwf_image_find(space, address, &place))
		return none;
	offset = place.offset;
	node = file_get(symbols, place.file, &offset);
	if (!node)
		return none;
	if (node->module)
		return symbols_line_in_file(symbols, place.file, place.offset);
	return make_query(symbols, &place, address, &query) ? jit_line(symbols->jit, &query) : none;
}

int symbols_rows(struct symbols *symbols, struct hwf_image_file *file, source_row_fn *take,
		 void *ctx)
{
	struct symbols_file *node = node_get(symbols, file, hwf_image_file_path(file));

	return node ? source_lines_walk(node->lines, take, ctx) : 0;
}

const struct function *symbols_functions(struct symbols *symbols, struct hwf_image_file *file,
					 size_t *count)
{
	struct symbols_file *node = node_get(symbols, file, hwf_image_file_path(file));

	*count = node ? node->count : 0;
	return node ? node->functions : NULL;
}

enum landing_pad symbols_landing_pad(struct symbols *symbols, struct hwf_image_file *file,
				     uint64_t offset, uint64_t *pad)
{
	const uint64_t whole = offset;
	struct symbols_file *node = file_get(symbols, file, &offset);
	enum landing_pad answer;

	if (!node)
		return LANDING_PAD_UNKNOWN;
	answer = symbols_file_landing_pad(node, offset, pad);
	if (answer == LANDING_PAD_AT)
		*pad += whole - offset;
	return answer;
}

uint32_t symbols_count(const struct symbols *symbols)
{
	return symbols->next_id;
}

int symbols_new(struct symbols **result, const char *symfs, bool demangle)
{
	struct symbols *symbols = calloc(1, sizeof(*symbols));

	if (!symbols)
		return -ENOMEM;
	symbols->unknown = (struct function){.name = "[unknown]", .file = "", .end = UINT64_MAX};
	symbols->next_id = 1;
	symbols->pid = -1;
	symbols->demangle = demangle;
	symbols->symfs = strdup(symfs ? symfs : "");
	if (!symbols->symfs || debug_files_init(&symbols->debug, symbols->symfs)) {
		symbols_free(symbols);
		return -ENOMEM;
	}
	*result = symbols;
	return 0;
}

int symbols_debug_directory(struct symbols *symbols, const char *directory)
{
	return debug_files_add(&symbols->debug, directory);
}

/* As many files are named in one message */
#define MOST_NAMED 4u

/* struct stripped - the files without symbols that were looked at first, and how many there are */
struct stripped {
	const struct symbols_file *first[MOST_NAMED];
	size_t count;
};

static void add_stripped(const void *node, VISIT visit, void *argument)
{
	const struct symbols_file *file = *(const struct symbols_file *const *)node;
	struct stripped *stripped = argument;

	if ((visit != preorder && visit != leaf) || !file->stripped)
		return;
	stripped->count++;
	for (size_t i = 0; i < MOST_NAMED; i++) {
		const struct symbols_file *later = stripped->first[i];

		if (later && later->other.id < file->other.id)
			continue;
		stripped->first[i] = file;
		if (!later)
			break;
		file = later;
	}
}

void symbols_report_stripped(const struct symbols *symbols)
{
	char names[MOST_NAMED * (NAME_MAX + 2)] = "", more[64] = "";
	struct stripped stripped = {.count = 0};
	size_t length = 0;

	twalk_r(symbols->files, add_stripped, &stripped);
	if (!stripped.count)
		return;
	for (size_t i = 0; i < MOST_NAMED && stripped.first[i]; i++) {
		const char *path = hwf_image_file_path(stripped.first[i]->file);
		const char *slash = strrchr(path, '/');

		length += (size_t)snprintf(names + length, sizeof(names) - length, "%s%.*s",
					   length ? ", " : "", NAME_MAX, slash ? slash + 1 : path);
	}
	if (stripped.count > MOST_NAMED)
		snprintf(more, sizeof(more), " and %zu more", stripped.count - MOST_NAMED);
	message_once("hwflow: no symbols for %s%s: --debug-dir=DIR finds their debug files, with "
		     "DIR a copy of /usr/lib/debug, unpacked debug packages, or any directory that "
		     "has the files",
		     names, more);
}

int symbols_recording(struct symbols *symbols, const struct perfdata_info *info)
{
	return info ? jit_new(&symbols->jit, info, symbols->symfs, &symbols->next_id) : 0;
}

void symbols_at(struct symbols *symbols, int32_t pid, uint64_t since, uint64_t time)
{
	symbols->pid = pid;
	symbols->since = since;
	symbols->time = time;
}

static void free_file(void *item)
{
	symbols_file_free(item);
}

void symbols_free(struct symbols *symbols)
{
	if (!symbols)
		return;
	jit_free(symbols->jit);
	tdestroy(symbols->files, free_file);
	debug_files_free(&symbols->debug);
	free(symbols->symfs);
	free(symbols);
}
