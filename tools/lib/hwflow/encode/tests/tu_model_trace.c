/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The trace of the model PE: decoded, shown as text, compared with what was executed. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tu_model.h"

/* What a Q element does not say because trace was lost behind it */
#define ANY_PLACE UINT64_MAX

/* ---- decoding ---- */

static unsigned int size_at(const struct model *model, uint64_t pc, uint8_t isa)
{
	const uint64_t half = (pc - MODEL_T32) / 2;

	/* where the decoder went astray, the comparison says so */
	if (isa != HWF_ISA_T32 || half >= MODEL_HALVES)
		return 4;
	return hwf_insn_t32_is_wide(model->t32.half[half]) ? 4 : 2;
}

static void took_range(struct model *model, const struct hwf_flow_range *range, uint64_t offset)
{
	struct item item = {.offset = offset,
			    .kind = ITEM_INSN,
			    .el = model->context.el,
			    .isa = range->isa,
			    .cid = model->context.has_cid ? model->context.cid : 0};
	uint32_t instructions = 0;
	uint64_t pc = range->start;

	for (; pc < range->end; pc += size_at(model, pc, range->isa), instructions++) {
		item.value = pc;
		model_add(&model->decoded, &item);
	}
	item.kind = ITEM_BAD;
	if (pc != range->end || instructions != range->instructions)
		model_add(&model->decoded, &item);
}

static void take_flow(void *ctx, const struct hwf_flow_event *event)
{
	struct model *model = ctx;
	struct item item = {.offset = event->offset};

	switch (event->kind) {
	case HWF_FLOW_RANGE:
		model->erets += event->u.range.taken && event->u.range.insn.sub == HWF_SUB_ERET;
		took_range(model, &event->u.range, event->offset);
		return;
	case HWF_FLOW_EXCEPTION_RETURN:
		model->exception_returns++;
		return;
	case HWF_FLOW_Q_RANGE:
		item.kind = ITEM_Q;
		item.value = event->u.q.has_next ? event->u.q.next : ANY_PLACE;
		item.count = event->u.q.has_count ? event->u.q.instructions : 0;
		break;
	case HWF_FLOW_EXCEPTION:
		item.kind = ITEM_EXCEPTION;
		item.value = event->u.exception.ret;
		item.type = event->u.exception.type;
		break;
	case HWF_FLOW_TRACE_ON:
		item.kind = event->u.overflow ? ITEM_ON_LOST : ITEM_ON;
		/* The Overflow packet before the first Alignment Synchronisation is not seen. */
		if (model->writes_lost && !model->decoded.count)
			item.kind = ITEM_ON_LOST;
		break;
	case HWF_FLOW_CONTEXT:
		model->context = event->u.context.context;
		return;
	case HWF_FLOW_GAP:
		/* I_CHTFM: the address comes after the first P0 element of all. */
		if (!model->decoded.count && (event->u.gap.reason == HWF_GAP_NO_ADDRESS ||
					      event->u.gap.reason == HWF_GAP_NO_CONTEXT))
			return;
		item.kind = ITEM_BAD;
		item.type = event->u.gap.reason;
		item.value = event->offset;
		break;
	case HWF_FLOW_NO_SYNC:
		if (event->u.no_sync.reason != HWF_NO_SYNC_BAD_PACKET)
			return;
		item.kind = ITEM_BAD;
		item.type = 0xff;
		item.value = event->offset;
		break;
	default:
		return;
	}
	model_add(&model->decoded, &item);
}

static void to_follower(void *ctx, const struct hwf_element *element)
{
	hwf_follower_push(ctx, element);
}

static void to_p0(void *ctx, const struct hwf_element *element)
{
	hwf_p0_push(ctx, element);
}

static void push_bytes(struct model *model, size_t from, struct hwf_elements *elements)
{
	struct hwf_ete_stream stream;
	struct hwf_ete_packet packet;

	hwf_ete_stream_init(&stream, &model->config);
	while (from < model->length) {
		uint64_t offset = stream.offset;
		size_t size = hwf_ete_stream_next(&stream, model->bytes + from,
						  model->length - from, true, &packet);

		if (!size)
			break;
		hwf_elements_push(elements, &packet, offset, stream.tentative || !stream.synced);
		from += size;
	}
	hwf_elements_flush(elements);
}

void model_decode(struct model *model, size_t from)
{
	struct hwf_elements elements;
	struct hwf_p0 p0;
	struct hwf_follower follower;
	/*
	 * Many a Trace On and Target Address may come with no P0 element between, and an exception
	 * with its Context, Target Address, Timestamp Marker and Timestamp is five elements.
	 */
	uint32_t ring_size = hwf_p0_ring_size(&model->config);
	struct hwf_element *ring = malloc(ring_size * sizeof(*ring));

	model->decoded.count = 0;
	hwf_elements_init(&elements, &model->config, to_p0, &p0);
	hwf_p0_init(&p0, &model->config, ring, ring_size, to_follower, &follower);
	hwf_follower_init(&follower, &model->config, &model->image, take_flow, model);
	push_bytes(model, from, &elements);
	free(ring);
}

void model_elements(struct model *model, hwf_element_fn *sink, void *ctx)
{
	struct hwf_elements elements;

	hwf_elements_init(&elements, &model->config, sink, ctx);
	push_bytes(model, 0, &elements);
}

/* ---- Cancels ---- */

/* A Cancel goes behind a Trace Info if it takes back more than what came after it. */
struct resolved {
	uint32_t newer; /* uncommitted P0 elements behind the newest Trace Info */
	uint32_t depth;
	unsigned int behind;
	bool synced;
};

static void push_p0(struct resolved *resolved, uint32_t count)
{
	resolved->depth += count;
	resolved->newer += count;
}

static void resolve(void *ctx, const struct hwf_element *element)
{
	struct resolved *resolved = ctx;

	switch (element->kind) {
	case HWF_EL_ATOM:
		push_p0(resolved, element->u.atoms.count);
		break;
	case HWF_EL_EXCEPTION:
	case HWF_EL_SOURCE_ADDRESS:
	case HWF_EL_Q:
		push_p0(resolved, 1);
		break;
	case HWF_EL_TRACE_INFO:
		resolved->depth = element->u.trace_info.spec_depth;
		resolved->newer = 0;
		resolved->synced = true;
		break;
	case HWF_EL_COMMIT:
		resolved->depth -= element->u.number;
		if (resolved->newer > resolved->depth)
			resolved->newer = resolved->depth;
		break;
	case HWF_EL_CANCEL:
		if (resolved->synced && element->u.number > resolved->newer) {
			resolved->behind++;
			resolved->synced = false;
		}
		resolved->depth -= element->u.number;
		resolved->newer -=
			resolved->newer < element->u.number ? resolved->newer : element->u.number;
		break;
	default:
		break;
	}
}

unsigned int model_canceled_syncs(struct model *model)
{
	struct resolved resolved = {0};

	model_elements(model, resolve, &resolved);
	return resolved.behind;
}

static void text_args(char *text, size_t size, const struct hwf_element *element)
{
	switch (element->kind) {
	case HWF_EL_EXCEPTION:
		snprintf(text, size, "(%u,%" PRIx64 "%s)", element->u.exception.type,
			 element->u.exception.ret.value,
			 element->u.exception.ret_is_target ? ",target" : "");
		break;
	case HWF_EL_SOURCE_ADDRESS:
	case HWF_EL_TARGET_ADDRESS:
		snprintf(text, size, "(%" PRIx64 "%s)", element->u.address.value,
			 element->u.address.is ? ",IS1" : "");
		break;
	case HWF_EL_Q:
		snprintf(text, size, "(%" PRIx64 ",%u)", element->u.q.address.value,
			 element->u.q.count);
		break;
	case HWF_EL_CONTEXT:
		snprintf(text, size, "(%u,%u)", element->u.context.context.el,
			 element->u.context.context.cid);
		break;
	case HWF_EL_TRACE_INFO:
		snprintf(text, size, "(%u%s)", element->u.trace_info.spec_depth,
			 element->u.trace_info.info & HWF_ETE_INFO_IN_TRANSACTION ? ",trans" : "");
		break;
	case HWF_EL_COMMIT:
	case HWF_EL_CANCEL:
		snprintf(text, size, "(%u)", element->u.number);
		break;
	case HWF_EL_CYCLE_COUNT:
		if (element->u.cycle_count.unknown)
			snprintf(text, size, "(?)");
		else
			snprintf(text, size, "(%u)", element->u.cycle_count.count);
		break;
	case HWF_EL_TIMESTAMP:
		snprintf(text, size, "(%" PRIx64 ")", element->u.timestamp.value);
		if (element->u.timestamp.has_count)
			snprintf(text, size, "(%" PRIx64 ",%u)", element->u.timestamp.value,
				 element->u.timestamp.count);
		break;
	default:
		break;
	}
}

static void text_element(void *ctx, const struct hwf_element *element)
{
	static const char *const names[] = {
		[HWF_EL_EXCEPTION] = "EXC",
		[HWF_EL_SOURCE_ADDRESS] = "SA",
		[HWF_EL_Q] = "Q",
		[HWF_EL_TRANSACTION_START] = "START",
		[HWF_EL_TRANSACTION_COMMIT] = "COMMITTED",
		[HWF_EL_TRANSACTION_FAILURE] = "FAILED",
		[HWF_EL_TRACE_INFO] = "TI",
		[HWF_EL_TRACE_ON] = "ON",
		[HWF_EL_TARGET_ADDRESS] = "TA",
		[HWF_EL_CONTEXT] = "CTX",
		[HWF_EL_CYCLE_COUNT] = "CC",
		[HWF_EL_TIMESTAMP] = "TS",
		[HWF_EL_TIMESTAMP_MARKER] = "MARK",
		[HWF_EL_EVENT] = "EVENT",
		[HWF_EL_INSTRUMENTATION] = "ITE",
		[HWF_EL_COMMIT] = "COMMIT",
		[HWF_EL_CANCEL] = "CANCEL",
		[HWF_EL_MISPREDICT] = "MISPREDICT",
		[HWF_EL_DISCARD] = "DISCARD",
		[HWF_EL_OVERFLOW] = "OVERFLOW",
	};
	struct model *model = ctx;
	char args[64] = "";
	size_t used = strlen(model->text);

	if (element->offset < model->text_from || element->kind >= HWF_EL_NO_SYNC)
		return;
	if (element->kind == HWF_EL_ATOM) {
		for (unsigned int i = 0; i < element->u.atoms.count; i++)
			args[i] = element->u.atoms.bits >> i & 1 ? 'E' : 'N';
	} else {
		text_args(args, sizeof(args), element);
	}
	snprintf(model->text + used, sizeof(model->text) - used, "%s%s%s", used ? " " : "",
		 names[element->kind] ? names[element->kind] : "", args);
}

const char *model_text(struct model *model, size_t from)
{
	model->text[0] = 0;
	model->text_from = from;
	model_elements(model, text_element, model);
	return model->text;
}

void model_expect(struct model *model, const char *text)
{
	size_t from = model->seen;

	hwf_tu_flush(model->unit);
	model->seen = model->length;
	assert_string_equal(model_text(model, from), text);
}

size_t model_next_sync(const struct model *model, size_t from)
{
	static const uint8_t align[12] = {[11] = 0x80};

	for (; from + sizeof(align) <= model->length; from++) {
		if (!memcmp(model->bytes + from, align, sizeof(align)))
			return from;
	}
	return model->length;
}

/* ---- comparison: all places in the program where the decoder may be ---- */

struct places {
	bool *at;
	bool *next;
	size_t low; /* no place is below */
	size_t high;
	size_t next_low;
	size_t next_high;
};

static void mark(struct places *places, size_t at)
{
	places->next[at] = true;
	if (at < places->next_low)
		places->next_low = at;
	if (at > places->next_high)
		places->next_high = at;
}

static bool same(const struct item *executed, const struct item *decoded)
{
	return executed->kind == decoded->kind && executed->value == decoded->value &&
	       executed->el == decoded->el && executed->cid == decoded->cid &&
	       executed->isa == decoded->isa && executed->type == decoded->type;
}

static bool goes_on_at(const struct items *executed, size_t at, uint64_t pc)
{
	return at >= executed->count || pc == ANY_PLACE || executed->item[at].kind == ITEM_ON ||
	       executed->item[at].kind == ITEM_FAILED || executed->item[at].value == pc;
}

static void take_q(const struct items *executed, struct places *places, size_t from,
		   const struct item *q)
{
	size_t most = q->count ? q->count : 400;
	const struct item *first = &executed->item[from];

	for (size_t i = 1; i <= most; i++) {
		const struct item *last = &executed->item[from + i - 1];

		/* R_JBYXC, R_KPNGG, R_YRLJR, R_LZLDH: nothing but the last changes the context, or
		 * is an ERET */
		if (from + i > executed->count || last->kind != ITEM_INSN ||
		    last->el != first->el || last->cid != first->cid ||
		    (i > 1 && executed->item[from + i - 2].eret))
			return;
		if ((!q->count || i == most) && goes_on_at(executed, from + i, q->value))
			mark(places, from + i);
	}
}

/* Past what cannot be known */
static size_t skip_optional(const struct items *executed, size_t at)
{
	while (at < executed->count && executed->item[at].optional)
		at++;
	return at;
}

static void take_place(const struct items *executed, struct places *places, size_t at,
		       const struct item *decoded)
{
	size_t known = skip_optional(executed, at);

	if (known < executed->count && executed->item[known].kind == ITEM_FAILED)
		take_place(executed, places, known + 1, decoded);
	switch (decoded->kind) {
	case ITEM_ON:
		at = skip_optional(executed, at);
		if (at < executed->count && executed->item[at].kind == ITEM_ON)
			mark(places, at + 1);
		break;
	case ITEM_ON_LOST:
		for (; at <= executed->count; at++)
			mark(places, at);
		break;
	case ITEM_Q:
		take_q(executed, places, at, decoded);
		break;
	case ITEM_BAD:
		break;
	default:
		if (at < executed->count && same(&executed->item[at], decoded))
			mark(places, at + 1);
		break;
	}
}

static bool take_item(const struct items *executed, struct places *places,
		      const struct item *decoded)
{
	bool *swap;

	places->next_low = SIZE_MAX;
	places->next_high = 0;
	for (size_t at = places->low; at <= places->high; at++) {
		if (places->at[at]) {
			places->at[at] = false;
			take_place(executed, places, at, decoded);
			if (decoded->kind == ITEM_ON_LOST)
				break;
		}
	}
	memset(places->at + places->low, 0, places->high - places->low + 1);
	swap = places->at;
	places->at = places->next;
	places->next = swap;
	places->low = places->next_low;
	places->high = places->next_high;
	return places->low != SIZE_MAX;
}

/* A Trace On that no P0 element follows is not given to the follower. */
static bool all_optional(const struct items *executed, size_t at)
{
	while (at < executed->count &&
	       (executed->item[at].optional || executed->item[at].kind == ITEM_ON ||
		executed->item[at].kind == ITEM_FAILED))
		at++;
	return at == executed->count;
}

static bool at_end(const struct items *executed, const struct places *places)
{
	for (size_t at = places->low; at <= places->high; at++) {
		if (places->at[at] && all_optional(executed, at))
			return true;
	}
	return false;
}

static void say_difference(const struct items *decoded, size_t at)
{
	const struct item *item = &decoded->item[at];

	print_message("# decoded item %zu of %zu: kind %u value %" PRIx64 " el %u cid %u count %u "
		      "type %u at %" PRIx64 "\n",
		      at, decoded->count, item->kind, item->value, item->el, item->cid, item->count,
		      item->type, item->offset);
}

bool model_matches(const struct model *model, bool anywhere_in_it)
{
	const struct items *executed = &model->executed;
	struct places places = {
		.at = calloc(executed->count + 1, sizeof(bool)),
		.next = calloc(executed->count + 1, sizeof(bool)),
		.high = anywhere_in_it ? executed->count : 0,
	};
	bool good = true;

	memset(places.at, true, places.high + 1);
	for (size_t i = 0; i < model->decoded.count && good; i++) {
		good = take_item(executed, &places, &model->decoded.item[i]);
		if (!good)
			say_difference(&model->decoded, i);
	}
	if (good && !model->writes_lost)
		good = at_end(executed, &places);
	free(places.at);
	free(places.next);
	return good;
}
