// SPDX-License-Identifier: GPL-2.0-only
/* The lines around the tables of report, annotate and diff. */
#include "summary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/print.h"
#include "decode/gaps.h"

void summary_print_input(const struct input *input, uint64_t instructions, uint64_t ranges,
			 FILE *out)
{
	size_t pieces = 0;

	if (input->stored) {
		size_t recordings;

		hwf_stored_profile_recordings(input->stored, &recordings);
		print(out, "%s: %" PRIu64 " instructions, in %zu %s\n", input->path, instructions,
		      recordings, recordings == 1 ? "recording" : "recordings");
		return;
	}
	for (size_t i = 0; i < input->source_count; i++)
		pieces += input->sources[i].piece_count;
	print(out,
	      "%s: %" PRIu64 " instructions in %" PRIu64 " ranges, %sfrom %" PRIu64
	      " bytes of trace in %zu %s\n",
	      input->path, instructions, ranges, input->selection ? "selected " : "",
	      input_bytes(input), pieces, pieces == 1 ? "piece" : "pieces");
}

static bool shows_colours(FILE *out)
{
	const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");

	return isatty(fileno(out)) && !(none && *none) && terminal && strcmp(terminal, "dumb") != 0;
}

void summary_print_share(double share, FILE *out)
{
	if (share < 0.5 || !shows_colours(out))
		print(out, "%6.2f%%", share);
	else if (share < 5)
		print(out, "\033[32m%6.2f%%\033[m", share);
	else
		print(out, "\033[31m%6.2f%%\033[m", share);
}

bool summary_has_samples(const struct input *input)
{
	for (size_t i = 0; i < input->source_count; i++)
		for (size_t j = 0; j < input->sources[i].piece_count; j++)
			if (input->sources[i].pieces[j].is_sample)
				return true;
	return false;
}

void summary_print_gaps(const struct input *input, FILE *out)
{
	size_t count;
	const struct gap_kind *kinds = gaps_kinds(input->gaps, &count);

	if (summary_has_samples(input))
		fputs("The trace is in samples: what was executed between them is not recorded, "
		      "and what several of them have counts several times.\n",
		      out);
	else if (!count && !input->damaged)
		fputs("Nothing is missing.\n", out);
	if (!count && !input->damaged)
		return;
	fputs("Not all of the execution is known:\n", out);
	for (size_t i = 0; i < count; i++)
		print(out, "%14" PRIu64 " x %s%s%s\n", kinds[i].count, kinds[i].reason,
		      kinds[i].file ? ", in " : "", kinds[i].file ? kinds[i].file : "");
	if (input->damaged)
		fputs("               part of the file could not be read\n", out);
}
