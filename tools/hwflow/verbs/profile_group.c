/* SPDX-License-Identifier: GPL-2.0-only */
/* What the groups of a profile are called. */
#include "profile_group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes @PROCESS behind the name of a thread. Two groups of the same name have the same names. */
static void put_process(char *to, const char *process)
{
	*to++ = '@';
	for (; *process; process++) {
		/* the last '@' ends the name of the thread */
		if (*process == '@' || *process == '%')
			to += sprintf(to, "%%%02x", (unsigned int)*process);
		else
			*to++ = *process;
	}
	*to = '\0';
}

char *profile_group_name(enum hwf_profile_by by, const struct execution *execution,
			 const struct threads *threads)
{
	const uint64_t time = execution->piece->time;
	const int32_t pid = execution_process(execution, threads);
	const char *thread = threads_name(threads, execution->tid, time);
	const char *process = pid < 0 ? thread : threads_name(threads, pid, time);
	size_t length;
	char *name;

	if (by == HWF_PROFILE_BY_PROCESS)
		return strdup(process);
	length = strlen(thread);
	name = malloc(length + 3 * strlen(process) + 2);
	if (!name)
		return NULL;
	memcpy(name, thread, length);
	put_process(name + length, process);
	return name;
}
