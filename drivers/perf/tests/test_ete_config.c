// SPDX-License-Identifier: GPL-2.0-only
/*
 * Register values of a trace unit, against tables made from the registers' descriptions; what they
 * do is tried in test_ete_view.c, and what is refused in test_ete_check.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "ete_test.h"

/* ---- registers ---- */

/* The offset of the register written last, in place of the instruction that writes it */
static unsigned int written;

#define ete_write(value, offset) ((void)(value), written = (offset))
#include "ete_write.h"

struct row {
	unsigned int reg, offset, count, step;
};

static void registers_are_where_the_manual_has_them(void **state)
{
	static const struct row rows[] = {
		{ ETE_TRCCONFIGR, 0x010, 1, 4 }, { ETE_TRCEVENTCTL0R, 0x020, 1, 4 },
		{ ETE_TRCEVENTCTL1R, 0x024, 1, 4 }, { ETE_TRCRSR, 0x028, 1, 4 },
		{ ETE_TRCSTALLCTLR, 0x02c, 1, 4 }, { ETE_TRCTSCTLR, 0x030, 1, 4 },
		{ ETE_TRCSYNCPR, 0x034, 1, 4 }, { ETE_TRCCCCTLR, 0x038, 1, 4 },
		{ ETE_TRCBBCTLR, 0x03c, 1, 4 }, { ETE_TRCQCTLR, 0x044, 1, 4 },
		{ ETE_TRCVICTLR, 0x080, 1, 4 }, { ETE_TRCVIIECTLR, 0x084, 1, 4 },
		{ ETE_TRCVISSCTLR, 0x088, 1, 4 }, { ETE_TRCVIPCSSCTLR, 0x08c, 1, 4 },
		{ ETE_TRCSEQEVR, 0x100, 3, 4 }, { ETE_TRCSEQRSTEVR, 0x118, 1, 4 },
		{ ETE_TRCSEQSTR, 0x11c, 1, 4 }, { ETE_TRCEXTINSELR, 0x120, 4, 4 },
		{ ETE_TRCCNTRLDVR, 0x140, 4, 4 }, { ETE_TRCCNTCTLR, 0x150, 4, 4 },
		{ ETE_TRCCNTVR, 0x160, 4, 4 }, { ETE_TRCRSCTLR, 0x208, 8, 4 },
		{ ETE_TRCACVR, 0x400, 16, 8 }, { ETE_TRCACATR, 0x480, 16, 8 },
	};
	unsigned int at = 0, i, n;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		for (n = 0; n < rows[i].count; n++, at++) {
			assert_int_equal(rows[i].reg + n, at);
			ete_unit_write(at, 0);
			assert_int_equal(written, rows[i].offset + n * rows[i].step);
		}
	assert_int_equal(at, ETE_NR_REGS);
}

static void check_presence(const struct ete_caps *caps)
{
	u64 present[ETE_REG_WORDS + 1];
	unsigned int reg;

	memset(present, 0x5a, sizeof(present));
	ete_config_registers(caps, present);
	for (reg = 0; reg < ETE_NR_REGS; reg++)
		assert_int_equal(in_set(present, reg), is_there(caps, reg));
	for (; reg < 64 * ETE_REG_WORDS; reg++)
		assert_false(in_set(present, reg));
	assert_int_equal(present[ETE_REG_WORDS], 0x5a5a5a5a5a5a5a5a);
}

static void a_trace_unit_has_the_registers_that_it_says(void **state)
{
	unsigned int i, value;

	for (i = 0; i < ETE_NR_FIELDS; i++)
		for (value = 0; value <= caps_most(i); value++) {
			struct ete_caps more = ete_least, less = ete_full;

			caps_set(&more, i, value);
			caps_set(&less, i, value);
			check_presence(&more);
			check_presence(&less);
		}
	for (i = 0; i < 20000; i++) {
		struct ete_caps caps = caps_any();

		check_presence(&caps);
	}
}

/* ---- values ---- */

struct change {
	unsigned int reg;
	u64 value;
	bool changing;
};

/* One image has these values, and in all else it is the other */
static void check_changes(const struct ete_image *from, const struct ete_image *to,
			  const struct change *changes, unsigned int count)
{
	unsigned int reg, i;

	for (reg = 0; reg < ETE_NR_REGS; reg++) {
		u64 value = from->value[reg];
		bool used = in_set(from->used, reg), changing = in_set(from->changing, reg);

		for (i = 0; i < count; i++)
			if (changes[i].reg == reg) {
				used = true;
				value = changes[i].value;
				changing = changes[i].changing;
			}
		assert_int_equal(in_set(to->used, reg), used);
		assert_int_equal(in_set(to->changing, reg), changing);
		assert_int_equal(to->value[reg], value);
	}
}

/* Values that the manual has for one process at EL0 (Table K10-3) */
static void nothing_asked_is_minimal_programming(void **state)
{
	static const struct change rows[] = {
		{ ETE_TRCCONFIGR, 0x00008001 }, { ETE_TRCEVENTCTL0R, 0 }, { ETE_TRCEVENTCTL1R, 0 },
		{ ETE_TRCRSR, BIT(12), true }, { ETE_TRCSTALLCTLR, 0 }, { ETE_TRCSYNCPR, 0xc },
		{ ETE_TRCQCTLR, 0 }, { ETE_TRCVICTLR, 0x006f0201 }, { ETE_TRCVIIECTLR, 0 },
		{ ETE_TRCVISSCTLR, 0 }, { ETE_TRCVIPCSSCTLR, 0 },
	};
	struct ete_request request = request_user(0, 0);
	struct ete_image image = image_of(&request, &ete_full), none = {};

	check_changes(&none, &image, rows, ARRAY_SIZE(rows));
	assert_int_equal(image.trfcr, BIT(5) | BIT(0));
	assert_false(image.start_stop);
	/* without virtual context identifiers VMIDOPT is RES0 */
	image = image_of(&request, &ete_least);
	assert_int_equal(image.value[ETE_TRCCONFIGR], 1);
}

static void each_field_changes_its_registers_alone(void **state)
{
	static const struct {
		u64 config, config1;
		unsigned int count;
		struct change changes[6];
	} rows[] = {
		{ RETSTACK, 0, 1, { { ETE_TRCCONFIGR, 0x9001 } } },
		{ BRANCH_BROADCAST, 0, 2, { { ETE_TRCCONFIGR, 0x8009 }, { ETE_TRCBBCTLR, 0 } } },
		{ CYCACC, 0, 2, { { ETE_TRCCONFIGR, 0x8011 }, { ETE_TRCCCCTLR, 0x100 } } },
		{ CYCACC, 4, 2, { { ETE_TRCCONFIGR, 0x8011 }, { ETE_TRCCCCTLR, 4 } } },
		{ CYCACC, 0xfff, 2, { { ETE_TRCCONFIGR, 0x8011 }, { ETE_TRCCCCTLR, 0xfff } } },
		{ CONTEXTID1, 0, 1, { { ETE_TRCCONFIGR, 0x8041 } } },
		{ TIMESTAMP, 0, 6,
			{ { ETE_TRCCONFIGR, 0x8801 }, { ETE_TRCTSCTLR, 2 },
			  { ETE_TRCCNTRLDVR, 4095 }, { ETE_TRCCNTCTLR, 0x10001 },
			  { ETE_TRCCNTVR, 4095, true }, { ETE_TRCRSCTLR, 0x20001 } } },
		{ 0, PHYSICAL, 0 },
		{ 0, INSTRUMENTATION, 0 },
		{ 0, EVENT(0x11), 4,
			{ { ETE_TRCEXTINSELR, 0x11 }, { ETE_TRCRSCTLR + 1, 0x00001 },
			  { ETE_TRCEVENTCTL0R, 0x300 }, { ETE_TRCEVENTCTL1R, 2 } } },
		{ 0, EVENT(0xffff), 4,
			{ { ETE_TRCEXTINSELR, 0xffff }, { ETE_TRCRSCTLR + 1, 0x00001 },
			  { ETE_TRCEVENTCTL0R, 0x300 }, { ETE_TRCEVENTCTL1R, 2 } } },
	};
	struct ete_request nothing = request_user(0, 0);
	struct ete_image plain = image_of(&nothing, &ete_full);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct ete_request request = request_user(rows[i].config, rows[i].config1);
		struct ete_image image = image_of(&request, &ete_full);

		check_changes(&plain, &image, rows[i].changes, rows[i].count);
		assert_int_equal(image.trfcr, plain.trfcr);
	}
}

static void strobing_has_a_sequencer_and_two_counters(void **state)
{
	static const struct change rows[] = {
		{ ETE_TRCVICTLR, 0x006f0206 },
		{ ETE_TRCSEQEVR, 0x504 }, { ETE_TRCSEQEVR + 1, 0 }, { ETE_TRCSEQEVR + 2, 0 },
		{ ETE_TRCSEQRSTEVR, 0 }, { ETE_TRCSEQSTR, 0, true },
		{ ETE_TRCCNTRLDVR, 299 }, { ETE_TRCCNTCTLR, 0x10006 },
		{ ETE_TRCCNTVR, 299, true },
		{ ETE_TRCCNTRLDVR + 1, 65534 }, { ETE_TRCCNTCTLR + 1, 0x10007 },
		{ ETE_TRCCNTVR + 1, 65534, true },
		{ ETE_TRCRSCTLR + 2, 0x20001 }, { ETE_TRCRSCTLR + 3, 0x20002 },
		{ ETE_TRCRSCTLR + 4, 0x20010 }, { ETE_TRCRSCTLR + 5, 0x20020 },
	};
	struct ete_request nothing = request_user(0, 0);
	struct ete_request request = request_user(0, STROBE(300, 65535));
	struct ete_image plain = image_of(&nothing, &ete_full);
	struct ete_image image = image_of(&request, &ete_full);

	check_changes(&plain, &image, rows, ARRAY_SIZE(rows));
}

/* What strobes comes first, then timestamps: they have the third counter, or none */
static void timestamps_leave_strobing_its_counters(void **state)
{
	struct ete_request strobe = request_user(0, STROBE(300, 400));
	struct ete_request both = request_user(TIMESTAMP, STROBE(300, 400));
	struct ete_caps caps = ete_full;
	struct ete_image image, without;
	unsigned int n;

	caps_set(&caps, 16, 2);
	without = image_of(&strobe, &caps);
	image = image_of(&both, &caps);
	for (n = 0; n < 4; n++) {
		assert_int_equal(in_set(image.used, ETE_TRCCNTCTLR + n), n < 2);
		assert_int_equal(image.value[ETE_TRCCNTCTLR + n],
				 without.value[ETE_TRCCNTCTLR + n]);
		assert_int_equal(image.value[ETE_TRCCNTRLDVR + n],
				 without.value[ETE_TRCCNTRLDVR + n]);
	}
	assert_int_equal(image.value[ETE_TRCTSCTLR], 0);
	assert_false(in_set(image.used, ETE_TRCRSCTLR));
	caps_set(&caps, 16, 3);
	image = image_of(&both, &caps);
	assert_int_equal(image.value[ETE_TRCTSCTLR], 2);
	assert_int_equal(image.value[ETE_TRCRSCTLR], 0x20004);
	assert_int_equal(image.value[ETE_TRCCNTRLDVR + 2], 4095);
	assert_int_equal(image.value[ETE_TRCCNTCTLR + 2], 0x10001);
}

static void exception_levels_are_those_asked_for(void **state)
{
	static const struct {
		bool user, kernel, el2, physical;
		u64 config, view, trfcr;
	} rows[] = {
		{ true, false, false, false, 0, 0x006f0201, 0x21 },
		{ false, true, false, false, 0, 0x005f0201, 0x22 },
		{ true, true, false, false, 0, 0x004f0201, 0x23 },
		{ true, true, false, true, 0, 0x004f0201, 0x63 },
		{ true, false, true, true, 0, 0x006f0201, 0x61 },
		{ false, true, true, true, 0, 0x003f0201, 0x62 },
		{ true, true, true, true, 0, 0x002f0201, 0x63 },
		{ true, true, true, true, CONTEXTID2, 0x002f0201, 0x6b },
		{ true, false, true, true, CONTEXTID1 | CONTEXTID2, 0x006f0201, 0x69 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct ete_request request = {
			.config = rows[i].config, .user = rows[i].user, .kernel = rows[i].kernel,
			.kernel_at_el2 = rows[i].el2, .physical_time = rows[i].physical,
		};
		struct ete_image image = image_of(&request, &ete_full);

		assert_int_equal(image.value[ETE_TRCVICTLR], rows[i].view);
		assert_int_equal(image.trfcr, rows[i].trfcr);
		assert_int_equal(image.value[ETE_TRCCONFIGR] >> 6 & 3,
				 (rows[i].config & CONTEXTID1 ? 1 : 0) |
				 (rows[i].config & CONTEXTID2 ? 2 : 0));
	}
}

/* E0E and E1E (D24.4.50), which are E0HE and E2E at EL2 (D24.4.49) */
static void instrumentation_is_that_of_the_levels_asked_for(void **state)
{
	static const struct {
		bool user, kernel;
		u64 trcitecr;
	} rows[] = { { true, false, 1 }, { false, true, 2 }, { true, true, 3 } };
	unsigned int i;

	for (i = 0; i < 2 * ARRAY_SIZE(rows); i++) {
		struct ete_request request = {
			.user = rows[i / 2].user, .kernel = rows[i / 2].kernel,
			.kernel_at_el2 = i % 2, .config1 = INSTRUMENTATION,
		};

		assert_int_equal(image_of(&request, &ete_full).trcitecr, rows[i / 2].trcitecr);
		request.config1 = 0;
		assert_int_equal(image_of(&request, &ete_full).trcitecr, 0);
	}
}

/* ViewInst does not limit instrumentation; filters that contradict each other end all trace */
static void instrumentation_ends_with_all_trace_alone(void **state)
{
	struct ete_request request = request_user(0, INSTRUMENTATION | STROBE(5, 6));
	struct ete_image image;

	request.nr_filters = 2;
	request.filters[0] = (struct ete_filter) { .kind = ETE_FILTER_START, .start = 64 };
	request.filters[1] = (struct ete_filter) { .kind = ETE_FILTER_STOP, .start = 64 };
	image = image_of(&request, &ete_full);
	assert_int_equal(image.trcitecr, 1);
	request.filters[0].mapped = true;
	request.filters[1].mapped = true;
	ete_config_image(&request, &ete_full, &image);
	assert_int_equal(image.trcitecr, 0);
	request.filters[1].mapped = false;
	ete_config_image(&request, &ete_full, &image);
	assert_int_equal(image.trcitecr, 1);
}

static void what_is_not_there_is_done_without(void **state)
{
	struct ete_request request = request_user(CYCACC | TIMESTAMP | RETSTACK, 0);
	struct ete_caps caps = ete_full;
	struct ete_image image;

	/* no return stack: each return has its address. A count of 0x100 may be too little. */
	caps.idr[0] &= ~(u32)BIT(9);
	caps.idr[3] |= 0x234;
	image = image_of(&request, &caps);
	assert_int_equal(image.value[ETE_TRCCONFIGR], 0x8811);
	assert_int_equal(image.value[ETE_TRCCCCTLR], 0x234);
	/* no counter, or no selector: timestamps come with synchronisation */
	caps.idr[5] &= ~0x70000000;
	image = image_of(&request, &caps);
	assert_int_equal(image.value[ETE_TRCTSCTLR], 0);
	assert_false(in_set(image.used, ETE_TRCCNTVR));
	caps = ete_full;
	caps.idr[4] &= ~0x000f0000;
	image = image_of(&request, &caps);
	assert_int_equal(image.value[ETE_TRCTSCTLR], 0);
	assert_false(in_set(image.used, ETE_TRCRSCTLR));
	caps.idr[4] |= 0x00010000;
	image = image_of(&request, &caps);
	assert_int_equal(image.value[ETE_TRCTSCTLR], 2);
}

/* ---- what has to be ---- */

static void check_used(const struct ete_image *image, unsigned int first, unsigned int count)
{
	for (; count; count--, first++)
		assert_true(in_set(image->used, first));
}

/*
 * An event selector: a single resource selector that the trace unit has, and that is programmed, as
 * is all that it selects; 0 and 1 need no programming.
 */
static void check_selected(const struct ete_image *image, const struct ete_caps *caps,
			   unsigned int selector)
{
	unsigned int reg = ETE_TRCRSCTLR + selector - 2, n;
	u64 control;

	if (selector < 2)
		return;
	assert_true(selector < 10);
	check_used(image, reg, 1);
	assert_true(is_there(caps, reg));
	control = image->value[reg];
	assert_int_equal(control >> 20, 0);
	assert_true(control & 0xffff);
	if (control >> 16 == 0) {
		assert_int_equal(control, 1);
		check_used(image, ETE_TRCEXTINSELR, 1);
		return;
	}
	assert_int_equal(control >> 16, 2);
	for (n = 0; n < 4; n++)
		if (control >> n & 1) {
			check_used(image, ETE_TRCCNTRLDVR + n, 1);
			check_used(image, ETE_TRCCNTCTLR + n, 1);
			check_used(image, ETE_TRCCNTVR + n, 1);
		}
	if (control >> 4 & 15) {
		check_used(image, ETE_TRCSEQEVR, 3);
		check_used(image, ETE_TRCSEQRSTEVR, 1);
		check_used(image, ETE_TRCSEQSTR, 1);
	}
}

/* All event selectors of an image, in registers that hold several a byte each */
static void check_selectors(const struct ete_image *image, const struct ete_caps *caps)
{
	unsigned int n;

	for (n = 0; n < 4; n++) {
		check_selected(image, caps, image->value[ETE_TRCEVENTCTL0R] >> (8 * n) & 255);
		if (in_set(image->used, ETE_TRCCNTCTLR + n)) {
			check_selected(image, caps, image->value[ETE_TRCCNTCTLR + n] & 255);
			check_selected(image, caps, image->value[ETE_TRCCNTCTLR + n] >> 8 & 255);
		}
	}
	for (n = 0; n < 3; n++) {
		check_selected(image, caps, image->value[ETE_TRCSEQEVR + n] & 255);
		check_selected(image, caps, image->value[ETE_TRCSEQEVR + n] >> 8);
	}
	check_selected(image, caps, (unsigned int)image->value[ETE_TRCSEQRSTEVR]);
	check_selected(image, caps, (unsigned int)image->value[ETE_TRCTSCTLR]);
	check_selected(image, caps, image->value[ETE_TRCVICTLR] & 255);
	/* bit 0 is RES1, and all other selectors RES0 */
	if (!caps_get(caps, 4, 16, 19)) {
		assert_int_equal(image->value[ETE_TRCVICTLR] & 255, 1);
		assert_int_equal(image->value[ETE_TRCEVENTCTL0R], 0);
		assert_int_equal(image->value[ETE_TRCTSCTLR], 0);
	}
	for (n = caps_get(caps, 0, 10, 11) + 1; n < 4; n++) {
		assert_int_equal(image->value[ETE_TRCEVENTCTL0R] >> (8 * n), 0);
		assert_int_equal(image->value[ETE_TRCEVENTCTL1R] >> n, 0);
	}
}

/* "Must be programmed", as the descriptions say it: always, or where something is asked */
static void check_programmed(const struct ete_image *image)
{
	static const unsigned int always[] = {
		ETE_TRCCONFIGR, ETE_TRCEVENTCTL0R, ETE_TRCEVENTCTL1R, ETE_TRCRSR, ETE_TRCSTALLCTLR,
		ETE_TRCSYNCPR, ETE_TRCVICTLR, ETE_TRCVIIECTLR, ETE_TRCVISSCTLR, ETE_TRCVIPCSSCTLR,
	};
	static const struct {
		unsigned int bit, reg;
	} asked[] = {
		{ 3, ETE_TRCBBCTLR }, { 4, ETE_TRCCCCTLR }, { 11, ETE_TRCTSCTLR },
		{ 13, ETE_TRCQCTLR }, { 14, ETE_TRCQCTLR },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(always); i++)
		check_used(image, always[i], 1);
	for (i = 0; i < ARRAY_SIZE(asked); i++)
		if (image->value[ETE_TRCCONFIGR] >> asked[i].bit & 1)
			check_used(image, asked[i].reg, 1);
}

/* What TRCCONFIGR asks, the trace unit has; and never Secure state, nor EL2 beside EL1 */
static void check_allowed(const struct ete_image *image, const struct ete_caps *caps,
			  const struct ete_request *request)
{
	u64 config = image->value[ETE_TRCCONFIGR], view = image->value[ETE_TRCVICTLR];

	assert_int_equal(config & 1, 1);
	assert_int_equal(config & ~0x98d9ULL, 0);
	assert_true(!(config & BIT(3)) || caps_get(caps, 0, 5, 5));
	assert_true(!(config & BIT(4)) || caps_get(caps, 0, 7, 7));
	assert_true(!(config & BIT(6)) || caps_get(caps, 2, 5, 9));
	assert_true(!(config & BIT(7)) || caps_get(caps, 2, 10, 14));
	assert_true(!(config & BIT(11)) || caps_get(caps, 0, 24, 28));
	assert_true(!(config & BIT(12)) || caps_get(caps, 0, 9, 9));
	assert_int_equal(config >> 15 & 1, caps_get(caps, 2, 10, 14) != 0);
	assert_true(!image->trcitecr || caps->instrumentation);
	assert_int_equal(image->trcitecr & ~image->trfcr, 0);
	if (config & BIT(4))
		assert_true(image->value[ETE_TRCCCCTLR] >= caps_get(caps, 3, 0, 11));
	assert_int_equal(view & ~0x7f02ffULL, 0);
	assert_int_equal(view >> 16 & 15, 15);
	assert_true(view >> 20 & 1 || request->user);
	assert_true(view >> (request->kernel_at_el2 ? 22 : 21) & 1 || request->kernel);
	assert_true(view >> (request->kernel_at_el2 ? 21 : 22) & 1);
}

/*
 * Any request that is found good, for any trace unit: all that must be programmed is; of what the
 * trace unit lacks only such registers have a value as are programmed where there are any.
 */
static void any_image_is_whole_and_within_the_trace_unit(void **state)
{
	unsigned int i, good = 0, reg;

	for (i = 0; i < 100000; i++) {
		struct ete_request request = request_any();
		struct ete_caps caps = caps_any();
		const char *reason = NULL;
		struct ete_image image;

		if (ete_config_check(&request, &caps, &reason))
			continue;
		good++;
		image = image_of(&request, &caps);
		check_programmed(&image);
		check_selectors(&image, &caps);
		check_allowed(&image, &caps, &request);
		for (reg = ETE_TRCSEQEVR; reg < ETE_NR_REGS; reg++)
			assert_true(!in_set(image.used, reg) || is_there(&caps, reg));
		for (reg = 0; reg < ETE_NR_REGS; reg++) {
			assert_true(in_set(image.used, reg) || !image.value[reg]);
			assert_true(in_set(image.used, reg) || !in_set(image.changing, reg));
		}
	}
	assert_true(good > 1000);
}

/* What was in an image before is no matter */
static void an_image_is_written_as_a_whole(void **state)
{
	struct ete_request request = request_user(TIMESTAMP | CYCACC, STROBE(5, 6));
	struct ete_request plain = request_user(0, 0);
	struct ete_image image = image_of(&plain, &ete_full), again = image_of(&request, &ete_full);

	ete_config_image(&plain, &ete_full, &again);
	assert_memory_equal(&again, &image, sizeof(image));
}

/* ---- several trace units ---- */

static int check_of(const struct ete_request *request, const struct ete_caps *caps)
{
	const char *reason;

	return ete_config_check(request, caps, &reason);
}

static void caps_meet(const struct ete_caps *a, const struct ete_caps *b, struct ete_caps *both)
{
	*both = *a;
	ete_caps_intersect(both, b);
}

/* A request is good for both if it is good for each; what one has beyond the other is no matter */
static void two_trace_units_can_do_what_each_can(void **state)
{
	struct ete_caps best = ete_full;
	unsigned int i, k, good = 0;

	best.idr[3] &= ~0xfffU;
	best.idr[4] |= 0x000f0000;
	for (i = 0; i < 4000; i++) {
		struct ete_caps a = caps_any(), b = caps_any(), ab, ba, again;

		caps_meet(&a, &b, &ab);
		caps_meet(&b, &a, &ba);
		caps_meet(&ab, &ab, &again);
		assert_memory_equal(&again, &ab, sizeof(ab));
		caps_meet(&ab, &b, &again);
		assert_memory_equal(&again, &ab, sizeof(ab));
		caps_meet(&ab, &best, &again);
		assert_memory_equal(&again, &ab, sizeof(ab));
		for (k = 0; k < 20; k++) {
			struct ete_request request = request_any();
			int err = check_of(&request, &ab);
			struct ete_image image, other;

			assert_int_equal(err, check_of(&request, &ba));
			assert_int_equal(!err, !check_of(&request, &a) && !check_of(&request, &b));
			if (err)
				continue;
			good++;
			image = image_of(&request, &ab);
			other = image_of(&request, &ba);
			assert_memory_equal(&image, &other, sizeof(image));
			check_selectors(&image, &a);
			check_selectors(&image, &b);
		}
	}
	assert_true(good > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(registers_are_where_the_manual_has_them),
		cmocka_unit_test(a_trace_unit_has_the_registers_that_it_says),
		cmocka_unit_test(nothing_asked_is_minimal_programming),
		cmocka_unit_test(each_field_changes_its_registers_alone),
		cmocka_unit_test(strobing_has_a_sequencer_and_two_counters),
		cmocka_unit_test(timestamps_leave_strobing_its_counters),
		cmocka_unit_test(exception_levels_are_those_asked_for),
		cmocka_unit_test(instrumentation_is_that_of_the_levels_asked_for),
		cmocka_unit_test(instrumentation_ends_with_all_trace_alone),
		cmocka_unit_test(what_is_not_there_is_done_without),
		cmocka_unit_test(any_image_is_whole_and_within_the_trace_unit),
		cmocka_unit_test(an_image_is_written_as_a_whole),
		cmocka_unit_test(two_trace_units_can_do_what_each_can),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
