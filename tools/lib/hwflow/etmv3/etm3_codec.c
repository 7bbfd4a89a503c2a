/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* One packet: from its header byte to the codec of its row, both ways. */
#include "etmv3/etm3_private.h"

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

int hwf_etm3_decode(const struct hwf_etm3_config *config, const uint8_t *bytes, size_t length,
		    struct hwf_etm3_packet *packet)
{
	struct hwf_cursor cursor = {.at = bytes, .end = bytes + length};
	struct hwf_etm3_packet result = {0};
	unsigned int type;
	int err;

	if (length == 0)
		return HWF_ERR_NEED_MORE;
	result.header = *cursor.at++;
	type = config->types[result.header];
	if (type == HWF_ETM3_RESERVED)
		return HWF_ERR_RESERVED;
	result.type = (uint8_t)type;
	err = codecs[type].decode(config, &cursor, &result);
	if (err)
		return err;
	result.size = (uint32_t)(cursor.at - bytes);
	*packet = result;
	return (int)result.size;
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
