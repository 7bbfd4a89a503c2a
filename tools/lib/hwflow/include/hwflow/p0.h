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
 * struct hwf_p0 - state of the P0 stage: a ring of the elements that are not given yet
 * @config: of the trace unit
 * @sink: takes the elements of execution
 * @sink_ctx: its first argument
 * @ring: the elements, in the order of the trace; an Atom has a slot of its own
 * @mask: slots of @ring, less one
 * @head: number of the oldest element; element n is in slot n & @mask
 * @tail: number of the next element
 * @waiting: P0 elements in @ring; none of them is resolved
 * @unseen: unresolved P0 elements from before the start of trace; they are older than all of @ring
 * @lost: nothing is taken before the next Trace Info
 *
 * tail - head never exceeds the number of slots; waiting + unseen never exceeds MAXSPEC between
 * two elements. Fields are the library's.
 */
struct hwf_p0 {
	const struct hwf_ete_config *config;
	hwf_element_fn *sink;
	void *sink_ctx;
	struct hwf_element *ring;
	uint32_t mask;
	uint32_t head;
	uint32_t tail;
	uint32_t waiting;
	uint32_t unseen;
	bool lost;
};

/**
 * hwf_p0_ring_size() - size of the ring that a trace unit needs
 * @config: of the trace unit
 *
 * Return: a number of struct hwf_element, a power of two: room for MAXSPEC P0 elements, and for
 * eight other elements with each. A MAXSPEC above 16384 counts as 16384.
 */
uint32_t hwf_p0_ring_size(const struct hwf_ete_config *config);

/**
 * hwf_p0_init() - begin with nothing to resolve
 * @p0: to initialise
 * @config: of the trace unit; must outlive @p0
 * @ring: memory, the caller's; must outlive @p0
 * @size: elements of it, a power of two, at least 128
 * @sink: takes the elements of execution, in order; a Commit, Cancel, Mispredict or Discard is
 * never among them
 * @sink_ctx: its first argument
 */
void hwf_p0_init(struct hwf_p0 *p0, const struct hwf_ete_config *config, struct hwf_element *ring,
		 uint32_t size, hwf_element_fn *sink, void *sink_ctx);

/**
 * hwf_p0_push() - take one element
 * @p0: the stage
 * @element: from the element stage
 *
 * If the trace resolves more P0 elements than there are, or more elements wait than the ring has
 * slots, the stage gives HWF_EL_NO_SYNC with HWF_ERR_UNDERFLOW or HWF_ERR_NO_SPACE, and takes
 * nothing before the next Trace Info but Event and Instrumentation elements.
 */
void hwf_p0_push(struct hwf_p0 *p0, const struct hwf_element *element);

#ifdef __cplusplus
}
#endif

#endif /* HWFLOW_P0_H */
