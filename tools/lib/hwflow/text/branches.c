/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Flow events as branches. */
#include "hwflow/branch.h"
#include "hwflow/riscv_flow.h"

const char *hwf_branch_kind_name(unsigned int kind)
{
	static const char *const names[HWF_BRANCH_KINDS] = {
		[HWF_BRANCH_START] = "start",
		[HWF_BRANCH_CONDITIONAL] = "conditional",
		[HWF_BRANCH_JUMP] = "jump",
		[HWF_BRANCH_INDIRECT] = "indirect jump",
		[HWF_BRANCH_CALL] = "call",
		[HWF_BRANCH_INDIRECT_CALL] = "indirect call",
		[HWF_BRANCH_RETURN] = "return",
		[HWF_BRANCH_EXCEPTION_RETURN] = "exception return",
		[HWF_BRANCH_EXCEPTION] = "exception",
	};

	return kind < HWF_BRANCH_KINDS ? names[kind] : "unknown";
}

static enum hwf_branch_kind kind_of(const struct hwf_insn *insn)
{
	const bool direct = insn->kind == HWF_INSN_DIRECT;

	switch (insn->sub) {
	case HWF_SUB_LINK:
		return direct ? HWF_BRANCH_CALL : HWF_BRANCH_INDIRECT_CALL;
	case HWF_SUB_RET:
	case HWF_SUB_IMPLIED_RET:
		return HWF_BRANCH_RETURN;
	case HWF_SUB_ERET:
		return HWF_BRANCH_EXCEPTION_RETURN;
	default:
		if (insn->conditional)
			return HWF_BRANCH_CONDITIONAL;
		return direct ? HWF_BRANCH_JUMP : HWF_BRANCH_INDIRECT;
	}
}

/* Execution is at an address now: gives the branch that led there. */
static void arrive(struct hwf_branches *branches, uint64_t offset, uint64_t address)
{
	struct hwf_branch *branch = &branches->pending;

	if (!branches->has_pending) {
		if (branches->joined)
			return;
		*branch = (struct hwf_branch){
			.offset = offset, .kind = HWF_BRANCH_START, .taken = true};
	}
	branch->to = address;
	branch->to_space = branches->space;
	branch->has_to = true;
	branches->has_pending = false;
	branches->joined = true;
	branches->branch(branches->ctx, branch);
}

/* What comes next does not follow from what was: the last branch went somewhere unknown. */
static void leave(struct hwf_branches *branches)
{
	if (branches->has_pending)
		branches->branch(branches->ctx, &branches->pending);
	branches->has_pending = false;
	branches->joined = false;
}

/* As far as an instruction determines it, which is a branch. Its trap is not set: it has none. */
static void set_branch(struct hwf_branch *branch, const struct hwf_insn *insn, uint64_t end,
		       const void *space, bool taken)
{
	const bool direct = insn->kind == HWF_INSN_DIRECT;

	branch->from = end - insn->size;
	branch->next = end;
	branch->from_space = branch->to_space = space;
	branch->kind = (uint8_t)kind_of(insn);
	branch->exception = 0;
	branch->is_trap = false;
	branch->taken = taken;
	branch->has_from = true;
	/* where a direct branch goes is known, whatever happens there */
	branch->to = !taken ? end : direct ? insn->target : 0;
	branch->has_to = !taken || direct;
}

struct hwf_branch hwf_branch_of_insn(const struct hwf_insn *insn, uint64_t end, const void *space,
				     bool taken)
{
	struct hwf_branch branch = {.kind = HWF_BRANCH_KINDS};

	if (insn->kind == HWF_INSN_DIRECT || insn->kind == HWF_INSN_INDIRECT)
		set_branch(&branch, insn, end, space, taken);
	return branch;
}

/* Does a range in the function that is summed end without a branch, with one that is not taken, or
 * with a jump within it?
 */
static bool is_inner(const struct hwf_branches_sum *sum, bool p0, const struct hwf_insn *insn,
		     bool taken)
{
	if (!p0 || !taken || (insn->kind != HWF_INSN_DIRECT && insn->kind != HWF_INSN_INDIRECT))
		return true;
	return insn->kind == HWF_INSN_DIRECT && insn->sub == HWF_SUB_NONE &&
	       hwf_branches_sum_has(sum, insn->target);
}

/* The last instruction is a branch, whose destination is the next one. */
static void leave_by(struct hwf_branches *branches, const struct hwf_insn *insn, uint64_t end,
		     uint64_t offset)
{
	set_branch(&branches->pending, insn, end, branches->space, true);
	branches->pending.offset = offset;
	branches->has_pending = true;
}

/* Did an indirect jump within that function lead to an address? */
static bool came_indirectly(const struct hwf_branches *branches, uint64_t address)
{
	const struct hwf_branches_sum *sum = branches->sum;
	const struct hwf_branch *pending = &branches->pending;

	return sum && sum->has_indirect && branches->has_pending &&
	       pending->kind == HWF_BRANCH_INDIRECT && hwf_branches_sum_has(sum, pending->from) &&
	       hwf_branches_sum_has(sum, address);
}

static bool has_range(const struct hwf_branches_sum *sum, uint64_t start, uint64_t end)
{
	return hwf_branches_sum_has(sum, start) && end - sum->start <= sum->end - sum->start;
}

static void take_range(struct hwf_branches *branches, const struct hwf_flow_event *event)
{
	const struct hwf_flow_range *range = &event->u.range;
	const struct hwf_insn *insn = &range->insn;
	struct hwf_branches_sum *sum = branches->sum;

	if (!came_indirectly(branches, range->start))
		arrive(branches, event->offset, range->start);
	branches->has_pending = false;
	branches->last = range->end - insn->size;
	branches->after_last = range->end;
	if (sum && has_range(sum, range->start, range->end)) {
		sum->instructions += range->instructions;
		sum->ranges++;
		if (!is_inner(sum, range->p0, insn, range->taken))
			leave_by(branches, insn, range->end, event->offset);
		return;
	}
	if (branches->range)
		branches->range(branches->ctx, event);
	if (!range->p0 || (insn->kind != HWF_INSN_DIRECT && insn->kind != HWF_INSN_INDIRECT))
		return;
	set_branch(&branches->pending, insn, range->end, branches->space, range->taken);
	branches->pending.offset = event->offset;
	branches->has_pending = range->taken;
	if (!range->taken)
		branches->branch(branches->ctx, &branches->pending);
}

static void take_exception(struct hwf_branches *branches, const struct hwf_flow_event *event)
{
	const struct hwf_flow_exception *exception = &event->u.exception;
	unsigned int call = HWF_EXC_CALL;

	if (branches->m_profile)
		call = HWF_EXC_M_SVC;
	if (exception->ret_is_target && exception->has_ret)
		arrive(branches, event->offset, exception->ret);
	if (branches->has_pending)
		leave(branches);
	branches->pending = (struct hwf_branch){
		.offset = event->offset,
		.from = exception->ret,
		.next = exception->ret,
		.from_space = branches->space,
		.kind = HWF_BRANCH_EXCEPTION,
		.exception = exception->type,
		.taken = true,
		.has_from = exception->has_ret,
	};
	/* SVC and the like return behind themselves */
	if (exception->type == call && branches->joined && exception->ret == branches->after_last)
		branches->pending.from = branches->last;
	branches->joined = false;
	branches->has_pending = true;
}

/* RISC-V: from the instruction that it returns to */
static void take_trap(struct hwf_branches *branches, const struct hwf_flow_event *event)
{
	const struct hwf_flow_trap *trap = &event->u.trap;

	if (branches->has_pending)
		leave(branches);
	branches->pending = (struct hwf_branch){
		.offset = event->offset,
		.from = trap->epc,
		.next = trap->epc,
		.from_space = branches->space,
		.kind = HWF_BRANCH_EXCEPTION,
		.trap = *trap,
		.is_trap = true,
		.taken = true,
		.has_from = trap->has_epc,
	};
	branches->joined = false;
	branches->has_pending = true;
}

static void take_counted(struct hwf_branches *branches, const struct hwf_flow_event *event)
{
	arrive(branches, event->offset, event->u.address);
	branches->has_pending = false;
	branches->joined = false;
}

void hwf_branches_init(struct hwf_branches *branches, const struct hwf_code *code,
		       hwf_branch_fn *branch, hwf_flow_fn *range, void *ctx)
{
	*branches =
		(struct hwf_branches){.code = code, .branch = branch, .range = range, .ctx = ctx};
}

void hwf_branches_push(struct hwf_branches *branches, const struct hwf_flow_event *event)
{
	const struct hwf_code *code = branches->code;

	switch (event->kind) {
	case HWF_FLOW_RANGE:
		take_range(branches, event);
		break;
	case HWF_FLOW_EXCEPTION:
		take_exception(branches, event);
		break;
	case HWF_FLOW_TRAP:
		take_trap(branches, event);
		break;
	case HWF_FLOW_CONTEXT:
		if (code->space)
			branches->space = code->space(code->ctx, &event->u.context.context);
		break;
	case HWF_FLOW_MODE:
		branches->space = hwf_riscv_space(code, &event->u.mode);
		break;
	case HWF_FLOW_COUNTED:
		take_counted(branches, event);
		break;
	case HWF_FLOW_Q_RANGE:
	case HWF_FLOW_GAP:
	case HWF_FLOW_NO_SYNC:
	case HWF_FLOW_TRACE_ON:
	case HWF_FLOW_END:
		leave(branches);
		break;
	default:
		break;
	}
}

/* Sums steps from a number on, up to one that is not in the function, or has to be arrived at. Its
 * number
 */
static size_t sum_steps(struct hwf_branches *branches, const struct hwf_steps *steps, size_t at)
{
	struct hwf_branches_sum *sum = branches->sum;
	const struct hwf_node *node, *last = NULL;
	uint64_t instructions = 0;
	const size_t first = at;

	if (!sum || !branches->joined)
		return at;
	while (at < steps->count && !branches->has_pending) {
		const uint32_t step = (uint32_t)steps->step[at];

		node = hwf_graph_node(steps->graph, HWF_STEP_NODE(step));
		if (step == HWF_STEP_CYCLES || !has_range(sum, node->start, node->end))
			break;
		if (!is_inner(sum, node->p0, &node->insn, HWF_STEP_TAKEN(step)))
			leave_by(branches, &node->insn, node->end,
				 steps->offset + HWF_STEP_OFFSET(steps->step[at]));
		instructions += node->instructions;
		last = node;
		at++;
	}
	if (!last)
		return at;
	sum->instructions += instructions;
	sum->ranges += at - first;
	branches->last = last->end - last->insn.size;
	branches->after_last = last->end;
	return at;
}

void hwf_branches_steps(struct hwf_branches *branches, const struct hwf_steps *steps,
			hwf_flow_fn *sink, void *ctx)
{
	struct hwf_flow_event event;

	for (size_t i = sum_steps(branches, steps, 0); i < steps->count;
	     i = sum_steps(branches, steps, i)) {
		i = hwf_steps_event(steps, i, &event);
		sink(ctx, &event);
	}
}
