// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* Flow events as branches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "hwflow/branch.h"

/* struct told - branches and ranges, a line each */
struct told {
	struct hwf_branches branches;
	char text[4096];
	size_t size;
};

static const int spaces[2];

/* The context identifier is the number of the address space. */
static const void *space_of(void *ctx, const struct hwf_context *context)
{
	(void)ctx;
	return &spaces[context->cid & 1];
}

static const struct hwf_code code = {.space = space_of};

static int space_number(const void *space)
{
	return space ? (int)((const int *)space - spaces) : -1;
}

/* KIND[!] FROM/SPACE > TO/SPACE @OFFSET; "!" for a branch that is not taken, "?" for no address */
static void tell_branch(void *ctx, const struct hwf_branch *branch)
{
	struct told *told = ctx;
	char from[32] = "?", to[32] = "?";

	if (branch->has_from)
		snprintf(from, sizeof(from), "%llx/%d", (unsigned long long)branch->from,
			 space_number(branch->from_space));
	if (branch->has_to)
		snprintf(to, sizeof(to), "%llx/%d", (unsigned long long)branch->to,
			 space_number(branch->to_space));
	told->size += (size_t)snprintf(told->text + told->size, sizeof(told->text) - told->size,
				       "%s%s %s > %s @%llu\n", hwf_branch_kind_name(branch->kind),
				       branch->taken ? "" : "!", from, to,
				       (unsigned long long)branch->offset);
	assert_true(told->size < sizeof(told->text));
	if (branch->kind == HWF_BRANCH_EXCEPTION)
		assert_int_equal(branch->is_trap ? branch->trap.cause : branch->exception, 2);
}

static void tell_range(void *ctx, const struct hwf_flow_event *event)
{
	struct told *told = ctx;

	told->size += (size_t)snprintf(told->text + told->size, sizeof(told->text) - told->size,
				       "range %llx\n", (unsigned long long)event->u.range.start);
	assert_true(told->size < sizeof(told->text));
}

/* A range of A64 code whose last instruction is this one */
static struct hwf_flow_event range(uint64_t start, uint64_t end, bool taken, struct hwf_insn insn)
{
	insn.size = 4;
	return (struct hwf_flow_event){.offset = start & 0xff,
				       .kind = HWF_FLOW_RANGE,
				       .u.range = {.start = start,
						   .end = end,
						   .instructions = (uint32_t)(end - start) / 4,
						   .isa = HWF_ISA_A64,
						   .taken = taken,
						   .p0 = insn.kind != HWF_INSN_OTHER,
						   .insn = insn}};
}

static struct hwf_flow_event exception(uint16_t type, uint64_t ret, bool is_target)
{
	return (struct hwf_flow_event){
		.offset = 50,
		.kind = HWF_FLOW_EXCEPTION,
		.u.exception = {
			.ret = ret, .type = type, .has_ret = true, .ret_is_target = is_target}};
}

static const struct hwf_insn jump = {.kind = HWF_INSN_DIRECT, .target = 0x2000};
static const struct hwf_insn conditional = {
	.kind = HWF_INSN_DIRECT, .target = 0x2000, .conditional = true};
static const struct hwf_insn call = {
	.kind = HWF_INSN_DIRECT, .sub = HWF_SUB_LINK, .target = 0x2000};
static const struct hwf_insn indirect = {.kind = HWF_INSN_INDIRECT};
static const struct hwf_insn indirect_call = {.kind = HWF_INSN_INDIRECT, .sub = HWF_SUB_LINK};
static const struct hwf_insn ret = {.kind = HWF_INSN_INDIRECT, .sub = HWF_SUB_RET};
static const struct hwf_insn eret = {.kind = HWF_INSN_INDIRECT, .sub = HWF_SUB_ERET};
static const struct hwf_insn plain;

static void begin(struct told *told, bool with_ranges)
{
	told->size = 0;
	told->text[0] = '\0';
	hwf_branches_init(&told->branches, &code, tell_branch, with_ranges ? tell_range : NULL,
			  told);
}

static void push(struct told *told, struct hwf_flow_event event)
{
	hwf_branches_push(&told->branches, &event);
}

static void push_kind(struct told *told, unsigned int kind)
{
	push(told, (struct hwf_flow_event){.kind = (uint8_t)kind});
}

static void a_branch_ends_at_the_next_instruction(void **state)
{
	struct told told;

	(void)state;
	begin(&told, true);
	push(&told, range(0x1001, 0x1011, true, jump));
	push(&told, range(0x2002, 0x2012, false, conditional));
	push(&told, range(0x2012, 0x2022, true, indirect));
	push(&told, range(0x3003, 0x3007, true, plain));
	push(&told, range(0x3007, 0x300b, true, ret));
	push_kind(&told, HWF_FLOW_END);
	assert_string_equal(told.text, "start ? > 1001/-1 @1\n"
				       "range 1001\n"
				       "jump 100d/-1 > 2002/-1 @1\n"
				       "range 2002\n"
				       "conditional! 200e/-1 > 2012/-1 @2\n"
				       "range 2012\n"
				       "indirect jump 201e/-1 > 3003/-1 @18\n"
				       "range 3003\n"
				       "range 3007\n"
				       "return 3007/-1 > ? @7\n");
}

static void kinds_follow_from_the_instruction(void **state)
{
	const struct {
		const struct hwf_insn *insn;
		unsigned int kind;
	} rows[] = {
		{&jump, HWF_BRANCH_JUMP},
		{&conditional, HWF_BRANCH_CONDITIONAL},
		{&call, HWF_BRANCH_CALL},
		{&indirect, HWF_BRANCH_INDIRECT},
		{&indirect_call, HWF_BRANCH_INDIRECT_CALL},
		{&ret, HWF_BRANCH_RETURN},
		{&eret, HWF_BRANCH_EXCEPTION_RETURN},
		{&plain, HWF_BRANCH_KINDS},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct hwf_insn insn = *rows[i].insn;
		struct hwf_branch branch;

		insn.size = 4;
		branch = hwf_branch_of_insn(&insn, 0x1008, NULL, true);
		assert_int_equal(branch.kind, rows[i].kind);
		assert_int_equal(branch.has_to, insn.kind == HWF_INSN_DIRECT);
	}
	assert_string_equal(hwf_branch_kind_name(HWF_BRANCH_KINDS), "unknown");
}

static void exceptions_come_from_the_call_or_the_return_address(void **state)
{
	struct told told;

	(void)state;
	begin(&told, false);
	/* a call returns behind itself */
	push(&told, range(0x1000, 0x1008, true, plain));
	push(&told, exception(HWF_EXC_CALL, 0x1008, false));
	push(&told, range(0x8000, 0x8004, true, eret));
	/* the destination of the branch before it is the return address */
	push(&told, range(0x1008, 0x1010, true, indirect));
	push(&told, exception(HWF_EXC_CALL, 0x4000, true));
	push(&told, range(0x8000, 0x8004, true, plain));
	/* one exception behind the other */
	push(&told, exception(HWF_EXC_CALL, 0x8000, false));
	push(&told, exception(HWF_EXC_CALL, 0x8100, false));
	push(&told, range(0x8200, 0x8204, true, plain));
	assert_string_equal(told.text, "start ? > 1000/-1 @0\n"
				       "exception 1004/-1 > 8000/-1 @50\n"
				       "exception return 8000/-1 > 1008/-1 @0\n"
				       "indirect jump 100c/-1 > 4000/-1 @8\n"
				       "exception 4000/-1 > 8000/-1 @50\n"
				       "exception 8000/-1 > ? @50\n"
				       "exception 8100/-1 > 8200/-1 @50\n");
}

static void traps_are_exceptions(void **state)
{
	struct told told;

	(void)state;
	begin(&told, false);
	push(&told, range(0x1000, 0x1008, true, jump));
	push(&told,
	     (struct hwf_flow_event){.offset = 9,
				     .kind = HWF_FLOW_TRAP,
				     .u.trap = {.cause = 2, .has_epc = true, .epc = 0x2000}});
	push(&told, range(0x8000, 0x8004, true, plain));
	/* where a direct branch goes is known, though nothing was executed there */
	assert_string_equal(told.text, "start ? > 1000/-1 @0\n"
				       "jump 1004/-1 > 2000/-1 @0\n"
				       "exception 2000/-1 > 8000/-1 @9\n");
}

static void a_branch_has_both_address_spaces(void **state)
{
	struct hwf_flow_event context = {.kind = HWF_FLOW_CONTEXT};
	struct told told;

	(void)state;
	begin(&told, false);
	push(&told, context);
	push(&told, range(0x1000, 0x1008, true, indirect));
	context.u.context.context.cid = 1;
	push(&told, context);
	push(&told, range(0x2000, 0x2008, false, conditional));
	assert_string_equal(told.text, "start ? > 1000/0 @0\n"
				       "indirect jump 1004/0 > 2000/1 @0\n"
				       "conditional! 2004/1 > 2008/1 @0\n");
}

/* Behind each of these events the destination of the last branch is not known. */
static void nothing_is_joined_across_a_gap(void **state)
{
	static const uint8_t kinds[] = {HWF_FLOW_Q_RANGE, HWF_FLOW_GAP, HWF_FLOW_NO_SYNC,
					HWF_FLOW_TRACE_ON, HWF_FLOW_END};

	(void)state;
	for (size_t i = 0; i < sizeof(kinds); i++) {
		struct told told;

		begin(&told, false);
		push(&told, range(0x1000, 0x1008, true, indirect));
		push_kind(&told, kinds[i]);
		push(&told, range(0x2000, 0x2008, true, plain));
		assert_string_equal(told.text, "start ? > 1000/-1 @0\n"
					       "indirect jump 1004/-1 > ? @0\n"
					       "start ? > 2000/-1 @0\n");
	}
}

static void ranges_that_are_counted_join_themselves(void **state)
{
	struct told told;

	(void)state;
	begin(&told, false);
	push(&told, range(0x1000, 0x1008, true, indirect));
	push(&told,
	     (struct hwf_flow_event){.offset = 4, .kind = HWF_FLOW_COUNTED, .u.address = 0x2000});
	push_kind(&told, HWF_FLOW_TIMESTAMP);
	push(&told, range(0x3000, 0x3008, true, plain));
	assert_string_equal(told.text, "start ? > 1000/-1 @0\n"
				       "indirect jump 1004/-1 > 2000/-1 @0\n"
				       "start ? > 3000/-1 @0\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_branch_ends_at_the_next_instruction),
		cmocka_unit_test(kinds_follow_from_the_instruction),
		cmocka_unit_test(exceptions_come_from_the_call_or_the_return_address),
		cmocka_unit_test(traps_are_exceptions),
		cmocka_unit_test(a_branch_has_both_address_spaces),
		cmocka_unit_test(nothing_is_joined_across_a_gap),
		cmocka_unit_test(ranges_that_are_counted_join_themselves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
