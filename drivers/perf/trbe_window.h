/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The position of the trace buffer in a perf AUX area.
 */
#ifndef _TRBE_WINDOW_H
#define _TRBE_WINDOW_H

#include <linux/types.h>

#include "ete_caps.h"

/* Minimum size of a window: a record begins with about 40 bytes of synchronisation */
#define TRBE_WINDOW_MIN 512

/* Minimum room after the early warning, unless the window is small */
#define TRBE_WINDOW_RESERVE 2048

/**
 * struct trbe_area - an AUX area when a record is opened, and the limits of a window in it
 * @head: bytes written to the AUX area so far; the position in it is @head modulo @size
 * @room: bytes that may be written from there on
 * @wakeup: value of @head at which the reader wants to be woken
 * @size: bytes of the AUX area; a power of two and whole pages
 * @mirrored: the AUX area is mapped twice in a row, so a window may extend over its end
 * @align: alignment of the current write pointer, a power of two
 * @largest: most bytes of a window from base to limit; at least @page
 * @page: bytes of a page, the alignment of the limit pointer
 * @errata: TRBE_ERRATUM_ bits
 */
struct trbe_area {
	u64 head;
	u64 room;
	u64 wakeup;
	u64 size;
	bool mirrored;
	u64 align;
	u64 largest;
	u64 page;
	u32 errata;
};

/**
 * struct trbe_window - the trace buffer of a record, in bytes from the start of the AUX area
 * @base: base pointer
 * @write: current write pointer when the record is opened
 * @limit: limit pointer
 * @pad: bytes between the head and @write, which become padding
 * @trigger: bytes of trace until the interrupt; 0 for none
 */
struct trbe_window {
	u64 base;
	u64 write;
	u64 limit;
	u64 pad;
	u64 trigger;
};

bool trbe_window_possible(const struct trbe_area *area, bool snapshot);
bool trbe_window_place(const struct trbe_area *area, struct trbe_window *window);
bool trbe_window_collected(const struct trbe_window *window, u64 write, bool wrapped, u64 *bytes);
bool trbe_window_fills(const struct trbe_area *area, const struct trbe_window *window, u64 bytes);
u64 trbe_window_spoiled(const struct trbe_area *area, const struct trbe_window *window, u64 *from);
bool trbe_window_place_snapshot(const struct trbe_area *area, struct trbe_window *window);
bool trbe_window_advance(const struct trbe_area *area, const struct trbe_window *window,
			 u64 write, bool wrapped, u64 *bytes);
u64 trbe_window_rounds(const struct trbe_window *window, u64 counted);

#endif /* _TRBE_WINDOW_H */
