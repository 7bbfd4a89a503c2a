/* SPDX-License-Identifier: GPL-2.0-only */
/* FILE.code, which holds code that no other file has: where it is found once FILE was moved. */
#include <limits.h>

#include "tests/perfdata_test.h"

#include "hwflow/decoder.h"
#include "program/perfmaps.h"

/* A recording in a directory of our own, with one mapping */
struct world {
	char root[32];
	char recording[PATH_MAX];
	char recorded[PATH_MAX]; /* path of the mapping */
	struct perfdata_mapping mapping;
	struct perfdata_event event;
	struct perfdata_info info;
};

/* The name of a file below the directory, in @path */
static void below(const struct world *world, const char *name, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s/%s", world->root, name);
}

static void world_make(struct world *world)
{
	*world = (struct world){.root = "/tmp/hwflow-copies-XXXXXX"};
	assert_non_null(mkdtemp(world->root));
	below(world, "new.data", world->recording);
	below(world, "old.data.code", world->recorded);
	world->mapping = (struct perfdata_mapping){
		.address = 0x1000, .length = 64, .path = world->recorded, .prot = PROT_EXEC};
	world->event =
		(struct perfdata_event){.time = 1, .pid = 1, .tid = 1, .kind = PERFDATA_MMAP};
	world->event.u.mapping = &world->mapping;
	world->info = (struct perfdata_info){
		.path = world->recording, .events = &world->event, .event_count = 1};
}

static void put(const struct world *world, const char *name, char letter)
{
	char path[PATH_MAX], bytes[64];
	FILE *file;

	memset(bytes, letter, sizeof(bytes));
	below(world, name, path);
	file = fopen(path, "we");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, sizeof(bytes), file), sizeof(bytes));
	fclose(file);
}

/* The letter that the code consists of; '-' if there is no code */
static char code_of(const struct world *world)
{
	static const struct hwf_context context;
	const struct perfmaps_time time = {.end = 2};
	const struct hwf_code *code;
	struct perfmaps *maps;
	char byte = '-';

	assert_int_equal(perfmaps_new(&maps, &world->info, NULL), 0);
	code = perfmaps_code(maps, &time, 1, false);
	code->read(code->ctx, code->space(code->ctx, &context), 0x1000, &byte, 1);
	perfmaps_free(maps);
	return byte;
}

static void world_remove(const struct world *world)
{
	static const char *const names[] = {"new.data.code", "old.data.code", "link", "new.data"};
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		below(world, names[i], path);
		unlink(path);
	}
	rmdir(world->root);
}

static void it_is_found_beside_the_recording(void **state)
{
	struct world world;

	(void)state;
	world_make(&world);
	assert_int_equal(code_of(&world), '-');
	put(&world, "new.data.code", 'n');
	assert_int_equal(code_of(&world), 'n');
	world_remove(&world);
}

/* Another recording may have been made where this one was. */
static void the_one_beside_comes_before_the_one_recorded(void **state)
{
	struct world world;

	(void)state;
	world_make(&world);
	put(&world, "old.data.code", 'o');
	assert_int_equal(code_of(&world), 'o');
	put(&world, "new.data.code", 'n');
	assert_int_equal(code_of(&world), 'n');
	world_remove(&world);
}

static void a_link_leads_to_it(void **state)
{
	char link[PATH_MAX];
	struct world world;

	(void)state;
	world_make(&world);
	put(&world, "new.data", 'd');
	put(&world, "new.data.code", 'n');
	below(&world, "link", link);
	assert_int_equal(symlink("new.data", link), 0);
	world.info.path = link;
	assert_int_equal(code_of(&world), 'n');
	world_remove(&world);
}

/* A file that the program mapped has an inode, and may end in .code as well. */
static void other_files_are_where_they_were(void **state)
{
	struct world world;

	(void)state;
	world_make(&world);
	world.mapping.inode = 5;
	put(&world, "new.data.code", 'n');
	assert_int_equal(code_of(&world), '-');
	put(&world, "old.data.code", 'o');
	assert_int_equal(code_of(&world), 'o');
	world.mapping.inode = 0;
	below(&world, "old.data.codes", world.recorded);
	assert_int_equal(code_of(&world), '-');
	world_remove(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_found_beside_the_recording),
		cmocka_unit_test(the_one_beside_comes_before_the_one_recorded),
		cmocka_unit_test(a_link_leads_to_it),
		cmocka_unit_test(other_files_are_where_they_were),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
