/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Addresses and times with the bits put back that their packets left out. */
#include "hwflow/etmv3_flow.h"

static unsigned int shift_of(uint8_t isa)
{
	return isa == HWF_ISA_A32 ? 2 : isa == HWF_ISA_JAZELLE ? 0 : 1;
}

static void set_state(struct hwf_etm3_address_state *state, uint8_t packet_state)
{
	if (packet_state == HWF_ETM3_ARM)
		state->isa = HWF_ISA_A32;
	else if (packet_state == HWF_ETM3_JAZELLE)
		state->isa = HWF_ISA_JAZELLE;
	else
		state->isa = state->alt_isa ? HWF_ISA_T32EE : HWF_ISA_T32;
}

/* Bits that are not output are those of the last address (ETMV3_BRANCH). */
static uint32_t expand(struct hwf_etm3_address_state *state, const struct hwf_etm3_address *address)
{
	unsigned int shift;
	uint32_t known;

	if (address->bytes == 5) {
		set_state(state, address->state);
		state->address = address->value;
		return state->address;
	}
	if (state->isa == HWF_ISA_T32 || state->isa == HWF_ISA_T32EE)
		set_state(state, HWF_ETM3_THUMB);
	shift = shift_of(state->isa);
	known = (1u << (address->bits + shift)) - 1;
	state->address = (state->address & ~known) | address->value << shift;
	return state->address;
}

uint32_t hwf_etm3_expand(struct hwf_etm3_address_state *state, const struct hwf_etm3_branch *branch)
{
	if (branch->info)
		state->alt_isa = branch->alt_isa;
	return expand(state, &branch->address);
}

uint32_t hwf_etm3_expand_i_sync(struct hwf_etm3_address_state *state,
				const struct hwf_etm3_i_sync *sync)
{
	state->alt_isa = sync->alt_isa;
	set_state(state, sync->jazelle ? HWF_ETM3_JAZELLE
			 : sync->thumb ? HWF_ETM3_THUMB
				       : HWF_ETM3_ARM);
	state->address = sync->address;
	return sync->in_progress ? expand(state, &sync->next) : state->address;
}

/* ETMV3_GRAY: each bit of the number is the sum of this and all higher bits of the Gray code. */
static uint64_t from_gray(uint64_t gray)
{
	for (unsigned int by = 1; by < 64; by *= 2)
		gray ^= gray >> by;
	return gray;
}

uint64_t hwf_etm3_expand_timestamp(const struct hwf_etm3_config *config,
				   struct hwf_etm3_address_state *state,
				   const struct hwf_etm3_timestamp *timestamp)
{
	uint64_t value = timestamp->value;

	if (timestamp->bits < 64)
		value |= state->timestamp >> timestamp->bits << timestamp->bits;
	state->timestamp = value;
	return config->gray ? from_gray(value) : value;
}

uint8_t hwf_etm3_exception_type(unsigned int number, bool armv7m)
{
	static const uint8_t types[16] = {
		[1] = HWF_EXC_DEBUG_HALT,   [2] = HWF_EXC_CALL,        [3] = HWF_EXC_TRAP,
		[4] = HWF_EXC_SYSTEM_ERROR, [5] = HWF_EXC_TRAP,        [6] = HWF_EXC_IMPDEF0,
		[7] = HWF_EXC_IMPDEF0,      [8] = HWF_EXC_PE_RESET,    [9] = HWF_EXC_TRAP,
		[10] = HWF_EXC_CALL,        [11] = HWF_EXC_INST_FAULT, [12] = HWF_EXC_DATA_FAULT,
		[13] = HWF_EXC_TRAP,        [14] = HWF_EXC_IRQ,        [15] = HWF_EXC_FIQ,
	};

	if (!armv7m)
		return number < 16 ? types[number] : (uint8_t)HWF_EXC_IMPDEF0;
	switch (number) {
	case 9: /* usage fault */
		return HWF_EXC_TRAP;
	case 10: /* NMI */
		return HWF_EXC_FIQ;
	case 11: /* SVC */
		return HWF_EXC_CALL;
	case 12: /* debug monitor */
		return HWF_EXC_INST_DEBUG;
	case 13: /* memory management fault */
	case 21: /* bus fault */
		return HWF_EXC_DATA_FAULT;
	case 17: /* reset */
		return HWF_EXC_PE_RESET;
	case 19: /* hard fault */
		return HWF_EXC_SYSTEM_ERROR;
	default: /* PendSV, SysTick and the external interrupts */
		return number == 16 || number == 18 || number == 20 || number == 22 || number == 23
			       ? HWF_EXC_IMPDEF0
			       : HWF_EXC_IRQ;
	}
}
