/* SPDX-License-Identifier: GPL-2.0-only */
/* Segments in order: what a walk over all of them would find. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "symbols/segments.h"

enum { MOST = 12, ADDRESSES = 64 };

static bool has(const struct hwf_image_segment *segment, bool by_offset, uint64_t at)
{
	const uint64_t start = by_offset ? segment->offset : segment->address;

	return at >= start && at - start < segment->size;
}

/* The rule of segments_find(), by a walk over all segments */
static const struct hwf_image_segment *walk(const struct hwf_image_elf *elf, bool by_offset,
					    uint64_t at)
{
	for (size_t i = 0; i < elf->segment_count; i++)
		if (elf->segments[i].executable && has(&elf->segments[i], by_offset, at))
			return &elf->segments[i];
	for (size_t i = 0; i < elf->segment_count && by_offset; i++)
		if (has(&elf->segments[i], by_offset, at))
			return &elf->segments[i];
	return NULL;
}

static void compare_all(const struct hwf_image_elf *elf, uint64_t base)
{
	struct segments *by_address = segments_by_address(elf);
	struct segments *by_offset = segments_by_offset(elf);

	assert_non_null(by_address);
	assert_non_null(by_offset);
	for (uint64_t i = 0; i <= ADDRESSES; i++) {
		assert_ptr_equal(segments_find(by_address, base + i), walk(elf, false, base + i));
		assert_ptr_equal(segments_find(by_offset, base + i), walk(elf, true, base + i));
	}
	segments_free(by_address);
	segments_free(by_offset);
}

/* Segments at random, near an address: they overlap, are empty, and have the same beginnings. */
static void try_random(uint64_t base)
{
	static struct hwf_image_segment segments[MOST];
	struct hwf_image_elf elf = {.segments = segments};

	for (unsigned int turn = 0; turn < 20000; turn++) {
		elf.segment_count = (size_t)rand() % (MOST + 1);
		for (size_t i = 0; i < elf.segment_count; i++)
			segments[i] = (struct hwf_image_segment){
				.address = base + (uint64_t)rand() % ADDRESSES,
				.offset = base + (uint64_t)rand() % ADDRESSES,
				.size = (uint64_t)rand() % (ADDRESSES / 2),
				.executable = rand() % 2,
			};
		compare_all(&elf, base);
	}
}

static void any_segments_are_found_as_by_a_walk(void **state)
{
	(void)state;
	srand(1);
	try_random(0);
	try_random(0xffff800000000000);
}

/* A size beyond the last address: the segment goes up to it. */
static void no_size_wraps(void **state)
{
	struct hwf_image_segment segment = {
		.address = UINT64_MAX - 16, .size = UINT64_MAX, .executable = true};
	const struct hwf_image_elf elf = {.segments = &segment, .segment_count = 1};
	struct segments *segments = segments_by_address(&elf);

	(void)state;
	assert_ptr_equal(segments_find(segments, UINT64_MAX - 1), &segment);
	assert_ptr_equal(segments_find(segments, UINT64_MAX - 16), &segment);
	assert_null(segments_find(segments, UINT64_MAX - 17));
	assert_null(segments_find(segments, 0));
	segments_free(segments);
	assert_null(segments_find(NULL, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_segments_are_found_as_by_a_walk),
		cmocka_unit_test(no_size_wraps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
