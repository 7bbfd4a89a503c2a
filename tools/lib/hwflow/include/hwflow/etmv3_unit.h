/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * An ETMv3 trace unit: what a processor does, in; trace, out. It puts atoms into P-headers and
 * leaves out of addresses and times what the packets before told.
 */
#ifndef HWFLOW_ETMV3_UNIT_H
#define HWFLOW_ETMV3_UNIT_H

#include "hwflow/etmv3.h"
#include "hwflow/insn.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/**
 * typedef hwf_etm3_write_fn - takes the bytes of one packet
 * @ctx: the taker's own
 * @bytes: valid during the call only
 * @length: how many
 */
typedef void hwf_etm3_write_fn(void *ctx, const uint8_t *bytes, size_t length);

/**
 * struct hwf_etm3_place - where the processor is
 * @address: of the next instruction
 * @isa: HWF_ISA_A32, HWF_ISA_T32, HWF_ISA_T32EE or HWF_ISA_JAZELLE
 * @ns: Non-secure
 * @hyp: in Hyp mode
 * @cid: Context ID, where it is traced
 */
struct hwf_etm3_place {
	uint32_t address;
	uint32_t cid;
	uint8_t isa;
	bool ns;
	bool hyp;
};

/** HWF_ETM3_UNIT_ATOMS - atoms that a trace unit keeps, to pack them well */
#define HWF_ETM3_UNIT_ATOMS 64

/**
 * struct hwf_etm3_unit - a trace unit
 *
 * Fields are the library's; a caller may read them, and set @one_a_cycle after
 * hwf_etm3_unit_init().
 */
struct hwf_etm3_unit {
	const struct hwf_etm3_config *config;
	hwf_etm3_write_fn *write;
	void *ctx;
	struct hwf_etm3_address_state state;
	uint8_t atoms[HWF_ETM3_UNIT_ATOMS];
	unsigned int atom_count;
	/* since the last A-sync */
	uint64_t bytes;
	/* the caller's: one P-header for each cycle (section 7.3.1) */
	bool one_a_cycle;
	/* an enum hwf_err: the first that could not be traced */
	int error;
};

/**
 * hwf_etm3_unit_init() - begin, with tracing off
 * @unit: to initialise
 * @config: of the trace unit; must outlive @unit
 * @write: takes the trace
 * @ctx: its first argument
 */
void hwf_etm3_unit_init(struct hwf_etm3_unit *unit, const struct hwf_etm3_config *config,
			hwf_etm3_write_fn *write, void *ctx);

/**
 * hwf_etm3_unit_start() - tracing begins (section 7.10.2)
 * @unit: the trace unit
 * @reason: why; not HWF_ETM3_PERIODIC
 * @place: where the processor is
 * @cycles: since the last trace, in cycle-accurate mode; 0 if not known
 */
void hwf_etm3_unit_start(struct hwf_etm3_unit *unit, enum hwf_etm3_reason reason,
			 const struct hwf_etm3_place *place, uint32_t cycles);

/** hwf_etm3_unit_sync() - periodic synchronisation, between two instructions */
void hwf_etm3_unit_sync(struct hwf_etm3_unit *unit, const struct hwf_etm3_place *place);

/**
 * hwf_etm3_unit_cycles() - cycles begin; nothing without cycle-accurate trace
 * @unit: the trace unit
 * @cycles: how many; instructions that follow are executed in the last of them
 */
void hwf_etm3_unit_cycles(struct hwf_etm3_unit *unit, uint32_t cycles);

/** hwf_etm3_unit_insn() - an instruction passed its condition code check, or failed it */
void hwf_etm3_unit_insn(struct hwf_etm3_unit *unit, bool passed);

/**
 * hwf_etm3_unit_branch() - where an indirect branch went, or an exception
 * @unit: the trace unit
 * @place: the target
 * @exception: number of the exception; 0 for none
 * @cancel: it cancels the last instruction
 * @mode: the mode of @place is traced, as with an exception: it may have changed
 */
void hwf_etm3_unit_branch(struct hwf_etm3_unit *unit, const struct hwf_etm3_place *place,
			  unsigned int exception, bool cancel, bool mode);

/** hwf_etm3_unit_context() - a new Context ID; nothing where it is not traced */
void hwf_etm3_unit_context(struct hwf_etm3_unit *unit, uint32_t cid);

/** hwf_etm3_unit_timestamp() - the time, a binary number; from ETMv3.5 on */
void hwf_etm3_unit_timestamp(struct hwf_etm3_unit *unit, uint64_t time);

/** hwf_etm3_unit_bare() - a packet of one byte: @type is HWF_ETM3_TRIGGER, _EXCEPTION_EXIT, ... */
void hwf_etm3_unit_bare(struct hwf_etm3_unit *unit, enum hwf_etm3_type type);

/** hwf_etm3_unit_flush() - write the atoms that are kept */
void hwf_etm3_unit_flush(struct hwf_etm3_unit *unit);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* HWFLOW_ETMV3_UNIT_H */
