// SPDX-License-Identifier: GPL-2.0-only
/* Opens SRC, with all that the decoding verbs need to decode what the options select of it. */
#include <stdint.h>

#include "base/error.h"
#include "base/progress.h"
#include "decode/decode_ahead.h"
#include "decode/gaps.h"
#include "selection.h"
#include "source/input_private.h"

int input_open(struct input **result, const struct input_options *options)
{
	struct input *input;
	int status = source_open(&input, options);

	if (status)
		return status;
	input->gaps = gaps_new(input, options->all_gaps);
	if (input->gaps) {
		status = selection_apply(input, options);
	} else {
		input_error(options->path, UINT64_MAX, "out of memory");
		status = EXIT_UNREADABLE;
	}
	if (status)
		input_close(input);
	else
		*result = input;
	return status;
}

void input_close(struct input *input)
{
	if (!input)
		return;
	progress_end();
	decode_ahead_end(input);
	selection_free(input);
	input_free_memory(input);
	gaps_free(input->gaps);
	source_close(input);
}
