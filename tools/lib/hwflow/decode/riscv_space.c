/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The program of a privilege and context, for the flow of RISC-V and for those that take its events
 */
#include "hwflow/riscv_flow.h"

const void *hwf_riscv_space(const struct hwf_code *code, const struct hwf_flow_mode *mode)
{
	const struct hwf_context context = {
		.cid = mode->context,
		.el = mode->privilege & 3,
		.has_cid = mode->has_context,
	};

	return code->space ? code->space(code->ctx, &context) : NULL;
}
