/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Atoms, Commits (I_KQQML), Cancels (I_MRGLC) and Mispredicts (I_GBKKQ), from packets straight into
 * the ring. Which of them comes next nobody can guess, so there is no branch on it: what a header
 * byte does is a row, and every packet does what all of them can do, most of it none or nothing.
 */
#include "p0/p0_private.h"

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
	case HWF_ETE_CODEC_commit:
	case HWF_ETE_CODEC_cancel_f1:
	case HWF_ETE_CODEC_cancel_f2:
	case HWF_ETE_CODEC_cancel_f3:
	case HWF_ETE_CODEC_mispredict:
		atoms = packet.u.resolve.atoms;
		row->numbers = packet.u.resolve.commit | (uint64_t)packet.u.resolve.cancel << 32;
		row->mispredict = packet.u.resolve.mispredict;
		break;
	default:
		return false;
	}
	row->atoms = (uint8_t)atoms.count;
	for (unsigned int i = 0; i < HWF_P0_ROW_ATOMS; i++)
		row->e[i] = atoms.bits >> i & 1;
	return atoms.count <= HWF_P0_ROW_ATOMS;
}

/* What each bit of the second byte adds; false where that is more than a row can say */
static bool add_second(const struct hwf_ete_config *config, uint8_t header, struct hwf_p0_row *row)
{
	for (unsigned int bit = 0; bit < 8; bit++) {
		uint8_t second = (uint8_t)(1u << bit);
		struct hwf_p0_row with;
		uint64_t numbers;

		if (!make_row(config, header, second, &with) || with.size != 2) {
			row->other |= second;
			continue;
		}
		numbers = with.numbers - row->numbers;
		if (numbers)
			row->times = numbers >> bit;
	}
	/* all seven bits that are there are the number, or none is */
	return !row->times || ((row->times == 1 || row->times == 1ull << 32) && row->other == 0x80);
}

#define NO_ROW   0x100u
#define SENSIBLE 0x4000u /* of MAXSPEC: differences are small */

void hwf_p0_rows_init(struct hwf_p0_rows *rows, const struct hwf_ete_config *config)
{
	for (unsigned int i = 0; i < 256; i++) {
		struct hwf_p0_row *row = &rows->row[i];

		if (!make_row(config, (uint8_t)i, 0, row) ||
		    (row->size == 2 && !add_second(config, (uint8_t)i, row)))
			row->other = NO_ROW;
		if ((row->numbers | row->times) >> 32 || row->mispredict)
			row->undoes = 1u << 31;
		/* is the Atom that was mispredicted one of before? */
		row->reach = row->mispredict && (!row->atoms || row->numbers || row->times);
	}
}

/* P0 elements before the youngest rider; without one it is an old one that all are behind */
static uint32_t youngest_rider(const struct hwf_p0 *p0)
{
	return p0->used ? p0->positions[(p0->first + p0->used - 1) & p0->rider_mask] : p0->head - 1;
}

/*
 * All that has to be looked at is one branch: that a difference is negative. Where it is, the
 * packet is left as it is.
 */
size_t hwf_p0_take_rows(struct hwf_p0 *p0, const struct hwf_p0_rows *rows, uint64_t offset,
			const uint8_t *bytes, size_t length, size_t *last)
{
	const uint32_t mask = p0->entry_mask;
	/* those that may wait, and those that may be given */
	const uint32_t wait = p0->config->max_spec;
	const uint32_t give = p0->head + HWF_P0_GIVE_AT - 1;
	/* those that are given, and the Atoms of a packet: with those that wait, no more than fit
	 */
	const uint32_t most = HWF_P0_GIVE_AT + 2 * HWF_P0_MOST_ATOMS;
	uint64_t *const entries = p0->entries;
	const uint32_t rider_at = youngest_rider(p0);
	uint32_t tail = p0->tail;
	uint32_t committed = p0->committed;
	size_t before = 0;
	size_t at = 0;

	if (p0->unseen || wait > SENSIBLE || wait + most > mask)
		return 0;
	while (at + 2 <= length) {
		const struct hwf_p0_row *row = &rows->row[bytes[at]];
		const uint32_t second = bytes[at + 1];
		const uint32_t slot = tail & mask;
		const uint64_t numbers = row->numbers + second * row->times;
		const uint32_t mispredict = row->mispredict;
		uint64_t *const atoms = &entries[slot];
		const uint32_t all = tail + row->atoms;
		const uint32_t now = all - (uint32_t)(numbers >> 32);
		const uint32_t done = committed + (uint32_t)numbers;
		uint32_t bad;

		/* resolved, but not traced; too many that wait; time to give; the end of the ring
		 */
		bad = (now - done - mispredict) | (wait - (all - committed)) | (give - done) |
		      (mask + 1 - HWF_P0_ROW_ATOMS - slot);
		/* riders behind what is not taken back */
		bad |= ~(rider_at + row->reach - now) & row->undoes;
		if ((int32_t)bad < 0 || row->other & (second | NO_ROW))
			break;
#pragma GCC unroll 4
		for (unsigned int i = 0; i < HWF_P0_ROW_ATOMS; i++)
			atoms[i] = HWF_P0_ATOM(offset + at, row->e[i]);
		entries[(now - 1) & mask] ^= HWF_P0_CORRECT * mispredict;
		tail = now;
		committed = done;
		before = at;
		at += row->size;
	}
	p0->tail = tail;
	p0->committed = committed;
	*last = before;
	return at;
}
