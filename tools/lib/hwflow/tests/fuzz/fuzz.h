/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* What the fuzz targets share: the head of an input says how the trace unit is made. */
#ifndef HWF_FUZZ_H
#define HWF_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "hwflow/ete.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What the bits mean that say something else of an ETE: minor version, profile, and what is traced
 */
static inline void fuzz_make_etmv4(struct hwf_ete_regs *regs, uint8_t bits)
{
	regs->protocol = HWF_PROTOCOL_ETMV4;
	regs->trcdevarch = 0;
	regs->trcidr0 &= ~(1u << 30 | 1u << 23);
	regs->trcidr0 |= 1u << 6 | 3u << 3 | 3u << 1;
	regs->trcidr1 = bits & 64 ? 0x4100f400u : 0x4100f450u;
	regs->trcconfigr |= (bits & 16 ? 7u << 8 | 3u << 16 : 0) | (bits & 128 ? 3u << 1 : 0);
	if (bits & 8)
		regs->trcidr2 = 4;
}

/* Take two bytes off the input; -1 if there are none. */
static inline int fuzz_config(struct hwf_ete_config *config, enum hwf_ete_protocol protocol,
			      const uint8_t **data, size_t *size)
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
	if (protocol == HWF_PROTOCOL_ETMV4)
		fuzz_make_etmv4(&regs, bits);
	return hwf_ete_config_init(config, &regs);
}

#endif /* HWF_FUZZ_H */
