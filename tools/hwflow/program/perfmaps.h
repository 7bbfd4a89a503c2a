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
 * @time: of the trace; contexts are looked up as of its end. In any order
 * @pid: process the trace belongs to, where its contexts do not say; or PERFDATA_ANY
 * @wfx: TRCIDR2.WFXMODE
 *
 * Trace of a CPU may be from any time between @time->begin and @time->end: an address at which a
 * process had several files is a gap. Trace of a thread is of the program at the end. Processes
 * that ended before @time->begin have no code, unless events were lost.
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
 * perfmaps_run() - a process executes one of its programs from here on
 * @maps: the address spaces, after perfmaps_code()
 * @pid: the process
 * @first: number of an event, after which the program has begun
 * @last: number of an event, before which it has not ended; at least @first
 *
 * The code of the process is that of any time between these events, until the next call of
 * perfmaps_run() or perfmaps_code(). After that space() has to be asked again.
 */
void perfmaps_run(struct perfmaps *maps, int32_t pid, size_t first, size_t last);

/**
 * struct perfmaps_exec - a program of a process
 * @event: number of the event in the recording
 * @pid: the process
 * @called: perf time at which the program before had ended
 * @ready: perf time at which exec had mapped all of the new program, and had not returned to EL0;
 *	if @is_ready
 * @entry: address of the first instruction, which is in the dynamic loader if the program has one;
 *	set by perfmaps_entry()
 * @is_ready: the recording has @ready, and no events were lost
 * @known: the first instruction is known
 * @sought: @known and @entry are set
 */
struct perfmaps_exec {
	size_t event;
	int32_t pid;
	uint64_t called;
	uint64_t ready;
	uint64_t entry;
	bool is_ready;
	bool known;
	bool sought;
};

/**
 * perfmaps_execs() - programs that a process began in a stretch of time
 * @maps: the address spaces
 * @time: the stretch
 * @pid: the process
 * @execs: receives the first of them, which the others follow
 *
 * Return: how many.
 */
size_t perfmaps_execs(const struct perfmaps *maps, const struct perfmaps_time *time, int32_t pid,
		      struct perfmaps_exec **execs);

/** perfmaps_has_execs() - did any process begin a program in a stretch of time? */
bool perfmaps_has_execs(const struct perfmaps *maps, const struct perfmaps_time *time);

/**
 * perfmaps_entry() - find the first instruction of a program
 * @maps: the address spaces
 * @exec: of perfmaps_execs(); receives @entry
 *
 * Return: false if the recording does not say what exec mapped, or the file is not there.
 */
bool perfmaps_entry(struct perfmaps *maps, struct perfmaps_exec *exec);

/** perfmaps_begin_of_tracing() - a stretch begins when tracing of the thread began, if not later */
void perfmaps_begin_of_tracing(const struct perfmaps *maps, struct perfmaps_time *time,
			       int32_t tid);

/** PERFMAPS_SEVERAL - a thread was of several processes */
#define PERFMAPS_SEVERAL (-2)

/**
 * perfmaps_owner() - the process that a thread belongs to in a stretch of time
 * @maps: the address spaces
 * @time: the stretch
 * @tid: the thread
 *
 * Return: the process; or PERFMAPS_SEVERAL.
 */
int32_t perfmaps_owner(const struct perfmaps *maps, const struct perfmaps_time *time, int32_t tid);

/**
 * perfmaps_event_after() - the first event later than a time
 * @maps: the address spaces
 * @time: the time
 *
 * Return: its number in the recording; the number of events if there is none.
 */
size_t perfmaps_event_after(const struct perfmaps *maps, uint64_t time);

/**
 * perfmaps_is_ordered() - does code depend on what was executed before it?
 * @maps: the address spaces
 *
 * Return: true if a space that space() has returned since perfmaps_code() is of several programs of
 * a process: which one is executed is known when code of the last one alone is, see
 * maps_space_run(). Who decodes a part of the trace alone cannot know that.
 */
bool perfmaps_is_ordered(const struct perfmaps *maps);

/**
 * perfmaps_changes() - when decoders have to forget code
 * @maps: the address spaces
 *
 * A space that space() has returned keeps its code, until the number that is returned changes: then
 * the address of a space may be that of another one.
 */
uint64_t perfmaps_changes(const struct perfmaps *maps);

/** perfmaps_free() - free everything; NULL is allowed */
void perfmaps_free(struct perfmaps *maps);

#endif /* HWFLOW_PERFMAPS_H */
