// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registers of the trace buffer: the driver's tracepoints arm_ete_program and arm_ete_stop, in an instance of tracefs
 * of our own, so that other users of tracefs are not disturbed.
 */
#include "hwcheck.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pmu.h"

#define INSTANCE "instances/hwflow-hwcheck"

static bool write_file(const struct hwcheck_log *log, const char *file, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", log->at, file);
	return write_text(path, text);
}

/**
 * hwcheck_log_open() - have the tracepoints recorded
 * @log: to initialise
 *
 * Return: NULL, or the reason why that is not possible.
 */
const char *hwcheck_log_open(struct hwcheck_log *log)
{
	static const char *const places[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	size_t i;

	log->at[0] = '\0';
	mount("tracefs", places[0], "tracefs", 0, NULL);
	for (i = 0; i < 2; i++) {
		char path[128];

		snprintf(path, sizeof(path), "%s/events/arm_ete/arm_ete_stop", places[i]);
		if (access(path, F_OK))
			continue;
		snprintf(log->at, sizeof(log->at), "%s/" INSTANCE, places[i]);
		break;
	}
	if (!*log->at)
		return "tracefs has no tracepoint arm_ete_stop: run as root, with CONFIG_FTRACE and arm_ete_pmu";
	if (mkdir(log->at, 0700) && errno != EEXIST) {
		log->at[0] = '\0';
		return "no instance of tracefs can be made";
	}
	if (write_file(log, "buffer_size_kb", "4096") &&
	    write_file(log, "events/arm_ete/arm_ete_program/enable", "1") &&
	    write_file(log, "events/arm_ete/arm_ete_stop/enable", "1"))
		return NULL;
	hwcheck_log_close(log);
	return "the tracepoints cannot be enabled";
}

/**
 * hwcheck_log_clear() - forget what was recorded
 * @log: open
 */
void hwcheck_log_clear(const struct hwcheck_log *log)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/trace", log->at);
	file = fopen(path, "w");
	if (file)
		fclose(file);
}

/* Put a line of tracefs into a record; true if the record is complete then */
static bool take_line(const char *line, int cpu, struct hwcheck_stop *stop, bool *programmed)
{
	struct hwcheck_stop next = { 0 };
	const char *text;
	int of;

	text = strstr(line, "arm_ete_program: ");
	if (text && sscanf(text,
			   "arm_ete_program: cpu=%d base=%" SCNu64 " write=%" SCNu64 " limit=%" SCNu64
			   " trigger=%" SCNu64 " read=%" SCNu64 " counter=%" SCNu64,
			   &of, &next.base, &next.write, &next.limit, &next.trigger, &next.read,
			   &next.began) == 7 &&
	    of == cpu) {
		*stop = next;
		*programmed = true;
		return false;
	}
	text = strstr(line, "arm_ete_stop: ");
	if (!text || !*programmed ||
	    sscanf(text, "arm_ete_stop: cpu=%d status=%" SCNx64 " pointer=%" SCNu64 " counter=%" SCNu64,
		   &of, &stop->status, &stop->pointer, &stop->counter) != 4 || of != cpu)
		return false;
	*programmed = false;
	return true;
}

/**
 * hwcheck_log_read() - the records of a CPU since the log was cleared
 * @log: open
 * @cpu: the CPU
 * @stops: receives them; to be freed
 *
 * Return: their number.
 */
size_t hwcheck_log_read(const struct hwcheck_log *log, int cpu, struct hwcheck_stop **stops)
{
	char path[256], line[512];
	struct hwcheck_stop stop;
	bool programmed = false;
	size_t count = 0;
	FILE *file;

	*stops = NULL;
	snprintf(path, sizeof(path), "%s/trace", log->at);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file)) {
		struct hwcheck_stop *more;

		if (!take_line(line, cpu, &stop, &programmed))
			continue;
		more = realloc(*stops, (count + 1) * sizeof(**stops));
		if (!more)
			break;
		*stops = more;
		more[count++] = stop;
	}
	if (file)
		fclose(file);
	return count;
}

/**
 * hwcheck_log_close() - remove the instance of tracefs
 * @log: open or not
 */
void hwcheck_log_close(struct hwcheck_log *log)
{
	if (!*log->at)
		return;
	write_file(log, "events/enable", "0");
	rmdir(log->at);
	log->at[0] = '\0';
}
