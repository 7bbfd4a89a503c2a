/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* What is committed leaves the window for the graph; into the window, and out of it. */
#include "window/window.h"

#include "p0/p0_private.h"

_Static_assert(sizeof(((struct hwf_window_memory *)NULL)->offset) / sizeof(uint32_t) ==
		       HWF_WINDOW_ROOM + HWF_OFFSETS,
	       "there is room for offsets that are written several at a time");

uint32_t hwf_window_walk_alone(const struct hwf_window_memory *memory, uint32_t place,
			       struct hwf_follower *follower, uint32_t node, bool exception,
			       bool taken)
{
	const struct hwf_element element = {
		.offset = follower->steps_offset + memory->offset[place],
		.kind = HWF_EL_EXCEPTION,
		.u.exception = memory->beside[place].exception,
	};

	if (exception) {
		hwf_flow_leave(follower, node);
		hwf_follower_push(follower, &element);
		return hwf_flow_resume(follower);
	}
	hwf_flow_step(follower, node, element.offset, taken, true);
	return HWF_NODE_NONE;
}

void hwf_window_move(struct hwf_window_memory *memory, uint32_t first, uint32_t total,
		     uint64_t beside)
{
	for (uint32_t i = 0; i < total; i++)
		memory->offset[i] = memory->offset[first + i];
	for (; beside; beside &= beside - 1) {
		const uint32_t i = (uint32_t)__builtin_ctzll(beside);

		memory->beside[i] = memory->beside[first + i];
	}
}

uint64_t hwf_window_oldest(const struct hwf_p0 *p0, uint64_t offset)
{
	return p0->tail == p0->committed ? offset : HWF_P0_OFFSET(*hwf_p0_entry(p0, p0->committed));
}

bool hwf_window_open(struct hwf_window *window, struct hwf_window_memory *memory,
		     const struct hwf_p0 *p0, const struct hwf_follower *follower)
{
	const uint32_t waiting = hwf_p0_waiting(p0);

	*window = (struct hwf_window){.count = HWF_OP_BOTH(waiting)};
	if (p0->used || p0->unseen || p0->head != p0->committed || waiting > HWF_WINDOW_MOST)
		return false;
	for (uint32_t i = 0; i < waiting; i++) {
		const uint64_t entry = *hwf_p0_entry(p0, p0->committed + i);
		const struct hwf_p0_beside *beside = hwf_p0_beside(p0, p0->committed + i);
		struct hwf_window_beside *place = &memory->beside[i];

		memory->offset[i] = (uint32_t)(HWF_P0_OFFSET(entry) - follower->steps_offset);
		window->taken |= (uint64_t)HWF_P0_E(entry) << i;
		window->traced |= (uint64_t)HWF_P0_TRACED(entry) << i;
		if (entry & HWF_P0_TARGETED) {
			window->targeted |= UINT64_C(1) << i;
			place->target = beside->target;
			place->target_offset = beside->target_offset;
		}
		if (entry & HWF_P0_EXCEPTION) {
			window->exceptions |= UINT64_C(1) << i;
			place->exception = hwf_p0_exception_element(entry, beside).u.exception;
		}
	}
	if (p0->targeted) {
		window->targeted |= UINT64_C(1) << waiting;
		memory->beside[waiting].target = hwf_p0_beside(p0, p0->tail)->target;
		memory->beside[waiting].target_offset = hwf_p0_beside(p0, p0->tail)->target_offset;
	}
	return true;
}

void hwf_window_close(const struct hwf_window *window, const struct hwf_window_memory *memory,
		      struct hwf_p0 *p0, const struct hwf_follower *follower)
{
	p0->head = 0;
	p0->committed = 0;
	p0->tail = hwf_window_total(window);
	p0->targeted = window->targeted >> p0->tail & 1;
	for (uint32_t i = 0; i <= p0->tail; i++) {
		const struct hwf_window_beside *place = &memory->beside[window->first + i];
		const bool targeted = window->targeted >> i & 1;
		struct hwf_p0_beside *beside = hwf_p0_beside(p0, i);

		if (targeted) {
			beside->target = place->target;
			beside->target_offset = place->target_offset;
		}
		if (i == p0->tail)
			break;
		*hwf_p0_entry(p0, i) =
			HWF_P0_ATOM(follower->steps_offset + memory->offset[window->first + i], 0) |
			(window->traced >> i & 1) | (window->taken >> i & 1 ? HWF_P0_CORRECT : 0) |
			(targeted ? HWF_P0_TARGETED : 0);
		if (window->exceptions >> i & 1) {
			*hwf_p0_entry(p0, i) |= HWF_P0_EXCEPTION;
			hwf_p0_set_exception(beside, &place->exception);
		}
	}
}
