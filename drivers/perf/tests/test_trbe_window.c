// SPDX-License-Identifier: GPL-2.0-only
/*
 * Windows in an AUX ring, against a search through all places that there are, and against a ring
 * that is written and read byte by byte, with a trace buffer that goes wrong as its errata say.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "trbe_window.h"

/* As Arm describes the two errata; the driver's own numbers are not looked at */
#define OVERWRITES	1
#define BEYOND_LIMIT	2
#define CACHE_LINES	192	/* written over, at the base: up to three */

#define UNLIMITED	0xffffffffffffffff

/* Less than this is of no use: the least that the driver's header says */
#define LEAST		512

#define MAX_SIZE	(8 * 4096)

static u64 up(u64 x, u64 to)
{
	return (x + to - 1) / to * to;
}

static u64 down(u64 x, u64 to)
{
	return x / to * to;
}

static u64 lesser(u64 a, u64 b)
{
	return a < b ? a : b;
}

static u64 greater(u64 a, u64 b)
{
	return a > b ? a : b;
}

static u32 errata(unsigned int which)
{
	return (which & OVERWRITES ? TRBE_ERRATUM_OVERWRITE : 0) |
	       (which & BEYOND_LIMIT ? TRBE_ERRATUM_OUT_OF_RANGE : 0);
}

/*
 * The window that begins at offset from of the mapping, where there is room until offset to; false
 * if it would be less than what is of use. With one erratum the base is free to be written
 * over, with the other the page behind the limit is.
 */
static bool window_from(const struct trbe_area *area, unsigned int which, u64 from, u64 to,
			struct trbe_window *window)
{
	bool mine;

	window->base = which & OVERWRITES ? from : 0;
	window->write = which & OVERWRITES ? from + up(256, area->align) : from;
	mine = from % (which & OVERWRITES ? area->page : area->align) == 0;
	window->limit = down(to, area->page);
	if (which & BEYOND_LIMIT)
		window->limit = window->limit < area->page ? 0 : window->limit - area->page;
	return mine && window->limit >= window->write + LEAST;
}

/* The first that there is, by looking at each byte of the room */
static bool window_search(const struct trbe_area *area, unsigned int which,
			  struct trbe_window *window)
{
	u64 start = area->head % area->size, end = start + area->room, at;

	for (at = start; at < end; at++) {
		bool over = !area->mirrored && at >= area->size;
		u64 from = over ? at - area->size : at;
		u64 to = over ? end - area->size : area->mirrored ? end : lesser(end, area->size);

		if (window_from(area, which, from, to, window)) {
			window->pad = at - start + window->write - from;
			return true;
		}
	}
	return false;
}

/*
 * The interrupt comes where the reader wants to be woken, but with a quarter of the window left, of
 * a small one 2 KB, of a very small one half. Alignment makes it earlier, unless it were at once.
 */
static void check_trigger(const struct trbe_area *area, const struct trbe_window *window)
{
	u64 bytes = window->limit - window->write;
	u64 left = greater(bytes / 4, lesser(bytes / 2, 2048));
	u64 ahead = area->wakeup - (area->head + window->pad);
	u64 wanted = bytes - left;

	if (ahead && ahead < 1ULL << 63)
		wanted = lesser(wanted, ahead);
	assert_true(window->trigger > 0);
	assert_int_equal(window->trigger % area->align, 0);
	assert_true(window->trigger <= greater(wanted, area->align));
	assert_true(window->trigger + area->align > wanted);
	assert_true(window->trigger <= bytes);
}

/* It is where it may be: nothing outside of the room is written, whatever the hardware does */
static void check_bounds(const struct trbe_area *area, unsigned int which,
			 const struct trbe_window *window)
{
	u64 bytes = window->limit - window->write, extent = area->size;

	if (area->mirrored)
		extent *= 2;
	assert_int_equal(window->base % area->page, 0);
	assert_int_equal(window->limit % area->page, 0);
	assert_int_equal(window->write % area->align, 0);
	assert_true(window->base <= window->write);
	assert_true(window->limit >= window->write + LEAST);
	assert_true(window->limit - window->base <= area->largest);
	assert_true(window->limit + (which & BEYOND_LIMIT ? area->page : 0) <= extent);
	assert_true(window->pad + bytes + (which & BEYOND_LIMIT ? area->page : 0) <= area->room);
	assert_int_equal((area->head + window->pad - window->write) % area->size, 0);
	if (which & OVERWRITES) {
		assert_true(window->write - window->base >= 256);
		assert_true(window->pad >= window->write - window->base);
	}
}

/* As a search finds it; or it is refused, and what is passed over is in the room */
static void check_place(const struct trbe_area *area, unsigned int which)
{
	struct trbe_window window, wanted;
	bool placed;

	memset(&window, 0x5a, sizeof(window));
	placed = trbe_window_place(area, &window);
	assert_int_equal(placed, window_search(area, which, &wanted));
	if (!placed) {
		assert_true(window.pad <= area->room);
		return;
	}
	check_bounds(area, which, &window);
	check_trigger(area, &window);
	assert_int_equal(window.base, wanted.base);
	assert_int_equal(window.write, wanted.write);
	assert_int_equal(window.limit, wanted.limit);
	assert_int_equal(window.pad, wanted.pad);
}

/* Calls check for each kind of ring: pages, sizes, alignments, mirrored or not, errata */
static void each_ring(void (*check)(struct trbe_area *area, unsigned int which))
{
	static const u64 pages[] = { 1024, 4096 };
	static const u64 aligns[] = { 1, 64, 512, 2048 };
	unsigned int p, a, which, n;

	for (p = 0; p < 2; p++)
		for (a = 0; a < 4; a++)
			for (n = 0; n < 4 * 4 * 2; n++) {
				struct trbe_area area = {
					.size = pages[p] << (n / 8),
					.page = pages[p],
					.align = aligns[a],
					.largest = UNLIMITED,
					.mirrored = n & 4,
					.errata = errata(n & 3),
				};

				which = n & 3;
				if (area.align < area.page)
					check(&area, which);
			}
}

/* A stride that meets each place in a cache line and a page, some time */
static void place_heads(struct trbe_area *area, unsigned int which)
{
	u64 head, room, stride = area->size / 24 + 13;

	for (head = 0; head < area->size; head += stride)
		for (room = 0; room <= area->size; room += area->size / 8) {
			area->head = 5 * area->size + head;
			area->room = room;
			area->wakeup = area->head + (head * 7 + room) % (2 * area->size);
			check_place(area, which);
			area->head = up(area->head, area->align);
			area->wakeup = area->head - area->head % 3;
			check_place(area, which);
		}
}

static void windows_are_where_a_search_finds_them(void **state)
{
	each_ring(place_heads);
}

/* Head and wakeup are counts of 64 bits, which go from the last to 0 */
static void place_at_end_of_counts(struct trbe_area *area, unsigned int which)
{
	u64 before;

	for (before = 0; before < 2 * area->size; before += area->size / 8 + 9) {
		area->head = 0 - before;
		area->room = area->size;
		area->wakeup = area->head + area->size / 2;
		check_place(area, which);
		area->wakeup = area->head - 1;
		check_place(area, which);
	}
}

static void counts_may_begin_anew(void **state)
{
	each_ring(place_at_end_of_counts);
}

static void large_rings_have_large_windows(void **state)
{
	unsigned int which, mirrored;
	u64 size;

	for (size = 1ULL << 20; size <= 1ULL << 46; size <<= 2)
		for (which = 0; which < 4; which++)
			for (mirrored = 0; mirrored < 2; mirrored++) {
				struct trbe_area area = {
					.head = 3 * size + size / 2 + 64, .room = size,
					.wakeup = 4 * size, .size = size, .mirrored = mirrored,
					.align = 64, .largest = UNLIMITED, .page = 65536,
					.errata = errata(which),
				};
				struct trbe_window window;
				u64 most = mirrored ? size : size / 2;

				assert_true(trbe_window_place(&area, &window));
				check_bounds(&area, which, &window);
				check_trigger(&area, &window);
				assert_true(window.limit - window.write + 3 * 65536 > most);
			}
}

/* An AUX ring as the reader sees it, each byte with what was written there last */
struct aux {
	u64 head, tail, traced, read;
	u32 byte[MAX_SIZE];
	bool unread[MAX_SIZE];
};

#define PADDING		0xfffffffe
#define GARBAGE		0xffffffff

static void aux_put(struct aux *aux, const struct trbe_area *area, u64 offset, u32 byte)
{
	u64 at = offset % area->size;

	assert_true(offset < (area->mirrored ? 2 * area->size : area->size));
	/* what has not been read may be written again only by errata, and only if it was padding */
	if (aux->unread[at])
		assert_true(aux->byte[at] == PADDING && byte == GARBAGE);
	aux->byte[at] = byte;
}

/* What was made of padding is padding again; nothing else is touched */
static void aux_mend(struct aux *aux, const struct trbe_area *area,
		     const struct trbe_window *window)
{
	u64 from, bytes = trbe_window_spoiled(area, window, &from);

	for (; bytes; bytes--, from++) {
		u32 *byte = &aux->byte[from % area->size];

		assert_true(from < (area->mirrored ? 2 * area->size : area->size));
		assert_true(*byte == PADDING || *byte == GARBAGE);
		*byte = PADDING;
	}
}

/* As trbe_record_skip(): of what is passed over, the last byte of the room is left */
static void aux_skip(struct aux *aux, const struct trbe_area *area, u64 bytes)
{
	u64 limit = lesser(bytes, area->room ? area->room - 1 : 0);

	for (; limit; limit--, aux->head++) {
		assert_false(aux->unread[aux->head % area->size]);
		aux->byte[aux->head % area->size] = PADDING;
		aux->unread[aux->head % area->size] = true;
	}
}

/* What is read is what was traced, in order, with nothing but padding between */
static void aux_read(struct aux *aux, const struct trbe_area *area)
{
	for (; aux->tail != aux->head; aux->tail++) {
		u32 byte = aux->byte[aux->tail % area->size];

		assert_true(aux->unread[aux->tail % area->size]);
		aux->unread[aux->tail % area->size] = false;
		if (byte != PADDING)
			assert_int_equal(byte, (u32)aux->read++);
	}
}

/* The trace unit has so many bytes; the buffer stops where it is full, and then goes wrong */
static void aux_trace(struct aux *aux, const struct trbe_area *area, unsigned int which,
		      const struct trbe_window *window, u64 bytes)
{
	u64 room = window->limit - window->write, pointer = window->write, i, collected;
	bool full = bytes >= room;

	for (i = 0; i < lesser(bytes, room); i++)
		aux_put(aux, area, pointer++, (u32)aux->traced++);
	if (full) {
		pointer = window->base;
		for (i = 0; which & OVERWRITES && i < CACHE_LINES; i++)
			aux_put(aux, area, pointer++, GARBAGE);
		for (i = 0; which & BEYOND_LIMIT && i < area->page; i++)
			aux_put(aux, area, window->limit + i, GARBAGE);
	}
	assert_true(trbe_window_collected(window, pointer, full, &collected));
	assert_int_equal(collected, lesser(bytes, room));
	aux_mend(aux, area, window);
	for (i = 0; i < collected; i++, aux->head++)
		aux->unread[aux->head % area->size] = true;
}

/*
 * Sessions of all lengths, by a reader that reads only when there is no room: after a few tries
 * there is a window, or it would never be.
 */
static void trace_and_read(struct trbe_area *area, unsigned int which)
{
	static const u64 lengths[] = { 0, 1, 40, 600, 3000, 5000, 1 << 20 };
	static struct aux the_aux;
	struct aux *aux = &the_aux;
	struct trbe_window window;
	unsigned int i, refused = 0;
	u64 sessions = 0;

	if (which & BEYOND_LIMIT && area->size == area->page)
		return;
	memset(aux, 0, sizeof(*aux));
	for (i = 0; i < 400; i++) {
		bool placed;

		area->head = aux->head;
		area->room = area->size - (aux->head - aux->tail);
		area->wakeup = aux->head + area->size / 2;
		placed = trbe_window_place(area, &window);
		aux_skip(aux, area, window.pad);
		if (!placed) {
			aux_read(aux, area);
			assert_true(++refused < 4);
			continue;
		}
		assert_int_equal(aux->head % area->size, window.write % area->size);
		aux_trace(aux, area, which, &window, up(lengths[i % 7], area->align));
		refused = 0;
		sessions++;
	}
	aux_read(aux, area);
	assert_int_equal(aux->read, aux->traced);
	assert_true(sessions > 90);
}

static void nothing_unread_is_written_and_trace_goes_on(void **state)
{
	each_ring(trace_and_read);
}

/* Whatever is left of a ring that was read: there is a window in it after two refusals at most */
static void go_on_from_head(struct trbe_area *area, unsigned int which)
{
	struct trbe_window window;
	unsigned int tries;
	u64 head;

	if (which & BEYOND_LIMIT && area->size == area->page)
		return;
	for (head = 0; head < area->size; head += 7) {
		area->head = head;
		area->room = area->size;
		for (tries = 0; !trbe_window_place(area, &window); tries++) {
			assert_true(tries < 3);
			assert_true(window.pad > 0);
			area->head += lesser(window.pad, area->room - 1);
		}
	}
}

static void an_empty_ring_is_never_refused_for_good(void **state)
{
	each_ring(go_on_from_head);
}

/* A trace buffer that may not be large: nothing else about its windows changes */
static void limit_ring(struct trbe_area *area, unsigned int which)
{
	static const u64 pages[] = { 1, 2, 3, 8 };
	struct trbe_window window;
	unsigned int i;
	u64 head;

	for (i = 0; i < 4; i++) {
		area->largest = pages[i] * area->page + (i & 1) * 700;
		go_on_from_head(area, which);
		trace_and_read(area, which);
		for (head = 0; head < 3 * area->size; head += 13) {
			area->head = head;
			area->room = area->size - head % 5 * (area->size / 8);
			area->wakeup = head + area->size / 2;
			if (trbe_window_place(area, &window)) {
				check_bounds(area, which, &window);
				check_trigger(area, &window);
			}
		}
	}
}

static void a_window_is_no_larger_than_a_buffer_may_be(void **state)
{
	each_ring(limit_ring);
}

/* The largest that may be is made use of, up to what a window loses at its ends */
static void a_buffer_that_is_limited_is_used(void **state)
{
	struct trbe_area area = {
		.size = 64 * 4096, .page = 4096, .align = 1, .mirrored = true,
		.largest = 5 * 4096 + 5,
	};
	struct trbe_window window;

	for (area.head = 0; area.head < area.size; area.head += 99) {
		area.room = area.size;
		area.wakeup = area.head + area.size;
		assert_true(trbe_window_place(&area, &window));
		assert_true(window.limit - window.write > 4 * 4096);
	}
}

/* A ring is possible if there ever is a window: whatever its head and however empty it is */
static void seek_window(struct trbe_area *area, unsigned int which)
{
	struct trbe_window window;
	bool any_window = false;
	u64 head;

	for (head = 0; head < area->size; head += 64) {
		area->head = head;
		area->room = area->size;
		any_window |= trbe_window_place(area, &window);
	}
	area->head = 77;
	area->room = 0;
	assert_int_equal(trbe_window_possible(area, false), any_window);
	assert_int_equal(any_window, !(which & BEYOND_LIMIT && area->size == area->page));
	assert_int_equal(trbe_window_possible(area, true),
			 !(which & BEYOND_LIMIT && area->size == area->page));
	area->largest = area->size - (which & BEYOND_LIMIT ? area->page : 0);
	if (!area->largest)
		return;
	assert_true(trbe_window_possible(area, true));
	/* where the hardware wraps, the buffer is the whole ring; elsewhere a part of it will do */
	area->largest--;
	assert_int_equal(trbe_window_possible(area, true),
			 which & BEYOND_LIMIT && area->size > 2 * area->page);
}

static void a_ring_that_is_of_no_use_is_known(void **state)
{
	each_ring(seek_window);
}

static void a_pointer_out_of_the_window_is_no_count(void **state)
{
	const struct trbe_window window = { .base = 4096, .write = 4352, .limit = 12288 };
	u64 bytes;

	assert_true(trbe_window_collected(&window, 4352, false, &bytes));
	assert_int_equal(bytes, 0);
	assert_true(trbe_window_collected(&window, 12287, false, &bytes));
	assert_int_equal(bytes, 12287 - 4352);
	assert_false(trbe_window_collected(&window, 12288, false, &bytes));
	assert_false(trbe_window_collected(&window, 4351, false, &bytes));
	assert_false(trbe_window_collected(&window, 0, false, &bytes));
	assert_false(trbe_window_collected(&window, 0xffffffffffff0000, false, &bytes));
	assert_true(trbe_window_collected(&window, 4096 + 192, true, &bytes));
	assert_int_equal(bytes, 12288 - 4352);
}

/* What a snapshot's window must be, and what the hardware makes of it byte by byte */
static void snapshot_session(struct trbe_area *area, u64 bytes)
{
	u64 laps = 0, went, at, i;
	struct trbe_window window;

	memset(&window, 0x5a, sizeof(window));
	assert_true(trbe_window_place_snapshot(area, &window));
	assert_int_equal(window.base, 0);
	assert_int_equal(window.limit, area->size);
	assert_int_equal(window.write % area->align, 0);
	assert_true(window.write < window.limit);
	assert_true(window.pad < area->align);
	assert_int_equal(window.trigger, 0);
	area->head += window.pad;
	assert_int_equal(area->head % area->size, window.write);
	for (i = 0, at = window.write; i < bytes; i++)
		if (++at == window.limit) {
			at = 0;
			laps++;
		}
	assert_int_equal(trbe_window_spoiled(area, &window, &i), 0);
	assert_true(trbe_window_advance(area, &window, at, laps, &went));
	assert_int_equal((area->head + went) % area->size, at);
	if (laps < 2)
		assert_int_equal(went, bytes);
	else
		assert_int_equal((bytes - went) % area->size, 0);
	assert_false(trbe_window_advance(area, &window, window.limit, laps, &went));
	if (window.write)
		assert_false(trbe_window_advance(area, &window, window.write - 1, false, &went));
	area->head += went;
}

/* What a snapshot reads: from the head on trace in order, with nothing but padding between */
static void read_snapshot(const struct trbe_area *area, const u32 *content)
{
	u32 last = PADDING;
	u64 i;

	for (i = 0; i < area->size; i++) {
		const u32 byte = content[(area->head + i) % area->size];

		if (byte == PADDING)
			continue;
		if (last != PADDING)
			assert_int_equal(byte, last + 1);
		last = byte;
	}
}

/*
 * A session in a snapshot's ring in which the hardware must not wrap, as trace behind a wrap is
 * written behind the limit. The trace unit has so many bytes.
 */
static void lap_session(struct trbe_area *area, unsigned int which, u32 *content, u32 *next,
			u64 bytes)
{
	struct trbe_window window;
	u64 i, collected, room;

	memset(&window, 0x5a, sizeof(window));
	/* of an earlier record: nobody is woken by a snapshot's ring */
	area->wakeup = area->head + area->size / 64;
	assert_true(trbe_window_place_snapshot(area, &window));
	assert_true(2 * (window.trigger + area->align) > window.limit - window.write);
	assert_true(window.limit + area->page <= area->size);
	assert_true(window.limit - window.base <= area->largest);
	assert_true(window.write >= window.base && window.limit >= window.write + LEAST);
	for (i = 0; i < window.pad; i++)
		content[(area->head + i) % area->size] = PADDING;
	area->head += window.pad;
	assert_int_equal(area->head % area->size, window.write);
	room = window.limit - window.write;
	for (i = 0; i < lesser(bytes, room); i++)
		content[window.write + i] = (*next)++;
	if (bytes >= room) {
		for (i = 0; which & OVERWRITES && i < CACHE_LINES; i++)
			content[window.base + i] = GARBAGE;
		for (i = 0; i < area->page; i++)
			content[window.limit + i] = GARBAGE;
	}
	assert_true(trbe_window_collected(&window, window.write + lesser(bytes, room - 1),
					  bytes >= room, &collected));
	for (room = trbe_window_spoiled(area, &window, &i); room; room--, i++)
		content[i] = PADDING;
	/* as trbe_record_close() does */
	for (i = 0; bytes >= window.limit - window.write && i < area->page; i++)
		content[window.limit + i] = PADDING;
	area->head += collected;
	read_snapshot(area, content);
}

static void laps_of_ring(struct trbe_area *area, unsigned int which)
{
	static u32 content[MAX_SIZE];
	u64 start, bytes;
	u32 next = 0;

	assert_true(area->size <= MAX_SIZE);
	for (start = 0; start < area->size; start += area->size / 16 + 1) {
		area->head = start;
		for (bytes = 0; bytes < area->size; bytes++)
			content[bytes] = PADDING;
		for (bytes = 0; bytes < 3 * area->size; bytes += area->size / 5)
			lap_session(area, which, content, &next, bytes);
	}
}

static void snapshots_of_ring(struct trbe_area *area, unsigned int which)
{
	struct trbe_window window;
	u64 start, bytes;

	if (which & BEYOND_LIMIT && area->size == area->page) {
		assert_false(trbe_window_place_snapshot(area, &window));
		return;
	}
	if (which & BEYOND_LIMIT) {
		laps_of_ring(area, which);
		return;
	}
	for (start = 0; start < area->size; start += area->size / 16 + 1) {
		area->head = start;
		for (bytes = 0; bytes < 3 * area->size; bytes += area->size / 5)
			snapshot_session(area, bytes);
	}
}

static void a_snapshot_is_the_whole_ring(void **state)
{
	each_ring(snapshots_of_ring);
}

/* The Trigger Counter counts each byte; a counter that saw too little gives no round */
static void rounds_are_those_after_the_first_end(void **state)
{
	const struct trbe_window window = { .write = 0x300, .limit = 0x1000 };

	assert_int_equal(trbe_window_rounds(&window, 0), 0);
	assert_int_equal(trbe_window_rounds(&window, 0xcff), 0);
	assert_int_equal(trbe_window_rounds(&window, 0xd00), 0);
	assert_int_equal(trbe_window_rounds(&window, 0x1cff), 0);
	assert_int_equal(trbe_window_rounds(&window, 0x1d00), 1);
	assert_int_equal(trbe_window_rounds(&window, 0x4d01), 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_are_where_a_search_finds_them),
		cmocka_unit_test(counts_may_begin_anew),
		cmocka_unit_test(large_rings_have_large_windows),
		cmocka_unit_test(nothing_unread_is_written_and_trace_goes_on),
		cmocka_unit_test(an_empty_ring_is_never_refused_for_good),
		cmocka_unit_test(a_window_is_no_larger_than_a_buffer_may_be),
		cmocka_unit_test(a_buffer_that_is_limited_is_used),
		cmocka_unit_test(a_ring_that_is_of_no_use_is_known),
		cmocka_unit_test(a_pointer_out_of_the_window_is_no_count),
		cmocka_unit_test(a_snapshot_is_the_whole_ring),
		cmocka_unit_test(rounds_are_those_after_the_first_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
