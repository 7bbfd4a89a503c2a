// SPDX-License-Identifier: GPL-2.0-only
/* Beginnings and ends of calls, and their times between the readings of a clock. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "calls/spans.h"

/* struct told - what came out, a word each */
struct told {
	char text[512];
	size_t size;
};

static void tell(void *ctx, const struct calls_thread *thread, void **own,
		 const struct span_event *event)
{
	static const char kinds[] = "([)].:";
	struct told *told = ctx;

	(void)thread;
	/* what the caller keeps of a thread stays */
	assert_true(!*own || *own == told);
	*own = told;
	told->size += (size_t)snprintf(told->text + told->size, sizeof(told->text) - told->size,
				       "%s%c", told->size ? " " : "", kinds[event->kind]);
	if (event->kind == SPAN_BEGIN || event->kind == SPAN_FOUND)
		told->size += (size_t)snprintf(
			told->text + told->size, sizeof(told->text) - told->size, "%s%s%c",
			event->kind == SPAN_FOUND && event->is_called ? "*" : "",
			event->is_exception ? "!" : "", (char)event->function);
	told->size += (size_t)snprintf(told->text + told->size, sizeof(told->text) - told->size,
				       "@%llu", (unsigned long long)event->clock);
	assert_true(told->size < sizeof(told->text));
}

/* Changes a stack: "a" is called, "!a" handles an exception, "?a" was found; "&ab": "a" was found,
 * and it calls "b"; "<2" so many end, and "x2" are lost. */
static void change(const struct calls_sink *sink, struct calls_thread *thread, const char *word)
{
	struct hwf_stack *stack = &thread->stack;
	struct hwf_stack_frame frame = {.kind = HWF_STACK_FRAME_CALL};

	stack->kept = stack->depth;
	stack->is_entered = *word != '?' && *word != '<' && *word != 'x';
	stack->has_ended = *word != 'x';
	if (*word == '<' || *word == 'x') {
		stack->depth -= strtoull(word + 1, NULL, 10);
		stack->kept = stack->depth;
	} else {
		if (*word == '&') {
			frame.kind = HWF_STACK_FRAME_FOUND;
			frame.function.id = (uint64_t)word[1];
			stack->frames[stack->depth++] = frame;
			frame.kind = HWF_STACK_FRAME_CALL;
			word += 2;
		} else if (*word == '!')
			frame.kind = HWF_STACK_FRAME_EXCEPTION;
		else if (*word == '?')
			frame.kind = HWF_STACK_FRAME_FOUND;
		frame.function.id = (uint64_t)word[*word == '!' || *word == '?'];
		stack->frames[stack->depth++] = frame;
	}
	sink->changed(sink->ctx, thread);
}

/* Runs a script: words of change(), "+5" instructions, "=9" a reading of the clock, "." a pause */
static void check(enum spans_clock clock, const char *script, const char *expected)
{
	struct hwf_stack_frame frames[16];
	struct calls_thread thread = {.stack = {.frames = frames}};
	struct told told = {.size = 0};
	struct spans *spans = spans_new(clock, tell, &told);
	struct calls_sink sink;
	char word[24];
	int size;

	assert_non_null(spans);
	sink = spans_sink(spans);
	for (; sscanf(script, "%23s%n", word, &size) == 1; script += size) {
		const uint64_t number = strtoull(word + 1, NULL, 10);

		if (*word == '+')
			sink.executed(sink.ctx, &thread, number);
		else if (*word == '=')
			sink.clock(sink.ctx, &thread, number);
		else if (*word == '.')
			sink.paused(sink.ctx, &thread);
		else
			change(&sink, &thread, word);
	}
	assert_int_equal(spans_end(spans), 0);
	assert_string_equal(told.text, expected);
	spans_free(spans);
}

static void test_instructions(void **state)
{
	(void)state;
	check(SPANS_INSTRUCTIONS, "a +10 b +5 !c +1 <1 +2 <2", "(a@0 (b@10 (!c@15 )@16 )@18 )@18");
	/* what is lost does not end, and neither does what goes on when the trace ends */
	check(SPANS_INSTRUCTIONS, "a +10 b +5 x2 +1 ?c d",
	      "(a@0 (b@10 ]@15 ]@15 [c@16 (d@16 ]@16 ]@16");
	/* on another stack */
	check(SPANS_INSTRUCTIONS, "a +10 x1 &bc +1 <1 +1", "(a@0 ]@10 [b@10 (c@10 )@11 ]@12");
}

static void test_time(void **state)
{
	(void)state;
	/* between two readings by the number of instructions */
	check(SPANS_TIME, "=100 +10 a +20 b +10 <1 +60 =300 <1", "(a@120 (b@160 )@180 )@300");
	/* behind the last one, at the pace before */
	check(SPANS_TIME, "=100 +10 =120 +5 a +5 <1 +5", "(a@130 )@140");
	check(SPANS_TIME, "=100 +10 =120 +5 a +5 . +9 <1 =1000", "(a@130 .@140 :@982 )@1000");
	/* but not beyond the next reading, nor backwards */
	check(SPANS_TIME, "=100 +10 =120 +100 a . =200 +10 <1 +10 =220",
	      "(a@320 .@320 :@320 )@320");
	check(SPANS_TIME, "=100 +1 a +1 =90 <1 =95", "(a@100 )@100");
	/* before the first one no time is known */
	check(SPANS_TIME, "+10 a +5 b +1 <1 +1 =50 c +10 <1 =60 <1",
	      "[*a@50 [*b@50 ]@50 (c@50 )@60 )@60");
	check(SPANS_TIME, "=0 +1 a +5 <1 +1", "[*a@0 ]@0");
	/* one pause, however often it is said; it ends with an instruction, a call or a reading */
	check(SPANS_TIME, "=100 +10 =120 a . . +5 =200 <1", "(a@120 .@120 :@190 )@200");
	check(SPANS_TIME, "=100 +10 =120 . a +5 =200 . =300 <1",
	      ".@120 :@190 (a@190 .@200 :@300 )@300");
	check(SPANS_TIME, "a . +5 <1 =50", "[*a@50 .@50 :@50 ]@50");
	/* times that were made up */
	check(SPANS_TIME, "=1 +1 =18446744073709551615 +1000 a +1 <1 +1",
	      "(a@18446744073709551615 )@18446744073709551615");
	/* no instructions between two readings */
	check(SPANS_TIME, "=100 a =100 <1 =200 b <1 =300", "(a@100 )@200 (b@300 )@300");
	/* a day at a GHz */
	check(SPANS_TIME, "=100 +43200000000000 a +43200000000000 =86400000000100 <1",
	      "(a@43200000000100 )@86400000000100");
}

/* Cycles while the thread was executed: each run has a clock that begins anywhere. */
static void test_cycles(void **state)
{
	(void)state;
	check(SPANS_CYCLES, "=1000 +10 a +10 =1040 +5 b +5 =1060 . =5 +10 <1 +10 =65 <1",
	      "(a@20 (b@50 )@90 )@120");
	check(SPANS_CYCLES, "=0 +4 a +4 =8 <1", "(a@4 )@8");
}

/* struct counted - how many events came, and the clock of the last one */
struct counted {
	size_t count;
	uint64_t clock;
};

static void count(void *ctx, const struct calls_thread *thread, void **own,
		  const struct span_event *event)
{
	struct counted *counted = ctx;

	(void)thread;
	(void)own;
	counted->count++;
	counted->clock = event->clock;
}

/* Events do not wait for a reading in any number. */
static void test_many(void **state)
{
	struct hwf_stack_frame frame;
	struct calls_thread thread = {.stack = {.frames = &frame}};
	struct counted counted = {0};
	struct spans *spans = spans_new(SPANS_TIME, count, &counted);
	struct calls_sink sink;

	(void)state;
	assert_non_null(spans);
	sink = spans_sink(spans);
	sink.clock(sink.ctx, &thread, 7);
	for (size_t i = 0; i < 0x8000; i++) {
		change(&sink, &thread, "a");
		change(&sink, &thread, "<1");
	}
	assert_int_equal(counted.count, 0);
	change(&sink, &thread, "a");
	assert_int_equal(counted.count, 0x10000);
	assert_int_equal(counted.clock, 7);
	sink.clock(sink.ctx, &thread, 9);
	assert_int_equal(counted.count, 0x10001);
	assert_int_equal(counted.clock, 9);
	spans_free(spans);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_instructions),
		cmocka_unit_test(test_time),
		cmocka_unit_test(test_cycles),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
