/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Counting flow events one by one. */
#include "hwflow/riscv_flow.h"
#include "profile/profile_private.h"

void hwf_profile_walk_init(struct hwf_profile_walk *walk, struct hwf_profile *profile,
			   const struct hwf_code *code)
{
	*walk = (struct hwf_profile_walk){.profile = profile, .code = code};
	hwf_profile_set_times(profile, &(struct hwf_profile_times){0});
}

/* The block of a range, without counts if it is new; NULL without memory */
static struct hwf_profile_block *block_of(struct hwf_profile *profile, const void *space,
					  const struct hwf_flow_range *range)
{
	const struct hwf_profile_block key = {
		.start = range->start,
		.end = range->end,
		.space = space,
		.insn = range->insn,
		.instructions = range->instructions,
		.isa = range->isa,
		.p0 = range->p0,
	};

	return hwf_profile_block(profile, &key);
}

/* Execution continues at an address. */
static void arrive(struct hwf_profile_walk *walk, uint64_t address)
{
	const struct hwf_insn *insn = &walk->last.insn;
	struct hwf_profile_block *block;

	if (!walk->has_branch)
		return;
	walk->has_branch = false;
	if (insn->kind == HWF_INSN_DIRECT) {
		if (insn->target == address)
			return;
		block = block_of(walk->profile, walk->last_space, &walk->last);
		if (block)
			block->diverted++;
	}
	hwf_profile_add_edge(walk->profile, &(struct hwf_profile_edge){
						    .from = walk->last.end - insn->size,
						    .to = address,
						    .from_space = walk->last_space,
						    .to_space = walk->space,
						    .count = 1,
						    .insn = *insn,
					    });
}

static bool is_branch(const struct hwf_insn *insn)
{
	return insn->kind == HWF_INSN_DIRECT || insn->kind == HWF_INSN_INDIRECT;
}

static void take_range(struct hwf_profile_walk *walk, const struct hwf_flow_range *range)
{
	struct hwf_profile_block *block;

	arrive(walk, range->start);
	block = block_of(walk->profile, walk->space, range);
	if (block) {
		*(range->taken ? &block->taken : &block->not_taken) += 1;
		if (!block->first.order)
			block->first = hwf_first_next(&walk->profile->latest);
	}
	if (!range->p0 || !range->taken || !is_branch(&range->insn))
		return;
	walk->has_branch = true;
	walk->last = *range;
	walk->last_space = walk->space;
}

static void take_exception(struct hwf_profile_walk *walk,
			   const struct hwf_flow_exception *exception)
{
	/* no instruction was executed at the destination */
	if (exception->ret_is_target && exception->has_ret)
		arrive(walk, exception->ret);
	walk->has_branch = false;
}

/* 0 is no time */
static void take_timestamp(struct hwf_profile *profile, uint64_t value)
{
	if (!value)
		return;
	if (!profile->first_time)
		profile->first_time = value;
	profile->latest.time = value;
}

void hwf_profile_walk_push(void *ctx, const struct hwf_flow_event *event)
{
	struct hwf_profile_walk *walk = ctx;
	const struct hwf_code *code = walk->code;

	switch (event->kind) {
	case HWF_FLOW_RANGE:
		take_range(walk, &event->u.range);
		break;
	case HWF_FLOW_COUNTED:
		arrive(walk, event->u.address);
		break;
	case HWF_FLOW_CONTEXT:
		if (code->space)
			walk->space = code->space(code->ctx, &event->u.context.context);
		break;
	case HWF_FLOW_MODE:
		walk->space = hwf_riscv_space(code, &event->u.mode);
		break;
	case HWF_FLOW_TIMESTAMP:
		take_timestamp(walk->profile, event->u.timestamp.value);
		break;
	case HWF_FLOW_EXCEPTION:
		take_exception(walk, &event->u.exception);
		break;
	case HWF_FLOW_TRAP:
	case HWF_FLOW_Q_RANGE:
	case HWF_FLOW_GAP:
	case HWF_FLOW_NO_SYNC:
	case HWF_FLOW_TRACE_ON:
	case HWF_FLOW_END:
		walk->has_branch = false;
		break;
	default:
		break;
	}
}
