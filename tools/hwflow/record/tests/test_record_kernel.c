// SPDX-License-Identifier: GPL-2.0-only
/* hwflow record: where the kernel's code is, and copies of it. */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "record/kernel/kernel_copy.h"
#include "record/kernel/kernel_core.h"
#include "record/kernel/kernel_modules.h"

#define TEXT   UINT64_C(0xffff800008000000)
#define MODULE UINT64_C(0xffff800001000000)
#define OTHER  UINT64_C(0xffff800001100000)
#define BPF    UINT64_C(0xffff80000a000000)

/* struct place - a directory for files */
struct place {
	char root[40];
	char core[64];
	char kallsyms[64];
	char modules[64];
};

static void write_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static void write_section(const struct place *place, const char *name, uint64_t address)
{
	char path[128], text[32];

	snprintf(path, sizeof(path), "%s/mod", place->root);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/mod/sections", place->root);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/mod/sections/%s", place->root, name);
	snprintf(text, sizeof(text), "0x%016" PRIx64 "\n", address);
	write_text(path, text);
}

static void remove_sections(const struct place *place)
{
	static const char *const names[] = {
		"sections/.text",
		"sections/.plt",
		"sections/.rodata",
		"sections/.data",
		"sections/.init.data",
		"sections",
		"",
	};
	char path[128];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/mod/%s", place->root, names[i]);
		remove(path);
	}
}

static int make_place(void **state)
{
	static struct place place;

	strcpy(place.root, "/tmp/hwflow-kernel-XXXXXX");
	assert_non_null(mkdtemp(place.root));
	snprintf(place.core, sizeof(place.core), "%s/core", place.root);
	snprintf(place.kallsyms, sizeof(place.kallsyms), "%s/kallsyms", place.root);
	snprintf(place.modules, sizeof(place.modules), "%s/modules", place.root);
	*state = &place;
	return 0;
}

static int remove_place(void **state)
{
	const struct place *place = *state;

	remove_sections(place);
	unlink(place->core);
	unlink(place->kallsyms);
	unlink(place->modules);
	return rmdir(place->root);
}

/* A core file in which page i of @count at @address is filled with the number of the page, from 1
 */
static void add_pages(struct kernel_core *core, uint64_t address, unsigned int count)
{
	uint8_t *page = malloc(kernel_page());

	assert_non_null(page);
	for (unsigned int i = 0; i < count; i++) {
		memset(page, (int)i + 1, kernel_page());
		assert_int_equal(kernel_core_add(core, address + i * kernel_page(), page), 0);
	}
	free(page);
}

static void pages_are_read_as_they_were_written(void **state)
{
	const struct place *place = *state;
	const size_t size = kernel_page();
	uint8_t *page = malloc(size);
	struct kernel_core core;

	assert_non_null(page);
	assert_int_equal(kernel_core_create(&core, place->core), 0);
	add_pages(&core, TEXT, 3);
	add_pages(&core, MODULE, 1);
	memset(page, 0, size);
	assert_int_equal(kernel_core_add(&core, OTHER, page), 0);
	page[size - 1] = 1;
	assert_int_equal(kernel_core_add(&core, BPF, page), 0);
	assert_int_equal(kernel_core_finish(&core), 0);
	kernel_core_close(&core);
	/* it is not overwritten */
	assert_int_equal(kernel_core_create(&core, place->core), -EEXIST);

	assert_int_equal(kernel_core_open(&core, place->core), 0);
	assert_int_equal(core.count, 4);
	assert_true(core.segments[0].size == 3 * size);
	assert_true(kernel_core_read(&core, TEXT + 2 * size, page));
	assert_int_equal(page[0], 3);
	assert_int_equal(page[size - 1], 3);
	assert_false(kernel_core_read(&core, TEXT + 3 * size, page));
	assert_false(kernel_core_read(&core, TEXT - size, page));
	assert_true(kernel_core_read(&core, MODULE, page));
	/* all zero, and zero but for the last byte */
	assert_false(kernel_core_read(&core, OTHER, page));
	assert_true(kernel_core_read(&core, BPF, page));
	kernel_core_close(&core);

	assert_int_equal(kernel_core_open(&core, "/none"), -ENOENT);
	write_text(place->modules,
		   "this is no core file, and longer than the head of one has to be");
	assert_int_equal(kernel_core_open(&core, place->modules), -EINVAL);
	free(page);
}

static void modules_are_read_line_by_line(void **state)
{
	const struct place *place = *state;
	struct kernel_modules modules;

	write_text(place->modules, "first 16384 2 other,third, Live 0xffff800001000000 (OE)\n"
				   "hidden 16384 0 - Live 0x0000000000000000\n"
				   "no module\n"
				   "other 4096 0 - Live 0xffff800001100000\n");
	assert_int_equal(kernel_modules_read(&modules, place->modules), 0);
	assert_int_equal(modules.count, 2);
	assert_string_equal(modules.items[0].name, "first");
	assert_true(modules.items[0].start == MODULE);
	assert_true(modules.items[0].size == 16384);
	assert_ptr_equal(kernel_modules_find(&modules, "other"), &modules.items[1]);
	assert_null(kernel_modules_find(&modules, "hidden"));
	kernel_modules_free(&modules);
	assert_int_equal(kernel_modules_read(&modules, "/none"), -ENOENT);
	assert_int_equal(modules.count, 0);
}

static void ranges_are_joined(void **state)
{
	const uint64_t page = kernel_page();
	struct kernel_ranges ranges = {.count = 0};

	(void)state;
	kernel_ranges_sort(&ranges);
	assert_int_equal(kernel_ranges_add(&ranges, TEXT + 5 * page, TEXT + 6 * page), 0);
	assert_int_equal(kernel_ranges_add(&ranges, TEXT + 8, TEXT + 9), 0);
	assert_int_equal(kernel_ranges_add(&ranges, TEXT + page, TEXT + 3 * page), 0);
	assert_int_equal(kernel_ranges_add(&ranges, TEXT + page, TEXT + 2 * page), 0);
	/* nothing */
	assert_int_equal(kernel_ranges_add(&ranges, MODULE, MODULE), 0);
	kernel_ranges_sort(&ranges);
	assert_int_equal(ranges.count, 2);
	assert_true(ranges.items[0].start == TEXT && ranges.items[0].end == TEXT + 3 * page);
	assert_true(ranges.items[1].start == TEXT + 5 * page);
	kernel_ranges_free(&ranges);
}

/* The kernel has two pages, a module two pages of code and two of data, BPF a program of three
 * pages. */
static void code_is_found_by_symbols(void **state)
{
	static const char symbols[] = "%" PRIx64 " T _stext\n%" PRIx64 " T _etext\n"
				      "%" PRIx64 " t run\t[mod]\n"
				      "%" PRIx64 " t bpf_prog_1\t[bpf]\n"
				      "%" PRIx64 " t gone\t[unlisted]\n";
	const struct place *place = *state;
	const uint64_t page = kernel_page();
	struct kernel_ranges ranges = {.count = 0};
	struct kernel_core core;
	char text[1024];

	unlink(place->core);
	assert_int_equal(kernel_core_create(&core, place->core), 0);
	add_pages(&core, TEXT, 10);
	add_pages(&core, MODULE, 4);
	add_pages(&core, BPF, 3);
	assert_int_equal(kernel_core_finish(&core), 0);
	snprintf(text, sizeof(text), symbols, TEXT, TEXT + 2 * page, MODULE + page + 8, BPF + 64,
		 OTHER);
	write_text(place->kallsyms, text);
	snprintf(text, sizeof(text), "mod %" PRIu64 " 0 - Live 0x%" PRIx64 "\n", 4 * page, MODULE);
	write_text(place->modules, text);

	write_section(place, ".text", MODULE);
	write_section(place, ".plt", MODULE + page + 8);
	write_section(place, ".rodata", MODULE + 2 * page + 16);
	write_section(place, ".data", MODULE + 3 * page);
	write_section(place, ".init.data", OTHER);
	assert_int_equal(
		kernel_ranges_find(&ranges, &core, place->kallsyms, place->modules, place->root),
		0);
	assert_int_equal(ranges.count, 3);
	assert_true(ranges.items[0].start == MODULE && ranges.items[0].end == MODULE + 2 * page);
	assert_true(ranges.items[1].start == TEXT && ranges.items[1].end == TEXT + 2 * page);
	assert_true(ranges.items[2].start == BPF && ranges.items[2].end == BPF + 3 * page);
	kernel_ranges_free(&ranges);

	/* without addresses of sections the data is in the copy, too */
	assert_int_equal(
		kernel_ranges_find(&ranges, &core, place->kallsyms, place->modules, "/none"), 0);
	assert_true(ranges.items[0].start == MODULE && ranges.items[0].end == MODULE + 4 * page);
	kernel_ranges_free(&ranges);

	/* addresses that are hidden */
	write_text(place->kallsyms, "0 T _stext\n0 T _etext\n0 t bpf_prog_1\t[bpf]\n");
	assert_int_equal(
		kernel_ranges_find(&ranges, &core, place->kallsyms, place->modules, place->root),
		-ENODATA);
	kernel_ranges_free(&ranges);
	assert_int_equal(kernel_ranges_find(&ranges, &core, "/none", place->modules, place->root),
			 -ENOENT);
	kernel_ranges_free(&ranges);
	kernel_core_close(&core);
}

static void a_directory_with_other_files_is_kept(void **state)
{
	const struct place *place = *state;
	char directory[64], path[128];

	snprintf(directory, sizeof(directory), "%s/old", place->root);
	assert_int_equal(mkdir(directory, 0700), 0);
	snprintf(path, sizeof(path), "%s/kcore_dir", directory);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/kcore_dir/kallsyms", directory);
	write_text(path, "");
	snprintf(path, sizeof(path), "%s/data", directory);
	write_text(path, "");
	snprintf(path, sizeof(path), "%s/notes", directory);
	write_text(path, "");
	assert_int_equal(kernel_copy_remove(directory), -ENOTEMPTY);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(kernel_copy_remove(directory), 0);
	assert_int_not_equal(access(directory, F_OK), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages_are_read_as_they_were_written),
		cmocka_unit_test(modules_are_read_line_by_line),
		cmocka_unit_test(ranges_are_joined),
		cmocka_unit_test(code_is_found_by_symbols),
		cmocka_unit_test(a_directory_with_other_files_is_kept),
	};

	return cmocka_run_group_tests(tests, make_place, remove_place);
}
