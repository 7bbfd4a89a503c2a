/* SPDX-License-Identifier: GPL-2.0-only */
/* What an ELF file may ask elfutils for, checked before elfutils reads it. */
#ifndef HWFLOW_ELF_BOUNDS_H
#define HWFLOW_ELF_BOUNDS_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * elf_bounds_good() - check an ELF file before elfutils reads it
 * @path: the file, for messages
 * @bytes: its contents
 * @size: bytes of it
 *
 * elfutils copies sections that are not aligned, searches all sections with notes, and allocates
 * for a compressed section as much as its header says. Sections of a sound file do not overlap, so
 * the work is in proportion to the size of the file; and compressed sections stay within
 * LIMIT_elfratio and LIMIT_decompressed. The sizes of compressed sections are added to those of the
 * files before.
 *
 * Return: false if elfutils must not read the file; the reason was printed.
 */
bool elf_bounds_good(const char *path, const uint8_t *bytes, size_t size);

/** elf_bounds_file_good() - the same of an open file: one that is no ELF file is not good */
bool elf_bounds_file_good(const char *path, int fd);

/**
 * elf_section_name() - the name of a section
 * @names: contents of the section of names
 * @header: the section
 *
 * elf_strptr() searches the section of names for its last zero again for each name.
 *
 * Return: "" if the name is not in the section of names, or does not end in it
 */
const char *elf_section_name(const Elf_Data *names, const GElf_Shdr *header);

/** elf_section_names() - contents of the section of names; NULL if there are none */
Elf_Data *elf_section_names(Elf *elf);

#endif /* HWFLOW_ELF_BOUNDS_H */
