// SPDX-License-Identifier: GPL-2.0-only
/* Cycles of instructions */
#include "encode_cycles.h"

/* Instructions in a group; each takes the same part of the group's cycles */
#define GROUP 8u
/* A group takes LEAST to MOST cycles; one group in STALLS waits for memory for less than STALL
 * more. */
#define LEAST  2u
#define MOST   16u
#define STALLS 32u
#define STALL  256u

static uint32_t below(struct encode_cycles *cycles, uint32_t bound)
{
	/* xorshift64* */
	cycles->random ^= cycles->random >> 12;
	cycles->random ^= cycles->random << 25;
	cycles->random ^= cycles->random >> 27;
	return (uint32_t)((cycles->random * UINT64_C(0x2545f4914f6cdd1d) >> 32) % bound);
}

static void begin_group(struct encode_cycles *cycles)
{
	cycles->done = 0;
	cycles->group = LEAST + below(cycles, MOST - LEAST + 1);
	if (!below(cycles, STALLS))
		cycles->group += below(cycles, STALL);
}

void encode_cycles_init(struct encode_cycles *cycles, uint64_t seed)
{
	*cycles = (struct encode_cycles){.random = seed};
	if (seed)
		begin_group(cycles);
}

uint32_t encode_cycles_next(struct encode_cycles *cycles, uint32_t instructions)
{
	uint32_t sum = 0;

	if (!cycles->random)
		return instructions;
	while (instructions) {
		const uint32_t before = cycles->group * cycles->done / GROUP;
		const uint32_t left = GROUP - cycles->done;
		const uint32_t now = instructions < left ? instructions : left;

		cycles->done += now;
		instructions -= now;
		sum += cycles->group * cycles->done / GROUP - before;
		if (cycles->done == GROUP)
			begin_group(cycles);
	}
	return sum;
}
