/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The return stack: where calls return to (spec/ete-packets.md section 10). */
#include "hwflow/flow.h"

void hwf_return_stack_flush(struct hwf_return_stack *stack)
{
	stack->used = 0;
}

void hwf_return_stack_push(struct hwf_return_stack *stack, uint64_t address, uint8_t isa)
{
	stack->top = (uint8_t)((stack->top + 1) % HWF_RETURN_STACK);
	stack->entry[stack->top].address = address;
	stack->entry[stack->top].isa = isa;
	if (stack->used < HWF_RETURN_STACK)
		stack->used++;
}

bool hwf_return_stack_pop(struct hwf_return_stack *stack, uint64_t *address, uint8_t *isa)
{
	if (!stack->used)
		return false;
	*address = stack->entry[stack->top].address;
	*isa = stack->entry[stack->top].isa;
	stack->top = (uint8_t)((stack->top + HWF_RETURN_STACK - 1) % HWF_RETURN_STACK);
	stack->used--;
	return true;
}
