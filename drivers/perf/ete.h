/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The trace unit of a CPU.
 */
#ifndef _ETE_H
#define _ETE_H

#include "ete_config.h"

/**
 * struct ete_unit - a trace unit and the known contents of its registers
 * @caps: its capabilities
 * @present: registers of a configuration that it implements
 * @held_id: id of the image that was programmed last; 0 if the registers are not known
 * @known: registers whose value is that in @held
 * @held: values, by enum ete_reg
 * @trfcr: the trace filter; all ones if it is not known
 * @trcitecr: TRCITECR_EL1; all ones if it is not known
 * @writes: registers written by ete_unit_program(), for statistics
 * @trace_id: value of TRCTRACEIDR
 * @kvm: KVM is told who owns the trace unit
 * @claimed: the driver has set the claim tag
 * @broken: the trace unit did not start or did not become idle; it is not used until its CPU loses
 *	its power or comes online
 */
struct ete_unit {
	struct ete_caps caps;
	u64 present[ETE_REG_WORDS];
	u64 held_id;
	u64 known[ETE_REG_WORDS];
	u64 held[ETE_NR_REGS];
	u64 trfcr;
	u64 trcitecr;
	u64 writes;
	u32 trace_id;
	bool kvm;
	bool claimed;
	bool broken;
};

void ete_unit_reset(struct ete_unit *unit, bool owned);
const char *ete_unit_identify(struct ete_unit *unit);
const char *ete_unit_claim(struct ete_unit *unit);
void ete_unit_release(struct ete_unit *unit);
void ete_unit_program(struct ete_unit *unit, const struct ete_image *image);
void ete_unit_filter(struct ete_unit *unit, u64 trfcr);
void ete_unit_prohibit(struct ete_unit *unit);
bool ete_unit_enable(struct ete_unit *unit);
bool ete_unit_disable(struct ete_unit *unit, struct ete_image *image);

#endif /* _ETE_H */
