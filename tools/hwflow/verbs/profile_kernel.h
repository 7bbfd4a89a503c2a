/* SPDX-License-Identifier: GPL-2.0-only */
/* The files of kernel code: a recording has a copy of the kernel's memory, and a profile has files.
 */
#ifndef HWFLOW_VERBS_PROFILE_KERNEL_H
#define HWFLOW_VERBS_PROFILE_KERNEL_H

#include "hwflow/stored_profile.h"
#include "source/input.h"

/** struct profile_kernel - where the kernel and its modules were in a recording */
struct profile_kernel;

/**
 * struct kernel_place - addresses that are one after the other in a file, or in none
 * @file: as a profile has it; NULL: they are in no file, or it is not known in which
 * @start: the first address
 * @length: bytes
 * @offset: of @start in @file
 *
 * Offsets in the file of a module are those of the ELF file. Offsets in the kernel are from its
 * symbol _stext: see HWF_FILE_ID_KERNEL.
 */
struct kernel_place {
	const struct hwf_profile_file *file;
	uint64_t start;
	uint64_t length;
	uint64_t offset;
};

/**
 * profile_kernel_new() - read where the kernel and its modules were
 * @input: a recording with a copy of the kernel's memory; must outlive the result
 * @options: of @input
 * @machine: e_machine of the kernel
 *
 * Return: NULL without memory.
 */
struct profile_kernel *profile_kernel_new(const struct input *input,
					  const struct input_options *options, uint16_t machine);

/** profile_kernel_free() - free the state; NULL is allowed */
void profile_kernel_free(struct profile_kernel *kernel);

/** profile_kernel_find() - the place of an address */
struct kernel_place profile_kernel_find(const struct profile_kernel *kernel, uint64_t address);

/**
 * profile_kernel_left_out() - report that code is left out of a profile
 * @kernel: the state
 * @address: of code, which profile_kernel_find() has found in no file
 *
 * A reason is printed once. Code that is of no file, such as BPF programs, needs none.
 *
 * Return: what the code is called, by the symbol before it; valid as long as @kernel.
 */
const char *profile_kernel_left_out(struct profile_kernel *kernel, uint64_t address);

#endif /* HWFLOW_VERBS_PROFILE_KERNEL_H */
