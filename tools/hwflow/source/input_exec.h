/* SPDX-License-Identifier: GPL-2.0-only */
/* Where in the trace of a thread exec put another program in the place of the one before. */
#ifndef HWFLOW_INPUT_EXEC_H
#define HWFLOW_INPUT_EXEC_H

#include "input.h"
#include "program/perfmaps.h"

/** INPUT_EXECS - at most so many programs that begin in one piece of trace are told apart */
#define INPUT_EXECS 64

/**
 * struct input_exec_place - where a program begins
 * @offset: of the packet that trace of it begins with, in the piece
 * @address: of its first instruction
 * @kind: enum hwf_flow_kind of the event of that packet
 * @called: an exception is before it in the piece
 */
struct input_exec_place {
	uint64_t offset;
	uint64_t address;
	uint8_t kind;
	bool called;
};

/**
 * struct input_exec - programs that begin in one piece
 * @execs: in order
 * @count: how many
 * @maps: they are of it
 * @places: where they begin, for those that have trace in the piece
 * @place_count: how many these are
 * @first: the first of these, among @execs
 * @at: how many of @places were passed; the caller's
 */
struct input_exec {
	struct perfmaps_exec *execs;
	size_t count;
	struct perfmaps *maps;
	struct input_exec_place places[INPUT_EXECS + 1];
	size_t place_count;
	size_t first;
	size_t at;
};

/**
 * input_exec_find() - find where the programs of @exec begin
 * @exec: has @execs, @count and @maps; receives the rest
 * @source: the source
 * @piece: one of its pieces
 * @snapshot: the beginning of the piece may have been overwritten
 *
 * The kernel goes on at the first instruction of a program once for each exec, after the exception
 * that called it; it goes on nowhere else but where an exception came from, or at a signal
 * handler. A piece that has just these places, in the order of the programs, and no loss, says
 * where each program begins.
 *
 * Return: 0; 1 if that is not certain; -ENOMEM.
 */
int input_exec_find(struct input_exec *exec, const struct input_source *source,
		    const struct input_piece *piece, bool snapshot);

#endif /* HWFLOW_INPUT_EXEC_H */
