/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The state of a decoder of ETE or ETMv4 as bytes */
#include "fast/state_writer.h"
#include "hwflow/decoder.h"
#include "decode/p0_private.h"

static void put_address(struct hwf_state_writer *writer, struct hwf_el_address address)
{
	hwf_state_put(writer, address.value);
	hwf_state_put(writer, address.is);
}

static void put_exception(struct hwf_state_writer *writer, const struct hwf_el_exception *exception)
{
	put_address(writer, exception->ret);
	hwf_state_put(writer, (uint64_t)exception->type << 16 | (uint64_t)exception->has_ret << 8 |
				      exception->ret_is_target);
}

static void put_timestamp(struct hwf_state_writer *writer, const struct hwf_el_timestamp *timestamp)
{
	hwf_state_put(writer, timestamp->value);
	hwf_state_put(writer, timestamp->mark == HWF_TS_MARKED ? timestamp->marker : 0);
	hwf_state_put(writer, (uint64_t)timestamp->count << 16 | (uint64_t)timestamp->mark << 8 |
				      timestamp->has_count);
}

static void put_q(struct hwf_state_writer *writer, const struct hwf_el_q *q)
{
	put_address(writer, q->address);
	hwf_state_put(writer, (uint64_t)q->count << 32 | (uint64_t)q->type << 16 |
				      (uint64_t)q->has_address << 8 | q->has_count);
}

static void put_trace_info(struct hwf_state_writer *writer, const struct hwf_ete_trace_info *info)
{
	hwf_state_put(writer, (uint64_t)info->info << 32 | info->cc_threshold);
	hwf_state_put(writer, (uint64_t)info->spec_depth << 32 | info->key);
	hwf_state_put(writer, (uint64_t)info->window << 32 | info->plctl);
}

static void put_element(struct hwf_state_writer *writer, const struct hwf_element *element)
{
	hwf_state_put(writer, element->offset);
	hwf_state_put(writer, element->kind);
	switch (element->kind) {
	case HWF_EL_ATOM:
		hwf_state_put(writer,
			      (uint64_t)element->u.atoms.bits << 32 | element->u.atoms.count);
		hwf_state_put(writer, element->corrected);
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
		hwf_state_put_context(writer, &element->u.context.context);
		hwf_state_put(writer, (uint64_t)element->u.context.is << 24 |
					      (uint64_t)element->u.context.has_is << 16 |
					      (uint64_t)element->u.context.gives_vmid << 8 |
					      element->u.context.gives_cid);
		break;
	case HWF_EL_CYCLE_COUNT:
		hwf_state_put(writer, (uint64_t)element->u.cycle_count.count << 8 |
					      element->u.cycle_count.unknown);
		break;
	case HWF_EL_TIMESTAMP:
		put_timestamp(writer, &element->u.timestamp);
		break;
	case HWF_EL_INSTRUMENTATION:
		hwf_state_put(writer, element->u.instrumentation.value);
		hwf_state_put(writer, element->u.instrumentation.el);
		break;
	case HWF_EL_NO_SYNC:
		hwf_state_put(writer, (uint64_t)element->u.no_sync.reason << 32 |
					      (uint32_t)element->u.no_sync.error);
		break;
	case HWF_EL_EVENT:
		hwf_state_put(writer, element->u.event);
		break;
	case HWF_EL_TRACE_ON:
		hwf_state_put(writer, element->u.overflow);
		break;
	default:
		/* kinds without a value; and Commit and Cancel, which no stage stores */
		break;
	}
}

static void put_elements(struct hwf_state_writer *writer, const struct hwf_elements *elements)
{
	for (unsigned int i = 0; i < HWF_HISTORY; i++)
		put_address(writer, elements->history.entry[i]);
	hwf_state_put(writer, elements->history.timestamp);
	hwf_state_put_context(writer, &elements->context);
	hwf_state_put(writer, elements->last_offset);
	hwf_state_put(writer, elements->cc_threshold);
	hwf_state_put(writer, (uint64_t)elements->history.aarch32 << 40 |
				      (uint64_t)elements->exception_pending << 32 |
				      (uint64_t)elements->marker_pending << 24 |
				      (uint64_t)elements->marker_seen << 16 |
				      (uint64_t)elements->overflowed << 8 | elements->sync);
	hwf_state_put(writer, elements->lost);
	if (elements->lost != HWF_NOTHING_LOST)
		hwf_state_put(writer, (uint32_t)elements->lost_error);
	if (elements->marker_pending)
		hwf_state_put(writer, elements->marker_offset);
	if (elements->exception_pending) {
		hwf_state_put(writer, elements->exception.offset);
		put_exception(writer, &elements->exception.u.exception);
	}
}

static void put_p0(struct hwf_state_writer *writer, const struct hwf_p0 *p0)
{
	hwf_state_put(writer, p0->tail - p0->head);
	hwf_state_put(writer, p0->unseen);
	hwf_state_put(writer, p0->lost);
	for (uint32_t at = p0->head; at != p0->tail && writer->at; at++)
		put_element(writer, hwf_p0_slot(p0, at));
}

static void put_return_stack(struct hwf_state_writer *writer, const struct hwf_return_stack *stack)
{
	struct hwf_return_stack rest = *stack;
	uint64_t address;
	uint8_t isa;

	hwf_state_put(writer, rest.used);
	while (hwf_return_stack_pop(&rest, &address, &isa)) {
		hwf_state_put(writer, address);
		hwf_state_put(writer, isa);
	}
}

static void put_follower(struct hwf_state_writer *writer, const struct hwf_follower *follower)
{
	/* a Trace Info comes before any call, and sets push_awaits */
	const uint8_t push_awaits = follower->fresh ? 0 : follower->push_awaits;

	hwf_state_put(writer,
		      (uint64_t)follower->has_pc << 56 | (uint64_t)follower->has_context << 48 |
			      (uint64_t)follower->pop_pending << 40 | (uint64_t)push_awaits << 32 |
			      (uint64_t)follower->q_pending << 24 |
			      (uint64_t)follower->q_context_pending << 16 |
			      (uint64_t)follower->fresh << 8 | (uint64_t)follower->returned << 1 |
			      follower->gap_open);
	if (follower->has_pc)
		hwf_state_put(writer, follower->pc);
	hwf_state_put(writer, (uint64_t)follower->is << 8 | follower->isa);
	if (follower->has_context)
		hwf_state_put_context(writer, &follower->context);
	put_return_stack(writer, &follower->stack);
	if (follower->q_pending)
		put_element(writer, &follower->q);
	if (follower->q_context_pending)
		put_element(writer, &follower->q_context);
}

size_t hwf_decoder_state(const struct hwf_decoder *decoder, uint8_t *state, size_t size)
{
	struct hwf_state_writer writer = {.at = state, .end = state + size};

	hwf_state_put(&writer, decoder->stream.offset);
	hwf_state_put(&writer, (uint64_t)decoder->stream.synced << 8 | decoder->stream.tentative);
	/* the error has no effect after the next synchronisation */
	if (!decoder->stream.synced || decoder->stream.tentative)
		hwf_state_put(&writer, (uint32_t)decoder->stream.error);
	put_elements(&writer, &decoder->elements);
	put_p0(&writer, &decoder->p0);
	put_follower(&writer, &decoder->follower);
	return hwf_state_size(&writer, state);
}
