/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Between the files that write lines. */
#ifndef HWF_TEXT_LINES_H
#define HWF_TEXT_LINES_H

#include "text/put.h"

/* Columns of the offset in the layout for reading */
#define HWF_OFFSET_COLUMNS 10u

/* Write the first bytes of a packet in their column, and the blanks around it. */
void hwf_put_packet_bytes(struct hwf_text *out, const uint8_t *bytes, size_t size);

/* Write the line of bytes that were passed over, if there are any; @length is 0 then. */
void hwf_put_unsync(struct hwf_text *out, enum hwf_text_format format, uint64_t offset,
		    uint64_t *length);

/* Write the fields of a packet of RISC-V data trace, each behind a blank. */
void hwf_put_riscv_data(struct hwf_text *out, const struct hwf_riscv_config *config,
			const struct hwf_riscv_packet *packet);

/* Write an HWF_FLOW_TRAP or HWF_FLOW_MODE, behind its offset. */
void hwf_put_trap(struct hwf_text *out, enum hwf_text_format format,
		  const struct hwf_flow_trap *trap);
void hwf_put_mode(struct hwf_text *out, enum hwf_text_format format,
		  const struct hwf_flow_mode *mode);

#endif /* HWF_TEXT_LINES_H */
