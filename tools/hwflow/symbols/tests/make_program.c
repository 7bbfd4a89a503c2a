// SPDX-License-Identifier: GPL-2.0-only
/*
 * make_program KIND COUNT DIRECTORY [FILE] - make a recording DIRECTORY/data of a hostile program
 * DIRECTORY/program: an ELF file whose symbols or DWARF ask for more than their size explains.
 * All of its functions, of one branch each, are executed. FILE: contents of .gnu_debugdata.
 */
#include <elf.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perfdata/perfdata_write.h"

#define TEXT      UINT64_C(0x400000)
#define BRANCH    0x14000001u /* to the next instruction */
#define FUNCTIONS 16u         /* as many, where their number does not matter */
#define CODE_MAX  0x40000u    /* functions with code of their own */

/* struct bytes - something that is put together */
struct bytes {
	uint8_t *at;
	size_t size;
	size_t room;
};

/* struct program - the ELF file */
struct program {
	const char *kind;
	uint32_t count;
	struct bytes file;
	struct bytes headers; /* of sections; the first ones have names, others are copies */
	struct bytes names;
	struct bytes segments;
	Elf64_Off text;
	Elf64_Off notes;
};

static void put(struct bytes *bytes, const void *from, size_t size)
{
	if (!size)
		return;
	if (bytes->size + size > bytes->room) {
		bytes->room = 2 * (bytes->size + size);
		bytes->at = realloc(bytes->at, bytes->room);
		if (!bytes->at)
			abort();
	}
	memcpy(bytes->at + bytes->size, from, size);
	bytes->size += size;
}

static void put_number(struct bytes *bytes, uint64_t value, size_t size)
{
	put(bytes, &value, size);
}

static void put_text(struct bytes *bytes, const char *text)
{
	put(bytes, text, strlen(text));
}

static void put_repeated(struct bytes *bytes, uint8_t byte, size_t count)
{
	for (size_t i = 0; i < count; i++)
		put(bytes, &byte, 1);
}

static bool is_kind(const struct program *program, const char *kind)
{
	return !strcmp(program->kind, kind);
}

/* Kinds that are about names have COUNT of them. */
static uint32_t name_count(const struct program *program)
{
	const bool all = is_kind(program, "tripled") || is_kind(program, "silent") ||
			 is_kind(program, "expanded") || is_kind(program, "overlap") ||
			 is_kind(program, "segments") || is_kind(program, "stubs") ||
			 is_kind(program, "plain");

	return all ? program->count : FUNCTIONS;
}

static uint32_t code_count(const struct program *program)
{
	const uint32_t names = name_count(program);

	return !names ? 1 : names < CODE_MAX ? names : CODE_MAX;
}

/* Puts contents into the file, and a section header for them. */
static Elf64_Shdr *add_section(struct program *program, const char *name, uint32_t type,
			       const struct bytes *contents)
{
	Elf64_Shdr header = {.sh_name = (uint32_t)program->names.size,
			     .sh_type = type,
			     .sh_size = contents->size,
			     .sh_addralign = 1};

	put_repeated(&program->file, 0, -program->file.size % 8);
	header.sh_offset = program->file.size;
	put(&program->file, contents->at, contents->size);
	put(&program->names, name, strlen(name) + 1);
	put(&program->headers, &header, sizeof(header));
	return (Elf64_Shdr *)(void *)(program->headers.at + program->headers.size - sizeof(header));
}

/* A digit string of a substitution: S_ is the first one, then S0_, S1_ and so on. */
static void put_reference(struct bytes *bytes, unsigned int number)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	const unsigned int value = number ? number - 1 : 0;
	char text[8] = "S_";

	if (number)
		snprintf(text, sizeof(text), value < 36 ? "S%c_" : "S1%c_", digits[value % 36]);
	put_text(bytes, text);
}

/* f(A<unsigned long long, ...>, B<of that, three times>, B<of that, three times>, ...) */
static void put_tripled(struct bytes *bytes, uint32_t number)
{
	char text[16];

	snprintf(text, sizeof(text), "_Z6f%05u1AI", number % 100000);
	put_text(bytes, text);
	put_repeated(bytes, 'y', 600);
	put_text(bytes, "E");
	for (unsigned int level = 0; level < 9; level++) {
		put_text(bytes, "1BI");
		for (unsigned int i = 0; i < 3; i++)
			put_reference(bytes, 2 * level + 1);
		put_text(bytes, "E");
	}
	put_number(bytes, 0, 1);
}

/* f(unsigned long long, unsigned long long, ...) */
static void put_expanded(struct bytes *bytes, uint32_t number)
{
	char text[16];

	snprintf(text, sizeof(text), "_Z6f%05u", number % 100000);
	put_text(bytes, text);
	put_repeated(bytes, 'y', 250);
	put_number(bytes, 0, 1);
}

/* A pack expansion of B<B<B<i, i>, B<i, i>>, ...>: a pack is sought in all of it, in vain. */
static void put_silent(struct bytes *bytes, uint32_t number)
{
	const unsigned int levels = 31;
	char text[16];

	snprintf(text, sizeof(text), "_Z6f%05uDp", number % 100000);
	put_text(bytes, text);
	for (unsigned int level = 0; level < levels; level++)
		put_text(bytes, "1BI");
	put_text(bytes, "ii");
	for (unsigned int level = 1; level < levels; level++) {
		put_text(bytes, "E");
		put_reference(bytes, levels + level - 1);
	}
	put(bytes, "E", 2);
}

/* Names of the functions; the offset of each is put into @offsets. */
static struct bytes make_names(const struct program *program, uint32_t *offsets)
{
	struct bytes names = {0};
	const bool overlap = is_kind(program, "overlap") || is_kind(program, "stubs");
	char text[16];

	put_number(&names, 0, 1);
	for (uint32_t i = 0; i < name_count(program); i++) {
		offsets[i] = (uint32_t)names.size;
		if (is_kind(program, "tripled")) {
			put_tripled(&names, i);
		} else if (is_kind(program, "silent")) {
			put_silent(&names, i);
		} else if (is_kind(program, "expanded")) {
			put_expanded(&names, i);
		} else if (overlap) {
			/* each name is the end of the one before */
			put_repeated(&names, 'a', 4);
		} else {
			snprintf(text, sizeof(text), "f%u", i);
			put(&names, text, strlen(text) + 1);
		}
	}
	if (overlap)
		put_number(&names, 0, 1);
	return names;
}

static void add_symbols(struct program *program)
{
	uint32_t *offsets = calloc(name_count(program), sizeof(*offsets));
	struct bytes names = make_names(program, offsets), symbols = {0}, relocations = {0},
		     stubs = {0};
	const Elf64_Sym none = {0};
	Elf64_Shdr *header;

	put(&symbols, &none, sizeof(none));
	for (uint32_t i = 0; i < name_count(program); i++) {
		const Elf64_Sym symbol = {.st_name = offsets[i],
					  .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
					  .st_shndx = 1,
					  .st_value =
						  TEXT + UINT64_C(4) * (i % code_count(program)),
					  .st_size = 4};
		const Elf64_Rela relocation = {.r_info = ELF64_R_INFO(i + 1, R_AARCH64_JUMP_SLOT)};

		put(&symbols, &symbol, sizeof(symbol));
		put(&relocations, &relocation, sizeof(relocation));
	}
	add_section(program, ".strtab", SHT_STRTAB, &names);
	header = add_section(program, ".symtab", SHT_SYMTAB, &symbols);
	header->sh_link = 3;
	header->sh_entsize = sizeof(none);
	header->sh_addralign = 8;
	if (is_kind(program, "stubs")) {
		header = add_section(program, ".rela.plt", SHT_RELA, &relocations);
		header->sh_link = 4;
		header->sh_entsize = sizeof(Elf64_Rela);
		put_repeated(&stubs, 0, 16 * (size_t)name_count(program) + 32);
		header = add_section(program, ".plt", SHT_PROGBITS, &stubs);
		header->sh_addr = TEXT;
	}
	free(names.at);
	free(symbols.at);
	free(relocations.at);
	free(stubs.at);
	free(offsets);
}

/* An abbreviation: a compilation unit with line table, address, size and directory; or with none */
static void add_units(struct program *program)
{
	static const uint8_t abbreviations[] = {1,    0x11, 0,    0x10, 0x17, 0x11, 0x01,
						0x12, 0x06, 0x1b, 0x08, 0,    0,    2,
						0x11, 0,    0,    0,    0};
	const uint32_t size = 4 * code_count(program);
	struct bytes units = {0}, ranges = {0};
	struct bytes table = {(uint8_t *)(uintptr_t)abbreviations, sizeof(abbreviations), 0};

	for (uint32_t i = 0; is_kind(program, "units") && i < program->count; i++) {
		put_number(&units, 8, 4);
		put_number(&units, 4, 2);
		put_number(&units, 0, 4);
		put_number(&units, 8, 1);
		put_number(&units, 2, 1);
	}
	put_number(&ranges, 44, 4);
	put_number(&ranges, 2, 2);
	put_number(&ranges, units.size, 4);
	put_number(&ranges, 8, 2); /* and no segment selector */
	put_number(&ranges, 0, 4);
	put_number(&ranges, TEXT, 8);
	put_number(&ranges, size, 8);
	put_repeated(&ranges, 0, 16);
	put_number(&units, 7 + 1 + 4 + 8 + 4 + 2, 4);
	put_number(&units, 4, 2);
	put_number(&units, 0, 4);
	put_number(&units, 8, 1);
	put_number(&units, 1, 1);
	put_number(&units, 0, 4);
	put_number(&units, TEXT, 8);
	put_number(&units, size, 4);
	put(&units, "/", 2);
	add_section(program, ".debug_info", SHT_PROGBITS, &units);
	add_section(program, ".debug_abbrev", SHT_PROGBITS, &table);
	add_section(program, ".debug_aranges", SHT_PROGBITS, &ranges);
	free(units.at);
	free(ranges.at);
}

/* The head of a line table of the file f; its program has so many bytes. */
static struct bytes make_lines(size_t program)
{
	static const uint8_t lengths[] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};
	static const uint8_t start[] = {0, 9, 2};
	static const char files[] = "\0f\0\0\0\0"; /* no directory, and one file */
	const size_t head = 6 + sizeof(lengths) + sizeof(files);
	struct bytes lines = {0};

	put_number(&lines, 2 + 4 + head + sizeof(start) + 8 + program + 5, 4);
	put_number(&lines, 4, 2);
	put_number(&lines, head, 4);
	put_number(&lines, 1, 1);  /* bytes of an instruction */
	put_number(&lines, 1, 1);  /* operations of one */
	put_number(&lines, 1, 1);  /* is a statement */
	put_number(&lines, 0, 1);  /* least step of lines */
	put_number(&lines, 1, 1);  /* range of them */
	put_number(&lines, 13, 1); /* first special operation */
	put(&lines, lengths, sizeof(lengths));
	put(&lines, files, sizeof(files));
	put(&lines, start, sizeof(start));
	put_number(&lines, TEXT, 8);
	return lines;
}

/* struct bits - what deflate writes, from the lowest bit up */
struct bits {
	struct bytes *out;
	uint32_t value;
	unsigned int count;
};

static void put_bits(struct bits *bits, uint32_t value, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		bits->value |= (value >> i & 1) << bits->count++;
		if (bits->count < 8)
			continue;
		put_number(bits->out, bits->value, 1);
		bits->value = bits->count = 0;
	}
}

/* A code of Huffman, which begins with its highest bit */
static void put_code(struct bits *bits, uint32_t code, unsigned int count)
{
	while (count-- > 0)
		put_bits(bits, code >> count & 1, 1);
}

static void put_literal(struct bits *bits, uint8_t byte)
{
	if (byte < 144)
		put_code(bits, 0x30u + byte, 8);
	else
		put_code(bits, 0x190u + byte - 144, 9);
}

static uint32_t adler(uint32_t sum, uint8_t byte)
{
	const uint32_t low = ((sum & 0xffff) + byte) % 65521;

	return ((sum >> 16) + low) % 65521 << 16 | low;
}

/* zlib's format of @head, @times x 258 bytes of @byte, and @tail */
static struct bytes deflated(const struct bytes *head, uint8_t byte, size_t times,
			     const struct bytes *tail)
{
	struct bytes out = {0};
	struct bits bits = {.out = &out};
	uint32_t sum = 1;

	put_number(&out, 0x9c78, 2);
	put_bits(&bits, 3, 3); /* the last block, with the fixed codes */
	for (size_t i = 0; i < head->size; i++) {
		put_literal(&bits, head->at[i]);
		sum = adler(sum, head->at[i]);
	}
	put_literal(&bits, byte);
	for (size_t i = 0; i < times; i++) {
		put_code(&bits, 0xc5, 8); /* 258 bytes, from a distance of 1 */
		put_code(&bits, 0, 5);
	}
	for (size_t i = 0; i < 258 * times + 1; i++)
		sum = adler(sum, byte);
	for (size_t i = 0; i < tail->size; i++) {
		put_literal(&bits, tail->at[i]);
		sum = adler(sum, tail->at[i]);
	}
	put_code(&bits, 0, 7);
	put_bits(&bits, 0, 7);
	put_number(&out, __builtin_bswap32(sum), 4);
	return out;
}

static void add_lines(struct program *program)
{
	static const uint8_t end[] = {2, 4, 0, 1, 1};
	const bool standard = is_kind(program, "zlib"), gnu = is_kind(program, "zdebug");
	const struct bytes tail = {(uint8_t *)(uintptr_t)end, sizeof(end), 0};
	const size_t rows = is_kind(program, "lines") ? program->count
			    : standard || gnu         ? (size_t)program->count * 258 + 1
						      : 1;
	struct bytes lines = make_lines(rows), packed = {0}, whole = {0};
	const size_t size = lines.size + rows + tail.size;

	if (standard || gnu) {
		whole = deflated(&lines, 1, program->count, &tail);
		if (gnu) {
			put_text(&packed, "ZLIB");
			put_number(&packed, __builtin_bswap64(size), 8);
		} else {
			const Elf64_Chdr head = {ELFCOMPRESS_ZLIB, 0, size, 1};

			put(&packed, &head, sizeof(head));
		}
		put(&packed, whole.at, whole.size);
	} else {
		put(&packed, lines.at, lines.size);
		put_repeated(&packed, 1, rows);
		put(&packed, tail.at, tail.size);
	}
	add_section(program, gnu ? ".zdebug_line" : ".debug_line", SHT_PROGBITS, &packed)
		->sh_flags = standard ? SHF_COMPRESSED : 0;
	free(lines.at);
	free(packed.at);
	free(whole.at);
}

static void add_file(struct program *program, const char *path)
{
	struct bytes contents = {0};
	FILE *file = fopen(path, "re");
	int byte;

	while (file && (byte = fgetc(file)) != EOF)
		put_number(&contents, (uint64_t)byte, 1);
	if (file)
		fclose(file);
	add_section(program, ".gnu_debugdata", SHT_PROGBITS, &contents);
	free(contents.at);
}

static void add_code(struct program *program)
{
	struct bytes code = {0}, notes = {0};
	Elf64_Shdr *header;

	for (uint32_t i = 0; i < code_count(program); i++)
		put_number(&code, BRANCH, 4);
	header = add_section(program, ".text", SHT_PROGBITS, &code);
	header->sh_flags = SHF_ALLOC | SHF_EXECINSTR;
	header->sh_addr = TEXT;
	program->text = header->sh_offset;
	/* notes without name and contents */
	put_repeated(&notes, 0, is_kind(program, "notes") ? 60 * program->count : 1);
	program->notes = add_section(program, ".zero", SHT_PROGBITS, &notes)->sh_offset;
	free(code.at);
	free(notes.at);
}

/* The segment of all code; before it those that no symbol's address is in */
static void add_segments(struct program *program)
{
	const Elf64_Phdr all = {.p_type = PT_LOAD,
				.p_flags = PF_R | PF_X,
				.p_offset = program->text,
				.p_vaddr = TEXT,
				.p_filesz = UINT64_C(4) * code_count(program),
				.p_memsz = UINT64_C(4) * code_count(program),
				.p_align = 4};
	Elf64_Phdr other = all;

	for (uint32_t i = 0; is_kind(program, "segments") && i < program->count && i < 65000; i++) {
		other.p_vaddr = 2 * TEXT + UINT64_C(16) * i;
		other.p_filesz = other.p_memsz = 4;
		put(&program->segments, &other, sizeof(other));
	}
	put(&program->segments, &all, sizeof(all));
}

/* Section headers that are all of the same relocations, or of the same notes */
static void add_copies(struct program *program)
{
	const bool notes = is_kind(program, "notes");
	Elf64_Shdr copy = {.sh_type = SHT_RELA,
			   .sh_offset = sizeof(Elf64_Ehdr) + 1,
			   .sh_size = UINT64_C(48) * program->count,
			   .sh_entsize = sizeof(Elf64_Rela),
			   .sh_addralign = 1};

	if (notes)
		copy = (Elf64_Shdr){.sh_type = SHT_NOTE,
				    .sh_offset = program->notes,
				    .sh_size = UINT64_C(60) * program->count,
				    .sh_addralign = 4};
	for (uint32_t i = 0; (notes || is_kind(program, "relocations")) && i < program->count; i++)
		put(&program->headers, &copy, sizeof(copy));
}

static void write_program(struct program *program, const char *path, const char *debugdata)
{
	Elf64_Ehdr head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
			   .e_type = ET_EXEC,
			   .e_machine = EM_AARCH64,
			   .e_version = EV_CURRENT,
			   .e_ehsize = sizeof(head),
			   .e_phentsize = sizeof(Elf64_Phdr),
			   .e_shentsize = sizeof(Elf64_Shdr)};
	const Elf64_Shdr none = {0};
	struct bytes names;
	FILE *out;

	put(&program->file, &head, sizeof(head));
	put(&program->headers, &none, sizeof(none));
	put_number(&program->names, 0, 1);
	add_code(program);
	if (debugdata)
		add_file(program, debugdata);
	/* without symbols the build id, the unwind table and relocations are read */
	if (!debugdata && !is_kind(program, "notes") && !is_kind(program, "relocations")) {
		add_symbols(program);
		add_units(program);
		add_lines(program);
	}
	names = program->names;
	put(&names, ".shstrtab", 10);
	program->names.at = names.at;
	add_section(program, ".shstrtab", SHT_STRTAB, &names);
	head.e_shstrndx = (uint16_t)(program->headers.size / sizeof(none) - 1);
	add_segments(program);
	add_copies(program);
	head.e_phoff = program->file.size;
	head.e_phnum = (uint16_t)(program->segments.size / sizeof(Elf64_Phdr));
	put(&program->file, program->segments.at, program->segments.size);
	put_repeated(&program->file, 0, -program->file.size % 8);
	head.e_shoff = program->file.size;
	head.e_shnum = (uint16_t)(program->headers.size / sizeof(none));
	put(&program->file, program->headers.at, program->headers.size);
	memcpy(program->file.at, &head, sizeof(head));
	out = fopen(path, "we");
	if (!out || fwrite(program->file.at, program->file.size, 1, out) != 1 || fclose(out))
		exit(1);
}

/* Synchronisation, Trace Info, Trace On, the address of the first function, an Atom for each */
static struct bytes make_trace(const struct program *program)
{
	static const uint8_t begin[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x01, 0x00, 0x04};
	struct bytes trace = {0};

	put(&trace, begin, sizeof(begin));
	put_number(&trace, 0x85, 1);
	put_number(&trace, TEXT >> 2 & 0x7f, 1);
	put_number(&trace, TEXT >> 9 & 0x7f, 1);
	put_number(&trace, TEXT >> 16, 6);
	put_number(&trace, 0x30, 1);
	put_repeated(&trace, 0xf7, code_count(program));
	return trace;
}

static int write_recording(const struct program *program, const char *path, const char *file)
{
	static const char *const words[] = {"hwflow", "record"};
	static const struct perfdata_cpu cpu = {.protocol = PERFDATA_ETE,
						.regs = {.trcconfigr = 1,
							 .trcidr0 = 0x084002a1,
							 .trcidr2 = 0x40001088,
							 .trcdevarch = 0x47735a13}};
	const struct perfdata_recording recording = {.argv = words,
						     .argc = 2,
						     .hostname = "board",
						     .osrelease = "6.1.0",
						     .cpus = &cpu,
						     .cpu_count = 1,
						     .exclude_kernel = true};
	const struct perfdata_mapping mapping = {.address = TEXT,
						 .length = UINT64_C(4) * code_count(program),
						 .file_offset = program->text,
						 .prot = 5,
						 .path = file,
						 .inode = 1};
	const struct perfdata_stamp stamp = {1, 7, 7, PERFDATA_ANY},
				    end = {900, 7, 7, PERFDATA_ANY};
	const struct perfdata_area area = {.pid = 7, .tid = 7, .cpu = PERFDATA_ANY};
	struct bytes trace = make_trace(program);
	struct perfdata_writer *writer;

	if (perfdata_writer_open(&writer, path, &recording) ||
	    perfdata_write_mmap2(writer, &stamp, &mapping) ||
	    perfdata_write_session(writer, &end, &area, 0, trace.at, trace.size, 0))
		return 1;
	free(trace.at);
	return perfdata_writer_close(writer) ? 1 : 0;
}

int main(int argc, char **argv)
{
	struct program program = {0};
	char data[PATH_MAX], file[PATH_MAX], folder[PATH_MAX];

	if (argc < 4 || !realpath(argv[3], folder)) {
		fputs("usage: make_program KIND COUNT DIRECTORY [FILE]\n", stderr);
		return 1;
	}
	program.kind = argv[1];
	program.count = (uint32_t)strtoul(argv[2], NULL, 10);
	snprintf(data, sizeof(data), "%.4000s/data", folder);
	snprintf(file, sizeof(file), "%.4000s/program", folder);
	write_program(&program, file, argv[4]);
	return write_recording(&program, data, file);
}
