/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * ETMv3 trace to program flow: bytes in, executed instructions out.
 *
 * ETMv3 has an atom for every instruction, and no speculation but one: an exception may cancel
 * the instruction before it. Each instruction is one range, unless the caller wants straight ones.
 */
#ifndef HWFLOW_ETMV3_FLOW_H
#define HWFLOW_ETMV3_FLOW_H

#include "hwflow/etmv3.h"
#include "hwflow/flow.h"
#include "hwflow/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * hwf_etm3_exception_type() - exception numbers in the terms of program flow
 * @number: as branch packets have it
 * @armv7m: numbered as the M profile does
 *
 * Return: the enum hwf_exception nearest to it.
 */
uint8_t hwf_etm3_exception_type(unsigned int number, bool armv7m);

/** HWF_ETM3_RANGE_MAX - no range has more instructions than this */
#define HWF_ETM3_RANGE_MAX 56

/** HWF_ETM3_HELD - events behind an instruction that may still be cancelled */
#define HWF_ETM3_HELD 16

/** enum hwf_etm3_stage - how far synchronisation has come (section 7.10) */
enum hwf_etm3_stage {
	HWF_ETM3_UNSYNCED,
	HWF_ETM3_A_SYNCED, /* packets are known, addresses are not yet */
	HWF_ETM3_SYNCED,
};

/**
 * struct hwf_etm3_flow - state of the flow stage
 *
 * Fields are the library's; a caller may read them, and set @graph and @straight.
 */
struct hwf_etm3_flow {
	const struct hwf_etm3_config *config;
	const struct hwf_code *code;
	hwf_flow_fn *sink;
	void *sink_ctx;
	const void *space;
	/* the caller's: ranges that were followed before; NULL for none. See graph.h */
	struct hwf_graph *graph;
	/*
	 * the caller's: instructions one behind the other are one range, up to a branch, one that
	 * failed or HWF_ETM3_RANGE_MAX; but not where ETMIDR bit 18 is 0. In cycle-accurate trace
	 * cycles without an instruction are then counted to the next one
	 */
	bool straight;
	struct hwf_etm3_address_state state;
	struct hwf_context context;
	uint32_t pc;
	uint8_t isa; /* enum hwf_isa at @pc: direct branches change it */
	uint8_t stage;
	bool has_pc;
	bool has_context;
	bool gap_open;
	bool begun;
	/* the second half of a 32-bit Thumb instruction is next, traced for itself */
	bool half;
	/* a periodic I-sync contradicts: a gap before the next atom, if no branch comes first */
	bool suspect;
	uint64_t suspect_offset;
	uint32_t suspect_pc;
	/* of the last I-sync: enum hwf_etm3_reason */
	uint8_t reason;
	/* the last atom of the bytecodes that are held */
	bool passed;
	uint64_t last_offset;
	/* cycles that are to be counted to the next instruction */
	uint8_t waits;
	/* the last instruction, and what came behind it; one more when it is cancelled */
	struct hwf_flow_event held[HWF_ETM3_HELD + 1];
	uint32_t held_count;
	/* cycles of the instructions of a range that is held; written eight at a time */
	uint8_t each[HWF_ETM3_RANGE_MAX + 8];
};

/**
 * hwf_etm3_flow_init() - begin, not synchronised
 * @flow: to initialise
 * @config: of the trace unit; must outlive @flow
 * @code: the program; must outlive @flow
 * @sink: takes the events
 * @sink_ctx: its first argument
 */
void hwf_etm3_flow_init(struct hwf_etm3_flow *flow, const struct hwf_etm3_config *config,
			const struct hwf_code *code, hwf_flow_fn *sink, void *sink_ctx);

/**
 * hwf_etm3_flow_push() - take one packet
 * @flow: the stage
 * @packet: from hwf_etm3_stream_next()
 * @offset: of its first byte
 * @error: why the stream lost synchronisation, where @packet is no packet
 * @tentative: synchronisation is lost: nothing is made of it
 */
void hwf_etm3_flow_push(struct hwf_etm3_flow *flow, const struct hwf_etm3_packet *packet,
			uint64_t offset, int error, bool tentative);

/** hwf_etm3_flow_flush() - the end of trace */
void hwf_etm3_flow_flush(struct hwf_etm3_flow *flow);

/**
 * struct hwf_etm3_p_header - what a header byte stands for, so that nothing has to be asked
 * @cycles: of its atoms, a byte each, the first one lowest; of none, of itself
 * @keep: all ones where there is no atom, so that @cycles are those of the next one; else 0
 * @atoms: its atoms
 * @type: enum hwf_etm3_type, or HWF_ETM3_RESERVED
 * @stop: it is no P-header; nothing else holds
 */
struct hwf_etm3_p_header {
	uint64_t cycles;
	uint64_t keep;
	struct hwf_etm3_atoms atoms;
	uint8_t type;
	bool stop;
};

/**
 * struct hwf_etm3_decoder - the stages of one trace unit, one behind the other
 *
 * Fields are the library's; a caller may read them, and set those of @flow that are its own.
 */
struct hwf_etm3_decoder {
	struct hwf_etm3_stream stream;
	struct hwf_etm3_flow flow;
	struct hwf_etm3_p_header p_headers[256]; /* by header byte */
};

/**
 * hwf_etm3_decoder_init() - begin, not synchronised
 * @decoder: to initialise; must stay where it is
 * @config: of the trace unit; must outlive @decoder
 * @code: the program; must outlive @decoder
 * @sink: takes the events
 * @sink_ctx: its first argument
 */
void hwf_etm3_decoder_init(struct hwf_etm3_decoder *decoder, const struct hwf_etm3_config *config,
			   const struct hwf_code *code, hwf_flow_fn *sink, void *sink_ctx);

/**
 * hwf_etm3_decoder_push() - decode bytes
 * @decoder: the decoder
 * @bytes: those that follow the bytes taken so far
 * @length: how many
 * @last: none will follow; the end of trace is given
 *
 * Return: bytes taken. The rest, fewer than 2 * HWF_ETM3_MAX_PACKET, is to be given again, in
 * front of what follows.
 */
size_t hwf_etm3_decoder_push(struct hwf_etm3_decoder *decoder, const uint8_t *bytes, size_t length,
			     bool last);

/**
 * hwf_etm3_decoder_state() - write what decoding depends on, as hwf_decoder_state()
 * @decoder: the decoder
 * @state: receives it
 * @size: bytes there
 *
 * Events that an exception may cancel are a part of the state: nothing has to be settled before.
 *
 * Return: bytes written; 0 if there is no room for them.
 */
size_t hwf_etm3_decoder_state(const struct hwf_etm3_decoder *decoder, uint8_t *state, size_t size);

#ifdef __cplusplus
}
#endif

#endif /* HWFLOW_ETMV3_FLOW_H */
