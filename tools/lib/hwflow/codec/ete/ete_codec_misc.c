/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Synchronisation, time, exceptions, events: spec/ete-packets.md sections 3, 4, 7 and 8. */
#include "codec/ete/ete_private.h"

/* Second byte behind the extension header 0x00 */
#define EXT_ASYNC    0x00
#define EXT_DISCARD  0x03
#define EXT_OVERFLOW 0x05

int hwf_ete_decode_bare(const struct hwf_ete_config *config, struct hwf_cursor *cursor,
			struct hwf_ete_packet *packet)
{
	(void)config;
	(void)cursor;
	(void)packet;
	return 0;
}

int hwf_ete_encode_bare(const struct hwf_ete_config *config, const struct hwf_ete_packet *packet,
			uint8_t header, struct hwf_writer *writer)
{
	(void)config;
	(void)packet;
	hwf_put_u8(writer, header);
	return 0;
}

int hwf_ete_decode_extension(const struct hwf_ete_config *config, struct hwf_cursor *cursor,
			     struct hwf_ete_packet *packet)
{
	uint8_t byte;

	(void)config;
	if (hwf_get_u8(cursor, &byte))
		return HWF_ERR_NEED_MORE;
	switch (byte) {
	case EXT_DISCARD:
		packet->type = HWF_ETE_DISCARD;
		return 0;
	case EXT_OVERFLOW:
		packet->type = HWF_ETE_OVERFLOW;
		return 0;
	case EXT_ASYNC:
		break;
	default:
		return HWF_ERR_RESERVED;
	}
	for (unsigned int i = 2; i < HWF_ETE_ASYNC; i++) {
		if (hwf_get_u8(cursor, &byte))
			return HWF_ERR_NEED_MORE;
		if (byte != (i == HWF_ETE_ASYNC - 1 ? 0x80 : 0x00))
			return HWF_ERR_BAD_PAYLOAD;
	}
	return 0;
}

int hwf_ete_encode_extension(const struct hwf_ete_config *config,
			     const struct hwf_ete_packet *packet, uint8_t header,
			     struct hwf_writer *writer)
{
	(void)config;
	(void)header;
	hwf_put_u8(writer, 0x00);
	if (packet->type == HWF_ETE_DISCARD) {
		hwf_put_u8(writer, EXT_DISCARD);
	} else if (packet->type == HWF_ETE_OVERFLOW) {
		hwf_put_u8(writer, EXT_OVERFLOW);
	} else {
		for (unsigned int i = 1; i < HWF_ETE_ASYNC - 1; i++)
			hwf_put_u8(writer, 0x00);
		hwf_put_u8(writer, 0x80);
	}
	return 0;
}

int hwf_ete_decode_trace_info(const struct hwf_ete_config *config, struct hwf_cursor *cursor,
			      struct hwf_ete_packet *packet)
{
	struct hwf_ete_trace_info *info = &packet->u.trace_info;
	uint32_t *const section[] = {&info->info, &info->key, &info->spec_depth,
				     &info->cc_threshold, &info->window};
	unsigned int more = 0;
	uint8_t byte;

	(void)config;
	*info = (struct hwf_ete_trace_info){0};
	if (hwf_get_u8(cursor, &info->plctl))
		return HWF_ERR_NEED_MORE;
	/* bits 6:5 are reserved: the length of their sections is undefined */
	if (info->plctl & 0x60)
		return HWF_ERR_BAD_PAYLOAD;
	/* further control bytes have no meaning and are skipped */
	for (byte = info->plctl; byte & 0x80; more++) {
		if (more == 8)
			return HWF_ERR_BAD_PAYLOAD;
		if (hwf_get_u8(cursor, &byte))
			return HWF_ERR_NEED_MORE;
	}
	for (unsigned int i = 0; i < 5; i++) {
		int err;

		if (!(info->plctl & (1u << i)))
			continue;
		err = hwf_get_uleb32(cursor, 5, section[i]);
		if (err)
			return err;
	}
	info->plctl &= 0x1f;
	return 0;
}

int hwf_ete_encode_trace_info(const struct hwf_ete_config *config,
			      const struct hwf_ete_packet *packet, uint8_t header,
			      struct hwf_writer *writer)
{
	const struct hwf_ete_trace_info *info = &packet->u.trace_info;
	const uint32_t section[] = {info->info, info->key, info->spec_depth, info->cc_threshold,
				    info->window};

	(void)config;
	if (info->plctl & 0xe0)
		return HWF_ERR_BAD_PAYLOAD;
	hwf_put_u8(writer, header);
	hwf_put_u8(writer, info->plctl);
	for (unsigned int i = 0; i < 5; i++) {
		if (info->plctl & (1u << i))
			hwf_put_uleb(writer, section[i]);
		else if (section[i])
			return HWF_ERR_BAD_PAYLOAD;
	}
	return 0;
}

/* Up to nine bytes: eight give seven bits each, the ninth gives eight. */
int hwf_ete_decode_timestamp(const struct hwf_ete_config *config, struct hwf_cursor *cursor,
			     struct hwf_ete_packet *packet)
{
	struct hwf_ete_timestamp *ts = &packet->u.timestamp;
	uint64_t value = 0;
	uint8_t byte = 0x80;
	unsigned int bits = 0;

	(void)config;
	while (byte & 0x80 && bits < 56) {
		if (hwf_get_u8(cursor, &byte))
			return HWF_ERR_NEED_MORE;
		value |= (uint64_t)(byte & 0x7f) << bits;
		bits += 7;
	}
	if (byte & 0x80) {
		if (hwf_get_u8(cursor, &byte))
			return HWF_ERR_NEED_MORE;
		value |= (uint64_t)byte << 56;
		bits = 64;
	}
	*ts = (struct hwf_ete_timestamp){
		.value = value, .bits = (uint8_t)bits, .has_count = packet->header & 1};
	return ts->has_count ? hwf_get_uleb32(cursor, 3, &ts->count) : 0;
}

int hwf_ete_encode_timestamp(const struct hwf_ete_config *config,
			     const struct hwf_ete_packet *packet, uint8_t header,
			     struct hwf_writer *writer)
{
	const struct hwf_ete_timestamp *ts = &packet->u.timestamp;
	unsigned int bytes = ts->bits == 64 ? 9 : ts->bits / 7;

	(void)config;
	if (ts->bits != 64 && (ts->bits == 0 || ts->bits > 56 || ts->bits % 7))
		return HWF_ERR_BAD_PAYLOAD;
	if (ts->bits != 64 && ts->value >> ts->bits)
		return HWF_ERR_BAD_PAYLOAD;
	if (ts->has_count ? ts->count >> 21 : ts->count)
		return HWF_ERR_BAD_PAYLOAD;
	hwf_put_u8(writer, header | (ts->has_count ? 1u : 0u));
	for (unsigned int i = 0; i < bytes; i++) {
		uint8_t group = (uint8_t)(ts->value >> (7 * i));

		if (i == 8)
			hwf_put_u8(writer, group);
		else
			hwf_put_u8(writer, (group & 0x7f) | (i + 1 < bytes ? 0x80u : 0u));
	}
	if (ts->has_count)
		hwf_put_uleb(writer, ts->count);
	return 0;
}

static bool exception_type_is_reserved(unsigned int type)
{
	/* 5, 8, 9, 13 and 25 to 31 */
	return (0xfe002320u >> type) & 1;
}

/*
 * Byte 1: bit 7 is 0 (a continuation in ETMv4 for M-profile), E1 in bit 6, the type in
 * bits 5:1, E0 in bit 0. PE Reset and Transaction Failure have no address; a third byte
 * 0x70 stands in its place.
 */
int hwf_ete_decode_exception(const struct hwf_ete_config *config, struct hwf_cursor *cursor,
			     struct hwf_ete_packet *packet)
{
	uint8_t byte;
	uint8_t type;
	uint8_t ee;

	if (config->protocol == HWF_PROTOCOL_ETMV4)
		return hwf_ete_decode_exception_etmv4(config, cursor, packet);
	if (hwf_get_u8(cursor, &byte))
		return HWF_ERR_NEED_MORE;
	type = (byte >> 1) & 0x1f;
	ee = (uint8_t)((byte >> 5 & 2) | (byte & 1));
	if (byte & 0x80 || ee == 0 || ee == 3 || exception_type_is_reserved(type))
		return HWF_ERR_BAD_PAYLOAD;
	if (type == HWF_EXC_PE_RESET || type == HWF_EXC_TRANSACTION_FAILURE) {
		if (ee != 1)
			return HWF_ERR_BAD_PAYLOAD;
		if (hwf_get_u8(cursor, &byte))
			return HWF_ERR_NEED_MORE;
		if (byte != 0x70)
			return HWF_ERR_BAD_PAYLOAD;
		packet->type =
			type == HWF_EXC_PE_RESET ? HWF_ETE_PE_RESET : HWF_ETE_TRANSACTION_FAILURE;
	}
	packet->u.exception = (struct hwf_ete_exception){.type = type, .ee = ee};
	return 0;
}

int hwf_ete_encode_exception(const struct hwf_ete_config *config,
			     const struct hwf_ete_packet *packet, uint8_t header,
			     struct hwf_writer *writer)
{
	const struct hwf_ete_exception *exception = &packet->u.exception;
	bool bare = packet->type != HWF_ETE_EXCEPTION;
	unsigned int type = exception->type;
	unsigned int ee = exception->ee;

	if (config->protocol == HWF_PROTOCOL_ETMV4)
		return hwf_ete_encode_exception_etmv4(config, packet, 0x06, writer);
	(void)header;
	if (packet->type == HWF_ETE_PE_RESET) {
		type = HWF_EXC_PE_RESET;
		ee = 1;
	} else if (packet->type == HWF_ETE_TRANSACTION_FAILURE) {
		type = HWF_EXC_TRANSACTION_FAILURE;
		ee = 1;
	} else if (type == HWF_EXC_PE_RESET || type == HWF_EXC_TRANSACTION_FAILURE || type > 0x1f ||
		   exception->wide || exception->fault_pending ||
		   exception_type_is_reserved(type) || (ee != 1 && ee != 2)) {
		return HWF_ERR_BAD_PAYLOAD;
	}
	hwf_put_u8(writer, 0x06);
	hwf_put_u8(writer, (ee & 2) << 5 | type << 1 | (ee & 1));
	if (bare)
		hwf_put_u8(writer, 0x70);
	return 0;
}

int hwf_ete_decode_instrumentation(const struct hwf_ete_config *config, struct hwf_cursor *cursor,
				   struct hwf_ete_packet *packet)
{
	uint64_t value;
	uint8_t el;

	(void)config;
	if (hwf_get_u8(cursor, &el) || hwf_get_le(cursor, 8, &value))
		return HWF_ERR_NEED_MORE;
	if (el & 0xfc)
		return HWF_ERR_BAD_PAYLOAD;
	packet->u.instrumentation = (struct hwf_ete_instrumentation){.value = value, .el = el};
	return 0;
}

int hwf_ete_encode_instrumentation(const struct hwf_ete_config *config,
				   const struct hwf_ete_packet *packet, uint8_t header,
				   struct hwf_writer *writer)
{
	(void)config;
	if (packet->u.instrumentation.el > 3)
		return HWF_ERR_BAD_PAYLOAD;
	hwf_put_u8(writer, header);
	hwf_put_u8(writer, packet->u.instrumentation.el);
	hwf_put_le(writer, 8, packet->u.instrumentation.value);
	return 0;
}

int hwf_ete_decode_event(const struct hwf_ete_config *config, struct hwf_cursor *cursor,
			 struct hwf_ete_packet *packet)
{
	(void)config;
	(void)cursor;
	packet->u.event = packet->header & 0x0f;
	return 0;
}

int hwf_ete_encode_event(const struct hwf_ete_config *config, const struct hwf_ete_packet *packet,
			 uint8_t header, struct hwf_writer *writer)
{
	(void)config;
	if (packet->u.event == 0 || packet->u.event > 0x0f)
		return HWF_ERR_BAD_PAYLOAD;
	hwf_put_u8(writer, header | packet->u.event);
	return 0;
}
