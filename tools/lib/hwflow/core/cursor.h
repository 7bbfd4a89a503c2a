/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Bounds-checked reading and writing of packet bytes. */
#ifndef HWF_CORE_CURSOR_H
#define HWF_CORE_CURSOR_H

#include <stddef.h>
#include <stdint.h>

#include "hwflow/err.h"

/* struct hwf_cursor - the bytes that are not read yet */
struct hwf_cursor {
	const uint8_t *at;
	const uint8_t *end;
};

static inline int hwf_get_u8(struct hwf_cursor *cursor, uint8_t *value)
{
	if (cursor->at == cursor->end)
		return HWF_ERR_NEED_MORE;
	*value = *cursor->at++;
	return 0;
}

/* A little-endian value of @bytes bytes, at most 8 */
static inline int hwf_get_le(struct hwf_cursor *cursor, unsigned int bytes, uint64_t *value)
{
	uint64_t result = 0;

	if ((size_t)(cursor->end - cursor->at) < bytes)
		return HWF_ERR_NEED_MORE;
	for (unsigned int i = 0; i < bytes; i++)
		result |= (uint64_t)cursor->at[i] << (8 * i);
	cursor->at += bytes;
	*value = result;
	return 0;
}

/*
 * A value in groups of seven bits, the least significant group first. Bit 7 of a byte is set if
 * another byte follows. It has at most @max_bytes bytes and 32 bits.
 */
static inline int hwf_get_uleb32(struct hwf_cursor *cursor, unsigned int max_bytes, uint32_t *value)
{
	uint64_t result = 0;

	for (unsigned int i = 0; i < max_bytes; i++) {
		uint8_t byte;

		if (hwf_get_u8(cursor, &byte))
			return HWF_ERR_NEED_MORE;
		result |= (uint64_t)(byte & 0x7f) << (7 * i);
		if (byte & 0x80)
			continue;
		if (result > UINT32_MAX)
			return HWF_ERR_BAD_PAYLOAD;
		*value = (uint32_t)result;
		return 0;
	}
	return HWF_ERR_BAD_PAYLOAD;
}

/* struct hwf_writer - memory to write; @full is set by the first byte that does not fit */
struct hwf_writer {
	uint8_t *at;
	uint8_t *end;
	int full;
};

static inline void hwf_put_u8(struct hwf_writer *writer, unsigned int value)
{
	if (writer->at == writer->end)
		writer->full = 1;
	else
		*writer->at++ = (uint8_t)value;
}

static inline void hwf_put_le(struct hwf_writer *writer, unsigned int bytes, uint64_t value)
{
	for (unsigned int i = 0; i < bytes; i++)
		hwf_put_u8(writer, (uint8_t)(value >> (8 * i)));
}

static inline void hwf_put_uleb(struct hwf_writer *writer, uint64_t value)
{
	while (value > 0x7f) {
		hwf_put_u8(writer, (uint8_t)(value | 0x80));
		value >>= 7;
	}
	hwf_put_u8(writer, (uint8_t)value);
}

#endif /* HWF_CORE_CURSOR_H */
