/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The memo of a graph: bytes that come again from the same state give what the plain stages give,
 * and from another state what these give there.
 */
#include <stdlib.h>

#include "decoder_test.h"
#include "fast/graph_private.h"
#include "fast/memo.h"

#define RETURN_STACK 0x1000u
#define CYCLES       0x10u

/*
 * struct walk - an execution of the program of decoder_test.h, and its trace
 * @choices: seed of what is left to choose
 * @pc: address of the next instruction
 * @history: address history, newest first
 * @atoms: outcomes that are not written yet, the oldest in bit 0
 * @count: how many
 */
struct walk {
	struct writer *writer;
	uint64_t choices;
	uint64_t pc;
	uint64_t history[HWF_HISTORY];
	struct hwf_return_stack stack;
	uint32_t atoms;
	uint32_t count;
	bool with_stack;
	bool cycles;
	bool sources;
};

static void write_atoms(struct walk *walk)
{
	static const uint8_t formats[] = {0, 0xf6, 0xd8, 0xf8};

	if (walk->count)
		walk->writer->bytes[walk->writer->length++] =
			(uint8_t)(formats[walk->count] | walk->atoms);
	walk->atoms = 0;
	walk->count = 0;
}

static void add_atom(struct walk *walk, bool taken)
{
	walk->atoms |= (uint32_t)taken << walk->count++;
	if (walk->count == 3)
		write_atoms(walk);
}

/*
 * The shortest packet for an address, or now and then one that is longer; the header of a Source
 * Address is that of a Target Address and @source more.
 */
static void write_address(struct walk *walk, uint64_t address, uint32_t source)
{
	struct writer *writer = walk->writer;
	uint32_t entry = 0;

	while (entry < HWF_HISTORY && walk->history[entry] != address)
		entry++;
	if (entry < HWF_HISTORY) {
		writer->bytes[writer->length++] = (uint8_t)(0x90 + source + entry);
	} else if (!((walk->history[0] ^ address) >> 9) && random_below(&walk->choices, 4)) {
		put_two(writer, source ? 0xb4 : 0x95, address >> 2 & 0x7f);
	} else {
		put_two(writer, source ? 0xb6 : 0x9a, address >> 2 & 0x7f);
		put_two(writer, address >> 9 & 0x7f, address >> 16 & 0xff);
		writer->bytes[writer->length++] = (uint8_t)(address >> 24);
	}
	walk->history[2] = walk->history[1];
	walk->history[1] = walk->history[0];
	walk->history[0] = address;
}

/* Execution goes on at an address that is not in the code. */
static void go_indirect(struct walk *walk)
{
	uint64_t address = 0x400000 + (random_below(&walk->choices, 3) << 8) +
			   random_below(&walk->choices, 14) * 4;
	uint8_t isa;

	write_atoms(walk);
	/* before the address, too */
	if (!random_below(&walk->choices, 16))
		put(walk->writer, "72");
	if (walk->with_stack && random_below(&walk->choices, 4) &&
	    hwf_return_stack_pop(&walk->stack, &address, &isa)) {
		walk->pc = address;
		return;
	}
	write_address(walk, address, 0);
	walk->pc = address;
}

/* By word of the program: where a direct branch leads to, as a difference of words; 0: none */
static const int8_t target[16] = {3, 0, 3, -1, 0, -5, 2, 0, 3, 0, 0, -3, 2, 0, 2, 2};

static bool is_indirect(uint32_t word)
{
	return word == 7 || word == 13;
}

/* Execute up to the next P0 instruction. Return: its word; *@taken: its outcome */
static uint32_t find_p0(struct walk *walk, bool *taken)
{
	uint32_t word = walk->pc / 4 % 16;

	while (!is_indirect(word) && !target[word]) {
		walk->pc += 4;
		word = walk->pc / 4 % 16;
	}
	/* unconditional; and in front of ERET */
	*taken = is_indirect(word) || word == 2 || word == 3 || word == 5 || word == 11 ||
		 word == 15 || random_below(&walk->choices, 2);
	return word;
}

/* Execute a P0 instruction; where a Source Address traces it, those before it that are not taken.
 */
static void execute(struct walk *walk)
{
	const bool as_source = walk->sources && !random_below(&walk->choices, 4);
	uint32_t word;
	bool taken;

	word = find_p0(walk, &taken);
	if (as_source) {
		write_atoms(walk);
		while (!taken) {
			walk->pc += 4;
			word = find_p0(walk, &taken);
		}
		write_address(walk, walk->pc, 0x20);
	} else {
		add_atom(walk, taken);
	}
	if (word == 5 || word == 15)
		hwf_return_stack_push(&walk->stack, walk->pc + 4, HWF_ISA_A64);
	if (is_indirect(word))
		go_indirect(walk);
	else
		walk->pc += taken ? (uint64_t)(target[word] * 4) : 4;
}

static void synchronise(struct walk *walk, const char *info)
{
	write_atoms(walk);
	put(walk->writer, SYNC);
	put(walk->writer, info);
	/* with the context comes an address, 0x400000; execution begins there */
	memset(walk->history, 0, sizeof(walk->history));
	walk->history[0] = 0x400000;
	walk->pc = 0x400000;
	hwf_return_stack_flush(&walk->stack);
}

/* What is no program flow, in the trace now and then */
static void write_other(struct walk *walk)
{
	struct writer *writer = walk->writer;
	const uint32_t which = random_below(&writer->seed, walk->cycles ? 20 : 12);

	if (which > 4 && !walk->cycles)
		return;
	write_atoms(walk);
	if (which == 0) {
		put(writer, "02 91");
		writer->bytes[writer->length++] = (uint8_t)random_below(&writer->seed, 128);
	} else if (which == 1) {
		put(writer, "72");
	} else if (which < 5) {
		/* the same context; it interrupts counting */
		put(writer, "80");
	} else {
		writer->bytes[writer->length++] = (uint8_t)(0x10 | (which & 3));
	}
}

/* A trace in which bytes come again from the same state: choices are those of one of four seeds. */
static void write_walk(struct writer *writer, bool with_stack, bool cycles)
{
	static const char *const infos[] = {"01 00 82 00 00 40 00 30",
					    "01 09 01 03 82 00 00 40 00 30",
					    "01 09 01 07 82 00 00 40 00 30"};
	struct walk walk = {
		.writer = writer,
		.with_stack = with_stack,
		.cycles = cycles,
		.sources = random_below(&writer->seed, 2),
	};

	writer->length = 0;
	synchronise(&walk, infos[cycles ? 1 : 0]);
	while (writer->length < 2500) {
		walk.choices = 1 + random_below(&writer->seed, 4);
		for (int i = 0; i < 40; i++)
			execute(&walk);
		write_other(&walk);
		if (!random_below(&writer->seed, 20))
			synchronise(&walk, infos[cycles ? 1 + random_below(&writer->seed, 2) : 0]);
	}
	write_atoms(&walk);
}

/* struct graph_of - a graph that several traces are decoded with */
struct graph_of {
	struct hwf_graph graph;
	void *memory;
	uint64_t entries_used;
};

static void graph_open(struct graph_of *of, uint32_t size)
{
	*of = (struct graph_of){.memory = calloc(1, hwf_graph_bytes(size))};
	assert_non_null(of->memory);
	hwf_graph_init(&of->graph, of->memory, size);
}

static void add_and_clear(void *ctx, struct hwf_graph *graph)
{
	hwf_graph_settle_counts(graph);
	add_counts(ctx, graph);
}

/* Decode with a graph, in pieces. @sink: add_event() counts ranges, see() takes each */
static void decode(struct graph_of *of, const struct hwf_ete_config *config,
		   const struct writer *writer, size_t piece, bool split, hwf_flow_fn *sink,
		   void *ctx)
{
	struct hwf_decoder decoder;
	size_t given = 0, taken = 0;

	hwf_decoder_init(&decoder, config, &code, ring, 1024, sink, ctx);
	decoder.follower.graph = &of->graph;
	decoder.follower.split_source = split;
	if (sink == add_event) {
		decoder.follower.counting = true;
		decoder.follower.before_flush = add_and_clear;
	}
	while (given < writer->length) {
		/* entries are used, also where they save nothing */
		of->graph.memo->average = 8 * HWF_MEMO_VISIT_MOST;
		of->graph.memo->pass = 0;
		given = writer->length - given < piece ? writer->length : given + piece;
		taken += hwf_decoder_push(&decoder, writer->bytes + taken, given - taken,
					  given == writer->length);
		of->entries_used += of->graph.memo->used_count;
	}
	assert_int_equal(taken, writer->length);
	if (sink == add_event)
		add_and_clear(ctx, &of->graph);
}

/* The plain stages */
static void decode_by_stages(const struct hwf_ete_config *config, const struct writer *writer,
			     bool split, hwf_flow_fn *sink, void *ctx)
{
	struct hwf_decoder decoder;

	/* without a graph the decoder has nothing but the stages */
	hwf_decoder_init(&decoder, config, &code, ring, 1024, sink, ctx);
	decoder.follower.split_source = split;
	hwf_decoder_push(&decoder, writer->bytes, writer->length, true);
}

static void check(struct graph_of *of, const struct hwf_ete_config *config,
		  const struct writer *writer, size_t piece, bool split)
{
	static struct seen stages, seen;
	struct sums sums = {0}, counted = {0};

	stages.count = 0;
	decode_by_stages(config, writer, split, see, &stages);
	decode_by_stages(config, writer, split, add_event, &sums);
	seen.count = 0;
	decode(of, config, writer, piece, split, see, &seen);
	assert_seen_equal(&stages, &seen);
	decode(of, config, writer, piece, split, add_event, &counted);
	assert_true(sums.events == counted.events);
	assert_true(sums.ranges == counted.ranges);
	assert_true(sums.jumps == counted.jumps);
}

static void bytes_that_come_again_give_the_same(void **state)
{
	const struct hwf_ete_config configs[] = {
		test_config(0, 0, 0), test_config(0, 0, RETURN_STACK),
		test_config(IDR0_COMMOPT, 0, CYCLES),
		test_config(IDR0_COMMOPT, 0, CYCLES | RETURN_STACK)};
	struct writer writer = {.seed = 11};
	uint64_t entries_used = 0;

	(void)state;
	for (int round = 0; round < 160; round++) {
		const struct hwf_ete_config *config = &configs[round % 4];
		struct graph_of of;

		/* few nodes and few entries, which are forgotten; or enough */
		graph_open(&of, round & 4 ? 64 : 4096);
		for (int i = 0; i < 4; i++) {
			write_walk(&writer, round & 1, round & 2);
			/* the numbers of nodes are others then */
			if (!random_below(&writer.seed, 4))
				hwf_graph_flush(&of.graph);
			check(&of, config, &writer,
			      i & 1 ? SIZE_MAX : 1 + random_below(&writer.seed, 300), i & 2);
		}
		entries_used += of.entries_used;
		free(of.memory);
	}
	/* it is the memo that was tested */
	assert_true(entries_used > 1000);
}

/* BL at 0x14 leads to B.cond at 0, whose RET at 0x1c returns by the stack to one of two callers. */
static void returns_depend_on_the_return_stack(void **state)
{
	const struct hwf_ete_config config = test_config(0, 0, RETURN_STACK);
	struct writer writer = {0};
	struct graph_of of;

	(void)state;
	put(&writer, SYNC "01 00 82 00 00 40 00 30");
	for (int i = 0; i < 64; i++) {
		/* the same code at two addresses; the same bytes of history before the call */
		put(&writer, i % 3 ? "9a 05 00 41 00" : "9a 05 00 42 00");
		put(&writer, "9a 05 00 40 00 90 90 90");
		put(&writer, "f7 9a 07 00 40 00 f7 f7 f7 f6 f7 f6 f7");
	}
	graph_open(&of, 4096);
	check(&of, &config, &writer, SIZE_MAX, false);
	check(&of, &config, &writer, 64, false);
	free(of.memory);
}

/* State @i of those that differ in one member, or in the node where the member has two values */
static struct hwf_memo_state state_of(uint32_t member, uint32_t i, struct hwf_return_stack *stack)
{
	struct hwf_memo_state state = {.node = 1};
	uint64_t address = 0x1000;

	*stack = (struct hwf_return_stack){0};
	if (member < HWF_HISTORY)
		state.address[member] = UINT64_C(4) * i;
	else
		state.node = 1 + i / 2;
	state.counting = member == 4 && i & 1;
	state.split_source = member == 5 && i & 1;
	/* one entry more; another address; another instruction set */
	for (uint32_t j = 0; j < 3; j++)
		hwf_return_stack_push(stack, address += 0x100, HWF_ISA_A64);
	if (member == 6 && i & 1)
		hwf_return_stack_push(stack, address, HWF_ISA_A64);
	if (member == 7)
		hwf_return_stack_push(stack, address + UINT64_C(4) * (i & 1), HWF_ISA_A64);
	if (member == 8)
		hwf_return_stack_push(stack, address, i & 1 ? HWF_ISA_A32 : HWF_ISA_A64);
	if (member == 9) {
		/* two stacks with one hash: the factor of the address below is that of the hash */
		hwf_return_stack_push(stack, 0x4000 + UINT64_C(4) * (i & 1), HWF_ISA_A64);
		hwf_return_stack_push(stack,
				      0x8000 - UINT64_C(4) * (i & 1) * UINT64_C(0x9e3779b97f4a7c15),
				      HWF_ISA_A64);
	}
	if (member == 3)
		state.node = 1 + i;
	return state;
}

static void states_have_different_numbers(void **unused)
{
	struct hwf_return_stack stack;
	struct graph_of of;

	(void)unused;
	graph_open(&of, 4096);
	for (uint32_t member = 0; member < 10; member++) {
		struct hwf_memo *memo = of.graph.memo;

		hwf_memo_flush(memo);
		/* as many as there is room for, so that many have the same place at first */
		for (uint32_t i = 0; i < 500; i++) {
			const struct hwf_memo_state state = state_of(member, i, &stack);
			const uint64_t hash = hwf_memo_hash(&state, &stack);

			assert_true(hwf_memo_has_room(memo));
			assert_int_equal(hwf_memo_find(memo, &state, &stack, hash), HWF_MEMO_NONE);
			assert_int_equal(hwf_memo_number(memo, &state, &stack, hash), i + 1);
		}
		for (uint32_t i = 0; i < 500; i++) {
			const struct hwf_memo_state state = state_of(member, i, &stack);
			const uint64_t hash = hwf_memo_hash(&state, &stack);

			assert_int_equal(hwf_memo_find(memo, &state, &stack, hash), i + 1);
			assert_int_equal(hwf_memo_number(memo, &state, &stack, hash), i + 1);
		}
	}
	free(of.memory);
}

/* The list of entries that were used has a place for each entry; it is emptied before it overflows.
 */
static void list_of_used_entries_does_not_overflow(void **state)
{
	struct graph_of of;
	struct hwf_memo *memo;
	uint32_t entries;

	(void)state;
	graph_open(&of, 64);
	memo = of.graph.memo;
	entries = UINT32_C(1) << memo->bits;
	for (uint32_t i = 0; i < 5 * entries; i++) {
		struct hwf_memo_entry *entry = &memo->entries[i % 3];

		/* as if another one had replaced it */
		*entry = (struct hwf_memo_entry){0};
		hwf_memo_first_use(&of.graph, entry);
		assert_in_range(memo->used_count, 1, entries);
	}
	free(of.memory);
}

static uint64_t first_of(const struct graph_of *of, uint32_t node)
{
	return of->graph.counts.first[node].order;
}

/* What an entry counts is executed when the entry is first used, not when uses are added up. */
static void nodes_of_an_entry_are_executed_with_it(void **state)
{
	struct hwf_first latest = {.time = 7};
	struct hwf_memo_entry *entry;
	struct graph_of of;

	(void)state;
	graph_open(&of, 64);
	of.graph.counts.latest = &latest;
	entry = of.graph.memo->entries;
	*entry = (struct hwf_memo_entry){.steps = 3};
	of.graph.memo->words[0] = HWF_STEP(5, 1);
	of.graph.memo->words[1] = (UINT64_C(6) << 32) | HWF_STEP(3, 0);
	of.graph.memo->words[2] = HWF_STEP(5, 0);
	hwf_memo_first_use(&of.graph, entry);
	hwf_graph_count(&of.graph, HWF_STEP(9, 1), 1);
	hwf_graph_settle_counts(&of.graph);
	assert_int_equal(first_of(&of, 5), 1);
	assert_int_equal(first_of(&of, 3), 2);
	assert_int_equal(first_of(&of, 9), 3);
	assert_int_equal(of.graph.counts.first[3].time, 7);
	/* and anew after the counts were taken */
	hwf_graph_clear_counts(&of.graph);
	assert_int_equal(first_of(&of, 5), 0);
	hwf_graph_count(&of.graph, HWF_STEP(9, 1), 1);
	assert_int_equal(first_of(&of, 9), 4);
	free(of.memory);
}

/* Equal return stacks have equal hashes, however they came about; a full one drops the oldest. */
static void hash_of_a_return_stack_follows_its_addresses(void **state)
{
	struct hwf_return_stack stack = {0}, same = {0};
	uint64_t seed = 3, address;
	uint8_t isa;

	(void)state;
	for (uint32_t i = 0; i < 5000; i++) {
		if (random_below(&seed, 5) < 3)
			hwf_return_stack_push(&stack, random_next(&seed) & ~UINT64_C(3),
					      HWF_ISA_A64);
		else
			hwf_return_stack_pop(&stack, &address, &isa);
		if (!random_below(&seed, 500))
			hwf_return_stack_flush(&stack);
		hwf_return_stack_flush(&same);
		for (uint32_t j = stack.used; j--;)
			hwf_return_stack_push(&same,
					      stack.address[(stack.top + HWF_RETURN_STACK - j) %
							    HWF_RETURN_STACK],
					      HWF_ISA_A64);
		assert_int_equal(stack.used, same.used);
		assert_true(stack.hash == same.hash);
		assert_true(stack.used || !stack.hash);
	}
}

/* 16 calls, and so many returns in eight bytes that an entry cannot have the jumps of all */
static void returns_are_more_than_an_entry_has(void **state)
{
	const struct hwf_ete_config config = test_config(0, 0, RETURN_STACK);
	struct writer writer = {0};
	struct graph_of of;

	(void)state;
	put(&writer, SYNC "01 00 82 00 00 40 00 30");
	for (int i = 0; i < 20; i++) {
		/* BL at 0x14, B.cond and B back to it; then B.cond and RET at 0x18 */
		put(&writer, "9a 0d 00 40 00 f7 9a 05 00 40 00");
		put(&writer, "fd fd fd fd fd fd fd fd fd fd fd fd fd fd fd fd f7 f7 f6 f6");
		put(&writer, "9a 06 00 40 00 fa fd fa fd fa fd fa fd fa f7");
	}
	graph_open(&of, 4096);
	for (int i = 0; i < 3; i++)
		check(&of, &config, &writer, SIZE_MAX, false);
	free(of.memory);
}

static void see_steps(void *ctx, const struct hwf_steps *steps)
{
	assert_in_range(steps->count, 1, HWF_STEPS_MOST + HWF_STEPS_ROOM);
	hwf_steps_each(steps, see, ctx);
}

/* Where other packets are frequent, entries are left alone, and tried again now and then. */
static void entries_that_save_nothing_are_left_alone(void **state)
{
	const struct hwf_ete_config config = test_config(0, 0, 0);
	static struct seen seen;
	struct hwf_decoder decoder;
	struct writer writer = {0};
	uint32_t passed = 0, pushes = 0;
	struct graph_of of;

	(void)state;
	put(&writer, SYNC "01 00 82 00 00 40 00 30 9a 07 00 40 00");
	for (int i = 0; i < 300; i++)
		put(&writer, "f7 9a 07 00 40 00 f7 9a 07 00 40 00 80");
	graph_open(&of, 4096);
	hwf_decoder_init(&decoder, &config, &code, ring, 1024, see, &seen);
	decoder.follower.graph = &of.graph;
	for (size_t at = 0; at + 64 <= writer.length; pushes++) {
		at += hwf_decoder_push(&decoder, writer.bytes + at, 64, false);
		passed += of.graph.memo->pass > 0;
	}
	assert_in_range(passed, pushes / 2, pushes - 3);
	free(of.memory);
}

/* The table of what came once; each draft changes it. */
static uint64_t sum_of_seen(const struct hwf_memo *memo)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < UINT32_C(2) << memo->bits; i++)
		sum += memo->seen[i];
	return sum;
}

/* Where cycle counts differ each time the memo is left alone, although all packets fit into drafts.
 */
static void bytes_that_do_not_come_again_leave_the_memo(void **state)
{
	const struct hwf_ete_config config = test_config(IDR0_COMMOPT, 0, CYCLES);
	static struct seen seen;
	struct hwf_decoder decoder;
	struct writer writer = {.seed = 3};
	uint32_t passed = 0, without = 0;
	struct graph_of of;

	(void)state;
	graph_open(&of, 4096);
	hwf_decoder_init(&decoder, &config, &code, ring, 1024, see, &seen);
	decoder.follower.graph = &of.graph;
	put(&writer, SYNC "01 09 01 03 82 00 00 40 00 30 9a 07 00 40 00");
	for (int i = 0; i < 60; i++) {
		const uint32_t pass = of.graph.memo->pass;
		const uint64_t seen_before = sum_of_seen(of.graph.memo);
		size_t taken;

		for (int j = 0; j < 1000; j++) {
			put(&writer, "f7");
			put_two(&writer, 0x0e, random_below(&writer.seed, 128));
			put(&writer, "95 07");
			put_two(&writer, 0x0e, random_below(&writer.seed, 128));
		}
		taken = hwf_decoder_push(&decoder, writer.bytes, writer.length, false);
		writer.length -= taken;
		memmove(writer.bytes, writer.bytes + taken, writer.length);
		seen.count = 0;
		passed += of.graph.memo->pass > 0;
		/* there is no visit before so many bytes are decoded */
		if (pass > sizeof(writer.bytes)) {
			assert_true(seen_before == sum_of_seen(of.graph.memo));
			without++;
		}
		/* a visit ends before it has lost much */
		assert_true(of.graph.memo->pass < 0x8000);
	}
	assert_in_range(passed, 45, 60);
	assert_in_range(without, 10, 40);
	free(of.memory);
}

/* Steps are given before there are too many. */
static void many_steps_wait(void **state)
{
	const struct hwf_ete_config config = test_config(0, 0, 0);
	static struct seen seen;
	struct writer writer = {0};
	struct graph_of of;

	(void)state;
	/* BL at 0x14, B.cond and B back to it */
	put(&writer, SYNC "01 00 82 00 00 40 00 30 9a 05 00 40 00");
	for (int i = 0; i < 2600; i++)
		put(&writer, "fd");
	graph_open(&of, 4096);
	for (int i = 0; i < 2; i++) {
		struct hwf_decoder decoder;

		check(&of, &config, &writer, SIZE_MAX, false);
		seen.count = 0;
		hwf_decoder_init(&decoder, &config, &code, ring, 1024, see, &seen);
		decoder.follower.graph = &of.graph;
		decoder.follower.steps = see_steps;
		hwf_decoder_push(&decoder, writer.bytes, writer.length, true);
		assert_true(seen.count > 7000);
	}
	free(of.memory);
}

/* A use that is counted by an entry only is taken back where the next event interrupts counting. */
static void last_jump_of_an_entry_is_taken_back(void **state)
{
	const struct hwf_ete_config config = test_config(0, 0, 0);
	struct writer writer = {0};
	struct graph_of of;

	(void)state;
	put(&writer, SYNC "01 00 82 00 00 40 00 30 9a 07 00 40 00");
	/* RET at 0x1c to itself; an address behind an address; an exception behind an address */
	for (int i = 0; i < 40; i++)
		put(&writer, "f7 9a 07 00 40 00 f7 9a 07 00 40 00");
	for (int i = 0; i < 8; i++)
		put(&writer, "f7 9a 07 00 40 00 90 f7 9a 07 00 40 00 06 05 90 9a 07 00 40 00");
	graph_open(&of, 4096);
	for (int i = 0; i < 3; i++)
		check(&of, &config, &writer, SIZE_MAX, false);
	free(of.memory);
}

/* States and words are forgotten when there are too many, and what was counted stays. */
static void full_memo_keeps_its_counts(void **state)
{
	const struct hwf_ete_config config = test_config(0, 0, 0);
	struct writer writer = {.seed = 29};
	struct graph_of of;
	uint32_t to = 0;

	(void)state;
	graph_open(&of, 64);
	for (int round = 0; round < 200; round++) {
		writer.length = 0;
		put(&writer, SYNC "01 00 82 00 00 40 00 30 9a 07 00 40 00");
		/* RET to itself, and now and then to another one: histories are many states */
		for (int i = 0; i < 200; i++) {
			if (i % 25 == 0)
				to = random_below(&writer.seed, 6);
			put(&writer, "f7 9a 07");
			put_two(&writer, to, 0x40);
			writer.bytes[writer.length++] = 0;
		}
		check(&of, &config, &writer, SIZE_MAX, false);
	}
	assert_true(of.entries_used > 100);
	free(of.memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_that_come_again_give_the_same),
		cmocka_unit_test(returns_depend_on_the_return_stack),
		cmocka_unit_test(states_have_different_numbers),
		cmocka_unit_test(list_of_used_entries_does_not_overflow),
		cmocka_unit_test(nodes_of_an_entry_are_executed_with_it),
		cmocka_unit_test(hash_of_a_return_stack_follows_its_addresses),
		cmocka_unit_test(returns_are_more_than_an_entry_has),
		cmocka_unit_test(entries_that_save_nothing_are_left_alone),
		cmocka_unit_test(bytes_that_do_not_come_again_leave_the_memo),
		cmocka_unit_test(many_steps_wait),
		cmocka_unit_test(last_jump_of_an_entry_is_taken_back),
		cmocka_unit_test(full_memo_keeps_its_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
