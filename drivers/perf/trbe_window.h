/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where in a perf AUX ring the trace buffer lies.
 */
#ifndef _TRBE_WINDOW_H
#define _TRBE_WINDOW_H

#include <linux/types.h>

#include "trbe_errata.h"

/* A record begins with some 40 bytes of synchronisation: less room than this is of no use */
#define TRBE_WINDOW_MIN 512

/* What is kept free behind the early warning, at least, where a window is not small */
#define TRBE_WINDOW_RESERVE 2048

/**
 * struct trbe_ring - a perf AUX ring, as a session of it begins
 * @head: bytes that the ring has had so far; where it stands is that modulo @size
 * @room: bytes that may be written from there on
 * @wakeup: @head at which the reader wants to be woken
 * @size: of the ring; a power of two, whole pages
 * @mirrored: the ring is mapped twice, one behind the other: a window may go over its end
 * @align: what the current write pointer has to be aligned to, a power of two
 * @largest: bytes that a window may have from base to limit; at least @page
 * @page: bytes of a page, to which the limit pointer has to be aligned
 * @errata: TRBE_ERRATUM_ bits
 */
struct trbe_ring {
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
 * struct trbe_window - the trace buffer of a session
 * @base: the base pointer, as are all, in bytes from the start of the ring
 * @write: the current write pointer
 * @limit: the limit pointer
 * @pad: bytes between the ring's head and @write, to be filled with padding
 * @trigger: bytes of trace after which there is an interrupt; 0 for none
 */
struct trbe_window {
	u64 base;
	u64 write;
	u64 limit;
	u64 pad;
	u64 trigger;
};

bool trbe_window_possible(const struct trbe_ring *ring, bool snapshot);
bool trbe_window_place(const struct trbe_ring *ring, struct trbe_window *window);
bool trbe_window_collected(const struct trbe_window *window, u64 write, bool wrapped, u64 *bytes);
u64 trbe_window_spoiled(const struct trbe_ring *ring, const struct trbe_window *window, u64 *from);
bool trbe_window_place_snapshot(const struct trbe_ring *ring, struct trbe_window *window);
bool trbe_window_advance(const struct trbe_ring *ring, const struct trbe_window *window,
			 u64 write, bool wrapped, u64 *bytes);

#endif /* _TRBE_WINDOW_H */
