/* SPDX-License-Identifier: GPL-2.0-only */
/* hwflow record: what the command line selects, and the recording. */
#ifndef HWFLOW_RECORD_H
#define HWFLOW_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct option;

/* most -e options of a command line */
#define RECORD_EVENTS_MAX 16

/**
 * struct record_dropped - trace that was not counted, because counting did not keep up
 * @records: AUX records
 * @bytes: of trace
 */
struct record_dropped {
	uint64_t records;
	uint64_t bytes;
};

/**
 * struct record_counter - counts what is executed while it is recorded, in a process of its own
 * @begin: called first; an exit status
 * @part: counts a part of the recording, a perf.data file that begins where the part before it has
 *	ended; an exit status, not EXIT_GAPS
 * @end: writes the result to a file; an exit status
 * @ctx: first argument of all
 */
struct record_counter {
	int (*begin)(void *ctx);
	int (*part)(void *ctx, const char *path);
	int (*end)(void *ctx, const struct record_dropped *dropped, int fd);
	void *ctx;
};

/**
 * struct record_options - what to record
 * @output: file of the recording; NULL: only @profile is written
 * @profile: file that receives what @counter has counted, or NULL
 * @counter: counts while it is recorded; NULL: nothing is counted
 * @command: program to start and record, with its arguments; NULL if @pids, @tids, @cpus or
 * @all_cpus select what is recorded, and recording ends with a signal
 * @pids: processes, as -p has them, or NULL
 * @tids: threads, as -t has them, or NULL
 * @cpus: list of CPUs, as -C has it, or NULL
 * @all_cpus: all CPUs that are online
 * @per_thread: one buffer for each thread, which follows it from CPU to CPU
 * @user: record code of programs
 * @kernel: record code of the kernel
 * @no_kcore: do not copy the kernel's code
 * @events: arguments of -e, in order
 * @filters: @filters[i] is the filter of @events[i], or NULL
 * @event_count: number of @events
 * @cycles: trace cycle counts
 * @timestamps: trace timestamps even where they are not needed
 * @all_cgroups: record the cgroup of each thread
 * @strobe_on: with @strobe_off: trace for this number of cycles of each period
 * @strobe_off: do not trace for this number of cycles of each period
 * @ring_pages: pages of each ring of records; 0 for the default
 * @trace_pages: pages of each trace buffer; 0 for the default
 * @snapshot: keep the latest trace only, and write it at SIGUSR2
 * @snapshot_at_end: write the latest trace when the recording ends as well
 * @snapshot_bytes: bytes of a snapshot; 0 for a whole trace buffer
 * @trigger: argument of --trigger, or NULL: the snapshot is taken when this event occurs
 * @trigger_tail: argument of --trigger-tail, or NULL: the snapshot is taken so much later
 * @multi_snapshot: go on after the snapshot of @trigger
 * @delay: milliseconds until recording begins; -1 for no recording before it is enabled through
 *	@control
 * @control: argument of --control, or NULL
 * @compression: level of compression of records; 0 for none
 * @profile_memory: bytes of trace that may wait to be counted; 0 for the default
 * @jobs: processes that decode for @counter; 0 for the default
 * @interval: seconds after which a part is counted that is not large; 0 for the default
 * @quiet: print no summary
 * @fail_on_loss: with @command: lost trace is a failure
 * @stat: print neither losses nor a summary: hwflow stat prints them in its table
 * @arguments: the whole command line, for the head of the file
 * @argument_count: number of @arguments
 */
struct record_options {
	const char *output;
	const char *profile;
	const struct record_counter *counter;
	char *const *command;
	const char *pids;
	const char *tids;
	const char *cpus;
	bool all_cpus;
	bool per_thread;
	bool user;
	bool kernel;
	bool no_kcore;
	const char *events[RECORD_EVENTS_MAX];
	const char *filters[RECORD_EVENTS_MAX];
	size_t event_count;
	bool cycles;
	bool timestamps;
	bool all_cgroups;
	uint32_t strobe_on;
	uint32_t strobe_off;
	size_t ring_pages;
	size_t trace_pages;
	bool snapshot;
	bool snapshot_at_end;
	size_t snapshot_bytes;
	const char *trigger;
	const char *trigger_tail;
	bool multi_snapshot;
	int delay;
	const char *control;
	int compression;
	size_t profile_memory;
	unsigned int jobs;
	unsigned int interval;
	bool quiet;
	bool fail_on_loss;
	bool stat;
	const char *const *arguments;
	size_t argument_count;
};

/**
 * struct record_cost - what a run of a program, or a recording, took
 * @seconds: from the program's start to its end; without a program, of the recording
 * @user: seconds of processors in user mode, of the program and all of its processes
 * @system: likewise, in the kernel
 * @status: of the program, as waitpid(2) has it; 0 if the recording ended first and ended the
 *	program by SIGTERM
 * @interrupted: a signal ended the recording
 * @trace_bytes: bytes of trace
 * @losses: records of trace that end with a loss
 * @lost_records: records of mappings and threads that were lost
 * @fill: how full a trace buffer was at most when it was read, in thousandths
 */
struct record_cost {
	double seconds;
	double user;
	double system;
	int status;
	bool interrupted;
	uint64_t trace_bytes;
	uint64_t losses;
	uint64_t lost_records;
	unsigned int fill;
};

/**
 * struct record_verb - a verb that records
 * @name: in messages
 * @usage: printed for --help
 * @longs: its own options, beside those of all such verbs; the last row is empty; NULL: none
 * @take: takes one of its own options: @ctx, the value and the argument; an exit status. After an
 *	error it was reported
 * @ctx: first argument of @take
 */
struct record_verb {
	const char *name;
	const char *usage;
	const struct option *longs;
	int (*take)(void *ctx, int option, const char *argument);
	void *ctx;
};

/**
 * record_parse() - read the options of a recording
 * @options: receives them; output and arguments may be set before
 * @verb: the verb
 * @argc: number of @argv
 * @argv: the verb, and its options
 *
 * Return: 0; an exit status after an error, which is reported; -1 after --help.
 */
int record_parse(struct record_options *options, const struct record_verb *verb, int argc,
		 char **argv);

/**
 * record_untraced() - run the program of a recording without a recording
 * @options: with a command
 * @cost: receives what it took
 *
 * Return: 0, or an exit status after an error, which is reported: EXIT_NOT_FOUND or
 * EXIT_NOT_EXECUTABLE for the program.
 */
int record_untraced(const struct record_options *options, struct record_cost *cost);

/**
 * record_run() - make a recording
 * @options: what to record
 * @cost: receives what it took
 *
 * Errors are reported on standard error.
 *
 * Return: 0; 1 for options that the machine does not support; 2 if nothing was recorded, or the
 * file could not be completed; 3 if trace was lost; EXIT_NOT_FOUND or EXIT_NOT_EXECUTABLE for the
 * program.
 */
int record_run(const struct record_options *options, struct record_cost *cost);

#endif /* HWFLOW_RECORD_H */
