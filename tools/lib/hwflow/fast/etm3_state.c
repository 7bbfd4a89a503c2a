/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The state of a decoder of ETMv3 as bytes */
#include "decode/etm3_flow_private.h"
#include "fast/state_writer.h"

static void put_range(struct hwf_state_writer *writer, const struct hwf_etm3_flow *flow,
		      const struct hwf_flow_range *range)
{
	const struct hwf_insn *insn = &range->insn;

	hwf_state_put(writer, range->start);
	hwf_state_put(writer, range->end);
	hwf_state_put(writer, (uint64_t)range->instructions << 32 | (uint64_t)range->isa << 24 |
				      (uint64_t)range->taken << 16 | (uint64_t)range->p0 << 8 |
				      range->cycles);
	hwf_state_put(writer, insn->kind == HWF_INSN_DIRECT ? insn->target : 0);
	hwf_state_put(writer, (uint64_t)insn->size << 40 | (uint64_t)insn->kind << 32 |
				      (uint64_t)insn->sub << 24 | (uint64_t)insn->target_isa << 16 |
				      (uint64_t)insn->call << 8 | insn->conditional);
	for (uint32_t i = 0; flow->config->cycle_accurate && i < range->instructions; i++)
		hwf_state_put(writer, flow->each[i % HWF_ETM3_RANGE_MAX]);
}

static void put_held(struct hwf_state_writer *writer, const struct hwf_etm3_flow *flow,
		     const struct hwf_flow_event *event)
{
	hwf_state_put(writer, event->offset);
	hwf_state_put(writer, event->kind);
	switch (event->kind) {
	case HWF_FLOW_RANGE:
		put_range(writer, flow, &event->u.range);
		break;
	case HWF_FLOW_BYTECODES:
		hwf_state_put(writer, (uint64_t)event->u.bytecodes.passed << 32 |
					      event->u.bytecodes.failed);
		hwf_state_put(writer, (uint64_t)event->u.bytecodes.cycles << 8 | flow->passed);
		break;
	case HWF_FLOW_CONTEXT:
		hwf_state_put_context(writer, &event->u.context.context);
		hwf_state_put(writer, (uint64_t)event->u.context.isa << 32 |
					      (uint64_t)event->u.context.changed << 24 |
					      (uint64_t)event->u.context.gives_vmid << 16 |
					      (uint64_t)event->u.context.gives_cid << 8 |
					      event->u.context.has_cycles);
		hwf_state_put(writer, event->u.context.cycles);
		break;
	case HWF_FLOW_CYCLE_COUNT:
		hwf_state_put(writer, (uint64_t)event->u.cycle_count.count << 8 |
					      event->u.cycle_count.unknown);
		break;
	case HWF_FLOW_TIMESTAMP:
		hwf_state_put(writer, event->u.timestamp.value);
		break;
	case HWF_FLOW_EXCEPTION_RETURN:
	case HWF_FLOW_TRIGGER:
		break;
	default:
		/* no other kind is held: hwf_etm3_commit() comes before it */
		writer->at = NULL;
		break;
	}
}

static void put_flow(struct hwf_state_writer *writer, const struct hwf_etm3_flow *flow)
{
	hwf_state_put(writer, flow->state.timestamp);
	hwf_state_put(writer, (uint64_t)flow->state.address << 32 | (uint64_t)flow->state.isa << 8 |
				      flow->state.alt_isa);
	hwf_state_put_context(writer, &flow->context);
	hwf_state_put(writer, (uint64_t)flow->stage << 56 | (uint64_t)flow->isa << 48 |
				      (uint64_t)flow->has_pc << 40 |
				      (uint64_t)flow->has_context << 32 |
				      (uint64_t)flow->gap_open << 24 | (uint64_t)flow->begun << 16 |
				      (uint64_t)flow->half << 8 | flow->suspect);
	if (flow->has_pc)
		hwf_state_put(writer, flow->pc);
	if (flow->suspect) {
		hwf_state_put(writer, flow->suspect_offset);
		hwf_state_put(writer, flow->suspect_pc);
	}
	hwf_state_put(writer, flow->last_offset);
	hwf_state_put(writer, (uint64_t)flow->reason << 8 | flow->waits);
	hwf_state_put(writer, flow->held_count);
	for (uint32_t i = 0; i < flow->held_count; i++)
		put_held(writer, flow, &flow->held[i]);
}

size_t hwf_etm3_decoder_state(const struct hwf_etm3_decoder *decoder, uint8_t *state, size_t size)
{
	const struct hwf_etm3_stream *stream = &decoder->stream;
	struct hwf_state_writer writer = {.at = state, .end = state + size};

	hwf_state_put(&writer, stream->offset);
	hwf_state_put(&writer, (uint64_t)stream->synced << 8 | stream->tentative);
	/* the error has no effect after the next synchronisation */
	if (!stream->synced || stream->tentative)
		hwf_state_put(&writer, (uint32_t)stream->error);
	put_flow(&writer, &decoder->flow);
	return hwf_state_size(&writer, state);
}
