// SPDX-License-Identifier: GPL-2.0-only
/* Parameters of a RISC-V trace encoder as words of a perf.data file. */
#include "perfdata_riscv.h"

#include <stddef.h>

#include "hwflow/rv_insn.h"

#define FIELD(name) offsetof(struct perfdata_riscv, name)
#define PARAM(name) offsetof(struct perfdata_riscv, params.name)

/* Each has a byte here and a word in the file; new ones go to the end. */
static const struct {
	size_t at;
	uint8_t max;
} rows[] = {
	{FIELD(dialect), HWF_RISCV_V2},
	{FIELD(isa), HWF_RV_64 | HWF_RV_ZCM},
	{FIELD(framing.kind), HWF_RISCV_BARE},
	{FIELD(framing.srcid_width), UINT8_MAX},
	{FIELD(framing.type_width), UINT8_MAX},
	{FIELD(framing.time_bytes), UINT8_MAX},
	{PARAM(iaddress_width_p), UINT8_MAX},
	{PARAM(iaddress_lsb_p), UINT8_MAX},
	{PARAM(context_width_p), UINT8_MAX},
	{PARAM(nocontext_p), UINT8_MAX},
	{PARAM(privilege_width_p), UINT8_MAX},
	{PARAM(ecause_width_p), UINT8_MAX},
	{PARAM(notval_p), UINT8_MAX},
	{PARAM(itype_width_p), UINT8_MAX},
	{PARAM(return_stack_size_p), UINT8_MAX},
	{PARAM(call_counter_size_p), UINT8_MAX},
	{PARAM(time_width_p), UINT8_MAX},
	{PARAM(bpred_size_p), UINT8_MAX},
	{PARAM(cache_size_p), UINT8_MAX},
	{PARAM(f0s_width_p), UINT8_MAX},
	{PARAM(sijump_p), UINT8_MAX},
	{PARAM(encoder_mode_width), UINT8_MAX},
	{PARAM(ioptions_width), UINT8_MAX},
	{PARAM(doptions_width), UINT8_MAX},
	{PARAM(full_address), 1},
	{PARAM(implicit_return), 1},
	{PARAM(implicit_exception), 1},
	{PARAM(branch_prediction), 1},
	{PARAM(jump_target_cache), 1},
	{PARAM(irets), 1},
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

/* behind them */
#define WORD_RESYNC ROWS
#define WORD_TVEC   (ROWS + 1)

_Static_assert(ROWS + 2 == PERFDATA_REGS_RISCV, "all words have a meaning");
_Static_assert(sizeof(bool) == 1, "flags are read as bytes");

void perfdata_riscv_put(const struct perfdata_riscv *riscv, uint64_t words[PERFDATA_REGS_RISCV])
{
	for (size_t i = 0; i < ROWS; i++)
		words[i] = ((const uint8_t *)riscv)[rows[i].at];
	words[WORD_RESYNC] = riscv->params.max_resync;
	words[WORD_TVEC] = riscv->params.tvec;
}

bool perfdata_riscv_get(struct perfdata_riscv *riscv, const uint64_t words[PERFDATA_REGS_RISCV])
{
	struct hwf_riscv_config config;

	*riscv = (struct perfdata_riscv){0};
	for (size_t i = 0; i < ROWS; i++) {
		if (words[i] > rows[i].max)
			return false;
		((uint8_t *)riscv)[rows[i].at] = (uint8_t)words[i];
	}
	if (words[WORD_RESYNC] > UINT32_MAX)
		return false;
	riscv->params.max_resync = (uint32_t)words[WORD_RESYNC];
	riscv->params.tvec = words[WORD_TVEC];
	return !hwf_riscv_framing_check(&riscv->framing) &&
	       !hwf_riscv_config_init(&config, (enum hwf_riscv_dialect)riscv->dialect,
				      &riscv->params);
}
