/* SPDX-License-Identifier: GPL-2.0-only */
/* A stored profile in the formats of other tools. */
#ifndef HWFLOW_PROFILE_FORMATS_H
#define HWFLOW_PROFILE_FORMATS_H

#include <stdio.h>

#include "hwflow/image.h"
#include "hwflow/stored_profile.h"

struct function;
struct symbols;
struct text;

/**
 * struct profile_binary - a file of a profile, on this machine
 * @file: as the profile has it
 * @image: the file
 * @elf: its headers; NULL: it was not found. Offsets of segments are those of the profile
 * @kernel: what @elf points to if @file is a kernel; else NULL
 * @symbols: names of its functions and lines
 */
struct profile_binary {
	const struct hwf_profile_file *file;
	struct hwf_image_file *image;
	const struct hwf_image_elf *elf;
	struct hwf_image_elf *kernel;
	struct symbols *symbols;
};

/**
 * struct profile_content - what is written
 * @stored: the counts
 * @binaries: those that the format is of; of one binary it is the first
 * @count: how many
 * @measure: what calling contexts count: "instructions" or "cycles"; "time" is in nanoseconds
 */
struct profile_content {
	struct hwf_stored_profile *stored;
	const struct profile_binary *binaries;
	size_t count;
	const char *measure;
};

/**
 * typedef profile_write_fn - writes a profile in a format
 * @content: the profile
 * @out: receives it
 *
 * Return: 0, -ENOMEM, or another negative errno after a message.
 */
typedef int profile_write_fn(const struct profile_content *content, struct text *out);

/**
 * enum profile_scope - what a format is of
 * @PROFILE_NUMBERS: of the counts alone; no binary is read
 * @PROFILE_BINARY: of one binary, which was found
 * @PROFILE_BINARIES: of the binary that was chosen, or of all that the profile has
 */
enum profile_scope {
	PROFILE_NUMBERS,
	PROFILE_BINARY,
	PROFILE_BINARIES,
};

/**
 * enum profile_needs - what a profile must have for a format
 * @PROFILE_COUNTS: nothing but counts
 * @PROFILE_CONTEXTS: calling contexts
 * @PROFILE_CONTEXT_BLOCKS: calling contexts, and the blocks that were executed in each
 */
enum profile_needs {
	PROFILE_COUNTS,
	PROFILE_CONTEXTS,
	PROFILE_CONTEXT_BLOCKS,
};

/**
 * struct profile_format - a format
 * @name: as --for has it
 * @write: writes it
 * @scope: what it is of
 * @is_text: a terminal can print it
 * @needs: what the profile must have
 * @has_measure: it can count time or cycles
 */
struct profile_format {
	const char *name;
	profile_write_fn *write;
	enum profile_scope scope;
	bool is_text;
	enum profile_needs needs;
	bool has_measure;
};

/** profile_format() - the format of a name; NULL if there is none */
const struct profile_format *profile_format(const char *name);

/** profile_count_files() - how many files a profile has */
size_t profile_count_files(const struct hwf_stored_profile *stored);

/* Each format is in a file of its own, profile_NAME.c, or with another that is like it. */
profile_write_fn profile_json, profile_bolt, profile_profgen, profile_order, profile_temporal,
	profile_propeller, profile_propeller_order, profile_lcov, profile_drcov, profile_autofdo,
	profile_cs_autofdo, profile_gcc, profile_gcc16, profile_pprof, profile_folded,
	profile_speedscope, profile_callgrind;

/**
 * profile_address() - the address that an offset in a file is linked at
 * @elf: headers of the file
 * @offset: of code
 * @address: receives it
 *
 * Return: false if no segment with code has this offset.
 */
bool profile_address(const struct hwf_image_elf *elf, uint64_t offset, uint64_t *address);

/** profile_offset() - the offset of an address, as profile_address() */
bool profile_offset(const struct hwf_image_elf *elf, uint64_t address, uint64_t *offset);

/** profile_function() - of symbols_functions(), the function of an address; NULL if none has it */
const struct function *profile_function(const struct function *functions, size_t count,
					uint64_t address);

#endif /* HWFLOW_PROFILE_FORMATS_H */
