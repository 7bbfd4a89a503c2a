// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* Blocks and edges of calling contexts in stored profiles: sums by context, and their file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "profile/stored_private.h"
#include "stored_test.h"

/* Recordings that are summed up, their contexts, blocks and executions */
enum { RECORDINGS = 40, CONTEXTS = 30, PLACES = 20, EXECUTIONS = 400 };

static const struct hwf_profile_file *a_file(struct hwf_stored_profile *stored, uint32_t number)
{
	static const char *const names[] = {"/bin/a", "/lib/b.so"};
	const struct hwf_profile_file file = {.name = names[number], .machine = 183};

	return hwf_stored_profile_file(stored, &file);
}

static struct hwf_profile_block a_block(struct hwf_stored_profile *stored, uint32_t place)
{
	return (struct hwf_profile_block){
		.start = UINT64_C(0x100) * place,
		.end = UINT64_C(0x100) * place + 8,
		.space = a_file(stored, place & 1),
		.insn = {.kind = HWF_INSN_INDIRECT, .sub = HWF_SUB_LINK, .size = 4},
		.instructions = 2,
		.p0 = true,
	};
}

static struct hwf_profile_edge an_edge(struct hwf_stored_profile *stored, uint32_t place)
{
	return (struct hwf_profile_edge){
		.from = UINT64_C(0x100) * place + 4,
		.to = UINT64_C(0x100) * (place + 1),
		.from_space = a_file(stored, place & 1),
		.to_space = a_file(stored, 0),
		.insn = {.kind = HWF_INSN_INDIRECT, .sub = HWF_SUB_LINK, .size = 4},
	};
}

/* A block is executed in a context, and its branch is taken. */
static void execute(struct hwf_stored_profile *stored, uint32_t context, uint32_t place)
{
	struct hwf_profile *counts = hwf_stored_profile_counts(stored);
	struct hwf_profile_block block = a_block(stored, place);
	struct hwf_profile_edge edge = an_edge(stored, place);

	block.taken = random_below(3);
	block.not_taken = 1 + random_below(3);
	block.diverted = random_below(2);
	edge.count = 1 + random_below(5);
	hwf_stored_profile_count_block(stored, context,
				       hwf_stored_profile_block_number(stored, &block), &block);
	hwf_stored_profile_count_edge(stored, context,
				      hwf_stored_profile_edge_number(stored, &edge), edge.count);
	hwf_profile_add_block(counts, &block);
	hwf_profile_add_edge(counts, &edge);
}

static struct hwf_stored_profile *a_recording(uint32_t number)
{
	struct hwf_stored_profile *stored = hwf_stored_profile_new();
	struct hwf_recording_id id = {{(uint8_t)number, 2}};
	uint32_t numbers[CONTEXTS + 1] = {0};

	state = number + 1;
	hwf_stored_profile_keep_context_counts(stored);
	for (uint32_t i = 1; i <= CONTEXTS; i++)
		numbers[i] = hwf_stored_profile_context(
			stored,
			&(struct hwf_profile_context){.caller = numbers[random_below(i)],
						      .site_file = a_file(stored, 0),
						      .site = UINT64_C(4) * random_below(3),
						      .file = a_file(stored, 1),
						      .entry = UINT64_C(0x1000) * random_below(4),
						      .calls = 1});
	for (uint32_t i = random_below(EXECUTIONS); i; i--)
		execute(stored, numbers[random_below(CONTEXTS + 1)], random_below(PLACES));
	assert_int_equal(hwf_stored_profile_recording(stored, &id), 0);
	return stored;
}

/* struct sums - of all blocks and edges, each weighted by where it is */
struct sums {
	uint64_t blocks;
	uint64_t diverted;
	uint64_t edges;
};

static void sum_up(const struct hwf_profile *counts, uint64_t weight, struct sums *sums)
{
	const struct hwf_profile_block *block;
	struct hwf_profile_edge edge;
	size_t at = 0;

	while ((block = hwf_profile_next_block(counts, &at))) {
		sums->blocks += weight * block->start * (3 * block->taken + block->not_taken);
		sums->diverted += weight * block->start * block->diverted;
	}
	at = 0;
	while (hwf_profile_next_edge(counts, &at, &edge))
		sums->edges += weight * edge.to * edge.count;
}

/* The path of a context as a number */
static uint64_t weight_of(const struct hwf_profile_context *context, uint64_t caller)
{
	return caller * 31 + context->entry / 0x1000 * 7 + context->site + 1;
}

/* Sums of a profile, with each context by its path */
static struct sums sums_of(struct hwf_stored_profile *stored)
{
	struct hwf_profile *counts = hwf_profile_new();
	const struct hwf_profile_context *context;
	uint64_t weights[RECORDINGS * CONTEXTS + 1] = {1};
	struct sums sums = {0};
	size_t at = 0;

	hwf_stored_profile_context_counts(stored, 0, counts);
	sum_up(counts, 1, &sums);
	while ((context = hwf_stored_profile_next_context(stored, &at))) {
		weights[at] = weight_of(context, weights[context->caller]);
		hwf_profile_clear(counts);
		hwf_stored_profile_context_counts(stored, (uint32_t)at, counts);
		sum_up(counts, weights[at], &sums);
	}
	hwf_profile_free(counts);
	return sums;
}

/* All recordings, in an order of chance; some by way of a file */
static struct packed add_all(struct hwf_stored_profile *const *recordings, uint32_t seed)
{
	struct hwf_stored_profile *sum = hwf_stored_profile_new();
	uint32_t order[RECORDINGS];
	struct packed packed;

	random_order(order, RECORDINGS, seed);
	for (uint32_t i = 0; i < RECORDINGS; i++) {
		assert_int_equal(hwf_stored_profile_add(sum, recordings[order[i]]), 0);
		if (random_below(5))
			continue;
		packed = pack(sum);
		hwf_stored_profile_free(sum);
		sum = unpack(&packed);
		free(packed.bytes);
	}
	packed = pack(sum);
	hwf_stored_profile_free(sum);
	return packed;
}

static void shares_are_summed_by_context(void **unused)
{
	struct hwf_stored_profile *recordings[RECORDINGS], *read;
	struct sums want = {0}, sums;
	struct packed first;

	(void)unused;
	for (uint32_t i = 0; i < RECORDINGS; i++) {
		recordings[i] = a_recording(i);
		sums = sums_of(recordings[i]);
		want.blocks += sums.blocks;
		want.diverted += sums.diverted;
		want.edges += sums.edges;
	}
	first = add_all(recordings, 0);
	read = unpack(&first);
	assert_true(hwf_stored_profile_has_context_counts(read));
	sums = sums_of(read);
	assert_true(sums.blocks && sums.diverted && sums.edges);
	assert_int_equal(sums.blocks, want.blocks);
	assert_int_equal(sums.diverted, want.diverted);
	assert_int_equal(sums.edges, want.edges);
	hwf_stored_profile_free(read);
	for (uint32_t i = 1; i < 20; i++) {
		const struct packed other = add_all(recordings, i);

		assert_same(&first, &other);
		free(other.bytes);
	}
	free(first.bytes);
	for (uint32_t i = 0; i < RECORDINGS; i++)
		hwf_stored_profile_free(recordings[i]);
}

/* More may be added after they were read by context. */
static void shares_are_added_after_they_were_read(void **unused)
{
	struct hwf_stored_profile *stored = a_recording(7), *twin = a_recording(7);
	struct packed a, b;

	(void)unused;
	sums_of(stored);
	state = 5;
	for (uint32_t i = 0; i < 100; i++)
		execute(stored, random_below(3), random_below(PLACES + 9));
	state = 5;
	for (uint32_t i = 0; i < 100; i++)
		execute(twin, random_below(3), random_below(PLACES + 9));
	a = pack(stored);
	b = pack(twin);
	assert_same(&a, &b);
	free(a.bytes);
	free(b.bytes);
	hwf_stored_profile_free(stored);
	hwf_stored_profile_free(twin);
}

/* Of a block that the profile does not have, no context has a share in the file. */
static void a_block_without_counts_is_left_out(void **unused)
{
	struct hwf_stored_profile *stored = a_recording(3), *twin = a_recording(3);
	const struct hwf_profile_block block = a_block(stored, PLACES + 1), once = {.taken = 1};
	struct packed a, b;

	(void)unused;
	hwf_stored_profile_count_block(stored, 0, hwf_stored_profile_block_number(stored, &block),
				       &once);
	a = pack(stored);
	b = pack(twin);
	assert_same(&a, &b);
	free(a.bytes);
	free(b.bytes);
	hwf_stored_profile_free(stored);
	hwf_stored_profile_free(twin);
}

static void profiles_with_and_without_shares_are_not_summed(void **unused)
{
	struct hwf_stored_profile *stored = a_recording(1), *other = hwf_stored_profile_new();
	const struct hwf_recording_id id = {{99}};

	(void)unused;
	hwf_stored_profile_keep_contexts(other);
	assert_int_equal(hwf_stored_profile_recording(other, &id), 0);
	assert_int_equal(hwf_stored_profile_add(stored, other), -EINVAL);
	assert_int_equal(hwf_stored_profile_add(other, stored), -EINVAL);
	hwf_stored_profile_free(stored);
	hwf_stored_profile_free(other);
}

/* One file, a block from 0 to 4, no edges and notes, a context; then the shares */
/* clang-format off */
static const uint8_t whole[] = {
	0, 1, 0, 0, 3, 1, 'a', /* recordings, files */
	2, 1, 0, 4, 0, 1, 1, 2, 2, 4, 0, 0, 0, 9, 0, 0, 0, 0, /* from 7: blocks */
	0, 4, 4, 0, 1, 1, 2, 2, 4, 0, 0, 0, 9, 0, 0, 0, 0, /* from 25: the second one, at 4 */
	0, 0, /* from 42: edges, notes */
	3, 0, 1, 0, 0, 1, 0, 1, 9, /* from 44: contexts */
	4, 3, 0, 1, 1, 0, 0, 1, 1, 4, 0, 0, 0, 1, 4, 0, 0, 0, /* from 53: shares, all three of blocks */
};
/* clang-format on */

static int reads(const uint8_t *payload, size_t size)
{
	uint8_t file[1024] = HWF_PROFILE_MAGIC;
	const size_t packed = ZSTD_compress(file + HWF_STORED_HEAD, sizeof(file) - HWF_STORED_HEAD,
					    payload, size, 3);

	assert_false(ZSTD_isError(packed));
	file[HWF_STORED_SIZE] = (uint8_t)size;
	hwf_stored_checksum(file + HWF_STORED_CHECKSUM, file, HWF_STORED_HEAD + packed);
	return unpacks(file, HWF_STORED_HEAD + packed);
}

static void damaged_shares_are_refused(void **unused)
{
	static const struct {
		const char *why;
		uint8_t at;
		uint8_t value;
	} changes[] = {
		{"an unknown tag", 53, 5},
		{"a share is missing", 54, 4},
		{"bytes are left", 54, 2},
		{"there is no such context", 60, 2},
		{"there is no block 0", 56, 0},
		{"there is no such block", 56, 3},
		{"the same block twice", 66, 0},
		{"a block after the last one", 66, 2},
		{"no counts", 57, 0},
	};
	uint8_t payload[sizeof(whole)];

	(void)unused;
	assert_int_equal(reads(whole, sizeof(whole)), 0);
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		memcpy(payload, whole, sizeof(whole));
		payload[changes[i].at] = changes[i].value;
		if (reads(payload, sizeof(payload)) != -EINVAL)
			fail_msg("%s: accepted", changes[i].why);
	}
	for (size_t size = 54; size < sizeof(whole); size++)
		assert_int_equal(reads(whole, size), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_are_summed_by_context),
		cmocka_unit_test(shares_are_added_after_they_were_read),
		cmocka_unit_test(a_block_without_counts_is_left_out),
		cmocka_unit_test(profiles_with_and_without_shares_are_not_summed),
		cmocka_unit_test(damaged_shares_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
