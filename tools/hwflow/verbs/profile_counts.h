/* SPDX-License-Identifier: GPL-2.0-only */
/* What a recording has executed, as a stored profile: addresses become offsets in files. */
#ifndef HWFLOW_VERBS_PROFILE_COUNTS_H
#define HWFLOW_VERBS_PROFILE_COUNTS_H

#include "execution.h"
#include "hwflow/stored_profile.h"

/** struct profile_counts - such counts, while a recording is decoded */
struct profile_counts;

/**
 * profile_counts_new() - begin with no counts
 * @stored: receives what is counted, in groups if it has them; must outlive it
 * @options: of the input that is counted; must outlive it
 *
 * Return: NULL without memory.
 */
struct profile_counts *profile_counts_new(struct hwf_stored_profile *stored,
					  const struct input_options *options);

/**
 * profile_counts_take() - add what was counted; as execution_sink.counts
 * @ctx: a struct profile_counts
 * @execution: where it was executed
 * @profile: the counts
 *
 * Code that is in no file is not counted by block: its instructions are left out, and their number
 * is noted by the name of the code. Code of the kernel is in the files that profile_kernel.h finds.
 */
void profile_counts_take(void *ctx, const struct execution *execution,
			 const struct hwf_profile *profile);

/**
 * profile_counts_file() - the file of the profile that a file of the input is
 * @counts: of the input
 * @image: the file
 *
 * Return: NULL if it is no ELF file, or the memory of a kernel.
 */
const struct hwf_profile_file *profile_counts_file(struct profile_counts *counts,
						   struct hwf_image_file *image);

/**
 * profile_counts_block() - a block of an input as the profile has it
 * @counts: of the input
 * @execution: where it was executed
 * @block: by addresses
 * @placed: receives it, by offsets
 * @edge: receives the branch at its end if that goes to another place than the file says; else its
 *	count is 0
 *
 * Return: false if the code is in no file of the profile.
 */
bool profile_counts_block(struct profile_counts *counts, const struct execution *execution,
			  const struct hwf_profile_block *block, struct hwf_profile_block *placed,
			  struct hwf_profile_edge *edge);

/** profile_counts_edge() - likewise an edge; false if the profile does not have it as an edge */
bool profile_counts_edge(struct profile_counts *counts, const struct execution *execution,
			 const struct hwf_profile_edge *edge, struct hwf_profile_edge *placed);

/**
 * profile_counts_input() - note the gaps of an input, and its trace
 * @counts: all of @input was decoded, and nothing of another input after it
 * @input: the recording, or a part of it that begins where the input before it has ended
 */
void profile_counts_input(struct profile_counts *counts, const struct input *input);

/**
 * profile_counts_end() - note the recording
 * @counts: all of it was decoded
 * @options: what of it was selected
 *
 * Return: 0; -EEXIST if the same trace was counted before; -ENOMEM.
 */
int profile_counts_end(struct profile_counts *counts, const struct input_options *options);

/** profile_counts_free() - free everything but the profile; NULL is allowed */
void profile_counts_free(struct profile_counts *counts);

#endif /* HWFLOW_VERBS_PROFILE_COUNTS_H */
