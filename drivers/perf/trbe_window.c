// SPDX-License-Identifier: GPL-2.0-only
/*
 * From indices of a perf AUX ring to the pointers of the trace buffer. Pure: it is built and tested
 * on any host.
 */
#include <linux/align.h>
#include <linux/bits.h>
#include <linux/math.h>
#include <linux/minmax.h>

#include "trbe_window.h"

/*
 * Bytes of trace until the interrupt, out of those between write and limit. Where the reader
 * wants to be woken, but with a quarter of the window left, and of a small one half: that is for
 * what is traced until the interrupt is taken, and for what the trace unit holds then.
 */
static u64 trbe_window_trigger(const struct trbe_ring *ring, u64 head, u64 bytes)
{
	u64 reserve = max(bytes / 4, min_t(u64, bytes / 2, TRBE_WINDOW_RESERVE));
	u64 most = bytes - reserve, ahead = ring->wakeup - head;

	/* where it is behind, it is ahead by nearly all numbers that there are */
	return max(round_down(min(most, ahead ?: most), ring->align), ring->align);
}

/* Base and current write pointer of a window from start on, in bytes from the ring's start */
static void trbe_window_begin(const struct trbe_ring *ring, u64 start, struct trbe_window *window)
{
	window->base = 0;
	window->write = round_up(start, ring->align);
	if (ring->errata & TRBE_ERRATUM_OVERWRITE) {
		window->base = round_up(start, ring->page);
		window->write = window->base + round_up(TRBE_OVERWRITE_BYTES, ring->align);
	}
}

/*
 * What is left of a page of which a window can use nothing, or next to nothing. If it were left, a
 * ring of one page could never be used again, for no window can begin in it.
 */
static u64 trbe_window_rest(const struct trbe_ring *ring, u64 start)
{
	u64 end = round_up(start, ring->page);
	struct trbe_window window;

	trbe_window_begin(ring, start, &window);
	return end < window.write + TRBE_WINDOW_MIN ? min(end - start, ring->room) : 0;
}

/*
 * The base is the ring's start, if it may be: it is written seldom then. Where that makes the
 * buffer too large, it is the page of the current write pointer.
 */
static void trbe_window_shorten(const struct trbe_ring *ring, struct trbe_window *window)
{
	if (window->limit <= window->base || window->limit - window->base <= ring->largest)
		return;
	window->base = round_down(window->write, ring->page);
	window->limit = min(window->limit,
			    window->base + round_down(ring->largest, ring->page));
}

/* A window from start on, where the ring has room until end, both in bytes from the ring's start */
static bool trbe_window_try(const struct trbe_ring *ring, u64 start, u64 end,
			    struct trbe_window *window)
{
	trbe_window_begin(ring, start, window);
	window->limit = round_down(end, ring->page);
	if (ring->errata & TRBE_ERRATUM_OUT_OF_RANGE)
		window->limit -= min(window->limit, ring->page);
	trbe_window_shorten(ring, window);
	return window->limit >= window->write + TRBE_WINDOW_MIN;
}

/**
 * trbe_window_place() - the trace buffer for what may be written of a ring
 * @ring: the ring
 * @window: written
 *
 * The ring is mapped twice, and the window lies where the room does, over the end of the ring if
 * need be::
 *
 *      0         head                size                          2 * size
 *      |---------|=======room========|=====|-------------------------|
 *                |pad|write      trigger^  |limit, a page's start: what is behind is left free
 *
 * Trace goes on after the interrupt at the trigger until the limit; there collection stops, since
 * what is behind may not have been read.
 *
 * Where the ring is mapped once, the window ends at the ring's end at the latest; if there is too
 * little room before that, it begins at the ring's start, and what is before is padding.
 *
 * With TRBE_ERRATUM_OVERWRITE, up to TRBE_OVERWRITE_BYTES at the base are written over when the
 * buffer is full: base is where write would be, and write is behind that. With
 * TRBE_ERRATUM_OUT_OF_RANGE, up to a page behind the limit may be written: the limit is a page
 * less.
 *
 * Return: false if there is not room enough for a window: @window's pad then is what is of no use
 * for one, and to be filled with padding so that a reader passes over it.
 */
bool trbe_window_place(const struct trbe_ring *ring, struct trbe_window *window)
{
	u64 start = ring->head & (ring->size - 1), end = start + ring->room, pad = 0;

	if (!ring->mirrored && end > ring->size) {
		if (trbe_window_try(ring, start, ring->size, window)) {
			end = ring->size;
		} else {
			pad = ring->size - start;
			start = 0;
			end -= ring->size;
		}
	}
	if (!trbe_window_try(ring, start, end, window)) {
		window->pad = pad ?: trbe_window_rest(ring, start);
		return false;
	}
	window->pad = pad + window->write - start;
	window->trigger = trbe_window_trigger(ring, ring->head + window->pad,
					      window->limit - window->write);
	return true;
}

/**
 * trbe_window_collected() - how many bytes of trace a window has got
 * @window: of trbe_window_place(); collection stops where it is full
 * @write: the current write pointer now, in bytes from the start of the ring
 * @wrapped: the limit was reached
 * @bytes: set to how many, from @window's write on
 *
 * Where the limit was reached the pointer says nothing: it is the base, or with
 * TRBE_ERRATUM_OVERWRITE something behind that.
 *
 * Return: false if the pointer is where it cannot be.
 */
bool trbe_window_collected(const struct trbe_window *window, u64 write, bool wrapped, u64 *bytes)
{
	if (wrapped) {
		*bytes = window->limit - window->write;
		return true;
	}
	*bytes = write - window->write;
	return write >= window->write && write < window->limit;
}

/**
 * trbe_window_spoiled() - what of a ring that a reader sees the errata may have written over
 * @ring: the ring
 * @window: its window, in which collection has ended
 * @from: set to where, in bytes from the start of the ring
 *
 * It was padding before, or in a ring that is written over and over nothing yet, and is to be
 * padding again.
 *
 * Return: how many bytes; 0 for none.
 */
u64 trbe_window_spoiled(const struct trbe_ring *ring, const struct trbe_window *window, u64 *from)
{
	if (!window->trigger) {
		*from = window->limit;
		return ring->size - window->limit;
	}
	*from = window->base;
	return ring->errata & TRBE_ERRATUM_OVERWRITE ? window->write - window->base : 0;
}

/**
 * trbe_window_place_snapshot() - the trace buffer for a ring that is written over and over
 * @ring: the ring; @room and @wakeup mean nothing
 * @window: written
 *
 * The buffer is the ring, and the hardware goes from its end to its start by itself.
 * TRBE_ERRATUM_OVERWRITE is of no concern: this buffer does not stop where it is full. With
 * TRBE_ERRATUM_OUT_OF_RANGE the last page of the ring is left out.
 *
 * Return: false if the ring is too small, or larger than a trace buffer may be.
 */
bool trbe_window_place_snapshot(const struct trbe_ring *ring, struct trbe_window *window)
{
	u64 start = ring->head & (ring->size - 1);

	window->base = 0;
	window->limit = ring->size;
	if (ring->errata & TRBE_ERRATUM_OUT_OF_RANGE)
		window->limit -= ring->page;
	window->write = round_up(start, ring->align);
	if (window->write >= window->limit)
		window->write = 0;
	window->pad = (window->write - start) & (ring->size - 1);
	window->trigger = 0;
	return window->limit >= TRBE_WINDOW_MIN && window->limit <= ring->largest;
}

/**
 * trbe_window_possible() - can a ring have a window at all?
 * @ring: the ring; @head, @room and @wakeup mean nothing
 * @snapshot: it is written over and over
 *
 * Return: false if it never has one, however empty it is.
 */
bool trbe_window_possible(const struct trbe_ring *ring, bool snapshot)
{
	struct trbe_ring empty = *ring;
	struct trbe_window window;

	empty.head = 0;
	empty.room = ring->size;
	empty.wakeup = 0;
	return snapshot ? trbe_window_place_snapshot(&empty, &window) :
		trbe_window_place(&empty, &window);
}

/**
 * trbe_window_advance() - how far a snapshot's ring has come
 * @ring: the ring
 * @window: of trbe_window_place_snapshot()
 * @write: the current write pointer now, in bytes from the start of the ring
 * @wrapped: it has come to the limit at least once
 * @bytes: set to how far, from @window's write on; rounds beyond the first are not known, and one
 * who reads the ring needs not know
 *
 * Return: false if the pointer is where it cannot be.
 */
bool trbe_window_advance(const struct trbe_ring *ring, const struct trbe_window *window,
			 u64 write, bool wrapped, u64 *bytes)
{
	*bytes = write - window->write;
	if (wrapped)
		*bytes += ring->size;
	return write < window->limit && (wrapped || write >= window->write);
}
