/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls of callgrind's format: recursion, callers that are not known, code that is in no file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "profile/callgrind_costs.h"

/* Contexts below each other */
enum { DEEP = 100000 };

static uint32_t add(struct hwf_stored_profile *stored, uint32_t caller, enum hwf_context_open open,
		    const char *name, uint64_t calls, uint64_t instructions)
{
	hwf_stored_profile_note(stored, &(struct hwf_profile_note){.text = name,
								   .count = instructions,
								   .kind = HWF_NOTE_LEFT_OUT});
	return hwf_stored_profile_context(
		stored, &(struct hwf_profile_context){.caller = caller,
						      .open = (uint8_t)open,
						      .name = name,
						      .calls = calls,
						      .instructions = instructions});
}

/* struct call - calls of a function from another */
struct call {
	const char *from;
	const char *to;
	uint64_t calls;
	uint64_t inclusive;
};

static const char *name_of(const struct costs *costs, uint32_t function)
{
	return costs_text(costs, costs_function(costs, function)->name);
}

/* The profile has these calls, and the sum of instructions is this one. */
static void check(struct hwf_stored_profile *stored, const struct call *calls, size_t count,
		  uint64_t total)
{
	const struct profile_content content = {.stored = stored};
	const struct costs_row *rows;
	struct costs costs;
	size_t found = 0;
	uint64_t sum = 0;

	assert_int_equal(costs_make(&costs, &content), 0);
	rows = costs.rows.at;
	for (size_t i = 0; i < costs.rows.count; i++) {
		sum += rows[i].kind == COSTS_SELF ? rows[i].count : 0;
		for (size_t j = 0; j < count && rows[i].kind == COSTS_CALL; j++) {
			if (strcmp(name_of(&costs, rows[i].from.function), calls[j].from) != 0 ||
			    strcmp(name_of(&costs, rows[i].to.function), calls[j].to) != 0)
				continue;
			assert_int_equal(rows[i].count, calls[j].calls);
			assert_int_equal(rows[i].other, calls[j].inclusive);
			found++;
		}
		found += rows[i].kind == COSTS_CALL ? 0x10000 : 0;
	}
	assert_int_equal(found, count + 0x10000 * count);
	assert_int_equal(sum, total);
	assert_int_equal(costs.total, total);
	costs_free(&costs);
	hwf_stored_profile_free(stored);
}

/* As callgrind --separate-recs=1 has fact(4), which calls leaf() once in each level */
static void recursion_counts_in_each_call(void **unused)
{
	static const struct call calls[] = {
		{"[outermost]", "[main]", 1, 81},
		{"[main]", "[fact]", 1, 75},
		{"[fact]", "[fact]", 3, 105},
		{"[fact]", "[leaf]", 4, 12},
	};
	struct hwf_stored_profile *stored = hwf_stored_profile_new();
	uint32_t caller = add(stored, 0, HWF_CONTEXT_CALL, "main", 1, 6);

	(void)unused;
	for (int i = 0; i < 4; i++) {
		caller = add(stored, caller, HWF_CONTEXT_CALL, "fact", 1, i < 3 ? 17 : 12);
		add(stored, caller, HWF_CONTEXT_CALL, "leaf", 1, 3);
	}
	check(stored, calls, 4, 81);
}

static void each_outermost_context_has_a_caller(void **unused)
{
	static const struct call calls[] = {
		{"[unknown]", "[a]", 1, 30},
		{"[a]", "[b]", 7, 20},
		{"[outermost]", "[b]", 2, 5},
	};
	struct hwf_stored_profile *stored = hwf_stored_profile_new();
	uint32_t outer = add(stored, 0, HWF_CONTEXT_UNKNOWN, "a", 0, 10);

	(void)unused;
	add(stored, outer, HWF_CONTEXT_CALL, "b", 4, 15);
	add(stored, outer, HWF_CONTEXT_EXCEPTION, "b", 3, 5);
	add(stored, 0, HWF_CONTEXT_EXCEPTION, "b", 2, 5);
	check(stored, calls, 3, 35);
}

static void recursion_may_be_deep(void **unused)
{
	static const struct call calls[] = {
		{"[outermost]", "[f]", 1, DEEP},
		{"[f]", "[f]", DEEP - 1, UINT64_C(1) * DEEP * (DEEP - 1) / 2},
	};
	struct hwf_stored_profile *stored = hwf_stored_profile_new();
	uint32_t caller = 0;

	(void)unused;
	for (uint32_t i = 0; i < DEEP; i++)
		caller = add(stored, caller, HWF_CONTEXT_CALL, "f", 1, 1);
	check(stored, calls, 2, DEEP);
}

static int take(void *ctx, const char *bytes, size_t size)
{
	strncat(ctx, bytes, size);
	return 0;
}

static void names_are_written_once(void **unused)
{
	struct hwf_stored_profile *stored = hwf_stored_profile_new();
	const struct profile_content content = {.stored = stored};
	uint32_t caller = add(stored, 0, HWF_CONTEXT_CALL, "main", 1, 6);
	static struct text text;
	char written[1024] = "";

	(void)unused;
	add(stored, add(stored, caller, HWF_CONTEXT_CALL, "new\nline", 2, 8), HWF_CONTEXT_CALL,
	    "main", 1, 1);
	text_init(&text, take, written);
	assert_int_equal(profile_callgrind(&content, &text), 0);
	text_flush(&text);
	assert_string_equal(written,
			    "# callgrind format\nversion: 1\ncreator: hwflow 0.1\npositions: line\n"
			    "events: Ir\nsummary: 15\n\n"
			    "ob=(1) ???\nfl=(1) ???\nfn=(1) [main]\n0 7\n"
			    "cob=(1)\ncfi=(1)\ncfn=(2) [new\\nline]\ncalls=2 0\n0 9\n\n"
			    "ob=(1)\nfl=(1)\nfn=(2)\n0 8\n"
			    "cob=(1)\ncfi=(1)\ncfn=(1)\ncalls=1 0\n0 1\n\n"
			    "ob=(1)\nfl=(1)\nfn=(3) [outermost]\n"
			    "cob=(1)\ncfi=(1)\ncfn=(1)\ncalls=1 0\n0 15\n\n"
			    "totals: 15\n");
	hwf_stored_profile_free(stored);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recursion_counts_in_each_call),
		cmocka_unit_test(each_outermost_context_has_a_caller),
		cmocka_unit_test(recursion_may_be_deep),
		cmocka_unit_test(names_are_written_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
