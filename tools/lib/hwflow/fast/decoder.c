/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The decoder: the stages of one trace unit, and the choice of the loops that bypass them. A loop
 * takes the frequent packets from bytes to executed ranges; any other packet goes through the
 * stages.
 */
#include "hwflow/decoder.h"

#include "fast/loops.h"
#include "decode/p0_private.h"
#include "fast/window.h"

static void element_to_p0(void *ctx, const struct hwf_element *element)
{
	hwf_p0_push(ctx, element);
}

static void element_to_flow(void *ctx, const struct hwf_element *element)
{
	hwf_follower_push(ctx, element);
}

void hwf_decoder_init(struct hwf_decoder *decoder, const struct hwf_ete_config *config,
		      const struct hwf_code *code, struct hwf_element *ring, uint32_t ring_size,
		      hwf_flow_fn *sink, void *sink_ctx)
{
	hwf_ete_stream_init(&decoder->stream, config);
	hwf_elements_init(&decoder->elements, config, element_to_p0, &decoder->p0);
	hwf_p0_init(&decoder->p0, config, ring, ring_size, element_to_flow, &decoder->follower);
	hwf_ops_init(&decoder->ops, config);
	hwf_follower_init(&decoder->follower, config, code, sink, sink_ctx);
	decoder->follower.by_graph = &hwf_flow_by_graph;
}

/* May packets bypass the stages? Not while the element stage holds an element back. */
static bool may_bypass(const struct hwf_decoder *decoder)
{
	const struct hwf_elements *elements = &decoder->elements;

	return decoder->stream.synced && !decoder->stream.tentative &&
	       elements->sync == HWF_SYNC_FULL && elements->lost == HWF_NOTHING_LOST &&
	       !elements->exception_pending && !elements->history.aarch32 && !decoder->p0.lost;
}

/* Take packets by one of the loops, if the state allows it. Return: bytes taken */
static size_t push_many(struct hwf_decoder *decoder, const uint8_t *bytes, size_t length)
{
	const struct hwf_p0 *p0 = &decoder->p0;

	if (!decoder->follower.graph || decoder->follower.q_pending || !may_bypass(decoder))
		return 0;
	if (!hwf_window_fits(p0))
		return 0;
	if (p0->config->max_spec)
		return hwf_flow_push_window(decoder, bytes, length);
	return p0->head == p0->tail ? hwf_flow_push_direct(decoder, bytes, length) : 0;
}

void hwf_decoder_settle(struct hwf_decoder *decoder)
{
	struct hwf_follower *follower = &decoder->follower;

	hwf_p0_settle(&decoder->p0);
	follower->counting = false;
	if (follower->graph)
		hwf_flow_give_steps(follower);
	if (follower->last_is_counted)
		hwf_flow_interrupt_counting(follower, decoder->stream.offset);
}

size_t hwf_decoder_push(struct hwf_decoder *decoder, const uint8_t *bytes, size_t length, bool last)
{
	struct hwf_ete_packet packet;
	size_t taken = 0;

	for (;;) {
		uint64_t offset;
		bool tentative;
		size_t size;

		taken += push_many(decoder, bytes + taken, length - taken);
		offset = decoder->stream.offset;
		size = hwf_ete_stream_next(&decoder->stream, bytes + taken, length - taken, last,
					   &packet);
		if (!size)
			break;
		tentative = decoder->stream.tentative || !decoder->stream.synced;
		hwf_elements_push(&decoder->elements, &packet, offset, tentative);
		taken += size;
	}
	if (last)
		hwf_elements_flush(&decoder->elements);
	if (decoder->follower.graph)
		hwf_flow_give_steps(&decoder->follower);
	return taken;
}
