/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Workloads whose execution is known in advance. A workload is a function in assembly and a table of what it executes,
 * which the assembler makes. expect_rows() reads the table.
 */
#ifndef ARM_ETE_SELFTESTS_WORKLOAD_H
#define ARM_ETE_SELFTESTS_WORKLOAD_H

/* Kinds of rows. WORKLOAD_REPEAT has a number of times; it ends with WORKLOAD_REPEAT_END, and may be nested. */
#define WORKLOAD_END 0
#define WORKLOAD_RANGE 1
#define WORKLOAD_EXCEPTION 2
#define WORKLOAD_REPEAT 3
#define WORKLOAD_REPEAT_END 4

/* TYPE of an Exception packet */
#define WORKLOAD_EXC_CALL 0x02
#define WORKLOAD_EXC_TRAP 0x03
#define WORKLOAD_EXC_SYSTEM_ERROR 0x04
#define WORKLOAD_EXC_INST_DEBUG 0x06
#define WORKLOAD_EXC_ALIGNMENT 0x0a
#define WORKLOAD_EXC_INST_FAULT 0x0b
#define WORKLOAD_EXC_DATA_FAULT 0x0c
#define WORKLOAD_EXC_IRQ 0x0e
#define WORKLOAD_EXC_FIQ 0x0f

/* Bytes of code that the workload modified() changes, versions of it, and how often it is changed */
#define WORKLOAD_MODIFIED_SIZE 64
#define WORKLOAD_MODIFIED_VERSIONS 4
#define WORKLOAD_MODIFIED_TIMES 12

/* Pages that the workload pages() writes to */
#define WORKLOAD_PAGES 96

#ifndef __ASSEMBLER__

#include <stddef.h>
#include <stdint.h>

/**
 * struct workload_row - what is executed next
 * @kind: WORKLOAD_*
 * @first: WORKLOAD_RANGE: first address; WORKLOAD_EXCEPTION: type; WORKLOAD_REPEAT: times
 * @second: WORKLOAD_RANGE: address after the last instruction; WORKLOAD_EXCEPTION: preferred return address
 */
struct workload_row {
	uint64_t kind;
	uint64_t first;
	uint64_t second;
};

/**
 * struct workload - a workload
 * @name: for the name of the test
 * @function: of workload.S
 * @rows: what it executes
 * @interruptions: exceptions, at least, that the kernel handles for itself meanwhile
 */
struct workload {
	const char *name;
	void (*function)(void *argument);
	const struct workload_row *rows;
	size_t interruptions;
};

/**
 * struct workload_call - argument of workload_traced()
 * @function: to call between enabling and disabling the event
 * @argument: of @function
 */
struct workload_call {
	void (*function)(void *argument);
	void *argument;
};

/**
 * workload_traced() - enable an event, call a function, disable the event
 * @fd: of the event
 * @call: a struct workload_call
 *
 * Nothing but what workload_traced_before, the rows of the function, and workload_traced_after say is executed in user
 * space while the event is enabled.
 */
void workload_traced(int fd, void *call);

extern const struct workload_row workload_traced_before[], workload_traced_after[];

/* The workloads, and their tables; the argument of workload_pages() is memory, that of all others is not used */
#define WORKLOAD_DECLARE(name)				\
	void workload_##name(void *argument);		\
	extern const struct workload_row workload_##name##_rows[]

WORKLOAD_DECLARE(loops);
WORKLOAD_DECLARE(nest);
WORKLOAD_DECLARE(table);
WORKLOAD_DECLARE(calls);
WORKLOAD_DECLARE(returns);
WORKLOAD_DECLARE(svc);
WORKLOAD_DECLARE(faults);
WORKLOAD_DECLARE(signals);
WORKLOAD_DECLARE(pages);
WORKLOAD_DECLARE(modified);

/* The code that workload_modified() replaces, its versions, and where the system call behind a replacement ends */
extern uint8_t workload_modified_code[], workload_modified_marker[];
extern const uint8_t workload_modified_versions[];

/* The return from a signal handler, for struct sigaction.sa_restorer */
void workload_restorer(void);
/* A signal handler that goes on behind the instruction that was interrupted */
void workload_skip(void);
/* A signal handler that goes on where it was interrupted */
void workload_count(void);
/* One that notes where that is; what it and workload_restorer() execute */
void workload_note(void);
extern const struct workload_row workload_note_rows[];

#define WORKLOAD_NOTES 512

/**
 * struct workload_notes - where workload_note() has interrupted a thread
 * @count: number of @notes
 * @notes: address of the next instruction, and register x27 there
 */
struct workload_notes {
	uint64_t count;
	struct {
		uint64_t pc;
		uint64_t x27;
	} notes[WORKLOAD_NOTES];
};

#endif

#endif
