/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions with names of one file. */
#ifndef HWFLOW_SYMBOLS_READ_H
#define HWFLOW_SYMBOLS_READ_H

#include "symbols_file.h"

/* A file's names have no more bytes in sum than this for each byte of the file: sound names do not
 * overlap but where one is the end of another. */
#define NAMES_PER_BYTE 4u

/**
 * symbols_read() - set the functions of a file that have names, and open its DWARF
 * @node: the file, which is an ELF file
 * @debug: see symbols_file_new()
 */
void symbols_read(struct symbols_file *node, const struct debug_files *debug);

#endif /* HWFLOW_SYMBOLS_READ_H */
