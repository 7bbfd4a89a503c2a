/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* P-headers: IHI 0014Q section 7.3.1, Tables 7.2 and 7.3 (ETMV3_PLAIN, ETMV3_CYCLE). */
#include "codec/etmv3/etm3_private.h"

/* Formats 1: @es of E, then an N or none */
static struct hwf_etm3_atoms e_then_n(unsigned int es, bool n)
{
	return (struct hwf_etm3_atoms){.bits = (uint16_t)((1u << es) - 1),
				       .count = (uint8_t)(es + n)};
}

/* Format 2: bit 3 is the first instruction, bit 2 the second; a bit is 0 for E */
static struct hwf_etm3_atoms two(uint8_t header)
{
	return (struct hwf_etm3_atoms){
		.bits = (uint16_t)((header & 8 ? 0 : 1) | (header & 4 ? 0 : 2)), .count = 2};
}

int hwf_etm3_decode_p_header(const struct hwf_etm3_config *config, struct hwf_cursor *cursor,
			     struct hwf_etm3_packet *packet)
{
	struct hwf_etm3_atoms *atoms = &packet->u.atoms;
	const uint8_t header = packet->header;

	(void)config;
	(void)cursor;
	switch (packet->type) {
	case HWF_ETM3_P_HEADER_F1: /* b1NEEEE00 */
		*atoms = e_then_n(header >> 2 & 15, header & 0x40);
		break;
	case HWF_ETM3_P_HEADER_F2: /* b1000FF10 */
		*atoms = two(header);
		break;
	case HWF_ETM3_P_HEADER_CYCLE_F0: /* b10000000 */
		*atoms = (struct hwf_etm3_atoms){.waits = 1};
		break;
	case HWF_ETM3_P_HEADER_CYCLE_F1: /* b1N0EEE00 */
		*atoms = e_then_n(header >> 2 & 7, header & 0x40);
		atoms->waits = atoms->count;
		break;
	case HWF_ETM3_P_HEADER_CYCLE_F2: /* b1000FF10 */
		*atoms = two(header);
		atoms->waits = 1;
		break;
	case HWF_ETM3_P_HEADER_CYCLE_F3: /* b1E1WWW00 */
		*atoms = e_then_n(header >> 6 & 1, false);
		atoms->waits = (uint8_t)((header >> 2 & 7) + 1);
		break;
	default: /* HWF_ETM3_P_HEADER_CYCLE_F4: b10010F10 */
		*atoms = (struct hwf_etm3_atoms){.bits = header & 4 ? 0 : 1, .count = 1};
		break;
	}
	return 0;
}

/* Are the atoms E, ..., E and then an N or none? @es receives the number of E. */
static bool is_e_then_n(const struct hwf_etm3_atoms *atoms, unsigned int *es, unsigned int *n)
{
	unsigned int count = atoms->count;

	*n = count && !(atoms->bits >> (count - 1) & 1);
	*es = count - *n;
	return atoms->bits == (1u << *es) - 1;
}

static unsigned int two_bits(const struct hwf_etm3_atoms *atoms)
{
	return (atoms->bits & 1 ? 0u : 8u) | (atoms->bits & 2 ? 0u : 4u);
}

/* The header of a P-header; 0 where its format cannot hold these atoms */
static unsigned int p_header(unsigned int type, const struct hwf_etm3_atoms *atoms,
			     unsigned int header)
{
	unsigned int es;
	unsigned int n;

	if (atoms->count > HWF_ETM3_MAX_ATOMS || atoms->bits >> atoms->count ||
	    !(is_e_then_n(atoms, &es, &n) || atoms->count <= 2))
		return 0;
	switch (type) {
	case HWF_ETM3_P_HEADER_F1:
		return is_e_then_n(atoms, &es, &n) && es <= 15 && !atoms->waits
			       ? header | n << 6 | es << 2
			       : 0;
	case HWF_ETM3_P_HEADER_F2:
		return atoms->count == 2 && !atoms->waits ? header | two_bits(atoms) : 0;
	case HWF_ETM3_P_HEADER_CYCLE_F0:
		return atoms->count == 0 && atoms->waits == 1 ? header : 0;
	case HWF_ETM3_P_HEADER_CYCLE_F1:
		return is_e_then_n(atoms, &es, &n) && es <= 7 && atoms->count &&
				       atoms->waits == atoms->count
			       ? header | n << 6 | es << 2
			       : 0;
	case HWF_ETM3_P_HEADER_CYCLE_F2:
		return atoms->count == 2 && atoms->waits == 1 ? header | two_bits(atoms) : 0;
	case HWF_ETM3_P_HEADER_CYCLE_F3:
		return atoms->count <= 1 && atoms->bits == atoms->count && atoms->waits >= 1 &&
				       atoms->waits <= 8
			       ? header | (unsigned int)atoms->count << 6 | (atoms->waits - 1u) << 2
			       : 0;
	default:
		return atoms->count == 1 && !atoms->waits ? header | (atoms->bits ? 0u : 4u) : 0;
	}
}

int hwf_etm3_encode_p_header(const struct hwf_etm3_config *config,
			     const struct hwf_etm3_packet *packet, uint8_t header,
			     struct hwf_writer *writer)
{
	unsigned int byte = p_header(packet->type, &packet->u.atoms, header);

	(void)config;
	if (!byte)
		return HWF_ERR_BAD_PAYLOAD;
	hwf_put_u8(writer, byte);
	return 0;
}

unsigned int hwf_etm3_p_header_sequence(const struct hwf_etm3_packet *packet, uint8_t *atoms)
{
	const struct hwf_etm3_atoms *from = &packet->u.atoms;
	const bool each = packet->type == HWF_ETM3_P_HEADER_CYCLE_F1;
	unsigned int count = 0;

	for (unsigned int i = 0; !each && i < from->waits; i++)
		atoms[count++] = HWF_ETM3_W;
	for (unsigned int i = 0; i < from->count; i++) {
		if (each)
			atoms[count++] = HWF_ETM3_W;
		atoms[count++] = from->bits >> i & 1 ? HWF_ETM3_E : HWF_ETM3_N;
	}
	return count;
}
