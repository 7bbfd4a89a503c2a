/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Numbers that look random, the same for the same seed */
#include "encode/tu.h"

uint32_t hwf_tu_random(struct hwf_tu *unit, uint32_t below)
{
	/* xorshift64* */
	unit->random ^= unit->random >> 12;
	unit->random ^= unit->random << 25;
	unit->random ^= unit->random >> 27;
	return (uint32_t)((unit->random * UINT64_C(0x2545f4914f6cdd1d) >> 32) % below);
}
