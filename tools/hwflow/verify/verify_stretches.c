// SPDX-License-Identifier: GPL-2.0-only
/* What a trace has from each gap to the next. */
#include <stdlib.h>

#include "verify_riscv.h"
#include "verify_stretches.h"

bool verify_is_gap(const struct hwf_flow_event *event, bool filtered, unsigned int code_gaps)
{
	switch (event->kind) {
	case HWF_FLOW_TRACE_ON:
		return filtered || event->u.overflow;
	case HWF_FLOW_GAP:
		return code_gaps & 1u << event->u.gap.reason;
	case HWF_FLOW_NO_SYNC:
		return event->u.no_sync.reason == HWF_NO_SYNC_OVERFLOW;
	default:
		return false;
	}
}

/* A new stretch; NULL without memory */
static struct verify_stretch *begin(struct verify_stretches *stretches, enum verify_how how)
{
	if (!stretches->list || stretches->count == stretches->room) {
		size_t room = stretches->room ? 2 * stretches->room : 16;
		void *list = realloc(stretches->list, room * sizeof(*stretches->list));

		if (!list) {
			stretches->failed = true;
			return NULL;
		}
		stretches->list = list;
		stretches->room = room;
	}
	stretches->list[stretches->count] = (struct verify_stretch){
		.first = VERIFY_NOWHERE, .next = VERIFY_NOWHERE, .how = (uint8_t)how};
	stretches->gap = false;
	stretches->open = true;
	return &stretches->list[stretches->count++];
}

/* The stretch that what comes next is of; NULL without memory */
static struct verify_stretch *current(struct verify_stretches *stretches)
{
	if (stretches->gap)
		return begin(stretches, stretches->edge ? VERIFY_AT_EDGE : VERIFY_BEHIND_GAP);
	if (!stretches->open)
		return begin(stretches, VERIFY_GOES_ON);
	return &stretches->list[stretches->count - 1];
}

/* What comes next is behind @count instructions that no more is known of. */
static void pass(struct verify_stretches *stretches, uint64_t count)
{
	struct verify_stretch *stretch = begin(stretches, VERIFY_GOES_ON);

	if (stretch)
		stretch->unknown = count;
}

/* Of T32 and RISC-V the sizes are not known, nor thus where the second instruction is. */
static void take_range(struct verify_stretches *stretches, const struct hwf_flow_range *range)
{
	struct verify_stretch *stretch = current(stretches);
	bool sized =
		range->isa == HWF_ISA_A64 || range->isa == HWF_ISA_A32 || range->instructions == 1;

	if (!stretch)
		return;
	verify_stretch_run(stretch, range->start, sized ? range->instructions : 1);
	if (!sized)
		pass(stretches, range->instructions - 1);
}

/* Of RISC-V: one whose place is not known ends the stretch. */
static void take_trap(struct verify_stretches *stretches, const struct hwf_flow_trap *trap)
{
	struct verify_stretch *stretch;

	if (!trap->has_epc) {
		stretches->gap = true;
		stretches->edge = false;
		return;
	}
	stretch = current(stretches);
	if (stretch)
		verify_stretch_exception(stretch, verify_riscv_type(trap), trap->epc);
}

/* Known is where it begins, if that, and where it goes on, if its instructions are counted. */
static void take_q(struct verify_stretches *stretches, const struct hwf_flow_q *q)
{
	struct verify_stretch *stretch = NULL;

	if (q->has_start)
		stretch = current(stretches);
	if (stretch) {
		if (!stretch->steps)
			stretch->first = q->start;
		stretch->next = q->start;
	}
	stretches->open = false;
	stretches->gap = !q->has_count;
	if (q->has_count)
		pass(stretches, q->instructions);
	else
		stretches->edge = false;
}

void verify_stretches_take(void *ctx, const struct hwf_flow_event *event)
{
	struct verify_stretches *stretches = ctx;
	struct verify_stretch *stretch;

	if (stretches->failed)
		return;
	if (verify_is_gap(event, stretches->filtered, stretches->code_gaps)) {
		stretches->gap = true;
		stretches->edge = false;
		return;
	}
	stretches->nothing = stretches->nothing && event->kind != HWF_FLOW_RANGE &&
			     event->kind != HWF_FLOW_EXCEPTION;
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
	case HWF_FLOW_TRAP:
		take_trap(stretches, &event->u.trap);
		break;
	case HWF_FLOW_Q_RANGE:
		take_q(stretches, &event->u.q);
		break;
	default:
		break;
	}
}
