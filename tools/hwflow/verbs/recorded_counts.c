/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts of a recording that goes on, part by part, in the process that record_parts_start() makes.
 */
#include "recorded_counts.h"

#include <search.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "execution.h"
#include "options.h"
#include "profile_counts.h"
#include "profile_file.h"

/* Most lines of messages that are written */
#define MOST_SAID 1000

#define DROPPED "not counted: counting did not keep up with recording"

static int out_of_memory(void)
{
	return verb_error("out of memory: no counts are written");
}

static int begin(void *ctx)
{
	struct recorded_counts *counts = ctx;

	/* who reads the messages may have ended */
	signal(SIGPIPE, SIG_IGN);
	counts->messages = memfd_create("hwflow-messages", MFD_CLOEXEC);
	counts->terminal = dup(STDERR_FILENO);
	if (counts->messages < 0 || counts->terminal < 0 ||
	    dup2(counts->messages, STDERR_FILENO) < 0)
		return out_of_memory();
	counts->stored = hwf_stored_profile_new();
	counts->counts = counts->stored ? profile_counts_new(counts->stored, &counts->input) : NULL;
	return counts->counts ? verb_sandbox(&counts->input) : out_of_memory();
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Writes a line, its end included, unless it was written before or there are too many. */
static void say_once(struct recorded_counts *counts, const char *line, size_t length)
{
	char *copy = counts->said_count < MOST_SAID ? strndup(line, length) : NULL;
	char *const *node = copy ? tsearch(copy, &counts->said, compare_lines) : NULL;

	if (!node || *node != copy) {
		free(copy);
		return;
	}
	counts->said_count++;
	dprintf(counts->terminal, "%.*s", (int)length, line);
}

/* Each part would say the same again, of files that are missing. */
static void say_new(struct recorded_counts *counts)
{
	char *bytes, *end;
	off_t size;

	fflush(stderr);
	size = lseek(counts->messages, 0, SEEK_END);
	bytes = size > 0 ? mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, counts->messages, 0)
			 : MAP_FAILED;
	if (bytes == MAP_FAILED)
		return;
	for (char *line = bytes; (end = memchr(line, '\n', (size_t)(bytes + size - line))) != NULL;
	     line = end + 1)
		say_once(counts, line, (size_t)(end + 1 - line));
	munmap(bytes, (size_t)size);
	if (!ftruncate(counts->messages, 0))
		lseek(counts->messages, 0, SEEK_SET);
}

static int count_part(void *ctx, const char *path)
{
	struct recorded_counts *counts = ctx;
	struct execution_sink sink = {.counts = profile_counts_take, .ctx = counts->counts};
	struct execution execution;
	struct input *input;
	int status;

	counts->input.path = path;
	counts->input.shown = "the recording";
	status = input_open(&input, &counts->input);
	if (!status) {
		status = execution_run_part(&execution, input, &sink);
		profile_counts_input(counts->counts, input);
		input_close(input);
	}
	say_new(counts);
	return status;
}

static int end(void *ctx, const struct record_dropped *dropped, int fd)
{
	struct recorded_counts *counts = ctx;

	if (dropped->records)
		hwf_stored_profile_note(counts->stored,
					&(struct hwf_profile_note){.text = DROPPED,
								   .count = dropped->records,
								   .bytes = dropped->bytes,
								   .kind = HWF_NOTE_GAP});
	if (profile_counts_end(counts->counts, &counts->input) ||
	    profile_file_put(counts->stored, fd)) {
		out_of_memory();
		say_new(counts);
		return EXIT_UNREADABLE;
	}
	tdestroy(counts->said, free);
	profile_counts_free(counts->counts);
	hwf_stored_profile_free(counts->stored);
	return EXIT_GOOD;
}

struct record_counter recorded_counts_counter(struct recorded_counts *counts)
{
	return (struct record_counter){
		.begin = begin, .part = count_part, .end = end, .ctx = counts};
}
