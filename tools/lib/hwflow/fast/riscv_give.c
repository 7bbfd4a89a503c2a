/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Events of the flow of RISC-V, and the range that is open */
#include "fast/riscv_walk.h"

void hwf_riscv_give(struct hwf_riscv_flow *flow, struct hwf_flow_event *event, uint8_t kind)
{
	hwf_riscv_give_steps(flow);
	event->offset = flow->offset;
	event->kind = kind;
	flow->sink(flow->sink_ctx, event);
}

static void give_range(struct hwf_riscv_flow *flow, const struct hwf_rv_insn *last, uint64_t end,
		       uint32_t count, bool taken, bool p0)
{
	struct hwf_flow_event event;
	const struct hwf_insn insn = hwf_riscv_common(last, flow->isa);

	event.u.range = (struct hwf_flow_range){
		.start = flow->start,
		.end = end,
		.instructions = count,
		.isa = insn.target_isa,
		.taken = taken,
		.p0 = p0,
		.insn = insn,
	};
	hwf_riscv_give(flow, &event, HWF_FLOW_RANGE);
	if (p0 && insn.sub == HWF_SUB_ERET)
		hwf_riscv_give(flow, &event, HWF_FLOW_EXCEPTION_RETURN);
}

void hwf_riscv_end_range(struct hwf_riscv_flow *flow, bool taken, bool p0)
{
	const uint32_t count = flow->count;

	flow->count = 0;
	if (count)
		give_range(flow, &flow->insn, flow->pc + flow->insn.size, count, taken, p0);
}

void hwf_riscv_end_before(struct hwf_riscv_flow *flow)
{
	const uint32_t count = flow->count;

	flow->count = 0;
	if (count)
		give_range(flow, &flow->before, flow->pc, count, true, false);
}

void hwf_riscv_flush(struct hwf_riscv_flow *flow)
{
	switch (flow->insn.kind) {
	case HWF_RV_BRANCH:
		if (flow->ahead.mapped)
			hwf_riscv_end_range(flow, !(flow->ahead.map & 1), true);
		else
			hwf_riscv_end_range(flow, true, false);
		break;
	case HWF_RV_JUMP:
	case HWF_RV_JUMP_REG:
	case HWF_RV_TRAP_RETURN:
		hwf_riscv_end_range(flow, true, true);
		break;
	default:
		hwf_riscv_end_range(flow, true, false);
		break;
	}
}

void hwf_riscv_gap(struct hwf_riscv_flow *flow, enum hwf_gap reason)
{
	struct hwf_flow_event event;

	hwf_riscv_flush(flow);
	event.u.gap = (struct hwf_flow_gap){
		.address = flow->started ? flow->pc : 0,
		.p0_elements = 1,
		.reason = (uint8_t)reason,
		.has_address = flow->started,
	};
	flow->started = false;
	flow->inferred = false;
	flow->has_before = false;
	flow->ahead = (struct hwf_riscv_outcomes){0};
	if (flow->gap_open)
		return;
	flow->gap_open = true;
	hwf_riscv_give(flow, &event, HWF_FLOW_GAP);
}

/* The open range up to the instruction at pc, which stays open */
static void flush_up_to_pc(struct hwf_riscv_flow *flow)
{
	if (flow->count > 1) {
		flow->count--;
		hwf_riscv_end_before(flow);
		flow->start = flow->pc;
		flow->count = 1;
	}
}

/* Code may be other code in another space. */
static void enter_space(struct hwf_riscv_flow *flow, const struct hwf_flow_mode *mode)
{
	const void *space = hwf_riscv_space(flow->code, mode);

	if (space == flow->space)
		return;
	flow->space = space;
	hwf_riscv_forget_code(flow);
}

/* RISCV_CONTEXT */
void hwf_riscv_mode(struct hwf_riscv_flow *flow, const struct hwf_riscv_sync *sync)
{
	const struct hwf_riscv_params *params = &flow->config.params;
	const bool changed = !flow->has_mode || sync->privilege != flow->privilege ||
			     sync->context != flow->context;
	struct hwf_flow_event event;

	if (changed) {
		flush_up_to_pc(flow);
		flow->has_mode = true;
		flow->privilege = sync->privilege;
		flow->context = sync->context;
		event.u.mode = (struct hwf_flow_mode){
			.context = sync->context,
			.privilege = sync->privilege,
			.has_context = params->context_width_p != 0,
		};
		enter_space(flow, &event.u.mode);
		hwf_riscv_give(flow, &event, HWF_FLOW_MODE);
	}
	if (params->time_width_p && sync->time != flow->time) {
		flush_up_to_pc(flow);
		flow->time = sync->time;
		event.u.timestamp = (struct hwf_el_timestamp){.value = sync->time};
		hwf_riscv_give(flow, &event, HWF_FLOW_TIMESTAMP);
	}
}
