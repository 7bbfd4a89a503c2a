/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* What the tests of packets of ETE and ETMv4 share: vectors by hand, round trips. */
#ifndef HWF_PACKET_TEST_H
#define HWF_PACKET_TEST_H

#include "tests/ete_test.h"

/* A packet of these bytes, all of them, that is of this type */
static inline struct hwf_ete_packet decoded(const struct hwf_ete_config *config, const char *hex,
					    unsigned int type)
{
	struct hwf_ete_packet packet;
	uint8_t bytes[64];
	size_t length = test_bytes(hex, bytes);

	memset(&packet, 0, sizeof(packet));
	assert_int_equal(hwf_ete_decode(config, bytes, length, &packet), length);
	assert_int_equal(packet.type, type);
	assert_int_equal(packet.size, length);
	return packet;
}

/* A seeded generator: the same packets every time */
static inline uint64_t random_next(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* Cycle Count format 2 has two for some counts; bit 2 of a context is ignored. */
static inline bool has_one_encoding(const struct hwf_ete_packet *packet)
{
	switch (hwf_ete_type_codec(packet->type)) {
	case HWF_ETE_CODEC_cycle_count_f2:
	case HWF_ETE_CODEC_context:
	case HWF_ETE_CODEC_address_context:
		return false;
	default:
		return true;
	}
}

/*
 * Every header, random payloads: what decodes must encode to the same bytes, or, where the
 * bytes were not in their shortest form, to bytes that decode to the same packet.
 */
static inline void round_trip(const struct hwf_ete_config *config, uint8_t *bytes, size_t length)
{
	struct hwf_ete_packet packet;
	struct hwf_ete_packet again;
	uint8_t out[64];
	uint8_t twice[64];
	int size;
	int written;

	memset(&packet, 0, sizeof(packet));
	size = hwf_ete_decode(config, bytes, length, &packet);
	if (size < 0)
		return;
	written = hwf_ete_encode(config, &packet, out, sizeof(out));
	assert_in_range(written, 1, sizeof(out));
	assert_true(written <= size);
	assert_int_equal(hwf_ete_decode(config, out, (size_t)written, &again), written);
	assert_int_equal(again.type, packet.type);
	assert_int_equal(hwf_ete_encode(config, &again, twice, sizeof(twice)), written);
	assert_memory_equal(twice, out, (size_t)written);
	if (written == size && has_one_encoding(&packet))
		assert_memory_equal(out, bytes, (size_t)written);
	for (int cut = 0; cut < written; cut++) {
		assert_int_equal(hwf_ete_decode(config, out, (size_t)cut, &again),
				 HWF_ERR_NEED_MORE);
		assert_int_equal(hwf_ete_encode(config, &packet, bytes, (size_t)cut),
				 HWF_ERR_NO_SPACE);
	}
}

/* Random bytes behind each header byte, @rounds times */
static inline void round_trips_of(const struct hwf_ete_config *config, unsigned int rounds)
{
	uint64_t seed = 0x9e3779b97f4a7c15;

	for (unsigned int round = 0; round < 256 * rounds; round++) {
		uint8_t bytes[32];

		for (size_t i = 0; i < sizeof(bytes); i++)
			bytes[i] = (uint8_t)random_next(&seed);
		bytes[0] = (uint8_t)round;
		round_trip(config, bytes, sizeof(bytes));
	}
}

#endif /* HWF_PACKET_TEST_H */
