/* SPDX-License-Identifier: GPL-2.0-only */
/* Visits to EL0 in a piece of trace: where each begins, and when it was. */
#ifndef HWFLOW_INPUT_VISITS_H
#define HWFLOW_INPUT_VISITS_H

#include "input.h"

/**
 * struct input_visit - instructions that a thread executes at EL0, up to the next exception
 * @offset: offset in the piece of the packet at which the visit begins
 * @address: address of the first instruction, if @has_address
 * @earliest: the last timestamp before the end of the visit, which is not later than this end; 0:
 *	there is none
 * @latest: the first timestamp after the beginning of the visit, which is not earlier than this
 *	beginning; 0: there is none
 * @ret: preferred return address of the last exception from EL0 before the visit; 0 if the trace
 *	does not have it
 * @tid: thread that the context names; INPUT_ANY if it names none
 * @type: type of that exception, HWF_EXC_...
 * @kind: enum hwf_flow_kind of the event of the packet at @offset; HWF_FLOW_KINDS: the trace does
 *	not have the beginning of the visit
 * @has_address: @address is known
 * @called: the piece has an exception from EL0 before the visit: @ret and @type are of it
 *
 * exec is a system call: all instructions of a visit are of one program.
 */
struct input_visit {
	uint64_t offset;
	uint64_t address;
	uint64_t earliest;
	uint64_t latest;
	uint64_t ret;
	int32_t tid;
	uint16_t type;
	uint8_t kind;
	bool has_address;
	bool called;
};

/**
 * struct input_visits - visits of a piece
 * @keep: called with @ctx when a visit begins: whether it is added to @items; it may change @tid
 * @ctx: first argument of @keep
 * @items: in the order of the trace
 * @count: how many
 * @room: elements that @items has memory for
 * @lost: the piece lacks executed instructions
 * @calling: the last exception from EL0 is a call, and no visit comes after it
 * @disordered: timestamps go backwards
 * @failed: memory is exhausted
 */
struct input_visits {
	bool (*keep)(void *ctx, struct input_visit *visit);
	void *ctx;
	struct input_visit *items;
	size_t count;
	size_t room;
	bool lost;
	bool calling;
	bool disordered;
	bool failed;
};

/**
 * input_visits_read() - find the visits of a piece
 * @visits: has @keep and @ctx, and is zero otherwise; receives the rest
 * @source: the source, of ETE or ETMv4
 * @piece: one of its pieces
 *
 * Return: 0 or -ENOMEM. In either case input_visits_free() frees @items.
 */
int input_visits_read(struct input_visits *visits, const struct input_source *source,
		      const struct input_piece *piece);

/** input_visits_free() - free the list */
void input_visits_free(struct input_visits *visits);

#endif /* HWFLOW_INPUT_VISITS_H */
