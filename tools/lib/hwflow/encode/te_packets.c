/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Packets of the RISC-V trace encoder: what is in them, and which format is chosen. */
#include "encode/te.h"

uint64_t hwf_te_address_field(const struct hwf_te *te, uint64_t address, bool full)
{
	const struct hwf_riscv_params *params = te_params(te);

	if (!full)
		address -= te->last_address;
	return (address & te_mask(params->iaddress_width_p)) >> params->iaddress_lsb_p;
}

/* A te_inst packet: all of them count towards the next synchronisation. */
static void te_send_inst(struct hwf_te *te, const struct hwf_riscv_packet *packet)
{
	te->resync_count++;
	hwf_te_send(te, packet);
}

/* 1.0: an illegal instruction is told of by its address, everything else by its trap value. */
static uint64_t te_tval(const struct hwf_te *te, const struct te_item *trap)
{
	bool epc = te->options.config.dialect == HWF_RISCV_V1 && trap->trap == HWF_TE_EXCEPTION &&
		   trap->cause == 2;

	if (epc)
		return trap->retired ? trap->link : trap->address;
	return trap->tval;
}

static void te_set_trap(const struct hwf_te *te, struct hwf_riscv_sync *sync,
			const struct te_item *trap, bool thaddr)
{
	const struct hwf_riscv_params *params = te_params(te);
	bool draft = te_is_draft(te);

	sync->ecause = (uint16_t)(trap->cause & te_mask(params->ecause_width_p));
	sync->interrupt = trap->trap == HWF_TE_INTERRUPT;
	sync->thaddr = thaddr;
	sync->has_address = !(params->implicit_exception && thaddr);
	if (!(draft && params->notval_p) &&
	    !(te->options.config.dialect == HWF_RISCV_V2 && sync->interrupt))
		sync->tval = te_tval(te, trap) & te_mask(params->iaddress_width_p);
}

static void te_set_mode(const struct hwf_te *te, struct hwf_riscv_sync *sync,
			const struct te_item *at)
{
	const struct hwf_riscv_params *params = te_params(te);

	sync->context = (uint32_t)(at->context & te_mask(params->context_width_p));
	sync->privilege = (uint8_t)(at->priv & te_mask(params->privilege_width_p));
	sync->time = params->time_width_p ? at->time & te_mask(params->time_width_p) : 0;
}

/*
 * F3.0 and F3.1. The branch bit: 1 for a branch that is not taken; for what is no branch it has no
 * meaning in the draft, and is 1 in ratified E-Trace.
 */
void hwf_te_send_sync(struct hwf_te *te, enum hwf_riscv_type type, const struct te_item *at,
		      const struct te_item *trap, bool thaddr)
{
	struct hwf_riscv_packet packet = {.type = (uint8_t)type};
	struct hwf_riscv_sync *sync = &packet.u.sync;

	te_set_mode(te, sync, at);
	sync->branch = at->branch ? !at->taken : !te_is_draft(te);
	sync->address = hwf_te_address_field(te, at->address, true);
	sync->thaddr = true;
	sync->has_address = true;
	if (trap)
		te_set_trap(te, sync, trap, thaddr);
	te_send_inst(te, &packet);
	te->last_address = at->address;
	te->resync_count = 0;
	te->resync_now = false;
	te->context_due = false;
	te->sent_sync = true;
	te->reported = TE_REPORTED_ANYWAY;
	hwf_te_tables_reset(te);
}

void hwf_te_send_context(struct hwf_te *te)
{
	struct hwf_riscv_packet packet = {.type = HWF_RISCV_F3_CONTEXT};

	te_set_mode(te, &packet.u.sync, &te->cur);
	te_send_inst(te, &packet);
	te->context_due = false;
}

void hwf_te_send_support(struct hwf_te *te, bool enable, unsigned int qual_status)
{
	const struct hwf_riscv_params *params = te_params(te);
	struct hwf_riscv_packet packet = {.type = te_is_draft(te) ? HWF_RISCV_TE_SUPPORT
								  : HWF_RISCV_F3_SUPPORT};
	struct hwf_riscv_support *support = &packet.u.support;

	support->ienable = enable;
	support->qual_status = (uint8_t)qual_status;
	if (!te_is_draft(te))
		support->ioptions =
			(params->implicit_return ? HWF_RISCV_IMPLICIT_RETURN : 0u) |
			(params->implicit_exception ? HWF_RISCV_IMPLICIT_EXCEPTION : 0u) |
			(params->full_address ? HWF_RISCV_FULL_ADDRESS : 0u) |
			(params->jump_target_cache ? HWF_RISCV_JUMP_TARGET_CACHE : 0u) |
			(params->branch_prediction ? HWF_RISCV_BRANCH_PREDICTION : 0u);
	hwf_te_send(te, &packet);
}

/* The full branch map without an address, or, with prediction, the count before the branch missed
 */
void hwf_te_send_map(struct hwf_te *te)
{
	struct hwf_riscv_packet packet = {0};

	if (te->predicted >= TE_MAP_FULL) {
		packet.type = HWF_RISCV_F0_COUNT;
		packet.u.count.branch_count = (uint32_t)(te->predicted - TE_MAP_FULL);
		packet.u.count.branch_fmt = HWF_RISCV_COUNT_NO_ADDRESS;
	} else {
		packet.type = te_is_draft(te) ? HWF_RISCV_F0_MAP : HWF_RISCV_F1;
		packet.u.map = (struct hwf_riscv_map){.map = te->map, .branches = te->branches};
	}
	te_send_inst(te, &packet);
	hwf_te_branches_clear(te);
}

static unsigned int te_equal_top_bits(uint64_t value, unsigned int width)
{
	uint64_t top = value >> (width - 1) & 1;
	unsigned int equal = 1;

	while (equal < width && (value >> (width - 1 - equal) & 1) == top)
		equal++;
	return equal;
}

/* RISCV_FORMAT_CHOICE: of full address and difference the draft sends the one with more equal top
 * bits; in a tie, F1. */
static void te_set_draft(const struct hwf_te *te, struct hwf_riscv_packet *packet)
{
	unsigned int width = te->options.config.address_bits;
	uint64_t full = hwf_te_address_field(te, te->cur.address, true);
	uint64_t diff = hwf_te_address_field(te, te->cur.address, false);
	bool is_full = te_params(te)->full_address;

	if (!te->branches) {
		packet->type = HWF_RISCV_F2;
		packet->u.address =
			(struct hwf_riscv_address){.value = is_full ? full : diff, .has = true};
		return;
	}
	is_full |= te_equal_top_bits(full, width) > te_equal_top_bits(diff, width);
	packet->type = is_full ? HWF_RISCV_F0_MAP : HWF_RISCV_F1;
	packet->u.map = (struct hwf_riscv_map){
		.map = te->map,
		.branches = te->branches,
		.address = {.value = is_full ? full : diff, .has = true},
	};
}

static struct hwf_riscv_address te_ratified_address(const struct hwf_te *te,
						    const struct te_flags *flags)
{
	const struct hwf_riscv_config *config = &te->options.config;
	struct hwf_riscv_address address = {
		.value = hwf_te_address_field(te, te->cur.address, config->params.full_address),
		.has = true,
		.notify = flags->notify,
		.updiscon = flags->updiscon,
		.irreport = flags->irreport,
	};

	if (flags->irreport)
		address.irdepth = flags->irdepth;
	else if (te->options.post_iss)
		address.irdepth = (uint32_t)te_mask(config->irdepth_bits);
	return address;
}

static void te_set_ratified(const struct hwf_te *te, const struct te_flags *flags,
			    struct hwf_riscv_packet *packet)
{
	struct hwf_riscv_address address = te_ratified_address(te, flags);

	if (te->predicted >= TE_MAP_FULL) {
		packet->type = HWF_RISCV_F0_COUNT;
		packet->u.count = (struct hwf_riscv_count){
			.branch_count = (uint32_t)(te->predicted - TE_MAP_FULL),
			.branch_fmt = te->last_missed ? HWF_RISCV_COUNT_ADDRESS_FAIL
						      : HWF_RISCV_COUNT_ADDRESS,
			.address = address,
		};
	} else if (te->branches) {
		packet->type = HWF_RISCV_F1;
		packet->u.map = (struct hwf_riscv_map){
			.map = te->map, .branches = te->branches, .address = address};
	} else {
		packet->type = HWF_RISCV_F2;
		packet->u.address = address;
	}
}

/*
 * The target's place in the jump target cache, where that makes the packet no longer. F0_CACHE has
 * no updiscon and no notify, so it cannot be taken where one of them has to be said.
 */
static void te_try_cache(struct hwf_te *te, const struct te_flags *flags,
			 struct hwf_riscv_packet *packet)
{
	uint8_t bytes[HWF_RISCV_MAX_PAYLOAD];
	struct hwf_riscv_packet other = {.type = HWF_RISCV_F0_CACHE};
	struct hwf_riscv_cache *cache = &other.u.cache;
	uint32_t index;

	if (!hwf_te_cache_lookup(te, te->cur.address, &index) || flags->updiscon || flags->notify ||
	    te->predicted >= TE_MAP_FULL)
		return;
	cache->index = index;
	cache->map = te->map;
	cache->branches = te->branches;
	cache->irreport = flags->irreport;
	cache->irdepth = flags->irreport ? flags->irdepth : 0;
	if (hwf_riscv_encode(&te->options.config, &other, bytes, sizeof(bytes)) <=
	    hwf_riscv_encode(&te->options.config, packet, bytes, sizeof(bytes)))
		*packet = other;
}

/* F0, F1 or F2 for the current instruction */
void hwf_te_send_address(struct hwf_te *te, const struct te_flags *flags)
{
	struct hwf_riscv_packet packet = {0};

	if (te_is_draft(te))
		te_set_draft(te, &packet);
	else
		te_set_ratified(te, flags, &packet);
	if (te_params(te)->jump_target_cache && te->prev.updiscon)
		te_try_cache(te, flags, &packet);
	te_send_inst(te, &packet);
	te->last_address = te->cur.address;
	te->ret_since_call = false;
	te->irets = 0;
	te->reported = te->prev.updiscon ? TE_REPORTED_ANYWAY : TE_REPORTED_FOR_END;
	hwf_te_branches_clear(te);
}
