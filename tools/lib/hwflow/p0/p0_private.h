/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
#ifndef HWF_P0_PRIVATE_H
#define HWF_P0_PRIVATE_H

#include "hwflow/p0.h"

struct hwf_recent;

/* HWF_P0_RIDER - in place of an Atom: this P0 element is a rider */
#define HWF_P0_RIDER UINT64_MAX
/* HWF_P0_MOST_ATOMS - no packet has more */
#define HWF_P0_MOST_ATOMS 24u
/* HWF_P0_GIVE_AT - so many committed P0 elements are given, whatever comes next */
#define HWF_P0_GIVE_AT 256u

/* HWF_P0_ENTRY - bytes of a P0 element in the ring */
#define HWF_P0_ENTRY ((uint32_t)sizeof(uint64_t))

static inline struct hwf_element *hwf_p0_rider(const struct hwf_p0 *p0, uint32_t index)
{
	return &p0->riders[(p0->first + index) & p0->rider_mask];
}

/* How many P0 elements had been seen when this rider came, as p0->tail counts them */
static inline uint32_t *hwf_p0_position(const struct hwf_p0 *p0, uint32_t index)
{
	return &p0->positions[(p0->first + index) & p0->rider_mask];
}

static inline uint64_t *hwf_p0_entry(const struct hwf_p0 *p0, uint32_t at)
{
	return &p0->entries[at & p0->entry_mask];
}

static inline struct hwf_p0_beside *hwf_p0_beside(const struct hwf_p0 *p0, uint32_t at)
{
	return &p0->beside[at & p0->entry_mask];
}

/* P0 elements that wait, those from before the start of trace not counted */
static inline uint32_t hwf_p0_waiting(const struct hwf_p0 *p0)
{
	return p0->tail - p0->committed;
}

_Static_assert(HWF_EL_ATOM < HWF_EL_EXCEPTION && HWF_EL_EXCEPTION < HWF_EL_TRANSACTION_START &&
		       HWF_EL_SOURCE_ADDRESS < HWF_EL_TRANSACTION_START &&
		       HWF_EL_Q < HWF_EL_TRANSACTION_START && HWF_EL_TRANSACTION_START == 4,
	       "P0 elements come first");

/*
 * Is it a P0 element, where it is no Atom? Not always is a Transaction Start (R_CTLXL), nor an
 * Exception Return.
 */
static inline bool hwf_p0_is_rider(const struct hwf_p0 *p0, const struct hwf_element *element)
{
	switch (element->kind) {
	case HWF_EL_TRANSACTION_START:
		return p0->config->start_is_p0;
	case HWF_EL_EXCEPTION_RETURN:
		return p0->config->eret_is_p0;
	case HWF_EL_FUNCTION_RETURN:
		return true;
	default:
		return element->kind < HWF_EL_TRANSACTION_START;
	}
}

/* The oldest rider leaves; it may be a P0 element itself. */
static inline void hwf_p0_drop_oldest(struct hwf_p0 *p0)
{
	if (hwf_p0_is_rider(p0, hwf_p0_rider(p0, 0)))
		p0->head++;
	p0->first++;
	p0->used--;
}

/*
 * What hwf_p0_push() does with these elements, where nothing is lost. @offset is that of the
 * packet; the stage may lose itself.
 */
void hwf_p0_atoms(struct hwf_p0 *p0, uint64_t offset, const struct hwf_ete_atoms *atoms);
void hwf_p0_target(struct hwf_p0 *p0, uint64_t offset, struct hwf_el_address address);
void hwf_p0_commit(struct hwf_p0 *p0, uint64_t offset, uint32_t number);
void hwf_p0_cancel(struct hwf_p0 *p0, uint64_t offset, uint32_t number);
void hwf_p0_mispredict(struct hwf_p0 *p0, uint64_t offset);
void hwf_p0_cycle_count(struct hwf_p0 *p0, uint64_t offset, struct hwf_el_cycle_count count);

/* Any other element */
void hwf_p0_hold(struct hwf_p0 *p0, const struct hwf_element *element);

/* The rows of a trace unit */
void hwf_p0_rows_init(struct hwf_p0_rows *rows, const struct hwf_ete_config *config);

/*
 * Take packets that are rows, as far as nothing has to be looked at: bytes taken. @offset is that
 * of the first byte; @last receives where the last packet begins, if there is one. What they commit
 * is not given.
 */
size_t hwf_p0_take_rows(struct hwf_p0 *p0, const struct hwf_p0_rows *rows,
			struct hwf_recent *recent, uint64_t offset, const uint8_t *bytes,
			size_t length, size_t *last);

/* The same with cycle counts, @threshold of the Trace Info */
size_t hwf_p0_take_counted(struct hwf_p0 *p0, const struct hwf_p0_rows *rows,
			   struct hwf_recent *recent, uint32_t threshold, uint64_t offset,
			   const uint8_t *bytes, size_t length, size_t *last);

/* An exception stands in place of an Atom. */
static inline void hwf_p0_set_exception(struct hwf_p0_beside *beside,
					const struct hwf_el_exception *exception)
{
	beside->ret = exception->ret.value | exception->ret.is;
	beside->type = exception->type;
	beside->ret_is_target = exception->ret_is_target;
}

/* struct hwf_p0_exception - an Exception packet, and the Target Address that completes it */
struct hwf_p0_exception {
	struct hwf_el_exception element;
	size_t first; /* bytes of the first packet */
	size_t size;  /* of both */
};

/* HWF_P0_EXCEPTION_HEADER - of an Exception packet */
#define HWF_P0_EXCEPTION_HEADER 0x06

/*
 * As take_exception() and take_target() of the element stage, where the first byte is that of an
 * Exception packet: false for any other packets. There are HWF_WORDS_ROOM bytes at least.
 */
bool hwf_p0_take_exception(struct hwf_recent *recent, const uint8_t *bytes,
			   struct hwf_p0_exception *taken);

/* Give what these have committed and not given yet; hwf_p0_push() does so each time. */
void hwf_p0_give(struct hwf_p0 *p0);

static inline void hwf_p0_give_due(struct hwf_p0 *p0)
{
	if (p0->committed - p0->head >= HWF_P0_GIVE_AT)
		hwf_p0_give(p0);
}

/* hwf_p0_atoms(), in line for what most packets have */
static inline void hwf_p0_few_atoms(struct hwf_p0 *p0, uint64_t offset,
				    const struct hwf_ete_atoms *atoms)
{
	uint32_t at = p0->tail & p0->entry_mask;
	uint32_t tail = p0->tail + atoms->count;

	if (atoms->count > 4 || at + 4 > p0->entry_mask ||
	    tail - p0->head > p0->entry_mask - HWF_P0_MOST_ATOMS ||
	    tail - p0->committed + p0->unseen > p0->config->max_spec) {
		hwf_p0_atoms(p0, offset, atoms);
		return;
	}
	/* four cost less than not to know how many */
	for (uint32_t i = 0; i < 4; i++)
		p0->entries[at + i] = HWF_P0_ATOM(offset, atoms->bits >> i & 1);
	p0->entries[at] |= p0->targeted ? HWF_P0_TARGETED : 0;
	p0->targeted = false;
	p0->tail = tail;
}

/* hwf_p0_commit(), likewise */
static inline void hwf_p0_commit_seen(struct hwf_p0 *p0, uint64_t offset, uint32_t number)
{
	if (p0->unseen || number > p0->tail - p0->committed ||
	    p0->committed + number - p0->head >= HWF_P0_GIVE_AT)
		hwf_p0_commit(p0, offset, number);
	else
		p0->committed += number;
}

#endif /* HWF_P0_PRIVATE_H */
