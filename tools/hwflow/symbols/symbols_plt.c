/* SPDX-License-Identifier: GPL-2.0-only */
/* Names for the stubs of a procedure linkage table: one a relocation, in the same order. */
#include "symbols_plt.h"

#include "base/input_limits.h"
#include "elf_bounds.h"

#include <gelf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The relocation of a thread-local variable, which has no stub */
#ifndef R_AARCH64_TLSDESC
#define R_AARCH64_TLSDESC 1031
#endif

/* of AArch64: the code before the first stub, and a stub without and with branch protection */
#define PLT_HEAD       32
#define PLT_STUB       16
#define PLT_STUB_GUARD 24

/* behind the last stub: code for thread-local variables that are bound when first used, likewise */
#define PLT_TAIL       32
#define PLT_TAIL_GUARD 36

/* struct plt - where everything is */
struct plt {
	GElf_Shdr plt;
	GElf_Shdr relocations;
	Elf_Data *relocation_data;
	GElf_Shdr symbols;
	Elf_Data *symbol_data;
	Elf_Data *names;
	bool has_plt;
	bool has_relocations;
};

static void look_at(const Elf_Data *names, Elf_Scn *section, struct plt *plt)
{
	GElf_Shdr header;
	const char *name;

	if (!gelf_getshdr(section, &header))
		return;
	name = elf_section_name(names, &header);
	if (!strcmp(name, ".plt") && header.sh_type == SHT_PROGBITS) {
		plt->plt = header;
		plt->has_plt = true;
	}
	if (!strcmp(name, ".rela.plt") && header.sh_type == SHT_RELA) {
		plt->relocations = header;
		plt->relocation_data = elf_getdata(section, NULL);
		plt->has_relocations = plt->relocation_data != NULL;
	}
}

static bool find_plt(Elf *elf, struct plt *plt)
{
	const Elf_Data *names = elf_section_names(elf);
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(elf, section)))
		look_at(names, section, plt);
	if (!plt->has_plt || !plt->has_relocations)
		return false;
	section = elf_getscn(elf, plt->relocations.sh_link);
	if (!section || !gelf_getshdr(section, &plt->symbols))
		return false;
	plt->symbol_data = elf_getdata(section, NULL);
	section = elf_getscn(elf, plt->symbols.sh_link);
	plt->names = section ? elf_rawdata(section, NULL) : NULL;
	return plt->symbol_data && plt->names && plt->names->d_buf;
}

static bool has_stub(const struct plt *plt, size_t index)
{
	GElf_Rela relocation;

	return gelf_getrela(plt->relocation_data, (int)index, &relocation) &&
	       GELF_R_TYPE(relocation.r_info) != R_AARCH64_TLSDESC;
}

/* Bytes of a stub, of which there are so many; 0 if that is not certain. */
static uint64_t stub_size(uint64_t table, size_t count, bool may_have_tail)
{
	static const uint64_t sizes[] = {PLT_STUB, PLT_STUB_GUARD};
	uint64_t found = 0;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const uint64_t rest = table - PLT_HEAD - count * sizes[i];

		if (rest && (!may_have_tail || (rest != PLT_TAIL && rest != PLT_TAIL_GUARD)))
			continue;
		if (found)
			return 0;
		found = sizes[i];
	}
	return found;
}

/* "name@plt" of a relocation; NULL where it has none. */
static char *stub_name(const struct plt *plt, size_t index, uint64_t *names)
{
	uint64_t room = limit_of(LIMIT_name) + 1;
	GElf_Rela relocation;
	GElf_Sym symbol;
	const char *name;
	size_t length;
	char *result;

	if (!gelf_getrela(plt->relocation_data, (int)index, &relocation) ||
	    !gelf_getsym(plt->symbol_data, (int)GELF_R_SYM(relocation.r_info), &symbol) ||
	    symbol.st_name >= plt->names->d_size)
		return NULL;
	name = (const char *)plt->names->d_buf + symbol.st_name;
	if (room > plt->names->d_size - symbol.st_name)
		room = plt->names->d_size - symbol.st_name;
	length = strnlen(name, (size_t)room);
	if (!length || length == room ||
	    !limit_spend(LIMIT_names, names, length + sizeof("@plt")) ||
	    asprintf(&result, "%s@plt", name) < 0)
		return NULL;
	return result;
}

size_t plt_read(Elf *elf, struct plt_stub **result, uint64_t *names)
{
	struct plt plt = {0};
	struct plt_stub *stubs;
	uint64_t size;
	size_t count, stub_count = 0, used = 0;

	if (!find_plt(elf, &plt) || plt.plt.sh_size <= PLT_HEAD || !plt.relocations.sh_entsize)
		return 0;
	count = plt.relocation_data->d_size / plt.relocations.sh_entsize;
	for (size_t i = 0; i < count; i++)
		stub_count += has_stub(&plt, i);
	size = stub_count ? stub_size(plt.plt.sh_size, stub_count, stub_count < count) : 0;
	stubs = size ? calloc(stub_count, sizeof(*stubs)) : NULL;
	for (size_t i = 0, stub = 0; stubs && i < count; i++) {
		if (!has_stub(&plt, i))
			continue;
		stubs[used].name = stub_name(&plt, i, names);
		stubs[used].start = plt.plt.sh_addr + PLT_HEAD + stub++ * size;
		stubs[used].size = size;
		used += stubs[used].name != NULL;
	}
	*result = stubs;
	return used;
}

void plt_free(struct plt_stub *stubs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(stubs[i].name);
	free(stubs);
}
