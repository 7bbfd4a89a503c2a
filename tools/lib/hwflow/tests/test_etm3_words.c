// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* ETMv3: packets as words are those that are decoded one by one. */
#include <stdlib.h>

#include "etm3_test.h"

#include "hwflow/etmv3_words.h"

#define BYTES 256
#define WORDS 64

static void check_word(const struct hwf_word *word, const struct hwf_etm3_packet *packet,
		       struct hwf_etm3_address_state *state)
{
	const struct hwf_etm3_atoms *atoms = &packet->u.atoms;
	uint64_t value = atoms->bits | (uint64_t)atoms->count << 24 | (uint64_t)atoms->waits << 32;

	if (packet->type == HWF_ETM3_BRANCH_ADDRESS) {
		assert_false(packet->u.branch.info || packet->u.branch.old);
		value = hwf_etm3_expand(state, &packet->u.branch);
		value |= state->isa == HWF_ISA_T32 ? UINT64_C(1) << 32 : 0;
	} else {
		assert_int_equal(hwf_etm3_type_codec(packet->type), HWF_ETM3_CODEC_p_header);
	}
	assert_int_equal(word->type, packet->type);
	assert_int_equal(word->size, packet->size);
	assert_int_equal(word->kind, packet->type == HWF_ETM3_BRANCH_ADDRESS ? HWF_WORD_TARGET
									     : HWF_WORD_ATOMS);
	assert_true(word->value == value);
}

/* May a packet that is left be none of those that are words? */
static bool is_word(const struct hwf_etm3_packet *packet,
		    const struct hwf_etm3_address_state *state)
{
	const bool usual =
		state->isa == HWF_ISA_A32 || (state->isa == HWF_ISA_T32 && !state->alt_isa);

	if (!usual)
		return false;
	if (packet->type == HWF_ETM3_BRANCH_ADDRESS)
		return !packet->u.branch.info && packet->u.branch.address.bytes < 5;
	return hwf_etm3_type_codec(packet->type) == HWF_ETM3_CODEC_p_header;
}

/* All words of one call; how many bytes they are of */
static size_t check_call(const struct hwf_etm3_words *words, struct hwf_etm3_address_state *state,
			 const uint8_t *bytes, size_t length, size_t room)
{
	struct hwf_etm3_address_state other = *state;
	struct hwf_word word[WORDS + 1] = {0};
	struct hwf_etm3_packet packet;
	size_t count;
	size_t at = 0;
	size_t taken = hwf_etm3_words_take(words, state, bytes, length, word, room, &count);

	assert_true(count <= room);
	assert_int_equal(word[room].size, 0);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(word[i].at, at);
		assert_true(hwf_etm3_decode(words->config, bytes + at, length - at, &packet) > 0);
		check_word(&word[i], &packet, &other);
		at += packet.size;
	}
	assert_int_equal(at, taken);
	assert_memory_equal(state, &other, sizeof(other));
	/* all were taken that could be */
	if (count < room && length - at >= 4 &&
	    hwf_etm3_decode(words->config, bytes + at, length - at, &packet) > 0)
		assert_false(is_word(&packet, state));
	return taken;
}

static uint8_t random_byte(void)
{
	switch (random32() % 8) {
	case 0:
		return (uint8_t)random32();
	case 1:
	case 2:
		return (uint8_t)(random32() | 1);
	default:
		return (uint8_t)(0x80 | (random32() & 0x7e));
	}
}

static void words_are_the_packets_that_they_stand_for(void **state)
{
	static const uint8_t isas[] = {HWF_ISA_A32, HWF_ISA_T32, HWF_ISA_T32, HWF_ISA_T32EE,
				       HWF_ISA_JAZELLE};
	struct hwf_etm3_words words;
	/* allocated, so that it is seen what reads beyond it */
	uint8_t *bytes = malloc(BYTES);
	size_t found = 0;

	(void)state;
	assert_non_null(bytes);
	for (unsigned int round = 0; round < 3000; round++) {
		const struct hwf_etm3_config config = random_config();
		struct hwf_etm3_address_state place;
		size_t at = 0;

		memset(&place, 0, sizeof(place));
		place.address = random32();
		place.isa = isas[random32() % 5];
		place.alt_isa = place.isa == HWF_ISA_T32EE;
		hwf_etm3_words_init(&words, &config);
		for (size_t i = 0; i < BYTES; i++)
			bytes[i] = random_byte();
		while (at < BYTES) {
			const size_t taken = check_call(&words, &place, bytes + at, BYTES - at,
							1 + random32() % WORDS);

			found += taken;
			at += taken ? taken : 1;
		}
	}
	assert_true(found > 3000 * BYTES / 4);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_the_packets_that_they_stand_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
