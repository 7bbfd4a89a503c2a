/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Q elements, as they end (D4.3.5.3). */
#include "encode/tu.h"

static void put_q(struct hwf_tu *unit, uint32_t count, const struct tu_place *next)
{
	struct hwf_element element = {.kind = HWF_EL_Q};
	bool counted = !unit->q_uncounted_allowed || hwf_tu_random(unit, 2) == 0;

	if (counted) {
		element.u.q = (struct hwf_el_q){
			.address = tu_address(next),
			.count = count,
			.has_address = true,
			.has_count = true,
		};
	}
	hwf_tu_make_room(unit);
	hwf_tu_put(unit, &element);
	tu_count_p0(unit);
	unit->target = *next;
	unit->attention &= ~TU_ATT_TARGET;
	if (!counted) {
		unit->attention |= TU_ATT_TARGET;
		unit->target_how = TU_TARGET_FORCED;
	}
	/* What calls and returns it implies only some decoders can tell. */
	hwf_tu_stack_flush(&unit->stack);
}

static void close_q(struct hwf_tu *unit)
{
	unit->q_open = false;
	unit->attention &= ~TU_ATT_Q;
}

static bool last_is_p0(const struct hwf_tu *unit)
{
	return unit->q_last_exec == unit->exec;
}

/* The instructions so far are implied, and execution goes on at @next. */
void hwf_tu_q_end(struct hwf_tu *unit, const struct tu_place *next)
{
	close_q(unit);
	unit->target_is_cse = last_is_p0(unit) && (unit->q_insn.kind == HWF_INSN_ISB ||
						   unit->q_insn.sub == HWF_SUB_ERET);
	put_q(unit, unit->exec, next);
	if (unit->due != 0)
		hwf_tu_settle(unit);
}

/*
 * Nothing is known of what comes next, or it must not be traced: the address in the Q element is
 * that of its last P0 instruction, which has an Atom of its own.
 */
void hwf_tu_q_cut(struct hwf_tu *unit)
{
	struct tu_place next = {.pc = unit->next_pc, .isa = unit->next_isa};
	uint32_t count = unit->exec - 1;

	if (!last_is_p0(unit)) {
		hwf_tu_q_end(unit, &next);
		return;
	}
	close_q(unit);
	if (count != 0)
		put_q(unit, count, &unit->q_last.at);
	unit->q_last.insn = &unit->q_insn;
	/* The Context may be that of what comes next already; it is not settled here. */
	if ((unit->attention & TU_ATT_TARGET) != 0)
		hwf_tu_put_address(unit, &unit->target);
	unit->attention &= ~TU_ATT_TARGET;
	hwf_tu_make_room(unit);
	tu_add_atom(unit, unit->q_last.taken);
	tu_count_p0(unit);
	if (unit->q_last.taken)
		hwf_tu_called(unit, &unit->q_last);
	hwf_tu_moved(unit, &unit->q_last);
	if (unit->due != 0)
		hwf_tu_settle(unit);
}
