/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * A PE to test the trace unit with: it runs random programs, tells the trace unit what it executes,
 * and keeps a list of its own of what ought to be found in the trace.
 */
#ifndef HWF_TU_MODEL_H
#define HWF_TU_MODEL_H

#include "hwflow/flow.h"
#include "hwflow/p0.h"
#include "hwflow/trace_unit.h"

#define MODEL_EL0    UINT64_C(0x400000)
#define MODEL_EL1    UINT64_C(0xffff800008000000)
#define MODEL_A32    UINT64_C(0x10000)
#define MODEL_T32    UINT64_C(0x20000)
#define MODEL_WORDS  512
#define MODEL_HALVES 1024
#define MODEL_STACK  64

/* Instruction words */
#define NOP    0xd503201fu
#define ISB    0xd5033fdfu
#define WFI    0xd503207fu
#define SVC    0xd4000001u
#define ERET   0xd69f03e0u
#define RET    0xd65f03c0u
#define BR     0xd61f0200u
#define BLR    0xd63f0220u
#define B      0x14000000u
#define BL     0x94000000u
#define B_COND 0x54000000u
#define CBZ    0xb4000000u
#define TSTART 0xd5233060u

#define MODEL_BYTES (4u << 20)
#define MODEL_ITEMS (1u << 20)

/* TRCCONFIGR */
#define MODEL_BB   (1u << 3)
#define MODEL_CCI  (1u << 4)
#define MODEL_VMID (1u << 7)
#define MODEL_CID  (1u << 6)
#define MODEL_TS   (1u << 11)
#define MODEL_RS   (1u << 12)
#define MODEL_QE1  (1u << 13)
#define MODEL_QE3  (3u << 13)

/* TRCIDR0 */
#define MODEL_COMMOPT   (1u << 29)
#define MODEL_COMMTRANS (1u << 30)
#define MODEL_IDR0      (1u | 1u << 5 | 1u << 7 | 1u << 9 | 3u << 15 | 1u << 22 | 8u << 24)
#define MODEL_TSMARK    (1u << 23)

enum item_kind {
	ITEM_ON,        /* trace begins here, or again */
	ITEM_INSN,      /* value: address */
	ITEM_EXCEPTION, /* value: preferred return address */
	ITEM_Q,         /* decoded only; value: where it goes on */
	ITEM_ON_LOST,   /* decoded only: trace was lost before */
	ITEM_FAILED, /* executed only: a transaction failed; what came before it is not all known */
	ITEM_BAD,    /* decoded only: trace and code do not fit */
};

struct item {
	uint64_t value;
	uint64_t offset; /* in the trace, if decoded */
	uint32_t cid;
	uint32_t count; /* of ITEM_Q; 0 for unknown */
	uint8_t kind;
	uint8_t el;
	uint8_t isa;
	uint16_t type;
	bool eret;
	bool optional; /* executed after the last P0 element */
};

struct items {
	struct item *item;
	size_t count;
	size_t room;
};

/* Append an item; there are at most MODEL_ITEMS. */
void model_add(struct items *items, const struct item *item);

struct frame {
	uint64_t pc;
	uint32_t cid;
	unsigned int it_left;
	enum hwf_isa isa;
	uint8_t el;
};

/* A return address */
struct call {
	uint64_t pc;
	enum hwf_isa isa;
};

/* T32 code: where instructions begin, and which may be branched to */
struct t32 {
	uint16_t half[MODEL_HALVES];
	uint16_t start[MODEL_HALVES];
	uint8_t kind[MODEL_HALVES];
	unsigned int count;
};

#define MODEL_BATCH 40

struct model {
	/* decoded: exception returns by the program, and as the trace, or the program, says them */
	unsigned int erets;
	unsigned int exception_returns;
	/* what to do; set by the test */
	struct hwf_tu_options options;
	uint32_t random;
	unsigned int exceptions; /* one in so many instructions; 0: none */
	unsigned int gaps;
	unsigned int syncs;
	unsigned int events;
	unsigned int lost_writes;           /* one in so many writes fails */
	unsigned int moves;                 /* the trace unit moves, after so many instructions */
	const struct hwf_tu_options *other; /* its ranges come after 200 instructions */
	unsigned int transactions;          /* one ends in so many instructions; 0: none begin */
	bool contexts;
	bool blocks;
	bool runs;     /* with blocks: with the P0 instruction at their end, in one */
	bool batches;  /* with runs: many runs of A64 in one */
	bool timeless; /* all timestamps are equal */
	bool aarch32;  /* some of what runs at EL0 is A32 and T32 */
	/* the PE */
	uint32_t code[2][MODEL_WORDS];
	uint32_t a32[MODEL_WORDS];
	struct t32 t32;
	uint64_t pc;
	enum hwf_isa isa;
	unsigned int it_left;
	uint32_t cid;
	uint8_t el;
	struct frame frame[MODEL_STACK];
	unsigned int frames;
	struct call call[3][MODEL_STACK]; /* A64 at EL0 and EL1, AArch32 */
	unsigned int calls[3];
	uint64_t restart; /* where a transaction that fails goes on */
	bool in_transaction;
	bool open; /* the last instruction or exception was traced */
	uint64_t block;
	unsigned int block_insns;
	unsigned int block_bytes;
	struct hwf_tu_run batch[MODEL_BATCH + 1]; /* and where the last one went on */
	struct hwf_tu_code batch_code[MODEL_BATCH];
	unsigned int batch_runs;
	unsigned int batched; /* for tests: runs that were told in batches of more than one */
	uint64_t now;
	uint64_t instructions;
	/* what comes out */
	struct hwf_tu *unit;
	void *memory;
	struct hwf_ete_config config;
	struct hwf_tu_port port;
	struct hwf_code image;
	uint8_t *bytes;
	size_t length;
	size_t room; /* bytes there */
	unsigned int writes_lost;
	struct items executed;
	struct items decoded;
	struct hwf_context context; /* while decoding */
	char text[4096];
	size_t text_from;
	size_t seen; /* for tests: so much of the trace was looked at */
	/* for tests: how often these were executed */
	unsigned int interworking, it_not_taken, exceptions_t32, exceptions_a32;
};

/* Ready to run, with options that the test may change before model_start(). */
struct model *model_new(uint32_t seed);
void model_free(struct model *model);
/* Make the trace unit and enable it; returns what hwf_tu_init() does. */
int model_start(struct model *model);

/* A model for a directed sequence: commit mode 1, and @configr in TRCCONFIGR */
struct model *model_directed(uint32_t configr);
/* Start, which must not fail; the other one executes a branch, too, and expects its trace. */
void model_begin(struct model *model);
void model_begin_traced(struct model *model);
void model_run(struct model *model, unsigned int instructions);
/* Disable the trace unit. */
void model_stop(struct model *model);

uint32_t model_random(struct model *model, uint32_t below);

/* One instruction of the given kind at model->pc, taken or not, going to @next */
void model_execute(struct model *model, uint32_t opcode, bool taken, uint64_t next);
void model_nop(struct model *model);
void model_move(struct model *model);
/* B.cond, 16 bytes on */
void model_branch(struct model *model, bool taken);
void model_exception(struct model *model, uint8_t type, uint64_t ret);
void model_set_context(struct model *model, uint8_t el, uint32_t cid);

/* Decode from a byte of the trace on; the result is in model->decoded. */
void model_decode(struct model *model, size_t from);
/* Does what was decoded fit what was executed? @anywhere: it may begin in the midst of it. */
bool model_matches(const struct model *model, bool anywhere);
/* The element stream, nothing resolved */
void model_elements(struct model *model, hwf_element_fn *sink, void *ctx);
/* The elements from a byte on as text: "TI(0) ON CTX(0,1) TA(400000) E EXC(2,400010)" */
const char *model_text(struct model *model, size_t from);
/* Flush; all elements since the last time must be @text. */
void model_expect(struct model *model, const char *text);
/* Cancels that reach behind a Trace Info */
unsigned int model_canceled_syncs(struct model *model);
/* Offset of the next Alignment Synchronisation packet from @from on; model->length if none */
size_t model_next_sync(const struct model *model, size_t from);

uint32_t model_word(const struct model *model, uint64_t pc, bool *there);

/* Between the files of the model: an instruction executed at model->pc, going to @next */
void model_run_insn(struct model *model, const struct hwf_insn *insn, bool taken,
		    const struct call *next);
void model_call(struct model *model, const struct hwf_insn *insn, const struct call *next);
bool model_return(struct model *model, struct call *next);
void model_begin_transaction(struct model *model);
void model_end_transaction(struct model *model, bool failed);
/* AArch64; transactions begin where nothing was */
void model_a64_program(struct model *model);
void model_a64_transactions(struct model *model);
uint64_t model_a64_anywhere(struct model *model);
void model_a64_step(struct model *model);
/* AArch32 */
void model_aarch32_program(struct model *model);
struct call model_aarch32_anywhere(struct model *model);
void model_aarch32_step(struct model *model);

#endif /* HWF_TU_MODEL_H */
