// SPDX-License-Identifier: GPL-2.0-only
/* Histories for gdb: which instructions they have, and where they are cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "hwflow/ete.h"
#include "verbs/gdb_history.h"
#include "verbs/threads.h"

#define KERNEL UINT64_C(0xffff000000000000)

static struct input_source sources[2];
static struct input_piece pieces[2];

/**
 * struct scene - what is executed
 * @history: receives it
 * @sink: of @history
 * @execution: where execution is
 * @image: has @files
 * @files: code of addresses 0x1000 to 0x1fff
 * @space: address space of the process
 */
struct scene {
	struct gdb_history history;
	struct execution_sink sink;
	struct execution execution;
	struct hwf_image *image;
	struct hwf_image_file *files[2];
	struct hwf_image_space *space;
};

static void begin(struct scene *scene, size_t limit)
{
	static const uint8_t code[0x1000];
	struct threads *names;

	*scene = (struct scene){.history = {.limit = limit, .user = true}};
	assert_int_equal(threads_new(&names, NULL), 0);
	scene->history.names = names;
	scene->sink = gdb_history_sink(&scene->history);
	assert_int_equal(hwf_image_new(&scene->image, NULL, NULL), 0);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(hwf_image_add_bytes(scene->image, i ? "new" : "old", code,
						     sizeof(code), &scene->files[i]),
				 0);
	assert_int_equal(hwf_image_add_space(scene->image, NULL, NULL, &scene->space), 0);
	assert_int_equal(hwf_image_map(scene->space, 0x1000, sizeof(code), scene->files[0], 0), 0);
}

/* From here on a thread is executed on a CPU. */
static void go(struct scene *scene, size_t cpu, int32_t tid, uint64_t timestamp)
{
	scene->execution = (struct execution){.source = &sources[cpu],
					      .piece = &pieces[cpu],
					      .space = scene->space,
					      .tid = tid,
					      .timestamp = timestamp};
}

/* Instructions of 4 bytes, from @start to before @end */
static void range(struct scene *scene, uint64_t start, uint64_t end)
{
	const struct hwf_flow_range executed = {.start = start,
						.end = end,
						.instructions = (uint32_t)(end - start) / 4,
						.isa = HWF_ISA_A64,
						.insn.size = 4};

	scene->sink.range(scene->sink.ctx, &scene->execution, &executed);
}

static void jump(struct scene *scene, uint64_t from, uint64_t to)
{
	const struct hwf_branch branch = {.kind = HWF_BRANCH_JUMP,
					  .from = from,
					  .to = to,
					  .has_from = true,
					  .has_to = to != 0,
					  .taken = true};

	scene->sink.branch(scene->sink.ctx, &scene->execution, &branch);
}

static void except(struct scene *scene, uint64_t ret, uint16_t type)
{
	const struct hwf_branch branch = {.kind = HWF_BRANCH_EXCEPTION,
					  .from = ret,
					  .next = ret,
					  .exception = type,
					  .has_from = true,
					  .taken = true};

	scene->sink.branch(scene->sink.ctx, &scene->execution, &branch);
}

static void gap(struct scene *scene, uint64_t address)
{
	const struct gap gap = {.reason = "a gap", .has_address = address, .address = address};

	scene->sink.gap(scene->sink.ctx, &scene->execution, &gap);
}

static void map(struct scene *scene, uint64_t start, uint64_t length, size_t file, uint64_t offset)
{
	assert_int_equal(hwf_image_map(scene->space, start, length, scene->files[file], offset), 0);
}

/* The threads as text: "TID: BLOCK BLOCK (why it begins there)", and so on */
static void check(struct scene *scene, const char *expected)
{
	struct threads *names = (struct threads *)(uintptr_t)scene->history.names;
	char text[512] = "";
	size_t size = 0;

	assert_int_equal(gdb_history_end(&scene->history), 0);
	for (size_t i = 0; i < scene->history.thread_count; i++) {
		const struct gdb_thread *thread = scene->history.threads[i];

		size += (size_t)snprintf(text + size, sizeof(text) - size, "%s%d:", i ? "; " : "",
					 (int)thread->tid);
		for (size_t j = 0; j < thread->count; j++)
			size += (size_t)snprintf(
				text + size, sizeof(text) - size, " %llx-%llx",
				(unsigned long long)gdb_thread_block(thread, j)->begin,
				(unsigned long long)gdb_thread_block(thread, j)->end);
		if (thread->begins)
			size += (size_t)snprintf(text + size, sizeof(text) - size, " (%s)",
						 thread->begins);
		assert_true(size < sizeof(text));
	}
	assert_string_equal(text, expected);
	gdb_history_free(&scene->history);
	threads_free(names);
	hwf_image_free(scene->image);
}

/* The last block ends with the instruction that follows. */
static void ranges_that_follow_are_one_block(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene, 100);
	go(&scene, 0, 7, 1);
	range(&scene, 0x1000, 0x1010);
	range(&scene, 0x1010, 0x1018);
	jump(&scene, 0x1014, 0x1100);
	range(&scene, 0x1100, 0x1108);
	jump(&scene, 0x1104, 0x1000);
	check(&scene, "7: 1000-1014 1100-1104 1000-1000");
}

static void a_branch_to_somewhere_is_the_end(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene, 100);
	go(&scene, 0, 7, 1);
	range(&scene, 0x1000, 0x1010);
	jump(&scene, 0x100c, 0);
	check(&scene, "7: 1000-100c");
}

static void the_oldest_blocks_are_dropped(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene, 3);
	go(&scene, 0, 7, 1);
	for (uint64_t at = 0x1000; at < 0x1f00; at += 0x100) {
		range(&scene, at, at + 8);
		jump(&scene, at + 4, at + 0x100);
	}
	check(&scene, "7: 1d00-1d04 1e00-1e04 1f00-1f00 (older instructions were dropped; "
		      "--limit=N keeps N blocks)");
}

static void a_gap_cuts(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene, 100);
	go(&scene, 0, 7, 1);
	range(&scene, 0x1000, 0x1010);
	gap(&scene, 0);
	range(&scene, 0x1010, 0x1018);
	check(&scene, "7: 1010-1018 (a gap)");
}

static void a_gap_of_another_cpu_is_of_no_concern(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene, 100);
	go(&scene, 0, 8, 1);
	gap(&scene, 0x1010);
	go(&scene, 1, 7, 1);
	range(&scene, 0x1000, 0x1010);
	check(&scene, "7: 1000-1010");
	begin(&scene, 100);
	go(&scene, 0, 7, 1);
	gap(&scene, 0x1010);
	range(&scene, 0x1000, 0x1010);
	check(&scene, "7: 1000-1010 (a gap)");
}

static void after_a_gap_nothing_is_known(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene, 100);
	go(&scene, 0, 7, 1);
	range(&scene, 0x1000, 0x1010);
	gap(&scene, 0x1010);
	check(&scene, "7: 1000-100c");
}

static void code_that_is_not_traced_cuts(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene, 100);
	go(&scene, 0, 7, 1);
	range(&scene, 0x1000, 0x1010);
	range(&scene, 0x1100, 0x1108);
	check(&scene, "7: 1100-1108 (instructions were executed that were not traced)");
}

/* The kernel goes on at the handler of a signal. */
static void after_an_exception_execution_goes_on_anywhere(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene, 100);
	go(&scene, 0, 7, 1);
	range(&scene, 0x1000, 0x1010);
	except(&scene, 0x1010, HWF_EXC_DATA_FAULT);
	range(&scene, 0x1100, 0x1108);
	check(&scene, "7: 1000-100c 1100-1108");
}

static void the_kernel_is_left_out(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene, 100);
	go(&scene, 0, 7, 1);
	range(&scene, 0x1000, 0x1010);
	except(&scene, 0x1010, HWF_EXC_CALL);
	range(&scene, KERNEL, KERNEL + 0x20);
	gap(&scene, KERNEL + 0x20);
	except(&scene, KERNEL + 0x20, HWF_EXC_IRQ);
	range(&scene, KERNEL + 0x40, KERNEL + 0x50);
	jump(&scene, KERNEL + 0x4c, 0x1010);
	range(&scene, 0x1010, 0x1018);
	check(&scene, "7: 1000-1018");
}

static void other_threads_do_not_cut(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene, 100);
	go(&scene, 0, 7, 1);
	range(&scene, 0x1000, 0x1010);
	except(&scene, 0x1010, HWF_EXC_IRQ);
	go(&scene, 0, 8, 2);
	range(&scene, 0x1200, 0x1208);
	except(&scene, 0x1208, HWF_EXC_IRQ);
	go(&scene, 0, 7, 3);
	range(&scene, 0x1010, 0x1018);
	check(&scene, "7: 1000-100c 1010-1018; 8: 1200-1208");
}

/* Thread 7 comes to CPU 0 twice. In between it is on CPU 1, whose trace is decoded later. */
static void another_cpu_cuts(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene, 100);
	go(&scene, 0, 7, 1);
	range(&scene, 0x1000, 0x1010);
	except(&scene, 0x1010, HWF_EXC_IRQ);
	go(&scene, 0, 8, 2);
	range(&scene, 0x1200, 0x1208);
	go(&scene, 0, 7, 5);
	range(&scene, 0x1030, 0x1040);
	go(&scene, 1, 7, 3);
	range(&scene, 0x1010, 0x1030);
	except(&scene, 0x1030, HWF_EXC_IRQ);
	check(&scene, "7: 1030-1040 (the thread ran on another CPU before); 8: 1200-1208");
}

/* On its last CPU thread 7 executes instructions of the kernel last. */
static void the_kernel_is_no_visit(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene, 100);
	go(&scene, 0, 7, 1);
	range(&scene, 0x1000, 0x1010);
	except(&scene, 0x1010, HWF_EXC_IRQ);
	go(&scene, 1, 7, 2);
	range(&scene, 0x1010, 0x1018);
	except(&scene, 0x1018, HWF_EXC_CALL);
	go(&scene, 1, 8, 3);
	range(&scene, 0x1200, 0x1208);
	go(&scene, 1, 7, 4);
	range(&scene, KERNEL, KERNEL + 0x20);
	check(&scene, "7: 1010-1018 (the thread ran on another CPU before); 8: 1200-1208");
}

static void other_code_at_the_same_addresses_cuts(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene, 100);
	go(&scene, 0, 7, 1);
	range(&scene, 0x1000, 0x1010);
	except(&scene, 0x1010, HWF_EXC_CALL);
	map(&scene, 0x1000, 0x1000, 1, 0);
	range(&scene, 0x1800, 0x1808);
	check(&scene, "7: 1800-1808 (other code was at the same addresses before)");
}

static void the_same_code_mapped_again_does_not_cut(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene, 100);
	go(&scene, 0, 7, 1);
	range(&scene, 0x1000, 0x1010);
	except(&scene, 0x1010, HWF_EXC_CALL);
	map(&scene, 0x1000, 0x800, 0, 0);
	map(&scene, 0x5000, 0x1000, 1, 0);
	range(&scene, 0x1010, 0x1018);
	jump(&scene, 0x1014, 0x5000);
	range(&scene, 0x5000, 0x5008);
	check(&scene, "7: 1000-1014 5000-5008");
}

static void check_code(const struct gdb_thread *thread, uint64_t address, size_t expected)
{
	size_t size = 0;

	assert_true((gdb_thread_code(thread, address, &size) != NULL) == (expected != 0));
	assert_int_equal(size, expected);
}

/* The first file has 0x1000 bytes: less than are mapped of it at 0x5000. */
static void code_ends_with_its_mapping_and_its_file(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene, 100);
	map(&scene, 0x1000, 0x800, 0, 0);
	map(&scene, 0x1800, 0x800, 0, 0x400);
	map(&scene, 0x5000, 0x1000, 0, 0x800);
	go(&scene, 0, 7, 1);
	range(&scene, 0x1000, 0x1010);
	jump(&scene, 0x100c, 0x5000);
	range(&scene, 0x5000, 0x5008);
	check_code(scene.history.threads[0], 0xfff, 0);
	check_code(scene.history.threads[0], 0x1000, 0x800);
	check_code(scene.history.threads[0], 0x17fc, 4);
	check_code(scene.history.threads[0], 0x1800, 0);
	check_code(scene.history.threads[0], 0x57ff, 1);
	check_code(scene.history.threads[0], 0x5800, 0);
	check_code(scene.history.threads[0], 0x6000, 0);
	check_code(scene.history.threads[0], UINT64_MAX, 0);
	check(&scene, "7: 1000-100c 5000-5008");
}

static void a_thread_without_a_name_is_dropped_if_others_have_one(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene, 100);
	go(&scene, 0, INPUT_ANY, 1);
	range(&scene, 0x1000, 0x1010);
	go(&scene, 0, 7, 1);
	range(&scene, 0x1000, 0x1010);
	check(&scene, "7: 1000-1010");
	begin(&scene, 100);
	go(&scene, 0, INPUT_ANY, 1);
	range(&scene, 0x1000, 0x1010);
	go(&scene, 1, INPUT_ANY, 1);
	range(&scene, 0x1100, 0x1110);
	check(&scene, "-1: 1000-1010; -1: 1100-1110");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges_that_follow_are_one_block),
		cmocka_unit_test(a_branch_to_somewhere_is_the_end),
		cmocka_unit_test(the_oldest_blocks_are_dropped),
		cmocka_unit_test(a_gap_cuts),
		cmocka_unit_test(a_gap_of_another_cpu_is_of_no_concern),
		cmocka_unit_test(after_a_gap_nothing_is_known),
		cmocka_unit_test(code_that_is_not_traced_cuts),
		cmocka_unit_test(after_an_exception_execution_goes_on_anywhere),
		cmocka_unit_test(the_kernel_is_left_out),
		cmocka_unit_test(other_threads_do_not_cut),
		cmocka_unit_test(another_cpu_cuts),
		cmocka_unit_test(the_kernel_is_no_visit),
		cmocka_unit_test(other_code_at_the_same_addresses_cuts),
		cmocka_unit_test(the_same_code_mapped_again_does_not_cut),
		cmocka_unit_test(code_ends_with_its_mapping_and_its_file),
		cmocka_unit_test(a_thread_without_a_name_is_dropped_if_others_have_one),
	};

	for (size_t i = 0; i < 2; i++)
		pieces[i].pid = INPUT_ANY;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
