/* SPDX-License-Identifier: GPL-2.0-only */
/* Address spaces of a recording: time, processes, contexts; and a whole capture decoded with them.
 */
#include "world_test.h"

#include "hwflow/decoder.h"

static void mappings_change_with_time(void **state)
{
	static const struct hwf_context context;
	struct perfmaps *maps;
	struct world world;

	(void)state;
	world_make(&world);
	add_mmap(&world, 10, 1, 0);
	add_fork(&world, 20, 2, 2, 1);
	add_mmap(&world, 30, 1, 1);
	add_exec(&world, 40, 2, "new");
	add_mmap(&world, 50, 2, 2);
	assert_int_equal(perfmaps_new(&maps, &world.info, world.root), 0);
	assert_int_equal(at(maps, 9, 1, &context), '-');
	assert_int_equal(at(maps, 10, 1, &context), 'a');
	assert_int_equal(at(maps, 19, 2, &context), '-');
	assert_int_equal(at(maps, 20, 2, &context), 'a');
	assert_int_equal(at(maps, 30, 1, &context), 'b');
	assert_int_equal(at(maps, 30, 2, &context), 'a');
	assert_int_equal(at(maps, 40, 2, &context), '-');
	assert_int_equal(at(maps, 50, 2, &context), 'c');
	/* and back */
	assert_int_equal(at(maps, 10, 1, &context), 'a');
	assert_int_equal(at(maps, 10, 2, &context), '-');
	assert_int_equal(at(maps, 99, 2, &context), 'c');
	assert_int_equal(at(maps, 99, 3, &context), '-');
	perfmaps_free(maps);
	world_remove(&world);
}

static void contexts_name_threads(void **state)
{
	const struct hwf_context none = {0}, vmid = {.vmid = 7, .has_vmid = true},
				 cid = {.cid = 7, .has_cid = true},
				 main_thread = {.cid = 2, .has_cid = true};
	struct perfmaps *maps;
	struct world world;

	(void)state;
	world_make(&world);
	add_mmap(&world, 0, 1, 0);
	add_mmap(&world, 0, 2, 1);
	add_fork(&world, 0, 2, 7, 2);
	assert_int_equal(perfmaps_new(&maps, &world.info, world.root), 0);
	assert_int_equal(at(maps, 1, 1, &vmid), 'a');
	world.info.context_in_vmid = true;
	assert_int_equal(at(maps, 1, 1, &vmid), 'b');
	assert_int_equal(at(maps, 1, 1, &cid), 'a');
	assert_int_equal(at(maps, 1, 1, &none), 'a');
	world.info.context_in_vmid = false;
	world.info.context_in_cid = true;
	assert_int_equal(at(maps, 1, 1, &cid), 'b');
	assert_int_equal(at(maps, 1, 1, &main_thread), 'b');
	assert_int_equal(at(maps, 1, 1, &vmid), 'a');
	assert_int_equal(at(maps, 1, PERFDATA_ANY, &vmid), '-');
	perfmaps_free(maps);
	world_remove(&world);
}

static void processes_that_ended_are_forgotten(void **state)
{
	struct perfmaps *maps;
	struct world world;

	(void)state;
	world_make(&world);
	add_mmap(&world, 10, 1, 0);
	add_fork(&world, 20, 2, 2, 1);
	add_fork(&world, 30, 2, 3, 2);
	add_exit(&world, 40, 2, 2);
	add_exit(&world, 50, 2, 3);
	add_fork(&world, 60, 4, 4, 1);
	add_exit(&world, 70, 4, 4);
	add_fork(&world, 80, 4, 4, 1);
	add(&world, 90, 5, 5, PERFDATA_ITRACE_START);
	assert_int_equal(perfmaps_new(&maps, &world.info, world.root), 0);
	/* not while there may be trace of it, and not with the first of its threads */
	assert_int_equal(between(maps, 0, 60, 2), 'a');
	assert_int_equal(between(maps, 45, 60, 2), 'a');
	assert_int_equal(between(maps, 50, 60, 2), 'a');
	assert_int_equal(between(maps, 51, 60, 2), '-');
	assert_int_equal(between(maps, 51, 60, 1), 'a');
	/* the next one has what its maker has */
	assert_int_equal(between(maps, 51, 65, 4), 'a');
	/* its number was used again */
	assert_int_equal(between(maps, 75, 90, 4), 'a');
	/* one that has not mapped anything yet */
	assert_int_equal(between(maps, 75, 90, 5), '-');
	/* another source begins at the beginning */
	assert_int_equal(between(maps, 0, 30, 2), 'a');
	perfmaps_free(maps);
	world_remove(&world);
}

/* An untrusted recording may say that a thread is of no process. */
static void a_thread_may_have_no_process(void **state)
{
	static const struct hwf_context context;
	struct perfmaps *maps;
	struct world world;

	(void)state;
	world_make(&world);
	for (int32_t tid = 5; tid <= 7; tid++)
		add_fork(&world, 5, 1, tid, 1);
	add_fork(&world, 10, PERFDATA_ANY, 5, 1);
	add_fork(&world, 20, PERFDATA_ANY, 6, 1);
	add_mmap(&world, 30, 5, 0);
	add_exit(&world, 40, 5, 5);
	add_mmap(&world, 50, 6, 1);
	add_fork(&world, 60, PERFDATA_ANY, 7, 1);
	add_exit(&world, 70, PERFDATA_ANY, 7);
	add_exit(&world, 72, 6, 6);
	assert_int_equal(perfmaps_new(&maps, &world.info, world.root), 0);
	assert_int_equal(at(maps, 30, 5, &context), 'a');
	assert_int_equal(between(maps, 45, 55, 5), '-');
	assert_int_equal(between(maps, 50, 55, 6), 'b');
	assert_int_equal(between(maps, 75, 80, 6), '-');
	perfmaps_free(maps);
	world_remove(&world);
}

static void nothing_is_forgotten_where_events_were_lost(void **state)
{
	struct perfmaps *maps;
	struct world world;

	(void)state;
	world_make(&world);
	add_mmap(&world, 10, 1, 0);
	add_exit(&world, 20, 1, 1);
	add(&world, 30, -1, -1, PERFDATA_LOST);
	assert_int_equal(perfmaps_new(&maps, &world.info, world.root), 0);
	assert_int_equal(between(maps, 40, 50, 1), 'a');
	perfmaps_free(maps);
	world_remove(&world);
}

/* A CPU's trace is of all programs that a process had while it was made. */
static void trace_of_a_cpu_is_from_a_stretch_of_time(void **state)
{
	static const struct perfmaps_time before = {0, 15}, exec = {15, 40}, after = {40, 60};
	struct perfmaps *maps;
	struct world world;

	(void)state;
	world_make(&world);
	world.info.per_cpu = true;
	world.mappings[2].address = 0x2000;
	add_mmap(&world, 10, 1, 0);
	add_exec(&world, 20, 1, "new");
	add_mmap(&world, 30, 1, 2);
	assert_int_equal(perfmaps_new(&maps, &world.info, world.root), 0);
	assert_int_equal(there(maps, &before, 1, 0x1000), 'a');
	assert_int_equal(there(maps, &before, 1, 0x2000), '-');
	assert_int_equal(there(maps, &exec, 1, 0x1000), 'a');
	assert_int_equal(there(maps, &exec, 1, 0x2000), 'c');
	assert_int_equal(there(maps, &after, 1, 0x1000), '-');
	assert_int_equal(there(maps, &after, 1, 0x2000), 'c');
	/* the next CPU */
	assert_int_equal(there(maps, &exec, 1, 0x1000), 'a');
	perfmaps_free(maps);
	/* the trace of a thread is from the end */
	world.info.per_cpu = false;
	assert_int_equal(perfmaps_new(&maps, &world.info, world.root), 0);
	assert_int_equal(there(maps, &exec, 1, 0x1000), '-');
	perfmaps_free(maps);
	world_remove(&world);
}

/* Two programs at one address: nobody knows which one a trace is from, but where both are one. */
static void programs_at_the_same_address_are_told_apart(void **state)
{
	struct perfmaps *maps;
	struct world world;

	(void)state;
	world_make(&world);
	world.info.per_cpu = true;
	world.mappings[1].address = 0x1020;
	world.mappings[1].length = 32;
	add_mmap(&world, 10, 1, 0);
	add_fork(&world, 15, 2, 2, 1);
	add_exec(&world, 20, 1, "same");
	add_mmap(&world, 25, 1, 0);
	add_exec(&world, 30, 1, "new");
	add_mmap(&world, 35, 1, 1);
	/* in place of it, in the same program */
	add_mmap(&world, 40, 2, 1);
	/* over one in the middle */
	world.mappings[2].address = 0x1010;
	world.mappings[2].length = 16;
	add_mmap(&world, 41, 3, 2);
	add_mmap(&world, 42, 3, 0);
	assert_int_equal(perfmaps_new(&maps, &world.info, world.root), 0);
	assert_int_equal(between(maps, 12, 28, 1), 'a');
	for (int32_t pid = 1; pid <= 2; pid++) {
		assert_int_equal(there(maps, &(struct perfmaps_time){28, 50}, pid, 0x101f), 'a');
		assert_int_equal(there(maps, &(struct perfmaps_time){28, 50}, pid, 0x1020), '-');
		assert_int_equal(there(maps, &(struct perfmaps_time){28, 50}, pid, 0x103f), '-');
		assert_int_equal(there(maps, &(struct perfmaps_time){45, 50}, pid, 0x103f), 'b');
	}
	assert_int_equal(there(maps, &(struct perfmaps_time){28, 50}, 3, 0x100f), 'a');
	assert_int_equal(there(maps, &(struct perfmaps_time){28, 50}, 3, 0x1010), '-');
	assert_int_equal(there(maps, &(struct perfmaps_time){28, 50}, 3, 0x101f), '-');
	assert_int_equal(there(maps, &(struct perfmaps_time){28, 50}, 3, 0x1020), 'a');
	assert_int_equal(there(maps, &(struct perfmaps_time){45, 50}, 1, 0x101f), '-');
	assert_int_equal(there(maps, &(struct perfmaps_time){45, 50}, 2, 0x101f), 'a');
	perfmaps_free(maps);
	world_remove(&world);
}

/* What is executed at an address: its code, or '-' */
static char run(const struct hwf_code *code, const void *space, uint64_t address)
{
	struct hwf_run run;
	char byte = '-';

	code->run(code->ctx, space, address, HWF_ISA_A64, &run);
	code->read(code->ctx, space, address, &byte, 1);
	return byte;
}

/* Once the last program is seen to run, what comes behind is of it. The next trace begins anew. */
static void a_process_does_not_go_back_to_the_program_before(void **state)
{
	static const struct perfmaps_time stretches[] = {{5, 50}, {5, 50}, {5, 49}};
	static const struct hwf_context context;
	struct perfmaps *maps;
	struct world world;

	(void)state;
	world_make(&world);
	world.info.per_cpu = true;
	/* 'a' is up to 0x103f, 'b' from 0x1020 to 0x105f */
	world.mappings[1].address = 0x1020;
	world.mappings[2].address = 0x2000;
	add_mmap(&world, 2, 1, 0);
	add_mmap(&world, 2, 1, 2);
	add_exec(&world, 20, 1, "new");
	add_mmap(&world, 21, 1, 1);
	add_mmap(&world, 22, 1, 2);
	assert_int_equal(perfmaps_new(&maps, &world.info, world.root), 0);
	for (int i = 0; i < 3; i++) {
		const struct hwf_code *code = perfmaps_code(maps, &stretches[i], 1, false);
		const void *space = code->space(code->ctx, &context);
		const void *next;

		/* 'c' is of both, and what is of the first alone says nothing */
		assert_int_equal(run(code, space, 0x1020), '-');
		assert_int_equal(run(code, space, 0x2000), 'c');
		assert_int_equal(run(code, space, 0x1000), 'a');
		assert_int_equal(run(code, space, 0x1020), '-');
		assert_int_equal(run(code, space, 0x1040), 'b');
		assert_int_equal(run(code, space, 0x1020), 'b');
		assert_int_equal(run(code, space, 0x2000), 'c');
		assert_int_equal(run(code, space, 0x1000), '-');
		/* a decoder may remember the code that this space had */
		code = perfmaps_code(maps, &stretches[i], 1, false);
		next = code->space(code->ctx, &context);
		assert_ptr_not_equal(next, space);
	}
	perfmaps_free(maps);
	world_remove(&world);
}

/* A process that was there before the recording has what perf lists, not what its parent has. */
static void a_process_that_is_listed_is_no_copy(void **state)
{
	struct perfmaps *maps;
	struct world world;

	(void)state;
	world_make(&world);
	add_mmap(&world, 0, 1, 0);
	add_fork(&world, 0, 2, 2, 1);
	add_fork(&world, 0, 3, 3, 1);
	world.events[2].u.parent.listed = true;
	assert_int_equal(perfmaps_new(&maps, &world.info, world.root), 0);
	assert_int_equal(between(maps, 0, 1, 2), 'a');
	assert_int_equal(between(maps, 0, 1, 3), '-');
	perfmaps_free(maps);
	world_remove(&world);
}

/* exec maps the vdso over a part of the loader that the loader never has code in. */
static void the_vdso_is_there_from_the_start(void **state)
{
	static const struct perfmaps_time all = {5, 50};
	struct hwf_image_file *file;
	struct perfmaps *maps;
	struct world world;

	(void)state;
	world_make(&world);
	world.info.per_cpu = true;
	world.mappings[1].address = 0x1020;
	world.mappings[1].length = 32;
	world.mappings[1].path = "[vdso]";
	add_exec(&world, 10, 1, "new");
	add_mmap(&world, 11, 1, 0);
	add_mmap(&world, 12, 1, 1);
	/* the next one has mapped another program where the last one had its vdso */
	add_exec(&world, 10, 2, "first");
	add_mmap(&world, 11, 2, 1);
	add_exec(&world, 20, 2, "second");
	add_mmap(&world, 21, 2, 0);
	/* here the program has run before */
	add_exec(&world, 10, 3, "new");
	add_mmap(&world, 11, 3, 1);
	add_mmap(&world, 12, 3, 0);
	add_mmap(&world, 13, 3, 1);
	/* here the last program had code there */
	add_exec(&world, 10, 4, "first");
	add_mmap(&world, 11, 4, 2);
	add_exec(&world, 20, 4, "second");
	add_mmap(&world, 21, 4, 1);
	/* exec maps code in one place twice: the first has never run */
	add_exec(&world, 10, 5, "new");
	add_mmap(&world, 11, 5, 0);
	add_mmap(&world, 12, 5, 2);
	add_mmap(&world, 13, 5, 1);
	assert_int_equal(perfmaps_new(&maps, &world.info, world.root), 0);
	assert_int_equal(hwf_image_add_bytes(perfmaps_image(maps), "vdso", "vvvv", 4, &file), 0);
	assert_int_equal(perfmaps_map(maps, 0x1020, 4, file, 0), 0);
	assert_int_equal(there(maps, &all, 1, 0x101f), 'a');
	assert_int_equal(there(maps, &all, 1, 0x1020), 'v');
	assert_int_equal(there(maps, &all, 3, 0x1020), '-');
	assert_int_equal(there(maps, &all, 4, 0x101f), 'c');
	assert_int_equal(there(maps, &all, 4, 0x1020), '-');
	assert_int_equal(there(maps, &all, 5, 0x1000), 'c');
	assert_int_equal(there(maps, &all, 5, 0x1020), 'v');
	perfmaps_free(maps);
	assert_int_equal(perfmaps_new(&maps, &world.info, world.root), 0);
	assert_int_equal(there(maps, &all, 2, 0x101f), 'a');
	assert_int_equal(there(maps, &all, 2, 0x1020), '-');
	perfmaps_free(maps);
	world_remove(&world);
}

/* Is there a file, which may be missing, at 0x1000? Each answer that differs is a change. */
static bool is_mapped(struct perfmaps *maps, uint64_t time, const struct hwf_context *context)
{
	const uint64_t changes = perfmaps_changes(maps);
	const struct hwf_code *code =
		perfmaps_code(maps, &(struct perfmaps_time){.end = time}, 1, false);
	struct hwf_image_place place;

	assert_int_not_equal(perfmaps_changes(maps), changes);
	return hwf_image_find(code->space(code->ctx, context), 0x1000, &place);
}

/* Programs run at EL0; the kernel at EL1 or, where it says so by its identifier, at EL2. */
static void the_kernel_is_above_el0(void **state)
{
	static const struct hwf_context el0 = {.el = 0}, el1 = {.el = 1}, el2 = {.el = 2},
					el3 = {.el = 3};
	struct hwf_image_file *file;
	struct perfmaps *maps;
	struct world world;

	(void)state;
	world_make(&world);
	add_mmap(&world, 0, 1, 0);
	add_mmap(&world, 0, -1, 1);
	assert_int_equal(perfmaps_new(&maps, &world.info, world.root), 0);
	assert_int_equal(at(maps, 1, 1, &el0), 'a');
	/* its file is not there: nothing, and not what a process has */
	assert_int_equal(at(maps, 1, 1, &el1), '-');
	assert_int_equal(at(maps, 1, 1, &el2), '-');
	perfmaps_free(maps);
	/* there is, besides the recording */
	assert_int_equal(perfmaps_new(&maps, &world.info, world.root), 0);
	assert_int_equal(hwf_image_add_bytes(perfmaps_image(maps), "x", "xxxx", 4, &file), 0);
	assert_int_equal(perfmaps_map(maps, 0x1000, 4, file, 0), 0);
	assert_int_equal(at(maps, 1, 1, &el0), 'a');
	assert_int_equal(at(maps, 1, 1, &el1), 'x');
	assert_int_equal(at(maps, 1, 1, &el2), 'x');
	assert_int_equal(at(maps, 1, 1, &el3), 'x');
	perfmaps_free(maps);
	/* a module that is loaded later, and has no file */
	world.events[1].time = 50;
	assert_int_equal(perfmaps_new(&maps, &world.info, world.root), 0);
	assert_int_equal(at(maps, 1, 1, &el1), '-');
	assert_true(is_mapped(maps, 50, &el1));
	assert_false(is_mapped(maps, 49, &el1));
	assert_true(is_mapped(maps, 50, &el1));
	perfmaps_free(maps);
	world_remove(&world);
}

static void build_ids_of_the_head_are_found(void **state)
{
	/* one of no bytes does not count */
	const struct perfdata_build_id ids[] = {
		{.path = "/z", .size = 20},
		{.path = "/c"},
		{.path = "/lib/b"},
		{.path = "/a", .size = 20},
		{.path = "/lib/b", .size = 20},
	};
	struct perfmaps *maps;
	struct world world;

	(void)state;
	world_make(&world);
	for (int i = 0; i < 3; i++)
		add_mmap(&world, 0, i + 1, i);
	world.info.build_ids = ids;
	world.info.build_id_count = sizeof(ids) / sizeof(ids[0]);
	assert_int_equal(perfmaps_new(&maps, &world.info, world.root), 0);
	/* these files have none */
	assert_int_equal(between(maps, 0, 1, 1), '-');
	assert_int_equal(between(maps, 0, 1, 2), '-');
	assert_int_equal(between(maps, 0, 1, 3), 'c');
	perfmaps_free(maps);
	world_remove(&world);
}

static void wrong_builds_are_not_used(void **state)
{
	static const struct hwf_context context;
	struct perfmaps *maps;
	struct world world;

	(void)state;
	world_make(&world);
	world.mappings[0].build_id_size = 20;
	add_mmap(&world, 0, 1, 0);
	assert_int_equal(perfmaps_new(&maps, &world.info, world.root), 0);
	assert_int_equal(at(maps, 1, 1, &context), '-');
	perfmaps_free(maps);
	world_remove(&world);
}

/* What a capture's flow.txt has, in short. */
struct flow {
	unsigned int ranges;
	uint64_t instructions;
	unsigned int loop;
	unsigned int gaps;
};

static void count(void *ctx, const struct hwf_flow_event *event)
{
	struct flow *flow = ctx;

	flow->gaps += event->kind == HWF_FLOW_GAP;
	if (event->kind != HWF_FLOW_RANGE)
		return;
	flow->ranges++;
	flow->instructions += event->u.range.instructions;
	flow->loop += event->u.range.taken && event->u.range.end == 0x629b293070;
}

static void a_capture_is_decoded(void **state)
{
	struct contents file =
		capture("perf_with_unformatted_trace/perf_with_unformatted_trace.data");
	struct perfdata *data = open_bytes(file.bytes, file.size);
	const struct perfdata_info *info = perfdata_info(data);
	const struct perfdata_session *session = &info->sessions[6];
	const char *captures = getenv("HWFLOW_CAPTURES");
	const struct perfmaps_time time = {.end = session->time};
	struct hwf_ete_config config;
	struct hwf_decoder decoder;
	struct hwf_element *ring;
	struct flow flow = {0};
	struct perfmaps *maps;
	char symfs[PATH_MAX];

	(void)state;
	snprintf(symfs, sizeof(symfs), "%s/perf/perf_with_unformatted_trace",
		 captures ? captures : "../shared/data");
	assert_int_equal(perfmaps_new(&maps, info, symfs), 0);
	assert_int_equal(hwf_ete_config_init(&config, &session->unit->regs), 0);
	ring = calloc(hwf_p0_ring_size(&config), sizeof(*ring));
	assert_non_null(ring);
	hwf_decoder_init(&decoder, &config, perfmaps_code(maps, &time, session->pid, config.wfx),
			 ring, hwf_p0_ring_size(&config), count, &flow);
	hwf_decoder_push(&decoder, session->bytes, session->size, true);
	assert_int_equal(flow.ranges, 208);
	assert_int_equal(flow.instructions, 944);
	assert_int_equal(flow.loop, 100);
	assert_int_equal(flow.gaps, 0);
	free(ring);
	perfmaps_free(maps);
	perfdata_close(data);
	free(file.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mappings_change_with_time),
		cmocka_unit_test(contexts_name_threads),
		cmocka_unit_test(processes_that_ended_are_forgotten),
		cmocka_unit_test(a_thread_may_have_no_process),
		cmocka_unit_test(nothing_is_forgotten_where_events_were_lost),
		cmocka_unit_test(trace_of_a_cpu_is_from_a_stretch_of_time),
		cmocka_unit_test(programs_at_the_same_address_are_told_apart),
		cmocka_unit_test(a_process_does_not_go_back_to_the_program_before),
		cmocka_unit_test(a_process_that_is_listed_is_no_copy),
		cmocka_unit_test(the_vdso_is_there_from_the_start),
		cmocka_unit_test(the_kernel_is_above_el0),
		cmocka_unit_test(build_ids_of_the_head_are_found),
		cmocka_unit_test(wrong_builds_are_not_used),
		cmocka_unit_test(a_capture_is_decoded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
