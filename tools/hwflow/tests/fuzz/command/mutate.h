/* SPDX-License-Identifier: GPL-2.0-only */
/* Mutations of the fuzz target `command`: one file for each kind of input, and what they share. */
#ifndef HWFLOW_FUZZ_MUTATE_H
#define HWFLOW_FUZZ_MUTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** EDIT_ROOM - most bytes of a file that is mutated */
#define EDIT_ROOM (1u << 16)

/**
 * struct edit - a file that is mutated
 * @bytes: its contents
 * @size: bytes of them
 */
struct edit {
	uint8_t bytes[EDIT_ROOM];
	size_t size;
};

/** mutate_seed() - random numbers depend on this from here on */
void mutate_seed(unsigned int seed);

/** mutate_below() - a random number from 0 to @limit - 1; 0 if there is none */
size_t mutate_below(size_t limit);

/** mutate_number() - a number as damaged files have it: a limit, a power of two, a small number */
uint64_t mutate_number(void);

/**
 * edit_replace() - other bytes in place of some
 * @edit: the file
 * @at: of the first one
 * @old: number of bytes that are replaced
 * @bytes: the new ones; NULL: zeros. Not within @edit
 * @size: number of @bytes
 *
 * Return: false if there is no room; nothing changes then.
 */
bool edit_replace(struct edit *edit, size_t at, size_t old, const void *bytes, size_t size);

/** edit_copy() - insert a copy of @size bytes that are at @from, before the byte @to */
bool edit_copy(struct edit *edit, size_t from, size_t size, size_t to);

/** edit_get() - a little-endian number of @width bytes; 0 beyond the end */
uint64_t edit_get(const struct edit *edit, size_t at, unsigned int width);

/** edit_put() - set a little-endian number of @width bytes; nothing beyond the end */
void edit_put(struct edit *edit, size_t at, unsigned int width, uint64_t value);

/** edit_bytes() - let libFuzzer mutate @size bytes, whose number stays */
void edit_bytes(struct edit *edit, size_t at, size_t size);

/** edit_number() - set an aligned number somewhere in @size bytes to mutate_number() */
void edit_number(struct edit *edit, size_t at, size_t size);

/** struct mutate_range - a part of a file: @size bytes, the first is at @at */
struct mutate_range {
	size_t at;
	size_t size;
};

/** mutate_perfdata() - change records, attributes and features of a perf.data file */
void mutate_perfdata(struct edit *edit);

/** mutate_splice_perfdata() - insert records of another perf.data file */
void mutate_splice_perfdata(struct edit *edit, const struct edit *other);

/** mutate_elf() - change headers, tables, sections, symbols and debug data of an ELF file */
void mutate_elf(struct edit *edit);

/** mutate_truth() - change sections, blocks and events of a ground-truth log */
void mutate_truth(struct edit *edit);

/** mutate_text() - change lines, keys, numbers and paths of a text */
void mutate_text(struct edit *edit);

/** mutate_jitdump() - change records of a jitdump file */
void mutate_jitdump(struct edit *edit);

#endif /* HWFLOW_FUZZ_MUTATE_H */
