/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The transaction stage: events of a transaction are held until its outcome is known (Arm ARM
 * D4.3.11).
 */
#ifndef HWFLOW_TRANSACTION_H
#define HWFLOW_TRANSACTION_H

#include "hwflow/flow.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct hwf_transactions - state of the stage, which is behind the follower
 *
 * Fields are the library's; a caller may read them.
 */
struct hwf_transactions {
	hwf_flow_fn *sink;
	hwf_flow_fn *taken_back;
	void *ctx;
	struct hwf_flow_event *held;
	uint32_t size;
	uint32_t used;
	bool open;
	bool spilled;
};

/**
 * hwf_transactions_init() - begin outside a transaction
 * @transactions: to initialise
 * @held: memory of the caller, for events; must outlive @transactions
 * @size: how many events it holds, at least 1
 * @sink: takes the events of execution
 * @taken_back: takes the events that a failure removes, before the HWF_TRANSACTION_FAILURE; may be
 *	NULL
 * @ctx: first argument of both
 */
void hwf_transactions_init(struct hwf_transactions *transactions, struct hwf_flow_event *held,
			   uint32_t size, hwf_flow_fn *sink, hwf_flow_fn *taken_back, void *ctx);

/**
 * hwf_transactions_push() - take one flow event
 * @ctx: the stage, a struct hwf_transactions; void, so that this serves as a hwf_flow_fn
 * @event: from the follower
 *
 * I_XHLPG: a failure removes all execution since the start, even if a Commit resolved it. Times,
 * Event elements and Instrumentation stay. If the trace ends within a transaction, its outcome is
 * unknown, and the held events are given. If more events come than the memory holds, they are given
 * at once; if the transaction then fails, a gap with HWF_GAP_TRANSACTION says that they were not
 * executed.
 */
void hwf_transactions_push(void *ctx, const struct hwf_flow_event *event);

#ifdef __cplusplus
}
#endif

#endif /* HWFLOW_TRANSACTION_H */
