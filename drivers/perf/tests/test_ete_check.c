// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events that are refused, each with its errno and its reason.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "ete_test.h"

static void check_refused(const struct ete_request *request, const struct ete_caps *caps, int err,
			  const char *why)
{
	const char *reason = NULL;

	assert_int_equal(ete_config_check(request, caps, &reason), err);
	assert_non_null(reason);
	if (!strstr(reason, why))
		fail_msg("\"%s\" instead of \"%s\"", reason, why);
}

static void each_bit_that_means_nothing_is_refused(void **state)
{
	u64 config = 0x3000d1f0, config1 = 0xffffffffffff3fff, config3 = 0xfff;
	unsigned int bit;

	for (bit = 0; bit < 64; bit++) {
		struct ete_request in = request_user(BIT_ULL(bit), 0);
		struct ete_request in1 = request_user(0, BIT_ULL(bit)), in2 = request_user(0, 0);
		struct ete_request in3 = in2, in4 = in2;

		in4.config4 = BIT_ULL(bit);
		check_refused(&in4, &ete_full, -EINVAL, "reserved");
		in2.config2 = BIT_ULL(bit);
		in3.config3 = BIT_ULL(bit);
		if (bit < 4)
			check_refused(&in, &ete_full, -EINVAL, "preset");
		else if (!(config >> bit & 1))
			check_refused(&in, &ete_full, -EINVAL, "reserved");
		if (!(config1 >> bit & 1))
			check_refused(&in1, &ete_full, -EINVAL, "reserved");
		check_refused(&in3, &ete_full, -EINVAL, config3 >> bit & 1 ? "cycacc" : "reserved");
		check_refused(&in2, &ete_full, -EINVAL, bit < 32 ? "sink" : "preset");
	}
}

static void what_contradicts_itself_is_refused(void **state)
{
	struct ete_request request = request_user(0, 0);

	request.user = false;
	check_refused(&request, &ete_full, -EINVAL, "excludes both");
	request = request_user(CONTEXTID2, 0);
	check_refused(&request, &ete_full, -EINVAL, "EL2");
	request = request_user(0, 0x100);
	check_refused(&request, &ete_full, -EINVAL, "cycacc");
	request = request_user(CYCACC, 3);
	check_refused(&request, &ete_full, -EINVAL, "below");
	request = request_user(CYCACC, 0);
	request.config3 = 3;
	check_refused(&request, &ete_full, -EINVAL, "below");
	request = request_user(0, STROBE(1, 0));
	check_refused(&request, &ete_full, -EINVAL, "both be 0");
	request = request_user(0, STROBE(0, 1));
	check_refused(&request, &ete_full, -EINVAL, "both be 0");
}

static void filters_that_cannot_be_are_refused(void **state)
{
	static const struct {
		struct ete_filter a, b;
		const char *why;
	} rows[] = {
		{ { ETE_FILTER_RANGE, true, 0xfffffffffffff000, 0x1000 },
		  { ETE_FILTER_RANGE, true, 0, 1 }, NULL },
		{ { ETE_FILTER_RANGE, true, 0xfffffffffffff000, 0x1001 },
		  { ETE_FILTER_RANGE, true, 0, 1 }, "last address" },
		{ { ETE_FILTER_RANGE, true, 0x1000, 0 }, { ETE_FILTER_START, true, 8 }, "empty" },
		{ { ETE_FILTER_RANGE, false, 0, 0 }, { ETE_FILTER_START, true, 8 }, NULL },
		{ { ETE_FILTER_START, true, 8 }, { ETE_FILTER_STOP, true, 8 }, "same" },
		{ { ETE_FILTER_STOP, true, 8 }, { ETE_FILTER_START, true, 8 }, "same" },
		{ { ETE_FILTER_START, true, 8 }, { ETE_FILTER_STOP, false, 8 }, NULL },
		{ { ETE_FILTER_STOP, false, 8 }, { ETE_FILTER_START, true, 8 }, NULL },
		{ { ETE_FILTER_START, true, 8 }, { ETE_FILTER_START, true, 8 }, NULL },
		{ { ETE_FILTER_RANGE, true, 8, 4 }, { ETE_FILTER_STOP, true, 8 }, NULL },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct ete_request request = request_user(0, 0);
		const char *reason = NULL;

		request.nr_filters = 2;
		request.filters[0] = rows[i].a;
		request.filters[1] = rows[i].b;
		if (rows[i].why)
			check_refused(&request, &ete_full, -EINVAL, rows[i].why);
		else
			assert_int_equal(ete_config_check(&request, &ete_full, &reason), 0);
	}
}

/* Each with the field without which it is refused, and the value that is just too little */
static void filters_of_before_do_not_count(void **state)
{
	struct ete_request request = request_user(0, 0);
	const char *reason;

	request.filters[0] = (struct ete_filter) {
		.kind = ETE_FILTER_START, .mapped = true, .start = 64,
	};
	request.filters[1] = (struct ete_filter) {
		.kind = ETE_FILTER_STOP, .mapped = true, .start = 64,
	};
	request.nr_filters = 1;
	assert_int_equal(ete_config_check(&request, &ete_full, &reason), 0);
	request.nr_filters = 2;
	check_refused(&request, &ete_full, -EINVAL, "same address");
}

static void what_a_trace_unit_lacks_is_refused(void **state)
{
	static const struct {
		u64 config, config1;
		unsigned int filters, field, low;
		const char *why;
	} rows[] = {
		{ BRANCH_BROADCAST, 0, 0, 0, 0, "broadcast" },
		{ CYCACC, 0, 0, 1, 0, "cycles" },
		{ TIMESTAMP, 0, 0, 5, 0, "timestamps" },
		{ TIMESTAMP_LEVEL(15), 0, 0, 5, 0, "timestamps" },
		{ CONTEXTID1, 0, 0, 6, 0, "cannot trace context" },
		{ CONTEXTID2, 0, 0, 7, 0, "virtual" },
		{ 0, EVENT(1), 0, 3, 0, "event" },
		{ 0, EVENT(1), 0, 13, 0, "event" },
		{ 0, EVENT(1), 0, 14, 0, "event" },
		{ 0, STROBE(1, 1), 0, 13, 2, "strobing requires" },
		{ 0, STROBE(1, 1), 0, 15, 0, "strobing requires" },
		{ 0, STROBE(1, 1), 0, 16, 1, "strobing requires" },
		{ 0, INSTRUMENTATION, 0, 17, 0, "FEAT_ITE" },
		{ 0, 0, 1, 11, 0, "filters" },
		{ 0, 0, 5, 11, 4, "filters" },
		{ 0, 0, 8, 11, 7, "filters" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct ete_request request = request_user(rows[i].config, rows[i].config1);
		struct ete_caps caps = ete_full;

		request.kernel_at_el2 = true;
		request.nr_filters = rows[i].filters;
		image_of(&request, &caps);
		caps_set(&caps, rows[i].field, rows[i].low);
		check_refused(&request, &caps, -EOPNOTSUPP, rows[i].why);
		caps_set(&caps, rows[i].field, rows[i].low + 1);
		image_of(&request, &caps);
	}
}

static void trace_units_have_as_many_filters_as_pairs(void **state)
{
	struct ete_caps caps = ete_full;
	unsigned int pairs;

	for (pairs = 0; pairs < 16; pairs++) {
		caps_set(&caps, 11, pairs);
		assert_int_equal(ete_caps_address_pairs(&caps), pairs < 8 ? pairs : 8);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_bit_that_means_nothing_is_refused),
		cmocka_unit_test(what_contradicts_itself_is_refused),
		cmocka_unit_test(filters_that_cannot_be_are_refused),
		cmocka_unit_test(filters_of_before_do_not_count),
		cmocka_unit_test(what_a_trace_unit_lacks_is_refused),
		cmocka_unit_test(trace_units_have_as_many_filters_as_pairs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
