// SPDX-License-Identifier: GPL-2.0-only
/*
 * From an event's attributes to register values of a trace unit. Pure: nothing here reads or writes
 * a register; it is built and tested on any host.
 */
#include <linux/bitfield.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include <uapi/linux/arm_ete_pmu.h>

#include "ete_config.h"

/* Cycles between two counts where the event does not say: what the in-tree driver takes */
#define ETE_CC_THRESHOLD_DEFAULT 0x100

/* Cycles between two timestamps, where there is a counter for it */
#define ETE_TIMESTAMP_CYCLES 4096

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

static bool ete_asks(const struct ete_request *request, u64 field)
{
	return request->config & field;
}

/* A field of config1 */
#define ETE_CONFIG1(request, name) FIELD_GET(ARM_ETE_PMU_MASK(name), (request)->config1)

/* Resource selectors, of which 0 and 1 need no register; with NUMRSPAIR 0 there are no others */
static unsigned int ete_caps_selectors(const struct ete_caps *caps)
{
	return 2 * (FIELD_GET(ETE_IDR4_NUMRSPAIR, caps->idr4) + 1);
}

static unsigned int ete_caps_counters(const struct ete_caps *caps)
{
	return FIELD_GET(ETE_IDR5_NUMCNTR, caps->idr5);
}

/**
 * ete_caps_address_pairs() - how many address ranges a trace unit can filter by
 * @caps: what it can do
 *
 * Return: the number, at most ETE_MAX_FILTERS.
 */
unsigned int ete_caps_address_pairs(const struct ete_caps *caps)
{
	return min_t(unsigned int, FIELD_GET(ETE_IDR4_NUMACPAIRS, caps->idr4), ETE_MAX_FILTERS);
}

static bool ete_caps_strobe(const struct ete_caps *caps)
{
	return ete_caps_counters(caps) > ETE_CNT_OFF && ete_caps_selectors(caps) > ETE_RS_ON &&
	       FIELD_GET(ETE_IDR5_NUMSEQSTATE, caps->idr5);
}

static bool ete_caps_event(const struct ete_caps *caps)
{
	return FIELD_GET(ETE_IDR0_NUMEVENT, caps->idr0) >= ETE_EVENT_TRACED &&
	       FIELD_GET(ETE_IDR5_NUMEXTINSEL, caps->idr5) &&
	       ete_caps_selectors(caps) > ETE_RS_EVENT;
}

static u32 ete_lesser(u32 a, u32 b, u32 mask)
{
	return min(a & mask, b & mask);
}

/**
 * ete_caps_intersect() - what two trace units can do both
 * @common: of one; becomes that of both
 * @caps: of the other
 *
 * Only what ete_config_check() and ete_config_image() look at. The ID registers that a decoder has
 * to know are those of each trace unit itself, and which registers it has is what
 * ete_caps_registers() says of it.
 */
void ete_caps_intersect(struct ete_caps *common, const struct ete_caps *caps)
{
	const u32 flags0 = ETE_IDR0_TRCBB | ETE_IDR0_TRCCCI | ETE_IDR0_RETSTACK;
	u32 idr0, idr2, idr3, idr4, idr5;

	idr0 = (common->idr0 & caps->idr0 & flags0) |
	       ete_lesser(common->idr0, caps->idr0, ETE_IDR0_NUMEVENT) |
	       ete_lesser(common->idr0, caps->idr0, ETE_IDR0_TSSIZE);
	idr2 = ete_lesser(common->idr2, caps->idr2, ETE_IDR2_CIDSIZE) |
	       ete_lesser(common->idr2, caps->idr2, ETE_IDR2_VMIDSIZE);
	/* the least count is the greater of the two */
	idr3 = max(common->idr3 & ETE_IDR3_CCITMIN, caps->idr3 & ETE_IDR3_CCITMIN);
	idr4 = ete_lesser(common->idr4, caps->idr4, ETE_IDR4_NUMACPAIRS) |
	       ete_lesser(common->idr4, caps->idr4, ETE_IDR4_NUMRSPAIR);
	idr5 = ete_lesser(common->idr5, caps->idr5, ETE_IDR5_NUMEXTINSEL) |
	       ete_lesser(common->idr5, caps->idr5, ETE_IDR5_NUMSEQSTATE) |
	       ete_lesser(common->idr5, caps->idr5, ETE_IDR5_NUMCNTR);
	common->idr0 = idr0;
	common->idr2 = idr2;
	common->idr3 = idr3;
	common->idr4 = idr4;
	common->idr5 = idr5;
}

/* The first so many of registers first to last */
static void ete_have(u64 *present, unsigned int first, unsigned int last, unsigned int count)
{
	for (; count && first <= last; count--, first++)
		present[first / 64] |= 1ULL << (first % 64);
}

static void ete_have_one(u64 *present, unsigned int reg, bool has)
{
	ete_have(present, reg, reg, has);
}

/**
 * ete_caps_registers() - which registers of a configuration a trace unit has
 * @caps: what it can do
 * @present: a bit each, by enum ete_reg; written
 *
 * An access to one that it does not have is UNDEFINED. TRCSYNCPR it may have read-only.
 */
void ete_caps_registers(const struct ete_caps *caps, u64 *present)
{
	unsigned int pairs = FIELD_GET(ETE_IDR4_NUMACPAIRS, caps->idr4);
	unsigned int sequencer = !!FIELD_GET(ETE_IDR5_NUMSEQSTATE, caps->idr5);
	unsigned int counters = ete_caps_counters(caps);

	memset(present, 0, ETE_REG_WORDS * sizeof(*present));
	ete_have_one(present, ETE_TRCCONFIGR, true);
	ete_have_one(present, ETE_TRCEVENTCTL0R, caps->idr4 & ETE_IDR4_NUMRSPAIR);
	ete_have_one(present, ETE_TRCEVENTCTL1R, true);
	ete_have_one(present, ETE_TRCRSR, true);
	ete_have_one(present, ETE_TRCSTALLCTLR, caps->idr3 & ETE_IDR3_STALLCTL);
	ete_have_one(present, ETE_TRCTSCTLR, caps->idr0 & ETE_IDR0_TSSIZE);
	ete_have_one(present, ETE_TRCSYNCPR, !(caps->idr3 & ETE_IDR3_SYNCPR));
	ete_have_one(present, ETE_TRCCCCTLR, caps->idr0 & ETE_IDR0_TRCCCI);
	ete_have_one(present, ETE_TRCBBCTLR, caps->idr0 & ETE_IDR0_TRCBB && pairs);
	ete_have_one(present, ETE_TRCQCTLR, caps->idr0 & ETE_IDR0_QFILT);
	ete_have_one(present, ETE_TRCVICTLR, true);
	ete_have_one(present, ETE_TRCVIIECTLR, pairs);
	ete_have_one(present, ETE_TRCVISSCTLR, pairs);
	ete_have_one(present, ETE_TRCVIPCSSCTLR, caps->idr4 & ETE_IDR4_NUMPC);
	ete_have(present, ETE_TRCSEQEVR, ETE_TRCSEQEVR_LAST, 3 * sequencer);
	ete_have_one(present, ETE_TRCSEQRSTEVR, sequencer);
	ete_have_one(present, ETE_TRCSEQSTR, sequencer);
	ete_have(present, ETE_TRCEXTINSELR, ETE_TRCEXTINSELR_LAST,
		 FIELD_GET(ETE_IDR5_NUMEXTINSEL, caps->idr5));
	ete_have(present, ETE_TRCCNTRLDVR, ETE_TRCCNTRLDVR_LAST, counters);
	ete_have(present, ETE_TRCCNTCTLR, ETE_TRCCNTCTLR_LAST, counters);
	ete_have(present, ETE_TRCCNTVR, ETE_TRCCNTVR_LAST, counters);
	ete_have(present, ETE_TRCRSCTLR, ETE_TRCRSCTLR_LAST, ete_caps_selectors(caps) - 2);
	ete_have(present, ETE_TRCACVR, ETE_TRCACVR_LAST, 2 * pairs);
	ete_have(present, ETE_TRCACATR, ETE_TRCACATR_LAST, 2 * pairs);
}

static int ete_check_reserved(const struct ete_request *request, const char **reason)
{
	if (request->config & ~ARM_ETE_PMU_CONFIG_VALID ||
	    request->config1 & ~ARM_ETE_PMU_CONFIG1_VALID) {
		*reason = "a reserved bit of config or config1 is set";
		return -EINVAL;
	}
	if (ete_asks(request, ARM_ETE_PMU_MASK(preset)) ||
	    request->config2 & ARM_ETE_PMU_MASK(configid)) {
		*reason = "there are no presets";
		return -EINVAL;
	}
	if (request->config2 & ARM_ETE_PMU_MASK(sinkid)) {
		*reason = "there is no sink but the CPU's own trace buffer";
		return -EINVAL;
	}
	if (!request->user && !request->kernel) {
		*reason = "neither user nor kernel is to be traced";
		return -EINVAL;
	}
	return 0;
}

static int ete_check_identifiers(const struct ete_request *request, const struct ete_caps *caps,
				 const char **reason)
{
	if (ete_asks(request, ARM_ETE_PMU_MASK(contextid1)) &&
	    !(caps->idr2 & ETE_IDR2_CIDSIZE)) {
		*reason = "the trace unit traces no context identifiers";
		return -EOPNOTSUPP;
	}
	if (!ete_asks(request, ARM_ETE_PMU_MASK(contextid2)))
		return 0;
	if (!request->kernel_at_el2) {
		*reason = "contextid2 needs a kernel at EL2";
		return -EINVAL;
	}
	if (!(caps->idr2 & ETE_IDR2_VMIDSIZE)) {
		*reason = "the trace unit traces no virtual context identifiers";
		return -EOPNOTSUPP;
	}
	return 0;
}

static int ete_check_options(const struct ete_request *request, const struct ete_caps *caps,
			     const char **reason)
{
	u32 threshold = ETE_CONFIG1(request, cc_threshold);

	if (ete_asks(request, ARM_ETE_PMU_MASK(branch_broadcast)) &&
	    !(caps->idr0 & ETE_IDR0_TRCBB)) {
		*reason = "the trace unit has no branch broadcast";
		return -EOPNOTSUPP;
	}
	if (ete_asks(request, ARM_ETE_PMU_MASK(cycacc)) && !(caps->idr0 & ETE_IDR0_TRCCCI)) {
		*reason = "the trace unit counts no cycles";
		return -EOPNOTSUPP;
	}
	if (threshold && !ete_asks(request, ARM_ETE_PMU_MASK(cycacc))) {
		*reason = "cc_threshold is of use with cycacc only";
		return -EINVAL;
	}
	/* R_KJXDK */
	if (threshold && threshold < FIELD_GET(ETE_IDR3_CCITMIN, caps->idr3)) {
		*reason = "cc_threshold is below what the trace unit can do";
		return -EINVAL;
	}
	if (ete_asks(request, ARM_ETE_PMU_MASK(timestamp)) && !(caps->idr0 & ETE_IDR0_TSSIZE)) {
		*reason = "the trace unit has no timestamps";
		return -EOPNOTSUPP;
	}
	/* Without a return stack each return has its address, and a decoder needs not know. */
	return 0;
}

static int ete_check_resources(const struct ete_request *request, const struct ete_caps *caps,
			       const char **reason)
{
	bool on = ETE_CONFIG1(request, strobe_on), off = ETE_CONFIG1(request, strobe_off);

	if (ETE_CONFIG1(request, event) && !ete_caps_event(caps)) {
		*reason = "the trace unit has no selector or no event to trace by";
		return -EOPNOTSUPP;
	}
	if (on != off) {
		*reason = "strobe_on and strobe_off go together";
		return -EINVAL;
	}
	if (on && !ete_caps_strobe(caps)) {
		*reason = "strobing needs two counters, a sequencer and three pairs of selectors";
		return -EOPNOTSUPP;
	}
	return 0;
}

/* An address that is a start point and a stop point: what that does is UNPREDICTABLE (R_XHFYQ). */
static bool ete_filter_contradicted(const struct ete_request *request, unsigned int n)
{
	const struct ete_filter *filter = &request->filters[n], *other;

	for (other = request->filters; other < request->filters + request->nr_filters; other++)
		if (other->mapped && other->start == filter->start &&
		    other->kind != filter->kind && other->kind != ETE_FILTER_RANGE)
			return filter->kind != ETE_FILTER_RANGE;
	return false;
}

/* What a filter that is mapped cannot be, or NULL */
static const char *ete_filter_fault(const struct ete_request *request, unsigned int n)
{
	const struct ete_filter *filter = &request->filters[n];

	if (filter->size && filter->start + (filter->size - 1) < filter->start)
		return "a filter goes beyond the last address";
	if (filter->kind == ETE_FILTER_RANGE && !filter->size)
		return "a filter's range is empty";
	if (ete_filter_contradicted(request, n))
		return "trace begins and ceases at the same address";
	return NULL;
}

static int ete_check_filters(const struct ete_request *request, const struct ete_caps *caps,
			     const char **reason)
{
	unsigned int i;

	if (request->nr_filters > ete_caps_address_pairs(caps)) {
		*reason = "the trace unit has fewer address comparators than there are filters";
		return -EOPNOTSUPP;
	}
	for (i = 0; i < request->nr_filters; i++) {
		*reason = request->filters[i].mapped ? ete_filter_fault(request, i) : NULL;
		if (*reason)
			return -EINVAL;
	}
	return 0;
}

/**
 * ete_config_check() - can a trace unit do what an event asks?
 * @request: what it asks
 * @caps: what the trace unit can do
 * @reason: set to what is wrong, where something is
 *
 * Return: 0; -EINVAL for what no trace unit can do, -EOPNOTSUPP for what this one cannot.
 */
int ete_config_check(const struct ete_request *request, const struct ete_caps *caps,
		     const char **reason)
{
	int (*const checks[])(const struct ete_request *r, const struct ete_caps *c,
			      const char **why) = {
		ete_check_identifiers, ete_check_options, ete_check_resources, ete_check_filters,
	};
	int err = ete_check_reserved(request, reason);
	unsigned int i;

	for (i = 0; !err && i < ARRAY_SIZE(checks); i++)
		err = checks[i](request, caps, reason);
	return err;
}

static void ete_set(struct ete_image *image, unsigned int reg, u64 value)
{
	image->used[reg / 64] |= 1ULL << (reg % 64);
	image->value[reg] = value;
}

static void ete_set_changing(struct ete_image *image, unsigned int reg, u64 value)
{
	image->changing[reg / 64] |= 1ULL << (reg % 64);
	ete_set(image, reg, value);
}

/*
 * TRCCONFIGR, bit by bit what the recording says of it. VMIDOPT is RES1 where there are virtual
 * context identifiers.
 */
static u64 ete_trcconfigr(const struct ete_request *request, const struct ete_caps *caps)
{
	u64 value = ETE_CONFIGR_RES1;

	if (ete_asks(request, ARM_ETE_PMU_MASK(branch_broadcast)))
		value |= ARM_ETE_PMU_TRCCONFIGR_BB;
	if (ete_asks(request, ARM_ETE_PMU_MASK(cycacc)))
		value |= ARM_ETE_PMU_TRCCONFIGR_CCI;
	if (ete_asks(request, ARM_ETE_PMU_MASK(contextid1)))
		value |= ARM_ETE_PMU_TRCCONFIGR_CID;
	if (ete_asks(request, ARM_ETE_PMU_MASK(contextid2)))
		value |= ARM_ETE_PMU_TRCCONFIGR_VMID;
	if (ete_asks(request, ARM_ETE_PMU_MASK(timestamp)))
		value |= ARM_ETE_PMU_TRCCONFIGR_TS;
	if (ete_asks(request, ARM_ETE_PMU_MASK(retstack)) && caps->idr0 & ETE_IDR0_RETSTACK)
		value |= ARM_ETE_PMU_TRCCONFIGR_RS;
	if (caps->idr2 & ETE_IDR2_VMIDSIZE)
		value |= ARM_ETE_PMU_TRCCONFIGR_VMIDOPT;
	return value;
}

/* Counter n from value to 0, again and again; at first, too, it has that value (S_LMPNV) */
static void ete_set_counter(struct ete_image *image, unsigned int n, u32 control, u32 value)
{
	ete_set(image, ETE_TRCCNTRLDVR + n, value);
	ete_set(image, ETE_TRCCNTCTLR + n, control);
	ete_set_changing(image, ETE_TRCCNTVR + n, value);
}

static void ete_set_selector(struct ete_image *image, unsigned int n, u32 group, u32 select)
{
	ete_set(image, ETE_TRCRSCTLR + n - 2, ETE_RSCTLR(group, select));
}

/* Timestamps come with each synchronisation, and as often as a counter says, if there is one. */
static void ete_set_timestamps(struct ete_image *image, const struct ete_caps *caps, bool strobed)
{
	unsigned int counter = strobed ? ETE_CNT_TIMESTAMP_STROBED : ETE_CNT_TIMESTAMP;

	if (ete_caps_counters(caps) <= counter || ete_caps_selectors(caps) <= ETE_RS_TIMESTAMP) {
		ete_set(image, ETE_TRCTSCTLR, ETE_SEL_FALSE);
		return;
	}
	ete_set_counter(image, counter,
			ETE_CNTCTLR_CNTEVENT(ETE_SEL_TRUE) | ETE_CNTCTLR_RLDSELF,
			ETE_TIMESTAMP_CYCLES - 1);
	ete_set_selector(image, ETE_RS_TIMESTAMP, ETE_GROUP_COUNTER, BIT(counter));
	ete_set(image, ETE_TRCTSCTLR, ETE_RS_TIMESTAMP);
}

/* An Event element where the PMU event occurs */
static void ete_set_event(struct ete_image *image, u32 number)
{
	u32 control0 = 0, control1 = 0;

	if (number) {
		ete_set(image, ETE_TRCEXTINSELR, number);
		ete_set_selector(image, ETE_RS_EVENT, ETE_GROUP_EXTIN, BIT(0));
		control0 = ETE_RS_EVENT << (8 * ETE_EVENT_TRACED);
		control1 = ETE_EVENTCTL1_INSTEN(ETE_EVENT_TRACED);
	}
	ete_set(image, ETE_TRCEVENTCTL0R, control0);
	ete_set(image, ETE_TRCEVENTCTL1R, control1);
}

/*
 * Trace for a number of cycles, then not for another. The sequencer is in state ON or OFF; in each
 * a counter counts, and where it begins anew the sequencer goes to the other. That is once in the
 * counter's value and one more cycles (R_YLYPH, R_VGJNL). ViewInst is active in state ON. Returns
 * the selector of that.
 */
static unsigned int ete_set_strobe(struct ete_image *image, u32 on, u32 off)
{
	unsigned int n;

	on--;
	off--;
	ete_set_selector(image, ETE_RS_ON, ETE_GROUP_COUNTER, ETE_GROUP_SEQUENCER(ETE_SEQ_ON));
	ete_set_selector(image, ETE_RS_ON + 1, ETE_GROUP_COUNTER,
			 ETE_GROUP_SEQUENCER(ETE_SEQ_OFF));
	ete_set_selector(image, ETE_RS_ON_OVER, ETE_GROUP_COUNTER, BIT(ETE_CNT_ON));
	ete_set_selector(image, ETE_RS_OFF_OVER, ETE_GROUP_COUNTER, BIT(ETE_CNT_OFF));
	ete_set_counter(image, ETE_CNT_ON, ETE_CNTCTLR_CNTEVENT(ETE_RS_ON) | ETE_CNTCTLR_RLDSELF,
			on);
	ete_set_counter(image, ETE_CNT_OFF,
			ETE_CNTCTLR_CNTEVENT(ETE_RS_ON + 1) | ETE_CNTCTLR_RLDSELF, off);
	ete_set(image, ETE_TRCSEQEVR,
		ETE_SEQEVR_F(ETE_RS_ON_OVER) | ETE_SEQEVR_B(ETE_RS_OFF_OVER));
	for (n = 1; n < 3; n++)
		ete_set(image, ETE_TRCSEQEVR + n, 0);
	ete_set(image, ETE_TRCSEQRSTEVR, ETE_SEL_FALSE);
	ete_set_changing(image, ETE_TRCSEQSTR, ETE_SEQ_ON);
	return ETE_RS_ON;
}

/* A single address comparator; it matches in each exception level that is traced at all */
static void ete_set_comparator(struct ete_image *image, unsigned int n, u64 address)
{
	ete_set(image, ETE_TRCACVR + n, address);
	ete_set(image, ETE_TRCACATR + n, 0);
}

/*
 * The pair of comparators that a filter has: in the order of their addresses, as start and stop
 * points have to be (R_SFXZB).
 */
static unsigned int ete_filter_pair(const struct ete_request *request, unsigned int n)
{
	const struct ete_filter *filters = request->filters;
	unsigned int i, pair = 0;

	for (i = 0; i < request->nr_filters; i++)
		if (filters[i].start < filters[n].start ||
		    (filters[i].start == filters[n].start && i < n))
			pair++;
	return pair;
}

/*
 * The upper address of a range is within it (R_LLQPL). Of a filter of which nothing is mapped there
 * is nothing, and so of one that cannot be: where things are mapped is known too late to refuse it.
 * Returns false if there is nothing of all ranges: no register says so.
 */
static bool ete_set_filters(struct ete_image *image, const struct ete_request *request)
{
	bool asked = false;
	u32 ranges = 0, points = 0;
	unsigned int n;

	for (n = 0; n < request->nr_filters; n++) {
		const struct ete_filter *filter = &request->filters[n];
		unsigned int pair = ete_filter_pair(request, n);

		if (filter->kind == ETE_FILTER_RANGE)
			asked = true;
		else
			image->start_stop = true;
		if (!filter->mapped || ete_filter_fault(request, n))
			continue;
		ete_set_comparator(image, 2 * pair, filter->start);
		switch (filter->kind) {
		case ETE_FILTER_RANGE:
			ete_set_comparator(image, 2 * pair + 1,
					   filter->start + filter->size - 1);
			ranges |= ETE_VIIECTLR_INCLUDE(pair);
			break;
		case ETE_FILTER_START:
			points |= ETE_VISSCTLR_START(2 * pair);
			break;
		case ETE_FILTER_STOP:
			points |= ETE_VISSCTLR_STOP(2 * pair);
			break;
		}
	}
	ete_set(image, ETE_TRCVIIECTLR, ranges);
	ete_set(image, ETE_TRCVISSCTLR, points);
	return ranges || !asked;
}

/* Is the start/stop function started at first (S_XMMLP)? Not where there is a point to start at. */
static bool ete_starts(const struct ete_request *request)
{
	unsigned int n;

	for (n = 0; n < request->nr_filters; n++)
		if (request->filters[n].kind == ETE_FILTER_START)
			return false;
	return true;
}

/*
 * Which instructions: the exception levels that were asked for, and never Secure state (S_SXJLN,
 * S_QCWTJ). A trace unit without selectors has no EVENT that could be FALSE, so it is by exception
 * levels that nothing is traced.
 */
static u64 ete_trcvictlr(const struct ete_request *request, unsigned int when, bool any)
{
	unsigned int own = request->kernel_at_el2 ? 2 : 1, el;
	u64 value = ETE_VICTLR_EVENT(when);

	for (el = 0; el < 4; el++)
		value |= ETE_VICTLR_S(el);
	for (el = 1; el < 3; el++)
		if (el != own || !request->kernel || !any)
			value |= ETE_VICTLR_NS(el);
	return request->user && any ? value : value | ETE_VICTLR_NS(0);
}

/*
 * The trace filter of an event while it is traced: TRFCR_EL1, or TRFCR_EL2 where the kernel is at
 * EL2. Timestamps are of the kernel's own clock: of a host that is the physical counter, and the
 * virtual one is ahead or behind it as the virtual machine wants that was there last.
 */
static u64 ete_trfcr(const struct ete_request *request)
{
	u64 value = request->physical_time ? ETE_TRFCR_TS_PHYSICAL : ETE_TRFCR_TS_VIRTUAL;

	if (request->user)
		value |= ETE_TRFCR_E0;
	if (request->kernel)
		value |= ETE_TRFCR_EX;
	if (ete_asks(request, ARM_ETE_PMU_MASK(contextid2)))
		value |= ETE_TRFCR_CX;
	return value;
}

/**
 * ete_config_image() - the register values of an event
 * @request: what it asks, which ete_config_check() has found good; filters may have come since
 * @caps: what the trace unit can do
 * @image: written, but for its id. What it was before counts: if there were start or stop points,
 * the start/stop function goes on as it was left
 *
 * Every register that "must be programmed" has a value, and so has each that is used. A trace unit
 * that does not have one of them, by ete_caps_registers(), is programmed without it.
 */
void ete_config_image(const struct ete_request *request, const struct ete_caps *caps,
		      struct ete_image *image)
{
	u32 on = ETE_CONFIG1(request, strobe_on), off = ETE_CONFIG1(request, strobe_off);
	u64 id = image->id, threshold = ETE_CONFIG1(request, cc_threshold), view;
	bool started = image->start_stop ?
		image->value[ETE_TRCVICTLR] & ETE_VICTLR_SSSTATUS : ete_starts(request);
	unsigned int when = ETE_SEL_TRUE;

	memset(image, 0, sizeof(*image));
	image->id = id;
	ete_set(image, ETE_TRCCONFIGR, ete_trcconfigr(request, caps));
	ete_set_event(image, ETE_CONFIG1(request, event));
	ete_set_changing(image, ETE_TRCRSR, ETE_RSR_TA);
	ete_set(image, ETE_TRCSTALLCTLR, 0);
	if (ete_asks(request, ARM_ETE_PMU_MASK(timestamp)))
		ete_set_timestamps(image, caps, on);
	ete_set(image, ETE_TRCSYNCPR, ETE_SYNCPR_4K);
	if (ete_asks(request, ARM_ETE_PMU_MASK(cycacc)))
		ete_set(image, ETE_TRCCCCTLR,
			threshold ?: max_t(u64, ETE_CC_THRESHOLD_DEFAULT,
					   FIELD_GET(ETE_IDR3_CCITMIN, caps->idr3)));
	if (ete_asks(request, ARM_ETE_PMU_MASK(branch_broadcast)))
		ete_set(image, ETE_TRCBBCTLR, 0);
	ete_set(image, ETE_TRCQCTLR, 0);
	if (on)
		when = ete_set_strobe(image, on, off);
	view = ete_trcvictlr(request, when, ete_set_filters(image, request));
	ete_set(image, ETE_TRCVIPCSSCTLR, 0);
	if (!image->start_stop)
		ete_set(image, ETE_TRCVICTLR, view | ETE_VICTLR_SSSTATUS);
	else
		ete_set_changing(image, ETE_TRCVICTLR, started ? view | ETE_VICTLR_SSSTATUS : view);
	image->trfcr = ete_trfcr(request);
}
