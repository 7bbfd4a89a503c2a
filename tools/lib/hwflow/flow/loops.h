/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Loops over bytes that decode the frequent packets without the plain stages. A loop stops at the
 * first packet of another kind, and returns the bytes that it decoded.
 */
#ifndef HWF_FLOW_LOOPS_H
#define HWF_FLOW_LOOPS_H

#include "hwflow/decoder.h"

/* For trace without speculation (TRCIDR8.MAXSPEC is 0) */
size_t hwf_flow_push_direct(struct hwf_decoder *decoder, const uint8_t *bytes, size_t length);

/* For trace with speculation, if the window can hold the unresolved elements: hwf_window_fits() */
size_t hwf_flow_push_window(struct hwf_decoder *decoder, const uint8_t *bytes, size_t length);

#endif /* HWF_FLOW_LOOPS_H */
