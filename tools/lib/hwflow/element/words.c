/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Packets of one word. */
#include "element/words_private.h"

/* What each bit of a second byte is, from a look at the packets that have it alone */
static void set_second(struct hwf_words *words, uint8_t header, const struct hwf_word *zero)
{
	struct hwf_recent recent = {0};

	for (unsigned int bit = 0; bit < 8; bit++) {
		const uint8_t bytes[HWF_WORDS_ROOM] = {header, (uint8_t)(1u << bit)};
		struct hwf_word word;
		uint64_t adds;

		if (hwf_words_next(words->config, &recent, bytes, &word) != 2) {
			words->second[header].other |= bytes[1];
			continue;
		}
		adds = word.value - zero->value;
		if (adds == bytes[1])
			words->second[header].low |= bytes[1];
		else if (adds)
			words->second[header].high |= bytes[1];
		for (unsigned int shift = 1; shift < 56; shift++) {
			if (adds == (uint64_t)bytes[1] << shift)
				words->second[header].shift = (uint8_t)shift;
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
		words->header[i] = word;
		if (size == 2)
			set_second(words, bytes[0], &word);
	}
}

size_t hwf_words_take(const struct hwf_words *words, struct hwf_address_history *history,
		      const uint8_t *bytes, size_t length, struct hwf_word *taken, size_t room,
		      size_t *count)
{
	const uint8_t *last = bytes + length - HWF_WORDS_ROOM;
	const uint8_t *at = bytes;
	struct hwf_word *word = taken;
	const struct hwf_word *full = taken + room;
	struct hwf_recent recent;

	*count = 0;
	/* an address of 32 bits means another thing in AArch32 */
	if (history->narrow || length < HWF_WORDS_ROOM)
		return 0;
	hwf_recent_open(&recent, history);
	while (word < full && at <= last) {
		const struct hwf_word *header = &words->header[*at];
		size_t size;

		if (header->size == 1) {
			*word = *header;
			word++->at = (uint32_t)(at++ - bytes);
			continue;
		}
		if (header->size == 2 && !(at[1] & words->second[*at].other)) {
			*word = *header;
			word->value += (at[1] & words->second[*at].low) +
				       ((uint64_t)(at[1] & words->second[*at].high)
					<< (words->second[*at].shift & 63));
			word++->at = (uint32_t)(at - bytes);
			at += 2;
			continue;
		}
		size = hwf_words_next(words->config, &recent, at, word);
		if (!size)
			break;
		word++->at = (uint32_t)(at - bytes);
		at += size;
	}
	hwf_recent_close(&recent, history);
	*count = (size_t)(word - taken);
	return (size_t)(at - bytes);
}
