/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * One word after the other, in line. What comes next is one branch, which is mispredicted about as
 * often as it could be; nothing else costs as much. That these are the packets that the codecs
 * make of the same bytes is tested.
 */
#ifndef HWF_WORDS_PRIVATE_H
#define HWF_WORDS_PRIVATE_H

#include "core/bits.h"
#include "ete/ete_private.h"
#include "hwflow/words.h"

/*
 * HWF_WORDS_ROOM - bytes enough for one of two bytes, and any of these packets behind it, to be
 * read without looking at the end
 */
#define HWF_WORDS_ROOM 16

/* struct hwf_recent - history: address and IS in one, the newest first; and the time */
struct hwf_recent {
	uint64_t address[HWF_HISTORY];
	uint64_t timestamp;
};

static inline void hwf_recent_open(struct hwf_recent *recent,
				   const struct hwf_address_history *history)
{
	for (unsigned int i = 0; i < HWF_HISTORY; i++)
		recent->address[i] = history->entry[i].value | history->entry[i].is;
	recent->timestamp = history->timestamp;
}

static inline void hwf_recent_close(const struct hwf_recent *recent,
				    struct hwf_address_history *history)
{
	for (unsigned int i = 0; i < HWF_HISTORY; i++) {
		history->entry[i].value = recent->address[i] & ~UINT64_C(1);
		history->entry[i].is = recent->address[i] & 1;
	}
	history->timestamp = recent->timestamp;
}

static inline size_t hwf_word_set(struct hwf_word *word, enum hwf_word_kind kind,
				  enum hwf_ete_type type, uint32_t size, uint64_t value)
{
	word->value = value;
	word->type = (uint8_t)type;
	word->size = (uint8_t)size;
	word->kind = (uint8_t)kind;
	word->entry = 0;
	return size;
}

static inline void hwf_recent_push(struct hwf_recent *recent, uint64_t address)
{
	recent->address[2] = recent->address[1];
	recent->address[1] = recent->address[0];
	recent->address[0] = address;
}

/* An IS0 address of @bits low bits (spec/ete-packets.md section 5) */
static inline size_t hwf_word_address(struct hwf_word *word, struct hwf_recent *recent,
				      enum hwf_word_kind kind, enum hwf_ete_type type,
				      uint32_t size, uint64_t value, unsigned int bits)
{
	hwf_recent_push(recent, value | recent->address[0] >> bits << bits);
	return hwf_word_set(word, kind, type, size, recent->address[0]);
}

/*
 * The address of a packet with two bytes of it, or one: which, nobody can guess, so it is no
 * branch. Returns how many there are.
 */
static inline size_t hwf_word_low_bits(struct hwf_recent *recent, const uint8_t *at)
{
	uint64_t two = at[0] >> 7;
	uint64_t low = (uint64_t)(at[0] & 0x7f) << 2 | (at[1] & -two) << 9;

	hwf_recent_push(recent, low | (recent->address[0] & ~UINT64_C(0x1ff) << 8 * two));
	return 1 + two;
}

static inline size_t hwf_word_short(struct hwf_word *word, struct hwf_recent *recent,
				    enum hwf_word_kind kind, enum hwf_ete_type type,
				    const uint8_t *at)
{
	size_t bytes = hwf_word_low_bits(recent, at + 1);

	return hwf_word_set(word, kind, type, (uint32_t)(1 + bytes), recent->address[0]);
}

static inline size_t hwf_word_long(struct hwf_word *word, struct hwf_recent *recent,
				   enum hwf_word_kind kind, enum hwf_ete_type type,
				   const uint8_t *at)
{
	/* bits that are 0 in this form; the codec says what is wrong */
	if ((at[1] | at[2]) & 0x80)
		return 0;
	return hwf_word_address(word, recent, kind, type, 5,
				(uint64_t)at[1] << 2 | (uint64_t)at[2] << 9 |
					(uint64_t)at[3] << 16 | (uint64_t)at[4] << 24,
				32);
}

static inline size_t hwf_word_exact(struct hwf_word *word, struct hwf_recent *recent,
				    enum hwf_word_kind kind, enum hwf_ete_type type,
				    unsigned int entry)
{
	hwf_recent_push(recent, recent->address[entry]);
	hwf_word_set(word, kind, type, 1, recent->address[0]);
	word->entry = (uint8_t)entry;
	return 1;
}

#define HWF_WORD_NUMBER(number)  ((uint64_t)(number) << 32)
#define HWF_WORD_ATOM_BITS(b, c) ((uint64_t)(b) | (uint64_t)(c) << 24)

/* The Atoms before a Mispredict: none, E, EE, N */
static inline uint64_t hwf_word_aa(unsigned int aa)
{
	static const uint32_t atoms[4] = {0, HWF_WORD_ATOM_BITS(1, 1), HWF_WORD_ATOM_BITS(3, 2),
					  HWF_WORD_ATOM_BITS(0, 1)};

	return atoms[aa] | HWF_WORD_MISPREDICT;
}

/* Commits and counts of fewer than seven bits, which nearly all of them are */
static inline size_t hwf_word_cycle_count(struct hwf_word *word,
					  const struct hwf_ete_config *config, const uint8_t *at)
{
	bool commits = !config->commit_mode1;
	uint32_t commit;

	switch (at[0]) {
	case 0x0c:
		commit = commits ? (at[1] >> 4) + 1u : 0;
		return hwf_word_set(word, HWF_WORD_CYCLE_COUNT, HWF_ETE_CYCLE_COUNT_F2, 2,
				    (at[1] & 0x0f) | HWF_WORD_NUMBER(commit));
	case 0x0d:
		/* the deepest commits; where that is fewer than none the codec says so */
		if (commits && config->max_spec < 15)
			return 0;
		commit = commits ? config->max_spec - 15 + (at[1] >> 4) : 0;
		return hwf_word_set(word, HWF_WORD_CYCLE_COUNT, HWF_ETE_CYCLE_COUNT_F2, 2,
				    (at[1] & 0x0f) | HWF_WORD_NUMBER(commit));
	case 0x0e:
		if (at[1] & 0x80 || (commits && at[2] & 0x80))
			return 0;
		return hwf_word_set(word, HWF_WORD_CYCLE_COUNT, HWF_ETE_CYCLE_COUNT_F1,
				    commits ? 3 : 2,
				    commits ? at[2] | HWF_WORD_NUMBER(at[1]) : at[1]);
	default:
		return 0;
	}
}

static inline size_t hwf_word_cycle_count_f3(struct hwf_word *word,
					     const struct hwf_ete_config *config, uint8_t header)
{
	unsigned int aa = header >> 2 & 3;

	if (config->commit_mode1 && aa)
		return 0;
	return hwf_word_set(word, HWF_WORD_CYCLE_COUNT, HWF_ETE_CYCLE_COUNT_F3, 1,
			    (header & 3) | HWF_WORD_NUMBER(config->commit_mode1 ? 0 : aa + 1));
}

/* Bytes up to the first with bit 7 clear, one to eight; 0 where there is none */
static inline unsigned int hwf_word_ends_behind(uint64_t bytes)
{
	uint64_t ends = ~bytes & UINT64_C(0x8080808080808080);

	return ends ? ((unsigned int)__builtin_ctzll(ends) >> 3) + 1 : 0;
}

/* A Timestamp with no count, of up to 56 bits: seven a byte, up to the first with bit 7 clear */
static inline size_t hwf_word_timestamp(struct hwf_word *word, struct hwf_recent *recent,
					const uint8_t *at)
{
	uint64_t bytes = hwf_load64(at + 1);
	unsigned int count = hwf_word_ends_behind(bytes);

	if (!count)
		return 0;
	bytes &= UINT64_C(0x7f7f7f7f7f7f7f7f);
	bytes = (bytes & UINT64_C(0x007f007f007f007f)) |
		(bytes & UINT64_C(0x7f007f007f007f00)) >> 1;
	bytes = (bytes & UINT64_C(0x00003fff00003fff)) |
		(bytes & UINT64_C(0x3fff00003fff0000)) >> 2;
	bytes = (bytes & 0x0fffffff) | bytes >> 32 << 28;
	bytes &= (UINT64_C(1) << 7 * count) - 1;
	recent->timestamp = bytes | recent->timestamp >> 7 * count << 7 * count;
	return hwf_word_set(word, HWF_WORD_TIMESTAMP, HWF_ETE_TIMESTAMP, 1 + count,
			    recent->timestamp);
}

/* Types of Exception packets that are reserved, or no HWF_ETE_EXCEPTION */
#define HWF_WORD_NO_EXCEPTIONS 0xff002321u

static inline size_t hwf_word_exception(struct hwf_word *word, const uint8_t *at)
{
	unsigned int ends = at[1] & 0xc1;

	if ((ends != 0x40 && ends != 0x01) || HWF_WORD_NO_EXCEPTIONS >> (at[1] >> 1 & 0x1f) & 1)
		return 0;
	return hwf_word_set(word, HWF_WORD_EXCEPTION, HWF_ETE_EXCEPTION, 2, at[1]);
}

/*
 * The packet at @at: its size, or 0 for one that does not fit. @all and @source are constants: only
 * with @all are there Events, Exceptions and Timestamps, only with @source are there Source
 * Addresses, which ETMv4 has not.
 */
static inline __attribute__((always_inline)) size_t hwf_words_next(
	const struct hwf_ete_config *config, struct hwf_recent *recent, const uint8_t *at,
	struct hwf_word *word, bool all, bool source)
{
	const struct hwf_ete_atom_packet *atoms;

	if (at[0] >= 0xc0) {
		atoms = &hwf_ete_atom_table[at[0] - 0xc0];
		return hwf_word_set(word, HWF_WORD_ATOMS, atoms->type, 1,
				    HWF_WORD_ATOM_BITS(atoms->atoms.bits, atoms->atoms.count));
	}
	switch (at[0]) {
	case 0x95:
		return hwf_word_short(word, recent, HWF_WORD_TARGET,
				      HWF_ETE_TARGET_ADDRESS_SHORT_IS0, at);
	case 0x9a:
		return hwf_word_long(word, recent, HWF_WORD_TARGET,
				     HWF_ETE_TARGET_ADDRESS_32BIT_IS0, at);
	case 0x90:
		return hwf_word_exact(word, recent, HWF_WORD_TARGET,
				      HWF_ETE_TARGET_ADDRESS_EXACT_MATCH, 0);
	case 0x91:
		return hwf_word_exact(word, recent, HWF_WORD_TARGET,
				      HWF_ETE_TARGET_ADDRESS_EXACT_MATCH, 1);
	case 0x92:
		return hwf_word_exact(word, recent, HWF_WORD_TARGET,
				      HWF_ETE_TARGET_ADDRESS_EXACT_MATCH, 2);
	case 0xb0 ... 0xb2:
		if (!source)
			return 0;
		return hwf_word_exact(word, recent, HWF_WORD_SOURCE,
				      HWF_ETE_SOURCE_ADDRESS_EXACT_MATCH, at[0] & 3);
	case 0xb4:
		if (!source)
			return 0;
		return hwf_word_short(word, recent, HWF_WORD_SOURCE,
				      HWF_ETE_SOURCE_ADDRESS_SHORT_IS0, at);
	case 0xb6:
		if (!source)
			return 0;
		return hwf_word_long(word, recent, HWF_WORD_SOURCE,
				     HWF_ETE_SOURCE_ADDRESS_32BIT_IS0, at);
	case 0x2d:
		if (at[1] & 0x80)
			return 0;
		return hwf_word_set(word, HWF_WORD_COMMIT, HWF_ETE_COMMIT, 2,
				    HWF_WORD_NUMBER(at[1]));
	case 0x2e:
	case 0x2f:
		if (at[1] & 0x80)
			return 0;
		return hwf_word_set(word, HWF_WORD_CANCEL, HWF_ETE_CANCEL_F1, 2,
				    HWF_WORD_NUMBER(at[1]) | (at[0] & 1 ? HWF_WORD_MISPREDICT : 0));
	case 0x30 ... 0x33:
		return hwf_word_set(word, HWF_WORD_CANCEL, HWF_ETE_MISPREDICT, 1,
				    hwf_word_aa(at[0] & 3));
	case 0x34 ... 0x37:
		return hwf_word_set(word, HWF_WORD_CANCEL, HWF_ETE_CANCEL_F2, 1,
				    hwf_word_aa(at[0] & 3) | HWF_WORD_NUMBER(1));
	case 0x38 ... 0x3f:
		return hwf_word_set(word, HWF_WORD_CANCEL, HWF_ETE_CANCEL_F3, 1,
				    hwf_word_aa(at[0] & 1) | HWF_WORD_NUMBER((at[0] >> 1 & 3) + 2));
	case 0x02:
		return all ? hwf_word_timestamp(word, recent, at) : 0;
	case 0x06:
		return all ? hwf_word_exception(word, at) : 0;
	case 0x71 ... 0x7f:
		return all ? hwf_word_set(word, HWF_WORD_EVENT, HWF_ETE_EVENT, 1, at[0] & 0xf) : 0;
	case 0x0c ... 0x0e:
		return hwf_word_cycle_count(word, config, at);
	case 0x10 ... 0x1f:
		return hwf_word_cycle_count_f3(word, config, at[0]);
	default:
		return 0;
	}
}

#endif /* HWF_WORDS_PRIVATE_H */
