/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The address history: three addresses that packets compress against. */
#include "hwflow/element.h"

void hwf_history_reset(struct hwf_address_history *history)
{
	*history = (struct hwf_address_history){0};
}

void hwf_history_push(struct hwf_address_history *history, uint64_t value, uint8_t is)
{
	history->entry[2] = history->entry[1];
	history->entry[1] = history->entry[0];
	history->entry[0] = (struct hwf_el_address){.value = value, .is = is};
}

struct hwf_el_address hwf_history_expand(struct hwf_address_history *history,
					 const struct hwf_ete_address *address)
{
	uint64_t value = address->value;

	if (address->bits < 32 || (address->bits == 32 && !history->narrow))
		value |= history->entry[0].value >> address->bits << address->bits;
	hwf_history_push(history, value, address->is);
	return history->entry[0];
}
