// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * Profiles: blocks and edges of hand-made events. That sessions of each protocol count what the
 * plain decoders give is in session_checks.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hwflow/profile.h"

static int first_space, second_space;

/* The address space of a context is told by its CID. */
static const void *space_of(void *ctx, const struct hwf_context *context)
{
	(void)ctx;
	return context->cid ? &second_space : &first_space;
}

static const struct hwf_code code = {.space = space_of};

/* struct walk - a profile, and events that are counted in it */
struct walk {
	struct hwf_profile *profile;
	struct hwf_profile_walk state;
};

static struct walk begin(void)
{
	struct walk walk = {.profile = hwf_profile_new()};

	assert_non_null(walk.profile);
	hwf_profile_walk_init(&walk.state, walk.profile, &code);
	return walk;
}

static void push(struct walk *walk, struct hwf_flow_event event)
{
	hwf_profile_walk_push(&walk->state, &event);
}

static void push_kind(struct walk *walk, uint8_t kind)
{
	push(walk, (struct hwf_flow_event){.kind = kind});
}

static void push_context(struct walk *walk, uint32_t cid)
{
	struct hwf_flow_event event = {.kind = HWF_FLOW_CONTEXT};

	event.u.context.context.cid = cid;
	push(walk, event);
}

/* Four instructions, of which the last is a branch of this kind */
static void push_range(struct walk *walk, uint64_t start, uint8_t kind, bool taken)
{
	push(walk, (struct hwf_flow_event){
			   .kind = HWF_FLOW_RANGE,
			   .u.range = {.start = start,
				       .end = start + 16,
				       .instructions = 4,
				       .isa = HWF_ISA_A64,
				       .taken = taken,
				       .p0 = true,
				       .insn = {.kind = kind, .size = 4, .target = 0x9000}},
		   });
}

/* Counts of a block, 0 if there is none; it comes at most once */
static struct hwf_profile_block block_at(const struct walk *walk, uint64_t start, const void *space)
{
	const struct hwf_profile_block *block;
	struct hwf_profile_block found = {0};
	size_t at = 0;

	while ((block = hwf_profile_next_block(walk->profile, &at))) {
		if (block->start != start || block->space != space)
			continue;
		assert_int_equal(found.instructions, 0);
		assert_int_equal(block->end, start + 16);
		assert_int_equal(block->instructions, 4);
		found = *block;
	}
	return found;
}

static uint64_t edge_count(const struct walk *walk, uint64_t from, uint64_t to)
{
	struct hwf_profile_edge edge;
	uint64_t count = 0;
	size_t at = 0;

	while (hwf_profile_next_edge(walk->profile, &at, &edge))
		if (edge.from == from && edge.to == to)
			count += edge.count;
	return count;
}

static uint64_t edges(const struct walk *walk)
{
	struct hwf_profile_edge edge;
	uint64_t count = 0;
	size_t at = 0;

	while (hwf_profile_next_edge(walk->profile, &at, &edge))
		count += edge.count;
	return count;
}

static void blocks_are_counted_by_outcome(void **state)
{
	struct walk walk = begin();

	(void)state;
	push_range(&walk, 0x1000, HWF_INSN_DIRECT, true);
	push_range(&walk, 0x9000, HWF_INSN_OTHER, true);
	push_range(&walk, 0x1000, HWF_INSN_DIRECT, false);
	push_range(&walk, 0x1000, HWF_INSN_DIRECT, true);
	assert_int_equal(block_at(&walk, 0x1000, NULL).taken, 2);
	assert_int_equal(block_at(&walk, 0x1000, NULL).not_taken, 1);
	assert_int_equal(block_at(&walk, 0x9000, NULL).taken, 1);
	/* each direct branch goes where it goes, whatever is known of it */
	assert_int_equal(edge_count(&walk, 0x100c, 0x9000), 2);
	assert_int_equal(edges(&walk), 2);
	hwf_profile_free(walk.profile);
}

static void push_time(struct walk *walk, uint64_t time)
{
	push(walk, (struct hwf_flow_event){.kind = HWF_FLOW_TIMESTAMP, .u.timestamp.value = time});
}

static void assert_first(const struct walk *walk, uint64_t start, uint64_t order, uint64_t time)
{
	const struct hwf_first first = block_at(walk, start, NULL).first;

	assert_int_equal(first.order, order);
	assert_int_equal(first.time, time);
}

static void blocks_have_their_first_execution(void **state)
{
	struct walk walk = begin();
	struct hwf_profile_times times;
	struct hwf_profile_block earlier;

	(void)state;
	push_range(&walk, 0x3000, HWF_INSN_OTHER, true);
	push_time(&walk, 500);
	push_range(&walk, 0x1000, HWF_INSN_DIRECT, true);
	push_time(&walk, 700);
	push_time(&walk, 0);
	/* diverted: that is counted when the next one is executed */
	push_range(&walk, 0x2000, HWF_INSN_OTHER, true);
	push_range(&walk, 0x3000, HWF_INSN_OTHER, true);
	assert_first(&walk, 0x3000, 1, 0);
	assert_first(&walk, 0x1000, 2, 500);
	assert_first(&walk, 0x2000, 3, 700);
	times = hwf_profile_times(walk.profile);
	assert_int_equal(times.first, 500);
	assert_int_equal(times.last, 700);
	/* of parts the earliest counts, and one that has none does not */
	earlier = block_at(&walk, 0x2000, NULL);
	earlier.first = (struct hwf_first){.time = 600, .order = 9};
	hwf_profile_add_block(walk.profile, &earlier);
	assert_first(&walk, 0x2000, 9, 600);
	earlier.first = (struct hwf_first){.time = 601, .order = 1};
	hwf_profile_add_block(walk.profile, &earlier);
	earlier.first = (struct hwf_first){0};
	hwf_profile_add_block(walk.profile, &earlier);
	assert_first(&walk, 0x2000, 9, 600);
	/* after the counts were taken, all is new, and the time goes on */
	hwf_profile_clear(walk.profile);
	push_range(&walk, 0x3000, HWF_INSN_OTHER, true);
	assert_first(&walk, 0x3000, 1, 700);
	hwf_profile_free(walk.profile);
}

static void indirect_branches_have_edges(void **state)
{
	const struct hwf_flow_event counted = {.kind = HWF_FLOW_COUNTED, .u.address = 0x4000};
	struct walk walk = begin();

	(void)state;
	push_range(&walk, 0x1000, HWF_INSN_INDIRECT, true);
	push_range(&walk, 0x2000, HWF_INSN_INDIRECT, false);
	push_range(&walk, 0x2010, HWF_INSN_INDIRECT, true);
	push_kind(&walk, HWF_FLOW_TIMESTAMP);
	push(&walk, counted);
	push(&walk, counted);
	assert_int_equal(edge_count(&walk, 0x100c, 0x2000), 1);
	assert_int_equal(edge_count(&walk, 0x201c, 0x4000), 1);
	assert_int_equal(edges(&walk), 2);
	hwf_profile_free(walk.profile);
}

/* The code is not the code that was executed: the trace has the destination. */
static void direct_branches_are_diverted(void **state)
{
	struct walk walk = begin();

	(void)state;
	push_range(&walk, 0x1000, HWF_INSN_DIRECT, true);
	push_range(&walk, 0x2000, HWF_INSN_OTHER, true);
	push_range(&walk, 0x1000, HWF_INSN_DIRECT, true);
	push_range(&walk, 0x9000, HWF_INSN_OTHER, true);
	assert_int_equal(block_at(&walk, 0x1000, NULL).taken, 2);
	assert_int_equal(block_at(&walk, 0x1000, NULL).diverted, 1);
	assert_int_equal(edge_count(&walk, 0x100c, 0x2000), 1);
	assert_int_equal(edge_count(&walk, 0x100c, 0x9000), 1);
	assert_int_equal(edges(&walk), 2);
	/* another part of the trace began behind the branch */
	push_range(&walk, 0x1000, HWF_INSN_DIRECT, true);
	hwf_profile_clear(walk.profile);
	push_range(&walk, 0x2000, HWF_INSN_OTHER, true);
	assert_int_equal(edge_count(&walk, 0x100c, 0x2000), 1);
	assert_int_equal(edge_count(&walk, 0x100c, 0x9000), UINT64_MAX);
	hwf_profile_free(walk.profile);
}

/* The trace does not show where the branch went. */
static void lost_branches_have_no_edges(void **state)
{
	static const uint8_t kinds[] = {HWF_FLOW_GAP,      HWF_FLOW_NO_SYNC, HWF_FLOW_TRACE_ON,
					HWF_FLOW_Q_RANGE,  HWF_FLOW_TRAP,    HWF_FLOW_END,
					HWF_FLOW_EXCEPTION};
	struct walk walk = begin();

	(void)state;
	for (size_t i = 0; i < sizeof(kinds); i++) {
		push_range(&walk, 0x1000, HWF_INSN_INDIRECT, true);
		push_kind(&walk, kinds[i]);
	}
	push_range(&walk, 0x2000, HWF_INSN_OTHER, true);
	assert_int_equal(edges(&walk), 0);
	assert_int_equal(block_at(&walk, 0x1000, NULL).taken, sizeof(kinds));
	hwf_profile_free(walk.profile);
}

/* The first instruction of the destination took an exception. */
static void exceptions_show_destinations(void **state)
{
	struct hwf_flow_event event = {.kind = HWF_FLOW_EXCEPTION};
	struct walk walk = begin();

	(void)state;
	event.u.exception.ret = 0x3000;
	event.u.exception.has_ret = true;
	event.u.exception.ret_is_target = true;
	push_range(&walk, 0x1000, HWF_INSN_INDIRECT, true);
	push(&walk, event);
	push_range(&walk, 0x200, HWF_INSN_OTHER, true);
	assert_int_equal(edge_count(&walk, 0x100c, 0x3000), 1);
	assert_int_equal(edges(&walk), 1);
	hwf_profile_free(walk.profile);
}

static void address_spaces_are_apart(void **state)
{
	struct hwf_profile_edge edge;
	struct walk walk = begin();
	size_t at = 0;

	(void)state;
	push_context(&walk, 0);
	push_range(&walk, 0x1000, HWF_INSN_OTHER, true);
	push_range(&walk, 0x1000, HWF_INSN_OTHER, true);
	push_range(&walk, 0x2000, HWF_INSN_INDIRECT, true);
	push_context(&walk, 1);
	push_range(&walk, 0x1000, HWF_INSN_OTHER, true);
	assert_int_equal(block_at(&walk, 0x1000, &first_space).taken, 2);
	assert_int_equal(block_at(&walk, 0x1000, &second_space).taken, 1);
	assert_true(hwf_profile_next_edge(walk.profile, &at, &edge));
	assert_ptr_equal(edge.from_space, &first_space);
	assert_ptr_equal(edge.to_space, &second_space);
	hwf_profile_free(walk.profile);
}

/* The code at an address has changed: it is another block. */
static void changed_code_is_another_block(void **state)
{
	const struct hwf_profile_block *block;
	struct walk walk = begin();
	uint64_t taken = 0;
	size_t at = 0;

	(void)state;
	push_range(&walk, 0x1000, HWF_INSN_OTHER, true);
	push_range(&walk, 0x1000, HWF_INSN_DIRECT, true);
	push_range(&walk, 0x1000, HWF_INSN_DIRECT, true);
	while ((block = hwf_profile_next_block(walk.profile, &at))) {
		assert_int_equal(block->taken, block->insn.kind == HWF_INSN_DIRECT ? 2 : 1);
		taken += block->taken;
	}
	assert_int_equal(taken, 3);
	hwf_profile_free(walk.profile);
}

/* More blocks and edges than there is room for at first, each twice; and again after they are
 * removed */
static void profiles_grow(void **state)
{
	const uint64_t many = 20000;
	struct walk walk = begin();

	(void)state;
	for (unsigned int round = 0; round < 4; round++) {
		const struct hwf_profile_block *block;
		const uint64_t used = round & 1 ? 3 : many;
		uint64_t blocks = 0;
		size_t at = 0;

		for (uint64_t i = 0; i < 2 * used; i++)
			push_range(&walk, 0x10000 + 64 * (i % used), HWF_INSN_INDIRECT, true);
		push_kind(&walk, HWF_FLOW_END);
		while ((block = hwf_profile_next_block(walk.profile, &at))) {
			assert_int_equal(block->taken, 2);
			blocks++;
		}
		assert_int_equal(blocks, used);
		assert_int_equal(edge_count(&walk, 0x1000c, 0x10040), 2);
		assert_int_equal(edges(&walk), 2 * used - 1);
		assert_false(hwf_profile_failed(walk.profile));
		hwf_profile_clear(walk.profile);
		at = 0;
		assert_null(hwf_profile_next_block(walk.profile, &at));
		assert_int_equal(edges(&walk), 0);
	}
	hwf_profile_free(walk.profile);
}

/* Counts of others: they are added to those that the profile has. */
static void counts_are_added(void **state)
{
	const struct hwf_profile_block block = {
		.start = 0x1000,
		.end = 0x1010,
		.taken = 5,
		.not_taken = 7,
		.instructions = 4,
		.isa = HWF_ISA_A64,
		.p0 = true,
		.insn = {.kind = HWF_INSN_INDIRECT, .size = 4, .target = 0x9000}};
	struct hwf_profile_edge edge = {
		.from = 0x100c, .to = 0x2000, .count = 4, .insn = block.insn};
	struct walk walk = begin();

	(void)state;
	push_range(&walk, 0x1000, HWF_INSN_INDIRECT, true);
	push_range(&walk, 0x2000, HWF_INSN_OTHER, true);
	hwf_profile_add_block(walk.profile, &block);
	hwf_profile_add_edge(walk.profile, &edge);
	/* it follows from a block */
	edge.insn.kind = HWF_INSN_DIRECT;
	edge.to = edge.insn.target;
	hwf_profile_add_edge(walk.profile, &edge);
	assert_int_equal(block_at(&walk, 0x1000, NULL).taken, 6);
	assert_int_equal(block_at(&walk, 0x1000, NULL).not_taken, 7);
	assert_int_equal(edge_count(&walk, 0x100c, 0x2000), 5);
	assert_int_equal(edges(&walk), 5);
	hwf_profile_free(walk.profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_are_counted_by_outcome),
		cmocka_unit_test(blocks_have_their_first_execution),
		cmocka_unit_test(indirect_branches_have_edges),
		cmocka_unit_test(direct_branches_are_diverted),
		cmocka_unit_test(lost_branches_have_no_edges),
		cmocka_unit_test(exceptions_show_destinations),
		cmocka_unit_test(address_spaces_are_apart),
		cmocka_unit_test(changed_code_is_another_block),
		cmocka_unit_test(profiles_grow),
		cmocka_unit_test(counts_are_added),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
