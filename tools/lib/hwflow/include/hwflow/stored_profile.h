/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * A profile that outlives its recording: counts of blocks and edges by file and offset, of any
 * number of recordings together, and the file NAME.hwprof that has it.
 */
#ifndef HWFLOW_STORED_PROFILE_H
#define HWFLOW_STORED_PROFILE_H

#include <stddef.h>

#include "hwflow/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/** struct hwf_stored_profile - such a profile; its members are the library's */
struct hwf_stored_profile;

/** HWF_FILE_ID_MAX - no identity of a file is longer than this many bytes */
#define HWF_FILE_ID_MAX 20

/**
 * enum hwf_file_id - what the identity of a file is
 * @HWF_FILE_ID_NONE: there is none: the file has no more than a name
 * @HWF_FILE_ID_BUILD: the build id of an ELF file
 * @HWF_FILE_ID_CONTENT: a checksum of the file's contents, where it has no build id
 * @HWF_FILE_ID_KERNEL: the build id of a kernel (vmlinux). Offsets are from its symbol _stext in
 *	memory, wherever the kernel was in memory, and not in the file
 */
enum hwf_file_id {
	HWF_FILE_ID_NONE,
	HWF_FILE_ID_BUILD,
	HWF_FILE_ID_CONTENT,
	HWF_FILE_ID_KERNEL,
};

/**
 * struct hwf_profile_file - a program, a shared library, a kernel or a module
 * @name: as the recording has it; of several names for one identity the first by the order of their
 *	bytes
 * @id: its identity
 * @id_size: bytes of @id
 * @id_kind: enum hwf_file_id
 * @machine: e_machine of its ELF header
 * @number: of the file, from 0, in the order of hwf_stored_profile_next_file(): the library sets it
 *
 * Two files are one if they have the same identity; without one, if they have the same name.
 */
struct hwf_profile_file {
	const char *name;
	uint8_t id[HWF_FILE_ID_MAX];
	uint8_t id_size;
	uint8_t id_kind;
	uint16_t machine;
	uint32_t number;
};

/**
 * enum hwf_profile_note_kind - what is counted beside blocks and edges
 * @HWF_NOTE_GAP: gaps, by their reason; bytes of trace
 * @HWF_NOTE_LEFT_OUT: instructions of code without a file, by what the code is called
 */
enum hwf_profile_note_kind {
	HWF_NOTE_GAP,
	HWF_NOTE_LEFT_OUT,
	HWF_NOTE_KINDS,
};

/**
 * struct hwf_profile_note - such a count
 * @text: the reason, or what the code is called
 * @count: number of gaps, or of instructions
 * @bytes: of trace from these gaps to where decoding resumed; else 0
 * @kind: enum hwf_profile_note_kind
 */
struct hwf_profile_note {
	const char *text;
	uint64_t count;
	uint64_t bytes;
	uint8_t kind;
};

/**
 * struct hwf_recording_id - which recording was counted
 * @bytes: a checksum of its trace
 */
struct hwf_recording_id {
	uint8_t bytes[16];
};

/**
 * enum hwf_profile_by - what the groups of a profile are
 * @HWF_PROFILE_WHOLE: it has none
 * @HWF_PROFILE_BY_PROCESS: a group has what processes of one name executed
 * @HWF_PROFILE_BY_THREAD: a group has what threads of one name executed, in processes of one name
 */
enum hwf_profile_by {
	HWF_PROFILE_WHOLE,
	HWF_PROFILE_BY_PROCESS,
	HWF_PROFILE_BY_THREAD,
	HWF_PROFILE_BYS,
};

/**
 * enum hwf_context_open - how a function was entered
 * @HWF_CONTEXT_CALL: by a call, or as the first function of a thread
 * @HWF_CONTEXT_UNKNOWN: its caller is not known: trace began, or was lost, inside the call
 * @HWF_CONTEXT_EXCEPTION: by an exception, or as the handler of a signal
 */
enum hwf_context_open {
	HWF_CONTEXT_CALL,
	HWF_CONTEXT_UNKNOWN,
	HWF_CONTEXT_EXCEPTION,
	HWF_CONTEXT_OPENS,
};

/**
 * struct hwf_profile_context - a function that was entered, by the way it was called
 * @caller: number of the context that it was called from; 0: it is outermost
 * @site: offset in @site_file of the call, or of the instruction that was interrupted; 0 in an
 *	outermost context
 * @site_file: struct hwf_profile_file of @site; NULL: the site is in no file, or the context is
 *	outermost
 * @entry: offset of the function in @file; 0 without a file
 * @file: its file; NULL: the code is in no file
 * @name: what code in no file is called; NULL if @file
 * @calls: how often it was entered that way; 0 if it was entered before trace began
 * @instructions: executed in the function itself, without the functions that it called
 * @open: enum hwf_context_open. With %HWF_CONTEXT_UNKNOWN, @caller is the innermost context that is
 *	known, or 0
 *
 * Two contexts are one if they have the same @caller, @open, @site_file, @site, @file, @name and
 * @entry.
 */
struct hwf_profile_context {
	uint32_t caller;
	uint8_t open;
	const struct hwf_profile_file *site_file;
	uint64_t site;
	const struct hwf_profile_file *file;
	const char *name;
	uint64_t entry;
	uint64_t calls;
	uint64_t instructions;
};

/** hwf_stored_profile_new() - a profile of no recordings; NULL without memory */
struct hwf_stored_profile *hwf_stored_profile_new(void);

/** hwf_stored_profile_free() - free a profile; NULL is allowed */
void hwf_stored_profile_free(struct hwf_stored_profile *stored);

/** hwf_stored_profile_failed() - did memory run out, so that something is missing? */
bool hwf_stored_profile_failed(const struct hwf_stored_profile *stored);

/**
 * hwf_stored_profile_file() - the file of a profile, which is added if it is new
 * @stored: the profile
 * @file: what is known of it; copied
 *
 * Return: the file, which stays at its address as long as @stored; NULL without memory.
 */
const struct hwf_profile_file *hwf_stored_profile_file(struct hwf_stored_profile *stored,
						       const struct hwf_profile_file *file);

/**
 * hwf_stored_profile_next_file() - iterate over the files
 * @stored: the profile
 * @at: 0 at first; the function changes it
 *
 * Return: NULL after the last one.
 */
const struct hwf_profile_file *hwf_stored_profile_next_file(const struct hwf_stored_profile *stored,
							    size_t *at);

/**
 * hwf_stored_profile_counts() - blocks and edges of a stored profile, to be read or added to
 * @stored: the profile
 *
 * An address is an offset in a file, and an address space is a struct hwf_profile_file of @stored.
 * A branch to or from code that has no file has NULL there, and the address 0.
 */
struct hwf_profile *hwf_stored_profile_counts(struct hwf_stored_profile *stored);

/** hwf_stored_profile_note() - add to what is counted beside blocks and edges; the text is copied
 */
void hwf_stored_profile_note(struct hwf_stored_profile *stored,
			     const struct hwf_profile_note *note);

/** hwf_stored_profile_next_note() - iterate over the notes, as hwf_stored_profile_next_file() */
const struct hwf_profile_note *hwf_stored_profile_next_note(const struct hwf_stored_profile *stored,
							    size_t *at);

/**
 * hwf_stored_profile_keep_contexts() - say that a profile has calling contexts
 * @stored: the profile, without recordings
 *
 * The profile has contexts from then on, even if no function was executed.
 */
void hwf_stored_profile_keep_contexts(struct hwf_stored_profile *stored);

/** hwf_stored_profile_has_contexts() - does a profile have calling contexts? */
bool hwf_stored_profile_has_contexts(const struct hwf_stored_profile *stored);

/**
 * hwf_stored_profile_context() - the context of a profile, which is added if it is new
 * @stored: the profile, which has contexts from then on
 * @context: its members; @caller is a number that this function returned for @stored, or 0. Counts
 *	are added to those that the context has; the name is copied
 *
 * The function ignores @site and @site_file of an outermost context, @site without a @site_file,
 * @name of a context with a @file, and @entry of one without.
 *
 * One hash lookup. Callers that add to the same context often can pass its number to
 * hwf_stored_profile_add_to_context().
 *
 * Return: the number of the context, from 1, which stays the same as long as @stored; 0 without
 * memory: hwf_stored_profile_failed() is true then.
 */
uint32_t hwf_stored_profile_context(struct hwf_stored_profile *stored,
				    const struct hwf_profile_context *context);

/**
 * hwf_stored_profile_find_context() - the number of a context that a profile has; 0: it has none
 *
 * As hwf_stored_profile_context(), but nothing is added.
 */
uint32_t hwf_stored_profile_find_context(const struct hwf_stored_profile *stored,
					 const struct hwf_profile_context *context);

/** hwf_stored_profile_add_to_context() - add to the counts of the context of a number; 0 is ignored
 */
void hwf_stored_profile_add_to_context(struct hwf_stored_profile *stored, uint32_t number,
				       uint64_t calls, uint64_t instructions);

/**
 * hwf_stored_profile_keep_context_counts() - say that a profile has the counts of each context
 * @stored: the profile, without recordings; it has contexts from then on
 */
void hwf_stored_profile_keep_context_counts(struct hwf_stored_profile *stored);

/** hwf_stored_profile_has_context_counts() - does a profile have the counts of each context? */
bool hwf_stored_profile_has_context_counts(const struct hwf_stored_profile *stored);

/**
 * hwf_stored_profile_block_number() - the number of a block of a profile
 * @stored: the profile
 * @block: its counts are ignored; a block that is new is added without counts
 *
 * Return: a number that stays the same as long as @stored; 0 without memory.
 */
uint32_t hwf_stored_profile_block_number(struct hwf_stored_profile *stored,
					 const struct hwf_profile_block *block);

/** hwf_stored_profile_edge_number() - the number of an edge that hwf_profile_add_edge() adds, as
 * hwf_stored_profile_block_number() */
uint32_t hwf_stored_profile_edge_number(struct hwf_stored_profile *stored,
					const struct hwf_profile_edge *edge);

/**
 * hwf_stored_profile_count_block() - add to how often a block was executed in a context
 * @stored: the profile, which has the counts of each context
 * @context: number of the context; 0: the context is not known
 * @number: of the block; 0 is ignored
 * @block: its @taken, @not_taken and @diverted are added
 *
 * The counts of the profile itself, which have all executions, are added by the caller. A block
 * that has none there is left out of the file.
 */
void hwf_stored_profile_count_block(struct hwf_stored_profile *stored, uint32_t context,
				    uint32_t number, const struct hwf_profile_block *block);

/** hwf_stored_profile_count_edge() - add to how often an edge was taken in a context, likewise */
void hwf_stored_profile_count_edge(struct hwf_stored_profile *stored, uint32_t context,
				   uint32_t number, uint64_t count);

/**
 * hwf_stored_profile_context_counts() - the blocks and edges that were executed in a context
 * @stored: the profile
 * @context: number of the context; 0: of those whose context is not known
 * @counts: they are added to it; their address spaces are files of @stored
 */
void hwf_stored_profile_context_counts(struct hwf_stored_profile *stored, uint32_t context,
				       struct hwf_profile *counts);

/**
 * hwf_stored_profile_next_context() - iterate over the contexts
 * @stored: the profile
 * @at: 0 at first; the function changes it: afterwards it is the number of the context
 *
 * Contexts come in the order of their numbers, a caller before the contexts that it called.
 *
 * Return: the context, valid until another one is added; NULL after the last one.
 */
const struct hwf_profile_context *hwf_stored_profile_next_context(
	const struct hwf_stored_profile *stored, size_t *at);

/**
 * hwf_stored_profile_recording() - say that a recording is counted
 * @stored: the profile
 * @id: the recording
 *
 * Its blocks were added with their first executions, which become ranks.
 *
 * Return: 0; -EEXIST if it is counted already; -ENOMEM.
 */
int hwf_stored_profile_recording(struct hwf_stored_profile *stored,
				 const struct hwf_recording_id *id);

/** hwf_stored_profile_recordings() - the recordings that are counted; @count receives how many */
const struct hwf_recording_id *hwf_stored_profile_recordings(
	const struct hwf_stored_profile *stored, size_t *count);

/**
 * hwf_stored_profile_add() - add all counts of another profile
 * @stored: receives them
 * @other: stays as it is
 *
 * In which order profiles are added, and to which of them, makes no difference to what
 * hwf_stored_profile_pack() gives.
 *
 * Groups of the same name become one. A profile of no recordings has the groups of the first that
 * is added to it, and contexts if that has them.
 *
 * Return: 0; -EEXIST if both have counted the same recording: nothing was added; -EINVAL if they
 * have groups of different kinds, or only one has groups, contexts, or the counts of contexts:
 * nothing was added; -ENOMEM.
 */
int hwf_stored_profile_add(struct hwf_stored_profile *stored, struct hwf_stored_profile *other);

/**
 * hwf_stored_profile_split() - say that a profile has groups
 * @stored: the profile, without groups and recordings
 * @by: enum hwf_profile_by
 */
void hwf_stored_profile_split(struct hwf_stored_profile *stored, enum hwf_profile_by by);

/** hwf_stored_profile_by() - what the groups of a profile are */
enum hwf_profile_by hwf_stored_profile_by(const struct hwf_stored_profile *stored);

/**
 * hwf_stored_profile_group() - a group of a profile, which is added if it is new
 * @stored: the profile, which has groups
 * @name: of the group; copied
 *
 * A group is a profile without groups, with files, blocks, edges and notes of its own, and with the
 * recordings that it is in. It belongs to @stored. What is counted in it is counted in @stored as
 * well, by the caller: @stored has the sum. Contexts are kept for @stored, and not for its groups.
 *
 * Return: the group; NULL without memory.
 */
struct hwf_stored_profile *hwf_stored_profile_group(struct hwf_stored_profile *stored,
						    const char *name);

/**
 * hwf_stored_profile_next_group() - iterate over the groups
 * @stored: the profile
 * @at: 0 at first; the function changes it
 * @name: receives the name of the group
 *
 * Return: NULL after the last one.
 */
struct hwf_stored_profile *hwf_stored_profile_next_group(const struct hwf_stored_profile *stored,
							 size_t *at, const char **name);

/** HWF_PROFILE_MAGIC - the first eight bytes of a .hwprof file; the last is the version of its
 * layout */
#define HWF_PROFILE_MAGIC "hwprof\0\1"

/**
 * hwf_stored_profile_pack() - the bytes of a .hwprof file
 * @stored: the profile
 * @size: receives how many bytes
 *
 * The layout is in Documentation/profile-format.rst.
 *
 * Return: the bytes, which the caller frees; NULL without memory.
 */
void *hwf_stored_profile_pack(struct hwf_stored_profile *stored, size_t *size);

/**
 * hwf_stored_profile_unpack() - read the bytes of a .hwprof file
 * @result: receives the profile
 * @bytes: of the file
 * @size: how many
 * @reason: receives what is wrong with them, if something is
 *
 * Return: 0; -EINVAL: the bytes are damaged, or of no such file; -EOPNOTSUPP: the layout is that of
 * a later version; -ENOMEM.
 */
int hwf_stored_profile_unpack(struct hwf_stored_profile **result, const void *bytes, size_t size,
			      const char **reason);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* HWFLOW_STORED_PROFILE_H */
