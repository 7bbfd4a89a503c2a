// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions that neither a symbol nor the unwind table has: they begin where code of the file
 * calls.
 */
#include "symbols_calls.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "hwflow/insn.h"
#include "symbols_frames.h"

/* struct code - a section with code */
struct code {
	uint64_t address;
	uint64_t size;
	const uint8_t *bytes;
};

/**
 * struct search - the functions as they are found
 * @codes: sections with code, by address; they do not overlap
 * @code_count: how many
 * @frames: functions that are known
 * @frame_count: how many
 * @starts: addresses outside of @frames where others begin; in no order, some more than once
 * @start_count: how many
 * @room: room for how many
 * @left: bytes that may still be read: sections of a real file do not overlap, so it has this many
 * @no_memory: an allocation failed
 */
struct search {
	struct code *codes;
	size_t code_count;
	const struct frame *frames;
	size_t frame_count;
	uint64_t *starts;
	size_t start_count;
	size_t room;
	size_t left;
	bool no_memory;
};

static int compare_codes(const void *a, const void *b)
{
	const struct code *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

static int compare_starts(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Index of the first frame that begins behind an address. */
static size_t next_frame(const struct search *search, uint64_t address)
{
	size_t low = 0, high = search->frame_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (search->frames[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The section with code that has an address; NULL if there is none. */
static const struct code *code_of(const struct search *search, uint64_t address)
{
	size_t low = 0, high = search->code_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (search->codes[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || address - search->codes[low - 1].address >= search->codes[low - 1].size)
		return NULL;
	return &search->codes[low - 1];
}

/* A function begins at this address, if it is one of code and no frame has it. */
static void add_start(struct search *search, uint64_t address)
{
	const size_t next = next_frame(search, address);

	if (address % 4 || (next && address < search->frames[next - 1].end) ||
	    !code_of(search, address))
		return;
	if (search->start_count == search->room) {
		const size_t room = search->room ? 2 * search->room : 1024;
		uint64_t *starts = reallocarray(search->starts, room, sizeof(*starts));

		if (!starts) {
			search->no_memory = true;
			return;
		}
		search->starts = starts;
		search->room = room;
	}
	search->starts[search->start_count++] = address;
}

static void add_calls(struct search *search, const struct code *code)
{
	for (uint64_t at = 0; code->size - at >= 4 && !search->no_memory; at += 4) {
		struct hwf_insn insn;
		uint32_t opcode;

		memcpy(&opcode, code->bytes + at, sizeof(opcode));
		hwf_insn_a64(opcode, code->address + at, &insn);
		if (insn.kind == HWF_INSN_DIRECT && insn.sub == HWF_SUB_LINK)
			add_start(search, insn.target);
	}
}

/* The bytes of a section; NULL if it has none, or the file has fewer in all. */
static Elf_Data *read_section(struct search *search, Elf_Scn *section)
{
	Elf_Data *data = elf_getdata(section, NULL);

	if (!data || !data->d_buf || data->d_size > search->left)
		return NULL;
	search->left -= data->d_size;
	return data;
}

/* Pointers to functions, in tables that are filled when the file is loaded */
static void add_relocations(struct search *search, Elf_Scn *section)
{
	Elf_Data *data = read_section(search, section);
	GElf_Rela relocation;

	for (int i = 0; data && gelf_getrela(data, i, &relocation) && !search->no_memory; i++)
		if (GELF_R_TYPE(relocation.r_info) == R_AARCH64_RELATIVE)
			add_start(search, (uint64_t)relocation.r_addend);
}

/* The sections with code, those that overlap the one before left out. */
static bool find_code(struct search *search, Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t count, used = 0;

	if (elf_getshdrnum(elf, &count) || !count)
		return false;
	search->codes = calloc(count, sizeof(*search->codes));
	while (search->codes && search->code_count < count &&
	       (section = elf_nextscn(elf, section))) {
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_PROGBITS ||
		    !(header.sh_flags & SHF_EXECINSTR) || header.sh_addr % 4)
			continue;
		data = read_section(search, section);
		if (data && header.sh_addr + data->d_size >= header.sh_addr)
			search->codes[search->code_count++] =
				(struct code){header.sh_addr, data->d_size, data->d_buf};
	}
	if (!search->codes || !search->code_count)
		return false;
	qsort(search->codes, search->code_count, sizeof(*search->codes), compare_codes);
	for (size_t i = 0; i < search->code_count; i++) {
		const struct code *before = used ? &search->codes[used - 1] : NULL;

		if (!before || search->codes[i].address - before->address >= before->size)
			search->codes[used++] = search->codes[i];
	}
	search->code_count = used;
	return true;
}

/* A function that begins at @start, before @next, which is where the next start is. */
static struct frame frame_at(const struct search *search, uint64_t start, uint64_t next)
{
	const struct code *code = code_of(search, start);
	const size_t frame = next_frame(search, start);
	struct frame result = {start, code->address + code->size};

	if (next < result.end)
		result.end = next;
	if (frame < search->frame_count && search->frames[frame].start < result.end)
		result.end = search->frames[frame].start;
	return result;
}

/* Frames and starts, which are in order, become one array. NULL without memory. */
static struct frame *merge(const struct search *search)
{
	const size_t total = search->frame_count + search->start_count;
	struct frame *merged = calloc(total, sizeof(*merged));
	size_t frame = 0, start = 0;

	for (size_t i = 0; merged && i < total; i++) {
		const bool last = start + 1 >= search->start_count;

		if (start == search->start_count ||
		    (frame < search->frame_count &&
		     search->frames[frame].start < search->starts[start])) {
			merged[i] = search->frames[frame++];
			continue;
		}
		merged[i] = frame_at(search, search->starts[start],
				     last ? UINT64_MAX : search->starts[start + 1]);
		start++;
	}
	return merged;
}

static void leave_one_of_each(struct search *search)
{
	size_t used = 0;

	qsort(search->starts, search->start_count, sizeof(*search->starts), compare_starts);
	for (size_t i = 0; i < search->start_count; i++)
		if (!used || search->starts[used - 1] != search->starts[i])
			search->starts[used++] = search->starts[i];
	search->start_count = used;
}

static void find_starts(struct search *search, Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	for (size_t i = 0; i < search->code_count; i++)
		add_calls(search, &search->codes[i]);
	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_RELA)
			add_relocations(search, section);
}

size_t calls_add_frames(Elf *elf, struct frame **frames, size_t count)
{
	struct search search = {.frames = *frames, .frame_count = count};
	const char *ident = elf_getident(elf, NULL);
	struct frame *merged = NULL;
	GElf_Ehdr header;

	/* memcpy() reads the byte order of this machine; an object file has no addresses yet */
	if (!ident || ident[EI_DATA] != ELFDATA2LSB || !gelf_getehdr(elf, &header) ||
	    header.e_machine != EM_AARCH64 || header.e_type == ET_REL)
		return count;
	if (elf_rawfile(elf, &search.left) && find_code(&search, elf))
		find_starts(&search, elf);
	if (search.start_count && !search.no_memory) {
		leave_one_of_each(&search);
		merged = merge(&search);
	}
	if (merged) {
		count += search.start_count;
		free(*frames);
		*frames = merged;
	}
	free(search.codes);
	free(search.starts);
	return count;
}
