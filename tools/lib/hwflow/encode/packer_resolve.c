/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Atoms, Commit, Cancel and Mispredict, in the fewest packets. */
#include "encode/packer_private.h"

/* ---- Atoms ---- */

/*
 * Number of Atoms in the longest packet that begins with these five, the oldest in bit 0: formats 4
 * and 5. Atoms that begin with three E have format 6.
 */
static uint32_t longest_of_five(uint32_t bits)
{
	switch (bits) {
	case 0x00: /* NNNNN */
	case 0x0a: /* NENEN */
	case 0x15: /* ENENE */
	case 0x1e: /* NEEEE */
		return 5;
	case 0x10: /* NNNN, E */
	case 0x1a: /* NENE, E */
	case 0x05: /* ENEN, N */
	case 0x0e: /* NEEE, N */
		return 4;
	default:
		return 3;
	}
}

static uint32_t longest_of_four(uint32_t bits)
{
	return bits == 0x0 || bits == 0xa || bits == 0x5 || bits == 0xe ? 4 : 3;
}

uint32_t hwf_packer_longest(const struct hwf_ete_atoms *atoms)
{
	uint32_t bits = atoms->bits;
	/* E before the first N; there is no Atom in the highest bits */
	uint32_t run = (uint32_t)__builtin_ctz(~bits);

	if (run >= 3)
		return run < atoms->count ? run + 1 : run;
	if (atoms->count >= 5)
		return longest_of_five(bits & 0x1f);
	if (atoms->count == 4)
		return longest_of_four(bits & 0xf);
	return atoms->count;
}

static uint32_t atom_packets(struct hwf_ete_atoms atoms)
{
	uint32_t packets = 0;

	for (; atoms.count != 0; packets++) {
		uint32_t taken = hwf_packer_longest(&atoms);

		atoms.bits >>= taken;
		atoms.count = (uint8_t)(atoms.count - taken);
	}
	return packets;
}

int hwf_packer_put_atoms(struct hwf_packer_room *room, struct hwf_ete_atoms atoms)
{
	if (atoms.count > 24)
		return HWF_ERR_BAD_PAYLOAD;
	while (atoms.count != 0) {
		uint32_t taken = hwf_packer_longest(&atoms);
		struct hwf_ete_atoms some = {
			.bits = atoms.bits & ((1u << taken) - 1),
			.count = (uint8_t)taken,
		};
		int header = hwf_ete_atoms_header(&some);

		if (header < 0)
			return header;
		if (room->used == room->length)
			return HWF_ERR_NO_SPACE;
		room->bytes[room->used++] = (uint8_t)header;
		atoms.bits >>= taken;
		atoms.count = (uint8_t)(atoms.count - taken);
	}
	return 0;
}

/* ---- speculation resolution ---- */

/* Atoms that a Cancel or Mispredict packet can have */
static const struct hwf_ete_atoms carried[] = {
	{.bits = 0, .count = 0}, /* none */
	{.bits = 1, .count = 1}, /* E */
	{.bits = 3, .count = 2}, /* EE */
	{.bits = 0, .count = 1}, /* N */
};

/* The packet type for Cancel, Mispredict or both; @carries: rows of carried[] that it can have */
static uint8_t resolve_type(const struct hwf_ete_resolve *resolve, unsigned int *carries)
{
	*carries = 4;
	if (resolve->cancel == 0)
		return HWF_ETE_MISPREDICT;
	if (resolve->cancel == 1 && resolve->mispredict)
		return HWF_ETE_CANCEL_F2;
	if (resolve->cancel <= 5 && resolve->mispredict) {
		*carries = 2;
		return HWF_ETE_CANCEL_F3;
	}
	*carries = 1;
	return HWF_ETE_CANCEL_F1;
}

static bool ends_with(const struct hwf_ete_atoms *atoms, const struct hwf_ete_atoms *tail)
{
	return atoms->count >= tail->count &&
	       atoms->bits >> (atoms->count - tail->count) == tail->bits;
}

/* Atoms, then Cancel or Mispredict or both, which have the last Atoms if that saves a packet */
static int put_cancel(struct hwf_packer_room *room, const struct hwf_ete_resolve *resolve)
{
	struct hwf_ete_packet packet = {.u.resolve = *resolve};
	struct hwf_ete_atoms before = resolve->atoms;
	unsigned int carries, best = 0;
	uint32_t fewest = atom_packets(resolve->atoms);
	int error;

	packet.type = resolve_type(resolve, &carries);
	for (unsigned int i = 1; i < carries; i++) {
		struct hwf_ete_atoms rest = resolve->atoms;

		if (!ends_with(&resolve->atoms, &carried[i]))
			continue;
		rest.count = (uint8_t)(rest.count - carried[i].count);
		rest.bits &= (1u << rest.count) - 1;
		if (atom_packets(rest) < fewest) {
			fewest = atom_packets(rest);
			best = i;
			before = rest;
		}
	}
	packet.u.resolve.atoms = carried[best];
	error = hwf_packer_put_atoms(room, before);
	return error != 0 ? error : hwf_packer_put(room, &packet);
}

int hwf_packer_put_resolve(struct hwf_packer_room *room, const struct hwf_ete_resolve *resolve)
{
	struct hwf_ete_resolve rest = *resolve;
	struct hwf_ete_packet packet = {.type = HWF_ETE_COMMIT};
	int error;

	if (resolve->atoms.count > 24)
		return HWF_ERR_BAD_PAYLOAD;
	if (resolve->commit != 0) {
		error = hwf_packer_put_atoms(room, resolve->atoms);
		packet.u.resolve.commit = resolve->commit;
		if (error == 0)
			error = hwf_packer_put(room, &packet);
		if (error != 0)
			return error;
		rest.atoms = carried[0];
		rest.commit = 0;
	}
	if (rest.cancel != 0 || rest.mispredict)
		return put_cancel(room, &rest);
	return hwf_packer_put_atoms(room, rest.atoms);
}

int hwf_packer_resolve(struct hwf_packer *packer, const struct hwf_ete_resolve *resolve,
		       uint8_t *bytes, size_t length)
{
	struct hwf_packer_room room = {.config = packer->config, .bytes = bytes, .length = length};
	int error = hwf_packer_put_resolve(&room, resolve);

	return error != 0 ? error : (int)room.used;
}
