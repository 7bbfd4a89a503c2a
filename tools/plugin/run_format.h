/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the plugin leaves in its directory, and `hwflow emulate` collects.
 *
 * Everything is written through shared mappings, so that nothing is lost however a
 * program dies. Files:
 *
 *   control               struct run_control, of all processes together
 *   blocks.PID.N          TRUTH_BLOCKS records of one program
 *   events.PID.N          struct run_event records of one program
 *   thread.PID.TID.N      one thread in one program: struct run_thread in the first
 *                         RUN_THREAD_HEAD bytes, then its stream as truth_format.h has it
 *   code                  pages of code that no file has
 *   kept.DEVICE.INODE.CHANGED.SIZE  copy of a file that was mapped: see struct run_identity
 *
 * Where a file's data ends, zeros follow: they are no record.
 */
#ifndef HWFLOW_RUN_FORMAT_H
#define HWFLOW_RUN_FORMAT_H

#include <inttypes.h>
#include <stdint.h>

#include "truth/truth_format.h"

/* The directory of the files that the plugin writes, in the directory of the run */
#define RUN_STREAMS "/streams"

/* The name of a copy in that directory: for snprintf(), with the members of struct run_identity */
#define RUN_KEPT "kept.%" PRIx64 ".%" PRIx64 ".%" PRIx64 ".%" PRIx64

#define RUN_MAGIC       UINT64_C(0x324e5552464c5748)
#define RUN_THREAD_HEAD 4096
#define RUN_PAGE        4096

/** RUN_AHEAD - a thread waits where it has written so many bytes that the command has not read */
#define RUN_AHEAD (UINT64_C(16) << 20)

/** RUN_WINDOW - bytes that a stream is mapped with; what follows @written is less than two */
#define RUN_WINDOW ((size_t)1 << 20)

/**
 * struct run_control - shared by all processes of a run
 * @magic: RUN_MAGIC
 * @next_block: number of the next block; taken by adding to it
 * @next_page: next page of the file "code", likewise
 * @failed: recording ended early somewhere; @why has the first reason
 * @why: text
 * @main_pid: process of the program, set by the command
 * @worker: process of the command that waits for all of the run: without it they end
 * @riscv: 1 if the program is a riscv64 program
 * @syscalls: 1 if system calls are recorded, as RUN_SYSCALL and RUN_SYSCALL_DONE
 */
struct run_control {
	uint64_t magic;
	uint32_t next_block;
	uint32_t next_page;
	uint32_t failed;
	char why[236];
	int32_t main_pid;
	int32_t worker;
	uint32_t riscv;
	uint32_t syscalls;
};

/** enum run_state - how far a thread has got */
enum run_state {
	RUN_RUNNING,
	RUN_CLOSED, /* its stream is complete */
};

/**
 * struct run_thread - head of a thread's file
 * @magic: RUN_MAGIC
 * @start: nanoseconds of the monotonic clock, where TRUTH_TIME counts from
 * @end: when it was closed; 0 if it was not
 * @pid: process
 * @tid: thread
 * @state: enum run_state
 * @written: whole events reach up to there in the file; may be behind
 * @read: so much of the file the command has read, and taken out of it
 * @reached: of the block entered last so many instructions were certainly executed
 */
struct run_thread {
	uint64_t magic;
	uint64_t start;
	uint64_t end;
	int32_t pid;
	int32_t tid;
	uint32_t state;
	uint32_t reached;
	uint64_t written;
	uint64_t read;
};

/** enum run_event_kind - what happened to a process */
enum run_event_kind {
	RUN_EXEC = 1,     /* a program begins; text: its path */
	RUN_COMM,         /* the thread has a new name; text: the name */
	RUN_FORK,         /* a: the new process or thread; b: 1 for a thread */
	RUN_MAP,          /* text: path of the file; a: address, b: length, c: offset, d: inode */
	RUN_CODE,         /* as RUN_MAP, of the file "code"; no text */
	RUN_NOTE,         /* text: something the user should know */
	RUN_EXIT,         /* a: status of exit_group or exit */
	RUN_SYSCALL,      /* a: number of the system call; its arguments */
	RUN_SYSCALL_DONE, /* a: number of the system call, b: what it returned */
};

/**
 * struct run_identity - a file, and its contents
 * @device: st_dev
 * @inode: st_ino
 * @changed: nanoseconds of st_ctim, which no program can set back; 0: not known
 * @size: st_size
 */
struct run_identity {
	uint64_t device;
	uint64_t inode;
	uint64_t changed;
	uint64_t size;
};

/* @kept of struct run_event, if it is not a negative errno: why no copy could be made */
enum run_kept {
	RUN_KEPT_NOT,  /* the user of the program can neither write to the file nor owns it */
	RUN_KEPT_COPY, /* there is a copy */
};

/**
 * struct run_event - one event; its text, without a NUL, follows
 * @size: bytes of the record, text and padding to 8 included; 0: no more events
 * @kind: enum run_event_kind
 * @text: bytes of text
 * @time: nanoseconds of the monotonic clock
 * @pid: process
 * @tid: thread
 * @device_major: of a file
 * @device_minor: of a file
 * @a: see enum run_event_kind, and so on
 * @file: of RUN_MAP: the file when its code was executed first
 * @kept: of RUN_MAP: enum run_kept or a negative errno
 * @arguments: of RUN_SYSCALL
 */
struct run_event {
	uint32_t size;
	uint16_t kind;
	uint16_t text;
	uint64_t time;
	int32_t pid;
	int32_t tid;
	uint32_t device_major;
	uint32_t device_minor;
	uint64_t a;
	uint64_t b;
	uint64_t c;
	uint64_t d;
	struct run_identity file;
	int64_t kept;
	uint64_t arguments[6];
};

#endif /* HWFLOW_RUN_FORMAT_H */
