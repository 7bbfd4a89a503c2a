// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * ETMv3: straight instructions as ranges, by hand. Each trace is decoded with ranges remembered and
 * without, in one piece and byte by byte: always the same.
 */
#include <stdio.h>
#include <stdlib.h>

#include "codec/tests/etm3_test.h"

#include "hwflow/etmv3_flow.h"

#define CODE_BASE 0x8000u
#define WORDS     128
#define NOP       0xe1a00000u
#define MOVEQ     0x03a00001u
#define BX_LR     0xe12fff1eu
#define B_SELF    0xeafffffeu
#define DMB       0xf57ff05fu
#define WFI       0xe320f003u

static uint32_t words[WORDS];

static size_t read_code(void *ctx, const void *space, uint64_t address, void *bytes, size_t length)
{
	const uint64_t at = address - CODE_BASE;

	(void)ctx;
	(void)space;
	if (at >= sizeof(words))
		return 0;
	if (length > sizeof(words) - at)
		length = sizeof(words) - at;
	memcpy(bytes, (const char *)words + at, length);
	return length;
}

static const struct hwf_code code = {.read = read_code};

/* struct text - events, a line each: offset, then what it is */
struct text {
	char bytes[4096];
	size_t length;
};

__attribute__((format(printf, 2, 3))) static void say(struct text *text, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	text->length += (size_t)vsnprintf(text->bytes + text->length,
					  sizeof(text->bytes) - text->length, format, args);
	va_end(args);
	assert_true(text->length < sizeof(text->bytes));
}

static void say_range(struct text *text, const struct hwf_flow_range *range)
{
	say(text, "%x..%x %u %c", (unsigned int)range->start, (unsigned int)range->end,
	    range->instructions, range->taken ? 'E' : 'N');
	for (uint32_t i = 0; range->each && i < range->instructions; i++)
		say(text, " %u", range->each[i]);
	assert_int_equal(range->cycles, 0);
	assert_int_equal(range->p0, range->insn.kind != HWF_INSN_OTHER);
	say(text, range->p0 ? " branch\n" : "\n");
}

static void take_event(void *ctx, const struct hwf_flow_event *event)
{
	struct text *text = ctx;

	if (event->kind == HWF_FLOW_CONTEXT || event->kind == HWF_FLOW_TRACE_ON ||
	    event->kind == HWF_FLOW_END ||
	    (event->kind == HWF_FLOW_NO_SYNC && event->u.no_sync.reason == HWF_NO_SYNC_INIT))
		return;
	say(text, "%u ", (unsigned int)event->offset);
	if (event->kind == HWF_FLOW_RANGE)
		say_range(text, &event->u.range);
	else if (event->kind == HWF_FLOW_CYCLE_COUNT)
		say(text, "cycles %u\n", event->u.cycle_count.count);
	else if (event->kind == HWF_FLOW_GAP)
		say(text, "gap %u\n", event->u.gap.reason);
	else if (event->kind == HWF_FLOW_EXCEPTION)
		say(text, "exception %u\n", event->u.exception.number);
	else
		say(text, "%u?\n", event->kind);
}

static void decode(const struct hwf_etm3_config *config, const uint8_t *bytes, size_t length,
		   uint32_t nodes, size_t chunk, struct text *text)
{
	void *memory = malloc(hwf_graph_nodes_bytes(16));
	struct hwf_graph graph;
	struct hwf_etm3_decoder decoder;
	size_t given = 0;
	size_t taken = 0;

	*text = (struct text){0};
	assert_non_null(memory);
	if (nodes)
		hwf_graph_init_nodes(&graph, memory, nodes);
	hwf_etm3_decoder_init(&decoder, config, &code, take_event, text);
	decoder.flow.straight = true;
	decoder.flow.graph = nodes ? &graph : NULL;
	while (given < length) {
		given = length - given < chunk ? length : given + chunk;
		taken += hwf_etm3_decoder_push(&decoder, bytes + taken, given - taken,
					       given == length);
	}
	assert_int_equal(taken, length);
	free(memory);
}

/* Behind an A-sync and an I-sync to CODE_BASE, which are @head: @trace gives @want. */
static void check_behind(const uint8_t head[12], bool cycles, const uint8_t *trace, size_t length,
			 const char *want)
{
	const struct hwf_etm3_config config = make_config(5, cycles ? CR_CYCLE : 0, 0);
	uint8_t bytes[512];
	struct text text;

	memcpy(bytes, head, 12);
	memcpy(bytes + 12, trace, length);
	for (unsigned int way = 0; way < 8; way++) {
		/* no graph; room for one node, which makes way for others all the time; three; all
		 */
		static const uint32_t sizes[] = {0, 2, 4, 16};

		decode(&config, bytes, 12 + length, sizes[way / 2], way & 1 ? 1 : SIZE_MAX, &text);
		assert_string_equal(text.bytes, want);
	}
}

static void check(bool cycles, const uint8_t *trace, size_t length, const char *want)
{
	static const uint8_t head[12] = {0, 0, 0, 0, 0, 0x80, 0x08, 0x21, 0x00, 0x80, 0, 0};

	check_behind(head, cycles, trace, length, want);
}

#define CHECK(cycles, want, ...)                               \
	do {                                                   \
		static const uint8_t trace_[] = {__VA_ARGS__}; \
		check(cycles, trace_, sizeof(trace_), want);   \
	} while (0)

static int fill(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < WORDS; i++)
		words[i] = NOP;
	words[3] = MOVEQ;
	words[8] = BX_LR;
	return 0;
}

static void a_range_ends_with_a_branch_or_a_failure(void **state)
{
	(void)state;
	/* EE; EN; EEEEE, to the branch */
	CHECK(false,
	      "12 8000..8010 4 N\n"
	      "14 8010..8024 5 E branch\n"
	      "16 8008..800c 1 E\n",
	      0x88, 0xc4, 0x94, 0x05, 0x84);
}

/*
 * ETMV3_THUMBEE: a branch that does not change to A32 goes on in ThumbEE. A periodic I-sync that
 * says so does not contradict.
 */
static void a_branch_in_thumbee_stays_there(void **state)
{
	static const uint8_t head[12] = {0, 0, 0, 0, 0, 0x80, 0x08, 0x25, 0x01, 0x80, 0, 0};
	static const uint8_t trace[] = {0x88, 0x08, 0x05, 0x01, 0x80, 0, 0, 0x88};

	(void)state;
	/* NOP, and B to it */
	words[0] = 0xe7fdbf00;
	check_behind(head, false, trace, sizeof(trace),
		     "12 8000..8004 2 E branch\n"
		     "19 8000..8004 2 E branch\n");
}

/* ETMV3_CYCLE: cycles of P-headers without an atom are those of the next instruction. */
static void each_instruction_has_its_cycles(void **state)
{
	(void)state;
	/* WEWE; WWW; WWE; WN; E (of the same cycle); WWWWWWWW, which nothing comes behind */
	CHECK(true,
	      "12 8000..8010 4 N 1 1 5 1\n"
	      "16 8010..8014 1 E 0\n"
	      "17 cycles 8\n",
	      0x88, 0xa8, 0xe4, 0xc0, 0x92, 0xbc);
}

static void cycles_before_a_branch_packet_are_an_event(void **state)
{
	(void)state;
	CHECK(true,
	      "12 8000..8004 1 E 1\n"
	      "13 cycles 3\n"
	      "15 8010..8020 4 E 1 1 1 1\n",
	      0x84, 0xa8, 0x09, 0x84, 0x84, 0x84, 0x84);
}

static void a_long_wait_is_an_event(void **state)
{
	uint8_t trace[32];

	(void)state;
	memset(trace, 0xbc, sizeof(trace));
	trace[31] = 0x84;
	/* 8 each: more than 240 behind 31 of them; the rest waits for the instruction */
	check(true, trace, 32,
	      "42 cycles 248\n"
	      "43 8000..8004 1 E 1\n");
	trace[30] = 0x84;
	check(true, trace, 31, "42 8000..8004 1 E 241\n");
}

/* ETMV3_CANCEL: of a range its last instruction; its cycles went by all the same. */
static void an_exception_takes_the_last_instruction_off(void **state)
{
	(void)state;
	CHECK(true,
	      "12 8000..8008 2 E 1 1\n"
	      "14 cycles 4\n"
	      "14 exception 12\n"
	      "20 8010..8014 1 E 1\n",
	      0x88, 0xec, 0x89, 0x80, 0x81, 0x80, 0x48, 0x38, 0x84);
	CHECK(false,
	      "12 8000..800c 3 E\n"
	      "13 exception 12\n",
	      0xcc, 0x89, 0x80, 0x81, 0x80, 0x48, 0x38);
}

/* What is cancelled behind a gap is part of the gap. */
static void an_exception_behind_a_gap_cancels_nothing_before_it(void **state)
{
	(void)state;
	words[1] = B_SELF;
	/* the branch has failed, which it cannot */
	CHECK(false,
	      "12 8000..8004 1 E\n"
	      "12 gap 1\n"
	      "13 exception 12\n",
	      0xc4, 0x89, 0x80, 0x81, 0x80, 0x48, 0x38);
	/* with more behind it, which the gap stands for */
	CHECK(false,
	      "12 8000..8004 1 E\n"
	      "12 gap 1\n",
	      0xc4, 0x84);
}

static void barriers_are_instructions_like_all_others(void **state)
{
	(void)state;
	words[0] = DMB;
	words[1] = WFI;
	CHECK(false, "12 8000..8004 1 E\n", 0x84);
	CHECK(false, "12 8000..8008 2 E\n", 0x88);
	CHECK(false,
	      "12 8000..8004 1 E\n"
	      "13 exception 12\n",
	      0x88, 0x89, 0x80, 0x81, 0x80, 0x48, 0x38);
}

/*
 * With room for one range the next one takes its place, and number: a node must not be said to be
 * followed by itself.
 */
static void a_range_that_made_way_is_forgotten(void **state)
{
	(void)state;
	words[1] = 0x1a000001; /* 8004: bne 8010 */
	words[3] = 0x1afffffd; /* 800c: bne 8008 */
	words[5] = 0xeafffff9; /* 8014: b 8000 */
	CHECK(false,
	      "12 8000..8008 2 E branch\n"
	      "12 8010..8018 2 E branch\n"
	      "12 8000..8008 2 N branch\n"
	      "13 8008..8010 2 N branch\n"
	      "14 8010..8018 2 E branch\n"
	      "15 8000..8008 2 E branch\n",
	      0xd4, 0xc4, 0x88, 0x88);
}

/* Context ID 1 has a program of its own, at the same addresses. */
static const void *space_of(void *ctx, const struct hwf_context *context)
{
	(void)ctx;
	return context->cid == 1 ? words : NULL;
}

static size_t read_space(void *ctx, const void *space, uint64_t address, void *bytes, size_t length)
{
	static const uint32_t nops[] = {NOP, NOP, NOP, NOP, NOP, NOP, NOP, NOP, NOP, NOP};

	if (space)
		return read_code(ctx, space, address, bytes, length);
	if (address - CODE_BASE >= sizeof(nops))
		return 0;
	if (length > sizeof(nops) - (address - CODE_BASE))
		length = sizeof(nops) - (address - CODE_BASE);
	memcpy(bytes, (const char *)nops + (address - CODE_BASE), length);
	return length;
}

static void each_program_has_ranges_of_its_own(void **state)
{
	/* I-syncs with Context IDs 0, 1 and 0; four instructions behind each */
	static const uint8_t trace[] = {0,    0,    0,    0,    0,    0x80, 0x08, 0,    0x21, 0x00,
					0x80, 0,    0,    0x90, 0x08, 1,    0x21, 0x00, 0x80, 0,
					0,    0x90, 0x08, 0,    0x21, 0x00, 0x80, 0,    0,    0x90};
	static const struct hwf_code spaces = {.space = space_of, .read = read_space};
	const struct hwf_etm3_config config = make_config(5, 1u << 14, 0);
	void *memory = malloc(hwf_graph_nodes_bytes(16));
	struct hwf_graph graph;
	struct hwf_etm3_decoder decoder;
	struct text text = {0};

	(void)state;
	words[1] = 0xea000001; /* 8004: b 8010 */
	assert_non_null(memory);
	hwf_graph_init_nodes(&graph, memory, 16);
	hwf_etm3_decoder_init(&decoder, &config, &spaces, take_event, &text);
	decoder.flow.straight = true;
	decoder.flow.graph = &graph;
	hwf_etm3_decoder_push(&decoder, trace, sizeof(trace), true);
	assert_string_equal(text.bytes, "13 8000..8010 4 E\n"
					"21 8000..8008 2 E branch\n"
					"21 8010..8018 2 E\n"
					"29 8000..8010 4 E\n");
	free(memory);
}

/* The cycles of eight instructions */
#define ONES " 1 1 1 1 1 1 1 1"

static void no_range_is_longer_than_it_may_be(void **state)
{
	(void)state;
	words[3] = NOP;
	words[8] = NOP;
	CHECK(false,
	      "12 8000..80e0 56 E\n"
	      "15 80e0..80f0 4 E\n",
	      0xbc, 0xbc, 0xbc, 0xbc);
	CHECK(true,
	      "12 8000..80e0 56 E" ONES ONES ONES ONES ONES ONES ONES "\n"
	      "20 80e0..80fc 7 E 1 1 1 1 1 1 1\n",
	      0x9c, 0x9c, 0x9c, 0x9c, 0x9c, 0x9c, 0x9c, 0x9c, 0x9c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_range_ends_with_a_branch_or_a_failure, fill),
		cmocka_unit_test_setup(a_branch_in_thumbee_stays_there, fill),
		cmocka_unit_test_setup(each_instruction_has_its_cycles, fill),
		cmocka_unit_test_setup(cycles_before_a_branch_packet_are_an_event, fill),
		cmocka_unit_test_setup(a_long_wait_is_an_event, fill),
		cmocka_unit_test_setup(an_exception_takes_the_last_instruction_off, fill),
		cmocka_unit_test_setup(an_exception_behind_a_gap_cancels_nothing_before_it, fill),
		cmocka_unit_test_setup(barriers_are_instructions_like_all_others, fill),
		cmocka_unit_test_setup(a_range_that_made_way_is_forgotten, fill),
		cmocka_unit_test_setup(each_program_has_ranges_of_its_own, fill),
		cmocka_unit_test_setup(no_range_is_longer_than_it_may_be, fill),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
