/* SPDX-License-Identifier: GPL-2.0-only */
/* Where in the trace of a CPU each program of a process begins. */
#ifndef HWFLOW_INPUT_PROGRAMS_H
#define HWFLOW_INPUT_PROGRAMS_H

#include "input.h"
#include "program/perfmaps.h"

/**
 * struct input_program - a program that exec begins
 * @exec: when that was
 * @placed: it is known which trace is of this program
 * @begins: where it begins; see place() of input_programs.c
 */
struct input_program {
	const struct perfmaps_exec *exec;
	bool placed;
	size_t begins;
};

/**
 * struct input_program_place - trace of another program of a process begins
 * @offset: offset of the packet in the piece
 * @kind: enum hwf_flow_kind of the event of that packet
 * @pid: the process
 * @first: see perfmaps_run()
 * @last: see perfmaps_run()
 */
struct input_program_place {
	uint64_t offset;
	uint8_t kind;
	int32_t pid;
	size_t first;
	size_t last;
};

/**
 * struct input_programs - the programs of a piece
 * @time: of the piece
 * @items: programs that begin in this time, of processes that have trace in the piece; by process,
 *	and in the order of time
 * @count: how many
 * @places: where they begin, in the order of the trace
 * @place_count: how many
 * @at: how many of @places were passed; the caller's
 */
struct input_programs {
	struct perfmaps_time time;
	struct input_program *items;
	size_t count;
	struct input_program_place *places;
	size_t place_count;
	size_t at;
};

/**
 * input_programs_find() - find where the programs of a piece begin
 * @programs: zero, or found before; receives them
 * @source: the source, of ETE or ETMv4
 * @piece: one of its pieces
 * @maps: the address spaces
 * @clock: from timestamps of the trace to the perf clock, which is known
 *
 * A program whose place in the trace is not certain is not @placed; nor are the others of its
 * process. A program has no place if all trace of its process in the piece is of it, or none.
 *
 * Return: 0 or -ENOMEM.
 */
int input_programs_find(struct input_programs *programs, const struct input_source *source,
			const struct input_piece *piece, struct perfmaps *maps,
			const struct perfdata_clock *clock);

/**
 * input_programs_start() - choose the programs that the processes execute when the piece begins
 * @programs: after input_programs_find()
 * @maps: the address spaces, after perfmaps_code_of_several()
 */
void input_programs_start(struct input_programs *programs, struct perfmaps *maps);

/** input_programs_free() - free what @programs has */
void input_programs_free(struct input_programs *programs);

#endif /* HWFLOW_INPUT_PROGRAMS_H */
