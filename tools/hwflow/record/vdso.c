// SPDX-License-Identifier: GPL-2.0-only
#include "vdso.h"

#include <elf.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

/* no vdso is larger than this */
#define VDSO_MAX 0x100000

const void *record_vdso(size_t *size)
{
	const uintptr_t address = getauxval(AT_SYSINFO_EHDR);
	Elf64_Ehdr header;
	uint64_t end;

	if (!address)
		return NULL;
	memcpy(&header, (const void *)address, sizeof(header));
	if (memcmp(header.e_ident, ELFMAG, SELFMAG) || header.e_ident[EI_CLASS] != ELFCLASS64)
		return NULL;
	/* the section headers are the last part of the file */
	end = header.e_shoff + (uint64_t)header.e_shnum * header.e_shentsize;
	if (end < sizeof(header) || end > VDSO_MAX)
		return NULL;
	*size = (size_t)end;
	return (const void *)address;
}
