/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Program flow: resolved elements and program code in, executed ranges out.
 */
#ifndef HWFLOW_FLOW_H
#define HWFLOW_FLOW_H

#include "hwflow/element.h"
#include "hwflow/insn.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/**
 * struct hwf_run - straight code from an address to the next P0 instruction
 * @end: address after the last instruction of the run
 * @instructions: how many there are
 * @insn: the last of them
 * @status: 0: @insn is a P0 instruction. HWF_ERR_NO_IMAGE: code ends at @end;
 *	@instructions may be 0, then @insn is meaningless. HWF_ERR_NO_SPACE: the walk was given
 *	up at @end after HWF_RUN_MAX instructions.
 */
struct hwf_run {
	uint64_t end;
	struct hwf_insn insn;
	uint32_t instructions;
	int status;
};

/**
 * HWF_RUN_MAX - no straight run is followed beyond this many instructions
 *
 * The longest that compilers make of real programs, unrolled ciphers and tables that are filled by
 * code, are some thousands of instructions. What is longer is data, or memory that was cleared,
 * and a few bytes of trace must not cost a walk through megabytes of that.
 */
#define HWF_RUN_MAX 0x10000u

/**
 * struct hwf_code - program code, as the caller has it
 * @ctx: first argument of the functions
 * @space: which address space a context has; asked on every change of context, and where trace
 *	begins again, in either case after the sink has taken the event. The answer is handed to
 *	the other functions and means nothing to the library.
 * @read: copies code; returns the bytes available at @address, at most @length, 0 for none
 * @run: optional: the run from an address, as hwf_run_walk() would find it, from a cache
 *
 * A caller that has no cache leaves @run NULL.
 */
struct hwf_code {
	void *ctx;
	const void *(*space)(void *ctx, const struct hwf_context *context);
	size_t (*read)(void *ctx, const void *space, uint64_t address, void *bytes, size_t length);
	void (*run)(void *ctx, const void *space, uint64_t address, enum hwf_isa isa,
		    struct hwf_run *run);
};

/**
 * hwf_run_walk() - find the next P0 instruction
 * @code: the program
 * @space: from @code->space
 * @address: of the first instruction
 * @isa: its instruction set
 * @wfx: WFI and the like are P0 instructions
 * @stop: do not go beyond this many instructions; at least 1
 * @until: stop when the next instruction is here, or after an instruction that has this address
 *	inside; ~0 for nowhere
 * @run: receives the result; status HWF_ERR_NO_SPACE where @stop or @until ended it
 */
void hwf_run_walk(const struct hwf_code *code, const void *space, uint64_t address,
		  enum hwf_isa isa, bool wfx, uint32_t stop, uint64_t until, struct hwf_run *run);

/** enum hwf_flow_kind - what a flow event is */
enum hwf_flow_kind {
	HWF_FLOW_RANGE,            /* u.range: these instructions were executed */
	HWF_FLOW_Q_RANGE,          /* u.q: instructions were executed on an unknown path */
	HWF_FLOW_EXCEPTION,        /* u.exception */
	HWF_FLOW_EXCEPTION_RETURN, /* the range before it ended with an exception return */
	HWF_FLOW_CONTEXT,          /* u.context */
	HWF_FLOW_TRACE_ON,         /* u.trace_on */
	HWF_FLOW_NO_SYNC,          /* u.no_sync */
	HWF_FLOW_CYCLE_COUNT,
	HWF_FLOW_TIMESTAMP,
	HWF_FLOW_TIMESTAMP_MARKER,
	HWF_FLOW_EVENT,
	HWF_FLOW_INSTRUMENTATION,
	HWF_FLOW_TRANSACTION, /* u.transaction */
	HWF_FLOW_GAP,         /* u.gap: execution that cannot be followed */
	HWF_FLOW_BYTECODES,   /* u.bytecodes: ETMv3: Java bytecodes were executed */
	HWF_FLOW_TRIGGER,     /* ETMv3: the trigger event */
	HWF_FLOW_END,         /* end of trace; u.overflow */
	HWF_FLOW_TRAP,        /* u.trap: RISC-V */
	HWF_FLOW_MODE,        /* u.mode: RISC-V */
	HWF_FLOW_COUNTED,     /* u.address: ranges from there on are counted, not given */
	HWF_FLOW_KINDS,
};

/*
 * HWF_FLOW_COUNTED: ranges follow that are counted and not given; the event has the address of the
 * first of them. With a profile a session gives no ranges at all. A follower that counts in its
 * graph gives the last range before an event, as HWF_FLOW_RANGE with the offset of the event, and
 * does not count it: so each event has the ranges before and behind it. Cycle counts are not given
 * with counting.
 */

/**
 * struct hwf_flow_range - executed instructions
 * @start: address of the first
 * @end: address after the last
 * @instructions: how many
 * @isa: enum hwf_isa
 * @taken: the last is a branch that was taken, or another P0 instruction that was executed
 * @p0: the last is a P0 instruction that was traced as such
 * @cycles: in cycle-accurate ETMv3 trace: cycles up to the one it was executed in; of one
 * instruction
 * @insn: the last instruction
 * @each: the same, of each instruction; valid during the call only. NULL where @cycles is used
 */
struct hwf_flow_range {
	uint64_t start;
	uint64_t end;
	uint32_t instructions;
	uint8_t isa;
	bool taken;
	bool p0;
	uint8_t cycles;
	struct hwf_insn insn;
	const uint8_t *each;
};

/**
 * struct hwf_flow_bytecodes - Java bytecodes; their addresses are not known
 * @passed: E atoms
 * @failed: N atoms
 * @cycles: W atoms among them
 */
struct hwf_flow_bytecodes {
	uint32_t passed;
	uint32_t failed;
	uint32_t cycles;
};

/**
 * struct hwf_flow_q - instructions whose path is unknown
 * @start: where they began, if @has_start
 * @next: where execution goes on, if @has_next
 * @instructions: how many, if @has_count
 */
struct hwf_flow_q {
	uint64_t start;
	uint64_t next;
	uint32_t instructions;
	bool has_start;
	bool has_next;
	bool has_count;
};

/**
 * struct hwf_flow_exception - an exception was taken
 * @ret: preferred exception return address, if @has_ret
 * @type: enum hwf_exception, or hwf_exception_m
 * @has_ret: PE Reset has none
 * @ret_is_target: no instruction was executed since the last P0 element
 * @imprecise: execution may not have ended at @ret (S_GKMTH, S_RDJXM)
 * @number: in ETMv3: number of the exception in the packet, which @type is made from
 * @after_gap: execution up to @ret is part of the gap that was given before
 */
struct hwf_flow_exception {
	uint64_t ret;
	uint16_t type;
	bool has_ret;
	bool ret_is_target;
	bool imprecise;
	uint16_t number;
	bool after_gap;
};

/** enum hwf_transaction - u.transaction of a flow event (D4.3.11) */
enum hwf_transaction {
	HWF_TRANSACTION_START,
	HWF_TRANSACTION_COMMIT,
	HWF_TRANSACTION_FAILURE, /* all since the start was not executed (I_XHLPG) */
	HWF_TRANSACTION_INIT,    /* trace begins inside one */
};

/** enum hwf_gap - why execution cannot be followed */
enum hwf_gap {
	HWF_GAP_NO_IMAGE,     /* no program code at the address */
	HWF_GAP_MISMATCH,     /* program code contradicts the trace */
	HWF_GAP_NO_ADDRESS,   /* P0 elements with no address to start from */
	HWF_GAP_NO_CONTEXT,   /* P0 elements with no context */
	HWF_GAP_RETURN_STACK, /* a return the return stack does not know */
	HWF_GAP_UNSEEN,       /* P0 elements from before the start of trace */
	HWF_GAP_RUN_TOO_LONG, /* no P0 instruction within HWF_RUN_MAX */
	HWF_GAP_TRANSACTION,  /* a failed transaction was too long to be held back */
	HWF_GAP_JAZELLE,      /* Java bytecodes: they are counted, not followed */
	HWF_GAP_LOAD_STORE,   /* loads or stores are P0 instructions (ETMv4) */
	HWF_GAPS,
};

/**
 * struct hwf_flow_gap - from here to the next address execution is not known
 * @address: where it was, if @has_address
 * @p0_elements: P0 elements that said something of it, so far
 * @reason: enum hwf_gap
 */
struct hwf_flow_gap {
	uint64_t address;
	uint32_t p0_elements;
	uint8_t reason;
	bool has_address;
};

/**
 * struct hwf_flow_context - the context from the next instruction on
 * @context: all of it
 * @isa: enum hwf_isa, as far as known
 * @changed: it differs from the context before, or is the first
 * @gives_vmid: the element itself had a VMID
 * @gives_cid: likewise
 * @has_cycles: ETMv3: it comes with @cycles
 * @cycles: since the last trace before it
 */
struct hwf_flow_context {
	struct hwf_context context;
	uint8_t isa;
	bool changed;
	bool gives_vmid;
	bool gives_cid;
	bool has_cycles;
	uint32_t cycles;
};

/**
 * struct hwf_flow_trace_on - why tracing begins
 * @overflow: after an overflow; u.overflow reads the same
 * @debug: ETMv3: the processor left Debug state
 */
struct hwf_flow_trace_on {
	bool overflow;
	bool debug;
};

/**
 * struct hwf_flow_trap - RISC-V: an exception or interrupt was taken
 * @epc: address it returns to, if @has_epc
 * @tval: trap value, if @has_tval
 * @cause: of the exception or interrupt
 * @interrupt: it is one
 * @has_epc: @epc is known from the trace or the program
 * @has_tval: the packet gives it
 */
struct hwf_flow_trap {
	uint64_t epc;
	uint64_t tval;
	uint16_t cause;
	bool interrupt;
	bool has_epc;
	bool has_tval;
};

/**
 * struct hwf_flow_mode - RISC-V: privilege and context from the next instruction on
 * @context: if @has_context
 * @privilege: 0 U, 1 S, 3 M
 * @has_context: packets have a context
 */
struct hwf_flow_mode {
	uint32_t context;
	uint8_t privilege;
	bool has_context;
};

/**
 * struct hwf_flow_event - one event of program flow
 * @offset: of the packet it comes from
 * @kind: enum hwf_flow_kind: which member of the union holds
 */
struct hwf_flow_event {
	uint64_t offset;
	uint8_t kind;
	union {
		struct hwf_flow_range range;
		struct hwf_flow_q q;
		struct hwf_flow_exception exception;
		struct hwf_flow_context context;
		struct hwf_flow_gap gap;
		struct hwf_flow_trap trap;
		struct hwf_flow_mode mode;
		struct hwf_flow_bytecodes bytecodes;
		struct hwf_flow_trace_on trace_on;
		struct hwf_el_cycle_count cycle_count;
		struct hwf_el_timestamp timestamp;
		struct hwf_ete_instrumentation instrumentation;
		struct hwf_el_no_sync no_sync;
		uint64_t address;
		uint8_t event;
		uint8_t transaction;
		bool overflow;
	} u;
};

/**
 * typedef hwf_flow_fn - takes one flow event
 * @ctx: the taker's own
 * @event: valid during the call only
 */
typedef void hwf_flow_fn(void *ctx, const struct hwf_flow_event *event);

struct hwf_follower_graph;
struct hwf_graph;
struct hwf_steps;

/** typedef hwf_steps_fn - takes executed ranges, many at a time; see graph.h */
typedef void hwf_steps_fn(void *ctx, const struct hwf_steps *steps);

/** HWF_RETURN_STACK - entries of the decoder's return stack; no trace unit has more */
#define HWF_RETURN_STACK 16

/**
 * struct hwf_return_stack - addresses that returns go to
 *
 * A ring: pushing onto a full one drops the oldest. Equal stacks have an equal @hash; the hash of
 * an empty one is 0.
 */
struct hwf_return_stack {
	uint64_t address[HWF_RETURN_STACK];
	uint8_t isa[HWF_RETURN_STACK];
	uint64_t hash;
	uint8_t top;
	uint8_t used;
};

/** hwf_return_stack_flush() - forget all */
void hwf_return_stack_flush(struct hwf_return_stack *stack);

/** hwf_return_stack_push() - remember where a call returns to */
void hwf_return_stack_push(struct hwf_return_stack *stack, uint64_t address, uint8_t isa);

/**
 * hwf_return_stack_pop() - where the newest remembered call returns to
 * @stack: the stack
 * @address: receives it
 * @isa: receives its instruction set, an enum hwf_isa
 *
 * Return: false if the stack is empty.
 */
bool hwf_return_stack_pop(struct hwf_return_stack *stack, uint64_t *address, uint8_t *isa);

/**
 * struct hwf_follower - state of the flow stage
 *
 * Fields are the library's; a caller may read them.
 */
struct hwf_follower {
	const struct hwf_ete_config *config;
	const struct hwf_code *code;
	hwf_flow_fn *sink;
	void *sink_ctx;
	const void *space;
	uint64_t pc;
	struct hwf_context context;
	struct hwf_return_stack stack;
	/* a Q element that waits for its address, and a Context that came between */
	struct hwf_element q;
	struct hwf_element q_context;
	uint8_t is;
	uint8_t isa;
	bool has_pc;
	bool has_context;
	bool pop_pending;
	/* the last element of program flow is an Exception Return of the M profile */
	bool returned;
	uint8_t push_awaits;
	bool q_pending;
	bool q_context_pending;
	bool fresh;
	bool gap_open;
	/* set by the caller: the range of a Source Address is split at each branch not taken */
	bool split_source;
	/* set by the caller, of a decoder: the graph of ranges (graph.h); NULL: each range is
	 * walked anew */
	struct hwf_graph *graph;
	/* how @graph is used; NULL: not at all */
	const struct hwf_follower_graph *by_graph;
	/* set by the caller: receives many ranges at once; NULL: the sink receives each range */
	hwf_steps_fn *steps;
	/* set by the caller: called before the graph is flushed, which clears its counts; or NULL
	 */
	void (*before_flush)(void *ctx, struct hwf_graph *graph);
	/* set by the caller: ranges are counted in the graph and not given; see HWF_FLOW_COUNTED */
	bool counting;
	/* the last executed range was counted: it is the last of @last_chain, or @last_step if
	 * @last_chain is 0 */
	bool last_is_counted;
	uint32_t last_step;
	size_t last_chain;
	struct hwf_jump *last_jump; /* the jump that was counted after that range; or NULL */
	uint32_t number;            /* node at pc; HWF_NODE_NONE if it is not known */
	uint32_t node_flushes;      /* @number is valid while graph->flushes is this number */
	uint64_t steps_offset;      /* offsets of waiting steps are relative to it */
};

/**
 * hwf_follower_init() - begin with neither address nor context
 * @follower: to initialise
 * @config: of the trace unit; must outlive @follower
 * @code: the program; must outlive @follower
 * @sink: takes the events
 * @sink_ctx: its first argument
 */
void hwf_follower_init(struct hwf_follower *follower, const struct hwf_ete_config *config,
		       const struct hwf_code *code, hwf_flow_fn *sink, void *sink_ctx);

/**
 * hwf_follower_push() - take one resolved element
 * @follower: the stage
 * @element: from the P0 stage
 */
void hwf_follower_push(struct hwf_follower *follower, const struct hwf_element *element);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* HWFLOW_FLOW_H */
