/* SPDX-License-Identifier: GPL-2.0-only */
/* Files of a recording: only the file with the build id of the recording is used. */
#include <elf.h>
#include <limits.h>
#include <sys/stat.h>

#include "tests/perfdata_test.h"

#include "program/perfmaps.h"

/* struct program - an ELF file with a build id, and a segment of 64 bytes of code */
struct program {
	Elf64_Ehdr head;
	Elf64_Phdr segments[2];
	Elf64_Nhdr note;
	char owner[4];
	uint8_t id[20];
	uint8_t code[64];
};

/* struct world - a recording of process 1, which has mapped /lib/program at 0x1000 */
struct world {
	char root[32];
	struct perfdata_mapping mapping;
	struct perfdata_event event;
	struct perfdata_build_id build_id;
	struct perfdata_info info;
};

/* An empty root directory with a directory lib, and another one for the home of the user */
static void world_make(struct world *world)
{
	char path[PATH_MAX];

	*world = (struct world){.root = "/tmp/hwflow-files-XXXXXX"};
	assert_non_null(mkdtemp(world->root));
	snprintf(path, sizeof(path), "%s/lib", world->root);
	assert_int_equal(mkdir(path, 0700), 0);
	world->mapping = (struct perfdata_mapping){.address = 0x1000,
						   .length = 64,
						   .file_offset = offsetof(struct program, code),
						   .path = "/lib/program",
						   .prot = PROT_EXEC};
	world->event = (struct perfdata_event){
		.time = 1, .pid = 1, .tid = 1, .kind = PERFDATA_MMAP, .u.mapping = &world->mapping};
	world->info = (struct perfdata_info){.path = "test",
					     .events = &world->event,
					     .event_count = 1,
					     .build_ids = &world->build_id};
	setenv("HOME", world->root, 1);
}

static void world_remove(const struct world *world)
{
	static const char *const names[] = {"/lib/program", "/program", "/lib", ""};
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s%s", world->root, names[i]);
		remove(path);
	}
}

/* A file whose build id and code are full of a letter; of @id_size 0 it has no build id. */
static void put_program(const struct world *world, const char *name, char letter, uint32_t id_size)
{
	struct program program = {
		.head = {.e_ident = ELFMAG "\2\1\1",
			 .e_type = ET_EXEC,
			 .e_machine = EM_AARCH64,
			 .e_version = EV_CURRENT,
			 .e_phoff = offsetof(struct program, segments),
			 .e_ehsize = sizeof(program.head),
			 .e_phentsize = sizeof(Elf64_Phdr),
			 .e_phnum = 2},
		.segments = {{.p_type = id_size ? PT_NOTE : PT_NULL,
			      .p_offset = offsetof(struct program, note),
			      .p_filesz = sizeof(program.note) + 4 + id_size,
			      .p_align = 4},
			     {.p_type = PT_LOAD,
			      .p_flags = PF_R | PF_X,
			      .p_offset = offsetof(struct program, code),
			      .p_vaddr = 0x1000,
			      .p_filesz = sizeof(program.code),
			      .p_memsz = sizeof(program.code)}},
		.note = {4, id_size, NT_GNU_BUILD_ID},
		.owner = "GNU",
	};
	char path[PATH_MAX];
	FILE *file;

	memset(program.id, letter, sizeof(program.id));
	memset(program.code, letter, sizeof(program.code));
	snprintf(path, sizeof(path), "%s%s", world->root, name);
	file = fopen(path, "we");
	assert_non_null(file);
	assert_int_equal(fwrite(&program, sizeof(program), 1, file), 1);
	fclose(file);
}

/* The code of a process at 0x1000; '-' for none */
static char code_in(struct world *world, int32_t pid, const char *symfs)
{
	static const struct hwf_context context;
	const struct hwf_code *code;
	struct perfmaps *maps;
	char byte = '-';

	assert_int_equal(perfmaps_new(&maps, &world->info, symfs), 0);
	code = perfmaps_code(maps, &(struct perfmaps_time){.end = 2}, pid, false);
	code->read(code->ctx, code->space(code->ctx, &context), 0x1000, &byte, 1);
	perfmaps_free(maps);
	return byte;
}

static char code_of(struct world *world)
{
	return code_in(world, 1, world->root);
}

static void want(struct world *world, bool in_list, char letter, uint8_t size)
{
	world->mapping.build_id_size = in_list ? 0 : size;
	memset(world->mapping.build_id, letter, sizeof(world->mapping.build_id));
	world->info.build_id_count = in_list;
	world->build_id = (struct perfdata_build_id){.path = "/lib/program", .pid = -1};
	world->build_id.size = size;
	memset(world->build_id.bytes, letter, sizeof(world->build_id.bytes));
}

static void the_build_id_must_be_that_of_the_recording(void **state)
{
	struct world world;

	(void)state;
	world_make(&world);
	put_program(&world, "/lib/program", 'a', 20);
	assert_int_equal(code_of(&world), 'a');
	for (int in_list = 0; in_list < 2; in_list++) {
		want(&world, in_list, 'a', 20);
		assert_int_equal(code_of(&world), 'a');
		want(&world, in_list, 'b', 20);
		assert_int_equal(code_of(&world), '-');
		want(&world, in_list, 'a', 16);
		assert_int_equal(code_of(&world), '-');
	}
	/* there was one, and is none */
	put_program(&world, "/lib/program", 'a', 0);
	want(&world, false, 'a', 20);
	assert_int_equal(code_of(&world), '-');
	world_remove(&world);
}

static void the_file_with_the_build_id_is_found(void **state)
{
	struct world world;

	(void)state;
	world_make(&world);
	put_program(&world, "/lib/program", 'a', 20);
	put_program(&world, "/program", 'b', 20);
	for (int in_list = 0; in_list < 2; in_list++) {
		want(&world, in_list, 'a', 20);
		assert_int_equal(code_of(&world), 'a');
		want(&world, in_list, 'b', 20);
		assert_int_equal(code_of(&world), 'b');
		want(&world, in_list, 'c', 20);
		assert_int_equal(code_of(&world), '-');
	}
	/* without a build id: the one by its whole path */
	want(&world, false, 'b', 0);
	assert_int_equal(code_of(&world), 'a');
	world_remove(&world);
}

/* Without build ids inodes tell the files of one path apart; all have the build id of the last. */
static void a_file_that_was_replaced_is_missing(void **state)
{
	struct perfdata_mapping mappings[2];
	struct perfdata_event events[2];
	char path[PATH_MAX];
	struct stat status;
	struct world world;

	(void)state;
	world_make(&world);
	put_program(&world, "/lib/program", 'a', 20);
	want(&world, true, 'a', 20);
	for (int i = 0; i < 2; i++) {
		mappings[i] = world.mapping;
		mappings[i].inode = 5 + (uint64_t)i;
		events[i] = world.event;
		events[i].pid = events[i].tid = 1 + i;
		events[i].u.mapping = &mappings[i];
	}
	world.info.events = events;
	world.info.event_count = 2;
	assert_int_equal(code_in(&world, 1, world.root), '-');
	assert_int_equal(code_in(&world, 2, world.root), 'a');
	/* on the machine of the recording its inode tells which file is still there */
	snprintf(path, sizeof(path), "%s/lib/program", world.root);
	assert_int_equal(stat(path, &status), 0);
	mappings[0].inode = status.st_ino;
	mappings[1].inode = status.st_ino + 1;
	mappings[0].path = mappings[1].path = world.build_id.path = path;
	assert_int_equal(code_in(&world, 1, NULL), 'a');
	assert_int_equal(code_in(&world, 2, NULL), '-');
	/* one file, mapped twice */
	mappings[1].inode = mappings[0].inode;
	assert_int_equal(code_in(&world, 2, NULL), 'a');
	world_remove(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_build_id_must_be_that_of_the_recording),
		cmocka_unit_test(the_file_with_the_build_id_is_found),
		cmocka_unit_test(a_file_that_was_replaced_is_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
