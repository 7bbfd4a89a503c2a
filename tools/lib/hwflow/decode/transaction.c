/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The transaction stage: events of a transaction are held until its outcome is known. */
#include "hwflow/transaction.h"

void hwf_transactions_init(struct hwf_transactions *transactions, struct hwf_flow_event *held,
			   uint32_t size, hwf_flow_fn *sink, hwf_flow_fn *taken_back, void *ctx)
{
	*transactions = (struct hwf_transactions){
		.sink = sink,
		.taken_back = taken_back,
		.ctx = ctx,
		.held = held,
		.size = size,
	};
}

/* Is an event execution, which a failure of the transaction removes? */
static bool is_execution(const struct hwf_flow_event *event)
{
	switch (event->kind) {
	case HWF_FLOW_RANGE:
	case HWF_FLOW_Q_RANGE:
	case HWF_FLOW_EXCEPTION:
	case HWF_FLOW_EXCEPTION_RETURN:
	case HWF_FLOW_GAP:
		return true;
	default:
		return false;
	}
}

static void give_held(struct hwf_transactions *transactions)
{
	for (uint32_t i = 0; i < transactions->used; i++)
		transactions->sink(transactions->ctx, &transactions->held[i]);
	transactions->used = 0;
}

static void take_back(struct hwf_transactions *transactions)
{
	for (uint32_t i = 0; i < transactions->used; i++) {
		const struct hwf_flow_event *event = &transactions->held[i];

		if (!is_execution(event))
			transactions->sink(transactions->ctx, event);
		else if (transactions->taken_back)
			transactions->taken_back(transactions->ctx, event);
	}
	transactions->used = 0;
}

/* The transaction failed, and events of it that did not fit in the memory were given before. */
static void give_gap(struct hwf_transactions *transactions, uint64_t offset)
{
	struct hwf_flow_event event = {.offset = offset, .kind = HWF_FLOW_GAP};

	event.u.gap.reason = HWF_GAP_TRANSACTION;
	transactions->sink(transactions->ctx, &event);
}

static void take_transaction(struct hwf_transactions *transactions,
			     const struct hwf_flow_event *event)
{
	switch (event->u.transaction) {
	case HWF_TRANSACTION_START:
	case HWF_TRANSACTION_INIT:
		/* the outcome of a transaction before this one was not traced */
		give_held(transactions);
		transactions->open = true;
		transactions->spilled = false;
		break;
	case HWF_TRANSACTION_COMMIT:
		give_held(transactions);
		transactions->open = false;
		break;
	default:
		take_back(transactions);
		if (transactions->open && transactions->spilled)
			give_gap(transactions, event->offset);
		transactions->open = false;
		break;
	}
	transactions->sink(transactions->ctx, event);
}

void hwf_transactions_push(void *ctx, const struct hwf_flow_event *event)
{
	struct hwf_transactions *transactions = ctx;

	if (event->kind == HWF_FLOW_TRANSACTION) {
		take_transaction(transactions, event);
		return;
	}
	if (event->kind == HWF_FLOW_NO_SYNC || event->kind == HWF_FLOW_END) {
		give_held(transactions);
		transactions->open = false;
	}
	if (!transactions->open || transactions->spilled) {
		transactions->sink(transactions->ctx, event);
		return;
	}
	if (transactions->used == transactions->size) {
		give_held(transactions);
		transactions->spilled = true;
		transactions->sink(transactions->ctx, event);
		return;
	}
	transactions->held[transactions->used++] = *event;
}
