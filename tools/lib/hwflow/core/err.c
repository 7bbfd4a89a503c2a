/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
#include "hwflow/err.h"

const char *hwf_err_text(int err)
{
	switch (err) {
	case HWF_OK:
		return "no error";
#define E(name, text)        \
	case HWF_ERR_##name: \
		return text;
#include "hwflow/hwf_err.def"
#undef E
	default:
		return "unknown error";
	}
}
