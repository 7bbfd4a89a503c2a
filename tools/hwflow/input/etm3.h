/* SPDX-License-Identifier: GPL-2.0-only */
/* Sources of ETMv3 trace: their registers, their packets in a listing, their program flow. */
#ifndef HWFLOW_ETM3_H
#define HWFLOW_ETM3_H

#include "hwflow/etmv3_flow.h"
#include "input.h"

/**
 * struct etm3_source - what a source of ETMv3 trace has that others have not
 * @regs: of the trace unit
 * @config: from @regs
 */
struct etm3_source {
	struct hwf_etm3_regs regs;
	struct hwf_etm3_config config;
};

/** etm3_is_type() - does a capture call its trace unit an ETMv3? @type: as in ETM3.5 */
bool etm3_is_type(const char *type);

/**
 * etm3_set_register() - take a register by its name in the manual
 * @regs: receives it
 * @name: ETMCR, ETMIDR, ETMCCER, ETMTRACEIDR; or ARMV7M, which is 1 for a processor of the M
 * profile
 * @value: its value
 *
 * Return: false if it is none of those that matter.
 */
bool etm3_set_register(struct hwf_etm3_regs *regs, const char *name, uint32_t value);

/** etm3_config_set() - etm3_set_register() for config_parse(), @ctx the registers */
int etm3_config_set(void *ctx, const char *name, uint64_t value);

/**
 * etm3_source_init() - make a source one of ETMv3 trace
 * @source: the source; it owns what is allocated
 * @regs: of the trace unit
 *
 * Return: 0, HWF_ERR_BAD_CONFIG, or HWF_ERR_NO_SPACE without memory.
 */
int etm3_source_init(struct input_source *source, const struct hwf_etm3_regs *regs);

/** etm3_has_sync() - is there a synchronisation in this piece? */
bool etm3_has_sync(const struct input_source *source, const struct input_piece *piece);

/** etm3_decode() - as input_decode(), with the program @code */
int etm3_decode(const struct input_source *source, const struct input_piece *piece,
		const struct hwf_code *code, const struct input_decode *how);

enum line_format;
struct cut;
struct gaps;
struct text;

/**
 * etm3_dump_piece() - print the packets of a piece
 * @source: the source
 * @piece: one of its pieces
 * @format: FORMAT_REF or FORMAT_HUMAN
 * @out: receives the text
 * @gaps: receives what cannot be decoded
 * @cut: what is selected of the piece; NULL: all of it
 *
 * Return: true if all of it are packets.
 */
bool etm3_dump_piece(const struct input_source *source, const struct input_piece *piece,
		     enum line_format format, struct text *out, struct gaps *gaps, struct cut *cut);

#endif /* HWFLOW_ETM3_H */
