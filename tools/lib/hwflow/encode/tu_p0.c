/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Executed instructions and exceptions into P0 elements. */
#include "encode/tu.h"

static void add_p0(struct hwf_tu *unit, const struct tu_step *step)
{
	if (unit->special != 0 && hwf_tu_special_p0(unit, step))
		return;
	hwf_tu_make_room(unit);
	tu_add_atom(unit, step->taken);
	tu_count_p0(unit);
	if (step->taken)
		hwf_tu_called(unit, step);
	hwf_tu_moved(unit, step);
	if (unit->due != 0)
		hwf_tu_settle(unit);
}

/* The instruction is the plain successor of the last, and filtered like it. */
static inline bool follows(const struct hwf_tu *unit, uint64_t pc, enum hwf_isa isa)
{
	return unit->attention == 0 && pc == unit->next_pc && isa == unit->next_isa &&
	       pc - unit->window_low <= unit->window_span;
}

static void take_insn(struct hwf_tu *unit, const struct tu_step *step)
{
	bool traced = follows(unit, step->at.pc, step->at.isa) || hwf_tu_attend(unit, &step->at);

	unit->next_pc = step->next.pc;
	unit->next_isa = step->next.isa;
	unit->exec += traced;
	if (traced && hwf_insn_is_p0(step->insn, unit->config.wfx))
		add_p0(unit, step);
	tu_done(unit);
}

void hwf_tu_insn(struct hwf_tu *unit, uint64_t pc, enum hwf_isa isa, const struct hwf_insn *insn,
		 bool taken, uint64_t next, enum hwf_isa next_isa)
{
	/* Most instructions end here. */
	if (insn->kind == HWF_INSN_OTHER && follows(unit, pc, isa)) {
		unit->next_pc = next;
		unit->exec++;
	} else {
		struct tu_step step = {
			.at = {.pc = pc, .isa = isa},
			.next = {.pc = next, .isa = next_isa},
			.insn = insn,
			.taken = taken,
		};

		take_insn(unit, &step);
	}
	if (--unit->tick == 0)
		hwf_tu_tick(unit);
}

/* Instructions from @pc on, of @count that have @size bytes each, that are filtered alike. */
static uint32_t filtered_alike(struct hwf_tu *unit, uint64_t pc, uint32_t count, uint32_t size)
{
	uint64_t rest;

	if (pc - unit->window_low > unit->window_span)
		hwf_tu_window(unit, pc);
	/* An instruction belongs to where it begins. */
	rest = (unit->window_span - (pc - unit->window_low)) / size;
	return rest < count ? (uint32_t)rest + 1 : count;
}

/* The block crosses a filter bound, or something is due. */
static void split_block(struct hwf_tu *unit, struct tu_place at, uint32_t count, uint32_t size)
{
	while (count != 0) {
		uint32_t part = filtered_alike(unit, at.pc, count, size);

		if (hwf_tu_attend(unit, &at))
			unit->exec += part;
		at.pc += (uint64_t)part * size;
		count -= part;
		unit->next_pc = at.pc;
		unit->next_isa = at.isa;
	}
	tu_done(unit);
}

void hwf_tu_block(struct hwf_tu *unit, uint64_t pc, enum hwf_isa isa, uint32_t instructions,
		  uint64_t bytes)
{
	uint64_t from = pc - unit->window_low;
	uint64_t ticks = instructions;

	if (instructions == 0 || bytes == 0)
		return;
	if (follows(unit, pc, isa) && bytes - 1 <= unit->window_span - from) {
		unit->exec += instructions;
		unit->next_pc = pc + bytes;
	} else {
		split_block(unit, (struct tu_place){.pc = pc, .isa = isa}, instructions,
			    (uint32_t)(bytes / instructions));
	}
	while (ticks >= unit->tick) {
		ticks -= unit->tick;
		hwf_tu_tick(unit);
	}
	unit->tick -= ticks;
}

/* Is all that a run does to add an Atom, @bytes before its last instruction? */
static inline bool is_plain_run(const struct hwf_tu *unit, uint64_t pc, enum hwf_isa isa,
				uint64_t bytes, uint32_t instructions, const struct hwf_insn *last)
{
	return follows(unit, pc, isa) && bytes <= unit->window_span - (pc - unit->window_low) &&
	       unit->special == 0 && unit->due == 0 && instructions < unit->tick &&
	       last->kind == HWF_INSN_DIRECT && last->sub != HWF_SUB_LINK && !unit->broadcast_on;
}

void hwf_tu_run(struct hwf_tu *unit, uint64_t pc, enum hwf_isa isa, uint32_t instructions,
		const struct hwf_insn *last, bool taken, uint64_t next)
{
	uint32_t straight = instructions - 1;
	uint64_t bytes = (uint64_t)straight * last->size;

	if (!is_plain_run(unit, pc, isa, bytes, instructions, last)) {
		hwf_tu_block(unit, pc, isa, straight, bytes);
		hwf_tu_insn(unit, pc + bytes, isa, last, taken, next, isa);
		return;
	}
	if (unit->depth_limit != 0)
		hwf_tu_make_room(unit);
	tu_add_atom(unit, taken);
	tu_count_p0(unit);
	unit->next_pc = next;
	unit->target = (struct tu_place){.pc = next, .isa = isa};
	unit->target_is_cse = false;
	unit->tick -= instructions;
	tu_done(unit);
}

/* ---- many runs ---- */

/*
 * Most runs do no more than add an Atom, after the target of an indirect branch before them. These
 * are traced by plain_runs(), which looks once at all that such runs do not change.
 */

/* Nothing but the target of the newest P0 element is due, and the next P0 element is an Atom. */
static bool steady(const struct hwf_tu *unit)
{
	return (unit->attention & ~TU_ATT_TARGET) == 0 && unit->special == 0 && unit->due == 0 &&
	       unit->depth_limit == 0 && !unit->redirect && !unit->broadcast_on && !unit->defer &&
	       unit->next_isa == HWF_ISA_A64;
}

/* May the Atoms and the address that wait complete the bytes until a synchronisation? */
static bool sync_is_near(const struct hwf_tu *unit)
{
	return unit->options.sync_period != 0 &&
	       unit->output - unit->sync_mark + 64 >= unit->options.sync_period;
}

/* Bytes before the last instruction */
static inline uint64_t straight_bytes(const struct hwf_tu_code *code)
{
	return 4 * (uint64_t)(code->instructions - 1);
}

/* Does @run lead to @next? Then @taken says how. */
static inline bool leads_to(const struct hwf_tu_run *run, uint64_t next, bool *taken)
{
	const struct hwf_tu_code *code = run->code;

	*taken = code->last.kind != HWF_INSN_DIRECT ||
		 next == code->last.target + (run->pc - code->pc);
	if (*taken && (code->last.kind == HWF_INSN_DIRECT || code->last.kind == HWF_INSN_INDIRECT))
		return true;
	return next == run->pc + straight_bytes(code) + 4;
}

/* Is it filtered as the last one, and ends before anything is due? */
static inline bool is_within(const struct hwf_tu *unit, const struct hwf_tu_run *run)
{
	uint64_t from = run->pc - unit->window_low;

	return from <= unit->window_span && straight_bytes(run->code) <= unit->window_span - from &&
	       run->code->instructions < unit->tick;
}

/* Is its last instruction a branch that the return stack has nothing to do with? */
static inline bool is_plain_branch(const struct hwf_tu *unit, const struct hwf_insn *insn)
{
	if (insn->kind == HWF_INSN_DIRECT)
		return insn->sub != HWF_SUB_LINK || !unit->return_stack_on;
	return insn->kind == HWF_INSN_INDIRECT && insn->sub != HWF_SUB_ERET &&
	       !unit->return_stack_on;
}

/* What is due after plain runs, of which the last led to @next */
static void end_plain(struct hwf_tu *unit, uint64_t next)
{
	unit->exec = 0;
	unit->omitted = false;
	unit->next_pc = next;
	unit->target = (struct tu_place){.pc = next, .isa = HWF_ISA_A64};
	unit->target_is_cse = false;
}

static void go_indirect(struct hwf_tu *unit, const struct hwf_insn *insn)
{
	unit->target_how = insn->sub != HWF_SUB_LINK ? TU_TARGET_RETURN : TU_TARGET_PLAIN;
	unit->attention |= TU_ATT_TARGET;
}

/* The plain runs that @runs begin with. Return: how many */
static size_t plain_runs(struct hwf_tu *unit, const struct hwf_tu_run *runs, size_t count)
{
	const struct hwf_tu_run *run = runs, *last = runs + count - 1;
	/* most trace units have neither filters nor intervals */
	bool bounded = unit->window_span != UINT64_MAX || unit->tick != UINT64_MAX;
	bool taken;

	if (run->pc != unit->next_pc)
		return 0;
	for (; run < last && run[1].code != NULL; run++) {
		const struct hwf_insn *insn = &run->code->last;

		if (!is_plain_branch(unit, insn) || !leads_to(run, run[1].pc, &taken) ||
		    (bounded && !is_within(unit, run)))
			break;
		if (unit->attention != 0) {
			if (unit->attention != TU_ATT_TARGET || sync_is_near(unit))
				break;
			hwf_tu_settle_place(unit);
		}
		tu_add_atom(unit, taken);
		if (bounded)
			unit->tick -= run->code->instructions;
		if (insn->kind == HWF_INSN_INDIRECT) {
			end_plain(unit, run[1].pc);
			go_indirect(unit, insn);
		}
		tu_done(unit);
	}
	if (run != runs)
		end_plain(unit, run->pc);
	return (size_t)(run - runs);
}

/* A run that is not plain; false: it does not lead to @next. */
static bool other_run(struct hwf_tu *unit, const struct hwf_tu_run *run, uint64_t next)
{
	const struct hwf_tu_code *code = run->code;
	struct hwf_insn last = code->last;
	bool taken;

	if (!leads_to(run, next, &taken))
		return false;
	last.target += run->pc - code->pc;
	if (last.kind == HWF_INSN_OTHER)
		hwf_tu_block(unit, run->pc, HWF_ISA_A64, code->instructions,
			     4 * (uint64_t)code->instructions);
	else
		hwf_tu_run(unit, run->pc, HWF_ISA_A64, code->instructions, &last, taken, next);
	return true;
}

size_t hwf_tu_runs(struct hwf_tu *unit, const struct hwf_tu_run *runs, size_t count)
{
	size_t i = 0;

	while (i + 1 < count) {
		if (steady(unit) && runs[i].code != NULL)
			i += plain_runs(unit, &runs[i], count - i);
		if (i + 1 >= count || runs[i].code == NULL || runs[i + 1].code == NULL ||
		    !other_run(unit, &runs[i], runs[i + 1].pc))
			break;
		i++;
	}
	return i;
}

/* ---- exceptions ---- */

/* Make known what the Exception element builds on; true for the form with E1:E0 = 10. */
static bool prepare_exception(struct hwf_tu *unit, uint8_t type, const struct tu_place *ret)
{
	bool pending;

	if (unit->q_open)
		hwf_tu_q_end(unit, ret);
	if ((unit->attention & TU_ATT_SYNC) != 0)
		hwf_tu_sync_due(unit);
	pending = (unit->attention & TU_ATT_TARGET) != 0;
	/*
	 * The return address is the target that is still to be output. After a synchronisation
	 * the Target Address element has to come first (R_KKQGK, R_DLPYX).
	 */
	if (pending && unit->target_how != TU_TARGET_FORCED && unit->exec == 0 &&
	    type != HWF_EXC_PE_RESET && tu_same_place(ret, &unit->target)) {
		if (hwf_tu_context_due(unit))
			hwf_tu_put_context(unit);
		unit->attention &= ~TU_ATT_CONTEXT;
		return true;
	}
	hwf_tu_settle_place(unit);
	if (!pending && (unit->special & TU_SPECIAL_SPEC) != 0 && ret->pc == unit->next_pc)
		hwf_tu_spec_exception(unit, ret);
	return false;
}

static void trace_exception(struct hwf_tu *unit, uint8_t type, const struct tu_place *ret,
			    const struct tu_place *target)
{
	struct hwf_element element = {.kind = HWF_EL_EXCEPTION};
	struct hwf_el_exception *exception = &element.u.exception;

	exception->type = type;
	exception->ret = tu_address(ret);
	/* that of an ETMv4 has an address */
	exception->has_ret =
		type != HWF_EXC_PE_RESET || unit->config.protocol == HWF_PROTOCOL_ETMV4;
	exception->ret_is_target = prepare_exception(unit, type, ret);
	hwf_tu_make_room(unit);
	hwf_tu_put(unit, &element);
	tu_count_p0(unit);
	unit->target = *target;
	unit->target_how = TU_TARGET_PLAIN;
	unit->target_is_cse = true;
	unit->attention |= TU_ATT_TARGET;
	if (unit->defer)
		hwf_tu_force_place(unit);
	unit->defer = false;
	tu_want_timestamp(unit);
	if (unit->due != 0)
		hwf_tu_settle(unit);
	if (type == HWF_EXC_DEBUG_HALT)
		hwf_tu_leave(unit);
}

/*
 * What made a transaction fail is often taken before anything is executed after it. Its return
 * address says where that would have been; that of a PE Reset is UNKNOWN (R_NRJGC, I_QJYYZ).
 */
static void take_redirect(struct hwf_tu *unit, uint8_t type, const struct tu_place *ret)
{
	if (type != HWF_EXC_PE_RESET) {
		hwf_tu_redirected(unit, ret);
		return;
	}
	unit->redirect = false;
	unit->attention &= ~TU_ATT_TARGET;
}

static void take_exception(struct hwf_tu *unit, uint8_t type, const struct tu_place *ret,
			   const struct tu_place *target)
{
	if (unit->redirect)
		take_redirect(unit, type, ret);
	trace_exception(unit, type, ret, target);
}

/* Execution goes on in the handler, whether or not the trace says so. */
static void enter_handler(struct hwf_tu *unit, const struct tu_place *target)
{
	unit->next_pc = target->pc;
	unit->next_isa = target->isa;
	tu_done(unit);
}

void hwf_tu_exception(struct hwf_tu *unit, uint8_t type, uint64_t ret, enum hwf_isa ret_isa,
		      uint64_t target, enum hwf_isa target_isa)
{
	struct tu_place from = {.pc = ret, .isa = ret_isa};
	struct tu_place to = {.pc = target, .isa = target_isa};

	if ((unit->attention & TU_ATT_DISABLED) != 0)
		return;
	/* What ViewInst left out takes its exceptions along; so does a prohibited region. */
	if (unit->active && unit->el_traced)
		take_exception(unit, type, &from, &to);
	else
		hwf_tu_leave(unit);
	enter_handler(unit, &to);
}

void hwf_tu_exception_forced(struct hwf_tu *unit, uint8_t type, uint64_t ret, enum hwf_isa ret_isa,
			     uint64_t target, enum hwf_isa target_isa)
{
	struct tu_place from = {.pc = ret, .isa = ret_isa};
	struct tu_place to = {.pc = target, .isa = target_isa};

	if ((unit->attention & TU_ATT_DISABLED) != 0)
		return;
	/* R_BBBBT */
	if (!unit->active)
		hwf_tu_begin(unit, &from);
	take_exception(unit, type, &from, &to);
	enter_handler(unit, &to);
}
