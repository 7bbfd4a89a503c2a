/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* What is around the fields of a payload (RISCV_COMPRESSION) */
#include "codec/riscv/riscv_bits.h"

void hwf_riscv_load(struct hwf_riscv_bits *bits, const uint8_t *bytes, size_t length)
{
	*bits = (struct hwf_riscv_bits){0};
	memset(bits->bytes, bytes[length - 1] & 0x80 ? 0xff : 0, sizeof(bits->bytes));
	memcpy(bits->bytes, bytes, length);
}

bool hwf_riscv_is_padding(const struct hwf_riscv_bits *bits, size_t length)
{
	unsigned int left;
	uint64_t padding;

	if (bits->at >= 8 * length)
		return true;
	left = 8 * (unsigned int)length - bits->at;
	padding = hwf_riscv_get_bits(bits, bits->at, left < 8 ? left : 8);
	return left < 8 && padding == (hwf_riscv_bit_before(bits) ? 0xffu >> (8 - left) : 0);
}

int hwf_riscv_store(struct hwf_riscv_bits *bits, uint8_t *bytes, size_t room)
{
	size_t length = (bits->at + 7) / 8;

	if (bits->error)
		return bits->error;
	if (bits->at % 8 && hwf_riscv_bit_before(bits))
		bits->bytes[length - 1] |= (uint8_t)(0xff << bits->at % 8);
	while (length > 1 &&
	       bits->bytes[length - 1] == (bits->bytes[length - 2] & 0x80 ? 0xff : 0x00))
		length--;
	if (length > room || length > HWF_RISCV_MAX_PAYLOAD)
		return HWF_ERR_NO_SPACE;
	memcpy(bytes, bits->bytes, length);
	return (int)length;
}
