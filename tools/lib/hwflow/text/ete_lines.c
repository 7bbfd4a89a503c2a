/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Packets, one a line. */
#include "text/lines.h"

void hwf_ete_lines_init(struct hwf_ete_lines *lines, const struct hwf_ete_config *config,
			enum hwf_text_format format, struct hwf_text *out)
{
	lines->format = format;
	lines->out = out;
	lines->config = config;
	lines->history = (struct hwf_address_history){0};
	lines->timestamp = 0;
	lines->cc_threshold = 0;
	lines->wait_sync = true;
	lines->unsync_offset = 0;
	lines->unsync_length = 0;
	lines->unsync_out = out;
	/* the texts themselves are written before they are read */
	memset(lines->ready_size, 0, sizeof(lines->ready_size));
}

static unsigned int security_of(const struct hwf_ete_context *context)
{
	if (context->nse)
		return context->ns ? HWF_SEC_REALM : HWF_SEC_ROOT;
	return context->ns ? HWF_SEC_NONSECURE : HWF_SEC_SECURE;
}

static void put_atoms(struct hwf_ete_lines *lines, const struct hwf_ete_atoms *atoms)
{
	hwf_put_string(lines->out, " atoms=");
	for (unsigned int i = 0; i < atoms->count; i++)
		hwf_put_char(lines->out, atoms->bits >> i & 1 ? 'E' : 'N');
}

static void put_address(struct hwf_ete_lines *lines, const struct hwf_ete_address *address)
{
	struct hwf_el_address whole = hwf_history_expand(&lines->history, address);

	hwf_put_string(lines->out, " addr=");
	hwf_put_hex_prefixed(lines->out, whole.value);
}

/* As put_address(), of an entry of the history */
static void put_entry(struct hwf_ete_lines *lines, unsigned int entry)
{
	struct hwf_el_address whole = lines->history.entry[entry];

	hwf_history_push(&lines->history, whole.value, whole.is);
	hwf_put_named_decimal(lines->out, " entry=", entry);
	hwf_put_named_hex(lines->out, " addr=0x", whole.value);
}

static void put_context(struct hwf_ete_lines *lines, const struct hwf_ete_context *context)
{
	if (context->same) {
		hwf_put_string(lines->out, " context=same");
		return;
	}
	lines->history.aarch32 = !context->sf;
	hwf_put_named_decimal(lines->out, " el=", context->el);
	hwf_put_named_string(lines->out, " sec=", hwf_security_name(security_of(context)));
	hwf_put_named_decimal(lines->out, " bits=", context->sf ? 64 : 32);
	if (context->has_vmid)
		hwf_put_named_hex(lines->out, " vmid=0x", context->vmid);
	if (context->has_cid)
		hwf_put_named_hex(lines->out, " cid=0x", context->cid);
}

static void put_trace_info(struct hwf_ete_lines *lines, const struct hwf_ete_trace_info *info)
{
	hwf_history_reset(&lines->history);
	lines->timestamp = 0;
	lines->cc_threshold = info->cc_threshold;
	hwf_put_named_decimal(lines->out, " cc_enabled=", !!(info->info & HWF_ETE_INFO_CC_ENABLED));
	if (lines->config->protocol == HWF_PROTOCOL_ETE)
		hwf_put_named_decimal(lines->out, " in_transaction=",
				      !!(info->info & HWF_ETE_INFO_IN_TRANSACTION));
	if (info->plctl & HWF_ETE_PLCTL_CYCT)
		hwf_put_named_hex(lines->out, " cc_threshold=0x", info->cc_threshold);
	if (info->plctl & HWF_ETE_PLCTL_SPEC)
		hwf_put_named_decimal(lines->out, " spec_depth=", info->spec_depth);
	hwf_put_named_decimal(lines->out, " decoder_sync=", lines->wait_sync);
	lines->wait_sync = false;
}

static void put_timestamp(struct hwf_ete_lines *lines, const struct hwf_ete_timestamp *ts)
{
	lines->timestamp = hwf_ete_expand_time(ts, lines->timestamp);
	hwf_put_named_hex(lines->out, " ts=0x", lines->timestamp);
	if (ts->has_count)
		hwf_put_named_hex(lines->out, " cc=0x", ts->count);
}

static void put_cycle_count(struct hwf_ete_lines *lines, const struct hwf_ete_cycle_count *cc)
{
	if (cc->unknown)
		hwf_put_string(lines->out, " count=unknown");
	else
		hwf_put_named_hex(lines->out, " count=0x", lines->cc_threshold + cc->count);
	if (cc->commit)
		hwf_put_named_decimal(lines->out, " commit=", cc->commit);
}

static void put_resolve(struct hwf_ete_lines *lines, const struct hwf_ete_packet *packet)
{
	const struct hwf_ete_resolve *resolve = &packet->u.resolve;

	if (resolve->atoms.count)
		put_atoms(lines, &resolve->atoms);
	if (packet->type == HWF_ETE_COMMIT) {
		hwf_put_named_decimal(lines->out, " commit=", resolve->commit);
	} else if (packet->type != HWF_ETE_MISPREDICT) {
		hwf_put_named_decimal(lines->out, " cancel=", resolve->cancel);
		hwf_put_named_decimal(lines->out, " mispredict=", resolve->mispredict);
	}
}

static void put_q(struct hwf_ete_lines *lines, const struct hwf_ete_q *q)
{
	if (q->has_count)
		hwf_put_named_decimal(lines->out, " count=", q->count);
	if (q->has_address && q->entry < HWF_HISTORY)
		put_entry(lines, q->entry);
	else if (q->has_address)
		put_address(lines, &q->address);
	hwf_put_named_hex(lines->out, " type=0x", q->type);
}

static void put_exception(struct hwf_ete_lines *lines, const struct hwf_ete_packet *packet)
{
	if (packet->type == HWF_ETE_EXCEPTION) {
		hwf_put_string(lines->out, " type=0x");
		hwf_put_hex_zeros(lines->out, packet->u.exception.type, 2);
		hwf_put_named_decimal(lines->out, " ee=", packet->u.exception.ee);
		if (packet->u.exception.wide)
			hwf_put_named_decimal(lines->out, " p=", packet->u.exception.fault_pending);
		return;
	}
	/* PE Reset and Transaction Failure: the address history goes on from 0 */
	hwf_history_push(&lines->history, 0, 0);
}

/* Data trace and conditional instructions: the reference shows nothing of them. */
static void put_data_sync(struct hwf_ete_lines *lines, const struct hwf_ete_packet *packet)
{
	if (packet->type == HWF_ETE_DATA_SYNC_MARKER_NUMBERED)
		hwf_put_named_decimal(lines->out, " number=", packet->u.data_sync.number);
	else if (packet->u.data_sync.atoms.count)
		put_atoms(lines, &packet->u.data_sync.atoms);
}

static void put_cond_instr(struct hwf_ete_lines *lines, const struct hwf_ete_packet *packet)
{
	const struct hwf_ete_cond_instr *instr = &packet->u.cond_instr;

	if (packet->type == HWF_ETE_COND_INSTR_F1) {
		hwf_put_named_decimal(lines->out, " key=", instr->key);
	} else if (packet->type == HWF_ETE_COND_INSTR_F2) {
		hwf_put_named_decimal(lines->out, " ci=", instr->ci);
	} else {
		hwf_put_named_decimal(lines->out, " count=", instr->count);
		hwf_put_named_decimal(lines->out, " same=", instr->same);
	}
}

static void put_cond_result(struct hwf_ete_lines *lines, const struct hwf_ete_packet *packet)
{
	const struct hwf_ete_cond_result *result = &packet->u.cond_result;

	for (unsigned int i = 0; i < result->count; i++) {
		hwf_put_named_decimal(lines->out, " key=", result->key[i]);
		hwf_put_named_decimal(lines->out, " ci=", result->ci[i]);
		hwf_put_named_hex(lines->out, " result=0x", result->result[i]);
	}
	if (packet->type == HWF_ETE_COND_RESULT_F2)
		hwf_put_named_decimal(lines->out, " skip=", result->skip);
	if (packet->type != HWF_ETE_COND_RESULT_F1)
		hwf_put_named_hex(lines->out, " tokens=0x", result->tokens);
}

static void put_more_fields(struct hwf_ete_lines *lines, const struct hwf_ete_packet *packet)
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

static void put_fields(struct hwf_ete_lines *lines, const struct hwf_ete_packet *packet)
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
		lines->history.aarch32 = !packet->u.address_context.context.sf;
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
		hwf_put_named_hex(lines->out, " events=0x", packet->u.event);
		break;
	case HWF_ETE_CODEC_instrumentation:
		hwf_put_named_decimal(lines->out, " el=", packet->u.instrumentation.el);
		hwf_put_named_hex(lines->out, " value=0x", packet->u.instrumentation.value);
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

void hwf_ete_lines_flush(struct hwf_ete_lines *lines)
{
	hwf_put_unsync(lines->unsync_out, lines->format, lines->unsync_offset,
		       &lines->unsync_length);
}

/* Writes the line after the offset. */
static void put_rest(struct hwf_ete_lines *lines, const struct hwf_ete_packet *packet,
		     const uint8_t *bytes)
{
	if (lines->format == HWF_TEXT_REF) {
		hwf_put_char(lines->out, ' ');
		hwf_put_hex_bytes(lines->out, bytes, packet->size);
		hwf_put_char(lines->out, ' ');
	} else {
		hwf_put_packet_bytes(lines->out, bytes, packet->size);
	}
	hwf_put_string(lines->out, hwf_ete_type_name(packet->type));
	if (packet->type < HWF_ETE_TYPES) {
		put_fields(lines, packet);
		if (lines->format == HWF_TEXT_HUMAN)
			put_more_fields(lines, packet);
	} else {
		hwf_put_named_string(lines->out, " header_of=",
				     packet->type == HWF_ETE_RESERVED
					     ? header_name(packet->header)
					     : hwf_ete_type_name(hwf_ete_header_type(
						       lines->config->protocol, packet->header)));
	}
}

/* Is the text of this packet always the same: has it one byte, and no field that depends on others?
 */
static bool is_constant(const struct hwf_ete_packet *packet)
{
	if (packet->size != 1 || packet->type >= HWF_ETE_TYPES)
		return false;
	switch (hwf_ete_type_codec(packet->type)) {
	case HWF_ETE_CODEC_bare:
	case HWF_ETE_CODEC_atoms:
	case HWF_ETE_CODEC_event:
	case HWF_ETE_CODECS_RESOLVE:
		return true;
	default:
		return false;
	}
}

/* put_rest(), which is remembered if it is constant */
static void put_new(struct hwf_ete_lines *lines, const struct hwf_ete_packet *packet,
		    const uint8_t *bytes)
{
	struct hwf_text *out = lines->out;
	const bool constant = is_constant(packet);
	const uint64_t flushes = out->flushes;
	const char *start = hwf_put_room(out, HWF_TEXT_READY);
	size_t size;

	put_rest(lines, packet, bytes);
	size = (size_t)(out->at - start);
	if (!constant || out->flushes != flushes || size > HWF_TEXT_READY)
		return;
	memcpy(lines->ready[*bytes], start, size);
	lines->ready_size[*bytes] = (uint8_t)size;
	lines->ready_type[*bytes] = packet->type;
}

void hwf_ete_line(struct hwf_ete_lines *lines, const struct hwf_ete_packet *packet,
		  const uint8_t *bytes, uint64_t offset, bool tentative)
{
	struct hwf_text *out = lines->out;
	const uint8_t header = *bytes;

	if (packet->type == HWF_ETE_UNSYNC ||
	    (lines->format == HWF_TEXT_HUMAN && tentative && packet->type < HWF_ETE_TYPES)) {
		if (!lines->unsync_length) {
			lines->unsync_offset = offset;
			lines->unsync_out = lines->out;
		}
		lines->unsync_length += packet->size;
		return;
	}
	hwf_put_unsync(lines->unsync_out, lines->format, lines->unsync_offset,
		       &lines->unsync_length);
	if (lines->format == HWF_TEXT_REF)
		hwf_put_decimal(out, offset);
	else
		hwf_put_hex_padded(out, offset, HWF_OFFSET_COLUMNS);
	if (packet->size == 1 && lines->ready_size[header] &&
	    lines->ready_type[header] == packet->type) {
		memcpy(hwf_put_room(out, HWF_TEXT_READY), lines->ready[header], HWF_TEXT_READY);
		out->at += lines->ready_size[header];
	} else {
		put_new(lines, packet, bytes);
	}
	hwf_put_end_line(out);
}
