/* SPDX-License-Identifier: GPL-2.0-only */
#include "sample_lines.h"

#include <stdlib.h>

#include "decode/time_merge.h"
#include "perfdata/perfdata_read.h"
#include "perfdata/perfdata_syscalls.h"
#include "select/selection.h"
#include "threads.h"

/* A CPU's source has the samples of this CPU, a thread's those of this thread. */
bool sample_is_selected(const struct input *input, const struct input_options *options,
			const struct perfdata_sample *sample)
{
	if (!selection_has_sample(input, sample->time))
		return false;
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
		if (sample_is_selected(input, options, &info->samples[i]))
			return true;
	return false;
}

/* The name of the event and its values; of a system call also its name */
static void put_sample(struct text *out, const struct perfdata_info *info,
		       const struct perfdata_sample *sample)
{
	struct perfdata_syscall call;
	char *string = NULL;
	size_t size;
	FILE *file = open_memstream(&string, &size);

	if (file) {
		perfdata_sample_print(sample, file);
		fclose(file);
	}
	if (string)
		text_bytes(out, string, size);
	free(string);
	if (!perfdata_sample_syscall(info, sample, &call) || !call.name)
		return;
	text_string(out, " (");
	text_name(out, call.name);
	text_char(out, ')');
}

static void put_line(const struct perfdata_info *info, const struct perfdata_sample *sample,
		     const struct script_lines *lines, struct text *out)
{
	/* without times, the last name of the thread */
	const uint64_t time = info->untimed ? UINT64_MAX : sample->time;
	const char *name = threads_name(lines->threads, sample->tid, time);

	script_put_thread(out, lines->fields, *name ? name : "-", sample->tid, sample->cpu);
	if (lines->fields & FIELD_TIME && !info->untimed && sample->time)
		script_put_seconds(out, sample->time);
	else if (lines->fields & FIELD_TIME)
		script_put_no_time(out);
	text_string(out, "EVENT: ");
	put_sample(out, info, sample);
	text_end_line(out);
}

void sample_lines_print(const struct input *input, const struct input_options *options,
			const struct script_lines *lines)
{
	const struct perfdata_info *info = input_recording(input);
	/* a sample has a place among timestamps only if their conversion is known */
	struct time_merge *merge = lines->time == TIME_CLOCK ? lines->merge : NULL;

	for (size_t i = 0; info && i < info->sample_count; i++) {
		const struct perfdata_sample *sample = &info->samples[i];
		struct text *out = text_stdout();

		if (!sample_is_selected(input, options, sample))
			continue;
		/* any two pointers stand for the source and its only piece */
		if (merge)
			out = time_merge_at(merge, info, info,
					    perfdata_clock_timestamp(&info->clock, sample->time));
		put_line(info, sample, lines, out);
	}
}
