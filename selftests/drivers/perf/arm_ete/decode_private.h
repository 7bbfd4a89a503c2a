/* SPDX-License-Identifier: GPL-2.0-only */
/* Between decode.c and decode_code.c: struct hwf_code of a struct decode */
#ifndef ARM_ETE_SELFTESTS_DECODE_PRIVATE_H
#define ARM_ETE_SELFTESTS_DECODE_PRIVATE_H

#include <hwflow/flow.h>

/** decode_code_space() - struct hwf_code.space: the version of the code, from 1 */
const void *decode_code_space(void *ctx, const struct hwf_context *context);

/** decode_code_read() - struct hwf_code.read */
size_t decode_code_read(void *ctx, const void *space, uint64_t address, void *bytes, size_t length);

#endif
