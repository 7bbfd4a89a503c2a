/* SPDX-License-Identifier: GPL-2.0-only */
/* Bounds of functions, from the unwind table of a program. */
#ifndef HWFLOW_SYMBOLS_FRAMES_H
#define HWFLOW_SYMBOLS_FRAMES_H

#include <gelf.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct frame - bounds of a function
 * @start: its first address
 * @end: the address after its last
 */
struct frame {
	uint64_t start;
	uint64_t end;
};

/**
 * frames_read() - bounds of all functions that .eh_frame has
 * @elf: the file
 * @frames: receives them, by start; they do not overlap. For free()
 *
 * A damaged table ends where the damage is.
 *
 * Return: how many; 0 if there is no table, or no memory.
 */
size_t frames_read(Elf *elf, struct frame **frames);

#endif /* HWFLOW_SYMBOLS_FRAMES_H */
