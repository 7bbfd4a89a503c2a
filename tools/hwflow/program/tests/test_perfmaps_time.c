// SPDX-License-Identifier: GPL-2.0-only
/* Address spaces of a recording: any time, in any order. */
#include "world_test.h"

#define PROCESSES 4
#define ROUNDS    20
#define EVENTS    3000
#define SLOTS     2 /* addresses that are looked at */
#define FIRST     0x1000u
#define STEP      UINT64_C(0x20)

/* struct model - what each process has mapped; '-' for nothing */
struct model {
	char code[PROCESSES + 1][SLOTS];
	bool ended[PROCESSES + 1];
};

static unsigned int seed = 1;

static unsigned int below(unsigned int count)
{
	seed = seed * 1103515245u + 12345u;
	return (seed >> 16) % count;
}

/* One of the three files, in 1 or 2 slots */
static void add_random_mmap(struct world *world, struct perfdata_mapping *mapping, uint64_t time,
			    int32_t pid)
{
	*mapping = world->mappings[below(3)];
	mapping->file_offset = STEP * below(SLOTS);
	mapping->address = FIRST + mapping->file_offset;
	mapping->length = STEP * (1 + below(SLOTS));
	if (mapping->file_offset + mapping->length > SLOTS * STEP)
		mapping->length = STEP;
	add(world, time, pid, pid, PERFDATA_MMAP)->u.mapping = mapping;
}

/* Mostly mappings, so that many come between two events after which a process has nothing */
static void add_random(struct world *world, struct perfdata_mapping *mapping, uint64_t time,
		       unsigned int rare)
{
	const int32_t pid = 1 + (int32_t)below(PROCESSES), other = 1 + (int32_t)below(PROCESSES);

	switch (below(rare)) {
	case 0:
		add_exec(world, time, pid, "new");
		break;
	case 1:
		if (pid != other)
			add_fork(world, time, pid, pid, other);
		break;
	case 2:
		add_exit(world, time, pid, pid);
		break;
	default:
		add_random_mmap(world, mapping, time, pid);
		break;
	}
}

static void happen(struct model *model, const struct perfdata_event *event)
{
	const int32_t pid = event->pid;
	size_t first;

	if (event->kind == PERFDATA_FORK)
		model->ended[event->u.parent.pid] = false;
	model->ended[pid] = event->kind == PERFDATA_EXIT;
	switch (event->kind) {
	case PERFDATA_MMAP:
		first = (event->u.mapping->address - FIRST) / STEP;
		for (size_t i = 0; i < event->u.mapping->length / STEP; i++)
			model->code[pid][first + i] =
				event->u.mapping->path[strlen(event->u.mapping->path) - 1];
		break;
	case PERFDATA_FORK:
		memcpy(model->code[pid], model->code[event->u.parent.pid], SLOTS);
		break;
	case PERFDATA_COMM:
		memset(model->code[pid], '-', SLOTS);
		break;
	default:
		break;
	}
}

/* What all have at a time, as events happen one after the other */
static void model_at(const struct world *world, uint64_t time, struct model *model)
{
	memset(model->code, '-', sizeof(model->code));
	memset(model->ended, 0, sizeof(model->ended));
	for (size_t i = 0; i < world->info.event_count && world->events[i].time <= time; i++)
		happen(model, &world->events[i]);
}

static void any_time_in_any_order(void **state)
{
	static struct perfdata_mapping mappings[EVENTS];
	struct perfmaps *maps;
	struct world world;

	(void)state;
	for (unsigned int round = 0; round < ROUNDS; round++) {
		world_make(&world);
		for (size_t i = 0; i < EVENTS; i++)
			add_random(&world, &mappings[i], 2 * i, round % 2 ? 1000 : 50);
		assert_int_equal(perfmaps_new(&maps, &world.info, world.root), 0);
		for (unsigned int i = 0; i < 200; i++) {
			const uint64_t time = UINT64_C(2) * below(EVENTS + 5);
			const int32_t pid = 1 + (int32_t)below(PROCESSES);
			/* @begin is before all events: no process had ended */
			const struct perfmaps_time all = {.end = time};
			struct model model;

			model_at(&world, time, &model);
			for (size_t slot = 0; slot < SLOTS; slot++)
				assert_int_equal(there(maps, &all, pid, FIRST + STEP * slot),
						 model.code[pid][slot]);
			if (model.ended[pid])
				assert_int_equal(between(maps, time + 1, time + 1, pid), '-');
		}
		perfmaps_free(maps);
		world_remove(&world);
	}
}

/*
 * A stretch of time: an address that had no code but that of one file has it, one at which two
 * files were has none. A process that is the only one, without fork and exec, so that "no code"
 * means that it was mapped later.
 */
static void a_stretch_has_what_was_mapped_in_it(void **state)
{
	static struct perfdata_mapping mappings[EVENTS];
	struct perfmaps *maps;
	struct world world;

	(void)state;
	for (unsigned int round = 0; round < ROUNDS; round++) {
		world_make(&world);
		world.info.per_cpu = true;
		for (size_t i = 0; i < EVENTS; i++)
			add_random_mmap(&world, &mappings[i], 2 * i, 1);
		assert_int_equal(perfmaps_new(&maps, &world.info, world.root), 0);
		for (unsigned int i = 0; i < 200; i++) {
			const uint64_t begin = below(2 * EVENTS), end = begin + below(40);
			const struct perfmaps_time time = {begin, end};
			struct model model, next;

			model_at(&world, begin, &model);
			for (uint64_t at = begin + 1; at <= end; at++) {
				model_at(&world, at, &next);
				for (size_t slot = 0; slot < SLOTS; slot++)
					if (model.code[1][slot] == '-')
						model.code[1][slot] = next.code[1][slot];
					else if (model.code[1][slot] != next.code[1][slot])
						model.code[1][slot] = '?';
			}
			for (size_t slot = 0; slot < SLOTS; slot++) {
				const char code = model.code[1][slot];

				assert_int_equal(there(maps, &time, 1, FIRST + STEP * slot),
						 code == '?' ? '-' : code);
			}
		}
		perfmaps_free(maps);
		world_remove(&world);
	}
}

/* A process that ended before the stretch has left nothing to the next one of its number. */
static void a_number_is_used_again(void **state)
{
	struct perfmaps *maps;
	struct world world;

	(void)state;
	world_make(&world);
	world.info.per_cpu = true;
	add_mmap(&world, 10, 1, 0);
	add_mmap(&world, 10, 2, 1);
	add_exit(&world, 20, 1, 1);
	add_fork(&world, 40, 1, 1, 2);
	assert_int_equal(perfmaps_new(&maps, &world.info, world.root), 0);
	assert_int_equal(between(maps, 30, 50, 1), 'b');
	/* here both are in the stretch */
	assert_int_equal(between(maps, 15, 50, 1), '-');
	assert_int_equal(between(maps, 20, 50, 1), '-');
	assert_int_equal(between(maps, 15, 35, 1), 'a');
	perfmaps_free(maps);
	world_remove(&world);
}

/* In the trace of threads it is the same process, as the fork of another one would be recorded. */
static void a_process_has_a_thread_again(void **state)
{
	struct perfmaps *maps;
	struct world world;

	(void)state;
	world_make(&world);
	add_mmap(&world, 10, 1, 0);
	add_exit(&world, 20, 1, 1);
	add_fork(&world, 40, 1, 2, 1);
	assert_int_equal(perfmaps_new(&maps, &world.info, world.root), 0);
	assert_int_equal(between(maps, 50, 60, 1), 'a');
	perfmaps_free(maps);
	world_remove(&world);
}

/* Of a process that maps more than a thousand times in a stretch the code is not known; to map what
 * is there is no change. */
static void a_stretch_may_be_too_long(void **state)
{
	struct perfmaps *maps;
	struct world world;

	(void)state;
	world_make(&world);
	world.info.per_cpu = true;
	world.mappings[1].address = world.mappings[2].address = 0x2000;
	add_mmap(&world, 5, 1, 0);
	for (uint64_t i = 0; i < 1025; i++) {
		add_mmap(&world, 10 + i, 1, 1 + (int)(i % 2));
		add_mmap(&world, 10 + i, 1, 0);
	}
	assert_int_equal(perfmaps_new(&maps, &world.info, world.root), 0);
	assert_int_equal(between(maps, 10, 1034, 1), 'a');
	assert_int_equal(between(maps, 9, 1034, 1), '-');
	assert_int_equal(between(maps, 9, 1033, 1), 'a');
	perfmaps_free(maps);
	world_remove(&world);
}

/* exec maps some code over other code that nobody has executed; without the vdso its end is not
 * known. */
static void exec_ends_with_the_vdso(void **state)
{
	struct perfmaps *maps;
	struct world world;

	(void)state;
	world_make(&world);
	world.info.per_cpu = true;
	add_exec(&world, 10, 1, "new");
	add_mmap(&world, 20, 1, 0);
	add_mmap(&world, 30, 1, 1);
	assert_int_equal(perfmaps_new(&maps, &world.info, world.root), 0);
	assert_int_equal(between(maps, 25, 40, 1), '-');
	perfmaps_free(maps);
	world.mappings[2].path = "[vdso]";
	world.mappings[2].address = 0x9000;
	add_mmap(&world, 35, 1, 2);
	assert_int_equal(perfmaps_new(&maps, &world.info, world.root), 0);
	assert_int_equal(between(maps, 25, 40, 1), 'b');
	perfmaps_free(maps);
	world_remove(&world);
}

/* A number that a thread of one process had, and then another process */
static void a_context_may_be_of_several(void **state)
{
	static const struct hwf_context context = {.cid = 7, .has_cid = true};
	const struct perfmaps_time both = {10, 40}, late = {25, 40};
	const struct hwf_code *code;
	struct perfmaps *maps;
	struct world world;
	char byte = '-';

	(void)state;
	world_make(&world);
	world.info.per_cpu = true;
	world.info.context_in_cid = true;
	add_mmap(&world, 5, 1, 0);
	add_fork(&world, 6, 1, 7, 1);
	add_exit(&world, 20, 1, 7);
	add_mmap(&world, 30, 7, 1);
	assert_int_equal(perfmaps_new(&maps, &world.info, world.root), 0);
	code = perfmaps_code(maps, &both, PERFDATA_ANY, false);
	assert_int_equal(code->read(code->ctx, code->space(code->ctx, &context), 0x1000, &byte, 1),
			 0);
	code = perfmaps_code(maps, &late, PERFDATA_ANY, false);
	assert_int_equal(code->read(code->ctx, code->space(code->ctx, &context), 0x1000, &byte, 1),
			 1);
	assert_int_equal(byte, 'b');
	perfmaps_free(maps);
	world_remove(&world);
}

/* The number of a process that had ended, without a record of fork; and one that has made a child
 */
static void another_process_has_nothing(void **state)
{
	struct perfmaps *maps;
	struct world world;

	(void)state;
	world_make(&world);
	world.info.per_cpu = true;
	add_mmap(&world, 10, 1, 0);
	add_exit(&world, 20, 1, 1);
	add(&world, 30, 1, 1, PERFDATA_ITRACE_START);
	add_mmap(&world, 40, 2, 0);
	add_exit(&world, 50, 2, 2);
	add_fork(&world, 60, 3, 3, 2);
	assert_int_equal(perfmaps_new(&maps, &world.info, world.root), 0);
	assert_int_equal(between(maps, 15, 15, 1), 'a');
	assert_int_equal(between(maps, 35, 40, 1), '-');
	assert_int_equal(between(maps, 65, 65, 3), '-');
	perfmaps_free(maps);
	/* it may be the same one */
	add(&world, 70, -1, -1, PERFDATA_LOST);
	assert_int_equal(perfmaps_new(&maps, &world.info, world.root), 0);
	assert_int_equal(between(maps, 35, 40, 1), 'a');
	assert_int_equal(between(maps, 65, 65, 3), 'a');
	perfmaps_free(maps);
	world_remove(&world);
}

/* What is known of the last program is not known to who begins in the middle. */
static void some_code_depends_on_what_was_before(void **state)
{
	struct perfmaps *maps;
	struct world world;

	(void)state;
	world_make(&world);
	world.info.per_cpu = true;
	add_mmap(&world, 10, 1, 0);
	add_mmap(&world, 10, 2, 0);
	add_exec(&world, 20, 1, "new");
	add_mmap(&world, 30, 1, 1);
	assert_int_equal(perfmaps_new(&maps, &world.info, world.root), 0);
	between(maps, 15, 40, 2);
	assert_false(perfmaps_is_ordered(maps));
	between(maps, 15, 40, 1);
	assert_true(perfmaps_is_ordered(maps));
	between(maps, 25, 40, 1);
	assert_false(perfmaps_is_ordered(maps));
	perfmaps_free(maps);
	world_remove(&world);
}

/* struct seen - a space that was asked for, and the code that it had */
struct seen {
	const void *space;
	uint64_t changes;
	char code;
};

/* A decoder may remember code by the address of a space, until it is told to forget. */
static void a_space_keeps_its_code(void **state)
{
	static const struct hwf_context context;
	static struct seen seen[1000];
	const size_t count = sizeof(seen) / sizeof(seen[0]);
	struct perfmaps *maps;
	struct world world;

	(void)state;
	world_make(&world);
	for (uint64_t i = 0; i < 30; i++)
		add_mmap(&world, 10 * i, 1, (int)(i % 3));
	assert_int_equal(perfmaps_new(&maps, &world.info, world.root), 0);
	for (size_t i = 0; i < count; i++) {
		const struct perfmaps_time time = {.end = below(300)};
		const struct hwf_code *code = perfmaps_code(maps, &time, 1, false);

		seen[i].space = code->space(code->ctx, &context);
		seen[i].changes = perfmaps_changes(maps);
		code->read(code->ctx, seen[i].space, 0x1000, &seen[i].code, 1);
		for (size_t j = 0; j < i; j++)
			if (seen[j].space == seen[i].space && seen[j].changes == seen[i].changes)
				assert_int_equal(seen[j].code, seen[i].code);
		/* nothing has changed, so that nothing has to be forgotten */
		code = perfmaps_code(maps, &time, 1, false);
		if (perfmaps_changes(maps) == seen[i].changes)
			assert_ptr_equal(code->space(code->ctx, &context), seen[i].space);
	}
	/* mostly there is another state than before, and spaces are used again */
	assert_in_range(seen[count - 1].changes, count / 2, count);
	perfmaps_free(maps);
	world_remove(&world);
}

/* The process of a thread in a stretch of time, and whether it is the same in all of it */
static void a_thread_has_an_owner(void **state)
{
	static const struct perfmaps_time early = {0, 15}, late = {30, 50}, last = {45, 50},
					  middle = {15, 50}, gone = {25, 35};
	struct perfmaps *maps;
	struct world world;

	(void)state;
	world_make(&world);
	add_mmap(&world, 5, 1, 0);
	add_fork(&world, 10, 1, 7, 1);
	add_exit(&world, 20, 1, 7);
	add_mmap(&world, 40, 2, 1);
	add_fork(&world, 40, 2, 7, 2);
	assert_int_equal(perfmaps_new(&maps, &world.info, world.root), 0);
	assert_int_equal(perfmaps_owner(maps, &early, 7), 1);
	assert_int_equal(perfmaps_owner(maps, &gone, 7), 7);
	assert_int_equal(perfmaps_owner(maps, &late, 7), 2);
	assert_int_equal(perfmaps_owner(maps, &last, 7), 2);
	assert_int_equal(perfmaps_owner(maps, &middle, 7), PERFMAPS_SEVERAL);
	assert_int_equal(perfmaps_owner(maps, &middle, 9), 9);
	perfmaps_free(maps);
	/* nothing ends for certain where events were lost */
	add(&world, 60, -1, -1, PERFDATA_LOST);
	assert_int_equal(perfmaps_new(&maps, &world.info, world.root), 0);
	assert_int_equal(perfmaps_owner(maps, &gone, 7), 1);
	assert_int_equal(perfmaps_owner(maps, &late, 7), PERFMAPS_SEVERAL);
	perfmaps_free(maps);
	world_remove(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_time_in_any_order),
		cmocka_unit_test(a_stretch_has_what_was_mapped_in_it),
		cmocka_unit_test(a_number_is_used_again),
		cmocka_unit_test(a_process_has_a_thread_again),
		cmocka_unit_test(a_stretch_may_be_too_long),
		cmocka_unit_test(exec_ends_with_the_vdso),
		cmocka_unit_test(a_context_may_be_of_several),
		cmocka_unit_test(another_process_has_nothing),
		cmocka_unit_test(some_code_depends_on_what_was_before),
		cmocka_unit_test(a_space_keeps_its_code),
		cmocka_unit_test(a_thread_has_an_owner),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
