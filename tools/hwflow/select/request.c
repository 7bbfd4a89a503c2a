// SPDX-License-Identifier: GPL-2.0-only
/* The time of a request, from the samples of its first and its second instruction. */
#include "request.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "perfdata/perfdata_read.h"
#include "perfdata/perfdata_samples.h"
#include "selection.h"

static bool is_named(const struct perfdata_sample *sample, const char *prefix)
{
	return sample->event && !strncmp(sample->event, prefix, strlen(prefix));
}

/* The sample with which a request begins, in which others may be; NULL: it is not there */
static const struct perfdata_sample *begin_of(const struct perfdata_info *info,
					      const struct perfdata_sample *end)
{
	size_t depth = 0;

	for (size_t i = (size_t)(end - info->samples); i > 0; i--) {
		const struct perfdata_sample *sample = &info->samples[i - 1];

		if (sample->tid != end->tid)
			continue;
		if (is_named(sample, PERFDATA_REQUEST_END))
			depth++;
		else if (is_named(sample, PERFDATA_REQUEST_BEGIN) && !depth--)
			return sample;
	}
	return NULL;
}

int request_times(const struct input *input, uint64_t number, uint64_t *begin, uint64_t *end)
{
	const struct perfdata_info *info = input_recording(input);
	const struct perfdata_sample *first, *last = NULL;
	uint64_t count = 0;

	for (size_t i = 0; info && i < info->sample_count && count < number; i++) {
		if (!is_named(&info->samples[i], PERFDATA_REQUEST_END))
			continue;
		last = &info->samples[i];
		count++;
	}
	if (!last) {
		input_error(input->path, UINT64_MAX,
			    "--request: no request is marked; record with 'hwflow record "
			    "--trigger=latency(BEGIN,END)>TIME'");
		return EXIT_USAGE;
	}
	if (count < number) {
		input_error(input->path, UINT64_MAX,
			    "--request=%" PRIu64 ": the last request is %" PRIu64, number, count);
		return EXIT_USAGE;
	}
	first = begin_of(info, last);
	if (!first || selection_unit(input) == SELECTION_TICKS) {
		input_error(input->path, UINT64_MAX, "--request=%" PRIu64 ": %s", number,
			    first ? "the conversion of timestamps to times is not known"
				  : "the recording does not have its beginning");
		return EXIT_USAGE;
	}
	*begin = first->time;
	*end = last->time;
	return 0;
}
