// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * Branches of which those within a function are summed: what is given is what is given without
 * that, less jumps and ranges in the function, and the sums are those of these ranges.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "hwflow/branch.h"

#define FUNCTION 0x1000u
#define OTHER    0x2000u
#define SIZE     0x80u
#define EVENTS   400u

/* struct given - a branch, a range, or a sum of ranges that was taken before the one that follows
 */
struct given {
	struct hwf_branch branch;
	uint64_t range;
	uint64_t instructions;
	uint64_t ranges;
};

/* struct taker - what hwf_branches gives; @filtered: what is within the function is summed here */
struct taker {
	struct hwf_branches branches;
	struct hwf_branches_sum sum;
	bool filtered;
	bool has_indirect;
	struct given given[2 * EVENTS];
	size_t count;
};

static const struct hwf_code code;

static bool is_within(uint64_t address)
{
	return address - FUNCTION < SIZE;
}

/* What was summed is one entry, before what is given next. */
static struct given *add(struct taker *taker)
{
	struct hwf_branches_sum *sum = &taker->sum;

	if (sum->ranges) {
		taker->given[taker->count++] =
			(struct given){.instructions = sum->instructions, .ranges = sum->ranges};
		sum->instructions = sum->ranges = 0;
	}
	taker->given[taker->count] = (struct given){0};
	return &taker->given[taker->count++];
}

/* A jump that has come from the function to the function, or goes on in it */
static bool is_within_function(const struct taker *taker, const struct hwf_branch *branch)
{
	const bool jumps = branch->kind == HWF_BRANCH_JUMP ||
			   branch->kind == HWF_BRANCH_CONDITIONAL ||
			   (branch->kind == HWF_BRANCH_INDIRECT && taker->has_indirect);

	return branch->has_from && is_within(branch->from) &&
	       (!branch->taken || (jumps && branch->has_to && is_within(branch->to)));
}

static void take_branch(void *ctx, const struct hwf_branch *branch)
{
	struct taker *taker = ctx;

	if (!taker->filtered || !is_within_function(taker, branch))
		add(taker)->branch = *branch;
}

static void take_range(void *ctx, const struct hwf_flow_event *event)
{
	struct taker *taker = ctx;

	if (taker->filtered && is_within(event->u.range.start) &&
	    is_within(event->u.range.end - 4)) {
		taker->sum.instructions += event->u.range.instructions;
		taker->sum.ranges++;
		return;
	}
	add(taker)->range = event->u.range.start;
}

static void begin(struct taker *taker, bool filtered, bool has_indirect)
{
	taker->filtered = filtered;
	taker->has_indirect = has_indirect;
	taker->count = 0;
	taker->sum = (struct hwf_branches_sum){
		.start = FUNCTION, .end = FUNCTION + SIZE, .has_indirect = has_indirect};
	hwf_branches_init(&taker->branches, &code, take_branch, take_range, taker);
	if (!filtered)
		taker->branches.sum = &taker->sum;
}

static void take_event(void *ctx, const struct hwf_flow_event *event)
{
	struct taker *taker = ctx;

	hwf_branches_push(&taker->branches, event);
}

static uint64_t any_place(void)
{
	return (rand() % 4 ? FUNCTION : OTHER) + 4 * ((unsigned int)rand() % (SIZE / 4 - 8));
}

static struct hwf_insn any_insn(void)
{
	static const struct hwf_insn insns[] = {
		{.kind = HWF_INSN_DIRECT},
		{.kind = HWF_INSN_DIRECT, .conditional = true},
		{.kind = HWF_INSN_DIRECT, .conditional = true},
		{.kind = HWF_INSN_DIRECT, .sub = HWF_SUB_LINK},
		{.kind = HWF_INSN_INDIRECT},
		{.kind = HWF_INSN_INDIRECT, .sub = HWF_SUB_LINK},
		{.kind = HWF_INSN_INDIRECT, .sub = HWF_SUB_RET},
		{.kind = HWF_INSN_OTHER},
	};
	struct hwf_insn insn = insns[(size_t)rand() % (sizeof(insns) / sizeof(*insns))];

	insn.size = 4;
	insn.target = insn.kind == HWF_INSN_DIRECT ? any_place() : 0;
	return insn;
}

/* Makes a node that may be executed at an address, and says whether its branch is taken. */
static struct hwf_node any_node(uint64_t at, bool *taken)
{
	struct hwf_node node = {.start = at, .insn = any_insn(), .p0 = rand() % 8};

	node.instructions = 1 + (unsigned int)(rand() % 4);
	node.end = at + 4 * (uint64_t)node.instructions;
	/* a system call is no jump, so its return address is not the one after a jump */
	if (node.insn.target == node.end)
		node.insn.target -= 4;
	*taken = !node.insn.conditional || rand() % 2;
	return node;
}

static uint64_t after(const struct hwf_node *node, bool taken)
{
	if (!taken || !node->p0 || node->insn.kind == HWF_INSN_OTHER)
		return node->end % 0x1000 < SIZE ? node->end : any_place();
	return node->insn.kind == HWF_INSN_DIRECT ? node->insn.target : any_place();
}

/* Gives steps to all takers: to the last one as steps, to the others one by one. */
static void give_steps(struct taker *takers, const struct hwf_steps *steps)
{
	for (size_t i = 0; i < 2; i++)
		hwf_steps_each(steps, take_event, &takers[i]);
	hwf_branches_steps(&takers[2].branches, steps, take_event, &takers[2]);
}

/* Behind an event that is no range, sums are taken. Some exceptions are calls. */
static void give_event(struct taker *takers, unsigned int kind, uint64_t at)
{
	struct hwf_flow_event event = {.kind = (uint8_t)kind};

	if (kind == HWF_FLOW_EXCEPTION)
		event.u.exception = (struct hwf_flow_exception){
			.type = HWF_EXC_CALL,
			.ret = rand() % 2 ? at : any_place() + 2,
			.has_ret = true,
		};
	for (size_t i = 0; i < 3; i++) {
		add(&takers[i])->range = kind;
		take_event(&takers[i], &event);
	}
}

static void run(struct taker *takers, bool has_indirect)
{
	static const unsigned int kinds[] = {HWF_FLOW_TIMESTAMP, HWF_FLOW_TIMESTAMP, HWF_FLOW_GAP,
					     HWF_FLOW_EXCEPTION, HWF_FLOW_TRACE_ON};
	uint64_t at = any_place();

	for (size_t i = 0; i < 3; i++)
		begin(&takers[i], !i, has_indirect);
	for (size_t done = 0; done < EVENTS / 8; done++) {
		struct hwf_node nodes[10];
		uint64_t words[10];
		struct hwf_graph graph = {.nodes = nodes};
		struct hwf_steps steps = {.graph = &graph, .step = words};
		const unsigned int kind = kinds[(size_t)rand() % (sizeof(kinds) / sizeof(*kinds))];

		for (unsigned int i = (unsigned int)rand() % 8; i < 8; i++) {
			bool taken;

			nodes[i + 1] = any_node(at, &taken);
			words[steps.count++] = HWF_STEP(i + 1, taken) | (uint64_t)done << 32;
			at = after(&nodes[i + 1], taken);
		}
		give_steps(takers, &steps);
		if (rand() % 4)
			continue;
		give_event(takers, kind, at);
		if (kind != HWF_FLOW_TIMESTAMP)
			at = any_place();
	}
	give_event(takers, HWF_FLOW_END, at);
}

static void check_same(const struct given *a, const struct given *b)
{
	assert_int_equal(a->instructions, b->instructions);
	assert_int_equal(a->ranges, b->ranges);
	assert_int_equal(a->range, b->range);
	assert_int_equal(a->branch.from, b->branch.from);
	assert_int_equal(a->branch.to, b->branch.to);
	assert_int_equal(a->branch.next, b->branch.next);
	assert_int_equal(a->branch.kind, b->branch.kind);
	assert_int_equal(a->branch.taken, b->branch.taken);
	assert_int_equal(a->branch.has_from, b->branch.has_from);
	assert_int_equal(a->branch.has_to, b->branch.has_to);
	assert_int_equal(a->branch.offset, b->branch.offset);
}

static void what_is_within_a_function_is_summed(void **state)
{
	static struct taker takers[3];

	(void)state;
	for (unsigned int seed = 1; seed <= 2000; seed++) {
		srand(seed);
		run(takers, seed & 1);
		for (size_t i = 1; i < 3; i++) {
			assert_int_equal(takers[i].count, takers[0].count);
			for (size_t j = 0; j < takers[i].count; j++)
				check_same(&takers[i].given[j], &takers[0].given[j]);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_within_a_function_is_summed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
