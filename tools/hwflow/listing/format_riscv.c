// SPDX-License-Identifier: GPL-2.0-only
/* Packets and flow events of RISC-V Processor Trace, one a line. */
#include "format_riscv.h"

#include <inttypes.h>

static void put_target(FILE *out, const struct hwf_riscv_config *config,
		       const struct hwf_riscv_address *address)
{
	const unsigned int lsb = config->params.iaddress_lsb_p;
	const uint64_t sign = UINT64_C(1) << (config->address_bits - 1);
	const uint64_t value = address->value << lsb;

	if (!address->has)
		return;
	if (config->params.full_address)
		fprintf(out, " addr=0x%" PRIx64, value);
	else if (address->value & sign)
		fprintf(out, " diff=-0x%" PRIx64, ((sign << 1) - address->value) << lsb);
	else
		fprintf(out, " diff=0x%" PRIx64, value);
	if (config->dialect == HWF_RISCV_DRAFT_026)
		return;
	fprintf(out, " notify=%d updiscon=%d irreport=%d", address->notify, address->updiscon,
		address->irreport);
	if (address->irreport)
		fprintf(out, " %s=%u", config->params.irets ? "irets" : "irdepth",
			address->irdepth);
}

/* Oldest first: T taken, N not taken */
static void put_map(FILE *out, uint32_t map, unsigned int branches)
{
	fprintf(out, " branches=%u map=", branches);
	for (unsigned int i = 0; i < branches; i++)
		fputc(map >> i & 1 ? 'N' : 'T', out);
}

static void put_count(FILE *out, const struct hwf_riscv_config *config,
		      const struct hwf_riscv_count *count)
{
	fprintf(out, " correct=%" PRIu64 " missed=%d", (uint64_t)count->branch_count + 31,
		count->branch_fmt != HWF_RISCV_COUNT_ADDRESS);
	put_target(out, config, &count->address);
}

static void put_cache(FILE *out, const struct hwf_riscv_config *config,
		      const struct hwf_riscv_cache *cache)
{
	fprintf(out, " index=%u", cache->index);
	put_map(out, cache->map, cache->branches);
	fprintf(out, " irreport=%d", cache->irreport);
	if (cache->irreport)
		fprintf(out, " %s=%u", config->params.irets ? "irets" : "irdepth", cache->irdepth);
}

static void put_sync(FILE *out, const struct hwf_riscv_config *config, unsigned int type,
		     const struct hwf_riscv_sync *sync)
{
	const struct hwf_riscv_params *params = &config->params;

	fprintf(out, " priv=%u", sync->privilege);
	if (params->time_width_p)
		fprintf(out, " time=0x%" PRIx64, sync->time);
	if (params->context_width_p)
		fprintf(out, " context=0x%x", sync->context);
	if (type == HWF_RISCV_F3_CONTEXT)
		return;
	fprintf(out, " branch=%d", sync->branch);
	if (sync->has_address)
		fprintf(out, " addr=0x%" PRIx64, sync->address << params->iaddress_lsb_p);
	if (type == HWF_RISCV_F3_START)
		return;
	fprintf(out, " cause=%u interrupt=%d thaddr=%d tval=0x%" PRIx64, sync->ecause,
		sync->interrupt, sync->thaddr, sync->tval);
}

static void put_support(FILE *out, unsigned int type, const struct hwf_riscv_support *support)
{
	static const char *const states[] = {"no_change", "ended_rep", "trace_lost", "ended_ntr"};

	fprintf(out, " enable=%d mode=%u status=%s", support->ienable, support->encoder_mode,
		states[support->qual_status & 3]);
	if (type == HWF_RISCV_F3_SUPPORT)
		fprintf(out, " ioptions=0x%x denable=%d dloss=%d doptions=0x%x", support->ioptions,
			support->denable, support->dloss, support->doptions);
}

static void put_fields(FILE *out, const struct hwf_riscv_config *config,
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
static void put_frame(FILE *out, const struct hwf_riscv_stream *stream)
{
	if (stream->framing.srcid_width)
		fprintf(out, " src=%u", stream->frame.source);
	if (stream->frame.has_time)
		fprintf(out, " tag=0x%" PRIx64, stream->frame.time);
}

void riscv_packet_line(FILE *out, enum line_format format, const struct hwf_riscv_stream *stream,
		       const struct hwf_riscv_packet *packet, const uint8_t *bytes, size_t size,
		       uint64_t offset)
{
	struct hwf_riscv_config config = stream->config;
	const size_t shown = format == FORMAT_REF || size < 18 ? size : 18;

	/* in F0 of the draft the address is a full one, in F1 never */
	if (config.dialect == HWF_RISCV_DRAFT_026 && packet->type != HWF_RISCV_F2)
		config.params.full_address = packet->type == HWF_RISCV_F0_MAP;
	fprintf(out, format == FORMAT_REF ? "%" PRIu64 " " : "%10" PRIx64 "  ", offset);
	for (size_t i = 0; i < shown; i++)
		fprintf(out, "%02x", bytes[i]);
	fprintf(out, "%*s %s", format == FORMAT_REF || shown >= 13 ? 0 : (int)(26 - 2 * shown), "",
		hwf_riscv_type_name(packet->type));
	if (packet->type < HWF_RISCV_TYPES)
		put_fields(out, &config, packet);
	else if (packet->type > HWF_RISCV_INCOMPLETE)
		riscv_data_fields(out, &config, packet);
	if (packet->type != HWF_RISCV_INCOMPLETE && packet->type != HWF_RISCV_IDLE)
		put_frame(out, stream);
	fputc('\n', out);
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

void riscv_trap_line(FILE *out, enum line_format format, const struct hwf_flow_trap *trap)
{
	const char *name = riscv_cause_name(trap->cause, trap->interrupt);

	if (format == FORMAT_REF) {
		fprintf(out, "TRAP cause=%u interrupt=%d", trap->cause, trap->interrupt);
		if (trap->has_epc)
			fprintf(out, " epc=0x%" PRIx64, trap->epc);
		else
			fputs(" epc=unknown", out);
		if (trap->has_tval)
			fprintf(out, " tval=0x%" PRIx64, trap->tval);
		fputc('\n', out);
		return;
	}
	fputs(trap->interrupt ? "interrupt" : "exception", out);
	if (name)
		fprintf(out, ": %s", name);
	else
		fprintf(out, " %u", trap->cause);
	if (trap->has_epc)
		fprintf(out, ", at %" PRIx64, trap->epc);
	if (trap->has_tval && trap->tval)
		fprintf(out, ", value %#" PRIx64, trap->tval);
	fputc('\n', out);
}

void riscv_mode_line(FILE *out, enum line_format format, const struct hwf_flow_mode *mode)
{
	static const char *const names[] = {"U", "S", "H", "M"};

	if (format == FORMAT_REF)
		fprintf(out, "MODE priv=%u", mode->privilege);
	else if (mode->privilege < 4)
		fprintf(out, "mode: %s", names[mode->privilege]);
	else
		fprintf(out, "mode: privilege %u", mode->privilege);
	if (mode->has_context)
		fprintf(out, format == FORMAT_REF ? " context=0x%x" : ", context %#x",
			mode->context);
	fputc('\n', out);
}
