/* SPDX-License-Identifier: GPL-2.0-only */
/* The checksum of debug links and of gzip. */
#ifndef HWFLOW_BASE_CRC32_H
#define HWFLOW_BASE_CRC32_H

#include <stddef.h>
#include <stdint.h>

/** crc32_of() - CRC-32 of bytes, with the reversed polynomial 0xedb88320 */
uint32_t crc32_of(const uint8_t *bytes, size_t size);

#endif /* HWFLOW_BASE_CRC32_H */
