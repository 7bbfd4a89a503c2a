/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * What a header byte does in the ring, as a row: made of what the codecs say of the packet, so that
 * there is no second reading of the formats.
 */
#include "p0/p0_private.h"

#define ENTRY  HWF_P0_ENTRY
#define NO_ROW 0x40000000u

_Static_assert(HWF_P0_ENTRY == HWF_P0_CORRECT, "a Mispredict corrects one");

/* What a packet is, as a row; false for one that is no row */
static bool make_row(const struct hwf_ete_config *config, uint8_t header, uint8_t second,
		     struct hwf_p0_row *row)
{
	const uint8_t bytes[HWF_ETE_MAX_PACKET] = {header, second};
	struct hwf_ete_atoms atoms = {0};
	struct hwf_ete_packet packet;
	int size = hwf_ete_decode(config, bytes, sizeof(bytes), &packet);

	*row = (struct hwf_p0_row){.size = (uint8_t)size};
	if (size != 1 && size != 2)
		return false;
	switch (hwf_ete_type_codec(packet.type)) {
	case HWF_ETE_CODEC_atoms:
		atoms = packet.u.atoms;
		break;
	case HWF_ETE_CODECS_RESOLVE:
		atoms = packet.u.resolve.atoms;
		row->numbers = packet.u.resolve.commit * (uint64_t)ENTRY |
			       packet.u.resolve.cancel * (uint64_t)ENTRY << 32;
		row->mispredict = packet.u.resolve.mispredict ? HWF_P0_CORRECT : 0;
		break;
	default:
		return false;
	}
	row->atoms = atoms.count * ENTRY;
	for (unsigned int i = 0; i < HWF_P0_ROW_ATOMS; i++)
		row->e[i] = HWF_P0_ATOM(0, atoms.bits >> i & 1);
	return atoms.count <= HWF_P0_ROW_ATOMS;
}

/* What each bit of the second byte adds; false where that is more than a row can say */
static bool add_second(const struct hwf_ete_config *config, uint8_t header, struct hwf_p0_row *row)
{
	uint8_t other = 0;

	for (unsigned int bit = 0; bit < 8; bit++) {
		uint8_t second = (uint8_t)(1u << bit);
		struct hwf_p0_row with;

		if (make_row(config, header, second, &with) && with.size == 2)
			row->times = (with.numbers - row->numbers) >> bit;
		else
			other |= second;
	}
	/* all seven bits that are there are the number */
	return (row->times == ENTRY || row->times == (uint64_t)ENTRY << 32) && other == 0x80;
}

/* A row as hwf_p0_take_rows() wants it; behind Atoms, if @behind */
static void finish_row(struct hwf_p0_row *row, bool behind)
{
	bool cancels = (row->numbers | row->times) >> 32;
	/* nothing behind a rider is taken back here; is the Atom mispredicted older? */
	uint32_t floor = cancels || row->mispredict;

	floor += row->mispredict && (!row->atoms || row->numbers || row->times);
	row->floor = floor * ENTRY;
	row->most = row->size == 2 ? 0x7f : 0xff;
	row->targets =
		row->mispredict || ((row->atoms || behind) && !cancels) ? 0 : HWF_P0_TARGETED;
}

void hwf_p0_rows_init(struct hwf_p0_rows *rows, const struct hwf_ete_config *config)
{
	for (unsigned int i = 0; i < 256; i++) {
		struct hwf_p0_row *row = &rows->row[i];
		struct hwf_p0_row *behind = &rows->behind[i];

		*behind = (struct hwf_p0_row){0};
		if (make_row(config, (uint8_t)i, 0, row) &&
		    (row->size == 1 || add_second(config, (uint8_t)i, row))) {
			if (!row->atoms)
				*behind = *row;
			finish_row(row, false);
		} else {
			row->atoms = NO_ROW;
		}
		finish_row(behind, true);
		rows->size[i] = behind->size;
	}
}
