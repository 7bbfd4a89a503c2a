/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * What stands in for the Atom of a P0 instruction: Q elements and Source Address elements
 * (D4.3.5.3, D4.3.5.4).
 */
#include "encode/tu.h"

/* ---- Q elements ---- */

/*
 * An exception return that is taken is the last instruction (R_KPNGG); so is an ISB with a new
 * context after it, for which hwf_tu_context() sees (R_YRLJR). A Transaction Start comes
 * right after its TSTART (R_CYHKB).
 */
static void add_to_q(struct hwf_tu *unit, const struct tu_step *step)
{
	unit->q_last = *step;
	unit->q_insn = *step->insn;
	unit->q_last_exec = unit->exec;
	if (unit->q_left != 0)
		unit->q_left--;
	if (unit->q_left == 0 || step->insn->sub == HWF_SUB_ERET ||
	    step->insn->kind == HWF_INSN_TSTART)
		unit->attention |= TU_ATT_Q;
}

static bool begins_q(struct hwf_tu *unit)
{
	if (--unit->q_wait != 0)
		return false;
	unit->q_wait = unit->options.q_interval;
	if (unit->defer)
		return false;
	unit->q_open = true;
	unit->q_left = 1 + hwf_tu_random(unit, 8);
	return true;
}

/* ---- Source Address elements ---- */

/* All P0 instructions before this one were not taken: their Atoms are taken back (I_DJTGL). */
static void put_source(struct hwf_tu *unit, const struct tu_step *step)
{
	struct hwf_element element = {
		.kind = HWF_EL_SOURCE_ADDRESS,
		.u.address = tu_address(&step->at),
	};
	struct hwf_ete_atoms *atoms = &unit->atoms;

	while (atoms->count != 0 && (atoms->bits >> (atoms->count - 1) & 1) == 0) {
		atoms->count--;
		if (unit->depth_limit != 0)
			unit->depth--;
	}
	hwf_tu_make_room(unit);
	hwf_tu_put(unit, &element);
	tu_count_p0(unit);
	if (step->taken)
		hwf_tu_called(unit, step);
	hwf_tu_moved(unit, step);
	if (unit->due != 0)
		hwf_tu_settle(unit);
}

static bool wants_source(struct hwf_tu *unit, const struct tu_step *step)
{
	if (unit->source_wait > 1) {
		unit->source_wait--;
		return false;
	}
	if (!step->taken ||
	    (step->insn->kind != HWF_INSN_DIRECT && step->insn->kind != HWF_INSN_INDIRECT))
		return false;
	unit->source_wait = unit->options.source_address_interval;
	return true;
}

/* ---- the choice ---- */

/* From where execution went on after the last P0 instruction to this one: may a Q element imply it?
 */
static bool permits_q(const struct hwf_tu *unit, const struct tu_step *step)
{
	const struct tu_place *from = unit->q_open ? &unit->q_last.next : &unit->target;

	return hwf_tu_q_permitted(unit, from->pc, step->at.pc);
}

/* The Q element ends with its last P0 instruction: what was executed since is not in it. */
static void end_q_before(struct hwf_tu *unit)
{
	struct tu_place next = unit->q_last.next;

	unit->exec = unit->q_last_exec;
	hwf_tu_q_end(unit, &next);
	hwf_tu_settle_place(unit);
}

/* Is the P0 instruction traced by something else than an Atom? */
bool hwf_tu_special_p0(struct hwf_tu *unit, const struct tu_step *step)
{
	bool permitted = (unit->special & TU_SPECIAL_Q) != 0 && permits_q(unit, step);

	if (unit->q_open && !permitted)
		end_q_before(unit);
	if (unit->q_open || (permitted && begins_q(unit))) {
		add_to_q(unit, step);
		return true;
	}
	if ((unit->special & TU_SPECIAL_SOURCE) != 0 && wants_source(unit, step)) {
		put_source(unit, step);
		return true;
	}
	return (unit->special & TU_SPECIAL_SPEC) != 0 && hwf_tu_spec_branch(unit, step);
}
