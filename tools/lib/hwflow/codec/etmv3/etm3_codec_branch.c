/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Branch packets: IHI 0014Q section 7.3.5, in the original and the alternative address encoding
 * (ETMV3_BRANCH, ETMV3_BRANCH_ALTERNATIVE).
 *
 *   byte 0        C a a a a a a 1
 *   bytes 1 to 3  C a a a a a a a   original; alternative: only with C set
 *                 0 X a a a a a a   alternative, the last byte
 *   byte 4        0 X 0 0 1 a a a   ARM
 *                 0 X 0 1 a a a a   Thumb
 *                 0 X 1 a a a a a   Jazelle
 *                 1 K e e e a a a   ARM with an exception, original only, deprecated
 *   then, with X  C T K e e e e n   exception information: ThumbEE, cancel, exception, Non-secure
 *                 C 0 h e e e e e   Hyp, exception
 *                 0 1 0 0 r r r r   resume
 *
 * C: another byte follows.
 */
#include "codec/etmv3/etm3_private.h"

/* Bits of an address in the four bytes before the fifth */
#define ETM3_FOUR_BYTES 27

/* By enum hwf_etm3_state: alignment, and the mark and width of the bits in the fifth byte */
static const struct {
	uint8_t shift;
	uint8_t mark;
	uint8_t bits;
} states[] = {
	[HWF_ETM3_ARM] = {2, 0x08, 3},
	[HWF_ETM3_THUMB] = {1, 0x10, 4},
	[HWF_ETM3_JAZELLE] = {0, 0x20, 5},
};

static int get_fifth(const struct hwf_etm3_config *config, uint8_t byte, uint32_t low,
		     struct hwf_etm3_address *address, bool *info)
{
	bool old = byte & 0x80;
	unsigned int state;

	if (old && config->alternative)
		return HWF_ERR_BAD_PAYLOAD;
	*info = !old && byte & 0x40;
	if (old || (byte & 0x38) == 0x08)
		state = HWF_ETM3_ARM;
	else if ((byte & 0x30) == 0x10)
		state = HWF_ETM3_THUMB;
	else if (byte & 0x20)
		state = HWF_ETM3_JAZELLE;
	else
		return HWF_ERR_BAD_PAYLOAD;
	low |= (byte & ((1u << states[state].bits) - 1)) << ETM3_FOUR_BYTES;
	*address = (struct hwf_etm3_address){
		.value = low << states[state].shift,
		.bits = 32,
		.bytes = 5,
		.state = (uint8_t)state,
	};
	return 0;
}

int hwf_etm3_get_address(const struct hwf_etm3_config *config, struct hwf_cursor *cursor,
			 uint8_t first, struct hwf_etm3_address *address, uint8_t *fifth,
			 bool *info)
{
	uint32_t value = first >> 1 & 0x3f;
	unsigned int bits = 6;
	unsigned int bytes = 1;
	uint8_t byte = first;

	*info = false;
	*fifth = 0;
	while (byte & 0x80) {
		if (hwf_get_u8(cursor, &byte))
			return HWF_ERR_NEED_MORE;
		if (++bytes == 5) {
			*fifth = byte;
			return get_fifth(config, byte, value, address, info);
		}
		if (config->alternative && !(byte & 0x80)) {
			*info = byte & 0x40;
			value |= (byte & 0x3fu) << bits;
			bits += 6;
		} else {
			value |= (byte & 0x7fu) << bits;
			bits += 7;
		}
	}
	*address = (struct hwf_etm3_address){
		.value = value, .bits = (uint8_t)bits, .bytes = (uint8_t)bytes};
	return 0;
}

/* Exception information bytes (ETMV3_EXCEPTION) */
static int get_info(struct hwf_cursor *cursor, struct hwf_etm3_branch *branch)
{
	uint8_t byte;

	if (hwf_get_u8(cursor, &byte))
		return HWF_ERR_NEED_MORE;
	branch->info = true;
	branch->ns = byte & 1;
	branch->exception = byte >> 1 & 15;
	branch->cancel = byte & 0x20;
	branch->alt_isa = byte & 0x40;
	if (!(byte & 0x80))
		return 0;
	if (hwf_get_u8(cursor, &byte))
		return HWF_ERR_NEED_MORE;
	if (!(byte & 0x40)) {
		branch->has_second = true;
		branch->exception |= (uint16_t)((byte & 0x1f) << 4);
		branch->hyp = byte & 0x20;
		if (!(byte & 0x80))
			return 0;
		if (hwf_get_u8(cursor, &byte))
			return HWF_ERR_NEED_MORE;
	}
	if ((byte & 0xf0) != 0x40)
		return HWF_ERR_BAD_PAYLOAD;
	branch->has_third = true;
	branch->resume = byte & 15;
	return 0;
}

int hwf_etm3_decode_branch(const struct hwf_etm3_config *config, struct hwf_cursor *cursor,
			   struct hwf_etm3_packet *packet)
{
	struct hwf_etm3_branch *branch = &packet->u.branch;
	uint8_t fifth;
	bool info;
	int err = hwf_etm3_get_address(config, cursor, packet->header, &branch->address, &fifth,
				       &info);

	if (err)
		return err;
	if (fifth & 0x80) {
		branch->old = true;
		branch->exception = fifth >> 3 & 7;
		branch->cancel = fifth & 0x40;
	}
	return info ? get_info(cursor, branch) : 0;
}

/* Bits that an address of this many bytes, fewer than five, carries */
static unsigned int address_bits(const struct hwf_etm3_config *config, unsigned int bytes)
{
	return 7 * bytes - 1 - (config->alternative && bytes > 1);
}

int hwf_etm3_put_address(const struct hwf_etm3_config *config, struct hwf_writer *writer,
			 const struct hwf_etm3_address *address, bool info)
{
	const bool whole = address->bytes == 5;
	uint32_t value = address->value;

	if (address->bytes < 1 || address->bytes > 5 || (whole && address->state > 2))
		return HWF_ERR_BAD_PAYLOAD;
	if (whole ? address->bits != 32 || value & ((1u << states[address->state].shift) - 1)
		  : address->bits != address_bits(config, address->bytes) || value >> address->bits)
		return HWF_ERR_BAD_PAYLOAD;
	if (info && !whole && !(config->alternative && address->bytes > 1))
		return HWF_ERR_BAD_PAYLOAD;
	if (whole)
		value >>= states[address->state].shift;
	hwf_put_u8(writer, (address->bytes > 1 ? 0x80u : 0u) | (value & 0x3f) << 1 | 1u);
	value >>= 6;
	for (unsigned int i = 1; i < address->bytes && i < 4; i++) {
		bool more = i + 1 < address->bytes;

		hwf_put_u8(writer,
			   (more ? 0x80u : 0u) | (value & 0x7f) | (!more && info ? 0x40u : 0u));
		value >>= 7;
	}
	if (whole)
		hwf_put_u8(writer, (info ? 0x40u : 0u) | states[address->state].mark | value);
	return 0;
}

/* The deprecated form: like an address in ARM state, but for its fifth byte */
static int put_old(const struct hwf_etm3_config *config, struct hwf_writer *writer,
		   const struct hwf_etm3_branch *branch)
{
	int err;

	if (config->alternative || branch->address.bytes != 5 ||
	    branch->address.state != HWF_ETM3_ARM || branch->info || branch->exception > 7)
		return HWF_ERR_BAD_PAYLOAD;
	err = hwf_etm3_put_address(config, writer, &branch->address, false);
	if (!err && !writer->full)
		writer->at[-1] = (uint8_t)(0x80u | (branch->cancel ? 0x40u : 0u) |
					   (unsigned int)branch->exception << 3 |
					   branch->address.value >> 29);
	return err;
}

int hwf_etm3_encode_branch(const struct hwf_etm3_config *config,
			   const struct hwf_etm3_packet *packet, uint8_t header,
			   struct hwf_writer *writer)
{
	const struct hwf_etm3_branch *branch = &packet->u.branch;
	const bool second = branch->has_second;
	int err;

	(void)header;
	if (branch->old)
		return put_old(config, writer, branch);
	err = hwf_etm3_put_address(config, writer, &branch->address, branch->info);
	if (err)
		return err;
	if (!branch->info)
		return branch->exception || branch->cancel || second || branch->has_third
			       ? HWF_ERR_BAD_PAYLOAD
			       : 0;
	if (branch->exception > (second ? 0x1ff : 0xf) || (branch->hyp && !second) ||
	    branch->resume > 15)
		return HWF_ERR_BAD_PAYLOAD;
	hwf_put_u8(writer, (second || branch->has_third ? 0x80u : 0u) |
				   (branch->alt_isa ? 0x40u : 0u) | (branch->cancel ? 0x20u : 0u) |
				   (branch->exception & 15u) << 1 | branch->ns);
	if (second)
		hwf_put_u8(writer, (branch->has_third ? 0x80u : 0u) | (branch->hyp ? 0x20u : 0u) |
					   (unsigned int)branch->exception >> 4);
	if (branch->has_third)
		hwf_put_u8(writer, 0x40u | branch->resume);
	return 0;
}
