// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an event may ask of a trace unit, and why not. Pure: it is built and tested on any host.
 */
#include <linux/bitfield.h>
#include <linux/errno.h>
#include <linux/kernel.h>

#include <uapi/linux/arm_ete_pmu.h>

#include "ete_config.h"

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
	    !(caps->idr[2] & ETE_IDR2_CIDSIZE)) {
		*reason = "the trace unit traces no context identifiers";
		return -EOPNOTSUPP;
	}
	if (!ete_asks(request, ARM_ETE_PMU_MASK(contextid2)))
		return 0;
	if (!request->kernel_at_el2) {
		*reason = "contextid2 needs a kernel at EL2";
		return -EINVAL;
	}
	if (!(caps->idr[2] & ETE_IDR2_VMIDSIZE)) {
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
	    !(caps->idr[0] & ETE_IDR0_TRCBB)) {
		*reason = "the trace unit has no branch broadcast";
		return -EOPNOTSUPP;
	}
	if (ete_asks(request, ARM_ETE_PMU_MASK(cycacc)) && !(caps->idr[0] & ETE_IDR0_TRCCCI)) {
		*reason = "the trace unit counts no cycles";
		return -EOPNOTSUPP;
	}
	if (threshold && !ete_asks(request, ARM_ETE_PMU_MASK(cycacc))) {
		*reason = "cc_threshold is of use with cycacc only";
		return -EINVAL;
	}
	/* R_KJXDK */
	if (threshold && threshold < FIELD_GET(ETE_IDR3_CCITMIN, caps->idr[3])) {
		*reason = "cc_threshold is below what the trace unit can do";
		return -EINVAL;
	}
	if (ete_asks(request, ARM_ETE_PMU_MASK(timestamp)) && !(caps->idr[0] & ETE_IDR0_TSSIZE)) {
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

/**
 * ete_filter_fault() - what is wrong with a filter that is mapped
 * @request: its event's
 * @n: its number
 *
 * Return: what it cannot be, or NULL.
 */
const char *ete_filter_fault(const struct ete_request *request, unsigned int n)
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
