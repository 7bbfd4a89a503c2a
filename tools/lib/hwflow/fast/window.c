/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* What is committed leaves the window for the graph; into the window, and out of it. */
#include "fast/window.h"

#include "decode/p0_private.h"

_Static_assert(sizeof(((struct hwf_window_memory *)NULL)->offset) / sizeof(uint32_t) ==
		       HWF_WINDOW_ROOM + HWF_OFFSETS,
	       "there is room for offsets that are written several at a time");

uint32_t hwf_window_walk_one(const struct hwf_window_memory *memory, uint32_t place,
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
	return p0->head == p0->tail ? offset : hwf_p0_slot(p0, p0->head)->offset;
}

bool hwf_window_fits(const struct hwf_p0 *p0)
{
	const bool deep = p0->config->max_spec > HWF_WINDOW_MAX;

	if (p0->unseen || (deep && p0->waiting > HWF_WINDOW_REOPEN))
		return false;
	for (uint32_t at = p0->tail; at != p0->head; at--) {
		switch (hwf_p0_slot(p0, at - 1)->kind) {
		case HWF_EL_ATOM:
		case HWF_EL_EXCEPTION:
		case HWF_EL_TARGET_ADDRESS:
			break;
		default:
			return false;
		}
	}
	return true;
}

/* An element of the ring, as the youngest of the window */
static void take_element(struct hwf_window *window, struct hwf_window_memory *memory,
			 const struct hwf_element *element, const struct hwf_follower *follower)
{
	const uint32_t total = hwf_window_total(window);
	const uint64_t bit = UINT64_C(1) << total;
	const bool e = element->u.atoms.bits & 1;

	switch (element->kind) {
	case HWF_EL_TARGET_ADDRESS:
		window->targeted |= bit;
		memory->beside[total].target = element->u.address.value | element->u.address.is;
		memory->beside[total].target_offset = element->offset;
		return;
	case HWF_EL_EXCEPTION:
		window->exceptions |= bit;
		memory->beside[total].exception = element->u.exception;
		break;
	default:
		window->taken |= e ? bit : 0;
		window->traced |= e != (element->corrected & 1) ? bit : 0;
		break;
	}
	memory->offset[total] = (uint32_t)(element->offset - follower->steps_offset);
	window->count += HWF_OP_BOTH(1);
}

void hwf_window_open(struct hwf_window *window, struct hwf_window_memory *memory,
		     const struct hwf_p0 *p0, const struct hwf_follower *follower)
{
	*window = (struct hwf_window){0};
	for (uint32_t at = p0->head; at != p0->tail; at++)
		take_element(window, memory, hwf_p0_slot(p0, at), follower);
}

/* P0 element @i of the window as an element */
static struct hwf_element p0_element(const struct hwf_window *window,
				     const struct hwf_window_memory *memory, uint32_t i,
				     const struct hwf_follower *follower)
{
	const uint32_t place = window->first + i;
	const uint32_t taken = window->taken >> i & 1;
	struct hwf_element element = {
		.offset = follower->steps_offset + memory->offset[place],
		.kind = HWF_EL_ATOM,
		.corrected = taken ^ (window->traced >> i & 1),
		.u.atoms = {.bits = taken, .count = 1},
	};

	if (window->exceptions >> i & 1)
		element = (struct hwf_element){.offset = element.offset,
					       .kind = HWF_EL_EXCEPTION,
					       .u.exception = memory->beside[place].exception};
	return element;
}

void hwf_window_close(const struct hwf_window *window, const struct hwf_window_memory *memory,
		      struct hwf_p0 *p0, const struct hwf_follower *follower)
{
	const uint32_t total = hwf_window_total(window);

	p0->head = p0->tail = p0->waiting = 0;
	for (uint32_t i = 0; i <= total; i++) {
		const struct hwf_window_beside *place = &memory->beside[window->first + i];

		if (window->targeted >> i & 1) {
			const struct hwf_element target = {
				.offset = place->target_offset,
				.kind = HWF_EL_TARGET_ADDRESS,
				.u.address = {.value = place->target & ~UINT64_C(1),
					      .is = place->target & 1},
			};

			hwf_p0_add(p0, &target);
		}
		if (i < total) {
			const struct hwf_element element = p0_element(window, memory, i, follower);

			hwf_p0_add(p0, &element);
		}
	}
}
