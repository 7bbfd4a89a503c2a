/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gaps: places where the trace, or the execution it describes, is not known. Gaps of one kind are
 * counted and reported together; --gaps=all reports each.
 */
#ifndef HWFLOW_GAPS_H
#define HWFLOW_GAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hwf_image_space;
struct input;
struct input_piece;
struct input_source;

/** struct gaps - the gaps of an input */
struct gaps;

/**
 * struct gap - one gap
 * @source: in the trace of this source
 * @piece: in this piece of it
 * @offset: of the packet, in the piece; in the file, if @in_file
 * @in_file: see @offset
 * @tid: thread that was executed; INPUT_ANY where not known
 * @has_address: @address holds
 * @has_header: @header holds
 * @contradicts: the code at @address contradicts the trace
 * @header: of the packet that cannot be decoded
 * @address: execution is not known from here on
 * @space: address space of @address; NULL where not known
 * @reason: why; outlives the gaps
 * @remedy: what to do, with its punctuation; or ""; outlives the gaps
 */
struct gap {
	const struct input_source *source;
	const struct input_piece *piece;
	uint64_t offset;
	bool in_file;
	bool has_address;
	bool has_header;
	bool contradicts;
	uint8_t header;
	int32_t tid;
	uint64_t address;
	const struct hwf_image_space *space;
	const char *reason;
	const char *remedy;
};

/**
 * struct gap_kind - gaps with one reason, of code in one file
 * @reason: see struct gap
 * @remedy: see struct gap
 * @file: name of the file that @address is mapped from, for reasons that concern code; or NULL
 * @count: how many gaps
 * @bytes: of trace from these gaps to where decoding resumes, as far as known
 * @first: the first one, as text: source, AUX record, thread, offset, address
 */
struct gap_kind {
	const char *reason;
	const char *remedy;
	char *file;
	uint64_t count;
	uint64_t bytes;
	char *first;
};

/** gap_of_loss() - the gap of a piece whose trace was lost, for the reason @piece->lost */
struct gap gap_of_loss(const struct input_source *source, const struct input_piece *piece);

/**
 * gaps_new() - begin with no gaps
 * @input: has them
 * @all: report each gap on standard error when it is found
 *
 * Return: NULL without memory.
 */
struct gaps *gaps_new(const struct input *input, bool all);

/**
 * gaps_add() - there is a gap
 * @gaps: the gaps
 * @gap: the gap
 */
void gaps_add(struct gaps *gaps, const struct gap *gap);

/**
 * gaps_resume() - execution is known again
 * @gaps: the gaps
 * @offset: of the packet that gives it, in the piece of the last gap
 */
void gaps_resume(struct gaps *gaps, uint64_t offset);

/**
 * gaps_add_sum() - there are gaps that a profile has counted
 * @gaps: of a profile
 * @reason: why; outlives the gaps
 * @count: how many gaps; not 0
 * @bytes: of trace from these gaps to where decoding resumed
 */
void gaps_add_sum(struct gaps *gaps, const char *reason, uint64_t count, uint64_t bytes);

/** gaps_add_in() - the same of a gap in code of a file whose name is known, or NULL */
void gaps_add_in(struct gaps *gaps, const struct gap *gap, const char *file);

/**
 * struct gaps_taker - who takes gaps in place of the list
 * @add: takes each gap, and the name of the file of its code, or NULL
 * @resume: takes the offset of gaps_resume()
 */
struct gaps_taker {
	void (*add)(void *ctx, const struct gap *gap, const char *file);
	void (*resume)(void *ctx, uint64_t offset);
};

/** gaps_nobody - a taker that drops gaps: of a pass over trace whose gaps are known */
extern const struct gaps_taker gaps_nobody;

/** gaps_forward() - hand gaps to @taker from here on, with @ctx as first argument; NULL: to the
 * list again */
void gaps_forward(struct gaps *gaps, const struct gaps_taker *taker, void *ctx);

/**
 * gaps_kinds() - the kinds of gaps, in the order in which they were found
 * @gaps: the gaps
 * @count: receives how many kinds
 */
const struct gap_kind *gaps_kinds(const struct gaps *gaps, size_t *count);

/** GAPS_PLACE - bytes of the place of a gap as text */
#define GAPS_PLACE 256

/** gaps_place() - write where a gap is: "cpu0, AUX record 6, thread 319: offset 0x1d: 0x400000" */
void gaps_place(const struct gaps *gaps, const struct gap *gap, char text[GAPS_PLACE]);

/** gaps_print() - report the kinds on standard error, unless each gap was reported */
void gaps_print(const struct gaps *gaps);

/** gaps_free() - free everything; NULL is allowed */
void gaps_free(struct gaps *gaps);

#endif /* HWFLOW_GAPS_H */
