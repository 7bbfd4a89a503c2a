/* SPDX-License-Identifier: GPL-2.0-only */
/* Two programs at the same addresses, packets of their trace, and how to decode it; for tests of
 * exec. */
#ifndef HWFLOW_EXEC_TEST_H
#define HWFLOW_EXEC_TEST_H

#include <elf.h>
#include <limits.h>

#include "tests/perfdata_test.h"

#include "hwflow/image.h"
#include "source/input.h"
#include "decode/loop.h"

#define NOP    0xd503201fu
#define BRANCH 0x14000000u /* to itself */
#define BASE   0x400000u
#define ENTRY  0x80u
#define LENGTH 0x1000u
#define TID    7

/* struct program - an ELF file whose first instruction is at ENTRY */
struct program {
	Elf64_Ehdr head;
	Elf64_Phdr segment;
	uint8_t pad[ENTRY - sizeof(Elf64_Ehdr) - sizeof(Elf64_Phdr)];
	uint32_t code[32];
};

static const uint32_t code_long[] = {NOP, NOP, BRANCH}, code_short[] = {NOP, BRANCH};

/* Synchronisation and Trace Info */
#define SYNC     0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x01, 0x00
#define TRACE_ON 0x04
/* the first instruction at EL0 in A64, and the one OFFSET behind it without a Context */
#define FIRST      0x82, 0x20, 0, 0x40, 0, 0x30
#define AT(offset) 0x9a, (ENTRY + (offset)) >> 2, 0, 0x40, 0
#define ATOMS      0xf7, 0xf7
#define ATOM       0xf7
/* SVC, and an interrupt */
#define CALL(ret) 0x06, 0x05, AT(ret)
#define IRQ(ret)  0x06, 0x1d, AT(ret)

/* struct found - what was decoded; of @instructions, those that were counted and not given */
struct found {
	uint64_t instructions;
	uint64_t counted;
	uint64_t gaps;
};

static inline void write_program(const char *directory, const char *name, const uint32_t *code,
				 size_t size)
{
	struct program program = {
		.head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
				     EV_CURRENT},
			 .e_type = ET_EXEC,
			 .e_machine = EM_AARCH64,
			 .e_version = EV_CURRENT,
			 .e_entry = BASE + ENTRY,
			 .e_phoff = sizeof(Elf64_Ehdr),
			 .e_ehsize = sizeof(Elf64_Ehdr),
			 .e_phentsize = sizeof(Elf64_Phdr),
			 .e_phnum = 1},
		.segment = {.p_type = PT_LOAD,
			    .p_flags = PF_R | PF_X,
			    .p_vaddr = BASE,
			    .p_filesz = sizeof(program),
			    .p_memsz = sizeof(program),
			    .p_align = LENGTH},
	};
	char path[PATH_MAX];
	FILE *file;

	memcpy(program.code, code, size);
	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "we");
	assert_non_null(file);
	assert_int_equal(fwrite(&program, sizeof(program), 1, file), 1);
	fclose(file);
}

static inline void count_events(void *ctx, const struct hwf_flow_event *event)
{
	struct found *found = ctx;

	if (event->kind == HWF_FLOW_RANGE)
		found->instructions += event->u.range.instructions;
	found->gaps += event->kind == HWF_FLOW_GAP;
}

/* The instruction at an address */
static inline uint32_t instruction_at(const struct hwf_image_space *space, uint64_t address)
{
	struct hwf_image_place place;
	const uint8_t *bytes;
	uint32_t instruction;
	size_t size;

	assert_true(hwf_image_find(space, address, &place));
	bytes = hwf_image_file_bytes(place.file, &size);
	assert_true(size >= place.offset + sizeof(instruction));
	memcpy(&instruction, bytes + place.offset, sizeof(instruction));
	return instruction;
}

/* What was counted is still in its address space. */
static inline void add_counts(void *ctx, const struct hwf_profile *profile)
{
	const struct hwf_profile_block *block;
	struct found *found = ctx;
	size_t at = 0;

	while ((block = hwf_profile_next_block(profile, &at))) {
		if (block->p0)
			assert_int_equal(instruction_at(block->space, block->end - 4), BRANCH);
		found->counted += block->instructions * (block->taken + block->not_taken);
	}
}

/* A piece that is decoded a second time begins with the same program as before. */
static inline void decode_twice(struct input *input, const struct input_piece *piece,
				const struct decode_options *how)
{
	struct found *found = how->ctx;
	const struct found before = *found;
	struct found once;

	assert_int_equal(decode_piece(input, &input->sources[0], piece, how), 0);
	once = *found;
	*found = before;
	assert_int_equal(decode_piece(input, &input->sources[0], piece, how), 0);
	assert_memory_equal(found, &once, sizeof(once));
}

static inline struct found decode_as(const char *path, const char *symfs,
				     void (*add)(void *ctx, const struct hwf_profile *profile))
{
	struct input_options options;
	struct found found = {0};
	const struct decode_options how = {.sink = count_events, .counts = add, .ctx = &found};
	struct input *input;

	input_options_init(&options);
	options.path = path;
	options.symfs = symfs;
	assert_int_equal(input_open(&input, &options), 0);
	assert_int_equal(input->source_count, 1);
	for (size_t i = 0; i < input->sources[0].piece_count; i++)
		decode_twice(input, &input->sources[0].pieces[i], &how);
	input_close(input);
	input_options_free(&options);
	found.instructions += found.counted;
	return found;
}

/* The same is found by each range and by counts. */
static inline struct found decode(const char *path, const char *symfs)
{
	const struct found each = decode_as(path, symfs, NULL);
	const struct found found = decode_as(path, symfs, add_counts);

	assert_int_equal(each.instructions, found.instructions);
	assert_int_equal(each.gaps, found.gaps);
	return found;
}

/* Where the programs are; to be removed by remove_programs() */
static inline void make_programs(char directory[])
{
	assert_non_null(mkdtemp(directory));
	write_program(directory, "long", code_long, sizeof(code_long));
	write_program(directory, "short", code_short, sizeof(code_short));
}

static inline void remove_programs(const char *directory)
{
	static const char *const names[] = {"long", "short", "recording"};
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, names[i]);
		unlink(path);
	}
	rmdir(directory);
}

#endif /* HWFLOW_EXEC_TEST_H */
