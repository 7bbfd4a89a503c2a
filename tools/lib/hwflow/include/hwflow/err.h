/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Errors of the library: one enumeration, one text each. */
#ifndef HWFLOW_ERR_H
#define HWFLOW_ERR_H

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

enum hwf_err_row {
#define E(name, text) HWF_ERR_ROW_##name,
#include "hwflow/hwf_err.def"
#undef E
	HWF_ERR_ROWS
};

/** enum hwf_err - what a function returns that may fail; 0 is good */
enum hwf_err {
	HWF_OK = 0,
#define E(name, text) HWF_ERR_##name = -1 - HWF_ERR_ROW_##name,
#include "hwflow/hwf_err.def"
#undef E
};

/**
 * hwf_err_text() - say what an error means
 * @err: an enum hwf_err, or any other number
 *
 * Return: a constant string, never NULL.
 */
const char *hwf_err_text(int err);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* HWFLOW_ERR_H */
