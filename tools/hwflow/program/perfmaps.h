/* SPDX-License-Identifier: GPL-2.0-only */
/* The programs of a recording: what each process had mapped, over time. */
#ifndef HWFLOW_PERFMAPS_H
#define HWFLOW_PERFMAPS_H

#include "hwflow/flow.h"
#include "perfdata/perfdata_read.h"

struct hwf_image;
struct hwf_image_file;

/** struct perfmaps - address spaces of all processes of a recording */
struct perfmaps;

/**
 * perfmaps_new() - build the address spaces from the events of a recording
 * @result: receives them
 * @info: the recording; must outlive @maps
 * @symfs: files are looked for below this directory; NULL for the root
 *
 * A file that cannot be opened costs a gap where its code is needed, and a message on stderr then.
 *
 * Return: 0 or -ENOMEM.
 */
int perfmaps_new(struct perfmaps **result, const struct perfdata_info *info, const char *symfs);

/** perfmaps_image() - where to add files for perfmaps_map() */
struct hwf_image *perfmaps_image(struct perfmaps *maps);

/**
 * perfmaps_map() - code at an address, in all processes and at all times
 * @maps: the address spaces
 * @start: first address
 * @length: bytes
 * @file: of perfmaps_image()
 * @offset: of the first byte, in @file
 *
 * It is below the recording's own: a file that a process has mapped there comes first, unless it
 * is missing here. Before the first perfmaps_code().
 *
 * Return: 0 or -ENOMEM.
 */
int perfmaps_map(struct perfmaps *maps, uint64_t start, uint64_t length,
		 struct hwf_image_file *file, uint64_t offset);

/**
 * perfmaps_kcore() - code of the kernel, its modules and the vdso
 * @maps: the address spaces
 * @directory: kcore_dir of the recording
 * @changes: kcore_changes of the recording, which may be missing
 *
 * Before the first perfmaps_code(). What cannot be used was said on stderr; its code is missing.
 *
 * Return: 0; -ENOMEM; or another negative errno.
 */
int perfmaps_kcore(struct perfmaps *maps, const char *directory, const char *changes);

/**
 * struct perfmaps_time - a stretch of perf time that trace is from
 * @begin: no trace in it is older; 0 where that is not known
 * @end: of the trace
 */
struct perfmaps_time {
	uint64_t begin;
	uint64_t end;
};

/**
 * perfmaps_code() - the code as it was at a time
 * @maps: the address spaces
 * @time: of the trace; contexts are looked up as of its end. Calls with rising times are cheap
 * @pid: process the trace belongs to, where its contexts do not say; or PERFDATA_ANY
 * @wfx: TRCIDR2.WFXMODE
 *
 * Processes that ended before @time->begin are forgotten, unless events were lost; a call with
 * an earlier end knows them again.
 *
 * Return: the code; valid until the next call.
 */
const struct hwf_code *perfmaps_code(struct perfmaps *maps, const struct perfmaps_time *time,
				     int32_t pid, bool wfx);

/**
 * perfmaps_code_of_several() - the code of a thread's trace that is of several programs
 *
 * As perfmaps_code(), where it is not known which part of the trace is of which program: an address
 * that several of them have is a gap.
 */
const struct hwf_code *perfmaps_code_of_several(struct perfmaps *maps,
						const struct perfmaps_time *time, int32_t pid,
						bool wfx);

/**
 * struct perfmaps_program - exec in a stretch of time
 * @event: number of the event in the recording
 * @pid: the process
 * @called: perf time at which the program before had ended
 * @ready: perf time at which exec had mapped all of the new program, and had not returned to EL0
 * @placed: it is known which trace is of this program
 * @begins: the caller's: where the trace of this program begins
 */
struct perfmaps_program {
	size_t event;
	int32_t pid;
	uint64_t called;
	uint64_t ready;
	bool placed;
	size_t begins;
};

/**
 * struct perfmaps_owner - a thread of a process that has programs in a struct perfmaps_programs
 */
struct perfmaps_owner {
	int32_t tid;
	int32_t pid;
};

/**
 * struct perfmaps_programs - the programs that begin in a stretch of time
 * @items: by process, and in the order of time
 * @count: how many
 * @owners: threads of their processes, by tid
 * @owner_count: how many
 */
struct perfmaps_programs {
	struct perfmaps_program *items;
	size_t count;
	struct perfmaps_owner *owners;
	size_t owner_count;
};

/**
 * perfmaps_list_programs() - list the programs that begin in a stretch of time
 * @maps: the address spaces
 * @time: the stretch
 * @list: zero, or a list made before; receives the list
 *
 * @placed is true, except of processes whose events do not tell their programs apart. The list is
 * empty if events were lost.
 *
 * Return: 0 or -ENOMEM.
 */
int perfmaps_list_programs(struct perfmaps *maps, const struct perfmaps_time *time,
			   struct perfmaps_programs *list);

/** perfmaps_programs_of() - the first program of a process; NULL: it has none in the list */
struct perfmaps_program *perfmaps_programs_of(const struct perfmaps_programs *list, int32_t pid);

/** perfmaps_programs_owner() - the process in the list that a thread is of, or PERFDATA_ANY */
int32_t perfmaps_programs_owner(const struct perfmaps_programs *list, int32_t tid);

/** perfmaps_programs_drop() - set @placed of all programs of a process to false */
void perfmaps_programs_drop(const struct perfmaps_programs *list, int32_t pid);

/** perfmaps_programs_free() - free the list, which is zero afterwards */
void perfmaps_programs_free(struct perfmaps_programs *list);

/**
 * perfmaps_code_of_programs() - the code of a CPU's trace in which exec begins programs
 * @maps: the address spaces
 * @time: see perfmaps_code()
 * @pid: see perfmaps_code()
 * @wfx: see perfmaps_code()
 * @list: programs that begin in this time. Each one that is @placed has an address space of its own
 *
 * A process whose programs are placed executes the last one; perfmaps_run_program() chooses
 * another one.
 *
 * Return: the code; valid until the next perfmaps_code().
 */
const struct hwf_code *perfmaps_code_of_programs(struct perfmaps *maps,
						 const struct perfmaps_time *time, int32_t pid,
						 bool wfx, const struct perfmaps_programs *list);

/**
 * perfmaps_run_program() - choose the program that a process executes
 * @maps: the address spaces, after perfmaps_code_of_programs()
 * @pid: the process, whose programs are placed
 * @number: 0: the program before the first one of the list; 1: the first one; and so on
 *
 * After that space() has to be asked again.
 */
void perfmaps_run_program(struct perfmaps *maps, int32_t pid, size_t number);

/**
 * struct perfmaps_exec - a program began
 * @event: its number in the recording
 * @entry: address of its first instruction, if @known: that of the dynamic loader if it has one
 * @known: the recording says what exec mapped, and the file is there
 */
struct perfmaps_exec {
	size_t event;
	uint64_t entry;
	bool known;
};

/**
 * perfmaps_execs() - programs that a thread's process began in a stretch of time
 * @maps: the address spaces
 * @time: the stretch; its beginning is set to where tracing of the thread began, if that is later
 * @pid: the process
 * @tid: the thread
 * @execs: receives them, in order
 * @room: of @execs
 *
 * Return: how many; those beyond @room are counted only.
 */
size_t perfmaps_execs(struct perfmaps *maps, struct perfmaps_time *time, int32_t pid, int32_t tid,
		      struct perfmaps_exec *execs, size_t room);

/**
 * perfmaps_split() - the code of trace that is of several programs, one after the other
 * @maps: the address spaces
 * @event: the code is as it was before this event of the recording
 * @pid: process the trace belongs to; each of its programs has an address space of its own
 * @wfx: see perfmaps_code()
 *
 * perfmaps_go_on() comes to the next program. After either space() has to be asked again.
 *
 * Return: the code; valid until the next perfmaps_code() or perfmaps_split().
 */
const struct hwf_code *perfmaps_split(struct perfmaps *maps, size_t event, int32_t pid, bool wfx);

/**
 * perfmaps_go_on() - the code as it was before a later event
 * @maps: the address spaces, after perfmaps_split()
 * @event: of the recording
 */
void perfmaps_go_on(struct perfmaps *maps, size_t event);

/**
 * perfmaps_event_after() - the first event later than a time
 * @maps: the address spaces
 * @time: the time
 *
 * Return: its number in the recording; the number of events if there is none.
 */
size_t perfmaps_event_after(const struct perfmaps *maps, uint64_t time);

/**
 * perfmaps_changes() - how often the code has changed
 * @maps: the address spaces
 *
 * Return: a number; the same as at an earlier time if the code is the same in all spaces.
 */
uint64_t perfmaps_changes(const struct perfmaps *maps);

/** perfmaps_exhausted() - is code missing, because the limit "replays" was reached and reported? */
bool perfmaps_exhausted(const struct perfmaps *maps);

/**
 * perfmaps_comm() - name of a thread, as of the last perfmaps_code()
 * @maps: the address spaces
 * @tid: the thread
 *
 * Return: the name, "" where not known.
 */
const char *perfmaps_comm(const struct perfmaps *maps, int32_t tid);

/**
 * perfmaps_tid() - the thread that a context names
 * @maps: the address spaces
 * @context: of the trace
 *
 * Return: the thread; PERFDATA_ANY where the trace was not made to say.
 */
int32_t perfmaps_tid(const struct perfmaps *maps, const struct hwf_context *context);

/** perfmaps_free() - free everything; NULL is allowed */
void perfmaps_free(struct perfmaps *maps);

#endif /* HWFLOW_PERFMAPS_H */
