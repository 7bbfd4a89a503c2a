/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Packets of one word, or two: those that nearly all of a trace consists of, many at a time.
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
	HWF_WORD_EVENT,       /* the four bits of the packet */
	HWF_WORD_EXCEPTION,   /* type in bits 5:1, E1 in bit 6, E0 in bit 0, as in the packet */
	HWF_WORD_TIMESTAMP,   /* the whole time; a count follows where the packet has one */
	HWF_WORD_Q,           /* an address, 0 for none; count and type follow */
	HWF_WORD_MORE, /* of the packet before: bits 31:0 a count, bits 63:32 the type of a Q */
};

/**
 * struct hwf_word - one packet, or more of the packet before
 * @value: see enum hwf_word_kind. An address: the whole of it, IS in bit 0. Atoms in bits 23:0 and
 *	28:24, as in struct hwf_ete_atoms, or cycles in bits 31:0; Mispredict in bit 29; the
 *	number of P0 elements to commit or cancel in bits 63:32
 * @at: offset of the packet, from the first byte of the call
 * @type: enum hwf_ete_type
 * @entry: of the address history, where the packet is an exact match; else 0
 * @size: of the packet, bytes; 0 for HWF_WORD_MORE
 * @kind: enum hwf_word_kind
 */
struct hwf_word {
	uint64_t value;
	uint32_t at;
	uint8_t type;
	uint8_t entry;
	uint8_t size;
	uint8_t kind;
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
 * @times: a second byte times this, as far as @mask goes, is added to the value
 * @mask: see @times
 * @two: 1 where the size is 2
 * @other: bits of a second byte that are not set in a packet that fits a word
 * @type: as in struct hwf_word; all from here on
 * @entry: see @type
 * @size: 0 where the packet is longer, or its value not in it alone
 * @kind: see @type
 */
struct hwf_word_row {
	uint64_t value;
	uint64_t times;
	uint64_t mask;
	uint16_t two;
	uint16_t other;
	uint8_t type;
	uint8_t entry;
	uint8_t size;
	uint8_t kind;
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

/** HWF_WORDS_MORE - so many words may be taken at a time */
#define HWF_WORDS_MORE 3

/**
 * hwf_words_take() - take packets that fit a word
 * @words: of the trace unit
 * @history: of addresses and of the time; kept up to date
 * @bytes: a packet begins here, in a stream that is synchronised
 * @length: how many may be read
 * @taken: receives the packets
 * @room: how many words it holds, at least HWF_WORDS_MORE
 * @count: receives how many words there are; more may follow where fewer than HWF_WORDS_MORE are
 *	not used
 *
 * Ends before the first packet that is no such, or that is too close to the end of the
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
