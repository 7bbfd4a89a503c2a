/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions of one file. */
#ifndef HWFLOW_SYMBOLS_FILE_H
#define HWFLOW_SYMBOLS_FILE_H

#include "debug_files.h"

#include "hwflow/image.h"
#include "symbols.h"

struct frame;
struct inner_files;
struct kernel_symbol;
struct landing_pads;
struct plt_stub;
struct segments;
struct source_frames;
struct source_lines;

/**
 * struct symbols_file - functions of one file
 * @file: the file
 * @path: where it is, or for one inside another file, where that is; "" for others in memory
 * @debug: elfutils' view of the file
 * @module: that of @debug; NULL if it is no ELF file
 * @lines: source lines of @module; NULL without @module
 * @calls: its functions and inlined calls; made when they are first asked for
 * @code: segments of code by address
 * @offsets: segments by file offset
 * @inner: ELF files inside @file; made with the first offset outside of the code of @file
 * @functions: functions with names, by start; they do not overlap
 * @shown: names for display, of those that were asked for
 * @asked: names that were asked for: those without an element in @shown are as in @functions
 * @count: elements of @functions, @shown and @asked
 * @names: share of LIMIT_names that is left, see limit_spend()
 * @other: code of the file outside of all functions
 * @other_name: its name
 * @stubs: of the procedure linkage table
 * @stub_count: how many
 * @kernel: symbols of a copy of a kernel's memory
 * @kernel_count: how many
 * @frames: bounds of functions, by start; they do not overlap. Read with the first address that
 *	no symbol covers
 * @unnamed: the functions of @frames that were asked for; else NULL
 * @frame_count: elements of @frames and @unnamed
 * @frames_read: @frames are there, if the file has any
 * @pads: landing pads of calls; made when they are first asked for
 * @stripped: a program without symbols, in itself and in a debug file
 * @next_id: identifier of the next function found; shared by all files
 */
struct symbols_file {
	const struct hwf_image_file *file;
	const char *path;
	struct debug_module debug;
	Dwfl_Module *module;
	struct source_lines *lines;
	struct source_frames *calls;
	struct segments *code;
	struct segments *offsets;
	struct inner_files *inner;
	struct function *functions;
	char **shown;
	bool *asked;
	size_t count;
	uint64_t names;
	struct function other;
	char *other_name;
	struct plt_stub *stubs;
	size_t stub_count;
	struct kernel_symbol *kernel;
	size_t kernel_count;
	struct frame *frames;
	struct function **unnamed;
	size_t frame_count;
	bool frames_read;
	struct landing_pads *pads;
	bool stripped;
	uint32_t *next_id;
};

/**
 * symbols_file_new() - read the functions of a file
 * @file: the file; opened here
 * @path: see struct symbols_file; must outlive the result
 * @debug: how elfutils finds debug files; must outlive the result
 * @next_id: see struct symbols_file
 *
 * Return: the functions, perhaps none; NULL without memory.
 */
struct symbols_file *symbols_file_new(struct hwf_image_file *file, const char *path,
				      const struct debug_files *debug, uint32_t *next_id);

/** symbols_file_elf() - the ELF file as elfutils has it; NULL for another file */
Elf *symbols_file_elf(const struct symbols_file *file);

/**
 * symbols_file_inner() - the ELF file inside a file that has code at an offset
 * @file: functions of the file
 * @offset: in the file
 * @begin: receives the offset at which the inner file begins
 *
 * Return: the inner file; NULL if the code is of the file itself, or of no ELF file.
 */
struct hwf_image_file *symbols_file_inner(struct symbols_file *file, uint64_t offset,
					  uint64_t *begin);

/**
 * symbols_file_find() - the function of an address
 * @file: the functions
 * @own: address, of the file's own
 * @first: receives the first address of the part of the function that @own is in
 * @last: and the last
 *
 * Return: the function; symbols_file.other where there is none.
 */
const struct function *symbols_file_find(struct symbols_file *file, uint64_t own, uint64_t *first,
					 uint64_t *last);

/**
 * symbols_file_landing_pad() - the landing pad of a call
 * @file: the functions
 * @offset: of the call instruction, in the file
 * @pad: receives the offset of the landing pad, with LANDING_PAD_AT
 *
 * Return: see enum landing_pad.
 */
enum landing_pad symbols_file_landing_pad(struct symbols_file *file, uint64_t offset,
					  uint64_t *pad);

/** symbols_file_free() - free everything; NULL is allowed */
void symbols_file_free(struct symbols_file *file);

#endif /* HWFLOW_SYMBOLS_FILE_H */
