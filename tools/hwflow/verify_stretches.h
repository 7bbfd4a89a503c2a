/* SPDX-License-Identifier: GPL-2.0-only */
/* What a piece of trace has from each gap to the next. */
#ifndef HWFLOW_VERIFY_STRETCHES_H
#define HWFLOW_VERIFY_STRETCHES_H

#include "hwflow/flow.h"
#include "verify_log.h"

/**
 * struct verify_stretches - the stretches of a piece, in order
 * @list: for free()
 * @count: how many
 * @room: for how many
 * @filtered: Trace On is a gap
 * @gap: the next instruction begins a stretch
 * @open: the last of @list is not at its end
 * @failed: memory ran out
 */
struct verify_stretches {
	struct verify_stretch *list;
	size_t count;
	size_t room;
	bool filtered;
	bool gap;
	bool open;
	bool failed;
};

/** verify_is_gap() - may instructions be missing here? @filtered: some were left out on purpose */
bool verify_is_gap(const struct hwf_flow_event *event, bool filtered);

/**
 * verify_stretches_take() - add an event
 * @ctx: the struct verify_stretches
 * @event: the next of the piece
 *
 * Where the trace does not say which instructions were executed a stretch ends early.
 */
void verify_stretches_take(void *ctx, const struct hwf_flow_event *event);

#endif /* HWFLOW_VERIFY_STRETCHES_H */
