/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Packets of one word: those that nearly all of a trace consists of, many at a time.
 */
#ifndef HWFLOW_WORDS_H
#define HWFLOW_WORDS_H

#include "hwflow/element.h"

#ifdef __cplusplus
extern "C" {
#endif

/** enum hwf_word_kind - what a word is, and so what is in its value */
enum hwf_word_kind {
	HWF_WORD_ATOMS,       /* Atoms */
	HWF_WORD_COMMIT,      /* a number */
	HWF_WORD_CANCEL,      /* Atoms that come first, a number, Mispredict: each may be absent */
	HWF_WORD_TARGET,      /* an address */
	HWF_WORD_SOURCE,      /* an address */
	HWF_WORD_CYCLE_COUNT, /* cycles above the threshold, and a number to commit */
};

/**
 * struct hwf_word - one packet
 * @value: an address: the whole of it, IS0. Else bits 23:0 and 28:24: Atoms as in struct
 *	hwf_ete_atoms, or bits 31:0: cycles; bit 29: Mispredict; bits 63:32: the number of
 *	P0 elements to commit or cancel
 * @at: offset of the packet, from the first byte of the call
 * @type: enum hwf_ete_type
 * @size: of the packet, bytes
 * @kind: enum hwf_word_kind
 * @entry: of the address history, where the packet is an exact match; else 0
 */
struct hwf_word {
	uint64_t value;
	uint32_t at;
	uint8_t type;
	uint8_t size;
	uint8_t kind;
	uint8_t entry;
};

#define HWF_WORD_MISPREDICT (UINT64_C(1) << 29)

/** hwf_word_atoms() - the Atoms of a word; there may be none */
static inline struct hwf_ete_atoms hwf_word_atoms(const struct hwf_word *word)
{
	return (struct hwf_ete_atoms){.bits = word->value & 0xffffff,
				      .count = word->value >> 24 & 0x1f};
}

/** hwf_word_number() - how many P0 elements a word commits or cancels */
static inline uint32_t hwf_word_number(const struct hwf_word *word)
{
	return (uint32_t)(word->value >> 32);
}

/**
 * struct hwf_word_row - the packet of a header byte, where its size is 1 or 2
 * @value: with a second byte of 0
 * @low: bits of a second byte that are added to the value in their place
 * @high: bits that are added to it @shift bits further up
 * @shift: see @high
 * @other: bits that are not set in a packet that fits a word
 * @type: as in struct hwf_word; all from here on
 * @size: 0 where the packet is longer, or its value not in it alone
 * @kind: see @type
 * @entry: see @type
 *
 * The layout is that of struct hwf_word.
 */
struct hwf_word_row {
	uint64_t value;
	uint8_t low;
	uint8_t high;
	uint8_t shift;
	uint8_t other;
	uint8_t type;
	uint8_t size;
	uint8_t kind;
	uint8_t entry;
};

/**
 * struct hwf_words - what the header bytes of one trace unit mean
 * @config: of the trace unit
 * @row: by header byte
 *
 * Depends on the configuration alone, and is never written to again: any number of streams may
 * share it.
 */
struct hwf_words {
	const struct hwf_ete_config *config;
	struct hwf_word_row row[256];
};

/**
 * hwf_words_init() - prepare for a trace unit
 * @words: to initialise
 * @config: of the trace unit; must outlive @words
 */
void hwf_words_init(struct hwf_words *words, const struct hwf_ete_config *config);

/**
 * hwf_words_take() - take packets that fit a word
 * @words: of the trace unit
 * @history: address history; kept up to date
 * @bytes: a packet begins here, in a stream that is synchronised
 * @length: how many may be read
 * @taken: receives the packets
 * @room: how many it holds
 * @count: receives how many there are
 *
 * Ends before the first packet that does not fit a word, or that is too close to the end of the
 * bytes: take that one by hwf_ete_stream_next().
 *
 * Return: bytes taken, the sum of the packets' sizes.
 */
size_t hwf_words_take(const struct hwf_words *words, struct hwf_address_history *history,
		      const uint8_t *bytes, size_t length, struct hwf_word *taken, size_t room,
		      size_t *count);

#ifdef __cplusplus
}
#endif

#endif /* HWFLOW_WORDS_H */
