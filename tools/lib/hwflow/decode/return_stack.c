/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The return stack: where calls return to (spec/ete-packets.md section 10). */
#include "hwflow/flow.h"

/*
 * The hash is a polynomial in FACTOR, modulo 2^64: the newest address is the coefficient of
 * FACTOR^0. FACTOR is odd, so it has an inverse.
 */
#define FACTOR UINT64_C(0x9e3779b97f4a7c15)

/* FACTOR^HWF_RETURN_STACK */
static inline uint64_t factor_of_dropped(void)
{
	uint64_t factor = FACTOR;

	_Static_assert(HWF_RETURN_STACK == 16, "2^4 entries");
	for (unsigned int i = 0; i < 4; i++)
		factor *= factor;
	return factor;
}

/* Each step doubles the number of low bits that are right: FACTOR is its own inverse modulo 8. */
static inline uint64_t inverse_factor(void)
{
	uint64_t inverse = FACTOR;

	for (unsigned int bits = 3; bits < 64; bits *= 2)
		inverse *= 2 - FACTOR * inverse;
	return inverse;
}

void hwf_return_stack_flush(struct hwf_return_stack *stack)
{
	stack->used = 0;
	stack->hash = 0;
}

void hwf_return_stack_push(struct hwf_return_stack *stack, uint64_t address, uint8_t isa)
{
	stack->top = (uint8_t)((stack->top + 1) % HWF_RETURN_STACK);
	stack->hash = stack->hash * FACTOR + address;
	if (stack->used == HWF_RETURN_STACK)
		stack->hash -= stack->address[stack->top] * factor_of_dropped();
	stack->address[stack->top] = address;
	stack->isa[stack->top] = isa;
	if (stack->used < HWF_RETURN_STACK)
		stack->used++;
}

bool hwf_return_stack_pop(struct hwf_return_stack *stack, uint64_t *address, uint8_t *isa)
{
	if (!stack->used)
		return false;
	*address = stack->address[stack->top];
	*isa = stack->isa[stack->top];
	stack->hash = (stack->hash - *address) * inverse_factor();
	stack->top = (uint8_t)((stack->top + HWF_RETURN_STACK - 1) % HWF_RETURN_STACK);
	stack->used--;
	return true;
}
