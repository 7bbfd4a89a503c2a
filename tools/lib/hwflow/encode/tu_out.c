/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Elements into bytes, bytes out of the trace unit, and what happens when they cannot go. */
#include "encode/tu.h"

static void took(struct hwf_tu *unit, int size)
{
	if (size < 0 || unit->overrun) {
		/* No room, or a value no packet carries: trace is lost from here on. */
		unit->overrun = true;
		return;
	}
	unit->used += (uint32_t)size;
	unit->output += (uint32_t)size;
	if (unit->options.sync_period != 0 && unit->sync_due == TU_SYNC_NONE &&
	    unit->output - unit->sync_mark >= unit->options.sync_period) {
		unit->sync_due = TU_SYNC_PERIODIC;
		unit->attention |= TU_ATT_SYNC;
	}
}

static uint8_t *room(struct hwf_tu *unit)
{
	return unit->out + unit->used;
}

static size_t left(const struct hwf_tu *unit)
{
	return TU_OUT_SIZE - unit->used;
}

/* The oldest Atoms, as many as fit one packet; the others may yet be packed better. */
void hwf_tu_put_longest(struct hwf_tu *unit)
{
	uint32_t count = hwf_packer_longest(&unit->atoms);
	struct hwf_ete_atoms oldest = {
		.bits = unit->atoms.bits & ((1u << count) - 1),
		.count = (uint8_t)count,
	};

	if (left(unit) != 0)
		*room(unit) = (uint8_t)hwf_ete_atoms_header(&oldest);
	took(unit, left(unit) != 0 ? 1 : HWF_ERR_NO_SPACE);
	unit->atoms.bits >>= count;
	unit->atoms.count = (uint8_t)(unit->atoms.count - count);
}

void hwf_tu_put_atoms(struct hwf_tu *unit)
{
	while (unit->atoms.count != 0)
		hwf_tu_put_longest(unit);
}

void hwf_tu_put(struct hwf_tu *unit, const struct hwf_element *element)
{
	hwf_tu_put_atoms(unit);
	took(unit, hwf_packer_encode(&unit->packer, element, room(unit), left(unit)));
}

void hwf_tu_put_bare(struct hwf_tu *unit, enum hwf_element_kind kind)
{
	struct hwf_element element = {.kind = (uint8_t)kind};

	hwf_tu_put(unit, &element);
}

void hwf_tu_put_align_sync(struct hwf_tu *unit)
{
	struct hwf_ete_packet packet = {.type = HWF_ETE_ALIGN_SYNC};

	hwf_tu_put_atoms(unit);
	took(unit, hwf_ete_encode(&unit->config, &packet, room(unit), left(unit)));
}

void hwf_tu_put_address(struct hwf_tu *unit, const struct tu_place *place)
{
	struct hwf_el_address address = tu_address(place);

	hwf_tu_put_atoms(unit);
	took(unit, hwf_packer_target(&unit->packer, &address, room(unit), left(unit)));
	unit->stack.awaits &= (uint8_t)~TU_AWAITS_ADDRESS;
}

void hwf_tu_put_context(struct hwf_tu *unit)
{
	struct hwf_element element = {.kind = HWF_EL_CONTEXT};

	element.u.context.context = unit->context;
	hwf_tu_put(unit, &element);
	unit->stack.awaits &= (uint8_t)~TU_AWAITS_CONTEXT;
	tu_want_timestamp(unit);
}

void hwf_tu_put_address_context(struct hwf_tu *unit, const struct tu_place *place)
{
	struct hwf_el_context context = {.context = unit->context};
	struct hwf_el_address address = tu_address(place);

	hwf_tu_put_atoms(unit);
	took(unit,
	     hwf_packer_address_context(&unit->packer, &context, &address, room(unit), left(unit)));
	unit->stack.awaits = 0;
	tu_want_timestamp(unit);
}

/* The Atoms that wait go along: some packets carry them. */
void hwf_tu_put_resolve(struct hwf_tu *unit, uint32_t cancel, bool mispredict)
{
	struct hwf_ete_resolve resolve = {
		.atoms = unit->atoms,
		.cancel = cancel,
		.mispredict = mispredict,
	};

	if (cancel == 0 && !mispredict)
		return;
	took(unit, hwf_packer_resolve(&unit->packer, &resolve, room(unit), left(unit)));
	unit->atoms = (struct hwf_ete_atoms){0};
	unit->depth -= cancel;
}

/* ---- Commit and Cycle Count ---- */

static struct hwf_el_cycle_count take_count(struct hwf_tu *unit)
{
	struct hwf_el_cycle_count count = {
		.count = unit->cycles_unknown ? 0 : (uint32_t)unit->cycles,
		.unknown = unit->cycles_unknown,
	};

	unit->cycles = 0;
	unit->cycles_unknown = false;
	unit->due &= ~TU_DUE_CC;
	if (unit->options.cc_threshold == 0)
		unit->due |= TU_DUE_CC;
	return count;
}

/*
 * Resolve the oldest P0 elements. Cycle Counts come with Commits (R_BZQWX): in the same
 * packet, or behind it in commit mode 1, where they come alone if every P0 element commits
 * itself.
 */
void hwf_tu_commit(struct hwf_tu *unit, uint32_t number)
{
	struct hwf_element element = {.kind = HWF_EL_COMMIT, .u.number = number};
	bool counted = (unit->due & TU_DUE_CC) != 0;
	bool mode1 = unit->config.commit_mode1;
	struct hwf_el_cycle_count count;

	unit->depth -= number;
	if (number != 0 && !(counted && !mode1))
		hwf_tu_put(unit, &element);
	if (!counted || (number == 0 && !mode1))
		return;
	count = take_count(unit);
	hwf_tu_put_atoms(unit);
	took(unit, hwf_packer_commit_count(&unit->packer, mode1 ? 0 : number, &count, room(unit),
					   left(unit)));
}

void hwf_tu_commit_all(struct hwf_tu *unit)
{
	if (unit->depth != 0)
		hwf_tu_commit(unit, unit->depth);
}

/* There must never be more than MAXSPEC uncommitted P0 elements (I_XLHWT). */
void hwf_tu_make_room(struct hwf_tu *unit)
{
	if (unit->depth_limit == 0 || unit->depth < unit->depth_limit)
		return;
	if ((unit->special & TU_SPECIAL_SPEC) != 0)
		hwf_tu_commit(unit, 1 + hwf_tu_random(unit, unit->depth));
	else
		hwf_tu_commit_all(unit);
}

/* ---- bytes out ---- */

/* Trace was lost: nothing of what a decoder knew can be relied on. */
static void lose(struct hwf_tu *unit)
{
	unit->overrun = false;
	unit->overflow_due = true;
	unit->lost = true;
	unit->sync_due = TU_SYNC_NONPERIODIC;
	unit->sync_aligned = false;
	unit->attention &= ~(TU_ATT_TARGET | TU_ATT_Q);
	unit->attention |= TU_ATT_SYNC | TU_ATT_GAP;
	unit->active = false;
	unit->redirect = false;
	unit->defer = false;
	unit->q_open = false;
	unit->atoms = (struct hwf_ete_atoms){0};
	unit->depth = 0;
	unit->exec = 0;
	hwf_tu_stack_flush(&unit->stack);
	/* R_JNWJY: a marker from before the Overflow is void; ask anew. */
	if ((unit->due & TU_DUE_TS_VALUE) != 0) {
		unit->due &= ~TU_DUE_TS_VALUE;
		unit->due |= TU_DUE_TS;
	}
	if (unit->config.cycle_count) {
		unit->cycles_unknown = true;
		unit->due |= TU_DUE_CC;
	}
}

void hwf_tu_drain(struct hwf_tu *unit)
{
	uint32_t used = unit->used;

	if (used == 0)
		return;
	unit->used = 0;
	if (!unit->port.write(unit->port.ctx, unit->out, used) || unit->overrun)
		lose(unit);
}
