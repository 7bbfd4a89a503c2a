/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of code that is in an ELF file inside another file, or in memory. */
#include "tests/elf_test.h"

#include "hwflow/image.h"
#include "symbols/symbols.h"

#define TEXT  UINT64_C(0x400000)
#define SIZE  0x40
#define START UINT64_C(0x7f00000000)

static const uint8_t code[SIZE];

static const struct elf_test_symbol functions[] = {
	{"first", TEXT, 0x10, STT_FUNC}, {"second", TEXT + 0x10, 0x30, STT_FUNC}, {NULL, 0, 0, 0}};

static const struct elf_test program = {.machine = EM_AARCH64,
					.address = TEXT,
					.code = code,
					.code_size = SIZE,
					.symbols = functions};

/* struct contents - of a file, and where the ELF file in it has its code, from its beginning */
struct contents {
	uint8_t at[0x10000];
	size_t size;
	uint64_t text;
};

/* struct world - an image, in which the file is at START */
struct world {
	struct contents contents;
	char path[64];
	struct hwf_image *image;
	struct hwf_image_file *file;
	struct hwf_image_space *space;
	struct symbols *symbols;
};

/* Puts an ELF file at an offset of the contents. */
static void put_elf(struct contents *contents, size_t offset, const struct elf_test *test)
{
	char path[64];
	Elf64_Ehdr head;
	Elf64_Phdr segment;
	FILE *file;

	snprintf(path, sizeof(path), "/tmp/hwflow-inner-%d", getpid());
	elf_test_write(test, path);
	file = fopen(path, "re");
	assert_non_null(file);
	contents->size =
		offset + fread(contents->at + offset, 1, sizeof(contents->at) - offset, file);
	fclose(file);
	unlink(path);
	if (test->machine == EM_ARM)
		return;
	memcpy(&head, contents->at + offset, sizeof(head));
	memcpy(&segment, contents->at + offset + head.e_phoff, sizeof(segment));
	contents->text = segment.p_offset;
}

static void world_open(struct world *world, bool on_disk)
{
	FILE *file;

	snprintf(world->path, sizeof(world->path), "/tmp/hwflow-outer-%d.zip", getpid());
	assert_int_equal(hwf_image_new(&world->image, NULL, NULL), 0);
	assert_int_equal(hwf_image_add_space(world->image, NULL, NULL, &world->space), 0);
	if (on_disk) {
		file = fopen(world->path, "we");
		assert_non_null(file);
		fwrite(world->contents.at, 1, world->contents.size, file);
		fclose(file);
		assert_int_equal(hwf_image_add_file(world->image, world->path, NULL, &world->file),
				 0);
		assert_int_equal(hwf_image_file_open(world->file), 0);
	} else {
		assert_int_equal(hwf_image_add_bytes(world->image, "[vdso]", world->contents.at,
						     world->contents.size, &world->file),
				 0);
	}
	assert_int_equal(hwf_image_map(world->space, START, world->contents.size, world->file, 0),
			 0);
	assert_int_equal(symbols_new(&world->symbols, NULL, false), 0);
}

static void world_close(struct world *world)
{
	symbols_free(world->symbols);
	hwf_image_free(world->image);
	unlink(world->path);
}

static void check(const struct world *world, uint64_t offset, const char *name, uint64_t into)
{
	const struct place_name found = symbols_find(world->symbols, world->space, START + offset);

	/* "[": the code has the name of the outer file */
	if (name[0] == '[') {
		assert_memory_equal(found.function->name, "[hwflow-outer", 13);
		return;
	}
	assert_string_equal(found.function->name, name);
	assert_int_equal(found.offset, into);
	assert_int_equal(found.first, START + offset - into);
	assert_true(found.function->of_elf);
	assert_int_equal(found.function->start, strcmp(name, "first") ? TEXT + 0x10 : TEXT);
}

static void code_in_an_archive_has_the_names_of_its_elf_file(void **state)
{
	struct world world = {.contents = {.size = 0}};
	const uint64_t *text = &world.contents.text;

	(void)state;
	memcpy(world.contents.at, "PK\3\4", 4);
	put_elf(&world.contents, 0x3000, &program);
	world_open(&world, true);
	check(&world, 0x3000 + *text, "first", 0);
	check(&world, 0x3000 + *text + 0xc, "first", 0xc);
	check(&world, 0x3000 + *text + 0x20, "second", 0x10);
	/* neither before the ELF file nor outside of its code */
	check(&world, *text, "[", 0);
	check(&world, 0x3000 + *text + SIZE, "[", 0);
	world_close(&world);
}

/* The nearest header that has code at the offset counts: a library may have others in its data. */
static void the_nearest_header_with_this_code_counts(void **state)
{
	static const uint8_t pages[0x1800];
	const struct elf_test_symbol large[] = {{"first", TEXT, sizeof(pages), STT_FUNC},
						{NULL, 0, 0, 0}};
	struct elf_test other = program;
	struct world world = {.contents = {.size = 0}};
	const uint64_t *text = &world.contents.text;

	(void)state;
	other.symbols = large;
	other.code = pages;
	other.code_size = sizeof(pages);
	put_elf(&world.contents, 0x1000, &other);
	put_elf(&world.contents, 0x4000, &program);
	/* a header without the rest of a file, and one that is not at the beginning of a page */
	memcpy(world.contents.at + 0x2000, ELFMAG, SELFMAG);
	put_elf(&world.contents, 0x5100, &program);
	world_open(&world, true);
	check(&world, 0x1000 + *text, "first", 0);
	check(&world, 0x2400, "first", 0x1400 - *text);
	check(&world, 0x4000 + *text + 0x14, "second", 4);
	check(&world, 0x5100 + *text, "[", 0);
	world_close(&world);
}

/* A file of copied pages that begins with an ELF file is one, and has others. */
static void an_elf_file_has_others_outside_of_its_own_code(void **state)
{
	struct elf_test other = program;
	struct world world = {.contents = {.size = 0}};
	const uint64_t *text = &world.contents.text;

	(void)state;
	other.symbols = &functions[1];
	put_elf(&world.contents, 0, &other);
	put_elf(&world.contents, 0x5000, &program);
	world_open(&world, true);
	check(&world, *text + 0x10, "second", 0);
	check(&world, 0x5000 + *text + 4, "first", 4);
	check(&world, *text + 0x14, "second", 4);
	world_close(&world);
}

static void an_elf_file_in_memory_has_names(void **state)
{
	struct world world = {.contents = {.size = 0}};

	(void)state;
	put_elf(&world.contents, 0, &program);
	world_open(&world, false);
	check(&world, world.contents.text + 4, "first", 4);
	world_close(&world);
}

/* QEMU moves the symbols for dynamic linking of its vdso, but not its symbol table. */
static void symbols_of_dynamic_linking_count_where_no_other_symbol_is_code(void **state)
{
	const struct elf_test_symbol unmoved[] = {{"first", 0, 0x10, STT_FUNC}, {NULL, 0, 0, 0}};
	const Elf64_Sym symbols[] = {{.st_name = 0},
				     {.st_name = 1,
				      .st_value = TEXT + 0x10,
				      .st_size = 0x10,
				      .st_info = GELF_ST_INFO(STB_GLOBAL, STT_FUNC),
				      .st_shndx = 1}};
	const struct elf_test_section sections[] = {
		{".dynstr", "\0second", sizeof("\0second"), 0, SHT_STRTAB, 0, 0},
		{".dynsym", symbols, sizeof(symbols), 0, SHT_DYNSYM, 4, 0},
		{NULL, NULL, 0, 0, 0, 0, 0}};
	struct world world = {.contents = {.size = 0}};
	struct elf_test test = program;

	(void)state;
	test.symbols = unmoved;
	test.sections = sections;
	put_elf(&world.contents, 0, &test);
	world_open(&world, false);
	check(&world, world.contents.text + 0x14, "second", 4);
	world_close(&world);
}

/* Each file reaches to the end of all of them: a byte is used a few times at the most. */
static void files_that_overlap_are_not_all_used(void **state)
{
	static const uint64_t huge = 0x100000;
	struct world world = {.contents = {.size = 0}};
	size_t named = 0;

	(void)state;
	for (size_t at = 0x1000; at < sizeof(world.contents.at); at += 0x1000) {
		put_elf(&world.contents, at, &program);
		memcpy(world.contents.at + at + sizeof(Elf64_Ehdr) + offsetof(Elf64_Phdr, p_filesz),
		       &huge, sizeof(huge));
	}
	world_open(&world, true);
	for (size_t at = 0x1000; at < sizeof(world.contents.at); at += 0x1000)
		named += !strcmp(
			symbols_find(world.symbols, world.space, START + at + world.contents.text)
				.function->name,
			"first");
	assert_in_range(named, 4, 8);
	world_close(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_in_an_archive_has_the_names_of_its_elf_file),
		cmocka_unit_test(the_nearest_header_with_this_code_counts),
		cmocka_unit_test(an_elf_file_has_others_outside_of_its_own_code),
		cmocka_unit_test(an_elf_file_in_memory_has_names),
		cmocka_unit_test(symbols_of_dynamic_linking_count_where_no_other_symbol_is_code),
		cmocka_unit_test(files_that_overlap_are_not_all_used),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
