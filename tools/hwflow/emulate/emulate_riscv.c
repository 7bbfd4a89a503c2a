// SPDX-License-Identifier: GPL-2.0-only
/* hwflow emulate: which processor a program is for, and the options of RISC-V trace. */
#include "emulate_riscv.h"

#include <stdlib.h>
#include <string.h>

#include "hwflow/te_ingress.h"

static bool take_blocks(const char *text, uint8_t *blocks)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	*blocks = (uint8_t)value;
	return end != text && !*end && value <= HWF_TE_BLOCKS;
}

/* N,... */
static bool take_privileges(const char *text, uint16_t *privileges)
{
	for (;; text++) {
		char *end;
		unsigned long value = strtoul(text, &end, 10);

		if (*text < '0' || *text > '9' || value > 3)
			return false;
		*privileges |= (uint16_t)(1u << value);
		if (!*end)
			return true;
		if (*end != ',')
			return false;
		text = end;
	}
}

const char *riscv_choice_take(const struct riscv_words *words, const struct hwf_tu_options *unit,
			      struct encode_riscv_choice *choice)
{
	*choice = (struct encode_riscv_choice){.include_count = unit->include_ranges};
	if (unit->exclude_ranges)
		return "--filter=!LO-HI: a RISC-V trace encoder cannot exclude a range; use "
		       "--filter=LO-HI";
	memcpy(choice->include, unit->include, sizeof(choice->include));
	if (words->blocks && !take_blocks(words->blocks, &choice->blocks))
		return "--blocks: the number must be 0 to 8";
	if (words->privilege && !take_privileges(words->privilege, &choice->privileges))
		return "--privilege: levels from 0 to 3, separated by commas, expected";
	return NULL;
}

const char *emulate_riscv_take(const struct riscv_words *words, const struct hwf_tu_options *unit,
			       struct encode_riscv_log *log)
{
	const char *error;

	*log = (struct encode_riscv_log){0};
	error = riscv_choice_take(words, unit, &log->choice);
	if (error)
		return error;
	if (!riscv_options_init(&log->riscv, words->dialect, words->framing) ||
	    !riscv_options_config(&log->riscv, words->config))
		return "";
	if (words->traps && strcmp(words->traps, "kernel") != 0 &&
	    strcmp(words->traps, "direct") != 0)
		return "--traps: unknown value; use kernel or direct";
	log->direct = words->traps && !strcmp(words->traps, "direct");
	return encode_riscv_log_check(log);
}
