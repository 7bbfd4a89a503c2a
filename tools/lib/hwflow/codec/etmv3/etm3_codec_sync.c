/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Synchronisation, context and time: IHI 0014Q sections 7.3.2 to 7.3.4, 7.7.4, 7.8 and 7.10.
 */
#include "codec/etmv3/etm3_private.h"

/* I-sync information byte (ETMV3_ISYNC) */
#define I_SYNC_IN_PROGRESS 0x80
#define I_SYNC_JAZELLE     0x10
#define I_SYNC_NS          0x08
#define I_SYNC_ALT_ISA     0x04
#define I_SYNC_HYP         0x02
#define I_SYNC_ONE         0x01

/* Zeros that an A-sync may begin with; there are no trace ports that send more. */
#define A_SYNC_MOST_ZEROS ((uint32_t)HWF_ETM3_MAX_PACKET - 1)

int hwf_etm3_decode_a_sync(const struct hwf_etm3_config *config, struct hwf_cursor *cursor,
			   struct hwf_etm3_packet *packet)
{
	uint8_t byte = 0;

	(void)config;
	for (packet->u.zeros = 1; packet->u.zeros <= A_SYNC_MOST_ZEROS; packet->u.zeros++) {
		if (hwf_get_u8(cursor, &byte))
			return HWF_ERR_NEED_MORE;
		if (byte)
			break;
	}
	return byte == 0x80 && packet->u.zeros >= ETM3_A_SYNC_ZEROS ? 0 : HWF_ERR_BAD_PAYLOAD;
}

int hwf_etm3_encode_a_sync(const struct hwf_etm3_config *config,
			   const struct hwf_etm3_packet *packet, uint8_t header,
			   struct hwf_writer *writer)
{
	(void)config;
	if (packet->u.zeros < ETM3_A_SYNC_ZEROS || packet->u.zeros > A_SYNC_MOST_ZEROS)
		return HWF_ERR_BAD_PAYLOAD;
	for (uint32_t i = 0; i < packet->u.zeros; i++)
		hwf_put_u8(writer, header);
	hwf_put_u8(writer, 0x80);
	return 0;
}

int hwf_etm3_get_count(struct hwf_cursor *cursor, uint32_t *count)
{
	return hwf_get_uleb32(cursor, 5, count);
}

int hwf_etm3_decode_cycle_count(const struct hwf_etm3_config *config, struct hwf_cursor *cursor,
				struct hwf_etm3_packet *packet)
{
	(void)config;
	return hwf_etm3_get_count(cursor, &packet->u.cycles);
}

int hwf_etm3_encode_cycle_count(const struct hwf_etm3_config *config,
				const struct hwf_etm3_packet *packet, uint8_t header,
				struct hwf_writer *writer)
{
	(void)config;
	hwf_put_u8(writer, header);
	hwf_put_uleb(writer, packet->u.cycles);
	return 0;
}

static int get_value(struct hwf_cursor *cursor, unsigned int bytes, uint32_t *value)
{
	uint64_t wide;

	if (hwf_get_le(cursor, bytes, &wide))
		return HWF_ERR_NEED_MORE;
	*value = (uint32_t)wide;
	return 0;
}

/* Does a Context ID fit into as many bytes as are traced of it? */
static bool fits(uint32_t value, unsigned int bytes)
{
	return bytes == 4 || !(value >> (8 * bytes));
}

static int get_in_progress(const struct hwf_etm3_config *config, struct hwf_cursor *cursor,
			   struct hwf_etm3_i_sync *sync)
{
	uint8_t byte;
	uint8_t fifth;
	bool info;
	int err;

	if (hwf_get_u8(cursor, &byte))
		return HWF_ERR_NEED_MORE;
	if (!(byte & 1))
		return HWF_ERR_BAD_PAYLOAD;
	err = hwf_etm3_get_address(config, cursor, byte, &sync->next, &fifth, &info);
	if (err)
		return err;
	return info || fifth & 0x80 ? HWF_ERR_BAD_PAYLOAD : 0;
}

int hwf_etm3_decode_i_sync(const struct hwf_etm3_config *config, struct hwf_cursor *cursor,
			   struct hwf_etm3_packet *packet)
{
	struct hwf_etm3_i_sync *sync = &packet->u.i_sync;
	uint8_t byte;
	int err = 0;

	if (packet->type == HWF_ETM3_I_SYNC_WITH_CYCLE_COUNT)
		err = hwf_etm3_get_count(cursor, &sync->cycles);
	if (!err)
		err = get_value(cursor, config->context_bytes, &sync->cid);
	if (!err)
		err = hwf_get_u8(cursor, &byte);
	if (err)
		return err;
	sync->reason = byte >> 5 & 3;
	sync->in_progress = byte & I_SYNC_IN_PROGRESS;
	sync->jazelle = byte & I_SYNC_JAZELLE;
	sync->ns = byte & I_SYNC_NS;
	sync->alt_isa = byte & I_SYNC_ALT_ISA;
	sync->hyp = byte & I_SYNC_HYP;
	if (config->data_only)
		return sync->in_progress ? HWF_ERR_BAD_PAYLOAD : 0;
	err = get_value(cursor, 4, &sync->address);
	if (err)
		return err;
	/* bit 0 is the T bit, except of the byte address of a bytecode */
	sync->thumb = !sync->jazelle && sync->address & 1;
	if (sync->thumb)
		sync->address &= ~1u;
	else if (!sync->jazelle && sync->address & 3)
		return HWF_ERR_BAD_PAYLOAD;
	return sync->in_progress ? get_in_progress(config, cursor, sync) : 0;
}

int hwf_etm3_encode_i_sync(const struct hwf_etm3_config *config,
			   const struct hwf_etm3_packet *packet, uint8_t header,
			   struct hwf_writer *writer)
{
	const struct hwf_etm3_i_sync *sync = &packet->u.i_sync;
	const uint32_t low = sync->jazelle ? 0 : sync->thumb ? 1 : 3;

	if (sync->reason > 3 || !fits(sync->cid, config->context_bytes) ||
	    (sync->jazelle && sync->thumb) || sync->address & low ||
	    (config->data_only && (sync->in_progress || sync->thumb || sync->address)))
		return HWF_ERR_BAD_PAYLOAD;
	hwf_put_u8(writer, header);
	if (packet->type == HWF_ETM3_I_SYNC_WITH_CYCLE_COUNT)
		hwf_put_uleb(writer, sync->cycles);
	else if (sync->cycles)
		return HWF_ERR_BAD_PAYLOAD;
	hwf_put_le(writer, config->context_bytes, sync->cid);
	hwf_put_u8(writer,
		   (sync->in_progress ? I_SYNC_IN_PROGRESS : 0u) | (unsigned int)sync->reason << 5 |
			   (sync->jazelle ? I_SYNC_JAZELLE : 0u) | (sync->ns ? I_SYNC_NS : 0u) |
			   (sync->alt_isa ? I_SYNC_ALT_ISA : 0u) | (sync->hyp ? I_SYNC_HYP : 0u) |
			   I_SYNC_ONE);
	if (config->data_only)
		return 0;
	hwf_put_le(writer, 4, sync->address | sync->thumb);
	return sync->in_progress ? hwf_etm3_put_address(config, writer, &sync->next, false) : 0;
}

int hwf_etm3_decode_context_id(const struct hwf_etm3_config *config, struct hwf_cursor *cursor,
			       struct hwf_etm3_packet *packet)
{
	return get_value(cursor, config->context_bytes, &packet->u.cid);
}

int hwf_etm3_encode_context_id(const struct hwf_etm3_config *config,
			       const struct hwf_etm3_packet *packet, uint8_t header,
			       struct hwf_writer *writer)
{
	if (!fits(packet->u.cid, config->context_bytes))
		return HWF_ERR_BAD_PAYLOAD;
	hwf_put_u8(writer, header);
	hwf_put_le(writer, config->context_bytes, packet->u.cid);
	return 0;
}

int hwf_etm3_decode_vmid(const struct hwf_etm3_config *config, struct hwf_cursor *cursor,
			 struct hwf_etm3_packet *packet)
{
	(void)config;
	return hwf_get_u8(cursor, &packet->u.vmid);
}

int hwf_etm3_encode_vmid(const struct hwf_etm3_config *config, const struct hwf_etm3_packet *packet,
			 uint8_t header, struct hwf_writer *writer)
{
	(void)config;
	hwf_put_u8(writer, header);
	hwf_put_u8(writer, packet->u.vmid);
	return 0;
}

/* ETMV3_TIMESTAMP. Seven bits a byte; of 48 bits the seventh byte has six, of 64 bits the ninth has
 * eight. */
int hwf_etm3_decode_timestamp(const struct hwf_etm3_config *config, struct hwf_cursor *cursor,
			      struct hwf_etm3_packet *packet)
{
	struct hwf_etm3_timestamp *ts = &packet->u.timestamp;
	const unsigned int most = 7u * (config->timestamp_bytes - 1u);
	uint8_t byte = 0x80;

	ts->clock_changed = packet->header & 4;
	while (byte & 0x80 && ts->bits < most) {
		if (hwf_get_u8(cursor, &byte))
			return HWF_ERR_NEED_MORE;
		ts->value |= (uint64_t)(byte & 0x7f) << ts->bits;
		ts->bits = (uint8_t)(ts->bits + 7);
	}
	if (!(byte & 0x80))
		return 0;
	if (hwf_get_u8(cursor, &byte))
		return HWF_ERR_NEED_MORE;
	if (config->timestamp_bytes == 7 && byte & 0xc0)
		return HWF_ERR_BAD_PAYLOAD;
	ts->value |= (uint64_t)byte << most;
	ts->bits = config->timestamp_bytes == 7 ? 48 : 64;
	return 0;
}

int hwf_etm3_encode_timestamp(const struct hwf_etm3_config *config,
			      const struct hwf_etm3_packet *packet, uint8_t header,
			      struct hwf_writer *writer)
{
	const struct hwf_etm3_timestamp *ts = &packet->u.timestamp;
	const unsigned int most = 7u * (config->timestamp_bytes - 1u);
	const unsigned int all = config->timestamp_bytes == 7 ? 48 : 64;
	unsigned int at;

	if (ts->bits != all && (ts->bits == 0 || ts->bits > most || ts->bits % 7))
		return HWF_ERR_BAD_PAYLOAD;
	if (ts->bits != 64 && ts->value >> ts->bits)
		return HWF_ERR_BAD_PAYLOAD;
	hwf_put_u8(writer, header | (ts->clock_changed ? 4u : 0u));
	for (at = 0; at < most && at < ts->bits; at += 7)
		hwf_put_u8(writer, (ts->value >> at & 0x7f) | (at + 7 < ts->bits ? 0x80u : 0u));
	if (ts->bits == all)
		hwf_put_u8(writer, (uint8_t)(ts->value >> most));
	return 0;
}
