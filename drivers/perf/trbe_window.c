// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pointers of the trace buffer from the indices of a perf AUX area. No function here accesses a
 * register; the file is built and tested on any host.
 */
#include <linux/align.h>
#include <linux/bits.h>
#include <linux/math.h>
#include <linux/minmax.h>

#include "trbe_window.h"

/*
 * Bytes of trace until the interrupt, out of those between write and limit. The interrupt is due
 * where the reader wants to be woken, but after at most three quarters of the window, or half of a
 * small one. The rest has room for the trace until the interrupt is taken, and for the trace that
 * the trace unit then still holds.
 */
static u64 trbe_window_trigger(const struct trbe_area *area, u64 head, u64 bytes)
{
	u64 reserve = max(bytes / 4, min_t(u64, bytes / 2, TRBE_WINDOW_RESERVE));
	u64 most = bytes - reserve, ahead = area->wakeup - head;

	/* The difference is unsigned: a wakeup that has passed looks like a very large distance. */
	return max(round_down(min(most, ahead ?: most), area->align), area->align);
}

/* Base pointer and current write pointer of a window that begins at start, an offset */
static void trbe_window_begin(const struct trbe_area *area, u64 start, struct trbe_window *window)
{
	window->base = 0;
	window->write = round_up(start, area->align);
	if (area->errata & TRBE_ERRATUM_OVERWRITE) {
		window->base = round_up(start, area->page);
		window->write = window->base + round_up(TRBE_OVERWRITE_BYTES, area->align);
	}
}

/*
 * Bytes from start to the next page boundary if a window could use fewer than TRBE_WINDOW_MIN of
 * them, else 0. They become padding: otherwise an AUX area of one page could never be used again.
 */
static u64 trbe_window_rest(const struct trbe_area *area, u64 start)
{
	u64 end = round_up(start, area->page);
	struct trbe_window window;

	trbe_window_begin(area, start, &window);
	return end < window.write + TRBE_WINDOW_MIN ? min(end - start, area->room) : 0;
}

/*
 * The base pointer is the start of the AUX area if possible, so that it is seldom written. If the
 * trace buffer would become too large, the base is the page of the current write pointer.
 */
static void trbe_window_shorten(const struct trbe_area *area, struct trbe_window *window)
{
	if (window->limit <= window->base || window->limit - window->base <= area->largest)
		return;
	window->base = round_down(window->write, area->page);
	window->limit = min(window->limit,
			    window->base + round_down(area->largest, area->page));
}

/* Place a window between start and end, both offsets into the AUX area */
static bool trbe_window_try(const struct trbe_area *area, u64 start, u64 end,
			    struct trbe_window *window)
{
	trbe_window_begin(area, start, window);
	window->limit = round_down(end, area->page);
	if (area->errata & TRBE_ERRATUM_OUT_OF_RANGE)
		window->limit -= min(window->limit, area->page);
	trbe_window_shorten(area, window);
	return window->limit >= window->write + TRBE_WINDOW_MIN;
}

/**
 * trbe_window_place() - place the trace buffer in the free part of an AUX area
 * @area: the AUX area
 * @window: written
 *
 * The AUX area is mapped twice, and the window may extend over its end::
 *
 *      0         head                size                          2 * size
 *      |---------|=======room========|=====|-------------------------|
 *                |pad|write      trigger^  |limit, a page boundary
 *
 * Collection continues after the interrupt at the trigger and stops at the limit: the reader may
 * not have read the bytes after the limit.
 *
 * In an AUX area that is mapped once, the window does not extend over the end. If the room before
 * the end is too small, it becomes padding, and the window begins at the start of the AUX area.
 *
 * With TRBE_ERRATUM_OVERWRITE, a full trace buffer overwrites TRBE_OVERWRITE_BYTES at its base:
 * these bytes are padding, and write is after them. With TRBE_ERRATUM_OUT_OF_RANGE, the trace
 * buffer may write to the page after the limit: the limit is one page less.
 *
 * Return: false if the room is too small for a window. No window can use the first @window->pad
 * bytes then: the caller fills them with padding and skips them.
 */
bool trbe_window_place(const struct trbe_area *area, struct trbe_window *window)
{
	u64 start = area->head & (area->size - 1), end = start + area->room, pad = 0;

	if (!area->mirrored && end > area->size) {
		if (trbe_window_try(area, start, area->size, window)) {
			end = area->size;
		} else {
			pad = area->size - start;
			start = 0;
			end -= area->size;
		}
	}
	if (!trbe_window_try(area, start, end, window)) {
		window->pad = pad ?: trbe_window_rest(area, start);
		return false;
	}
	window->pad = pad + window->write - start;
	window->trigger = trbe_window_trigger(area, area->head + window->pad,
					      window->limit - window->write);
	return true;
}

/**
 * trbe_window_collected() - bytes of trace in a window
 * @window: of trbe_window_place(); collection stops when it is full
 * @write: the current write pointer, in bytes from the start of the AUX area
 * @wrapped: the limit was reached
 * @bytes: set to the number of bytes from @window->write on
 *
 * If the limit was reached, the current write pointer is the base, or with TRBE_ERRATUM_OVERWRITE
 * some address after the base, and is not used.
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
 * @area: the AUX area as it was when the record was opened
 * @window: of trbe_window_place()
 * @bytes: of trace in it
 *
 * perf keeps one byte free. If no other byte is free, perf opens no record, not even a record of no
 * bytes that reports a loss, so this record has to report it.
 *
 * Return: true if the reader has to read before a record can be opened.
 */
bool trbe_window_fills(const struct trbe_area *area, const struct trbe_window *window, u64 bytes)
{
	return window->pad + bytes + 1 >= area->room;
}

/**
 * trbe_window_spoiled() - bytes of the record that an erratum may have overwritten
 * @area: the AUX area
 * @window: its window, after collection
 * @from: set to the offset of the first byte
 *
 * The bytes were padding; the caller fills them with padding again.
 *
 * Return: the number of bytes; 0 for none.
 */
u64 trbe_window_spoiled(const struct trbe_area *area, const struct trbe_window *window, u64 *from)
{
	*from = window->base;
	return window->trigger && area->errata & TRBE_ERRATUM_OVERWRITE ?
		window->write - window->base : 0;
}

/*
 * A window of a snapshot that ends before the end of the AUX area. The page after the window is
 * padding: the next window begins at the start of the AUX area.
 */
static bool trbe_window_place_lap(const struct trbe_area *area, struct trbe_window *window)
{
	struct trbe_area lap = *area;

	lap.mirrored = false;
	/* the room before the end or, if that is too small, the whole AUX area from its start */
	lap.room = 2 * area->size - (area->head & (area->size - 1));
	lap.wakeup = area->head;
	return trbe_window_place(&lap, window);
}

/**
 * trbe_window_place_snapshot() - place the trace buffer in an AUX area that is overwritten
 * @area: the AUX area; @area->room and @area->wakeup are not used
 * @window: written
 *
 * The window is the whole AUX area: in Circular mode the hardware wraps at the limit. The trace
 * buffer never stops when it is full, so TRBE_ERRATUM_OVERWRITE does not apply.
 *
 * With TRBE_ERRATUM_OUT_OF_RANGE, a trace buffer that wraps writes to the page after the limit and
 * not at the base, so it must not wrap. The window then has a trigger, as that of
 * trbe_window_place(), and software continues at the start of the AUX area.
 *
 * Return: false if the AUX area is too small, or larger than a trace buffer can be.
 */
bool trbe_window_place_snapshot(const struct trbe_area *area, struct trbe_window *window)
{
	u64 start = area->head & (area->size - 1);

	if (area->errata & TRBE_ERRATUM_OUT_OF_RANGE)
		return trbe_window_place_lap(area, window);
	window->base = 0;
	window->limit = area->size;
	window->write = round_up(start, area->align);
	if (window->write >= window->limit)
		window->write = 0;
	window->pad = (window->write - start) & (area->size - 1);
	window->trigger = 0;
	return window->limit <= area->largest;
}

/**
 * trbe_window_possible() - whether an empty AUX area has room for a window
 * @area: the AUX area; @area->head, @area->room and @area->wakeup are not used
 * @snapshot: the AUX area is overwritten continuously
 *
 * Return: false if the AUX area can never hold a window.
 */
bool trbe_window_possible(const struct trbe_area *area, bool snapshot)
{
	struct trbe_area empty = *area;
	struct trbe_window window;

	empty.head = 0;
	empty.room = area->size;
	return snapshot ? trbe_window_place_snapshot(&empty, &window) :
		trbe_window_place(&empty, &window);
}

/**
 * trbe_window_advance() - distance that the current write pointer has moved in a snapshot
 * @area: the AUX area
 * @window: of trbe_window_place_snapshot()
 * @write: the current write pointer, in bytes from the start of the AUX area
 * @wrapped: the limit was reached at least once
 * @bytes: set to the distance from @window->write, without the rounds of trbe_window_rounds()
 *
 * Return: false if the pointer is outside the window.
 */
bool trbe_window_advance(const struct trbe_area *area, const struct trbe_window *window,
			 u64 write, bool wrapped, u64 *bytes)
{
	*bytes = write - window->write;
	if (wrapped)
		*bytes += area->size;
	return write < window->limit && (wrapped || write >= window->write);
}

/**
 * trbe_window_rounds() - full rounds of a snapshot after the limit was reached first
 * @window: of trbe_window_place_snapshot()
 * @counted: bytes that the Trigger Counter has counted
 *
 * TRBSR_EL1.WRAP reports that the limit was reached, not how often. Without these rounds a reader
 * would look for the start of the record in the AUX area, where it has been overwritten.
 *
 * Return: the number of rounds; 0 if the counter has counted less than the window to its limit.
 */
u64 trbe_window_rounds(const struct trbe_window *window, u64 counted)
{
	u64 first = window->limit - window->write;

	return counted > first ? (counted - first) / window->limit : 0;
}
