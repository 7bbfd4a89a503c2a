/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Packets to program flow: synchronisation, addresses, contexts, exceptions. */
#include "decode/etm3_flow_private.h"

void hwf_etm3_flow_init(struct hwf_etm3_flow *flow, const struct hwf_etm3_config *config,
			const struct hwf_code *code, hwf_flow_fn *sink, void *sink_ctx)
{
	*flow = (struct hwf_etm3_flow){
		.config = config,
		.code = code,
		.sink = sink,
		.sink_ctx = sink_ctx,
		.context = {.el_unknown = true},
	};
}

static void give_no_sync(struct hwf_etm3_flow *flow, uint64_t offset, enum hwf_no_sync reason,
			 int error)
{
	struct hwf_flow_event event = {.u.no_sync = {.reason = (uint8_t)reason, .error = error}};

	hwf_etm3_give(flow, &event, offset, HWF_FLOW_NO_SYNC);
}

/* Nothing is known any more. */
static void lose(struct hwf_etm3_flow *flow, uint64_t offset, int error)
{
	hwf_etm3_commit(flow);
	flow->stage = HWF_ETM3_UNSYNCED;
	flow->has_pc = false;
	flow->has_context = false;
	flow->suspect = false;
	flow->half = false;
	flow->gap_open = false;
	flow->context = (struct hwf_context){.el_unknown = true};
	flow->state = (struct hwf_etm3_address_state){0};
	give_no_sync(flow, offset, HWF_NO_SYNC_BAD_PACKET, error);
}

/*
 * The context and the instruction set from here on. Nothing tells the exception level but that Hyp
 * mode is EL2.
 */
static void give_context(struct hwf_etm3_flow *flow, uint64_t offset, const struct hwf_context *now,
			 uint8_t isa, struct hwf_flow_event *event)
{
	struct hwf_flow_context *context = &event->u.context;
	const struct hwf_context *was = &flow->context;

	context->changed = !flow->has_context || now->security != was->security ||
			   now->el_unknown != was->el_unknown || now->has_cid != was->has_cid ||
			   now->cid != was->cid || now->has_vmid != was->has_vmid ||
			   now->vmid != was->vmid;
	context->context = *now;
	context->isa = isa;
	flow->context = *now;
	flow->has_context = true;
	if (context->changed && flow->code->space)
		flow->space = flow->code->space(flow->code->ctx, now);
	hwf_etm3_give(flow, event, offset, HWF_FLOW_CONTEXT);
}

static void set_mode(struct hwf_context *context, bool ns, bool hyp)
{
	context->security = ns ? HWF_SEC_NONSECURE : HWF_SEC_SECURE;
	context->el = hyp ? 2 : 0;
	context->el_unknown = !hyp;
}

static void set_pc(struct hwf_etm3_flow *flow, uint32_t address)
{
	flow->pc = address;
	flow->isa = flow->state.isa;
	flow->has_pc = true;
	flow->half = false;
	flow->gap_open = false;
}

static void push_trace_on(struct hwf_etm3_flow *flow, uint64_t offset, uint8_t reason)
{
	struct hwf_flow_event event = {.u.trace_on = {.overflow = reason == HWF_ETM3_OVERFLOW,
						      .debug = reason == HWF_ETM3_DEBUG_EXIT}};

	hwf_etm3_commit(flow);
	flow->has_pc = false;
	flow->suspect = false;
	flow->gap_open = false;
	hwf_etm3_give(flow, &event, offset, HWF_FLOW_TRACE_ON);
}

/*
 * The address of an I-sync (ETMV3_ISYNC, ETMV3_PERIODIC), @next; @isa was the instruction set
 * before it. A periodic one, in the midst of what is followed, only confirms; where it does not,
 * and no branch explains it, something was missed. A load or store in progress was executed
 * (ETMV3_IN_PROGRESS), and is given here unless its atom came before.
 */
static void take_i_sync_address(struct hwf_etm3_flow *flow, uint64_t offset,
				const struct hwf_etm3_i_sync *sync, uint32_t next)
{
	const bool known = flow->has_pc;

	if (known && flow->pc == next && flow->isa == flow->state.isa)
		return;
	if (sync->in_progress) {
		if (known && flow->pc != sync->address)
			hwf_etm3_gap(flow, offset, HWF_GAP_MISMATCH);
		set_pc(flow, sync->address);
		hwf_etm3_follow_implied(flow, offset);
	} else if (known) {
		flow->suspect = true;
		flow->suspect_offset = offset;
		flow->suspect_pc = flow->pc;
	}
	set_pc(flow, next);
}

static void push_i_sync(struct hwf_etm3_flow *flow, uint64_t offset,
			const struct hwf_etm3_packet *packet)
{
	const struct hwf_etm3_i_sync *sync = &packet->u.i_sync;
	struct hwf_context context = flow->context;
	struct hwf_flow_event event = {0};
	uint32_t next = 0;

	if (flow->stage != HWF_ETM3_SYNCED || sync->reason != HWF_ETM3_PERIODIC)
		push_trace_on(flow, offset, sync->reason);
	flow->reason = sync->reason;
	flow->stage = HWF_ETM3_SYNCED;
	set_mode(&context, sync->ns, sync->hyp);
	if (flow->config->context_bytes) {
		context.cid = sync->cid;
		context.has_cid = true;
		event.u.context.gives_cid = true;
	}
	if (packet->type == HWF_ETM3_I_SYNC_WITH_CYCLE_COUNT) {
		event.u.context.has_cycles = true;
		event.u.context.cycles = sync->cycles;
	}
	if (!flow->config->data_only)
		next = hwf_etm3_expand_i_sync(&flow->state, sync);
	give_context(flow, offset, &context, flow->state.isa, &event);
	if (!flow->config->data_only)
		take_i_sync_address(flow, offset, sync, next);
}

/*
 * Take the last instruction off the range that is held. Its cycles went by all the same: they are
 * an event behind what is left of the range, or in its place. @offset: of what cancels it.
 */
static void cancel_insn(struct hwf_etm3_flow *flow, uint64_t offset)
{
	struct hwf_flow_event *first = &flow->held[0];
	struct hwf_flow_range *range = &first->u.range;
	const uint8_t cycles = flow->each[(range->instructions - 1) % HWF_ETM3_RANGE_MAX];
	const bool left = hwf_etm3_shorten(flow, range);
	struct hwf_flow_event *event = left ? first + 1 : first;

	if (left && cycles) {
		for (uint32_t i = flow->held_count++; i > 1; i--)
			first[i] = first[i - 1];
		event->offset = offset;
	} else if (!left && !cycles) {
		flow->held_count--;
		for (uint32_t i = 0; i < flow->held_count; i++)
			first[i] = first[i + 1];
	}
	if (!cycles)
		return;
	event->kind = HWF_FLOW_CYCLE_COUNT;
	event->u.cycle_count = (struct hwf_el_cycle_count){.count = cycles};
}

/*
 * The last instruction was cancelled by an exception (ETMV3_CANCEL). On ARMv7-M, behind an
 * Exception exit, it is only the return that was (ETMV3_ARMV7M).
 */
static void cancel(struct hwf_etm3_flow *flow, uint64_t offset)
{
	struct hwf_flow_event *first = &flow->held[0];
	uint32_t returned = 0;

	if (!flow->held_count)
		return;
	for (uint32_t i = 1; i < flow->held_count; i++) {
		if (first[i].kind == HWF_FLOW_EXCEPTION_RETURN)
			returned = i;
	}
	if (returned) {
		for (uint32_t i = returned + 1; i < flow->held_count; i++)
			first[i - 1] = first[i];
		flow->held_count--;
		if (flow->config->armv7m)
			return;
	}
	if (first->kind == HWF_FLOW_RANGE)
		cancel_insn(flow, offset);
	else if (first->kind == HWF_FLOW_BYTECODES && flow->passed)
		first->u.bytecodes.passed--;
	else if (first->kind == HWF_FLOW_BYTECODES)
		first->u.bytecodes.failed--;
}

static void give_exception(struct hwf_etm3_flow *flow, uint64_t offset, unsigned int number)
{
	struct hwf_flow_event event = {0};

	event.u.exception = (struct hwf_flow_exception){
		.type = hwf_etm3_exception_type(number, flow->config->armv7m),
		.number = (uint16_t)number,
	};
	hwf_etm3_give(flow, &event, offset, HWF_FLOW_EXCEPTION);
}

static void push_branch(struct hwf_etm3_flow *flow, uint64_t offset,
			const struct hwf_etm3_branch *branch)
{
	const unsigned int number = hwf_etm3_exception_number(branch);
	struct hwf_context context = flow->context;
	struct hwf_flow_event event = {0};
	uint32_t address;

	/* of several branch packets behind one instruction the last one counts: it may cancel it
	 * yet */
	if (branch->cancel)
		cancel(flow, offset);
	if (branch->cancel || number)
		hwf_etm3_commit(flow);
	address = hwf_etm3_expand(&flow->state, branch);
	if (branch->info) {
		bool hyp = branch->has_second ? branch->hyp : !context.el_unknown;

		set_mode(&context, branch->ns, hyp);
	}
	if (context.security != flow->context.security ||
	    context.el_unknown != flow->context.el_unknown)
		give_context(flow, offset, &context, flow->state.isa, &event);
	if (number)
		give_exception(flow, offset, number);
	flow->suspect = false;
	set_pc(flow, address);
}

void hwf_etm3_branch_to(struct hwf_etm3_flow *flow)
{
	flow->suspect = false;
	set_pc(flow, flow->state.address);
}

static void push_identifier(struct hwf_etm3_flow *flow, uint64_t offset,
			    const struct hwf_etm3_packet *packet)
{
	struct hwf_context context = flow->context;
	struct hwf_flow_event event = {0};

	if (packet->type == HWF_ETM3_VMID) {
		context.vmid = packet->u.vmid;
		context.has_vmid = true;
		event.u.context.gives_vmid = true;
	} else {
		context.cid = packet->u.cid;
		context.has_cid = true;
		event.u.context.gives_cid = true;
	}
	/* before the first I-sync the rest of the context is not known */
	if (flow->stage == HWF_ETM3_SYNCED)
		give_context(flow, offset, &context, flow->isa, &event);
	else
		flow->context = context;
}

static void push_timestamp(struct hwf_etm3_flow *flow, uint64_t offset,
			   const struct hwf_etm3_timestamp *timestamp)
{
	struct hwf_flow_event event = {0};

	event.u.timestamp.value = hwf_etm3_expand_timestamp(flow->config, &flow->state, timestamp);
	hwf_etm3_give(flow, &event, offset, HWF_FLOW_TIMESTAMP);
}

/*
 * ETMV3_CYCLE_COUNT. Cycles before the last I-sync, which is not periodic; 0: the counter
 * overflowed. ETMv3.0 counts no cycles through an overflow and Debug state, ETMv3.5 none through an
 * overflow.
 */
static void push_cycle_count(struct hwf_etm3_flow *flow, uint64_t offset, uint32_t cycles)
{
	const bool overflow = flow->reason == HWF_ETM3_OVERFLOW;
	const uint8_t minor = flow->config->minor;
	struct hwf_flow_event event = {.u.cycle_count = {.count = cycles}};

	event.u.cycle_count.unknown = !cycles || (overflow && (minor == 0 || minor == 5)) ||
				      (minor == 0 && flow->reason == HWF_ETM3_DEBUG_EXIT);
	hwf_etm3_give(flow, &event, offset, HWF_FLOW_CYCLE_COUNT);
}

static bool is_p_header(const struct hwf_etm3_packet *packet)
{
	return packet->type < HWF_ETM3_TYPES &&
	       hwf_etm3_type_codec(packet->type) == HWF_ETM3_CODEC_p_header;
}

/* A packet that means something before an I-sync too, or that needs none; false if it is none */
static bool push_any_time(struct hwf_etm3_flow *flow, uint64_t offset,
			  const struct hwf_etm3_packet *packet)
{
	struct hwf_flow_event event = {0};

	switch (packet->type) {
	case HWF_ETM3_I_SYNC:
	case HWF_ETM3_I_SYNC_WITH_CYCLE_COUNT:
		push_i_sync(flow, offset, packet);
		return true;
	case HWF_ETM3_TIMESTAMP:
		push_timestamp(flow, offset, &packet->u.timestamp);
		return true;
	case HWF_ETM3_CYCLE_COUNT:
		push_cycle_count(flow, offset, packet->u.cycles);
		return true;
	case HWF_ETM3_CONTEXT_ID:
	case HWF_ETM3_VMID:
		push_identifier(flow, offset, packet);
		return true;
	case HWF_ETM3_TRIGGER:
		hwf_etm3_give(flow, &event, offset, HWF_FLOW_TRIGGER);
		return true;
	default:
		break;
	}
	if (!is_p_header(packet))
		return false;
	hwf_etm3_follow(flow, offset, packet->type, &packet->u.atoms, 0);
	return true;
}

void hwf_etm3_flow_push(struct hwf_etm3_flow *flow, const struct hwf_etm3_packet *packet,
			uint64_t offset, int error, bool tentative)
{
	struct hwf_flow_event event = {0};

	if (!flow->begun)
		give_no_sync(flow, offset, HWF_NO_SYNC_INIT, 0);
	flow->begun = true;
	if (flow->waits && !is_p_header(packet))
		hwf_etm3_give_waits(flow, flow->last_offset);
	/* bytes passed over are one packet, even where they come in pieces */
	if (packet->type != HWF_ETM3_UNSYNC)
		flow->last_offset = offset;
	if (packet->type > HWF_ETM3_UNSYNC && flow->stage != HWF_ETM3_UNSYNCED) {
		lose(flow, offset, error);
		return;
	}
	if (packet->type >= HWF_ETM3_TYPES || tentative)
		return;
	if (packet->type == HWF_ETM3_A_SYNC && flow->stage == HWF_ETM3_UNSYNCED)
		flow->stage = HWF_ETM3_A_SYNCED;
	if (flow->stage == HWF_ETM3_UNSYNCED || push_any_time(flow, offset, packet) ||
	    flow->stage != HWF_ETM3_SYNCED)
		return;
	/* in data-only mode no I-sync says what its address goes on from */
	if (packet->type == HWF_ETM3_BRANCH_ADDRESS && !flow->config->data_only)
		push_branch(flow, offset, &packet->u.branch);
	else if (packet->type == HWF_ETM3_EXCEPTION_EXIT)
		hwf_etm3_give(flow, &event, offset, HWF_FLOW_EXCEPTION_RETURN);
}

void hwf_etm3_flow_flush(struct hwf_etm3_flow *flow)
{
	struct hwf_flow_event event = {0};

	hwf_etm3_give_waits(flow, flow->last_offset);
	hwf_etm3_commit(flow);
	hwf_etm3_give(flow, &event, flow->last_offset, HWF_FLOW_END);
}
