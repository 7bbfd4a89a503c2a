/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The core's side of the port: executed instructions to blocks and cycles (RISCV_PORT).
 *
 * A block ends where its itype is not 0, where the next instruction does not follow, and where a
 * field of it is full; a cycle where its groups are used up, with a trap, and where what holds for
 * the whole cycle changes. In the draft a branch that is not taken ends no block, but one that
 * begins a block has it for itself: else an encoder that has to report the first instruction of a
 * block could not know that it is a branch.
 */
#include "hwflow/te_ingress.h"

/* one instruction or trap, as the port tells of it */
struct te_part {
	uint64_t address;
	uint8_t size;
	uint8_t itype;
	bool retired;
	bool not_taken;
	bool sijump;
};

int hwf_te_core_init(struct hwf_te_core *core, const struct hwf_te_port_params *params,
		     const struct hwf_te_port *port)
{
	bool draft = params->dialect == HWF_RISCV_DRAFT_026;

	if (params->dialect > HWF_RISCV_V2 || params->itype_width_p < 3 ||
	    params->itype_width_p > 4 || params->iretire_width_p < 2 ||
	    params->iretire_width_p > 8 || params->taken_branches_p < 1 ||
	    params->taken_branches_p > HWF_TE_BLOCKS)
		return HWF_ERR_BAD_CONFIG;
	if (draft && (params->ntkn_width_p < 1 || params->ntkn_width_p > 5 || params->post_iss))
		return HWF_ERR_BAD_CONFIG;
	*core = (struct hwf_te_core){.params = *params, .port = *port};
	return 0;
}

static bool te_is_draft(const struct hwf_te_core *core)
{
	return core->params.dialect == HWF_RISCV_DRAFT_026;
}

static unsigned int te_max(unsigned int width)
{
	return (1u << width) - 1;
}

static uint8_t te_ilastsize(unsigned int size)
{
	return size == 8 ? 2 : size == 4 ? 1 : 0;
}

/* Sends the cycle; what holds for the whole of it stays as it is. */
static int te_cycle_end(struct hwf_te_core *core)
{
	struct hwf_te_cycle *cycle = &core->cycle;
	int status = 0;

	if (cycle->blocks)
		status = core->port.cycle(core->port.ctx, cycle);
	cycle->blocks = 0;
	cycle->trigger = 0;
	core->retired = 0;
	core->open = false;
	return status;
}

static bool te_cycle_fits(const struct hwf_te_core *core, const struct hwf_te_event *event)
{
	const struct hwf_te_cycle *cycle = &core->cycle;

	return cycle->priv == event->priv && cycle->context == event->context &&
	       cycle->context_type == event->context_type && cycle->time == event->time &&
	       !event->trigger && !cycle->trigger &&
	       (!core->params.retires_p || core->retired < core->params.retires_p);
}

static bool te_block_fits(const struct hwf_te_core *core, const struct te_part *part)
{
	const struct hwf_te_block *block = &core->cycle.block[core->cycle.blocks - 1];

	return core->open && part->retired && core->end == part->address &&
	       block->iretire + part->size / 2u <= te_max(core->params.iretire_width_p) &&
	       (!part->not_taken || !te_is_draft(core) ||
		block->ntkn < te_max(core->params.ntkn_width_p));
}

static struct hwf_te_block *te_block_new(struct hwf_te_core *core, const struct te_part *part)
{
	struct hwf_te_block *block = &core->cycle.block[core->cycle.blocks++];

	*block = (struct hwf_te_block){.iaddr = part->address};
	core->open = true;
	return block;
}

static void te_block_add(struct hwf_te_core *core, struct hwf_te_block *block,
			 const struct te_part *part)
{
	bool first = !block->iretire;

	if (part->retired)
		block->iretire = core->params.retires_p == 1 && !te_is_draft(core)
					 ? 1
					 : (uint16_t)(block->iretire + part->size / 2);
	block->itype = part->itype;
	block->ilastsize = te_ilastsize(part->size);
	block->sijump = part->sijump;
	if (te_is_draft(core) && part->not_taken)
		block->ntkn++;
	core->end = part->address + part->size;
	core->retired++;
	if (part->itype || (part->not_taken && first))
		core->open = false;
}

static void te_cycle_set(struct hwf_te_core *core, const struct hwf_te_event *event)
{
	struct hwf_te_cycle *cycle = &core->cycle;

	cycle->priv = event->priv;
	cycle->context = event->context;
	cycle->context_type = event->context_type;
	cycle->time = event->time;
	cycle->trigger = event->trigger;
	cycle->cause = event->trap ? event->cause : 0;
	cycle->tval = event->trap ? event->tval : 0;
	if (core->params.post_iss) {
		cycle->cause &= 0xff;
		cycle->tval &= 0xff;
	}
}

static int te_add(struct hwf_te_core *core, const struct hwf_te_event *event,
		  const struct te_part *part)
{
	struct hwf_te_block *block;
	int status = 0;

	if (!te_cycle_fits(core, event))
		status = te_cycle_end(core);
	if (!status && core->cycle.blocks && te_block_fits(core, part)) {
		block = &core->cycle.block[core->cycle.blocks - 1];
	} else {
		if (core->cycle.blocks == core->params.taken_branches_p)
			status = te_cycle_end(core);
		block = te_block_new(core, part);
	}
	te_cycle_set(core, event);
	te_block_add(core, block, part);
	if (!status && event->trap)
		status = te_cycle_end(core);
	return status;
}

/* The reference flow's classes, where they are not the specification's */
static uint8_t te_post_iss_itype(const struct hwf_te_core *core, const struct hwf_rv_insn *insn,
				 bool taken)
{
	bool wide = core->params.itype_width_p == 4;
	bool short_x5 = insn->kind == HWF_RV_JUMP_REG && insn->size == 2 &&
			insn->rs1 == 5; /* c.jr, c.jalr */

	if (insn->kind == HWF_RV_TRAP_RETURN || short_x5)
		return wide ? HWF_RV_ITYPE_UNINFERABLE_OTHER : HWF_RV_ITYPE_UNINFERABLE_JUMP;
	return (uint8_t)hwf_rv_itype(insn, taken, core->params.itype_width_p);
}

static uint8_t te_draft_itype(const struct hwf_te_core *core, const struct hwf_rv_insn *insn,
			      bool taken)
{
	const struct hwf_rv_insn *before =
		core->has_before && core->params.sequential ? &core->before : NULL;
	uint8_t itype = (uint8_t)hwf_rv_draft_itype(before, insn, taken);

	if (core->params.itype_width_p == 4 || itype < HWF_RV_DRAFT_UNPREDICTABLE_CALL)
		return itype;
	return itype % 2 ? HWF_RV_DRAFT_NONE : HWF_RV_DRAFT_TRAP_RETURN;
}

static uint8_t te_itype(const struct hwf_te_core *core, const struct hwf_rv_insn *insn, bool taken)
{
	const struct hwf_te_event *event = &core->held;
	bool branch = insn->kind == HWF_RV_BRANCH;

	if (event->trap && !(core->params.post_iss && branch))
		return event->trap;
	if (te_is_draft(core))
		return te_draft_itype(core, insn, taken);
	if (core->params.post_iss)
		return te_post_iss_itype(core, insn, taken);
	return (uint8_t)hwf_rv_itype(insn, taken, core->params.itype_width_p);
}

/*
 * An ebreak without a trap leaves for Debug Mode, as of semihosting (RISCV_SIDEBAND): a decoder
 * that comes to one takes it for a trap.
 */
static int te_halt(struct hwf_te_core *core)
{
	struct hwf_te_cycle halted = {.halted = true};
	int status = te_cycle_end(core);

	halted.priv = core->cycle.priv;
	halted.context = core->cycle.context;
	halted.time = core->cycle.time;
	return status ? status : core->port.cycle(core->port.ctx, &halted);
}

/* The held event, now that it is known where execution went from it */
static int te_place(struct hwf_te_core *core, const uint64_t *next)
{
	const struct hwf_te_event *event = &core->held;
	struct te_part part = {.address = event->address, .retired = event->retired};
	struct hwf_rv_insn insn;
	bool taken;
	int status;

	hwf_rv_insn(event->opcode, event->address, core->params.isa, &insn);
	/* what trapped may be the encoding of an instruction of any length, or of none */
	if (event->retired && ((insn.size != 2 && insn.size != 4 && insn.size != 8) ||
			       insn.size / 2u > te_max(core->params.iretire_width_p)))
		return HWF_ERR_BAD_PAYLOAD;
	taken = next ? *next != event->address + insn.size : core->params.post_iss;
	part.size = insn.size;
	part.itype = te_itype(core, &insn, taken);
	part.not_taken = event->retired && insn.kind == HWF_RV_BRANCH && !taken;
	part.sijump = core->params.sequential && !te_is_draft(core) && core->has_before &&
		      hwf_rv_is_sequential(&core->before, &insn);
	status = te_add(core, event, &part);
	if (!status && next && insn.kind == HWF_RV_EBREAK && event->retired && !event->trap &&
	    !core->params.post_iss)
		status = te_halt(core);
	core->before = insn;
	core->has_before = !event->trap;
	return status;
}

int hwf_te_core_event(struct hwf_te_core *core, const struct hwf_te_event *event)
{
	int status = 0;

	if (core->holds)
		status = te_place(core, &event->address);
	core->held = *event;
	core->holds = true;
	return status;
}

int hwf_te_core_finish(struct hwf_te_core *core)
{
	int status = 0;

	if (core->holds)
		status = te_place(core, NULL);
	core->holds = false;
	return status ? status : te_cycle_end(core);
}
