// SPDX-License-Identifier: GPL-2.0-only
/*
 * The code that symbols of an ELF file name, as of the ELF for the Arm Architecture (AAELF32), for
 * the Arm 64-bit Architecture (AAELF64), and of the RISC-V ELF psABI.
 */
#include "elf_function.h"

#include <string.h>

#include "hwflow/image.h"

bool elf_is_function(uint16_t machine, const GElf_Sym *symbol)
{
	const unsigned int type = GELF_ST_TYPE(symbol->st_info);

	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		return true;
	/* T32 functions, in files from before the EABI; bit 0 of their value is 0 */
	return machine == EM_ARM && type == STT_ARM_TFUNC;
}

uint64_t elf_symbol_address(uint16_t machine, const GElf_Sym *symbol)
{
	return elf_is_function(machine, symbol) ? hwf_image_elf_address(machine, symbol->st_value)
						: symbol->st_value;
}

bool elf_is_mapping_symbol(const char *name)
{
	if (name[0] != '$' || !name[1] || !strchr("adtx", name[1]))
		return false;
	/* of RISC-V, with the extensions that the instructions belong to */
	if (!strncmp(name, "$xrv", 4))
		return true;
	return !name[2] || name[2] == '.';
}

bool elf_has_symbol_table(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB)
			return true;
	return false;
}
