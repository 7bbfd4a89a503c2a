/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Between the files of the flow stage. */
#ifndef HWF_ETM3_FLOW_PRIVATE_H
#define HWF_ETM3_FLOW_PRIVATE_H

#include "hwflow/etmv3_flow.h"

/* Hand on what is held, one event or more. */
void hwf_etm3_hand_on(struct hwf_etm3_flow *flow);

/* Nothing can cancel any more what is held. */
static inline void hwf_etm3_commit(struct hwf_etm3_flow *flow)
{
	if (flow->held_count)
		hwf_etm3_hand_on(flow);
}

/* An event that no exception cancels; it waits behind the instruction that one may cancel. */
void hwf_etm3_give(struct hwf_etm3_flow *flow, struct hwf_flow_event *event, uint64_t offset,
		   uint8_t kind);

/* Execution is not known from here to the next address. */
void hwf_etm3_gap(struct hwf_etm3_flow *flow, uint64_t offset, enum hwf_gap reason);

/* The atoms of a P-header. */
void hwf_etm3_follow(struct hwf_etm3_flow *flow, uint64_t offset, unsigned int type,
		     const struct hwf_etm3_atoms *atoms);

/* An instruction that is known to be executed, with no atom: a load or store in progress */
void hwf_etm3_follow_implied(struct hwf_etm3_flow *flow, uint64_t offset);

/* Take the last instruction off a range; false where there is no other. */
bool hwf_etm3_shorten(struct hwf_etm3_flow *flow, struct hwf_flow_range *range);

/* The program is another one from here on. */
void hwf_etm3_forget_code(struct hwf_etm3_flow *flow);

#endif /* HWF_ETM3_FLOW_PRIVATE_H */
