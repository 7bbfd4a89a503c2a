/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* One packet: dispatch on the header byte. */
#include "codec/ete/ete_private.h"

static hwf_ete_decode_fn *const decoders[HWF_ETE_TYPES] = {
#define P(name, mask, value, valid, codec, protocol) [HWF_ETE_##name] = hwf_ete_decode_##codec,
#define X(name, codec, protocol)                     [HWF_ETE_##name] = hwf_ete_decode_##codec,
#include "hwflow/ete_packets.def"
#undef P
#undef X
};

struct encoder {
	hwf_ete_encode_fn *encode;
	uint8_t header;
	uint8_t protocols;
};

static const struct encoder encoders[HWF_ETE_TYPES] = {
#define P(name, mask, value, valid, codec, protocol) \
	[HWF_ETE_##name] = {hwf_ete_encode_##codec, value, HWF_IN_##protocol},
#define X(name, codec, protocol) [HWF_ETE_##name] = {hwf_ete_encode_##codec, 0, HWF_IN_##protocol},
#include "hwflow/ete_packets.def"
#undef P
#undef X
};

#include "codec/ete/ete_dispatch.h"

int hwf_ete_decode_in_place(const struct hwf_ete_config *config, const uint8_t *bytes,
			    size_t length, struct hwf_ete_packet *packet)
{
	struct hwf_cursor cursor = {.at = bytes, .end = bytes + length};
	int err;

	if (length == 0)
		return HWF_ERR_NEED_MORE;
	packet->header = *cursor.at++;
	packet->type = header_types[config->protocol][packet->header];
	if (packet->type == HWF_ETE_RESERVED)
		return HWF_ERR_RESERVED;
	err = decoders[packet->type](config, &cursor, packet);
	if (err)
		return err;
	packet->size = (uint32_t)(cursor.at - bytes);
	return (int)packet->size;
}

int hwf_ete_decode(const struct hwf_ete_config *config, const uint8_t *bytes, size_t length,
		   struct hwf_ete_packet *packet)
{
	struct hwf_ete_packet result;
	int size = hwf_ete_decode_in_place(config, bytes, length, &result);

	if (size > 0)
		*packet = result;
	return size;
}

int hwf_ete_encode(const struct hwf_ete_config *config, const struct hwf_ete_packet *packet,
		   uint8_t *bytes, size_t length)
{
	struct hwf_writer writer = {.at = bytes, .end = bytes + length};
	const struct encoder *encoder;
	int err;

	if (packet->type >= HWF_ETE_TYPES)
		return HWF_ERR_BAD_PAYLOAD;
	encoder = &encoders[packet->type];
	if (!(encoder->protocols >> config->protocol & 1))
		return HWF_ERR_BAD_PAYLOAD;
	err = encoder->encode(config, packet, encoder->header, &writer);
	if (err)
		return err;
	return writer.full ? HWF_ERR_NO_SPACE : (int)(writer.at - bytes);
}
