// SPDX-License-Identifier: GPL-2.0-only
/*
 * From an event's attributes to register values of a trace unit. Pure: nothing here reads or writes
 * a register; it is built and tested on any host.
 */
#include <linux/bitfield.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include <uapi/linux/arm_ete_pmu.h>

#include "ete_config.h"

/* Cycles between two counts where the event does not say: what the in-tree driver takes */
#define ETE_CC_THRESHOLD_DEFAULT 0x100

/* Cycles between two timestamps, where there is a counter for it */
#define ETE_TIMESTAMP_CYCLES 4096

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
	if (ete_asks(request, ARM_ETE_PMU_MASK(retstack)) && caps->idr[0] & ETE_IDR0_RETSTACK)
		value |= ARM_ETE_PMU_TRCCONFIGR_RS;
	if (caps->idr[2] & ETE_IDR2_VMIDSIZE)
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
					   FIELD_GET(ETE_IDR3_CCITMIN, caps->idr[3])));
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
