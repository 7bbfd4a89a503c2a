/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Speed of the ETE decoder beside another one's: what both sides are given, and the sums that
 * prove that they found the same.
 */
#ifndef HWFLOW_BENCH_H
#define HWFLOW_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source/input.h"

/* struct bench_region - program code at an address */
struct bench_region {
	uint64_t start;
	uint64_t length;
	uint8_t *bytes;
	const void *space; /* where it was found */
};

/* struct bench_code - the program of some pieces; regions do not overlap */
struct bench_code {
	struct bench_region *regions;
	size_t count;
};

/* struct bench_piece - trace that is decoded in one go; @code indexes the unit's codes */
struct bench_piece {
	uint8_t *bytes;
	size_t length;
	size_t code;
};

/* struct bench_unit - the trace of one trace unit or thread, in memory */
struct bench_unit {
	char *name;
	struct hwf_ete_regs regs;
	struct hwf_ete_config config;
	struct bench_piece *pieces;
	size_t piece_count;
	struct bench_code *codes;
	size_t code_count;
};

/*
 * struct bench_work - one input, a configuration of the trace unit
 * @mixed: a piece has different code at the same addresses: no ranges of it
 * @etmv4: it is of ETMv4s
 * @bytes: of all pieces
 */
struct bench_work {
	char *name;
	struct bench_unit *units;
	size_t unit_count;
	bool mixed;
	bool etmv4;
	uint64_t bytes;
};

/*
 * Read an input into memory, with its program; 0 or an enum exit_status, said on stderr. With
 * @etmv4 the trace is taken as that of an ETMv4: it is one where it has nothing that ETMv4 has not.
 */
int bench_work_open(struct bench_work *work, const char *name, const struct input_options *options,
		    bool etmv4);
void bench_work_close(struct bench_work *work);

/*
 * Find the program of a piece: all code that is next to what it executes. Added to the unit's
 * last code, or to a new one if that has other code at the same addresses. @mixed is
 * set where the piece itself has. 0 or -1 without memory.
 */
int bench_code_gather(struct bench_unit *unit, struct bench_piece *piece,
		      const struct hwf_code *code, bool *mixed);
void bench_code_free(struct bench_code *code);

/*
 * What was found is one sum: each packet, or each range, goes in with all that was decoded of
 * it, in order. A polynomial, so that one difference cannot make up for another; and cheap, or
 * it would hide what is measured. Items are counted in a run of their own.
 */
#define BENCH_K UINT64_C(0x9fb21c651e98df25)

static inline uint64_t bench_rotate(uint64_t value, unsigned int by)
{
	return value << (by & 63) | value >> (-by & 63);
}

/* A packet; @type is an enum hwf_ete_type. What does not fit into @content follows. */
static inline uint64_t bench_fold_packet(uint64_t sum, uint64_t offset, unsigned int type,
					 uint64_t content)
{
	return sum * BENCH_K + (bench_rotate(offset, 40) ^ (bench_rotate(content, 8) + type));
}

static inline uint64_t bench_fold_more(uint64_t sum, uint64_t content)
{
	return sum * BENCH_K + content;
}

static inline uint64_t bench_fold_range(uint64_t sum, uint64_t start, uint64_t end,
					uint32_t instructions, unsigned int isa, bool taken)
{
	return sum * BENCH_K + ((start ^ bench_rotate(end, 40)) + ((uint64_t)instructions << 44) +
				(isa << 1 | taken));
}

/* Content words that take more than one field. Both sides have to agree on them. */

static inline uint64_t bench_atoms(uint32_t bits, unsigned int count)
{
	return (bits & ((1u << count) - 1)) | (uint64_t)count << 24;
}

static inline uint64_t bench_resolve(uint64_t atoms, bool mispredict, uint32_t number)
{
	return atoms | (uint64_t)mispredict << 29 | (uint64_t)number << 32;
}

/* As the packet has it: E1, type, E0 */
static inline uint64_t bench_exception(unsigned int type, unsigned int ee)
{
	return type << 1 | (ee & 1) | (ee & 2) << 5;
}

/* In place of the type, where an address is that of an entry of the address history */
static inline unsigned int bench_exact(unsigned int type, unsigned int entry)
{
	return type | entry << 8;
}

static inline uint64_t bench_context(unsigned int el, unsigned int sf, unsigned int ns,
				     unsigned int nse, bool has_vmid, bool has_cid)
{
	return el | sf << 2 | ns << 3 | nse << 4 | (has_vmid ? 0x20u : 0u) | (has_cid ? 0x40u : 0u);
}

#define BENCH_CONTEXT_SAME 0x80u

static inline uint64_t bench_two(uint32_t low, uint32_t high)
{
	return high * (UINT64_C(1) << 32) + low;
}

/* struct bench_note - the sum behind one packet or range, and what it was */
struct bench_note {
	uint64_t sum;
	uint64_t offset; /* of a packet; first address of a range */
	uint64_t what;   /* type of a packet; address behind a range */
	size_t unit;
	size_t piece;
};

#define BENCH_CHUNK 4096u

/*
 * struct bench_watch - count what a side finds, and find where two sides part: sums at the end
 * of each chunk, then the notes of the chunk that is the first to differ
 * @notes: NULL while sums are wanted
 * @wanted: chunk whose notes are wanted
 * @unit, @piece: where the side is
 */
struct bench_watch {
	uint64_t count;
	uint64_t instructions;
	uint64_t *sums;
	size_t sum_count;
	size_t sum_room;
	struct bench_note *notes;
	size_t note_count;
	size_t wanted;
	size_t unit;
	size_t piece;
	bool failed;
};

/* Called behind each item of a run that is watched; @instructions of a range */
void bench_watch_note(struct bench_watch *watch, uint64_t sum, uint64_t offset, uint64_t what,
		      uint32_t instructions);

/* enum bench_kind - what is measured */
enum bench_kind { BENCH_PACKETS, BENCH_EXACT, BENCH_COUNTS, BENCH_KINDS };

/*
 * struct bench_trouble - what a side could not do
 * @count: gaps, errors and the like
 * @first: text of the first; "" for none
 */
struct bench_trouble {
	uint64_t count;
	char first[200];
};

void bench_trouble_say(struct bench_trouble *trouble, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * struct bench_run - one run of one side, from nothing to the sums
 * @work: the input
 * @repeat: each piece is decoded so often, one time after the other
 * @watch: NULL in all runs that are timed
 * @sum: result
 * @trouble: result
 */
struct bench_run {
	const struct bench_work *work;
	unsigned int repeat;
	struct bench_watch *watch;
	uint64_t sum;
	struct bench_trouble trouble;
};

/* struct bench_side - one decoder; its functions return 0, or -1 where it cannot do it at all */
struct bench_side {
	const char *name;
	const char *(*version)(void);
	int (*run[BENCH_KINDS])(struct bench_run *run);
};

extern const struct bench_side bench_ours;
extern const struct bench_side bench_opencsd;

/* struct bench_cost - CPU time of the process; instructions, 0 where the machine does not say */
struct bench_cost {
	double seconds;
	uint64_t instructions;
};

void bench_meter_open(int core);
void bench_meter_start(void);
struct bench_cost bench_meter_stop(void);

/*
 * The sums differ: say where the sides part, and on which packet or range. True if it is the
 * other side that cannot do better: it says so itself, or it is one of its known faults.
 */
bool bench_explain(const struct bench_work *work, enum bench_kind kind, unsigned int repeat,
		   char *reason, size_t room);

#endif /* HWFLOW_BENCH_H */
