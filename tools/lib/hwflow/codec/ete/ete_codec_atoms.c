/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Atoms: spec/ete-packets.md section 9. */
#include "codec/ete/ete_private.h"

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
/*
 * The whole packet of each header byte. Format 6: bits 4:0 plus 3 are E, then comes one more: E, or
 * N if bit 5 of the header is set.
 */
#define ROW(h, format, b, c)                                                                       \
	{.type = HWF_ETE_ATOM_F##format, .header = (h), .size = 1, .atoms = {.bits = (b), .count = (c)}}
#define F6_E(n) ROW(0xc0 + (n), 6, (1u << ((n) + 4)) - 1, (n) + 4)
#define F6_N(n) ROW(0xe0 + (n), 6, (1u << ((n) + 3)) - 1, (n) + 4)

const struct hwf_ete_atom_packet hwf_ete_atom_table[64] = {
	F6_E(0), F6_E(1), F6_E(2), F6_E(3), F6_E(4), F6_E(5), F6_E(6), F6_E(7), F6_E(8), F6_E(9),
	F6_E(10), F6_E(11), F6_E(12), F6_E(13), F6_E(14), F6_E(15), F6_E(16), F6_E(17), F6_E(18),
	F6_E(19), F6_E(20),
	ROW(0xd5, 5, 0x00, 5), ROW(0xd6, 5, 0x0a, 5), ROW(0xd7, 5, 0x15, 5),
	ROW(0xd8, 2, 0, 2), ROW(0xd9, 2, 1, 2), ROW(0xda, 2, 2, 2), ROW(0xdb, 2, 3, 2),
	ROW(0xdc, 4, 0xe, 4), ROW(0xdd, 4, 0x0, 4), ROW(0xde, 4, 0xa, 4), ROW(0xdf, 4, 0x5, 4),
	F6_N(0), F6_N(1), F6_N(2), F6_N(3), F6_N(4), F6_N(5), F6_N(6), F6_N(7), F6_N(8), F6_N(9),
	F6_N(10), F6_N(11), F6_N(12), F6_N(13), F6_N(14), F6_N(15), F6_N(16), F6_N(17), F6_N(18),
	F6_N(19), F6_N(20),
	ROW(0xf5, 5, 0x1e, 5), ROW(0xf6, 1, 0, 1), ROW(0xf7, 1, 1, 1),
	ROW(0xf8, 3, 0, 3), ROW(0xf9, 3, 1, 3), ROW(0xfa, 3, 2, 3), ROW(0xfb, 3, 3, 3),
	ROW(0xfc, 3, 4, 3), ROW(0xfd, 3, 5, 3), ROW(0xfe, 3, 6, 3), ROW(0xff, 3, 7, 3),
};
/* clang-format on */

int hwf_ete_decode_atoms(const struct hwf_ete_config *config, struct hwf_cursor *cursor,
			 struct hwf_ete_packet *packet)
{
	(void)config;
	(void)cursor;
	packet->u.atoms = hwf_ete_atom_table[packet->header - 0xc0].atoms;
	return 0;
}

/* The whole packet that holds just these Atoms: its only byte */
int hwf_ete_atoms_header(const struct hwf_ete_atoms *atoms)
{
	uint32_t bits = atoms->bits, count = atoms->count;

	if (count == 0 || count > 24 || bits >> count != 0)
		return HWF_ERR_BAD_PAYLOAD;
	if (count <= 3)
		return (int)((count == 1 ? 0xf6 : count == 2 ? 0xd8 : 0xf8) | bits);
	/* format 6: all E, but for the last */
	if ((bits | 1u << (count - 1)) == (1u << count) - 1)
		return (int)(0xc0 | (count - 4) | (bits >> (count - 1) ? 0u : 0x20u));
	for (unsigned int i = 0; i < 4; i++) {
		if (count == 4 && bits == f4_bits[i])
			return (int)(0xdc | i);
		if (count == 5 && bits == f5_rows[i].bits)
			return f5_rows[i].header;
	}
	return HWF_ERR_BAD_PAYLOAD;
}

static int type_of(int header)
{
	return hwf_ete_atom_table[(unsigned int)header - 0xc0u].type;
}

int hwf_ete_atoms_packet(const struct hwf_ete_atoms *atoms)
{
	int header = hwf_ete_atoms_header(atoms);

	return header < 0 ? header : type_of(header);
}

int hwf_ete_encode_atoms(const struct hwf_ete_config *config, const struct hwf_ete_packet *packet,
			 uint8_t header, struct hwf_writer *writer)
{
	int byte = hwf_ete_atoms_header(&packet->u.atoms);

	(void)config;
	(void)header;
	if (byte < 0 || type_of(byte) != packet->type)
		return HWF_ERR_BAD_PAYLOAD;
	hwf_put_u8(writer, (unsigned int)byte);
	return 0;
}
