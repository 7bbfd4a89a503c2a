/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* What the fuzz targets of program flow share: the program that an input is, and a sum of events.
 */
#ifndef HWF_FUZZ_FLOW_H
#define HWF_FUZZ_FLOW_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define FUZZ_PAGE 0x1000u

/**
 * struct fuzz_program - a program, in each low 4 KiB page but the first, and at the top of all
 * addresses
 * @bytes: of it
 * @size: how many
 * @low: the low pages end here
 */
struct fuzz_program {
	const uint8_t *bytes;
	size_t size;
	uint64_t low;
};

/* For struct hwf_code */
static inline size_t fuzz_read_code(void *ctx, const void *space, uint64_t address, void *bytes,
				    size_t length)
{
	const struct fuzz_program *program = ctx;
	const uint64_t at = address < program->low ? address % FUZZ_PAGE : address + FUZZ_PAGE;

	(void)space;
	if (address < FUZZ_PAGE || at >= program->size)
		return 0;
	if (length > program->size - at)
		length = (size_t)(program->size - at);
	memcpy(bytes, program->bytes + at, length);
	return length;
}

static inline void fuzz_mix(uint64_t *sum, uint64_t value)
{
	*sum = (*sum ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	*sum ^= *sum >> 29;
}

#endif /* HWF_FUZZ_FLOW_H */
