/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Transactions: execution in one is known to have happened only once it commits (Arm ARM
 * D4.3.11). This stage holds it back until then.
 */
#ifndef HWFLOW_TRANSACTION_H
#define HWFLOW_TRANSACTION_H

#include "hwflow/flow.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct hwf_transactions - state of the stage; between the follower and who wants flow events
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
 * @held: memory for events, the caller's; must outlive @transactions
 * @size: how many events it holds, at least 1
 * @sink: takes what was executed
 * @taken_back: takes what was not, before the HWF_TRANSACTION_FAILURE that says so; may be NULL
 * @ctx: first argument of both
 */
void hwf_transactions_init(struct hwf_transactions *transactions, struct hwf_flow_event *held,
			   uint32_t size, hwf_flow_fn *sink, hwf_flow_fn *taken_back, void *ctx);

/**
 * hwf_transactions_push() - take one flow event
 * @ctx: the stage, a struct hwf_transactions; void, so that this serves as a hwf_flow_fn
 * @event: from the follower
 *
 * I_XHLPG: a failure takes back all execution since the start, committed or not. Time, events and
 * instrumentation stay. Where a transaction does not end in the trace, what was held is given, for
 * its outcome is not known. One of more events than fit is given as it comes; if it fails then,
 * a gap with HWF_GAP_TRANSACTION says that what was given was not executed.
 */
void hwf_transactions_push(void *ctx, const struct hwf_flow_event *event);

#ifdef __cplusplus
}
#endif

#endif /* HWFLOW_TRANSACTION_H */
