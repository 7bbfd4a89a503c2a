/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Capabilities of a trace unit, the configuration that an event requests, and the register values
 * that implement it.
 */
#ifndef _ETE_CONFIG_H
#define _ETE_CONFIG_H

#include <linux/bitfield.h>
#include <linux/types.h>

#include <uapi/linux/arm_ete_pmu.h>

#include "ete_caps.h"
#include "ete_regs.h"

enum ete_filter_kind {
	ETE_FILTER_RANGE,	/* trace only within the range */
	ETE_FILTER_START,	/* start point */
	ETE_FILTER_STOP,	/* stop point */
};

/**
 * struct ete_filter - an address filter
 * @kind: range, start point or stop point
 * @mapped: its object is mapped; otherwise the filter is ignored
 * @start: first address
 * @size: bytes of a range; 0 for a point
 */
struct ete_filter {
	enum ete_filter_kind kind;
	bool mapped;
	u64 start;
	u64 size;
};

/**
 * struct ete_request - the configuration that an event requests
 * @config: of struct perf_event_attr, with the fields of the uapi header
 * @config1: likewise
 * @config2: likewise
 * @config3: likewise
 * @config4: likewise; it has no fields
 * @user: trace EL0
 * @kernel: trace the kernel's Exception level
 * @kernel_at_el2: that level is EL2
 * @physical_time: the kernel's clock is the physical counter
 * @nr_filters: number of entries in @filters; 0 traces all addresses
 * @filters: address filters
 */
struct ete_request {
	u64 config;
	u64 config1;
	u64 config2;
	u64 config3;
	u64 config4;
	bool user;
	bool kernel;
	bool kernel_at_el2;
	bool physical_time;
	unsigned int nr_filters;
	struct ete_filter filters[ETE_MAX_FILTERS];
};

/*
 * The registers of a configuration, in the order of programming: ONE(name, offset in the external
 * view) or SET(name, number of registers, offset of the first, distance). The first TRCRSCTLR of
 * the table is TRCRSCTLR2: selectors 0 and 1 have no register.
 */
#define ETE_REGISTERS(ONE, SET)						\
	ONE(TRCCONFIGR, 0x010)						\
	ONE(TRCEVENTCTL0R, 0x020)					\
	ONE(TRCEVENTCTL1R, 0x024)					\
	ONE(TRCRSR, 0x028)						\
	ONE(TRCSTALLCTLR, 0x02c)					\
	ONE(TRCTSCTLR, 0x030)						\
	ONE(TRCSYNCPR, 0x034)						\
	ONE(TRCCCCTLR, 0x038)						\
	ONE(TRCBBCTLR, 0x03c)						\
	ONE(TRCQCTLR, 0x044)						\
	ONE(TRCVICTLR, 0x080)						\
	ONE(TRCVIIECTLR, 0x084)						\
	ONE(TRCVISSCTLR, 0x088)						\
	ONE(TRCVIPCSSCTLR, 0x08c)					\
	SET(TRCSEQEVR, 3, 0x100, 4)					\
	ONE(TRCSEQRSTEVR, 0x118)					\
	ONE(TRCSEQSTR, 0x11c)						\
	SET(TRCEXTINSELR, 4, 0x120, 4)					\
	SET(TRCCNTRLDVR, 4, 0x140, 4)					\
	SET(TRCCNTCTLR, 4, 0x150, 4)					\
	SET(TRCCNTVR, 4, 0x160, 4)					\
	SET(TRCRSCTLR, 8, 0x208, 4)					\
	SET(TRCACVR, 16, 0x400, 8)					\
	SET(TRCACATR, 16, 0x480, 8)

#define ETE_ENUM_ONE(name, offset) ETE_##name,
#define ETE_ENUM_SET(name, count, offset, step)				\
	ETE_##name, ETE_##name##_LAST = ETE_##name + (count) - 1,

/* Register n of a set is ETE_NAME + n */
enum ete_reg {
	ETE_REGISTERS(ETE_ENUM_ONE, ETE_ENUM_SET)
	ETE_NR_REGS
};

/* A set of registers: one bit for each */
#define ETE_REG_WORDS	((ETE_NR_REGS + 63) / 64)

/**
 * struct ete_image - the register values of an event
 * @id: identifies the image; no two images that are ever programmed have the same; 0 is none
 * @used: registers that have a value
 * @changing: registers of @used that the trace unit itself changes
 * @value: values, by enum ete_reg
 * @trfcr: the trace filter while the event is traced
 * @trcitecr: TRCITECR_EL1: Exception levels whose TRCIT instructions are traced
 * @start_stop: the event has start or stop points, mapped or not: TRCVICTLR.SSSTATUS is kept from
 *	one run of the event to the next
 * @contradicted: by the mappings of their objects, filters have come to contradict each other: the
 *	event is not traced, which its records report
 */
struct ete_image {
	u64 id;
	u64 used[ETE_REG_WORDS];
	u64 changing[ETE_REG_WORDS];
	u64 value[ETE_NR_REGS];
	u64 trfcr;
	u64 trcitecr;
	bool start_stop;
	bool contradicted;
};

/*
 * Resource selectors and counters, each with one purpose. Most trace units have two counters:
 * strobing uses both, and leaves timestamps a third one only.
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

/* The value of a field of the request */
#define ETE_FIELD(request, name)					\
	FIELD_GET(ARM_ETE_PMU_MASK(name), (request)->ARM_ETE_PMU_FLD_##name##_CFG)

/* The cycle count threshold, at the field's present or its former place */
static inline u32 ete_threshold(const struct ete_request *request)
{
	return ETE_FIELD(request, cc_threshold) ?: ETE_FIELD(request, deprecated_cc_threshold);
}

/* Timestamps are requested, at the field's present or its former place */
static inline bool ete_asks_timestamps(const struct ete_request *request)
{
	return ete_asks(request, ARM_ETE_PMU_MASK(timestamp) |
				 ARM_ETE_PMU_MASK(deprecated_timestamp));
}

int ete_config_check(const struct ete_request *request, const struct ete_caps *caps,
		     const char **reason);
const char *ete_filter_fault(const struct ete_request *request, unsigned int n);
void ete_config_image(const struct ete_request *request, const struct ete_caps *caps,
		      struct ete_image *image);
void ete_config_registers(const struct ete_caps *caps, u64 *present);

#endif /* _ETE_CONFIG_H */
