/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* What only ETMv4 has (Arm IHI 0064): wide exceptions, data trace, conditional instructions. */
#include "codec/ete/ete_private.h"

/* A packet of one byte, if the trace unit has it */
static int put_header(bool possible, uint8_t header, struct hwf_writer *writer)
{
	if (!possible)
		return HWF_ERR_BAD_PAYLOAD;
	hwf_put_u8(writer, header);
	return 0;
}

/* ETMV4_VERSION: from ETMv4.3 on, and in every ETE */
static bool has_ignore(const struct hwf_ete_config *config)
{
	return config->protocol != HWF_PROTOCOL_ETMV4 || config->revision >= 3;
}

int hwf_ete_decode_ignore(const struct hwf_ete_config *config, struct hwf_cursor *cursor,
			  struct hwf_ete_packet *packet)
{
	(void)cursor;
	(void)packet;
	return has_ignore(config) ? 0 : HWF_ERR_RESERVED;
}

int hwf_ete_encode_ignore(const struct hwf_ete_config *config, const struct hwf_ete_packet *packet,
			  uint8_t header, struct hwf_writer *writer)
{
	(void)packet;
	return put_header(has_ignore(config), header, writer);
}

/* ETMV4_FUNCTION_RETURN: of Armv8-M, which has ETMv4.2 and up */
static bool has_function_return(const struct hwf_ete_config *config)
{
	return config->m_profile && config->revision >= 2;
}

int hwf_ete_decode_function_return(const struct hwf_ete_config *config, struct hwf_cursor *cursor,
				   struct hwf_ete_packet *packet)
{
	(void)cursor;
	(void)packet;
	return has_function_return(config) ? 0 : HWF_ERR_RESERVED;
}

int hwf_ete_encode_function_return(const struct hwf_ete_config *config,
				   const struct hwf_ete_packet *packet, uint8_t header,
				   struct hwf_writer *writer)
{
	(void)packet;
	return put_header(has_function_return(config), header, writer);
}

/* ---- exceptions ---- */

/* 5, 8, 9, 13 and 24 to 31. M-profile: 0; what else is reserved differs between its versions */
static bool type_is_reserved(const struct hwf_ete_config *config, unsigned int type)
{
	if (config->m_profile)
		return type == 0;
	return type > 0x1f || (0xff002320u >> type & 1);
}

/*
 * Byte 1: E1 in bit 6, the low bits of the type in bits 5:1, E0 in bit 0; with bit 7, which an
 * A-profile PE has no use for, byte 2: P in bit 5, the high bits of the type in bits 4:0. There is
 * always an address, that of a PE Reset too.
 */
int hwf_ete_decode_exception_etmv4(const struct hwf_ete_config *config, struct hwf_cursor *cursor,
				   struct hwf_ete_packet *packet)
{
	struct hwf_ete_exception exception = {0};
	uint8_t low;
	uint8_t high = 0;

	if (hwf_get_u8(cursor, &low))
		return HWF_ERR_NEED_MORE;
	exception.wide = low & 0x80;
	exception.ee = (uint8_t)((low >> 5 & 2) | (low & 1));
	if ((exception.wide && !config->m_profile) || exception.ee == 0 || exception.ee == 3)
		return HWF_ERR_BAD_PAYLOAD;
	if (exception.wide && hwf_get_u8(cursor, &high))
		return HWF_ERR_NEED_MORE;
	exception.type = (uint16_t)((low >> 1 & 0x1f) | (high & 0x1f) << 5);
	exception.fault_pending = high & 0x20;
	if (high & 0xc0 || type_is_reserved(config, exception.type))
		return HWF_ERR_BAD_PAYLOAD;
	packet->u.exception = exception;
	return 0;
}

int hwf_ete_encode_exception_etmv4(const struct hwf_ete_config *config,
				   const struct hwf_ete_packet *packet, uint8_t header,
				   struct hwf_writer *writer)
{
	const struct hwf_ete_exception *exception = &packet->u.exception;
	unsigned int type = exception->type;
	unsigned int ee = exception->ee;

	if ((ee != 1 && ee != 2) || type_is_reserved(config, type) || type > 0x3ff)
		return HWF_ERR_BAD_PAYLOAD;
	if (exception->wide ? !config->m_profile : (exception->fault_pending || type > 0x1f))
		return HWF_ERR_BAD_PAYLOAD;
	hwf_put_u8(writer, header);
	hwf_put_u8(writer,
		   (exception->wide ? 0x80u : 0u) | (ee & 2) << 5 | (type & 0x1f) << 1 | (ee & 1));
	if (exception->wide)
		hwf_put_u8(writer, (exception->fault_pending ? 0x20u : 0u) | type >> 5);
	return 0;
}

/* ---- synchronisation with data trace ---- */

int hwf_ete_decode_data_sync(const struct hwf_ete_config *config, struct hwf_cursor *cursor,
			     struct hwf_ete_packet *packet)
{
	struct hwf_ete_data_sync *sync = &packet->u.data_sync;
	uint8_t low = packet->header & 7;

	(void)cursor;
	if (!config->data_trace)
		return HWF_ERR_RESERVED;
	*sync = (struct hwf_ete_data_sync){0};
	if (packet->type == HWF_ETE_DATA_SYNC_MARKER_NUMBERED)
		sync->number = low;
	else
		sync->atoms = (struct hwf_ete_atoms){.bits = (1u << low) - 1, .count = low};
	return 0;
}

int hwf_ete_encode_data_sync(const struct hwf_ete_config *config,
			     const struct hwf_ete_packet *packet, uint8_t header,
			     struct hwf_writer *writer)
{
	const struct hwf_ete_data_sync *sync = &packet->u.data_sync;
	uint8_t low = sync->number;

	if (packet->type == HWF_ETE_DATA_SYNC_MARKER_UNNUMBERED) {
		low = sync->atoms.count;
		if (low > 4 || sync->atoms.bits != (1u << low) - 1 || sync->number)
			return HWF_ERR_BAD_PAYLOAD;
	} else if (low > 7 || sync->atoms.count) {
		return HWF_ERR_BAD_PAYLOAD;
	}
	return put_header(config->data_trace, header | low, writer);
}

/* ---- conditional instructions other than branches ---- */

int hwf_ete_decode_cond_flush(const struct hwf_ete_config *config, struct hwf_cursor *cursor,
			      struct hwf_ete_packet *packet)
{
	(void)cursor;
	(void)packet;
	return config->conditional ? 0 : HWF_ERR_RESERVED;
}

int hwf_ete_encode_cond_flush(const struct hwf_ete_config *config,
			      const struct hwf_ete_packet *packet, uint8_t header,
			      struct hwf_writer *writer)
{
	(void)packet;
	return put_header(config->conditional, header, writer);
}

int hwf_ete_decode_cond_instr(const struct hwf_ete_config *config, struct hwf_cursor *cursor,
			      struct hwf_ete_packet *packet)
{
	struct hwf_ete_cond_instr *instr = &packet->u.cond_instr;
	uint8_t byte;

	if (!config->conditional)
		return HWF_ERR_RESERVED;
	*instr = (struct hwf_ete_cond_instr){0};
	if (packet->type == HWF_ETE_COND_INSTR_F1)
		return hwf_get_uleb32(cursor, 5, &instr->key);
	if (packet->type == HWF_ETE_COND_INSTR_F2) {
		instr->ci = packet->header & 3;
		return 0;
	}
	if (hwf_get_u8(cursor, &byte))
		return HWF_ERR_NEED_MORE;
	if (byte & 0x80)
		return HWF_ERR_BAD_PAYLOAD;
	instr->count = byte >> 1;
	instr->same = byte & 1;
	return 0;
}

int hwf_ete_encode_cond_instr(const struct hwf_ete_config *config,
			      const struct hwf_ete_packet *packet, uint8_t header,
			      struct hwf_writer *writer)
{
	const struct hwf_ete_cond_instr *instr = &packet->u.cond_instr;

	if (!config->conditional || instr->ci > 2 || instr->count > 63)
		return HWF_ERR_BAD_PAYLOAD;
	hwf_put_u8(writer, header | instr->ci);
	if (packet->type == HWF_ETE_COND_INSTR_F1)
		hwf_put_uleb(writer, instr->key);
	else if (packet->type == HWF_ETE_COND_INSTR_F3)
		hwf_put_u8(writer, (unsigned int)instr->count << 1 | instr->same);
	return 0;
}

/* Format 1, header: bits 1:0 CI of each element, bit 2 set where there is one only */
#define ONE_RESULT 0x04

/* One element of format 1: bits 3:0 result, 6:4 the key's low bits, then seven bits a byte */
static int get_result(struct hwf_cursor *cursor, struct hwf_ete_cond_result *to, unsigned int i)
{
	uint64_t key;
	uint8_t byte;

	if (hwf_get_u8(cursor, &byte))
		return HWF_ERR_NEED_MORE;
	to->result[i] = byte & 0x0f;
	key = byte >> 4 & 7;
	for (unsigned int bits = 3; byte & 0x80; bits += 7) {
		if (bits >= 32)
			return HWF_ERR_BAD_PAYLOAD;
		if (hwf_get_u8(cursor, &byte))
			return HWF_ERR_NEED_MORE;
		key |= (uint64_t)(byte & 0x7f) << bits;
	}
	if (key > UINT32_MAX)
		return HWF_ERR_BAD_PAYLOAD;
	to->key[i] = (uint32_t)key;
	return 0;
}

static int get_results(struct hwf_cursor *cursor, uint8_t header, struct hwf_ete_cond_result *to)
{
	int err = 0;

	to->count = header & ONE_RESULT ? 1 : 2;
	for (unsigned int i = 0; i < to->count && !err; i++) {
		to->ci[i] = header >> i & 1;
		err = get_result(cursor, to, i);
	}
	return err;
}

int hwf_ete_decode_cond_result(const struct hwf_ete_config *config, struct hwf_cursor *cursor,
			       struct hwf_ete_packet *packet)
{
	struct hwf_ete_cond_result *result = &packet->u.cond_result;
	uint8_t byte;

	if (!config->conditional)
		return HWF_ERR_RESERVED;
	*result = (struct hwf_ete_cond_result){0};
	switch (packet->type) {
	case HWF_ETE_COND_RESULT_F1:
		return get_results(cursor, packet->header, result);
	case HWF_ETE_COND_RESULT_F2:
		result->skip = packet->header >> 2 & 1;
		result->tokens = packet->header & 3;
		return 0;
	case HWF_ETE_COND_RESULT_F3:
		if (hwf_get_u8(cursor, &byte))
			return HWF_ERR_NEED_MORE;
		result->tokens = (uint16_t)((packet->header & 0x0f) << 8 | byte);
		return 0;
	default:
		result->tokens = packet->header & 3;
		return 0;
	}
}

static int put_results(struct hwf_writer *writer, uint8_t header,
		       const struct hwf_ete_cond_result *from)
{
	/* one alone is 0x6e or 0x6f */
	unsigned int low = from->count == 1 ? ONE_RESULT | 2 : (unsigned int)from->ci[1] << 1;

	if (from->count != 1 && from->count != 2)
		return HWF_ERR_BAD_PAYLOAD;
	hwf_put_u8(writer, header | low | from->ci[0]);
	for (unsigned int i = 0; i < from->count; i++) {
		uint32_t more = from->key[i] >> 3;

		if (from->result[i] > 0x0f)
			return HWF_ERR_BAD_PAYLOAD;
		hwf_put_u8(writer, (more ? 0x80u : 0u) | (from->key[i] & 7) << 4 | from->result[i]);
		if (more)
			hwf_put_uleb(writer, more);
	}
	return 0;
}

int hwf_ete_encode_cond_result(const struct hwf_ete_config *config,
			       const struct hwf_ete_packet *packet, uint8_t header,
			       struct hwf_writer *writer)
{
	const struct hwf_ete_cond_result *result = &packet->u.cond_result;

	if (!config->conditional)
		return HWF_ERR_BAD_PAYLOAD;
	switch (packet->type) {
	case HWF_ETE_COND_RESULT_F1:
		return put_results(writer, header, result);
	case HWF_ETE_COND_RESULT_F3:
		if (result->tokens > 0xfff)
			return HWF_ERR_BAD_PAYLOAD;
		hwf_put_u8(writer, header | (unsigned int)result->tokens >> 8);
		hwf_put_u8(writer, result->tokens & 0xff);
		return 0;
	default:
		if (result->tokens > 2 || result->skip > (packet->type == HWF_ETE_COND_RESULT_F2))
			return HWF_ERR_BAD_PAYLOAD;
		hwf_put_u8(writer, header | (unsigned int)result->skip << 2 | result->tokens);
		return 0;
	}
}
