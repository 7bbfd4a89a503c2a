/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The bits of one payload, first field lowest, each field with its lowest bit first (RISCV_FIELDS).
 * One function a packet visits its fields in order, to read them or to write them.
 */
#ifndef HWF_CODEC_RISCV_BITS_H
#define HWF_CODEC_RISCV_BITS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "core/bits.h"
#include "hwflow/riscv.h"

/* Room for the widest F3_TRAP before compression, and for a payload with a framing */
#define HWF_RISCV_BITS_BYTES 48

/*
 * struct hwf_riscv_bits - a payload, and a place in it
 * @error: the first thing that was wrong, or 0
 */
struct hwf_riscv_bits {
	uint8_t bytes[HWF_RISCV_BITS_BYTES + 8]; /* eight are read at a time */
	unsigned int at;
	bool write;
	int error;
};

static inline uint64_t hwf_riscv_get_bits(const struct hwf_riscv_bits *bits, unsigned int at,
					  unsigned int width)
{
	const uint8_t *from = &bits->bytes[at / 8];
	const unsigned int shift = at % 8;
	uint64_t value = hwf_load64(from) >> shift;

	if (shift + width > 64)
		value |= (uint64_t)from[8] << (64 - shift);
	return value & hwf_low_bits(width);
}

static inline void hwf_riscv_put_bits(struct hwf_riscv_bits *bits, uint64_t value,
				      unsigned int width)
{
	for (unsigned int put = 0; put < width;) {
		const unsigned int place = bits->at + put;

		bits->bytes[place / 8] |= (uint8_t)(value >> put << place % 8);
		put += 8 - place % 8;
	}
}

/* One field of @width bits, 0 to 64; a field of no bits reads as 0. */
static inline void hwf_riscv_field(struct hwf_riscv_bits *bits, uint64_t *value, unsigned int width)
{
	if (bits->at + width > 8 * HWF_RISCV_BITS_BYTES) {
		bits->error = HWF_ERR_NO_SPACE;
		return;
	}
	if (!bits->write) {
		*value = hwf_riscv_get_bits(bits, bits->at, width);
	} else if (width < 64 && *value >> width) {
		bits->error = HWF_ERR_BAD_PAYLOAD;
	} else {
		hwf_riscv_put_bits(bits, *value, width);
	}
	bits->at += width;
}

static inline void hwf_riscv_field32(struct hwf_riscv_bits *bits, uint32_t *value,
				     unsigned int width)
{
	uint64_t wide = *value;

	hwf_riscv_field(bits, &wide, width);
	*value = (uint32_t)wide;
}

static inline void hwf_riscv_field16(struct hwf_riscv_bits *bits, uint16_t *value,
				     unsigned int width)
{
	uint64_t wide = *value;

	hwf_riscv_field(bits, &wide, width);
	*value = (uint16_t)wide;
}

static inline void hwf_riscv_field8(struct hwf_riscv_bits *bits, uint8_t *value, unsigned int width)
{
	uint64_t wide = *value;

	hwf_riscv_field(bits, &wide, width);
	*value = (uint8_t)wide;
}

static inline void hwf_riscv_flag(struct hwf_riscv_bits *bits, bool *value)
{
	uint64_t wide = *value;

	hwf_riscv_field(bits, &wide, 1);
	*value = wide != 0;
}

/* The bit before the place: what a bit that "differs" is compared with */
static inline bool hwf_riscv_bit_before(const struct hwf_riscv_bits *bits)
{
	return hwf_riscv_get_bits(bits, bits->at - 1, 1) != 0;
}

/* Begin to read: the payload, its top bit repeated behind it (RISCV_COMPRESSION). */
void hwf_riscv_load(struct hwf_riscv_bits *bits, const uint8_t *bytes, size_t length);

/* What was not read of @length bytes is padding to a whole byte, of the last bit read. */
bool hwf_riscv_is_padding(const struct hwf_riscv_bits *bits, size_t length);

/* The payload as bytes: equal top bits dropped but one. Their number, or an enum hwf_err */
int hwf_riscv_store(struct hwf_riscv_bits *bits, uint8_t *bytes, size_t room);

#endif /* HWF_CODEC_RISCV_BITS_H */
