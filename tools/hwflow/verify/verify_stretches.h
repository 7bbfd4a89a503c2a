/* SPDX-License-Identifier: GPL-2.0-only */
/* What a trace has from each gap to the next. */
#ifndef HWFLOW_VERIFY_STRETCHES_H
#define HWFLOW_VERIFY_STRETCHES_H

#include "hwflow/flow.h"
#include "verify_log.h"

/**
 * struct verify_stretches - the stretches of a trace, in order
 * @list: for free()
 * @count: how many
 * @room: for how many
 * @filtered: Trace On is a gap
 * @code_gaps: gaps that are allowed for a reason of the code: a bit for each HWF_GAP_*
 * @gap: the next instruction begins a stretch
 * @edge: nothing that a trace can tell is missing before that
 * @open: the last of @list is not at its end
 * @nothing: no instruction came since the caller set it
 * @failed: memory ran out
 */
struct verify_stretches {
	struct verify_stretch *list;
	size_t count;
	size_t room;
	bool filtered;
	unsigned int code_gaps;
	bool gap;
	bool edge;
	bool open;
	bool nothing;
	bool failed;
};

/**
 * verify_is_gap() - may instructions be missing here?
 * @event: of the flow
 * @filtered: some instructions were left out on purpose
 * @code_gaps: gaps that are allowed for a reason of the code: a bit for each HWF_GAP_*
 */
bool verify_is_gap(const struct hwf_flow_event *event, bool filtered, unsigned int code_gaps);

/**
 * verify_stretches_take() - add an event
 * @ctx: the struct verify_stretches
 * @event: the next of the trace
 *
 * Where the trace does not say which instructions were executed a stretch ends, and another one
 * begins behind these.
 */
void verify_stretches_take(void *ctx, const struct hwf_flow_event *event);

#endif /* HWFLOW_VERIFY_STRETCHES_H */
