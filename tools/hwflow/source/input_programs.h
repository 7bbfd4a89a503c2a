/* SPDX-License-Identifier: GPL-2.0-only */
/* Where in the trace of a CPU each program of a process begins. */
#ifndef HWFLOW_INPUT_PROGRAMS_H
#define HWFLOW_INPUT_PROGRAMS_H

#include "input.h"
#include "program/perfmaps.h"

/**
 * struct input_program_place - trace of another program of a process begins
 * @offset: offset of the packet in the piece
 * @kind: enum hwf_flow_kind of the event of that packet
 * @pid: the process
 * @number: of the program, see perfmaps_run_program()
 */
struct input_program_place {
	uint64_t offset;
	uint8_t kind;
	int32_t pid;
	size_t number;
};

/**
 * struct input_programs - the programs of a piece
 * @list: programs that begin in the time of the piece
 * @places: where they begin, in the order of the trace
 * @place_count: how many
 * @at: how many of @places were passed; the caller's
 */
struct input_programs {
	struct perfmaps_programs list;
	struct input_program_place *places;
	size_t place_count;
	size_t at;
};

/**
 * input_programs_find() - find where the programs of @programs->list begin
 * @programs: has @list; receives the rest
 * @source: the source, of a CPU
 * @piece: one of its pieces
 * @clock: from timestamps of the trace to the perf clock, which is known
 *
 * A program whose place in the trace is not certain is not @placed afterwards; nor are the others
 * of its process. A program has no place if all trace of its process in the piece is of it, or
 * none.
 *
 * Return: 0 or -ENOMEM.
 */
int input_programs_find(struct input_programs *programs, const struct input_source *source,
			const struct input_piece *piece, const struct perfdata_clock *clock);

/**
 * input_programs_start() - choose the programs that the processes execute when the piece begins
 * @programs: after input_programs_find()
 * @maps: the address spaces, after perfmaps_code_of_programs()
 */
void input_programs_start(struct input_programs *programs, struct perfmaps *maps);

/** input_programs_free() - free what @programs has */
void input_programs_free(struct input_programs *programs);

#endif /* HWFLOW_INPUT_PROGRAMS_H */
