/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions that neither a symbol nor the unwind table has: they begin where code of the file
 * calls. */
#ifndef HWFLOW_SYMBOLS_CALLS_H
#define HWFLOW_SYMBOLS_CALLS_H

#include <gelf.h>
#include <stddef.h>

struct frame;

/**
 * calls_add_frames() - add bounds of functions that the file calls, or has the address of
 * @elf: the file
 * @frames: bounds of functions, by start; they do not overlap. Receives those and the others,
 * likewise; the old array is freed if it is replaced
 * @count: elements of @frames
 *
 * Code outside of @frames is divided where a BL instruction goes to, and where a relative
 * relocation points to. Each part ends where the next one or the next frame begins, or with its
 * section. Assembler code is often without symbol and without unwind table: in OpenSSL's libcrypto
 * it executes half of the instructions.
 *
 * Return: elements of @frames now: @count if there are no others, the file is not of AArch64, or no
 * memory.
 */
size_t calls_add_frames(Elf *elf, struct frame **frames, size_t count);

#endif /* HWFLOW_SYMBOLS_CALLS_H */
