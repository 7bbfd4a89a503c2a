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
