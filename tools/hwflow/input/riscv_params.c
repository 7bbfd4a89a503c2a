// SPDX-License-Identifier: GPL-2.0-only
/* --dialect, --framing and --config for RISC-V Processor Trace. */
#include "riscv_params.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cli/print.h"
#include "config.h"

static const char *const dialects[] = {
	[HWF_RISCV_DRAFT_026] = "0.026", [HWF_RISCV_V1] = "1.0", [HWF_RISCV_V2] = "2.0"};

const char *riscv_dialect_name(unsigned int dialect)
{
	return dialect < sizeof(dialects) / sizeof(dialects[0]) ? dialects[dialect] : "?";
}

static bool dialect_of(const char *name, uint8_t *dialect)
{
	/* what was ratified is 2.0 */
	*dialect = HWF_RISCV_V2;
	if (!name || !strcmp(name, "ratified"))
		return true;
	for (size_t i = 0; i < sizeof(dialects) / sizeof(dialects[0]); i++) {
		*dialect = (uint8_t)i;
		if (!strcmp(name, dialects[i]))
			return true;
	}
	print(stderr, "hwflow: --dialect=%s: unknown dialect; use ratified, 0.026, 1.0 or 2.0\n",
	      name);
	return false;
}

static bool framing_of(const char *name, struct hwf_riscv_framing *framing)
{
	static const char *const names[] = {[HWF_RISCV_REFERENCE] = "reference",
					    [HWF_RISCV_ENCAP] = "encap",
					    [HWF_RISCV_SIEMENS] = "siemens",
					    [HWF_RISCV_BARE] = "none"};

	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (name ? !strcmp(name, names[i]) : i == HWF_RISCV_REFERENCE) {
			hwf_riscv_framing_init(framing, (enum hwf_riscv_framing_kind)i);
			return true;
		}
	}
	print(stderr,
	      "hwflow: --framing=%s: unknown framing; use none, reference, encap or siemens\n",
	      name);
	return false;
}

bool riscv_options_init(struct riscv_options *options, const char *dialect, const char *framing)
{
	*options = (struct riscv_options){.rv32 = -1};
	if (!dialect_of(dialect, &options->dialect) || !framing_of(framing, &options->framing))
		return false;
	hwf_riscv_params_init(&options->params, (enum hwf_riscv_dialect)options->dialect);
	return true;
}

/* struct byte_row - a parameter of one byte; flags of the run time have one, too */
struct byte_row {
	const char *name;
	size_t at;
	uint64_t max;
};

#define PARAM(name) offsetof(struct riscv_options, params.name)

_Static_assert(sizeof(bool) == 1, "flags are set as bytes");

static const struct byte_row byte_rows[] = {
	{"iaddress_width_p", PARAM(iaddress_width_p), UINT8_MAX},
	{"iaddress_lsb_p", PARAM(iaddress_lsb_p), UINT8_MAX},
	{"context_width_p", PARAM(context_width_p), UINT8_MAX},
	{"nocontext_p", PARAM(nocontext_p), UINT8_MAX},
	{"privilege_width_p", PARAM(privilege_width_p), UINT8_MAX},
	{"ecause_width_p", PARAM(ecause_width_p), UINT8_MAX},
	{"notval_p", PARAM(notval_p), UINT8_MAX},
	{"itype_width_p", PARAM(itype_width_p), UINT8_MAX},
	{"return_stack_size_p", PARAM(return_stack_size_p), UINT8_MAX},
	{"call_counter_size_p", PARAM(call_counter_size_p), UINT8_MAX},
	{"time_width_p", PARAM(time_width_p), UINT8_MAX},
	{"time_width", PARAM(time_width_p), UINT8_MAX},
	{"bpred_size_p", PARAM(bpred_size_p), UINT8_MAX},
	{"cache_size_p", PARAM(cache_size_p), UINT8_MAX},
	{"f0s_width_p", PARAM(f0s_width_p), UINT8_MAX},
	{"sijump_p", PARAM(sijump_p), UINT8_MAX},
	{"encoder_mode_width", PARAM(encoder_mode_width), UINT8_MAX},
	{"ioptions_width", PARAM(ioptions_width), UINT8_MAX},
	{"doptions_width", PARAM(doptions_width), UINT8_MAX},
	{"data_width_p", PARAM(data_width_p), UINT8_MAX},
	{"daddress_width_p", PARAM(daddress_width_p), UINT8_MAX},
	{"dtype_width_p", PARAM(dtype_width_p), UINT8_MAX},
	{"lrid_width_p", PARAM(lrid_width_p), UINT8_MAX},
	{"ddiff_width", PARAM(ddiff_width), UINT8_MAX},
	{"mmacas", PARAM(mmacas), 1},
	{"noaddr", PARAM(noaddr), 1},
	{"nodata", PARAM(nodata), 1},
	{"full_daddress", PARAM(full_daddress), 1},
	{"full_data", PARAM(full_data), 1},
	{"full_address", PARAM(full_address), 1},
	{"irets", PARAM(irets), 1},
	{"implicit_return", PARAM(implicit_return), 1},
	{"implicit_exception", PARAM(implicit_exception), 1},
	{"branch_prediction", PARAM(branch_prediction), 1},
	{"jump_target_cache", PARAM(jump_target_cache), 1},
	{"srcid_width", offsetof(struct riscv_options, framing.srcid_width), 16},
	{"type_width", offsetof(struct riscv_options, framing.type_width), 2},
	{"time_bytes", offsetof(struct riscv_options, framing.time_bytes), 8},
	{"zcm", offsetof(struct riscv_options, zcm), 1},
};

/* Where it was not said whether there are contexts, they are there as soon as they have a width. */
static void follow_up(struct riscv_options *options, const char *name)
{
	if (!strcmp(name, "nocontext_p"))
		options->knows_context = true;
	if (!options->knows_context)
		options->params.nocontext_p = options->params.context_width_p == 0;
}

int riscv_options_set(struct riscv_options *options, const char *name, uint64_t value)
{
	for (size_t i = 0; i < sizeof(byte_rows) / sizeof(byte_rows[0]); i++) {
		const struct byte_row *row = &byte_rows[i];

		if (strcmp(name, row->name))
			continue;
		if (value > row->max)
			return -2;
		((uint8_t *)options)[row->at] = (uint8_t)value;
		follow_up(options, name);
		return 0;
	}
	if (!strcmp(name, "max_resync") || !strcmp(name, "resync")) {
		if (value > UINT32_MAX)
			return -2;
		options->params.max_resync = (uint32_t)value;
	} else if (!strcmp(name, "tvec")) {
		options->params.tvec = value;
	} else if (!strcmp(name, "rv32")) {
		if (value > 1)
			return -2;
		options->rv32 = (int)value;
	} else {
		return -1;
	}
	return 0;
}

static int set_parameter(void *ctx, const char *name, uint64_t value)
{
	return riscv_options_set(ctx, name, value);
}

bool riscv_options_config(struct riscv_options *options, const char *text)
{
	return !config_parse(text, INPUT_RISCV, set_parameter, options);
}

unsigned int riscv_options_isa(const struct riscv_options *options)
{
	const bool rv32 =
		options->rv32 < 0 ? options->params.iaddress_width_p <= 32 : options->rv32 == 1;

	return (rv32 ? 0u : HWF_RV_64) | (options->zcm ? HWF_RV_ZCM : 0u);
}
