/* SPDX-License-Identifier: GPL-2.0-only */
/* What stacks take: a branch, as far as it is known from its code. */
#ifndef HWFLOW_CALLS_STEP_H
#define HWFLOW_CALLS_STEP_H

#include "hwflow/stack.h"

/**
 * struct calls_step - a branch that changes a stack
 * @step: the branch
 * @exception: number of an exception, plus 1, if the trace has it; else 0
 * @landing: site of its destination, see functions_site(); 0: it is not one of an unwinder
 * @starts: a program begins there
 */
struct calls_step {
	struct hwf_stack_step step;
	uint32_t exception;
	uint64_t landing;
	bool starts;
};

#endif /* HWFLOW_CALLS_STEP_H */
