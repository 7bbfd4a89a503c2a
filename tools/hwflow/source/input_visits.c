// SPDX-License-Identifier: GPL-2.0-only
/*
 * Visits to EL0 in a piece of trace. A visit begins with a Trace On element, or with a Context
 * element that goes to EL0 or to another thread; it ends with an exception. The timestamps around
 * its instructions bound the time at which they were executed.
 */
#include "input_visits.h"

#include <errno.h>
#include <stdlib.h>

/**
 * struct scan - state while the elements of a piece are read
 * @visits: the visits found so far
 * @source: source of the piece
 * @p0: stage that resolves speculation and gives committed elements
 * @visit: the current visit, or the next one
 * @el: current exception level
 * @tid: current thread
 * @address: address of the next instruction, if @has_address
 * @has_address: @address is known
 * @entered: no instruction was executed since the beginning of @visit
 * @kept: @visit is the last one of @visits
 * @user: an exception was taken from EL0; @ret and @type describe it
 * @ret: preferred return address of that exception; 0 if the trace does not have it
 * @type: type of that exception, HWF_EXC_...
 * @away: no instruction was executed at EL0 since that exception
 * @stamp: the last timestamp; 0: there is none
 * @holder: number of the visit, plus 1, that has the last P0 element; 0: none of @visits has it
 * @marked: visits that had begun at the last Timestamp Marker
 * @marked_holder: @holder at the last Timestamp Marker
 * @stamped: visits that have a timestamp after their beginning
 */
struct scan {
	struct input_visits *visits;
	const struct input_source *source;
	struct hwf_p0 p0;
	struct input_visit visit;
	uint8_t el;
	int32_t tid;
	uint64_t address;
	bool has_address;
	bool entered;
	bool kept;
	bool user;
	uint64_t ret;
	uint16_t type;
	bool away;
	uint64_t stamp;
	size_t holder;
	size_t marked;
	size_t marked_holder;
	size_t stamped;
};

static void add_visit(struct scan *scan)
{
	struct input_visits *visits = scan->visits;
	struct input_visit *items = visits->items;

	scan->visit.address = scan->address;
	scan->visit.has_address = scan->has_address;
	scan->visit.tid = scan->tid;
	scan->visit.called = scan->user;
	scan->visit.ret = scan->ret;
	scan->visit.type = scan->type;
	scan->kept = visits->keep(visits->ctx, &scan->visit);
	if (!scan->kept)
		return;
	if (visits->count == visits->room) {
		visits->room = visits->room ? 2 * visits->room : 64;
		items = reallocarray(items, visits->room, sizeof(*items));
		if (!items) {
			visits->room = visits->count;
			visits->failed = true;
			scan->kept = false;
			return;
		}
		visits->items = items;
	}
	visits->items[visits->count++] = scan->visit;
}

/* An instruction is executed at EL0, or an exception is taken in its place. */
static void execute(struct scan *scan)
{
	scan->holder = 0;
	if (scan->el)
		return;
	if (scan->entered) {
		scan->entered = false;
		scan->away = false;
		add_visit(scan);
	}
	if (!scan->kept)
		return;
	scan->holder = scan->visits->count;
	scan->visits->items[scan->holder - 1].earliest = scan->stamp;
}

static void enter(struct scan *scan, const struct hwf_element *element, uint8_t kind)
{
	scan->visit = (struct input_visit){.offset = element->offset, .kind = kind};
	scan->entered = true;
	scan->kept = false;
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
	/* replaced by the Trace On element or the Context element that goes to EL0 */
	enter(scan, element, HWF_FLOW_KINDS);
	scan->user = true;
	scan->away = true;
	scan->type = exception->type;
	scan->ret = exception->has_ret ? exception->ret.value : 0;
}

static void take_context(struct scan *scan, const struct hwf_element *element)
{
	const struct hwf_context *context = &element->u.context.context;
	const int32_t tid = input_context_thread(scan->source, context, scan->tid);
	const bool begun = scan->entered && scan->visit.kind != HWF_FLOW_KINDS;

	if (!context->el && !begun && (scan->el || tid != scan->tid))
		enter(scan, element, HWF_FLOW_CONTEXT);
	scan->el = context->el;
	scan->tid = tid;
}

/*
 * R_MCSGX, R_DGTJZ: the timestamp is of the last P0, Event or Instrumentation element before it, or
 * before its marker. The exception that ends a visit is a P0 element, too.
 */
static void take_timestamp(struct scan *scan, const struct hwf_el_timestamp *timestamp)
{
	struct input_visits *visits = scan->visits;
	const bool marked = timestamp->mark == HWF_TS_MARKED;
	const size_t begun = marked ? scan->marked : visits->count;
	const size_t holder = marked ? scan->marked_holder : scan->holder;

	if (!timestamp->value || timestamp->mark == HWF_TS_BEFORE_TRACE)
		return;
	visits->disordered |= timestamp->value < scan->stamp;
	scan->stamp = timestamp->value;
	if (holder)
		visits->items[holder - 1].earliest = timestamp->value;
	for (; scan->stamped < begun; scan->stamped++)
		visits->items[scan->stamped].latest = timestamp->value;
}

static void take(void *ctx, const struct hwf_element *element)
{
	struct scan *scan = ctx;

	switch (element->kind) {
	/* a timestamp after one of these may be of a time when the visit had ended */
	case HWF_EL_TRACE_INFO:
	case HWF_EL_EVENT:
	case HWF_EL_INSTRUMENTATION:
		scan->holder = 0;
		break;
	case HWF_EL_TRACE_ON:
		scan->holder = 0;
		scan->visits->lost |= element->u.overflow;
		scan->has_address = false;
		enter(scan, element, HWF_FLOW_TRACE_ON);
		break;
	case HWF_EL_CONTEXT:
		take_context(scan, element);
		break;
	case HWF_EL_TARGET_ADDRESS:
		scan->address = element->u.address.value;
		scan->has_address = true;
		break;
	case HWF_EL_EXCEPTION:
		take_exception(scan, element);
		break;
	case HWF_EL_NO_SYNC:
		scan->holder = 0;
		scan->visits->lost |= element->u.no_sync.reason != HWF_NO_SYNC_INIT;
		scan->has_address = false;
		enter(scan, element, HWF_FLOW_KINDS);
		break;
	case HWF_EL_TIMESTAMP_MARKER:
		scan->marked = scan->visits->count;
		scan->marked_holder = scan->holder;
		break;
	case HWF_EL_TIMESTAMP:
		take_timestamp(scan, &element->u.timestamp);
		break;
	case HWF_EL_ATOM:
	case HWF_EL_Q:
	case HWF_EL_SOURCE_ADDRESS:
		execute(scan);
		break;
	case HWF_EL_END:
		if (scan->has_address)
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

/* The elements of the piece, one after the other */
static void read_elements(struct scan *scan, const struct input_piece *piece)
{
	const struct hwf_ete_config *config = &scan->source->config;
	struct hwf_ete_stream stream;
	struct hwf_elements elements;
	struct hwf_ete_packet packet;
	size_t released = 0;
	size_t at = 0;

	hwf_ete_stream_init(&stream, config);
	hwf_elements_init(&elements, config, element_to_p0, &scan->p0);
	while (at < piece->length) {
		const uint64_t offset = stream.offset;
		const size_t length = hwf_ete_stream_next(&stream, piece->bytes + at,
							  piece->length - at, true, &packet);

		if (!length)
			break;
		hwf_elements_push(&elements, &packet, offset, stream.tentative || !stream.synced);
		at += length;
		released = input_release(piece, released, at);
	}
	hwf_elements_flush(&elements);
}

int input_visits_read(struct input_visits *visits, const struct input_source *source,
		      const struct input_piece *piece)
{
	const uint32_t size = hwf_p0_ring_size(&source->config);
	struct hwf_element *ring = calloc(size, sizeof(*ring));
	struct scan scan = {.visits = visits,
			    .source = source,
			    .tid = piece->tid,
			    .visit = {.kind = HWF_FLOW_KINDS},
			    .entered = true};

	if (!ring)
		return -ENOMEM;
	hwf_p0_init(&scan.p0, &source->config, ring, size, take, &scan);
	read_elements(&scan, piece);
	free(ring);
	visits->calling = scan.away && scan.type == HWF_EXC_CALL;
	return visits->failed ? -ENOMEM : 0;
}

void input_visits_free(struct input_visits *visits)
{
	free(visits->items);
	visits->items = NULL;
	visits->count = visits->room = 0;
}
