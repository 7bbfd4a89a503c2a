/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Packets of ETMv3 as words, many at a time: nearly all of a trace are P-headers and plain branch
 * packets, and each of these fits one word.
 */
#ifndef HWFLOW_ETMV3_WORDS_H
#define HWFLOW_ETMV3_WORDS_H

#include "hwflow/etmv3_flow.h"
#include "hwflow/words.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct hwf_etm3_words - what the header bytes of one trace unit mean
 * @config: of the trace unit
 * @row: by header byte: the word of a P-header, but for its offset; of all others the kind is
 *	HWF_WORD_OTHER
 *
 * Depends on the configuration alone, and is never written to again.
 */
struct hwf_etm3_words {
	const struct hwf_etm3_config *config;
	struct hwf_word row[256];
};

/**
 * hwf_etm3_words_init() - prepare for a trace unit
 * @words: to initialise
 * @config: of the trace unit; must outlive @words
 */
void hwf_etm3_words_init(struct hwf_etm3_words *words, const struct hwf_etm3_config *config);

/**
 * hwf_etm3_words_take() - take packets as words
 * @words: of the trace unit
 * @state: what compressed addresses go on from; kept up to date
 * @bytes: a packet begins here, in a stream that is synchronised
 * @length: how many may be read
 * @word: receives the packets. A P-header is HWF_WORD_ATOMS: as there, but W atoms in bits 63:32. A
 *	branch packet is HWF_WORD_TARGET: an address, and in bit 32 whether it is Thumb code. @type
 *is enum hwf_etm3_type
 * @room: how many words there is room for
 * @count: receives how many there are
 *
 * Ends before the first packet that is another one, that has an exception or five bytes, or that is
 * too close to the end of the bytes: take that one by hwf_etm3_stream_next(), and its address by
 * hwf_etm3_expand() or hwf_etm3_expand_i_sync().
 *
 * Return: bytes taken, the sum of the packets' sizes.
 */
size_t hwf_etm3_words_take(const struct hwf_etm3_words *words, struct hwf_etm3_address_state *state,
			   const uint8_t *bytes, size_t length, struct hwf_word *word, size_t room,
			   size_t *count);

#ifdef __cplusplus
}
#endif

#endif /* HWFLOW_ETMV3_WORDS_H */
