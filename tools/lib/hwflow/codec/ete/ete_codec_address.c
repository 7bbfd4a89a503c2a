/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Addresses, contexts, Q: spec/ete-packets.md sections 5, 6 and 10. */
#include "codec/ete/ete_private.h"

enum address_form { FORM_SHORT, FORM_32, FORM_64 };

struct address_row {
	uint8_t form;
	uint8_t is;
};

/* Form of the address of each packet type */
static struct address_row address_row(unsigned int type)
{
	switch (type) {
	case HWF_ETE_TARGET_ADDRESS_SHORT_IS0:
	case HWF_ETE_SOURCE_ADDRESS_SHORT_IS0:
		return (struct address_row){FORM_SHORT, 0};
	case HWF_ETE_TARGET_ADDRESS_SHORT_IS1:
	case HWF_ETE_SOURCE_ADDRESS_SHORT_IS1:
		return (struct address_row){FORM_SHORT, 1};
	case HWF_ETE_TARGET_ADDRESS_32BIT_IS0:
	case HWF_ETE_SOURCE_ADDRESS_32BIT_IS0:
	case HWF_ETE_TARGET_ADDRESS_WITH_CONTEXT_32BIT_IS0:
		return (struct address_row){FORM_32, 0};
	case HWF_ETE_TARGET_ADDRESS_32BIT_IS1:
	case HWF_ETE_SOURCE_ADDRESS_32BIT_IS1:
	case HWF_ETE_TARGET_ADDRESS_WITH_CONTEXT_32BIT_IS1:
		return (struct address_row){FORM_32, 1};
	case HWF_ETE_TARGET_ADDRESS_64BIT_IS1:
	case HWF_ETE_SOURCE_ADDRESS_64BIT_IS1:
	case HWF_ETE_TARGET_ADDRESS_WITH_CONTEXT_64BIT_IS1:
		return (struct address_row){FORM_64, 1};
	default:
		return (struct address_row){FORM_64, 0};
	}
}

/*
 * Short: bits above the implied zeros, seven of them, then eight more if bit 7 is set.
 * IS0 addresses have two implied zeros, IS1 addresses one.
 */
static int get_short(struct hwf_cursor *cursor, unsigned int is, struct hwf_ete_address *address)
{
	unsigned int zeros = is ? 1 : 2;
	uint8_t low;
	uint8_t high;

	if (hwf_get_u8(cursor, &low))
		return HWF_ERR_NEED_MORE;
	*address = (struct hwf_ete_address){.value = (uint64_t)(low & 0x7f) << zeros,
					    .bits = (uint8_t)(7 + zeros),
					    .is = (uint8_t)is};
	if (!(low & 0x80))
		return 0;
	if (hwf_get_u8(cursor, &high))
		return HWF_ERR_NEED_MORE;
	address->value |= (uint64_t)high << (7 + zeros);
	address->bits = (uint8_t)(15 + zeros);
	return 0;
}

/*
 * Long: seven bits, then seven (IS0) or eight (IS1), then whole bytes from bit 16 on. The bits
 * that are 0 in these forms must be.
 */
int hwf_ete_get_address(struct hwf_cursor *cursor, unsigned int bits, unsigned int is,
			struct hwf_ete_address *address)
{
	uint8_t low[2];
	uint64_t high;

	if (bits < 32)
		return get_short(cursor, is, address);
	if (hwf_get_u8(cursor, &low[0]) || hwf_get_u8(cursor, &low[1]) ||
	    hwf_get_le(cursor, (bits - 16) / 8, &high))
		return HWF_ERR_NEED_MORE;
	if (low[0] & 0x80 || (!is && low[1] & 0x80))
		return HWF_ERR_BAD_PAYLOAD;
	*address = (struct hwf_ete_address){.bits = (uint8_t)bits, .is = (uint8_t)is};
	if (is)
		address->value = (uint64_t)low[0] << 1 | (uint64_t)low[1] << 8 | high << 16;
	else
		address->value = (uint64_t)low[0] << 2 | (uint64_t)low[1] << 9 | high << 16;
	return 0;
}

static bool address_fits(const struct hwf_ete_address *address)
{
	uint64_t zeros = address->is ? 1 : 3;

	if (address->is > 1 || address->value & zeros)
		return false;
	return address->bits == 64 || !(address->value >> address->bits);
}

static void put_short(struct hwf_writer *writer, const struct hwf_ete_address *address)
{
	unsigned int zeros = address->is ? 1 : 2;
	bool more = address->bits > 7 + zeros;

	hwf_put_u8(writer, (unsigned int)(address->value >> zeros & 0x7f) | (more ? 0x80u : 0u));
	if (more)
		hwf_put_u8(writer, (unsigned int)(address->value >> (7 + zeros) & 0xff));
}

int hwf_ete_put_address(struct hwf_writer *writer, const struct hwf_ete_address *address)
{
	unsigned int zeros = address->is ? 1 : 2;

	if (!address_fits(address))
		return HWF_ERR_BAD_PAYLOAD;
	if (address->bits == 7 + zeros || address->bits == 15 + zeros) {
		put_short(writer, address);
		return 0;
	}
	if (address->bits != 32 && address->bits != 64)
		return HWF_ERR_BAD_PAYLOAD;
	hwf_put_u8(writer, (unsigned int)(address->value >> zeros & 0x7f));
	hwf_put_u8(writer,
		   (unsigned int)(address->value >> (7 + zeros) & (address->is ? 0xff : 0x7f)));
	hwf_put_le(writer, (address->bits - 16u) / 8, address->value >> 16);
	return 0;
}

static bool form_is(const struct hwf_ete_address *address, struct address_row row)
{
	if (address->is != row.is)
		return false;
	switch (row.form) {
	case FORM_SHORT:
		return address->bits < 32;
	case FORM_32:
		return address->bits == 32;
	default:
		return address->bits == 64;
	}
}

int hwf_ete_decode_address(const struct hwf_ete_config *config, struct hwf_cursor *cursor,
			   struct hwf_ete_packet *packet)
{
	static const uint8_t bits[] = {[FORM_SHORT] = 8, [FORM_32] = 32, [FORM_64] = 64};
	struct address_row row = address_row(packet->type);

	(void)config;
	return hwf_ete_get_address(cursor, bits[row.form], row.is, &packet->u.address);
}

int hwf_ete_encode_address(const struct hwf_ete_config *config, const struct hwf_ete_packet *packet,
			   uint8_t header, struct hwf_writer *writer)
{
	(void)config;
	if (!form_is(&packet->u.address, address_row(packet->type)))
		return HWF_ERR_BAD_PAYLOAD;
	hwf_put_u8(writer, header);
	return hwf_ete_put_address(writer, &packet->u.address);
}

int hwf_ete_decode_exact_match(const struct hwf_ete_config *config, struct hwf_cursor *cursor,
			       struct hwf_ete_packet *packet)
{
	(void)config;
	(void)cursor;
	packet->u.entry = packet->header & 3;
	return 0;
}

int hwf_ete_encode_exact_match(const struct hwf_ete_config *config,
			       const struct hwf_ete_packet *packet, uint8_t header,
			       struct hwf_writer *writer)
{
	(void)config;
	if (packet->u.entry > 2)
		return HWF_ERR_BAD_PAYLOAD;
	hwf_put_u8(writer, header | packet->u.entry);
	return 0;
}

/* Info byte: EL in 1:0, NSE 3, SF 4, NS 5, VMID present 6, Context ID present 7 */
static int get_context(const struct hwf_ete_config *config, struct hwf_cursor *cursor,
		       struct hwf_ete_context *context)
{
	uint64_t vmid = 0;
	uint64_t cid = 0;
	uint8_t info;

	if (hwf_get_u8(cursor, &info))
		return HWF_ERR_NEED_MORE;
	/* A field of no width cannot be present; ETMv4 has no NSE. */
	if ((info & 0x08 && config->protocol == HWF_PROTOCOL_ETMV4) ||
	    (info & 0x40 && !config->vmid_bytes) || (info & 0x80 && !config->cid_bytes))
		return HWF_ERR_BAD_PAYLOAD;
	if (info & 0x40 && hwf_get_le(cursor, config->vmid_bytes, &vmid))
		return HWF_ERR_NEED_MORE;
	if (info & 0x80 && hwf_get_le(cursor, config->cid_bytes, &cid))
		return HWF_ERR_NEED_MORE;
	*context = (struct hwf_ete_context){
		.vmid = (uint32_t)vmid,
		.cid = (uint32_t)cid,
		.has_vmid = info & 0x40,
		.has_cid = info & 0x80,
		.el = info & 3,
		.sf = info >> 4 & 1,
		.ns = info >> 5 & 1,
		.nse = info >> 3 & 1,
	};
	return 0;
}

static int put_context(const struct hwf_ete_config *config, struct hwf_writer *writer,
		       const struct hwf_ete_context *context)
{
	if (context->el > 3 || context->sf > 1 || context->ns > 1 || context->nse > 1 ||
	    (context->nse && config->protocol == HWF_PROTOCOL_ETMV4) ||
	    (context->has_vmid && !config->vmid_bytes) || (context->has_cid && !config->cid_bytes))
		return HWF_ERR_BAD_PAYLOAD;
	if (context->has_vmid && config->vmid_bytes < 4 &&
	    context->vmid >> (8 * config->vmid_bytes))
		return HWF_ERR_BAD_PAYLOAD;
	hwf_put_u8(writer, context->el | (unsigned int)context->nse << 3 |
				   (unsigned int)context->sf << 4 | (unsigned int)context->ns << 5 |
				   (context->has_vmid ? 0x40u : 0u) |
				   (context->has_cid ? 0x80u : 0u));
	if (context->has_vmid)
		hwf_put_le(writer, config->vmid_bytes, context->vmid);
	if (context->has_cid)
		hwf_put_le(writer, config->cid_bytes, context->cid);
	return 0;
}

int hwf_ete_decode_context(const struct hwf_ete_config *config, struct hwf_cursor *cursor,
			   struct hwf_ete_packet *packet)
{
	if (packet->header & 1)
		return get_context(config, cursor, &packet->u.context);
	packet->u.context = (struct hwf_ete_context){.same = true};
	return 0;
}

int hwf_ete_encode_context(const struct hwf_ete_config *config, const struct hwf_ete_packet *packet,
			   uint8_t header, struct hwf_writer *writer)
{
	if (packet->u.context.same) {
		hwf_put_u8(writer, header);
		return 0;
	}
	hwf_put_u8(writer, header | 1);
	return put_context(config, writer, &packet->u.context);
}

int hwf_ete_decode_address_context(const struct hwf_ete_config *config, struct hwf_cursor *cursor,
				   struct hwf_ete_packet *packet)
{
	struct address_row row = address_row(packet->type);
	struct hwf_ete_address_context *both = &packet->u.address_context;
	int err;

	err = hwf_ete_get_address(cursor, row.form == FORM_32 ? 32 : 64, row.is, &both->address);
	return err ? err : get_context(config, cursor, &both->context);
}

int hwf_ete_encode_address_context(const struct hwf_ete_config *config,
				   const struct hwf_ete_packet *packet, uint8_t header,
				   struct hwf_writer *writer)
{
	const struct hwf_ete_address_context *both = &packet->u.address_context;
	int err;

	if (!form_is(&both->address, address_row(packet->type)) || both->context.same)
		return HWF_ERR_BAD_PAYLOAD;
	hwf_put_u8(writer, header);
	err = hwf_ete_put_address(writer, &both->address);
	return err ? err : put_context(config, writer, &both->context);
}

#define Q_NO_ENTRY 0xff

int hwf_ete_decode_q(const struct hwf_ete_config *config, struct hwf_cursor *cursor,
		     struct hwf_ete_packet *packet)
{
	struct hwf_ete_q *q = &packet->u.q;
	uint8_t type = packet->header & 0x0f;
	int err = 0;

	if (!config->q)
		return HWF_ERR_RESERVED;
	*q = (struct hwf_ete_q){.type = type, .entry = Q_NO_ENTRY, .has_count = type != 0xf};
	switch (type) {
	case 0x5:
	case 0x6:
		err = hwf_ete_get_address(cursor, 8, type == 0x6, &q->address);
		q->has_address = true;
		break;
	case 0xa:
	case 0xb:
		err = hwf_ete_get_address(cursor, 32, type == 0xb, &q->address);
		q->has_address = true;
		break;
	case 0xc:
	case 0xf:
		break;
	default:
		q->entry = type;
		q->has_address = true;
		break;
	}
	if (!err && q->has_count)
		err = hwf_get_uleb32(cursor, 5, &q->count);
	return err;
}

static int put_q_address(struct hwf_writer *writer, const struct hwf_ete_q *q)
{
	bool want_short = q->type == 0x5 || q->type == 0x6;
	unsigned int is = q->type == 0x6 || q->type == 0xb;

	if (q->address.is != is || (want_short ? q->address.bits >= 32 : q->address.bits != 32))
		return HWF_ERR_BAD_PAYLOAD;
	return hwf_ete_put_address(writer, &q->address);
}

int hwf_ete_encode_q(const struct hwf_ete_config *config, const struct hwf_ete_packet *packet,
		     uint8_t header, struct hwf_writer *writer)
{
	const struct hwf_ete_q *q = &packet->u.q;
	bool bare_address = q->type == 0xc || q->type == 0xf;
	unsigned int claimed;
	int err = 0;

	if (!config->q)
		return HWF_ERR_BAD_CONFIG;
	if (q->type > 0x0f ||
	    hwf_ete_claims(HWF_PROTOCOL_ETE, (uint8_t)(header | q->type), &claimed) != 1)
		return HWF_ERR_BAD_PAYLOAD;
	if (q->has_count != (q->type != 0xf) || q->has_address == bare_address)
		return HWF_ERR_BAD_PAYLOAD;
	if (q->type <= 2 && q->entry != q->type)
		return HWF_ERR_BAD_PAYLOAD;
	hwf_put_u8(writer, header | q->type);
	if (q->type > 2 && !bare_address)
		err = put_q_address(writer, q);
	if (!err && q->has_count)
		hwf_put_uleb(writer, q->count);
	return err;
}
