/* SPDX-License-Identifier: GPL-2.0-only */
/* Calling contexts of a recording, for a stored profile. */
#ifndef HWFLOW_VERBS_PROFILE_CONTEXTS_H
#define HWFLOW_VERBS_PROFILE_CONTEXTS_H

#include "execution_calls.h"
#include "measure.h"
#include "profile_counts.h"

/** struct profile_contexts - such contexts, while a recording is decoded */
struct profile_contexts;

/** PROFILE_NOT_TRACED - the context below a call for the time in which its thread was not traced */
#define PROFILE_NOT_TRACED "[not traced]"

/**
 * profile_contexts_new() - begin with no contexts
 * @result: receives them
 * @stored: receives what is counted; must outlive them
 * @counts: has the files of @stored; must outlive them
 * @measure: what is counted in place of instructions
 * @input: what is decoded; must outlive them
 * @options: of @input
 *
 * Return: 0 or -ENOMEM.
 */
int profile_contexts_new(struct profile_contexts **result, struct hwf_stored_profile *stored,
			 struct profile_counts *counts, const struct measure *measure,
			 const struct input *input, const struct input_options *options);

/** profile_contexts_calls() - the stacks, which have taken the execution */
struct execution_calls *profile_contexts_calls(struct profile_contexts *contexts);

/** profile_contexts_branch() - as execution_sink.branch; @ctx is the struct profile_contexts */
void profile_contexts_branch(void *ctx, const struct execution *execution,
			     const struct hwf_branch *branch);

/** profile_contexts_range() - as execution_sink.range; likewise */
void profile_contexts_range(void *ctx, const struct execution *execution,
			    const struct hwf_flow_range *range);

/** profile_contexts_end() - all was decoded; 0, or -ENOMEM: counts are missing */
int profile_contexts_end(struct profile_contexts *contexts);

/** profile_contexts_free() - free everything but the profile; NULL is allowed */
void profile_contexts_free(struct profile_contexts *contexts);

#endif /* HWFLOW_VERBS_PROFILE_CONTEXTS_H */
