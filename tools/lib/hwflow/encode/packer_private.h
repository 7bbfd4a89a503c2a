/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Functions that the files of the packer share. */
#ifndef HWF_ENCODE_PACKER_PRIVATE_H
#define HWF_ENCODE_PACKER_PRIVATE_H

#include "hwflow/element.h"

/* struct hwf_packer_room - memory for packets; @used bytes of @length are written */
struct hwf_packer_room {
	const struct hwf_ete_config *config;
	uint8_t *bytes;
	size_t length;
	size_t used;
};

/* Write one packet; Atoms in the fewest packets; a resolution. Return: 0 or an error */
int hwf_packer_put(struct hwf_packer_room *room, const struct hwf_ete_packet *packet);
int hwf_packer_put_atoms(struct hwf_packer_room *room, struct hwf_ete_atoms atoms);
int hwf_packer_put_resolve(struct hwf_packer_room *room, const struct hwf_ete_resolve *resolve);

#endif /* HWF_ENCODE_PACKER_PRIVATE_H */
