/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Torture of the driver: worker processes that do at random what programs may do to events, and what
 * administrators may do to the machine meanwhile.
 */
#ifndef ARM_ETE_TORTURE_H
#define ARM_ETE_TORTURE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#define TORTURE_SLOTS	3	/* events that a worker may have open */
#define TORTURE_ACTIONS	32	/* more than there are */
#define TORTURE_WORKERS	4096	/* at most */

/*
 * What a worker does, and what the process that watches it has seen of that.
 *
 * @pid: of the worker
 * @program: the process that is traced; 0: none
 * @action: of the step; all processes have the text at the same address
 * @step: the step that it does, written behind the others
 * @seen: the step that the watching process saw last
 * @since: the time at which it saw that step first
 * @is_reported: the step has been reported
 */
struct torture_watch {
	pid_t pid;
	pid_t program;
	const char *action;
	atomic_ulong step;
	unsigned long seen;
	time_t since;
	bool is_reported;
};

/*
 * What all processes share.
 *
 * @seed: with the numbers of worker and step, decides each choice
 * @steps: of each worker; 0: until @stop
 * @module: the file of the module that is unloaded and loaded; NULL: it stays
 * @can_fail: allocations of marked processes fail
 * @verbose: each step is printed
 * @stop: the workers have to end
 * @quiet: they close their events, and rest, so that the module can be unloaded
 * @workers: how many there are
 * @resting: how many of them rest
 * @unloaded: how often the module was unloaded
 * @second: counts the seconds: events of threads and of CPUs exclude each other, so that for some seconds all workers
 *	have those of one kind
 * @failed: an action ended as it must not
 * @done: how often each action was done
 * @refused: how often it ended with an error that it may have
 * @records: AUX records that were read
 * @bytes: bytes of trace of these
 * @watch: what each worker does, by its number
 */
struct torture {
	uint64_t seed;
	unsigned long steps;
	const char *module;
	bool can_fail;
	bool verbose;
	atomic_bool stop;
	atomic_bool quiet;
	unsigned int workers;
	atomic_uint resting;
	atomic_ulong unloaded;
	atomic_uint second;
	atomic_uint failed;
	atomic_ulong done[TORTURE_ACTIONS];
	atomic_ulong refused[TORTURE_ACTIONS];
	atomic_ulong records;
	atomic_ulong bytes;
	struct torture_watch watch[TORTURE_WORKERS];
};

/*
 * An event that a worker has open.
 *
 * @fd: of the event; -1: the slot is free
 * @head: the ring of records; NULL: not mapped
 * @head_size: bytes of it
 * @aux: the AUX area; NULL: not mapped
 * @aux_size: bytes of it
 * @is_snapshot: the AUX area is written over
 * @tail: up to where records were read
 * @next: up to where AUX records of an area that is not written over have come
 */
struct torture_event {
	int fd;
	void *head;
	size_t head_size;
	void *aux;
	size_t aux_size;
	bool is_snapshot;
	uint64_t tail;
	uint64_t next;
};

/*
 * A process that does one step after the other.
 *
 * @torture: see there
 * @number: of the worker
 * @step: of it
 * @action: what is being done, for messages
 * @cpus: how many CPUs the machine may have
 * @program: the process that is traced; 0: none
 * @events: its events
 */
struct torture_worker {
	struct torture *torture;
	unsigned int number;
	unsigned long step;
	const char *action;
	unsigned int cpus;
	pid_t program;
	struct torture_event events[TORTURE_SLOTS];
};

/*
 * struct torture_action - what a worker may do in a step
 * @name: in messages and in the sum
 * @weight: how often, beside the others
 * @run: does it; returns 0, or a negative errno that it may have. What must not happen it reports itself,
 *	by torture_fault()
 */
struct torture_action {
	const char *name;
	unsigned int weight;
	int (*run)(struct torture_worker *worker);
};

/* torture_choice() - a number below @n: it depends on seed, worker, step and @which alone */
uint64_t torture_choice(const struct torture_worker *worker, unsigned int which, uint64_t n);

/* torture_opens_cpus() - are the events of this period those of CPUs? */
bool torture_opens_cpus(const struct torture *torture);

/* torture_fault() - report that a step ended as it must not; the run has failed then */
__attribute__((format(printf, 2, 3)))
void torture_fault(struct torture_worker *worker, const char *format, ...);

/* Actions on events, ended by an empty row; see torture_events.c */
extern const struct torture_action torture_event_actions[];

/* Actions on the traced program, ended by an empty row; see torture_program.c */
extern const struct torture_action torture_program_actions[];

/* torture_close_all() - close all events of a worker */
void torture_close_all(struct torture_worker *worker);

/* torture_start_program() - start the process that is traced; returns 0 or a negative errno */
int torture_start_program(struct torture_worker *worker);

/* torture_end_program() - end it, if there is one */
void torture_end_program(struct torture_worker *worker);

/* torture_be_program() - what that process does; it does not return */
__attribute__((noreturn))
void torture_be_program(void);

#endif
