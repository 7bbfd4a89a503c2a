/* SPDX-License-Identifier: GPL-2.0-only */
/* The ground-truth log as text through an ETMv3 trace unit. */
#ifndef HWFLOW_ENCODE_ETM3_H
#define HWFLOW_ENCODE_ETM3_H

#include "encode_text.h"
#include "hwflow/etmv3_unit.h"

/**
 * struct encode_etm3 - what is encoded, and how
 * @text: the log
 * @regs: of the trace unit
 * @config: from @regs
 * @one_a_cycle: one P-header a cycle, or an instruction
 */
struct encode_etm3 {
	struct encode_text text;
	struct hwf_etm3_regs regs;
	struct hwf_etm3_config config;
	bool one_a_cycle;
};

/**
 * encode_etm3() - trace one thread
 * @encode: what
 * @sink: takes the trace
 * @totals: added to
 * @message: receives what is wrong: name, line, cause and remedy
 *
 * The log does not say which instructions failed their condition code check; where the next
 * instruction does not tell, as it does of branches, they passed it. In cycle-accurate trace each
 * instruction takes a cycle.
 *
 * Return: as encode_text().
 */
int encode_etm3(const struct encode_etm3 *encode, const struct encode_sink *sink,
		struct encode_totals *totals, char message[TRUTH_MESSAGE]);

#endif /* HWFLOW_ENCODE_ETM3_H */
