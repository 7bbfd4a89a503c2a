// SPDX-License-Identifier: GPL-2.0-only
/* Packets and flow events of RISC-V Processor Trace, one a line. */
#include "format_riscv.h"

static void put_target(struct text *out, const struct hwf_riscv_config *config,
		       const struct hwf_riscv_address *address)
{
	const unsigned int lsb = config->params.iaddress_lsb_p;
	const uint64_t sign = UINT64_C(1) << (config->address_bits - 1);
	const uint64_t value = address->value << lsb;

	if (!address->has)
		return;
	if (config->params.full_address)
		text_named_hex(out, " addr=0x", value);
	else if (address->value & sign)
		text_named_hex(out, " diff=-0x", ((sign << 1) - address->value) << lsb);
	else
		text_named_hex(out, " diff=0x", value);
	if (config->dialect == HWF_RISCV_DRAFT_026)
		return;
	text_named_decimal(out, " notify=", address->notify);
	text_named_decimal(out, " updiscon=", address->updiscon);
	text_named_decimal(out, " irreport=", address->irreport);
	if (address->irreport) {
		text_named_string(out, " ", config->params.irets ? "irets" : "irdepth");
		text_named_decimal(out, "=", address->irdepth);
	}
}

/* Oldest first: T taken, N not taken */
static void put_map(struct text *out, uint32_t map, unsigned int branches)
{
	text_named_decimal(out, " branches=", branches);
	text_string(out, " map=");
	for (unsigned int i = 0; i < branches; i++)
		text_char(out, map >> i & 1 ? 'N' : 'T');
}

static void put_count(struct text *out, const struct hwf_riscv_config *config,
		      const struct hwf_riscv_count *count)
{
	text_named_decimal(out, " correct=", (uint64_t)count->branch_count + 31);
	text_named_decimal(out, " missed=", count->branch_fmt != HWF_RISCV_COUNT_ADDRESS);
	put_target(out, config, &count->address);
}

static void put_cache(struct text *out, const struct hwf_riscv_config *config,
		      const struct hwf_riscv_cache *cache)
{
	text_named_decimal(out, " index=", cache->index);
	put_map(out, cache->map, cache->branches);
	text_named_decimal(out, " irreport=", cache->irreport);
	if (cache->irreport) {
		text_named_string(out, " ", config->params.irets ? "irets" : "irdepth");
		text_named_decimal(out, "=", cache->irdepth);
	}
}

static void put_sync(struct text *out, const struct hwf_riscv_config *config, unsigned int type,
		     const struct hwf_riscv_sync *sync)
{
	const struct hwf_riscv_params *params = &config->params;

	text_named_decimal(out, " priv=", sync->privilege);
	if (params->time_width_p)
		text_named_hex(out, " time=0x", sync->time);
	if (params->context_width_p)
		text_named_hex(out, " context=0x", sync->context);
	if (type == HWF_RISCV_F3_CONTEXT)
		return;
	text_named_decimal(out, " branch=", sync->branch);
	if (sync->has_address)
		text_named_hex(out, " addr=0x", sync->address << params->iaddress_lsb_p);
	if (type == HWF_RISCV_F3_START)
		return;
	text_named_decimal(out, " cause=", sync->ecause);
	text_named_decimal(out, " interrupt=", sync->interrupt);
	text_named_decimal(out, " thaddr=", sync->thaddr);
	text_named_hex(out, " tval=0x", sync->tval);
}

static void put_support(struct text *out, unsigned int type,
			const struct hwf_riscv_support *support)
{
	static const char *const states[] = {"no_change", "ended_rep", "trace_lost", "ended_ntr"};

	text_named_decimal(out, " enable=", support->ienable);
	text_named_decimal(out, " mode=", support->encoder_mode);
	text_named_string(out, " status=", states[support->qual_status & 3]);
	if (type == HWF_RISCV_F3_SUPPORT) {
		text_named_hex(out, " ioptions=0x", support->ioptions);
		text_named_decimal(out, " denable=", support->denable);
		text_named_decimal(out, " dloss=", support->dloss);
		text_named_hex(out, " doptions=0x", support->doptions);
	}
}

static void put_fields(struct text *out, const struct hwf_riscv_config *config,
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
static void put_frame(struct text *out, const struct hwf_riscv_stream *stream)
{
	if (stream->framing.srcid_width)
		text_named_decimal(out, " src=", stream->frame.source);
	if (stream->frame.has_time)
		text_named_hex(out, " tag=0x", stream->frame.time);
}

void riscv_packet_line(struct text *out, enum line_format format,
		       const struct hwf_riscv_stream *stream, const struct hwf_riscv_packet *packet,
		       const uint8_t *bytes, size_t size, uint64_t offset)
{
	struct hwf_riscv_config config = stream->config;

	/* in F0 of the draft the address is a full one, in F1 never */
	if (config.dialect == HWF_RISCV_DRAFT_026 && packet->type != HWF_RISCV_F2)
		config.params.full_address = packet->type == HWF_RISCV_F0_MAP;
	if (format == FORMAT_REF) {
		text_decimal(out, offset);
		text_char(out, ' ');
		text_hex_bytes(out, bytes, size);
		text_char(out, ' ');
	} else {
		text_hex_padded(out, offset, 10);
		packet_human_bytes(out, bytes, size);
	}
	text_string(out, hwf_riscv_type_name(packet->type));
	if (packet->type < HWF_RISCV_TYPES)
		put_fields(out, &config, packet);
	else if (packet->type > HWF_RISCV_INCOMPLETE)
		riscv_data_fields(out, &config, packet);
	if (packet->type != HWF_RISCV_INCOMPLETE && packet->type != HWF_RISCV_IDLE)
		put_frame(out, stream);
	text_end_line(out);
}

const char *riscv_cause_name(unsigned int cause, bool interrupt)
{
	static const char *const exceptions[] = {"instruction address misaligned",
						 "instruction access fault",
						 "illegal instruction",
						 "breakpoint",
						 "load address misaligned",
						 "load access fault",
						 "store address misaligned",
						 "store access fault",
						 "ecall from U",
						 "ecall from S",
						 "ecall from VS",
						 "ecall from M",
						 "instruction page fault",
						 "load page fault",
						 NULL,
						 "store page fault",
						 NULL,
						 NULL,
						 "software check",
						 "hardware error",
						 "instruction guest-page fault",
						 "load guest-page fault",
						 "virtual instruction",
						 "store guest-page fault"};
	static const char *const interrupts[] = {NULL,
						 "supervisor software",
						 "virtual supervisor software",
						 "machine software",
						 NULL,
						 "supervisor timer",
						 "virtual supervisor timer",
						 "machine timer",
						 NULL,
						 "supervisor external",
						 "virtual supervisor external",
						 "machine external",
						 "supervisor guest external",
						 "counter overflow"};
	const char *const *names = interrupt ? interrupts : exceptions;
	const size_t count = interrupt ? sizeof(interrupts) / sizeof(interrupts[0])
				       : sizeof(exceptions) / sizeof(exceptions[0]);

	return cause < count ? names[cause] : NULL;
}

void riscv_trap_line(struct text *out, enum line_format format, const struct hwf_flow_trap *trap)
{
	const char *name = riscv_cause_name(trap->cause, trap->interrupt);

	if (format == FORMAT_REF) {
		text_named_decimal(out, "TRAP cause=", trap->cause);
		text_named_decimal(out, " interrupt=", trap->interrupt);
		if (trap->has_epc)
			text_named_hex(out, " epc=0x", trap->epc);
		else
			text_string(out, " epc=unknown");
		if (trap->has_tval)
			text_named_hex(out, " tval=0x", trap->tval);
		text_end_line(out);
		return;
	}
	text_string(out, trap->interrupt ? "interrupt" : "exception");
	if (name)
		text_named_string(out, ": ", name);
	else
		text_named_decimal(out, " ", trap->cause);
	if (trap->has_epc)
		text_named_hex(out, ", at ", trap->epc);
	if (trap->has_tval && trap->tval) {
		text_string(out, ", value ");
		text_hex_prefixed(out, trap->tval);
	}
	text_end_line(out);
}

void riscv_mode_line(struct text *out, enum line_format format, const struct hwf_flow_mode *mode)
{
	static const char *const names[] = {"U", "S", "H", "M"};

	if (format == FORMAT_REF)
		text_named_decimal(out, "MODE priv=", mode->privilege);
	else if (mode->privilege < 4)
		text_named_string(out, "mode: ", names[mode->privilege]);
	else
		text_named_decimal(out, "mode: privilege ", mode->privilege);
	if (mode->has_context && format == FORMAT_REF) {
		text_named_hex(out, " context=0x", mode->context);
	} else if (mode->has_context) {
		text_string(out, ", context ");
		text_hex_prefixed(out, mode->context);
	}
	text_end_line(out);
}
