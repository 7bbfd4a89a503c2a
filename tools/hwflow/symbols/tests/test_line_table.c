/* SPDX-License-Identifier: GPL-2.0-only */
/* Line tables that are made here, of DWARF 4 and 5; each cut and each damaged byte is survived. */
#include <dwarf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbols/line_table.h"

enum { ROOM = 512, OPCODE_BASE = 13, MOST = 1000, DIRECTORY = 9 };

/* struct section - .debug_line that is made */
struct section {
	uint8_t bytes[ROOM];
	size_t size;
};

static void put(struct section *section, uint64_t value, unsigned int size)
{
	assert_true(section->size + size <= ROOM);
	for (unsigned int i = 0; i < size; i++)
		section->bytes[section->size++] = (uint8_t)(value >> 8 * i);
}

static void put_text(struct section *section, const char *text)
{
	do
		put(section, (uint8_t)*text, 1);
	while (*text++);
}

/* From a field of 4 bytes up to here there are so many bytes. */
static void set_length(struct section *section, size_t field)
{
	const size_t end = section->size;

	section->size = field;
	put(section, end - field - 4, 4);
	section->size = end;
}

/* The head up to the directories; returns where the length of the head is */
static size_t begin(struct section *section, unsigned int version)
{
	static const uint8_t operands[] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};
	size_t length;

	section->size = 0;
	put(section, 0, 4);
	put(section, version, 2);
	if (version == 5)
		put(section, 8, 2);
	length = section->size;
	put(section, 0, 4);
	put(section, 0x04010101, 4);
	put(section, 0xf, 1);
	put(section, OPCODE_BASE, 1);
	for (size_t i = 0; i < sizeof(operands); i++)
		put(section, operands[i], 1);
	return length;
}

/* Rows: copy, two special opcodes and the end of the sequence: 4 */
static void put_program(struct section *section, size_t length)
{
	set_length(section, length);
	put(section, 0, 1); /* DW_LNE_set_address */
	put(section, 9, 1);
	put(section, DW_LNE_set_address, 1);
	put(section, 0x1000, 8);
	put(section, DW_LNS_copy, 1);
	put(section, DW_LNS_advance_line, 1);
	put(section, 0x7f80, 2); /* a number of two bytes */
	put(section, OPCODE_BASE + 3, 1);
	put(section, DW_LNS_fixed_advance_pc, 1);
	put(section, 0xffff, 2); /* no opcodes */
	put(section, 0xff, 1);
	put(section, 0, 1);
	put(section, 1, 1);
	put(section, DW_LNE_end_sequence, 1);
	set_length(section, 0);
}

/* Two directories, and two files: a in the first one, bc in that of the compilation */
static void make_4(struct section *section)
{
	const size_t length = begin(section, 4);

	put_text(section, "/usr");
	put_text(section, "/lib/x");
	put(section, 0, 1);
	put_text(section, "a");
	put(section, 1, 3);
	put_text(section, "bc");
	put(section, 0, 3);
	put(section, 0, 1);
	put_program(section, length);
}

/* The same; the name of the first file is in .debug_line_str. */
static void make_5(struct section *section)
{
	const size_t length = begin(section, 5);

	put(section, 1, 1);
	put(section, DW_LNCT_path, 1);
	put(section, DW_FORM_string, 1);
	put(section, 2, 1);
	put_text(section, "/usr");
	put_text(section, "/lib/x");
	put(section, 2, 1);
	put(section, DW_LNCT_path, 1);
	put(section, DW_FORM_line_strp, 1);
	put(section, DW_LNCT_directory_index, 1);
	put(section, DW_FORM_udata, 1);
	put(section, 2, 1);
	put(section, 2, 4);
	put(section, 0, 1);
	put(section, 0, 4);
	put(section, 1, 1);
	put_program(section, length);
}

static bool measure(const struct section *section, size_t size, struct line_table *table)
{
	static const uint8_t strings[] = "x\0long name";
	/* in memory of its own, so that a read behind its end is reported */
	uint8_t *copy = malloc(size ? size : 1);
	bool good;

	assert_non_null(copy);
	memcpy(copy, section->bytes, size);
	*table = (struct line_table){
		.lines = {copy, size},
		.line_strings = {strings, sizeof(strings)},
		.directory_size = DIRECTORY,
		.most = MOST,
	};
	good = line_table_measure(table, 0);
	free(copy);
	return good;
}

/* Of a file its name, its directory, that of the compilation, and 3 bytes between and behind them
 */
static void names_and_rows_are_counted(void **state)
{
	struct section section;
	struct line_table table;

	(void)state;
	make_4(&section);
	assert_true(measure(&section, section.size, &table));
	assert_int_equal(table.rows, 2 + 2 + 4 + section.size / 16);
	assert_int_equal(table.names, 4 + 6 + (DIRECTORY + 4 + 1 + 3) + (DIRECTORY + 2 + 3));
	make_5(&section);
	assert_true(measure(&section, section.size, &table));
	assert_int_equal(table.rows, 2 + 2 + 4 + section.size / 16);
	assert_int_equal(table.names, 4 + 6 + (DIRECTORY + 4 + 9 + 3) + (DIRECTORY + 6 + 1 + 3));
}

static void names_have_a_limit(void **state)
{
	struct section section;
	struct line_table table = {.most = 40, .directory_size = DIRECTORY};

	(void)state;
	make_4(&section);
	table.lines = (struct dwarf_bytes){section.bytes, section.size};
	assert_false(line_table_measure(&table, 0));
	table.most = 41;
	assert_true(line_table_measure(&table, 0));
	table.most = MOST;
	assert_false(line_table_measure(&table, section.size));
}

static void swapped_numbers_are_read(void **state)
{
	static const uint8_t bytes[] = {0x12, 0x34, 0x56, 0x78, 0xe5, 0x8e, 0x26, 0xff};
	struct dwarf_reader reader = {.at = bytes, .end = bytes + sizeof(bytes), .swapped = true};

	(void)state;
	assert_int_equal(dwarf_take(&reader, 4), 0x12345678);
	assert_int_equal(dwarf_take_leb(&reader), 624485);
	assert_false(reader.bad);
	assert_int_equal(dwarf_take(&reader, 2), 0);
	assert_true(reader.bad);
}

static void try_damaged(void (*make)(struct section *section))
{
	struct section section;
	struct line_table table;

	make(&section);
	for (size_t size = 0; size < section.size; size++)
		assert_false(measure(&section, size, &table));
	for (size_t i = 0; i < section.size; i++)
		for (unsigned int value = 0; value < 256; value++) {
			make(&section);
			section.bytes[i] = (uint8_t)value;
			measure(&section, section.size, &table);
			assert_true(table.rows <= section.size);
		}
}

static void cut_and_damaged_tables_are_survived(void **state)
{
	(void)state;
	try_damaged(make_4);
	try_damaged(make_5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_and_rows_are_counted),
		cmocka_unit_test(names_have_a_limit),
		cmocka_unit_test(swapped_numbers_are_read),
		cmocka_unit_test(cut_and_damaged_tables_are_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
