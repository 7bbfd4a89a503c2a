/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The RISC-V trace encoder's side of the port: cycles to items. */
#ifndef HWF_ENCODE_TE_INTAKE_H
#define HWF_ENCODE_TE_INTAKE_H

#include "encode/te.h"

int hwf_te_check_cycle(const struct hwf_te *te, const struct hwf_te_cycle *cycle);
void hwf_te_take_cycle(struct hwf_te *te, const struct hwf_te_cycle *cycle);

#endif /* HWF_ENCODE_TE_INTAKE_H */
