/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
#ifndef HWF_P0_PRIVATE_H
#define HWF_P0_PRIVATE_H

#include "hwflow/p0.h"

/* HWF_P0_RIDER - in place of an Atom: this P0 element is a rider */
#define HWF_P0_RIDER UINT64_MAX
/* HWF_P0_MOST_ATOMS - no packet has more */
#define HWF_P0_MOST_ATOMS 24u
/* HWF_P0_GIVE_AT - so many committed P0 elements are given, whatever comes next */
#define HWF_P0_GIVE_AT 256u

/*
 * What hwf_p0_push() does with these elements, where nothing is lost. @offset is that of the
 * packet; the stage may lose itself.
 */
void hwf_p0_atoms(struct hwf_p0 *p0, uint64_t offset, const struct hwf_ete_atoms *atoms);
void hwf_p0_target(struct hwf_p0 *p0, uint64_t offset, struct hwf_el_address address);
void hwf_p0_commit(struct hwf_p0 *p0, uint64_t offset, uint32_t number);
void hwf_p0_cancel(struct hwf_p0 *p0, uint64_t offset, uint32_t number);
void hwf_p0_mispredict(struct hwf_p0 *p0, uint64_t offset);
void hwf_p0_cycle_count(struct hwf_p0 *p0, const struct hwf_element *element);

/* Any other element */
void hwf_p0_hold(struct hwf_p0 *p0, const struct hwf_element *element);

/* The rows of a trace unit */
void hwf_p0_rows_init(struct hwf_p0_rows *rows, const struct hwf_ete_config *config);

/*
 * Take packets that are rows, as far as nothing has to be looked at: bytes taken. @offset is that
 * of the first byte; @last receives where the last packet begins, if there is one.
 */
size_t hwf_p0_take_rows(struct hwf_p0 *p0, const struct hwf_p0_rows *rows, uint64_t offset,
			const uint8_t *bytes, size_t length, size_t *last);

/* Give what these have committed and not given yet; hwf_p0_push() does so each time. */
void hwf_p0_give(struct hwf_p0 *p0);

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
