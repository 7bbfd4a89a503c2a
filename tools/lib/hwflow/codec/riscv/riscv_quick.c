/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The packets that come all the time: 16 bytes are two words, and fields are shifted out of them.
 * What is not as always is left to the codec, which alone says what is wrong with it.
 */
#include "codec/riscv/riscv_quick.h"

#include "core/bits.h"

/* Bytes, and bits, of two words */
#define WORDS_BYTES 16u
#define WORDS_BITS  128u

/*
 * struct words - what of a payload is still to be read
 * @low: the next 64 bits
 * @high: those behind them
 * @at: bits that were read
 * @before: the last of them
 */
struct words {
	uint64_t low;
	uint64_t high;
	unsigned int at;
	bool before;
};

/* RISCV_COMPRESSION: the top bit of the payload is repeated behind it */
static struct words load(const uint8_t *payload, unsigned int length)
{
	const uint64_t above = payload[length - 1] & 0x80 ? UINT64_MAX : 0;
	const uint64_t low = hwf_low_bits(8 * length < 64 ? 8 * length : 64);
	const uint64_t high = hwf_low_bits(8 * length > 64 ? 8 * length - 64 : 0);

	return (struct words){
		.low = (hwf_load64(payload) & low) | (above & ~low),
		.high = (hwf_load64(payload + 8) & high) | (above & ~high),
	};
}

/* The next field; one of no bits is 0 */
static inline uint64_t take(struct words *words, unsigned int width)
{
	const uint64_t value = words->low & hwf_low_bits(width);

	if (!width)
		return 0;
	words->at += width;
	words->before = value >> (width - 1) & 1;
	if (width == 64) {
		words->low = words->high;
		return value;
	}
	words->low = words->low >> width | words->high << (64 - width);
	words->high >>= width;
	return value;
}

/* RISCV_DIFFERS */
static inline bool take_differs(struct words *words)
{
	const bool before = words->before;

	return take(words, 1) != before;
}

/* RISCV_MAP_LENGTH, RISCV_MAP_POLARITY: @branches is 1 to 31, or 0 for a full map */
static inline uint32_t take_map(struct words *words, unsigned int branches)
{
	if (!branches)
		return (uint32_t)take(words, 31);
	return (uint32_t)(take(words, UINT32_MAX >> __builtin_clz(branches)) &
			  hwf_low_bits(branches));
}

static inline struct hwf_riscv_address take_target(const struct hwf_riscv_config *config,
						   struct words *words)
{
	struct hwf_riscv_address address = {.has = true};

	address.value = take(words, config->address_bits);
	address.notify = take_differs(words);
	address.updiscon = take_differs(words);
	address.irreport = take_differs(words);
	address.irdepth = (uint32_t)take(words, config->irdepth_bits);
	return address;
}

static inline void take_branches(const struct hwf_riscv_config *config, struct words *words,
				 struct hwf_riscv_packet *packet)
{
	const unsigned int branches = (unsigned int)take(words, 5);

	packet->type = HWF_RISCV_F1;
	packet->u.map = (struct hwf_riscv_map){
		.map = take_map(words, branches),
		.branches = (uint8_t)(branches ? branches : 31),
	};
	if (branches)
		packet->u.map.address = take_target(config, words);
}

static inline bool take_count(const struct hwf_riscv_config *config, struct words *words,
			      struct hwf_riscv_packet *packet)
{
	struct hwf_riscv_count *count = &packet->u.count;

	packet->type = HWF_RISCV_F0_COUNT;
	*count = (struct hwf_riscv_count){.branch_count = (uint32_t)take(words, 32)};
	count->branch_fmt = (uint8_t)take(words, 2);
	if (count->branch_fmt)
		count->address = take_target(config, words);
	return config->params.branch_prediction && count->branch_fmt != 1;
}

static inline bool take_cache(const struct hwf_riscv_config *config, struct words *words,
			      struct hwf_riscv_packet *packet)
{
	struct hwf_riscv_cache *cache = &packet->u.cache;

	packet->type = HWF_RISCV_F0_CACHE;
	*cache = (struct hwf_riscv_cache){
		.index = (uint32_t)take(words, config->params.cache_size_p)};
	cache->branches = (uint8_t)take(words, 5);
	if (cache->branches)
		cache->map = take_map(words, cache->branches);
	cache->irreport = take_differs(words);
	cache->irdepth = (uint32_t)take(words, config->irdepth_bits);
	return config->params.jump_target_cache;
}

/* All fields; false where it is another packet, or none */
static bool take_fields(const struct hwf_riscv_config *config, struct words *words,
			struct hwf_riscv_packet *packet)
{
	switch (take(words, 2)) {
	case 0:
		if (config->params.f0s_width_p ? take(words, 1) : !config->params.branch_prediction)
			return take_cache(config, words, packet);
		return take_count(config, words, packet);
	case 1:
		take_branches(config, words, packet);
		return true;
	case 2:
		packet->type = HWF_RISCV_F2;
		packet->u.address = take_target(config, words);
		return true;
	default:
		return false;
	}
}

/* What was not read is padding to a whole byte, of the last bit read. */
static bool is_padding(const struct words *words, unsigned int length)
{
	const unsigned int left = 8 * length - words->at;

	if (words->at >= 8 * length)
		return words->at <= WORDS_BITS;
	return left < 8 &&
	       ((words->low ^ (words->before ? UINT64_MAX : 0)) & hwf_low_bits(left)) == 0;
}

size_t hwf_riscv_quick(struct hwf_riscv_stream *stream, const uint8_t *bytes, size_t room,
		       struct hwf_riscv_packet *packet)
{
	const struct hwf_riscv_config *config = &stream->config;
	struct words words;
	unsigned int length;

	if (room < HWF_RISCV_QUICK_ROOM || stream->framing.kind != HWF_RISCV_REFERENCE ||
	    stream->source > 0 || config->dialect == HWF_RISCV_DRAFT_026)
		return 0;
	/* the header: no time, the type, and the length */
	length = bytes[0] ^ HWF_RISCV_MSG_INST << 5;
	if (!length || length > WORDS_BYTES)
		return 0;
	words = load(bytes + 1, length);
	if (!take_fields(config, &words, packet) || !is_padding(&words, length))
		return 0;
	stream->error = 0;
	return 1 + length;
}
