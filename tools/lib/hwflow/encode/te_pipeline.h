/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The RISC-V trace encoder's pipeline: items to packets. */
#ifndef HWF_ENCODE_TE_PIPELINE_H
#define HWF_ENCODE_TE_PIPELINE_H

#include "encode/te.h"

/* One item more */
void hwf_te_push(struct hwf_te *te, const struct te_item *item);

/* After a loss: nothing goes out until there is room to say so. False where there is none yet */
bool hwf_te_recover(struct hwf_te *te);

#endif /* HWF_ENCODE_TE_PIPELINE_H */
