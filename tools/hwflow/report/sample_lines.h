/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines of `hwflow script` for samples of events beside the trace. */
#ifndef HWFLOW_REPORT_SAMPLE_LINES_H
#define HWFLOW_REPORT_SAMPLE_LINES_H

#include <stdbool.h>

#include "input/input.h"
#include "threads.h"
#include "time_merge.h"

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
 * @threads: names of threads
 * @merge: receives the lines, as those of one source, at the timestamps that match their times;
 *NULL to print them on standard output, in the order of their times
 */
void sample_lines_print(const struct input *input, const struct input_options *options,
			const struct threads *threads, struct time_merge *merge);

#endif /* HWFLOW_REPORT_SAMPLE_LINES_H */
