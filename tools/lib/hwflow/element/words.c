/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Packets of one word, or two. */
#include "element/words_private.h"

static uint64_t take_time(struct hwf_recent *recent, const struct hwf_ete_timestamp *ts)
{
	uint64_t value = ts->value;

	if (ts->bits < 64)
		value |= recent->timestamp >> ts->bits << ts->bits;
	recent->timestamp = value;
	return value;
}

static uint64_t take_q_address(struct hwf_recent *recent, const struct hwf_ete_q *q)
{
	uint64_t value = q->address.value | q->address.is;

	if (!q->has_address)
		return 0;
	if (q->entry < HWF_HISTORY)
		value = recent->address[q->entry];
	else
		value |= recent->address[0] >> q->address.bits << q->address.bits;
	hwf_recent_push(recent, value);
	return value;
}

/* The information byte of an Exception packet */
static uint64_t exception_byte(const struct hwf_ete_exception *exception)
{
	return (uint64_t)exception->type << 1 | (exception->ee & 1u) | (exception->ee & 2u) << 5;
}

/*
 * A packet that hwf_words_next() does not know, by its codec. Not in line: the loop of those that
 * are many would be slower by a fifth.
 */
static __attribute__((noinline)) size_t take_packet(const struct hwf_ete_config *config,
						    struct hwf_recent *recent, const uint8_t *at,
						    size_t length, struct hwf_word *word)
{
	struct hwf_ete_packet packet;
	const struct hwf_ete_q *q = &packet.u.q;
	int size = hwf_ete_decode_in_place(config, at, length, &packet);
	uint32_t bytes = (uint32_t)size;

	if (size <= 0)
		return 0;
	switch (packet.type) {
	case HWF_ETE_EXCEPTION:
		return hwf_word_set(word, HWF_WORD_EXCEPTION, HWF_ETE_EXCEPTION, bytes,
				    exception_byte(&packet.u.exception));
	case HWF_ETE_TIMESTAMP:
		hwf_word_set(word, HWF_WORD_TIMESTAMP, HWF_ETE_TIMESTAMP, bytes,
			     take_time(recent, &packet.u.timestamp));
		if (!packet.u.timestamp.has_count)
			return bytes;
		hwf_word_set(word + 1, HWF_WORD_MORE, HWF_ETE_TIMESTAMP, 0,
			     packet.u.timestamp.count);
		return HWF_WORDS_TWO | bytes;
	case HWF_ETE_Q:
		hwf_word_set(word, HWF_WORD_Q, HWF_ETE_Q, bytes, take_q_address(recent, q));
		hwf_word_set(word + 1, HWF_WORD_MORE, HWF_ETE_Q, 0,
			     q->count | HWF_WORD_NUMBER(q->type));
		return HWF_WORDS_TWO | bytes;
	default:
		return 0;
	}
}

/* One or two bytes that its word follows from, and nothing else: not an address, nor the time */
static bool has_row(const struct hwf_ete_config *config, const uint8_t *bytes,
		    struct hwf_word *word)
{
	struct hwf_recent recent = {0};
	struct hwf_word words[2] = {0};
	size_t size = hwf_words_next(config, &recent, bytes, words, true);

	*word = words[0];
	switch (word->kind) {
	case HWF_WORD_TARGET:
	case HWF_WORD_SOURCE:
	case HWF_WORD_TIMESTAMP:
	case HWF_WORD_EXCEPTION:
	case HWF_WORD_Q:
		return false;
	default:
		return size == 1 || size == 2;
	}
}

/* What each bit of a second byte is, from a look at the packets that have it alone */
static void set_second(const struct hwf_ete_config *config, uint8_t header,
		       struct hwf_word_row *row)
{
	for (unsigned int bit = 0; bit < 8; bit++) {
		const uint8_t bytes[HWF_WORDS_ROOM] = {header, (uint8_t)(1u << bit)};
		struct hwf_word word;
		uint64_t adds;

		if (!has_row(config, bytes, &word) || word.size != 2) {
			row->other |= bytes[1];
			continue;
		}
		adds = word.value - row->value;
		row->mask |= adds;
		row->times |= adds >> bit;
	}
}

void hwf_words_init(struct hwf_words *words, const struct hwf_ete_config *config)
{
	*words = (struct hwf_words){.config = config};
	for (unsigned int i = 0; i < 256; i++) {
		const uint8_t bytes[HWF_WORDS_ROOM] = {(uint8_t)i};
		struct hwf_word word;

		if (!has_row(config, bytes, &word))
			continue;
		words->row[i] = (struct hwf_word_row){
			.value = word.value,
			.type = word.type,
			.entry = word.entry,
			.size = word.size,
			.kind = word.kind,
		};
		if (word.size != 2)
			continue;
		words->row[i].two = 1;
		set_second(config, bytes[0], &words->row[i]);
	}
}

/* From type to entry: four bytes that are copied as one */
#define TAG 4

_Static_assert(offsetof(struct hwf_word, type) + TAG == sizeof(struct hwf_word) &&
		       offsetof(struct hwf_word_row, type) + TAG == sizeof(struct hwf_word_row),
	       "struct hwf_word_row ends as struct hwf_word does");

static inline void put(struct hwf_word *word, const struct hwf_word_row *row, uint64_t value,
		       ptrdiff_t at)
{
	word->value = value;
	word->at = (uint32_t)at;
	__builtin_memcpy(&word->type, &row->type, TAG);
}

/* How packets of two bytes come: never; where the last few packets say so; anywhere */
enum twos { NO_TWOS, FEW_TWOS, MANY_TWOS };

/*
 * Packets of one byte and of two by their rows, the others one by one. @twos is a constant: where
 * there are none of two, not to ask is a tenth faster. Where nobody can guess whether one comes,
 * there is no branch on it: one of two bytes, or none, and then one of one byte.
 */
static inline size_t take(const struct hwf_words *words, struct hwf_recent *recent,
			  const uint8_t *bytes, size_t length, struct hwf_word *taken, size_t room,
			  size_t *count, enum twos twos)
{
	const uint8_t *const end = bytes + length;
	const uint8_t *const last = end - HWF_WORDS_ROOM;
	const struct hwf_word *const full = taken + room - (HWF_WORDS_MORE - 1);
	struct hwf_word *word = taken;
	const uint8_t *at = bytes;

	for (; word < full && at <= last; word++) {
		const struct hwf_word_row *row = &words->row[*at];
		size_t size;

		if (twos == MANY_TWOS && !(at[1] & row->other)) {
			const size_t two = row->two;

			put(word, row, row->value + (at[1] * row->times & row->mask), at - bytes);
			word += two;
			at += 2 * two;
			row = &words->row[*at];
		}
		if (row->size == 1) {
			put(word, row, row->value, at - bytes);
			at++;
		} else if (twos == FEW_TWOS && row->two && !(at[1] & row->other)) {
			put(word, row, row->value + (at[1] * row->times & row->mask), at - bytes);
			at += 2;
		} else {
			size = hwf_words_next(words->config, recent, at, word, true);
			if (!size)
				size = take_packet(words->config, recent, at, (size_t)(end - at),
						   word);
			if (!size)
				break;
			word->at = (uint32_t)(at - bytes);
			if (size > HWF_WORDS_TWO)
				(++word)->at = (uint32_t)(at - bytes);
			at += size & (HWF_WORDS_TWO - 1);
		}
	}
	*count = (size_t)(word - taken);
	return (size_t)(at - bytes);
}

size_t hwf_words_take(const struct hwf_words *words, struct hwf_address_history *history,
		      const uint8_t *bytes, size_t length, struct hwf_word *taken, size_t room,
		      size_t *count)
{
	struct hwf_recent recent;
	size_t size;

	*count = 0;
	/* an address of 32 bits means another thing in AArch32 */
	if (history->narrow || length < HWF_WORDS_ROOM || room < HWF_WORDS_MORE)
		return 0;
	hwf_recent_open(&recent, history);
	if (words->config->cycle_count)
		size = take(words, &recent, bytes, length, taken, room, count, FEW_TWOS);
	else if (words->config->max_spec)
		size = take(words, &recent, bytes, length, taken, room, count, MANY_TWOS);
	else
		size = take(words, &recent, bytes, length, taken, room, count, NO_TWOS);
	hwf_recent_close(&recent, history);
	return size;
}
