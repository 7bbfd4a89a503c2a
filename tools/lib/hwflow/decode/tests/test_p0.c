/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * P0 resolution by itself: elements in, elements out, both as words. Each element has the offset of
 * its word, so that a result names the elements and their order.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hwflow/p0.h"
#include "decode/p0_private.h"

/* Words with a number have it behind: info2 +3 -1. Words of E and N are Atoms. */
static const struct word {
	const char *text;
	enum hwf_element_kind kind;
} words[] = {
	{"info", HWF_EL_TRACE_INFO},
	{"on", HWF_EL_TRACE_ON},
	{"target", HWF_EL_TARGET_ADDRESS},
	{"context", HWF_EL_CONTEXT},
	{"exception", HWF_EL_EXCEPTION},
	{"source", HWF_EL_SOURCE_ADDRESS},
	{"q", HWF_EL_Q},
	{"start", HWF_EL_TRANSACTION_START},
	{"success", HWF_EL_TRANSACTION_COMMIT},
	{"failure", HWF_EL_TRANSACTION_FAILURE},
	{"eret", HWF_EL_EXCEPTION_RETURN},
	{"return", HWF_EL_FUNCTION_RETURN},
	{"cycles", HWF_EL_CYCLE_COUNT},
	{"time", HWF_EL_TIMESTAMP},
	{"marker", HWF_EL_TIMESTAMP_MARKER},
	{"event", HWF_EL_EVENT},
	{"trcit", HWF_EL_INSTRUMENTATION},
	{"+", HWF_EL_COMMIT},
	{"-", HWF_EL_CANCEL},
	{"!", HWF_EL_MISPREDICT},
	{"discard", HWF_EL_DISCARD},
	{"overflow", HWF_EL_OVERFLOW},
	{"lost", HWF_EL_NO_SYNC},
	{"end", HWF_EL_END},
};

/* struct stage - the stage, what it gave, and the number of words pushed */
struct stage {
	struct hwf_ete_config config;
	struct hwf_element ring[128];
	struct hwf_p0 p0;
	uint64_t pushed;
	char given[4096];
};

static const char *name_of(uint8_t kind)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (words[i].kind == kind)
			return words[i].text;
	}
	fail();
	return NULL;
}

/* A corrected Atom has a star. */
static void note(void *ctx, const struct hwf_element *element)
{
	struct stage *stage = ctx;
	char *at = stage->given + strlen(stage->given);
	const size_t room = (size_t)(stage->given + sizeof(stage->given) - at);

	assert_true(room > 64);
	if (at != stage->given)
		*at++ = ' ';
	if (element->kind == HWF_EL_ATOM) {
		for (uint32_t i = 0; i < element->u.atoms.count; i++)
			at += sprintf(at, "%c%s", element->u.atoms.bits >> i & 1 ? 'E' : 'N',
				      element->corrected >> i & 1 ? "*" : "");
	} else if (element->kind == HWF_EL_NO_SYNC && element->u.no_sync.error) {
		snprintf(at, room - 1, "lost%d", element->u.no_sync.error);
	} else {
		snprintf(at, room - 1, "%s", name_of(element->kind));
	}
	/* offsets where two elements of one kind are to be told apart */
	if (element->kind == HWF_EL_TARGET_ADDRESS)
		sprintf(at + strlen(at), "@%u", (unsigned int)element->offset);
}

static void read_word(const char *text, struct hwf_element *element)
{
	const size_t length = strspn(text, "EN");

	if (length == strlen(text)) {
		element->kind = HWF_EL_ATOM;
		element->u.atoms.count = (uint8_t)length;
		for (size_t i = 0; i < length; i++)
			element->u.atoms.bits |= (uint32_t)(text[i] == 'E') << i;
		return;
	}
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const size_t name = strlen(words[i].text);
		uint32_t number;

		if (strncmp(text, words[i].text, name) ||
		    strspn(text + name, "0123456789") != strlen(text + name))
			continue;
		number = (uint32_t)strtoul(text + name, NULL, 10);
		element->kind = (uint8_t)words[i].kind;
		if (element->kind == HWF_EL_TRACE_INFO)
			element->u.trace_info.spec_depth = number;
		else if (element->kind == HWF_EL_COMMIT || element->kind == HWF_EL_CANCEL)
			element->u.number = number;
		return;
	}
	fail_msg("%s is no element", text);
}

static void begin(struct stage *stage, uint32_t max_spec)
{
	memset(stage, 0, sizeof(*stage));
	stage->config.max_spec = max_spec;
	stage->config.start_is_p0 = true;
	hwf_p0_init(&stage->p0, &stage->config, stage->ring, 128, note, stage);
}

/* Push elements; what the stage gives for them is @expected. */
static void check(struct stage *stage, const char *elements, const char *expected)
{
	char text[1024];
	char *rest = NULL;

	assert_true(strlen(elements) < sizeof(text));
	memcpy(text, elements, strlen(elements) + 1);
	stage->given[0] = '\0';
	for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		struct hwf_element element = {.offset = stage->pushed++};

		read_word(word, &element);
		hwf_p0_push(&stage->p0, &element);
	}
	assert_string_equal(stage->given, expected);
	assert_true(stage->p0.waiting + stage->p0.unseen <= stage->config.max_spec);
}

/* A trace of its own */
static void check_trace(uint32_t max_spec, const char *elements, const char *expected)
{
	struct stage stage;

	begin(&stage, max_spec);
	check(&stage, elements, expected);
}

static void commit_gives_the_oldest(void **state)
{
	struct stage stage;

	(void)state;
	begin(&stage, 8);
	check(&stage, "info on context target EN exception target N", "");
	check(&stage, "+2", "info on context target@3 EN");
	check(&stage, "+1", "exception");
	check(&stage, "+1", "target@6 N");
	check_trace(8, "info source q return start E +4", "info source q return start");
	/* Atoms of one packet are one element, as far as they leave together */
	check_trace(8, "info ENE NN +2 +3", "info EN E NN");
}

static void cancel_removes_the_youngest(void **state)
{
	(void)state;
	check_trace(8, "info E target N context exception -2 +1 end", "info E end");
	check_trace(8, "info E target N target E -1 +2 end", "info E target@2 N end");
	check_trace(8, "info source q return start E -5 end", "end");
	check_trace(8, "info E on -1 context target E +1 end", "info context target@5 E end");
}

static void cancel_removes_a_trace_info(void **state)
{
	(void)state;
	check_trace(8, "info E info context target N -2 E +1 end", "info E end");
}

static void some_elements_survive(void **state)
{
	struct stage stage;

	(void)state;
	check_trace(8, "info E marker time event trcit context target -1 end",
		    "marker time event trcit end");
	/* they do not wait where no element is before them */
	begin(&stage, 8);
	check(&stage, "info E +1 time", "info E time");
	check(&stage, "N marker", "");
	check(&stage, "+1", "N marker");
}

static void mispredict_flips_the_youngest_atom(void **state)
{
	(void)state;
	check_trace(8, "info EN ! +2", "info EE*");
	check_trace(8, "info EN ! ! +2", "info EN");
	check_trace(8, "info E exception ! +2", "info N* exception");
	check_trace(8, "info E exception -1 ! +1", "info N*");
}

static void mispredict_drops_addresses_of_the_wrong_path(void **state)
{
	(void)state;
	check_trace(8, "info E target context ! N +2", "info N* context N");
	check_trace(8, "info E target exception target ! N +3",
		    "info N* target@2 exception target@4 N");
}

static void a_target_corrects_the_one_before(void **state)
{
	(void)state;
	check_trace(8, "info target target E +1", "info target@2 E");
	check_trace(8, "info target on target E +1", "info target@1 on target@3 E");
}

static void cycle_counts_belong_to_the_commit(void **state)
{
	(void)state;
	check_trace(8, "info ENE +1 cycles +1 cycles end", "info E cycles N cycles end");
	check_trace(8, "info E context N +1 cycles end", "info E context cycles end");
	check_trace(8, "info2 E +1 cycles end", "cycles end");
	/* with no unresolved P0 element they are in the order of the trace */
	check_trace(8, "info E +1 target cycles E +1", "info E target@3 cycles E");
	check_trace(8, "info E +1 target cycles discard", "info E cycles");
	check_trace(8, "info1 context cycles +1 E +1", "cycles info context E");
}

static void more_than_maxspec_are_committed(void **state)
{
	(void)state;
	check_trace(0, "info EN exception", "info EN exception");
	check_trace(2, "info EEEN", "info EE");
	check_trace(2, "info E target EEN -2 end", "info E target@2 E end");
	check_trace(2, "info2 E", "");
	check_trace(2, "info2 EEE", "info E");
}

static void p0_elements_from_before_the_trace(void **state)
{
	(void)state;
	check_trace(8, "info2 E +1 +1 N +2", "info E N");
	check_trace(8, "info2 EN -3 E +2", "E");
	check_trace(8, "info1 target ! context E +2", "info context E");
	/* a Trace Info in the middle of a trace does not count them again */
	check_trace(8, "info E info1 N +2", "info E info N");
}

static void configuration_decides_for_two_kinds(void **state)
{
	struct stage stage;

	(void)state;
	begin(&stage, 8);
	stage.config.start_is_p0 = false;
	check(&stage, "info start eret E +1", "info start eret E");
	begin(&stage, 8);
	stage.config.eret_is_p0 = true;
	check(&stage, "info start eret E +2", "info start eret");
}

static void discard_removes_what_is_unresolved(void **state)
{
	(void)state;
	check_trace(8, "info ENE target time +1 discard", "info E time");
	check_trace(8, "info EN overflow info E +1", "info E");
	check_trace(8, "info EN event end", "event end");
	check_trace(8, "info EN event lost E +1 trcit", "event lost trcit");
}

static void outcome_of_a_transaction_outlives_a_discard(void **state)
{
	(void)state;
	check_trace(8, "info start E +2 failure discard", "info start E failure");
	check_trace(8, "info start E +1 failure discard", "info start failure");
	check_trace(8, "info start E failure discard", "");
	check_trace(8, "info start E +1 success discard", "info start");
	check_trace(8, "info start E +2 success discard", "info start E success");
	check_trace(8, "info1 success discard", "");
}

static void contradictions_lose_synchronisation(void **state)
{
	(void)state;
	/* HWF_ERR_UNDERFLOW */
	check_trace(8, "info E +2 N +1", "info E lost-6");
	check_trace(8, "info E time -2 N +1", "time lost-6");
	check_trace(8, "info ! N +1", "lost-6");
	check_trace(8, "info E +2 info N +1", "info E lost-6 info N");
}

static void a_full_ring_loses_synchronisation(void **state)
{
	struct stage stage;

	(void)state;
	begin(&stage, 200);
	check(&stage, "info +0", "");
	for (unsigned int i = 0; i < 127; i++)
		check(&stage, "E", "");
	/* HWF_ERR_NO_SPACE; the Trace Info can leave, the Atoms cannot */
	check(&stage, "E", "info");
	check(&stage, "EE", "lost-9");
	check(&stage, "E +1 info N +1", "info N");
}

static void settle_gives_all_that_is_certain(void **state)
{
	struct stage stage;

	(void)state;
	begin(&stage, 8);
	check(&stage, "info1 context E target N", "");
	hwf_p0_settle(&stage.p0);
	assert_string_equal(stage.given, "");
	check(&stage, "+1", "");
	hwf_p0_settle(&stage.p0);
	assert_string_equal(stage.given, "info context");
	check(&stage, "+1", "E");
	hwf_p0_settle(&stage.p0);
	assert_string_equal(stage.given, "E target@3");
	check(&stage, "+1", "N");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commit_gives_the_oldest),
		cmocka_unit_test(cancel_removes_the_youngest),
		cmocka_unit_test(cancel_removes_a_trace_info),
		cmocka_unit_test(some_elements_survive),
		cmocka_unit_test(mispredict_flips_the_youngest_atom),
		cmocka_unit_test(mispredict_drops_addresses_of_the_wrong_path),
		cmocka_unit_test(a_target_corrects_the_one_before),
		cmocka_unit_test(cycle_counts_belong_to_the_commit),
		cmocka_unit_test(more_than_maxspec_are_committed),
		cmocka_unit_test(p0_elements_from_before_the_trace),
		cmocka_unit_test(configuration_decides_for_two_kinds),
		cmocka_unit_test(discard_removes_what_is_unresolved),
		cmocka_unit_test(outcome_of_a_transaction_outlives_a_discard),
		cmocka_unit_test(contradictions_lose_synchronisation),
		cmocka_unit_test(a_full_ring_loses_synchronisation),
		cmocka_unit_test(settle_gives_all_that_is_certain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
