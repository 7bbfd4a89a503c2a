/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Errors of the library: one enumeration, one text each. */
#ifndef HWFLOW_ERR_H
#define HWFLOW_ERR_H

#include <stdint.h>

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

/**
 * struct hwf_config_fault - the first value of a configuration that is not possible
 * @name: of the register or parameter
 * @text: which values are possible, with its fields; NULL: those from @min to @max
 * @value: the value
 * @min: see @text
 * @max: see @text
 */
struct hwf_config_fault {
	const char *name;
	const char *text;
	uint64_t value;
	uint64_t min;
	uint64_t max;
};

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* HWFLOW_ERR_H */
