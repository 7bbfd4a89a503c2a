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

/* clang-format off */
/* Format 6: bits 4:0 plus 3 are E, then comes one more: E, or N if bit 5 of the header is set. */
#define F6_E(n) {.bits = (1u << ((n) + 4)) - 1, .count = (n) + 4}
#define F6_N(n) {.bits = (1u << ((n) + 3)) - 1, .count = (n) + 4}
#define FEW(b, c) {.bits = (b), .count = (c)}

const struct hwf_ete_atoms hwf_ete_atom_table[64] = {
	/* 0xc0 to 0xd4: format 6 */
	F6_E(0), F6_E(1), F6_E(2), F6_E(3), F6_E(4), F6_E(5), F6_E(6), F6_E(7), F6_E(8), F6_E(9),
	F6_E(10), F6_E(11), F6_E(12), F6_E(13), F6_E(14), F6_E(15), F6_E(16), F6_E(17), F6_E(18),
	F6_E(19), F6_E(20),
	/* 0xd5 to 0xd7: format 5 */
	FEW(0x00, 5), FEW(0x0a, 5), FEW(0x15, 5),
	/* 0xd8 to 0xdb: format 2 */
	FEW(0, 2), FEW(1, 2), FEW(2, 2), FEW(3, 2),
	/* 0xdc to 0xdf: format 4 */
	FEW(0xe, 4), FEW(0x0, 4), FEW(0xa, 4), FEW(0x5, 4),
	/* 0xe0 to 0xf4: format 6 */
	F6_N(0), F6_N(1), F6_N(2), F6_N(3), F6_N(4), F6_N(5), F6_N(6), F6_N(7), F6_N(8), F6_N(9),
	F6_N(10), F6_N(11), F6_N(12), F6_N(13), F6_N(14), F6_N(15), F6_N(16), F6_N(17), F6_N(18),
	F6_N(19), F6_N(20),
	/* 0xf5: format 5; 0xf6 and 0xf7: format 1; 0xf8 to 0xff: format 3 */
	FEW(0x1e, 5), FEW(0, 1), FEW(1, 1),
	FEW(0, 3), FEW(1, 3), FEW(2, 3), FEW(3, 3), FEW(4, 3), FEW(5, 3), FEW(6, 3), FEW(7, 3),
};
#define F1 HWF_ETE_ATOM_F1
#define F2 HWF_ETE_ATOM_F2
#define F3 HWF_ETE_ATOM_F3
#define F4 HWF_ETE_ATOM_F4
#define F5 HWF_ETE_ATOM_F5
#define F6 HWF_ETE_ATOM_F6

const uint8_t hwf_ete_atom_types[64] = {
	F6, F6, F6, F6, F6, F6, F6, F6, F6, F6, F6, F6, F6, F6, F6, F6, /* 0xc0 */
	F6, F6, F6, F6, F6, F5, F5, F5, F2, F2, F2, F2, F4, F4, F4, F4, /* 0xd0 */
	F6, F6, F6, F6, F6, F6, F6, F6, F6, F6, F6, F6, F6, F6, F6, F6, /* 0xe0 */
	F6, F6, F6, F6, F6, F5, F1, F1, F3, F3, F3, F3, F3, F3, F3, F3, /* 0xf0 */
};
/* clang-format on */

int hwf_ete_decode_atoms(const struct hwf_ete_config *config, struct hwf_cursor *cursor,
			 struct hwf_ete_packet *packet)
{
	(void)config;
	(void)cursor;
	packet->u.atoms = hwf_ete_atom_table[packet->header - 0xc0];
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
