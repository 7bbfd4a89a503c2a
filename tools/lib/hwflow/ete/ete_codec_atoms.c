/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Atoms: spec/ete-packets.md section 9. */
#include "ete/ete_private.h"

/* Formats 4 and 5 encode a few patterns only; bit 0 is the oldest Atom, set for E. */
static const uint8_t f4_bits[4] = {0xe /* NEEE */, 0x0 /* NNNN */, 0xa /* NENE */, 0x5 /* ENEN */};

struct f5_row {
	uint8_t header;
	uint8_t bits;
};

static const struct f5_row f5_rows[4] = {
	{0xd5, 0x00 /* NNNNN */},
	{0xd6, 0x0a /* NENEN */},
	{0xd7, 0x15 /* ENENE */},
	{0xf5, 0x1e /* NEEEE */},
};

/* Format 6: bits 4:0 plus 3 are E, then comes one more: E, or N if bit 5 is set. */
static struct hwf_ete_atoms f6_atoms(uint8_t header)
{
	unsigned int e = (header & 0x1f) + 3u;

	return (struct hwf_ete_atoms){
		.bits = ((1u << e) - 1) | (header & 0x20 ? 0 : 1u << e),
		.count = (uint8_t)(e + 1),
	};
}

int hwf_ete_decode_atoms(const struct hwf_ete_config *config, struct hwf_cursor *cursor,
			 struct hwf_ete_packet *packet)
{
	struct hwf_ete_atoms *atoms = &packet->u.atoms;
	uint8_t header = packet->header;

	(void)config;
	(void)cursor;
	switch (packet->type) {
	case HWF_ETE_ATOM_F1:
		*atoms = (struct hwf_ete_atoms){.bits = header & 1, .count = 1};
		break;
	case HWF_ETE_ATOM_F2:
		*atoms = (struct hwf_ete_atoms){.bits = header & 3, .count = 2};
		break;
	case HWF_ETE_ATOM_F3:
		*atoms = (struct hwf_ete_atoms){.bits = header & 7, .count = 3};
		break;
	case HWF_ETE_ATOM_F4:
		*atoms = (struct hwf_ete_atoms){.bits = f4_bits[header & 3], .count = 4};
		break;
	case HWF_ETE_ATOM_F5:
		/* 0xd5 to 0xd7 and 0xf5 */
		*atoms = (struct hwf_ete_atoms){
			.bits = f5_rows[header == 0xf5 ? 3 : header - 0xd5].bits, .count = 5};
		break;
	default:
		*atoms = f6_atoms(header);
		break;
	}
	return 0;
}

static bool f6_fits(const struct hwf_ete_atoms *atoms)
{
	uint32_t all_but_last;

	if (atoms->count < 4 || atoms->count > 24)
		return false;
	all_but_last = (1u << (atoms->count - 1)) - 1;
	return (atoms->bits & all_but_last) == all_but_last && !(atoms->bits >> atoms->count);
}

int hwf_ete_atoms_packet(const struct hwf_ete_atoms *atoms)
{
	if (atoms->count == 0 || atoms->count > 24 || atoms->bits >> atoms->count)
		return HWF_ERR_BAD_PAYLOAD;
	if (atoms->count == 1)
		return HWF_ETE_ATOM_F1;
	if (atoms->count == 2)
		return HWF_ETE_ATOM_F2;
	if (atoms->count == 3)
		return HWF_ETE_ATOM_F3;
	for (unsigned int i = 0; i < 4; i++) {
		if (atoms->count == 4 && atoms->bits == f4_bits[i])
			return HWF_ETE_ATOM_F4;
		if (atoms->count == 5 && atoms->bits == f5_rows[i].bits)
			return HWF_ETE_ATOM_F5;
	}
	return f6_fits(atoms) ? HWF_ETE_ATOM_F6 : HWF_ERR_BAD_PAYLOAD;
}

static int atoms_header(unsigned int type, const struct hwf_ete_atoms *atoms)
{
	switch (type) {
	case HWF_ETE_ATOM_F4:
		for (unsigned int i = 0; i < 4; i++) {
			if (atoms->bits == f4_bits[i])
				return (int)(0xdc | i);
		}
		return HWF_ERR_BAD_PAYLOAD;
	case HWF_ETE_ATOM_F5:
		for (unsigned int i = 0; i < 4; i++) {
			if (atoms->bits == f5_rows[i].bits)
				return f5_rows[i].header;
		}
		return HWF_ERR_BAD_PAYLOAD;
	default:
		return (int)(0xc0u | (atoms->count - 4u) |
			     (atoms->bits >> (atoms->count - 1) ? 0u : 0x20u));
	}
}

int hwf_ete_encode_atoms(const struct hwf_ete_config *config, const struct hwf_ete_packet *packet,
			 uint8_t header, struct hwf_writer *writer)
{
	const struct hwf_ete_atoms *atoms = &packet->u.atoms;
	int byte;

	(void)config;
	if (hwf_ete_atoms_packet(atoms) != packet->type)
		return HWF_ERR_BAD_PAYLOAD;
	if (atoms->count <= 3)
		byte = header | (int)atoms->bits;
	else
		byte = atoms_header(packet->type, atoms);
	if (byte < 0)
		return byte;
	hwf_put_u8(writer, (unsigned int)byte);
	return 0;
}
