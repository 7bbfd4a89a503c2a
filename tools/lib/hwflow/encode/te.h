/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The RISC-V trace encoder's own parts. */
#ifndef HWF_ENCODE_TE_H
#define HWF_ENCODE_TE_H

#include "hwflow/te_encoder.h"

#define TE_MAP_FULL 31u
#define TE_QUEUE    16u /* packets that wait for the sink; a cycle makes no more than that */

/*
 * struct te_item - an instruction that a block begins or ends with, or a trap without one; what
 * stands between is of no interest to the encoder
 *
 * @link: address behind it
 * @trap: enum hwf_te_trap
 * @not_taken: draft: branches not taken from the item before to this one, it included
 */
struct te_item {
	uint64_t address;
	uint64_t link;
	uint64_t tval;
	uint64_t time;
	uint32_t context;
	uint16_t cause;
	uint8_t priv;
	uint8_t trap;
	uint8_t not_taken;
	bool within; /* some of @not_taken may stand before the item itself */
	bool retired;
	bool qualified;
	bool branch;
	bool taken;
	bool uninferable; /* a jump or trap return whose target the program does not tell */
	bool call;
	bool returns;
	bool sijump;
	bool notify; /* its address is asked for */
	bool sync;   /* a synchronisation point is asked for, or the context is new and precise */
	bool discon; /* first of a new context, after a discontinuity */
	bool imprecise;  /* the context is new, to be told of at any time */
	bool updiscon;   /* set by its own step: what follows it has to be reported */
	bool irfail;     /* its return address was not the predicted one */
	bool ir_implied; /* its return address was, and is not reported */
};

/* How the last report of a qualified instruction came about */
enum te_reported {
	TE_NOT_REPORTED,
	TE_REPORTED_ANYWAY,  /* a sync packet, or the target of a discontinuity */
	TE_REPORTED_FOR_END, /* reached without one */
};

/* NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): grouped by what they are for */
struct hwf_te {
	struct hwf_te_options options;
	struct hwf_te_sink sink;
	struct te_item prev, cur;
	bool has_cur;
	/* branches not reported yet */
	uint32_t map;
	uint8_t branches;
	uint64_t predicted; /* of which so many, from the first on, were predicted right */
	bool missed;        /* one of them was not */
	bool last_missed;   /* the newest of them was not */
	uint64_t last_address;
	uint64_t resync_count; /* packets since the last synchronisation */
	bool resync_due;       /* it has just reached max_resync */
	bool resync_now;       /* and exceeds it */
	bool context_due;
	bool sent_sync;     /* the current instruction was sent with format 3, subformat 0 or 1 */
	bool trap_reported; /* the trap of the previous item was reported with it */
	bool updiscon_said; /* post_iss: updiscon of the last step */
	enum te_reported reported;
	/* implicit returns */
	uint64_t *stack;
	uint32_t depth;
	uint32_t top;
	bool ret_since_call;
	bool branch_since_ret;
	uint32_t irets; /* implied since the last branch, or packet with an address */
	/* tables that the decoder mirrors */
	uint8_t *bpred;
	uint64_t *cache;
	/* intake */
	struct hwf_te_filter_state filter;
	uint32_t context;
	bool has_context;
	bool triggered;
	bool finishing;
	/* packets that wait */
	struct hwf_riscv_packet queue[TE_QUEUE];
	uint8_t queue_first;
	uint8_t queued;
	bool lost;
	bool resume; /* the next instruction begins anew, after a loss */
};

/* te_draft.c, te_ratified.c, te_post_iss.c: the algorithm, for the current item */
void hwf_te_step_draft(struct hwf_te *te, const struct te_item *next);
void hwf_te_step_ratified(struct hwf_te *te, const struct te_item *next);
void hwf_te_step_post_iss(struct hwf_te *te, const struct te_item *next);
void hwf_te_close_post_iss(struct hwf_te *te);

/* te_packets.c */
void hwf_te_send_sync(struct hwf_te *te, enum hwf_riscv_type type, const struct te_item *at,
		      const struct te_item *trap, bool thaddr);
void hwf_te_send_map(struct hwf_te *te);
void hwf_te_send_context(struct hwf_te *te);
void hwf_te_send_support(struct hwf_te *te, bool enable, unsigned int qual_status);

/* struct te_flags - what the bits behind an address say */
struct te_flags {
	bool notify;
	bool updiscon;
	bool irreport;
	uint32_t irdepth;
};

void hwf_te_send_address(struct hwf_te *te, const struct te_flags *flags);
uint64_t hwf_te_address_field(const struct hwf_te *te, uint64_t address, bool full);

/* te_send.c */
void hwf_te_send(struct hwf_te *te, const struct hwf_riscv_packet *packet);
/* Packets that wait go out; false where some are left. */
bool hwf_te_drain(struct hwf_te *te);

/* te_predict.c */
void hwf_te_tables_reset(struct hwf_te *te);
void hwf_te_branch(struct hwf_te *te);
/* irets: is the current instruction a return that is to be reported though it could be implied? */
bool hwf_te_return_fails(const struct hwf_te *te, const struct te_item *next);
void hwf_te_branches_clear(struct hwf_te *te);
bool hwf_te_cache_lookup(struct hwf_te *te, uint64_t address, uint32_t *index);
void hwf_te_leave(struct hwf_te *te, const struct te_item *next);

static inline const struct hwf_riscv_params *te_params(const struct hwf_te *te)
{
	return &te->options.config.params;
}

static inline bool te_is_draft(const struct hwf_te *te)
{
	return te->options.config.dialect == HWF_RISCV_DRAFT_026;
}

static inline uint64_t te_mask(unsigned int bits)
{
	return bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

/* Is something in the branch map, or counted as predicted? */
static inline bool te_has_branches(const struct hwf_te *te)
{
	return te->branches || te->predicted;
}

/* A trap without an instruction */
static inline bool te_is_trap_only(const struct te_item *item)
{
	return item->trap && !item->retired;
}

#endif /* HWF_ENCODE_TE_H */
