/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Packets as words: of a P-header a copy of its row, of a branch packet its address. */
#include "hwflow/etmv3_words.h"

#include "etmv3/etm3_branch.h"

void hwf_etm3_words_init(struct hwf_etm3_words *words, const struct hwf_etm3_config *config)
{
	words->config = config;
	for (unsigned int i = 0; i < 256; i++) {
		const uint8_t header = (uint8_t)i;
		const struct hwf_etm3_atoms *atoms;
		struct hwf_etm3_packet packet = {0};
		struct hwf_word *row = &words->row[i];

		*row = (struct hwf_word){.type = config->types[i], .kind = HWF_WORD_OTHER};
		if ((header & 0x81) != 0x80 || hwf_etm3_decode(config, &header, 1, &packet) != 1)
			continue;
		atoms = &packet.u.atoms;
		row->value =
			atoms->bits | (uint64_t)atoms->count << 24 | (uint64_t)atoms->waits << 32;
		row->size = 1;
		row->kind = HWF_WORD_ATOMS;
	}
}

/*
 * struct place - how far it has come
 * @at: bytes
 * @n: words
 * @address: that the next one goes on from
 * @shift: of addresses in packets
 * @thumb: what their words have in bit 32
 * @alternative: encoding
 */
struct place {
	size_t at;
	size_t n;
	uint32_t address;
	unsigned int shift;
	uint64_t thumb;
	bool alternative;
};

/* A word of a branch packet, if there is one; its size, or 0 */
static inline uint32_t put_branch(struct place *place, const uint8_t *bytes, struct hwf_word *word)
{
	const uint32_t size = hwf_etm3_take_branch(place->alternative, place->shift,
						   &place->address, bytes + place->at);

	*word = (struct hwf_word){
		.value = place->address | place->thumb,
		.at = (uint32_t)place->at,
		.type = HWF_ETM3_BRANCH_ADDRESS,
		.size = (uint8_t)size,
		.kind = HWF_WORD_TARGET,
	};
	return size;
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* P-headers, @most of them */
static inline void take_headers(const struct hwf_etm3_words *words, const uint8_t *bytes,
				size_t most, struct hwf_word *word, struct place *place)
{
	size_t i = 0;

	bytes += place->at;
	word += place->n;
	for (; i < most; i++) {
		const struct hwf_word *row = &words->row[bytes[i]];

		if (row->kind != HWF_WORD_ATOMS)
			break;
		word[i] = *row;
		word[i].at = (uint32_t)(place->at + i);
	}
	place->at += i;
	place->n += i;
}

size_t hwf_etm3_words_take(const struct hwf_etm3_words *words, struct hwf_etm3_address_state *state,
			   const uint8_t *bytes, size_t length, struct hwf_word *word, size_t room,
			   size_t *count)
{
	struct place place = {
		.address = state->address,
		.shift = hwf_etm3_shift(state),
		.thumb = state->isa == HWF_ISA_T32 ? UINT64_C(1) << 32 : 0,
		.alternative = words->config->alternative,
	};

	*count = 0;
	if (!hwf_etm3_branch_keeps_isa(state))
		return 0;
	if (length > UINT32_MAX)
		length = UINT32_MAX;
	/* the last bytes are not looked at, so that there are always four */
	while (place.n < room && length - place.at >= 4) {
		uint32_t size;

		take_headers(words, bytes, smaller(length - place.at - 3, room - place.n), word,
			     &place);
		if (place.n == room || length - place.at < 4)
			break;
		size = put_branch(&place, bytes, &word[place.n]);
		if (!size)
			break;
		place.at += size;
		place.n++;
	}
	state->address = place.address;
	*count = place.n;
	return place.at;
}
