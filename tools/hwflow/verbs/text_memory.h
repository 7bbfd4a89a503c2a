/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Texts that were written once and are the same whenever the same is to be written: the place names
 * of a branch that a loop executes a million times.
 */
#ifndef HWFLOW_VERBS_TEXT_MEMORY_H
#define HWFLOW_VERBS_TEXT_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

/** TEXT_MEMORY_LONGEST - a longer text is not kept */
#define TEXT_MEMORY_LONGEST 4096u

/**
 * struct text_key - what a text follows from
 * @from: an address
 * @to: another one, or 0
 * @from_space: address space of @from
 * @to_space: address space of @to
 * @piece: names of addresses may change from one piece of trace to the next
 * @tid: thread; its process has names of its own for code made at run time
 * @what: all else
 */
struct text_key {
	uint64_t from;
	uint64_t to;
	const void *from_space;
	const void *to_space;
	const void *piece;
	int32_t tid;
	uint32_t what;
};

/**
 * struct text_entry - a text
 * @key: what it follows from
 * @size: of @text; 0: there is none
 * @room: bytes at @text
 * @text: the text
 * @word: its number in a struct time_merge; 0: none yet
 */
struct text_entry {
	struct text_key key;
	uint32_t size;
	uint32_t room;
	char *text;
	uint32_t word;
};

/** struct text_memory - texts, by a hash of their keys; a new text takes the place of an old one */
struct text_memory;

/** text_memory_new() - begin with no texts; 0 or -ENOMEM */
int text_memory_new(struct text_memory **result);

/** text_memory_at() - where the text of a key is kept: it holds another key, or has size 0, if
 * there is none */
struct text_entry *text_memory_at(struct text_memory *memory, const struct text_key *key);

/** text_memory_has() - is the text of an entry that of @key? */
static inline bool text_memory_has(const struct text_entry *entry, const struct text_key *key)
{
	const struct text_key *have = &entry->key;

	return entry->size && have->from == key->from && have->to == key->to &&
	       have->from_space == key->from_space && have->to_space == key->to_space &&
	       have->piece == key->piece && have->tid == key->tid && have->what == key->what;
}

/** text_memory_put() - append the text of an entry */
static inline void text_memory_put(const struct text_entry *entry, struct text *out)
{
	memcpy(text_room(out, entry->size), entry->text, entry->size);
	out->hwf.at += entry->size;
}

/**
 * text_memory_keep() - keep a text that was just appended
 * @entry: from text_memory_at()
 * @key: what it follows from
 * @start: what text_room() returned for TEXT_MEMORY_LONGEST bytes before the text was appended
 * @flushes: the flushes of @out at that time
 * @out: has the text
 *
 * A text that is too long, or for which there is no memory, is not kept.
 */
void text_memory_keep(struct text_entry *entry, const struct text_key *key, const char *start,
		      uint64_t flushes, const struct text *out);

/** text_memory_free() - free everything; NULL is allowed */
void text_memory_free(struct text_memory *memory);

#endif /* HWFLOW_VERBS_TEXT_MEMORY_H */
