/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Long stretches with no P0 instruction: followed as by a plain walk, and not read again and again.
 */
#include <stdlib.h>

#include "image_test.h"

/* instructions of a page of the P0 map */
#define PAGE ((size_t)1024)

static uint32_t *nops(size_t count)
{
	uint32_t *words = malloc(4 * count);

	assert_non_null(words);
	for (size_t i = 0; i < count; i++)
		words[i] = NOP;
	return words;
}

static void map_words(const struct pair *pair, struct hwf_image_space *space, uint64_t address,
		      const uint32_t *words, size_t count)
{
	assert_int_equal(
		hwf_image_map(space, address, 4 * count, add_bytes(pair, words, 4 * count), 0), 0);
}

/* About every place in a stretch where the answer may change, pages made in two orders */
static void check_places(const struct pair *pair, const struct hwf_image_space *space,
			 uint64_t start, size_t count, bool backwards)
{
	for (size_t i = 0; i < count; i += 509) {
		const size_t at = backwards ? count - 1 - i : i;

		check_run(pair, space, start + 4 * at, HWF_ISA_A64);
	}
	for (size_t from_end = 0; from_end < 3; from_end++) {
		check_run(pair, space, start + 4 * (count - 1 - from_end), HWF_ISA_A64);
		if (count > HWF_RUN_MAX + 4)
			for (size_t i = 0; i < 8; i++)
				check_run(pair, space, start + 4 * (count - HWF_RUN_MAX - 4 + i),
					  HWF_ISA_A64);
	}
}

static void long_runs_equal_a_walk(void **state)
{
	const size_t count = HWF_RUN_MAX + 3000;
	uint32_t *words = nops(count);

	(void)state;
	words[count - 1] = RET;
	words[1500] = RET;
	for (unsigned int backwards = 0; backwards < 2; backwards++) {
		struct pair pair;
		struct hwf_image_space *space;

		pair_init(&pair, false);
		space = add_space(&pair, NULL);
		map_words(&pair, space, 0, words, count);
		check_places(&pair, space, 0, count, backwards);
		for (size_t at = 0; at < 1510; at += 7)
			check_run(&pair, space, 4 * at, HWF_ISA_A64);
		pair_free(&pair);
	}
	free(words);
}

/* Runs go on from file to file, and end where there is none, or where no map can help. */
static void long_runs_equal_a_walk_over_mappings(void **state)
{
	const size_t count = HWF_RUN_MAX - 2000;
	uint32_t *words = nops(count);

	(void)state;
	words[count - 1] = RET;
	for (unsigned int last = 0; last < 3; last++) {
		struct pair pair;
		struct hwf_image_space *space;
		const uint64_t second = 0x10000 + 4 * 1500, third = second + 4 * (count - 1);

		pair_init(&pair, false);
		space = add_space(&pair, NULL);
		/* the file has a P0 instruction behind what is mapped */
		assert_int_equal(
			hwf_image_map(space, 0x10000, UINT64_C(4) * 1500,
				      add_bytes(&pair, words + count - 1600, sizeof(*words) * 1600),
				      0),
			0);
		map_words(&pair, space, second, words, count - 1);
		if (last == 1)
			map_words(&pair, space, third, words + count - 700, 700);
		if (last == 2) /* not on 4 bytes of its file */
			assert_int_equal(
				hwf_image_map(space, third, 4000, add_bytes(&pair, words, 8000), 2),
				0);
		check_places(&pair, space, 0x10000, 1500, last & 1);
		check_places(&pair, space, second, count - 1, last & 1);
		check_places(&pair, space, third, 700, last & 1);
		pair_free(&pair);
	}
	free(words);
}

/*
 * The first run from a page searches what is behind it. After that nothing is read of a stretch
 * but the last instruction of a run: the code may change and the answers stay.
 */
static void a_stretch_is_searched_once(void **state)
{
	const size_t count = (size_t)3 * HWF_RUN_MAX;
	uint32_t *words = nops(count);
	struct pair pair;
	struct hwf_image_space *space;
	const struct hwf_code *code;
	struct hwf_run run;

	(void)state;
	pair_init(&pair, false);
	code = hwf_image_view_code(pair.view);
	space = add_space(&pair, NULL);
	map_words(&pair, space, 0, words, count);
	code->run(code->ctx, space, 0, HWF_ISA_A64, &run);
	assert_int_equal(run.status, HWF_ERR_NO_SPACE);
	for (size_t i = 0; i < HWF_RUN_MAX - PAGE; i++)
		words[i] = RET;
	for (size_t at = 0; at < PAGE; at++) {
		code->run(code->ctx, space, 4 * at, HWF_ISA_A64, &run);
		assert_int_equal(run.status, HWF_ERR_NO_SPACE);
		assert_int_equal(run.instructions, HWF_RUN_MAX);
		assert_int_equal(run.end, 4 * (at + HWF_RUN_MAX));
	}
	/* a page on the way was searched, so the one before it need not search it again */
	for (size_t i = 2 * PAGE; i < 3 * PAGE; i++)
		words[i] = NOP;
	code->run(code->ctx, space, 8 * PAGE, HWF_ISA_A64, &run);
	assert_int_equal(run.status, HWF_ERR_NO_SPACE);
	pair_free(&pair);
	free(words);
}

/* ---- A32 and T32 ---- */

/* half-words: the first may be the second of a wide instruction, and an IT block may end anywhere
 */
static const uint16_t t32_words[] = {
	0xbf00, 0xbf00, 0xbf00, 0xbf00, 0xbf00, 0xbf00, /* nop */
	0xf3af, 0x8000,                                 /* nop.w */
	0xbf08, 0xbf04, 0xbf01, 0xbf0c,                 /* it; itt; itttt; ite */
	0x2001,                                         /* movs r0, #1 */
};
static const uint16_t t32_p0[] = {0x4770, 0xd0fe, 0xbf30, 0xdf00, 0xbd00};

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 16;
}

/* One in @rare is of what often ends a run. */
static void random_halves(uint16_t *halves, size_t count, uint32_t rare, uint32_t *seed)
{
	for (size_t i = 0; i < count; i++) {
		if (next_random(seed) % rare)
			halves[i] = t32_words[next_random(seed) %
					      (sizeof(t32_words) / sizeof(t32_words[0]))];
		else
			halves[i] =
				t32_p0[next_random(seed) % (sizeof(t32_p0) / sizeof(t32_p0[0]))];
	}
}

/* Every place of random code in two files, one behind the other, the first mapped in part; with WFI
 * a P0 instruction and not
 */
static void aarch32_runs_equal_a_walk(void **state)
{
	static const uint32_t rare[] = {5, 300, 6000};
	uint16_t halves[5000];
	uint32_t seed = 1;

	(void)state;
	for (unsigned int round = 0; round < 24; round++) {
		const size_t count = 4901 + round % 4;
		const size_t first = (size_t)4 * (1000 + next_random(&seed) % 100);
		struct pair pair, with_wfx;
		struct hwf_image_space *space;
		uint16_t other[2300];

		random_halves(halves, count, rare[round % 3], &seed);
		/* what is not mapped is not what is there */
		memcpy(other, halves, first);
		random_halves(other + first / 2, 20, 2, &seed);
		pair_init(&pair, false);
		with_wfx = pair;
		with_wfx.wfx = true;
		assert_int_equal(hwf_image_view_new(&with_wfx.view, pair.image, true), 0);
		space = add_space(&pair, NULL);
		assert_int_equal(
			hwf_image_map(space, 0x1000, first, add_bytes(&pair, other, first + 40), 0),
			0);
		assert_int_equal(hwf_image_map(space, 0x1000 + first, 2 * count - first,
					       add_bytes(&pair, halves, 2 * count), first),
				 0);
		for (size_t i = 0; i < count; i++) {
			const size_t at = round & 2 ? count - 1 - i : i;

			check_run(&pair, space, 0x1000 + 2 * at, HWF_ISA_T32);
			check_run(&pair, space, 0x1000 + 2 * at, HWF_ISA_A32);
			check_run(&with_wfx, space, 0x1000 + 2 * at, HWF_ISA_T32);
		}
		hwf_image_view_free(with_wfx.view);
		pair_free(&pair);
	}
}

static void fill(uint16_t *halves, size_t count, const uint16_t *what, size_t length)
{
	for (size_t i = 0; i < count; i++)
		halves[i] = what[i % length];
}

/* The longest run there is, in pages; behind it the P0 instruction comes too late. */
static void long_aarch32_runs_equal_a_walk(void **state)
{
	static const uint16_t narrow[] = {0xbf00}, wide[] = {0xf3af, 0x8000},
			      a32[] = {0xf000, 0xe320}, it[] = {0xbf01, 0xbf00, 0x2001},
			      its[] = {0xbf08};
	static const struct {
		const uint16_t *what;
		size_t length;
		enum hwf_isa isa;
	} fills[] = {{narrow, 1, HWF_ISA_T32},
		     {wide, 2, HWF_ISA_T32},
		     {it, 3, HWF_ISA_T32},
		     {its, 1, HWF_ISA_T32},
		     {a32, 2, HWF_ISA_A32}};
	const size_t count = (size_t)2 * (HWF_RUN_MAX + 1500);
	uint16_t *halves = malloc(2 * count);

	(void)state;
	assert_non_null(halves);
	for (size_t i = 0; i < sizeof(fills) / sizeof(fills[0]); i++) {
		struct pair pair;
		struct hwf_image_space *space;

		fill(halves, count, fills[i].what, fills[i].length);
		halves[count - 2] = fills[i].isa == HWF_ISA_A32 ? 0xff1e : 0x4770;
		halves[count - 1] = fills[i].isa == HWF_ISA_A32 ? 0xe12f : 0x4770;
		pair_init(&pair, false);
		space = add_space(&pair, NULL);
		assert_int_equal(
			hwf_image_map(space, 0, 2 * count, add_bytes(&pair, halves, 2 * count), 0),
			0);
		for (size_t at = 0; at < count; at += at % 3000 < 2 || at + 40 > count ? 1 : 1499)
			check_run(&pair, space, 2 * at, fills[i].isa);
		for (size_t at = 2900; at < 3100; at++)
			check_run(&pair, space, 2 * at, fills[i].isa);
		pair_free(&pair);
	}
	free(halves);
}

/* Once made, a page is not read again, but where the run ends. */
static void an_aarch32_page_is_read_once(void **state)
{
	static const uint16_t wide[] = {0xf3af, 0x8000};
	const size_t count = 2 * (size_t)HWF_RUN_MAX;
	uint16_t *halves = malloc(2 * count);
	struct pair pair;
	struct hwf_image_space *space;
	const struct hwf_code *code;
	struct hwf_run run;

	(void)state;
	assert_non_null(halves);
	fill(halves, count, wide, 2);
	halves[count - 1000] = 0x4770;
	pair_init(&pair, false);
	code = hwf_image_view_code(pair.view);
	space = add_space(&pair, NULL);
	assert_int_equal(hwf_image_map(space, 0, 2 * count, add_bytes(&pair, halves, 2 * count), 0),
			 0);
	for (unsigned int round = 0; round < 2; round++) {
		code->run(code->ctx, space, 2 * (count - 1000), HWF_ISA_T32, &run);
		assert_int_equal(run.instructions, 1);
		code->run(code->ctx, space, 0, HWF_ISA_T32, &run);
		assert_int_equal(run.status, 0);
		assert_int_equal(run.instructions, HWF_RUN_MAX - 500 + 1);
		assert_int_equal(run.end, 2 * (count - 1000) + 2);
		/* it would end at once */
		for (size_t i = 0; i < count - 1000; i++)
			halves[i] = 0x4770;
	}
	pair_free(&pair);
	free(halves);
}

/* ---- walks that end at an address ---- */

struct reader {
	const struct hwf_code *image;
	const struct hwf_image_space *space;
	unsigned int reads;
	struct hwf_flow_event last;
	uint32_t instructions;
};

static size_t count_read(void *ctx, const void *space, uint64_t address, void *bytes, size_t length)
{
	struct reader *reader = ctx;

	reader->reads++;
	return reader->image->read(reader->image->ctx, space, address, bytes, length);
}

static void run_image(void *ctx, const void *space, uint64_t address, enum hwf_isa isa,
		      struct hwf_run *run)
{
	struct reader *reader = ctx;

	reader->image->run(reader->image->ctx, space, address, isa, run);
}

static const void *one_space(void *ctx, const struct hwf_context *context)
{
	struct reader *reader = ctx;

	(void)context;
	return reader->space;
}

static void take_event(void *ctx, const struct hwf_flow_event *event)
{
	struct reader *reader = ctx;

	if (event->kind == HWF_FLOW_RANGE)
		reader->instructions = event->u.range.instructions;
	reader->last = *event;
}

static void push(struct hwf_follower *follower, enum hwf_element_kind kind, uint64_t address)
{
	struct hwf_element element = {.kind = (uint8_t)kind};

	if (kind == HWF_EL_CONTEXT) {
		element.u.context.context.sf = true;
	} else if (kind == HWF_EL_EXCEPTION) {
		element.u.exception.type = HWF_EXC_IRQ;
		element.u.exception.has_ret = true;
		element.u.exception.ret.value = address;
	} else if (kind == HWF_EL_Q) {
		element.u.q.has_count = true;
		element.u.q.has_address = true;
		element.u.q.count = (uint32_t)(address / 4);
		element.u.q.address.value = address;
	} else {
		element.u.address.value = address;
	}
	hwf_follower_push(follower, &element);
}

/* Exceptions, Source Address and Q elements at the end of a long stretch read next to nothing. */
static void walks_to_an_address_read_little(void **state)
{
	static const enum hwf_element_kind kinds[] = {HWF_EL_EXCEPTION, HWF_EL_SOURCE_ADDRESS,
						      HWF_EL_Q};
	const uint32_t count = HWF_RUN_MAX - 1;
	uint32_t *words = nops(count + 100);
	struct hwf_ete_config config = {0};
	struct pair pair;
	struct hwf_image_space *space;
	struct reader reader = {0};
	struct hwf_code code = {&reader, one_space, count_read, run_image};
	struct hwf_follower follower;

	(void)state;
	words[count - 1] = RET;
	pair_init(&pair, false);
	space = add_space(&pair, NULL);
	map_words(&pair, space, 0, words, count + 100);
	reader.image = hwf_image_view_code(pair.view);
	reader.space = space;
	hwf_follower_init(&follower, &config, &code, take_event, &reader);
	push(&follower, HWF_EL_CONTEXT, 0);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		bool source = kinds[i] == HWF_EL_SOURCE_ADDRESS;

		reader.reads = 0;
		push(&follower, HWF_EL_TARGET_ADDRESS, 0);
		push(&follower, kinds[i], UINT64_C(4) * (count - 1));
		assert_int_equal(reader.instructions, source ? count : count - 1);
		assert_int_not_equal(reader.last.kind, HWF_FLOW_GAP);
		assert_in_range(reader.reads, 1, 3);
	}
	/* up to the end of all code */
	push(&follower, HWF_EL_TARGET_ADDRESS, UINT64_C(4) * count);
	push(&follower, HWF_EL_EXCEPTION, UINT64_C(4) * (count + 100));
	assert_int_equal(reader.instructions, 100);
	assert_int_equal(reader.last.kind, HWF_FLOW_EXCEPTION);
	assert_false(follower.gap_open);
	/* past the RET, which was not traced */
	push(&follower, HWF_EL_TARGET_ADDRESS, 0);
	push(&follower, HWF_EL_SOURCE_ADDRESS, UINT64_C(4) * count);
	assert_int_equal(reader.last.kind, HWF_FLOW_GAP);
	assert_int_equal(reader.last.u.gap.reason, HWF_GAP_MISMATCH);
	pair_free(&pair);
	free(words);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(long_runs_equal_a_walk),
		cmocka_unit_test(long_runs_equal_a_walk_over_mappings),
		cmocka_unit_test(a_stretch_is_searched_once),
		cmocka_unit_test(aarch32_runs_equal_a_walk),
		cmocka_unit_test(long_aarch32_runs_equal_a_walk),
		cmocka_unit_test(an_aarch32_page_is_read_once),
		cmocka_unit_test(walks_to_an_address_read_little),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
