/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Packets to execution (RISCV_WALK). Each packet says how far execution has come; the walk goes
 * there through the program, and stops before the packet's last instruction leads anywhere.
 */
#include <stddef.h>
#include <string.h>

#include "fast/riscv_walk.h"

void hwf_riscv_flow_init(struct hwf_riscv_flow *flow, const struct hwf_riscv_config *config,
			 unsigned int isa, const struct hwf_code *code, hwf_flow_fn *sink,
			 void *sink_ctx)
{
	memset(flow, 0, offsetof(struct hwf_riscv_flow, ends));
	flow->config = *config;
	flow->isa = isa;
	flow->code = code;
	flow->sink = sink;
	flow->sink_ctx = sink_ctx;
	flow->branch_limit = HWF_RISCV_BRANCHES;
	flow->at_begin = true;
	hwf_riscv_forget_code(flow);
	flow->space = hwf_riscv_space(code, &(struct hwf_flow_mode){0});
}

/* RISCV_MIRRORS: a synchronisation packet resets them all, here and in the encoder */
static void reset_mirrors(struct hwf_riscv_flow *flow)
{
	if (flow->config.params.branch_prediction)
		hwf_riscv_predictor_reset(&flow->predictor, &flow->config);
	if (flow->config.params.jump_target_cache)
		hwf_riscv_targets_reset(&flow->targets, &flow->config);
	hwf_riscv_calls_reset(&flow->calls);
}

/* Put the packet's outcomes behind those that are left. */
static bool add_outcomes(struct hwf_riscv_flow *flow, uint32_t map, unsigned int count)
{
	struct hwf_riscv_outcomes *ahead = &flow->ahead;

	/* RISCV_LAST_BRANCH: one at most is left when a packet comes */
	if (ahead->mapped > 1 || ahead->predicted || ahead->missed)
		return false;
	ahead->map |= (uint64_t)map << ahead->mapped;
	ahead->mapped += count;
	return true;
}

/* RISCV_ADDRESS: the address that a packet carries: a difference to the one before, unless all are
 * full */
static void take_address(struct hwf_riscv_flow *flow, uint64_t value, bool full)
{
	const struct hwf_riscv_config *config = &flow->config;
	const uint64_t moved = value << config->params.iaddress_lsb_p;

	if (!full && !flow->has_address)
		return;
	flow->address = hwf_riscv_address(flow, full ? moved : flow->address + moved);
	flow->has_address = true;
}

/*
 * What happened since the last address cannot be followed, but this address is where execution has
 * come to. Of what the encoder keeps nothing may be needed that only execution tells.
 */
static void resume(struct hwf_riscv_flow *flow, const struct hwf_riscv_map *map)
{
	const struct hwf_riscv_params *params = &flow->config.params;

	if (!flow->gap_open)
		hwf_riscv_gap(flow, HWF_GAP_UNSEEN);
	if (!flow->has_address || params->implicit_return || params->branch_prediction ||
	    params->jump_target_cache)
		return;
	hwf_riscv_set_pc(flow, flow->address);
	if (!flow->started || flow->insn.kind != HWF_RV_BRANCH)
		return;
	/* the outcome of a branch at the address is the map's last */
	if (map)
		flow->ahead = (struct hwf_riscv_outcomes){
			.map = map->map >> (map->branches - 1) & 1, .mapped = 1};
	else
		hwf_riscv_gap(flow, HWF_GAP_MISMATCH);
}

static void take_depth(struct hwf_riscv_flow *flow, bool irreport, uint32_t irdepth)
{
	flow->irreport = irreport;
	flow->irdepth = irdepth;
}

/* Walk to the address of the packet. */
static void walk_to(struct hwf_riscv_flow *flow, const struct hwf_riscv_address *address)
{
	const struct hwf_riscv_goal goal = {
		.kind = HWF_RISCV_GOAL_ADDRESS,
		.address = flow->address,
		.notify = address->notify,
		.updiscon = address->updiscon,
	};

	take_depth(flow, address->irreport, address->irdepth);
	if (hwf_riscv_follow(flow, &goal))
		hwf_riscv_settle(flow);
	/* where it may turn out to be the first arrival only, that is not the packet's place yet */
	if (!flow->inferred)
		flow->calls.implied = 0;
}

static void walk_to_last_branch(struct hwf_riscv_flow *flow)
{
	const struct hwf_riscv_goal goal = {.kind = HWF_RISCV_GOAL_LAST_BRANCH};

	take_depth(flow, false, 0);
	if (hwf_riscv_follow(flow, &goal))
		hwf_riscv_settle(flow);
}

/* F0 of the draft, F1 */
static void take_map(struct hwf_riscv_flow *flow, const struct hwf_riscv_packet *packet)
{
	const struct hwf_riscv_map *map = &packet->u.map;
	const bool full =
		packet->type == HWF_RISCV_F0_MAP ||
		(flow->config.dialect != HWF_RISCV_DRAFT_026 && flow->config.params.full_address);

	if (map->address.has)
		take_address(flow, map->address.value, full);
	if (!flow->started) {
		if (map->address.has)
			resume(flow, map);
		else if (!flow->gap_open)
			hwf_riscv_gap(flow, HWF_GAP_UNSEEN);
		return;
	}
	if (!add_outcomes(flow, map->map, map->branches))
		hwf_riscv_gap(flow, HWF_GAP_MISMATCH);
	else if (map->address.has)
		walk_to(flow, &map->address);
	else
		walk_to_last_branch(flow);
}

/* F2 */
static void take_target(struct hwf_riscv_flow *flow, const struct hwf_riscv_address *address)
{
	take_address(flow, address->value, flow->config.params.full_address);
	if (flow->started)
		walk_to(flow, address);
	else
		resume(flow, NULL);
}

/* F0_COUNT (RISCV_COUNT) */
static void take_count(struct hwf_riscv_flow *flow, const struct hwf_riscv_count *count)
{
	struct hwf_riscv_outcomes *ahead = &flow->ahead;
	const uint64_t right = (uint64_t)count->branch_count + 31;

	if (count->address.has)
		take_address(flow, count->address.value, flow->config.params.full_address);
	if (!flow->started) {
		if (!flow->gap_open)
			hwf_riscv_gap(flow, HWF_GAP_UNSEEN);
		return;
	}
	if (right > flow->branch_limit) {
		hwf_riscv_gap(flow, HWF_GAP_RUN_TOO_LONG);
		return;
	}
	if (!add_outcomes(flow, 0, 0)) {
		hwf_riscv_gap(flow, HWF_GAP_MISMATCH);
		return;
	}
	ahead->predicted = right;
	ahead->missed = count->branch_fmt != HWF_RISCV_COUNT_ADDRESS;
	if (count->address.has)
		walk_to(flow, &count->address);
	else
		walk_to_last_branch(flow);
}

/* F0_CACHE (RISCV_TARGET_CACHE) */
static void take_cache(struct hwf_riscv_flow *flow, const struct hwf_riscv_cache *cache)
{
	struct hwf_riscv_goal goal = {.kind = HWF_RISCV_GOAL_JUMPED_TO};

	if (!flow->started) {
		/* what the cache has is not known after a gap, and so no address until the next
		 * sync */
		flow->has_address = false;
		if (!flow->gap_open)
			hwf_riscv_gap(flow, HWF_GAP_UNSEEN);
		return;
	}
	goal.address = flow->targets.address[cache->index];
	if (goal.address == HWF_RISCV_NO_TARGET ||
	    !add_outcomes(flow, cache->map, cache->branches)) {
		flow->has_address = false;
		hwf_riscv_gap(flow, HWF_GAP_MISMATCH);
		return;
	}
	flow->address = goal.address;
	take_depth(flow, cache->irreport, cache->irdepth);
	if (hwf_riscv_follow(flow, &goal))
		hwf_riscv_settle(flow);
	flow->calls.implied = 0;
}

/* Format 0, 1 or 2 */
static void take_trace(struct hwf_riscv_flow *flow, const struct hwf_riscv_packet *packet)
{
	if (flow->started && flow->inferred)
		hwf_riscv_go_round(flow);
	switch (packet->type) {
	case HWF_RISCV_F0_COUNT:
		take_count(flow, &packet->u.count);
		break;
	case HWF_RISCV_F0_CACHE:
		take_cache(flow, &packet->u.cache);
		break;
	case HWF_RISCV_F2:
		take_target(flow, &packet->u.address);
		break;
	default:
		take_map(flow, packet);
		break;
	}
}

static bool is_branch(struct hwf_riscv_flow *flow, uint64_t address)
{
	struct hwf_rv_insn insn;

	return !hwf_riscv_fetch(flow, address, &insn) && insn.kind == HWF_RV_BRANCH;
}

/* Begin anew at the address of a synchronisation packet (RISCV_BRANCH_BIT). */
static void begin_at(struct hwf_riscv_flow *flow, const struct hwf_riscv_sync *sync)
{
	hwf_riscv_flush(flow);
	hwf_riscv_mode(flow, sync);
	hwf_riscv_set_pc(flow, flow->address);
	if (flow->started && flow->insn.kind == HWF_RV_BRANCH)
		flow->ahead = (struct hwf_riscv_outcomes){.map = sync->branch, .mapped = 1};
}

static void give_trace_on(struct hwf_riscv_flow *flow)
{
	struct hwf_flow_event event = {.u.overflow = flow->lost};

	flow->lost = false;
	hwf_riscv_give(flow, &event, HWF_FLOW_TRACE_ON);
}

/* F3_START (RISCV_RESYNC): execution comes to this address; not through the program where tracing
 * begins. */
static void take_start(struct hwf_riscv_flow *flow, const struct hwf_riscv_sync *sync)
{
	struct hwf_riscv_goal goal = {.kind = HWF_RISCV_GOAL_SYNC, .privilege = sync->privilege};

	flow->inferred = false;
	take_address(flow, sync->address, true);
	goal.address = flow->address;
	take_depth(flow, false, 0);
	if (flow->started && is_branch(flow, goal.address) && !add_outcomes(flow, sync->branch, 1))
		hwf_riscv_gap(flow, HWF_GAP_MISMATCH);
	if (flow->started && hwf_riscv_follow(flow, &goal)) {
		hwf_riscv_mode(flow, sync);
	} else {
		if (flow->at_begin)
			give_trace_on(flow);
		begin_at(flow, sync);
	}
	flow->at_begin = false;
	reset_mirrors(flow);
}

/* Where the handler is, if only the cause tells (RISCV_IMPLICIT_EXCEPTION) */
static bool handler_of(const struct hwf_riscv_flow *flow, const struct hwf_riscv_sync *sync,
		       uint64_t *handler)
{
	const uint64_t tvec = flow->config.params.tvec;
	const bool vectored = (tvec & 3) == 1 && sync->interrupt;

	/* mtvec: base in the upper bits, mode in the lower two */
	*handler = (tvec & ~UINT64_C(3)) + (vectored ? 4 * (uint64_t)sync->ecause : 0);
	return tvec != 0;
}

/* RISCV_TRAP: causes of ecall and ebreak: the trap is of the instruction at pc itself, which counts
 * as retired
 */
static bool is_call(const struct hwf_riscv_flow *flow, const struct hwf_riscv_sync *sync)
{
	const uint16_t cause = sync->ecause;

	if (sync->interrupt)
		return false;
	if (flow->insn.kind == HWF_RV_EBREAK)
		return cause == 3;
	return flow->insn.kind == HWF_RV_ECALL && cause >= 8 && cause <= 11;
}

static void give_trap(struct hwf_riscv_flow *flow, const struct hwf_riscv_sync *sync)
{
	struct hwf_flow_event event;
	struct hwf_flow_trap trap = {
		.tval = sync->tval,
		.cause = sync->ecause,
		.interrupt = sync->interrupt,
		.has_tval = !flow->config.params.notval_p &&
			    !(flow->config.dialect == HWF_RISCV_V2 && sync->interrupt),
	};

	if (flow->started && is_call(flow, sync)) {
		trap.epc = flow->pc;
		trap.has_epc = true;
	} else if (flow->started) {
		trap.has_epc = hwf_riscv_peek(flow, &trap.epc);
	}
	/* RISCV_THADDR: what cannot be told from the program is in the packet, or nowhere */
	if (!trap.has_epc && !sync->thaddr && !sync->interrupt) {
		trap.epc = hwf_riscv_address(flow,
					     sync->address << flow->config.params.iaddress_lsb_p);
		trap.has_epc = true;
	}
	hwf_riscv_flush(flow);
	event.u.trap = trap;
	hwf_riscv_give(flow, &event, HWF_FLOW_TRAP);
}

/* F3_TRAP (RISCV_TRAP) */
static void take_trap(struct hwf_riscv_flow *flow, const struct hwf_riscv_sync *sync)
{
	flow->inferred = false;
	if (flow->at_begin)
		give_trace_on(flow);
	flow->at_begin = false;
	give_trap(flow, sync);
	/* RISCV_THADDR: the handler comes with the next packet, and nothing is on the way to it */
	if (!sync->thaddr) {
		flow->started = false;
		return;
	}
	reset_mirrors(flow);
	if (sync->has_address) {
		take_address(flow, sync->address, true);
	} else if (handler_of(flow, sync, &flow->address)) {
		flow->has_address = true;
	} else {
		flow->has_address = false;
		hwf_riscv_gap(flow, HWF_GAP_NO_ADDRESS);
		return;
	}
	begin_at(flow, sync);
}

static void give_no_sync(struct hwf_riscv_flow *flow, enum hwf_no_sync reason, int error)
{
	struct hwf_flow_event event;

	event.u.no_sync = (struct hwf_el_no_sync){.reason = (uint8_t)reason, .error = error};
	hwf_riscv_give(flow, &event, HWF_FLOW_NO_SYNC);
}

/* No path leads from here to what comes next. */
static void stop(struct hwf_riscv_flow *flow)
{
	hwf_riscv_flush(flow);
	flow->started = false;
	flow->inferred = false;
	flow->has_before = false;
	flow->has_address = false;
	flow->at_begin = true;
	flow->ahead = (struct hwf_riscv_outcomes){0};
}

/* RISCV_QUAL_STATUS, RISCV_OPTIONS */
static void take_support(struct hwf_riscv_flow *flow, const struct hwf_riscv_packet *packet)
{
	const struct hwf_riscv_support *support = &packet->u.support;

	if (support->qual_status == HWF_RISCV_ENDED_NTR && flow->started && flow->inferred)
		hwf_riscv_go_round(flow);
	if (packet->type == HWF_RISCV_F3_SUPPORT)
		hwf_riscv_config_set(&flow->config, support->ioptions);
	if (support->qual_status == HWF_RISCV_NO_CHANGE)
		return;
	stop(flow);
	if (support->qual_status == HWF_RISCV_TRACE_LOST) {
		flow->lost = true;
		give_no_sync(flow, HWF_NO_SYNC_OVERFLOW, 0);
	}
}

/* A packet that cannot be read: what it said is missing from here on. */
static void take_bad(struct hwf_riscv_flow *flow, int error)
{
	stop(flow);
	give_no_sync(flow, HWF_NO_SYNC_BAD_PACKET, error);
	flow->gap_open = true;
}

void hwf_riscv_flow_push(struct hwf_riscv_flow *flow, uint64_t offset,
			 const struct hwf_riscv_packet *packet, int error)
{
	hwf_riscv_take(flow, offset, packet, error);
	hwf_riscv_give_steps(flow);
}

void hwf_riscv_take(struct hwf_riscv_flow *flow, uint64_t offset,
		    const struct hwf_riscv_packet *packet, int error)
{
	flow->offset = offset;
	/* a step has 32 bits for its offset */
	if (offset - flow->steps_offset > UINT32_MAX)
		hwf_riscv_give_steps(flow);
	switch (packet->type) {
	case HWF_RISCV_F0_MAP:
	case HWF_RISCV_F0_COUNT:
	case HWF_RISCV_F0_CACHE:
	case HWF_RISCV_F1:
	case HWF_RISCV_F2:
		take_trace(flow, packet);
		break;
	case HWF_RISCV_F3_START:
		take_start(flow, &packet->u.sync);
		break;
	case HWF_RISCV_F3_TRAP:
		take_trap(flow, &packet->u.sync);
		break;
	case HWF_RISCV_F3_CONTEXT:
		hwf_riscv_flush(flow);
		hwf_riscv_mode(flow, &packet->u.sync);
		break;
	case HWF_RISCV_F3_SUPPORT:
	case HWF_RISCV_TE_SUPPORT:
		take_support(flow, packet);
		break;
	case HWF_RISCV_BAD:
	case HWF_RISCV_INCOMPLETE:
		take_bad(flow, error);
		break;
	default:
		break;
	}
}

void hwf_riscv_flow_end(struct hwf_riscv_flow *flow, uint64_t offset)
{
	struct hwf_flow_event event = {.u.overflow = flow->lost};

	flow->offset = offset;
	hwf_riscv_flush(flow);
	hwf_riscv_give(flow, &event, HWF_FLOW_END);
}
