/* SPDX-License-Identifier: GPL-2.0-only */
/* Formats of paths of calls: names, kernel code, callers that are not known, deep recursion. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "profile/frame_tree.h"

/* Contexts below each other */
enum { DEEP = 100000 };

/* struct written - the text of a profile */
struct written {
	char *text;
	size_t size;
};

static int take(void *ctx, const char *bytes, size_t size)
{
	struct written *written = ctx;

	written->text = realloc(written->text, written->size + size + 1);
	memcpy(written->text + written->size, bytes, size);
	written->size += size;
	written->text[written->size] = '\0';
	return 0;
}

/* The text of a profile in a format, for free() */
static char *write_as(profile_write_fn *format, struct hwf_stored_profile *stored)
{
	const struct profile_content content = {.stored = stored, .measure = "instructions"};
	struct written written = {.size = 0};
	static struct text text;

	text_init(&text, take, &written);
	assert_int_equal(format(&content, &text), 0);
	text_flush(&text);
	return written.text ? written.text : strdup("");
}

static uint32_t add(struct hwf_stored_profile *stored, uint32_t caller, enum hwf_context_open open,
		    const char *name, uint64_t instructions)
{
	return hwf_stored_profile_context(
		stored, &(struct hwf_profile_context){.caller = caller,
						      .open = (uint8_t)open,
						      .name = name,
						      .calls = 1,
						      .instructions = instructions});
}

static void check_folded(struct hwf_stored_profile *stored, const char *wanted)
{
	char *text = write_as(profile_folded, stored);

	assert_string_equal(text, wanted);
	free(text);
	hwf_stored_profile_free(stored);
}

static void a_name_is_one_word_of_a_line(void **unused)
{
	struct hwf_stored_profile *stored = hwf_stored_profile_new();

	(void)unused;
	add(stored, add(stored, 0, HWF_CONTEXT_CALL, "[a;b;]", 1), HWF_CONTEXT_CALL,
	    "/tmp/line\nfeed;\\ \xff", 2);
	add(stored, 0, HWF_CONTEXT_CALL, "", 4);
	check_folded(stored, "[a:b:] 1\n[a:b:];[line\\nfeed:\\\\ \\377] 2\n[] 4\n");
}

static void code_of_the_kernel_is_marked(void **unused)
{
	static const char *const kernel[] = {"[kernel.kallsyms]", "[kernel]", "[bpf]",
					     "[__builtin__ftrace]"};
	static const char *const others[] = {"[vdso]", "[code made at run time]", "//anon"};
	struct hwf_stored_profile *stored = hwf_stored_profile_new();
	uint32_t caller = add(stored, 0, HWF_CONTEXT_CALL, "main", 1);

	(void)unused;
	for (size_t i = 0; i < 3; i++)
		add(stored, caller, HWF_CONTEXT_CALL, others[i], 2 + i);
	for (size_t i = 0; i < 4; i++)
		add(stored, caller, HWF_CONTEXT_EXCEPTION, kernel[i], 10 + i);
	check_folded(stored, "[main] 1\n[main];[vdso] 2\n[main];[code made at run time] 3\n"
			     "[main];[anon] 4\n[main];[kernel.kallsyms]_[k] 10\n"
			     "[main];[kernel]_[k] 11\n[main];[bpf]_[k] 12\n"
			     "[main];[__builtin__ftrace]_[k] 13\n");
}

/* A file that was not found, or not chosen, has its name in place of a function's. */
static void files_of_the_kernel_are_marked(void **unused)
{
	static const struct hwf_profile_file files[] = {
		{.name = "[kernel.kallsyms]",
		 .id = {1},
		 .id_size = 1,
		 .id_kind = HWF_FILE_ID_KERNEL},
		{.name = "[ext4]", .id = {1}, .id_size = 1, .id_kind = HWF_FILE_ID_BUILD},
		{.name = "/lib/modules/6/a.ko",
		 .id = {2},
		 .id_size = 1,
		 .id_kind = HWF_FILE_ID_BUILD},
		{.name = "/lib/modules/6/b.ko.xz",
		 .id = {3},
		 .id_size = 1,
		 .id_kind = HWF_FILE_ID_BUILD},
		{.name = "[vdso]"},
		{.name = "/lib/c.korea"},
	};
	struct hwf_stored_profile *stored = hwf_stored_profile_new();
	struct hwf_profile_context context = {.instructions = 1};
	const struct profile_binary nothing = {.file = NULL};
	struct frame_tree tree;
	const struct frame *frames;

	(void)unused;
	for (size_t i = 0; i < 6; i++) {
		context.file = hwf_stored_profile_file(stored, &files[i]);
		hwf_stored_profile_context(stored, &context);
	}
	assert_int_equal(
		frame_tree_make(&tree,
				&(struct profile_content){.stored = stored, .binaries = &nothing},
				FRAMES_NO_FILES),
		0);
	assert_int_equal(tree.frames.count, 6);
	/* no file was chosen */
	assert_int_equal(tree.total, 0);
	frames = tree.frames.at;
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(frames[i].is_kernel, i < 4);
	assert_string_equal(frames[0].name, "[kernel.kallsyms]");
	assert_string_equal(frames[2].name, "[a.ko]");
	assert_string_equal(frames[5].name, "[c.korea]");
	frame_tree_free(&tree);
	hwf_stored_profile_free(stored);
}

static void a_caller_that_is_not_known_has_a_name(void **unused)
{
	struct hwf_stored_profile *stored = hwf_stored_profile_new();
	uint32_t outer = add(stored, 0, HWF_CONTEXT_UNKNOWN, "a", 1);

	(void)unused;
	add(stored, outer, HWF_CONTEXT_CALL, "b", 2);
	add(stored, outer, HWF_CONTEXT_UNKNOWN, "c", 3);
	check_folded(stored, "[unknown];[a] 1\n[unknown];[a];[b] 2\n"
			     "[unknown];[a];[unknown];[c] 3\n");
}

/* Contexts of the same names are one path: here a call and an exception. */
static void paths_of_the_same_names_are_one_line(void **unused)
{
	struct hwf_stored_profile *stored = hwf_stored_profile_new();
	const uint32_t outer = add(stored, 0, HWF_CONTEXT_CALL, "a", 0);

	(void)unused;
	add(stored, add(stored, outer, HWF_CONTEXT_CALL, "b", 1), HWF_CONTEXT_CALL, "c", 10);
	add(stored, 0, HWF_CONTEXT_CALL, "d", 7);
	add(stored, add(stored, outer, HWF_CONTEXT_EXCEPTION, "b", 2), HWF_CONTEXT_CALL, "c", 20);
	check_folded(stored, "[a];[b] 3\n[a];[b];[c] 30\n[d] 7\n");
}

static void deep_recursion_ends_with_one_function(void **unused)
{
	struct hwf_stored_profile *stored = hwf_stored_profile_new();
	uint32_t caller = 0;
	size_t lines = 0;
	uint64_t sum = 0;
	char *text, *line, *rest;

	(void)unused;
	for (uint32_t i = 0; i < DEEP; i++)
		caller = add(stored, caller, HWF_CONTEXT_CALL, "f", 1);
	text = write_as(profile_folded, stored);
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		const char *count = strrchr(line, ' ');

		assert_non_null(count);
		sum += strtoull(count, NULL, 10);
		assert_int_equal(strstr(line, "[deeper calls]") != NULL, lines == FRAMES_MOST);
		lines++;
	}
	assert_int_equal(lines, FRAMES_MOST + 1);
	assert_int_equal(sum, DEEP);
	free(text);
	text = write_as(profile_speedscope, stored);
	assert_non_null(strstr(text, "[deeper calls]"));
	free(text);
	hwf_stored_profile_free(stored);
}

static void a_profile_in_which_nothing_was_executed_has_no_samples(void **unused)
{
	struct hwf_stored_profile *stored = hwf_stored_profile_new();
	char *text;

	(void)unused;
	hwf_stored_profile_keep_contexts(stored);
	text = write_as(profile_speedscope, stored);
	assert_non_null(strstr(text, "\"endValue\":0,\n\"samples\":[\n],\n\"weights\":[\n]}]"));
	free(text);
	check_folded(stored, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_is_one_word_of_a_line),
		cmocka_unit_test(code_of_the_kernel_is_marked),
		cmocka_unit_test(files_of_the_kernel_are_marked),
		cmocka_unit_test(a_caller_that_is_not_known_has_a_name),
		cmocka_unit_test(paths_of_the_same_names_are_one_line),
		cmocka_unit_test(deep_recursion_ends_with_one_function),
		cmocka_unit_test(a_profile_in_which_nothing_was_executed_has_no_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
