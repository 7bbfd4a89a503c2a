/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Packets as words are those that hwf_ete_decode() makes of the same bytes. */
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

static uint64_t time_value(const struct hwf_ete_timestamp *ts, struct hwf_address_history *history)
{
	history->timestamp =
		ts->bits == 64
			? ts->value
			: ts->value | (history->timestamp & ~((UINT64_C(1) << ts->bits) - 1));
	return history->timestamp;
}

static uint64_t q_value(const struct hwf_ete_q *q, struct hwf_address_history *history)
{
	struct hwf_el_address address = {0};

	if (q->has_address && q->entry < HWF_HISTORY) {
		address = history->entry[q->entry];
		hwf_history_push(history, address.value, address.is);
	} else if (q->has_address) {
		address = hwf_history_expand(history, &q->address);
	}
	return address.value | address.is;
}

/*
 * What struct hwf_word says of a packet, one word or two: how many; the history as
 * hwf_elements_push() keeps it
 */
static size_t expected(const struct hwf_ete_packet *packet, struct hwf_address_history *history,
		       struct hwf_word *words)
{
	struct hwf_word *word = &words[0];
	bool source = packet->type >= HWF_ETE_SOURCE_ADDRESS_EXACT_MATCH;
	struct hwf_el_address address;

	words[0] = (struct hwf_word){.type = packet->type, .size = (uint8_t)packet->size};
	words[1] = (struct hwf_word){.type = packet->type, .kind = HWF_WORD_MORE};
	switch (hwf_ete_type_codec(packet->type)) {
	case HWF_ETE_CODEC_atoms:
		word->kind = HWF_WORD_ATOMS;
		word->value = packet->u.atoms.bits | (uint64_t)packet->u.atoms.count << 24;
		break;
	case HWF_ETE_CODEC_commit:
		word->kind = HWF_WORD_COMMIT;
		word->value = resolve_value(&packet->u.resolve);
		break;
	case HWF_ETE_CODEC_cancel_f1:
	case HWF_ETE_CODEC_cancel_f2:
	case HWF_ETE_CODEC_cancel_f3:
	case HWF_ETE_CODEC_mispredict:
		word->kind = HWF_WORD_CANCEL;
		word->value = resolve_value(&packet->u.resolve);
		break;
	case HWF_ETE_CODEC_cycle_count_f1:
	case HWF_ETE_CODEC_cycle_count_f2:
	case HWF_ETE_CODEC_cycle_count_f3:
		assert_false(packet->u.cycle_count.unknown);
		word->kind = HWF_WORD_CYCLE_COUNT;
		word->value = packet->u.cycle_count.count | (uint64_t)packet->u.cycle_count.commit
								    << 32;
		break;
	case HWF_ETE_CODEC_address:
		address = hwf_history_expand(history, &packet->u.address);
		word->kind = source ? HWF_WORD_SOURCE : HWF_WORD_TARGET;
		word->value = address.value | address.is;
		break;
	case HWF_ETE_CODEC_exact_match:
		word->entry = packet->u.entry;
		address = history->entry[word->entry];
		hwf_history_push(history, address.value, address.is);
		word->kind = source ? HWF_WORD_SOURCE : HWF_WORD_TARGET;
		word->value = address.value | address.is;
		break;
	case HWF_ETE_CODEC_event:
		word->kind = HWF_WORD_EVENT;
		word->value = packet->u.event;
		break;
	case HWF_ETE_CODEC_exception:
		assert_int_equal(packet->type, HWF_ETE_EXCEPTION);
		word->kind = HWF_WORD_EXCEPTION;
		word->value = (uint64_t)packet->u.exception.type << 1 |
			      (packet->u.exception.ee == 1 ? 0x01 : 0x40);
		break;
	case HWF_ETE_CODEC_timestamp:
		word->kind = HWF_WORD_TIMESTAMP;
		word->value = time_value(&packet->u.timestamp, history);
		words[1].value = packet->u.timestamp.count;
		return packet->u.timestamp.has_count ? 2 : 1;
	case HWF_ETE_CODEC_q:
		word->kind = HWF_WORD_Q;
		word->value = q_value(&packet->u.q, history);
		words[1].value = packet->u.q.count | (uint64_t)packet->u.q.type << 32;
		return 2;
	default:
		fail_msg("%s is no packet of words", hwf_ete_type_name(packet->type));
	}
	return 1;
}

static void assert_history_equal(const struct hwf_address_history *a,
				 const struct hwf_address_history *b)
{
	for (unsigned int i = 0; i < HWF_HISTORY; i++) {
		assert_int_equal(a->entry[i].value, b->entry[i].value);
		assert_int_equal(a->entry[i].is, b->entry[i].is);
	}
	assert_int_equal(a->timestamp, b->timestamp);
}

static void compare(const struct hwf_ete_config *config, const uint8_t *bytes, size_t length,
		    size_t room)
{
	struct hwf_words words;
	struct hwf_word taken[16];
	struct hwf_address_history ours = {.timestamp = UINT64_C(0x123456789abcdef0)};
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

		for (size_t i = 0; i < count;) {
			struct hwf_word word[2];
			size_t wanted;

			assert_int_equal(hwf_ete_decode(config, bytes + at + sum, length - at - sum,
							&packet),
					 taken[i].size);
			wanted = expected(&packet, &theirs, word);
			word[0].at = word[1].at = (uint32_t)sum;
			assert_true(wanted <= count - i);
			assert_memory_equal(word, &taken[i], wanted * sizeof(*word));
			sum += taken[i].size;
			i += wanted;
		}
		assert_int_equal(sum, size);
		assert_history_equal(&ours, &theirs);
		at += size;
		/* whatever it was, past it */
		if (count + HWF_WORDS_MORE <= room)
			at++;
	}
}

static void words_are_the_packets(void **state)
{
	static const uint8_t common[] = {0x95, 0x9a, 0x90, 0x91, 0x92, 0x2d, 0x2e, 0x2f,
					 0xb0, 0xb2, 0xb4, 0xb6, 0x0c, 0x0e, 0x0f, 0x10,
					 0x0d, 0x30, 0x3a, 0x36, 0x1f, 0x02, 0x93, 0xb3,
					 0x02, 0x03, 0x06, 0xa5, 0xa0, 0xac, 0xaf, 0x75};
	const struct hwf_ete_config configs[] = {
		test_config(0, 0x78, 0),
		test_config(IDR0_COMMOPT, 0x78, 0x10),
		test_config(0, 0, 0x10),
		test_config(0, 0, 0),
	};
	uint64_t seed = 7;

	(void)state;
	for (int round = 0; round < 40000; round++) {
		/* at the end of the room, so that a byte too far is seen */
		uint8_t end[100];
		size_t length = 1 + random_next(&seed) % sizeof(end);
		uint8_t *bytes = end + sizeof(end) - length;

		for (size_t i = 0; i < length; i++) {
			uint64_t value = random_next(&seed) >> 20;

			bytes[i] = value & 0x100 ? common[(value >> 10) % sizeof(common)]
						 : (uint8_t)value;
		}
		compare(&configs[round % 4], bytes, length,
			HWF_WORDS_MORE + random_next(&seed) % (17 - HWF_WORDS_MORE));
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
		"7a",
		"06 05",
		"06 5c",
		"02 10",
		"02 91 92 93 94 95 96 97 18",
		"02 91 92 93 94 95 96 97 98 19",
		"03 91 12 13",
		"a1 10",
		"a5 10 11",
		"a5 90 91 92 13",
		"a5 90 91 92 93 14",
		"aa 10 11 12 13 14",
		"ac 10",
		"af",
	};
	const struct hwf_ete_config config = test_config(0, 0x78, 0x10);
	struct hwf_address_history history = {0};
	struct hwf_words words;

	(void)state;
	hwf_words_init(&words, &config);
	for (size_t i = 0; i < sizeof(packets) / sizeof(*packets); i++) {
		uint8_t bytes[32] = {0};
		struct hwf_word taken[HWF_WORDS_MORE];
		size_t count;
		size_t length = test_bytes(packets[i], bytes);
		/* Q, and a Timestamp with a count */
		bool two = bytes[0] >> 4 == 0xa || bytes[0] == 0x03;

		assert_int_equal(hwf_words_take(&words, &history, bytes, sizeof(bytes), taken,
						HWF_WORDS_MORE, &count),
				 length);
		assert_int_equal(count, two ? 2 : 1);
	}
	/* in AArch32 an address of 32 bits is a whole one */
	history.narrow = true;
	assert_int_equal(hwf_words_take(&words, &history, (const uint8_t[16]){0x95}, 16,
					(struct hwf_word[HWF_WORDS_MORE]){0}, HWF_WORDS_MORE,
					&(size_t){0}),
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
