/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The RISC-V trace encoder's side of the port: cycles to items. */
#ifndef HWF_TRACE_UNIT_TE_INTAKE_H
#define HWF_TRACE_UNIT_TE_INTAKE_H

#include "trace_unit/te.h"

int hwf_te_check_cycle(const struct hwf_te *te, const struct hwf_te_cycle *cycle);
void hwf_te_take_cycle(struct hwf_te *te, const struct hwf_te_cycle *cycle);

/* te_encoder.c: one item more into the pipeline */
void hwf_te_push(struct hwf_te *te, const struct te_item *item);

#endif /* HWF_TRACE_UNIT_TE_INTAKE_H */
