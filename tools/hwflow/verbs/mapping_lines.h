/* SPDX-License-Identifier: GPL-2.0-only */
/* The mappings of a recording, as hwflow script --mappings prints them. */
#ifndef HWFLOW_VERBS_MAPPING_LINES_H
#define HWFLOW_VERBS_MAPPING_LINES_H

struct input;

/**
 * mapping_lines_print() - write a line for each mapping of code to stdout
 * @input: the recording
 *
 * Time, process, addresses, offset in the file, build id, file: in the order of the recording.
 *
 * Return: an enum exit_status; if @input is no recording of perf, the reason was printed on stderr.
 */
int mapping_lines_print(const struct input *input);

#endif /* HWFLOW_VERBS_MAPPING_LINES_H */
