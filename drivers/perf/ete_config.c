// SPDX-License-Identifier: GPL-2.0-only
/*
 * The attributes of an event: validation, and conversion to register values of a trace unit.
 * No function here accesses a register; the file is built and tested on any host.
 */
#include <linux/bitfield.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include <uapi/linux/arm_ete_pmu.h>

#include "ete_config.h"

/* Default of cc_threshold, that of the in-tree driver */
#define ETE_CC_THRESHOLD_DEFAULT 0x100

/* Timestamp level 1, perf's default, has the interval of this level: 4096 cycles */
#define ETE_TIMESTAMP_DEFAULT 13

static bool ete_caps_strobe(const struct ete_caps *caps)
{
	return ete_caps_counters(caps) > ETE_CNT_OFF && ete_caps_selectors(caps) > ETE_RS_ON &&
	       FIELD_GET(ETE_IDR5_NUMSEQSTATE, caps->idr[5]);
}

static bool ete_caps_event(const struct ete_caps *caps)
{
	return FIELD_GET(ETE_IDR0_NUMEVENT, caps->idr[0]) >= ETE_EVENT_TRACED &&
	       FIELD_GET(ETE_IDR5_NUMEXTINSEL, caps->idr[5]) &&
	       ete_caps_selectors(caps) > ETE_RS_EVENT;
}

static int ete_check_reserved(const struct ete_request *request, const char **reason)
{
	if (request->config & ~ARM_ETE_PMU_CONFIG_VALID ||
	    request->config1 & ~ARM_ETE_PMU_CONFIG1_VALID ||
	    request->config3 & ~ARM_ETE_PMU_CONFIG3_VALID || request->config4) {
		*reason = "a reserved bit of config, config1, config3 or config4 is set";
		return -EINVAL;
	}
	if (ete_asks(request, ARM_ETE_PMU_MASK(preset)) ||
	    request->config2 & ARM_ETE_PMU_MASK(configid)) {
		*reason = "there are no system configurations: preset and configid must be 0";
		return -EINVAL;
	}
	if (request->config2 & ARM_ETE_PMU_MASK(sinkid)) {
		*reason = "the only sink is the CPU's own trace buffer: sinkid must be 0";
		return -EINVAL;
	}
	if (!request->user && !request->kernel) {
		*reason = "the event excludes both user and kernel";
		return -EINVAL;
	}
	return 0;
}

static int ete_check_identifiers(const struct ete_request *request, const struct ete_caps *caps,
				 const char **reason)
{
	if (ete_asks(request, ARM_ETE_PMU_MASK(contextid1)) &&
	    !(caps->idr[2] & ETE_IDR2_CIDSIZE)) {
		*reason = "the trace unit cannot trace context identifiers";
		return -EOPNOTSUPP;
	}
	if (!ete_asks(request, ARM_ETE_PMU_MASK(contextid2)))
		return 0;
	if (!request->kernel_at_el2) {
		*reason = "contextid2 needs a kernel at EL2";
		return -EINVAL;
	}
	if (!(caps->idr[2] & ETE_IDR2_VMIDSIZE)) {
		*reason = "the trace unit cannot trace virtual context identifiers";
		return -EOPNOTSUPP;
	}
	return 0;
}

static int ete_check_options(const struct ete_request *request, const struct ete_caps *caps,
			     const char **reason)
{
	u32 threshold = ete_threshold(request);

	if (ete_asks(request, ARM_ETE_PMU_MASK(branch_broadcast)) &&
	    !(caps->idr[0] & ETE_IDR0_TRCBB)) {
		*reason = "the trace unit has no branch broadcast";
		return -EOPNOTSUPP;
	}
	if (ete_asks(request, ARM_ETE_PMU_MASK(cycacc)) && !(caps->idr[0] & ETE_IDR0_TRCCCI)) {
		*reason = "the trace unit cannot count cycles";
		return -EOPNOTSUPP;
	}
	if (threshold && !ete_asks(request, ARM_ETE_PMU_MASK(cycacc))) {
		*reason = "cc_threshold requires cycacc";
		return -EINVAL;
	}
	/* R_KJXDK */
	if (threshold && threshold < FIELD_GET(ETE_IDR3_CCITMIN, caps->idr[3])) {
		*reason = "cc_threshold is below the minimum of the trace unit (TRCIDR3.CCITMIN)";
		return -EINVAL;
	}
	if (ete_asks_timestamps(request) && !(caps->idr[0] & ETE_IDR0_TSSIZE)) {
		*reason = "the trace unit has no timestamps";
		return -EOPNOTSUPP;
	}
	if (ETE_FIELD(request, instrumentation) && !caps->instrumentation) {
		*reason = "instrumentation requires FEAT_ITE and instrumentation=1 of the module";
		return -EOPNOTSUPP;
	}
	/* Without a return stack the trace has each return address: retstack is no error. */
	return 0;
}

static int ete_check_resources(const struct ete_request *request, const struct ete_caps *caps,
			       const char **reason)
{
	bool on = ETE_FIELD(request, strobe_on), off = ETE_FIELD(request, strobe_off);

	if (ETE_FIELD(request, event) && !ete_caps_event(caps)) {
		*reason = "event requires a selector, an external input and two events";
		return -EOPNOTSUPP;
	}
	if (on != off) {
		*reason = "strobe_on and strobe_off must both be 0 or both not";
		return -EINVAL;
	}
	if (on && !ete_caps_strobe(caps)) {
		*reason = "strobing requires two counters, a sequencer and six selectors";
		return -EOPNOTSUPP;
	}
	return 0;
}

/* One address as start point and as stop point is CONSTRAINED UNPREDICTABLE (R_XHFYQ). */
static bool ete_filter_contradicted(const struct ete_request *request, unsigned int n)
{
	const struct ete_filter *filter = &request->filters[n], *other;

	for (other = request->filters; other < request->filters + request->nr_filters; other++)
		if (other->mapped && other->start == filter->start &&
		    other->kind != filter->kind && other->kind != ETE_FILTER_RANGE)
			return filter->kind != ETE_FILTER_RANGE;
	return false;
}

/**
 * ete_filter_fault() - validate a mapped filter
 * @request: the event's request
 * @n: index of the filter
 *
 * Return: NULL, or the reason why the filter is not valid.
 */
const char *ete_filter_fault(const struct ete_request *request, unsigned int n)
{
	const struct ete_filter *filter = &request->filters[n];

	if (filter->size && filter->start + (filter->size - 1) < filter->start)
		return "a filter extends beyond the last address";
	if (filter->kind == ETE_FILTER_RANGE && !filter->size)
		return "the range of a filter is empty";
	if (ete_filter_contradicted(request, n))
		return "a start point and a stop point have the same address";
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
 * ete_config_check() - compare a request with the capabilities of a trace unit
 * @request: the event's request
 * @caps: capabilities of the trace unit
 * @reason: set to the reason of an error
 *
 * Return: 0; -EINVAL for a request that no trace unit can fulfil, -EOPNOTSUPP for a request that
 * this trace unit cannot fulfil.
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

/* Marks the first count of the registers from first to last */
static void ete_mark_set(u64 *present, unsigned int first, unsigned int last, unsigned int count)
{
	for (; count && first <= last; count--, first++)
		present[first / 64] |= 1ULL << (first % 64);
}

static void ete_mark(u64 *present, unsigned int reg, bool has)
{
	ete_mark_set(present, reg, reg, has);
}

/**
 * ete_config_registers() - registers of a configuration that a trace unit implements
 * @caps: capabilities of the trace unit
 * @present: written: one bit for each, by enum ete_reg
 *
 * An access to any other register is UNDEFINED. A read-only TRCSYNCPR counts as absent.
 */
void ete_config_registers(const struct ete_caps *caps, u64 *present)
{
	unsigned int pairs = FIELD_GET(ETE_IDR4_NUMACPAIRS, caps->idr[4]);
	unsigned int sequencer = !!FIELD_GET(ETE_IDR5_NUMSEQSTATE, caps->idr[5]);
	unsigned int counters = ete_caps_counters(caps);

	memset(present, 0, ETE_REG_WORDS * sizeof(*present));
	ete_mark(present, ETE_TRCCONFIGR, true);
	ete_mark(present, ETE_TRCEVENTCTL0R, caps->idr[4] & ETE_IDR4_NUMRSPAIR);
	ete_mark(present, ETE_TRCEVENTCTL1R, true);
	ete_mark(present, ETE_TRCRSR, true);
	ete_mark(present, ETE_TRCSTALLCTLR, caps->idr[3] & ETE_IDR3_STALLCTL);
	ete_mark(present, ETE_TRCTSCTLR, caps->idr[0] & ETE_IDR0_TSSIZE);
	ete_mark(present, ETE_TRCSYNCPR, !(caps->idr[3] & ETE_IDR3_SYNCPR));
	ete_mark(present, ETE_TRCCCCTLR, caps->idr[0] & ETE_IDR0_TRCCCI);
	ete_mark(present, ETE_TRCBBCTLR, caps->idr[0] & ETE_IDR0_TRCBB && pairs);
	ete_mark(present, ETE_TRCQCTLR, caps->idr[0] & ETE_IDR0_QFILT);
	ete_mark(present, ETE_TRCVICTLR, true);
	ete_mark(present, ETE_TRCVIIECTLR, pairs);
	ete_mark(present, ETE_TRCVISSCTLR, pairs);
	ete_mark(present, ETE_TRCVIPCSSCTLR, caps->idr[4] & ETE_IDR4_NUMPC);
	ete_mark_set(present, ETE_TRCSEQEVR, ETE_TRCSEQEVR_LAST, 3 * sequencer);
	ete_mark(present, ETE_TRCSEQRSTEVR, sequencer);
	ete_mark(present, ETE_TRCSEQSTR, sequencer);
	ete_mark_set(present, ETE_TRCEXTINSELR, ETE_TRCEXTINSELR_LAST,
		     FIELD_GET(ETE_IDR5_NUMEXTINSEL, caps->idr[5]));
	ete_mark_set(present, ETE_TRCCNTRLDVR, ETE_TRCCNTRLDVR_LAST, counters);
	ete_mark_set(present, ETE_TRCCNTCTLR, ETE_TRCCNTCTLR_LAST, counters);
	ete_mark_set(present, ETE_TRCCNTVR, ETE_TRCCNTVR_LAST, counters);
	ete_mark_set(present, ETE_TRCRSCTLR, ETE_TRCRSCTLR_LAST, ete_caps_selectors(caps) - 2);
	ete_mark_set(present, ETE_TRCACVR, ETE_TRCACVR_LAST, 2 * pairs);
	ete_mark_set(present, ETE_TRCACATR, ETE_TRCACATR_LAST, 2 * pairs);
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
 * TRCCONFIGR has the bits that the recording's metadata names for the event. VMIDOPT is RES1 where
 * the trace unit has virtual context identifiers.
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
	if (ete_asks_timestamps(request))
		value |= ARM_ETE_PMU_TRCCONFIGR_TS;
	if (ete_asks(request, ARM_ETE_PMU_MASK(retstack)) && caps->idr[0] & ETE_IDR0_RETSTACK)
		value |= ARM_ETE_PMU_TRCCONFIGR_RS;
	if (caps->idr[2] & ETE_IDR2_VMIDSIZE)
		value |= ARM_ETE_PMU_TRCCONFIGR_VMIDOPT;
	return value;
}

/* Counter n counts from value to 0 and reloads itself; it starts at value (S_LMPNV) */
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

/*
 * The trace unit inserts a timestamp with each synchronisation. If a counter is free, it requests
 * further timestamps at the interval of the level.
 */
static void ete_set_timestamps(struct ete_image *image, const struct ete_request *request,
			       const struct ete_caps *caps)
{
	bool strobed = ETE_FIELD(request, strobe_on);
	unsigned int counter = strobed ? ETE_CNT_TIMESTAMP_STROBED : ETE_CNT_TIMESTAMP;
	unsigned int level = ETE_FIELD(request, timestamp);

	if (level == ARM_ETE_PMU_TIMESTAMP_SYNC || ete_caps_counters(caps) <= counter ||
	    ete_caps_selectors(caps) <= ETE_RS_TIMESTAMP) {
		ete_set(image, ETE_TRCTSCTLR, ETE_SEL_FALSE);
		return;
	}
	if (level <= 1)
		level = ETE_TIMESTAMP_DEFAULT;
	/* the counter reloads in the cycle after it reached 0: once in the value and one cycles */
	ete_set_counter(image, counter,
			ETE_CNTCTLR_CNTEVENT(ETE_SEL_TRUE) | ETE_CNTCTLR_RLDSELF,
			BIT(level - 1) - 1);
	ete_set_selector(image, ETE_RS_TIMESTAMP, ETE_GROUP_COUNTER, BIT(counter));
	ete_set(image, ETE_TRCTSCTLR, ETE_RS_TIMESTAMP);
}

/* The trace unit inserts an Event element where the PMU event occurs */
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
 * Strobing: the sequencer alternates between the states ON and OFF. Each state has a counter, whose
 * reload moves the sequencer to the other state; a counter reloads once in its value and one
 * cycles (R_YLYPH, R_VGJNL). ViewInst is active in state ON, whose selector the function returns.
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

/* A single address comparator; it matches in each Exception level that is traced */
static void ete_set_comparator(struct ete_image *image, unsigned int n, u64 address)
{
	ete_set(image, ETE_TRCACVR + n, address);
	ete_set(image, ETE_TRCACATR + n, 0);
}

/*
 * The comparator pair of a filter. Pairs are in the order of the filters' addresses, which start
 * and stop points require (R_SFXZB).
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
 * Program the address filters. The upper address of a range is inclusive (R_LLQPL). A filter has no
 * comparator if it is not mapped, or not valid: a mapping is known too late to refuse the event.
 * Returns false if nothing is to be traced, which TRCVIIECTLR cannot express: a filter is not
 * valid, or the event has ranges but none of them has a comparator.
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
		if (!filter->mapped)
			continue;
		if (ete_filter_fault(request, n)) {
			image->contradicted = true;
			continue;
		}
		ete_set_comparator(image, 2 * pair, filter->start);
		if (filter->kind == ETE_FILTER_RANGE) {
			ete_set_comparator(image, 2 * pair + 1,
					   filter->start + filter->size - 1);
			ranges |= ETE_VIIECTLR_INCLUDE(pair);
		} else if (filter->kind == ETE_FILTER_START) {
			points |= ETE_VISSCTLR_START(2 * pair);
		} else {
			points |= ETE_VISSCTLR_STOP(2 * pair);
		}
	}
	ete_set(image, ETE_TRCVIIECTLR, ranges);
	ete_set(image, ETE_TRCVISSCTLR, points);
	return !image->contradicted && (ranges || !asked);
}

/* The start/stop function is initially started (S_XMMLP), unless the event has a start point. */
static bool ete_started_initially(const struct ete_request *request)
{
	unsigned int n;

	for (n = 0; n < request->nr_filters; n++)
		if (request->filters[n].kind == ETE_FILTER_START)
			return false;
	return true;
}

/*
 * TRCVICTLR: the Exception levels that the event requests, and never Secure state (S_SXJLN,
 * S_QCWTJ). A trace unit without selectors cannot have EVENT as FALSE, so if nothing is to be
 * traced (any is false), all Exception levels are excluded.
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
 * The trace filter while the event is traced: TRFCR_EL1, or TRFCR_EL2 where the kernel is at EL2.
 * Timestamps are of the kernel's clock. On a host this is the physical counter: the virtual offset
 * belongs to the virtual machine that was loaded last.
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

/*
 * TRCITECR_EL1, or TRCITECR_EL2 where the kernel is at EL2: the Exception levels whose TRCIT is
 * traced (I_CMDFW). Unless the event requests instrumentation it is 0, and TRCIT a NOP (R_BXTXK).
 * ViewInst makes no difference to TRCIT (I_MHGVF): filters and strobing do not limit it, and an
 * event that is not traced because its filters contradict each other must not allow it.
 */
static u64 ete_trcitecr(const struct ete_request *request, const struct ete_image *image)
{
	u64 value = 0;

	if (!ETE_FIELD(request, instrumentation) || image->contradicted)
		return 0;
	if (request->user)
		value |= ETE_ITECR_E0;
	if (request->kernel)
		value |= ETE_ITECR_EX;
	return value;
}

/**
 * ete_config_image() - compute the register values of an event
 * @request: the event's request, which passed ete_config_check() before its filters changed
 * @caps: capabilities of the trace unit
 * @image: written; it has no id until the caller gives it one. If the image had start or stop
 *	points before, the state of the start/stop function is kept.
 *
 * The image has a value for each register that the architecture requires to be programmed and for
 * each that the event uses. A register that the trace unit lacks (ete_config_registers()) is
 * skipped when the image is programmed.
 */
void ete_config_image(const struct ete_request *request, const struct ete_caps *caps,
		      struct ete_image *image)
{
	u32 on = ETE_FIELD(request, strobe_on), off = ETE_FIELD(request, strobe_off);
	u64 threshold = ete_threshold(request), view;
	bool started = image->start_stop ?
		image->value[ETE_TRCVICTLR] & ETE_VICTLR_SSSTATUS : ete_started_initially(request);
	unsigned int when = ETE_SEL_TRUE;

	memset(image, 0, sizeof(*image));
	ete_set(image, ETE_TRCCONFIGR, ete_trcconfigr(request, caps));
	ete_set_event(image, ETE_FIELD(request, event));
	ete_set_changing(image, ETE_TRCRSR, ETE_RSR_TA);
	ete_set(image, ETE_TRCSTALLCTLR, 0);
	if (ete_asks_timestamps(request))
		ete_set_timestamps(image, request, caps);
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
	image->trcitecr = ete_trcitecr(request, image);
}
