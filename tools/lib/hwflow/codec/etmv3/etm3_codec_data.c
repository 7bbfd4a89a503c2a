/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Data packets: IHI 0014Q section 7.4 (ETMV3_DATA). */
#include "codec/etmv3/etm3_private.h"

/* Bit A of the header, an address is expected: of most packets, and of VALUE_NOT_TRACED */
#define DATA_A            0x20
#define DATA_A_NOT_TRACED 0x10

/* The fifth byte of a data address */
#define DATA_BIG_ENDIAN 0x10

/* SS: bytes of the value */
static const uint8_t value_bytes[4] = {0, 1, 2, 4};

static int get_value(struct hwf_cursor *cursor, unsigned int size, struct hwf_etm3_data *data)
{
	uint64_t value;

	if (hwf_get_le(cursor, value_bytes[size], &value))
		return HWF_ERR_NEED_MORE;
	data->value_bytes = value_bytes[size];
	data->value = (uint32_t)value;
	return 0;
}

/* SS << 2, or a negative where the value does not fit */
static int size_bits(const struct hwf_etm3_data *data)
{
	for (int i = 0; i < 4; i++) {
		if (value_bytes[i] != data->value_bytes)
			continue;
		if (data->value_bytes < 4 && data->value >> (8 * data->value_bytes))
			return HWF_ERR_BAD_PAYLOAD;
		return i << 2;
	}
	return HWF_ERR_BAD_PAYLOAD;
}

/* Seven bits a byte, four in the fifth, with the endianness. */
static int get_address(const struct hwf_etm3_config *config, struct hwf_cursor *cursor,
		       bool expected, struct hwf_etm3_data *data)
{
	uint8_t byte = 0x80;

	data->expected = expected;
	if (!expected || !config->data_address)
		return 0;
	while (byte & 0x80 && data->address_bits < 28) {
		if (hwf_get_u8(cursor, &byte))
			return HWF_ERR_NEED_MORE;
		data->address |= (byte & 0x7fu) << data->address_bits;
		data->address_bits = (uint8_t)(data->address_bits + 7);
	}
	if (!(byte & 0x80))
		return 0;
	if (hwf_get_u8(cursor, &byte))
		return HWF_ERR_NEED_MORE;
	if (byte & 0xe0)
		return HWF_ERR_BAD_PAYLOAD;
	data->address |= (byte & 15u) << 28;
	data->address_bits = 32;
	data->big_endian = byte & DATA_BIG_ENDIAN;
	return 0;
}

static int put_address(const struct hwf_etm3_config *config, struct hwf_writer *writer,
		       const struct hwf_etm3_data *data)
{
	const bool wanted = data->expected && config->data_address;
	const unsigned int bits = data->address_bits;

	if (!wanted)
		return bits || data->address || data->big_endian ? HWF_ERR_BAD_PAYLOAD : 0;
	if (bits != 32 &&
	    (bits == 0 || bits > 28 || bits % 7 || data->address >> bits || data->big_endian))
		return HWF_ERR_BAD_PAYLOAD;
	for (unsigned int at = 0; at < bits && at < 28; at += 7)
		hwf_put_u8(writer, (data->address >> at & 0x7f) | (at + 7 < bits ? 0x80u : 0u));
	if (bits == 32)
		hwf_put_u8(writer, data->address >> 28 | (data->big_endian ? DATA_BIG_ENDIAN : 0u));
	return 0;
}

/* b00A0SS10: an address, then a value, each where it is traced; SS says nothing without values */
int hwf_etm3_decode_normal_data(const struct hwf_etm3_config *config, struct hwf_cursor *cursor,
				struct hwf_etm3_packet *packet)
{
	int err = get_address(config, cursor, packet->header & DATA_A, &packet->u.data);

	if (err || !config->data_value)
		return err;
	return get_value(cursor, packet->header >> 2 & 3, &packet->u.data);
}

int hwf_etm3_encode_normal_data(const struct hwf_etm3_config *config,
				const struct hwf_etm3_packet *packet, uint8_t header,
				struct hwf_writer *writer)
{
	const struct hwf_etm3_data *data = &packet->u.data;
	const int size = size_bits(data);
	int err;

	if (size < 0 || (size && !config->data_value))
		return HWF_ERR_BAD_PAYLOAD;
	hwf_put_u8(writer, header | (unsigned int)size | (data->expected ? DATA_A : 0u));
	err = put_address(config, writer, data);
	hwf_put_le(writer, data->value_bytes, data->value);
	return err;
}

/* b0TT0SS00: the value of a transfer that had a placeholder */
int hwf_etm3_decode_late_data(const struct hwf_etm3_config *config, struct hwf_cursor *cursor,
			      struct hwf_etm3_packet *packet)
{
	(void)config;
	packet->u.data.tag = packet->header >> 5 & 3;
	return get_value(cursor, packet->header >> 2 & 3, &packet->u.data);
}

int hwf_etm3_encode_late_data(const struct hwf_etm3_config *config,
			      const struct hwf_etm3_packet *packet, uint8_t header,
			      struct hwf_writer *writer)
{
	const struct hwf_etm3_data *data = &packet->u.data;
	const int size = size_bits(data);

	(void)config;
	if (size < 0 || data->tag < 1 || data->tag > 3)
		return HWF_ERR_BAD_PAYLOAD;
	hwf_put_u8(writer, header | (unsigned int)size | (unsigned int)data->tag << 5);
	hwf_put_le(writer, data->value_bytes, data->value);
	return 0;
}

/* b01A1TT00, a placeholder, and b011A1010, a value that is not traced: at most an address */
int hwf_etm3_decode_data_place(const struct hwf_etm3_config *config, struct hwf_cursor *cursor,
			       struct hwf_etm3_packet *packet)
{
	unsigned int a = DATA_A_NOT_TRACED;

	if (packet->type == HWF_ETM3_OUT_OF_ORDER_PLACEHOLDER) {
		packet->u.data.tag = packet->header >> 2 & 3;
		a = DATA_A;
	}
	return get_address(config, cursor, packet->header & a, &packet->u.data);
}

int hwf_etm3_encode_data_place(const struct hwf_etm3_config *config,
			       const struct hwf_etm3_packet *packet, uint8_t header,
			       struct hwf_writer *writer)
{
	const struct hwf_etm3_data *data = &packet->u.data;
	const bool late = packet->type == HWF_ETM3_OUT_OF_ORDER_PLACEHOLDER;
	const unsigned int a = late ? DATA_A : DATA_A_NOT_TRACED;

	if (late ? data->tag < 1 || data->tag > 3 : data->tag)
		return HWF_ERR_BAD_PAYLOAD;
	hwf_put_u8(writer, header | (data->expected ? a : 0u) | (unsigned int)data->tag << 2);
	return put_address(config, writer, data);
}
