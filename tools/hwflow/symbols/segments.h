/* SPDX-License-Identifier: GPL-2.0-only */
/* Segments of an ELF file in order, to look many addresses up. */
#ifndef HWFLOW_SEGMENTS_H
#define HWFLOW_SEGMENTS_H

#include "hwflow/image.h"

/** struct segments - segments of a file in order of their addresses, or of their offsets */
struct segments;

/**
 * segments_by_address() - the segments with code, by address
 * @elf: the file; must outlive the result
 *
 * Return: NULL without memory.
 */
struct segments *segments_by_address(const struct hwf_image_elf *elf);

/** segments_by_offset() - the same by offset in the file; with code or without */
struct segments *segments_by_offset(const struct hwf_image_elf *elf);

/**
 * segments_find() - the segment of an address or offset
 * @segments: the segments; NULL has none
 * @at: the address or offset
 *
 * Return: of several the first one with code, in the order of the file, then the first one without;
 * NULL if there is none.
 */
const struct hwf_image_segment *segments_find(const struct segments *segments, uint64_t at);

/** segments_free() - free everything; NULL is allowed */
void segments_free(struct segments *segments);

#endif /* HWFLOW_SEGMENTS_H */
