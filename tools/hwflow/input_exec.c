// SPDX-License-Identifier: GPL-2.0-only
/* Where in the trace of a thread exec put another program in the place of the one before. */
#include <errno.h>
#include <stdlib.h>

#include "input_exec.h"

/**
 * struct scan - of the elements of a piece
 * @exec: what is looked for, and found
 * @p0: stage that gives the elements of execution
 * @el: current exception level
 * @address: where execution goes on, if @has_address
 * @mark: where EL0 was entered, or trace began again; nothing was executed since if @entered
 * @user: an exception was taken from EL0: @ret and @type are its
 * @away: nothing was executed at EL0 since that exception
 * @lost: the piece is not all that was executed, or has more places than there is room for
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

/* An instruction at EL0 is executed, or would have been but for an exception. */
static void execute(struct scan *scan)
{
	struct input_exec *exec = scan->exec;
	/* exec is a call; or its exception was taken before the piece begins */
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

/* All elements of the piece; false without memory */
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

/* Are @count places from @place on those of the programs from @program on? */
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

/* Which programs the places are of; false where that is not certain. */
static bool match(struct input_exec *exec, const struct scan *scan, bool snapshot)
{
	/* the last exec may have been under way when the piece ended */
	const bool calling = scan->away && scan->type == HWF_EXC_CALL;
	size_t places = exec->place_count;

	/* a program that began before the piece, and had executed nothing yet */
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
