/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Trace units and requests to try the driver's register values with.
 */
#ifndef _ETE_TEST_H
#define _ETE_TEST_H

#include <linux/bits.h>
#include <linux/kernel.h>

#include "ete_config.h"

/* Fields of an event's attributes, as the uapi header says in words */
#define BRANCH_BROADCAST	BIT_ULL(8)
#define CYCACC			BIT_ULL(12)
#define CONTEXTID1		BIT_ULL(14)
#define CONTEXTID2		BIT_ULL(15)
#define TIMESTAMP		BIT_ULL(28)	/* the former place: level 1 */
#define TIMESTAMP_LEVEL(level)	((u64)(level) << 4)
#define RETSTACK		BIT_ULL(29)
#define PHYSICAL		BIT_ULL(12)
#define INSTRUMENTATION		BIT_ULL(13)
#define EVENT(number)		((u64)(number) << 16)
#define STROBE(on, off)		((u64)(on) << 32 | (u64)(off) << 48)

/**
 * struct ete_field - a field that says what a trace unit has
 * @idr: number of its TRCIDR; 6: the field instrumentation of struct ete_caps
 * @low: lowest bit
 * @high: highest bit
 * @values: those that make a difference
 */
struct ete_field {
	unsigned int idr, low, high, values[6];
};

#define ETE_NR_FIELDS	18

/* A trace unit that has all there is, and one that has nothing that need not be */
extern const struct ete_caps ete_full, ete_least;
extern const struct ete_field ete_fields[ETE_NR_FIELDS];

unsigned int any(unsigned int below);
unsigned int caps_get(const struct ete_caps *caps, unsigned int idr, unsigned int low,
		      unsigned int high);
unsigned int caps_most(unsigned int n);
void caps_set(struct ete_caps *caps, unsigned int n, unsigned int value);
struct ete_caps caps_any(void);
struct ete_request request_any(void);
struct ete_request request_user(u64 config, u64 config1);
struct ete_image image_of(const struct ete_request *request, const struct ete_caps *caps);
bool is_there(const struct ete_caps *caps, unsigned int reg);
bool in_set(const u64 *set, unsigned int reg);

#endif /* _ETE_TEST_H */
