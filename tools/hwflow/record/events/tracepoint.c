// SPDX-License-Identifier: GPL-2.0-only
#include "tracepoint.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>
#include <unistd.h>

#include "base/input_file.h"

/* tracefs, where it is mounted by the kernel itself and where it was before */
static const char *const tracefs[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

#define FORMAT_MAX 65536

int tracefs_open(const char *name, int flags)
{
	char path[PATH_MAX];
	int error = 0, fd = -1;

	for (size_t i = 0; fd < 0 && i < sizeof(tracefs) / sizeof(tracefs[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", tracefs[i], name);
		fd = own_file_open(path, flags);
		/* no permission is the reason to report, not the second place */
		if (fd < 0 && (!error || errno != ENOENT))
			error = -errno;
	}
	return fd < 0 ? error : fd;
}

/* Read the description of a tracepoint. Returns its length, or a negative errno. */
static long read_format(const char *system, const char *event, char *text)
{
	char path[PATH_MAX];
	size_t length = 0;
	FILE *file = NULL;
	int error = 0;

	for (size_t i = 0; !file && i < sizeof(tracefs) / sizeof(tracefs[0]); i++) {
		snprintf(path, sizeof(path), "%s/events/%s/%s/format", tracefs[i], system, event);
		file = own_file_stream(path);
		/* no permission is the reason to report, not the second place */
		if (!file && (!error || errno != ENOENT))
			error = -errno;
	}
	if (!file)
		return error;
	length = fread(text, 1, FORMAT_MAX, file);
	if (ferror(file))
		error = -EIO;
	fclose(file);
	return length ? (long)length : error ? error : -EIO;
}

const char *tracepoint_directory(void)
{
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(tracefs) / sizeof(tracefs[0]); i++) {
		snprintf(path, sizeof(path), "%s/events", tracefs[i]);
		if (!access(path, R_OK | X_OK))
			return tracefs[i];
	}
	return tracefs[0];
}

int tracepoint_find(const char *name, struct perf_event_attr *attr, char *message, size_t size)
{
	char system[128], *text;
	const char *event = strchr(name, ':') + 1;
	struct tep_handle *tep = tep_alloc();
	struct tep_event *parsed = NULL;
	long length = -ENOMEM;

	snprintf(system, sizeof(system), "%.*s", (int)(event - name - 1), name);
	text = malloc(FORMAT_MAX);
	if (tep && text)
		length = read_format(system, event, text);
	if (length > 0 && tep_parse_format(tep, &parsed, text, (unsigned long)length, system))
		length = -EINVAL;
	if (length > 0) {
		attr->type = PERF_TYPE_TRACEPOINT;
		attr->config = (unsigned long long)parsed->id;
		attr->freq = 0;
		attr->sample_period = 1;
		attr->sample_type |= PERF_SAMPLE_RAW;
	} else if (length == -ENOENT) {
		snprintf(message, size,
			 "there is no such tracepoint; if /sys/kernel/tracing is empty: mount -t "
			 "tracefs tracefs /sys/kernel/tracing");
	} else {
		snprintf(message, size, "its format cannot be read: %s", strerror((int)-length));
	}
	free(text);
	/* the handle owns the event */
	if (tep)
		tep_free(tep);
	return length > 0 ? 0 : (int)length;
}
