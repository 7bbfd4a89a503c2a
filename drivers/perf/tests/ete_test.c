// SPDX-License-Identifier: GPL-2.0-only
/*
 * Trace units and requests to try the driver's register values with.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ete_test.h"

/* A trace unit that has all there is */
const struct ete_caps ete_full = {
	.idr[0] = 0x28c1cea1, .idr[2] = 0xd0001088, .idr[3] = 0x047f0004, .idr[4] = 0x11178008,
	.idr[5] = 0x480009ff, .instrumentation = 1,
};

/* One that has nothing that need not be */
const struct ete_caps ete_least = { .idr[0] = 0x08000201, .idr[2] = 0x00000008 };

/* Fields that say what a trace unit has, and the values that make a difference */
const struct ete_field ete_fields[ETE_NR_FIELDS] = {
	{ 0, 5, 5, { 0, 1 } },			/* TRCBB */
	{ 0, 7, 7, { 0, 1 } },			/* TRCCCI */
	{ 0, 9, 9, { 0, 1 } },			/* RETSTACK */
	{ 0, 10, 11, { 0, 1, 2, 3 } },		/* NUMEVENT: one less */
	{ 0, 14, 14, { 0, 1 } },		/* QFILT */
	{ 0, 24, 28, { 0, 8 } },		/* TSSIZE */
	{ 2, 5, 9, { 0, 4 } },			/* CIDSIZE */
	{ 2, 10, 14, { 0, 4 } },		/* VMIDSIZE */
	{ 3, 0, 11, { 0, 4, 0x100, 0x200, 0xfff } },	/* CCITMIN */
	{ 3, 25, 25, { 0, 1 } },		/* SYNCPR */
	{ 3, 26, 26, { 0, 1 } },		/* STALLCTL */
	{ 4, 0, 3, { 0, 1, 2, 4, 8 } },		/* NUMACPAIRS */
	{ 4, 12, 15, { 0, 1, 8 } },		/* NUMPC */
	{ 4, 16, 19, { 0, 1, 2, 3, 7, 15 } },	/* NUMRSPAIR: one less, or none */
	{ 5, 9, 11, { 0, 1, 4 } },		/* NUMEXTINSEL */
	{ 5, 25, 27, { 0, 4 } },		/* NUMSEQSTATE */
	{ 5, 28, 30, { 0, 1, 2, 3, 4 } },	/* NUMCNTR */
	{ 6, 0, 0, { 0, 1 } },			/* FEAT_ITE, and access to TRCITECR_EL1 */
};

static u64 seed;

unsigned int any(unsigned int below)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (unsigned int)(seed >> 33) % below;
}

static u32 *caps_word(struct ete_caps *caps, unsigned int idr)
{
	u32 *words[] = { &caps->idr[0], &caps->idr[1], &caps->idr[2], &caps->idr[3], &caps->idr[4],
			 &caps->idr[5], &caps->instrumentation };

	return words[idr];
}

unsigned int caps_get(const struct ete_caps *caps, unsigned int idr, unsigned int low,
		      unsigned int high)
{
	struct ete_caps copy = *caps;

	return *caps_word(&copy, idr) >> low & (unsigned int)(BIT_ULL(high - low + 1) - 1);
}

/* The greatest value of field n */
unsigned int caps_most(unsigned int n)
{
	return (unsigned int)(BIT_ULL(ete_fields[n].high - ete_fields[n].low + 1) - 1);
}

void caps_set(struct ete_caps *caps, unsigned int n, unsigned int value)
{
	u32 mask = caps_most(n) << ete_fields[n].low;
	u32 *word = caps_word(caps, ete_fields[n].idr);

	*word = (*word & ~mask) | value << ete_fields[n].low;
}

/* Any trace unit; one in three is nearly the fullest, or much would never be asked of one */
struct ete_caps caps_any(void)
{
	struct ete_caps caps = ete_full;
	const unsigned int values = ARRAY_SIZE(ete_fields[0].values);
	unsigned int i, some = any(3);

	for (i = 0; i < ETE_NR_FIELDS; i++)
		if (some || !any(8))
			caps_set(&caps, i, ete_fields[i].values[any(values)]);
	/* without selectors there are no counters and no sequencer */
	if (!caps_get(&caps, 4, 16, 19))
		caps.idr[5] &= ~0x7e000000;
	return caps;
}

struct ete_request request_any(void)
{
	static const u64 bits[] = { BRANCH_BROADCAST, CYCACC, CONTEXTID1, CONTEXTID2, TIMESTAMP,
				    RETSTACK };
	struct ete_request request = {
		.user = any(2), .kernel = any(4), .kernel_at_el2 = any(2),
		.physical_time = any(2),
		.config1 = any(3) ? 0 : PHYSICAL,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bits); i++)
		request.config |= any(3) ? 0 : bits[i];
	request.config1 |= any(4) ? 0 : INSTRUMENTATION;
	request.config1 |= any(4) ? 0 : EVENT(any(0x10000));
	request.config1 |= any(4) ? 0 : STROBE(any(0x10000), any(0x10000));
	request.config |= any(3) ? 0 : TIMESTAMP_LEVEL(any(16));
	request.config1 |= any(4) ? 0 : any(0x1000);
	request.config3 |= any(4) ? 0 : any(0x1000);
	request.nr_filters = any(3) ? 0 : any(9);
	for (i = 0; i < request.nr_filters; i++)
		request.filters[i] = (struct ete_filter) {
			.kind = any(3), .mapped = any(4), .start = 4 * any(24), .size = 4 * any(20),
		};
	return request;
}

struct ete_request request_user(u64 config, u64 config1)
{
	return (struct ete_request) { .config = config, .config1 = config1, .user = true };
}

/* What the driver makes of a request that it has found good */
struct ete_image image_of(const struct ete_request *request, const struct ete_caps *caps)
{
	struct ete_image image = { .id = 0x123456789abcdef };
	const char *reason = NULL;

	assert_int_equal(ete_config_check(request, caps, &reason), 0);
	assert_null(reason);
	ete_config_image(request, caps, &image);
	assert_int_equal(image.id, 0);
	return image;
}

/* As the descriptions say: "present only when" */
bool is_there(const struct ete_caps *caps, unsigned int reg)
{
	static const struct {
		unsigned int first, last, idr, low, high;
	} counted[] = {
		{ ETE_TRCEXTINSELR, ETE_TRCEXTINSELR_LAST, 5, 9, 11 },
		{ ETE_TRCCNTRLDVR, ETE_TRCCNTRLDVR_LAST, 5, 28, 30 },
		{ ETE_TRCCNTCTLR, ETE_TRCCNTCTLR_LAST, 5, 28, 30 },
		{ ETE_TRCCNTVR, ETE_TRCCNTVR_LAST, 5, 28, 30 },
	}, flags[] = {
		{ ETE_TRCSTALLCTLR, ETE_TRCSTALLCTLR, 3, 26, 26 },
		{ ETE_TRCTSCTLR, ETE_TRCTSCTLR, 0, 24, 28 },
		{ ETE_TRCCCCTLR, ETE_TRCCCCTLR, 0, 7, 7 },
		{ ETE_TRCEVENTCTL0R, ETE_TRCEVENTCTL0R, 4, 16, 19 },
		{ ETE_TRCQCTLR, ETE_TRCQCTLR, 0, 14, 14 },
		{ ETE_TRCVIIECTLR, ETE_TRCVISSCTLR, 4, 0, 3 },
		{ ETE_TRCVIPCSSCTLR, ETE_TRCVIPCSSCTLR, 4, 12, 15 },
		{ ETE_TRCSEQEVR, ETE_TRCSEQSTR, 5, 25, 27 },
	};
	unsigned int i, pairs = caps_get(caps, 4, 0, 3), selectors = caps_get(caps, 4, 16, 19);

	for (i = 0; i < ARRAY_SIZE(counted); i++)
		if (reg >= counted[i].first && reg <= counted[i].last)
			return reg - counted[i].first < caps_get(caps, counted[i].idr,
								 counted[i].low, counted[i].high);
	for (i = 0; i < ARRAY_SIZE(flags); i++)
		if (reg >= flags[i].first && reg <= flags[i].last)
			return caps_get(caps, flags[i].idr, flags[i].low, flags[i].high);
	if (reg == ETE_TRCBBCTLR)
		return caps_get(caps, 0, 5, 5) && pairs;
	if (reg == ETE_TRCSYNCPR)
		return !caps_get(caps, 3, 25, 25);
	if (reg >= ETE_TRCRSCTLR && reg <= ETE_TRCRSCTLR_LAST)
		return selectors && reg - ETE_TRCRSCTLR + 2 < 2 * (selectors + 1);
	if (reg >= ETE_TRCACVR && reg <= ETE_TRCACVR_LAST)
		return reg - ETE_TRCACVR < 2 * pairs;
	if (reg >= ETE_TRCACATR && reg <= ETE_TRCACATR_LAST)
		return reg - ETE_TRCACATR < 2 * pairs;
	return true;
}

bool in_set(const u64 *set, unsigned int reg)
{
	return set[reg / 64] >> (reg % 64) & 1;
}
