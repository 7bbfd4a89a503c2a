/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Packets and flow events of RISC-V Processor Trace, one a line. */
#include "text/lines.h"

static void put_target(struct hwf_text *out, const struct hwf_riscv_config *config,
		       const struct hwf_riscv_address *address)
{
	const unsigned int lsb = config->params.iaddress_lsb_p;
	const uint64_t sign = UINT64_C(1) << (config->address_bits - 1);
	const uint64_t value = address->value << lsb;

	if (!address->has)
		return;
	if (config->params.full_address)
		hwf_put_named_hex(out, " addr=0x", value);
	else if (address->value & sign)
		hwf_put_named_hex(out, " diff=-0x", ((sign << 1) - address->value) << lsb);
	else
		hwf_put_named_hex(out, " diff=0x", value);
	if (config->dialect == HWF_RISCV_DRAFT_026)
		return;
	hwf_put_named_decimal(out, " notify=", address->notify);
	hwf_put_named_decimal(out, " updiscon=", address->updiscon);
	hwf_put_named_decimal(out, " irreport=", address->irreport);
	if (address->irreport) {
		hwf_put_named_string(out, " ", config->params.irets ? "irets" : "irdepth");
		hwf_put_named_decimal(out, "=", address->irdepth);
	}
}

/* Oldest first: T taken, N not taken */
static void put_map(struct hwf_text *out, uint32_t map, unsigned int branches)
{
	hwf_put_named_decimal(out, " branches=", branches);
	hwf_put_string(out, " map=");
	for (unsigned int i = 0; i < branches; i++)
		hwf_put_char(out, map >> i & 1 ? 'N' : 'T');
}

static void put_count(struct hwf_text *out, const struct hwf_riscv_config *config,
		      const struct hwf_riscv_count *count)
{
	hwf_put_named_decimal(out, " correct=", (uint64_t)count->branch_count + 31);
	hwf_put_named_decimal(out, " missed=", count->branch_fmt != HWF_RISCV_COUNT_ADDRESS);
	put_target(out, config, &count->address);
}

static void put_cache(struct hwf_text *out, const struct hwf_riscv_config *config,
		      const struct hwf_riscv_cache *cache)
{
	hwf_put_named_decimal(out, " index=", cache->index);
	put_map(out, cache->map, cache->branches);
	hwf_put_named_decimal(out, " irreport=", cache->irreport);
	if (cache->irreport) {
		hwf_put_named_string(out, " ", config->params.irets ? "irets" : "irdepth");
		hwf_put_named_decimal(out, "=", cache->irdepth);
	}
}

static void put_sync(struct hwf_text *out, const struct hwf_riscv_config *config, unsigned int type,
		     const struct hwf_riscv_sync *sync)
{
	const struct hwf_riscv_params *params = &config->params;

	hwf_put_named_decimal(out, " priv=", sync->privilege);
	if (params->time_width_p)
		hwf_put_named_hex(out, " time=0x", sync->time);
	if (params->context_width_p)
		hwf_put_named_hex(out, " context=0x", sync->context);
	if (type == HWF_RISCV_F3_CONTEXT)
		return;
	hwf_put_named_decimal(out, " branch=", sync->branch);
	if (sync->has_address)
		hwf_put_named_hex(out, " addr=0x", sync->address << params->iaddress_lsb_p);
	if (type == HWF_RISCV_F3_START)
		return;
	hwf_put_named_decimal(out, " cause=", sync->ecause);
	hwf_put_named_decimal(out, " interrupt=", sync->interrupt);
	hwf_put_named_decimal(out, " thaddr=", sync->thaddr);
	hwf_put_named_hex(out, " tval=0x", sync->tval);
}

static void put_support(struct hwf_text *out, unsigned int type,
			const struct hwf_riscv_support *support)
{
	static const char *const states[] = {"no_change", "ended_rep", "trace_lost", "ended_ntr"};

	hwf_put_named_decimal(out, " enable=", support->ienable);
	hwf_put_named_decimal(out, " mode=", support->encoder_mode);
	hwf_put_named_string(out, " status=", states[support->qual_status & 3]);
	if (type == HWF_RISCV_F3_SUPPORT) {
		hwf_put_named_hex(out, " ioptions=0x", support->ioptions);
		hwf_put_named_decimal(out, " denable=", support->denable);
		hwf_put_named_decimal(out, " dloss=", support->dloss);
		hwf_put_named_hex(out, " doptions=0x", support->doptions);
	}
}

static void put_fields(struct hwf_text *out, const struct hwf_riscv_config *config,
		       const struct hwf_riscv_packet *packet)
{
	switch (packet->type) {
	case HWF_RISCV_F0_MAP:
	case HWF_RISCV_F1:
		put_map(out, packet->u.map.map, packet->u.map.branches);
		put_target(out, config, &packet->u.map.address);
		break;
	case HWF_RISCV_F0_COUNT:
		put_count(out, config, &packet->u.count);
		break;
	case HWF_RISCV_F0_CACHE:
		put_cache(out, config, &packet->u.cache);
		break;
	case HWF_RISCV_F2:
		put_target(out, config, &packet->u.address);
		break;
	case HWF_RISCV_F3_SUPPORT:
	case HWF_RISCV_TE_SUPPORT:
		put_support(out, packet->type, &packet->u.support);
		break;
	default:
		put_sync(out, config, packet->type, &packet->u.sync);
		break;
	}
}

/* What the framing says besides the payload */
static void put_frame(struct hwf_text *out, const struct hwf_riscv_stream *stream)
{
	if (stream->framing.srcid_width)
		hwf_put_named_decimal(out, " src=", stream->frame.source);
	if (stream->frame.has_time)
		hwf_put_named_hex(out, " tag=0x", stream->frame.time);
}

void hwf_riscv_line(struct hwf_text *out, enum hwf_text_format format,
		    const struct hwf_riscv_stream *stream, const struct hwf_riscv_packet *packet,
		    const uint8_t *bytes, size_t size, uint64_t offset)
{
	struct hwf_riscv_config config = stream->config;

	/* in F0 of the draft the address is a full one, in F1 never */
	if (config.dialect == HWF_RISCV_DRAFT_026 && packet->type != HWF_RISCV_F2)
		config.params.full_address = packet->type == HWF_RISCV_F0_MAP;
	if (format == HWF_TEXT_REF) {
		hwf_put_decimal(out, offset);
		hwf_put_char(out, ' ');
		hwf_put_hex_bytes(out, bytes, size);
		hwf_put_char(out, ' ');
	} else {
		hwf_put_hex_padded(out, offset, 10);
		hwf_put_packet_bytes(out, bytes, size);
	}
	hwf_put_string(out, hwf_riscv_type_name(packet->type));
	if (packet->type < HWF_RISCV_TYPES)
		put_fields(out, &config, packet);
	else if (packet->type > HWF_RISCV_INCOMPLETE)
		hwf_put_riscv_data(out, &config, packet);
	if (packet->type != HWF_RISCV_INCOMPLETE && packet->type != HWF_RISCV_IDLE)
		put_frame(out, stream);
	hwf_put_end_line(out);
}

void hwf_put_trap(struct hwf_text *out, enum hwf_text_format format,
		  const struct hwf_flow_trap *trap)
{
	const char *name = hwf_riscv_cause_name(trap->cause, trap->interrupt);

	if (format == HWF_TEXT_REF) {
		hwf_put_named_decimal(out, "TRAP cause=", trap->cause);
		hwf_put_named_decimal(out, " interrupt=", trap->interrupt);
		if (trap->has_epc)
			hwf_put_named_hex(out, " epc=0x", trap->epc);
		else
			hwf_put_string(out, " epc=unknown");
		if (trap->has_tval)
			hwf_put_named_hex(out, " tval=0x", trap->tval);
		hwf_put_end_line(out);
		return;
	}
	hwf_put_string(out, trap->interrupt ? "interrupt" : "exception");
	if (name)
		hwf_put_named_string(out, ": ", name);
	else
		hwf_put_named_decimal(out, " ", trap->cause);
	if (trap->has_epc)
		hwf_put_named_hex(out, ", at ", trap->epc);
	if (trap->has_tval && trap->tval) {
		hwf_put_string(out, ", value ");
		hwf_put_hex_prefixed(out, trap->tval);
	}
	hwf_put_end_line(out);
}

void hwf_put_mode(struct hwf_text *out, enum hwf_text_format format,
		  const struct hwf_flow_mode *mode)
{
	static const char *const names[] = {"U", "S", "H", "M"};

	if (format == HWF_TEXT_REF)
		hwf_put_named_decimal(out, "MODE priv=", mode->privilege);
	else if (mode->privilege < 4)
		hwf_put_named_string(out, "mode: ", names[mode->privilege]);
	else
		hwf_put_named_decimal(out, "mode: privilege ", mode->privilege);
	if (mode->has_context && format == HWF_TEXT_REF) {
		hwf_put_named_hex(out, " context=0x", mode->context);
	} else if (mode->has_context) {
		hwf_put_string(out, ", context ");
		hwf_put_hex_prefixed(out, mode->context);
	}
	hwf_put_end_line(out);
}
