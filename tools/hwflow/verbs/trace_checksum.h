/* SPDX-License-Identifier: GPL-2.0-only */
/* Which recording it is: a checksum of its trace, in whatever order its parts come. */
#ifndef HWFLOW_VERBS_TRACE_CHECKSUM_H
#define HWFLOW_VERBS_TRACE_CHECKSUM_H

#include "hwflow/stored_profile.h"
#include "source/input.h"

/**
 * struct trace_checksum - the sum of the checksums of AUX records
 * @low: its low 64 bits
 * @high: its high 64 bits
 */
struct trace_checksum {
	uint64_t low;
	uint64_t high;
};

/**
 * trace_checksum_add() - add all trace of an input
 * @checksum: 0 at first
 * @input: the input
 *
 * Return: false without memory.
 */
bool trace_checksum_add(struct trace_checksum *checksum, const struct input *input);

/**
 * trace_checksum_id() - the identity of a recording
 * @checksum: of all its trace
 * @options: what of it was selected
 */
struct hwf_recording_id trace_checksum_id(const struct trace_checksum *checksum,
					  const struct input_options *options);

#endif /* HWFLOW_VERBS_TRACE_CHECKSUM_H */
