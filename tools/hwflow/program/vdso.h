/* SPDX-License-Identifier: GPL-2.0-only */
/* The vdso of this machine: code that the kernel maps into each process. */
#ifndef HWFLOW_VDSO_H
#define HWFLOW_VDSO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct vdso - the vdso of this process
 * @bytes: the ELF file, as it is mapped
 * @size: bytes of it
 * @build_id: its build id
 * @build_id_size: bytes of that
 */
struct vdso {
	const uint8_t *bytes;
	size_t size;
	uint8_t build_id[20];
	uint8_t build_id_size;
};

/**
 * vdso_find() - find the vdso of this process
 * @vdso: receives it; valid until the process ends
 *
 * Return: false if there is none, or if it has no build id.
 */
bool vdso_find(struct vdso *vdso);

#endif /* HWFLOW_VDSO_H */
