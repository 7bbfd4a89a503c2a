/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Memory of the window: unresolved P0 elements as bits of words (see window/window.h).
 */
#ifndef HWFLOW_WINDOW_H
#define HWFLOW_WINDOW_H

#include "hwflow/element.h"

#ifdef __cplusplus
extern "C" {
#endif

/** HWF_OP_BOTH() - a number of P0 elements in both halves of a word, as struct hwf_op has it */
#define HWF_OP_BOTH(number) ((uint64_t)(number) << 32 | (uint64_t)(number))

/**
 * struct hwf_op - what a packet of one or two bytes does with P0 elements: Atoms, Commit, Cancel,
 * Mispredict, in this order
 * @add: its Atoms: how many there are more in all, and in the high half how many more wait
 * @sub: likewise, those that it cancels; those that it commits or cancels
 * @times: the second byte times this is added to @sub
 * @mispredict: all bits set for a Mispredict
 * @taken: the Atoms, the oldest in bit 0
 * @size: bytes of the packet; 0: it does something else
 *
 * The second byte of such a packet is a number of seven bits. With the eighth it is a longer
 * packet; but then it says more than the window holds.
 */
struct hwf_op {
	uint64_t add;
	uint64_t sub;
	uint64_t times;
	uint64_t mispredict;
	uint32_t taken;
	uint8_t size;
};

/**
 * struct hwf_ops - one for each header byte; depends on the configuration alone
 * @op: of each packet
 * @behind: of those that have no Atoms, to stand behind a packet of Atoms; others do nothing there,
 *	and have the size 0
 * @counting: as @behind, with Cycle Counts of one byte, of which only the Commit matters
 */
struct hwf_ops {
	struct hwf_op op[256];
	struct hwf_op behind[256];
	struct hwf_op counting[256];
};

/** HWF_WINDOW_ROOM - P0 elements that may pass before those that are left move to the beginning */
#define HWF_WINDOW_ROOM 256u

/**
 * struct hwf_window_beside - what stands before a P0 element of the window, or in its place
 * @target: a Target Address that stands before it, IS in bit 0
 * @target_offset: of its packet
 * @exception: it is that
 */
struct hwf_window_beside {
	uint64_t target;
	uint64_t target_offset;
	struct hwf_el_exception exception;
};

/**
 * struct hwf_window_memory - what stands beside the bits of the window
 * @offset: of the packets of P0 elements, as in struct hwf_steps
 * @beside: of P0 elements that have something there
 */
struct hwf_window_memory {
	uint32_t offset[HWF_WINDOW_ROOM + 72];
	struct hwf_window_beside beside[HWF_WINDOW_ROOM + 72];
};

#ifdef __cplusplus
}
#endif

#endif /* HWFLOW_WINDOW_H */
