/* SPDX-License-Identifier: GPL-2.0-only */
/* Sources of ETMv3 trace, for the files of this protocol */
#ifndef HWFLOW_ETM3_H
#define HWFLOW_ETM3_H

#include "hwflow/etmv3_flow.h"
#include "input.h"

/** etm3_config() - the configuration of a source of ETMv3 trace */
const struct hwf_etm3_config *etm3_config(const struct input_source *source);

#endif /* HWFLOW_ETM3_H */
