/* SPDX-License-Identifier: GPL-2.0-only */
/* Names and discriminators of sample profiles; totals and largest counts; the file for GCC. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/text.h"
#include "profile/profile_samples.h"
#include "symbols/source_frames.h"

/* struct written - the text of a profile */
struct written {
	char text[4096];
	size_t size;
};

static int take(void *ctx, const char *bytes, size_t size)
{
	struct written *written = ctx;

	assert_true(written->size + size < sizeof(written->text));
	memcpy(written->text + written->size, bytes, size);
	written->size += size;
	written->text[written->size] = '\0';
	return 0;
}

/* Adds code of the line after that of the declaration. */
static void add(struct samples *samples, const char *name, uint32_t discriminator, uint64_t count)
{
	const struct source_frame frame = {name, "f.c", 10, {"f.c", 11, 0, discriminator}};
	const struct source_stack stack = {.frames = &frame, .count = 1};

	samples_add(samples, &stack, 4, count);
}

static void check(struct samples *samples, const char *wanted)
{
	struct written written = {.size = 0};
	static struct text text;

	text_init(&text, take, &written);
	assert_int_equal(samples_write_llvm(samples, &text), *wanted ? 0 : -ENODATA);
	text_flush(&text);
	assert_string_equal(written.text, wanted);
	samples_free(samples);
}

static void suffixes_of_names_are_removed(void **state)
{
	struct samples samples = {.rules = &samples_llvm};

	(void)state;
	add(&samples, "f", 0, 1);
	add(&samples, "f.llvm.1234", 0, 2);
	add(&samples, "f.part.0", 0, 3);
	add(&samples, "f.part.0.llvm.5", 0, 4);
	add(&samples, "f.part.0.cold", 0, 2);
	add(&samples, "f.__uniq.77", 0, 1);
	add(&samples, "f.llvm.1.2", 0, 1);
	check(&samples, "f:40:0\n 1: 4\nf.part.0.cold:8:0\n 1: 2\nf.__uniq.77:4:0\n 1: 1\n"
			"f.llvm.1.2:4:0\n 1: 1\n");
}

static void names_that_the_text_cannot_have_are_left_out(void **state)
{
	static const char *const names[] = {
		NULL,   "",           "-[Class method:]",        "[f", "f g", "f:g", "f\n",
		"f\\g", "__tls_init", "__cxx_global_var_init.5",
	};
	const struct source_frame frames[] = {{"f", "f.c", 10, {"f.c", 12, 0, 0}},
					      {"g h", "f.c", 20, {"f.c", 21, 0, 0}},
					      {"i", "f.c", 30, {"f.c", 31, 0, 0}}};
	const struct source_stack stack = {.frames = frames, .count = 3};
	struct samples samples = {.rules = &samples_llvm};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		add(&samples, names[i], 0, 7);
	check(&samples, "");
	samples_add(&samples, &stack, 4, 5);
	check(&samples, "f:20:0\n 2: 5\n");
}

/* Discriminators as LLVM makes them of a base, a factor and the number of a copy */
static void discriminators_have_a_base_and_a_factor(void **state)
{
	struct samples samples = {.rules = &samples_llvm};

	(void)state;
	add(&samples, "f", 0x3 << 1, 1);                        /* base 3 */
	add(&samples, "f", 0x3 << 1 | 0x4 << 8, 2);             /* the same, factor 4 */
	add(&samples, "f", 1 | 0x2 << 2, 5);                    /* base 0, factor 2 */
	add(&samples, "f", 0x1f << 1 | 0x40 | 0x1 << 7, 6);     /* base 0x3f */
	add(&samples, "f", 0x1 << 1 | 0x1 << 7 | 0x5 << 9, 7);  /* base 1, copy 5 */
	add(&samples, "f", 0x2 << 1 | 0x3 << 8 | 0x9 << 15, 8); /* base 2, factor 3, copy 9 */
	add(&samples, "f", 0x2 << 1 | (0x1 << 1 | 0x40 | 0x1 << 7) << 7,
	    1); /* base 2, factor 0x21 */
	check(&samples, "f:120:0\n 1: 10\n 1.1: 7\n 1.2: 33\n 1.3: 8\n 1.63: 6\n");
}

static void lines_before_the_declaration_have_16_bits(void **state)
{
	const struct source_frame frame = {"f", "f.c", 10, {"f.c", 8, 0, 0}};
	const struct source_stack stack = {.frames = &frame, .count = 1};
	struct samples samples = {.rules = &samples_llvm};

	(void)state;
	samples_add(&samples, &stack, 4, 5);
	check(&samples, "f:20:0\n 65534: 5\n");
}

static void a_line_is_executed_as_often_as_it_calls(void **state)
{
	const struct source_frame frames[] = {{"f", "f.c", 10, {"f.c", 12, 0, 0}},
					      {"g", "f.c", 20, {"f.c", 21, 0, 0}}};
	struct source_stack stack = {.frames = frames, .count = 1};
	struct samples samples = {.rules = &samples_llvm};

	(void)state;
	for (stack.count = 1; stack.count <= 2; stack.count++) {
		samples_add(&samples, &stack, 4, 5);
		samples_add_call(&samples, &stack, "i", 2);
		samples_add_call(&samples, &stack, "h.llvm.1", 4);
		samples_add_call(&samples, &stack, "i.part.3", 2);
	}
	samples_add_entry(&samples, "f.llvm.9", false, 3);
	samples_add_entry(&samples, "f", false, 1);
	check(&samples, "f:40:4\n 2: 8 h:4 i:4\n 2: g:20\n  1: 5 h:4 i:4\n");
}

/* struct words - the words of a file for GCC that are looked at next */
struct words {
	const struct written *written;
	size_t at;
};

static uint32_t word(struct words *words)
{
	uint32_t value = 0;

	assert_true(words->at + 4 <= words->written->size);
	for (unsigned int i = 0; i < 4; i++)
		value |= (uint32_t)(uint8_t)words->written->text[words->at++] << 8 * i;
	return value;
}

static void check_words(struct words *words, const uint32_t *wanted, size_t count)
{
	for (size_t i = 0; i < count; i++)
		assert_int_equal(word(words), wanted[i]);
}

static void check_name(struct words *words, const char *name)
{
	assert_int_equal(word(words), strlen(name) + 1);
	assert_string_equal(words->written->text + words->at, name);
	words->at += strlen(name) + 1;
}

static void gcc_has_words_and_names(void **state)
{
	static const uint32_t header[] = {0x67636461, 2, 0, 0xaa000000, 4 + 4 * 4 + 1 + 2 + 2 + 2,
					  4};
	/* f is entered 7 times; the line 1.3 is executed 5 times, and calls h 2 times; g in it */
	static const uint32_t functions[] = {0xac000000, 4 * 23, 1, 7,          0, 1, 1, 1, 0x10003,
					     1,          5,      0, 7,          3, 0, 2, 0, 0x20000,
					     2,          1,      0, 0xffff0000, 0, 9, 1};
	static const uint32_t modules[] = {0xae000000, 4, 0};
	const struct source_frame frames[] = {{"f", "f.c", 10, {"f.c", 12, 0, 0}},
					      {"g.isra.0", "f.c", 20, {"f.c", 19, 0, 0}}};
	const struct source_stack stack = {.frames = frames, .count = 2};
	const struct source_frame frame = {"f", "f.c", 10, {"f.c", 11, 0, 3}};
	const struct source_stack outer = {.frames = &frame, .count = 1};
	struct samples samples = {.rules = &samples_gcc};
	struct written written = {.size = 0};
	struct words words = {&written, 0};
	static struct text text;

	(void)state;
	samples_add(&samples, &outer, 4, 5);
	samples_add(&samples, &stack, 4, (uint64_t)1 << 32 | 9);
	samples_add_call(&samples, &outer, "h.constprop.0", 2);
	samples_add_entry(&samples, "f.part.0", true, 7);
	samples_add_entry(&samples, "f.cold", false, 2);
	samples_add_entry(&samples, ".f", false, 2);
	text_init(&text, take, &written);
	assert_int_equal(samples_write_gcc(&samples, &text), 0);
	text_flush(&text);
	check_words(&words, header, sizeof(header) / sizeof(header[0]));
	check_name(&words, "");
	check_name(&words, "f");
	check_name(&words, "g");
	check_name(&words, "h");
	check_words(&words, functions, sizeof(functions) / sizeof(functions[0]));
	check_words(&words, modules, sizeof(modules) / sizeof(modules[0]));
	assert_int_equal(words.at, written.size);
	samples_free(&samples);
}

static int compare_nothing(const void *a, const void *b)
{
	return (a > b) - (a < b);
}

static void gcc16_has_a_summary_and_an_order(void **state)
{
	/* total, largest, entered most, lines, functions; of a cutoff: least count, counts */
	static const uint32_t summary[] = {0x67636461, 3, 0, 0xa8000000, 1000, 0, 970, 0,
					   7,          0, 4, 0,          3,    0, 16,  0};
	static const uint32_t cutoffs[][3] = {
		{10000, 970, 1},  {100000, 970, 1}, {200000, 970, 1}, {300000, 970, 1},
		{400000, 970, 1}, {500000, 970, 1}, {600000, 970, 1}, {700000, 970, 1},
		{800000, 970, 1}, {900000, 970, 1}, {950000, 970, 1}, {990000, 20, 2},
		{999000, 10, 3},  {999900, 10, 3},  {999990, 10, 3},  {999999, 10, 3}};
	static const char *const all[] = {"", "f", "g", "h"};
	static const uint32_t names[] = {0xaa000000, 4 * 2 + 4 * 8 + 1 + 2 + 2 + 2, 0, 4};
	/* g began to run before f, and whether h ran is not known; by executed bytes f is first */
	static const uint32_t functions[] = {
		0xac000000, 4 * 38, 3, 7, 0, 2, 0, 1,       1,       0,  0x10000, 0,       970, 0,
		0,          0,      1, 0, 2, 2, 0, 0x10000, 0,       20, 0,       0x20000, 0,   10,
		0,          0,      0, 0, 0, 3, 1, 0,       0x10000, 0,  0,       0};
	const struct source_frame line = {"g", "f.c", 10, {"f.c", 12, 0, 0}};
	const struct source_stack stack = {.frames = &line, .count = 1};
	struct samples samples = {.rules = &samples_gcc16};
	struct written written = {.size = 0};
	struct words words = {&written, 0};
	static struct text text;

	(void)state;
	add(&samples, "f.isra.0", 0, 970);
	add(&samples, "g", 0, 20);
	samples_add(&samples, &stack, 4, 10);
	add(&samples, "h", 0, 0);
	samples_add_entry(&samples, "f", false, 7);
	/* the mean rank of f is 3, then 2.5; that of g is 2.5, then 2 */
	samples_add_rank(&samples, "f", 6, 2);
	samples_add_rank(&samples, "f", 5, 2);
	samples_add_rank(&samples, "f", 3, 1);
	samples_add_rank(&samples, "g", 5, 2);
	samples_add_rank(&samples, "g", 2, 1);
	text_init(&text, take, &written);
	assert_int_equal(samples_write_gcc16(&samples, &text), 0);
	text_flush(&text);
	check_words(&words, summary, sizeof(summary) / sizeof(summary[0]));
	for (size_t i = 0; i < sizeof(cutoffs) / sizeof(cutoffs[0]); i++) {
		const uint32_t wanted[] = {cutoffs[i][0], cutoffs[i][1], 0, cutoffs[i][2], 0};

		check_words(&words, wanted, 5);
	}
	check_words(&words, names, sizeof(names) / sizeof(names[0]));
	for (const char *const *name = all; name < all + 4; name++) {
		check_name(&words, *name);
		assert_int_equal(word(&words), UINT32_MAX);
	}
	check_words(&words, functions, sizeof(functions) / sizeof(functions[0]));
	assert_int_equal(words.at + 12, written.size);
	samples_free(&samples);
}

static void gcc16_strips_suffixes_of_clones(void **state)
{
	static const struct {
		const char *name;
		size_t length;
	} names[] = {{"f", 1},
		     {"f.isra.0", 1},
		     {"f.isra.12.constprop.3", 1},
		     {"f.part.0.cold", 1},
		     {"f.lto_priv.0", 1},
		     {"f.0", 3},
		     {"f.0.isra.1", 3},
		     {"f._omp_fn.0", 11},
		     {"f.isra", 1},
		     {"f.israel.0", 10},
		     {"part.0", 6},
		     {".part.0", 7},
		     {"7", 1}};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_int_equal(samples_gcc16.length_of(names[i].name), names[i].length);
}

/* How often the only line of the only function is executed */
static uint64_t count_of(const struct samples *samples)
{
	const struct samples_list functions = samples_functions(samples);
	const struct sampled *function = functions.nodes[0];
	const struct samples_list lines = samples_list(function->lines, compare_nothing);
	const uint64_t count = ((const struct sampled_line *)lines.nodes[0])->count;

	assert_int_equal(functions.count, 1);
	assert_int_equal(lines.count, 1);
	free(lines.nodes);
	free(functions.nodes);
	return count;
}

static void counts_of_clones_are_added(void **state)
{
	const struct source_frame frame = {"f", "f.c", 10, {"f.c", 11, 0, 0}};
	struct source_stack stack = {.frames = &frame, .count = 1};
	struct samples llvm = {.rules = &samples_llvm}, gcc = {.rules = &samples_gcc};
	static const struct {
		uint64_t entry;
		uint64_t count;
	} code[] = {{0x100, 5}, {0x100, 3}, {0x200, 7}, {0x200, 8}, {0x300, 0}};

	(void)state;
	for (size_t i = 0; i < sizeof(code) / sizeof(code[0]); i++) {
		stack.entry = code[i].entry;
		samples_add(&llvm, &stack, 4, code[i].count);
		samples_add(&gcc, &stack, 4, code[i].count);
	}
	assert_int_equal(count_of(&llvm), 8);
	assert_int_equal(count_of(&gcc), 5 + 8);
	samples_free(&llvm);
	samples_free(&gcc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(suffixes_of_names_are_removed),
		cmocka_unit_test(names_that_the_text_cannot_have_are_left_out),
		cmocka_unit_test(discriminators_have_a_base_and_a_factor),
		cmocka_unit_test(lines_before_the_declaration_have_16_bits),
		cmocka_unit_test(a_line_is_executed_as_often_as_it_calls),
		cmocka_unit_test(gcc_has_words_and_names),
		cmocka_unit_test(counts_of_clones_are_added),
		cmocka_unit_test(gcc16_has_a_summary_and_an_order),
		cmocka_unit_test(gcc16_strips_suffixes_of_clones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
