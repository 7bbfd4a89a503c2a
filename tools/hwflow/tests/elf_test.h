/* SPDX-License-Identifier: GPL-2.0-only */
/* Small ELF files with one segment of code, for tests: of 32 or 64 bits, little-endian. */
#ifndef ELF_TEST_H
#define ELF_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <gelf.h>

/**
 * struct elf_test_section - a section that is not loaded, as any section of debug information
 * @name: with the period
 * @bytes: its contents
 * @size: how many
 * @address: sh_addr
 * @type: sh_type, SHT_PROGBITS if 0
 * @link: number of another section; those of @elf_test.sections have the numbers from 4 up
 * @flags: sh_flags
 */
struct elf_test_section {
	const char *name;
	const void *bytes;
	size_t size;
	uint64_t address;
	uint32_t type;
	uint32_t link;
	uint64_t flags;
};

/* struct elf_test_symbol - a symbol of the code; @type: STT_FUNC and the like */
struct elf_test_symbol {
	const char *name;
	uint64_t value;
	uint64_t size;
	uint8_t type;
};

/**
 * struct elf_test - an ELF file
 * @machine: EM_ARM has 32 bits, other machines have 64
 * @entry: e_entry
 * @address: of the code
 * @code: its bytes
 * @code_size: how many
 * @symbols: in order; an element without a name ends them
 * @sections: more sections; an element without a name ends them
 */
struct elf_test {
	uint16_t machine;
	uint64_t entry;
	uint64_t address;
	const void *code;
	size_t code_size;
	const struct elf_test_symbol *symbols;
	const struct elf_test_section *sections;
};

/* struct elf_test_strings - a string table */
struct elf_test_strings {
	char at[512];
	size_t size;
};

static inline uint32_t elf_test_string(struct elf_test_strings *strings, const char *text)
{
	const size_t at = strings->size ? strings->size : 1, length = strlen(text) + 1;

	assert_true(at + length <= sizeof(strings->at));
	memcpy(strings->at + at, text, length);
	strings->size = at + length;
	return (uint32_t)at;
}

/* A section of the file; its contents must live until the file is written. */
static inline size_t elf_test_add(Elf *elf, uint32_t name, GElf_Shdr header, const void *bytes,
				  size_t size)
{
	Elf_Scn *section = elf_newscn(elf);
	Elf_Data *data = elf_newdata(section);

	assert_non_null(data);
	data->d_buf = (void *)(uintptr_t)bytes;
	data->d_size = size;
	data->d_type = header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM ? ELF_T_SYM
										    : ELF_T_BYTE;
	data->d_align = header.sh_addralign;
	header.sh_name = name;
	assert_true(gelf_update_shdr(section, &header));
	return elf_ndxscn(section);
}

/* Symbols in the file's own format; the first one has no name. Returns their bytes. */
static inline size_t elf_test_symbols(const struct elf_test *test, uint8_t room[1024],
				      struct elf_test_strings *strings)
{
	const size_t size = test->machine == EM_ARM ? sizeof(Elf32_Sym) : sizeof(Elf64_Sym);
	size_t used = size;

	memset(room, 0, size);
	for (const struct elf_test_symbol *symbol = test->symbols; symbol && symbol->name;
	     symbol++, used += size) {
		const uint32_t name = elf_test_string(strings, symbol->name);
		const uint8_t info = GELF_ST_INFO(STB_GLOBAL, symbol->type);
		const Elf32_Sym narrow = {.st_name = name,
					  .st_value = (uint32_t)symbol->value,
					  .st_size = (uint32_t)symbol->size,
					  .st_info = info,
					  .st_shndx = 1};
		const Elf64_Sym wide = {.st_name = name,
					.st_value = symbol->value,
					.st_size = symbol->size,
					.st_info = info,
					.st_shndx = 1};

		assert_true(used + size <= 1024);
		memcpy(room + used, size == sizeof(narrow) ? (const void *)&narrow : &wide, size);
	}
	return used;
}

/* Writes the head of the file, once the places of its sections are known. */
static inline void elf_test_finish(const struct elf_test *test, Elf *elf, size_t names)
{
	GElf_Phdr segment = {.p_type = PT_LOAD,
			     .p_flags = PF_R | PF_X,
			     .p_vaddr = test->address,
			     .p_filesz = test->code_size,
			     .p_memsz = test->code_size,
			     .p_align = 4};
	GElf_Ehdr head;
	GElf_Shdr text;

	assert_non_null(gelf_getehdr(elf, &head));
	head.e_ident[EI_DATA] = ELFDATA2LSB;
	head.e_type = ET_EXEC;
	head.e_machine = test->machine;
	head.e_version = EV_CURRENT;
	head.e_entry = test->entry;
	head.e_shstrndx = (uint16_t)names;
	assert_true(gelf_update_ehdr(elf, &head));
	assert_true(elf_update(elf, ELF_C_NULL) > 0);
	assert_non_null(gelf_getshdr(elf_getscn(elf, 1), &text));
	segment.p_offset = text.sh_offset;
	assert_true(gelf_update_phdr(elf, 0, &segment));
	elf_flagphdr(elf, ELF_C_SET, ELF_F_DIRTY);
	assert_true(elf_update(elf, ELF_C_WRITE) > 0);
}

/* Makes the file @path. */
static inline void elf_test_write(const struct elf_test *test, const char *path)
{
	struct elf_test_strings names = {.size = 0}, strings = {.size = 0};
	FILE *file = fopen(path, "we");
	uint8_t symbols[1024];
	size_t strings_at, symbols_size;
	Elf *elf;

	assert_non_null(file);
	elf_version(EV_CURRENT);
	elf = elf_begin(fileno(file), ELF_C_WRITE, NULL);
	assert_non_null(elf);
	assert_true(gelf_newehdr(elf, test->machine == EM_ARM ? ELFCLASS32 : ELFCLASS64));
	assert_true(gelf_newphdr(elf, 1));
	elf_test_add(elf, elf_test_string(&names, ".text"),
		     (GElf_Shdr){.sh_type = SHT_PROGBITS,
				 .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
				 .sh_addr = test->address,
				 .sh_addralign = 4},
		     test->code, test->code_size);
	symbols_size = elf_test_symbols(test, symbols, &strings);
	strings_at = elf_test_add(elf, elf_test_string(&names, ".strtab"),
				  (GElf_Shdr){.sh_type = SHT_STRTAB, .sh_addralign = 1}, strings.at,
				  strings.size ? strings.size : 1);
	elf_test_add(elf, elf_test_string(&names, ".symtab"),
		     (GElf_Shdr){.sh_type = SHT_SYMTAB,
				 .sh_link = (uint32_t)strings_at,
				 .sh_info = 1,
				 .sh_entsize = test->machine == EM_ARM ? sizeof(Elf32_Sym)
								       : sizeof(Elf64_Sym),
				 .sh_addralign = 8},
		     symbols, symbols_size);
	for (const struct elf_test_section *more = test->sections; more && more->name; more++)
		elf_test_add(
			elf, elf_test_string(&names, more->name),
			(GElf_Shdr){.sh_type = more->type ? more->type : SHT_PROGBITS,
				    .sh_addr = more->address,
				    .sh_link = more->link,
				    .sh_flags = more->flags,
				    .sh_entsize = more->type == SHT_DYNSYM ? sizeof(Elf64_Sym) : 0,
				    .sh_addralign = 4},
			more->bytes, more->size);
	elf_test_string(&names, ".shstrtab");
	elf_test_finish(test, elf,
			elf_test_add(elf, (uint32_t)(names.size - sizeof(".shstrtab")),
				     (GElf_Shdr){.sh_type = SHT_STRTAB, .sh_addralign = 1},
				     names.at, names.size));
	elf_end(elf);
	fclose(file);
}

#endif /* ELF_TEST_H */
