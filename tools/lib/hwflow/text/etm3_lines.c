/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Packets of ETMv3, one a line. */
#include "text/lines.h"

void hwf_etm3_lines_init(struct hwf_etm3_lines *lines, const struct hwf_etm3_config *config,
			 enum hwf_text_format format, struct hwf_text *out)
{
	*lines = (struct hwf_etm3_lines){.out = out, .config = config, .format = format};
}

static void put_p_header(const struct hwf_etm3_lines *lines, const struct hwf_etm3_packet *packet)
{
	uint8_t atoms[HWF_ETM3_MAX_SEQUENCE];
	const unsigned int count = hwf_etm3_p_header_sequence(packet, atoms);

	hwf_put_string(lines->out, " atoms=");
	for (unsigned int i = 0; i < count; i++)
		hwf_put_char(lines->out, "NEW"[atoms[i]]);
	if (packet->type >= HWF_ETM3_P_HEADER_CYCLE_F0)
		hwf_put_named_decimal(lines->out, " cycles=", packet->u.atoms.waits);
}

/* Whatever the packet changes, and nothing else */
static void put_branch(struct hwf_etm3_lines *lines, const struct hwf_etm3_branch *branch)
{
	const uint8_t isa = lines->state.isa;
	const uint32_t address = hwf_etm3_expand(&lines->state, branch);
	const unsigned int number = hwf_etm3_exception_number(branch);

	hwf_put_string(lines->out, " addr=");
	hwf_put_hex_prefixed(lines->out, address);
	if (lines->state.isa != isa)
		hwf_put_named_string(lines->out, " isa=", hwf_isa_name(lines->state.isa));
	if (branch->info)
		hwf_put_named_string(lines->out, " sec=", branch->ns ? "NS" : "S");
	if (branch->has_second)
		hwf_put_named_decimal(lines->out, " hyp=", branch->hyp);
	if (number) {
		hwf_put_string(lines->out, " exception=0x");
		hwf_put_hex_zeros(lines->out, number, 2);
	}
	if (branch->cancel)
		hwf_put_string(lines->out, " cancel=1");
	if (branch->has_third)
		hwf_put_named_decimal(lines->out, " resume=", branch->resume);
	if (number && lines->format == HWF_TEXT_HUMAN) {
		hwf_put_named_string(lines->out, " (",
				     hwf_etm3_exception_name(number, lines->config->armv7m));
		hwf_put_string(lines->out, ")");
	}
}

static void put_i_sync(struct hwf_etm3_lines *lines, const struct hwf_etm3_packet *packet)
{
	static const char *const reasons[] = {"periodic", "trace_enable", "overflow", "debug_exit"};
	const struct hwf_etm3_i_sync *sync = &packet->u.i_sync;

	hwf_put_named_string(lines->out, " reason=", reasons[sync->reason]);
	if (!lines->config->data_only) {
		hwf_put_string(lines->out, " addr=");
		hwf_put_hex_prefixed(lines->out, sync->address);
	}
	hwf_put_named_string(lines->out, " sec=", sync->ns ? "NS" : "S");
	hwf_put_named_decimal(lines->out, " hyp=", sync->hyp);
	if (lines->config->context_bytes) {
		hwf_put_string(lines->out, " cid=");
		hwf_put_hex_prefixed(lines->out, sync->cid);
	}
	if (!lines->config->data_only) {
		hwf_etm3_expand_i_sync(&lines->state, sync);
		hwf_put_named_string(lines->out, " isa=", hwf_isa_name(lines->state.isa));
	}
	if (packet->type == HWF_ETM3_I_SYNC_WITH_CYCLE_COUNT)
		hwf_put_named_decimal(lines->out, " cycles=", sync->cycles);
	if (sync->in_progress) {
		hwf_put_string(lines->out, " lsip_addr=");
		hwf_put_hex_prefixed(lines->out, lines->state.address);
	}
}

static void put_data(struct hwf_etm3_lines *lines, const struct hwf_etm3_packet *packet)
{
	const struct hwf_etm3_data *data = &packet->u.data;
	const uint32_t known = data->address_bits < 32 ? (1u << data->address_bits) - 1 : ~0u;

	if (data->address_bits) {
		lines->state.data_address = (lines->state.data_address & ~known) | data->address;
		hwf_put_string(lines->out, " addr=");
		hwf_put_hex_prefixed(lines->out, lines->state.data_address);
	}
	if (data->big_endian)
		hwf_put_string(lines->out, " big_endian=1");
	if (hwf_etm3_type_codec(packet->type) != HWF_ETM3_CODEC_data_place &&
	    lines->config->data_value)
		hwf_put_named_hex(lines->out, " value=0x", data->value);
	if (data->tag)
		hwf_put_named_decimal(lines->out, " tag=", data->tag);
}

static void put_timestamp(struct hwf_etm3_lines *lines, const struct hwf_etm3_timestamp *timestamp)
{
	hwf_put_named_hex(lines->out, " ts=0x",
			  hwf_etm3_expand_timestamp(lines->config, &lines->state, timestamp));
	if (timestamp->clock_changed)
		hwf_put_string(lines->out, " clock_changed=1");
}

static void put_fields(struct hwf_etm3_lines *lines, const struct hwf_etm3_packet *packet)
{
	switch (hwf_etm3_type_codec(packet->type)) {
	case HWF_ETM3_CODEC_p_header:
		put_p_header(lines, packet);
		break;
	case HWF_ETM3_CODEC_branch:
		put_branch(lines, &packet->u.branch);
		break;
	case HWF_ETM3_CODEC_i_sync:
		put_i_sync(lines, packet);
		break;
	case HWF_ETM3_CODEC_cycle_count:
		hwf_put_named_decimal(lines->out, " cycles=", packet->u.cycles);
		break;
	case HWF_ETM3_CODEC_context_id:
		hwf_put_named_hex(lines->out, " cid=0x", packet->u.cid);
		break;
	case HWF_ETM3_CODEC_vmid:
		hwf_put_named_hex(lines->out, " vmid=0x", packet->u.vmid);
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

void hwf_etm3_lines_flush(struct hwf_etm3_lines *lines)
{
	hwf_put_unsync(lines->unsync_out, lines->format, lines->unsync_offset,
		       &lines->unsync_length);
}

void hwf_etm3_line(struct hwf_etm3_lines *lines, const struct hwf_etm3_packet *packet,
		   const uint8_t *bytes, uint64_t offset, bool tentative)
{
	if (packet->type == HWF_ETM3_UNSYNC ||
	    (lines->format == HWF_TEXT_HUMAN && tentative && packet->type < HWF_ETM3_TYPES)) {
		if (!lines->unsync_length) {
			lines->unsync_offset = offset;
			lines->unsync_out = lines->out;
		}
		lines->unsync_length += packet->size;
		return;
	}
	hwf_put_unsync(lines->unsync_out, lines->format, lines->unsync_offset,
		       &lines->unsync_length);
	if (lines->format == HWF_TEXT_REF) {
		hwf_put_decimal(lines->out, offset);
		hwf_put_char(lines->out, ' ');
		hwf_put_hex_bytes(lines->out, bytes, packet->size);
	} else {
		hwf_put_hex_padded(lines->out, offset, 10);
		hwf_put_string(lines->out, "  ");
		hwf_put_hex_bytes(lines->out, bytes, packet->size);
		if (packet->size < 13)
			hwf_put_blanks(lines->out, 26 - 2 * packet->size);
	}
	hwf_put_named_string(lines->out, " ", hwf_etm3_type_name(packet->type));
	if (packet->type < HWF_ETM3_TYPES)
		put_fields(lines, packet);
	else
		hwf_put_named_string(lines->out, " header_of=",
				     hwf_etm3_type_name(lines->config->types[packet->header]));
	hwf_put_end_line(lines->out);
}
