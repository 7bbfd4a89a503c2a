/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The return stack: the newest entries of the decoder's, never more than it keeps. */
#include "encode/tu.h"

void hwf_tu_stack_flush(struct tu_return_stack *stack)
{
	stack->used = 0;
}

void hwf_tu_stack_push(struct tu_return_stack *stack, uint64_t pc, enum hwf_isa isa)
{
	if (stack->awaits != 0)
		return;
	stack->top = (uint8_t)((stack->top + 1) % HWF_TU_RETURN_STACK);
	stack->entry[stack->top] = (struct tu_place){.pc = pc, .isa = isa};
	if (stack->used < HWF_TU_RETURN_STACK)
		stack->used++;
}

bool hwf_tu_stack_match(struct tu_return_stack *stack, const struct tu_place *target)
{
	if (stack->used == 0 || !tu_same_place(&stack->entry[stack->top], target))
		return false;
	stack->top = (uint8_t)((stack->top + HWF_TU_RETURN_STACK - 1) % HWF_TU_RETURN_STACK);
	stack->used--;
	return true;
}
