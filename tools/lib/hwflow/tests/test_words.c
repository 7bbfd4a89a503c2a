/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Packets of one word are those that hwf_ete_decode() makes of the same bytes. */
#include "ete_test.h"

#include "hwflow/words.h"

static uint64_t random_next(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static uint64_t resolve_value(const struct hwf_ete_resolve *resolve)
{
	return resolve->atoms.bits | (uint64_t)resolve->atoms.count << 24 |
	       (resolve->mispredict ? HWF_WORD_MISPREDICT : 0) |
	       (uint64_t)(resolve->commit + resolve->cancel) << 32;
}

/* What struct hwf_word says of a packet; the history as hwf_elements_push() keeps it */
static struct hwf_word expected(const struct hwf_ete_packet *packet,
				struct hwf_address_history *history)
{
	struct hwf_word word = {.type = packet->type, .size = (uint8_t)packet->size};
	bool source = packet->type >= HWF_ETE_SOURCE_ADDRESS_EXACT_MATCH;
	struct hwf_el_address address;

	switch (hwf_ete_type_codec(packet->type)) {
	case HWF_ETE_CODEC_atoms:
		word.kind = HWF_WORD_ATOMS;
		word.value = packet->u.atoms.bits | (uint64_t)packet->u.atoms.count << 24;
		break;
	case HWF_ETE_CODEC_commit:
		word.kind = HWF_WORD_COMMIT;
		word.value = resolve_value(&packet->u.resolve);
		break;
	case HWF_ETE_CODEC_cancel_f1:
	case HWF_ETE_CODEC_cancel_f2:
	case HWF_ETE_CODEC_cancel_f3:
	case HWF_ETE_CODEC_mispredict:
		word.kind = HWF_WORD_CANCEL;
		word.value = resolve_value(&packet->u.resolve);
		break;
	case HWF_ETE_CODEC_cycle_count_f1:
	case HWF_ETE_CODEC_cycle_count_f2:
	case HWF_ETE_CODEC_cycle_count_f3:
		assert_false(packet->u.cycle_count.unknown);
		word.kind = HWF_WORD_CYCLE_COUNT;
		word.value = packet->u.cycle_count.count | (uint64_t)packet->u.cycle_count.commit
								   << 32;
		break;
	case HWF_ETE_CODEC_address:
		address = hwf_history_expand(history, &packet->u.address);
		word.kind = source ? HWF_WORD_SOURCE : HWF_WORD_TARGET;
		word.value = address.value | address.is;
		break;
	case HWF_ETE_CODEC_exact_match:
		word.entry = packet->u.entry;
		address = history->entry[word.entry];
		hwf_history_push(history, address.value, address.is);
		word.kind = source ? HWF_WORD_SOURCE : HWF_WORD_TARGET;
		word.value = address.value | address.is;
		break;
	default:
		fail_msg("%s is no packet of one word", hwf_ete_type_name(packet->type));
	}
	return word;
}

static void assert_history_equal(const struct hwf_address_history *a,
				 const struct hwf_address_history *b)
{
	for (unsigned int i = 0; i < HWF_HISTORY; i++) {
		assert_int_equal(a->entry[i].value, b->entry[i].value);
		assert_int_equal(a->entry[i].is, b->entry[i].is);
	}
}

static void compare(const struct hwf_ete_config *config, const uint8_t *bytes, size_t length,
		    size_t room)
{
	struct hwf_words words;
	struct hwf_word taken[16];
	struct hwf_address_history ours = {0};
	struct hwf_address_history theirs = {0};
	struct hwf_ete_packet packet;
	size_t at = 0;

	hwf_words_init(&words, config);
	hwf_history_push(&ours, 0xffff800012345678, 0);
	hwf_history_push(&ours, 0x0000a00023456780, 1);
	theirs = ours;
	while (at < length) {
		size_t count;
		size_t size =
			hwf_words_take(&words, &ours, bytes + at, length - at, taken, room, &count);
		size_t sum = 0;

		for (size_t i = 0; i < count; i++) {
			struct hwf_word word;

			assert_int_equal(taken[i].at, sum);
			assert_int_equal(hwf_ete_decode(config, bytes + at + sum, length - at - sum,
							&packet),
					 taken[i].size);
			word = expected(&packet, &theirs);
			word.at = taken[i].at;
			assert_memory_equal(&word, &taken[i], sizeof(word));
			sum += taken[i].size;
		}
		assert_int_equal(sum, size);
		assert_history_equal(&ours, &theirs);
		at += size;
		/* whatever it was, past it */
		if (count < room)
			at++;
	}
}

static void words_are_the_packets(void **state)
{
	static const uint8_t common[] = {0x95, 0x9a, 0x90, 0x91, 0x92, 0x2d, 0x2e, 0x2f,
					 0xb0, 0xb2, 0xb4, 0xb6, 0x0c, 0x0e, 0x0f, 0x10,
					 0x0d, 0x30, 0x3a, 0x36, 0x1f, 0x02, 0x93, 0xb3};
	const struct hwf_ete_config configs[] = {
		test_config(0, 0x78, 0),
		test_config(IDR0_COMMOPT, 0x78, 0x10),
		test_config(0, 0, 0x10),
	};
	uint64_t seed = 7;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		uint8_t bytes[100];
		size_t length = 1 + random_next(&seed) % sizeof(bytes);

		for (size_t i = 0; i < length; i++) {
			uint64_t value = random_next(&seed) >> 20;

			bytes[i] = value & 0x100 ? common[(value >> 10) % sizeof(common)]
						 : (uint8_t)value;
		}
		compare(&configs[round % 3], bytes, length, 1 + random_next(&seed) % 16);
	}
}

/* All of them in one go: none takes the long way for nothing. */
static void nearly_all_packets_are_words(void **state)
{
	static const char *const packets[] = {
		"95 10",
		"95 90 12",
		"9a 10 11 12 13",
		"90",
		"91",
		"92",
		"2d 05",
		"2e 03",
		"2f 03",
		"31",
		"35",
		"3f",
		"f7",
		"c0",
		"d5",
		"fd",
		"b0",
		"b4 10",
		"b6 10 11 12 13",
		"13",
		"17",
		"0c 35",
		"0e 02 55",
		"0d 35",
	};
	const struct hwf_ete_config config = test_config(0, 0x78, 0x10);
	struct hwf_address_history history = {0};
	struct hwf_words words;

	(void)state;
	hwf_words_init(&words, &config);
	for (size_t i = 0; i < sizeof(packets) / sizeof(*packets); i++) {
		uint8_t bytes[32] = {0};
		struct hwf_word word;
		size_t count;
		size_t length = test_bytes(packets[i], bytes);

		assert_int_equal(
			hwf_words_take(&words, &history, bytes, sizeof(bytes), &word, 1, &count),
			length);
		assert_int_equal(count, 1);
	}
	/* in AArch32 an address of 32 bits is a whole one */
	history.narrow = true;
	assert_int_equal(hwf_words_take(&words, &history, (const uint8_t[16]){0x95}, 16,
					&(struct hwf_word){0}, 1, &(size_t){0}),
			 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_the_packets),
		cmocka_unit_test(nearly_all_packets_are_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
