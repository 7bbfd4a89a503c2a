/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
#ifndef HWF_P0_PRIVATE_H
#define HWF_P0_PRIVATE_H

#include "hwflow/p0.h"

/* HWF_P0_RIDER - in place of an Atom: this P0 element is a rider */
#define HWF_P0_RIDER UINT64_MAX
/* HWF_P0_MOST_ATOMS - no packet has more */
#define HWF_P0_MOST_ATOMS 24u
/* HWF_P0_GIVE_AT - so many committed P0 elements are given, whatever comes next */
#define HWF_P0_GIVE_AT 256u

static inline struct hwf_element *hwf_p0_rider(const struct hwf_p0 *p0, uint32_t index)
{
	return &p0->riders[(p0->first + index) & p0->rider_mask];
}

/* How many P0 elements had been seen when this rider came, as p0->tail counts them */
static inline uint32_t *hwf_p0_position(const struct hwf_p0 *p0, uint32_t index)
{
	return &p0->positions[(p0->first + index) & p0->rider_mask];
}

static inline uint64_t *hwf_p0_entry(const struct hwf_p0 *p0, uint32_t at)
{
	return &p0->entries[at & p0->entry_mask];
}

static inline struct hwf_p0_beside *hwf_p0_beside(const struct hwf_p0 *p0, uint32_t at)
{
	return &p0->beside[at & p0->entry_mask];
}

/* P0 elements that wait, those from before the start of trace not counted */
static inline uint32_t hwf_p0_waiting(const struct hwf_p0 *p0)
{
	return p0->tail - p0->committed;
}

_Static_assert(HWF_EL_ATOM < HWF_EL_EXCEPTION && HWF_EL_EXCEPTION < HWF_EL_TRANSACTION_START &&
		       HWF_EL_SOURCE_ADDRESS < HWF_EL_TRANSACTION_START &&
		       HWF_EL_Q < HWF_EL_TRANSACTION_START && HWF_EL_TRANSACTION_START == 4,
	       "P0 elements come first");

/*
 * Is it a P0 element, where it is no Atom? Not always is a Transaction Start (R_CTLXL), nor an
 * Exception Return.
 */
static inline bool hwf_p0_is_rider(const struct hwf_p0 *p0, const struct hwf_element *element)
{
	switch (element->kind) {
	case HWF_EL_TRANSACTION_START:
		return p0->config->start_is_p0;
	case HWF_EL_EXCEPTION_RETURN:
		return p0->config->eret_is_p0;
	case HWF_EL_FUNCTION_RETURN:
		return true;
	default:
		return element->kind < HWF_EL_TRANSACTION_START;
	}
}

/* The oldest rider leaves; it may be a P0 element itself. */
static inline void hwf_p0_drop_oldest(struct hwf_p0 *p0)
{
	if (hwf_p0_is_rider(p0, hwf_p0_rider(p0, 0)))
		p0->head++;
	p0->first++;
	p0->used--;
}

/* An exception stands in place of an Atom. */
static inline void hwf_p0_set_exception(struct hwf_p0_beside *beside,
					const struct hwf_el_exception *exception)
{
	beside->ret = exception->ret.value | exception->ret.is;
	beside->type = exception->type;
	beside->ret_is_target = exception->ret_is_target;
}

/* Give what is committed and was not given yet. */
void hwf_p0_give(struct hwf_p0 *p0);

/* That, and what stands before the oldest unresolved P0 element: nothing can take it back. */
void hwf_p0_settle(struct hwf_p0 *p0);

#endif /* HWF_P0_PRIVATE_H */
