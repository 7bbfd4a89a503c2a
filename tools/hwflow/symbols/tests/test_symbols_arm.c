/* SPDX-License-Identifier: GPL-2.0-only */
/* Names and lines of Arm files with 32 bits: bit 0 of a value is no part of an address. */
#include "tests/elf_test.h"

#include "base/message.h"
#include "hwflow/image.h"
#include "program/elf_function.h"
#include "program/kallsyms.h"
#include "record/events/filter.h"
#include "symbols/symbols.h"

#define TEXT  UINT64_C(0x8000)
#define SIZE  0x40
#define FRAME UINT64_C(0x9000)

/* struct bytes - a section as it is put together */
struct bytes {
	uint8_t at[128];
	size_t size;
};

static void put(struct bytes *bytes, uint64_t value, size_t size)
{
	memcpy(bytes->at + bytes->size, &value, size);
	bytes->size += size;
}

static const uint8_t code[SIZE];

/* A32 and T32 code, with mapping symbols between, and a function that a resolver chooses */
static const struct elf_test_symbol functions[] = {{"arm", TEXT, 8, STT_FUNC},
						   {"$t", TEXT + 8, 0, STT_NOTYPE},
						   {"thumb", TEXT + 9, 0, STT_FUNC},
						   {"$a.2", TEXT + 0xc, 0, STT_NOTYPE},
						   {"chosen", TEXT + 0x11, 0x10, STT_GNU_IFUNC},
						   {"$s4main5swiftyyF", TEXT + 0x21, 0x8, STT_FUNC},
						   {"old", TEXT + 0x28, 0x4, STT_ARM_TFUNC},
						   {"label", TEXT + 0x2c, 0, STT_NOTYPE},
						   {NULL, 0, 0, 0}};

static const struct elf_test arm = {.machine = EM_ARM,
				    .entry = TEXT + 9,
				    .address = TEXT,
				    .code = code,
				    .code_size = SIZE,
				    .symbols = functions};

/* struct program - a file on this machine, and an image of it */
struct program {
	char path[64];
	struct hwf_image *image;
	struct hwf_image_file *file;
	struct hwf_image_space *space;
	struct symbols *symbols;
};

static void program_open(struct program *program, const struct elf_test *test)
{
	snprintf(program->path, sizeof(program->path), "/tmp/hwflow-elf-%d", getpid());
	elf_test_write(test, program->path);
	assert_int_equal(hwf_image_new(&program->image, NULL, NULL), 0);
	assert_int_equal(hwf_image_add_space(program->image, NULL, NULL, &program->space), 0);
	assert_int_equal(hwf_image_add_file(program->image, program->path, NULL, &program->file),
			 0);
	assert_int_equal(hwf_image_map_elf(program->space, program->file, 0), 0);
	assert_int_equal(symbols_new(&program->symbols, NULL, false), 0);
}

static void program_close(struct program *program)
{
	symbols_free(program->symbols);
	hwf_image_free(program->image);
	unlink(program->path);
}

static void check_name(const struct program *program, uint64_t address, const char *name,
		       uint64_t offset, uint64_t last)
{
	const struct place_name found = symbols_find(program->symbols, program->space, address);

	assert_string_equal(found.function->name, name);
	assert_int_equal(found.offset, offset);
	assert_int_equal(found.first, address - offset);
	assert_int_equal(found.last, last);
}

static void a_function_begins_at_its_first_instruction(void **state)
{
	struct program program;

	(void)state;
	program_open(&program, &arm);
	check_name(&program, TEXT, "arm", 0, TEXT + 7);
	check_name(&program, TEXT + 8, "thumb", 0, TEXT + 0xf);
	check_name(&program, TEXT + 0xe, "thumb", 6, TEXT + 0xf);
	check_name(&program, TEXT + 0x10, "chosen", 0, TEXT + 0x1f);
	check_name(&program, TEXT + 0x20, "$s4main5swiftyyF", 0, TEXT + 0x27);
	check_name(&program, TEXT + 0x28, "old", 0, TEXT + 0x2b);
	check_name(&program, TEXT + 0x2c, "label", 0, TEXT + SIZE - 1);
	program_close(&program);
}

static void an_entry_point_is_an_address(void **state)
{
	struct elf_test test = arm;
	struct program program;

	(void)state;
	program_open(&program, &arm);
	assert_int_equal(hwf_image_file_elf(program.file)->entry, TEXT + 8);
	program_close(&program);
	/* other machines have no such bit, and only Arm has this type of a symbol */
	test.machine = EM_AARCH64;
	program_open(&program, &test);
	assert_int_equal(hwf_image_file_elf(program.file)->entry, TEXT + 9);
	check_name(&program, TEXT + 9, "thumb", 0, TEXT + 0x10);
	assert_string_not_equal(
		symbols_find(program.symbols, program.space, TEXT + 0x29).function->name, "old");
	program_close(&program);
}

static void a_filter_begins_at_the_first_instruction(void **state)
{
	char text[160], expected[160], message[256], *resolved;
	struct program program;
	uint64_t offset;
	GElf_Phdr segment;
	Elf *elf;
	FILE *file;

	(void)state;
	program_open(&program, &arm);
	file = fopen(program.path, "re");
	assert_non_null(file);
	elf = elf_begin(fileno(file), ELF_C_READ, NULL);
	assert_non_null(gelf_getphdr(elf, 0, &segment));
	elf_end(elf);
	fclose(file);
	snprintf(text, sizeof(text), "filter chosen@%s", program.path);
	snprintf(expected, sizeof(expected), "filter %#lx/0x10@%s",
		 (unsigned long)segment.p_offset + 0x10, program.path);
	resolved = record_filter_resolve(text, message, sizeof(message));
	assert_non_null(resolved);
	assert_string_equal(resolved, expected);
	free(resolved);
	assert_true(record_filter_find("old", program.path, &offset, message, sizeof(message)));
	assert_int_equal(offset, segment.p_offset + 0x28);
	program_close(&program);
}

/* An unwind table with one function, whose start has bit 0 set */
static void frames_begin_at_the_first_instruction(void **state)
{
	struct bytes bytes = {.size = 0};
	const struct elf_test_section sections[] = {
		{".eh_frame", bytes.at, sizeof(bytes.at), FRAME, 0, 0, 0},
		{NULL, NULL, 0, 0, 0, 0, 0}};
	struct elf_test test = arm;
	struct program program;

	(void)state;
	put(&bytes, 16, 4); /* CIE: version 1, augmentation zR */
	put(&bytes, 0, 4);
	put(&bytes, 1, 1);
	put(&bytes, 'z' | 'R' << 8, 3);
	put(&bytes, 2, 1);
	put(&bytes, 0x7c, 1);
	put(&bytes, 14, 1);
	put(&bytes, 1, 1);
	put(&bytes, 0x1b, 1); /* relative to its own place, 4 bytes */
	put(&bytes, 0, 3);
	put(&bytes, 16, 4); /* FDE */
	put(&bytes, bytes.size, 4);
	put(&bytes, TEXT + 0x31 - (FRAME + bytes.size), 4);
	put(&bytes, 0xc, 4);
	put(&bytes, 0, 4);
	test.symbols = NULL;
	test.sections = sections;
	program_open(&program, &test);
	assert_int_equal(symbols_find(program.symbols, program.space, TEXT + 0x30).function->start,
			 TEXT + 0x30);
	assert_int_equal(symbols_find(program.symbols, program.space, TEXT + 0x3a).function->end,
			 TEXT + 0x3c);
	program_close(&program);
}

/*
 * One unit, whose addresses have bit 0 set if @bit is 1: two lines, and the end of the rows.
 * @has_end: the unit has its last address, too
 */
static void make_lines(struct bytes section[4], uint64_t bit, bool has_end)
{
	struct bytes *abbreviations = &section[0], *information = &section[1];
	struct bytes *ranges = &section[2], *lines = &section[3];

	/* a unit without children: stmt_list, low_pc, high_pc */
	put(abbreviations, 1 | 0x11 << 8, 2);
	put(abbreviations, 0, 1);
	put(abbreviations, 0x10 | 0x17 << 8, 2);
	put(abbreviations, 0x11 | 0x01 << 8, 2);
	if (has_end)
		put(abbreviations, 0x12 | 0x06 << 8, 2);
	put(abbreviations, 0, 3);
	put(information, 4 + 2 + 4 + 1 + 1 + (has_end ? 12 : 8) - 4, 4);
	put(information, 4, 2);
	put(information, 0, 4);
	put(information, 4, 1);
	put(information, 1, 1);
	put(information, 0, 4);
	put(information, TEXT + bit, 4);
	if (has_end)
		put(information, 0x10, 4);
	put(ranges, 28, 4);
	put(ranges, 2, 2);
	put(ranges, 0, 4);
	put(ranges, 4, 1);
	put(ranges, 0, 1);
	put(ranges, 0, 4); /* up to a multiple of a pair */
	put(ranges, TEXT + bit, 4);
	put(ranges, 0x10, 4);
	put(ranges, 0, 8);
	put(lines, 0, 4);
	put(lines, 3, 2);
	put(lines, 20, 4); /* bytes of the header from here on */
	put(lines, 1 | 1 << 8 | 0 << 16 | 1 << 24, 4);
	put(lines, 4, 1); /* special opcodes begin here, so that three have lengths */
	put(lines, 0 | 1 << 8 | 1 << 16, 3);
	put(lines, 0, 1);
	memcpy(lines->at + lines->size, "a.c", 4);
	lines->size += 4;
	put(lines, 0, 3);
	put(lines, 0, 1);
	lines->at[6] = (uint8_t)(lines->size - 10);
	put(lines, 0x0500, 2); /* set the address */
	put(lines, 2, 1);
	put(lines, TEXT + bit, 4);
	put(lines, 1, 1);      /* a row of line 1 */
	put(lines, 0x0802, 2); /* 8 bytes on */
	put(lines, 0x0603, 2); /* 6 lines on */
	put(lines, 1, 1);
	put(lines, 0x0802, 2);
	put(lines, 0x010100, 3); /* the end */
	lines->at[0] = (uint8_t)(lines->size - 4);
}

/* A unit with an end and .debug_aranges, with an end, and with its first address only */
static void lines_have_their_first_instruction(void **state)
{
	(void)state;
	for (uint64_t kind = 0; kind < 6; kind++) {
		struct bytes section[4] = {{.size = 0}};
		struct elf_test_section sections[] = {
			{".debug_abbrev", section[0].at, 0, 0, 0, 0, 0},
			{".debug_info", section[1].at, 0, 0, 0, 0, 0},
			{kind < 2 ? ".debug_aranges" : ".other", section[2].at, 0, 0, 0, 0, 0},
			{".debug_line", section[3].at, 0, 0, 0, 0, 0},
			{NULL, NULL, 0, 0, 0, 0, 0}};
		struct elf_test test = arm;
		struct program program;

		make_lines(section, kind & 1, kind < 4);
		for (size_t i = 0; i < 4; i++)
			sections[i].size = section[i].size;
		test.sections = sections;
		program_open(&program, &test);
		assert_int_equal(symbols_line(program.symbols, program.space, TEXT).line, 1);
		assert_int_equal(symbols_line(program.symbols, program.space, TEXT + 6).line, 1);
		assert_int_equal(symbols_line(program.symbols, program.space, TEXT + 8).line, 7);
		assert_int_equal(symbols_line(program.symbols, program.space, TEXT + 14).line, 7);
		assert_null(symbols_line(program.symbols, program.space, TEXT + 16).file);
		program_close(&program);
	}
}

static void count_message(void *ctx, const char *line)
{
	unsigned int *count = ctx;

	assert_non_null(strstr(line, ": its debug information is damaged, or of a version"));
	++*count;
}

static void a_line_table_that_cannot_be_read_is_reported_once(void **state)
{
	struct bytes section[4] = {{.size = 0}};
	struct elf_test_section sections[] = {{".debug_abbrev", section[0].at, 0, 0, 0, 0, 0},
					      {".debug_info", section[1].at, 0, 0, 0, 0, 0},
					      {".debug_aranges", section[2].at, 0, 0, 0, 0, 0},
					      {".debug_line", section[3].at, 0, 0, 0, 0, 0},
					      {NULL, NULL, 0, 0, 0, 0, 0}};
	struct elf_test test = arm;
	struct program program;
	unsigned int count = 0;

	(void)state;
	make_lines(section, 0, true);
	section[3].at[4] = 99; /* the version */
	for (size_t i = 0; i < 4; i++)
		sections[i].size = section[i].size;
	test.sections = sections;
	program_open(&program, &test);
	message_forward(count_message, &count);
	assert_null(symbols_line(program.symbols, program.space, TEXT).file);
	assert_null(symbols_line(program.symbols, program.space, TEXT + 8).file);
	message_forward(NULL, NULL);
	assert_int_equal(count, 1);
	program_close(&program);
}

static int take_symbol(void *ctx, const struct kallsym *symbol)
{
	uint64_t *sum = ctx;

	sum[kallsyms_is_code(symbol)] += symbol->address;
	return 0;
}

static void code_in_kallsyms_is_at_even_addresses(void **state)
{
	static const char text[] =
		"c0008001 T stext\r\nc0008021 t local\nbf000041 t of_module\t[m]\n"
		"bf000101 d data\t[m]\nc0008031 W weak\n";
	uint64_t sum[2] = {0, 0};
	char path[64];
	FILE *file;

	(void)state;
	snprintf(path, sizeof(path), "/tmp/hwflow-kallsyms-%d", getpid());
	file = fopen(path, "we");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	assert_int_equal(kallsyms_read(path, 0, take_symbol, sum), 0);
	assert_int_equal(sum[1], UINT64_C(0xc0008000) + 0xc0008020 + 0xbf000040 + 0xc0008030);
	assert_int_equal(sum[0], 0xbf000101);
	unlink(path);
}

static void mapping_symbols_are_no_names(void **state)
{
	static const char *const marks[] = {"$a", "$t",          "$x",
					    "$d", "$d.realdata", "$xrv64i2p1_c2p0"};
	static const char *const names[] = {"$", "$s4main", "$tab", "$x86", "a", "$b"};

	(void)state;
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		assert_true(elf_is_mapping_symbol(marks[i]));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_false(elf_is_mapping_symbol(names[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_function_begins_at_its_first_instruction),
		cmocka_unit_test(an_entry_point_is_an_address),
		cmocka_unit_test(a_filter_begins_at_the_first_instruction),
		cmocka_unit_test(frames_begin_at_the_first_instruction),
		cmocka_unit_test(lines_have_their_first_instruction),
		cmocka_unit_test(a_line_table_that_cannot_be_read_is_reported_once),
		cmocka_unit_test(code_in_kallsyms_is_at_even_addresses),
		cmocka_unit_test(mapping_symbols_are_no_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
