/* SPDX-License-Identifier: GPL-2.0-only */
/* Sample profiles of a binary, as they are made of its counts. */
#ifndef HWFLOW_PROFILE_AUTOFDO_H
#define HWFLOW_PROFILE_AUTOFDO_H

#include "items.h"
#include "profile_formats.h"
#include "profile_samples.h"
#include "symbols/source_frames.h"

/**
 * struct autofdo - the profile as it is made
 * @binary: what it is of
 * @samples: the profile
 * @executed: tree of struct executed: functions of which code was executed
 * @left: bytes of code that were not looked at for lines that were not executed
 * @functions: of the symbol table, for clones; NULL: the compiler makes none
 * @function_count: how many
 * @frames: struct source_frame: those of an address, as the source has them
 * @call: with contexts, the call that the code added next was entered by; without a caller, all
 *	code is of no known caller
 * @entry: address of the function that @call calls; code of other functions is of no known caller
 */
struct autofdo {
	const struct profile_binary *binary;
	struct samples samples;
	void *executed;
	uint64_t left;
	const struct function *functions;
	size_t function_count;
	struct items frames;
	struct samples_call call;
	uint64_t entry;
};

/**
 * struct autofdo_entry - a function that is entered
 * @name: of the function
 * @address: of the function
 * @from: frames of the branch; none: it is in other code
 */
struct autofdo_entry {
	const char *name;
	uint64_t address;
	struct source_stack from;
};

/** autofdo_frames() - the frames of an address, as the compiler has them */
struct source_stack autofdo_frames(struct autofdo *autofdo, uint64_t address);

/** autofdo_enter() - code of the function at @entry follows: samples.call becomes its call */
void autofdo_enter(struct autofdo *autofdo, uint64_t entry);

/** autofdo_add_blocks() - add all blocks of the binary, of which some overlap; 0 or -ENOMEM */
int autofdo_add_blocks(struct autofdo *autofdo, const struct hwf_profile *counts);

/**
 * autofdo_is_entry() - does a branch enter a function?
 * @autofdo: the profile
 * @edge: the branch
 * @entered: receives the function; its frames are valid until the next call
 *
 * A branch to the entry of a function is a call, but for one of a loop that begins there: a
 * function that calls itself links.
 */
bool autofdo_is_entry(struct autofdo *autofdo, const struct hwf_profile_edge *edge,
		      struct autofdo_entry *entered);

/** autofdo_no_samples() - say that a binary has no DWARF; -ENODATA */
int autofdo_no_samples(const struct autofdo *autofdo);

#endif /* HWFLOW_PROFILE_AUTOFDO_H */
