/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Program flow of RISC-V Processor Trace: packets and program code in, executed ranges out. The
 * events are those of hwflow/flow.h.
 */
#ifndef HWFLOW_RISCV_FLOW_H
#define HWFLOW_RISCV_FLOW_H

#include "hwflow/graph.h"
#include "hwflow/riscv_mirror.h"
#include "hwflow/rv_insn.h"

#ifdef __cplusplus
extern "C" {
#endif

/** HWF_RISCV_KNOWN - instructions that are remembered decoded */
#define HWF_RISCV_KNOWN 4096

/** HWF_RISCV_NODES - nodes of a graph that are used at once, at most */
#define HWF_RISCV_NODES 8192

/**
 * struct hwf_riscv_ends - instructions of a node that a walk which stops there goes on from
 * @first: the first instruction
 * @before: the instruction before the last; only if the node has more than one
 * @last: the last instruction
 */
struct hwf_riscv_ends {
	struct hwf_rv_insn first;
	struct hwf_rv_insn before;
	struct hwf_rv_insn last;
};

/** HWF_RISCV_BRANCHES - branches predicted right that one packet may count, unless limited */
#define HWF_RISCV_BRANCHES UINT64_MAX

/**
 * struct hwf_riscv_outcomes - outcomes of branches that are still to be executed, oldest first
 * @map: bit 0 first; set: not taken
 * @mapped: how many of them come first
 * @predicted: how many then go as predicted
 * @missed: one then goes the other way
 */
struct hwf_riscv_outcomes {
	uint64_t map;
	uint32_t mapped;
	uint64_t predicted;
	bool missed;
};

/**
 * struct hwf_riscv_flow - state of the flow of one hart
 *
 * It is some 0.5 MB large, most of it used only as the program needs it, and must stay where it is.
 * Fields are the library's; a caller may read them, and set @branch_limit, @graph and @steps_sink.
 */
struct hwf_riscv_flow {
	struct hwf_riscv_config config; /* as it is now */
	const struct hwf_code *code;
	hwf_flow_fn *sink;
	void *sink_ctx;
	const void *space;
	unsigned int isa;
	uint64_t branch_limit; /* a packet that counts more is given up, for a gap */
	/*
	 * the caller's: ranges that were followed before, no node of another decoder among them;
	 * NULL: the walk takes one instruction after the other
	 */
	struct hwf_graph *graph;
	/* the caller's: takes ranges of @graph instead of @sink, many at a time; NULL for none */
	hwf_steps_fn *steps_sink;
	uint64_t steps_offset; /* that offsets of waiting steps count from */

	uint64_t offset;           /* of the packet */
	uint64_t pc;               /* the last instruction executed */
	uint64_t address;          /* that addresses of packets differ from */
	struct hwf_rv_insn insn;   /* at pc */
	struct hwf_rv_insn before; /* the one executed before it */
	struct hwf_riscv_outcomes ahead;
	uint64_t start; /* of the open range */
	/* @count and @steps grow together: side by side they would be one load behind two stores */
	uint32_t count;   /* instructions of it, up to pc */
	uint32_t singly;  /* instructions to be executed one by one, before a run is looked for */
	uint32_t steps;   /* since the last outcome was used */
	uint32_t irdepth; /* of the packet */
	uint32_t context;
	uint64_t time;
	uint8_t privilege;
	bool irreport;   /* of the packet */
	bool has_target; /* the walk is given where uninferable jumps go */
	bool has_before;
	bool has_address;
	bool has_mode;
	bool started;  /* pc is known */
	bool inferred; /* pc may be the first of two arrivals at the address */
	bool gap_open;
	bool at_begin; /* no path leads to the next address */
	bool lost;     /* packets were, before it */

	struct hwf_riscv_predictor predictor;
	struct hwf_riscv_targets targets;
	struct hwf_riscv_calls calls;
	struct {
		uint64_t pc;
		struct hwf_rv_insn insn;
	} known[HWF_RISCV_KNOWN];
	/* by number of the node; last, as it is not cleared */
	struct hwf_riscv_ends ends[HWF_RISCV_NODES];
};

/**
 * hwf_riscv_flow_init() - begin, waiting for a synchronisation packet
 * @flow: to initialise
 * @config: of the encoder; copied
 * @isa: set of enum hwf_rv_isa
 * @code: the program; must outlive @flow
 * @sink: takes the events
 * @sink_ctx: its first argument
 */
void hwf_riscv_flow_init(struct hwf_riscv_flow *flow, const struct hwf_riscv_config *config,
			 unsigned int isa, const struct hwf_code *code, hwf_flow_fn *sink,
			 void *sink_ctx);

/** hwf_riscv_space() - the address space of a privilege and context */
const void *hwf_riscv_space(const struct hwf_code *code, const struct hwf_flow_mode *mode);

/**
 * hwf_riscv_flow_push() - take one packet
 * @flow: the flow
 * @offset: of the packet in the trace
 * @packet: from hwf_riscv_stream_next(), of any type
 * @error: of the stream, for HWF_RISCV_BAD and HWF_RISCV_INCOMPLETE
 */
void hwf_riscv_flow_push(struct hwf_riscv_flow *flow, uint64_t offset,
			 const struct hwf_riscv_packet *packet, int error);

/**
 * hwf_riscv_flow_end() - the trace is at its end
 * @flow: the flow
 * @offset: of the end
 */
void hwf_riscv_flow_end(struct hwf_riscv_flow *flow, uint64_t offset);

/**
 * struct hwf_riscv_decoder - the stages of one hart, one behind the other
 *
 * Fields are the library's; a caller may read them, and set @flow.branch_limit and @stream.source.
 */
struct hwf_riscv_decoder {
	struct hwf_riscv_stream stream;
	struct hwf_riscv_flow flow;
	uint64_t at;
};

/**
 * hwf_riscv_decoder_init() - begin at the beginning of a packet
 * @decoder: to initialise
 * @config: of the encoder; copied
 * @framing: how packets are packed; copied
 * @isa: set of enum hwf_rv_isa
 * @code: the program; must outlive @decoder
 * @sink: takes the events
 * @sink_ctx: its first argument
 */
void hwf_riscv_decoder_init(struct hwf_riscv_decoder *decoder,
			    const struct hwf_riscv_config *config,
			    const struct hwf_riscv_framing *framing, unsigned int isa,
			    const struct hwf_code *code, hwf_flow_fn *sink, void *sink_ctx);

/**
 * hwf_riscv_decoder_push() - decode bytes
 * @decoder: the decoder
 * @bytes: those that follow the bytes taken so far
 * @length: how many
 * @last: none will follow; the end of trace is given
 *
 * Return: bytes taken. The rest, part of a packet, is to be given again in front of what follows.
 */
size_t hwf_riscv_decoder_push(struct hwf_riscv_decoder *decoder, const uint8_t *bytes,
			      size_t length, bool last);

/**
 * hwf_riscv_decoder_state() - write what decoding depends on, as hwf_decoder_state()
 * @decoder: the decoder
 * @state: receives it
 * @size: bytes there
 *
 * The range that is open is a part of the state: nothing has to be settled before.
 *
 * Return: bytes written; 0 if there is no room for them.
 */
size_t hwf_riscv_decoder_state(const struct hwf_riscv_decoder *decoder, uint8_t *state,
			       size_t size);

#ifdef __cplusplus
}
#endif

#endif /* HWFLOW_RISCV_FLOW_H */
