/* SPDX-License-Identifier: GPL-2.0-only */
/* Names for the stubs of a procedure linkage table: one a relocation, in the same order. */
#include "symbols_plt.h"

#include <gelf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* of AArch64: the code before the first stub, and a stub without and with branch protection */
#define PLT_HEAD       32
#define PLT_STUB       16
#define PLT_STUB_GUARD 24

/* struct plt - where everything is */
struct plt {
	GElf_Shdr plt;
	GElf_Shdr relocations;
	Elf_Data *relocation_data;
	GElf_Shdr symbols;
	Elf_Data *symbol_data;
	bool has_plt;
	bool has_relocations;
};

static void look_at(Elf *elf, size_t names, Elf_Scn *section, struct plt *plt)
{
	GElf_Shdr header;
	const char *name;

	if (!gelf_getshdr(section, &header))
		return;
	name = elf_strptr(elf, names, header.sh_name);
	if (name && !strcmp(name, ".plt") && header.sh_type == SHT_PROGBITS) {
		plt->plt = header;
		plt->has_plt = true;
	}
	if (name && !strcmp(name, ".rela.plt") && header.sh_type == SHT_RELA) {
		plt->relocations = header;
		plt->relocation_data = elf_getdata(section, NULL);
		plt->has_relocations = plt->relocation_data != NULL;
	}
}

static bool find_plt(Elf *elf, struct plt *plt)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return false;
	while ((section = elf_nextscn(elf, section)))
		look_at(elf, names, section, plt);
	if (!plt->has_plt || !plt->has_relocations)
		return false;
	section = elf_getscn(elf, plt->relocations.sh_link);
	if (!section || !gelf_getshdr(section, &plt->symbols))
		return false;
	plt->symbol_data = elf_getdata(section, NULL);
	return plt->symbol_data != NULL;
}

/* "name@plt" of a relocation; NULL where it has none. */
static char *stub_name(Elf *elf, const struct plt *plt, size_t index)
{
	GElf_Rela relocation;
	GElf_Sym symbol;
	const char *name;
	char *result;

	if (!gelf_getrela(plt->relocation_data, (int)index, &relocation) ||
	    !gelf_getsym(plt->symbol_data, (int)GELF_R_SYM(relocation.r_info), &symbol))
		return NULL;
	name = elf_strptr(elf, plt->symbols.sh_link, symbol.st_name);
	if (!name || !*name || asprintf(&result, "%s@plt", name) < 0)
		return NULL;
	return result;
}

size_t plt_read(Elf *elf, struct plt_stub **result)
{
	struct plt plt = {0};
	struct plt_stub *stubs;
	uint64_t size;
	size_t count, used = 0;

	if (!find_plt(elf, &plt) || plt.plt.sh_size <= PLT_HEAD || !plt.relocations.sh_entsize)
		return 0;
	count = plt.relocation_data->d_size / plt.relocations.sh_entsize;
	size = count ? (plt.plt.sh_size - PLT_HEAD) / count : 0;
	if (size != PLT_STUB && size != PLT_STUB_GUARD)
		return 0;
	stubs = calloc(count, sizeof(*stubs));
	for (size_t i = 0; stubs && i < count; i++) {
		stubs[used].name = stub_name(elf, &plt, i);
		stubs[used].start = plt.plt.sh_addr + PLT_HEAD + i * size;
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
