/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* One packet: from its header byte to the codec of its row, both ways. */
#include "codec/etmv3/etm3_private.h"

static const struct {
	etm3_decode_fn *decode;
	etm3_encode_fn *encode;
	uint8_t header;
} codecs[HWF_ETM3_TYPES] = {
#define P(name, listed, mode, mask, value, valid, when, codec) \
	[HWF_ETM3_##name] = {hwf_etm3_decode_##codec, hwf_etm3_encode_##codec, value},
#include "hwflow/etmv3_packets.def"
#undef P
};

int hwf_etm3_decode_in_place(const struct hwf_etm3_config *config, const uint8_t *bytes,
			     size_t length, struct hwf_etm3_packet *packet)
{
	struct hwf_cursor cursor = {.at = bytes, .end = bytes + length};
	unsigned int type;
	int err;

	if (length == 0)
		return HWF_ERR_NEED_MORE;
	type = config->types[*cursor.at];
	if (type == HWF_ETM3_RESERVED)
		return HWF_ERR_RESERVED;
	*packet = (struct hwf_etm3_packet){.type = (uint8_t)type, .header = *cursor.at++};
	err = codecs[type].decode(config, &cursor, packet);
	if (err)
		return err;
	packet->size = (uint32_t)(cursor.at - bytes);
	return (int)packet->size;
}

int hwf_etm3_decode(const struct hwf_etm3_config *config, const uint8_t *bytes, size_t length,
		    struct hwf_etm3_packet *packet)
{
	struct hwf_etm3_packet result;
	int size = hwf_etm3_decode_in_place(config, bytes, length, &result);

	if (size > 0)
		*packet = result;
	return size;
}

int hwf_etm3_encode(const struct hwf_etm3_config *config, const struct hwf_etm3_packet *packet,
		    uint8_t *bytes, size_t length)
{
	struct hwf_writer writer = {.at = bytes, .end = bytes + length};
	int err;

	if (packet->type >= HWF_ETM3_TYPES)
		return HWF_ERR_BAD_PAYLOAD;
	err = codecs[packet->type].encode(config, packet, codecs[packet->type].header, &writer);
	if (err)
		return err;
	if (writer.full)
		return HWF_ERR_NO_SPACE;
	/* is it a packet of this type, in this mode and version? */
	if (config->types[bytes[0]] != packet->type)
		return HWF_ERR_BAD_PAYLOAD;
	return (int)(writer.at - bytes);
}

int hwf_etm3_decode_bare(const struct hwf_etm3_config *config, struct hwf_cursor *cursor,
			 struct hwf_etm3_packet *packet)
{
	(void)config;
	(void)cursor;
	(void)packet;
	return 0;
}

int hwf_etm3_encode_bare(const struct hwf_etm3_config *config, const struct hwf_etm3_packet *packet,
			 uint8_t header, struct hwf_writer *writer)
{
	(void)config;
	(void)packet;
	hwf_put_u8(writer, header);
	return 0;
}
