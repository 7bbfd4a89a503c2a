/* SPDX-License-Identifier: GPL-2.0-only */
/* How much data in xz's format decompresses to. */
#ifndef HWFLOW_XZ_SIZE_H
#define HWFLOW_XZ_SIZE_H

#include <stddef.h>
#include <stdint.h>

/**
 * xz_size() - an upper bound of the size of data in xz's format when it is decompressed
 * @bytes: the data: one stream
 * @size: bytes of it
 *
 * The bound is the sum of the sizes in the heads of the chunks, none of which a decoder exceeds.
 * The dictionary, which a decoder allocates, must not be larger than 64 MB. The index at the end,
 * which has the sizes as well, is compared with the data only after all of it is decompressed.
 *
 * Return: the bound; UINT64_MAX if the data is in another format than that of xz with LZMA2.
 */
uint64_t xz_size(const uint8_t *bytes, size_t size);

#endif /* HWFLOW_XZ_SIZE_H */
