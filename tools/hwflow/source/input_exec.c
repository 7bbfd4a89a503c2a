// SPDX-License-Identifier: GPL-2.0-only
/*
 * exec in the trace of a thread: the places at which the thread began to execute another program.
 *
 * A --per-thread recording has no timestamps, so the records of exec cannot be placed by time. A
 * thread enters a new program at the program's entry point (or its dynamic linker's), after an
 * exception that was taken from EL0 for the system call. This file lists the entries to EL0 of that
 * form, and assigns them to the recorded execs in order. An assignment that is not certain is
 * refused, and the execution becomes a gap.
 */
#include <errno.h>
#include <stdlib.h>

#include "input_exec.h"
#include "input_visits.h"
#include "protocol.h"

/* A visit that begins at the first instruction of a program, unless an exception came from there */
static bool is_place(void *ctx, struct input_visit *visit)
{
	const struct input_exec *exec = ctx;
	/* exec is a system call, whose exception may have been taken before the piece begins */
	const bool called = !visit->called || visit->type == HWF_EXC_CALL;

	if (!visit->has_address || visit->kind == HWF_FLOW_KINDS || !called ||
	    (visit->called && visit->ret == visit->address))
		return false;
	for (size_t i = 0; i < exec->count; i++)
		if (exec->execs[i].entry == visit->address)
			return true;
	return false;
}

/* Whether @count places, from @place on, are the entries of the programs from @program on */
static bool same(const struct input_exec *exec, size_t place, size_t program, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (exec->places[place + i].address != exec->execs[program + i].entry)
			return false;
	return true;
}

static void drop_first(struct input_exec *exec)
{
	exec->place_count--;
	for (size_t i = 0; i < exec->place_count; i++)
		exec->places[i] = exec->places[i + 1];
}

/* Assign the places to the recorded execs. Returns false if the assignment is not certain. */
static bool match(struct input_exec *exec, bool calling, bool snapshot)
{
	size_t places = exec->place_count;

	/* the first place may belong to an exec before the piece, if nothing was executed since */
	if (places == exec->count + 1 && !exec->places[0].called) {
		drop_first(exec);
		places--;
	}
	exec->first = snapshot && places < exec->count ? exec->count - places : 0;
	if (places == exec->count)
		return same(exec, 0, 0, places);
	if (snapshot)
		return !calling && places < exec->count && same(exec, 0, exec->first, places);
	return calling && places + 1 == exec->count && same(exec, 0, 0, places);
}

static void take_places(struct input_exec *exec, const struct input_visits *visits)
{
	for (size_t i = 0; i < visits->count; i++) {
		const struct input_visit *visit = &visits->items[i];

		exec->places[i] = (struct input_exec_place){.offset = visit->offset,
							    .address = visit->address,
							    .kind = visit->kind,
							    .called = visit->called};
	}
	exec->place_count = visits->count;
}

int input_exec_find(struct input_exec *exec, const struct input_source *source,
		    const struct input_piece *piece, bool snapshot)
{
	struct input_visits visits = {.keep = is_place, .ctx = exec};
	bool certain;

	exec->place_count = 0;
	exec->first = 0;
	exec->at = 0;
	if (!source->protocol->has_elements || (piece->lost && !piece->overwritten) ||
	    exec->count > INPUT_EXECS)
		return 1;
	for (size_t i = 0; i < exec->count; i++)
		if (!perfmaps_entry(exec->maps, &exec->execs[i]))
			return 1;
	if (input_visits_read(&visits, source, piece)) {
		input_visits_free(&visits);
		return -ENOMEM;
	}
	certain = !visits.lost && visits.count <= INPUT_EXECS + 1;
	if (certain) {
		take_places(exec, &visits);
		/* the piece may end inside the last exec, before the new program's first
		 * instruction */
		certain = match(exec, visits.calling, snapshot);
	}
	input_visits_free(&visits);
	return !certain;
}
