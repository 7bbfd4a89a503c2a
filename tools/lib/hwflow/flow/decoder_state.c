/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The state of a decoder as bytes. Two decoders of one trace with equal bytes give the same events
 * from there on. The bytes have no caches, no members that are unused at present, and no padding.
 */
#include "hwflow/decoder.h"
#include "p0/p0_private.h"

/* struct writer - bytes written so far; @at is NULL once they do not fit */
struct writer {
	uint8_t *at;
	uint8_t *end;
};

static void put(struct writer *writer, uint64_t value)
{
	if (writer->at && writer->end - writer->at < 8)
		writer->at = NULL;
	for (unsigned int i = 0; writer->at && i < 8; i++)
		*writer->at++ = (uint8_t)(value >> 8 * i);
}

static void put_address(struct writer *writer, struct hwf_el_address address)
{
	put(writer, address.value);
	put(writer, address.is);
}

static void put_context(struct writer *writer, const struct hwf_context *context)
{
	put(writer, (uint64_t)context->vmid << 32 | context->cid);
	put(writer, (uint64_t)context->el << 48 | (uint64_t)context->security << 40 |
			    (uint64_t)context->sf << 24 | (uint64_t)context->has_vmid << 16 |
			    (uint64_t)context->has_cid << 8 | (uint64_t)context->el_unknown);
}

static void put_exception(struct writer *writer, const struct hwf_el_exception *exception)
{
	put_address(writer, exception->ret);
	put(writer, (uint64_t)exception->type << 16 | (uint64_t)exception->has_ret << 8 |
			    exception->ret_is_target);
}

static void put_timestamp(struct writer *writer, const struct hwf_el_timestamp *timestamp)
{
	put(writer, timestamp->value);
	put(writer, timestamp->mark == HWF_TS_MARKED ? timestamp->marker : 0);
	put(writer, (uint64_t)timestamp->count << 16 | (uint64_t)timestamp->mark << 8 |
			    timestamp->has_count);
}

static void put_q(struct writer *writer, const struct hwf_el_q *q)
{
	put_address(writer, q->address);
	put(writer, (uint64_t)q->count << 32 | (uint64_t)q->type << 16 |
			    (uint64_t)q->has_address << 8 | q->has_count);
}

static void put_trace_info(struct writer *writer, const struct hwf_ete_trace_info *info)
{
	put(writer, (uint64_t)info->info << 32 | info->cc_threshold);
	put(writer, (uint64_t)info->spec_depth << 32 | info->key);
	put(writer, (uint64_t)info->window << 32 | info->plctl);
}

static void put_element(struct writer *writer, const struct hwf_element *element)
{
	put(writer, element->offset);
	put(writer, element->kind);
	switch (element->kind) {
	case HWF_EL_ATOM:
		put(writer, (uint64_t)element->u.atoms.bits << 32 | element->u.atoms.count);
		put(writer, element->corrected);
		break;
	case HWF_EL_EXCEPTION:
		put_exception(writer, &element->u.exception);
		break;
	case HWF_EL_TARGET_ADDRESS:
	case HWF_EL_SOURCE_ADDRESS:
		put_address(writer, element->u.address);
		break;
	case HWF_EL_Q:
		put_q(writer, &element->u.q);
		break;
	case HWF_EL_TRACE_INFO:
		put_trace_info(writer, &element->u.trace_info);
		break;
	case HWF_EL_CONTEXT:
		put_context(writer, &element->u.context.context);
		put(writer, (uint64_t)element->u.context.is << 24 |
				    (uint64_t)element->u.context.has_is << 16 |
				    (uint64_t)element->u.context.gives_vmid << 8 |
				    element->u.context.gives_cid);
		break;
	case HWF_EL_CYCLE_COUNT:
		put(writer,
		    (uint64_t)element->u.cycle_count.count << 8 | element->u.cycle_count.unknown);
		break;
	case HWF_EL_TIMESTAMP:
		put_timestamp(writer, &element->u.timestamp);
		break;
	case HWF_EL_INSTRUMENTATION:
		put(writer, element->u.instrumentation.value);
		put(writer, element->u.instrumentation.el);
		break;
	case HWF_EL_NO_SYNC:
		put(writer,
		    (uint64_t)element->u.no_sync.reason << 32 | (uint32_t)element->u.no_sync.error);
		break;
	case HWF_EL_EVENT:
		put(writer, element->u.event);
		break;
	case HWF_EL_TRACE_ON:
		put(writer, element->u.overflow);
		break;
	default:
		/* kinds without a value; and Commit and Cancel, which no stage stores */
		break;
	}
}

static void put_elements(struct writer *writer, const struct hwf_elements *elements)
{
	for (unsigned int i = 0; i < HWF_HISTORY; i++)
		put_address(writer, elements->history.entry[i]);
	put(writer, elements->history.timestamp);
	put_context(writer, &elements->context);
	put(writer, elements->last_offset);
	put(writer, elements->cc_threshold);
	put(writer, (uint64_t)elements->history.aarch32 << 40 |
			    (uint64_t)elements->exception_pending << 32 |
			    (uint64_t)elements->marker_pending << 24 |
			    (uint64_t)elements->marker_seen << 16 |
			    (uint64_t)elements->overflowed << 8 | elements->sync);
	put(writer, elements->lost);
	if (elements->lost != HWF_NOTHING_LOST)
		put(writer, (uint32_t)elements->lost_error);
	if (elements->marker_pending)
		put(writer, elements->marker_offset);
	if (elements->exception_pending) {
		put(writer, elements->exception.offset);
		put_exception(writer, &elements->exception.u.exception);
	}
}

static void put_p0(struct writer *writer, const struct hwf_p0 *p0)
{
	put(writer, p0->tail - p0->head);
	put(writer, p0->unseen);
	put(writer, p0->lost);
	for (uint32_t at = p0->head; at != p0->tail && writer->at; at++)
		put_element(writer, hwf_p0_slot(p0, at));
}

static void put_return_stack(struct writer *writer, const struct hwf_return_stack *stack)
{
	struct hwf_return_stack rest = *stack;
	uint64_t address;
	uint8_t isa;

	put(writer, rest.used);
	while (hwf_return_stack_pop(&rest, &address, &isa)) {
		put(writer, address);
		put(writer, isa);
	}
}

static void put_follower(struct writer *writer, const struct hwf_follower *follower)
{
	/* a Trace Info comes before any call, and sets push_awaits */
	const uint8_t push_awaits = follower->fresh ? 0 : follower->push_awaits;

	put(writer, (uint64_t)follower->has_pc << 56 | (uint64_t)follower->has_context << 48 |
			    (uint64_t)follower->pop_pending << 40 | (uint64_t)push_awaits << 32 |
			    (uint64_t)follower->q_pending << 24 |
			    (uint64_t)follower->q_context_pending << 16 |
			    (uint64_t)follower->fresh << 8 | follower->gap_open);
	if (follower->has_pc)
		put(writer, follower->pc);
	put(writer, (uint64_t)follower->is << 8 | follower->isa);
	if (follower->has_context)
		put_context(writer, &follower->context);
	put_return_stack(writer, &follower->stack);
	if (follower->q_pending)
		put_element(writer, &follower->q);
	if (follower->q_context_pending)
		put_element(writer, &follower->q_context);
}

size_t hwf_decoder_state(const struct hwf_decoder *decoder, uint8_t *state, size_t size)
{
	struct writer writer = {.at = state, .end = state + size};

	put(&writer, decoder->stream.offset);
	put(&writer, (uint64_t)decoder->stream.synced << 8 | decoder->stream.tentative);
	/* the error has no effect after the next synchronisation */
	if (!decoder->stream.synced || decoder->stream.tentative)
		put(&writer, (uint32_t)decoder->stream.error);
	put_elements(&writer, &decoder->elements);
	put_p0(&writer, &decoder->p0);
	put_follower(&writer, &decoder->follower);
	return writer.at ? (size_t)(writer.at - state) : 0;
}
