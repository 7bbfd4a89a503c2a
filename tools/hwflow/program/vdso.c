// SPDX-License-Identifier: GPL-2.0-only
#include "vdso.h"

#include <elfutils/libdwelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdio.h>
#include <string.h>

#include "base/input_file.h"

/* Where it is mapped: /proc/self/maps has its size, which the auxiliary vector does not. */
static bool find_mapping(struct vdso *vdso)
{
	FILE *file = own_file_stream("/proc/self/maps");
	char line[512];

	*vdso = (struct vdso){.bytes = NULL};
	while (file && !vdso->bytes && fgets(line, sizeof(line), file)) {
		uintptr_t start, end;

		if (!strstr(line, " [vdso]\n") ||
		    sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &start, &end) != 2)
			continue;
		vdso->bytes = (const uint8_t *)start;
		vdso->size = end - start;
	}
	if (file)
		fclose(file);
	return vdso->bytes;
}

bool vdso_find(struct vdso *vdso)
{
	const void *id;
	ssize_t size;
	Elf *elf;

	if (!find_mapping(vdso))
		return false;
	elf_version(EV_CURRENT);
	/* libelf does not write to what it only reads */
	elf = elf_memory((char *)(uintptr_t)vdso->bytes, vdso->size);
	size = elf ? dwelf_elf_gnu_build_id(elf, &id) : 0;
	if (size > 0 && size <= (ssize_t)sizeof(vdso->build_id)) {
		memcpy(vdso->build_id, id, (size_t)size);
		vdso->build_id_size = (uint8_t)size;
	}
	elf_end(elf);
	return vdso->build_id_size;
}
