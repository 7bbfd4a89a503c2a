/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Elements of ETE and ETMv4, one a line. */
#include "text/lines.h"

const char *hwf_element_name(unsigned int kind)
{
	static const char *const names[HWF_EL_KINDS] = {
		[HWF_EL_ATOM] = "ATOM",
		[HWF_EL_EXCEPTION] = "EXCEPTION",
		[HWF_EL_SOURCE_ADDRESS] = "SOURCE_ADDRESS",
		[HWF_EL_Q] = "Q",
		[HWF_EL_TRANSACTION_START] = "TRANSACTION_START",
		[HWF_EL_EXCEPTION_RETURN] = "EXCEPTION_RETURN",
		[HWF_EL_FUNCTION_RETURN] = "FUNCTION_RETURN",
		[HWF_EL_TRANSACTION_COMMIT] = "TRANSACTION_COMMIT",
		[HWF_EL_TRANSACTION_FAILURE] = "TRANSACTION_FAILURE",
		[HWF_EL_TRACE_INFO] = "TRACE_INFO",
		[HWF_EL_TRACE_ON] = "TRACE_ON",
		[HWF_EL_TARGET_ADDRESS] = "TARGET_ADDRESS",
		[HWF_EL_CONTEXT] = "CONTEXT",
		[HWF_EL_CYCLE_COUNT] = "CYCLE_COUNT",
		[HWF_EL_TIMESTAMP] = "TIMESTAMP",
		[HWF_EL_TIMESTAMP_MARKER] = "TIMESTAMP_MARKER",
		[HWF_EL_EVENT] = "EVENT",
		[HWF_EL_INSTRUMENTATION] = "INSTRUMENTATION",
		[HWF_EL_COMMIT] = "COMMIT",
		[HWF_EL_CANCEL] = "CANCEL",
		[HWF_EL_MISPREDICT] = "MISPREDICT",
		[HWF_EL_DISCARD] = "DISCARD",
		[HWF_EL_OVERFLOW] = "OVERFLOW",
		[HWF_EL_NO_SYNC] = "NO_SYNC",
		[HWF_EL_END] = "END",
	};

	return kind < HWF_EL_KINDS ? names[kind] : "?";
}

static void put_address(struct hwf_text *out, const struct hwf_el_address *address)
{
	hwf_put_named_hex(out, " addr=0x", address->value);
	hwf_put_named_decimal(out, " is=", address->is);
}

/* A corrected Atom is in lower case. */
static void put_atoms(struct hwf_text *out, const struct hwf_element *element)
{
	hwf_put_string(out, " atoms=");
	for (unsigned int i = 0; i < element->u.atoms.count; i++) {
		const bool taken = element->u.atoms.bits >> i & 1;
		const bool corrected = element->corrected >> i & 1;

		hwf_put_char(out, (corrected ? "ne" : "NE")[taken]);
	}
}

static void put_exception(struct hwf_text *out, const struct hwf_el_exception *exception)
{
	hwf_put_string(out, " type=0x");
	hwf_put_hex_zeros(out, exception->type, 2);
	if (exception->has_ret)
		hwf_put_named_hex(out, " ret=0x", exception->ret.value);
	hwf_put_named_decimal(out, " ret_is_branch_target=", exception->ret_is_target);
}

static void put_q(struct hwf_text *out, const struct hwf_el_q *q)
{
	if (q->has_count)
		hwf_put_named_decimal(out, " count=", q->count);
	if (q->has_address)
		put_address(out, &q->address);
	hwf_put_named_hex(out, " type=0x", q->type);
}

static void put_context(struct hwf_text *out, const struct hwf_context *context)
{
	hwf_put_named_decimal(out, " el=", context->el);
	hwf_put_named_string(out, " sec=", hwf_security_name(context->security));
	hwf_put_named_decimal(out, " bits=", context->sf ? 64 : 32);
	if (context->has_vmid)
		hwf_put_named_hex(out, " vmid=0x", context->vmid);
	if (context->has_cid)
		hwf_put_named_hex(out, " cid=0x", context->cid);
}

static void put_timestamp(struct hwf_text *out, const struct hwf_el_timestamp *timestamp)
{
	hwf_put_named_hex(out, " ts=0x", timestamp->value);
	if (timestamp->has_count)
		hwf_put_named_decimal(out, " cc=", timestamp->count);
	if (timestamp->mark == HWF_TS_MARKED)
		hwf_put_named_decimal(out, " marker=", timestamp->marker);
	else if (timestamp->mark == HWF_TS_BEFORE_TRACE)
		hwf_put_string(out, " before_trace=1");
}

static void put_trace_info(struct hwf_text *out, const struct hwf_ete_trace_info *info)
{
	hwf_put_named_decimal(out, " cc_enabled=", !!(info->info & HWF_ETE_INFO_CC_ENABLED));
	hwf_put_named_decimal(out,
			      " in_transaction=", !!(info->info & HWF_ETE_INFO_IN_TRANSACTION));
	hwf_put_named_decimal(out, " cc_threshold=", info->cc_threshold);
	hwf_put_named_decimal(out, " spec_depth=", info->spec_depth);
}

static void put_rest(struct hwf_text *out, const struct hwf_element *element)
{
	switch (element->kind) {
	case HWF_EL_CYCLE_COUNT:
		if (element->u.cycle_count.unknown)
			hwf_put_string(out, " cc=unknown");
		else
			hwf_put_named_decimal(out, " cc=", element->u.cycle_count.count);
		break;
	case HWF_EL_EVENT:
		hwf_put_named_hex(out, " events=0x", element->u.event);
		break;
	case HWF_EL_INSTRUMENTATION:
		hwf_put_named_decimal(out, " el=", element->u.instrumentation.el);
		hwf_put_named_hex(out, " value=0x", element->u.instrumentation.value);
		break;
	case HWF_EL_COMMIT:
	case HWF_EL_CANCEL:
		hwf_put_named_decimal(out, " n=", element->u.number);
		break;
	case HWF_EL_TRACE_ON:
	case HWF_EL_END:
		hwf_put_named_decimal(out, " overflow=", element->u.overflow);
		break;
	case HWF_EL_NO_SYNC:
		hwf_put_named_string(out, " reason=", hwf_no_sync_name(element->u.no_sync.reason));
		break;
	default:
		break;
	}
}

void hwf_element_line(struct hwf_text *out, const struct hwf_element *element)
{
	hwf_put_decimal(out, element->offset);
	hwf_put_named_string(out, " ", hwf_element_name(element->kind));
	switch (element->kind) {
	case HWF_EL_ATOM:
		put_atoms(out, element);
		break;
	case HWF_EL_EXCEPTION:
		put_exception(out, &element->u.exception);
		break;
	case HWF_EL_SOURCE_ADDRESS:
	case HWF_EL_TARGET_ADDRESS:
		put_address(out, &element->u.address);
		break;
	case HWF_EL_Q:
		put_q(out, &element->u.q);
		break;
	case HWF_EL_CONTEXT:
		put_context(out, &element->u.context.context);
		break;
	case HWF_EL_TIMESTAMP:
		put_timestamp(out, &element->u.timestamp);
		break;
	case HWF_EL_TRACE_INFO:
		put_trace_info(out, &element->u.trace_info);
		break;
	default:
		put_rest(out, element);
		break;
	}
	hwf_put_end_line(out);
}
