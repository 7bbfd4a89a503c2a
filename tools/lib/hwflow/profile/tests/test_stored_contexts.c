// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* Calling contexts of stored profiles: sums by path, one file for one tree. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stored_test.h"

/* Recordings that are summed up, how often they are split and summed up again, their contexts */
enum { RECORDINGS = 60, SPLITS = 100, CONTEXTS = 150 };

/* Programs and libraries of the recordings */
enum { FILES = 3 };

/* Of a tree that no function may walk by recursion, or in quadratic time */
enum { DEEP = 1000000 };

static const struct hwf_profile_file *a_file(struct hwf_stored_profile *stored, uint32_t number)
{
	static const char *const names[FILES] = {"/bin/a", "/lib/b.so", "[kernel]"};
	const struct hwf_profile_file file = {.name = names[number], .machine = 183};

	return hwf_stored_profile_file(stored, &file);
}

/* A context of few functions below a caller of chance, such that paths of recordings meet */
static struct hwf_profile_context a_context(struct hwf_stored_profile *stored, uint32_t count)
{
	static const char *const names[] = {"//anon", "[vdso]", ""};
	struct hwf_profile_context context = {
		.caller = random_below(count + 1),
		.open = (uint8_t)random_below(HWF_CONTEXT_OPENS),
		.site = UINT64_C(4) * random_below(2),
		.entry = UINT64_C(0x1000) * random_below(3),
		.calls = random_below(3),
		.instructions = UINT64_C(1) * random_below(2) * random_below(1000),
	};
	const uint32_t file = random_below(FILES + 1), site = random_below(FILES + 1);

	context.site_file = site < FILES ? a_file(stored, site) : NULL;
	context.file = file < FILES ? a_file(stored, file) : NULL;
	context.name = names[random_below(3)];
	return context;
}

static struct hwf_stored_profile *a_recording(uint32_t number)
{
	struct hwf_stored_profile *stored = hwf_stored_profile_new();
	struct hwf_recording_id id = {{(uint8_t)number, 1}};
	uint32_t count = 0, got;

	state = number + 1;
	hwf_stored_profile_keep_contexts(stored);
	for (uint32_t i = random_below(CONTEXTS); i; i--) {
		const struct hwf_profile_context context = a_context(stored, count);

		got = hwf_stored_profile_context(stored, &context);
		assert_in_range(got, 1, count + 1);
		count = got > count ? got : count;
	}
	assert_int_equal(hwf_stored_profile_recording(stored, &id), 0);
	return stored;
}

static struct packed sum_up(struct hwf_stored_profile *const *recordings, uint32_t seed)
{
	struct hwf_stored_profile *sum = hwf_stored_profile_new(), *part = NULL;
	struct packed packed;
	uint32_t order[RECORDINGS];

	random_order(order, RECORDINGS, seed);
	for (uint32_t i = 0; i < RECORDINGS; i++) {
		part = part ? part : hwf_stored_profile_new();
		assert_int_equal(hwf_stored_profile_add(part, recordings[order[i]]), 0);
		if (i + 1 < RECORDINGS && random_below(10))
			continue;
		if (random_below(2)) {
			packed = pack(part);
			hwf_stored_profile_free(part);
			part = unpack(&packed);
			free(packed.bytes);
		}
		assert_int_equal(hwf_stored_profile_add(sum, part), 0);
		hwf_stored_profile_free(part);
		part = NULL;
	}
	packed = pack(sum);
	hwf_stored_profile_free(sum);
	return packed;
}

/* struct path - the functions of a context and its callers as a text, and its counts */
struct path {
	char *text;
	uint64_t calls;
	uint64_t instructions;
};

static int compare_paths(const void *a, const void *b)
{
	const struct path *x = a, *y = b;

	return strcmp(x->text, y->text);
}

/* Adds the path of each context to a list of @count paths, which is as long as it needs to be. */
static struct path *add_paths(const struct hwf_stored_profile *stored, struct path *paths,
			      size_t *count)
{
	const struct hwf_profile_context *context;
	const size_t before = *count;
	size_t at = 0;

	while ((context = hwf_stored_profile_next_context(stored, &at))) {
		const size_t caller = before + context->caller - 1;
		struct path *path;

		assert_true(context->caller < at);
		assert_true(!context->file == (context->name != NULL));
		paths = reallocarray(paths, *count + 1, sizeof(*paths));
		path = &paths[(*count)++];
		assert_int_equal(*count, before + at);
		path->calls = context->calls;
		path->instructions = context->instructions;
		assert_true(asprintf(&path->text, "%s;%d %s+%llx %s+%llx",
				     context->caller ? paths[caller].text : "", context->open,
				     context->site_file ? context->site_file->name : "-",
				     (unsigned long long)context->site,
				     context->file ? context->file->name : context->name,
				     (unsigned long long)context->entry) > 0);
	}
	return paths;
}

/* Sums up paths of the same text; those without counts may be in one of two lists only. */
static size_t sum_paths(struct path *paths, size_t count)
{
	size_t used = 0;

	qsort(paths, count, sizeof(*paths), compare_paths);
	for (size_t i = 0; i < count; i++) {
		if (used && !strcmp(paths[used - 1].text, paths[i].text)) {
			paths[used - 1].calls += paths[i].calls;
			paths[used - 1].instructions += paths[i].instructions;
			free(paths[i].text);
		} else if (used && !paths[used - 1].calls && !paths[used - 1].instructions) {
			free(paths[used - 1].text);
			paths[used - 1] = paths[i];
		} else {
			paths[used++] = paths[i];
		}
	}
	if (used && !paths[used - 1].calls && !paths[used - 1].instructions)
		free(paths[--used].text);
	return used;
}

static void free_paths(struct path *paths, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(paths[i].text);
	free(paths);
}

/* The sum has each path of the recordings, with the sum of its counts, and no other path. */
static void assert_sum(struct hwf_stored_profile *const *recordings, const struct packed *packed)
{
	struct hwf_stored_profile *sum = unpack(packed);
	struct path *expected = NULL, *paths = NULL;
	size_t expected_count = 0, count = 0;

	for (uint32_t i = 0; i < RECORDINGS; i++)
		expected = add_paths(recordings[i], expected, &expected_count);
	paths = add_paths(sum, paths, &count);
	assert_true(count > 100);
	expected_count = sum_paths(expected, expected_count);
	count = sum_paths(paths, count);
	assert_int_equal(count, expected_count);
	for (size_t i = 0; i < count; i++) {
		assert_string_equal(paths[i].text, expected[i].text);
		assert_int_equal(paths[i].calls, expected[i].calls);
		assert_int_equal(paths[i].instructions, expected[i].instructions);
	}
	free_paths(paths, count);
	free_paths(expected, expected_count);
	hwf_stored_profile_free(sum);
}

static void contexts_are_summed_by_path(void **unused)
{
	struct hwf_stored_profile *recordings[RECORDINGS];
	struct packed first;

	(void)unused;
	for (uint32_t i = 0; i < RECORDINGS; i++)
		recordings[i] = a_recording(i);
	first = sum_up(recordings, 0);
	assert_sum(recordings, &first);
	for (uint32_t i = 1; i <= SPLITS; i++) {
		const struct packed other = sum_up(recordings, i);

		assert_same(&first, &other);
		free(other.bytes);
	}
	free(first.bytes);
	for (uint32_t i = 0; i < RECORDINGS; i++)
		hwf_stored_profile_free(recordings[i]);
}

static uint32_t add(struct hwf_stored_profile *stored, uint32_t caller, uint64_t entry,
		    uint64_t calls)
{
	return hwf_stored_profile_context(
		stored, &(struct hwf_profile_context){.caller = caller,
						      .site_file = a_file(stored, 0),
						      .site = 0x40,
						      .file = a_file(stored, 0),
						      .entry = entry,
						      .calls = calls});
}

static void a_context_has_one_number(void **unused)
{
	struct hwf_stored_profile *stored = hwf_stored_profile_new();
	const uint32_t outer = add(stored, 0, 0x100, 1), inner = add(stored, outer, 0x200, 2);
	const struct hwf_profile_context *context;
	size_t at = inner - 1;

	(void)unused;
	assert_int_equal(outer, 1);
	assert_int_equal(inner, 2);
	assert_int_equal(add(stored, outer, 0x200, 3), inner);
	hwf_stored_profile_add_to_context(stored, inner, 10, 77);
	hwf_stored_profile_add_to_context(stored, 0, 1000, 1000);
	context = hwf_stored_profile_next_context(stored, &at);
	assert_int_equal(context->calls, 15);
	assert_int_equal(context->instructions, 77);
	assert_int_equal(context->site, 0x40);
	assert_null(hwf_stored_profile_next_context(stored, &at));
	at = 0;
	context = hwf_stored_profile_next_context(stored, &at);
	/* an outermost context has no site */
	assert_int_equal(context->site, 0);
	assert_null(context->site_file);
	assert_int_equal(add(stored, inner, 0x200, 1), 3);
	hwf_stored_profile_free(stored);
}

/* After a file was read, its contexts are found by their keys. */
static void contexts_of_a_file_are_found(void **unused)
{
	struct hwf_stored_profile *stored = hwf_stored_profile_new();
	struct packed packed;

	(void)unused;
	for (uint32_t i = 1; i <= 1000; i++)
		assert_int_equal(add(stored, random_below(i), UINT64_C(0x1000) * i, i), i);
	packed = pack(stored);
	hwf_stored_profile_free(stored);
	stored = unpack(&packed);
	for (size_t at = 0; at < 1000;) {
		const struct hwf_profile_context context =
			*hwf_stored_profile_next_context(stored, &at);

		assert_int_equal(hwf_stored_profile_context(stored, &context), at);
	}
	hwf_stored_profile_free(stored);
	free(packed.bytes);
}

static void contexts_without_counts_are_left_out(void **unused)
{
	struct hwf_stored_profile *a = hwf_stored_profile_new(), *b = hwf_stored_profile_new();
	struct packed packed_a, packed_b;
	uint32_t outer;

	(void)unused;
	outer = add(a, 0, 0x100, 0);
	add(a, add(a, outer, 0x200, 0), 0x300, 0);
	add(a, outer, 0x400, 1);
	add(b, add(b, 0, 0x100, 0), 0x400, 1);
	packed_a = pack(a);
	packed_b = pack(b);
	assert_same(&packed_a, &packed_b);
	hwf_stored_profile_free(a);
	hwf_stored_profile_free(b);
	free(packed_a.bytes);
	free(packed_b.bytes);
}

/* Else the contexts would not add up to the profile. */
static void a_profile_without_contexts_is_not_summed_with_one_that_has_them(void **unused)
{
	struct hwf_stored_profile *with = a_recording(1), *sum = hwf_stored_profile_new();
	struct hwf_stored_profile *without = hwf_stored_profile_new();
	struct packed before, after;

	(void)unused;
	assert_int_equal(hwf_stored_profile_recording(without, &(struct hwf_recording_id){{9, 9}}),
			 0);
	before = pack(with);
	assert_int_equal(hwf_stored_profile_add(with, without), -EINVAL);
	after = pack(with);
	assert_same(&before, &after);
	free(after.bytes);
	free(before.bytes);
	before = pack(without);
	assert_int_equal(hwf_stored_profile_add(without, with), -EINVAL);
	after = pack(without);
	assert_same(&before, &after);
	free(after.bytes);
	free(before.bytes);
	/* a sum of nothing has contexts if the first recording has them */
	assert_int_equal(hwf_stored_profile_add(sum, with), 0);
	assert_true(hwf_stored_profile_has_contexts(sum));
	assert_int_equal(hwf_stored_profile_add(sum, without), -EINVAL);
	hwf_stored_profile_free(sum);
	hwf_stored_profile_free(with);
	hwf_stored_profile_free(without);
}

static void contexts_are_kept_next_to_groups(void **unused)
{
	struct hwf_stored_profile *stored = a_recording(5), *part, *read, *sum;
	struct packed packed, again;
	size_t count;

	(void)unused;
	hwf_stored_profile_split(stored, HWF_PROFILE_BY_THREAD);
	part = hwf_stored_profile_group(stored, "make");
	hwf_stored_profile_recording(part, hwf_stored_profile_recordings(stored, &count));
	packed = pack(stored);
	read = unpack(&packed);
	assert_int_equal(hwf_stored_profile_by(read), HWF_PROFILE_BY_THREAD);
	assert_true(hwf_stored_profile_has_contexts(read));
	sum = hwf_stored_profile_new();
	assert_int_equal(hwf_stored_profile_add(sum, read), 0);
	again = pack(sum);
	assert_same(&packed, &again);
	free(packed.bytes);
	free(again.bytes);
	hwf_stored_profile_free(stored);
	hwf_stored_profile_free(read);
	hwf_stored_profile_free(sum);
}

/* The section is a tag and two empty lists then. */
static void a_profile_may_have_no_context_yet(void **unused)
{
	struct hwf_stored_profile *stored = hwf_stored_profile_new();
	const struct packed a = pack(stored);
	struct packed b;

	(void)unused;
	assert_false(hwf_stored_profile_has_contexts(stored));
	hwf_stored_profile_keep_contexts(stored);
	b = pack(stored);
	assert_int_equal(a.bytes[24] + 3, b.bytes[24]);
	hwf_stored_profile_free(stored);
	stored = unpack(&b);
	assert_true(hwf_stored_profile_has_contexts(stored));
	hwf_stored_profile_free(stored);
	free(a.bytes);
	free(b.bytes);
}

static void each_bit_and_each_byte_counts(void **unused)
{
	struct hwf_stored_profile *stored = a_recording(7);
	const struct packed packed = pack(stored);

	(void)unused;
	for (size_t i = 0; i < 8 * packed.size; i++) {
		packed.bytes[i / 8] ^= (uint8_t)(1u << i % 8);
		assert_int_not_equal(unpacks(packed.bytes, packed.size), 0);
		packed.bytes[i / 8] ^= (uint8_t)(1u << i % 8);
	}
	for (size_t i = 0; i < packed.size; i++)
		assert_int_equal(unpacks(packed.bytes, i), -EINVAL);
	assert_int_equal(unpacks(packed.bytes, packed.size), 0);
	free(packed.bytes);
	hwf_stored_profile_free(stored);
}

/* Recursion of the program; and below each call but the last, another one */
static void a_deep_tree_is_written_and_read(void **unused)
{
	struct hwf_stored_profile *stored = hwf_stored_profile_new(), *read, *sum;
	struct packed packed, again;
	uint32_t caller = 0;

	(void)unused;
	for (uint32_t i = 0; i < DEEP; i++) {
		if (i % 4 == 0)
			add(stored, caller, 0x200, 1);
		caller = add(stored, caller, 0x100, i + 1 == DEEP);
	}
	packed = pack(stored);
	read = unpack(&packed);
	sum = hwf_stored_profile_new();
	assert_int_equal(hwf_stored_profile_add(sum, read), 0);
	again = pack(sum);
	assert_same(&packed, &again);
	free(packed.bytes);
	free(again.bytes);
	hwf_stored_profile_free(stored);
	hwf_stored_profile_free(read);
	hwf_stored_profile_free(sum);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(contexts_are_summed_by_path),
		cmocka_unit_test(a_context_has_one_number),
		cmocka_unit_test(contexts_of_a_file_are_found),
		cmocka_unit_test(contexts_without_counts_are_left_out),
		cmocka_unit_test(a_profile_without_contexts_is_not_summed_with_one_that_has_them),
		cmocka_unit_test(contexts_are_kept_next_to_groups),
		cmocka_unit_test(a_profile_may_have_no_context_yet),
		cmocka_unit_test(each_bit_and_each_byte_counts),
		cmocka_unit_test(a_deep_tree_is_written_and_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
