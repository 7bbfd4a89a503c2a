// SPDX-License-Identifier: GPL-2.0-only
/* Packets, one a line. */
#include <inttypes.h>
#include <stdio.h>

#include "format.h"

void packet_lines_init(struct packet_lines *lines, const struct hwf_ete_config *config, FILE *out)
{
	*lines = (struct packet_lines){.out = out, .config = config, .wait_sync = true};
}

const char *isa_name(unsigned int isa)
{
	static const char *const names[] = {"?",    "A64",  "A32",   "T32",
					    "RV32", "RV64", "T32EE", "Jazelle"};

	return isa < sizeof(names) / sizeof(names[0]) ? names[isa] : "?";
}

const char *security_name(unsigned int security)
{
	static const char *const names[] = {"S", "NS", "Root", "Realm"};

	return security < sizeof(names) / sizeof(names[0]) ? names[security] : "?";
}

static unsigned int security_of(const struct hwf_ete_context *context)
{
	if (context->nse)
		return context->ns ? HWF_SEC_REALM : HWF_SEC_ROOT;
	return context->ns ? HWF_SEC_NONSECURE : HWF_SEC_SECURE;
}

static void put_atoms(struct packet_lines *lines, const struct hwf_ete_atoms *atoms)
{
	fputs(" atoms=", lines->out);
	for (unsigned int i = 0; i < atoms->count; i++)
		fputc(atoms->bits >> i & 1 ? 'E' : 'N', lines->out);
}

static void put_address(struct packet_lines *lines, const struct hwf_ete_address *address)
{
	struct hwf_el_address whole = hwf_history_expand(&lines->history, address);

	fprintf(lines->out, " addr=%#" PRIx64, whole.value);
}

/* As put_address(), of an entry of the history */
static void put_entry(struct packet_lines *lines, unsigned int entry)
{
	struct hwf_el_address whole = lines->history.entry[entry];

	hwf_history_push(&lines->history, whole.value, whole.is);
	fprintf(lines->out, " entry=%u addr=0x%" PRIx64, entry, whole.value);
}

static void put_context(struct packet_lines *lines, const struct hwf_ete_context *context)
{
	if (context->same) {
		fputs(" context=same", lines->out);
		return;
	}
	lines->history.narrow = !context->sf;
	fprintf(lines->out, " el=%u sec=%s bits=%d", context->el,
		security_name(security_of(context)), context->sf ? 64 : 32);
	if (context->has_vmid)
		fprintf(lines->out, " vmid=0x%x", context->vmid);
	if (context->has_cid)
		fprintf(lines->out, " cid=0x%x", context->cid);
}

static void put_trace_info(struct packet_lines *lines, const struct hwf_ete_trace_info *info)
{
	hwf_history_reset(&lines->history);
	lines->timestamp = 0;
	lines->cc_threshold = info->cc_threshold;
	fprintf(lines->out, " cc_enabled=%d", !!(info->info & HWF_ETE_INFO_CC_ENABLED));
	if (lines->config->protocol == HWF_PROTOCOL_ETE)
		fprintf(lines->out, " in_transaction=%d",
			!!(info->info & HWF_ETE_INFO_IN_TRANSACTION));
	if (info->plctl & HWF_ETE_PLCTL_CYCT)
		fprintf(lines->out, " cc_threshold=0x%x", info->cc_threshold);
	if (info->plctl & HWF_ETE_PLCTL_SPEC)
		fprintf(lines->out, " spec_depth=%u", info->spec_depth);
	fprintf(lines->out, " decoder_sync=%d", lines->wait_sync);
	lines->wait_sync = false;
}

static void put_timestamp(struct packet_lines *lines, const struct hwf_ete_timestamp *ts)
{
	uint64_t value = ts->value;

	if (ts->bits < 64)
		value |= lines->timestamp >> ts->bits << ts->bits;
	lines->timestamp = value;
	fprintf(lines->out, " ts=0x%" PRIx64, value);
	if (ts->has_count)
		fprintf(lines->out, " cc=0x%x", ts->count);
}

static void put_cycle_count(struct packet_lines *lines, const struct hwf_ete_cycle_count *cc)
{
	if (cc->unknown)
		fputs(" count=unknown", lines->out);
	else
		fprintf(lines->out, " count=0x%x", lines->cc_threshold + cc->count);
	if (cc->commit)
		fprintf(lines->out, " commit=%u", cc->commit);
}

static void put_resolve(struct packet_lines *lines, const struct hwf_ete_packet *packet)
{
	const struct hwf_ete_resolve *resolve = &packet->u.resolve;

	if (resolve->atoms.count)
		put_atoms(lines, &resolve->atoms);
	if (packet->type == HWF_ETE_COMMIT)
		fprintf(lines->out, " commit=%u", resolve->commit);
	else if (packet->type != HWF_ETE_MISPREDICT)
		fprintf(lines->out, " cancel=%u mispredict=%d", resolve->cancel,
			resolve->mispredict);
}

static void put_q(struct packet_lines *lines, const struct hwf_ete_q *q)
{
	if (q->has_count)
		fprintf(lines->out, " count=%u", q->count);
	if (q->has_address && q->entry < HWF_HISTORY)
		put_entry(lines, q->entry);
	else if (q->has_address)
		put_address(lines, &q->address);
	fprintf(lines->out, " type=0x%x", q->type);
}

static void put_exception(struct packet_lines *lines, const struct hwf_ete_packet *packet)
{
	if (packet->type == HWF_ETE_EXCEPTION) {
		fprintf(lines->out, " type=0x%02x ee=%u", packet->u.exception.type,
			packet->u.exception.ee);
		if (packet->u.exception.wide)
			fprintf(lines->out, " p=%d", packet->u.exception.fault_pending);
		return;
	}
	/* PE Reset and Transaction Failure: the address history goes on from 0 */
	hwf_history_push(&lines->history, 0, 0);
}

/* Data trace and conditional instructions: the reference shows nothing of them. */
static void put_data_sync(struct packet_lines *lines, const struct hwf_ete_packet *packet)
{
	if (packet->type == HWF_ETE_DATA_SYNC_MARKER_NUMBERED)
		fprintf(lines->out, " number=%u", packet->u.data_sync.number);
	else if (packet->u.data_sync.atoms.count)
		put_atoms(lines, &packet->u.data_sync.atoms);
}

static void put_cond_instr(struct packet_lines *lines, const struct hwf_ete_packet *packet)
{
	const struct hwf_ete_cond_instr *instr = &packet->u.cond_instr;

	if (packet->type == HWF_ETE_COND_INSTR_F1)
		fprintf(lines->out, " key=%u", instr->key);
	else if (packet->type == HWF_ETE_COND_INSTR_F2)
		fprintf(lines->out, " ci=%u", instr->ci);
	else
		fprintf(lines->out, " count=%u same=%d", instr->count, instr->same);
}

static void put_cond_result(struct packet_lines *lines, const struct hwf_ete_packet *packet)
{
	const struct hwf_ete_cond_result *result = &packet->u.cond_result;

	for (unsigned int i = 0; i < result->count; i++)
		fprintf(lines->out, " key=%u ci=%d result=0x%x", result->key[i], result->ci[i],
			result->result[i]);
	if (packet->type == HWF_ETE_COND_RESULT_F2)
		fprintf(lines->out, " skip=%u", result->skip);
	if (packet->type != HWF_ETE_COND_RESULT_F1)
		fprintf(lines->out, " tokens=0x%x", result->tokens);
}

static void put_more_fields(struct packet_lines *lines, const struct hwf_ete_packet *packet)
{
	switch (hwf_ete_type_codec(packet->type)) {
	case HWF_ETE_CODEC_data_sync:
		put_data_sync(lines, packet);
		break;
	case HWF_ETE_CODEC_cond_instr:
		put_cond_instr(lines, packet);
		break;
	case HWF_ETE_CODEC_cond_result:
		put_cond_result(lines, packet);
		break;
	default:
		break;
	}
}

static void put_fields(struct packet_lines *lines, const struct hwf_ete_packet *packet)
{
	switch (hwf_ete_type_codec(packet->type)) {
	case HWF_ETE_CODEC_atoms:
		put_atoms(lines, &packet->u.atoms);
		break;
	case HWF_ETE_CODEC_address:
		put_address(lines, &packet->u.address);
		break;
	case HWF_ETE_CODEC_exact_match:
		put_entry(lines, packet->u.entry);
		break;
	case HWF_ETE_CODEC_address_context:
		lines->history.narrow = !packet->u.address_context.context.sf;
		put_address(lines, &packet->u.address_context.address);
		put_context(lines, &packet->u.address_context.context);
		break;
	case HWF_ETE_CODEC_context:
		put_context(lines, &packet->u.context);
		break;
	case HWF_ETE_CODEC_trace_info:
		put_trace_info(lines, &packet->u.trace_info);
		break;
	case HWF_ETE_CODEC_timestamp:
		put_timestamp(lines, &packet->u.timestamp);
		break;
	case HWF_ETE_CODEC_exception:
		put_exception(lines, packet);
		break;
	case HWF_ETE_CODECS_CYCLE_COUNT:
		put_cycle_count(lines, &packet->u.cycle_count);
		break;
	case HWF_ETE_CODECS_RESOLVE:
		put_resolve(lines, packet);
		break;
	case HWF_ETE_CODEC_q:
		put_q(lines, &packet->u.q);
		break;
	case HWF_ETE_CODEC_event:
		fprintf(lines->out, " events=0x%x", packet->u.event);
		break;
	case HWF_ETE_CODEC_instrumentation:
		fprintf(lines->out, " el=%u value=0x%" PRIx64, packet->u.instrumentation.el,
			packet->u.instrumentation.value);
		break;
	default:
		break;
	}
}

/* Headers that ETE reserves and ETMv4 uses are named after the latter. */
static const char *header_name(uint8_t header)
{
	static const struct {
		uint8_t first;
		uint8_t last;
		const char *name;
	} names[] = {
		{0x05, 0x05, "FUNCTION_RETURN"},
		{0x07, 0x07, "EXCEPTION_RETURN"},
		{0x20, 0x27, "NUMBERED_DATA_SYNC_MARKER"},
		{0x28, 0x2c, "UNNUMBERED_DATA_SYNC_MARKER"},
		{0x40, 0x42, "CONDITIONAL_INSTRUCTION_F2"},
		{0x43, 0x43, "CONDITIONAL_FLUSH"},
		{0x44, 0x46, "CONDITIONAL_RESULT_F4"},
		{0x48, 0x4a, "CONDITIONAL_RESULT_F2"},
		{0x4c, 0x4e, "CONDITIONAL_RESULT_F2"},
		{0x50, 0x5f, "CONDITIONAL_RESULT_F3"},
		{0x68, 0x6b, "CONDITIONAL_RESULT_F1"},
		{0x6c, 0x6c, "CONDITIONAL_INSTRUCTION_F1"},
		{0x6d, 0x6d, "CONDITIONAL_INSTRUCTION_F3"},
		{0x6e, 0x6f, "CONDITIONAL_RESULT_F1"},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (header >= names[i].first && header <= names[i].last)
			return names[i].name;
	}
	return "RESERVED";
}

static void put_bytes(struct packet_lines *lines, const uint8_t *bytes, uint32_t size)
{
	for (uint32_t i = 0; i < size; i++)
		fprintf(lines->out, "%02x", bytes[i]);
}

static void put_unsync(struct packet_lines *lines, enum line_format format)
{
	if (!lines->unsync_length)
		return;
	if (format == FORMAT_REF)
		fprintf(lines->out, "%" PRIu64 " - UNSYNC len=%" PRIu64 "\n", lines->unsync_offset,
			lines->unsync_length);
	else
		fprintf(lines->out,
			"%10" PRIx64 "  %-26s UNSYNC %" PRIu64 " bytes before synchronisation\n",
			lines->unsync_offset, "", lines->unsync_length);
	lines->unsync_length = 0;
}

void packet_lines_flush(struct packet_lines *lines, enum line_format format)
{
	put_unsync(lines, format);
}

/* Offset and bytes in columns; long packets run over. */
static void put_human_start(struct packet_lines *lines, const struct hwf_ete_packet *packet,
			    const uint8_t *bytes, uint64_t offset)
{
	uint32_t shown = packet->size > 18 ? 18 : packet->size;

	fprintf(lines->out, "%10" PRIx64 "  ", offset);
	put_bytes(lines, bytes, shown);
	fprintf(lines->out, "%*s ", shown * 2 < 26 ? (int)(26 - shown * 2) : 0, "");
}

void packet_line(struct packet_lines *lines, enum line_format format,
		 const struct hwf_ete_packet *packet, const uint8_t *bytes, uint64_t offset,
		 bool tentative)
{
	if (packet->type == HWF_ETE_UNSYNC ||
	    (format == FORMAT_HUMAN && tentative && packet->type < HWF_ETE_TYPES)) {
		if (!lines->unsync_length)
			lines->unsync_offset = offset;
		lines->unsync_length += packet->size;
		return;
	}
	put_unsync(lines, format);
	if (format == FORMAT_REF) {
		fprintf(lines->out, "%" PRIu64 " ", offset);
		put_bytes(lines, bytes, packet->size);
		fputc(' ', lines->out);
	} else {
		put_human_start(lines, packet, bytes, offset);
	}
	fputs(hwf_ete_type_name(packet->type), lines->out);
	if (packet->type < HWF_ETE_TYPES) {
		put_fields(lines, packet);
		if (format == FORMAT_HUMAN)
			put_more_fields(lines, packet);
	} else {
		fprintf(lines->out, " header_of=%s",
			packet->type == HWF_ETE_RESERVED
				? header_name(packet->header)
				: hwf_ete_type_name(hwf_ete_header_type(lines->config->protocol,
									packet->header)));
	}
	fputc('\n', lines->out);
}
