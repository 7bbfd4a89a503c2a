// SPDX-License-Identifier: GPL-2.0-only
/* What a piece of trace has from each gap to the next. */
#include <stdlib.h>

#include "verify_stretches.h"

bool verify_is_gap(const struct hwf_flow_event *event, bool filtered)
{
	switch (event->kind) {
	case HWF_FLOW_TRACE_ON:
		return filtered || event->u.overflow;
	case HWF_FLOW_NO_SYNC:
		return event->u.no_sync.reason == HWF_NO_SYNC_OVERFLOW;
	default:
		return false;
	}
}

/* The stretch that what comes next is of; NULL for none */
static struct verify_stretch *current(struct verify_stretches *stretches)
{
	if (stretches->gap && stretches->count == stretches->room) {
		size_t room = stretches->room ? 2 * stretches->room : 16;
		void *list = realloc(stretches->list, room * sizeof(*stretches->list));

		if (!list) {
			stretches->failed = true;
			return NULL;
		}
		stretches->list = list;
		stretches->room = room;
	}
	if (stretches->gap) {
		stretches->list[stretches->count++] = (struct verify_stretch){0};
		stretches->gap = false;
		stretches->open = true;
	}
	return stretches->open ? &stretches->list[stretches->count - 1] : NULL;
}

/* Of T32 instructions the sizes are not known, nor thus where the second one is. */
static void take_range(struct verify_stretches *stretches, const struct hwf_flow_range *range)
{
	struct verify_stretch *stretch = current(stretches);
	bool sized = range->isa != HWF_ISA_T32 || range->instructions == 1;

	if (!stretch)
		return;
	verify_stretch_run(stretch, range->start, sized ? range->instructions : 1);
	stretches->open = sized;
}

/* Known is where it begins, if that. */
static void take_q(struct verify_stretches *stretches, const struct hwf_flow_q *q)
{
	struct verify_stretch *stretch = q->has_start ? current(stretches) : NULL;

	if (stretch)
		verify_stretch_run(stretch, q->start, 1);
	stretches->open = false;
	stretches->gap = !q->has_count;
}

void verify_stretches_take(void *ctx, const struct hwf_flow_event *event)
{
	struct verify_stretches *stretches = ctx;
	struct verify_stretch *stretch;

	if (stretches->failed)
		return;
	if (verify_is_gap(event, stretches->filtered)) {
		stretches->gap = true;
		return;
	}
	switch (event->kind) {
	case HWF_FLOW_RANGE:
		take_range(stretches, &event->u.range);
		break;
	case HWF_FLOW_EXCEPTION:
		stretch = current(stretches);
		if (stretch)
			verify_stretch_exception(stretch, event->u.exception.type,
						 event->u.exception.ret);
		break;
	case HWF_FLOW_Q_RANGE:
		take_q(stretches, &event->u.q);
		break;
	default:
		break;
	}
}
