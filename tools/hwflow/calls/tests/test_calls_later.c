// SPDX-License-Identifier: GPL-2.0-only
/* Steps of threads that go from CPU to CPU, in the order of time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "calls/calls_later.h"
#include "hwflow/branch.h"

#define SOURCES 3
#define THREADS 3

/* the traces of CPUs, and that of a thread */
static const struct input_source sources[SOURCES + 1] = {
	{.tid = -1}, {.tid = -1}, {.tid = -1}, {.tid = 7}};
static struct stack_thread threads[THREADS];

/* struct told - what came out, a word each; with @has_clock also what the clock says, and pauses */
struct told {
	char text[512];
	size_t size;
	bool has_clock;
};

static void tell(struct told *told, const struct stack_thread *thread, const char *what,
		 uint64_t number)
{
	told->size += (size_t)snprintf(told->text + told->size, sizeof(told->text) - told->size,
				       "%d%s", (int)(thread - threads), what);
	if (number)
		told->size +=
			(size_t)snprintf(told->text + told->size, sizeof(told->text) - told->size,
					 "%llu", (unsigned long long)number);
	told->text[told->size++] = ' ';
	assert_true(told->size < sizeof(told->text));
}

static void tell_step(void *ctx, struct stack_thread *thread, const struct calls_step *step)
{
	tell(ctx, thread, "s", step->step.from);
}

static void tell_range(void *ctx, struct stack_thread *thread, uint64_t instructions)
{
	tell(ctx, thread, "+", instructions);
}

static void tell_item(void *ctx, struct stack_thread *thread, uint64_t item)
{
	tell(ctx, thread, "i", item);
}

static void tell_loss(void *ctx, struct stack_thread *thread)
{
	tell(ctx, thread, "?", 0);
}

static void tell_clock(void *ctx, struct stack_thread *thread, uint64_t clock)
{
	tell(ctx, thread, "=", clock);
}

static void tell_pause(void *ctx, struct stack_thread *thread)
{
	const struct told *told = ctx;

	if (told->has_clock)
		tell(ctx, thread, ".", 0);
}

/*
 * Runs a script of words: "a" to "d" is the source from there on, "@9" a timestamp, "=9" what the
 * clock says, "!" a gap, "0+5" thread 0 executes 5 instructions, "0s7" it takes a step of that
 * number, and "0i3" it has an item.
 */
static void check_clock(const char *script, const char *expected, bool has_clock)
{
	struct calls_later *later = calls_later_new(has_clock);
	struct calls_place place = {.source = sources};
	struct told told = {.has_clock = has_clock};
	const struct calls_later_sink sink = {.step = tell_step,
					      .range = tell_range,
					      .item = tell_item,
					      .lose = tell_loss,
					      .clock = tell_clock,
					      .pause = tell_pause,
					      .ctx = &told};
	unsigned long long number;
	char word[24];
	int size;

	assert_non_null(later);
	for (; sscanf(script, "%23s%n", word, &size) == 1; script += size) {
		struct stack_thread *thread = &threads[(*word - '0') % THREADS];
		struct calls_step step = {.step = {.kind = HWF_BRANCH_CALL, .has_to = true}};

		number = strtoull(word + 2, NULL, 10);
		step.step.from = number;
		if (*word >= 'a' && *word <= 'd') {
			place.source = &sources[*word - 'a'];
			place.time = 0;
		} else if (*word == '@') {
			place.time = strtoull(word + 1, NULL, 10);
		} else if (*word == '=') {
			place.clock = strtoull(word + 1, NULL, 10);
		} else if (*word == '!') {
			calls_later_gap(later, &place);
		} else if (word[1] == '+') {
			calls_later_range(later, thread, &place, number);
		} else if (word[1] == 'i') {
			calls_later_item(later, thread, &place, number);
		} else {
			calls_later_step(later, thread, &place, &step);
		}
	}
	calls_later_end(later);
	assert_int_equal(calls_later_run(later, &sink), 0);
	told.text[told.size ? told.size - 1 : 0] = '\0';
	assert_string_equal(told.text, expected);
	calls_later_free(later);
}

static void check(const char *script, const char *expected)
{
	check_clock(script, expected, false);
}

static void test_order(void **state)
{
	(void)state;
	/* thread by thread, in the order of the source */
	check("a @1 0s1 1s2 0s3", "0s1 0s3 1s2");
	/* numbers of instructions are summed up to the next step */
	check("a @1 0+3 0+4 0s1 0+5", "0+7 0s1 0+5");
	check("a @1 0+300 0s70000 0+4611686018427", "0+300 0s70000 0+4611686018427");
	/* from one CPU to another, and back */
	check("a @10 0s1 @11 1s9 @30 0s3 @31 0s4 b @20 0s2 @21 2s7", "0s1 0s2 0s3 0s4 1s9 2s7");
	check("b @20 0s2 @21 1s8 a @10 0s1 @11 2s9 @30 0s3 @31", "0s1 0s2 0s3 1s8 2s9");
	/* before any timestamp */
	check("a 0s1 @5 0s2", "0s1 0s2");
}

/* A stretch without a timestamp in it may be anywhere between those around it. */
static void test_uncertain(void **state)
{
	(void)state;
	/* 1 executes between timestamps 10 and 30 of CPU a; on b it was there at 20 */
	check("a @10 0s1 1s2 @30 0s3 b @20 1s4 @21 1s5", "0s1 0s3 1? 1s2 1? 1s4 1s5");
	check("a @10 0s1 1s2 @15 0s3 b @20 1s4 @21 1s5", "0s1 0s3 1s2 1s4 1s5");
	/* on b it was there earlier */
	check("a @10 0s1 1s2 @30 0s3 b @5 1s4 @6 1s5 2s7", "0s1 0s3 1s4 1s5 1s2 2s7");
	/* the doubt holds for all stretches of the other CPU up to then, any of which may be the
	 * one before the first that is certain */
	check("a @10 0s1 1s2 @30 0s3 b @20 1s4 @21 2s7 @22 1s5 @23 2s8 @40 1s6 @41 1s7",
	      "0s1 0s3 1? 1s2 1? 1s4 1? 1s5 1? 1s6 1s7 2s7 2s8");
	/* a stretch without a timestamp that is sorted before another one, but comes behind it */
	check("a @1 0s1 @2 0s2 @6 1s9 0s3 b @8 0s4 1s8 @14 1s7",
	      "0s1 0s2 0? 0s3 0? 0s4 1? 1s9 1? 1s8 1s7");
	/* two CPUs at the same time, and no time at all */
	check("a @10 0s1 @11 b @10 0s2 @11", "0? 0s1 0? 0s2");
	check("a 0s1 b 0s2", "0? 0s1 0? 0s2");
	/* a CPU's own order is certain */
	check("a @10 0s1 1s2 0s3 1s4 0s5", "0s1 0s3 0s5 1s2 1s4");
}

static void test_missing(void **state)
{
	(void)state;
	/* on the CPU itself */
	check("a @10 0s1 @11 ! @20 0s2", "0s1 0? 0s2");
	check("a ! @20 0s2", "0? 0s2");
	/* any thread may have been on a CPU whose trace is missing */
	check("a @10 0s1 @11 1s3 @40 0s2 @41 b @20 2s4 ! @30 2s5", "0s1 0? 0s2 1s3 2s4 2? 2s5");
	check("a @10 0s1 @11 1s3 @40 0s2 @41 b @20 2s4 ! @30 2s5 @31 1s8 c @50 2s6 @51 ! @60",
	      "0s1 0? 0s2 1? 1s3 1? 1s8 2s4 2? 2s5 2s6");
	/* not in the trace of a thread */
	check("a @10 0s1 @11 1s3 @40 0s2 @41 d @20 2s4 ! @30 2s5", "0s1 0s2 1s3 2s4 2? 2s5");
	/* not if it was elsewhere at that time */
	check("a @10 0s1 @11 0s2 @40 0s3 1s6 b @20 2s4 ! @30 2s5", "0s1 0s2 0s3 1s6 2s4 2? 2s5");
	check("a @10 0s1 @11 1s3 @15 0s2 @16 0s5 @41 0s6 b @20 2s4 ! @30 2s5",
	      "0s1 0s2 0s5 0s6 1s3 2s4 2? 2s5");
	/* up to the end of a source */
	check("b @20 2s4 ! a @10 0s1 @11 1s3 @40 0s2 @41", "0s1 0? 0s2 1s3 2s4");
}

/* What the clock says, where a thread was executed while it changed, or since it had changed */
static void test_clock(void **state)
{
	(void)state;
	check_clock("a @1 =7 0s1 0+2 =9 0s2 0+1 =12 0+4 1s5 =30 1+1 =31 0s3",
		    "0=7 0s1 0+2 0=9 0s2 0+1 0=12 0+4 0. 0=31 0s3 0. 1s5 1=30 1+1 1.", true);
	/* from one CPU to another, whose clock says something else */
	check_clock("a @1 =100 0s1 @2 =101 0s2 b @3 =5 0s3 @4 =6 0s4",
		    "0=100 0s1 0=101 0s2 0. 0=5 0s3 0=6 0s4 0.", true);
	/* each source says it once at least */
	check_clock("a @1 =7 0s1 @2 0s3 b @5 0s2 @6 0s4", "0=7 0s1 0s3 0. 0=7 0s2 0s4 0.", true);
	check_clock("a @1 0s1 1s2", "0= 0s1 0. 1s2 1.", true);
	/* it does not go backwards, and steps that no number of the file has are left out */
	check_clock("a @1 =7 0s1 =6 0s2 =8 0s3", "0=7 0s1 0s2 0=8 0s3 0.", true);
	check_clock("a @1 =0 0s1 =4611686018427387903 0s2 =8 0s3", "0= 0s1 0s2 0=8 0s3 0.", true);
	check_clock("a @1 =0 0s1 =4611686018427387902 0s2", "0= 0s1 0=4611686018427387902 0s2 0.",
		    true);
	/* trace begins again */
	check_clock("a @1 =7 0s1 =8 ! =9 0s2 =10 0s3", "0=7 0s1 0. 0? 0=9 0s2 0=10 0s3 0.", true);
	check_clock("a @1 =7 0s1 =8 0s2", "0s1 0s2", false);
}

/* Items come between the steps that they were between, in the same thread. */
static void test_items(void **state)
{
	(void)state;
	check("a @1 0+1 0i8 0s1 0+2 0i70000 0i3 0s2 0i5", "0i8 0+1 0s1 0i70000 0i3 0+2 0s2 0i5");
	check("a @10 0s1 0i1 @11 1s9 @30 0i3 @31 0s4 b @20 0i4 @21 2i7",
	      "0s1 0i1 0i4 0i3 0s4 1s9 2i7");
	check("a @1 0i4611686018427387903 0s1", "0i4611686018427387903 0s1");
}

/* struct counted - steps that came, one after the other */
struct counted {
	uint64_t steps;
	uint64_t instructions;
};

static void count_step(void *ctx, struct stack_thread *thread, const struct calls_step *step)
{
	struct counted *counted = ctx;

	assert_ptr_equal(thread, &threads[1]);
	assert_int_equal(step->step.from, counted->steps % 70000);
	counted->steps++;
}

static void count_range(void *ctx, struct stack_thread *thread, uint64_t instructions)
{
	struct counted *counted = ctx;

	assert_ptr_equal(thread, &threads[0]);
	counted->instructions += instructions;
}

static void count_loss(void *ctx, struct stack_thread *thread)
{
	(void)ctx;
	(void)thread;
	fail();
}

static void count_pause(void *ctx, struct stack_thread *thread)
{
	(void)ctx;
	(void)thread;
}

/* More than the buffer of the file holds */
static void test_many(void **state)
{
	struct calls_later *later = calls_later_new(false);
	const struct calls_place place = {.source = sources, .time = 1};
	struct counted counted = {0};

	(void)state;
	assert_non_null(later);
	for (uint64_t i = 0; i < 100000; i++) {
		const struct calls_step step = {
			.step = {.kind = HWF_BRANCH_CALL, .has_to = true, .from = i % 70000}};

		calls_later_step(later, &threads[1], &place, &step);
	}
	calls_later_range(later, &threads[0], &place, 5);
	calls_later_end(later);
	assert_int_equal(calls_later_run(later, &(struct calls_later_sink){.step = count_step,
									   .range = count_range,
									   .lose = count_loss,
									   .pause = count_pause,
									   .ctx = &counted}),
			 0);
	assert_int_equal(counted.steps, 100000);
	assert_int_equal(counted.instructions, 5);
	calls_later_free(later);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),   cmocka_unit_test(test_uncertain),
		cmocka_unit_test(test_missing), cmocka_unit_test(test_clock),
		cmocka_unit_test(test_items),   cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
