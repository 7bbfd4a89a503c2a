/* SPDX-License-Identifier: GPL-2.0-only */
#include "sample_lines.h"

#include <inttypes.h>

#include "perfdata/perfdata_read.h"
#include "perfdata/perfdata_samples.h"

/* A CPU's source has the samples of this CPU, a thread's those of this thread. */
static bool is_selected(const struct input *input, const struct input_options *options,
			const struct perfdata_sample *sample)
{
	if (!options->source && options->cpu == INPUT_ANY && options->tid == INPUT_ANY)
		return true;
	for (size_t i = 0; i < input->source_count; i++) {
		const struct input_source *source = &input->sources[i];

		if ((source->cpu == INPUT_ANY || source->cpu == sample->cpu) &&
		    (source->tid == INPUT_ANY || source->tid == sample->tid))
			return true;
	}
	return false;
}

bool sample_lines_exist(const struct input *input, const struct input_options *options)
{
	const struct perfdata_info *info = input_recording(input);

	for (size_t i = 0; info && i < info->sample_count; i++)
		if (is_selected(input, options, &info->samples[i]))
			return true;
	return false;
}

static void print_line(const struct perfdata_info *info, const struct perfdata_sample *sample,
		       const struct threads *threads, FILE *out)
{
	/* without times, the last name of the thread */
	const uint64_t time = info->untimed ? UINT64_MAX : sample->time;
	const char *name = threads_name(threads, sample->tid, time);

	fprintf(out, "%-15s ", *name ? name : "-");
	if (sample->tid < 0)
		fprintf(out, "%7s ", "-");
	else
		fprintf(out, "%7" PRId32 " ", sample->tid);
	if (info->untimed || !sample->time)
		fprintf(out, "%16s  ", "-");
	else
		fprintf(out, "%6" PRIu64 ".%09" PRIu64 "  ", sample->time / 1000000000,
			sample->time % 1000000000);
	fputs("EVENT: ", out);
	perfdata_sample_print(sample, out);
	fputc('\n', out);
}

void sample_lines_print(const struct input *input, const struct input_options *options,
			const struct threads *threads, struct time_merge *merge)
{
	const struct perfdata_info *info = input_recording(input);

	for (size_t i = 0; info && i < info->sample_count; i++) {
		const struct perfdata_sample *sample = &info->samples[i];
		FILE *out = stdout;

		if (!is_selected(input, options, sample))
			continue;
		/* any two pointers stand for the source and its only piece */
		if (merge)
			out = time_merge_at(merge, info, info,
					    perfdata_clock_timestamp(&info->clock, sample->time));
		print_line(info, sample, threads, out);
	}
}
