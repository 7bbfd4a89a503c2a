/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The ring of the P0 stage, for its own files and for those that copy it. */
#ifndef HWF_DECODE_P0_PRIVATE_H
#define HWF_DECODE_P0_PRIVATE_H

#include "hwflow/p0.h"

/* HWF_P0_MOST_ATOMS - the most Atoms of a packet */
#define HWF_P0_MOST_ATOMS 24u

/* The slot of an element, by its number */
static inline struct hwf_element *hwf_p0_slot(const struct hwf_p0 *p0, uint32_t number)
{
	return &p0->ring[number & p0->mask];
}

/*
 * Is an element a P0 element (D4.3.5)? The configuration decides for a Transaction Start (R_CTLXL)
 * and for the Exception Return of an ETMv4.
 */
static inline bool hwf_p0_is_p0(const struct hwf_p0 *p0, const struct hwf_element *element)
{
	switch (element->kind) {
	case HWF_EL_ATOM:
	case HWF_EL_EXCEPTION:
	case HWF_EL_SOURCE_ADDRESS:
	case HWF_EL_Q:
	case HWF_EL_FUNCTION_RETURN:
		return true;
	case HWF_EL_TRANSACTION_START:
		return p0->config->start_is_p0;
	case HWF_EL_EXCEPTION_RETURN:
		return p0->config->eret_is_p0;
	default:
		return false;
	}
}

/* Add an element as the youngest; the ring has a free slot. */
static inline void hwf_p0_add(struct hwf_p0 *p0, const struct hwf_element *element)
{
	*hwf_p0_slot(p0, p0->tail++) = *element;
	p0->waiting += hwf_p0_is_p0(p0, element);
}

/* Give the elements before the oldest unresolved P0 element: nothing can cancel them. */
void hwf_p0_settle(struct hwf_p0 *p0);

#endif /* HWF_DECODE_P0_PRIVATE_H */
