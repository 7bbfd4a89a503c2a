/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Loops over bytes that take packets straight to executed ranges, as long as the packets are those
 * that nearly all of a trace is. They return the bytes that they took.
 */
#ifndef HWF_FLOW_LOOPS_H
#define HWF_FLOW_LOOPS_H

#include "hwflow/decoder.h"

/* Nothing waits for its resolution, and nothing can (TRCIDR8.MAXSPEC is 0). */
size_t hwf_flow_push_direct(struct hwf_decoder *decoder, const uint8_t *bytes, size_t length);

/* What waits goes through the window: HWF_WINDOW_MOST at most, and nothing that is not for it. */
size_t hwf_flow_push_window(struct hwf_decoder *decoder, const uint8_t *bytes, size_t length);

#endif /* HWF_FLOW_LOOPS_H */
