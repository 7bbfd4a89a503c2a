/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Packets as words are those that hwf_ete_decode() makes of the same bytes. */
#include <stdlib.h>

#include "ete_test.h"

#include "expected_words.h"

static uint64_t random_next(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
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

/* struct bytes - a buffer of its own, so that a byte too far is seen */
struct bytes {
	uint8_t *bytes;
	size_t length;
};

/* struct seen - what was taken */
struct seen {
	size_t kinds[HWF_WORD_OTHER + 1];
	unsigned int spans;
};

static void assert_others(const struct hwf_word_span *span)
{
	size_t others = 0;

	for (size_t i = 0; i < span->count; i++) {
		if (span->word[i].kind != HWF_WORD_OTHER)
			continue;
		assert_true(others < span->others);
		assert_int_equal(span->other[others++], i);
	}
	assert_int_equal(others, span->others);
}

/* A span is the packets from @at on; returns where it ends. */
static size_t compare_span(const struct hwf_ete_config *config, const struct bytes *bytes,
			   size_t begin, size_t at, const struct hwf_word_span *span,
			   struct hwf_address_history *history, struct seen *seen)
{
	struct hwf_ete_packet packet;

	for (size_t i = 0; i < span->count;) {
		struct hwf_word word[2];
		size_t wanted;

		assert_true(hwf_ete_decode(config, bytes->bytes + at, bytes->length - at, &packet) >
			    0);
		assert_false(ends_words(&packet));
		wanted = expected_words(&packet, history, word);
		word[0].at = word[1].at = (uint32_t)(at - begin);
		assert_true(wanted <= span->count - i);
		assert_memory_equal(word, &span->word[i], wanted * sizeof(*word));
		seen->kinds[span->word[i].kind]++;
		at += packet.size;
		i += wanted;
	}
	assert_others(span);
	return at;
}

/* No more was taken from @at on: why? Returns where to go on. */
static size_t step_over(const struct hwf_ete_config *config, const struct bytes *bytes, size_t at,
			struct hwf_address_history *history)
{
	struct hwf_ete_packet packet;
	struct hwf_word word[2];
	int size = hwf_ete_decode(config, bytes->bytes + at, bytes->length - at, &packet);

	if (size <= 0)
		return at + 1;
	assert_true(ends_words(&packet) || bytes->length - at < 16);
	expected_words(&packet, history, word);
	return at + packet.size;
}

static void compare(const struct hwf_ete_config *config, const struct bytes *bytes,
		    struct seen *seen)
{
	static struct hwf_words words;
	static struct hwf_taken taken;
	struct hwf_address_history ours = {.timestamp = UINT64_C(0x123456789abcdef0)};
	struct hwf_address_history theirs = {0};
	size_t at = 0;

	hwf_words_init(&words, config);
	hwf_history_push(&ours, 0xffff800012345678, 0);
	hwf_history_push(&ours, 0x0000a00023456780, 1);
	theirs = ours;
	while (at < bytes->length) {
		size_t size = hwf_words_take(&words, &ours, bytes->bytes + at, bytes->length - at,
					     &taken);
		size_t end = at;

		for (unsigned int i = 0; i < taken.spans; i++)
			end = compare_span(config, bytes, at, end, &taken.span[i], &theirs, seen);
		assert_int_equal(end - at, size);
		assert_history_equal(&ours, &theirs);
		seen->spans = taken.spans > seen->spans ? taken.spans : seen->spans;
		at = size ? end : step_over(config, bytes, at, &theirs);
		ours = theirs;
	}
}

static const uint32_t commit_mode[] = {0, IDR0_COMMOPT};
static const uint32_t max_specs[] = {0x78, 0, 7};
static const uint32_t cycle_counts[] = {0x10, 0};
static const bool qs[] = {false, true};

#define CONFIGS 72u

/* ETMv4 of an A-profile PE or an M-profile PE, with all there is */
static void make_etmv4(struct hwf_ete_config *config, bool m)
{
	config->protocol = HWF_PROTOCOL_ETMV4;
	config->revision = 5;
	config->conditional = true;
	config->data_trace = true;
	config->m_profile = m;
}

/* Each of them by another bit, so that all come together */
static struct hwf_ete_config config_of(unsigned int i)
{
	struct hwf_ete_config config =
		test_config(commit_mode[i % 2], max_specs[i / 8 % 3], cycle_counts[i / 2 % 2]);

	config.q = qs[i / 4 % 2];
	if (i >= CONFIGS / 3)
		make_etmv4(&config, i >= CONFIGS / 3 * 2);
	return config;
}

/* Anything */
static void words_are_the_packets(void **state)
{
	static const uint8_t common[] = {0x95, 0x9a, 0x90, 0x91, 0x92, 0x2d, 0x2e, 0x2f,
					 0xb0, 0xb2, 0xb4, 0xb6, 0x0c, 0x0e, 0x0f, 0x10,
					 0x0d, 0x30, 0x3a, 0x36, 0x1f, 0x02, 0x93, 0xb3,
					 0x02, 0x03, 0x06, 0xa5, 0xa0, 0xac, 0xaf, 0x75};
	struct seen seen = {0};
	uint64_t seed = 7;

	(void)state;
	for (unsigned int round = 0; round < 40000; round++) {
		struct hwf_ete_config config = config_of(round % CONFIGS);
		size_t length = 1 + random_next(&seed) % 100;
		struct bytes bytes = {.bytes = malloc(length), .length = length};

		assert_non_null(bytes.bytes);
		for (size_t i = 0; i < length; i++) {
			uint64_t value = random_next(&seed) >> 20;

			bytes.bytes[i] = value & 0x100 ? common[(value >> 10) % sizeof(common)]
						       : (uint8_t)value;
		}
		compare(&config, &bytes, &seen);
		free(bytes.bytes);
	}
}

/* An address with a bit set that has to be 0 */
static const uint8_t bad_address[] = {0x9a, 0x10, 0x90, 0x12, 0x13};

/*
 * One packet. Few are errors, which go on in what follows. It is an Alignment Synchronisation, PE
 * Reset or Transaction Failure; or by any header, where Atoms come more often. Returns its size.
 */
static size_t put_packet(const struct hwf_ete_config *config, uint64_t *seed, uint8_t *bytes,
			 unsigned int rare)
{
	for (;;) {
		uint64_t value = random_next(seed) >> 20;
		struct hwf_ete_packet packet;

		if (value % 4096 == 5) {
			memcpy(bytes, bad_address, sizeof(bad_address));
			return sizeof(bad_address);
		}
		memset(bytes, 0, HWF_ETE_MAX_PACKET);
		if (value % 64 == 7) {
			bytes[11] = 0x80;
		} else if (value % 2048 < 2) {
			memcpy(bytes, value & 1 ? "\x06\x01\x70" : "\x06\x31\x70", 3);
		} else {
			for (size_t i = 0; i < 24; i++)
				bytes[i] = (uint8_t)(random_next(seed) >> 20);
			if (value % rare)
				bytes[0] |= 0xc0;
		}
		/* few: each ends it */
		if (hwf_ete_decode(config, bytes, HWF_ETE_MAX_PACKET, &packet) > 0 &&
		    (!ends_words(&packet) || value % 1024 < 2))
			return packet.size;
	}
}

/* Many packets in one go, so that they are looked for in several places */
static void long_runs_are_the_packets(void **state)
{
	struct seen seen = {0};
	uint64_t seed = 11;

	(void)state;
	for (unsigned int round = 0; round < 20 * CONFIGS; round++) {
		struct hwf_ete_config config = config_of(round % CONFIGS);
		size_t wanted = 3000 + random_next(&seed) % 6000;
		struct bytes bytes = {.bytes = malloc(wanted + HWF_ETE_MAX_PACKET)};

		assert_non_null(bytes.bytes);
		while (bytes.length < wanted)
			bytes.length += put_packet(&config, &seed, bytes.bytes + bytes.length,
						   1 + round / CONFIGS);
		bytes.bytes = realloc(bytes.bytes, bytes.length);
		compare(&config, &bytes, &seen);
		free(bytes.bytes);
	}
	assert_int_equal(seen.spans, HWF_WORDS_LANES);
	for (size_t i = 0; i <= HWF_WORD_OTHER; i++) {
		if (i != HWF_WORD_MORE && !seen.kinds[i])
			fail_msg("no word of kind %zu", i);
	}
}

/* Where packets are long in the last place that they are looked for, up to the very end */
static void the_last_lane_ends_with_the_bytes(void **state)
{
	static const uint8_t address[] = {0x9d, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17};
	struct hwf_ete_config config = config_of(0);
	struct seen seen = {0};

	(void)state;
	for (size_t length = 4090; length < 4500; length++) {
		struct bytes bytes = {.bytes = malloc(length), .length = length};

		assert_non_null(bytes.bytes);
		memset(bytes.bytes, 0xf7, length);
		for (size_t i = 1536; i < length; i++)
			bytes.bytes[i] = address[(i - 1536) % sizeof(address)];
		compare(&config, &bytes, &seen);
		free(bytes.bytes);
	}
	assert_true(seen.kinds[HWF_WORD_TARGET] > 100);
}

/* As many words as there can be, two a byte: there is room for them. */
static void all_words_have_room(void **state)
{
	struct bytes bytes = {.bytes = malloc(5000), .length = 5000};
	struct seen seen = {0};

	(void)state;
	assert_non_null(bytes.bytes);
	memset(bytes.bytes, 0xaf, bytes.length);
	for (unsigned int i = 0; i < CONFIGS; i++) {
		struct hwf_ete_config config = config_of(i);

		compare(&config, &bytes, &seen);
	}
	free(bytes.bytes);
}

/* All of them as words: none takes the long way for nothing. */
static void nearly_all_packets_are_words(void **state)
{
	static const char *const packets[] = {
		"95 10",
		"95 90 12",
		"96 90 12",
		"9a 10 11 12 13",
		"9b 10 11 12 13",
		"9d 10 11 12 13 14 15 16 17",
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
		"06 01 70",
		"02 10",
		"02 91 92 93 94 95 96 97 18",
		"02 91 92 93 94 95 96 97 98 19",
		"04",
		"00 00 00 00 00 00 00 00 00 00 00 80",
		"a1 10",
		"a5 10 11",
		"a5 90 91 92 13",
		"a5 90 91 92 93 14",
		"aa 10 11 12 13 14",
		"ac 10",
		"af",
	};
	static const char *const others[] = {"80",       "81 10", "82 10 11 12 13 10",
					     "01 01 00", "0f 02", "03 10 11"};
	static struct hwf_words words;
	static struct hwf_taken taken;
	const size_t most = sizeof(packets) / sizeof(*packets);

	(void)state;
	for (size_t i = 0; i < most + sizeof(others) / sizeof(*others); i++) {
		struct hwf_ete_config config = config_of(i % 8);
		struct hwf_address_history history = {0};
		/* a packet of what is reserved is behind each */
		uint8_t bytes[32];
		size_t length;

		config.commit_mode1 = false;
		hwf_words_init(&words, &config);
		memset(bytes, 0x05, sizeof(bytes));
		length = test_bytes(i < most ? packets[i] : others[i - most], bytes);
		assert_int_equal(hwf_words_take(&words, &history, bytes, sizeof(bytes), &taken),
				 length);
		assert_int_equal(taken.spans, 1);
		assert_int_equal(taken.span[0].count, bytes[0] >> 4 == 0xa ? 2 : 1);
		assert_int_equal(taken.span[0].others, i < most ? 0 : 1);
	}
}

/* In AArch32 an address of 32 bits is a whole one. */
static void aarch32_is_no_words(void **state)
{
	static struct hwf_words words;
	static struct hwf_taken taken;
	const struct hwf_ete_config config = test_config(0, 0x78, 0x10);
	struct hwf_address_history history = {.narrow = true};

	(void)state;
	hwf_words_init(&words, &config);
	assert_int_equal(hwf_words_take(&words, &history, (const uint8_t[16]){0xf7}, 16, &taken),
			 0);
	history.narrow = false;
	assert_int_equal(hwf_words_take(&words, &history, (const uint8_t[16]){0xf7}, 16, &taken),
			 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_the_packets),
		cmocka_unit_test(long_runs_are_the_packets),
		cmocka_unit_test(the_last_lane_ends_with_the_bytes),
		cmocka_unit_test(all_words_have_room),
		cmocka_unit_test(nearly_all_packets_are_words),
		cmocka_unit_test(aarch32_is_no_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
