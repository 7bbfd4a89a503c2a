// SPDX-License-Identifier: GPL-2.0-only
/* The bytes of each trace ID in CoreSight frames: in memory, and in a temporary file. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hwflow/frames.h"
#include "input/deframe.h"

/* Frames of a store in memory, and of one in a file */
#define FEW  ((size_t)0x1000)
#define MANY ((size_t)0x60000)

/* Random frames: trace IDs change anywhere in a frame, some of them are padding or reserved. */
static uint8_t *make_frames(size_t count)
{
	uint8_t *frames = malloc(count * HWF_FRAME);
	uint32_t state = 1;

	assert_non_null(frames);
	for (size_t i = 0; i < count * HWF_FRAME; i++) {
		state = state * 1664525 + 1013904223;
		frames[i] = (uint8_t)(state >> 24);
	}
	return frames;
}

/* struct expected - the next byte that each trace ID has to have */
struct expected {
	const struct frame_stream *streams[0x80];
	size_t at[0x80];
};

/* Each byte of the frames is the next one of its trace ID, and no ID has more. */
static void check_streams(const uint8_t *frames, size_t count, const struct frame_streams *streams)
{
	struct expected expected = {0};
	struct hwf_frame_byte out[HWF_FRAME];
	struct hwf_deframer deframer;

	for (size_t i = 0; i < streams->count; i++)
		expected.streams[streams->items[i].id] = &streams->items[i];
	hwf_deframer_init(&deframer);
	for (size_t frame = 0; frame < count; frame++) {
		const size_t bytes = hwf_deframe(&deframer, frames + frame * HWF_FRAME, out);

		for (size_t i = 0; i < bytes; i++) {
			const uint8_t id = out[i].id;

			if (id < FRAME_FIRST_ID || id > FRAME_LAST_ID)
				continue;
			if (!expected.streams[id] ||
			    expected.at[id] >= expected.streams[id]->length ||
			    expected.streams[id]->bytes[expected.at[id]] != out[i].value)
				fail_msg("frame %zu, byte %zu of ID %#x", frame, expected.at[id],
					 id);
			expected.at[id]++;
		}
	}
	for (size_t i = 0; i < streams->count; i++)
		assert_int_equal(expected.at[streams->items[i].id], streams->items[i].length);
}

static void check_store(size_t count, bool is_file)
{
	uint8_t *frames = make_frames(2 * count);
	struct frame_streams first, second;
	struct frame_store *store;

	assert_int_equal(frame_store_new(&store, 2 * count * HWF_FRAME), 0);
	assert_int_equal(frame_store_map(store) != NULL, is_file);
	assert_int_equal(deframe_all(store, frames, count * HWF_FRAME, NULL, &first), 0);
	/* an incomplete frame is not read */
	assert_int_equal(deframe_all(store, frames + count * HWF_FRAME,
				     count * HWF_FRAME - HWF_FRAME + 5, NULL, &second),
			 0);
	assert_int_equal(first.count, FRAME_LAST_ID);
	check_streams(frames, count, &first);
	check_streams(frames + count * HWF_FRAME, count - 1, &second);
	frame_store_free(store);
	free(frames);
}

static void few_frames_are_sorted_in_memory(void **state)
{
	(void)state;
	check_store(FEW, false);
}

static void many_frames_are_sorted_in_a_file(void **state)
{
	(void)state;
	check_store(MANY, true);
}

static void no_frames_have_no_streams(void **state)
{
	struct frame_streams streams;
	struct frame_store *store;

	(void)state;
	assert_int_equal(frame_store_new(&store, 0), 0);
	assert_int_equal(deframe_all(store, NULL, 0, NULL, &streams), 0);
	assert_int_equal(streams.count, 0);
	frame_store_free(store);
}

static void errors_are_returned(void **state)
{
	const char *old = getenv("TMPDIR");
	uint8_t *frames = make_frames(FEW);
	struct frame_streams streams;
	struct frame_store *store;

	(void)state;
	assert_int_equal(frame_store_new(&store, HWF_FRAME * (FEW / 2)), 0);
	assert_int_equal(deframe_all(store, frames, HWF_FRAME * FEW, NULL, &streams), -ENOSPC);
	frame_store_free(store);
	free(frames);
	setenv("TMPDIR", "/nowhere", 1);
	assert_int_equal(frame_store_new(&store, HWF_FRAME * MANY), -ENOENT);
	if (old)
		setenv("TMPDIR", old, 1);
	else
		unsetenv("TMPDIR");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_frames_are_sorted_in_memory),
		cmocka_unit_test(many_frames_are_sorted_in_a_file),
		cmocka_unit_test(no_frames_have_no_streams),
		cmocka_unit_test(errors_are_returned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
