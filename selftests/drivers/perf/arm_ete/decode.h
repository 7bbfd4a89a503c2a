/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decoding of a recording with libhwflow, to a list of what was executed.
 *
 * Functions return 0, a negative errno, or a positive enum hwf_err of the library; decode_error() has the text of
 * either.
 */
#ifndef ARM_ETE_SELFTESTS_DECODE_H
#define ARM_ETE_SELFTESTS_DECODE_H

#include "record.h"

/**
 * enum decode_kind - what an item says
 * @DECODE_RANGE: instructions were executed: @start, @end, @instructions, @isa
 * @DECODE_EXCEPTION: an exception was taken: @number, and @end, the preferred return address
 * @DECODE_TRACE_ON: tracing began; what was executed before, and since the item before, was not to be traced
 * @DECODE_GAP: execution is missing or unknown here: @gap, @number
 */
enum decode_kind {
	DECODE_RANGE,
	DECODE_EXCEPTION,
	DECODE_TRACE_ON,
	DECODE_GAP,
};

/**
 * enum decode_gap - why execution is missing
 * @DECODE_GAP_FLAGS: the AUX record has the flags @number: it is truncated, partial or collided
 * @DECODE_GAP_OVERFLOW: the trace unit lost trace
 * @DECODE_GAP_NO_SYNC: bytes could not be decoded; @number is an enum hwf_no_sync
 * @DECODE_GAP_FLOW: the program contradicts the trace or is not known; @number is an enum hwf_gap
 * @DECODE_GAP_RECORDS: an AUX record begins before the end of the one before; @number is 0
 */
enum decode_gap {
	DECODE_GAP_FLAGS,
	DECODE_GAP_OVERFLOW,
	DECODE_GAP_NO_SYNC,
	DECODE_GAP_FLOW,
	DECODE_GAP_RECORDS,
};

/**
 * struct decode_item - an item of the list
 * @start: address of the first instruction
 * @end: address after the last one; see enum decode_kind
 * @offset: of the packet, from the beginning of the AUX record
 * @instructions: how many
 * @number: see enum decode_kind, enum decode_gap
 * @part: index of the AUX record
 * @kind: enum decode_kind
 * @isa: enum hwf_isa
 * @gap: enum decode_gap
 */
struct decode_item {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	uint32_t instructions;
	uint32_t number;
	uint32_t part;
	uint8_t kind;
	uint8_t isa;
	uint8_t gap;
};

/**
 * struct decode_code - program code
 * @start: address of the first byte
 * @size: bytes
 * @bytes: the code, which must stay as it is until decode_record() returns
 * @version: number of executions of struct decode.marker, from which on the code is valid
 */
struct decode_code {
	uint64_t start;
	uint64_t size;
	const uint8_t *bytes;
	uint32_t version;
};

/**
 * struct decode_times - values of timestamps
 * @first: the first one; 0 if there is none
 * @last: the last one
 * @least: the smallest difference above 0 of two that follow each other; 0 if there is none
 * @backwards: how often one is less than the one before
 */
struct decode_times {
	uint64_t first;
	uint64_t last;
	uint64_t least;
	uint64_t backwards;
};

/**
 * struct decode_value - a value that TRCIT wrote into the trace
 * @value: the value
 * @el: Exception level of the instruction
 */
struct decode_value {
	uint64_t value;
	uint8_t el;
};

/**
 * struct decode - program code, and the list
 * @codes: program code; where addresses are the same the last one that is valid counts
 * @code_count: number of @codes
 * @owned: memory that decode_free() frees
 * @owned_count: number of @owned
 * @marker: end of a range after which code changes; 0: code does not change. The range ends with an exception to code
 *	that is not traced. The decoder asks for the code anew when tracing begins again.
 * @markers: number of executions of @marker so far
 * @items: the list
 * @count: number of @items
 * @room: for so many items
 * @gaps: number of items that are gaps
 * @cycle_counts: number of cycle counts
 * @timestamps: number of timestamps
 * @identifiers: number of contexts with a context identifier, virtual or not
 * @times: values of the timestamps that are known
 * @values: values that TRCIT wrote, in the order of the trace
 * @value_count: number of @values
 * @part: AUX record that is being decoded
 * @cut: it ends where the trace buffer was full, which may be within a packet
 * @error: the first error
 */
struct decode {
	struct decode_code *codes;
	size_t code_count;
	void **owned;
	size_t owned_count;
	uint64_t marker;
	uint32_t markers;
	struct decode_item *items;
	size_t count;
	size_t room;
	size_t gaps;
	size_t cycle_counts;
	size_t timestamps;
	size_t identifiers;
	struct decode_times times;
	struct decode_value *values;
	size_t value_count;
	uint32_t part;
	bool cut;
	int error;
};

/** decode_init() - begin with no code and an empty list */
void decode_init(struct decode *decode);

/** decode_free() - free the list and the code */
void decode_free(struct decode *decode);

/**
 * decode_add_code() - add code
 * @decode: the decoder
 * @start: address of the first byte
 * @bytes: the code; not copied
 * @size: bytes
 * @version: see struct decode_code
 */
int decode_add_code(struct decode *decode, uint64_t start, const void *bytes, uint64_t size,
		    uint32_t version);

/** decode_add_copy() - as decode_add_code(), with a copy of the code as it is now */
int decode_add_copy(struct decode *decode, uint64_t start, const void *bytes, uint64_t size,
		    uint32_t version);

/** decode_add_self() - add all memory of the caller that is mapped to be executed, not copied */
int decode_add_self(struct decode *decode);

/**
 * decode_add_elf() - add the executable segments of a statically linked program
 * @decode: the decoder
 * @path: an ELF file of 32 or 64 bits, little-endian, that is not moved when it is executed
 */
int decode_add_elf(struct decode *decode, const char *path);

/**
 * decode_record() - decode a recording
 * @decode: the decoder; the items are appended to its list
 * @record: the recording
 *
 * What the trace unit cannot have meant, or what the program contradicts, is an item DECODE_GAP and no error.
 */
int decode_record(struct decode *decode, const struct record *record);

/** decode_error() - the text of an error */
const char *decode_error(int error);

/**
 * decode_item_text() - an item as text, for messages
 * @item: the item
 * @text: receives it
 * @size: bytes of @text
 *
 * Return: @text.
 */
const char *decode_item_text(const struct decode_item *item, char *text, size_t size);

#endif
