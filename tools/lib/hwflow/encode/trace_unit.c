/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The trace unit as a whole: programmed, enabled, flushed, disabled. */
#include "encode/tu.h"

/* TRCCONFIGR */
#define CONFIG_BB    (1u << 3)
#define CONFIG_CCI   (1u << 4)
#define CONFIG_CID   (1u << 6)
#define CONFIG_VMID  (1u << 7)
#define CONFIG_TS    (1u << 11)
#define CONFIG_RS    (1u << 12)
#define CONFIG_QE(x) ((x) >> 13 & 3)

/* TRCIDR0 */
#define IDR0_TRCBB    (1u << 5)
#define IDR0_ITE      (1u << 22)
#define IDR0_TRCCCI   (1u << 7)
#define IDR0_RETSTACK (1u << 9)
#define IDR0_QSUPP(x) ((x) >> 15 & 3)
#define IDR0_ITE      (1u << 22)
#define IDR0_TSSIZE   (0x1fu << 24)

/* TRCIDR2 */
#define IDR2_CCSIZE(x) ((x) >> 25 & 0xf)

/* Without speculation Commits are merged up to what one payload byte counts (I_KHYLN). */
#define MERGED_COMMITS 127
#define MERGED_SPEC    256

size_t hwf_tu_size(const struct hwf_tu_options *options)
{
	(void)options;
	return sizeof(struct hwf_tu);
}

static bool q_supported(const struct hwf_ete_regs *regs)
{
	switch (CONFIG_QE(regs->trcconfigr)) {
	case 0:
		return true;
	case 1:
		return (IDR0_QSUPP(regs->trcidr0) & 1) != 0;
	case 3:
		return (IDR0_QSUPP(regs->trcidr0) & 2) != 0;
	default:
		return false;
	}
}

/* Does TRCCONFIGR ask for nothing that TRCIDRn do not have? */
static bool supported(const struct hwf_tu_options *options, const struct hwf_ete_config *config)
{
	const struct hwf_ete_regs *regs = &options->regs;
	uint32_t wants = regs->trcconfigr, has = regs->trcidr0;

	if (((wants & CONFIG_BB) != 0 && (has & IDR0_TRCBB) == 0) ||
	    ((wants & CONFIG_CCI) != 0 && (has & IDR0_TRCCCI) == 0) ||
	    ((wants & CONFIG_RS) != 0 && (has & IDR0_RETSTACK) == 0) ||
	    ((wants & CONFIG_TS) != 0 && (has & IDR0_TSSIZE) == 0) ||
	    ((wants & CONFIG_CID) != 0 && config->cid_bytes == 0) ||
	    ((wants & CONFIG_VMID) != 0 && config->vmid_bytes == 0))
		return false;
	/* A count rides on a Commit, which nothing needs where MAXSPEC is 0. */
	if ((wants & CONFIG_CCI) != 0 && config->max_spec == 0 && !config->commit_mode1)
		return false;
	if (options->spec_seed != 0 && config->max_spec == 0)
		return false;
	/* as far as this trace unit can be an ETMv4; that has no TRCIDR0.ITE */
	if (config->protocol == HWF_PROTOCOL_ETMV4 &&
	    (config->m_profile || options->source_address_interval != 0 ||
	     options->q_interval != 0 || (has & IDR0_ITE) != 0))
		return false;
	return q_supported(regs) && options->cc_threshold <= 0xfff &&
	       options->bb_ranges <= HWF_TU_RANGES && options->include_ranges <= HWF_TU_RANGES &&
	       options->exclude_ranges <= HWF_TU_RANGES && options->q_ranges <= HWF_TU_RANGES;
}

static void program_special(struct hwf_tu *unit)
{
	const struct hwf_tu_options *options = &unit->options;
	uint32_t qe = CONFIG_QE(options->regs.trcconfigr);

	if (qe != 0 && options->q_interval != 0)
		unit->special |= TU_SPECIAL_Q;
	unit->q_uncounted_allowed = qe == 3;
	unit->q_wait = options->q_interval;
	if (options->source_address_interval != 0)
		unit->special |= TU_SPECIAL_SOURCE;
	unit->source_wait = options->source_address_interval;
	unit->random = options->spec_seed;
	if (options->spec_seed != 0)
		unit->special |= TU_SPECIAL_SPEC;
	else
		unit->random = UINT64_C(0x9e3779b97f4a7c15);
}

static void program(struct hwf_tu *unit)
{
	uint32_t wants = unit->options.regs.trcconfigr;
	uint32_t most = unit->options.spec_seed != 0 ? MERGED_SPEC : MERGED_COMMITS;

	unit->attention = TU_ATT_DISABLED;
	unit->return_stack_on = unit->config.return_stack;
	unit->broadcast_on = (wants & CONFIG_BB) != 0;
	unit->depth_limit = unit->config.max_spec < most ? unit->config.max_spec : most;
	unit->cycles_max = (UINT64_C(1) << (12 + IDR2_CCSIZE(unit->options.regs.trcidr2))) - 1;
	unit->timestamp_left = unit->options.timestamp_interval;
	unit->event_left = unit->options.event_interval;
	program_special(unit);
	hwf_tu_load_tick(unit);
	hwf_tu_window(unit, 0);
	hwf_packer_init(&unit->packer, &unit->config);
}

int hwf_tu_init(void *memory, const struct hwf_tu_options *options, const struct hwf_tu_port *port,
		struct hwf_tu **result)
{
	struct hwf_tu *unit = memory;
	struct hwf_ete_config config;
	int error = hwf_ete_config_init(&config, &options->regs);

	if (error != 0)
		return error;
	if (!supported(options, &config))
		return HWF_ERR_BAD_CONFIG;
	*unit = (struct hwf_tu){.options = *options, .port = *port, .config = config};
	program(unit);
	*result = unit;
	return 0;
}

void hwf_tu_enable(struct hwf_tu *unit)
{
	unit->attention = TU_ATT_GAP | TU_ATT_SYNC | TU_ATT_CONTEXT;
	if (unit->transaction)
		unit->attention |= TU_ATT_START;
	unit->due = 0;
	if (unit->config.cycle_count) {
		unit->cycles_unknown = true;
		unit->due |= TU_DUE_CC;
	}
	if ((unit->special & TU_SPECIAL_SPEC) != 0)
		unit->due |= TU_DUE_SPEC;
	unit->active = false;
	unit->redirect = false;
	unit->transaction_traced = false;
	unit->lost = false;
	unit->exec = 0;
	unit->sync_due = TU_SYNC_NONPERIODIC;
	unit->sync_aligned = false;
	unit->sync_requested = false;
	hwf_tu_stack_flush(&unit->stack);
	/* Without I_MQNBT the Alignment Synchronisation does not wait for ViewInst. */
	if (!unit->options.sync_late)
		hwf_tu_align(unit);
}

void hwf_tu_context(struct hwf_tu *unit, const struct hwf_context *context)
{
	struct hwf_context *now = &unit->context;
	struct hwf_context traced = *context;
	uint32_t wants = unit->options.regs.trcconfigr;

	traced.has_vmid = context->has_vmid && (wants & CONFIG_VMID) != 0;
	traced.has_cid = context->has_cid && (wants & CONFIG_CID) != 0;
	/* R_KYGRF: not even addresses of another context that has the same identifiers */
	unit->guesses = 0;
	*now = traced;
	unit->el_traced = (unit->options.el_mask >> (context->el & 3) & 1) != 0;
	if ((unit->attention & TU_ATT_DISABLED) != 0)
		return;
	unit->attention |= TU_ATT_CONTEXT;
	/* R_YRLJR, R_LZLDH: no Q element reaches over a change. */
	if (unit->q_open && hwf_tu_context_due(unit))
		unit->attention |= TU_ATT_Q;
}

void hwf_tu_flush(struct hwf_tu *unit)
{
	if ((unit->attention & TU_ATT_DISABLED) == 0) {
		if (unit->q_open)
			hwf_tu_q_cut(unit);
		hwf_tu_commit_all(unit);
		if ((unit->due & TU_DUE_TS_VALUE) != 0)
			hwf_tu_put_timestamp(unit);
		hwf_tu_put_atoms(unit);
	}
	hwf_tu_drain(unit);
}

void hwf_tu_disable(struct hwf_tu *unit, bool resolve)
{
	if ((unit->attention & TU_ATT_DISABLED) != 0)
		return;
	if (unit->q_open)
		hwf_tu_q_cut(unit);
	if (resolve)
		hwf_tu_commit_all(unit);
	if ((unit->due & TU_DUE_TS_VALUE) != 0)
		hwf_tu_put_timestamp(unit);
	/* R_NMWFJ */
	if (resolve || unit->depth == 0) {
		hwf_tu_give_up_transaction(unit);
	} else {
		/* I_TCWCN: nothing before it can be told from what was not executed. */
		if (unit->transaction_traced)
			hwf_tu_put_bare(unit, HWF_EL_TRANSACTION_FAILURE);
		hwf_tu_put_bare(unit, HWF_EL_DISCARD);
	}
	hwf_tu_put_atoms(unit);
	hwf_tu_drain(unit);
	/* What was lost last is lost for good; say so if we can. */
	if (unit->overflow_due) {
		hwf_tu_put_bare(unit, HWF_EL_OVERFLOW);
		hwf_tu_drain(unit);
		unit->overflow_due = false;
	}
	unit->depth = 0;
	unit->due = 0;
	unit->attention = TU_ATT_DISABLED;
	unit->active = false;
}
