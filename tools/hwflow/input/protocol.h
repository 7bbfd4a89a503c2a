/* SPDX-License-Identifier: GPL-2.0-only */
/* The trace protocols: a table of functions for each, which all other files call. */
#ifndef HWFLOW_PROTOCOL_H
#define HWFLOW_PROTOCOL_H

#include "input.h"

/**
 * struct decoding - a piece that is being decoded
 * @input: the input
 * @source: the source of the piece
 * @piece: the piece
 * @code: the program
 * @how: options, and the functions that receive the events
 * @memory: from the protocol's function new_memory()
 * @at: offset in the piece up to which it is decoded
 * @released: see input_release()
 */
struct decoding {
	struct input *input;
	const struct input_source *source;
	const struct input_piece *piece;
	const struct hwf_code *code;
	const struct input_decode *how;
	void *memory;
	size_t at;
	size_t released;
};

/**
 * struct protocol - a trace protocol
 * @chunk: bytes that are decoded between two looks at the clock
 * @new_memory: memory that is kept from piece to piece: decoder, ranges; NULL without memory
 * @free_memory: free it
 * @forget: forget the ranges: the next piece is of another source, or the code has changed
 * @begin: begin to decode at decoding->at, not synchronised; false without memory
 * @push: decode bytes; returns bytes taken, as hwf_decoder_push()
 * @begin_part: the part of the piece that was asked for begins; NULL: nothing is to be done
 * @end_part: the part ends; all events are given that nothing can take back, unless the piece ends
 *	as well, which is @last; NULL: nothing is to be done
 * @settle: give all events that nothing can take back
 * @state: write the state of the decoder, as hwf_decoder_state(); NULL: this protocol has neither
 *	@settle nor @state, and each piece is decoded as a whole
 */
struct protocol {
	size_t chunk;
	void *(*new_memory)(void);
	void (*free_memory)(void *memory);
	void (*forget)(void *memory);
	bool (*begin)(struct decoding *decoding);
	size_t (*push)(struct decoding *decoding, const uint8_t *bytes, size_t length, bool last);
	void (*begin_part)(struct decoding *decoding);
	void (*end_part)(struct decoding *decoding, bool last);
	void (*settle)(struct decoding *decoding);
	size_t (*state)(const struct decoding *decoding, uint8_t *state, size_t size);
};

extern const struct protocol protocol_ete;
extern const struct protocol protocol_etmv3;
extern const struct protocol protocol_riscv;

#endif /* HWFLOW_PROTOCOL_H */
