/* SPDX-License-Identifier: GPL-2.0-only */
/* What the groups of a profile are called. */
#ifndef HWFLOW_VERBS_PROFILE_GROUP_H
#define HWFLOW_VERBS_PROFILE_GROUP_H

#include "execution.h"
#include "hwflow/stored_profile.h"
#include "threads.h"

/**
 * profile_group_name() - the name of the group of the thread that is executed
 * @by: what the groups are
 * @execution: where we are
 * @threads: names of threads
 *
 * Return: the name of the process, as hwflow report has it, or THREAD@PROCESS, to be freed; NULL
 * without memory.
 */
char *profile_group_name(enum hwf_profile_by by, const struct execution *execution,
			 const struct threads *threads);

#endif /* HWFLOW_VERBS_PROFILE_GROUP_H */
