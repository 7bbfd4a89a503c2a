/* SPDX-License-Identifier: GPL-2.0-only */
/* The binaries of a stored profile, found on this machine. */
#ifndef HWFLOW_PROGRAM_BINARY_H
#define HWFLOW_PROGRAM_BINARY_H

#include "hwflow/image.h"
#include "hwflow/stored_profile.h"

struct elf_tree;

/**
 * binary_add() - add the binary of a profile to an image
 * @image: the image
 * @file: the binary, as the profile has it
 * @tree: the directory of --symfs; NULL: the files of this machine
 * @added: receives the file, which belongs to @image
 *
 * The file is at its path in the recording, or anywhere in @tree, by its build id. One that is
 * not there, or not the one that was recorded, counts as missing: hwf_image_file_open() fails.
 *
 * Return: 0 or -ENOMEM.
 */
int binary_add(struct hwf_image *image, const struct hwf_profile_file *file, struct elf_tree *tree,
	       struct hwf_image_file **added);

/** binary_content() - HWF_FILE_ID_CONTENT of a file that was opened; its bytes go to @id */
void binary_content(const struct hwf_image_file *file, uint8_t id[16]);

/**
 * binary_stext() - the address that the beginning of a kernel's code is linked at
 * @file: a kernel (vmlinux), which was opened
 * @address: receives the value of its symbol _stext
 *
 * Return: false if the file has no such symbol.
 */
bool binary_stext(const struct hwf_image_file *file, uint64_t *address);

#endif /* HWFLOW_PROGRAM_BINARY_H */
