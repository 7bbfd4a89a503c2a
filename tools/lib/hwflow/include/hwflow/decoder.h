/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The whole way for one trace unit: bytes in, program flow out. */
#ifndef HWFLOW_DECODER_H
#define HWFLOW_DECODER_H

#include "hwflow/flow.h"
#include "hwflow/p0.h"
#include "hwflow/window.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct hwf_decoder - the stages of one trace unit, one behind the other
 *
 * Fields are the library's; a caller may read them, and set @follower.cache and
 * @follower.split_source.
 */
struct hwf_decoder {
	struct hwf_ete_stream stream;
	struct hwf_elements elements;
	struct hwf_p0 p0;
	struct hwf_ops ops;
	struct hwf_window_memory window;
	struct hwf_follower follower;
};

/**
 * hwf_decoder_init() - begin, not synchronised
 * @decoder: to initialise; must stay where it is
 * @config: of the trace unit; must outlive @decoder
 * @code: the program; must outlive @decoder
 * @ring: memory of hwf_p0_ring_size() elements, the caller's; must outlive @decoder
 * @ring_size: elements there, a power of two
 * @sink: takes the events
 * @sink_ctx: its first argument
 */
void hwf_decoder_init(struct hwf_decoder *decoder, const struct hwf_ete_config *config,
		      const struct hwf_code *code, struct hwf_element *ring, uint32_t ring_size,
		      hwf_flow_fn *sink, void *sink_ctx);

/**
 * hwf_decoder_push() - decode bytes
 * @decoder: the decoder
 * @bytes: those that follow the bytes taken so far
 * @length: how many
 * @last: none will follow; the end of trace is given
 *
 * Return: bytes taken. The rest, fewer than 2 * HWF_ETE_MAX_PACKET, is to be given again, in front
 * of what follows.
 */
size_t hwf_decoder_push(struct hwf_decoder *decoder, const uint8_t *bytes, size_t length,
			bool last);

/**
 * hwf_decoder_settle() - give all that nothing can take back
 * @decoder: the decoder
 *
 * That is what would be given with the next packets, at the latest, and the last range that was
 * counted, if any was: ranges are given from here on.
 */
void hwf_decoder_settle(struct hwf_decoder *decoder);

/** HWF_DECODER_STATE - bytes that are enough for the state of nearly every decoder */
#define HWF_DECODER_STATE 0x4000u

/**
 * hwf_decoder_state() - write what decoding depends on
 * @decoder: the decoder, after hwf_decoder_settle()
 * @state: receives it
 * @size: bytes there
 *
 * Two decoders of one trace unit, of which one began later than the other one, give the same events
 * from where their states are equal: a long trace is decoded in parts that way. The program code,
 * and the address space that the context has, are not in the state.
 *
 * Return: bytes written; 0 if there is no room for them.
 */
size_t hwf_decoder_state(const struct hwf_decoder *decoder, uint8_t *state, size_t size);

#ifdef __cplusplus
}
#endif

#endif /* HWFLOW_DECODER_H */
