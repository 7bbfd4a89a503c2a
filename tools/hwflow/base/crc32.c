/* SPDX-License-Identifier: GPL-2.0-only */
/* The checksum of debug links and of gzip. */
#include "crc32.h"

/* Reversed polynomial */
#define POLYNOMIAL UINT32_C(0xedb88320)

uint32_t crc32_of(const uint8_t *bytes, size_t size)
{
	uint32_t table[256], crc = UINT32_MAX;

	for (uint32_t i = 0; i < 256; i++) {
		table[i] = i;
		for (int bit = 0; bit < 8; bit++)
			table[i] = table[i] >> 1 ^ (table[i] & 1 ? POLYNOMIAL : 0);
	}
	for (size_t i = 0; i < size; i++)
		crc = crc >> 8 ^ table[(uint8_t)crc ^ bytes[i]];
	return ~crc;
}
