/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a trace unit can do, what an event asks of it, and the register values that follow.
 */
#ifndef _ETE_CONFIG_H
#define _ETE_CONFIG_H

#include <linux/bitfield.h>
#include <linux/types.h>

#include <uapi/linux/arm_ete_pmu.h>

#include "ete_sysreg.h"

/* As many as a trace unit can have pairs of address comparators */
#define ETE_MAX_FILTERS 8

/* TRCIDR0 to TRCIDR13 */
#define ETE_NR_IDR 14

/**
 * struct ete_caps - what a trace unit can do: its ID registers
 * @idr: TRCIDRn
 * @authstatus: TRCAUTHSTATUS
 * @devarch: TRCDEVARCH
 */
struct ete_caps {
	u32 idr[ETE_NR_IDR];
	u32 authstatus;
	u32 devarch;
};

enum ete_filter_kind {
	ETE_FILTER_RANGE,	/* trace within */
	ETE_FILTER_START,	/* begin to trace at */
	ETE_FILTER_STOP,	/* cease to trace behind */
};

/**
 * struct ete_filter - an address filter
 * @kind: what it does
 * @mapped: what it is about is mapped; else it is passed over
 * @start: first address
 * @size: bytes, for a range
 */
struct ete_filter {
	enum ete_filter_kind kind;
	bool mapped;
	u64 start;
	u64 size;
};

/**
 * struct ete_request - what an event asks of a trace unit
 * @config: of struct perf_event_attr; fields as in the uapi header
 * @config1: likewise
 * @config2: likewise
 * @user: EL0 is traced
 * @kernel: the kernel's exception level is traced
 * @kernel_at_el2: which is EL2
 * @physical_time: its clock is the physical counter
 * @nr_filters: how many of @filters there are; 0 traces all addresses
 * @filters: where to trace
 */
struct ete_request {
	u64 config;
	u64 config1;
	u64 config2;
	bool user;
	bool kernel;
	bool kernel_at_el2;
	bool physical_time;
	unsigned int nr_filters;
	struct ete_filter filters[ETE_MAX_FILTERS];
};

/*
 * Registers of a configuration, in the order of programming. Of those that there are several of,
 * number n is the name + n; of TRCRSCTLRn, the first is 2.
 */
enum ete_reg {
	ETE_TRCCONFIGR,
	ETE_TRCEVENTCTL0R,
	ETE_TRCEVENTCTL1R,
	ETE_TRCRSR,
	ETE_TRCSTALLCTLR,
	ETE_TRCTSCTLR,
	ETE_TRCSYNCPR,
	ETE_TRCCCCTLR,
	ETE_TRCBBCTLR,
	ETE_TRCQCTLR,
	ETE_TRCVICTLR,
	ETE_TRCVIIECTLR,
	ETE_TRCVISSCTLR,
	ETE_TRCVIPCSSCTLR,
	ETE_TRCSEQEVR,
	ETE_TRCSEQEVR_LAST = ETE_TRCSEQEVR + 2,
	ETE_TRCSEQRSTEVR,
	ETE_TRCSEQSTR,
	ETE_TRCEXTINSELR,
	ETE_TRCEXTINSELR_LAST = ETE_TRCEXTINSELR + 3,
	ETE_TRCCNTRLDVR,
	ETE_TRCCNTRLDVR_LAST = ETE_TRCCNTRLDVR + 3,
	ETE_TRCCNTCTLR,
	ETE_TRCCNTCTLR_LAST = ETE_TRCCNTCTLR + 3,
	ETE_TRCCNTVR,
	ETE_TRCCNTVR_LAST = ETE_TRCCNTVR + 3,
	ETE_TRCRSCTLR,
	ETE_TRCRSCTLR_LAST = ETE_TRCRSCTLR + 7,
	ETE_TRCACVR,
	ETE_TRCACVR_LAST = ETE_TRCACVR + 15,
	ETE_TRCACATR,
	ETE_TRCACATR_LAST = ETE_TRCACATR + 15,
	ETE_NR_REGS
};

/* Sets of registers: a bit each */
#define ETE_REG_WORDS	((ETE_NR_REGS + 63) / 64)

/**
 * struct ete_image - the register values of an event
 * @id: no two images that are ever programmed have the same; 0 is none
 * @used: the registers that have a value
 * @changing: those of @used that the trace unit itself changes
 * @value: values, by enum ete_reg
 * @trfcr: the trace filter, while tracing
 * @start_stop: there are start or stop points, mapped or not: TRCVICTLR.SSSTATUS is kept from one
 * run to the next
 */
struct ete_image {
	u64 id;
	u64 used[ETE_REG_WORDS];
	u64 changing[ETE_REG_WORDS];
	u64 value[ETE_NR_REGS];
	u64 trfcr;
	bool start_stop;
};

/*
 * The resource selectors and counters that the driver uses, each for one thing. Most trace units
 * have two counters: what strobes has them, and timestamps only one that is left.
 */
#define ETE_RS_TIMESTAMP	2
#define ETE_RS_EVENT		3
#define ETE_RS_ON_OVER		4
#define ETE_RS_OFF_OVER		5
#define ETE_RS_ON		6
#define ETE_CNT_TIMESTAMP	0
#define ETE_CNT_ON		0
#define ETE_CNT_OFF		1
#define ETE_CNT_TIMESTAMP_STROBED 2
#define ETE_SEQ_ON		0
#define ETE_SEQ_OFF		1

/* ETEEvent 0 is the Detected Trigger (I_YRQCN), which the early warning cannot share (S_NFQZJ) */
#define ETE_EVENT_TRACED	1

static inline bool ete_asks(const struct ete_request *request, u64 field)
{
	return request->config & field;
}

/* A field of config1 */
#define ETE_CONFIG1(request, name) FIELD_GET(ARM_ETE_PMU_MASK(name), (request)->config1)

/* ete_check.c */
int ete_config_check(const struct ete_request *request, const struct ete_caps *caps,
		     const char **reason);
const char *ete_filter_fault(const struct ete_request *request, unsigned int n);

/* ete_config.c */
void ete_config_image(const struct ete_request *request, const struct ete_caps *caps,
		      struct ete_image *image);

/* ete_caps.c */
void ete_caps_registers(const struct ete_caps *caps, u64 *present);
void ete_caps_intersect(struct ete_caps *common, const struct ete_caps *caps);
unsigned int ete_caps_address_pairs(const struct ete_caps *caps);
unsigned int ete_caps_selectors(const struct ete_caps *caps);
unsigned int ete_caps_counters(const struct ete_caps *caps);

/* ete_write.c */
void ete_unit_write(unsigned int reg, u64 value);

#endif /* _ETE_CONFIG_H */
