// SPDX-License-Identifier: GPL-2.0-only
/* Flow events, one a line. */
#include "format_riscv.h"

void flow_lines_init(struct flow_lines *lines, const struct hwf_ete_config *config,
		     struct text *out)
{
	*lines = (struct flow_lines){.out = out, .config = config};
}

const char *gap_text(unsigned int reason)
{
	switch (reason) {
	case HWF_GAP_NO_IMAGE:
		return "no program code at this address";
	case HWF_GAP_MISMATCH:
		return "the program code contradicts the trace";
	case HWF_GAP_NO_ADDRESS:
		return "no address to go on from";
	case HWF_GAP_NO_CONTEXT:
		return "no context to go on in";
	case HWF_GAP_RETURN_STACK:
		return "a return to an address that was not traced";
	case HWF_GAP_UNSEEN:
		return "execution from before the start of trace";
	case HWF_GAP_RUN_TOO_LONG:
		return "no branch for 65536 instructions: this is no program code";
	case HWF_GAP_LOAD_STORE:
		return "loads or stores are traced as branches are, which is not followed";
	case HWF_GAP_TRANSACTION:
		return "the transaction failed: what was given since its start was not executed";
	case HWF_GAP_JAZELLE:
		return "Java bytecodes: they are counted, not followed";
	default:
		return "unknown reason";
	}
}

const char *gap_remedy(unsigned int reason)
{
	switch (reason) {
	case HWF_GAP_NO_IMAGE:
		return " (give it with --image or --symfs)";
	case HWF_GAP_MISMATCH:
		return " (is it the same build?)";
	case HWF_GAP_LOAD_STORE:
		return " (record with TRCCONFIGR.INSTP0 0)";
	default:
		return "";
	}
}

const char *no_sync_name(unsigned int reason)
{
	static const char *const names[] = {
		[HWF_NO_SYNC_INIT] = "init-decoder",   [HWF_NO_SYNC_BAD_PACKET] = "bad-packet",
		[HWF_NO_SYNC_DISCARD] = "discard",     [HWF_NO_SYNC_OVERFLOW] = "overflow",
		[HWF_NO_SYNC_RESET] = "reset-decoder",
	};

	return reason < sizeof(names) / sizeof(names[0]) ? names[reason] : "unknown";
}

static const char *kind_name(const struct flow_lines *lines, const struct hwf_insn *insn)
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
		return lines->config->wfx ? "wfx" : "other";
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

static void ref_range(struct flow_lines *lines, const struct hwf_flow_range *range)
{
	const struct hwf_insn *insn = &range->insn;

	text_named_hex(lines->out, "RANGE start=0x", range->start);
	text_named_hex(lines->out, " end=0x", range->end);
	text_named_decimal(lines->out, " n=", range->instructions);
	text_named_string(lines->out, " isa=", isa_name(range->isa));
	text_string(lines->out, " last=");
	text_char(lines->out, (char)(range->taken ? 'E' : 'N'));
	text_named_decimal(lines->out, " size=", insn->size);
	text_named_string(lines->out, " type=", kind_name(lines, insn));
	text_named_string(lines->out, " sub=", sub_name(insn->sub));
	text_named_decimal(lines->out, " cond=", insn->conditional && insn->sub != HWF_SUB_LOOP);
	if (lines->etm3 && lines->etm3->cycle_accurate)
		text_named_decimal(lines->out, " cc=", range->cycles);
	text_end_line(lines->out);
}

static void ref_q(struct flow_lines *lines, const struct hwf_flow_q *q)
{
	text_named_hex(lines->out, "Q_RANGE start=0x", q->start);
	text_named_hex(lines->out, " next=0x", q->next);
	text_named_decimal(lines->out, " n=", q->instructions);
	text_end_line(lines->out);
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

static void ref_nacc(struct flow_lines *lines)
{
	text_named_hex(lines->out, "NACC addr=0x", lines->gap.address);
	text_named_string(lines->out, " space=", space_name(&lines->context));
	text_end_line(lines->out);
}

/* At an exception the reference looks once more for code that it did not find. */
static void ref_exception(struct flow_lines *lines, uint64_t offset,
			  const struct hwf_flow_exception *exception)
{
	if (exception->after_gap && lines->gap.reason == HWF_GAP_NO_IMAGE && exception->has_ret &&
	    exception->ret > lines->gap.address) {
		ref_nacc(lines);
		text_decimal(lines->out, offset);
		text_string(lines->out, " ");
	}
	text_string(lines->out, "EXCEPTION num=0x");
	text_hex_zeros(lines->out, lines->etm3 ? exception->number : exception->type, 2);
	if (exception->has_ret)
		text_named_hex(lines->out, " ret=0x", exception->ret);
	else
		text_string(lines->out, " ret=none");
	text_named_decimal(lines->out, " ret_is_branch_target=", exception->ret_is_target);
	text_end_line(lines->out);
}

static void ref_context(struct flow_lines *lines, const struct hwf_flow_context *event)
{
	const struct hwf_context *context = &event->context;

	text_named_string(lines->out, "CONTEXT isa=", isa_name(event->isa));
	text_string(lines->out, " el=");
	text_char(lines->out, (char)(context->el_unknown ? '?' : '0' + context->el));
	text_named_string(lines->out, " sec=", security_name(context->security));
	text_named_decimal(lines->out, " bits=", context->sf ? 64 : 32);
	if (context->has_vmid)
		text_named_hex(lines->out, " vmid=0x", context->vmid);
	if (context->has_cid)
		text_named_hex(lines->out, " cid=0x", context->cid);
	if (event->has_cycles)
		text_named_decimal(lines->out, " cc=", event->cycles);
	text_end_line(lines->out);
}

static void ref_timestamp(struct flow_lines *lines, const struct hwf_el_timestamp *ts)
{
	text_named_hex(lines->out, "TIMESTAMP ts=0x", ts->value);
	if (ts->has_count)
		text_named_decimal(lines->out, " cc=", ts->count);
	text_end_line(lines->out);
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

static void ref_line(struct flow_lines *lines, const struct hwf_flow_event *event)
{
	struct text *out = lines->out;

	if (event->kind == HWF_FLOW_GAP)
		lines->gap = event->u.gap;
	if (ref_is_silent(event))
		return;
	text_decimal(out, event->offset);
	text_string(out, " ");
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
		text_string(out, "EXCEPTION_RETURN");
		text_end_line(out);
		break;
	case HWF_FLOW_CONTEXT:
		lines->context = event->u.context.context;
		ref_context(lines, &event->u.context);
		break;
	case HWF_FLOW_TRACE_ON:
		text_named_string(out, "TRACE_ON reason=",
				  event->u.trace_on.overflow ? "overflow"
				  : event->u.trace_on.debug  ? "debug_restart"
							     : "begin_or_filter");
		text_end_line(out);
		break;
	case HWF_FLOW_NO_SYNC:
		text_named_string(out, "NO_SYNC reason=", no_sync_name(event->u.no_sync.reason));
		text_end_line(out);
		break;
	case HWF_FLOW_CYCLE_COUNT:
		text_named_decimal(out, "CYCLE_COUNT cc=", event->u.cycle_count.count);
		text_end_line(out);
		break;
	case HWF_FLOW_TIMESTAMP:
		ref_timestamp(lines, &event->u.timestamp);
		break;
	case HWF_FLOW_TIMESTAMP_MARKER:
		text_string(out, "TIMESTAMP_MARKER value=0x0");
		text_end_line(out);
		break;
	case HWF_FLOW_EVENT:
		text_named_decimal(out, "EVENT n=", event->u.event);
		text_end_line(out);
		break;
	case HWF_FLOW_INSTRUMENTATION:
		text_named_decimal(out, "ITE el=", event->u.instrumentation.el);
		text_named_hex(out, " value=0x", event->u.instrumentation.value);
		text_end_line(out);
		break;
	case HWF_FLOW_TRANSACTION:
		text_named_string(out, "TRANSACTION what=", transaction_name(event->u.transaction));
		text_end_line(out);
		break;
	case HWF_FLOW_TRAP:
		riscv_trap_line(out, FORMAT_REF, &event->u.trap);
		break;
	case HWF_FLOW_MODE:
		riscv_mode_line(out, FORMAT_REF, &event->u.mode);
		break;
	case HWF_FLOW_BYTECODES:
		text_named_decimal(out, "BYTECODES e=", event->u.bytecodes.passed);
		text_named_decimal(out, " n=", event->u.bytecodes.failed);
		text_named_decimal(out, " cc=", event->u.bytecodes.cycles);
		text_end_line(out);
		break;
	case HWF_FLOW_TRIGGER:
		text_string(out, "EVENT trigger");
		text_end_line(out);
		break;
	case HWF_FLOW_GAP:
		ref_nacc(lines);
		break;
	default:
		text_named_string(out,
				  "EOT reason=", event->u.overflow ? "overflow" : "end-of-trace");
		text_end_line(out);
		break;
	}
}

/* Loss of synchronisation by the very last packet has no line in the reference. */
void flow_lines_settle(struct flow_lines *lines, const struct hwf_flow_event *event)
{
	if (!lines->holding)
		return;
	lines->holding = false;
	if (event->kind != HWF_FLOW_END || lines->held.offset != event->offset)
		ref_line(lines, &lines->held);
}

void flow_line_ref(struct flow_lines *lines, const struct hwf_flow_event *event)
{
	flow_lines_settle(lines, event);
	if (event->kind == HWF_FLOW_NO_SYNC && event->u.no_sync.reason != HWF_NO_SYNC_INIT) {
		lines->held = *event;
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

static void human_range(struct flow_lines *lines, const struct hwf_flow_range *range)
{
	const struct hwf_insn *insn = &range->insn;

	text_string(lines->out, "  ");
	text_hex_zeros(lines->out, range->start, 16);
	text_string(lines->out, " .. ");
	text_hex_zeros(lines->out, range->end - insn->size, 16);
	text_named_string(lines->out, "  ", isa_name(range->isa));
	text_string(lines->out, " ");
	text_decimal_padded(lines->out, range->instructions, 5);
	text_named_string(lines->out, " insn", range->instructions == 1 ? " " : "s");
	if (range->each) {
		text_string(lines->out, "  ");
		text_decimal_padded(lines->out, sum_of_cycles(range), 5);
		text_string(lines->out, " cycles");
	}
	if (!range->p0)
		text_string(lines->out,
			    range->taken || !lines->etm3 ? "\n" : "  condition failed\n");
	else if (insn->kind == HWF_INSN_DIRECT && range->taken) {
		text_named_string(lines->out, "  ", insn->sub == HWF_SUB_LINK ? "call" : "branch");
		text_named_hex(lines->out, " -> ", insn->target);
		text_end_line(lines->out);
	} else if (insn->kind == HWF_INSN_INDIRECT && range->taken) {
		text_named_string(lines->out, "  ",
				  insn->sub == HWF_SUB_LINK          ? "indirect call"
				  : insn->sub == HWF_SUB_RET         ? "return"
				  : insn->sub == HWF_SUB_IMPLIED_RET ? "return"
				  : insn->sub == HWF_SUB_ERET        ? "exception return"
								     : "indirect branch");
		text_end_line(lines->out);
	} else {
		text_named_string(lines->out, "  ",
				  range->taken ? kind_name(lines, insn) : "not taken");
		text_end_line(lines->out);
	}
}

static void human_context(struct flow_lines *lines, const struct hwf_flow_context *event)
{
	const struct hwf_context *context = &event->context;
	static const char *const security[] = {"Secure", "Non-secure", "Root", "Realm"};

	if (context->el_unknown)
		text_named_string(lines->out, "context: ", security[context->security & 3]);
	else {
		text_named_decimal(lines->out, "context: EL", context->el);
		text_named_string(lines->out, " ", security[context->security & 3]);
	}
	text_named_decimal(lines->out, " AArch", context->sf ? 64 : 32);
	if (context->has_vmid) {
		text_string(lines->out, ", VMID ");
		text_hex_prefixed(lines->out, context->vmid);
	}
	if (context->has_cid) {
		text_string(lines->out, ", context id ");
		text_hex_prefixed(lines->out, context->cid);
	}
	text_end_line(lines->out);
}

static void human_gap(struct flow_lines *lines, const struct hwf_flow_gap *gap)
{
	text_string(lines->out, "GAP: ");
	if (gap->has_address) {
		text_hex(lines->out, gap->address);
		text_string(lines->out, ": ");
	}
	text_string(lines->out, gap_text(gap->reason));
	text_end_line(lines->out);
}

static void human_no_sync(struct flow_lines *lines, const struct hwf_el_no_sync *no_sync)
{
	if (no_sync->reason == HWF_NO_SYNC_BAD_PACKET) {
		text_named_string(lines->out, "GAP: ", hwf_err_text(no_sync->error));
		text_string(lines->out, NO_SYNC_REMEDY);
	} else if (no_sync->reason == HWF_NO_SYNC_INIT) {
		text_string(lines->out, "waiting for synchronisation");
	} else {
		text_string(lines->out,
			    no_sync->reason == HWF_NO_SYNC_OVERFLOW
				    ? "GAP: the trace unit's buffer overflowed"
				    : "tracing stopped; what was not resolved is discarded");
		text_string(lines->out, ": waiting for the next synchronisation");
	}
	text_end_line(lines->out);
}

static void human_q(struct flow_lines *lines, const struct hwf_flow_q *q)
{
	text_string(lines->out, "  path unknown");
	if (q->has_start)
		text_named_hex(lines->out, " from ", q->start);
	if (q->has_count) {
		text_named_decimal(lines->out, ", ", q->instructions);
		text_string(lines->out, " instructions");
	}
	if (q->has_next)
		text_named_hex(lines->out, ", to ", q->next);
	text_end_line(lines->out);
}

static void human_exception(struct flow_lines *lines, const struct hwf_flow_exception *exception)
{
	text_named_string(lines->out, "exception: ",
			  lines->etm3
				  ? hwf_etm3_exception_name(exception->number, lines->etm3->armv7m)
			  : lines->config->m_profile ? hwf_exception_m_name(exception->type)
						     : hwf_exception_name(exception->type));
	if (exception->has_ret)
		text_named_hex(lines->out, ", returns to ", exception->ret);
	if (exception->imprecise)
		text_string(lines->out, " (may be imprecise)");
	text_end_line(lines->out);
}

static void human_timestamp(struct flow_lines *lines, const struct hwf_el_timestamp *ts)
{
	if (ts->value)
		text_named_decimal(lines->out, "time ", ts->value);
	else
		text_string(lines->out, "time unknown");
	if (ts->mark == HWF_TS_MARKED) {
		text_named_hex(lines->out, " (of the mark at ", ts->marker);
		text_string(lines->out, ")");
	} else if (ts->mark == HWF_TS_BEFORE_TRACE)
		text_string(lines->out, " (of something before this trace)");
	if (ts->has_count) {
		text_named_decimal(lines->out, ", ", ts->count);
		text_string(lines->out, " cycles after the last count");
	}
	text_end_line(lines->out);
}

static void human_rest(struct flow_lines *lines, const struct hwf_flow_event *event)
{
	switch (event->kind) {
	case HWF_FLOW_TRACE_ON:
		text_named_string(lines->out, "trace on",
				  event->u.trace_on.overflow ? " after an overflow"
				  : event->u.trace_on.debug  ? " after Debug state"
							     : "");
		text_end_line(lines->out);
		break;
	case HWF_FLOW_BYTECODES:
		text_named_decimal(lines->out, "Java bytecodes: ", event->u.bytecodes.passed);
		text_named_decimal(lines->out, " executed, ", event->u.bytecodes.failed);
		text_string(lines->out, " not");
		text_end_line(lines->out);
		break;
	case HWF_FLOW_TRIGGER:
		text_string(lines->out, "trigger");
		text_end_line(lines->out);
		break;
	case HWF_FLOW_CYCLE_COUNT:
		if (event->u.cycle_count.unknown) {
			text_string(lines->out, "cycles: unknown");
			text_end_line(lines->out);
		} else {
			text_named_decimal(lines->out, "cycles: ", event->u.cycle_count.count);
			text_end_line(lines->out);
		}
		break;
	case HWF_FLOW_TIMESTAMP_MARKER:
		text_string(lines->out, "time mark");
		text_end_line(lines->out);
		break;
	case HWF_FLOW_EVENT:
		text_string(lines->out, "event: ");
		text_hex_prefixed(lines->out, event->u.event);
		text_end_line(lines->out);
		break;
	case HWF_FLOW_INSTRUMENTATION:
		text_named_decimal(lines->out, "instrumentation at EL",
				   event->u.instrumentation.el);
		text_string(lines->out, ": ");
		text_hex_prefixed(lines->out, event->u.instrumentation.value);
		text_end_line(lines->out);
		break;
	case HWF_FLOW_TRANSACTION:
		text_named_string(lines->out,
				  "transaction: ", transaction_name(event->u.transaction));
		text_end_line(lines->out);
		break;
	case HWF_FLOW_EXCEPTION_RETURN:
		text_string(lines->out, "exception return");
		text_end_line(lines->out);
		break;
	default:
		text_named_string(lines->out, "end of trace",
				  event->u.overflow ? ", in an overflow" : "");
		text_end_line(lines->out);
		break;
	}
}

void flow_line_human(struct flow_lines *lines, const struct hwf_flow_event *event)
{
	/* The range before it says it already. */
	if (event->kind == HWF_FLOW_EXCEPTION_RETURN)
		return;
	/* The context is given anew at each synchronisation; only news are shown. */
	if (event->kind == HWF_FLOW_CONTEXT && !event->u.context.changed)
		return;
	text_hex_padded(lines->out, event->offset, 10);
	text_string(lines->out, "  ");
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
		riscv_trap_line(lines->out, FORMAT_HUMAN, &event->u.trap);
		break;
	case HWF_FLOW_MODE:
		riscv_mode_line(lines->out, FORMAT_HUMAN, &event->u.mode);
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
