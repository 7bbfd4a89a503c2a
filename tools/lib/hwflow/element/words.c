/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Packets as words, many at a time. What comes next in a trace can hardly be guessed, so there are
 * as few branches on it as can be: one a packet here, and with speculation those of words_lanes.c.
 */
#include "element/words_take.h"

/* A Q with a short address, or that of an entry, and a count of one byte: its size, or 0 */
static inline size_t take_q(struct hwf_recent *recent, const uint8_t *at, struct hwf_word *word)
{
	const bool is_short = at[0] == 0xa5;
	const size_t size = is_short ? 2u + (at[1] >> 7) : 1;

	if ((!is_short && at[0] > 0xa2) || at[size] & 0x80)
		return 0;
	if (is_short)
		hwf_word_low_bits(recent, at + 1);
	else
		hwf_recent_push(recent, recent->address[at[0] & 3]);
	hwf_word_set(word + 1, HWF_WORD_MORE, HWF_ETE_Q, 0,
		     at[size] | HWF_WORD_NUMBER(at[0] & 0xf));
	return hwf_word_set(word, HWF_WORD_Q, HWF_ETE_Q, (uint32_t)size + 1, recent->address[0]);
}

/* EACH_LAST - no packet begins behind it: one of one byte may be two words */
#define EACH_LAST ((size_t)HWF_WORDS_ALL / 2 - 1)

/*
 * One packet after the other: a branch on what comes, by the header byte itself, as a load more
 * would make each wrong guess dearer. @twos, @q and @source are constants. With @twos packets of
 * which the row says all are many, though they are no Atoms; with @q there are Q packets; @source
 * as for hwf_words_next().
 */
static inline __attribute__((always_inline)) size_t take_each(const struct hwf_words *words,
							      struct hwf_recent *recent,
							      const uint8_t *bytes, size_t length,
							      struct hwf_taken *taken, bool twos,
							      bool q, bool source)
{
	const size_t room = length - HWF_WORDS_ROOM;
	const uint8_t *const last = bytes + (room < EACH_LAST ? room : EACH_LAST);
	struct hwf_word *word = taken->word;
	const uint8_t *at = bytes;
	size_t others = 0;

	for (; at <= last; word++) {
		const struct hwf_word_row *row = &words->row[*at];
		size_t size;

		if (twos ? row->one : *at >= 0xc0) {
			hwf_word_put(word, row, row->value, (size_t)(at - bytes));
			at++;
		} else if (twos && !row->later && hwf_words_size(words, at)) {
			hwf_word_put(word, row, hwf_word_row_value(row, at), (size_t)(at - bytes));
			at += 2;
		} else if (q && (*at & 0xf0) == 0xa0 && (size = take_q(recent, at, word))) {
			word->at = (uint32_t)(at - bytes);
			(++word)->at = (uint32_t)(at - bytes);
			at += size;
		} else {
			size = hwf_words_next(words->config, recent, at, word, true, source);
			word->at = (uint32_t)(at - bytes);
			if (!size) {
				unsigned int count =
					hwf_words_any(words, recent, at, length - word->at, word);
				if (!count)
					break;
				if (word->kind == HWF_WORD_OTHER)
					taken->list[others++] = (uint16_t)(word - taken->word);
				at += word->size;
				word += count - 1;
				continue;
			}
			at += size;
		}
	}
	taken->span[0] = (struct hwf_word_span){.word = taken->word,
						.count = (size_t)(word - taken->word),
						.other = taken->list,
						.others = others};
	taken->spans = 1;
	return (size_t)(at - bytes);
}

/* Not in line, so that the registers of one way are not those of another */
#define EACH(name, twos, q, source)                                                             \
	static __attribute__((noinline)) size_t name(                                           \
		const struct hwf_words *words, struct hwf_recent *recent, const uint8_t *bytes, \
		size_t length, struct hwf_taken *taken)                                         \
	{                                                                                       \
		return take_each(words, recent, bytes, length, taken, twos, q, source);         \
	}

EACH(each_etmv4, true, false, false)
EACH(each_with_q, false, true, true)
EACH(each_with_twos, true, false, true)
EACH(each_plain, false, false, true)

size_t hwf_words_take(const struct hwf_words *words, struct hwf_address_history *history,
		      const uint8_t *bytes, size_t length, struct hwf_taken *taken)
{
	const struct hwf_ete_config *config = words->config;
	struct hwf_recent recent;
	size_t size = 0;

	taken->spans = 0;
	if (history->narrow || length < HWF_WORDS_ROOM)
		return 0;
	hwf_recent_open(&recent, history);
	if (config->max_spec)
		size = hwf_words_lanes(words, &recent, bytes, length, taken);
	if (!size && config->protocol == HWF_PROTOCOL_ETMV4)
		size = each_etmv4(words, &recent, bytes, length, taken);
	else if (!size && config->q)
		size = each_with_q(words, &recent, bytes, length, taken);
	else if (!size && (config->max_spec || config->cycle_count))
		size = each_with_twos(words, &recent, bytes, length, taken);
	else if (!size)
		size = each_plain(words, &recent, bytes, length, taken);
	hwf_recent_close(&recent, history);
	return size;
}
