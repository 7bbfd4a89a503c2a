/* SPDX-License-Identifier: GPL-2.0-only */
/* How many cycles instructions take: one each, or numbers that vary as those of a processor do. */
#ifndef HWFLOW_ENCODE_CYCLES_H
#define HWFLOW_ENCODE_CYCLES_H

#include <stdint.h>

/**
 * struct encode_cycles - the cycles of a thread
 * @random: state of the random numbers; 0: each instruction takes one cycle
 * @group: cycles of the present group of instructions
 * @done: instructions of that group which were executed
 */
struct encode_cycles {
	uint64_t random;
	uint32_t group;
	uint32_t done;
};

/**
 * encode_cycles_init() - begin at the first instruction
 * @cycles: of the thread
 * @seed: selects the numbers; 0: each instruction takes one cycle
 */
void encode_cycles_init(struct encode_cycles *cycles, uint64_t seed);

/**
 * encode_cycles_next() - cycles of the next instructions
 * @cycles: of the thread
 * @instructions: how many
 *
 * The sum over some instructions is the same, however many are asked for at a time.
 *
 * Return: cycles.
 */
uint32_t encode_cycles_next(struct encode_cycles *cycles, uint32_t instructions);

#endif /* HWFLOW_ENCODE_CYCLES_H */
