/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Packets of one word. */
#include "element/words_private.h"

/* What each bit of a second byte is, from a look at the packets that have it alone */
static void set_second(const struct hwf_ete_config *config, uint8_t header,
		       struct hwf_word_row *row)
{
	struct hwf_recent recent = {0};

	for (unsigned int bit = 0; bit < 8; bit++) {
		const uint8_t bytes[HWF_WORDS_ROOM] = {header, (uint8_t)(1u << bit)};
		struct hwf_word word;
		uint64_t adds;

		if (hwf_words_next(config, &recent, bytes, &word) != 2) {
			row->other |= bytes[1];
			continue;
		}
		adds = word.value - row->value;
		if (adds == bytes[1])
			row->low |= bytes[1];
		else if (adds)
			row->high |= bytes[1];
		for (unsigned int shift = 1; shift < 56; shift++) {
			if (adds == (uint64_t)bytes[1] << shift)
				row->shift = (uint8_t)shift;
		}
	}
}

void hwf_words_init(struct hwf_words *words, const struct hwf_ete_config *config)
{
	struct hwf_recent recent = {0};

	*words = (struct hwf_words){.config = config};
	for (unsigned int i = 0; i < 256; i++) {
		const uint8_t bytes[HWF_WORDS_ROOM] = {(uint8_t)i};
		struct hwf_word word = {0};
		size_t size = hwf_words_next(config, &recent, bytes, &word);

		/* an address takes more than its bytes */
		if (size > 2 || word.kind == HWF_WORD_TARGET || word.kind == HWF_WORD_SOURCE)
			continue;
		words->row[i] = (struct hwf_word_row){
			.value = word.value,
			.type = word.type,
			.size = (uint8_t)size,
			.kind = word.kind,
			.entry = word.entry,
		};
		if (size == 2)
			set_second(config, bytes[0], &words->row[i]);
	}
}

/* From type to entry: four bytes that are copied as one */
#define TAG 4

_Static_assert(offsetof(struct hwf_word, type) + TAG == sizeof(struct hwf_word) &&
		       offsetof(struct hwf_word_row, type) == offsetof(struct hwf_word, type) &&
		       sizeof(struct hwf_word_row) == sizeof(struct hwf_word),
	       "struct hwf_word_row is laid out as struct hwf_word");

static inline void put(struct hwf_word *word, const struct hwf_word_row *row, uint64_t value,
		       ptrdiff_t at)
{
	word->value = value;
	word->at = (uint32_t)at;
	__builtin_memcpy(&word->type, &row->type, TAG);
}

/*
 * Packets of one byte and of two by their rows, the others one by one. @two is a constant: where
 * there are none of two, not to ask is a tenth faster.
 */
static inline size_t take(const struct hwf_words *words, struct hwf_recent *recent,
			  const uint8_t *bytes, const uint8_t *last, struct hwf_word *taken,
			  size_t room, size_t *count, bool two)
{
	const struct hwf_word *full = taken + room;
	struct hwf_word *word = taken;
	const uint8_t *at = bytes;

	for (; word < full && at <= last; word++) {
		const struct hwf_word_row *row = &words->row[*at];
		size_t size;

		if (row->size == 1) {
			put(word, row, row->value, at - bytes);
			at++;
		} else if (two && row->size == 2 && !(at[1] & row->other)) {
			put(word, row,
			    row->value + (at[1] & row->low) +
				    ((uint64_t)(at[1] & row->high) << (row->shift & 63)),
			    at - bytes);
			at += 2;
		} else {
			size = hwf_words_next(words->config, recent, at, word);
			if (!size)
				break;
			word->at = (uint32_t)(at - bytes);
			at += size;
		}
	}
	*count = (size_t)(word - taken);
	return (size_t)(at - bytes);
}

size_t hwf_words_take(const struct hwf_words *words, struct hwf_address_history *history,
		      const uint8_t *bytes, size_t length, struct hwf_word *taken, size_t room,
		      size_t *count)
{
	const uint8_t *last = bytes + length - HWF_WORDS_ROOM;
	struct hwf_recent recent;
	size_t size;

	*count = 0;
	/* an address of 32 bits means another thing in AArch32 */
	if (history->narrow || length < HWF_WORDS_ROOM)
		return 0;
	hwf_recent_open(&recent, history);
	if (words->config->max_spec || words->config->cycle_count)
		size = take(words, &recent, bytes, last, taken, room, count, true);
	else
		size = take(words, &recent, bytes, last, taken, room, count, false);
	hwf_recent_close(&recent, history);
	return size;
}
