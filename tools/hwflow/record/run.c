// SPDX-License-Identifier: GPL-2.0-only
/* hwflow record: from the command line to the end of the recording. */
#include <errno.h>
#include <gelf.h>
#include <inttypes.h>
#include <perf/core.h>
#include <perf/cpumap.h>
#include <perf/evlist.h>
#include <perf/evsel.h>
#include <perf/threadmap.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/command_status.h"
#include "base/error.h"
#include "base/print.h"
#include "control.h"
#include "hotplug.h"
#include "record/kernel/kernel_copy.h"
#include "record/trigger/trigger_events.h"
#include "recorder.h"
#include "source/input.h"
#include "uevents.h"

#define PMU_NAME ARM_ETE_PMU_NAME

/* The buffers are read at least this often, in milliseconds */
#define READ_INTERVAL 1000

/* signals, the control pipe, CPU hotplug, modules */
#define WATCH_EVENTS 4

/**
 * struct watch - what a recording waits for
 * @fds: signals, the control pipe, CPU hotplug, announcements of the kernel's modules, then the
 * events of each thread and CPU
 * @count: number of @fds
 * @live: events that have not ended
 * @events_at: index of the first event in @fds
 */
struct watch {
	struct pollfd *fds;
	nfds_t count;
	size_t live;
	nfds_t events_at;
};

/* libperf has messages of its own; errors are explained where they are handled */
static int ignore_message(enum libperf_print_level level, const char *format, va_list args)
{
	(void)level;
	(void)format;
	(void)args;
	return 0;
}

static int no_trace_unit(const struct record_options *options)
{
	verb_error("this machine cannot record program flow: the kernel has no PMU %s; "
		   "'hwflow doctor' finds the reason",
		   PMU_NAME);
	if (options->command)
		verb_error("without trace hardware, 'hwflow emulate -- %s ...' records an arm64 "
			   "or riscv64 program",
			   options->command[0]);
	return EXIT_UNREADABLE;
}

/* Signals come through a file descriptor, so that none is missed between two polls. */
static int open_signals(sigset_t *old)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, old);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int watch_events(struct watch *watch, const struct recorder *recorder,
			const int first[WATCH_EVENTS])
{
	struct perf_evsel *trace = recorder->evsels[RECORD_TRACE];
	const int cpus = perf_cpu_map__nr(perf_evsel__cpus(trace));
	const int threads = perf_thread_map__nr(perf_evsel__threads(trace));

	watch->fds = calloc((size_t)cpus * (size_t)threads + WATCH_EVENTS, sizeof(*watch->fds));
	if (!watch->fds)
		return -ENOMEM;
	/* poll(2) ignores a descriptor of -1 */
	for (; watch->count < WATCH_EVENTS; watch->count++)
		watch->fds[watch->count] =
			(struct pollfd){.fd = first[watch->count], .events = POLLIN};
	watch->events_at = watch->count;
	for (int cpu = 0; cpu < cpus; cpu++) {
		for (int thread = 0; thread < threads; thread++) {
			const int fd = aux_event_fd(trace, cpu, thread);

			watch->fds[watch->count++] = (struct pollfd){.fd = fd, .events = POLLIN};
			watch->live += fd >= 0;
		}
	}
	return 0;
}

/* Events whose thread has ended are not watched any more: their rings stay readable. */
static void drop_ended(struct watch *watch)
{
	for (nfds_t i = watch->events_at; i < watch->count; i++) {
		if (watch->fds[i].fd >= 0 && watch->fds[i].revents & (POLLHUP | POLLERR)) {
			watch->fds[i].fd = -1;
			watch->live--;
		}
	}
}

/**
 * struct request - what signals ask for
 * @end: end the recording
 * @interrupted: because of a signal from outside, not because the program ended
 * @snapshot: take a snapshot
 * @enable_at: when a delayed recording is enabled, as seconds of now(); 0 if it is not delayed
 */
struct request {
	bool end;
	bool interrupted;
	bool snapshot;
	double enable_at;
};

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void read_signals(int signals, const struct recorder *recorder, struct request *request)
{
	struct signalfd_siginfo info;

	while (read(signals, &info, sizeof(info)) == sizeof(info)) {
		switch (info.ssi_signo) {
		case SIGUSR2:
			request->snapshot = recorder->options->snapshot;
			break;
		case SIGCHLD:
			request->end |=
				(pid_t)info.ssi_pid == recorder->workload.pid &&
				(info.ssi_code == CLD_EXITED || info.ssi_code == CLD_KILLED ||
				 info.ssi_code == CLD_DUMPED);
			break;
		default:
			request->end = request->interrupted = true;
			break;
		}
	}
}

/* Take a snapshot if one was requested, or if that of the trigger @is_due. */
static int take_snapshot(struct recorder *recorder, struct request *request, bool is_due)
{
	if (is_due && !recorder->options->multi_snapshot) {
		request->end = true;
		recorder->enabled = false;
	}
	if (!request->snapshot && !is_due)
		return 0;
	request->snapshot = false;
	/* from here on, the trigger can fire again */
	recorder->trigger.fired &= !is_due;
	return recorder_snapshot(recorder);
}

/* Enable a delayed recording if its time has come. Returns milliseconds until the buffers are read.
 */
static int enable_delayed(struct recorder *recorder, struct request *request)
{
	const int interval = recorder_trigger_interval(recorder, READ_INTERVAL);
	const double left = 1e3 * (request->enable_at - now());

	if (request->enable_at == 0)
		return interval;
	if (left > 0)
		return left < interval ? (int)left + 1 : interval;
	recorder_enable(recorder, true);
	request->enable_at = 0;
	return interval;
}

/* Read the buffers until the recording ends. Returns 0 or a negative errno. */
static int record_until_end(struct recorder *recorder, struct watch *watch, int signals,
			    struct record_control *control, struct request *request)
{
	int error = 0;

	while (!error && !request->end && watch->live) {
		const int timeout = enable_delayed(recorder, request);

		if (poll(watch->fds, watch->count, timeout) < 0 && errno != EINTR)
			return -errno;
		read_signals(signals, recorder, request);
		if (watch->fds[1].revents)
			record_control_read(control, recorder, &request->snapshot, &request->end);
		drop_ended(watch);
		if (watch->fds[2].revents)
			record_hotplug_read(watch->fds[2].fd, recorder);
		error = recorder->copy ? kernel_watch_modules(&recorder->watch) : 0;
		if (!error && recorder->part.writer)
			error = recorder_part_turn(recorder);
		if (!error)
			error = recorder_read(recorder);
		if (!error)
			error = take_snapshot(recorder, request, recorder_trigger_is_due(recorder));
		recorder_trigger_rest(recorder);
	}
	/* what has occurred just before the end: samples are evaluated when they are read again */
	for (int i = 0; i < 2 && !error && recorder_trigger_waits(recorder); i++)
		error = recorder_read(recorder);
	/* the end of the recording ends the tail of the trigger */
	return error ? error : take_snapshot(recorder, request, recorder->trigger.fired);
}

static int start_program(struct record_workload *workload, const struct record_options *options,
			 int (*at_start)(void *ctx, pid_t pid), void *ctx)
{
	int status;
	const int error = record_workload_start(workload, at_start, ctx, &status);

	if (!error)
		return status;
	if (error == -ENOENT && !strchr(options->command[0], '/'))
		verb_error("%s: not in a directory of PATH; give the path of the program",
			   options->command[0]);
	else
		verb_error("%s: %s", options->command[0], strerror(-error));
	return command_status_unstarted(-error);
}

/* Begin: the kernel enables the events at execve(2), or this function does. */
static int start(struct recorder *recorder, struct request *request)
{
	const struct record_options *options = recorder->options;
	const bool at_exec = recorder->events.list[RECORD_TRACE].attr.enable_on_exec;
	int status = 0;

	if (!at_exec && !options->delay)
		recorder_enable(recorder, true);
	if (options->command)
		status = start_program(&recorder->workload, options,
				       recorder_trigger_is_late(recorder) ? recorder_trigger_place
									  : NULL,
				       recorder);
	recorder->enabled |= at_exec;
	if (options->delay > 0)
		request->enable_at = now() + 1e-3 * options->delay;
	return status;
}

static void print_summary(const struct recorder *recorder)
{
	const struct recorder_totals *totals = &recorder->totals;
	const struct record_options *options = recorder->options;

	if (totals->gaps)
		print(stderr,
		      "hwflow record: trace was lost %" PRIu64 " time%s: use larger buffers (-m "
		      ",SIZE) or record less; 'hwflow report' shows where\n",
		      totals->gaps, totals->gaps == 1 ? "" : "s");
	if (totals->lost_records)
		print(stderr,
		      "hwflow record: %" PRIu64 " records of mappings and threads were lost: use "
		      "larger rings (-m SIZE)\n",
		      totals->lost_records);
	if (options->trigger && !recorder->trigger.hits)
		print(stderr, "hwflow record: trigger %s: was not hit\n", options->trigger);
	if (options->snapshot && !totals->snapshots)
		print(stderr, "hwflow record: no snapshot was taken: send SIGUSR2 to take one\n");
	if (recorder->part.dropped.records)
		print(stderr,
		      "hwflow record: counting did not keep up: %" PRIu64 " AUX record%s with %.3f "
		      "MB of trace dropped; count with more processes (-j) or record less\n",
		      recorder->part.dropped.records,
		      recorder->part.dropped.records == 1 ? "" : "s",
		      (double)recorder->part.dropped.bytes / 1e6);
	if (options->quiet)
		return;
	if (options->output)
		print(stderr, "hwflow record: %.3f MB of trace: %s\n",
		      (double)totals->trace_bytes / 1e6, options->output);
	if (options->profile)
		print(stderr,
		      "hwflow record: %.3f MB of trace counted, in %" PRIu64 " part%s: %s\n",
		      (double)(totals->trace_bytes - recorder->part.dropped.bytes) / 1e6,
		      recorder->part.count, recorder->part.count == 1 ? "" : "s", options->profile);
}

/* Read the kernel's code while events still report what is unloaded, but no code is traced any
 * more. */
static int compare_kernel(struct recorder *recorder)
{
	int error;

	perf_evsel__disable(recorder->evsels[RECORD_TRACE]);
	error = recorder_read(recorder);
	if (!error)
		error = kernel_watch_modules(&recorder->watch);
	return error ? error : kernel_copy_compare(recorder->copy);
}

/* What messages name */
static const char *name_of(const struct record_options *options)
{
	if (options->output)
		return options->output;
	return options->profile ? options->profile : "the trace";
}

/* The end of a recording: what the buffers hold, and the tail of the file */
static int finish(struct recorder *recorder, int error)
{
	int close_error, status = EXIT_GOOD;

	/* the snapshot of a trigger that ends the recording is the last one */
	if (!error && recorder->options->snapshot_at_end &&
	    (!recorder->trigger.hits || recorder->options->multi_snapshot))
		error = recorder_snapshot(recorder);
	if (!error && recorder->copy)
		error = compare_kernel(recorder);
	recorder_enable(recorder, false);
	if (!error)
		error = recorder_read(recorder);
	if (!error && recorder->copy)
		error = kernel_watch_modules(&recorder->watch);
	if (!error && recorder->copy)
		error = kernel_copy_end(recorder->copy);
	close_error = perfdata_writer_close(recorder->writer);
	recorder->writer = NULL;
	if (!error)
		error = close_error;
	/* what is counted is not lost if the file cannot be completed */
	if (recorder->part.writer)
		status = recorder_part_end(recorder);
	else if (error == -EPIPE && recorder->part.parts)
		return recorder_part_ended(recorder);
	if (status != EXIT_GOOD && status != EXIT_GAPS)
		return status;
	if (error == -ENOSPC || error == -EDQUOT)
		return verb_error("%s: %s: the recording ends here, and can be read up to this "
				  "point; free space, or record to another disk with -o",
				  name_of(recorder->options), strerror(-error));
	if (error)
		return verb_error("%s: %s: the recording ends here", name_of(recorder->options),
				  strerror(-error));
	recorder->is_saved = true;
	if (recorder->options->trigger && !recorder->totals.snapshots)
		return EXIT_UNREADABLE;
	return recorder->totals.gaps || recorder->totals.lost_records ||
			       recorder->part.dropped.records ||
			       machine_cpus_count(&recorder->totals.absent)
		       ? EXIT_GAPS
		       : 0;
}

/*
 * End the program, and wait until it has ended: another signal kills a program that goes on.
 * Returns whether SIGTERM has ended it.
 */
static bool end_program(struct recorder *recorder, int signals)
{
	struct pollfd fd = {.fd = signals, .events = POLLIN};
	struct request request = {.end = false};
	const bool is_running = !record_workload_has_ended(&recorder->workload);
	const int *status = &recorder->workload.status;
	bool is_reported = false;

	record_workload_signal(&recorder->workload, SIGTERM);
	while (!record_workload_has_ended(&recorder->workload)) {
		if (!poll(&fd, 1, READ_INTERVAL) && !is_reported) {
			print(stderr, "hwflow record: the program goes on after SIGTERM; the "
				      "recording is saved; ^C kills the program\n");
			is_reported = true;
		}
		read_signals(signals, recorder, &request);
		if (request.interrupted)
			record_workload_signal(&recorder->workload, SIGKILL);
	}
	/* a signal that came after the end of the recording does not end this command */
	read_signals(signals, recorder, &request);
	return is_running && WIFSIGNALED(*status) && WTERMSIG(*status) == SIGTERM;
}

static double seconds_of(const struct timeval *time)
{
	return (double)time->tv_sec + 1e-6 * (double)time->tv_usec;
}

static void add_usage(struct record_cost *cost, const struct record_workload *workload)
{
	cost->user = seconds_of(&workload->used.ru_utime);
	cost->system = seconds_of(&workload->used.ru_stime);
	cost->status = workload->status;
}

static int run_program(struct recorder *recorder, int signals, struct record_cost *cost)
{
	struct record_control control = {.fd = -1, .ack = -1};
	struct request request = {.end = false};
	struct watch watch = {.count = 0};
	bool is_started, is_first = false; /* the recording ends first, and ends the program */
	int status, hotplug = -1;

	status = record_control_open(&control, recorder->options->control);
	if (!status)
		status = recorder_create(recorder);
	if (!status)
		status = recorder_copy_kernel(recorder);
	if (!status && recorder->target.by_cpu)
		hotplug = record_uevents_open();
	if (!status && watch_events(&watch, recorder,
				    (const int[]){signals, control.fd, hotplug,
						  recorder->copy ? recorder->watch.socket : -1}))
		status = verb_error("out of memory");
	cost->seconds = -now();
	if (!status)
		status = start(recorder, &request);
	is_started = !status;
	if (is_started) {
		const int error = record_until_end(recorder, &watch, signals, &control, &request);

		cost->seconds += now();
		status = finish(recorder, error);
		is_first = error || (request.end && !request.interrupted);
	} else {
		recorder_discard(recorder);
	}
	is_first &= end_program(recorder, signals);
	add_usage(cost, &recorder->workload);
	cost->interrupted = request.interrupted;
	if (!is_started || is_first)
		cost->status = 0;
	record_control_close(&control);
	if (hotplug >= 0)
		close(hotplug);
	if (recorder->watch.copy)
		kernel_watch_close(&recorder->watch);
	kernel_copy_free(recorder->copy);
	free(watch.fds);
	return status;
}

int record_untraced(const struct record_options *options, struct record_cost *cost)
{
	struct record_workload workload = {.go = -1, .failed = -1};
	int error = record_workload_fork(&workload, options->command);

	if (error)
		return verb_error("cannot create a process: %s", strerror(-error));
	*cost = (struct record_cost){.seconds = -now()};
	error = start_program(&workload, options, NULL, NULL);
	if (!error)
		record_workload_wait(&workload);
	else
		record_workload_end(&workload);
	cost->seconds += now();
	add_usage(cost, &workload);
	return error;
}

static int parse_trigger(struct record_trigger *trigger, const struct record_options *options)
{
	char message[512];

	if (options->trigger &&
	    record_trigger_parse(trigger, options->trigger, message, sizeof(message))) {
		verb_error("--trigger %s: %s", options->trigger, message);
		return EXIT_USAGE;
	}
	if (options->trigger_tail &&
	    record_trigger_parse_tail(trigger, options->trigger_tail, message, sizeof(message))) {
		verb_error("--trigger-tail: %s", message);
		return EXIT_USAGE;
	}
	return 0;
}

int record_run(const struct record_options *options, struct record_cost *cost)
{
	struct recorder recorder = {.options = options, .workload = {.go = -1, .failed = -1}};
	sigset_t old_signals;
	int status, signals, error;

	elf_version(EV_CURRENT);
	status = parse_trigger(&recorder.trigger.what, options);
	if (status)
		return status;
	libperf_init(ignore_message);
	error = machine_open(&recorder.events.machine, NULL);
	if (error)
		return verb_error("/: %s", strerror(-error));
	if (!pmu_read(&recorder.events.machine, PMU_NAME, &recorder.events.pmu)) {
		machine_close(&recorder.events.machine);
		return no_trace_unit(options);
	}
	/* before the program: it would have the ends of the program's pipes */
	status = options->counter ? recorder_part_start(&recorder) : 0;
	error = !status && options->command
			? record_workload_fork(&recorder.workload, options->command)
			: 0;
	if (status || error) {
		recorder_part_free(&recorder);
		machine_close(&recorder.events.machine);
		return status ? status
			      : verb_error("cannot create a process: %s", strerror(-error));
	}
	machine_user_read(&recorder.events.machine, &recorder.events.user);
	signals = open_signals(&old_signals);
	status = record_target_find(&recorder.target, options, recorder.workload.pid);
	if (!status)
		status = record_events_find(&recorder.events, options, &recorder.target,
					    &recorder.trigger.what);
	if (!status && options->counter &&
	    !recorder.events.list[RECORD_TRACE].attr.exclude_kernel) {
		verb_error("only code of programs is counted while it is recorded: record code of "
			   "the kernel with 'hwflow record', and use 'hwflow profile' or 'report'");
		status = EXIT_USAGE;
	}
	if (!status)
		status = recorder_open(&recorder);
	if (!status)
		status = run_program(&recorder, signals, cost);
	else
		record_workload_end(&recorder.workload);
	if (!options->stat && recorder.is_saved)
		print_summary(&recorder);
	cost->trace_bytes = recorder.totals.trace_bytes;
	cost->losses = recorder.totals.gaps;
	cost->lost_records = recorder.totals.lost_records;
	cost->fill = recorder.totals.fill;
	recorder_part_free(&recorder);
	recorder_description_free(&recorder);
	recorder_close(&recorder);
	record_trigger_remove(&recorder.trigger.what);
	record_target_free(&recorder.target);
	machine_close(&recorder.events.machine);
	close(signals);
	sigprocmask(SIG_SETMASK, &old_signals, NULL);
	return status;
}
