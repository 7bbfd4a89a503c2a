/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Loops over bytes that decode the frequent packets without the plain stages. A loop stops at the
 * first packet of another kind, and returns the bytes that it decoded.
 */
#ifndef HWF_FAST_LOOPS_H
#define HWF_FAST_LOOPS_H

#include "fast/packed.h"
#include "hwflow/decoder.h"

/* For trace without speculation (TRCIDR8.MAXSPEC is 0) */
size_t hwf_flow_push_direct(struct hwf_decoder *decoder, const uint8_t *bytes, size_t length);

/* For trace with speculation, while the window can hold the unresolved elements:
 * hwf_window_fits() */
size_t hwf_flow_push_window(struct hwf_decoder *decoder, const uint8_t *bytes, size_t length);

/*
 * For trace without speculation: decode bytes by the memo of the graph, from @at on, as far as they
 * were decoded before or lead to what the graph has. Packets begin before @length, behind which
 * HWF_PACKED_ROOM bytes can be read. *@node is not HWF_NODE_NONE, and no element is awaited before
 * calls are pushed (push_awaits). Return: index behind the last packet; *@last: index of the last
 * packet, if there is any
 */
size_t hwf_flow_replay(struct hwf_decoder *decoder, struct hwf_packed_history *history,
		       uint32_t *node, const uint8_t *bytes, size_t at, size_t length,
		       size_t *last);

#endif /* HWF_FAST_LOOPS_H */
