// SPDX-License-Identifier: GPL-2.0-only
/* Opens SRC, with all that the decoding verbs need to decode what the options select of it. */
#include <stdint.h>

#include "base/error.h"
#include "base/progress.h"
#include "decode/gaps.h"
#include "decode/loop.h"
#include "selection.h"
#include "source/input_private.h"

static void add_gaps(const struct input *input)
{
	const struct hwf_profile_note *note;
	size_t at = 0;

	while ((note = hwf_stored_profile_next_note(input->stored, &at)))
		if (note->kind == HWF_NOTE_GAP && note->count)
			gaps_add_sum(input->gaps, note->text, note->count, note->bytes);
}

int input_open(struct input **result, const struct input_options *options)
{
	struct input *input;
	int status = source_open(&input, options);

	if (status)
		return status;
	input->gaps = gaps_new(input, options->all_gaps);
	if (input->gaps && input->stored) {
		add_gaps(input);
	} else if (input->gaps) {
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
	selection_free(input);
	decode_free(input);
	gaps_free(input->gaps);
	source_close(input);
}
