/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ground-truth log, versions 1 and 2: which instructions each thread executed, in order.
 *
 * All numbers are little-endian. A file is a head, then sections, each a struct truth_section
 * and its payload, padded with zeros to a multiple of 8 bytes:
 *
 *   TRUTH_BLOCKS   straight runs of instructions: records of struct truth_block, each followed by
 *                  its opcodes, one 32-bit word an instruction. A block has no branch
 *                  but as its last instruction. Its number is unique in the file. All
 *                  instructions of a T32 block have the same size: half-words, or words
 *                  with the first half-word in bits 31:16, which are not 0 then. Those of an
 *                  RV64 block have the sizes that their lowest bits tell, 2 or 4 bytes.
 *   TRUTH_STREAM   a struct truth_stream, then events of one thread in order. A thread
 *                  that began another program by execve has one stream for each program.
 *   TRUTH_END      an empty section, the last one: a file without it was cut.
 *
 * Version 2 also has, and 'hwflow emulate' writes only:
 *
 *   TRUTH_PACKED_BLOCKS   a struct truth_packed, then a Zstandard frame: records as of TRUTH_BLOCKS
 *   TRUTH_PACKED_STREAM   a struct truth_stream, a struct truth_packed, then a Zstandard frame:
 * whole events, with a TRUTH_STOP that belongs to the last of them. The sections of one thread and
 * part follow each other in the order of the file, and are one stream.
 *
 * A stream is a row of numbers in LEB128 (7 bits a byte, least significant first, bit 7 set
 * in all but the last byte). One of TRUTH_FIRST_BLOCK or more says that block
 * (number - TRUTH_FIRST_BLOCK) was entered; a smaller one is an enum truth_code, with its
 * operands after it. What was entered was executed to its end, unless TRUTH_STOP follows.
 * A hundred instructions take about 40 bytes.
 *
 * Text, derived from it, one event a line:
 *
 *   SEQ CPU TID EL ISA PC          an instruction was executed: "17 -1 4711 0 A64 4005a8"
 *   SEQ CPU TID EXC TYPE RETURN    an exception was taken: "18 -1 4711 EXC call 4005ac"
 *   SEQ CPU TID GAP REASON -       what was executed here is not known: "19 -1 4711 GAP left -"
 *
 * SEQ counts the events of the thread from 0. CPU is -1 where it is not known, as where threads
 * were followed from CPU to CPU. TYPE is the name of an enum hwf_exception, with hyphens for
 * spaces; of RV64 the name of a cause, or "interrupt", and RETURN is then the EPC. PC and RETURN
 * are lower-case hexadecimal without 0x. ISA is A64, A32, T32 or RV64. The log of 'hwflow emulate'
 * has A64 only, or RV64 only, that of an emulated machine the first three.
 */
#ifndef HWFLOW_TRUTH_FORMAT_H
#define HWFLOW_TRUTH_FORMAT_H

#include <stdint.h>

#define TRUTH_MAGIC          UINT64_C(0x4854555254465748) /* "HWFTRUTH" */
#define TRUTH_VERSION        1
#define TRUTH_VERSION_PACKED 2

/** TRUTH_PACKED_MAX - a packed section has no more than so many bytes, unpacked */
#define TRUTH_PACKED_MAX (16u << 20)

/**
 * struct truth_head - first bytes of a file
 * @magic: TRUTH_MAGIC
 * @version: TRUTH_VERSION or TRUTH_VERSION_PACKED
 * @size: of this head; sections begin there
 */
struct truth_head {
	uint64_t magic;
	uint32_t version;
	uint32_t size;
};

/** enum truth_section_type - what a section holds */
enum truth_section_type {
	TRUTH_BLOCKS = 1,
	TRUTH_STREAM = 2,
	TRUTH_END = 3,
	TRUTH_PACKED_BLOCKS = 4,
	TRUTH_PACKED_STREAM = 5,
};

/**
 * struct truth_section - head of a section
 * @type: enum truth_section_type
 * @reserved: 0
 * @length: of the payload, without padding
 */
struct truth_section {
	uint32_t type;
	uint32_t reserved;
	uint64_t length;
};

/**
 * struct truth_block - a straight run of instructions
 * @size: bytes of this record, opcodes included
 * @number: of the block
 * @pc: address of its first instruction
 * @isa: enum hwf_isa
 * @reserved: 0
 * @count: instructions, at least 1
 * @reserved2: 0
 */
struct truth_block {
	uint32_t size;
	uint32_t number;
	uint64_t pc;
	uint8_t isa;
	uint8_t reserved;
	uint16_t count;
	uint32_t reserved2;
};

/**
 * struct truth_stream - head of a stream
 * @pid: process
 * @tid: thread
 * @part: streams of one thread are numbered from 0
 * @reserved: 0
 * @start: nanoseconds of the machine's monotonic clock, where TRUTH_TIME counts from
 */
struct truth_stream {
	int32_t pid;
	int32_t tid;
	uint32_t part;
	uint32_t reserved;
	uint64_t start;
};

/** struct truth_packed - head of a Zstandard frame; @length: bytes that it unpacks to */
struct truth_packed {
	uint64_t length;
};

/**
 * enum truth_code - events of a stream other than a block
 * @TRUTH_DONE: the stream ends here
 * @TRUTH_STOP: of the block before, only the first so many instructions were executed; operand:
 *	how many, 0 allowed
 * @TRUTH_EXCEPTION: an exception was taken; operands: enum hwf_exception, and the preferred
 *	exception return address, in A64 and A32 with bits 1:0 clear, in T32 with bit 0 clear. Of
 *	RV64: TRUTH_RV_EXCEPTION or TRUTH_RV_INTERRUPT and the cause, the EPC, and the trap value.
 *	ECALL and EBREAK, whose EPC is their own address, count as executed
 * @TRUTH_CALL: the SVC that ends the block before took its exception; the return address
 *	is that of the instruction after it. Of RV64: the ECALL, and its cause; the trap value is 0
 * @TRUTH_GAP: what was executed here is not known; operand: enum truth_gap
 * @TRUTH_TIME: operand: nanoseconds since the last TRUTH_TIME, or the start
 * @TRUTH_CONTEXT: context from here on; operands: exception level, enum hwf_security, CPU + 1
 *	or 0, context identifier, virtual context identifier
 * @TRUTH_REMAP: code that was executed before has been replaced by other code at the same
 *	address; trace before and after needs different images
 * @TRUTH_ENABLED: the trace unit of this CPU was enabled before what follows; operand: when, in
 *	ticks as timestamps of the trace have them
 * @TRUTH_DISABLED: it was disabled; operand likewise. A log of a machine has these, where
 *	something was executed in between; they concern the CPU, in whatever thread they are
 */
enum truth_code {
	TRUTH_DONE,
	TRUTH_STOP,
	TRUTH_EXCEPTION,
	TRUTH_CALL,
	TRUTH_GAP,
	TRUTH_TIME,
	TRUTH_CONTEXT,
	TRUTH_REMAP,
	TRUTH_ENABLED,
	TRUTH_DISABLED,
	TRUTH_CODES,
	TRUTH_FIRST_BLOCK = 16,
};

/* types of exceptions of RISC-V: the cause is added to one of them */
#define TRUTH_RV_EXCEPTION 0x40
#define TRUTH_RV_INTERRUPT 0x80
#define TRUTH_RV_CAUSES    0x40

/**
 * enum truth_gap - why something is not known
 * @TRUTH_GAP_LEFT: a block was left, and it cannot be told where
 * @TRUTH_GAP_SIGNAL: a signal may have come, and it cannot be told whether and where
 */
enum truth_gap {
	TRUTH_GAP_LEFT,
	TRUTH_GAP_SIGNAL,
	TRUTH_GAPS,
};

/**
 * truth_rv_size() - bytes of an RV64 instruction of a block
 * @opcode: of it
 *
 * QEMU takes the encoding of an instruction of more than 4 bytes for an illegal one of 4 bytes.
 */
static inline unsigned int truth_rv_size(uint32_t opcode)
{
	return (opcode & 3) == 3 ? 4 : 2;
}

#endif /* HWFLOW_TRUTH_FORMAT_H */
