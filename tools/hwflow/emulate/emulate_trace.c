// SPDX-License-Identifier: GPL-2.0-only
/* hwflow emulate: the events of threads to trace, each in a file of the run's directory. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "emulate_trace.h"
#include "source/input.h"

static bool take_bytes(void *ctx, const uint8_t *bytes, size_t length)
{
	struct traced *traced = ctx;

	traced->size += length;
	return fwrite(bytes, 1, length, traced->file) == length;
}

static bool take_session(void *ctx, uint64_t time)
{
	struct traced *traced = ctx;
	const struct session *last =
		traced->session_count ? &traced->sessions[traced->session_count - 1] : NULL;
	uint64_t offset = last ? last->offset + last->size : 0;

	if (!traced->sessions || traced->session_count == traced->session_room) {
		size_t room = traced->session_room ? traced->session_room * 2 : 4;
		struct session *more = realloc(traced->sessions, room * sizeof(*more));

		if (!more)
			return false;
		traced->sessions = more;
		traced->session_room = room;
	}
	traced->sessions[traced->session_count++] =
		(struct session){.offset = offset, .size = traced->size - offset, .time = time};
	return true;
}

static int begin(struct tracer *tracer, struct traced *traced)
{
	const struct emulate_options *options = tracer->options;
	char message[TRUTH_MESSAGE];
	int error;

	if (traced->encoder || traced->riscv)
		return 0;
	traced->file = fopen(traced->path, "ae");
	if (!traced->file)
		return verb_error("%s: %s", traced->path, strerror(errno));
	traced->sink =
		(struct encode_sink){.ctx = traced, .bytes = take_bytes, .session = take_session};
	if (options->is_riscv)
		error = encoder_riscv_new(&traced->riscv, traced->tid, &options->riscv,
					  &traced->sink, &tracer->totals, message);
	else
		error = encoder_new(&traced->encoder, traced->tid, &options->encode, &traced->sink,
				    &tracer->totals, message);
	return error ? verb_error("%s", message) : 0;
}

struct traced *tracer_thread(struct tracer *tracer, int32_t pid, int32_t tid, uint64_t begun)
{
	struct traced *traced, **more;

	for (size_t i = 0; i < tracer->count; i++) {
		if (tracer->threads[i]->tid == tid)
			return tracer->threads[i];
	}
	more = realloc(tracer->threads, (tracer->count + 1) * sizeof(struct traced *));
	if (!more)
		return NULL;
	tracer->threads = more;
	traced = calloc(1, sizeof(*traced));
	if (!traced)
		return NULL;
	traced->pid = pid;
	traced->tid = tid;
	traced->begun = begun;
	if (asprintf(&traced->path, "%s/aux.%d", tracer->run->directory, tid) < 0) {
		free(traced);
		return NULL;
	}
	remove(traced->path);
	more[tracer->count++] = traced;
	return traced;
}

int tracer_event(struct tracer *tracer, struct traced *traced, const struct truth_event *event)
{
	char message[TRUTH_MESSAGE];
	int error = begin(tracer, traced);

	if (error)
		return error;
	error = traced->riscv ? encoder_riscv_event(traced->riscv, event, message)
			      : encoder_event(traced->encoder, event, message);
	return error ? verb_error("%s", message) : 0;
}

int tracer_blocks(struct traced *traced, struct truth_cursor *cursor, const uint8_t *until)
{
	char message[TRUTH_MESSAGE];

	if (!traced->encoder || !encoder_blocks(traced->encoder, cursor, until, message))
		return 0;
	return verb_error("%s", message);
}

int tracer_end(struct tracer *tracer, struct traced *traced)
{
	char message[TRUTH_MESSAGE];
	int error = 0;

	(void)tracer;
	if (traced->riscv)
		error = encoder_riscv_end(traced->riscv, message);
	else if (traced->encoder)
		error = encoder_end(traced->encoder, message);
	encoder_riscv_free(traced->riscv);
	encoder_free(traced->encoder);
	traced->riscv = NULL;
	traced->encoder = NULL;
	errno = 0;
	if (traced->file && fclose(traced->file) && !error) {
		error = -EIO;
		snprintf(message, sizeof(message), "%s: %s", traced->path, strerror(errno));
	}
	traced->file = NULL;
	return error ? verb_error("%s", message) : 0;
}

static int compare(const void *a, const void *b)
{
	const struct traced *x = *(struct traced *const *)a, *y = *(struct traced *const *)b;

	if (x->begun != y->begun)
		return x->begun < y->begun ? -1 : 1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

void tracer_sort(struct tracer *tracer)
{
	if (tracer->count)
		qsort(tracer->threads, tracer->count, sizeof(struct traced *), compare);
}

void tracer_free(struct tracer *tracer)
{
	for (size_t i = 0; i < tracer->count; i++) {
		struct traced *traced = tracer->threads[i];

		encoder_riscv_free(traced->riscv);
		encoder_free(traced->encoder);
		if (traced->file)
			fclose(traced->file);
		free(traced->path);
		free(traced->sessions);
		free(traced);
	}
	free(tracer->threads);
	*tracer = (struct tracer){0};
}
