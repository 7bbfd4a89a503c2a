// SPDX-License-Identifier: GPL-2.0-only
/* Maps of basic blocks: each version and feature, and damage at each byte. */
#include <errno.h>

#include "base/file_map.h"
#include "tests/elf_test.h"
#include "profile/block_map.h"

/* SHT_LLVM_BB_ADDR_MAP */
#define TYPE 0x6fff4c0a

/* An address of eight bytes, below 0x10000 */
#define ADDRESS(at) (at) & 0xff, (at) >> 8, 0, 0, 0, 0, 0, 0

/* struct loaded - a map, and the file that it was read from */
struct loaded {
	struct block_map map;
	struct file_map file;
	const char *reason;
	int status;
};

static struct loaded load(const uint8_t *bytes, size_t size)
{
	static const uint8_t code[0x40];
	const struct elf_test_section sections[] = {
		{.name = ".llvm_bb_addr_map", .bytes = bytes, .size = size, .type = TYPE},
		{.name = NULL},
	};
	const struct elf_test_symbol symbols[] = {{.name = NULL}};
	struct loaded loaded = {.reason = NULL};
	char path[] = "/tmp/test_block_map.XXXXXX";
	const int fd = mkstemp(path);

	assert_true(fd >= 0);
	elf_test_write(&(struct elf_test){.machine = EM_AARCH64,
					  .address = 0x1000,
					  .code = code,
					  .code_size = sizeof(code),
					  .symbols = symbols,
					  .sections = sections},
		       path);
	assert_int_equal(file_map(&loaded.file, path, 0), 0);
	unlink(path);
	close(fd);
	loaded.status =
		block_map_read(&loaded.map, loaded.file.bytes, loaded.file.size, &loaded.reason);
	return loaded;
}

static void unload(struct loaded *loaded)
{
	block_map_free(&loaded->map);
	file_unmap(&loaded->file);
}

static void assert_block(const struct loaded *loaded, size_t index, uint64_t start, uint64_t end,
			 uint32_t id, uint32_t function)
{
	const struct basic_block *block = &loaded->map.blocks[index];

	assert_true(index < loaded->map.count);
	assert_int_equal(block->start, start);
	assert_int_equal(block->end, end);
	assert_int_equal(block->id, id);
	assert_int_equal(block->function, function);
}

static const uint8_t both[] = {
	/* version 2, no feature: two blocks, four bytes apart, the second of 300 bytes */
	2, 0, ADDRESS(0x2000), 2, 0, 0, 16, 8, 5, 4, 0xac, 0x02, 1,
	/* version 5 with calls, hashes and ranges, of which the second lies before the first */
	5, 0x68, 0, 2, ADDRESS(0x1800), 1, 0, 0, 2, 8, 4, 12, 8, 1, 2, 3, 4, 5, 6, 7, 8,
	ADDRESS(0x1000), 1, 7, 0, 0, 8, 0, 1, 2, 3, 4, 5, 6, 7, 8,
	/* version 3 with counts and probabilities; a block is empty */
	3, 0x07, ADDRESS(0x3000), 2, 0, 0, 4, 0, 1, 0, 0, 0, 100, 50, 2, 1, 9, 2, 9, 7, 0};

static void each_version_is_read(void **state)
{
	struct loaded loaded = load(both, sizeof(both));

	(void)state;
	assert_int_equal(loaded.status, 0);
	assert_int_equal(loaded.map.functions, 3);
	assert_int_equal(loaded.map.count, 6);
	assert_block(&loaded, 0, 0x1000, 0x1008, 7, 1);
	assert_block(&loaded, 1, 0x1800, 0x1818, 0, 1);
	assert_block(&loaded, 2, 0x2000, 0x2010, 0, 0);
	assert_block(&loaded, 3, 0x2014, 0x2140, 5, 0);
	assert_block(&loaded, 4, 0x3000, 0x3004, 0, 2);
	assert_block(&loaded, 5, 0x3004, 0x3004, 1, 2);
	assert_int_equal(loaded.map.entries[0], 0x2000);
	assert_int_equal(loaded.map.entries[1], 0x1800);
	assert_int_equal(loaded.map.entries[2], 0x3000);
	assert_null(block_map_find(&loaded.map, 0xfff));
	assert_ptr_equal(block_map_find(&loaded.map, 0x1000), &loaded.map.blocks[0]);
	assert_null(block_map_find(&loaded.map, 0x2010));
	assert_ptr_equal(block_map_find(&loaded.map, 0x213f), &loaded.map.blocks[3]);
	assert_null(block_map_find(&loaded.map, 0x2140));
	assert_null(block_map_find(&loaded.map, 0x3004));
	unload(&loaded);
}

static void a_map_that_is_cut_off_is_an_error(void **state)
{
	/* where a function ends */
	const size_t first = 20, second = 70;

	(void)state;
	for (size_t size = 1; size < sizeof(both); size++) {
		struct loaded loaded = load(both, size);

		assert_int_equal(loaded.status, size == first || size == second ? 0 : -EINVAL);
		assert_true(loaded.status ? loaded.reason != NULL : loaded.map.count);
		unload(&loaded);
	}
}

static void damage_is_no_crash(void **state)
{
	uint8_t bytes[sizeof(both)];

	(void)state;
	for (size_t i = 0; i < 8 * sizeof(both); i++) {
		struct loaded loaded;

		memcpy(bytes, both, sizeof(both));
		bytes[i / 8] ^= (uint8_t)(1 << i % 8);
		loaded = load(bytes, sizeof(bytes));
		for (size_t j = 1; !loaded.status && j < loaded.map.count; j++)
			assert_true(loaded.map.blocks[j - 1].end <= loaded.map.blocks[j].start);
		unload(&loaded);
	}
}

static void unknown_versions_are_refused(void **state)
{
	static const uint8_t oldest[] = {1, 0, ADDRESS(0x1000), 0};
	static const uint8_t newest[] = {6, 0, 0, ADDRESS(0x1000), 0};
	static const uint8_t feature[] = {2, 0x80, ADDRESS(0x1000), 0};
	static const uint8_t huge[] = {2,    0,   ADDRESS(0x1000), 0xff, 0xff, 0xff, 0xff, 0xff,
				       0xff, 0x7f};
	struct loaded loaded = load(oldest, sizeof(oldest));

	(void)state;
	assert_int_equal(loaded.status, -EOPNOTSUPP);
	unload(&loaded);
	loaded = load(newest, sizeof(newest));
	assert_int_equal(loaded.status, -EOPNOTSUPP);
	unload(&loaded);
	loaded = load(feature, sizeof(feature));
	assert_int_equal(loaded.status, -EOPNOTSUPP);
	unload(&loaded);
	loaded = load(huge, sizeof(huge));
	assert_int_equal(loaded.status, -EINVAL);
	unload(&loaded);
}

static void blocks_do_not_overlap(void **state)
{
	/* two functions that the linker has folded */
	static const uint8_t folded[] = {2, 0, ADDRESS(0x1000), 1, 0, 0, 8, 0,
					 2, 0, ADDRESS(0x1000), 1, 0, 0, 8, 0};
	struct loaded loaded = load(folded, sizeof(folded));

	(void)state;
	assert_int_equal(loaded.status, 0);
	assert_int_equal(loaded.map.count, 1);
	unload(&loaded);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_version_is_read),
		cmocka_unit_test(a_map_that_is_cut_off_is_an_error),
		cmocka_unit_test(damage_is_no_crash),
		cmocka_unit_test(unknown_versions_are_refused),
		cmocka_unit_test(blocks_do_not_overlap),
	};

	elf_version(EV_CURRENT);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
