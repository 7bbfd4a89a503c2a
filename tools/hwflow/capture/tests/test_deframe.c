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
#include "capture/deframe.h"

/* Frames of a store in memory, and of one in a file */
#define FEW  ((size_t)0x1000)
#define MANY ((size_t)0x60000)

/*
 * Random frames: trace IDs change anywhere in a frame, some of them are padding or reserved. No
 * frame has the ID 0x7f, which synchronisation packets are recognised by.
 */
static uint8_t *make_frames(size_t count)
{
	uint8_t *frames = malloc(count * HWF_FRAME);
	uint32_t state = 1;

	assert_non_null(frames);
	for (size_t i = 0; i < count * HWF_FRAME; i++) {
		state = state * 1664525 + 1013904223;
		frames[i] = (uint8_t)(state >> 24);
		if (!(i & 1) && frames[i] == 0xff)
			frames[i] = 0xe1;
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

			if (id < HWF_FRAME_ID_FIRST || id > HWF_FRAME_ID_LAST)
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
	assert_int_equal(
		deframe_all(store, frames, count * HWF_FRAME, NULL, FRAME_NO_BARRIERS, &first), 0);
	/* an incomplete frame is not read */
	assert_int_equal(deframe_all(store, frames + count * HWF_FRAME,
				     count * HWF_FRAME - HWF_FRAME + 5, NULL, FRAME_NO_BARRIERS,
				     &second),
			 0);
	assert_int_equal(first.count, HWF_FRAME_ID_LAST);
	assert_int_equal(second.partial.offset, (count - 1) * HWF_FRAME);
	assert_int_equal(second.partial.bytes, 5);
	check_streams(frames, count, &first);
	check_streams(frames + count * HWF_FRAME, count - 1, &second);
	frame_streams_free(&first);
	frame_streams_free(&second);
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
	assert_int_equal(deframe_all(store, NULL, 0, NULL, FRAME_NO_BARRIERS, &streams), 0);
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
	assert_int_equal(
		deframe_all(store, frames, HWF_FRAME * FEW, NULL, FRAME_NO_BARRIERS, &streams),
		-ENOSPC);
	frame_streams_free(&streams);
	frame_store_free(store);
	free(frames);
	setenv("TMPDIR", "/nowhere", 1);
	assert_int_equal(frame_store_new(&store, HWF_FRAME * MANY), -ENOENT);
	if (old)
		setenv("TMPDIR", old, 1);
	else
		unsetenv("TMPDIR");
}

/* ---- synchronisation packets ---- */

/* struct port - what a TPIU writes */
struct port {
	uint8_t bytes[0x400];
	size_t length;
};

static const uint8_t full_sync[] = {0xff, 0xff, 0xff, 0x7f};
static const uint8_t half_sync[] = {0xff, 0x7f};

static void put(struct port *port, const void *bytes, size_t length)
{
	assert_true(port->length + length <= sizeof(port->bytes));
	memcpy(port->bytes + port->length, bytes, length);
	port->length += length;
}

static void put_full(struct port *port, unsigned int times)
{
	while (times--)
		put(port, full_sync, sizeof(full_sync));
}

/* A frame of 14 bytes with an ID: @first, @first + 1, ... */
static void put_frame(struct port *port, uint8_t id, uint8_t first)
{
	uint8_t frame[HWF_FRAME] = {(uint8_t)(id << 1 | 1)};

	for (unsigned int i = 1; i < 15; i++) {
		const unsigned int value = first + i - 1;

		frame[i] = (uint8_t)(i & 1 ? value : value & 0xfe);
		frame[15] |= (uint8_t)(i & 1 ? 0 : (value & 1) << i / 2);
	}
	put(port, frame, sizeof(frame));
}

static struct frame_store *store_of(const struct port *port, enum frame_barriers barriers,
				    struct frame_streams *streams)
{
	struct frame_store *store;

	assert_int_equal(frame_store_new(&store, port->length), 0);
	assert_int_equal(deframe_all(store, port->bytes, port->length, NULL, barriers, streams), 0);
	return store;
}

/* A stream is @count frames of put_frame(), whose first byte each is in @firsts. */
static void check_stream(const struct frame_stream *stream, uint8_t id, bool cut,
			 const char *firsts)
{
	const size_t count = strlen(firsts);

	assert_int_equal(stream->id, id);
	assert_int_equal(stream->cut, cut);
	assert_int_equal(stream->length, 14 * count);
	for (size_t i = 0; i < stream->length; i++)
		assert_int_equal(stream->bytes[i], (uint8_t)((uint8_t)firsts[i / 14] + i % 14));
}

static void nothing_is_lost(const struct frame_streams *streams)
{
	assert_int_equal(streams->beginning.bytes, 0);
	assert_int_equal(streams->unaligned.bytes, 0);
	assert_int_equal(streams->partial.bytes, 0);
	assert_int_equal(streams->reserved.bytes, 0);
}

/* Random frames, with full packets between them and half packets at any even byte */
static void frames_with_synchronisation_have_the_bytes_of_those_without(void **state)
{
	uint8_t *frames = make_frames(FEW), *synced = malloc(FEW * HWF_FRAME * 3);
	struct frame_streams streams;
	struct frame_store *store;
	uint32_t random = 7;
	size_t length = 0;

	(void)state;
	assert_non_null(synced);
	for (size_t i = 0; i < FEW * HWF_FRAME; i += 2) {
		random = random * 1664525 + 1013904223;
		for (unsigned int full = i % HWF_FRAME ? 0 : random >> 30; full; full--) {
			memcpy(synced + length, full_sync, sizeof(full_sync));
			length += sizeof(full_sync);
		}
		if ((random >> 20 & 7) == 0) {
			memcpy(synced + length, half_sync, sizeof(half_sync));
			length += sizeof(half_sync);
		}
		synced[length++] = frames[i];
		synced[length++] = frames[i + 1];
	}
	assert_int_equal(frame_store_new(&store, length), 0);
	assert_int_equal(deframe_all(store, synced, length, NULL, FRAME_NO_BARRIERS, &streams), 0);
	assert_int_equal(streams.count, HWF_FRAME_ID_LAST);
	assert_int_equal(streams.unaligned.bytes, 0);
	check_streams(frames, FEW, &streams);
	frame_streams_free(&streams);
	frame_store_free(store);
	free(synced);
	free(frames);
}

/* The frames before the first full packet are cut at each byte: only the packet tells where frames
 * are. */
static void a_start_inside_of_a_frame_is_left_out(void **state)
{
	(void)state;
	for (size_t missing = 1; missing < HWF_FRAME; missing++) {
		struct frame_streams streams;
		struct frame_store *store;
		struct port port = {0}, rest = {0};

		put_frame(&port, 0x10, 'a');
		put_frame(&port, 0x11, 'b');
		put_full(&port, 1);
		put_frame(&port, 0x10, 'c');
		put_full(&port, 2);
		put_frame(&port, 0x10, 'd');
		put(&rest, port.bytes + missing, port.length - missing);
		store = store_of(&rest, FRAME_NO_BARRIERS, &streams);
		assert_int_equal(streams.beginning.bytes, 2 * (size_t)HWF_FRAME - missing + 4);
		assert_int_equal(streams.count, 1);
		check_stream(&streams.items[0], 0x10, false, "cd");
		frame_streams_free(&streams);
		frame_store_free(store);
	}
}

/* Bytes are missing at each place between two full packets: the trace after them is a run of its
 * own. */
static void frames_with_a_hole_are_left_out(void **state)
{
	(void)state;
	for (size_t missing = 1; missing < HWF_FRAME; missing++) {
		const size_t before = 2 * (size_t)HWF_FRAME + 4;
		struct frame_streams streams;
		struct frame_store *store;
		struct port port = {0};

		put_frame(&port, 0x10, 'a');
		put_frame(&port, 0x11, 'b');
		put_full(&port, 1);
		put_frame(&port, 0x10, 'c');
		put_frame(&port, 0x10, 'd');
		port.length -= missing;
		put_full(&port, 1);
		put_frame(&port, 0x10, 'e');
		store = store_of(&port, FRAME_NO_BARRIERS, &streams);
		assert_int_equal(streams.unaligned_count, 1);
		assert_int_equal(streams.unaligned.offset, before);
		assert_int_equal(streams.unaligned.bytes, 2 * (size_t)HWF_FRAME - missing + 4);
		assert_int_equal(streams.count, 3);
		check_stream(&streams.items[0], 0x10, false, "a");
		check_stream(&streams.items[1], 0x10, true, "e");
		assert_int_equal(streams.items[1].at, 14);
		check_stream(&streams.items[2], 0x11, false, "b");
		frame_streams_free(&streams);
		frame_store_free(store);
	}
}

/* Data after a hole belongs to no ID before the next one is given. */
static void no_id_is_kept_across_a_hole(void **state)
{
	const uint8_t data[HWF_FRAME] = {0};
	struct frame_streams streams;
	struct frame_store *store;
	struct port port = {0};

	(void)state;
	put_frame(&port, 0x10, 'a');
	put_full(&port, 1);
	put(&port, data, sizeof(data));
	put_full(&port, 1);
	put(&port, data, 6);
	put_full(&port, 1);
	put(&port, data, sizeof(data));
	put_frame(&port, 0x10, 'b');
	store = store_of(&port, FRAME_NO_BARRIERS, &streams);
	assert_int_equal(streams.count, 2);
	assert_int_equal(streams.items[0].length, 14 + 15);
	check_stream(&streams.items[1], 0x10, true, "b");
	frame_streams_free(&streams);
	frame_store_free(store);
}

static void four_full_packets_are_a_barrier_of_linux_only(void **state)
{
	struct frame_streams streams;
	struct frame_store *store;
	struct port port = {0};

	(void)state;
	put_full(&port, 4);
	put_frame(&port, 0x10, 'a');
	put_full(&port, 4);
	put_frame(&port, 0x10, 'b');
	store = store_of(&port, FRAME_NO_BARRIERS, &streams);
	assert_int_equal(streams.count, 1);
	check_stream(&streams.items[0], 0x10, false, "ab");
	nothing_is_lost(&streams);
	frame_streams_free(&streams);
	frame_store_free(store);
	/* none is before the barrier at the beginning */
	store = store_of(&port, FRAME_BARRIERS, &streams);
	assert_int_equal(streams.count, 2);
	check_stream(&streams.items[0], 0x10, false, "a");
	check_stream(&streams.items[1], 0x10, true, "b");
	nothing_is_lost(&streams);
	frame_streams_free(&streams);
	frame_store_free(store);
}

static void synchronisation_at_the_end_is_no_partial_frame(void **state)
{
	struct frame_streams streams;
	struct frame_store *store;
	struct port port = {0};

	(void)state;
	put_frame(&port, 0x10, 'a');
	put(&port, half_sync, sizeof(half_sync));
	put_full(&port, 1);
	put(&port, half_sync, sizeof(half_sync));
	put(&port, half_sync, sizeof(half_sync));
	store = store_of(&port, FRAME_NO_BARRIERS, &streams);
	nothing_is_lost(&streams);
	check_stream(&streams.items[0], 0x10, false, "a");
	frame_streams_free(&streams);
	frame_store_free(store);
}

/* IDs without trace: 0 is padding, 0x7d a trigger; each other one is reserved, and named. */
static void reserved_ids_are_counted(void **state)
{
	(void)state;
	for (unsigned int id = 0; id < 0x7f; id++) {
		const bool is_trace = id >= HWF_FRAME_ID_FIRST && id <= HWF_FRAME_ID_LAST;
		struct frame_streams streams;
		struct frame_store *store;
		struct port port = {0};

		put_frame(&port, 0x10, 'a');
		put_frame(&port, (uint8_t)id, 'b');
		store = store_of(&port, FRAME_NO_BARRIERS, &streams);
		assert_int_equal(streams.count, is_trace && id != 0x10 ? 2 : 1);
		if (id < 0x70 || id == 0x7d) {
			nothing_is_lost(&streams);
		} else {
			assert_int_equal(streams.reserved.bytes, 14);
			assert_int_equal(streams.reserved.offset, HWF_FRAME);
			assert_int_equal(streams.reserved_id, id);
		}
		frame_streams_free(&streams);
		frame_store_free(store);
	}
}

/* A frame with the ID 0x7f and no full packet near it is a frame, whose data are not used. */
static void the_id_7f_alone_is_no_synchronisation(void **state)
{
	static const uint8_t frame[HWF_FRAME] = {0x21, 1, 0xff, 0xff, 2, 3, 0x21, 4, 6, 5, 8, 7};
	struct frame_streams streams;
	struct frame_store *store;
	struct port port = {0};

	(void)state;
	put(&port, frame, sizeof(frame));
	put_frame(&port, 0x10, 'a');
	store = store_of(&port, FRAME_NO_BARRIERS, &streams);
	assert_int_equal(streams.reserved_id, 0x7f);
	assert_int_equal(streams.reserved.bytes, 3);
	assert_int_equal(streams.count, 1);
	assert_int_equal(streams.items[0].length, 1 + 8 + 14);
	frame_streams_free(&streams);
	frame_store_free(store);
}

static void too_many_holes_are_refused(void **state)
{
	const size_t cycle = 4 + HWF_FRAME + 4 + 2;
	const size_t length = (FRAME_HOLES + 2) * cycle;
	uint8_t *bytes = calloc(1, length);
	struct frame_streams streams;
	struct frame_store *store;

	(void)state;
	assert_non_null(bytes);
	for (size_t at = 0; at < length; at += cycle) {
		memcpy(bytes + at, full_sync, sizeof(full_sync));
		bytes[at + 4] = 0x21;
		memcpy(bytes + at + 4 + HWF_FRAME, full_sync, sizeof(full_sync));
	}
	assert_int_equal(frame_store_new(&store, length), 0);
	assert_int_equal(deframe_all(store, bytes, length, NULL, FRAME_NO_BARRIERS, &streams),
			 -E2BIG);
	frame_streams_free(&streams);
	frame_store_free(store);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_frames_are_sorted_in_memory),
		cmocka_unit_test(many_frames_are_sorted_in_a_file),
		cmocka_unit_test(no_frames_have_no_streams),
		cmocka_unit_test(errors_are_returned),
		cmocka_unit_test(frames_with_synchronisation_have_the_bytes_of_those_without),
		cmocka_unit_test(a_start_inside_of_a_frame_is_left_out),
		cmocka_unit_test(frames_with_a_hole_are_left_out),
		cmocka_unit_test(no_id_is_kept_across_a_hole),
		cmocka_unit_test(four_full_packets_are_a_barrier_of_linux_only),
		cmocka_unit_test(synchronisation_at_the_end_is_no_partial_frame),
		cmocka_unit_test(reserved_ids_are_counted),
		cmocka_unit_test(the_id_7f_alone_is_no_synchronisation),
		cmocka_unit_test(too_many_holes_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
