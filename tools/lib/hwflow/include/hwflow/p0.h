/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * P0 resolution: which of the traced P0 elements were executed (Arm ARM D4.3.8).
 */
#ifndef HWFLOW_P0_H
#define HWFLOW_P0_H

#include "hwflow/element.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct hwf_p0 - the elements that wait for their resolution
 *
 * Oldest first in a ring; what is no P0 element rides behind the P0 element before it, and
 * leaves together with the next one. Fields are the library's.
 */
struct hwf_p0 {
	const struct hwf_ete_config *config;
	hwf_element_fn *sink;
	void *sink_ctx;
	struct hwf_element *ring;
	uint32_t size;
	uint32_t head; /* of the oldest */
	uint32_t used;
	uint32_t depth;  /* uncommitted P0 elements seen */
	uint32_t unseen; /* uncommitted P0 elements from before the start of trace; the oldest */
	bool lost;
};

/**
 * hwf_p0_ring_size() - elements of memory that a trace unit needs
 * @config: of the trace unit
 *
 * Return: a number of struct hwf_element, a power of two; enough for MAXSPEC P0 elements
 * and as many others between them, within reason: see hwf_p0_push().
 */
uint32_t hwf_p0_ring_size(const struct hwf_ete_config *config);

/**
 * hwf_p0_init() - begin with nothing to resolve
 * @p0: to initialise
 * @config: of the trace unit; must outlive @p0
 * @ring: memory, the caller's; must outlive @p0
 * @size: elements of it, a power of two, at least 2
 * @sink: takes the elements of execution, in order; no HWF_EL_COMMIT and the like among them
 * @sink_ctx: its first argument
 */
void hwf_p0_init(struct hwf_p0 *p0, const struct hwf_ete_config *config, struct hwf_element *ring,
		 uint32_t size, hwf_element_fn *sink, void *sink_ctx);

/**
 * hwf_p0_push() - take one element
 * @p0: the stage
 * @element: from the element stage
 *
 * Where a trace resolves more than was traced, or more waits than the ring holds, the stage
 * gives HWF_EL_NO_SYNC with HWF_ERR_UNDERFLOW or HWF_ERR_NO_SPACE and
 * drops everything up to the next Trace Info.
 */
void hwf_p0_push(struct hwf_p0 *p0, const struct hwf_element *element);

#ifdef __cplusplus
}
#endif

#endif /* HWFLOW_P0_H */
