/* SPDX-License-Identifier: GPL-2.0-only */
/* The formats that a profile is written in. */
#include "profile_formats.h"

#include <string.h>

/* clang-format off */
static const struct profile_format formats[] = {
	{"json", profile_json, PROFILE_NUMBERS, true, PROFILE_COUNTS},
	{"bolt", profile_bolt, PROFILE_BINARY, true, PROFILE_COUNTS},
	{"profgen", profile_profgen, PROFILE_BINARY, true, PROFILE_COUNTS},
	{"autofdo", profile_autofdo, PROFILE_BINARY, true, PROFILE_COUNTS},
	{"cs-autofdo", profile_cs_autofdo, PROFILE_BINARY, true, PROFILE_CONTEXT_BLOCKS},
	{"gcc", profile_gcc, PROFILE_BINARY, false, PROFILE_COUNTS},
	{"gcc16", profile_gcc16, PROFILE_BINARY, false, PROFILE_COUNTS},
	{"order", profile_order, PROFILE_BINARY, true, PROFILE_COUNTS},
	{"temporal", profile_temporal, PROFILE_BINARY, true, PROFILE_COUNTS},
	{"propeller", profile_propeller, PROFILE_BINARY, true, PROFILE_COUNTS},
	{"propeller-order", profile_propeller_order, PROFILE_BINARY, true, PROFILE_COUNTS},
	{"pprof", profile_pprof, PROFILE_BINARIES, false, PROFILE_COUNTS},
	{"lcov", profile_lcov, PROFILE_BINARIES, true, PROFILE_COUNTS},
	{"drcov", profile_drcov, PROFILE_BINARIES, false, PROFILE_COUNTS},
	{"folded", profile_folded, PROFILE_BINARIES, true, PROFILE_CONTEXTS},
	{"speedscope", profile_speedscope, PROFILE_BINARIES, true, PROFILE_CONTEXTS},
	{"callgrind", profile_callgrind, PROFILE_BINARIES, true, PROFILE_CONTEXTS},
};

/* clang-format on */
const struct profile_format *profile_format(const char *name)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (!strcmp(formats[i].name, name))
			return &formats[i];
	return NULL;
}
