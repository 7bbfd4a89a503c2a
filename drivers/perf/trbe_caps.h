/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a trace buffer can do: TRBIDR_EL1.
 */
#ifndef _TRBE_CAPS_H
#define _TRBE_CAPS_H

#include <linux/types.h>

/* Bits of modes: how its addresses may be told */
#define TRBE_MODE_VIRTUAL	1
#define TRBE_MODE_PHYSICAL	2

/**
 * struct trbe_caps - what a trace buffer can do
 * @align: bytes that the current write pointer has to be aligned to
 * @largest: bytes from base pointer to limit pointer, at most
 * @modes: TRBE_MODE_ bits
 */
struct trbe_caps {
	u64 align;
	u64 largest;
	u64 modes;
};

const char *trbe_caps_init(struct trbe_caps *caps, u64 idr, u64 page);
void trbe_caps_intersect(struct trbe_caps *common, const struct trbe_caps *caps);
const char *trbe_caps_check(const struct trbe_caps *caps, bool physical);

#endif /* _TRBE_CAPS_H */
