/* SPDX-License-Identifier: GPL-2.0-only */
/* A recording is decoded into a stored profile. */
#ifndef HWFLOW_VERBS_PROFILE_DECODE_H
#define HWFLOW_VERBS_PROFILE_DECODE_H

#include "hwflow/stored_profile.h"
#include "measure.h"

/**
 * struct profile_decode - how a recording is counted
 * @verb: that counts it, for progress
 * @stored: receives the counts; calling contexts if it keeps them
 * @no_blocks: only calling contexts are wanted
 * @measure: what calling contexts count
 * @instructions: receives how many were executed, if @stored keeps contexts
 * @ranges: receives the number of ranges of instructions, likewise
 */
struct profile_decode {
	const char *verb;
	struct hwf_stored_profile *stored;
	bool no_blocks;
	struct measure measure;
	uint64_t instructions;
	uint64_t ranges;
};

/**
 * profile_decode() - count a recording
 * @decode: how
 * @input: the recording
 * @options: of @input
 *
 * Return: an enum exit_status. The gaps of @input are not printed.
 */
int profile_decode(struct profile_decode *decode, struct input *input,
		   const struct input_options *options);

#endif /* HWFLOW_VERBS_PROFILE_DECODE_H */
