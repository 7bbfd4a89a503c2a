// SPDX-License-Identifier: GPL-2.0-only
/*
 * Values of TRBIDR_EL1, as D24.4.2 has them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <linux/kernel.h>

#include "ete_caps.h"

#define PAGE		4096
#define UNLIMITED	0xffffffffffffffff
#define MODE(mode)	((u64)(mode) << 6)
#define LARGEST(size)	((u64)(size) << 32)

static void check_refused(u64 idr, u64 page, const char *why)
{
	struct trbe_caps caps;
	const char *reason = trbe_caps_init(&caps, idr, page);

	assert_non_null(reason);
	assert_non_null(strstr(reason, why));
}

static struct trbe_caps caps_of(u64 idr)
{
	struct trbe_caps caps;

	assert_null(trbe_caps_init(&caps, idr, PAGE));
	return caps;
}

static void alignment_is_a_power_of_two(void **state)
{
	u64 align;

	for (align = 0; align < 12; align++)
		/* P, F, EA and MPAM are of no concern */
		assert_int_equal(caps_of(0xf230 | align).align, 1 << align);
	for (; align < 16; align++)
		check_refused(align, PAGE, "Align");
}

static void modes_are_those_that_are_shown(void **state)
{
	assert_int_equal(caps_of(MODE(0)).modes, TRBE_MODE_VIRTUAL | TRBE_MODE_PHYSICAL);
	assert_int_equal(caps_of(MODE(1)).modes, TRBE_MODE_VIRTUAL);
	assert_int_equal(caps_of(MODE(2)).modes, TRBE_MODE_PHYSICAL);
	check_refused(MODE(3), PAGE, "AddrMode");
}

static void an_event_has_the_mode_that_it_needs(void **state)
{
	struct trbe_caps both = caps_of(MODE(0)), translates = caps_of(MODE(1)),
		plain = caps_of(MODE(2));

	assert_null(trbe_caps_check(&both, false));
	assert_null(trbe_caps_check(&both, true));
	assert_null(trbe_caps_check(&translates, false));
	assert_non_null(strstr(trbe_caps_check(&translates, true), "is not possible"));
	assert_non_null(strstr(trbe_caps_check(&plain, false), "physical=1 is required"));
	assert_null(trbe_caps_check(&plain, true));
}

static void sizes_are_a_mantissa_and_an_exponent(void **state)
{
	assert_int_equal(caps_of(LARGEST(0)).largest, UNLIMITED);
	assert_int_equal(caps_of(LARGEST(0x0001)).largest, 4096);
	assert_int_equal(caps_of(LARGEST(0x0003)).largest, 3 * 4096);
	assert_int_equal(caps_of(LARGEST(0x01ff)).largest, 511 * 4096);
	/* from here on with a leading one: 512 pages, and so on without a gap */
	assert_int_equal(caps_of(LARGEST(0x0200)).largest, 512 * 4096);
	assert_int_equal(caps_of(LARGEST(0x0201)).largest, 513 * 4096);
	assert_int_equal(caps_of(LARGEST(0x0400)).largest, 1024 * 4096);
	assert_int_equal(caps_of(LARGEST(0x0401)).largest, 1026 * 4096);
	assert_int_equal(caps_of(LARGEST(0x3fff)).largest, 4092ULL << 40);
	check_refused(LARGEST(0x4000), PAGE, "MaxBuffSize");
	check_refused(LARGEST(0x8001), PAGE, "MaxBuffSize");
	check_refused(LARGEST(0x000f), 65536, "page");
	assert_int_equal(caps_of(LARGEST(0x0010)).largest, 65536);
}

static void two_can_do_what_each_can(void **state)
{
	struct trbe_caps common = caps_of(3 | LARGEST(9)), other = caps_of(6 | MODE(1));

	trbe_caps_intersect(&common, &other);
	assert_int_equal(common.align, 64);
	assert_int_equal(common.largest, 9 * 4096);
	assert_int_equal(common.modes, TRBE_MODE_VIRTUAL);
	other = caps_of(MODE(2) | LARGEST(7));
	trbe_caps_intersect(&common, &other);
	assert_int_equal(common.align, 64);
	assert_int_equal(common.largest, 7 * 4096);
	assert_int_equal(common.modes, 0);
}

/* MIDR_EL1 of a part, variant and revision; Arm's number for the architecture is 0xf */
#define MIDR(implementer, variant, part, revision)			\
	((u32)(implementer) << 24 | (variant) << 20 | 0xf0000 | (part) << 4 | (revision))

/* As Arm's errata notices and Linux 7.2's cpu_errata.c list them */
static void errata_are_those_of_the_part(void **state)
{
	static const struct {
		u32 midr, errata;
	} rows[] = {
		{ MIDR(0x41, 0, 0xd46, 0), 0x38 },	/* Cortex-A510 r0p0 */
		{ MIDR(0x41, 0, 0xd46, 1), 0x38 },
		{ MIDR(0x41, 0, 0xd46, 2), 0x18 },
		{ MIDR(0x41, 0, 0xd46, 3), 0 },
		{ MIDR(0x41, 1, 0xd46, 0), 0 },
		{ MIDR(0x41, 0, 0xd47, 0), 7 },		/* Cortex-A710 */
		{ MIDR(0x41, 15, 0xd47, 15), 7 },
		{ MIDR(0x41, 2, 0xd48, 0), 3 },		/* Cortex-X2 r2p0 */
		{ MIDR(0x41, 2, 0xd48, 1), 0 },
		{ MIDR(0x41, 0, 0xd49, 0), 7 },		/* Neoverse N2 */
		{ MIDR(0x41, 0, 0xd49, 3), 7 },
		{ MIDR(0x6d, 0, 0xd49, 0), 7 },		/* Azure Cobalt 100 */
		{ MIDR(0x42, 0, 0xd49, 0), 0 },
		{ MIDR(0x41, 0, 0xd4f, 0), 0 },		/* Neoverse V2 */
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(trbe_caps_errata(rows[i].midr), rows[i].errata);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errata_are_those_of_the_part),
		cmocka_unit_test(alignment_is_a_power_of_two),
		cmocka_unit_test(modes_are_those_that_are_shown),
		cmocka_unit_test(an_event_has_the_mode_that_it_needs),
		cmocka_unit_test(sizes_are_a_mantissa_and_an_exponent),
		cmocka_unit_test(two_can_do_what_each_can),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
