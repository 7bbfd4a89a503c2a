/* SPDX-License-Identifier: GPL-2.0-only */
/* Calling contexts of a recording, for a stored profile. */
#ifndef HWFLOW_VERBS_PROFILE_CONTEXTS_H
#define HWFLOW_VERBS_PROFILE_CONTEXTS_H

#include "execution.h"
#include "profile_counts.h"

/** struct profile_contexts - such contexts, while a recording is decoded */
struct profile_contexts;

/**
 * profile_contexts_new() - begin with no contexts
 * @result: receives them
 * @stored: receives what is counted; must outlive them
 * @counts: has the files of @stored; must outlive them
 * @input: what is decoded; must outlive them
 * @options: of @input
 *
 * Return: 0 or -ENOMEM.
 */
int profile_contexts_new(struct profile_contexts **result, struct hwf_stored_profile *stored,
			 struct profile_counts *counts, const struct input *input,
			 const struct input_options *options);

/** profile_contexts_order() - for execution_sink.order */
const size_t *profile_contexts_order(const struct profile_contexts *contexts);

/** profile_contexts_branch() - take a branch, as execution_sink.branch */
void profile_contexts_branch(struct profile_contexts *contexts, const struct execution *execution,
			     const struct hwf_branch *branch);

/** profile_contexts_range() - take executed instructions, as execution_sink.range */
void profile_contexts_range(struct profile_contexts *contexts, const struct execution *execution,
			    const struct hwf_flow_range *range);

/** profile_contexts_gap() - take a gap, as execution_sink.gap */
void profile_contexts_gap(struct profile_contexts *contexts, const struct execution *execution);

/**
 * profile_contexts_end() - all is decoded
 *
 * Return: 0 or -ENOMEM.
 */
int profile_contexts_end(struct profile_contexts *contexts);

/** profile_contexts_free() - free everything but the profile; NULL is allowed */
void profile_contexts_free(struct profile_contexts *contexts);

#endif /* HWFLOW_VERBS_PROFILE_CONTEXTS_H */
