/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
#ifndef HWF_P0_PRIVATE_H
#define HWF_P0_PRIVATE_H

#include "hwflow/p0.h"

/* HWF_P0_RIDER - in place of an Atom: this P0 element is a rider */
#define HWF_P0_RIDER UINT64_MAX
/* HWF_P0_MOST_ATOMS - no packet has more */
#define HWF_P0_MOST_ATOMS 24u

/*
 * What hwf_p0_push() does with these elements, where nothing is lost. @offset is that of the
 * packet; the stage may lose itself.
 */
void hwf_p0_atoms(struct hwf_p0 *p0, uint64_t offset, const struct hwf_ete_atoms *atoms);
void hwf_p0_target(struct hwf_p0 *p0, uint64_t offset, struct hwf_el_address address);
void hwf_p0_commit(struct hwf_p0 *p0, uint64_t offset, uint32_t number);
void hwf_p0_cancel(struct hwf_p0 *p0, uint64_t offset, uint32_t number);
void hwf_p0_mispredict(struct hwf_p0 *p0, uint64_t offset);

/* Any other element */
void hwf_p0_hold(struct hwf_p0 *p0, const struct hwf_element *element);

/* Give what these have committed and not given yet; hwf_p0_push() does so each time. */
void hwf_p0_give(struct hwf_p0 *p0);

#endif /* HWF_P0_PRIVATE_H */
