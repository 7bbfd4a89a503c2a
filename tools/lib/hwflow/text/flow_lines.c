/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Flow events, one a line. */
#include "text/lines.h"

void hwf_flow_lines_init(struct hwf_flow_lines *lines, const struct hwf_ete_config *ete,
			 const struct hwf_etm3_config *etm3, enum hwf_text_format format,
			 struct hwf_text *out)
{
	*lines = (struct hwf_flow_lines){.out = out, .ete = ete, .etm3 = etm3, .format = format};
}

static const char *kind_name(const struct hwf_flow_lines *lines, const struct hwf_insn *insn)
{
	switch (insn->kind) {
	case HWF_INSN_DIRECT:
		return "direct";
	case HWF_INSN_INDIRECT:
		return "indirect";
	case HWF_INSN_ISB:
		return "isb";
	case HWF_INSN_BARRIER:
		return "barrier";
	case HWF_INSN_WFX:
		return lines->ete && lines->ete->wfx ? "wfx" : "other";
	case HWF_INSN_TSTART:
		return "tstart";
	default:
		return "other";
	}
}

static const char *sub_name(unsigned int sub)
{
	static const char *const names[] = {
		[HWF_SUB_NONE] = "none",
		[HWF_SUB_LINK] = "link",
		[HWF_SUB_RET] = "ret",
		[HWF_SUB_ERET] = "eret",
		[HWF_SUB_IMPLIED_RET] = "implied_ret",
	};

	return sub < sizeof(names) / sizeof(names[0]) ? names[sub] : "none";
}

static const char *transaction_name(unsigned int what)
{
	static const char *const names[] = {
		[HWF_TRANSACTION_START] = "start",
		[HWF_TRANSACTION_COMMIT] = "commit",
		[HWF_TRANSACTION_FAILURE] = "fail",
		[HWF_TRANSACTION_INIT] = "init",
	};

	return what < sizeof(names) / sizeof(names[0]) ? names[what] : "?";
}

static void ref_range(struct hwf_flow_lines *lines, const struct hwf_flow_range *range)
{
	const struct hwf_insn *insn = &range->insn;

	hwf_put_named_hex(lines->out, "RANGE start=0x", range->start);
	hwf_put_named_hex(lines->out, " end=0x", range->end);
	hwf_put_named_decimal(lines->out, " n=", range->instructions);
	hwf_put_named_string(lines->out, " isa=", hwf_isa_name(range->isa));
	hwf_put_string(lines->out, " last=");
	hwf_put_char(lines->out, (char)(range->taken ? 'E' : 'N'));
	hwf_put_named_decimal(lines->out, " size=", insn->size);
	hwf_put_named_string(lines->out, " type=", kind_name(lines, insn));
	hwf_put_named_string(lines->out, " sub=", sub_name(insn->sub));
	hwf_put_named_decimal(lines->out, " cond=", insn->conditional && insn->sub != HWF_SUB_LOOP);
	if (lines->etm3 && lines->etm3->cycle_accurate)
		hwf_put_named_decimal(lines->out, " cc=", range->cycles);
	hwf_put_end_line(lines->out);
}

static void ref_q(struct hwf_flow_lines *lines, const struct hwf_flow_q *q)
{
	hwf_put_named_hex(lines->out, "Q_RANGE start=0x", q->start);
	hwf_put_named_hex(lines->out, " next=0x", q->next);
	hwf_put_named_decimal(lines->out, " n=", q->instructions);
	hwf_put_end_line(lines->out);
}

/* The reference names memory by exception level and security state. */
static const char *space_name(const struct hwf_context *context)
{
	static const char *const names[4][4] = {
		[HWF_SEC_SECURE] = {"EL1S", "EL1S", "EL2S", "EL3"},
		[HWF_SEC_NONSECURE] = {"EL1N", "EL1N", "EL2", "EL3"},
		[HWF_SEC_ROOT] = {"Root", "Root", "Root", "Root"},
		[HWF_SEC_REALM] = {"EL1R", "EL1R", "EL2R", "EL2R"},
	};

	return names[context->security & 3][context->el & 3];
}

static void ref_nacc(struct hwf_flow_lines *lines)
{
	hwf_put_named_hex(lines->out, "NACC addr=0x", lines->gap.address);
	hwf_put_named_string(lines->out, " space=", space_name(&lines->context));
	hwf_put_end_line(lines->out);
}

/* At an exception the reference looks once more for code that it did not find. */
static void ref_exception(struct hwf_flow_lines *lines, uint64_t offset,
			  const struct hwf_flow_exception *exception)
{
	if (exception->after_gap && lines->gap.reason == HWF_GAP_NO_IMAGE && exception->has_ret &&
	    exception->ret > lines->gap.address) {
		ref_nacc(lines);
		hwf_put_decimal(lines->out, offset);
		hwf_put_string(lines->out, " ");
	}
	hwf_put_string(lines->out, "EXCEPTION num=0x");
	hwf_put_hex_zeros(lines->out, lines->etm3 ? exception->number : exception->type, 2);
	if (exception->has_ret)
		hwf_put_named_hex(lines->out, " ret=0x", exception->ret);
	else
		hwf_put_string(lines->out, " ret=none");
	hwf_put_named_decimal(lines->out, " ret_is_branch_target=", exception->ret_is_target);
	hwf_put_end_line(lines->out);
}

static void ref_context(struct hwf_flow_lines *lines, const struct hwf_flow_context *event)
{
	const struct hwf_context *context = &event->context;

	hwf_put_named_string(lines->out, "CONTEXT isa=", hwf_isa_name(event->isa));
	hwf_put_string(lines->out, " el=");
	hwf_put_char(lines->out, (char)(context->el_unknown ? '?' : '0' + context->el));
	hwf_put_named_string(lines->out, " sec=", hwf_security_name(context->security));
	hwf_put_named_decimal(lines->out, " bits=", context->sf ? 64 : 32);
	if (context->has_vmid)
		hwf_put_named_hex(lines->out, " vmid=0x", context->vmid);
	if (context->has_cid)
		hwf_put_named_hex(lines->out, " cid=0x", context->cid);
	if (event->has_cycles)
		hwf_put_named_decimal(lines->out, " cc=", event->cycles);
	hwf_put_end_line(lines->out);
}

static void ref_timestamp(struct hwf_flow_lines *lines, const struct hwf_el_timestamp *ts)
{
	hwf_put_named_hex(lines->out, "TIMESTAMP ts=0x", ts->value);
	if (ts->has_count)
		hwf_put_named_decimal(lines->out, " cc=", ts->count);
	hwf_put_end_line(lines->out);
}

/* What the reference has no line for */
static bool ref_is_silent(const struct hwf_flow_event *event)
{
	switch (event->kind) {
	case HWF_FLOW_GAP:
		return event->u.gap.reason != HWF_GAP_NO_IMAGE;
	case HWF_FLOW_TIMESTAMP:
		return event->u.timestamp.mark == HWF_TS_BEFORE_TRACE;
	default:
		return false;
	}
}

static void ref_line(struct hwf_flow_lines *lines, const struct hwf_flow_event *event)
{
	struct hwf_text *out = lines->out;

	if (event->kind == HWF_FLOW_GAP)
		lines->gap = event->u.gap;
	if (ref_is_silent(event))
		return;
	hwf_put_decimal(out, event->offset);
	hwf_put_string(out, " ");
	switch (event->kind) {
	case HWF_FLOW_RANGE:
		ref_range(lines, &event->u.range);
		break;
	case HWF_FLOW_Q_RANGE:
		ref_q(lines, &event->u.q);
		break;
	case HWF_FLOW_EXCEPTION:
		ref_exception(lines, event->offset, &event->u.exception);
		break;
	case HWF_FLOW_EXCEPTION_RETURN:
		hwf_put_string(out, "EXCEPTION_RETURN");
		hwf_put_end_line(out);
		break;
	case HWF_FLOW_CONTEXT:
		lines->context = event->u.context.context;
		ref_context(lines, &event->u.context);
		break;
	case HWF_FLOW_TRACE_ON:
		hwf_put_named_string(out, "TRACE_ON reason=",
				     event->u.trace_on.overflow ? "overflow"
				     : event->u.trace_on.debug  ? "debug_restart"
								: "begin_or_filter");
		hwf_put_end_line(out);
		break;
	case HWF_FLOW_NO_SYNC:
		hwf_put_named_string(out,
				     "NO_SYNC reason=", hwf_no_sync_name(event->u.no_sync.reason));
		hwf_put_end_line(out);
		break;
	case HWF_FLOW_CYCLE_COUNT:
		hwf_put_named_decimal(out, "CYCLE_COUNT cc=", event->u.cycle_count.count);
		hwf_put_end_line(out);
		break;
	case HWF_FLOW_TIMESTAMP:
		ref_timestamp(lines, &event->u.timestamp);
		break;
	case HWF_FLOW_TIMESTAMP_MARKER:
		hwf_put_string(out, "TIMESTAMP_MARKER value=0x0");
		hwf_put_end_line(out);
		break;
	case HWF_FLOW_EVENT:
		hwf_put_named_decimal(out, "EVENT n=", event->u.event);
		hwf_put_end_line(out);
		break;
	case HWF_FLOW_INSTRUMENTATION:
		hwf_put_named_decimal(out, "ITE el=", event->u.instrumentation.el);
		hwf_put_named_hex(out, " value=0x", event->u.instrumentation.value);
		hwf_put_end_line(out);
		break;
	case HWF_FLOW_TRANSACTION:
		hwf_put_named_string(out,
				     "TRANSACTION what=", transaction_name(event->u.transaction));
		hwf_put_end_line(out);
		break;
	case HWF_FLOW_TRAP:
		hwf_put_trap(out, HWF_TEXT_REF, &event->u.trap);
		break;
	case HWF_FLOW_MODE:
		hwf_put_mode(out, HWF_TEXT_REF, &event->u.mode);
		break;
	case HWF_FLOW_BYTECODES:
		hwf_put_named_decimal(out, "BYTECODES e=", event->u.bytecodes.passed);
		hwf_put_named_decimal(out, " n=", event->u.bytecodes.failed);
		hwf_put_named_decimal(out, " cc=", event->u.bytecodes.cycles);
		hwf_put_end_line(out);
		break;
	case HWF_FLOW_TRIGGER:
		hwf_put_string(out, "EVENT trigger");
		hwf_put_end_line(out);
		break;
	case HWF_FLOW_GAP:
		ref_nacc(lines);
		break;
	default:
		hwf_put_named_string(
			out, "EOT reason=", event->u.overflow ? "overflow" : "end-of-trace");
		hwf_put_end_line(out);
		break;
	}
}

/* Loss of synchronisation by the very last packet has no line in the reference. */
static void write_ref(struct hwf_flow_lines *lines, const struct hwf_flow_event *event)
{
	struct hwf_text *const out = lines->out;

	if (lines->holding) {
		lines->holding = false;
		lines->out = lines->held_out;
		if (event->kind != HWF_FLOW_END || lines->held.offset != event->offset)
			ref_line(lines, &lines->held);
		lines->out = out;
	}
	if (event->kind == HWF_FLOW_NO_SYNC && event->u.no_sync.reason != HWF_NO_SYNC_INIT) {
		lines->held = *event;
		lines->held_out = out;
		lines->holding = true;
		return;
	}
	ref_line(lines, event);
}

static unsigned int sum_of_cycles(const struct hwf_flow_range *range)
{
	unsigned int sum = 0;

	for (uint32_t i = 0; i < range->instructions; i++)
		sum += range->each[i];
	return sum;
}

static void human_range(struct hwf_flow_lines *lines, const struct hwf_flow_range *range)
{
	const struct hwf_insn *insn = &range->insn;

	hwf_put_string(lines->out, "  ");
	hwf_put_hex_zeros(lines->out, range->start, 16);
	hwf_put_string(lines->out, " .. ");
	hwf_put_hex_zeros(lines->out, range->end - insn->size, 16);
	hwf_put_named_string(lines->out, "  ", hwf_isa_name(range->isa));
	hwf_put_string(lines->out, " ");
	hwf_put_decimal_padded(lines->out, range->instructions, 5);
	hwf_put_named_string(lines->out, " insn", range->instructions == 1 ? " " : "s");
	if (range->each) {
		hwf_put_string(lines->out, "  ");
		hwf_put_decimal_padded(lines->out, sum_of_cycles(range), 5);
		hwf_put_string(lines->out, " cycles");
	}
	if (!range->p0)
		hwf_put_string(lines->out,
			       range->taken || !lines->etm3 ? "\n" : "  condition failed\n");
	else if (insn->kind == HWF_INSN_DIRECT && range->taken) {
		hwf_put_named_string(lines->out, "  ",
				     insn->sub == HWF_SUB_LINK ? "call" : "branch");
		hwf_put_named_hex(lines->out, " -> ", insn->target);
		hwf_put_end_line(lines->out);
	} else if (insn->kind == HWF_INSN_INDIRECT && range->taken) {
		hwf_put_named_string(lines->out, "  ",
				     insn->sub == HWF_SUB_LINK          ? "indirect call"
				     : insn->sub == HWF_SUB_RET         ? "return"
				     : insn->sub == HWF_SUB_IMPLIED_RET ? "return"
				     : insn->sub == HWF_SUB_ERET        ? "exception return"
									: "indirect branch");
		hwf_put_end_line(lines->out);
	} else {
		hwf_put_named_string(lines->out, "  ",
				     range->taken ? kind_name(lines, insn) : "not taken");
		hwf_put_end_line(lines->out);
	}
}

static void human_context(struct hwf_flow_lines *lines, const struct hwf_flow_context *event)
{
	const struct hwf_context *context = &event->context;
	static const char *const security[] = {"Secure", "Non-secure", "Root", "Realm"};

	if (context->el_unknown)
		hwf_put_named_string(lines->out, "context: ", security[context->security & 3]);
	else {
		hwf_put_named_decimal(lines->out, "context: EL", context->el);
		hwf_put_named_string(lines->out, " ", security[context->security & 3]);
	}
	hwf_put_named_decimal(lines->out, " AArch", context->sf ? 64 : 32);
	if (context->has_vmid) {
		hwf_put_string(lines->out, ", VMID ");
		hwf_put_hex_prefixed(lines->out, context->vmid);
	}
	if (context->has_cid) {
		hwf_put_string(lines->out, ", context id ");
		hwf_put_hex_prefixed(lines->out, context->cid);
	}
	hwf_put_end_line(lines->out);
}

static void human_gap(struct hwf_flow_lines *lines, const struct hwf_flow_gap *gap)
{
	hwf_put_string(lines->out, "GAP: ");
	if (gap->has_address) {
		hwf_put_hex(lines->out, gap->address);
		hwf_put_string(lines->out, ": ");
	}
	hwf_put_string(lines->out, hwf_gap_text(gap->reason));
	hwf_put_end_line(lines->out);
}

static void human_no_sync(struct hwf_flow_lines *lines, const struct hwf_el_no_sync *no_sync)
{
	if (no_sync->reason == HWF_NO_SYNC_BAD_PACKET) {
		hwf_put_named_string(lines->out, "GAP: ", hwf_err_text(no_sync->error));
		hwf_put_string(lines->out, HWF_TEXT_WAITING);
	} else if (no_sync->reason == HWF_NO_SYNC_INIT) {
		hwf_put_string(lines->out, "waiting for synchronisation");
	} else {
		hwf_put_string(lines->out,
			       no_sync->reason == HWF_NO_SYNC_OVERFLOW
				       ? "GAP: the trace unit's buffer overflowed"
				       : "tracing stopped; what was not resolved is discarded");
		hwf_put_string(lines->out, ": waiting for the next synchronisation");
	}
	hwf_put_end_line(lines->out);
}

static void human_q(struct hwf_flow_lines *lines, const struct hwf_flow_q *q)
{
	hwf_put_string(lines->out, "  path unknown");
	if (q->has_start)
		hwf_put_named_hex(lines->out, " from ", q->start);
	if (q->has_count) {
		hwf_put_named_decimal(lines->out, ", ", q->instructions);
		hwf_put_string(lines->out, " instructions");
	}
	if (q->has_next)
		hwf_put_named_hex(lines->out, ", to ", q->next);
	hwf_put_end_line(lines->out);
}

static void human_exception(struct hwf_flow_lines *lines,
			    const struct hwf_flow_exception *exception)
{
	hwf_put_named_string(
		lines->out, "exception: ",
		lines->etm3 ? hwf_etm3_exception_name(exception->number, lines->etm3->armv7m)
		: lines->ete && lines->ete->m_profile ? hwf_exception_m_name(exception->type)
						      : hwf_exception_name(exception->type));
	if (exception->has_ret)
		hwf_put_named_hex(lines->out, ", returns to ", exception->ret);
	if (exception->imprecise)
		hwf_put_string(lines->out, " (may be imprecise)");
	hwf_put_end_line(lines->out);
}

static void human_timestamp(struct hwf_flow_lines *lines, const struct hwf_el_timestamp *ts)
{
	if (ts->value)
		hwf_put_named_decimal(lines->out, "time ", ts->value);
	else
		hwf_put_string(lines->out, "time unknown");
	if (ts->mark == HWF_TS_MARKED) {
		hwf_put_named_hex(lines->out, " (of the mark at ", ts->marker);
		hwf_put_string(lines->out, ")");
	} else if (ts->mark == HWF_TS_BEFORE_TRACE)
		hwf_put_string(lines->out, " (of something before this trace)");
	if (ts->has_count) {
		hwf_put_named_decimal(lines->out, ", ", ts->count);
		hwf_put_string(lines->out, " cycles after the last count");
	}
	hwf_put_end_line(lines->out);
}

static void human_rest(struct hwf_flow_lines *lines, const struct hwf_flow_event *event)
{
	switch (event->kind) {
	case HWF_FLOW_TRACE_ON:
		hwf_put_named_string(lines->out, "trace on",
				     event->u.trace_on.overflow ? " after an overflow"
				     : event->u.trace_on.debug  ? " after Debug state"
								: "");
		hwf_put_end_line(lines->out);
		break;
	case HWF_FLOW_BYTECODES:
		hwf_put_named_decimal(lines->out, "Java bytecodes: ", event->u.bytecodes.passed);
		hwf_put_named_decimal(lines->out, " executed, ", event->u.bytecodes.failed);
		hwf_put_string(lines->out, " not");
		hwf_put_end_line(lines->out);
		break;
	case HWF_FLOW_TRIGGER:
		hwf_put_string(lines->out, "trigger");
		hwf_put_end_line(lines->out);
		break;
	case HWF_FLOW_CYCLE_COUNT:
		if (event->u.cycle_count.unknown) {
			hwf_put_string(lines->out, "cycles: unknown");
			hwf_put_end_line(lines->out);
		} else {
			hwf_put_named_decimal(lines->out, "cycles: ", event->u.cycle_count.count);
			hwf_put_end_line(lines->out);
		}
		break;
	case HWF_FLOW_TIMESTAMP_MARKER:
		hwf_put_string(lines->out, "time mark");
		hwf_put_end_line(lines->out);
		break;
	case HWF_FLOW_EVENT:
		hwf_put_string(lines->out, "event: ");
		hwf_put_hex_prefixed(lines->out, event->u.event);
		hwf_put_end_line(lines->out);
		break;
	case HWF_FLOW_INSTRUMENTATION:
		hwf_put_named_decimal(lines->out, "instrumentation at EL",
				      event->u.instrumentation.el);
		hwf_put_string(lines->out, ": ");
		hwf_put_hex_prefixed(lines->out, event->u.instrumentation.value);
		hwf_put_end_line(lines->out);
		break;
	case HWF_FLOW_TRANSACTION:
		hwf_put_named_string(lines->out,
				     "transaction: ", transaction_name(event->u.transaction));
		hwf_put_end_line(lines->out);
		break;
	case HWF_FLOW_EXCEPTION_RETURN:
		hwf_put_string(lines->out, "exception return");
		hwf_put_end_line(lines->out);
		break;
	default:
		hwf_put_named_string(lines->out, "end of trace",
				     event->u.overflow ? ", in an overflow" : "");
		hwf_put_end_line(lines->out);
		break;
	}
}

/* The M profile has no instruction of its own for an exception return: it is a BX or a load. */
static bool shows_return(const struct hwf_flow_lines *lines)
{
	return (lines->ete && lines->ete->m_profile) || (lines->etm3 && lines->etm3->armv7m);
}

static void write_human(struct hwf_flow_lines *lines, const struct hwf_flow_event *event)
{
	/* elsewhere the line of the range before contains it */
	if (event->kind == HWF_FLOW_EXCEPTION_RETURN && !shows_return(lines))
		return;
	/* The context is given anew at each synchronisation; only news are shown. */
	if (event->kind == HWF_FLOW_CONTEXT && !event->u.context.changed)
		return;
	hwf_put_hex_padded(lines->out, event->offset, 10);
	hwf_put_string(lines->out, "  ");
	switch (event->kind) {
	case HWF_FLOW_RANGE:
		human_range(lines, &event->u.range);
		break;
	case HWF_FLOW_Q_RANGE:
		human_q(lines, &event->u.q);
		break;
	case HWF_FLOW_EXCEPTION:
		human_exception(lines, &event->u.exception);
		break;
	case HWF_FLOW_CONTEXT:
		human_context(lines, &event->u.context);
		break;
	case HWF_FLOW_NO_SYNC:
		human_no_sync(lines, &event->u.no_sync);
		break;
	case HWF_FLOW_TRAP:
		hwf_put_trap(lines->out, HWF_TEXT_HUMAN, &event->u.trap);
		break;
	case HWF_FLOW_MODE:
		hwf_put_mode(lines->out, HWF_TEXT_HUMAN, &event->u.mode);
		break;
	case HWF_FLOW_GAP:
		human_gap(lines, &event->u.gap);
		break;
	case HWF_FLOW_TIMESTAMP:
		human_timestamp(lines, &event->u.timestamp);
		break;
	default:
		human_rest(lines, event);
		break;
	}
}

void hwf_flow_line(struct hwf_flow_lines *lines, const struct hwf_flow_event *event)
{
	if (lines->format == HWF_TEXT_REF)
		write_ref(lines, event);
	else
		write_human(lines, event);
}
