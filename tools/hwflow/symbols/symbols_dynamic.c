// SPDX-License-Identifier: GPL-2.0-only
/*
 * Symbols of dynamic linking, for a file whose symbol table has no function. That of a program in
 * memory is not moved with the program, as is the case with the vdso of QEMU: all of its symbols
 * are at other addresses than the code.
 */
#include "symbols_dynamic.h"

#include <stdlib.h>

size_t dynamic_symbols_read(Elf *elf, struct dynamic_symbol **symbols)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	Elf_Data *data = NULL;
	GElf_Sym symbol;
	size_t count = 0, used = 0;

	*symbols = NULL;
	while (!data && (section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_DYNSYM)
			data = elf_getdata(section, NULL);
	if (data)
		count = data->d_size / gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
	*symbols = count ? calloc(count, sizeof(**symbols)) : NULL;
	for (size_t i = 0; *symbols && i < count && gelf_getsym(data, (int)i, &symbol); i++)
		(*symbols)[used++] = (struct dynamic_symbol){
			.name = elf_strptr(elf, header.sh_link, symbol.st_name), .symbol = symbol};
	return used;
}
