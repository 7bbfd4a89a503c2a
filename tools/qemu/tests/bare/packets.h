/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bare-metal tests that count the packets of a trace. Few packets are known: no commits, no
 * padding.
 */
#ifndef HWFLOW_BARE_PACKETS_H
#define HWFLOW_BARE_PACKETS_H

#include "laps.h"

/* An Instrumentation packet, behind so many Atoms */
struct instrumentation {
	unsigned el, atoms;
	uint64_t value;
};

/* What was traced last */
extern struct packets {
	unsigned atoms, taken, trace_on, events[4], timestamps, addresses, exceptions, unknown;
	/* of each type */
	unsigned exception[32];
	/* of the last context */
	unsigned el;
	uint64_t timestamp; /* the last one */
	unsigned instrumentations;
	/* the first ones */
	struct instrumentation instrumentation[8];
} got;

/* The buffer is empty, and enabled. */
void count_begin(void);
/* It is disabled; what is in it goes to `got`. Return the size of the trace. */
uint64_t count_end(void);
/* What is from here to there goes to `got`. */
void count_packets(const uint8_t *at, const uint8_t *end);
/* Is it so many Atoms, after so many Trace On? */
bool is(unsigned atoms, unsigned trace_on);
void show_packets(void);

#endif
