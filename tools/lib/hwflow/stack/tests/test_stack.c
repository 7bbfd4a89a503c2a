// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* Call stacks from branches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "hwflow/branch.h"
#include "hwflow/stack.h"

/*
 * A program of functions with one letter as their names: function 'a' has the addresses 0x6100 to
 * 0x61ff, and so on. Letters with a role of their own:
 */
static uint8_t role_of(char name)
{
	switch (name) {
	case 'S':
		return HWF_STACK_SETJMP;
	case 'L':
		return HWF_STACK_LONGJMP;
	case 'U':
		return HWF_STACK_UNWIND;
	case 'W':
		return HWF_STACK_SWITCH;
	case 'G':
		return HWF_STACK_LEAVE;
	case 'M':
		return HWF_STACK_PARK;
	case 'N':
		return HWF_STACK_RESUME;
	case 'O':
		return HWF_STACK_GROW;
	case 'K':
		return HWF_STACK_RECOVER;
	case 'Q':
		return HWF_STACK_LEAF;
	case 'F':
		return HWF_STACK_FORK;
	case 'C':
		return HWF_STACK_CLONE;
	case 'R':
		return HWF_STACK_SIGRETURN;
	case 'P':
		return HWF_STACK_STUB;
	default:
		return HWF_STACK_PLAIN;
	}
}

static struct hwf_stack_function function_at(uint64_t address)
{
	return (struct hwf_stack_function){
		.start = address & ~UINT64_C(0xff),
		.end = (address & ~UINT64_C(0xff)) + 0x100,
		.id = address >> 8,
		.role = role_of((char)(address >> 8)),
		.is_entry = !(address & 0xff),
	};
}

/* An address in a script: the name of a function and two hexadecimal digits; v is of the kernel */
static uint64_t address_of(const char *text)
{
	unsigned int offset;

	assert_int_equal(sscanf(text + 1, "%2x", &offset), 1);
	return (uint64_t)(*text == 'v') << 63 | (uint64_t)(uint8_t)*text << 8 | offset;
}

static unsigned int kind_of(char letter)
{
	static const char letters[] = "sjicICrex";
	static const uint8_t kinds[] = {
		HWF_BRANCH_START,         HWF_BRANCH_JUMP,
		HWF_BRANCH_INDIRECT,      HWF_BRANCH_CALL,
		HWF_BRANCH_INDIRECT_CALL, HWF_BRANCH_CALL,
		HWF_BRANCH_RETURN,        HWF_BRANCH_EXCEPTION_RETURN,
		HWF_BRANCH_EXCEPTION,
	};
	const char *at = strchr(letters, letter);

	assert_non_null(at);
	return kinds[at - letters];
}

/*
 * A step of a script: "sa00" starts at a00, "ca10b00" calls from a10, "ra10" returns to there from
 * the present function, which is b10: "rb10a14". '?' is no destination.
 */
static void step(struct hwf_stack *stack, const char *text)
{
	struct hwf_stack_step step = {.kind = (uint8_t)kind_of(*text)};
	const char *at = text + 1;

	if (step.kind != HWF_BRANCH_START) {
		step.from = address_of(at);
		step.next = step.from + (step.kind == HWF_BRANCH_EXCEPTION ? 0 : 4);
		step.source = function_at(step.from);
		step.has_from = true;
		at += 3;
	}
	if (*at != '?') {
		step.to = address_of(at);
		step.target = function_at(step.to);
		step.has_to = true;
	}
	hwf_stack_step(stack, &step);
}

/* All steps of a script, with blanks between them */
static void run(struct hwf_stack *stack, const char *script)
{
	char word[16];
	int size;

	for (; sscanf(script, "%15s%n", word, &size) == 1; script += size)
		step(stack, word);
}

/* The frames, the outermost first: '?' if its callers are not known, '!' before a handler */
static const char *show(const struct hwf_stack *stack)
{
	static char text[256];
	size_t at = 0;

	if (!stack->is_whole)
		text[at++] = '?';
	for (size_t i = 0; i < stack->depth; i++) {
		if (stack->frames[i].kind == HWF_STACK_FRAME_EXCEPTION)
			text[at++] = '!';
		text[at++] = (char)stack->frames[i].function.id;
	}
	text[at] = '\0';
	return text;
}

/* struct example - a script, and the stack at its end */
struct example {
	const char *script;
	const char *stack;
};

static void check(const struct example *examples, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct hwf_stack_saves *saves = hwf_stack_saves_new();
		struct hwf_stack stack;

		hwf_stack_init(&stack, saves, NULL);
		hwf_stack_start(&stack);
		run(&stack, examples[i].script);
		if (strcmp(show(&stack), examples[i].stack) != 0)
			print_error("%s\n", examples[i].script);
		assert_string_equal(show(&stack), examples[i].stack);
		hwf_stack_free(&stack);
		hwf_stack_saves_free(saves);
	}
}

#define CHECK(examples) check(examples, sizeof(examples) / sizeof(*(examples)))

static void test_calls(void **state)
{
	static const struct example examples[] = {
		{"sa00", "a"},
		{"sa00 ca10b00", "ab"},
		{"sa00 ca10b00 rb10a14", "a"},
		{"sa00 ca10b00 Ib10c00 rc10b14 rb20a14", "a"},
		/* recursion */
		{"sa00 ca10a00 ca10a00 ra20a14", "aa"},
		/* reads the program counter */
		{"sa00 ca10a14", "a"},
		/* a loop, and a jump table, which may go where a return would */
		{"sa00 ja10a00 ia20a40", "a"},
		{"sa00 ca10a00 ia20a40", "aa"},
		{"sa00 ca10a00 ia20a14", "?a"},
		/* a return by BR */
		{"sa00 ca10b00 ib10a14", "a"},
		/* tail calls, by JUMP and by BR; the last function returns for all */
		{"sa00 ca10b00 jb10c00", "ac"},
		{"sa00 ca10b00 ib10c00 rc10a14", "a"},
		/* a function ends and the next one begins */
		{"sa00 ca10b00 cc10d00", "acd"},
		/* a stub of the linker goes to code that has no name */
		{"sa00 ca10P00 iP10l40 il50b00 rb10a14", "a"},
		{"sa00 ca10P00 iP10l40", "al"},
		/* a jump into the middle of another function */
		{"sa00 ca10b00 jb10c40", "ac"},
		/* a return that enters a function, as tracers of the kernel have it */
		{"sa00 ca10b00 rb10c00 rc10a14", "a"},
	};

	(void)state;
	CHECK(examples);
}

/* What is not known is not in the stack, and a return shows who has called. */
static void test_unknown(void **state)
{
	static const struct example examples[] = {
		/* trace is lost: a destination is missing, or it begins anew */
		{"sa00 ca10b00 jb10?", "?"},
		{"sa00 ca10b00 jb10? sc10", "?c"},
		{"sa00 ca10b00 sc10", "?c"},
		{"sa00 ca10b00 sc10 rc20a14", "?a"},
		{"sa00 ca10b00 sc10 rc20a14 ra20d14 cd20e00", "?de"},
		/* a return to where nobody called from */
		{"sa00 ca10b00 rb10c14", "?c"},
		{"sa00 ca10b00 cb10c00 rc10a14", "?a"},
		{"sa00 ca10b00 ib10c14", "?c"},
	};

	(void)state;
	CHECK(examples);
}

static void test_jumps(void **state)
{
	static const struct example examples[] = {
		/* setjmp(3) returns twice */
		{"sa00 ca10S00 rS10a14 ca20b00 cb10c00 cc10L00 iL10a14", "a"},
		{"sa00 ca10S00 rS10a14 ca20b00 cb10L00 rL10a14", "a"},
		/* through a stub of the linker */
		{"sa00 ca10P00 iP10S00 rS10a14 ca20b00 cb10L00 iL10a14", "a"},
		/* by a function without a name */
		{"sa00 ca10S00 rS10a14 ca20b00 cb10L00 cL10x00 ix10a14", "a"},
	/* one of several that called from there: all have been called by b, or by a */
#define NESTED "sa00 ca10b00 cb10S00 rS10b14 cb20b00 cb10S00 rS10b14 cb20L00 iL10b14 "
		{NESTED, "?b"},
		{NESTED "cb30c00", "?bc"},
		{NESTED "rb40b24", "ab"},
		{NESTED "rb40a14", "a"},
		{NESTED "rb40z14", "?z"},
		/* once more, when it is not known who has called */
		{NESTED "cb20L00 iL10b14 rb40a14", "?a"},
	/* and both of these by c */
#define NESTED_IN_C \
	"sa00 ca10c00 cc10b00 cb10S00 rS10b14 cb20c00 cc10b00 cb10S00 rS10b14 cb20L00 iL10b14 "
		/* to a frame that has returned since */
		{"sa00 ca10b00 cb10S00 rS10b14 cb20b00 cb10S00 rS10b14 cb50S00 rS10b54 cb20L00 "
		 "iL10b14 "
		 "rb40b24 cb20L00 iL10b54",
		 "?b"},
		{NESTED_IN_C, "?b"},
		{NESTED_IN_C "rb40c14", "?c"},
		{NESTED_IN_C "rb40c14 rc20b24", "acb"},
		{NESTED_IN_C "rb40c14 rc20a14", "a"},
		{NESTED_IN_C "rb40c14 cc20d00 rd10c24 rc20a14", "a"},
		/* that one has returned */
		{"sa00 ca10b00 cb10S00 rS10b14 cb20c00 cc10S00 rS10c14 rc20b24 cb30L00 iL10b14",
		 "ab"},
		{"sa00 ca10b00 cb10S00 rS10b14 rb20a14 ca30L00 iL10b14", "?b"},
		/* somebody else's */
		{"sa00 ca10S00 rS10a14 ca20L00 iL10b14", "?b"},
		/* exceptions of a language: the only function that has the landing pad */
		{"sa00 ca10b00 cb10c00 cc10U00 iU10b40", "ab"},
		{"sa00 ca10b00 cb10c00 cc10U00 rU10b40 cb50U00 iU20a80", "a"},
		{"sa00 ca10b00 cb10U00 iU10d40", "?d"},
		/* several have it */
		{"sa00 ca10b00 cb10b00 cb10c00 cc10U00 iU10b40", "?b"},
		{"sa00 ca10b00 cb10b00 cb10c00 cc10U00 iU10a40", "a"},
	};

	(void)state;
	CHECK(examples);
}

/* In this program, calls from offset 10 have the landing pad 40, and those from 20 have none. */
static unsigned int lands(void *ctx, const struct hwf_stack_frame *callee,
			  const struct hwf_stack_step *step)
{
	assert_null(ctx);
	switch (callee->site & 0xff) {
	case 0x3c:
		return HWF_LANDING_NO;
	case 0x10:
		return (step->to & 0xff) == 0x40 ? HWF_LANDING_YES : HWF_LANDING_NO;
	case 0x20:
		return HWF_LANDING_NO;
	default:
		return HWF_LANDING_UNKNOWN;
	}
}

static void test_landing(void **state)
{
	static const struct example examples[] = {
		{"sa00 ca10b00 cb10b00 cb10c00 cc20U00 iU10b40", "abb"},
		{"sa00 ca10b00 cb10b00 cb20c00 cc20U00 iU10b40", "ab"},
		{"sa00 ca10b00 cb10b00 cb20c00 cc20U00 iU10a40", "a"},
		/* behind the call of the unwinder, where that does not return to */
		{"sa00 ca10b00 cb10b00 cb3cU00 rU10b40", "ab"},
		{"sa00 ca10b00 cb10b00 cb3cU00 iU10b40", "ab"},
		{"sa00 ca10b00 cb20b00 cb20U00 rU10b24", "abb"},
		/* no call has it */
		{"sa00 ca10b00 cb20b00 cb20c00 cc20U00 iU10b40", "?b"},
		{"sa00 ca10b00 cb10b00 cb10c00 cc20U00 iU10b50", "?b"},
		/* not known of one of them */
		{"sa00 ca10b00 cb20b00 cb30c00 cc20U00 iU10b40", "abb"},
		{"sa00 ca10b00 cb10b00 cb30c00 cc20U00 iU10b40", "?b"},
		{"sa00 ca10b00 cb30b00 cb10c00 cc20U00 iU10b40", "abb"},
		/* nor of one that a handler has interrupted */
		{"sa00 ca10b00 xb10h00 ch20U00 iU10b40", "ab"},
		{"sa00 ca10b00 cb10b00 xb10h00 ch20U00 iU10b40", "?b"},
		/* frames that are not known may have it */
		{"sa00 jb10? sb00 ca10b00 cb30c00 cc20U00 iU10b40", "?b"},
		{"sa00 jb10? sb00 cb10c00 cc20U00 iU10b40", "?b"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(examples) / sizeof(*examples); i++) {
		struct hwf_stack stack;

		hwf_stack_init(&stack, NULL, NULL);
		stack.lands = lands;
		hwf_stack_start(&stack);
		run(&stack, examples[i].script);
		if (strcmp(show(&stack), examples[i].stack) != 0)
			print_error("%s\n", examples[i].script);
		assert_string_equal(show(&stack), examples[i].stack);
		hwf_stack_free(&stack);
	}
}

static void test_exceptions(void **state)
{
	static const struct example examples[] = {
		/* user code alone: the kernel goes back */
		{"sa00 xa10a10", "a"},
		{"sa00 xa10? sa10", "a"},
		/* it restarts a system call, or goes to code of the same function */
		{"sa00 ca04b00 xb10? sb80", "ab"},
		/* a signal handler, in which there are calls and another handler */
		{"sa00 xa10h00 ch10b00", "a!hb"},
		{"sa00 xa10? sh00", "a!h"},
		{"sa00 xa10h00 xh10i00", "a!h!i"},
		/* handlers return through code of the kernel, which has a name or has none */
		{"sa00 xa10h00 rh10R00 xR04a10", "a"},
		{"sa00 xa10h00 rh10k00 xk04a10", "a"},
		{"sa00 xa10h00 xh10i00 ri10k00 xk04h10 rh20k00 xk04? sa10", "a"},
		/* the handler has changed where */
		{"sa00 xa10h00 rh10R00 xR04a80", "a"},
		{"sa00 xa10h00 rh10R00 xR04b00", "a!b"},
		{"sa00 xa10h00 rh10R00 xR04b00 rb10a10", "a"},
		/* another signal was waiting */
		{"sa00 xa10h00 rh10R00 xR04i00 ri10R00 xR04a10", "a"},
		/* the kernel goes on elsewhere, or another thread does without a word */
		{"sa00 ca10b00 xb20h00 rh10R00 xR04c40", "?c"},
		{"sa00 ca10b00 xb20c40", "?c"},
		{"sa00 ca10b00 xb20? sc40", "?c"},
		/* the interrupted instruction is executed once more, in a handler's callee */
		{"sa00 ca10b00 xb20v00 cv10b00 xb24v00 ev20b24", "ab!vb"},
		/* out of the handler by a jump */
		{"sa00 ca10S00 rS10a14 xa20h00 ch10L00 iL10a14", "a"},
		/* with code of the kernel */
		{"sa00 xa10v00 cv10k00 rk10v14 ev20a10", "a"},
		{"sa00 xa10v00 xv10v80 ev90v10 ev20a10", "a"},
		{"sa00 xa10v00 cv10k00 ek10h00", "a!h"},
		{"sa00 xa10v00 ev10h00 rh10R00 xR04v00", "a!R!v"},
		{"sa00 xa10v00 ev10h00 rh10R00 xR04v00 ev20a10", "a"},
		{"ev10a10", "?a"},
	};

	(void)state;
	CHECK(examples);
}

static void test_switches(void **state)
{
	/* a00 calls c00, which has a stack of its own and goes back from there; and so on */
#define TO_C   "sa00 ca10W00 iW10c00 "
#define C_TO_A "cc10d00 cd10W00 iW10a14 "
	static const struct example examples[] = {
		{TO_C, "c"},
		{TO_C C_TO_A, "a"},
		{TO_C C_TO_A "ca20W00 iW10d14", "cd"},
		{TO_C C_TO_A "ca20W00 iW10d14 rd20c14", "c"},
		/* in two functions, and by one without a name */
		{"sa00 ca10W00 cW20V00 iV10c00 cc10W00 cW20V00 iV10a14", "a"},
		/* where this stack would go on, too: one of both */
		{TO_C C_TO_A "ca20W00 iW10d14 cd20W00 iW10a24 ca20W00 iW10d24", "cd"},
		{"sa00 ca10b00 cb10W00 iW10c00 cc10b00 cb10W00 rW10b14", "?b"},
		{"sa00 ca10b00 cb10W00 iW10c00 cc10b00 cb10W00 rW10b14 rb20a14", "a"},
		{"sa00 ca10b00 cb10W00 iW10c00 cc10b00 cb10W00 rW10b14 rb20c14", "c"},
		/* saved with a jump, and without */
		{TO_C "cc10d00 cd10W00 iW10a14 ca20W00 iW10d14 cd20S00 rS10d24 cd10W00 iW10a24 "
		      "ca30W00 iW10d14 cd30L00 iL10d24",
		 "?d"},
		/* by a function that goes on within itself, on the other stack, and returns there
		 */
		{TO_C "cc10d00 cd10W00 iW10W80", "cdW"},
		{TO_C "cc10d00 cd10W00 cW20V00 iV10W80", "?W"},
		{TO_C "cc10d00 cd10W00 iW10W80 rW84a14", "a"},
		{TO_C "cc10d00 cd10W00 iW10W80 rW84a14 ca20W00 iW10W80 rW84d14", "cd"},
		{TO_C "cc10d00 cd10W00 cW20V00 iV10W80 rW84a14", "a"},
		/* two stacks go on at the same place: what they have in common is known */
		{TO_C C_TO_A "ca20W00 iW10e00 ce10d00 cd10W00 iW10a24 ca30W00 iW10d14", "?d"},
		{TO_C C_TO_A "ca20W00 iW10e00 ce10d00 cd10W00 iW10a24 ca30W00 iW10d14 rd20e14",
		 "e"},
		{TO_C C_TO_A "ca20W00 iW10c00 " C_TO_A "ca30W00 iW10d14", "cd"},
		/* to the stack of another thread */
		{"sa00 ca10G00 iG10s00", "?s"},
		{"sa00 ca10G00 iG10a14", "?a"},
		/* one that nobody has seen */
		{"sa00 ca10W00 iW10c14", "?c"},
		/* saved by a function that was found after a handler that does not return */
		{TO_C "cc10d00 cd10W00 iW10a14 ca20W00 iW10e00 ce10d00 cd10W00 xW10h00 ch10L00 "
		      "iL10h40 rh50R00 xR04W14 iW20a24 ca30W00 iW10d14",
		 "?d"},
		/* trace was lost, in which others may have come to be */
		{TO_C C_TO_A "ja10? sa10 ca20W00 iW10d14", "?d"},
	};

	(void)state;
	CHECK(examples);
}

/* struct goroutines - scripts of two threads, and the stacks at their ends */
struct goroutines {
	const char *scripts[2];
	const char *stacks[2];
};

/* Follows both threads, number @first before the other one. */
static void follow(const struct goroutines *example, struct hwf_stack *stacks,
		   struct hwf_stack_saves *parked, size_t first)
{
	for (size_t i = 0; i < 2; i++) {
		struct hwf_stack *stack = &stacks[(i + first) % 2];

		hwf_stack_free(stack);
		hwf_stack_init(stack, NULL, NULL);
		stack->parked = parked;
		if (*example->scripts[(i + first) % 2] == 's')
			hwf_stack_start(stack);
		run(stack, example->scripts[(i + first) % 2] + 1);
	}
}

static void follow_until_known(const struct goroutines *example, struct hwf_stack *stacks,
			       struct hwf_stack_saves *parked, size_t first)
{
	size_t before;

	do {
		before = hwf_stack_saves_count(parked);
		follow(example, stacks, parked, first);
	} while (hwf_stack_saves_count(parked) > before);
}

static void check_goroutines(const struct goroutines *example, size_t first)
{
	struct hwf_stack_saves *parked = hwf_stack_saves_new();
	struct hwf_stack stacks[2] = {0};

	hwf_stack_saves_search(parked, true);
	follow_until_known(example, stacks, parked, first);
	hwf_stack_saves_search(parked, false);
	follow_until_known(example, stacks, parked, first);
	for (size_t i = 0; i < 2; i++) {
		if (strcmp(show(&stacks[i]), example->stacks[i]) != 0)
			print_error("%s\n", example->scripts[i]);
		assert_string_equal(show(&stacks[i]), example->stacks[i]);
		hwf_stack_free(&stacks[i]);
	}
	hwf_stack_saves_free(parked);
}

/* A script begins with 's' if the beginning of the thread is there. */
static void test_goroutines(void **state)
{
	/* the scheduler, called by mcall; and what it has go on */
#define PARK(from) "c" from "M00 cM10Q00 rQ10M14 cM20s00 cs10N00 cN10Q00 rQ10N14 "
#define GO(to)     "iN20" to " "
	static const struct goroutines examples[] = {
		{{"ssa00 " PARK("a10"), "ssc00"}, {"?sN", "c"}},
		/* a new one; then the first one goes on; then the second one does so in another
		 * thread, whichever thread is followed first
		 */
		{{"ssa00 " PARK("a10") GO("b00"), "ssc00"}, {"b", "c"}},
		{{"ssa00 " PARK("a10") GO("b00") PARK("b10") GO("a14"), "ssc00 cc10N00 " GO("b14")},
		 {"a", "b"}},
		/* two that wait at the same place, one in another thread */
		{{"ssa00 ca10d00 " PARK("d10") GO("b00") "cb20d00 " PARK("d10") GO("d14"),
		  "ssc00 cc10N00 " GO("d14")},
		 {"?d", "?d"}},
		{{"ssa00 ca10d00 " PARK("d10") GO("b00") "cb20d00 " PARK("d10") GO("d14") "rd20b24",
		  "ssc00 cc10N00 " GO("d14") "rd20a14"},
		 {"b", "a"}},
		/* it may have called d once, or more often than is looked for */
		{{"ssa00 ca10d00 " PARK("d10") GO("d14") "cd30d00 " PARK("d10") GO("b00"),
		  "ssc00 cc10N00 " GO("d14") "rd20a14"},
		 {"b", "?a"}},
		/* its stack grows; or it is parked meanwhile, and goes on in another thread */
		{{"ssa00 ca10b00 cb00O00 cO10Q00 rQ10O14 cO20w00 cw10N00 " GO("b04"), "ssc00"},
		 {"ab", "c"}},
		{{"ssa00 ca10b00 cb00O00 cO20w00 cw20p00 cp10N00 " GO("e00"),
		  "ssc00 cc10N00 " GO("b04")},
		 {"e", "ab"}},
		{{"ssa00 ca10b00 cb00O00 cO20w00 cw20p00 cp10N00 " GO("a04"), "ssc00"},
		 {"?a", "c"}},
		/* a panic is recovered from in the only frame of a function, or one of two */
		{{"ssa00 ca10b00 cb10p00 cp10M00 cM20K00 cK10N00 " GO("b14"), "ssc00"},
		 {"ab", "c"}},
		{{"ssa00 ca10b00 cb20b00 cb10p00 cp10M00 cM20K00 cK10N00 " GO("b14"), "ssc00"},
		 {"?b", "c"}},
		{{"ssa00 ca10b00 cb20b00 cb10p00 cp10M00 cM20K00 cK10N00 " GO("b14") "rb40a14",
		  "ssc00"},
		 {"a", "c"}},
		{{"ssa00 ca10b00 cb10p00 cp10M00 cM20K00 cK10N00 " GO("e14"), "ssc00"},
		 {"?e", "c"}},
		/* nobody has parked what goes on: what it calls is known, in any thread */
		{{"ssa00 ca10N00 " GO("x14") "cx20d00 " PARK("d10"), "ssc00 cc10N00 " GO("d14")},
		 {"?sN", "?xd"}},
		/* or it is another one that waits there */
		{{"ssa00 ca10N00 " GO("x14") "cx20d00 " PARK("d10")
			  GO("a00") "ca10d00 " PARK("d10"),
		  "ssc00 cc10N00 " GO("d14")},
		 {"?sN", "?d"}},
		{{"ssa00 ca10N00 " GO("x14") "cx20d00 " PARK("d10")
			  GO("a00") "ca10d00 " PARK("d10"),
		  "ssc00 cc10N00 " GO("d14") "rd20a14"},
		 {"?sN", "a"}},
		/* its outermost frame is not known, so the callers of that are not, either */
		{{"ssa00 ca10N00 " GO("d04") PARK("d10") GO("a00") "ca10d00 " PARK("d10"),
		  "ssc00 cc10N00 " GO("d14") "rd20a14"},
		 {"?sN", "?a"}},
		/* a thread whose beginning is missing may have parked others */
		{{"ssa00 " PARK("a10") GO("b00") PARK("b10") GO("a14"), " sc00 cc10N00 " GO("b14")},
		 {"?a", "?b"}},
		/* so may one that parks from a function that was found */
		{{"ssa00 ca10N00 " GO("M14") "cM20s00 cs10N00 " GO("a00") PARK("a10") GO("a14"),
		  "ssc00"},
		 {"?a", "c"}},
		/* so may one whose first step is another one */
		{{"ssa00 ca10d00 " PARK("d10") GO("b00"), " rz10s14 cs20N00 " GO("d14")},
		 {"b", "?d"}},
		/* whose stack has grown is not known after a handler that does not return */
		{{"ssa00 ca10b00 cb00O00 cO20w00 xw10h00 ch10L00 iL10h40 rh50R00 xR04w20 cw20p00 "
		  "cp10N00 " GO("e00"),
		  "ssx00 cx10b00 cb00O00 cO20w00 cw20p00 cp10N00 " GO("k00") "ck10N00 " GO("b04")},
		 {"e", "?b"}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(examples) / sizeof(*examples); i++) {
		check_goroutines(&examples[i], 0);
		check_goroutines(&examples[i], 1);
	}
}

static void test_fork(void **state)
{
	struct hwf_stack_saves *saves = hwf_stack_saves_new();
	struct hwf_stack parent, child;

	(void)state;
	hwf_stack_init(&parent, NULL, saves);
	hwf_stack_start(&parent);
	run(&parent, "sa00 ca10b00 cb10F00 xF10F10 rF20b14");
	assert_string_equal(show(&parent), "ab");
	hwf_stack_init(&child, NULL, saves);
	hwf_stack_fork(&child);
	run(&child, "sF10");
	assert_string_equal(show(&child), "abF");
	run(&child, "rF20b14 rb20a14");
	assert_string_equal(show(&child), "a");
	hwf_stack_free(&child);
	/* by clone(2), with another stack */
	hwf_stack_init(&child, NULL, saves);
	hwf_stack_fork(&child);
	run(&child, "sC10 iC20c00 cc10d00");
	assert_string_equal(show(&child), "cd");
	hwf_stack_free(&child);
	/* not the place behind a fork(2) that was seen */
	hwf_stack_init(&child, NULL, saves);
	hwf_stack_fork(&child);
	run(&child, "sF20");
	assert_string_equal(show(&child), "?F");
	hwf_stack_free(&child);
	hwf_stack_free(&parent);
	hwf_stack_saves_free(saves);
}

/* What a step has changed */
static void test_kept(void **state)
{
	static const struct {
		const char *step;
		size_t kept;
		bool is_entered;
	} steps[] = {
		{"sa00", 0, false},    {"ca10b00", 1, true},  {"jb10b20", 2, false},
		{"jb20c00", 1, true},  {"cc10d00", 2, true},  {"rd10c14", 2, false},
		{"xc20h00", 2, true},  {"rh10k04", 2, false}, {"xk04c20", 2, false},
		{"rc30a14", 1, false}, {"ra20z00", 0, true},
	};
	struct hwf_stack stack;

	(void)state;
	hwf_stack_init(&stack, NULL, NULL);
	hwf_stack_start(&stack);
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		for (size_t j = 0; j < stack.depth; j++)
			stack.frames[j].tag = i;
		step(&stack, steps[i].step);
		assert_int_equal(stack.kept, steps[i].kept);
		assert_int_equal(stack.is_entered, steps[i].is_entered);
		for (size_t j = 0; j < stack.kept; j++)
			assert_int_equal(stack.frames[j].tag, i);
	}
	hwf_stack_free(&stack);
}

/* Do the functions of removed frames end, or may they go on? */
static void test_ended(void **state)
{
	static const struct {
		const char *steps;
		const char *last;
		bool has_ended;
	} cases[] = {
		{"sa00 ca10b00", "rb20a14", true},
		/* a tail call, longjmp(3), and the handler of a signal */
		{"sa00 ca10b00", "jb20c00", true},
		{"sa00 ca10S00 rS10a14 ca20b00 cb20L00", "iL10a14", true},
		{"sa00 ca10b00 xb20h00", "eh10b20", true},
		/* another program */
		{"sa00 ca10b00", "xb20?", true},
		/* a jump that nothing explains, trace that is not there, and another stack */
		{"sa00 ca10b00", "ib20c44", false},
		{"sa00 ca10b00", "jb20?", false},
		{"sa00 ca10b00 cb20W00", "iW10c00", false},
		{"sa00 ca10b00 cb20W00 iW10c00 cc20W00", "iW10b24", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct hwf_stack_saves *saves = hwf_stack_saves_new();
		struct hwf_stack stack;

		assert_non_null(saves);
		hwf_stack_init(&stack, saves, NULL);
		hwf_stack_start(&stack);
		run(&stack, cases[i].steps);
		step(&stack, cases[i].last);
		assert_int_equal(stack.has_ended, cases[i].has_ended);
		hwf_stack_lose(&stack);
		assert_false(stack.has_ended);
		hwf_stack_free(&stack);
		hwf_stack_saves_free(saves);
	}
}

/* Endless recursion: the innermost calls are kept. */
static void test_depth(void **state)
{
	struct hwf_stack stack;

	(void)state;
	hwf_stack_init(&stack, NULL, NULL);
	hwf_stack_start(&stack);
	step(&stack, "sa00");
	for (size_t i = 0; i < (size_t)3 * HWF_STACK_DEPTH; i++) {
		step(&stack, "ca10a00");
		assert_int_equal(stack.has_ended, stack.kept != 0);
	}
	assert_in_range(stack.depth, HWF_STACK_DEPTH / 2, HWF_STACK_DEPTH);
	assert_false(stack.is_whole);
	while (stack.depth > 1)
		step(&stack, "ra20a14");
	step(&stack, "ra20b14");
	assert_string_equal(show(&stack), "?b");
	hwf_stack_free(&stack);
}

/* Runs a step many times. */
static void repeat(struct hwf_stack *stack, size_t count, const char *script)
{
	while (count--)
		run(stack, script);
}

/* What would take long is not looked for. */
static void test_limits(void **state)
{
	struct hwf_stack_saves *saves = hwf_stack_saves_new();
	struct hwf_stack stack;

	(void)state;
	/* an exception that goes past 4,000 frames, and past 5,000 */
	for (size_t count = 4000; count <= 5000; count += 1000) {
		hwf_stack_init(&stack, NULL, NULL);
		stack.lands = lands;
		hwf_stack_start(&stack);
		run(&stack, "sa00 ca10a00");
		repeat(&stack, count, "ca20a00");
		run(&stack, "ca3cU00 iU10a40");
		assert_string_equal(show(&stack), count == 4000 ? "a" : "?a");
		hwf_stack_free(&stack);
	}
	/* a signal in the last of 4,000 frames, and of 5,000 */
	for (size_t count = 4000; count <= 5000; count += 1000) {
		hwf_stack_init(&stack, NULL, NULL);
		hwf_stack_start(&stack);
		run(&stack, "sa00");
		repeat(&stack, count, "ca10a00");
		run(&stack, "xa20h00");
		assert_int_equal(stack.depth, count == 4000 ? 4002 : 1);
		hwf_stack_free(&stack);
	}
	/* 256 frames that may be jumped to, and 257 */
	for (size_t count = 255; count <= 256; count++) {
		hwf_stack_init(&stack, NULL, NULL);
		hwf_stack_start(&stack);
		run(&stack, "sa00 ca10b00 cb10S00 rS10b14");
		repeat(&stack, count, "cb20b00 cb10S00 rS10b14");
		run(&stack, "cb30L00 iL10b14 rb40a14");
		assert_string_equal(show(&stack), count == 255 ? "a" : "?a");
		hwf_stack_free(&stack);
	}
	/* a switch from 1,000 frames, and from 1,100 */
	for (size_t count = 1000; count <= 1100; count += 100) {
		hwf_stack_init(&stack, saves, NULL);
		hwf_stack_start(&stack);
		run(&stack, "sa00");
		repeat(&stack, count, "ca10a00");
		run(&stack, "ca20W00 iW10c00 cc10W00 iW10a24");
		assert_int_equal(stack.depth, count == 1000 ? 1001 : 1);
		hwf_stack_free(&stack);
	}
	hwf_stack_saves_free(saves);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls),      cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_jumps),      cmocka_unit_test(test_landing),
		cmocka_unit_test(test_exceptions), cmocka_unit_test(test_switches),
		cmocka_unit_test(test_ended),      cmocka_unit_test(test_fork),
		cmocka_unit_test(test_kept),       cmocka_unit_test(test_depth),
		cmocka_unit_test(test_limits),     cmocka_unit_test(test_goroutines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
