/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The beginning of directed sequences */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tu_model.h"

struct model *model_directed(uint32_t configr)
{
	struct model *model = model_new(1);

	model->options.regs.trcidr0 |= MODEL_COMMOPT;
	model->options.regs.trcconfigr |= configr;
	return model;
}

void model_begin(struct model *model)
{
	assert_int_equal(model_start(model), 0);
}

void model_begin_traced(struct model *model)
{
	model_begin(model);
	model_branch(model, false);
	model_expect(model, "TI(0) ON CTX(0,0) TA(400000) N");
}
