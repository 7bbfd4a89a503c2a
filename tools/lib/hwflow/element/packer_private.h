/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Between the files of the packer. */
#ifndef HWF_PACKER_PRIVATE_H
#define HWF_PACKER_PRIVATE_H

#include "hwflow/element.h"

/* Room that is left, and how much of it is taken. */
struct hwf_packer_room {
	const struct hwf_ete_config *config;
	uint8_t *bytes;
	size_t length;
	size_t used;
};

/* Write a packet, Atoms in the fewest packets, a resolution; return 0 or an error. */
int hwf_packer_put(struct hwf_packer_room *room, const struct hwf_ete_packet *packet);
int hwf_packer_put_atoms(struct hwf_packer_room *room, struct hwf_ete_atoms atoms);
int hwf_packer_put_resolve(struct hwf_packer_room *room, const struct hwf_ete_resolve *resolve);

#endif /* HWF_PACKER_PRIVATE_H */
