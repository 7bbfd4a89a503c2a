// SPDX-License-Identifier: GPL-2.0-only
/* Names of the functions of what a verb decodes. */
#include "names.h"

int names_open(struct symbols **names, const struct input *input,
	       const struct input_options *options, bool demangle)
{
	int error = symbols_new(names, options->symfs, demangle);

	for (size_t i = 0; !error && i < options->debug_directory_count; i++)
		error = symbols_debug_directory(*names, options->debug_directories[i]);
	return error || !input ? error : symbols_recording(*names, input_recording(input));
}
