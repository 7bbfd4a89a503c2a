// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pointers of the trace buffer from the indices of a perf AUX ring. No function here accesses a
 * register; the file is built and tested on any host.
 */
#include <linux/align.h>
#include <linux/bits.h>
#include <linux/math.h>
#include <linux/minmax.h>

#include "trbe_window.h"

/*
 * Bytes of trace until the interrupt, out of those between write and limit: where the reader wants
 * to be woken, but at most three quarters of the window, or half of a small one. The rest is for
 * trace until the interrupt is taken and for trace that the trace unit still holds then.
 */
static u64 trbe_window_trigger(const struct trbe_ring *ring, u64 head, u64 bytes)
{
	u64 reserve = max(bytes / 4, min_t(u64, bytes / 2, TRBE_WINDOW_RESERVE));
	u64 most = bytes - reserve, ahead = ring->wakeup - head;

	/* The difference is unsigned: a wakeup that has passed looks like a very large distance. */
	return max(round_down(min(most, ahead ?: most), ring->align), ring->align);
}

/* Base pointer and current write pointer of a window from start on, an offset into the ring */
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
 * Bytes up to the next page, if a window from start on could use fewer than TRBE_WINDOW_MIN of
 * them. They become padding: otherwise a ring of one page could never be used again.
 */
static u64 trbe_window_rest(const struct trbe_ring *ring, u64 start)
{
	u64 end = round_up(start, ring->page);
	struct trbe_window window;

	trbe_window_begin(ring, start, &window);
	return end < window.write + TRBE_WINDOW_MIN ? min(end - start, ring->room) : 0;
}

/*
 * The base pointer is the start of the ring if possible, so that it is seldom written. If the trace
 * buffer would become too large, the base is the page of the current write pointer.
 */
static void trbe_window_shorten(const struct trbe_ring *ring, struct trbe_window *window)
{
	if (window->limit <= window->base || window->limit - window->base <= ring->largest)
		return;
	window->base = round_down(window->write, ring->page);
	window->limit = min(window->limit,
			    window->base + round_down(ring->largest, ring->page));
}

/* Place a window between start and end, both offsets into the ring */
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
 * trbe_window_place() - place the trace buffer in the free part of a ring
 * @ring: the ring
 * @window: written
 *
 * The ring is mapped twice, and the window may extend over its end::
 *
 *      0         head                size                          2 * size
 *      |---------|=======room========|=====|-------------------------|
 *                |pad|write      trigger^  |limit, a page boundary
 *
 * Collection continues after the interrupt at the trigger and stops at the limit: the reader may
 * not have read the bytes behind it.
 *
 * In a ring that is mapped once, the window ends at the end of the ring at the latest. If there is
 * too little room before the end, it is padding, and the window begins at the start of the ring.
 *
 * With TRBE_ERRATUM_OVERWRITE, a full buffer overwrites TRBE_OVERWRITE_BYTES at its base: they are
 * padding, and write is behind them. With TRBE_ERRATUM_OUT_OF_RANGE, a page behind the limit may be
 * written: the limit is one page less.
 *
 * Return: false if there is too little room for a window. Then @window->pad bytes are of no use for
 * any window; they are to be filled with padding and skipped.
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
 * trbe_window_collected() - bytes of trace in a window
 * @window: of trbe_window_place(); collection stops when it is full
 * @write: the current write pointer, in bytes from the start of the ring
 * @wrapped: the limit was reached
 * @bytes: set to the number of bytes from @window->write on
 *
 * If the limit was reached, the current write pointer is the base, or with TRBE_ERRATUM_OVERWRITE
 * some address behind it, and is not used.
 *
 * Return: false if the pointer is outside the window.
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
 * trbe_window_fills() - whether a record leaves no room to open another one
 * @ring: the ring; its head and its room are those of when the record was opened
 * @window: of trbe_window_place()
 * @bytes: of trace in it
 *
 * perf keeps one byte free: without any other byte it opens no record, not even one of no bytes
 * that tells of a loss. So this record has to tell.
 *
 * Return: true if the reader has to read before a record can be opened.
 */
bool trbe_window_fills(const struct trbe_ring *ring, const struct trbe_window *window, u64 bytes)
{
	return window->pad + bytes + 1 >= ring->room;
}

/**
 * trbe_window_spoiled() - bytes that a reader sees and that an erratum may have overwritten
 * @ring: the ring
 * @window: its window, after collection
 * @from: set to the offset of the first byte in the ring
 *
 * The bytes were padding, and are to be padding again.
 *
 * Return: the number of bytes; 0 for none.
 */
u64 trbe_window_spoiled(const struct trbe_ring *ring, const struct trbe_window *window, u64 *from)
{
	*from = window->base;
	return window->trigger && ring->errata & TRBE_ERRATUM_OVERWRITE ?
		window->write - window->base : 0;
}

/*
 * A window in a snapshot's ring that ends before the end of the ring. The page behind it is
 * padding: the next window begins at the start of the ring.
 */
static bool trbe_window_place_lap(const struct trbe_ring *ring, struct trbe_window *window)
{
	struct trbe_ring lap = *ring;

	lap.mirrored = false;
	/* up to the end; or, if too little is left there, once from start to end */
	lap.room = 2 * ring->size - (ring->head & (ring->size - 1));
	lap.wakeup = ring->head;
	return trbe_window_place(&lap, window);
}

/**
 * trbe_window_place_snapshot() - place the trace buffer in a ring that is overwritten continuously
 * @ring: the ring; @ring->room and @ring->wakeup are not used
 * @window: written
 *
 * The window is the whole ring; in Circular mode the hardware wraps by itself. The buffer never
 * stops when it is full, so TRBE_ERRATUM_OVERWRITE does not apply.
 *
 * With TRBE_ERRATUM_OUT_OF_RANGE trace behind a wrap is written behind the limit, and not at the
 * base: the hardware must not wrap. The window has a trigger then, as one of trbe_window_place(),
 * and software begins anew at the start of the ring.
 *
 * Return: false if the ring is too small, or larger than a trace buffer can be.
 */
bool trbe_window_place_snapshot(const struct trbe_ring *ring, struct trbe_window *window)
{
	u64 start = ring->head & (ring->size - 1);

	if (ring->errata & TRBE_ERRATUM_OUT_OF_RANGE)
		return trbe_window_place_lap(ring, window);
	window->base = 0;
	window->limit = ring->size;
	window->write = round_up(start, ring->align);
	if (window->write >= window->limit)
		window->write = 0;
	window->pad = (window->write - start) & (ring->size - 1);
	window->trigger = 0;
	return window->limit <= ring->largest;
}

/**
 * trbe_window_possible() - whether an empty ring has room for a window
 * @ring: the ring; @ring->head, @ring->room and @ring->wakeup are not used
 * @snapshot: the ring is overwritten continuously
 *
 * Return: false if the ring can never hold a window.
 */
bool trbe_window_possible(const struct trbe_ring *ring, bool snapshot)
{
	struct trbe_ring empty = *ring;
	struct trbe_window window;

	empty.head = 0;
	empty.room = ring->size;
	return snapshot ? trbe_window_place_snapshot(&empty, &window) :
		trbe_window_place(&empty, &window);
}

/**
 * trbe_window_advance() - distance that the current write pointer has moved in a snapshot's ring
 * @ring: the ring
 * @window: of trbe_window_place_snapshot()
 * @write: the current write pointer, in bytes from the start of the ring
 * @wrapped: the limit was reached at least once
 * @bytes: set to the distance from @window->write, without the rounds of trbe_window_rounds()
 *
 * Return: false if the pointer is outside the window.
 */
bool trbe_window_advance(const struct trbe_ring *ring, const struct trbe_window *window,
			 u64 write, bool wrapped, u64 *bytes)
{
	*bytes = write - window->write;
	if (wrapped)
		*bytes += ring->size;
	return write < window->limit && (wrapped || write >= window->write);
}

/**
 * trbe_window_rounds() - full rounds of a snapshot's ring after the limit was reached first
 * @window: of trbe_window_place_snapshot()
 * @counted: bytes that the Trigger Counter has counted
 *
 * TRBSR_EL1.WRAP says that the limit was reached, not how often. Without these rounds a record of
 * several rounds would look as if its start were still in the ring.
 *
 * Return: the number of rounds; 0 if the counter saw less than the window to its limit.
 */
u64 trbe_window_rounds(const struct trbe_window *window, u64 counted)
{
	u64 first = window->limit - window->write;

	return counted > first ? (counted - first) / window->limit : 0;
}
