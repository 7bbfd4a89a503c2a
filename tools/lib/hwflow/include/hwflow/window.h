/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Memory of the window: unresolved P0 elements as bits of words (see fast/window.h).
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
 * struct hwf_op - the effect of a packet of one or two bytes on the window: Atoms, then Commit,
 * then Cancel, then Mispredict
 * @add: number of its Atoms, in both halves: the low half counts the P0 elements in the window, the
 *	high half those of them that are unresolved
 * @sub: low half: P0 elements that it cancels; high half: those that it commits or cancels
 * @times: the second byte times @times is added to @sub
 * @mispredict: all bits are set for a Mispredict
 * @taken: outcomes of the Atoms, the oldest in bit 0
 * @size: bytes of the packet; 0: the packet is not of this kind
 *
 * The second byte is a number of seven bits. If its bit 7 is set, the packet is longer; the number
 * is then larger than the window, so that the op does not apply.
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
 * struct hwf_ops - ops by header byte; they depend on the configuration alone
 * @op: the op of each packet
 * @after_atoms: ops without Atoms, for the packet that follows a packet of Atoms; all others have
 *	the size 0 and no effect
 * @counting: as @after_atoms; and Cycle Counts of one byte, which only commit while ranges are
 *	counted
 */
struct hwf_ops {
	struct hwf_op op[256];
	struct hwf_op after_atoms[256];
	struct hwf_op counting[256];
};

/** HWF_WINDOW_ROOM - places of the memory: behind the last the window moves to the first place */
#define HWF_WINDOW_ROOM 256u

/**
 * struct hwf_window_beside - what a P0 element has besides its outcome
 * @target: Target Address before the P0 element, IS in bit 0
 * @target_offset: offset of the packet of @target
 * @exception: the exception, if the P0 element is one
 */
struct hwf_window_beside {
	uint64_t target;
	uint64_t target_offset;
	struct hwf_el_exception exception;
};

/**
 * struct hwf_window_memory - data of the P0 elements in the window, by place
 * @offset: offset of the packet of each P0 element, as in struct hwf_steps
 * @beside: valid for P0 elements that have a Target Address before them or are exceptions
 */
struct hwf_window_memory {
	uint32_t offset[HWF_WINDOW_ROOM + 72];
	struct hwf_window_beside beside[HWF_WINDOW_ROOM + 72];
};

#ifdef __cplusplus
}
#endif

#endif /* HWFLOW_WINDOW_H */
