/* SPDX-License-Identifier: GPL-2.0-only */
/* State of the address spaces, shared by the perfmaps*.c files. */
#ifndef HWFLOW_PERFMAPS_PRIVATE_H
#define HWFLOW_PERFMAPS_PRIVATE_H

#include "perfmaps.h"
#include "perfmaps_files.h"
#include "perfmaps_jit.h"
#include "perfmaps_space.h"

/* enum change_kind - what an event changes for a process */
enum change_kind {
	CHANGE_MAP,
	CHANGE_FORK,   /* the process begins as a copy of another one */
	CHANGE_EXEC,   /* nothing is mapped any more */
	CHANGE_END,    /* its last thread has ended */
	CHANGE_THREAD, /* it has a thread again */
};

/**
 * struct perfmaps_change - an event that changes a process
 * @event: number of the event in the recording
 * @file: file of CHANGE_MAP
 * @after: all that is mapped after the event; NULL where it is not stored, or nothing is mapped
 * @pid: the process; PERFDATA_ANY: the kernel
 * @kind: enum change_kind
 * @fresh: after the event exec has not mapped all of its program, and nothing of it has run
 */
struct perfmaps_change {
	size_t event;
	struct hwf_image_file *file;
	struct hwf_image_space *after;
	int32_t pid;
	uint8_t kind;
	bool fresh;
};

/**
 * struct perfmaps_state - what a process has mapped in a stretch of its changes
 * @next: the next one that is not used
 * @first: number of changes of the process before the stretch
 * @last: changes before the end of the stretch
 * @is_new: the process had ended before the stretch: its number is used again
 * @settled: @space knows more than at the beginning of the stretch, see maps_space_run()
 * @space: the mappings
 *
 * A decoder may remember code by the address of a space, so a state of a process never changes: a
 * process that has changed gets another one. A state that is not used any more is used again with
 * the next piece of trace, when perfmaps_changes() has told decoders to forget.
 */
struct perfmaps_state {
	struct perfmaps_state *next;
	size_t first;
	size_t last;
	bool is_new;
	bool settled;
	struct maps_space space;
};

/**
 * struct perfmaps_process - a process, or the kernel
 * @pid: the process; PERFDATA_ANY: the kernel
 * @changes: its changes, in order
 * @change_count: how many
 * @taken: changes that perfmaps_take_changes() has taken
 * @kept: how many of these are left in @changes, as the others change nothing
 * @unstored: how many of them since the last one that restore() can begin with
 * @now: what is mapped after these; NULL: nothing was ever mapped
 * @state: the mappings that were asked for last; NULL: none
 * @checked: perfmaps.calls when @state was found to be right
 * @chosen: perfmaps.calls when perfmaps_run() chose @first and @last
 * @first: see struct perfmaps_state
 * @last: see struct perfmaps_state
 */
struct perfmaps_process {
	int32_t pid;
	struct perfmaps_change *changes;
	size_t change_count;
	size_t taken;
	size_t kept;
	size_t unstored;
	struct hwf_image_space *now;
	struct perfmaps_state *state;
	uint64_t checked;
	uint64_t chosen;
	size_t first;
	size_t last;
};

struct perfmaps_thread;

/**
 * struct perfmaps - address spaces of all processes of a recording
 * @info: the recording
 * @image: all address spaces, and @files
 * @views: one for each WFXMODE
 * @code: what perfmaps_code() returns: a view's, with our own look-up of contexts
 * @view: that view's code
 * @base: below all others: what was given besides the recording
 * @copied: below the kernel: what @kcore has
 * @kcore: the kernel's memory; NULL if the recording does not have it
 * @files: all that were mapped
 * @jit: code made at run time
 * @changes: all changes, by process
 * @change_count: how many
 * @processes: by pid
 * @process_count: how many
 * @kernel: the one that is the kernel; NULL: nothing was mapped in it
 * @threads: see perfmaps_threads.c
 * @thread_count: how many
 * @execs: by process, each process' in order
 * @exec_events: numbers of their events, in order
 * @exec_count: how many
 * @taken: perfmaps_take_changes() has taken all changes
 * @several: has the addresses that several files had in a stretch
 * @too_many: has all addresses of a process that has mapped too often in a stretch
 * @unknown: a space in which @several has all addresses
 * @free_states: states that can be used
 * @old_states: states that decoders may remember
 * @calls: calls of perfmaps_code()
 * @forgets: see perfmaps_changes()
 * @time: of the last call
 * @first: events up to its beginning
 * @last: events up to its end
 * @is_stretch: trace is from any time between @first and @last
 * @is_ordered: what code is there depends on what was executed before it in the piece
 * @running: the state that space() returned last; NULL if it was not that of a process
 * @given: @base or @copied have something
 * @pid: process of contexts that do not say
 * @lossy: events are missing, and perhaps threads that we do not know of
 * @failed: memory ran out
 */
struct perfmaps {
	const struct perfdata_info *info;
	struct hwf_image *image;
	struct hwf_image_view *views[2];
	struct hwf_code code;
	const struct hwf_code *view;
	struct hwf_image_space *base;
	struct hwf_image_space *copied;
	struct kcore *kcore;
	struct perfmaps_files *files;
	struct jit_maps *jit;
	struct perfmaps_change *changes;
	size_t change_count;
	struct perfmaps_process *processes;
	size_t process_count;
	struct perfmaps_process *kernel;
	struct perfmaps_thread *threads;
	size_t thread_count;
	struct perfmaps_exec *execs;
	size_t *exec_events;
	size_t exec_count;
	bool taken;
	struct hwf_image_file *several;
	struct hwf_image_file *too_many;
	struct hwf_image_space *unknown;
	struct perfmaps_state *free_states;
	struct perfmaps_state *old_states;
	uint64_t calls;
	uint64_t forgets;
	struct perfmaps_time time;
	size_t first;
	size_t last;
	bool is_stretch;
	bool is_ordered;
	struct perfmaps_state *running;
	bool given;
	int32_t pid;
	bool lossy;
	bool failed;
};

/* perfmaps_process.c */

/* Make @changes and @processes, after perfmaps_list_threads(); 0 or -ENOMEM */
int perfmaps_list_processes(struct perfmaps *maps);
/* NULL where there is none */
struct perfmaps_process *perfmaps_process(const struct perfmaps *maps, int32_t pid);
/*
 * Take all changes in the order of time, at the first call: the files of mappings, and what is
 * mapped after some.
 */
void perfmaps_take_changes(struct perfmaps *maps);
/* How many changes of a process come before an event */
size_t perfmaps_changes_before(const struct perfmaps_process *process, size_t event);
/*
 * Show in @state what a process has mapped, from the first of its changes that @state says to the
 * last; 0 or -ENOMEM.
 */
int perfmaps_restore(struct perfmaps *maps, const struct perfmaps_process *process,
		     struct perfmaps_state *state);

/* perfmaps_threads.c */

/* Make @threads, and @changes of CHANGE_END and CHANGE_THREAD alone; 0 or -ENOMEM */
int perfmaps_list_threads(struct perfmaps *maps);
/* The process that a thread is of in the time of the last perfmaps_code() */
int32_t perfmaps_process_of(const struct perfmaps *maps, int32_t tid);
/* Number, plus 1, of the last event before another one that began the tracing of a thread; 0: none
 */
size_t perfmaps_traced(const struct perfmaps *maps, int32_t tid, size_t event);
void perfmaps_threads_free(struct perfmaps *maps);

/* perfmaps_execs.c */

/* Make @execs and @exec_events; 0 or -ENOMEM */
int perfmaps_list_execs(struct perfmaps *maps);

#endif /* HWFLOW_PERFMAPS_PRIVATE_H */
