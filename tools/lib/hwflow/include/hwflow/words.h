/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Packets as words, many at a time: nearly all packets of a trace fit one word, or two.
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
	HWF_WORD_TIMESTAMP,   /* the whole time; the packet has no count */
	HWF_WORD_Q,           /* an address, 0 for none; count and type follow */
	HWF_WORD_MORE,        /* of a Q: its count in bits 31:0, its type in bits 63:32 */
	HWF_WORD_BARE,        /* nothing: the type is all that there is */
	HWF_WORD_OTHER,       /* an address or a time, or 0; the rest by hwf_ete_decode() */
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
 * struct hwf_word_row - the packet of a header byte
 * @value: with a second byte of 0; where @later is set, the index of a struct hwf_word_form
 * @later: 1 where more is to be done than what follows from the row
 * @one: 1 where it is one byte, and nothing more is to be done
 * @type: as in struct hwf_word, and those that follow
 * @entry: see @type
 * @size: see @type
 * @kind: see @type
 * @times: a second byte times this, as far as @mask goes, is added to the value
 * @mask: see @times
 */
struct hwf_word_row {
	uint64_t value;
	uint16_t later;
	uint16_t one;
	uint8_t type;
	uint8_t entry;
	uint8_t size;
	uint8_t kind;
	uint64_t times;
	uint64_t mask;
};

/**
 * struct hwf_word_form - how an address is in the eight bytes behind its header; or an exception
 * @by2: bits of the value, where the bytes are shifted left by 2
 * @by1: likewise, by 1
 * @by0: likewise, not shifted
 * @set: bits of the value that are always set
 * @keep: bits that come from the address history
 * @zero: bits of the bytes that must be 0
 * @push: 1 where the value goes into the address history
 * @exception: 1 where the byte behind the header has to be that of an Exception packet
 * @size: of the packet
 */
struct hwf_word_form {
	uint64_t by2;
	uint64_t by1;
	uint64_t by0;
	uint64_t set;
	uint64_t keep;
	uint64_t zero;
	uint64_t push;
	uint32_t exception;
	uint32_t size;
};

/* HWF_WORD_FORMS - two each: without bit 7 of the byte behind the header, and with it */
#define HWF_WORD_FORMS 16

/* HWF_WORDS_SIZES - by header byte, and bit 7 of the next byte in bit 15 */
#define HWF_WORDS_SIZES 0x8100

/**
 * struct hwf_words - what the header bytes of one trace unit mean
 * @config: of the trace unit
 * @row: by header byte
 * @form: of addresses
 * @size: by the first two bytes, masked by HWF_WORDS_SIZES - 1: of a packet whose word is all of
 *	its row, or of its form; 0 where there is no such packet
 * @no_exception: by second byte of an Exception packet: 1 where it is none, or one of another type
 *
 * Depends on the configuration alone, and is never written to again: any number of streams may
 * share it.
 */
struct hwf_words {
	const struct hwf_ete_config *config;
	struct hwf_word_row row[256];
	struct hwf_word_form form[HWF_WORD_FORMS];
	uint8_t size[HWF_WORDS_SIZES];
	uint8_t no_exception[256];
};

/**
 * hwf_words_init() - prepare for a trace unit
 * @words: to initialise
 * @config: of the trace unit; must outlive @words
 */
void hwf_words_init(struct hwf_words *words, const struct hwf_ete_config *config);

/** HWF_WORDS_LANES - in so many places of the bytes at once are packets looked for */
#define HWF_WORDS_LANES ((size_t)4)
/** HWF_WORDS_LANE - so many words there is room for in one of them */
#define HWF_WORDS_LANE ((size_t)544)
/** HWF_WORDS_ALL - words in all */
#define HWF_WORDS_ALL (HWF_WORDS_LANES * HWF_WORDS_LANE)

/**
 * struct hwf_word_span - words that follow each other
 * @word: the first
 * @count: how many
 * @other: indices, from @word, of those that are HWF_WORD_OTHER
 * @others: how many
 */
struct hwf_word_span {
	const struct hwf_word *word;
	size_t count;
	const uint16_t *other;
	size_t others;
};

/**
 * struct hwf_taken - the packets of one hwf_words_take()
 * @span: one goes on where the one before ends
 * @spans: how many there are
 *
 * The rest is the library's: no caller looks there but by @span.
 */
struct hwf_taken {
	struct hwf_word_span span[HWF_WORDS_LANES];
	unsigned int spans;
	struct hwf_word word[HWF_WORDS_ALL];
	uint16_t list[HWF_WORDS_ALL];
	uint64_t trail[HWF_WORDS_LANE + HWF_HISTORY];
};

/**
 * hwf_words_take() - take packets as words
 * @words: of the trace unit
 * @history: of addresses and of the time; kept up to date
 * @bytes: a packet begins here, in a stream that is synchronised
 * @length: how many may be read
 * @taken: receives the packets
 *
 * As many as there is room for. Ends before the first packet that is an error, after which the
 * stream is not synchronised any more, whose Context is AArch32, or that is too close to the end of
 * the bytes: where nothing is taken, take that one by hwf_ete_stream_next().
 *
 * Return: bytes taken, the sum of the packets' sizes.
 */
size_t hwf_words_take(const struct hwf_words *words, struct hwf_address_history *history,
		      const uint8_t *bytes, size_t length, struct hwf_taken *taken);

#ifdef __cplusplus
}
#endif

#endif /* HWFLOW_WORDS_H */
