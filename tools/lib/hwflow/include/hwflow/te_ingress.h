/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The port between a RISC-V core and its trace encoder (Table 3.1 of Processor Trace 0.026; the
 * hart to encoder interface of ratified E-Trace), and a model of the core's side of it, which makes
 * cycles of that port from what was executed. Freestanding; memory is the caller's.
 */
#ifndef HWFLOW_TE_INGRESS_H
#define HWFLOW_TE_INGRESS_H

#include "hwflow/riscv.h"
#include "hwflow/rv_insn.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/** HWF_TE_BLOCKS - most blocks that a cycle may have (taken_branches_p, 1 to 8) */
#define HWF_TE_BLOCKS 8

/** HWF_TE_USER_WORDS - words of the user sideband (user_width_p, 0 to 256) */
#define HWF_TE_USER_WORDS 4

/** enum hwf_te_trap - exceptions and interrupts, by their itype */
enum hwf_te_trap {
	HWF_TE_NO_TRAP = 0,
	HWF_TE_EXCEPTION = 1,
	HWF_TE_INTERRUPT = 2,
};

/**
 * enum hwf_te_trigger - actions of the Debug Module's triggers (Table 4.1), a set of bits
 * @HWF_TE_TRACE_ON: action 2: tracing starts with the oldest instruction of the cycle
 * @HWF_TE_TRACE_OFF: action 3: tracing stops after the newest instruction of the cycle
 * @HWF_TE_TRACE_SINGLE: action 4: the newest instruction of the cycle is to be reported; ratified:
 *	notify
 */
enum hwf_te_trigger {
	HWF_TE_TRACE_ON = 1 << 0,
	HWF_TE_TRACE_OFF = 1 << 1,
	HWF_TE_TRACE_SINGLE = 1 << 2,
};

/**
 * enum hwf_te_draft_context - context_type of the 0.026 draft (Table 3.3)
 * @HWF_TE_DRAFT_DISCONTINUITY: report the last instruction of the old context and the first of the
 *	new
 * @HWF_TE_DRAFT_PRECISE: report the first instruction of the new context
 * @HWF_TE_DRAFT_IMPRECISE: report the context at any convenient time
 * @HWF_TE_DRAFT_NOTIFICATION: report the address of the last instruction of the block, not the
 *	context
 */
enum hwf_te_draft_context {
	HWF_TE_DRAFT_DISCONTINUITY,
	HWF_TE_DRAFT_PRECISE,
	HWF_TE_DRAFT_IMPRECISE,
	HWF_TE_DRAFT_NOTIFICATION,
};

/** enum hwf_te_ctype - ctype of ratified E-Trace: what is to be done when the context changes */
enum hwf_te_ctype {
	HWF_TE_CTYPE_UNREPORTED,
	HWF_TE_CTYPE_IMPRECISE,
	HWF_TE_CTYPE_PRECISE,
	HWF_TE_CTYPE_DISCONTINUITY,
};

/**
 * struct hwf_te_block - one signal group: instructions that stand one behind the other
 * @iaddr: address of the first; of an exception without retirement, its EPC
 * @iretire: half-words retired; where the core retires one instruction a block, 0 or 1 instructions
 * @ntkn: branches that were not taken (draft only)
 * @itype: how it ends: enum hwf_rv_draft_itype or enum hwf_rv_itype
 * @ilastsize: the last instruction has 2 to the power of so many half-words
 * @sijump: the jump at the end is sequentially inferable (ratified only)
 */
struct hwf_te_block {
	uint64_t iaddr;
	uint16_t iretire;
	uint8_t ntkn;
	uint8_t itype;
	uint8_t ilastsize;
	bool sijump;
};

/**
 * struct hwf_te_cycle - what the core drives in one cycle
 * @block: groups, the oldest first
 * @blocks: how many are used; 0: nothing retired and no trap
 * @trigger: set of enum hwf_te_trigger
 * @priv: privilege of all instructions
 * @context_type: enum hwf_te_draft_context or enum hwf_te_ctype
 * @halted: the core is stalled or halted
 * @reset: the core is in reset
 * @cause: of the trap of the newest block, if there is one
 * @tval: likewise
 * @context: of all instructions
 * @time: likewise (2.0)
 * @user: sideband, bit 0 of the first word is its lowest
 */
struct hwf_te_cycle {
	struct hwf_te_block block[HWF_TE_BLOCKS];
	uint8_t blocks;
	uint8_t trigger;
	uint8_t priv;
	uint8_t context_type;
	bool halted;
	bool reset;
	uint16_t cause;
	uint64_t tval;
	uint32_t context;
	uint64_t time;
	uint64_t user[HWF_TE_USER_WORDS];
};

/**
 * struct hwf_te_event - one executed instruction, or a trap
 * @address: of the instruction; of a trap without retirement, its EPC
 * @opcode: the instruction
 * @context: as struct hwf_te_cycle, as are @time, @priv and @context_type
 * @trap: enum hwf_te_trap: a trap with this instruction (@retired) or before it
 * @retired: the instruction retired
 * @trigger: set of enum hwf_te_trigger
 * @cause: of the trap
 * @tval: of the trap
 */
struct hwf_te_event {
	uint64_t address;
	uint64_t time;
	uint64_t tval;
	uint32_t opcode;
	uint32_t context;
	uint16_t cause;
	uint8_t priv;
	uint8_t context_type;
	uint8_t trap;
	uint8_t trigger;
	bool retired;
};

/**
 * struct hwf_te_port_params - what the core's side of the port is like
 * @dialect: enum hwf_riscv_dialect
 * @isa: set of enum hwf_rv_isa
 * @itype_width_p: 3 or 4
 * @iretire_width_p: 2 to 8: a block has at most 2 to this power, less one, half-words
 * @ntkn_width_p: 1 to 5, likewise of branches not taken (draft)
 * @taken_branches_p: 1 to 8 blocks a cycle
 * @retires_p: most instructions a cycle; 1: iretire counts instructions (ratified); 0: no limit
 * @sequential: jumps whose register the instruction before has set are told apart: Table 3.2's
 *	"preceded by" in the draft, sijump in ratified E-Trace
 * @post_iss: the itypes, causes and trap values of the reference flow's post-iss: no trap returns,
 *	8 bits of cause and of trap value, and x5 as a link register only where it knows it
 *
 * A draft itype of 3 bits has no code for jumps; those that are not predictable then have 3, the
 * one code below 8 that stands for an unpredictable discontinuity.
 */
struct hwf_te_port_params {
	uint8_t dialect;
	uint8_t isa;
	uint8_t itype_width_p;
	uint8_t iretire_width_p;
	uint8_t ntkn_width_p;
	uint8_t taken_branches_p;
	uint8_t retires_p;
	bool sequential;
	bool post_iss;
};

/**
 * struct hwf_te_port - what takes the cycles
 * @ctx: first argument
 * @cycle: takes one; returns 0, or an error that ends it all
 */
struct hwf_te_port {
	void *ctx;
	int (*cycle)(void *ctx, const struct hwf_te_cycle *cycle);
};

/**
 * struct hwf_te_core - the core's side of the port; its members are its own
 */
struct hwf_te_core {
	struct hwf_te_port_params params;
	struct hwf_te_port port;
	struct hwf_te_cycle cycle;
	struct hwf_te_event held;
	struct hwf_rv_insn before;
	uint64_t end;
	uint8_t retired;
	bool holds;
	bool has_before;
	bool open;
};

/**
 * hwf_te_core_init() - make a core's side of the port
 * @core: the caller's memory
 * @params: what it is like; copied
 * @port: takes the cycles; copied
 *
 * Return: 0, or HWF_ERR_BAD_CONFIG where a parameter is out of its range.
 */
int hwf_te_core_init(struct hwf_te_core *core, const struct hwf_te_port_params *params,
		     const struct hwf_te_port *port);

/**
 * hwf_te_core_event() - something was executed
 * @core: the core
 * @event: what, in program order
 *
 * Whether a branch was taken shows in the next event, so the port is one event behind.
 *
 * Return: 0, or what the port's cycle() returned; HWF_ERR_BAD_PAYLOAD for an instruction of another
 * size than 2, 4 or 8 bytes, which ilastsize cannot tell, or too long for iretire.
 */
int hwf_te_core_event(struct hwf_te_core *core, const struct hwf_te_event *event);

/**
 * hwf_te_core_finish() - nothing comes any more
 * @core: the core
 *
 * A branch that was executed last counts as not taken (post_iss: as taken), for nobody knows.
 *
 * Return: as hwf_te_core_event().
 */
int hwf_te_core_finish(struct hwf_te_core *core);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* HWFLOW_TE_INGRESS_H */
