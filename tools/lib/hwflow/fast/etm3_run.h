/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* ETMv3 by the graph of ranges. */
#ifndef HWF_FAST_ETM3_RUN_H
#define HWF_FAST_ETM3_RUN_H

#include "hwflow/etmv3_flow.h"

/* As many P-headers as there are, with what is remembered; bytes taken, 0 for none at all */
size_t hwf_etm3_run(struct hwf_etm3_decoder *decoder, const uint8_t *bytes, size_t length);

#endif /* HWF_FAST_ETM3_RUN_H */
