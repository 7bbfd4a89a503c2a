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

/**
 * struct scan - state while the elements of a piece are read
 * @exec: the recorded execs, and the places found so far
 * @p0: stage that resolves speculation and gives committed elements
 * @el: current exception level
 * @address: address of the next instruction, if @has_address
 * @has_address: @address is known
 * @mark: the last entry to EL0, or the last Trace On element
 * @entered: no instruction was executed since @mark
 * @user: an exception was taken from EL0; @ret and @type describe it
 * @ret: preferred return address of that exception; 0 if the trace does not have it
 * @type: type of that exception, HWF_EXC_...
 * @away: no instruction was executed at EL0 since that exception
 * @lost: the piece lacks executed instructions, or has more than INPUT_EXECS places
 */
struct scan {
	struct input_exec *exec;
	struct hwf_p0 p0;
	uint8_t el;
	uint64_t address;
	bool has_address;
	struct input_exec_place mark;
	bool entered;
	bool user;
	uint64_t ret;
	uint16_t type;
	bool away;
	bool lost;
};

static bool is_entry(const struct input_exec *exec, uint64_t address)
{
	for (size_t i = 0; i < exec->count; i++)
		if (exec->execs[i].entry == address)
			return true;
	return false;
}

/* An instruction is executed at EL0, or an exception is taken in its place. */
static void execute(struct scan *scan)
{
	struct input_exec *exec = scan->exec;
	/* exec is a system call, whose exception may have been taken before the piece begins */
	const bool called = !scan->user || scan->type == HWF_EXC_CALL;

	if (!scan->entered || !scan->has_address || scan->el)
		return;
	scan->entered = false;
	scan->away = false;
	if ((scan->user && scan->ret == scan->address) || !called || !is_entry(exec, scan->address))
		return;
	if (exec->place_count > INPUT_EXECS) {
		scan->lost = true;
		return;
	}
	scan->mark.address = scan->address;
	scan->mark.called = scan->user;
	exec->places[exec->place_count++] = scan->mark;
}

static void take_exception(struct scan *scan, const struct hwf_element *element)
{
	const struct hwf_el_exception *exception = &element->u.exception;

	if (exception->has_ret && exception->ret_is_target) {
		scan->address = exception->ret.value;
		scan->has_address = true;
	}
	execute(scan);
	scan->has_address = false;
	if (scan->el)
		return;
	scan->user = true;
	scan->away = true;
	scan->type = exception->type;
	scan->ret = exception->has_ret ? exception->ret.value : 0;
}

static void enter(struct scan *scan, const struct hwf_element *element, uint8_t kind)
{
	scan->mark = (struct input_exec_place){.offset = element->offset, .kind = kind};
	scan->entered = true;
}

static void take(void *ctx, const struct hwf_element *element)
{
	struct scan *scan = ctx;

	switch (element->kind) {
	case HWF_EL_TRACE_ON:
		scan->lost |= element->u.overflow;
		scan->has_address = false;
		enter(scan, element, HWF_FLOW_TRACE_ON);
		break;
	case HWF_EL_CONTEXT:
		if (scan->el && !element->u.context.context.el && !scan->entered)
			enter(scan, element, HWF_FLOW_CONTEXT);
		scan->el = element->u.context.context.el;
		break;
	case HWF_EL_TARGET_ADDRESS:
		scan->address = element->u.address.value;
		scan->has_address = true;
		break;
	case HWF_EL_EXCEPTION:
		take_exception(scan, element);
		break;
	case HWF_EL_NO_SYNC:
		scan->lost |= element->u.no_sync.reason != HWF_NO_SYNC_INIT;
		break;
	case HWF_EL_ATOM:
	case HWF_EL_Q:
	case HWF_EL_SOURCE_ADDRESS:
	case HWF_EL_END:
		execute(scan);
		break;
	default:
		break;
	}
}

static void element_to_p0(void *ctx, const struct hwf_element *element)
{
	hwf_p0_push(ctx, element);
}

/* Read all elements of the piece. Returns false if memory is exhausted. */
static bool scan_piece(struct scan *scan, const struct input_source *source,
		       const struct input_piece *piece)
{
	const uint32_t size = hwf_p0_ring_size(&source->config);
	struct hwf_element *ring = calloc(size, sizeof(*ring));
	struct hwf_ete_stream stream;
	struct hwf_elements elements;
	struct hwf_ete_packet packet;
	size_t at = 0;

	if (!ring)
		return false;
	hwf_ete_stream_init(&stream, &source->config);
	hwf_elements_init(&elements, &source->config, element_to_p0, &scan->p0);
	hwf_p0_init(&scan->p0, &source->config, ring, size, take, scan);
	while (at < piece->length) {
		const uint64_t offset = stream.offset;
		const size_t length = hwf_ete_stream_next(&stream, piece->bytes + at,
							  piece->length - at, true, &packet);

		if (!length)
			break;
		hwf_elements_push(&elements, &packet, offset, stream.tentative || !stream.synced);
		at += length;
	}
	hwf_elements_flush(&elements);
	free(ring);
	return true;
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
static bool match(struct input_exec *exec, const struct scan *scan, bool snapshot)
{
	/* the piece may end inside the last exec, before the new program's first instruction */
	const bool calling = scan->away && scan->type == HWF_EXC_CALL;
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

int input_exec_find(struct input_exec *exec, const struct input_source *source,
		    const struct input_piece *piece, bool snapshot)
{
	struct scan scan = {.exec = exec, .lost = piece->lost && !piece->overwritten};

	exec->place_count = 0;
	exec->first = 0;
	exec->at = 0;
	if (source->riscv || source->etm3 || scan.lost || exec->count > INPUT_EXECS)
		return 1;
	for (size_t i = 0; i < exec->count; i++)
		if (!exec->execs[i].known)
			return 1;
	if (!scan_piece(&scan, source, piece))
		return -ENOMEM;
	return scan.lost || !match(exec, &scan, snapshot);
}
