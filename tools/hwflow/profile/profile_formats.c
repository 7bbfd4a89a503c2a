/* SPDX-License-Identifier: GPL-2.0-only */
/* The formats that a profile is written in. */
#include "profile_formats.h"

#include <string.h>

/* clang-format off */
static const struct profile_format formats[] = {
	{"json", profile_json, PROFILE_NUMBERS, true, false, false},
	{"bolt", profile_bolt, PROFILE_BINARY, true, false, false},
	{"profgen", profile_profgen, PROFILE_BINARY, true, false, false},
	{"autofdo", profile_autofdo, PROFILE_BINARY, true, false, false},
	{"gcc", profile_gcc, PROFILE_BINARY, false, false, false},
	{"gcc16", profile_gcc16, PROFILE_BINARY, false, false, false},
	{"order", profile_order, PROFILE_BINARY, true, false, false},
	{"temporal", profile_temporal, PROFILE_BINARY, true, false, false},
	{"propeller", profile_propeller, PROFILE_BINARY, true, false, false},
	{"propeller-order", profile_propeller_order, PROFILE_BINARY, true, false, false},
	{"pprof", profile_pprof, PROFILE_BINARIES, false, false, false},
	{"lcov", profile_lcov, PROFILE_BINARIES, true, false, false},
	{"drcov", profile_drcov, PROFILE_BINARIES, false, false, false},
	{"folded", profile_folded, PROFILE_BINARIES, true, true, true},
	{"speedscope", profile_speedscope, PROFILE_BINARIES, true, true, true},
	{"callgrind", profile_callgrind, PROFILE_BINARIES, true, true, false},
};

/* clang-format on */
const struct profile_format *profile_format(const char *name)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (!strcmp(formats[i].name, name))
			return &formats[i];
	return NULL;
}
