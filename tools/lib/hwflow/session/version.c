/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
#include "hwflow/version.h"

#define TEXT(number)  #number
#define VALUE(number) TEXT(number)

const char *hwf_version(void)
{
	return VALUE(HWF_VERSION_MAJOR) "." VALUE(HWF_VERSION_MINOR);
}
