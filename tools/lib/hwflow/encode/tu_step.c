/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* What a P0 element leaves behind: a call, where execution went on, and what is due then. */
#include "encode/tu.h"

/* Does the trace say another context than the one the PE is in? */
bool hwf_tu_context_due(const struct hwf_tu *unit)
{
	const struct hwf_context *now = &unit->context;
	const struct hwf_context *said = &unit->packer.context;

	if ((unit->attention & TU_ATT_CONTEXT) == 0)
		return false;
	if (!unit->packer.context_known || now->el != said->el || now->sf != said->sf ||
	    now->security != said->security)
		return true;
	if (now->has_vmid && !(said->has_vmid && said->vmid == now->vmid))
		return true;
	return now->has_cid && !(said->has_cid && said->cid == now->cid);
}

/* Context and Target Address are output, known already or not. */
void hwf_tu_force_place(struct hwf_tu *unit)
{
	unit->attention |= TU_ATT_TARGET | TU_ATT_CONTEXT;
	unit->target_how = TU_TARGET_FORCED;
}

/* A call that is traced as taken, corrected later on or not (R_FFXPW, R_NYHFH) */
void hwf_tu_called(struct hwf_tu *unit, const struct tu_step *step)
{
	if (step->insn->sub == HWF_SUB_LINK && unit->return_stack_on)
		hwf_tu_stack_push(&unit->stack, step->at.pc + step->insn->size, step->at.isa);
}

/* Where execution goes on after a P0 instruction that was traced, as a decoder finds it. */
void hwf_tu_moved(struct hwf_tu *unit, const struct tu_step *step)
{
	const struct hwf_insn *insn = step->insn;

	if (insn->sub == HWF_SUB_ERET && unit->config.traces_eret)
		hwf_tu_put_bare(unit, HWF_EL_EXCEPTION_RETURN);
	unit->target = step->next;
	unit->target_is_cse = insn->kind == HWF_INSN_ISB || insn->sub == HWF_SUB_ERET;
	if (step->taken) {
		if (insn->kind == HWF_INSN_INDIRECT) {
			bool by_stack = insn->sub != HWF_SUB_LINK && insn->sub != HWF_SUB_ERET &&
					!hwf_tu_broadcasts(unit, step->at.pc);

			unit->target_how = by_stack ? TU_TARGET_RETURN : TU_TARGET_PLAIN;
			unit->attention |= TU_ATT_TARGET;
		} else if (insn->kind == HWF_INSN_DIRECT && hwf_tu_broadcasts(unit, step->at.pc)) {
			unit->target_how = TU_TARGET_PLAIN;
			unit->attention |= TU_ATT_TARGET;
		}
	}
	if (unit->defer) {
		/* I_CHTFM */
		unit->defer = false;
		hwf_tu_force_place(unit);
	}
}

/* Targets that the PE may take for those of other branches; hwf_tu_context() forgets them. */
static void learn_target(struct hwf_tu *unit, const struct tu_place *place)
{
	unit->guess[hwf_tu_random(unit, TU_GUESSES)] = *place;
	if (unit->guesses == 0) {
		for (unsigned int i = 0; i < TU_GUESSES; i++)
			unit->guess[i] = *place;
	}
	unit->guesses = TU_GUESSES;
}

/* After each P0 element: some of those before it are resolved. */
static void settle_spec(struct hwf_tu *unit)
{
	if (unit->depth == 0)
		return;
	if (unit->target_is_cse) {
		/* R_QHQLY: it is resolved before anything that comes after it is traced. */
		hwf_tu_commit_all(unit);
		return;
	}
	learn_target(unit, &unit->target);
	if ((unit->due & TU_DUE_CC) != 0 || tu_chance(unit, 5))
		hwf_tu_commit(unit, 1 + hwf_tu_random(unit, unit->depth));
}

/* A P0 element was generated, and more than that is to be done. */
void hwf_tu_settle(struct hwf_tu *unit)
{
	if ((unit->due & TU_DUE_SPEC) != 0)
		settle_spec(unit);
	else if ((unit->due & TU_DUE_CC) != 0)
		hwf_tu_commit(unit, unit->depth);
	if ((unit->due & (TU_DUE_TS | TU_DUE_TS_VALUE)) != 0)
		hwf_tu_take_timestamp(unit);
}
