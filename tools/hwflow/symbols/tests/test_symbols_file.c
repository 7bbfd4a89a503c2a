/* SPDX-License-Identifier: GPL-2.0-only */
/* Bounds of functions from .eh_frame and from calls, and functions from .gopclntab: whole, cut and
 * damaged. */
#include <libelf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "symbols/symbols_calls.h"
#include "symbols/symbols_frames.h"
#include "symbols/symbols_go.h"

#define TEXT      UINT64_C(0x400000)
#define TEXT_SIZE 0x10000
#define TABLE     UINT64_C(0x500000)

/* struct bytes - a section as it is put together */
struct bytes {
	uint8_t at[1024];
	size_t size;
};

static void put(struct bytes *bytes, uint64_t value, size_t size)
{
	memcpy(bytes->at + bytes->size, &value, size);
	bytes->size += size;
}

/* Further contents of the ELF file: a relocation, and .init; flags of the section that ends the
 * file */
static struct extra {
	Elf64_Rela relocation;
	bool init;
	uint64_t flags;
} extra;

/* An ELF file with an empty .text and one section, whose contents end the file. */
static uint8_t *make_elf(const char *name, const void *contents, size_t size, size_t *total)
{
	static const char text[] = "\0.text\0.shstrtab\0.init\0";
	char names[64];
	Elf64_Ehdr head = {.e_ident = ELFMAG "\2\1\1",
			   .e_type = ET_EXEC,
			   .e_machine = EM_AARCH64,
			   .e_version = EV_CURRENT,
			   .e_shoff = sizeof(head) + sizeof(names) + sizeof(extra.relocation),
			   .e_ehsize = sizeof(head),
			   .e_shentsize = sizeof(Elf64_Shdr),
			   .e_shnum = 6,
			   .e_shstrndx = 2};
	Elf64_Shdr sections[6] = {
		{0},
		{.sh_name = 1, .sh_type = SHT_NOBITS, .sh_addr = TEXT, .sh_size = TEXT_SIZE},
		{.sh_name = 7,
		 .sh_type = SHT_STRTAB,
		 .sh_offset = sizeof(head),
		 .sh_size = sizeof(names)},
		{.sh_name = extra.init ? 17 : 0, .sh_type = SHT_NOBITS},
		{.sh_type = SHT_RELA,
		 .sh_offset = sizeof(head) + sizeof(names),
		 .sh_size = sizeof(extra.relocation),
		 .sh_entsize = sizeof(extra.relocation)},
		{.sh_name = sizeof(text) - 1,
		 .sh_type = SHT_PROGBITS,
		 .sh_flags = extra.flags,
		 .sh_addr = TABLE,
		 .sh_offset =
			 sizeof(head) + sizeof(names) + sizeof(extra.relocation) + sizeof(sections),
		 .sh_size = size},
	};
	uint8_t *bytes;

	memset(names, 0, sizeof(names));
	memcpy(names, text, sizeof(text));
	memcpy(names + sizeof(text) - 1, name, strlen(name) + 1);
	*total = sections[5].sh_offset + size;
	bytes = malloc(*total);
	assert_non_null(bytes);
	memcpy(bytes, &head, sizeof(head));
	memcpy(bytes + sizeof(head), names, sizeof(names));
	memcpy(bytes + sizeof(head) + sizeof(names), &extra.relocation, sizeof(extra.relocation));
	memcpy(bytes + head.e_shoff, sections, sizeof(sections));
	memcpy(bytes + *total - size, contents, size);
	return bytes;
}

/* A CIE whose FDEs have addresses in this encoding, which has numbers of four or eight bytes. */
static void put_cie(struct bytes *bytes, uint8_t encoding)
{
	put(bytes, 16, 4);
	put(bytes, 0, 4);
	put(bytes, 1, 1);
	put(bytes, 'z' | 'R' << 8, 3);
	put(bytes, 4, 1);
	put(bytes, 0x78, 1);
	put(bytes, 30, 1);
	put(bytes, 1, 1);
	put(bytes, encoding, 1);
	put(bytes, 0, 3);
}

static void put_fde(struct bytes *bytes, size_t cie, uint64_t start, uint64_t length, size_t number,
		    bool relative)
{
	put(bytes, 4 + 2 * number + 4, 4);
	put(bytes, bytes->size - cie, 4);
	put(bytes, relative ? start - (TABLE + bytes->size) : start, number);
	put(bytes, length, number);
	put(bytes, 0, 4);
}

/* Five functions, out of order, in two encodings; one was left out by the linker. */
static struct bytes make_frames(void)
{
	struct bytes bytes = {.size = 0};
	size_t second;

	put_cie(&bytes, 0x1b);
	put_fde(&bytes, 0, TEXT + 0x100, 0x40, 4, true);
	put_fde(&bytes, 0, TEXT, 0x20, 4, true);
	put_fde(&bytes, 0, 0, 0, 4, true);
	/* this one begins in the one before */
	put_fde(&bytes, 0, TEXT + 0x10, 0x30, 4, true);
	second = bytes.size;
	put_cie(&bytes, 0x04);
	put_fde(&bytes, second, TEXT + 0x200, 0x80, 8, false);
	put_fde(&bytes, 0, TEXT + 0x180, 0x80, 4, true);
	put(&bytes, 0, 4);
	return bytes;
}

static size_t read_frames(const struct bytes *bytes, struct frame **frames)
{
	size_t total, count;
	uint8_t *file = make_elf(".eh_frame", bytes->at, bytes->size, &total);
	Elf *elf = elf_memory((char *)file, total);

	assert_non_null(elf);
	count = frames_read(elf, frames);
	elf_end(elf);
	free(file);
	return count;
}

static void frames_have_bounds(void **state)
{
	static const struct frame expected[] = {
		{TEXT, TEXT + 0x10},          {TEXT + 0x10, TEXT + 0x40},
		{TEXT + 0x100, TEXT + 0x140}, {TEXT + 0x180, TEXT + 0x200},
		{TEXT + 0x200, TEXT + 0x280},
	};
	const struct bytes bytes = make_frames();
	struct frame *frames;

	(void)state;
	assert_int_equal(read_frames(&bytes, &frames), 5);
	assert_memory_equal(frames, expected, sizeof(expected));
	free(frames);
}

/* The frames read are in order, whatever the damage. */
static void check_order(const struct frame *frames, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		assert_true(frames[i].start < frames[i].end);
		assert_true(!i || frames[i - 1].end <= frames[i].start);
	}
}

/* The last entry of the section ends behind the start of its function. */
static void a_frame_without_a_size_is_left_out(void **state)
{
	struct bytes bytes = {.size = 0};
	struct frame *frames;

	(void)state;
	put_cie(&bytes, 0x1b);
	put(&bytes, 8, 4);
	put(&bytes, bytes.size, 4);
	put(&bytes, TEXT - (TABLE + bytes.size), 4);
	assert_int_equal(read_frames(&bytes, &frames), 0);
	free(frames);
}

static void damaged_frames_are_survived(void **state)
{
	const struct bytes whole = make_frames();
	uint32_t seed = 2463534242;
	struct frame *frames;
	size_t count;

	(void)state;
	for (size_t size = 0; size < whole.size; size++) {
		struct bytes bytes = whole;

		bytes.size = size;
		count = read_frames(&bytes, &frames);
		check_order(frames, count);
		free(frames);
	}
	for (int round = 0; round < 20000; round++) {
		struct bytes bytes = whole;

		for (int i = 0; i <= round % 4; i++) {
			seed = seed * 1664525 + 1013904223;
			bytes.at[(seed >> 8) % bytes.size] = (uint8_t)(round % 3 ? seed : 0xff);
		}
		count = read_frames(&bytes, &frames);
		check_order(frames, count);
		free(frames);
	}
}

/* BL, to so many instructions behind it */
static uint32_t bl(int words)
{
	return 0x94000000 | ((uint32_t)words & 0x3ffffff);
}

/* Code with frames for its words 4 to 7 and 8 to 9. Words 2, 6 and, twice, 11 are called. */
static size_t add_called(const struct bytes *bytes, struct frame **frames)
{
	static const struct frame known[] = {{TABLE + 16, TABLE + 32}, {TABLE + 32, TABLE + 40}};
	size_t total, count;
	uint8_t *file;
	Elf *elf;

	extra.flags = SHF_EXECINSTR;
	file = make_elf(".text.b", bytes->at, bytes->size, &total);
	extra.flags = 0;
	elf = elf_memory((char *)file, total);
	assert_non_null(elf);
	*frames = malloc(sizeof(known));
	assert_non_null(*frames);
	memcpy(*frames, known, sizeof(known));
	count = calls_add_frames(elf, frames, 2);
	elf_end(elf);
	free(file);
	return count;
}

static struct bytes make_calls(void)
{
	struct bytes bytes = {.size = 0};
	const uint32_t code[] = {
		bl(2), bl(-2), 0, 0, bl(2), bl(6), 0, 0, bl(3), bl(1024), 0, 0, 0, 0,
	};

	memcpy(bytes.at, code, sizeof(code));
	bytes.size = sizeof(code);
	return bytes;
}

static void code_that_is_called_has_bounds(void **state)
{
	static const struct frame expected[] = {
		{TABLE + 8, TABLE + 16},
		{TABLE + 16, TABLE + 32},
		{TABLE + 32, TABLE + 40},
		{TABLE + 44, TABLE + 56},
	};
	static const struct frame pointed[] = {
		{TABLE + 44, TABLE + 48},
		{TABLE + 48, TABLE + 56},
	};
	const struct bytes bytes = make_calls();
	struct frame *frames;

	(void)state;
	extra = (struct extra){.init = false};
	assert_int_equal(add_called(&bytes, &frames), 4);
	assert_memory_equal(frames, expected, sizeof(expected));
	free(frames);
	/* and what a pointer has the address of */
	extra.relocation = (Elf64_Rela){0, R_AARCH64_RELATIVE, TABLE + 48};
	assert_int_equal(add_called(&bytes, &frames), 5);
	assert_memory_equal(frames + 3, pointed, sizeof(pointed));
	free(frames);
	extra.relocation.r_info = R_AARCH64_COPY;
	assert_int_equal(add_called(&bytes, &frames), 4);
	free(frames);
	extra = (struct extra){.init = false};
}

static void damaged_calls_are_survived(void **state)
{
	const struct bytes whole = make_calls();
	uint32_t seed = 2463534242;
	struct frame *frames;
	size_t count;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		struct bytes bytes = whole;

		bytes.size -= (size_t)round % 7;
		for (int i = 0; i <= round % 4; i++) {
			seed = seed * 1664525 + 1013904223;
			bytes.at[(seed >> 8) % bytes.size] = (uint8_t)(round % 3 ? seed : 0xff);
		}
		count = add_called(&bytes, &frames);
		assert_true(count >= 2);
		check_order(frames, count);
		free(frames);
	}
}

/* struct go_version - a layout of the table of Go */
struct go_version {
	uint32_t magic;
	uint8_t pointer;
	uint64_t text; /* in the head; 0: the beginning of .text */
};

static const struct go_version go_versions[] = {
	{0xfffffffb, 8, 0},           {0xfffffffb, 4, 0},           {0xfffffffa, 8, 0},
	{0xfffffffa, 4, 0},           {0xfffffff0, 8, TEXT + 0x40}, {0xfffffff0, 4, TEXT + 0x40},
	{0xfffffff1, 8, TEXT + 0x40}, {0xfffffff1, 8, 0},
};

#define GO_VERSIONS (sizeof(go_versions) / sizeof(go_versions[0]))

static const char go_names[] = "main.first\0main.(*T).second\0go.third";

/* Offsets of the three names, and of the functions from the beginning of the code */
static const uint32_t go_name_at[] = {0, 11, 28}, go_at[] = {0, 0x30, 0x50, 0x90};

/* The head, names, the table of functions, and their descriptions */
static struct bytes make_go(const struct go_version *version)
{
	const bool old = version->magic == 0xfffffffb, is_118 = version->magic < 0xfffffffa;
	const size_t field = is_118 ? 4 : version->pointer;
	const uint64_t head = 8 + (uint64_t)version->pointer * (old ? 1 : is_118 ? 8 : 7);
	const uint64_t text = is_118 ? 0 : TEXT + 0x40;
	const uint64_t names = old ? head + 7 * field + 3 * (field + 4) : head;
	const uint64_t table = old ? head : head + sizeof(go_names);
	const uint64_t origin = old ? 0 : table;
	struct bytes bytes = {.size = 0};

	put(&bytes, version->magic, 4);
	put(&bytes, 0x04 << 16 | (uint64_t)version->pointer << 24, 4);
	put(&bytes, 3, version->pointer);
	for (unsigned int word = 1; !old && word < (is_118 ? 8 : 7); word++)
		put(&bytes,
		    is_118 && word == 2          ? version->text
		    : word == (is_118 ? 3 : 2)   ? names
		    : word == (is_118 ? 7u : 6u) ? table
						 : 0,
		    version->pointer);
	if (!old) {
		memcpy(bytes.at + bytes.size, go_names, sizeof(go_names));
		bytes.size += sizeof(go_names);
	}
	for (unsigned int i = 0; i < 4; i++) {
		put(&bytes, text + go_at[i], field);
		if (i < 3)
			put(&bytes, table - origin + 7 * field + i * (field + 4), field);
	}
	for (unsigned int i = 0; i < 3; i++) {
		put(&bytes, text + go_at[i], field);
		put(&bytes, go_name_at[i] + (old ? names : 0), 4);
	}
	if (old) {
		memcpy(bytes.at + bytes.size, go_names, sizeof(go_names));
		bytes.size += sizeof(go_names);
	}
	return bytes;
}

/* struct go_file - a file with such a table, and the functions read from it */
struct go_file {
	uint8_t *bytes;
	Elf *elf;
	struct go_function *functions;
	size_t count;
};

static struct go_file open_go(const char *section, const struct bytes *bytes)
{
	struct go_file file;
	size_t total;

	file.bytes = make_elf(section, bytes->at, bytes->size, &total);
	file.elf = elf_memory((char *)file.bytes, total);
	assert_non_null(file.elf);
	file.count = go_read(file.elf, &file.functions);
	return file;
}

static void close_go(const struct go_file *file)
{
	free(file->functions);
	elf_end(file->elf);
	free(file->bytes);
}

static void go_functions_have_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < GO_VERSIONS; i++) {
		const struct bytes bytes = make_go(&go_versions[i]);
		const uint64_t text = go_versions[i].magic == 0xfffffff1 && !go_versions[i].text
					      ? TEXT
					      : TEXT + 0x40;
		const struct go_file file =
			open_go(i % 2 ? ".gopclntab" : ".data.rel.ro.gopclntab", &bytes);

		assert_int_equal(file.count, 3);
		for (size_t j = 0; j < 3; j++) {
			assert_string_equal(file.functions[j].name, go_names + go_name_at[j]);
			assert_int_equal(file.functions[j].start, text + go_at[j]);
			assert_int_equal(file.functions[j].size, go_at[j + 1] - go_at[j]);
		}
		close_go(&file);
	}
}

/* Position-independent code: the beginning of the code is in a relocation. */
static void go_text_is_relocated(void **state)
{
	const struct bytes bytes = make_go(&(struct go_version){0xfffffff1, 8, 0});
	struct go_file file;

	(void)state;
	extra = (struct extra){{TABLE + 24, 1027, TEXT + 0x80}, true, 0};
	file = open_go(".gopclntab", &bytes);
	assert_int_equal(file.count, 3);
	assert_int_equal(file.functions[0].start, TEXT + 0x80);
	close_go(&file);
	/* C code comes first, and it is not known how much */
	extra.relocation.r_offset = TABLE;
	file = open_go(".gopclntab", &bytes);
	assert_int_equal(file.count, 0);
	close_go(&file);
	extra = (struct extra){.init = false};
}

static void read_damaged_go(const struct bytes *bytes)
{
	const struct go_file file = open_go(".gopclntab", bytes);

	for (size_t i = 0; i < file.count; i++) {
		assert_true(strlen(file.functions[i].name) < bytes->size);
		assert_true(file.functions[i].size != 0);
	}
	close_go(&file);
}

static void damaged_go_tables_are_survived(void **state)
{
	uint32_t seed = 2463534242;

	(void)state;
	for (size_t i = 0; i < GO_VERSIONS; i++) {
		const struct bytes whole = make_go(&go_versions[i]);

		for (size_t size = 0; size < whole.size; size++) {
			struct bytes bytes = whole;

			bytes.size = size;
			read_damaged_go(&bytes);
		}
		for (int round = 0; round < 4000; round++) {
			struct bytes bytes = whole;

			for (int j = 0; j <= round % 4; j++) {
				seed = seed * 1664525 + 1013904223;
				bytes.at[4 + (seed >> 8) % (bytes.size - 4)] =
					(uint8_t)(round % 3 ? seed : 0xff);
			}
			read_damaged_go(&bytes);
		}
	}
}

/* A count, and offsets, that only seem to fit because a product of them is cut to 64 bits */
static void large_go_numbers_are_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < GO_VERSIONS; i++) {
		for (unsigned int word = 0; word < 8; word++) {
			struct bytes bytes = make_go(&go_versions[i]);
			const size_t at = 8 + (size_t)word * go_versions[i].pointer;

			for (int shift = 0; shift < 8 * go_versions[i].pointer; shift++) {
				const uint64_t value = UINT64_MAX << shift;

				memcpy(bytes.at + at, &value, go_versions[i].pointer);
				read_damaged_go(&bytes);
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_have_bounds),
		cmocka_unit_test(a_frame_without_a_size_is_left_out),
		cmocka_unit_test(damaged_frames_are_survived),
		cmocka_unit_test(code_that_is_called_has_bounds),
		cmocka_unit_test(damaged_calls_are_survived),
		cmocka_unit_test(go_functions_have_names),
		cmocka_unit_test(go_text_is_relocated),
		cmocka_unit_test(damaged_go_tables_are_survived),
		cmocka_unit_test(large_go_numbers_are_refused),
	};

	elf_version(EV_CURRENT);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
