/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * A trace unit in software: executed instructions, exceptions and context changes in,
 * ETE bytes out. Freestanding; memory is the caller's.
 */
#ifndef HWFLOW_TRACE_UNIT_H
#define HWFLOW_TRACE_UNIT_H

#include "hwflow/element.h"
#include "hwflow/insn.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/** struct hwf_tu_range - addresses from @low to @high, both inclusive (an address range comparator)
 */
struct hwf_tu_range {
	uint64_t low;
	uint64_t high;
};

#define HWF_TU_RANGES 8
/** HWF_TU_RETURN_STACK - entries of the trace unit's return stack; below the 15 a decoder must keep
 */
#define HWF_TU_RETURN_STACK 15

/**
 * struct hwf_tu_options - how the trace unit is programmed, beyond its registers
 * @regs: TRCCONFIGR and ID registers: cycle counts (CCI), timestamps (TS), context id (CID), VMID,
 *	return stack (RS), branch broadcast (BB), Q elements (QE) as TRCCONFIGR and TRCIDRn say
 * @cc_threshold: TRCCCCTLR.THRESHOLD
 * @sync_period: bytes between periodic trace protocol synchronisations; 0 for none
 *	(TRCSYNCPR)
 * @timestamp_interval: a Timestamp is requested after so many instructions; 0: at
 *	synchronisations, exceptions and context changes only
 * @event_interval: an Event element (ETEEvent 0) after so many instructions; 0 for none
 * @q_interval: with QE, about one Q element for so many P0 instructions; 0 for none
 * @source_address_interval: likewise for Source Address elements
 * @el_mask: bit n: instructions at EL n are traced
 * @bb_ranges, @bb: branch broadcast in these ranges only; none: everywhere
 * @bb_exclude: branch broadcast outside of them only (TRCBBCTLR.MODE is 0)
 * @q_ranges, @q: Q elements in these ranges only; none: everywhere (TRCQCTLR)
 * @q_exclude: Q elements outside of them only (TRCQCTLR.MODE is 0)
 * @include_ranges, @include: ViewInst include; none: everything
 * @exclude_ranges, @exclude: ViewInst exclude
 * @spec_seed: not 0: speculation mode: wrong paths are traced and cancelled, Atoms
 *	mispredicted, commits delayed and merged, up to TRCIDR8.MAXSPEC; the seed
 *	chooses. 0: only what was executed is traced
 * @spec_wrong: then one in so many branches is predicted wrongly: 1 is all of them, 0 stands for
 *	one in three, far more than a real PE
 * @sync_only_if_output: I_QYQRY: no Alignment Synchronisation where nothing was output
 *	since the last
 * @resync_after_idle: I_NQYXW: two requests with nothing traced between make the next a
 *	non-periodic one
 * @sync_late: I_MQNBT: while ViewInst is inactive, output the Alignment Synchronisation only when
 *	something else is to be output
 */
struct hwf_tu_options {
	struct hwf_ete_regs regs;
	uint32_t cc_threshold;
	uint32_t sync_period;
	uint32_t timestamp_interval;
	uint32_t event_interval;
	uint32_t q_interval;
	uint32_t source_address_interval;
	uint8_t el_mask;
	uint8_t bb_ranges;
	uint8_t include_ranges;
	uint8_t exclude_ranges;
	uint8_t q_ranges;
	bool bb_exclude;
	bool q_exclude;
	struct hwf_tu_range bb[HWF_TU_RANGES];
	struct hwf_tu_range q[HWF_TU_RANGES];
	struct hwf_tu_range include[HWF_TU_RANGES];
	struct hwf_tu_range exclude[HWF_TU_RANGES];
	uint64_t spec_seed;
	uint32_t spec_wrong;
	bool sync_only_if_output;
	bool resync_after_idle;
	bool sync_late;
};

/**
 * struct hwf_tu_port - what the trace unit needs from outside
 * @ctx: first argument of the functions
 * @write: takes trace bytes, whole packets; returns false where it cannot: these bytes are then
 *	lost, and the trace unit has an overflow, which it tells of when it may write again. Called
 *	at the end of any of the functions below
 * @timestamp: the time now; 0 for unknown
 * @code: reads program code for wrong paths in speculation mode; may be NULL, then only
 *	Atoms are mispredicted. As struct hwf_code.read without the space.
 */
struct hwf_tu_port {
	void *ctx;
	bool (*write)(void *ctx, const uint8_t *bytes, size_t length);
	uint64_t (*timestamp)(void *ctx);
	size_t (*code)(void *ctx, uint64_t address, void *bytes, size_t length);
};

struct hwf_tu;

/**
 * hwf_tu_size() - bytes of memory a trace unit takes
 * @options: how it will be programmed
 */
size_t hwf_tu_size(const struct hwf_tu_options *options);

/**
 * hwf_tu_init() - make a trace unit, disabled
 * @memory: the caller's, hwf_tu_size() bytes, aligned as for max_align_t
 * @options: how it is programmed; copied
 * @port: its surroundings; copied
 * @result: receives the trace unit, which lives in @memory
 *
 * Return: 0, or HWF_ERR_BAD_CONFIG where TRCCONFIGR asks for what TRCIDRn do not have, where
 * there is a speculation seed and TRCIDR8.MAXSPEC is 0, or cycle counting with MAXSPEC 0 and
 * TRCIDR0.COMMOPT 0.
 */
int hwf_tu_init(void *memory, const struct hwf_tu_options *options, const struct hwf_tu_port *port,
		struct hwf_tu **result);

/**
 * hwf_tu_enable() - tracing becomes operative: non-periodic synchronisation, Trace On before the
 *	first instruction (R_HMDGL, R_KKQGK)
 * @unit: the trace unit
 */
void hwf_tu_enable(struct hwf_tu *unit);

/**
 * hwf_tu_context() - the context from the next instruction on
 * @unit: the trace unit
 * @context: all of it
 */
void hwf_tu_context(struct hwf_tu *unit, const struct hwf_context *context);

/**
 * hwf_tu_insn() - an instruction was executed
 * @unit: the trace unit
 * @pc: its virtual address
 * @isa: its instruction set
 * @insn: decoded
 * @taken: for a P0 instruction: it was taken, or executed
 * @next: address of the next instruction executed, or that would be executed if no exception
 *	came
 * @next_isa: its instruction set
 *
 * Instructions come in program order. What was filtered, and Trace On after it, is the
 * trace unit's business.
 */
void hwf_tu_insn(struct hwf_tu *unit, uint64_t pc, enum hwf_isa isa, const struct hwf_insn *insn,
		 bool taken, uint64_t next, enum hwf_isa next_isa);

/**
 * hwf_tu_block() - straight instructions that are no P0 instructions were executed
 * @unit: the trace unit
 * @pc: address of the first
 * @isa: their instruction set
 * @instructions: how many
 * @bytes: all their bytes
 *
 * The same as so many calls of hwf_tu_insn(), in one. All have the same size: T32 instructions of
 * two bytes and of four are in different blocks.
 */
void hwf_tu_block(struct hwf_tu *unit, uint64_t pc, enum hwf_isa isa, uint32_t instructions,
		  uint64_t bytes);

/**
 * hwf_tu_run() - straight instructions were executed, and a P0 instruction at their end
 * @unit: the trace unit
 * @pc: address of the first
 * @isa: the instruction set of all, and of @next
 * @instructions: how many, the P0 instruction included
 * @last: the P0 instruction, decoded; all others have its size
 * @taken: it was taken, or executed
 * @next: address of the next instruction executed, or that would be executed if no exception
 *	came
 *
 * The same as hwf_tu_block() of all but the last and hwf_tu_insn() of the last, in one and faster.
 */
void hwf_tu_run(struct hwf_tu *unit, uint64_t pc, enum hwf_isa isa, uint32_t instructions,
		const struct hwf_insn *last, bool taken, uint64_t next);

/**
 * struct hwf_tu_code - straight instructions; the last one may be a P0 instruction
 * @pc: address of the first for which @last.target holds
 * @last: the last instruction, decoded; HWF_INSN_OTHER if it is no P0 instruction. All others have
 *	its size, and are no P0 instructions
 * @instructions: number of instructions, at least 1
 * @isa: instruction set of all, enum hwf_isa
 */
struct hwf_tu_code {
	uint64_t pc;
	struct hwf_insn last;
	uint32_t instructions;
	uint8_t isa;
};

/** struct hwf_tu_run - execution of @code from @pc on; or, if @code is NULL, of something unknown
 */
struct hwf_tu_run {
	uint64_t pc;
	const struct hwf_tu_code *code;
};

/**
 * hwf_tu_runs() - codes were executed to their end, one after the other
 * @unit: the trace unit
 * @runs: what was executed, all of it A64; execution went from one to the next
 * @count: number of runs; of the last one only the place where it begins is looked at
 *
 * The same as calls of hwf_tu_run() and hwf_tu_block(), in one and faster. A direct branch was
 * taken if the next run begins at its target. It stops at a run without code or before one, and at
 * a run that does not lead to the next one: something else than its last instruction has moved the
 * PC.
 *
 * Return: number of runs that were traced, less than @count.
 */
size_t hwf_tu_runs(struct hwf_tu *unit, const struct hwf_tu_run *runs, size_t count);

/**
 * hwf_tu_exception() - an exception was taken
 * @unit: the trace unit
 * @type: enum hwf_exception; not HWF_EXC_TRANSACTION_FAILURE
 * @ret: preferred exception return address (Tables D4-4, D4-5)
 * @ret_isa: its instruction set
 * @target: address of the handler
 * @target_isa: its instruction set
 *
 * Call hwf_tu_context() after it where the handler has another context.
 */
void hwf_tu_exception(struct hwf_tu *unit, uint8_t type, uint64_t ret, enum hwf_isa ret_isa,
		      uint64_t target, enum hwf_isa target_isa);

/**
 * hwf_tu_exception_forced() - an exception was taken that is traced whatever ViewInst is
 * @unit: the trace unit; its context is that of where the exception came from
 * @type: as for hwf_tu_exception(), and the others likewise
 * @ret: preferred exception return address; of a PE Reset, where execution was
 * @ret_isa: its instruction set
 * @target: address of the handler
 * @target_isa: its instruction set
 *
 * Where the last instruction was not traced, Trace On and Target Address come first (R_BBBBT).
 */
void hwf_tu_exception_forced(struct hwf_tu *unit, uint8_t type, uint64_t ret, enum hwf_isa ret_isa,
			     uint64_t target, enum hwf_isa target_isa);

/** hwf_tu_active() - was the last instruction or exception that @unit was told of traced? */
bool hwf_tu_active(const struct hwf_tu *unit);

/**
 * hwf_tu_ranges() - other address ranges from the next instruction on
 * @unit: the trace unit
 * @options: its ranges of all kinds are taken, and how they are meant; nothing else is looked at
 *
 * For comparators that match in some contexts only.
 */
void hwf_tu_ranges(struct hwf_tu *unit, const struct hwf_tu_options *options);

/**
 * hwf_tu_gap() - instructions were executed that the trace unit was not told of
 * @unit: the trace unit
 *
 * The next instruction comes with Trace On. A transaction whose start was traced is given up
 * (R_NMWFJ).
 */
void hwf_tu_gap(struct hwf_tu *unit);

/** hwf_tu_event() - ETEEvents occurred; bit n of @events for ETEEvent n */
void hwf_tu_event(struct hwf_tu *unit, uint8_t events);

/** hwf_tu_timestamp() - a timestamp is requested (TRCTSCTLR.EVENT) */
void hwf_tu_timestamp(struct hwf_tu *unit);

/** HWF_TU_IDR0_ITE - TRCIDR0.ITE: the trace unit has FEAT_ITE */
#define HWF_TU_IDR0_ITE (UINT32_C(1) << 22)

/**
 * hwf_tu_instrumentation() - TRCIT was executed at exception level @el with @value
 *
 * Does nothing without HWF_TU_IDR0_ITE. Whether instrumentation is prohibited (R_BXTXK) the caller
 * knows; filters do not apply (I_MHGVF).
 */
void hwf_tu_instrumentation(struct hwf_tu *unit, uint8_t el, uint64_t value);

/** enum hwf_transaction_end - how a transaction ended */
enum hwf_transaction_end {
	HWF_TRANSACTION_COMMITTED,
	HWF_TRANSACTION_FAILED,
};

/** hwf_tu_transaction_start() - the PE entered Transactional state, after TSTART; ETE only */
void hwf_tu_transaction_start(struct hwf_tu *unit);

/** hwf_tu_transaction_end() - the PE left Transactional state; @end: enum hwf_transaction_end */
void hwf_tu_transaction_end(struct hwf_tu *unit, int end);

/** hwf_tu_cycles() - so many PE clock cycles passed */
void hwf_tu_cycles(struct hwf_tu *unit, uint32_t cycles);

/** hwf_tu_sync() - request a trace protocol synchronisation */
void hwf_tu_sync(struct hwf_tu *unit);

/**
 * hwf_tu_flush() - resolve and write all that the trace unit holds
 * @unit: the trace unit
 *
 * What waits inside, Atoms that would be packed with later ones included, is
 * written; tracing goes on.
 */
void hwf_tu_flush(struct hwf_tu *unit);

/**
 * hwf_tu_disable() - tracing becomes inoperative
 * @unit: the trace unit
 * @resolve: whether the uncommitted P0 elements are resolved; where not, a Discard is
 *	generated (I_TCWCN)
 */
void hwf_tu_disable(struct hwf_tu *unit, bool resolve);

/**
 * hwf_tu_state_size() - bytes that hwf_tu_save() writes
 * @unit: the trace unit
 */
size_t hwf_tu_state_size(const struct hwf_tu *unit);

/**
 * hwf_tu_save() - all that the trace unit holds, as bytes
 * @unit: the trace unit; unchanged
 * @bytes: receives hwf_tu_state_size() bytes, the same on all machines
 *
 * Between two calls of the other functions.
 */
void hwf_tu_save(const struct hwf_tu *unit, uint8_t *bytes);

/**
 * hwf_tu_restore() - go on where another trace unit was saved
 * @unit: made by hwf_tu_init() with the same options, the port is its own
 * @bytes: what hwf_tu_save() has written
 * @length: how many
 *
 * Return: 0, or, @unit unchanged, HWF_ERR_NEED_MORE where bytes are missing, HWF_ERR_BAD_CONFIG
 * where the other was programmed otherwise, HWF_ERR_BAD_PAYLOAD where they are of another version
 * or have values that no trace unit has.
 */
int hwf_tu_restore(struct hwf_tu *unit, const uint8_t *bytes, size_t length);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* HWFLOW_TRACE_UNIT_H */
