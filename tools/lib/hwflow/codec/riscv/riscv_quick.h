/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The packets that come all the time, read in one go */
#ifndef HWF_CODEC_RISCV_QUICK_H
#define HWF_CODEC_RISCV_QUICK_H

#include "hwflow/riscv.h"

/*
 * hwf_riscv_stream_next() for packets of formats 0, 1 and 2 that read well, of the ratified
 * dialects, in the reference's framing, with HWF_RISCV_QUICK_ROOM bytes there: the same packet.
 * What it leaves out is the stream's @frame. Bytes taken; 0: hwf_riscv_stream_next() has to read it
 */
size_t hwf_riscv_quick(struct hwf_riscv_stream *stream, const uint8_t *bytes, size_t room,
		       struct hwf_riscv_packet *packet);

/* A header, and what may be behind it */
#define HWF_RISCV_QUICK_ROOM 17

#endif /* HWF_CODEC_RISCV_QUICK_H */
