/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* What the fuzz targets share: the head of an input says how the trace unit is made. */
#ifndef HWF_FUZZ_H
#define HWF_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "hwflow/ete.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Take two bytes off the input; -1 if there are none. */
static inline int fuzz_config(struct hwf_ete_config *config, const uint8_t **data, size_t *size)
{
	struct hwf_ete_regs regs;
	uint8_t bits;
	uint8_t depth;

	if (*size < 2)
		return -1;
	bits = (*data)[0];
	depth = (*data)[1];
	*data += 2;
	*size -= 2;
	regs = (struct hwf_ete_regs){
		.trcconfigr = (bits & 1 ? 1u << 12 : 0) | (bits & 2 ? 1u << 4 : 0),
		.trcidr0 = 0x08018ea1u | 1u << 7 | 1u << 9 | (bits & 4 ? 1u << 29 : 0) |
			   (bits & 8 ? 1u << 30 : 0) | (bits & 16 ? 1u << 23 : 0),
		.trcidr2 = 0x50001088u | (bits & 32 ? 1u << 31 : 0),
		.trcidr8 = depth,
		.trcdevarch = 0x47735a13u,
	};
	return hwf_ete_config_init(config, &regs);
}

#endif /* HWF_FUZZ_H */
