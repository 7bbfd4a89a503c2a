/* SPDX-License-Identifier: GPL-2.0-only */
/* Events of a recording for a timeline. */
#include "timeline_feed.h"

#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/escape.h"
#include "base/progress.h"
#include "hwflow/ete.h"
#include "perfdata/perfdata_read.h"
#include "perfdata/perfdata_samples.h"
#include "sample_lines.h"
#include "select/selection.h"
#include "symbols/demangle.h"
#include "threads.h"

/* Bytes of a name that is made here, with the 16 bytes that the kernel has for one */
#define NAME_TEXT 96u

/**
 * struct track_gap - a gap
 * @track: of the CPU or thread
 * @reason: see struct gap
 * @is_code: not trace is missing, but the code that was executed
 * @next: another gap of the source, while the time of both is not known
 */
struct track_gap {
	struct timeline_track *track;
	const char *reason;
	bool is_code;
	struct track_gap *next;
};

/**
 * struct feed_source - a source of trace
 * @track: of the CPU, or of a source that has no number of a thread; NULL: not needed yet
 * @unnumbered: see unnumbered_track(); NULL: not needed yet
 * @now: the last time of its trace
 * @has_now: @now is known
 * @timestamp: that @now was last made of, or 0
 * @is_running: a slice of thread @running has begun on @track
 * @running: the thread
 * @instructions: executed so far
 * @cycles: the last value of its counter
 * @gaps: gaps before the first time, the last one first
 */
struct feed_source {
	struct timeline_track *track;
	struct timeline_track *unnumbered;
	uint64_t now;
	bool has_now;
	uint64_t timestamp;
	bool is_running;
	int32_t running;
	uint64_t instructions;
	uint64_t cycles;
	struct track_gap *gaps;
};

/**
 * enum row_kind - what a track is of
 * @ROW_THREAD: a thread, by its number
 * @ROW_CPU: a CPU
 * @ROW_IDLE: the idle thread of a CPU: all of them have number 0
 */
enum row_kind { ROW_THREAD, ROW_CPU, ROW_IDLE };

/**
 * struct feed_row - the track of a thread or a CPU
 * @kind: what it is of
 * @number: of the thread or CPU
 * @is_running: of a CPU: a slice of a thread has begun
 * @track: the track
 */
struct feed_row {
	enum row_kind kind;
	int32_t number;
	bool is_running;
	struct timeline_track *track;
};

/**
 * struct feed_thread - a thread whose calls are decoded
 * @track: of its calls
 * @own: of timeline_feed.also_span
 * @next: another thread
 */
struct feed_thread {
	struct timeline_track *track;
	void *own;
	struct feed_thread *next;
};

/* As name_of of struct timeline */
static char *name_function(void *ctx, uint64_t id)
{
	const struct timeline_feed *feed = ctx;
	const struct functions *functions = calls_functions(feed->calls.calls);
	const char *symbol = functions_get(functions, id)->function->name;
	char *source = demangle(symbol), *escaped = escape_copy(source ? source : symbol);

	free(source);
	return escaped;
}

static int compare_rows(const void *a, const void *b)
{
	const struct feed_row *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind > y->kind ? 1 : -1;
	return (x->number > y->number) - (x->number < y->number);
}

static struct feed_row *find_row(const struct timeline_feed *feed, enum row_kind kind,
				 int32_t number)
{
	const struct feed_row key = {.kind = kind, .number = number};
	struct feed_row **node = tfind(&key, &feed->rows, compare_rows);

	return node ? *node : NULL;
}

/* Adds the row of a track; NULL without memory, or without @track */
static struct feed_row *add_row(struct timeline_feed *feed, enum row_kind kind, int32_t number,
				struct timeline_track *track)
{
	struct feed_row *row = track ? malloc(sizeof(*row)) : NULL;

	if (row) {
		*row = (struct feed_row){.kind = kind, .number = number, .track = track};
		if (tsearch(row, &feed->rows, compare_rows))
			return row;
	}
	feed->timeline->error = -ENOMEM;
	free(row);
	return NULL;
}

/* The last name of a thread, escaped; NULL without memory */
static char *name_thread(const struct timeline_feed *feed, const char *what, int32_t tid)
{
	const char *name = threads_name(feed->calls.threads, tid, UINT64_MAX);
	char text[NAME_TEXT];

	if (*name)
		return escape_copy(name);
	snprintf(text, sizeof(text), "%s %" PRId32, what, tid);
	return strdup(text);
}

static struct timeline_track *add_other(struct timeline_feed *feed, const char *name)
{
	const struct timeline_track track = {.name = escape_copy(name), .process = strdup("trace")};

	return timeline_add_track(feed->timeline, &track);
}

/* The row of a CPU, or of its idle thread; NULL without memory */
static struct feed_row *cpu_row(struct timeline_feed *feed, enum row_kind kind, int32_t cpu)
{
	struct feed_row *row = find_row(feed, kind, cpu);
	char text[NAME_TEXT];

	if (row)
		return row;
	snprintf(text, sizeof(text), kind == ROW_IDLE ? "swapper/%" PRId32 : "CPU %" PRId32, cpu);
	return add_row(feed, kind, cpu, add_other(feed, text));
}

/*
 * The track of a thread, which is executed on @cpu; NULL: it has none and is not to be added, or
 * there is no memory
 */
static struct timeline_track *thread_track(struct timeline_feed *feed, int32_t pid, int32_t tid,
					   int32_t cpu, bool is_added)
{
	struct timeline_track track = {.is_thread = true};
	const struct feed_row *row;

	if (!tid && cpu >= 0) {
		row = is_added ? cpu_row(feed, ROW_IDLE, cpu) : find_row(feed, ROW_IDLE, cpu);
		return row ? row->track : NULL;
	}
	row = find_row(feed, ROW_THREAD, tid);
	if (row || !is_added)
		return row ? row->track : NULL;
	/* a thread whose process is not known has one of its own */
	pid = pid < 0 ? tid : pid;
	track.pid = (uint32_t)pid;
	track.tid = (uint32_t)tid;
	track.name = name_thread(feed, "thread", tid);
	track.process = name_thread(feed, "process", pid);
	row = add_row(feed, ROW_THREAD, tid, timeline_add_track(feed->timeline, &track));
	return row ? row->track : NULL;
}

/* The track of a source; NULL without memory */
static struct timeline_track *source_track(struct timeline_feed *feed, size_t number)
{
	const struct input_source *source = &feed->input->sources[number];
	struct feed_source *state = &feed->sources[number];
	const struct feed_row *row;

	if (!state->track && source->cpu < 0) {
		state->track = add_other(feed, source->name);
	} else if (!state->track) {
		row = cpu_row(feed, ROW_CPU, source->cpu);
		state->track = row ? row->track : NULL;
	}
	return state->track;
}

/* The track of calls in threads whose numbers the trace of a source does not have; NULL without
 * memory */
static struct timeline_track *unnumbered_track(struct timeline_feed *feed, size_t number)
{
	const struct input_source *source = &feed->input->sources[number];
	struct feed_source *state = &feed->sources[number];
	char text[NAME_TEXT];

	/* the track of a CPU has slices of threads */
	if (source->cpu < 0)
		return source_track(feed, number);
	if (state->unnumbered)
		return state->unnumbered;
	snprintf(text, sizeof(text), "CPU %" PRId32 ", threads without a number", source->cpu);
	state->unnumbered = add_other(feed, text);
	return state->unnumbered;
}

static const char *name_exception(const struct timeline_feed *feed, uint32_t exception)
{
	const bool is_m = feed->input->sources[0].config.m_profile;

	return is_m ? hwf_exception_m_name(exception) : hwf_exception_name(exception);
}

/* What is kept of a thread; NULL without memory */
static struct feed_thread *get_thread(struct timeline_feed *feed, const struct calls_thread *calls,
				      void **own)
{
	const struct input_source *source = calls->source;
	struct feed_thread *thread = *own;

	if (thread)
		return thread;
	thread = calloc(1, sizeof(*thread));
	if (!thread) {
		feed->timeline->error = -ENOMEM;
		return NULL;
	}
	if (source && (calls->tid < 0 || source->cpu < 0))
		thread->track = unnumbered_track(feed, (size_t)(source - feed->input->sources));
	else
		thread->track = thread_track(feed, calls->pid, calls->tid,
					     source ? source->cpu : INPUT_ANY, true);
	thread->next = feed->threads;
	feed->threads = thread;
	*own = thread;
	return thread;
}

/* As span_fn */
static void take_span(void *ctx, const struct calls_thread *calls, void **own,
		      const struct span_event *span)
{
	struct timeline_feed *feed = ctx;
	const bool is_end = span->kind == SPAN_END || span->kind == SPAN_LOST;
	struct timeline_event event = {.is_exception = span->is_exception,
				       .is_partial =
					       span->kind == SPAN_FOUND || span->kind == SPAN_LOST};
	struct feed_thread *thread = get_thread(feed, calls, own);

	if (thread && feed->also_span)
		feed->also_span(feed->also_ctx, calls, &thread->own, span);
	if (!thread || !thread->track || span->kind == SPAN_PAUSE || span->kind == SPAN_RESUME)
		return;
	if (span->exception)
		event.exception = name_exception(feed, span->exception - 1);
	/* a timestamp of 0 is none */
	if (feed->measure.by != SPANS_TIME || span->clock)
		event.time = measure_now(&feed->measure, span->clock);
	if (is_end)
		timeline_end(feed->timeline, thread->track, &event);
	else
		timeline_begin(feed->timeline, thread->track, &event, span->function);
}

static void put_gap(struct timeline_feed *feed, const struct track_gap *gap, uint64_t time)
{
	char name[2 * NAME_TEXT];

	snprintf(name, sizeof(name), "[%s: %s]",
		 gap->is_code ? "execution not known" : "trace missing", gap->reason);
	timeline_instant(feed->timeline, gap->track,
			 &(struct timeline_event){.time = time, .name = name});
}

static void put_waiting(struct timeline_feed *feed, struct feed_source *state)
{
	while (state->gaps) {
		struct track_gap *gap = state->gaps;

		if (!feed->timeline->error)
			put_gap(feed, gap, state->now);
		state->gaps = gap->next;
		free(gap);
	}
}

/* What time it is in a source; false if that is not known yet */
static bool read_time(struct timeline_feed *feed, const struct execution *execution,
		      struct feed_source *state)
{
	uint64_t now = state->instructions;

	if (feed->measure.by == SPANS_TIME) {
		/* most ranges have the timestamp of the one before */
		if (execution->timestamp == state->timestamp)
			return state->has_now;
		state->timestamp = execution->timestamp;
		now = execution->timestamp ? measure_now(&feed->measure, execution->timestamp) : 0;
		if (!now)
			return state->has_now;
	}
	/* time does not go backwards */
	if (now > state->now || !state->has_now)
		state->now = now;
	state->has_now = true;
	if (state->gaps)
		put_waiting(feed, state);
	return true;
}

static void stop_thread(struct timeline_feed *feed, struct feed_source *state)
{
	if (state->is_running)
		timeline_end(feed->timeline, state->track,
			     &(struct timeline_event){.time = state->now});
	state->is_running = false;
}

/* A slice of a thread begins on the track of a CPU. */
static void begin_thread(struct timeline_feed *feed, struct timeline_track *track, int32_t tid,
			 uint64_t time)
{
	char *name = name_thread(feed, "thread", tid), *text = NULL;

	if (name && asprintf(&text, "%s %" PRId32, name, tid) >= 0)
		timeline_begin(feed->timeline, track,
			       &(struct timeline_event){.time = time, .name = text}, 0);
	else
		feed->timeline->error = -ENOMEM;
	free(name);
	free(text);
}

/* A thread is executed on the CPU of a source from here on. */
static void start_thread(struct timeline_feed *feed, const struct execution *execution,
			 struct feed_source *state, size_t number)
{
	if (execution->tid < 0 || !source_track(feed, number))
		return;
	begin_thread(feed, state->track, execution->tid, state->now);
	state->is_running = true;
	state->running = execution->tid;
}

/* The track of what a source does now: its own, or that of its thread */
static struct timeline_track *track_of(struct timeline_feed *feed,
				       const struct execution *execution, size_t number)
{
	if (execution->source->tid < 0)
		return source_track(feed, number);
	return thread_track(feed, execution_process(execution, feed->calls.threads),
			    execution->source->tid, INPUT_ANY, true);
}

static void put_cycles(struct timeline_feed *feed, const struct execution *execution,
		       struct feed_source *state, size_t number)
{
	struct timeline_track *track = track_of(feed, execution, number);

	state->cycles = execution->cycles;
	if (track)
		timeline_counter(feed->timeline, track, state->now, state->cycles);
}

/* Instructions are executed here. */
static void pass(struct timeline_feed *feed, const struct execution *execution,
		 uint64_t instructions)
{
	const size_t number = (size_t)(execution->source - feed->input->sources);
	struct feed_source *state = &feed->sources[number];
	const uint64_t before = state->now;

	if (read_time(feed, execution, state)) {
		if (!feed->has_switches && execution->source->cpu >= 0 &&
		    execution->source->tid < 0 &&
		    (!state->is_running || state->running != execution->tid)) {
			stop_thread(feed, state);
			start_thread(feed, execution, state, number);
		}
		if (state->now != before && execution->cycles != state->cycles)
			put_cycles(feed, execution, state, number);
	}
	state->instructions += instructions;
}

/* As branch of struct execution_sink, and so on */
static void take_branch(void *ctx, const struct execution *execution,
			const struct hwf_branch *branch)
{
	struct timeline_feed *feed = ctx;

	execution_calls_branch(&feed->calls, execution, branch);
	if (feed->also && feed->also->branch)
		feed->also->branch(feed->also->ctx, execution, branch);
}

static void take_range(void *ctx, const struct execution *execution,
		       const struct hwf_flow_range *range)
{
	struct timeline_feed *feed = ctx;

	pass(feed, execution, range->instructions);
	execution_calls_range(&feed->calls, execution, range);
	if (feed->also && feed->also->range)
		feed->also->range(feed->also->ctx, execution, range);
}

static void take_sum(void *ctx, const struct execution *execution,
		     const struct hwf_branches_sum *sum)
{
	struct timeline_feed *feed = ctx;

	pass(feed, execution, sum->instructions);
	execution_calls_summed(&feed->calls, execution, sum);
}

static void take_counts(void *ctx, const struct execution *execution,
			const struct hwf_profile *profile)
{
	const struct timeline_feed *feed = ctx;

	feed->also->counts(feed->also->ctx, execution, profile);
}

static void take_gap(void *ctx, const struct execution *execution, const struct gap *gap)
{
	struct timeline_feed *feed = ctx;
	const size_t number = (size_t)(execution->source - feed->input->sources);
	struct feed_source *state = &feed->sources[number];
	const struct track_gap now = {.track = track_of(feed, execution, number),
				      .reason = gap->reason,
				      .is_code = gap->has_address,
				      .next = state->gaps};
	struct track_gap *waiting;

	execution_calls_gap(&feed->calls, execution, gap);
	if (feed->also && feed->also->gap)
		feed->also->gap(feed->also->ctx, execution, gap);
	if (!now.track)
		return;
	if (read_time(feed, execution, state)) {
		stop_thread(feed, state);
		put_gap(feed, &now, state->now);
		return;
	}
	waiting = malloc(sizeof(*waiting));
	if (waiting) {
		*waiting = now;
		state->gaps = waiting;
	} else {
		feed->timeline->error = -ENOMEM;
	}
}

static void put_sample(struct timeline_feed *feed, const struct perfdata_sample *sample)
{
	struct timeline_track *track =
		thread_track(feed, sample->pid, sample->tid, sample->cpu, true);
	char *name = escape_copy(sample->event), *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (file) {
		perfdata_sample_print(sample, file);
		fclose(file);
	}
	if (name && text && track)
		timeline_instant(
			feed->timeline, track,
			&(struct timeline_event){.time = sample->time, .name = name, .text = text});
	else
		feed->timeline->error = -ENOMEM;
	free(name);
	free(text);
}

/* The track of the thread has an event, and that of the CPU a slice. */
static void put_switch(struct timeline_feed *feed, const struct perfdata_event *event)
{
	struct timeline_track *track =
		thread_track(feed, event->pid, event->tid, event->cpu, false);
	struct feed_row *row = event->cpu < 0 ? NULL : find_row(feed, ROW_CPU, event->cpu);
	const char *what = event->u.switch_in ? "on" : "off";
	const struct timeline_event now = {.time = event->time};
	char name[NAME_TEXT];

	if (!selection_has_sample(feed->input, event->time))
		return;
	if (event->cpu < 0)
		snprintf(name, sizeof(name), "[%s a CPU]", what);
	else
		snprintf(name, sizeof(name), "[%s CPU %" PRId32 "]", what, event->cpu);
	if (track)
		timeline_instant(feed->timeline, track,
				 &(struct timeline_event){.time = event->time, .name = name});
	if (row && row->is_running)
		timeline_end(feed->timeline, row->track, &now);
	if (!row)
		return;
	row->is_running = event->u.switch_in;
	if (row->is_running)
		begin_thread(feed, row->track, event->tid, event->time);
}

/* Ends the slices of CPUs, as action of twalk_r(3) */
static void end_row(const void *node, VISIT order, void *ctx)
{
	struct feed_row *row = *(struct feed_row *const *)node;
	struct timeline_feed *feed = ctx;

	if ((order != postorder && order != leaf) || !row->is_running)
		return;
	row->is_running = false;
	/* until the last switch on any CPU */
	timeline_end(feed->timeline, row->track,
		     &(struct timeline_event){.time = feed->last_switch, .is_partial = true});
}

/* What has been recorded beside the trace has times of the perf clock. */
static void put_others(struct timeline_feed *feed)
{
	const struct perfdata_info *info = input_recording(feed->input);
	const bool is_timed = feed->measure.clock && info && !info->untimed;
	struct perfdata_syscall call;

	feed->syscalls.timeline = feed->timeline;
	feed->syscalls.threads = feed->calls.threads;
	for (size_t i = 0; info && i < info->event_count && !feed->timeline->error; i++) {
		if (info->events[i].kind != PERFDATA_SWITCH)
			continue;
		feed->has_others |= !is_timed;
		if (!is_timed)
			continue;
		put_switch(feed, &info->events[i]);
		feed->last_switch = info->events[i].time;
	}
	twalk_r(feed->rows, end_row, feed);
	for (size_t i = 0; info && i < info->sample_count && !feed->timeline->error; i++) {
		const struct perfdata_sample *sample = &info->samples[i];

		feed->has_others |= !is_timed;
		if (is_timed && sample->time && sample->tid >= 0 &&
		    sample_is_selected(feed->input, feed->options, sample)) {
			put_sample(feed, sample);
			if (perfdata_sample_syscall(info, sample, &call))
				timeline_syscalls_take(&feed->syscalls, sample, &call);
		}
	}
	timeline_syscalls_end(&feed->syscalls);
}

/* The end of all sources */
static void end_sources(struct timeline_feed *feed)
{
	for (size_t i = 0; i < feed->input->source_count; i++) {
		struct feed_source *state = &feed->sources[i];

		stop_thread(feed, state);
		/* if no time is known, what is missing is at the beginning */
		put_waiting(feed, state);
		*state = (struct feed_source){.track = state->track,
					      .unnumbered = state->unnumbered};
	}
}

/* Does the recording say when CPUs switch threads? Otherwise the trace does. */
static bool has_switches(const struct timeline_feed *feed)
{
	const struct perfdata_info *info = input_recording(feed->input);

	if (!feed->measure.clock || !info || info->untimed)
		return false;
	for (size_t i = 0; i < info->event_count; i++)
		if (info->events[i].kind == PERFDATA_SWITCH && info->events[i].cpu >= 0)
			return true;
	return false;
}

static int run(struct timeline_feed *feed, struct spans *spans)
{
	struct execution_sink sink = {
		.branch = take_branch, .range = take_range, .gap = take_gap, .ctx = feed};
	const struct calls_sink stacks = spans_sink(spans);
	struct execution execution;
	int status;

	feed->has_switches = has_switches(feed);
	for (size_t i = 0; feed->has_switches && i < feed->input->source_count; i++)
		if (feed->input->sources[i].cpu >= 0)
			source_track(feed, i);
	if (execution_calls_init(&feed->calls, feed->input, feed->options, &stacks)) {
		feed->timeline->error = -ENOMEM;
		return EXIT_GOOD;
	}
	sink.order = feed->calls.order;
	sink.summed = take_sum;
	/* another consumer may want each range */
	sink.sum = feed->also ? NULL : calls_sum(feed->calls.calls);
	sink.counts = feed->also && feed->also->counts ? take_counts : NULL;
	input_progress(feed->input, feed->verb, NULL, false);
	status = execution_run(&execution, feed->input, &sink);
	progress_end();
	if (calls_end(feed->calls.calls) | spans_end(spans))
		feed->timeline->error = -ENOMEM;
	put_others(feed);
	end_sources(feed);
	if (feed->timeline->is_writing)
		symbols_report_stripped(feed->calls.symbols);
	return status;
}

static void free_threads(struct timeline_feed *feed)
{
	struct feed_thread *thread;

	while ((thread = feed->threads)) {
		feed->threads = thread->next;
		free(thread);
	}
}

int timeline_feed_run(struct timeline_feed *feed)
{
	struct spans *spans = spans_new(feed->measure.by, take_span, feed);
	int status = EXIT_GOOD;

	feed->timeline->name_of = name_function;
	feed->timeline->ctx = feed;
	if (!feed->sources)
		feed->sources = calloc(feed->input->source_count + 1, sizeof(*feed->sources));
	if (spans && feed->sources)
		status = run(feed, spans);
	else
		feed->timeline->error = -ENOMEM;
	execution_calls_free(&feed->calls);
	spans_free(spans);
	free_threads(feed);
	return status;
}

void timeline_feed_free(struct timeline_feed *feed)
{
	timeline_syscalls_free(&feed->syscalls);
	tdestroy(feed->rows, free);
	free(feed->sources);
}
