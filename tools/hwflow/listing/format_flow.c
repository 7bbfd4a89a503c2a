// SPDX-License-Identifier: GPL-2.0-only
/* Flow events, one a line. */
#include <inttypes.h>
#include <stdio.h>

#include "format_riscv.h"

void flow_lines_init(struct flow_lines *lines, const struct hwf_ete_config *config, FILE *out)
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

	fprintf(lines->out,
		"RANGE start=0x%" PRIx64 " end=0x%" PRIx64
		" n=%u isa=%s last=%c size=%u type=%s sub=%s cond=%d",
		range->start, range->end, range->instructions, isa_name(range->isa),
		range->taken ? 'E' : 'N', insn->size, kind_name(lines, insn), sub_name(insn->sub),
		insn->conditional && insn->sub != HWF_SUB_LOOP);
	if (lines->etm3 && lines->etm3->cycle_accurate)
		fprintf(lines->out, " cc=%u", range->cycles);
	fputc('\n', lines->out);
}

static void ref_q(struct flow_lines *lines, const struct hwf_flow_q *q)
{
	fprintf(lines->out, "Q_RANGE start=0x%" PRIx64 " next=0x%" PRIx64 " n=%u\n", q->start,
		q->next, q->instructions);
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
	fprintf(lines->out, "NACC addr=0x%" PRIx64 " space=%s\n", lines->gap.address,
		space_name(&lines->context));
}

/* At an exception the reference looks once more for code that it did not find. */
static void ref_exception(struct flow_lines *lines, uint64_t offset,
			  const struct hwf_flow_exception *exception)
{
	if (exception->after_gap && lines->gap.reason == HWF_GAP_NO_IMAGE && exception->has_ret &&
	    exception->ret > lines->gap.address) {
		ref_nacc(lines);
		fprintf(lines->out, "%" PRIu64 " ", offset);
	}
	fprintf(lines->out, "EXCEPTION num=0x%02x",
		lines->etm3 ? exception->number : exception->type);
	if (exception->has_ret)
		fprintf(lines->out, " ret=0x%" PRIx64, exception->ret);
	else
		fputs(" ret=none", lines->out);
	fprintf(lines->out, " ret_is_branch_target=%d\n", exception->ret_is_target);
}

static void ref_context(struct flow_lines *lines, const struct hwf_flow_context *event)
{
	const struct hwf_context *context = &event->context;

	fprintf(lines->out, "CONTEXT isa=%s el=%c sec=%s bits=%d", isa_name(event->isa),
		context->el_unknown ? '?' : '0' + context->el, security_name(context->security),
		context->sf ? 64 : 32);
	if (context->has_vmid)
		fprintf(lines->out, " vmid=0x%x", context->vmid);
	if (context->has_cid)
		fprintf(lines->out, " cid=0x%x", context->cid);
	if (event->has_cycles)
		fprintf(lines->out, " cc=%u", event->cycles);
	fputc('\n', lines->out);
}

static void ref_timestamp(struct flow_lines *lines, const struct hwf_el_timestamp *ts)
{
	fprintf(lines->out, "TIMESTAMP ts=0x%" PRIx64, ts->value);
	if (ts->has_count)
		fprintf(lines->out, " cc=%u", ts->count);
	fputc('\n', lines->out);
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
	FILE *out = lines->out;

	if (event->kind == HWF_FLOW_GAP)
		lines->gap = event->u.gap;
	if (ref_is_silent(event))
		return;
	fprintf(out, "%" PRIu64 " ", event->offset);
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
		fputs("EXCEPTION_RETURN\n", out);
		break;
	case HWF_FLOW_CONTEXT:
		lines->context = event->u.context.context;
		ref_context(lines, &event->u.context);
		break;
	case HWF_FLOW_TRACE_ON:
		fprintf(out, "TRACE_ON reason=%s\n",
			event->u.trace_on.overflow ? "overflow"
			: event->u.trace_on.debug  ? "debug_restart"
						   : "begin_or_filter");
		break;
	case HWF_FLOW_NO_SYNC:
		fprintf(out, "NO_SYNC reason=%s\n", no_sync_name(event->u.no_sync.reason));
		break;
	case HWF_FLOW_CYCLE_COUNT:
		fprintf(out, "CYCLE_COUNT cc=%u\n", event->u.cycle_count.count);
		break;
	case HWF_FLOW_TIMESTAMP:
		ref_timestamp(lines, &event->u.timestamp);
		break;
	case HWF_FLOW_TIMESTAMP_MARKER:
		fputs("TIMESTAMP_MARKER value=0x0\n", out);
		break;
	case HWF_FLOW_EVENT:
		fprintf(out, "EVENT n=%u\n", event->u.event);
		break;
	case HWF_FLOW_INSTRUMENTATION:
		fprintf(out, "ITE el=%u value=0x%" PRIx64 "\n", event->u.instrumentation.el,
			event->u.instrumentation.value);
		break;
	case HWF_FLOW_TRANSACTION:
		fprintf(out, "TRANSACTION what=%s\n", transaction_name(event->u.transaction));
		break;
	case HWF_FLOW_TRAP:
		riscv_trap_line(out, FORMAT_REF, &event->u.trap);
		break;
	case HWF_FLOW_MODE:
		riscv_mode_line(out, FORMAT_REF, &event->u.mode);
		break;
	case HWF_FLOW_BYTECODES:
		fprintf(out, "BYTECODES e=%u n=%u cc=%u\n", event->u.bytecodes.passed,
			event->u.bytecodes.failed, event->u.bytecodes.cycles);
		break;
	case HWF_FLOW_TRIGGER:
		fputs("EVENT trigger\n", out);
		break;
	case HWF_FLOW_GAP:
		ref_nacc(lines);
		break;
	default:
		fprintf(out, "EOT reason=%s\n", event->u.overflow ? "overflow" : "end-of-trace");
		break;
	}
}

/* Loss of synchronisation by the very last packet has no line in the reference. */
void flow_line_ref(struct flow_lines *lines, const struct hwf_flow_event *event)
{
	if (lines->holding) {
		lines->holding = false;
		if (event->kind != HWF_FLOW_END || lines->held.offset != event->offset)
			ref_line(lines, &lines->held);
	}
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

	fprintf(lines->out, "  %016" PRIx64 " .. %016" PRIx64 "  %s %5u insn%s", range->start,
		range->end - insn->size, isa_name(range->isa), range->instructions,
		range->instructions == 1 ? " " : "s");
	if (range->each)
		fprintf(lines->out, "  %5u cycles", sum_of_cycles(range));
	if (!range->p0)
		fputs(range->taken || !lines->etm3 ? "\n" : "  condition failed\n", lines->out);
	else if (insn->kind == HWF_INSN_DIRECT && range->taken)
		fprintf(lines->out, "  %s -> %" PRIx64 "\n",
			insn->sub == HWF_SUB_LINK ? "call" : "branch", insn->target);
	else if (insn->kind == HWF_INSN_INDIRECT && range->taken)
		fprintf(lines->out, "  %s\n",
			insn->sub == HWF_SUB_LINK          ? "indirect call"
			: insn->sub == HWF_SUB_RET         ? "return"
			: insn->sub == HWF_SUB_IMPLIED_RET ? "return"
			: insn->sub == HWF_SUB_ERET        ? "exception return"
							   : "indirect branch");
	else
		fprintf(lines->out, "  %s\n", range->taken ? kind_name(lines, insn) : "not taken");
}

static void human_context(struct flow_lines *lines, const struct hwf_flow_context *event)
{
	const struct hwf_context *context = &event->context;
	static const char *const security[] = {"Secure", "Non-secure", "Root", "Realm"};

	if (context->el_unknown)
		fprintf(lines->out, "context: %s", security[context->security & 3]);
	else
		fprintf(lines->out, "context: EL%u %s", context->el,
			security[context->security & 3]);
	fprintf(lines->out, " AArch%d", context->sf ? 64 : 32);
	if (context->has_vmid)
		fprintf(lines->out, ", VMID %#x", context->vmid);
	if (context->has_cid)
		fprintf(lines->out, ", context id %#x", context->cid);
	fputc('\n', lines->out);
}

static void human_gap(struct flow_lines *lines, const struct hwf_flow_gap *gap)
{
	fputs("GAP: ", lines->out);
	if (gap->has_address)
		fprintf(lines->out, "%" PRIx64 ": ", gap->address);
	fprintf(lines->out, "%s\n", gap_text(gap->reason));
}

static void human_no_sync(struct flow_lines *lines, const struct hwf_el_no_sync *no_sync)
{
	if (no_sync->reason == HWF_NO_SYNC_BAD_PACKET)
		fprintf(lines->out, "GAP: %s" NO_SYNC_REMEDY "\n", hwf_err_text(no_sync->error));
	else if (no_sync->reason == HWF_NO_SYNC_INIT)
		fputs("waiting for synchronisation\n", lines->out);
	else
		fprintf(lines->out, "%s: waiting for the next synchronisation\n",
			no_sync->reason == HWF_NO_SYNC_OVERFLOW
				? "GAP: the trace unit's buffer overflowed"
				: "tracing stopped; what was not resolved is discarded");
}

static void human_q(struct flow_lines *lines, const struct hwf_flow_q *q)
{
	fputs("  path unknown", lines->out);
	if (q->has_start)
		fprintf(lines->out, " from %" PRIx64, q->start);
	if (q->has_count)
		fprintf(lines->out, ", %u instructions", q->instructions);
	if (q->has_next)
		fprintf(lines->out, ", to %" PRIx64, q->next);
	fputc('\n', lines->out);
}

static void human_exception(struct flow_lines *lines, const struct hwf_flow_exception *exception)
{
	fprintf(lines->out, "exception: %s",
		lines->etm3 ? hwf_etm3_exception_name(exception->number, lines->etm3->armv7m)
		: lines->config->m_profile ? hwf_exception_m_name(exception->type)
					   : hwf_exception_name(exception->type));
	if (exception->has_ret)
		fprintf(lines->out, ", returns to %" PRIx64, exception->ret);
	if (exception->imprecise)
		fputs(" (may be imprecise)", lines->out);
	fputc('\n', lines->out);
}

static void human_timestamp(struct flow_lines *lines, const struct hwf_el_timestamp *ts)
{
	if (ts->value)
		fprintf(lines->out, "time %" PRIu64, ts->value);
	else
		fputs("time unknown", lines->out);
	if (ts->mark == HWF_TS_MARKED)
		fprintf(lines->out, " (of the mark at %" PRIx64 ")", ts->marker);
	else if (ts->mark == HWF_TS_BEFORE_TRACE)
		fputs(" (of something before this trace)", lines->out);
	if (ts->has_count)
		fprintf(lines->out, ", %u cycles after the last count", ts->count);
	fputc('\n', lines->out);
}

static void human_rest(struct flow_lines *lines, const struct hwf_flow_event *event)
{
	switch (event->kind) {
	case HWF_FLOW_TRACE_ON:
		fprintf(lines->out, "trace on%s\n",
			event->u.trace_on.overflow ? " after an overflow"
			: event->u.trace_on.debug  ? " after Debug state"
						   : "");
		break;
	case HWF_FLOW_BYTECODES:
		fprintf(lines->out, "Java bytecodes: %u executed, %u not\n",
			event->u.bytecodes.passed, event->u.bytecodes.failed);
		break;
	case HWF_FLOW_TRIGGER:
		fputs("trigger\n", lines->out);
		break;
	case HWF_FLOW_CYCLE_COUNT:
		if (event->u.cycle_count.unknown)
			fputs("cycles: unknown\n", lines->out);
		else
			fprintf(lines->out, "cycles: %u\n", event->u.cycle_count.count);
		break;
	case HWF_FLOW_TIMESTAMP_MARKER:
		fputs("time mark\n", lines->out);
		break;
	case HWF_FLOW_EVENT:
		fprintf(lines->out, "event: %#x\n", event->u.event);
		break;
	case HWF_FLOW_INSTRUMENTATION:
		fprintf(lines->out, "instrumentation at EL%u: %#" PRIx64 "\n",
			event->u.instrumentation.el, event->u.instrumentation.value);
		break;
	case HWF_FLOW_TRANSACTION:
		fprintf(lines->out, "transaction: %s\n", transaction_name(event->u.transaction));
		break;
	case HWF_FLOW_EXCEPTION_RETURN:
		fputs("exception return\n", lines->out);
		break;
	default:
		fprintf(lines->out, "end of trace%s\n",
			event->u.overflow ? ", in an overflow" : "");
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
	fprintf(lines->out, "%10" PRIx64 "  ", event->offset);
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
