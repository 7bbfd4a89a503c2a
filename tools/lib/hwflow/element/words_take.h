/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Between the ways through packets: how words are made of their rows, and of any packet. */
#ifndef HWF_WORDS_TAKE_H
#define HWF_WORDS_TAKE_H

#include "element/words_private.h"

/* From type to the end: four bytes that are copied as one */
#define HWF_WORD_TAG 4

_Static_assert(offsetof(struct hwf_word, type) + HWF_WORD_TAG == sizeof(struct hwf_word) &&
		       offsetof(struct hwf_word_row, type) + HWF_WORD_TAG ==
			       offsetof(struct hwf_word_row, times),
	       "struct hwf_word_row has the end of a struct hwf_word");

static inline void hwf_word_put(struct hwf_word *word, const struct hwf_word_row *row,
				uint64_t value, size_t at)
{
	word->value = value;
	word->at = (uint32_t)at;
	__builtin_memcpy(&word->type, &row->type, HWF_WORD_TAG);
}

static inline uint64_t hwf_word_row_value(const struct hwf_word_row *row, const uint8_t *at)
{
	return row->value + (at[1] * row->times & row->mask);
}

static inline size_t hwf_words_size(const struct hwf_words *words, const uint8_t *at)
{
	return words->size[hwf_load16(at) & (HWF_WORDS_SIZES - 1)];
}

/*
 * hwf_words_any() - any packet, by its codec: how many words it is; 0 for one that is none. Never
 * in line: the loop of those that are many would be slower by a fifth.
 */
unsigned int hwf_words_any(const struct hwf_words *words, struct hwf_recent *recent,
			   const uint8_t *at, size_t length, struct hwf_word *word);

/* hwf_words_lanes() - hwf_words_take() in several places at once; 0 where too few bytes are left */
size_t hwf_words_lanes(const struct hwf_words *words, struct hwf_recent *recent,
		       const uint8_t *bytes, size_t length, struct hwf_taken *taken);

#endif /* HWF_WORDS_TAKE_H */
