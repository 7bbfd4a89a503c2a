/* SPDX-License-Identifier: GPL-2.0-only */
/* Landing pads from .eh_frame and .gcc_except_table: encodings, limits of call sites, damage. */
#include "tests/elf_test.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>

#include "hwflow/image.h"
#include "symbols/landing_pads.h"
#include "symbols/symbols.h"

#define TEXT   UINT64_C(0x400000)
#define SIZE   0x1000
#define FRAMES UINT64_C(0x500000)
#define LSDAS  UINT64_C(0x600000)

/* what symbols_landing_pad() answers; else the address of a landing pad */
#define NONE    UINT64_C(0)
#define UNKNOWN UINT64_MAX

#define RELATIVE (DW_EH_PE_pcrel | DW_EH_PE_sdata4)

/* struct bytes - a section as it is put together */
struct bytes {
	uint8_t at[1024];
	size_t size;
};

/**
 * struct tables - the tables of a file
 * @frames: .eh_frame
 * @lsdas: .gcc_except_table
 * @cie: offset of the CIE of the next functions
 * @lsda: encoding of the LSDA pointers of that CIE; DW_EH_PE_omit: they have none
 * @type: e_type; 0: a program
 * @machine: e_machine; 0: EM_AARCH64
 */
struct tables {
	struct bytes frames;
	struct bytes lsdas;
	size_t cie;
	uint8_t lsda;
	uint16_t type;
	uint16_t machine;
};

static void put(struct bytes *bytes, uint64_t value, size_t size)
{
	assert_true(bytes->size + size <= sizeof(bytes->at));
	memcpy(bytes->at + bytes->size, &value, size);
	bytes->size += size;
}

static void put_leb128(struct bytes *bytes, uint64_t value)
{
	for (; value > 0x7f; value >>= 7)
		put(bytes, 0x80 | value, 1);
	put(bytes, value, 1);
}

/* The number of bytes of an entry of .eh_frame is known at its end. */
static void end_entry(struct bytes *bytes, size_t begin)
{
	uint32_t size;

	while (bytes->size % 4)
		put(bytes, 0, 1);
	size = (uint32_t)(bytes->size - begin - 4);
	memcpy(bytes->at + begin, &size, sizeof(size));
}

/* A CIE with the letters of its augmentation after 'z', which are of P, L, R and ones without data
 */
static void put_cie(struct tables *tables, const char *letters, uint8_t lsda)
{
	struct bytes *bytes = &tables->frames;
	const bool has_routine = strchr(letters, 'P'), has_lsda = strchr(letters, 'L');

	tables->cie = bytes->size;
	tables->lsda = has_lsda ? lsda : DW_EH_PE_omit;
	put(bytes, 0, 8);
	put(bytes, 1, 1);
	put(bytes, 'z', 1);
	for (const char *letter = letters; *letter; letter++)
		put(bytes, (uint8_t)*letter, 1);
	put(bytes, 0, 1);
	put(bytes, 4, 1);
	put(bytes, 0x78, 1);
	put(bytes, 30, 1);
	put(bytes, 1u + (has_routine ? 5 : 0) + has_lsda, 1);
	for (const char *letter = letters; *letter; letter++) {
		if (*letter == 'P')
			put(bytes, DW_EH_PE_indirect | RELATIVE | 0x1000 << 8, 5);
		else if (*letter == 'L')
			put(bytes, lsda, 1);
		else if (*letter == 'R')
			put(bytes, RELATIVE, 1);
	}
	end_entry(bytes, tables->cie);
}

/* A function; @lsda: address of its LSDA, or 0 */
static void put_function(struct tables *tables, uint64_t start, uint64_t size, uint64_t lsda)
{
	struct bytes *bytes = &tables->frames;
	const size_t begin = bytes->size;
	const size_t pointer = tables->lsda == DW_EH_PE_omit           ? 0
			       : (tables->lsda & 7) == DW_EH_PE_absptr ? 8
								       : 4;

	put(bytes, 0, 4);
	put(bytes, bytes->size - tables->cie, 4);
	put(bytes, start - (FRAMES + bytes->size), 4);
	put(bytes, size, 4);
	put(bytes, pointer, 1);
	if (lsda && (tables->lsda & 0x70) == DW_EH_PE_pcrel)
		lsda -= FRAMES + bytes->size;
	put(bytes, lsda, pointer);
	end_entry(bytes, begin);
}

/* The beginning of a LSDA without a landing pad base and types; returns its address. */
static uint64_t put_head(struct tables *tables, uint8_t encoding, size_t size)
{
	const uint64_t address = LSDAS + tables->lsdas.size;

	put(&tables->lsdas, DW_EH_PE_omit, 1);
	put(&tables->lsdas, DW_EH_PE_omit, 1);
	put(&tables->lsdas, encoding, 1);
	put_leb128(&tables->lsdas, size);
	return address;
}

/* A call site; its numbers are less than 128. */
static void put_site(struct tables *tables, uint64_t start, uint64_t length, uint64_t pad)
{
	put_leb128(&tables->lsdas, start);
	put_leb128(&tables->lsdas, length);
	put_leb128(&tables->lsdas, pad);
	put_leb128(&tables->lsdas, 0);
}

/* Tables with a function of 0x80 bytes at TEXT, whose LSDA comes first */
static struct tables begin(void)
{
	struct tables tables = {.lsda = 0};

	put_cie(&tables, "PLR", RELATIVE);
	put_function(&tables, TEXT, 0x80, LSDAS);
	return tables;
}

static void write_file(const struct tables *tables, const char *path)
{
	static const uint8_t code[SIZE];
	const struct elf_test_section sections[] = {
		{".eh_frame", tables->frames.at, tables->frames.size, FRAMES, 0, 0, 0},
		{tables->lsdas.size ? ".gcc_except_table" : NULL, tables->lsdas.at,
		 tables->lsdas.size, LSDAS, 0, 0, 0},
		{NULL, NULL, 0, 0, 0, 0, 0}};
	const struct elf_test test = {.machine = tables->machine ? tables->machine : EM_AARCH64,
				      .address = TEXT,
				      .code = code,
				      .code_size = SIZE,
				      .sections = sections};
	int fd;

	elf_test_write(&test, path);
	if (!tables->type)
		return;
	fd = open(path, O_WRONLY | O_CLOEXEC);
	assert_int_equal(pwrite(fd, &tables->type, 2, offsetof(Elf64_Ehdr, e_type)), 2);
	close(fd);
}

/* struct answer - what is expected of a call at TEXT + @at */
struct answer {
	uint64_t at;
	uint64_t pad;
};

static void check_answer(struct symbols *symbols, struct hwf_image_file *file,
			 const struct answer *answer)
{
	const uint64_t begin = hwf_image_file_elf(file)->segments[0].offset;
	uint64_t pad = 0;

	switch (symbols_landing_pad(symbols, file, begin + answer->at, &pad)) {
	case LANDING_PAD_NONE:
		pad = NONE;
		break;
	case LANDING_PAD_UNKNOWN:
		pad = UNKNOWN;
		break;
	case LANDING_PAD_AT:
		pad += TEXT - begin;
		break;
	}
	if (pad != answer->pad)
		print_message("call %#jx\n", (uintmax_t)answer->at);
	assert_int_equal(pad, answer->pad);
}

static void check_answers(const struct tables *tables, const struct answer *answers, size_t count)
{
	struct symbols *symbols;
	struct hwf_image_file *file;
	struct hwf_image *image;
	char path[64];

	snprintf(path, sizeof(path), "/tmp/hwflow-landing-pads-%d", getpid());
	write_file(tables, path);
	assert_int_equal(hwf_image_new(&image, NULL, NULL), 0);
	assert_int_equal(hwf_image_add_file(image, path, NULL, &file), 0);
	assert_int_equal(hwf_image_file_open(file), 0);
	assert_int_equal(symbols_new(&symbols, NULL, false), 0);
	for (size_t i = 0; i < count; i++)
		check_answer(symbols, file, &answers[i]);
	symbols_free(symbols);
	hwf_image_free(image);
	unlink(path);
}

#define CHECK(tables, ...)                                          \
	check_answers(tables, (const struct answer[]){__VA_ARGS__}, \
		      sizeof((const struct answer[]){__VA_ARGS__}) / sizeof(struct answer))

static void a_call_belongs_to_the_site_that_covers_it(void **state)
{
	struct tables tables = begin();

	(void)state;
	put_head(&tables, DW_EH_PE_uleb128, 20);
	put_site(&tables, 0x08, 0x04, 0x40);
	put_site(&tables, 0x0c, 0x08, 0x60);
	put_site(&tables, 0x14, 0x04, 0);
	put_site(&tables, 0x20, 0x00, 0x60);
	put_site(&tables, 0x30, 0x50, 0x04);
	put_function(&tables, TEXT + 0x100, 0x10, 0);
	CHECK(&tables, {0x00, NONE}, {0x04, NONE}, {0x08, TEXT + 0x40}, {0x0c, TEXT + 0x60},
	      {0x10, TEXT + 0x60}, {0x14, NONE}, {0x18, NONE}, {0x20, NONE}, {0x2c, NONE},
	      {0x30, TEXT + 4}, {0x7c, TEXT + 4}, {0x80, UNKNOWN}, {0xfc, UNKNOWN}, {0x100, NONE},
	      {0x10c, NONE}, {0x110, UNKNOWN}, {SIZE, UNKNOWN}, {UINT64_MAX / 2, UNKNOWN});
}

static void a_frame_without_a_handler_has_none(void **state)
{
	struct tables tables = {.lsda = 0};

	(void)state;
	put_head(&tables, DW_EH_PE_uleb128, 4);
	put_site(&tables, 0, 0x40, 0x20);
	/* no personality routine reads the LSDA; no LSDA; code of signals, with signed addresses */
	put_cie(&tables, "LR", RELATIVE);
	put_function(&tables, TEXT, 0x40, LSDAS);
	put_cie(&tables, "PR", 0);
	put_function(&tables, TEXT + 0x40, 0x40, 0);
	put_cie(&tables, "PLR", DW_EH_PE_omit);
	put_function(&tables, TEXT + 0x80, 0x40, 0);
	put_cie(&tables, "RSBG", 0);
	put_function(&tables, TEXT + 0xc0, 0x40, 0);
	put_cie(&tables, "BRPL", RELATIVE);
	put_function(&tables, TEXT + 0x100, 0x40, LSDAS);
	CHECK(&tables, {0x00, NONE}, {0x40, NONE}, {0x80, NONE}, {0xc0, NONE},
	      {0x100, TEXT + 0x120});
}

static void numbers_have_encodings(void **state)
{
	static const uint8_t encodings[] = {DW_EH_PE_absptr, DW_EH_PE_udata2,  DW_EH_PE_udata4,
					    DW_EH_PE_udata8, DW_EH_PE_sdata2,  DW_EH_PE_sdata4,
					    DW_EH_PE_sdata8, DW_EH_PE_uleb128, DW_EH_PE_sleb128};
	static const uint8_t sizes[] = {8, 2, 4, 8, 2, 4, 8, 1, 1};

	(void)state;
	for (size_t i = 0; i < sizeof(encodings); i++) {
		struct tables tables = begin();

		put_head(&tables, encodings[i], 3u * sizes[i] + 1);
		put(&tables.lsdas, 0x10, sizes[i]);
		put(&tables.lsdas, 0x08, sizes[i]);
		put(&tables.lsdas, 0x3c, sizes[i]);
		put_leb128(&tables.lsdas, 300);
		/* the action has one byte more than the bytes of call sites have */
		CHECK(&tables, {0x10, UNKNOWN});
		tables.lsdas.at[3]++;
		CHECK(&tables, {0x0c, NONE}, {0x10, TEXT + 0x3c}, {0x18, NONE});
	}
}

/* A landing pad base, types, and a site for the calls at 8 whose landing pad is 0x10 after the base
 */
static struct tables with_base(uint8_t encoding, uint64_t base, size_t size)
{
	struct tables tables = begin();

	put(&tables.lsdas, encoding, 1);
	if (encoding == (DW_EH_PE_pcrel | DW_EH_PE_absptr) || encoding == RELATIVE)
		base -= LSDAS + 1;
	put(&tables.lsdas, base, size);
	put(&tables.lsdas, DW_EH_PE_indirect | RELATIVE, 1);
	put(&tables.lsdas, 0x8080 | 0x80 << 16, 4); /* padded */
	put(&tables.lsdas, DW_EH_PE_uleb128, 1);
	put(&tables.lsdas, 4, 1);
	put_site(&tables, 8, 4, 0x10);
	return tables;
}

static void landing_pads_have_a_base(void **state)
{
	const uint64_t base = TEXT + 0x800;
	struct tables tables = with_base(DW_EH_PE_pcrel | DW_EH_PE_absptr, base, 8);

	(void)state;
	CHECK(&tables, {8, base + 0x10});
	tables.type = ET_DYN;
	CHECK(&tables, {8, base + 0x10});
	tables = with_base(RELATIVE, base, 4);
	CHECK(&tables, {8, base + 0x10});
	tables = with_base(DW_EH_PE_absptr, base, 8);
	CHECK(&tables, {8, base + 0x10});
	/* a relocation would have it */
	tables.type = ET_DYN;
	CHECK(&tables, {8, UNKNOWN});
	tables = with_base(DW_EH_PE_datarel | DW_EH_PE_udata4, base, 4);
	CHECK(&tables, {8, UNKNOWN});
	tables = with_base(DW_EH_PE_omit, 0, 0);
	CHECK(&tables, {8, TEXT + 0x10});
	/* no code is there */
	tables = with_base(DW_EH_PE_absptr, TEXT + SIZE, 8);
	CHECK(&tables, {4, NONE}, {8, UNKNOWN});
}

static void a_lsda_has_an_address(void **state)
{
	static const uint8_t encodings[] = {RELATIVE, DW_EH_PE_absptr, DW_EH_PE_udata4,
					    DW_EH_PE_indirect | RELATIVE,
					    DW_EH_PE_datarel | DW_EH_PE_udata4};

	(void)state;
	for (size_t i = 0; i < sizeof(encodings); i++) {
		const bool is_absolute = i == 1 || i == 2;
		struct tables tables = {.lsda = 0};

		put_head(&tables, DW_EH_PE_uleb128, 4);
		put_site(&tables, 0, 8, 0x20);
		put_cie(&tables, "PLR", encodings[i]);
		put_function(&tables, TEXT, 0x40, LSDAS);
		put_function(&tables, TEXT + 0x40, 0x40, LSDAS - 1);
		put_function(&tables, TEXT + 0x80, 0x40, LSDAS + tables.lsdas.size);
		CHECK(&tables, {0, i < 3 ? TEXT + 0x20 : UNKNOWN}, {0x40, UNKNOWN},
		      {0x80, UNKNOWN});
		tables.type = ET_DYN;
		CHECK(&tables, {0, i < 3 && !is_absolute ? TEXT + 0x20 : UNKNOWN});
	}
}

static void files_without_tables_have_no_answer(void **state)
{
	struct tables tables = begin();

	(void)state;
	/* .gcc_except_table is missing */
	put_function(&tables, TEXT + 0x100, 0x10, 0);
	CHECK(&tables, {0, UNKNOWN}, {0x100, NONE});
	put_head(&tables, DW_EH_PE_uleb128, 4);
	put_site(&tables, 0, 8, 0x20);
	CHECK(&tables, {0, TEXT + 0x20});
	/* an object file; an Arm file of 32 bits */
	tables.type = ET_REL;
	CHECK(&tables, {0, UNKNOWN}, {0x100, UNKNOWN});
	tables.type = 0;
	tables.machine = EM_ARM;
	CHECK(&tables, {0, UNKNOWN}, {0x100, UNKNOWN});
	/* a letter whose data is not known */
	tables = (struct tables){.lsda = 0};
	put_cie(&tables, "PLRX", RELATIVE);
	put_function(&tables, TEXT, 0x40, 0);
	CHECK(&tables, {0, UNKNOWN});
}

/* A LSDA whose number of bytes goes on over the next one, as those of parts by clang do */
static void call_sites_end_where_the_next_lsda_begins(void **state)
{
	struct tables tables = begin();
	uint64_t second;

	(void)state;
	put_head(&tables, DW_EH_PE_uleb128, 18);
	put_site(&tables, 0x08, 0x04, 0x40);
	put(&tables.lsdas, 0, 2);
	second = put_head(&tables, DW_EH_PE_uleb128, 8);
	put_site(&tables, 0x10, 0x04, 0x20);
	put_site(&tables, 0x20, 0x04, 0x30);
	put_function(&tables, TEXT + 0x100, 0x80, second);
	/* a LSDA is of one function */
	put_function(&tables, TEXT + 0x200, 0x80, second);
	CHECK(&tables, {0x08, TEXT + 0x40}, {0x10, NONE}, {0x110, TEXT + 0x120},
	      {0x120, TEXT + 0x130}, {0x210, UNKNOWN}, {0x220, UNKNOWN});
}

/* The functions at TEXT and TEXT + 0x100 have LSDAs, the first of which is damaged. */
static void check_damaged(struct tables *tables)
{
	const uint64_t second = put_head(tables, DW_EH_PE_uleb128, 4);

	put_site(tables, 0x10, 0x04, 0x20);
	put_function(tables, TEXT + 0x100, 0x80, second);
	CHECK(tables, {0x00, UNKNOWN}, {0x08, UNKNOWN}, {0x110, TEXT + 0x120}, {0x114, NONE});
}

static void a_damaged_lsda_is_unknown(void **state)
{
	static const uint64_t sites[][2] = {
		{0x04, 0x08}, {0x0c, 0x7d - 0x08}, {0x7f, 0x02}, {0x7e, 0x03}};
	struct tables tables;

	(void)state;
	/* a site that begins in the one before; sites that end after the function */
	for (size_t i = 0; i < 4; i++) {
		tables = begin();
		put_head(&tables, DW_EH_PE_uleb128, 8);
		put_site(&tables, 0x08, 0x04, 0x40);
		put_site(&tables, sites[i][0], sites[i][1], 0x40);
		check_damaged(&tables);
	}
	/* a sum that is cut to 64 bits */
	tables = begin();
	put_head(&tables, DW_EH_PE_udata8, 25);
	put(&tables.lsdas, 0x08, 8);
	put(&tables.lsdas, UINT64_MAX - 3, 8);
	put(&tables.lsdas, 0x40, 8);
	put(&tables.lsdas, 0, 1);
	check_damaged(&tables);
	/* a site that is cut */
	tables = begin();
	put_head(&tables, DW_EH_PE_uleb128, 7);
	put_site(&tables, 0x08, 0x04, 0x40);
	put(&tables.lsdas, 0x1010, 3);
	check_damaged(&tables);
	/* encodings of call sites that are not known */
	tables = begin();
	put_head(&tables, RELATIVE, 0);
	check_damaged(&tables);
	tables = begin();
	put_head(&tables, 0x05, 4);
	put_site(&tables, 0x08, 0x04, 0x40);
	check_damaged(&tables);
}

static void long_numbers_are_refused(void **state)
{
	struct tables tables = begin();

	(void)state;
	/* 16 bytes of a number, and 17 */
	put_head(&tables, DW_EH_PE_uleb128, 19);
	put(&tables.lsdas, 0x88, 1);
	for (int i = 0; i < 14; i++)
		put(&tables.lsdas, 0x80, 1);
	put(&tables.lsdas, 0, 1);
	put(&tables.lsdas, 4 | 0x40 << 8, 3);
	CHECK(&tables, {8, TEXT + 0x40});
	tables = begin();
	put_head(&tables, DW_EH_PE_uleb128, 20);
	put(&tables.lsdas, 0x88, 1);
	for (int i = 0; i < 15; i++)
		put(&tables.lsdas, 0x80, 1);
	put(&tables.lsdas, 0, 1);
	put(&tables.lsdas, 4 | 0x40 << 8, 3);
	check_damaged(&tables);
	/* 65 bits */
	tables = begin();
	put_head(&tables, DW_EH_PE_uleb128, 13);
	put(&tables.lsdas, 0x88, 1);
	for (int i = 0; i < 8; i++)
		put(&tables.lsdas, 0x80, 1);
	put(&tables.lsdas, 2, 1);
	put(&tables.lsdas, 4 | 0x40 << 8, 3);
	check_damaged(&tables);
}

/* All that a file may be asked, with bytes of it changed: @size bytes of @whole */
static void read_damaged(const uint8_t *whole, size_t size, uint32_t *seed, int changes)
{
	uint8_t *bytes = malloc(size);
	struct landing_pads *pads;
	uint64_t pad;
	Elf *elf;

	assert_non_null(bytes);
	memcpy(bytes, whole, size);
	for (int i = 0; i < changes; i++) {
		*seed = *seed * 1664525 + 1013904223;
		/* not the code */
		bytes[SIZE + (*seed >> 8) % (size - SIZE)] = (uint8_t)(i % 3 ? *seed : 0xff);
	}
	elf = elf_memory((char *)bytes, size);
	assert_non_null(elf);
	pads = landing_pads_new(elf);
	assert_non_null(pads);
	for (uint64_t at = 0; at < 0x300; at += 4)
		if (landing_pads_find(pads, TEXT + at, &pad) == LANDING_PAD_AT)
			assert_int_not_equal(pad, 0);
	landing_pads_free(pads);
	elf_end(elf);
	free(bytes);
}

static void damage_is_survived(void **state)
{
	struct tables tables = with_base(DW_EH_PE_pcrel | DW_EH_PE_absptr, TEXT + 0x800, 8);
	static uint8_t whole[4 * SIZE];
	uint32_t seed = 2463534242;
	char path[64];
	size_t size;
	FILE *file;

	(void)state;
	put_function(&tables, TEXT + 0x100, 0x80, LSDAS + tables.lsdas.size);
	put_head(&tables, DW_EH_PE_uleb128, 8);
	put_site(&tables, 0x10, 0x04, 0x20);
	put_site(&tables, 0x20, 0x04, 0x30);
	put_cie(&tables, "BPRL", DW_EH_PE_absptr);
	put_function(&tables, TEXT + 0x200, 0x80, LSDAS + tables.lsdas.size);
	put_head(&tables, DW_EH_PE_udata2, 7);
	put(&tables.lsdas, 0x10 | 0x10 << 16 | UINT64_C(0x40) << 32, 7);
	snprintf(path, sizeof(path), "/tmp/hwflow-landing-pads-%d", getpid());
	write_file(&tables, path);
	file = fopen(path, "re");
	assert_non_null(file);
	size = fread(whole, 1, sizeof(whole), file);
	assert_true(size > SIZE && size < sizeof(whole));
	fclose(file);
	unlink(path);
	for (int round = 0; round < 20000; round++)
		read_damaged(whole, size, &seed, 1 + round % 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_belongs_to_the_site_that_covers_it),
		cmocka_unit_test(a_frame_without_a_handler_has_none),
		cmocka_unit_test(numbers_have_encodings),
		cmocka_unit_test(landing_pads_have_a_base),
		cmocka_unit_test(a_lsda_has_an_address),
		cmocka_unit_test(files_without_tables_have_no_answer),
		cmocka_unit_test(call_sites_end_where_the_next_lsda_begins),
		cmocka_unit_test(a_damaged_lsda_is_unknown),
		cmocka_unit_test(long_numbers_are_refused),
		cmocka_unit_test(damage_is_survived),
	};

	elf_version(EV_CURRENT);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
