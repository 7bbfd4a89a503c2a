/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * One entry of the dispatch table: the type of header byte H in the protocols PROTOCOL. No include
 * guard.
 */
#define P(name, mask, value, valid, codec, protocol)                                             \
	((H) & (mask)) == (value) && VALID_##valid(H) && (HWF_IN_##protocol & PROTOCOL) != 0      \
		? HWF_ETE_##name:
#define X(name, codec, protocol)
[H] =
#include "hwflow/ete_packets.def"
	HWF_ETE_RESERVED,
#undef P
#undef X
#undef H
