/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines of `hwflow script` for samples of events beside the trace. */
#ifndef HWFLOW_VERBS_SAMPLE_LINES_H
#define HWFLOW_VERBS_SAMPLE_LINES_H

#include <stdbool.h>

#include "script_lines.h"
#include "source/input.h"

struct perfdata_sample;

/**
 * sample_is_selected() - is a sample one of those that the options select?
 * @input: the recording
 * @options: the options --source, --cpu and --tid
 * @sample: one of its samples
 */
bool sample_is_selected(const struct input *input, const struct input_options *options,
			const struct perfdata_sample *sample);

/**
 * sample_lines_exist() - are there samples that the options select?
 * @input: the recording
 * @options: the options --source, --cpu and --tid
 */
bool sample_lines_exist(const struct input *input, const struct input_options *options);

/**
 * sample_lines_print() - print a line for each sample that the options select
 * @input: the recording
 * @options: likewise
 * @lines: has the columns and the names of threads. If it has a merge and the times of its lines
 * are those of the perf clock, the merge receives the lines, as those of one source, at the
 * timestamps that match their times. If not, they are printed on standard output, in the order of
 * their times
 */
void sample_lines_print(const struct input *input, const struct input_options *options,
			const struct script_lines *lines);

#endif /* HWFLOW_VERBS_SAMPLE_LINES_H */
