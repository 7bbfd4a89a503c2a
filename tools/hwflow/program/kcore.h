/* SPDX-License-Identifier: GPL-2.0-only */
/* The memory of the kernel that was recorded, as perf record --kcore copies it. */
#ifndef HWFLOW_KCORE_H
#define HWFLOW_KCORE_H

#include "hwflow/image.h"

/** KCORE_DIR - directory of a recording with the first copy of the kernel's code */
#define KCORE_DIR "kcore_dir"

/** KCORE_CHANGES - directory of a recording with code that differs from the first copy */
#define KCORE_CHANGES "kcore_changes"

/** KCORE_MEMORY - name of the file of code in both directories */
#define KCORE_MEMORY "kcore"

/** KCORE_KALLSYMS - name of the file of symbols beside a kcore */
#define KCORE_KALLSYMS "kallsyms"

/** KCORE_MODULES - name of the list of modules beside a kcore */
#define KCORE_MODULES "modules"

/** KCORE_UNKNOWN - name of the list of addresses in KCORE_CHANGES whose code was not copied */
#define KCORE_UNKNOWN "unknown"

/** struct kcore - code of kernel and modules, and the vdso */
struct kcore;

/**
 * kcore_open() - open a copy of the kernel's memory
 * @result: receives it
 * @image: its files are added to this
 * @directory: kcore_dir of the recording
 *
 * A copy that is missing, or not one, was said on stderr.
 *
 * Return: 0; -ENOMEM; -EINVAL for what is no copy; or the errno of the file.
 */
int kcore_open(struct kcore **result, struct hwf_image *image, const char *directory);

/** kcore_file() - code of kernel and modules, at the addresses that its segments say */
struct hwf_image_file *kcore_file(const struct kcore *kcore);

/** kcore_is_at() - was that kernel where its symbol @symbol is at @address? */
bool kcore_is_at(const struct kcore *kcore, const char *symbol, uint64_t address);

/**
 * kcore_vdso() - what processes have mapped as [vdso]
 * @kcore: the kernel that gave it to them
 *
 * Return: the vdso of A64 programs; NULL where the copy does not have it.
 */
struct hwf_image_file *kcore_vdso(struct kcore *kcore);

/** kcore_free() - free all but the files; NULL is allowed */
void kcore_free(struct kcore *kcore);

#endif /* HWFLOW_KCORE_H */
