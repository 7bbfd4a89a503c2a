// SPDX-License-Identifier: GPL-2.0-only
/*
 * Values of TRBSR_EL1, all that there are of the fields that count, against tables made from the
 * register's description and from R_VHNTF.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <linux/bits.h>
#include <linux/kernel.h>

#include "trbe_event.h"

/* Where the manual has the fields */
#define S		BIT_ULL(17)
#define EA		BIT_ULL(18)
#define WRAP		BIT_ULL(20)
#define TRG		BIT_ULL(21)
#define IRQ		BIT_ULL(22)
#define EC(code)	((u64)(code) << 26)

/* Event classes that are not reserved */
static const struct {
	unsigned int ec;
	enum trbe_event event;
} classes[] = {
	{ 0x1f, TRBE_EVENT_IMPDEF },
	{ 0x24, TRBE_EVENT_FAULT_STAGE1 },
	{ 0x25, TRBE_EVENT_FAULT_STAGE2 },
	/* 0x1e is a fault of the granule protection check: FEAT_RME is not worked with */
};

/*
 * Of event class 0: the status code and the flags as they are together, and what more may be set;
 * all else contradicts itself, or is of External mode.
 */
static const struct {
	unsigned int bsc;
	u64 set, may;
	enum trbe_event event;
} others[] = {
	{ 0, IRQ, 0, TRBE_EVENT_NONE },
	{ 0, IRQ | TRG, 0, TRBE_EVENT_WARNING },
	{ 0, IRQ | WRAP, TRG, TRBE_EVENT_WRAPPED },
	{ 1, S | WRAP, IRQ | TRG, TRBE_EVENT_FILLED },
	{ 2, S | TRG, IRQ | WRAP, TRBE_EVENT_TRIGGERED },
};

static enum trbe_event wanted(u64 flags, unsigned int ec, unsigned int code)
{
	unsigned int i;

	if (flags & EA)
		return TRBE_EVENT_EXTERNAL_ABORT;
	if (!(flags & (S | IRQ)))
		return TRBE_EVENT_NONE;
	for (i = 0; i < ARRAY_SIZE(classes); i++)
		if (ec == classes[i].ec)
			return classes[i].event;
	for (i = 0; ec == 0 && i < ARRAY_SIZE(others); i++)
		if (code == others[i].bsc && (flags & ~others[i].may) == others[i].set)
			return others[i].event;
	return TRBE_EVENT_UNKNOWN;
}

/* Calls check for each combination of the flags, of EC, and of BSC or FSC */
static void each_status(void (*check)(u64 flags, unsigned int ec, unsigned int code))
{
	static const u64 bits[] = { S, EA, WRAP, TRG, IRQ };
	unsigned int set, ec, code, i;

	for (set = 0; set < 32; set++) {
		u64 flags = 0;

		for (i = 0; i < 5; i++)
			flags |= set >> i & 1 ? bits[i] : 0;
		for (ec = 0; ec < 64; ec++)
			for (code = 0; code < 64; code++)
				check(flags, ec, code);
	}
}

static void check_class(u64 flags, unsigned int ec, unsigned int code)
{
	/* reserved bits, and syndromes that the driver has no use for, change nothing */
	const u64 more = ~(S | EA | WRAP | TRG | IRQ | EC(63) | 63);
	enum trbe_event event = wanted(flags, ec, code);

	assert_int_equal(trbe_event_classify(flags | EC(ec) | code), event);
	assert_int_equal(trbe_event_classify(flags | EC(ec) | code | more), event);
}

static void each_status_is_what_the_manual_says(void **state)
{
	each_status(check_class);
}

/*
 * What stops collection is never nothing, nor a mere warning; and what is neither is not gone on
 * with, but for a buffer that is full and a trigger, which are expected.
 */
static void check_harm(u64 flags, unsigned int ec, unsigned int code)
{
	enum trbe_event event = trbe_event_classify(flags | EC(ec) | code);
	bool stopped = flags & (S | EA);

	if (stopped)
		assert_true(trbe_event_may_have_lost(event));
	if (stopped && (ec || !(code == 1 || code == 2)))
		assert_true(trbe_event_is_fatal(event));
	if (flags & EA)
		assert_true(trbe_event_is_fatal(event));
	if (flags & IRQ && (ec || code > 2))
		assert_true(trbe_event_is_fatal(event));
	if (!trbe_event_may_have_lost(event))
		assert_false(trbe_event_is_fatal(event));
}

static void what_is_not_known_is_never_harmless(void **state)
{
	each_status(check_harm);
}

static void each_event_has_its_consequence(void **state)
{
	static const struct {
		enum trbe_event event;
		bool lost, fatal;
	} rows[] = {
		{ TRBE_EVENT_NONE, false, false },
		{ TRBE_EVENT_WARNING, false, false },
		{ TRBE_EVENT_WRAPPED, false, false },
		{ TRBE_EVENT_FILLED, true, false },
		{ TRBE_EVENT_TRIGGERED, true, false },
		{ TRBE_EVENT_FAULT_STAGE1, true, true },
		{ TRBE_EVENT_FAULT_STAGE2, true, true },
		{ TRBE_EVENT_EXTERNAL_ABORT, true, true },
		{ TRBE_EVENT_IMPDEF, true, true },
		{ TRBE_EVENT_UNKNOWN, true, true },
	};
	unsigned int i;

	assert_int_equal(ARRAY_SIZE(rows), TRBE_NR_EVENTS);
	for (i = 0; i < TRBE_NR_EVENTS; i++) {
		assert_int_equal(rows[i].event, i);
		assert_int_equal(trbe_event_may_have_lost(rows[i].event), rows[i].lost);
		assert_int_equal(trbe_event_is_fatal(rows[i].event), rows[i].fatal);
	}
}

/* In messages one is told from the other */
static void each_event_has_a_name_of_its_own(void **state)
{
	unsigned int i, k;

	for (i = 0; i < TRBE_NR_EVENTS; i++) {
		assert_non_null(trbe_event_name(i));
		assert_true(strlen(trbe_event_name(i)) > 0);
		for (k = 0; k < i; k++)
			assert_string_not_equal(trbe_event_name(i), trbe_event_name(k));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_status_is_what_the_manual_says),
		cmocka_unit_test(what_is_not_known_is_never_harmless),
		cmocka_unit_test(each_event_has_its_consequence),
		cmocka_unit_test(each_event_has_a_name_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
