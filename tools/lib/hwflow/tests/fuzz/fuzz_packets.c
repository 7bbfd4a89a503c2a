// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * Fuzz target: any bytes into packets. No byte may be lost, what decodes must encode, and the
 * encoding must decode to the same. Words are the same packets.
 */
#include <stdlib.h>
#include <string.h>

#include "../expected_words.h"
#include "fuzz.h"

static void check_packet(const struct hwf_ete_config *config, const struct hwf_ete_packet *packet)
{
	struct hwf_ete_packet again;
	uint8_t bytes[HWF_ETE_MAX_PACKET];
	uint8_t twice[HWF_ETE_MAX_PACKET];
	int size = hwf_ete_encode(config, packet, bytes, sizeof(bytes));

	if (size < 0 || (uint32_t)size > packet->size)
		abort();
	if (hwf_ete_decode(config, bytes, (size_t)size, &again) != size ||
	    again.type != packet->type)
		abort();
	if (hwf_ete_encode(config, &again, twice, sizeof(twice)) != size ||
	    memcmp(bytes, twice, (size_t)size))
		abort();
}

/* Are these words the packets from @at on? Where they end. */
static size_t check_span(const struct hwf_ete_config *config, const uint8_t *bytes, size_t size,
			 size_t begin, size_t at, const struct hwf_word_span *span,
			 struct hwf_address_history *history)
{
	size_t others = 0;

	for (size_t i = 0; i < span->count;) {
		struct hwf_ete_packet packet;
		struct hwf_word word[2];
		size_t count;

		if (hwf_ete_decode(config, bytes + at, size - at, &packet) <= 0 ||
		    ends_words(&packet))
			abort();
		count = expected_words(&packet, history, word);
		word[0].at = word[1].at = (uint32_t)(at - begin);
		if (count > span->count - i || memcmp(word, &span->word[i], count * sizeof(*word)))
			abort();
		if (word[0].kind == HWF_WORD_OTHER &&
		    (others == span->others || span->other[others++] != i))
			abort();
		at += packet.size;
		i += count;
	}
	if (others != span->others)
		abort();
	return at;
}

/* A packet that was left out as a word: it is an error, no word may be behind it, or it is the end.
 */
static size_t check_left_out(const struct hwf_ete_config *config, const uint8_t *bytes, size_t size,
			     size_t at, struct hwf_address_history *history)
{
	struct hwf_ete_packet packet;
	struct hwf_word word[2];

	if (hwf_ete_decode(config, bytes + at, size - at, &packet) <= 0)
		return at + 1;
	if (!ends_words(&packet) && size - at >= 16)
		abort();
	expected_words(&packet, history, word);
	return at + packet.size;
}

static void check_words(const struct hwf_words *words, const uint8_t *bytes, size_t size)
{
	static struct hwf_taken taken;
	struct hwf_address_history ours = {0};
	struct hwf_address_history theirs = {0};
	size_t at = 0;

	while (at < size) {
		size_t took = hwf_words_take(words, &ours, bytes + at, size - at, &taken);
		size_t end = at;

		for (unsigned int i = 0; i < taken.spans; i++)
			end = check_span(words->config, bytes, size, at, end, &taken.span[i],
					 &theirs);
		if (end - at != took)
			abort();
		for (unsigned int i = 0; i < HWF_HISTORY; i++) {
			if (ours.entry[i].value != theirs.entry[i].value ||
			    ours.entry[i].is != theirs.entry[i].is)
				abort();
		}
		if (ours.timestamp != theirs.timestamp)
			abort();
		at = took ? end : check_left_out(words->config, bytes, size, at, &theirs);
		ours = theirs;
	}
}

/* Bytes enough for packets in all lanes, which have twice what there is between them */
#define MANY (HWF_WORDS_LANES * 1024 + 200)

/* The input again and again */
static void check_lanes(const struct hwf_words *words, const uint8_t *data, size_t size)
{
	uint8_t *many = malloc(MANY);

	if (many && size) {
		for (size_t i = 0; i < MANY; i++)
			many[i] = data[i % size];
		check_words(words, many, MANY);
	}
	free(many);
}

static void run(enum hwf_ete_protocol protocol, const uint8_t *data, size_t size)
{
	static struct hwf_words words;
	struct hwf_ete_config config;
	struct hwf_ete_stream stream;
	struct hwf_ete_packet packet;
	size_t at = 0;

	if (fuzz_config(&config, protocol, &data, &size))
		return;
	hwf_ete_stream_init(&stream, &config);
	while (at < size) {
		size_t taken = hwf_ete_stream_next(&stream, data + at, size - at, true, &packet);

		if (!taken || taken != packet.size || taken > size - at)
			abort();
		if (packet.type < HWF_ETE_TYPES)
			check_packet(&config, &packet);
		at += taken;
	}
	hwf_words_init(&words, &config);
	check_words(&words, data, size);
	check_lanes(&words, data, size);
	/* another way where there are no Q elements */
	config.q = !config.q;
	hwf_words_init(&words, &config);
	check_words(&words, data, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	run(HWF_PROTOCOL_ETE, data, size);
	run(HWF_PROTOCOL_ETMV4, data, size);
	return 0;
}
