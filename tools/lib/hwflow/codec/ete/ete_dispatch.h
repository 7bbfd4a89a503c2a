/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The dispatch tables, made from the packet rows by the preprocessor. */
static const uint8_t header_types[HWF_PROTOCOLS][256] = {
	[HWF_PROTOCOL_ETE] =
		{
#define PROTOCOL HWF_IN_ETE
#include "codec/ete/ete_dispatch_256.h"
		},
	[HWF_PROTOCOL_ETMV4] =
		{
#define PROTOCOL HWF_IN_ETMV4
#include "codec/ete/ete_dispatch_256.h"
		},
};
