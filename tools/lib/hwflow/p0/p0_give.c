/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* What is committed leaves the ring as the elements that it was. */
#include "p0/p0_private.h"

static struct hwf_el_address whole_address(uint64_t word)
{
	return (struct hwf_el_address){.value = word & ~UINT64_C(1), .is = word & 1};
}

struct hwf_element hwf_p0_target_element(const struct hwf_p0_beside *beside)
{
	return (struct hwf_element){
		.offset = beside->target_offset,
		.kind = HWF_EL_TARGET_ADDRESS,
		.u.address = whole_address(beside->target),
	};
}

struct hwf_element hwf_p0_exception_element(uint64_t atom, const struct hwf_p0_beside *beside)
{
	return (struct hwf_element){
		.offset = HWF_P0_OFFSET(atom),
		.kind = HWF_EL_EXCEPTION,
		.u.exception = {.ret = whole_address(beside->ret),
				.type = beside->type,
				.has_ret = true,
				.ret_is_target = beside->ret_is_target},
	};
}

static struct hwf_element count_element(const struct hwf_p0_beside *beside)
{
	return (struct hwf_element){
		.offset = beside->count_offset,
		.kind = HWF_EL_CYCLE_COUNT,
		.u.cycle_count = beside->count,
	};
}

/* Atoms of one packet are one element, as far as nothing stands between them. */
static uint32_t gather(struct hwf_element *element, const uint64_t *atoms, uint32_t count)
{
	struct hwf_ete_atoms *packet = &element->u.atoms;
	uint32_t used = 0;

	*element = (struct hwf_element){.offset = HWF_P0_OFFSET(*atoms), .kind = HWF_EL_ATOM};
	do {
		element->corrected |=
			(uint32_t)(HWF_P0_TRACED(atoms[used]) != HWF_P0_E(atoms[used])) << used;
		packet->bits |= (uint32_t)HWF_P0_E(atoms[used]) << used;
		packet->count++;
		used++;
	} while (used < count && used < HWF_P0_MOST_ATOMS &&
		 HWF_P0_OFFSET(atoms[used]) == element->offset &&
		 !(atoms[used - 1] & HWF_P0_COUNTED) &&
		 !(atoms[used] & (HWF_P0_TARGETED | HWF_P0_EXCEPTION)));
	return used;
}

static void give_elements(struct hwf_p0 *p0, const uint64_t *atoms,
			  const struct hwf_p0_beside *beside, uint32_t count)
{
	while (count) {
		struct hwf_element element;
		uint32_t used;

		if (*atoms & HWF_P0_TARGETED) {
			element = hwf_p0_target_element(beside);
			p0->sink(p0->sink_ctx, &element);
		}
		used = 1;
		if (*atoms & HWF_P0_EXCEPTION)
			element = hwf_p0_exception_element(*atoms, beside);
		else
			used = gather(&element, atoms, count);
		p0->sink(p0->sink_ctx, &element);
		atoms += used;
		beside += used;
		count -= used;
		if (atoms[-1] & HWF_P0_COUNTED) {
			element = count_element(beside - 1);
			p0->sink(p0->sink_ctx, &element);
		}
	}
}

/* The @count oldest P0 elements, all of them Atoms, are executed. */
static void give_atoms(struct hwf_p0 *p0, uint32_t count)
{
	while (count) {
		const uint64_t *atoms = hwf_p0_entry(p0, p0->head);
		const struct hwf_p0_beside *from = hwf_p0_beside(p0, p0->head);
		uint32_t to_end = p0->entry_mask + 1 - (p0->head & p0->entry_mask);
		uint32_t now = count < to_end ? count : to_end;

		p0->head += now;
		count -= now;
		give_elements(p0, atoms, from, now);
	}
}

/* All that is committed, with what rides before and between */
void hwf_p0_give(struct hwf_p0 *p0)
{
	while (p0->head != p0->committed) {
		uint32_t atoms = p0->committed - p0->head;

		if (p0->used && *hwf_p0_position(p0, 0) - p0->head < atoms)
			atoms = *hwf_p0_position(p0, 0) - p0->head;
		if (atoms) {
			give_atoms(p0, atoms);
		} else {
			p0->sink(p0->sink_ctx, hwf_p0_rider(p0, 0));
			hwf_p0_drop_oldest(p0);
		}
	}
}
