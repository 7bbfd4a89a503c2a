/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* What the files of the trace unit share. */
#ifndef HWF_ENCODE_TU_H
#define HWF_ENCODE_TU_H

#include "hwflow/trace_unit.h"

/* Reasons to look twice at the next instruction: 0 is the common case. */
#define TU_ATT_DISABLED 0x01u
#define TU_ATT_GAP      0x02u /* Trace On comes before anything else */
#define TU_ATT_TARGET   0x04u /* the target of the newest P0 element is not output yet */
#define TU_ATT_CONTEXT  0x08u /* the context may have changed */
#define TU_ATT_SYNC     0x10u /* a synchronisation is due: sync_due */
#define TU_ATT_START    0x20u /* a Transaction Start is due */
#define TU_ATT_Q        0x40u /* the open Q element ends here */
#define TU_ATT_SHOW     0x80u /* filtered, but the next P0 element shows what was not */

/* Reasons to do more than add an Atom, with a P0 instruction */
#define TU_DUE_CC       0x01u /* the next Commit has a Cycle Count */
#define TU_DUE_TS       0x02u /* a Timestamp is requested */
#define TU_DUE_TS_VALUE 0x04u /* a Timestamp Marker waits for its Timestamp */
#define TU_DUE_SPEC     0x08u /* speculation mode */

/* What may stand in for an Atom */
#define TU_SPECIAL_Q      0x01u
#define TU_SPECIAL_SOURCE 0x02u
#define TU_SPECIAL_SPEC   0x04u

/* How the target of the newest P0 element is made known */
enum tu_target {
	TU_TARGET_PLAIN,  /* by Target Address, or by an exception before it */
	TU_TARGET_RETURN, /* the return stack may know it */
	TU_TARGET_FORCED, /* by Target Address, whatever comes next */
};

enum tu_sync {
	TU_SYNC_NONE,
	TU_SYNC_PERIODIC,
	TU_SYNC_NONPERIODIC,
};

/* The output buffer is drained at TU_OUT_HIGH; one call must not write the rest of it. */
#define TU_OUT_SIZE 4096
#define TU_OUT_HIGH 256

#define TU_GUESSES 4

struct tu_place {
	uint64_t pc;
	enum hwf_isa isa;
};

/* A P0 instruction that was executed */
struct tu_step {
	struct tu_place at;
	struct tu_place next;
	const struct hwf_insn *insn;
	bool taken;
};

/* R_GZSSX: what has to be output after a Trace Info before calls are pushed */
#define TU_AWAITS_ADDRESS 0x1u
#define TU_AWAITS_CONTEXT 0x2u

struct tu_return_stack {
	struct tu_place entry[HWF_TU_RETURN_STACK];
	uint8_t top;
	uint8_t used;
	uint8_t awaits;
};

struct hwf_tu {
	/* read with every instruction */
	uint64_t next_pc;
	uint64_t window_low;
	uint64_t window_span;
	uint64_t tick; /* instructions until an interval ends */
	uint32_t attention;
	uint32_t exec; /* traced instructions since the newest P0 element */
	/* read with every P0 instruction */
	uint32_t due;
	uint32_t special;
	struct hwf_ete_atoms atoms; /* not output yet */
	uint32_t depth;             /* uncommitted P0 elements */
	uint32_t depth_limit;       /* 0: each P0 element commits itself */
	uint32_t used;              /* of out */
	enum hwf_isa next_isa;
	bool window_traced;
	bool el_traced;
	bool active; /* ViewInst was active for the last instruction */
	bool return_stack_on;
	bool broadcast_on;
	bool overrun; /* out had no room */
	/* where execution went on after the newest P0 element */
	struct tu_place target;
	enum tu_target target_how;
	bool target_is_cse; /* the newest P0 element is a Context synchronization event */
	bool redirect;      /* execution goes on where the next instruction says */
	bool omitted;       /* the decoder takes the target from its return stack */
	bool lost;          /* trace was lost since the last Trace Info */
	struct tu_return_stack stack;
	/* synchronisation */
	enum tu_sync sync_due;
	bool sync_aligned;   /* its Alignment Synchronisation is out already */
	bool overflow_due;   /* an Overflow packet comes before it */
	bool sync_requested; /* once at least: request_mark holds */
	uint64_t output;     /* bytes, ever */
	uint64_t sync_mark;
	uint64_t request_mark;
	/* time */
	uint64_t cycles;
	uint64_t cycles_max;
	uint64_t timestamp;
	uint32_t timestamp_cycles;
	bool cycles_unknown;
	uint64_t tick_loaded;
	uint64_t timestamp_left;
	uint64_t event_left;
	/* transactions */
	bool transaction;        /* the PE is in Transactional state */
	bool transaction_traced; /* the trace says so */
	/* Q and Source Address elements */
	struct tu_step q_last; /* its insn is q_insn */
	struct hwf_insn q_insn;
	uint32_t q_last_exec; /* exec with it */
	uint32_t q_wait;
	uint32_t q_left;
	uint32_t source_wait;
	bool q_open;
	bool q_uncounted_allowed;
	/* speculation */
	uint64_t random;
	struct tu_place guess[TU_GUESSES];
	uint8_t guesses;
	bool synced; /* a Trace Info was output since the wrong path began */
	bool defer;  /* its Context and Target Address come after the next P0 element (I_CHTFM) */

	struct hwf_context context;
	struct hwf_packer packer;
	struct hwf_ete_config config;
	struct hwf_tu_options options;
	struct hwf_tu_port port;
	uint8_t out[TU_OUT_SIZE];
};

static inline uint8_t tu_is(enum hwf_isa isa)
{
	return isa == HWF_ISA_T32;
}

static inline bool tu_same_place(const struct tu_place *a, const struct tu_place *b)
{
	return a->pc == b->pc && a->isa == b->isa;
}

static inline struct hwf_el_address tu_address(const struct tu_place *place)
{
	return (struct hwf_el_address){.value = place->pc, .is = tu_is(place->isa)};
}

/* tu_out.c: elements into bytes, bytes out */
void hwf_tu_put(struct hwf_tu *unit, const struct hwf_element *element);
void hwf_tu_put_bare(struct hwf_tu *unit, enum hwf_element_kind kind);
void hwf_tu_put_align_sync(struct hwf_tu *unit);
void hwf_tu_put_address_context(struct hwf_tu *unit, const struct tu_place *place);
void hwf_tu_put_address(struct hwf_tu *unit, const struct tu_place *place);
void hwf_tu_put_context(struct hwf_tu *unit);
void hwf_tu_put_atoms(struct hwf_tu *unit);
void hwf_tu_put_longest(struct hwf_tu *unit);
void hwf_tu_put_resolve(struct hwf_tu *unit, uint32_t cancel, bool mispredict);
void hwf_tu_commit(struct hwf_tu *unit, uint32_t number);
void hwf_tu_commit_all(struct hwf_tu *unit);
void hwf_tu_make_room(struct hwf_tu *unit);
void hwf_tu_drain(struct hwf_tu *unit);

static inline void tu_add_atom(struct hwf_tu *unit, bool taken)
{
	unit->atoms.bits |= (uint32_t)taken << unit->atoms.count;
	if (++unit->atoms.count >= 24)
		hwf_tu_put_longest(unit);
}

/* One more P0 element was generated. */
static inline void tu_count_p0(struct hwf_tu *unit)
{
	if (unit->depth_limit != 0)
		unit->depth++;
	unit->exec = 0;
	unit->omitted = false;
}

static inline void tu_done(struct hwf_tu *unit)
{
	if (unit->used >= TU_OUT_HIGH)
		hwf_tu_drain(unit);
}

/* tu_filter.c: what is traced */
void hwf_tu_window(struct hwf_tu *unit, uint64_t pc);
bool hwf_tu_wants(const struct hwf_tu *unit, uint64_t pc);
bool hwf_tu_broadcasts(const struct hwf_tu *unit, uint64_t pc);
bool hwf_tu_q_permitted(const struct hwf_tu *unit, uint64_t first, uint64_t last);

/* tu_place.c: what comes before the next P0 element */
void hwf_tu_settle_place(struct hwf_tu *unit);
void hwf_tu_sync_now(struct hwf_tu *unit);
void hwf_tu_sync_due(struct hwf_tu *unit);
bool hwf_tu_prepare_result(struct hwf_tu *unit);
void hwf_tu_give_up_transaction(struct hwf_tu *unit);

/* tu_attend.c: what is traced, and when tracing pauses */
bool hwf_tu_attend(struct hwf_tu *unit, const struct tu_place *at);
void hwf_tu_begin(struct hwf_tu *unit, const struct tu_place *at);
void hwf_tu_leave(struct hwf_tu *unit);
void hwf_tu_redirected(struct hwf_tu *unit, const struct tu_place *at);

/* tu_random.c */
uint32_t hwf_tu_random(struct hwf_tu *unit, uint32_t below);

static inline bool tu_chance(struct hwf_tu *unit, uint32_t one_in)
{
	return hwf_tu_random(unit, one_in) == 0;
}

/* tu_return_stack.c */
void hwf_tu_stack_flush(struct tu_return_stack *stack);
void hwf_tu_stack_push(struct tu_return_stack *stack, uint64_t pc, enum hwf_isa isa);
bool hwf_tu_stack_match(struct tu_return_stack *stack, const struct tu_place *target);

/* tu_step.c: what a P0 element leaves behind */
bool hwf_tu_context_due(const struct hwf_tu *unit);
void hwf_tu_force_place(struct hwf_tu *unit);
void hwf_tu_called(struct hwf_tu *unit, const struct tu_step *step);
void hwf_tu_moved(struct hwf_tu *unit, const struct tu_step *step);
void hwf_tu_settle(struct hwf_tu *unit);

/* tu_align.c: the packets of a synchronisation */
void hwf_tu_align(struct hwf_tu *unit);
void hwf_tu_sync_begin(struct hwf_tu *unit);

/* tu_time.c */
void hwf_tu_tick(struct hwf_tu *unit);
void hwf_tu_load_tick(struct hwf_tu *unit);
void hwf_tu_put_timestamp(struct hwf_tu *unit);
void hwf_tu_take_timestamp(struct hwf_tu *unit);

static inline void tu_want_timestamp(struct hwf_tu *unit)
{
	if ((unit->options.regs.trcconfigr & 1u << 11) != 0)
		unit->due |= TU_DUE_TS;
}

/* tu_queue.c: Q elements, as they end */
void hwf_tu_q_end(struct hwf_tu *unit, const struct tu_place *next);
void hwf_tu_q_cut(struct hwf_tu *unit);

/* tu_special.c: what stands in for an Atom */
bool hwf_tu_special_p0(struct hwf_tu *unit, const struct tu_step *step);

/* tu_spec.c: speculation */
bool hwf_tu_spec_branch(struct hwf_tu *unit, const struct tu_step *step);
void hwf_tu_spec_exception(struct hwf_tu *unit, const struct tu_place *ret);
void hwf_tu_spec_target(struct hwf_tu *unit);

#endif /* HWF_ENCODE_TU_H */
