// SPDX-License-Identifier: GPL-2.0-only
/* hwflow emulate --recover: the directory of a run that was killed. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/input_file.h"
#include "emulate_place.h"
#include "emulate_stream.h"
#include "source/input.h"

static int bad_command(const char *directory)
{
	return verb_error("%s/command: malformed or missing: this is not the directory of a "
			  "run of this version",
			  directory);
}

/* All of the file, with a NUL behind it; NULL if it cannot be read. */
static char *read_command(const char *directory, size_t *length)
{
	char path[PATH_MAX + 16], *text;
	struct stat status;
	FILE *file;

	snprintf(path, sizeof(path), "%s/command", directory);
	file = input_file_stream(path, strlen(directory));
	if (!file)
		return NULL;
	*length = fstat(fileno(file), &status) ? 0 : (size_t)status.st_size;
	text = *length ? calloc(1, *length + 1) : NULL;
	if (text && fread(text, 1, *length, file) != *length) {
		free(text);
		text = NULL;
	}
	fclose(file);
	return text;
}

int run_recover_options(const char *directory, char ***words, int *count)
{
	size_t length, found = 0;
	char *text = read_command(directory, &length), *at;

	if (!text)
		return bad_command(directory);
	for (size_t i = 0; i < length; i++)
		found += !text[i];
	*words = calloc(found + 1, sizeof(**words));
	if (!*words || found < 2) {
		free(text);
		free(*words);
		*words = NULL;
		return bad_command(directory);
	}
	at = text;
	for (size_t i = 0; i < found; i++) {
		(*words)[i] = at;
		at += strlen(at) + 1;
	}
	/* names of the command line begin there */
	if (chdir(text))
		verb_error("%s: %s", text, strerror(errno));
	*count = (int)found - 1;
	return 0;
}

static int map_control(struct run *run)
{
	char path[PATH_MAX + 16];
	struct stat status;
	void *control = MAP_FAILED;
	int fd;

	snprintf(path, sizeof(path), "%s" RUN_STREAMS "/control", run->directory);
	fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return verb_error("%s: %s", path, strerror(errno));
	if (!fstat(fd, &status) && status.st_size == (off_t)sizeof(*run->control))
		control = mmap(NULL, sizeof(*run->control), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			       0);
	close(fd);
	if (control == MAP_FAILED)
		return verb_error(
			"%s: malformed: this is not the directory of a run of this version", path);
	run->control = control;
	if (run->control->magic != RUN_MAGIC)
		return verb_error("%s: offset 0: this is not the directory of a run", path);
	return 0;
}

int run_recover_open(struct run *run, const char *directory)
{
	int status = place_open(run, directory);

	if (!status && place_is_complete(run->directory)) {
		status = place_finish(run->directory, run->target);
		if (!status)
			place_remove(run->directory);
		if (!status)
			verb_error("%s was complete: it is now %s", directory, run->target);
		return status ? status : -1;
	}
	if (!status)
		status = map_control(run);
	if (!status)
		run->main_pid = run->control->main_pid;
	return status;
}

void run_recover_times(struct run *run)
{
	for (size_t i = 0; i < run->file_count; i++) {
		if (run->files[i].head.start > run->end)
			run->end = run->files[i].head.start;
	}
	for (size_t i = 0; i < run->happening_count; i++) {
		if (run->happenings[i].event.time > run->end)
			run->end = run->happenings[i].event.time;
	}
	for (size_t i = 0; i < run->file_count; i++) {
		if (!run->files[i].head.end)
			run->files[i].head.end = run->end;
	}
}

int run_replay(const struct truth *before, struct tracer *tracer)
{
	struct truth_event event;
	struct truth_reader reader;
	int status = 0, got;

	for (size_t i = 0; i < truth_threads(before) && !status; i++) {
		const struct truth_thread *thread = truth_thread(before, i);
		struct traced *traced = NULL;

		truth_reader_init(&reader, before, i);
		while (!status && (got = truth_next(&reader, &event)) != 0) {
			if (got < 0)
				return verb_error("%s", reader.message);
			if (!traced)
				traced = tracer_thread(tracer, thread->pid, thread->tid,
						       event.u.time);
			status = traced ? tracer_event(tracer, traced, &event)
					: verb_error("not enough memory");
		}
	}
	return status;
}
