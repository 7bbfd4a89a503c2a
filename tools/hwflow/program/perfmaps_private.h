/* SPDX-License-Identifier: GPL-2.0-only */
/* State of the address spaces, shared by the perfmaps*.c files. */
#ifndef HWFLOW_PERFMAPS_PRIVATE_H
#define HWFLOW_PERFMAPS_PRIVATE_H

#include "perfmaps.h"
#include "perfmaps_files.h"
#include "perfmaps_jit.h"
#include "perfmaps_space.h"

struct perfmaps_base;

/* struct process - node of perfmaps.processes, by pid; or one of perfmaps.spare */
struct process {
	int32_t pid;
	struct thread *threads; /* that were not forgotten */
	bool fresh; /* exec has not mapped all of its program yet, and nothing of it has run */
	struct maps_space space; /* empty until something is mapped */
	bool marked;             /* it is in perfmaps.marks */
	struct process *mark;    /* the next one there */
	struct process *next;    /* spare one */
	struct process *before;  /* the program before, if exec ended it in the piece: of @ended */
	size_t ended;            /* programs before this one */
	size_t back;             /* it executes the program that many before this one */
};

/* struct thread - node of perfmaps.threads, by tid */
struct thread {
	int32_t tid;
	int32_t pid;
	const char *comm;
	const struct perfdata_event *exit; /* that ended it; NULL: it lives */
	struct thread *next;               /* of its process */
	struct thread **link;              /* the pointer to it there; NULL: it has no process */
};

/**
 * struct perfmaps_owned - an event that exec begins a program, or that the tracing of a thread
 * begins
 * @exec: is it exec?
 * @id: process of exec, or the thread
 * @event: its number
 * @sought: @entry and @known are set, see struct perfmaps_exec
 */
struct perfmaps_owned {
	bool exec;
	bool sought;
	bool known;
	int32_t id;
	size_t event;
	uint64_t entry;
};

/**
 * struct perfmaps - address spaces of all processes of a recording
 * @info: the recording
 * @image: all address spaces, and @files
 * @views: one for each WFXMODE; made when needed
 * @code: what perfmaps_code() gave out last: a view's, with our own look-up of contexts
 * @view: that view's code
 * @base: below all others: what was given besides the recording
 * @copied: below @kernel: what @kcore has
 * @kernel: code of exception levels above EL0
 * @kcore: the kernel's memory; NULL if the recording does not have it
 * @processes: tree of struct process
 * @spare: processes that are gone: their address spaces are used again
 * @ended: programs that ended in a piece of trace that is split; retired with the next one
 * @split: process whose programs have an address space each; PERFDATA_ANY: none
 * @programs: those that are placed have an address space each, too; NULL: none
 * @execs: events that exec begins a program, and that the tracing of a thread begins, by time
 * @owned: the same by process and thread
 * @exec_count: how many
 * @threads: tree of struct thread
 * @files: all that were mapped
 * @jit: code made at run time
 * @changing: numbers of the events that change processes or threads, in order
 * @changing_count: how many
 * @by_pid: the same by process, each process' in order; NULL until needed
 * @next: the first event that has not happened yet
 * @change: the first of @changing that has not happened yet
 * @gone: the first of @changing whose end of a thread is not forgotten yet
 * @base_state: the state at time 0; NULL: not made
 * @reached: events that have happened at some time
 * @replays: see perfmaps_charge()
 * @exhausted: more than the limit: there is no code any more
 * @now: time of the last call
 * @stretch: of the last call
 * @several: see maps_space_map(); NULL while events are from before the stretch
 * @marks: processes that may have such addresses
 * @marked: the stretch began with no such addresses
 * @placed: @programs of the stretch was not empty
 * @doubtful: has the addresses that several files had in a stretch
 * @running: the process whose code space_of() gave out last; NULL if it was not that of a process
 * @settled: of a process more is known than at the beginning of the stretch
 * @given: @base or @copied have something
 * @pid: process of contexts that do not say
 * @changes: see perfmaps_changes()
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
	struct hwf_image_space *kernel;
	struct kcore *kcore;
	void *processes;
	struct process *spare;
	struct process *ended;
	int32_t split;
	const struct perfmaps_programs *programs;
	size_t *execs;
	struct perfmaps_owned *owned;
	size_t exec_count;
	void *threads;
	struct perfmaps_files *files;
	struct jit_maps *jit;
	size_t *changing;
	size_t changing_count;
	size_t *by_pid;
	size_t next;
	size_t change;
	size_t gone;
	struct perfmaps_base *base_state;
	size_t reached;
	uint64_t replays;
	bool exhausted;
	uint64_t now;
	struct perfmaps_time stretch;
	struct hwf_image_file *several;
	struct process *marks;
	bool marked;
	bool placed;
	struct hwf_image_file *doubtful;
	struct process *running;
	bool settled;
	bool given;
	uint64_t changes;
	int32_t pid;
	bool lossy;
	bool failed;
};

/* perfmaps_process.c */

/* NULL where there is none */
struct process *perfmaps_find_process(const struct perfmaps *maps, int32_t pid);
struct thread *perfmaps_find_thread(const struct perfmaps *maps, int32_t tid);
/* a new one where there is none; NULL without memory */
struct process *perfmaps_process(struct perfmaps *maps, int32_t pid);
struct thread *perfmaps_thread(struct perfmaps *maps, int32_t tid, int32_t pid);
/* The address space of a process, made if it has none yet; NULL without memory */
struct maps_space *perfmaps_space(struct perfmaps *maps, struct process *process);
/* Forgets what processes had mapped in the stretch, but not at its end. */
void perfmaps_forget_marks(struct perfmaps *maps);
/* A process that is out of the tree already becomes a spare one. */
void perfmaps_retire(struct perfmaps *maps, struct process *process);
/* Forgets a thread, and its process with the last one. */
void perfmaps_forget_thread(struct perfmaps *maps, struct thread *thread);
/* Gives a process an address space with nothing in it; the old one stays as it is among @ended. */
int perfmaps_renew(struct perfmaps *maps, struct process *process);
void perfmaps_retire_ended(struct perfmaps *maps);

/* perfmaps_replay.c */

/* Makes @changing; 0 or -ENOMEM */
int perfmaps_list_changing(struct perfmaps *maps);
/*
 * Counts events that are looked at again, after all were once. Returns false, and sets @exhausted,
 * if they are more than the limit.
 */
bool perfmaps_charge(struct perfmaps *maps, uint64_t events);
/* The events of a process behind event @after, in order: numbers of events. NULL: out of memory */
const size_t *perfmaps_events_of(struct perfmaps *maps, int32_t pid, size_t after, size_t *count);

/* perfmaps_base.c */

/* Keeps the state, which is that of time 0. */
void perfmaps_base_save(struct perfmaps *maps);
/* From the beginning: the state that was kept. False if there is none, or it is behind an event. */
bool perfmaps_base_restore(struct perfmaps *maps, size_t index);
void perfmaps_base_free(struct perfmaps *maps);

/* perfmaps_lists.c */

/* Makes @execs and @owned; 0 or -ENOMEM */
int perfmaps_list_execs(struct perfmaps *maps);
/* How many of @owned come before an event of a process (@exec) or thread */
size_t perfmaps_owned_before(const struct perfmaps *maps, bool exec, int32_t id, size_t event);
/* How many of @execs are not later than a time */
size_t perfmaps_listed_up_to(const struct perfmaps *maps, uint64_t time);

/* perfmaps.c */

/* Makes everything as it was at a time: forward from now, or again from the beginning. */
void perfmaps_go_to(struct perfmaps *maps, uint64_t time);
/* Likewise, before an event of the recording */
void perfmaps_go_to_event(struct perfmaps *maps, size_t index);

#endif /* HWFLOW_PERFMAPS_PRIVATE_H */
