/* SPDX-License-Identifier: GPL-2.0-only */
/* The formats that a profile is written in. */
#include "profile_formats.h"

#include <string.h>

/* clang-format off */
static const struct profile_format formats[] = {
	{"json", profile_json, PROFILE_NUMBERS, true, PROFILE_COUNTS, false},
	{"bolt", profile_bolt, PROFILE_BINARY, true, PROFILE_COUNTS, false},
	{"profgen", profile_profgen, PROFILE_BINARY, true, PROFILE_COUNTS, false},
	{"autofdo", profile_autofdo, PROFILE_BINARY, true, PROFILE_COUNTS, false},
	{"cs-autofdo", profile_cs_autofdo, PROFILE_BINARY, true, PROFILE_CONTEXT_BLOCKS, false},
	{"gcc", profile_gcc, PROFILE_BINARY, false, PROFILE_COUNTS, false},
	{"gcc16", profile_gcc16, PROFILE_BINARY, false, PROFILE_COUNTS, false},
	{"order", profile_order, PROFILE_BINARY, true, PROFILE_COUNTS, false},
	{"temporal", profile_temporal, PROFILE_BINARY, true, PROFILE_COUNTS, false},
	{"propeller", profile_propeller, PROFILE_BINARY, true, PROFILE_COUNTS, false},
	{"propeller-order", profile_propeller_order, PROFILE_BINARY, true, PROFILE_COUNTS, false},
	{"pprof", profile_pprof, PROFILE_BINARIES, false, PROFILE_COUNTS, false},
	{"lcov", profile_lcov, PROFILE_BINARIES, true, PROFILE_COUNTS, false},
	{"drcov", profile_drcov, PROFILE_BINARIES, false, PROFILE_COUNTS, false},
	{"folded", profile_folded, PROFILE_BINARIES, true, PROFILE_CONTEXTS, true},
	{"speedscope", profile_speedscope, PROFILE_BINARIES, true, PROFILE_CONTEXTS, true},
	{"callgrind", profile_callgrind, PROFILE_BINARIES, true, PROFILE_CONTEXTS, false},
};

/* clang-format on */
const struct profile_format *profile_format(const char *name)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (!strcmp(formats[i].name, name))
			return &formats[i];
	return NULL;
}
