/* SPDX-License-Identifier: GPL-2.0-only */
/* Landing pads of calls, from the exception tables of a program. */
#ifndef HWFLOW_LANDING_PADS_H
#define HWFLOW_LANDING_PADS_H

#include <gelf.h>
#include <stdint.h>

#include "symbols.h"

/** struct landing_pads - the exception tables of a file, in order */
struct landing_pads;

/**
 * landing_pads_new() - read the exception tables of a file
 * @elf: the file; not needed any more after the call
 *
 * Return: the tables, perhaps none; NULL without memory.
 */
struct landing_pads *landing_pads_new(Elf *elf);

/**
 * landing_pads_find() - the landing pad of a call
 * @pads: the tables; NULL: no answer is known
 * @address: of the call instruction
 * @pad: receives the address of the landing pad
 *
 * Return: see enum landing_pad.
 */
enum landing_pad landing_pads_find(const struct landing_pads *pads, uint64_t address,
				   uint64_t *pad);

/** landing_pads_free() - free everything; NULL is allowed */
void landing_pads_free(struct landing_pads *pads);

#endif /* HWFLOW_LANDING_PADS_H */
