/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Speculation (D4.3.3): what a PE that guesses would have traced, and its correction.
 *
 * A wrong path begins and ends within one call: its elements are traced, then canceled. It is
 * walked in real code, never past a Context synchronization event such as an exception, which
 * may be its last element (R_QHQLY, R_LWJCQ), never out of what is traced (R_YGSGJ, R_SRLCG), and
 * knows no address but those of the code walked and targets seen in this very context (R_KYGRF).
 */
#include "core/bits.h"
#include "encode/tu.h"

/* No wrong path is longer than this many instructions, or P0 elements. */
#define WRONG_INSTRUCTIONS 64
#define WRONG_P0           12

/*
 * One in so many P0 instructions of wrong paths is preceded by a synchronisation, where
 * periodic ones are asked for: rare next to those, but a Cancel may reach behind it.
 */
#define SYNC_ONE_IN 200

/* One in so many branches is predicted wrongly, where the options do not say. */
#define WRONG_ONE_IN 3

/* One in so many instructions of wrong paths has a fault. */
#define WRONG_FAULT_ONE_IN 100

static bool predicted_wrongly(struct hwf_tu *unit)
{
	return tu_chance(unit, unit->options.spec_wrong ? unit->options.spec_wrong : WRONG_ONE_IN);
}

static bool guess(struct hwf_tu *unit, enum hwf_isa isa, struct tu_place *place)
{
	if (unit->guesses == 0)
		return false;
	*place = unit->guess[hwf_tu_random(unit, TU_GUESSES)];
	return place->isa == isa && hwf_tu_wants(unit, place->pc);
}

/* ---- the wrong path ---- */

struct wrong {
	struct tu_place at;
	unsigned int it_left;
	uint32_t truth; /* uncommitted P0 elements from before the wrong path */
	uint32_t p0;    /* elements traced on it */
};

static bool fetch(struct hwf_tu *unit, struct wrong *wrong, struct hwf_insn *insn)
{
	uint8_t bytes[4] = {0};
	size_t size;
	uint16_t hw1, hw2;

	if (unit->port.code == NULL)
		return false;
	size = unit->port.code(unit->port.ctx, wrong->at.pc, bytes, sizeof(bytes));
	hw1 = (uint16_t)hwf_load16(bytes);
	hw2 = (uint16_t)hwf_load16(bytes + 2);
	switch (wrong->at.isa) {
	case HWF_ISA_A64:
		hwf_insn_a64(hwf_load32(bytes), wrong->at.pc, insn);
		break;
	case HWF_ISA_A32:
		hwf_insn_a32(hwf_load32(bytes), wrong->at.pc, insn);
		break;
	case HWF_ISA_T32:
		hwf_insn_t32(hw1, hw2, wrong->at.pc, &wrong->it_left, insn);
		break;
	default:
		return false;
	}
	return size >= insn->size;
}

/* A periodic synchronisation, or a Commit of what is older, in the midst of it */
static void disturb(struct hwf_tu *unit, struct wrong *wrong)
{
	if (wrong->truth != 0 && tu_chance(unit, 6)) {
		uint32_t number = 1 + hwf_tu_random(unit, wrong->truth);

		wrong->truth -= number;
		hwf_tu_commit(unit, number);
	}
	if (unit->options.sync_period != 0 && unit->sync_due != TU_SYNC_NONPERIODIC &&
	    tu_chance(unit, SYNC_ONE_IN))
		hwf_tu_sync_now(unit);
	if ((unit->attention & TU_ATT_TARGET) != 0)
		hwf_tu_settle_place(unit);
}

/* One P0 instruction on the wrong path; false where the path ends with or before it. */
static bool wrong_p0(struct hwf_tu *unit, struct wrong *wrong, const struct hwf_insn *insn)
{
	struct tu_place next = {.pc = wrong->at.pc + insn->size, .isa = wrong->at.isa};
	bool taken = !insn->conditional || tu_chance(unit, 2);
	bool address = false;

	/* Where these go the code does not say, and they may change the Exception level. */
	if (insn->sub == HWF_SUB_ERET || insn->kind == HWF_INSN_TSTART)
		return false;
	if (taken && insn->kind == HWF_INSN_DIRECT) {
		address = hwf_tu_broadcasts(unit, wrong->at.pc);
		next = (struct tu_place){.pc = insn->target, .isa = insn->target_isa};
	} else if (taken && insn->kind == HWF_INSN_INDIRECT) {
		address = true;
		if (!guess(unit, wrong->at.isa, &next))
			return false;
	}
	tu_add_atom(unit, taken);
	tu_count_p0(unit);
	wrong->p0++;
	if (insn->kind == HWF_INSN_ISB)
		return false;
	if (address)
		hwf_tu_put_address(unit, &next);
	wrong->at = next;
	unit->target = next;
	return true;
}

/* A call takes an exception, and any other instruction may: true if the path ends with it. */
static bool wrong_exception(struct hwf_tu *unit, struct wrong *wrong, const struct hwf_insn *insn)
{
	struct hwf_element element = {.kind = HWF_EL_EXCEPTION};
	struct tu_place ret = wrong->at;
	bool call = insn->call == HWF_CALL_SVC;

	if (!call && !tu_chance(unit, WRONG_FAULT_ONE_IN))
		return false;
	disturb(unit, wrong);
	if (unit->depth >= unit->depth_limit)
		return true;
	/* Table D4-4 */
	if (call)
		ret.pc += insn->size;
	element.u.exception = (struct hwf_el_exception){
		.type = call ? HWF_EXC_CALL : HWF_EXC_DATA_FAULT,
		.ret = tu_address(&ret),
		.has_ret = true,
	};
	hwf_tu_put(unit, &element);
	tu_count_p0(unit);
	wrong->p0++;
	return true;
}

/* Trace a wrong path from @at; returns how many P0 elements are to be canceled. */
static uint32_t walk(struct hwf_tu *unit, const struct tu_place *at, uint32_t truth)
{
	struct wrong wrong = {.at = *at, .truth = truth};
	uint32_t limit = hwf_tu_random(unit, WRONG_P0 + 1);
	struct hwf_insn insn;

	unit->synced = false;
	for (unsigned int i = 0; i < WRONG_INSTRUCTIONS && wrong.p0 < limit; i++) {
		if (!hwf_tu_wants(unit, wrong.at.pc) || !fetch(unit, &wrong, &insn) ||
		    wrong_exception(unit, &wrong, &insn) || insn.call != HWF_CALL_NONE)
			break;
		if (!hwf_insn_is_p0(&insn, unit->config.wfx)) {
			wrong.at.pc += insn.size;
			continue;
		}
		disturb(unit, &wrong);
		if (unit->depth >= unit->depth_limit || !wrong_p0(unit, &wrong, &insn))
			break;
	}
	/* What was still to be said of the wrong path is not. */
	if (unit->synced)
		unit->defer = false;
	unit->attention &= ~TU_ATT_TARGET;
	return wrong.p0;
}

/*
 * The elements since a Trace Info are discarded with it, or those behind it: Context and
 * Target Address come again (R_KGPTB, I_NSWTK).
 */
static void right_path(struct hwf_tu *unit, uint32_t canceled)
{
	if (!unit->synced)
		return;
	/* A Context on the wrong path was canceled with it. */
	if (canceled != 0)
		unit->packer.context_known = false;
	hwf_tu_stack_flush(&unit->stack);
	unit->stack.awaits |= TU_AWAITS_ADDRESS;
	hwf_tu_force_place(unit);
}

/* A conditional branch predicted wrongly; true if it is traced here. */
bool hwf_tu_spec_branch(struct hwf_tu *unit, const struct tu_step *step)
{
	const struct hwf_insn *insn = step->insn;
	struct tu_place wrong = {.pc = step->at.pc + insn->size, .isa = step->at.isa};
	uint32_t canceled;

	if (insn->kind != HWF_INSN_DIRECT || !insn->conditional || !predicted_wrongly(unit))
		return false;
	if (!step->taken)
		wrong = (struct tu_place){.pc = insn->target, .isa = insn->target_isa};
	hwf_tu_make_room(unit);
	tu_add_atom(unit, !step->taken);
	tu_count_p0(unit);
	if (!step->taken)
		hwf_tu_called(unit, step);
	unit->target = wrong;
	unit->target_is_cse = false;
	canceled = walk(unit, &wrong, unit->depth - 1);
	hwf_tu_put_resolve(unit, canceled, true);
	hwf_tu_moved(unit, step);
	right_path(unit, canceled);
	hwf_tu_settle(unit);
	return true;
}

/* Instructions behind the one that takes an exception were executed in vain. */
void hwf_tu_spec_exception(struct hwf_tu *unit, const struct tu_place *ret)
{
	struct tu_place target = unit->target;
	uint32_t exec = unit->exec, canceled;

	if (unit->defer || !tu_chance(unit, 3))
		return;
	canceled = walk(unit, ret, unit->depth);
	hwf_tu_put_resolve(unit, canceled, false);
	unit->target = target;
	unit->exec = exec;
	right_path(unit, canceled);
	if (unit->synced)
		hwf_tu_settle_place(unit);
}

/*
 * The target of an indirect branch predicted wrongly: a Target Address, perhaps a wrong path, then
 * the Target Address that corrects it (D4.3.6.2).
 */
void hwf_tu_spec_target(struct hwf_tu *unit)
{
	struct tu_place target = unit->target, wrong;
	uint32_t canceled = 0;

	if (unit->target_is_cse || !predicted_wrongly(unit) || !guess(unit, target.isa, &wrong) ||
	    tu_same_place(&target, &wrong))
		return;
	hwf_tu_put_address(unit, &wrong);
	unit->target = wrong;
	unit->attention &= ~TU_ATT_TARGET;
	unit->synced = false;
	if (tu_chance(unit, 2))
		canceled = walk(unit, &wrong, unit->depth);
	hwf_tu_put_resolve(unit, canceled, false);
	unit->target = target;
	unit->target_how = TU_TARGET_FORCED;
	unit->attention |= TU_ATT_TARGET;
	right_path(unit, canceled);
}
