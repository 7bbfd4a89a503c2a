/* SPDX-License-Identifier: GPL-2.0-only */
/* Packets and flow events of RISC-V Processor Trace, one a line */
#ifndef HWFLOW_FORMAT_RISCV_H
#define HWFLOW_FORMAT_RISCV_H

#include "format.h"
#include "hwflow/riscv.h"

/**
 * riscv_packet_line() - write one packet
 * @out: where to
 * @format: FORMAT_REF or FORMAT_HUMAN
 * @stream: that gave it
 * @packet: the packet
 * @bytes: its bytes, framing and all
 * @size: how many
 * @offset: of the first
 */
void riscv_packet_line(struct text *out, enum line_format format,
		       const struct hwf_riscv_stream *stream, const struct hwf_riscv_packet *packet,
		       const uint8_t *bytes, size_t size, uint64_t offset);

/** riscv_data_fields() - write the fields of a packet of data trace, each behind a blank */
void riscv_data_fields(struct text *out, const struct hwf_riscv_config *config,
		       const struct hwf_riscv_packet *packet);

/** riscv_trap_line() - write a HWF_FLOW_TRAP, behind its offset */
void riscv_trap_line(struct text *out, enum line_format format, const struct hwf_flow_trap *trap);

/** riscv_mode_line() - write a HWF_FLOW_MODE, behind its offset */
void riscv_mode_line(struct text *out, enum line_format format, const struct hwf_flow_mode *mode);

/** riscv_cause_name() - the cause of a trap in words; NULL for one that has no name */
const char *riscv_cause_name(unsigned int cause, bool interrupt);

#endif /* HWFLOW_FORMAT_RISCV_H */
