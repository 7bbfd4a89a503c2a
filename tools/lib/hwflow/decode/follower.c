/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The follower: resolved elements to executed instructions (spec/ete-packets.md section 10,
 * "Walking from P0 to P0"). If the program or the trace does not determine the next instruction,
 * the follower gives a gap and continues at the next address of the trace.
 */
#include "decode/follower.h"

#include "code/insn/next.h"

/* From here on, an address of the M profile is EXC_RETURN, which is no address of code */
#define EXC_RETURN 0xff000000u

void hwf_follower_init(struct hwf_follower *follower, const struct hwf_ete_config *config,
		       const struct hwf_code *code, hwf_flow_fn *sink, void *sink_ctx)
{
	*follower = (struct hwf_follower){
		.config = config,
		.code = code,
		.sink = sink,
		.sink_ctx = sink_ctx,
		.fresh = true,
	};
}

static bool has_graph(const struct hwf_follower *follower)
{
	return follower->graph && follower->by_graph;
}

void hwf_flow_give(struct hwf_follower *follower, struct hwf_flow_event *event, uint64_t offset,
		   uint8_t kind)
{
	if (has_graph(follower))
		follower->by_graph->before_event(follower, offset, kind);
	event->offset = offset;
	event->kind = kind;
	follower->sink(follower->sink_ctx, event);
}

/* Give a gap: execution is unknown from here to the next address. A gap is given once. */
void hwf_flow_gap(struct hwf_follower *follower, uint64_t offset, enum hwf_gap reason)
{
	struct hwf_flow_event event = {0};

	event.u.gap = (struct hwf_flow_gap){
		.address = follower->pc,
		.p0_elements = 1,
		.reason = (uint8_t)reason,
		.has_address = follower->has_pc,
	};
	follower->has_pc = false;
	follower->pop_pending = false;
	follower->returned = false;
	if (follower->gap_open)
		return;
	follower->gap_open = true;
	hwf_flow_give(follower, &event, offset, HWF_FLOW_GAP);
}

void hwf_flow_set_pc(struct hwf_follower *follower, struct hwf_el_address address)
{
	hwf_flow_put_pc(follower, address);
	if (follower->last_is_counted)
		follower->by_graph->jump(follower, address.value | address.is);
}

/* The target of an indirect branch has not been traced: it is on the return stack. */
bool hwf_flow_pop_return(struct hwf_follower *follower)
{
	if (!follower->pop_pending)
		return true;
	follower->pop_pending = false;
	if (!hwf_return_stack_pop(&follower->stack, &follower->pc, &follower->isa))
		return false;
	follower->is = follower->isa == HWF_ISA_T32;
	follower->has_pc = true;
	if (follower->last_is_counted)
		follower->by_graph->jump(follower, follower->pc | follower->is);
	return true;
}

/* Are address and context known, which a walk needs? Otherwise give a gap with the reason. */
bool hwf_flow_ready(struct hwf_follower *follower, uint64_t offset)
{
	if (!hwf_flow_pop_return(follower)) {
		hwf_flow_gap(follower, offset, HWF_GAP_RETURN_STACK);
		return false;
	}
	if (!follower->has_context) {
		hwf_flow_gap(follower, offset,
			     follower->config->load_store_p0 ? HWF_GAP_LOAD_STORE
							     : HWF_GAP_NO_CONTEXT);
		return false;
	}
	if (!follower->has_pc) {
		hwf_flow_gap(follower, offset, HWF_GAP_NO_ADDRESS);
		return false;
	}
	/* what is executed has the instruction set of the context: IS1 in AArch64 says nothing */
	follower->is = follower->isa == HWF_ISA_T32;
	return true;
}

void hwf_flow_range(struct hwf_follower *follower, uint64_t offset, uint64_t start,
		    const struct hwf_run *run, bool taken, bool p0)
{
	struct hwf_flow_event event;

	event.u.range = (struct hwf_flow_range){
		.start = start,
		.end = run->end,
		.instructions = run->instructions,
		.isa = follower->isa,
		.taken = taken,
		.p0 = p0,
		.insn = run->insn,
	};
	hwf_flow_give(follower, &event, offset, HWF_FLOW_RANGE);
}

/*
 * Push a call whose Atom was traced as taken, even if a Mispredict corrected the Atom (R_FFXPW,
 * R_NYHFH).
 */
static void push_call(struct hwf_follower *follower, const struct hwf_run *run)
{
	if (run->insn.sub == HWF_SUB_LINK && follower->config->return_stack &&
	    !follower->push_awaits)
		hwf_return_stack_push(&follower->stack, run->end, follower->isa);
}

void hwf_flow_go_on(struct hwf_follower *follower, uint64_t offset, const struct hwf_insn *insn,
		    uint64_t end, uint8_t isa, bool taken)
{
	struct hwf_flow_event event;

	follower->has_pc = hwf_insn_next(insn, end, isa, taken, &follower->pc, &follower->isa);
	follower->is = follower->isa == HWF_ISA_T32;
	if (follower->has_pc)
		return;
	follower->pop_pending = follower->config->return_stack;
	if (insn->sub == HWF_SUB_ERET && !follower->config->traces_eret)
		hwf_flow_give(follower, &event, offset, HWF_FLOW_EXCEPTION_RETURN);
}

static enum hwf_gap run_gap(int status)
{
	return status == HWF_ERR_NO_IMAGE ? HWF_GAP_NO_IMAGE : HWF_GAP_RUN_TOO_LONG;
}

/* A walk ended before its P0 instruction or address: give its instructions, then a gap. */
void hwf_flow_broken_run(struct hwf_follower *follower, uint64_t offset, const struct hwf_run *run)
{
	if (run->instructions)
		hwf_flow_range(follower, offset, follower->pc, run, true, false);
	follower->pc = run->end;
	hwf_flow_gap(follower, offset, run_gap(run->status));
}

void hwf_flow_find_run(const struct hwf_follower *follower, struct hwf_run *run)
{
	const struct hwf_code *code = follower->code;

	if (code->run)
		code->run(code->ctx, follower->space, follower->pc, (enum hwf_isa)follower->isa,
			  run);
	else
		hwf_run_walk(code, follower->space, follower->pc, (enum hwf_isa)follower->isa,
			     follower->config->wfx, HWF_RUN_MAX, UINT64_MAX, run);
}

void hwf_flow_atom(struct hwf_follower *follower, uint64_t offset, bool e, bool corrected)
{
	struct hwf_run run;
	uint64_t start;

	if (!hwf_flow_ready(follower, offset))
		return;
	hwf_flow_find_run(follower, &run);
	if (run.status) {
		hwf_flow_broken_run(follower, offset, &run);
		return;
	}
	if (!e && !hwf_flow_n_is_possible(follower->isa, &run.insn)) {
		hwf_flow_gap(follower, offset, HWF_GAP_MISMATCH);
		return;
	}
	start = follower->pc;
	hwf_flow_range(follower, offset, start, &run, e, true);
	if (e != corrected)
		push_call(follower, &run);
	hwf_flow_go_on(follower, offset, &run.insn, run.end, follower->isa, e);
}

/* Atoms, oldest first; each is one range. */
static void push_atoms(struct hwf_follower *follower, const struct hwf_element *element)
{
	const struct hwf_ete_atoms *atoms = &element->u.atoms;
	const uint64_t offset = element->offset;
	uint32_t corrected = element->corrected;
	uint32_t bits = atoms->bits;

	if (has_graph(follower)) {
		follower->by_graph->atoms(follower, offset, atoms, corrected);
		return;
	}

	for (unsigned int i = 0; i < atoms->count; i++, bits >>= 1, corrected >>= 1)
		hwf_flow_atom(follower, offset, bits & 1, corrected & 1);
}

/*
 * I_DJTGL: execution continued up to and including the instruction at the Source Address, which was
 * taken. P0 instructions before it were not taken.
 */
static void push_source(struct hwf_follower *follower, const struct hwf_element *element)
{
	uint64_t source = element->u.address.value;
	struct hwf_run run = {0};
	uint64_t last;

	hwf_flow_pop_return(follower);
	if (!follower->has_pc)
		hwf_flow_set_pc(follower, element->u.address);
	if (!hwf_flow_ready(follower, element->offset))
		return;
	if (source < follower->pc) {
		hwf_flow_gap(follower, element->offset, HWF_GAP_MISMATCH);
		return;
	}
	if (!hwf_flow_walk_to(follower, element->offset, source, true, &run))
		return;
	last = source;
	if (!hwf_insn_is_p0(&run.insn, follower->config->wfx) || run.end != last + run.insn.size) {
		hwf_flow_gap(follower, element->offset, HWF_GAP_MISMATCH);
		return;
	}
	hwf_flow_range(follower, element->offset, follower->pc, &run, true, true);
	push_call(follower, &run);
	hwf_flow_go_on(follower, element->offset, &run.insn, run.end, follower->isa, true);
}

/* S_GKMTH, S_RDJXM: execution may not have ended at the return address of the exception. */
static bool is_imprecise(const struct hwf_ete_config *config, unsigned int type)
{
	if (config->m_profile)
		return type == HWF_EXC_M_DEBUG_HALT;
	return type == HWF_EXC_SYSTEM_ERROR || type == HWF_EXC_DEBUG_HALT;
}

static bool returns_nowhere(const struct hwf_follower *follower,
			    const struct hwf_el_exception *exception)
{
	return follower->config->m_profile && exception->ret.value >= EXC_RETURN;
}

/*
 * ETMV4_TAIL_CHAIN: an M-profile PE that returns from an exception while another one is pending
 * takes that one at once. No instruction is executed, and no address is traced, between the two.
 */
static bool is_tail_chained(const struct hwf_follower *follower,
			    const struct hwf_el_exception *exception)
{
	return follower->returned || returns_nowhere(follower, exception);
}

static void give_exception(struct hwf_follower *follower, const struct hwf_element *element,
			   bool after_gap)
{
	const struct hwf_el_exception *exception = &element->u.exception;
	const bool has_ret = exception->has_ret && !returns_nowhere(follower, exception);
	struct hwf_flow_event event;

	event.u.exception = (struct hwf_flow_exception){
		.ret = exception->ret.value,
		.type = exception->type,
		.has_ret = has_ret,
		.ret_is_target = has_ret && exception->ret_is_target,
		.imprecise = is_imprecise(follower->config, exception->type),
		.after_gap = after_gap,
	};
	follower->has_pc = false;
	follower->pop_pending = false;
	follower->returned = false;
	hwf_flow_give(follower, &event, element->offset, HWF_FLOW_EXCEPTION);
}

/* Execution continued up to the preferred exception return address. */
static void push_exception(struct hwf_follower *follower, const struct hwf_element *element)
{
	const struct hwf_el_exception *exception = &element->u.exception;
	const bool after_gap = follower->gap_open && !exception->ret_is_target;
	struct hwf_run run = {0};

	if (!exception->has_ret || is_tail_chained(follower, exception)) {
		/* I_QJYYZ: a PE Reset may have no return address */
		give_exception(follower, element, after_gap);
		return;
	}
	if (exception->ret_is_target)
		hwf_flow_set_pc(follower, exception->ret);
	if (hwf_flow_ready(follower, element->offset) && follower->pc != exception->ret.value) {
		if (exception->ret.value < follower->pc)
			hwf_flow_gap(follower, element->offset, HWF_GAP_MISMATCH);
		else if (hwf_flow_walk_to(follower, element->offset, exception->ret.value, false,
					  &run) &&
			 run.instructions)
			hwf_flow_range(follower, element->offset, follower->pc, &run, true, false);
	}
	give_exception(follower, element, after_gap);
}

/* With the new context, the IS of the address before it may be another instruction set. */
static void push_context(struct hwf_follower *follower, const struct hwf_element *element)
{
	const struct hwf_context *context = &element->u.context.context;
	/* of the address in the same packet; otherwise the present one, which branches change */
	uint8_t is = element->u.context.has_is ? element->u.context.is : follower->is;
	struct hwf_flow_event event;

	event.u.context = (struct hwf_flow_context){
		.context = *context,
		.isa = hwf_flow_isa(context, is),
		.changed =
			!follower->has_context || !hwf_context_equal(context, &follower->context),
		.gives_vmid = element->u.context.gives_vmid,
		.gives_cid = element->u.context.gives_cid,
	};
	follower->context = *context;
	follower->isa = event.u.context.isa;
	/* with loads and stores as P0 elements, the P0 instructions are unknown: no walk */
	follower->has_context = !follower->config->load_store_p0;
	follower->push_awaits &= (uint8_t)~HWF_PUSH_AWAITS_CONTEXT;
	hwf_flow_give(follower, &event, element->offset, HWF_FLOW_CONTEXT);
	if (event.u.context.changed && follower->code->space)
		follower->space = follower->code->space(follower->code->ctx, context);
}

/* Untraced execution before a Trace On may include exec: the address space is looked up again. */
static void push_trace_on(struct hwf_follower *follower, const struct hwf_element *element)
{
	struct hwf_flow_event event = {.u.trace_on = {.overflow = element->u.overflow}};

	hwf_return_stack_flush(&follower->stack);
	follower->has_pc = false;
	follower->pop_pending = false;
	follower->returned = false;
	follower->gap_open = false;
	hwf_flow_give(follower, &event, element->offset, HWF_FLOW_TRACE_ON);
	if (follower->has_context && follower->code->space)
		follower->space = follower->code->space(follower->code->ctx, &follower->context);
}

/*
 * The trace unit empties its return stack at a Trace Info, and pushes no call before it has output
 * an address and a Context (R_GZSSX). A return before the Trace Info may have matched the stack:
 * its address is taken from the stack first.
 */
static void push_trace_info(struct hwf_follower *follower, const struct hwf_element *element)
{
	struct hwf_flow_event event = {.u.transaction = HWF_TRANSACTION_INIT};

	hwf_flow_pop_return(follower);
	hwf_return_stack_flush(&follower->stack);
	follower->push_awaits = HWF_PUSH_AWAITS_ADDRESS | HWF_PUSH_AWAITS_CONTEXT;
	if (follower->fresh && element->u.trace_info.info & HWF_ETE_INFO_IN_TRANSACTION)
		hwf_flow_give(follower, &event, element->offset, HWF_FLOW_TRANSACTION);
	follower->fresh = false;
}

static void push_transaction(struct hwf_follower *follower, const struct hwf_element *element,
			     enum hwf_transaction what)
{
	struct hwf_flow_event event = {.u.transaction = (uint8_t)what};

	hwf_flow_give(follower, &event, element->offset, HWF_FLOW_TRANSACTION);
}

static void push_no_sync(struct hwf_follower *follower, const struct hwf_element *element)
{
	struct hwf_flow_event event = {.u.no_sync = element->u.no_sync};

	hwf_return_stack_flush(&follower->stack);
	follower->has_pc = false;
	follower->has_context = false;
	follower->pop_pending = false;
	follower->returned = false;
	follower->gap_open = false;
	follower->fresh = true;
	hwf_flow_give(follower, &event, element->offset, HWF_FLOW_NO_SYNC);
}

/* Elements that are no program flow: each is an event of its own. */
static void push_other(struct hwf_follower *follower, const struct hwf_element *element)
{
	struct hwf_flow_event event;

	switch (element->kind) {
	case HWF_EL_CYCLE_COUNT:
		if (follower->counting)
			break;
		event.u.cycle_count = element->u.cycle_count;
		hwf_flow_give(follower, &event, element->offset, HWF_FLOW_CYCLE_COUNT);
		break;
	case HWF_EL_TIMESTAMP:
		event.u.timestamp = element->u.timestamp;
		hwf_flow_give(follower, &event, element->offset, HWF_FLOW_TIMESTAMP);
		break;
	case HWF_EL_TIMESTAMP_MARKER:
		hwf_flow_give(follower, &event, element->offset, HWF_FLOW_TIMESTAMP_MARKER);
		break;
	case HWF_EL_EVENT:
		event.u.event = element->u.event;
		hwf_flow_give(follower, &event, element->offset, HWF_FLOW_EVENT);
		break;
	case HWF_EL_EXCEPTION_RETURN:
		/* its target is never that of the return stack */
		follower->pop_pending = false;
		follower->returned = follower->config->m_profile && !follower->has_pc;
		hwf_flow_give(follower, &event, element->offset, HWF_FLOW_EXCEPTION_RETURN);
		break;
	case HWF_EL_INSTRUMENTATION:
		event.u.instrumentation = element->u.instrumentation;
		hwf_flow_give(follower, &event, element->offset, HWF_FLOW_INSTRUMENTATION);
		break;
	case HWF_EL_END:
		event.u.overflow = element->u.overflow;
		hwf_flow_give(follower, &event, element->offset, HWF_FLOW_END);
		break;
	default:
		break;
	}
}

static void push_flow(struct hwf_follower *follower, const struct hwf_element *element)
{
	switch (element->kind) {
	case HWF_EL_EXCEPTION:
		push_exception(follower, element);
		break;
	case HWF_EL_SOURCE_ADDRESS:
		push_source(follower, element);
		break;
	case HWF_EL_Q:
		hwf_flow_push_q(follower, element);
		break;
	case HWF_EL_TARGET_ADDRESS:
		hwf_flow_set_pc(follower, element->u.address);
		break;
	case HWF_EL_CONTEXT:
		push_context(follower, element);
		break;
	case HWF_EL_TRACE_ON:
		push_trace_on(follower, element);
		break;
	case HWF_EL_TRACE_INFO:
		push_trace_info(follower, element);
		break;
	case HWF_EL_TRANSACTION_START:
		push_transaction(follower, element, HWF_TRANSACTION_START);
		break;
	case HWF_EL_TRANSACTION_COMMIT:
		push_transaction(follower, element, HWF_TRANSACTION_COMMIT);
		break;
	case HWF_EL_TRANSACTION_FAILURE:
		push_transaction(follower, element, HWF_TRANSACTION_FAILURE);
		break;
	case HWF_EL_NO_SYNC:
		push_no_sync(follower, element);
		break;
	default:
		push_other(follower, element);
		break;
	}
}

/* Does an element leave the address of execution as it is? */
static bool keeps_address(const struct hwf_element *element)
{
	switch (element->kind) {
	case HWF_EL_CYCLE_COUNT:
	case HWF_EL_TIMESTAMP:
	case HWF_EL_TIMESTAMP_MARKER:
	case HWF_EL_EVENT:
	case HWF_EL_INSTRUMENTATION:
		return true;
	default:
		return false;
	}
}

void hwf_follower_push(struct hwf_follower *follower, const struct hwf_element *element)
{
	if (keeps_address(element)) {
		push_other(follower, element);
		return;
	}
	if (follower->q_pending && hwf_flow_complete_q(follower, element))
		return;
	if (element->kind == HWF_EL_ATOM) {
		push_atoms(follower, element);
	} else {
		follower->number = 0;
		push_flow(follower, element);
	}
	if (follower->q_context_pending && !follower->q_pending) {
		follower->q_context_pending = false;
		push_context(follower, &follower->q_context);
	}
}
