/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The address history: the three newest addresses, against which packets are compressed. */
#include "hwflow/element.h"

void hwf_history_reset(struct hwf_address_history *history)
{
	*history = (struct hwf_address_history){0};
}
