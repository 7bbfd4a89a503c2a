/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Program images: what the P0 map answers is what a walk finds; files that are damaged. */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "image_test.h"

#define WFI 0xd503207fu
#define B_0 0x14000000u

static uint32_t seed = 2463534242;

static uint32_t random_next(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed;
}

static uint32_t random_insn(unsigned int p0_in)
{
	static const uint32_t p0[] = {
		B_0, 0x17ffffff, 0x97fffff0, 0x54000040, 0xb4ffffe0, 0x37000081,
		RET, 0xd63f0020, 0xd61f0000, 0xd69f03e0, 0xd5033fdf, 0xd65f0bff,
	};
	static const uint32_t other[] = {NOP,        WFI, 0x91000400, 0xd4000001,
					 0xd5033f9f, 0,   0xf9400000};

	if (random_next() % p0_in == 0)
		return p0[random_next() % (sizeof(p0) / sizeof(p0[0]))];
	if (random_next() % 8 == 0)
		return random_next();
	return other[random_next() % (sizeof(other) / sizeof(other[0]))];
}

static void fill(uint32_t *words, size_t count, unsigned int p0_in)
{
	for (size_t i = 0; i < count; i++)
		words[i] = random_insn(p0_in);
}

/* Every instruction of three pages and a bit, P0 instructions far apart and near. */
static void map_equals_walk(void **state)
{
	static const unsigned int densities[] = {1, 5, 100, 3000};
	const size_t count = 3 * 1024 + 77;
	uint32_t *words = malloc(4 * count);

	(void)state;
	for (size_t i = 0; i < 8; i++) {
		struct pair pair;
		struct hwf_image_space *space;

		pair_init(&pair, i & 1);
		space = add_space(&pair, NULL);
		fill(words, count, densities[i / 2]);
		assert_int_equal(hwf_image_map(space, 0x400000, 4 * count,
					       add_bytes(&pair, words, 4 * count), 0),
				 0);
		/* from the middle, so that pages are made in another order than that of addresses
		 */
		for (size_t j = 0; j < count; j++)
			check_run(&pair, space, 0x400000 + 4 * ((j + count / 2) % count),
				  HWF_ISA_A64);
		pair_free(&pair);
	}
	free(words);
}

/* Mappings of any place and size, of several files, one over the other; unaligned ones too. */
static void random_mappings(struct pair *pair, struct hwf_image_space *space,
			    struct hwf_image_file *const *files, uint64_t base, int count)
{
	for (int i = 0; i < count; i++) {
		uint64_t start = base + random_next() % 0x6000;
		uint64_t offset = random_next() % 0x3000;
		struct hwf_image_file *file = files[random_next() % 4];

		if (random_next() % 8) {
			start &= ~UINT64_C(3);
			offset &= ~UINT64_C(3);
		}
		assert_int_equal(hwf_image_map(space, start, random_next() % 0x2000, file, offset),
				 0);
		for (int j = 0; j < 200; j++) {
			const uint64_t at = base + random_next() % 0x8000;

			check_run(pair, space, random_next() % 16 ? at & ~UINT64_C(3) : at,
				  HWF_ISA_A64);
		}
	}
}

static void map_equals_walk_at_every_border(void **state)
{
	const size_t count = 2500;
	static const uint64_t bases[] = {0x400000, 0xffffffffffffa000, 0x0000007fff000000};
	uint32_t *words = malloc(4 * count);

	(void)state;
	fill(words, count, 40);
	for (int round = 0; round < 12; round++) {
		struct pair pair;
		struct hwf_image_space *parent, *space;
		struct hwf_image_file *files[4] = {NULL};

		pair_init(&pair, round & 1);
		parent = add_space(&pair, NULL);
		space = add_space(&pair, round & 2 ? parent : NULL);
		files[0] = add_bytes(&pair, words, 4 * count);
		files[1] = add_bytes(&pair, words + 1000, 4 * 1024 + 2);
		files[2] = add_bytes(&pair, words, 0);
		random_mappings(&pair, parent, files, bases[round % 3], 20);
		random_mappings(&pair, space, files, bases[round % 3], 40);
		for (uint64_t at = 0; at < 0x8000; at += 4)
			check_run(&pair, space, bases[round % 3] + at, HWF_ISA_A64);
		pair_free(&pair);
	}
	free(words);
}

static void other_instruction_sets_are_walked(void **state)
{
	enum { COUNT = 600 };
	uint32_t words[COUNT];
	struct pair pair;
	struct hwf_image_space *space;

	(void)state;
	pair_init(&pair, true);
	space = add_space(&pair, NULL);
	for (size_t i = 0; i < COUNT; i++)
		words[i] = random_next();
	assert_int_equal(hwf_image_map(space, 0x8000, sizeof(words),
				       add_bytes(&pair, words, sizeof(words)), 0),
			 0);
	for (uint64_t at = 0; at < sizeof(words); at += 2) {
		check_run(&pair, space, 0x8000 + at, HWF_ISA_T32);
		check_run(&pair, space, 0x8000 + at, HWF_ISA_A32);
		check_run(&pair, space, 0x8000 + at, HWF_ISA_UNKNOWN);
	}
	check_run(&pair, NULL, 0x8000, HWF_ISA_A64);
	pair_free(&pair);
}

static struct hwf_image_file *file_at(const struct hwf_image_space *space, uint64_t address,
				      uint64_t *offset)
{
	struct hwf_image_place place;

	if (!hwf_image_find(space, address, &place))
		return NULL;
	*offset = place.offset;
	return place.file;
}

#define REPLACED 300

/* The mappings of a space are what a table of each byte's owner says, however they overlap. */
static void replace_at(uint64_t base)
{
	struct hwf_image_file *owner[REPLACED] = {NULL}, *files[3] = {NULL};
	uint64_t offsets[REPLACED] = {0};
	static const uint8_t bytes[1000];
	struct hwf_image_space *space;
	struct pair pair;

	pair_init(&pair, false);
	space = add_space(&pair, NULL);
	files[1] = add_bytes(&pair, bytes, sizeof(bytes));
	files[2] = add_bytes(&pair, bytes, sizeof(bytes));
	for (int round = 0; round < 3000; round++) {
		const uint64_t start = random_next() % REPLACED, offset = random_next() % 100;
		const uint64_t length = random_next() % (random_next() % (REPLACED - start) + 2);
		struct hwf_image_file *file = files[random_next() % 3];

		assert_int_equal(hwf_image_map(space, base + start, length, file, offset), 0);
		for (uint64_t i = 0; i < length; i++) {
			owner[start + i] = file;
			offsets[start + i] = offset + i;
		}
		for (uint64_t i = 0; i < REPLACED; i++) {
			uint64_t found = 0;

			assert_ptr_equal(file_at(space, base + i, &found), owner[i]);
			if (owner[i])
				assert_int_equal(found, offsets[i]);
		}
	}
	pair_free(&pair);
}

static void newer_mappings_replace(void **state)
{
	(void)state;
	replace_at(1000);
	/* to the last byte of all addresses */
	replace_at(-(uint64_t)REPLACED);
}

#define COPIES 5
#define PAGES  200

/* Spaces that were copied of each other share mappings; each changes for itself. */
static void copies_change_for_themselves(void **state)
{
	struct hwf_image_file *owners[COPIES][PAGES] = {{NULL}}, *files[4] = {NULL};
	struct hwf_image_space *spaces[COPIES];
	static const uint8_t bytes[PAGES];
	struct pair pair;

	(void)state;
	pair_init(&pair, false);
	for (size_t i = 1; i < 4; i++)
		files[i] = add_bytes(&pair, bytes, sizeof(bytes));
	for (size_t i = 0; i < COPIES; i++)
		spaces[i] = add_space(&pair, NULL);
	for (int round = 0; round < 4000; round++) {
		const size_t to = random_next() % COPIES, from = random_next() % COPIES;
		const uint64_t start = random_next() % PAGES;
		const uint64_t length = random_next() % (random_next() % (PAGES - start) + 2);
		struct hwf_image_file *file = files[random_next() % 4];

		if (random_next() % 20 == 0) {
			assert_int_equal(hwf_image_space_copy(spaces[to], spaces[from]), 0);
			memmove(owners[to], owners[from], sizeof(owners[to]));
		} else if (random_next() % 200 == 0) {
			hwf_image_space_clear(spaces[to]);
			memset(owners[to], 0, sizeof(owners[to]));
		} else {
			assert_int_equal(hwf_image_map(spaces[to], start, length, file, start), 0);
			for (uint64_t i = 0; i < length; i++)
				owners[to][start + i] = file;
		}
		for (size_t i = 0; i < (size_t)COPIES * PAGES; i++) {
			uint64_t found = i % PAGES;

			assert_ptr_equal(file_at(spaces[i / PAGES], i % PAGES, &found),
					 owners[i / PAGES][i % PAGES]);
			assert_int_equal(found, i % PAGES);
		}
	}
	pair_free(&pair);
}

static void spaces_fork_and_clear(void **state)
{
	static const uint8_t bytes[64];
	struct hwf_image_space *kernel, *parent, *child;
	struct hwf_image_file *file;
	struct pair pair;
	uint64_t offset;

	(void)state;
	pair_init(&pair, false);
	kernel = add_space(&pair, NULL);
	parent = add_space(&pair, kernel);
	child = add_space(&pair, kernel);
	file = add_bytes(&pair, bytes, sizeof(bytes));
	assert_int_equal(hwf_image_map(kernel, 0xffff000000000000, 64, file, 0), 0);
	assert_int_equal(hwf_image_map(parent, 0x1000, 64, file, 0), 0);
	assert_null(file_at(child, 0x1000, &offset));
	assert_int_equal(hwf_image_space_copy(child, parent), 0);
	assert_ptr_equal(file_at(child, 0x1000, &offset), file);
	hwf_image_space_clear(parent);
	assert_null(file_at(parent, 0x1000, &offset));
	assert_ptr_equal(file_at(child, 0x1000, &offset), file);
	assert_ptr_equal(file_at(parent, 0xffff000000000004, &offset), file);
	pair_free(&pair);
}

static void filters_choose_the_space(void **state)
{
	const struct hwf_image_filter any = {0};
	const struct hwf_image_filter el3 = {.els = 1 << 3, .securities = 1 << HWF_SEC_SECURE};
	const struct hwf_image_filter process = {.has_cid = true, .cid = 77};
	const struct hwf_image_filter guest = {.has_vmid = true, .vmid = 5};
	struct hwf_context context = {.el = 0, .security = HWF_SEC_NONSECURE};
	struct hwf_image_space *spaces[4], *unnamed;
	struct pair pair;

	(void)state;
	pair_init(&pair, false);
	unnamed = add_space(&pair, NULL);
	assert_null(hwf_image_space_of(pair.image, &context));
	assert_int_equal(hwf_image_add_space(pair.image, &any, NULL, &spaces[0]), 0);
	assert_int_equal(hwf_image_add_space(pair.image, &el3, NULL, &spaces[1]), 0);
	assert_int_equal(hwf_image_add_space(pair.image, &process, NULL, &spaces[2]), 0);
	assert_int_equal(hwf_image_add_space(pair.image, &guest, NULL, &spaces[3]), 0);
	assert_ptr_equal(hwf_image_space_of(pair.image, &context), spaces[0]);
	context.cid = 77;
	context.vmid = 5;
	assert_ptr_equal(hwf_image_space_of(pair.image, &context), spaces[0]);
	context.has_cid = true;
	assert_ptr_equal(hwf_image_space_of(pair.image, &context), spaces[2]);
	context.has_vmid = true;
	assert_ptr_equal(hwf_image_space_of(pair.image, &context), spaces[3]);
	context = (struct hwf_context){.el = 3, .security = HWF_SEC_NONSECURE};
	assert_ptr_equal(hwf_image_space_of(pair.image, &context), spaces[0]);
	context.security = HWF_SEC_SECURE;
	assert_ptr_equal(hwf_image_space_of(pair.image, &context), spaces[1]);
	assert_ptr_not_equal(unnamed, spaces[0]);
	pair_free(&pair);
}

/* A small ELF file: a note with a build id, and two segments. */
struct tiny_elf {
	Elf64_Ehdr header;
	Elf64_Phdr segments[3];
	Elf64_Nhdr note;
	char note_name[4];
	uint8_t note_id[16];
	uint32_t code[8];
	uint32_t data[2];
};

static struct tiny_elf tiny_make(void)
{
	struct tiny_elf elf = {
		.header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
			   .e_type = ET_DYN,
			   .e_machine = EM_AARCH64,
			   .e_version = EV_CURRENT,
			   .e_entry = 0x1000,
			   .e_phoff = offsetof(struct tiny_elf, segments),
			   .e_ehsize = sizeof(Elf64_Ehdr),
			   .e_phentsize = sizeof(Elf64_Phdr),
			   .e_phnum = 3},
		.note = {4, 16, NT_GNU_BUILD_ID},
		.note_name = "GNU",
		.note_id = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16},
		.code = {NOP, NOP, B_0, NOP, RET, NOP, NOP, NOP},
	};

	elf.segments[0] = (Elf64_Phdr){.p_type = PT_NOTE,
				       .p_offset = offsetof(struct tiny_elf, note),
				       .p_filesz = 32,
				       .p_align = 4};
	elf.segments[1] = (Elf64_Phdr){.p_type = PT_LOAD,
				       .p_flags = PF_R | PF_X,
				       .p_offset = offsetof(struct tiny_elf, code),
				       .p_vaddr = 0x1000,
				       .p_filesz = sizeof(elf.code),
				       .p_memsz = sizeof(elf.code)};
	elf.segments[2] = (Elf64_Phdr){.p_type = PT_LOAD,
				       .p_flags = PF_R,
				       .p_offset = offsetof(struct tiny_elf, data),
				       .p_vaddr = 0x2000,
				       .p_filesz = sizeof(elf.data),
				       .p_memsz = 0x1000};
	return elf;
}

static void elf_segments_are_mapped(void **state)
{
	const struct tiny_elf elf = tiny_make();
	const struct hwf_image_elf *read;
	struct hwf_image_space *space;
	struct hwf_image_file *file;
	struct pair pair;
	struct hwf_run run;

	(void)state;
	pair_init(&pair, false);
	space = add_space(&pair, NULL);
	file = add_bytes(&pair, &elf, sizeof(elf));
	read = hwf_image_file_elf(file);
	assert_non_null(read);
	assert_int_equal(read->entry, 0x1000);
	assert_int_equal(read->machine, EM_AARCH64);
	assert_int_equal(read->build_id_size, 16);
	assert_memory_equal(read->build_id, elf.note_id, 16);
	assert_int_equal(read->segment_count, 2);
	assert_true(read->segments[0].executable);
	assert_false(read->segments[1].executable);
	assert_int_equal(hwf_image_map_elf(space, file, 0x400000), 0);
	pair.plain.run = hwf_image_view_code(pair.view)->run;
	pair.plain.run(pair.plain.ctx, space, 0x401000, HWF_ISA_A64, &run);
	assert_int_equal(run.status, 0);
	assert_int_equal(run.instructions, 3);
	assert_int_equal(run.insn.target, 0x401008);
	assert_int_equal(pair.plain.read(pair.plain.ctx, space, 0x402004, &run, 8), 4);
	pair_free(&pair);
}

/* Opens a copy of exactly these bytes, maps it and walks it. */
static void survive(const void *bytes, size_t size)
{
	void *copy = malloc(size ? size : 1);
	struct hwf_image_space *space;
	struct hwf_image_file *file;
	const struct hwf_image_elf *elf;
	struct pair pair;

	assert_non_null(copy);
	memcpy(copy, bytes, size);
	pair_init(&pair, false);
	space = add_space(&pair, NULL);
	file = add_bytes(&pair, copy, size);
	elf = hwf_image_file_elf(file);
	if (elf) {
		assert_int_equal(hwf_image_map_elf(space, file, 0), 0);
		for (size_t i = 0; i < elf->segment_count; i++) {
			assert_true(elf->segments[i].offset + elf->segments[i].size <= size);
			check_run(&pair, space, elf->segments[i].address, HWF_ISA_A64);
		}
	}
	pair_free(&pair);
	free(copy);
}

static void damaged_elf_is_survived(void **state)
{
	struct tiny_elf elf = tiny_make();
	uint8_t *bytes = (uint8_t *)&elf;

	(void)state;
	for (size_t size = 0; size <= sizeof(elf); size++)
		survive(&elf, size);
	for (size_t i = 0; i < sizeof(elf); i++) {
		const uint8_t was = bytes[i];

		for (unsigned int bit = 0; bit < 8; bit++) {
			bytes[i] = was ^ (uint8_t)(1u << bit);
			survive(&elf, sizeof(elf));
		}
		bytes[i] = (uint8_t)~was;
		survive(&elf, sizeof(elf));
		bytes[i] = was;
	}
}

/* What the image says of missing files. */
struct said {
	unsigned int times;
	char reason[512];
};

static void say(void *ctx, const struct hwf_image_file *file, const char *reason)
{
	struct said *said = ctx;

	(void)file;
	said->times++;
	snprintf(said->reason, sizeof(said->reason), "%s", reason);
}

/* Opens a file of the disk with an identity; the file is mapped, and missing or not. */
static int open_as(const char *path, const struct hwf_image_identity *identity, struct said *said)
{
	struct hwf_image *image;
	struct hwf_image_file *file;
	struct hwf_image_space *space;
	struct hwf_image_view *view;
	const struct hwf_code *code;
	struct hwf_run run;
	uint8_t byte;
	int error;

	*said = (struct said){0};
	assert_int_equal(hwf_image_new(&image, say, said), 0);
	assert_int_equal(hwf_image_add_file(image, path, identity, &file), 0);
	assert_int_equal(hwf_image_add_space(image, NULL, NULL, &space), 0);
	assert_int_equal(hwf_image_map(space, 0, 0x1000, file, 0), 0);
	assert_int_equal(hwf_image_view_new(&view, image, false), 0);
	assert_int_equal(said->times, 0);
	code = hwf_image_view_code(view);
	code->run(code->ctx, space, 0, HWF_ISA_A64, &run);
	assert_int_equal(code->read(code->ctx, space, 0, &byte, 1),
			 hwf_image_file_open(file) ? 0 : 1);
	error = hwf_image_file_open(file);
	assert_int_equal(said->times, error != 0);
	hwf_image_view_free(view);
	hwf_image_free(image);
	return error;
}

static void wrong_files_are_missing(void **state)
{
	struct hwf_image_identity identity = {.name = "/bin/program", .machine = true};
	struct tiny_elf elf = tiny_make();
	char path[] = "/tmp/hwflow-image-XXXXXX";
	const int fd = mkstemp(path);
	struct said said;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, &elf, sizeof(elf)), sizeof(elf));
	assert_int_equal(open_as(path, NULL, &said), 0);
	assert_int_equal(open_as(path, &identity, &said), 0);
	identity.build_id_size = 20;
	memcpy(identity.build_id, elf.note_id, 16);
	assert_int_equal(open_as(path, &identity, &said), 0);
	identity.build_id[3]++;
	assert_int_equal(open_as(path, &identity, &said), -ENOEXEC);
	assert_non_null(strstr(said.reason, "build id differs"));
	identity.build_id_size = 0;
	elf.header.e_machine = EM_X86_64;
	assert_int_equal(pwrite(fd, &elf, sizeof(elf), 0), sizeof(elf));
	assert_int_equal(open_as(path, &identity, &said), -ENOEXEC);
	assert_non_null(strstr(said.reason, "another kind of machine"));
	close(fd);
	unlink(path);
	assert_int_equal(open_as(path, &identity, &said), -ENOENT);
	assert_int_equal(open_as("/tmp", NULL, &said), -EISDIR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(map_equals_walk),
		cmocka_unit_test(map_equals_walk_at_every_border),
		cmocka_unit_test(other_instruction_sets_are_walked),
		cmocka_unit_test(newer_mappings_replace),
		cmocka_unit_test(copies_change_for_themselves),
		cmocka_unit_test(spaces_fork_and_clear),
		cmocka_unit_test(filters_choose_the_space),
		cmocka_unit_test(elf_segments_are_mapped),
		cmocka_unit_test(damaged_elf_is_survived),
		cmocka_unit_test(wrong_files_are_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
