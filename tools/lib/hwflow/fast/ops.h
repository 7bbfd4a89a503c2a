/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* What packets of one or two bytes do with P0 elements, by header byte. */
#ifndef HWF_FAST_OPS_H
#define HWF_FAST_OPS_H

#include "hwflow/window.h"

/* The struct hwf_ops of a trace unit: made of what the codecs say, so that there is no second
 * reading of the formats */
void hwf_ops_init(struct hwf_ops *ops, const struct hwf_ete_config *config);

#endif /* HWF_FAST_OPS_H */
