// SPDX-License-Identifier: GPL-2.0-only
/* --dialect, --framing and --config for RISC-V Processor Trace. */
#include "riscv_params.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/print.h"
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

static const char *const framings[] = {[HWF_RISCV_REFERENCE] = "reference",
				       [HWF_RISCV_ENCAP] = "encap",
				       [HWF_RISCV_SIEMENS] = "siemens",
				       [HWF_RISCV_BARE] = "none"};

static bool framing_of(const char *name, struct hwf_riscv_framing *framing)
{
	for (unsigned int i = 0; i < sizeof(framings) / sizeof(framings[0]); i++) {
		if (name ? !strcmp(name, framings[i]) : i == HWF_RISCV_REFERENCE) {
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

/* A parameter of one byte; flags of the run time have one, too */
#define BYTE(name, member, max) {name, offsetof(struct riscv_options, member), 1, max, false, false}
#define WIDTH(name)             BYTE(#name, params.name, UINT8_MAX)
#define FLAG(name)              BYTE(#name, params.name, 1)
/* and one of more bytes */
#define WORD(name, member, max)                          \
	{name,                                           \
	 offsetof(struct riscv_options, member),         \
	 sizeof(((struct riscv_options *)NULL)->member), \
	 max,                                            \
	 false,                                          \
	 false}

_Static_assert(sizeof(bool) == 1, "flags are set as bytes");

static const struct config_row rows[] = {
	WIDTH(iaddress_width_p),
	WIDTH(iaddress_lsb_p),
	WIDTH(context_width_p),
	WIDTH(nocontext_p),
	WIDTH(privilege_width_p),
	WIDTH(ecause_width_p),
	WIDTH(notval_p),
	WIDTH(itype_width_p),
	WIDTH(return_stack_size_p),
	WIDTH(call_counter_size_p),
	WIDTH(time_width_p),
	BYTE("time_width", params.time_width_p, UINT8_MAX),
	WIDTH(bpred_size_p),
	WIDTH(cache_size_p),
	WIDTH(f0s_width_p),
	WIDTH(sijump_p),
	WIDTH(encoder_mode_width),
	WIDTH(ioptions_width),
	WIDTH(doptions_width),
	WIDTH(data_width_p),
	WIDTH(daddress_width_p),
	WIDTH(dtype_width_p),
	WIDTH(lrid_width_p),
	WIDTH(ddiff_width),
	FLAG(mmacas),
	FLAG(noaddr),
	FLAG(nodata),
	FLAG(full_daddress),
	FLAG(full_data),
	FLAG(full_address),
	FLAG(irets),
	FLAG(implicit_return),
	FLAG(implicit_exception),
	FLAG(branch_prediction),
	FLAG(jump_target_cache),
	BYTE("srcid_width", framing.srcid_width, 16),
	BYTE("type_width", framing.type_width, 2),
	BYTE("time_bytes", framing.time_bytes, 8),
	BYTE("zcm", zcm, 1),
	WORD("max_resync", params.max_resync, UINT32_MAX),
	WORD("resync", params.max_resync, UINT32_MAX),
	WORD("tvec", params.tvec, UINT64_MAX),
	WORD("rv32", rv32, 1),
};

/* If --config does not tell whether there are contexts, they are there if they have a width. */
static void was_set(void *config, const struct config_row *row)
{
	struct riscv_options *options = config;

	if (row->at == offsetof(struct riscv_options, params.nocontext_p))
		options->knows_context = true;
	if (!options->knows_context)
		options->params.nocontext_p = options->params.context_width_p == 0;
}

#define ROWS (sizeof(rows) / sizeof(rows[0]))

_Static_assert(ROWS <= CONFIG_ROWS, "a protocol has at most so many names");

static const struct config_names names = {.rows = rows, .count = ROWS, .was_set = was_set};

int riscv_options_set(struct riscv_options *options, const char *name, uint64_t value)
{
	return config_set(&names, options, name, value);
}

bool riscv_options_config(struct riscv_options *options, const char *text)
{
	struct hwf_config_fault fault;

	if (config_parse(text, INPUT_RISCV, &names, options))
		return false;
	if (!hwf_riscv_framing_fault(&options->framing, &fault) &&
	    !hwf_riscv_config_fault((enum hwf_riscv_dialect)options->dialect, &options->params,
				    &fault))
		return true;
	print(stderr, "hwflow: dialect %s, --framing=%s:\n", riscv_dialect_name(options->dialect),
	      framings[options->framing.kind]);
	config_print_fault("--config", &fault);
	return false;
}

unsigned int riscv_options_isa(const struct riscv_options *options)
{
	const bool rv32 =
		options->rv32 < 0 ? options->params.iaddress_width_p <= 32 : options->rv32 == 1;

	return (rv32 ? 0u : HWF_RV_64) | (options->zcm ? HWF_RV_ZCM : 0u);
}
