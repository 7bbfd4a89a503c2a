// SPDX-License-Identifier: GPL-2.0-only
/* Packets of ETMv3, one a line. */
#include "format.h"

void etm3_lines_init(struct etm3_lines *lines, const struct hwf_etm3_config *config,
		     struct text *out)
{
	*lines = (struct etm3_lines){.out = out, .config = config};
}

static void put_p_header(const struct etm3_lines *lines, const struct hwf_etm3_packet *packet)
{
	uint8_t atoms[HWF_ETM3_MAX_SEQUENCE];
	const unsigned int count = hwf_etm3_p_header_sequence(packet, atoms);

	text_string(lines->out, " atoms=");
	for (unsigned int i = 0; i < count; i++)
		text_char(lines->out, "NEW"[atoms[i]]);
	if (packet->type >= HWF_ETM3_P_HEADER_CYCLE_F0)
		text_named_decimal(lines->out, " cycles=", packet->u.atoms.waits);
}

/* Whatever the packet changes, and nothing else */
static void put_branch(struct etm3_lines *lines, enum line_format format,
		       const struct hwf_etm3_branch *branch)
{
	const uint8_t isa = lines->state.isa;
	const uint32_t address = hwf_etm3_expand(&lines->state, branch);
	const unsigned int number = hwf_etm3_exception_number(branch);

	text_string(lines->out, " addr=");
	text_hex_prefixed(lines->out, address);
	if (lines->state.isa != isa)
		text_named_string(lines->out, " isa=", isa_name(lines->state.isa));
	if (branch->info)
		text_named_string(lines->out, " sec=", branch->ns ? "NS" : "S");
	if (branch->has_second)
		text_named_decimal(lines->out, " hyp=", branch->hyp);
	if (number) {
		text_string(lines->out, " exception=0x");
		text_hex_zeros(lines->out, number, 2);
	}
	if (branch->cancel)
		text_string(lines->out, " cancel=1");
	if (branch->has_third)
		text_named_decimal(lines->out, " resume=", branch->resume);
	if (number && format == FORMAT_HUMAN) {
		text_named_string(lines->out, " (",
				  hwf_etm3_exception_name(number, lines->config->armv7m));
		text_string(lines->out, ")");
	}
}

static void put_i_sync(struct etm3_lines *lines, const struct hwf_etm3_packet *packet)
{
	static const char *const reasons[] = {"periodic", "trace_enable", "overflow", "debug_exit"};
	const struct hwf_etm3_i_sync *sync = &packet->u.i_sync;

	text_named_string(lines->out, " reason=", reasons[sync->reason]);
	if (!lines->config->data_only) {
		text_string(lines->out, " addr=");
		text_hex_prefixed(lines->out, sync->address);
	}
	text_named_string(lines->out, " sec=", sync->ns ? "NS" : "S");
	text_named_decimal(lines->out, " hyp=", sync->hyp);
	if (lines->config->context_bytes) {
		text_string(lines->out, " cid=");
		text_hex_prefixed(lines->out, sync->cid);
	}
	if (!lines->config->data_only) {
		hwf_etm3_expand_i_sync(&lines->state, sync);
		text_named_string(lines->out, " isa=", isa_name(lines->state.isa));
	}
	if (packet->type == HWF_ETM3_I_SYNC_WITH_CYCLE_COUNT)
		text_named_decimal(lines->out, " cycles=", sync->cycles);
	if (sync->in_progress) {
		text_string(lines->out, " lsip_addr=");
		text_hex_prefixed(lines->out, lines->state.address);
	}
}

static void put_data(struct etm3_lines *lines, const struct hwf_etm3_packet *packet)
{
	const struct hwf_etm3_data *data = &packet->u.data;
	const uint32_t known = data->address_bits < 32 ? (1u << data->address_bits) - 1 : ~0u;

	if (data->address_bits) {
		lines->state.data_address = (lines->state.data_address & ~known) | data->address;
		text_string(lines->out, " addr=");
		text_hex_prefixed(lines->out, lines->state.data_address);
	}
	if (data->big_endian)
		text_string(lines->out, " big_endian=1");
	if (hwf_etm3_type_codec(packet->type) != HWF_ETM3_CODEC_data_place &&
	    lines->config->data_value)
		text_named_hex(lines->out, " value=0x", data->value);
	if (data->tag)
		text_named_decimal(lines->out, " tag=", data->tag);
}

static void put_timestamp(struct etm3_lines *lines, const struct hwf_etm3_timestamp *timestamp)
{
	text_named_hex(lines->out, " ts=0x",
		       hwf_etm3_expand_timestamp(lines->config, &lines->state, timestamp));
	if (timestamp->clock_changed)
		text_string(lines->out, " clock_changed=1");
}

static void put_fields(struct etm3_lines *lines, enum line_format format,
		       const struct hwf_etm3_packet *packet)
{
	switch (hwf_etm3_type_codec(packet->type)) {
	case HWF_ETM3_CODEC_p_header:
		put_p_header(lines, packet);
		break;
	case HWF_ETM3_CODEC_branch:
		put_branch(lines, format, &packet->u.branch);
		break;
	case HWF_ETM3_CODEC_i_sync:
		put_i_sync(lines, packet);
		break;
	case HWF_ETM3_CODEC_cycle_count:
		text_named_decimal(lines->out, " cycles=", packet->u.cycles);
		break;
	case HWF_ETM3_CODEC_context_id:
		text_named_hex(lines->out, " cid=0x", packet->u.cid);
		break;
	case HWF_ETM3_CODEC_vmid:
		text_named_hex(lines->out, " vmid=0x", packet->u.vmid);
		break;
	case HWF_ETM3_CODEC_timestamp:
		put_timestamp(lines, &packet->u.timestamp);
		break;
	case HWF_ETM3_CODEC_late_data:
	case HWF_ETM3_CODEC_normal_data:
	case HWF_ETM3_CODEC_data_place:
		put_data(lines, packet);
		break;
	default:
		break;
	}
}

static void put_unsync(struct etm3_lines *lines, enum line_format format)
{
	struct text *out = lines->out;

	if (!lines->unsync_length)
		return;
	if (format == FORMAT_REF) {
		text_decimal(out, lines->unsync_offset);
		text_named_decimal(out, " - UNSYNC len=", lines->unsync_length);
	} else {
		text_hex_padded(out, lines->unsync_offset, 10);
		packet_human_bytes(out, NULL, 0);
		text_named_decimal(out, "UNSYNC ", lines->unsync_length);
		text_string(out, " bytes before synchronisation");
	}
	text_end_line(out);
	lines->unsync_length = 0;
}

void etm3_lines_flush(struct etm3_lines *lines, enum line_format format)
{
	put_unsync(lines, format);
}

void etm3_packet_line(struct etm3_lines *lines, enum line_format format,
		      const struct hwf_etm3_packet *packet, const uint8_t *bytes, uint64_t offset,
		      bool tentative)
{
	if (packet->type == HWF_ETM3_UNSYNC ||
	    (format == FORMAT_HUMAN && tentative && packet->type < HWF_ETM3_TYPES)) {
		if (!lines->unsync_length)
			lines->unsync_offset = offset;
		lines->unsync_length += packet->size;
		return;
	}
	put_unsync(lines, format);
	if (format == FORMAT_REF) {
		text_decimal(lines->out, offset);
		text_char(lines->out, ' ');
		text_hex_bytes(lines->out, bytes, packet->size);
	} else {
		text_hex_padded(lines->out, offset, 10);
		text_string(lines->out, "  ");
		text_hex_bytes(lines->out, bytes, packet->size);
		if (packet->size < 13)
			text_blanks(lines->out, 26 - 2 * packet->size);
	}
	text_named_string(lines->out, " ", hwf_etm3_type_name(packet->type));
	if (packet->type < HWF_ETM3_TYPES)
		put_fields(lines, format, packet);
	else
		text_named_string(lines->out, " header_of=",
				  hwf_etm3_type_name(lines->config->types[packet->header]));
	text_end_line(lines->out);
}
