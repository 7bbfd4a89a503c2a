/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * What the tests and the fuzz target of sessions share: traces of each protocol with the program
 * they are of, the plain decoders as oracle, and events as numbers.
 */
#ifndef HWF_SESSION_TEST_H
#define HWF_SESSION_TEST_H

#include <stdlib.h>
#include <string.h>

#include "hwflow/decoder.h"
#include "hwflow/etmv3_flow.h"
#include "hwflow/riscv_flow.h"
#include "hwflow/session.h"
#include "hwflow/transaction.h"

/* Events of a transaction that are held back; few, so that a long one spills */
#define SUBJECT_HELD 64

/**
 * struct subject - a trace with all that is needed to decode it
 * @config: of its session, without a consumer
 * @ete: and the others: what @config points to
 * @bytes: the trace
 * @length: bytes of it
 * @damaged: some bytes are no packets: a packet may be taken for part of a synchronisation
 */
struct subject {
	struct hwf_session_config config;
	struct hwf_ete_regs ete;
	struct hwf_etm3_regs etm3;
	struct hwf_session_riscv riscv;
	struct hwf_riscv_params params;
	struct hwf_riscv_framing framing;
	const uint8_t *bytes;
	size_t length;
	bool damaged;
};

static inline uint64_t subject_mix(uint64_t sum, uint64_t value)
{
	sum = (sum ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return sum ^ sum >> 29;
}

static inline uint64_t range_number(uint64_t sum, const struct hwf_flow_range *range)
{
	sum = subject_mix(sum, range->start);
	sum = subject_mix(sum, range->end);
	sum = subject_mix(sum, range->instructions);
	sum = subject_mix(sum, range->isa);
	sum = subject_mix(sum, range->taken);
	sum = subject_mix(sum, range->p0);
	sum = subject_mix(sum, range->cycles);
	sum = subject_mix(sum, range->insn.kind);
	sum = subject_mix(sum, range->insn.target);
	for (uint32_t i = 0; range->each && i < range->instructions; i++)
		sum = subject_mix(sum, range->each[i]);
	return sum;
}

/* A number that is another one for another event */
static inline uint64_t event_number(const struct hwf_flow_event *event)
{
	uint64_t sum = subject_mix(event->kind, event->offset);

	switch (event->kind) {
	case HWF_FLOW_RANGE:
		return range_number(sum, &event->u.range);
	case HWF_FLOW_Q_RANGE:
		sum = subject_mix(sum, event->u.q.has_start ? event->u.q.start : 1);
		return subject_mix(sum, event->u.q.has_count ? event->u.q.instructions : 1);
	case HWF_FLOW_EXCEPTION:
		sum = subject_mix(sum, event->u.exception.type);
		sum = subject_mix(sum, event->u.exception.number);
		return subject_mix(sum, event->u.exception.has_ret ? event->u.exception.ret : 1);
	case HWF_FLOW_CONTEXT:
		sum = subject_mix(sum, event->u.context.context.el);
		sum = subject_mix(sum, event->u.context.context.cid);
		return subject_mix(sum, event->u.context.changed);
	case HWF_FLOW_NO_SYNC:
		return subject_mix(sum, event->u.no_sync.reason);
	case HWF_FLOW_CYCLE_COUNT:
		return subject_mix(sum, event->u.cycle_count.count);
	case HWF_FLOW_TIMESTAMP:
		return subject_mix(sum, event->u.timestamp.value);
	case HWF_FLOW_TRANSACTION:
		return subject_mix(sum, event->u.transaction);
	case HWF_FLOW_GAP:
		sum = subject_mix(sum, event->u.gap.has_address ? event->u.gap.address : 1);
		return subject_mix(sum, event->u.gap.reason);
	case HWF_FLOW_TRAP:
		sum = subject_mix(sum, event->u.trap.has_epc ? event->u.trap.epc : 1);
		return subject_mix(sum, event->u.trap.cause);
	case HWF_FLOW_MODE:
		return subject_mix(sum, event->u.mode.privilege);
	case HWF_FLOW_BYTECODES:
		return subject_mix(sum, event->u.bytecodes.passed);
	default:
		return sum;
	}
}

/* The plain stages of ETE: no graph, no steps, each packet by itself */
static inline void plain_ete(const struct subject *subject, hwf_flow_fn *sink,
			     hwf_flow_fn *taken_back, void *ctx)
{
	const bool raw = subject->config.flags & HWF_SESSION_RAW_TRANSACTIONS;
	struct hwf_decoder *decoder = calloc(1, sizeof(*decoder));
	struct hwf_flow_event *held = calloc(SUBJECT_HELD, sizeof(*held));
	struct hwf_transactions transactions;
	struct hwf_ete_regs regs = subject->ete;
	struct hwf_ete_config config;
	struct hwf_element *ring;

	regs.protocol =
		subject->config.protocol == HWF_SESSION_ETE ? HWF_PROTOCOL_ETE : HWF_PROTOCOL_ETMV4;
	if (!decoder || !held || hwf_ete_config_init(&config, &regs))
		abort();
	ring = calloc(hwf_p0_ring_size(&config), sizeof(*ring));
	if (!ring)
		abort();
	hwf_transactions_init(&transactions, held, SUBJECT_HELD, sink, taken_back, ctx);
	hwf_decoder_init(decoder, &config, subject->config.code, ring, hwf_p0_ring_size(&config),
			 raw ? sink : hwf_transactions_push, raw ? ctx : &transactions);
	decoder->follower.split_source = subject->config.flags & HWF_SESSION_SPLIT_SOURCE;
	hwf_decoder_push(decoder, subject->bytes, subject->length, true);
	free(ring);
	free(held);
	free(decoder);
}

static inline void plain_etm3(const struct subject *subject, hwf_flow_fn *sink, void *ctx)
{
	struct hwf_etm3_decoder *decoder = calloc(1, sizeof(*decoder));
	struct hwf_etm3_config config;

	if (!decoder || hwf_etm3_config_init(&config, &subject->etm3))
		abort();
	hwf_etm3_decoder_init(decoder, &config, subject->config.code, sink, ctx);
	decoder->flow.straight = !(subject->config.flags & HWF_SESSION_EACH_INSTRUCTION);
	hwf_etm3_decoder_push(decoder, subject->bytes, subject->length, true);
	free(decoder);
}

static inline void plain_riscv(const struct subject *subject, hwf_flow_fn *sink, void *ctx)
{
	const struct hwf_session_riscv *riscv = &subject->riscv;
	struct hwf_riscv_decoder *decoder = malloc(sizeof(*decoder));
	struct hwf_riscv_config config;

	if (!decoder || hwf_riscv_config_init(&config, (enum hwf_riscv_dialect)riscv->dialect,
					      &subject->params))
		abort();
	hwf_riscv_decoder_init(decoder, &config, &subject->framing, riscv->isa,
			       subject->config.code, sink, ctx);
	if (riscv->branch_limit)
		decoder->flow.branch_limit = riscv->branch_limit;
	hwf_riscv_decoder_push(decoder, subject->bytes, subject->length, true);
	free(decoder);
}

/* The trace in one piece through the decoders that sessions are to agree with */
static inline void plain_decode(const struct subject *subject, hwf_flow_fn *sink,
				hwf_flow_fn *taken_back, void *ctx)
{
	if (subject->config.protocol == HWF_SESSION_ETMV3)
		plain_etm3(subject, sink, ctx);
	else if (subject->config.protocol == HWF_SESSION_RISCV)
		plain_riscv(subject, sink, ctx);
	else
		plain_ete(subject, sink, taken_back, ctx);
}

/* Make @subject->config point to the members of @subject, which has moved. */
static inline void subject_settle(struct subject *subject)
{
	struct hwf_session_config *config = &subject->config;

	config->size = sizeof(*config);
	config->ete = &subject->ete;
	config->etm3 = &subject->etm3;
	config->riscv = &subject->riscv;
	config->held_transaction = SUBJECT_HELD;
	/* sanitizers need most of their time for a graph of the usual size */
	config->graph_nodes = 1024;
	subject->riscv.params = &subject->params;
	subject->riscv.framing = &subject->framing;
}

#endif /* HWF_SESSION_TEST_H */
