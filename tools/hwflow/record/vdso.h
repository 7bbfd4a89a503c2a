/* SPDX-License-Identifier: GPL-2.0-only */
/* The vdso: code of the kernel that all programs have mapped. */
#ifndef HWFLOW_RECORD_VDSO_H
#define HWFLOW_RECORD_VDSO_H

#include <stddef.h>

/**
 * record_vdso() - the ELF file that this process, as every other, has mapped as [vdso]
 * @size: receives its size
 *
 * Return: the file, in memory of the kernel; NULL if there is none.
 */
const void *record_vdso(size_t *size);

#endif /* HWFLOW_RECORD_VDSO_H */
