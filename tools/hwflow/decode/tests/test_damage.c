// SPDX-License-Identifier: GPL-2.0-only
/*
 * Damaged traces: every capture with bytes changed and cut off. Nothing may crash, the decoder must
 * come to the end, and what was executed before the damage must be given as before.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hwflow/graph.h"
#include "source/input.h"

#define RING   0x1000
#define CACHE  0x400
#define WHOLE  4096  /* up to this size every byte is damaged */
#define CHOSEN 10000 /* positions of larger ones */

struct memory {
	struct hwf_element ring[RING];
	struct hwf_graph cache;
	void *cache_memory;
};

/* One executed range in a few bytes: enough to see that it is another one */
struct trail {
	uint64_t *hashes;
	uint64_t *offsets;
	size_t count;
	size_t room;
	/* when comparing: what has to come, and up to which offset */
	const struct trail *expected;
	uint64_t until;
	size_t wrong;
};

static uint64_t hash_range(const struct hwf_flow_range *range)
{
	uint64_t hash = range->start;

	hash = hash * UINT64_C(0x9e3779b97f4a7c15) + range->end;
	return hash * UINT64_C(0x9e3779b97f4a7c15) + range->instructions + range->taken;
}

static void keep(void *ctx, const struct hwf_flow_event *event)
{
	struct trail *trail = ctx;

	if (event->kind != HWF_FLOW_RANGE)
		return;
	if (trail->count == trail->room) {
		trail->room = trail->room ? 2 * trail->room : 1024;
		trail->hashes = realloc(trail->hashes, trail->room * sizeof(uint64_t));
		trail->offsets = realloc(trail->offsets, trail->room * sizeof(uint64_t));
		assert_non_null(trail->hashes);
		assert_non_null(trail->offsets);
	}
	trail->hashes[trail->count] = hash_range(&event->u.range);
	trail->offsets[trail->count++] = event->offset;
}

static void compare(void *ctx, const struct hwf_flow_event *event)
{
	struct trail *trail = ctx;
	const struct trail *expected = trail->expected;

	if (event->kind != HWF_FLOW_RANGE)
		return;
	if (trail->count < expected->count && expected->offsets[trail->count] < trail->until &&
	    expected->hashes[trail->count] != hash_range(&event->u.range))
		trail->wrong++;
	trail->count++;
}

static void decode(struct memory *memory, const struct input_source *source,
		   const struct hwf_code *code, const uint8_t *bytes, size_t length,
		   hwf_flow_fn *sink, void *ctx)
{
	struct hwf_decoder decoder;

	hwf_decoder_init(&decoder, &source->config, code, memory->ring, RING, sink, ctx);
	decoder.follower.graph = &memory->cache;
	assert_int_equal(hwf_decoder_push(&decoder, bytes, length, true), length);
}

/* Ranges whose packets end before the damage, if nothing can take them back, must be there. */
static void check(struct memory *memory, const struct input_source *source,
		  const struct hwf_code *code, const struct trail *good, const uint8_t *bytes,
		  size_t length, size_t damaged)
{
	struct trail trail = {.expected = good};
	size_t must = 0;

	if (!source->config.max_spec && damaged > HWF_ETE_MAX_PACKET)
		trail.until = damaged - HWF_ETE_MAX_PACKET;
	decode(memory, source, code, bytes, length, compare, &trail);
	assert_int_equal(trail.wrong, 0);
	while (must < good->count && good->offsets[must] < trail.until)
		must++;
	assert_true(trail.count >= must);
}

static uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

enum damage { ONE_BIT, ANOTHER_BYTE, CUT_OFF, DAMAGES };

static void damage_at(struct memory *memory, const struct input_source *source,
		      const struct hwf_code *code, const struct trail *good, uint8_t *bytes,
		      size_t length, size_t at, enum damage damage, uint64_t *seed)
{
	uint8_t was = bytes[at];

	if (damage == ONE_BIT)
		bytes[at] = (uint8_t)(was ^ (1u << (next_random(seed) & 7)));
	else if (damage == ANOTHER_BYTE)
		bytes[at] = (uint8_t)next_random(seed);
	else
		length = at;
	check(memory, source, code, good, bytes, length, at);
	bytes[at] = was;
}

static void damage_piece(struct memory *memory, struct input *input,
			 const struct input_source *source, const struct input_piece *piece)
{
	const struct hwf_code *code = input_code(input, source, piece);
	uint8_t *bytes = malloc(piece->length + 1);
	struct trail good = {0};
	uint64_t seed = 0x243f6a8885a308d3;
	size_t tries = piece->length <= WHOLE ? piece->length : CHOSEN;

	assert_non_null(bytes);
	if (piece->length)
		memcpy(bytes, piece->bytes, piece->length);
	hwf_graph_flush(&memory->cache);
	decode(memory, source, code, bytes, piece->length, keep, &good);
	/* small ones: every byte in every way; large ones: chosen places, one way each */
	for (size_t i = 0; i < tries && tries == piece->length; i++) {
		for (unsigned int damage = 0; damage < DAMAGES; damage++)
			damage_at(memory, source, code, &good, bytes, piece->length, i,
				  (enum damage)damage, &seed);
	}
	for (size_t i = 0; i < tries && tries != piece->length; i++)
		damage_at(memory, source, code, &good, bytes, piece->length,
			  next_random(&seed) % piece->length, (enum damage)(i % DAMAGES), &seed);
	free(bytes);
	free(good.hashes);
	free(good.offsets);
}

static int damage_capture(struct memory *memory, const char *path)
{
	struct input_options options;
	struct input *input;
	int pieces = 0;

	input_options_init(&options);
	options.path = path;
	assert_int_equal(input_open(&input, &options), 0);
	for (size_t i = 0; i < input->source_count; i++) {
		for (size_t p = 0; p < input->sources[i].piece_count; p++, pieces++)
			damage_piece(memory, input, &input->sources[i],
				     &input->sources[i].pieces[p]);
	}
	input_close(input);
	input_options_free(&options);
	return pieces;
}

static const char *captures(void)
{
	const char *set = getenv("HWFLOW_CAPTURES");

	return set ? set : "../shared/data";
}

static void damaged_captures_lose_only_what_is_damaged(void **state)
{
	const char *ci = getenv("CI");
	struct memory *memory;
	char path[4096];
	struct dirent *entry;
	int pieces = 0;
	DIR *dir;

	(void)state;
	snprintf(path, sizeof(path), "%s/ete", captures());
	dir = opendir(path);
	if (!dir) {
		assert_false(ci && !strcmp(ci, "true"));
		skip();
		return;
	}
	memory = calloc(1, sizeof(*memory));
	assert_non_null(memory);
	memory->cache_memory = calloc(1, hwf_graph_bytes(CACHE));
	assert_non_null(memory->cache_memory);
	hwf_graph_init(&memory->cache, memory->cache_memory, CACHE);
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/ete/%s", captures(), entry->d_name);
		pieces += damage_capture(memory, path);
	}
	closedir(dir);
	assert_true(pieces > 20);
	free(memory->cache_memory);
	free(memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(damaged_captures_lose_only_what_is_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
