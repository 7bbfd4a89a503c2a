/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Atoms into P-headers (IHI 0014Q section 7.3.1, ETMV3_GENERATION).
 *
 * What one P-header can say it can say as well without its first instruction or cycle, so whoever
 * takes the most each time needs the fewest. But a cycle of several instructions is best begun
 * by a format 2: whatever else takes its first instruction leaves one more to format 4.
 */
#include "codec/etmv3/etm3_private.h"

static bool is_wait(const uint8_t *atoms, size_t count, size_t at)
{
	return at < count && atoms[at] == HWF_ETM3_W;
}

static bool is_insn(const uint8_t *atoms, size_t count, size_t at)
{
	return at < count && atoms[at] != HWF_ETM3_W;
}

/* Is there a cycle of one instruction, and of this kind? */
static bool is_single(const uint8_t *atoms, size_t count, size_t at, enum hwf_etm3_atom kind)
{
	return is_wait(atoms, count, at) && at + 1 < count && atoms[at + 1] == kind &&
	       !is_insn(atoms, count, at + 2);
}

static void set(struct hwf_etm3_packet *packet, unsigned int type, unsigned int es, bool n,
		unsigned int waits)
{
	*packet = (struct hwf_etm3_packet){
		.type = (uint8_t)type,
		.u.atoms = {.bits = (uint16_t)((1u << es) - 1),
			    .count = (uint8_t)(es + n),
			    .waits = (uint8_t)waits},
	};
}

static void set_two(struct hwf_etm3_packet *packet, unsigned int type, const uint8_t *atoms,
		    unsigned int waits)
{
	set(packet, type, 2, false, waits);
	packet->u.atoms.bits =
		(uint16_t)((atoms[0] == HWF_ETM3_E ? 1 : 0) | (atoms[1] == HWF_ETM3_E ? 2 : 0));
}

/* An instruction in a cycle that another P-header began (ETMV3_FORMAT_4) */
static int pack_more(const struct hwf_etm3_config *config, const uint8_t *atoms,
		     struct hwf_etm3_packet *packet)
{
	if (!etm3_when_v3_3(config))
		return HWF_ERR_BAD_PAYLOAD;
	set(packet, HWF_ETM3_P_HEADER_CYCLE_F4, atoms[0] == HWF_ETM3_E, atoms[0] == HWF_ETM3_N, 0);
	return 1;
}

/* Cycles of one instruction each: E, ..., E and then an N or none */
static int pack_singles(const uint8_t *atoms, size_t count, unsigned int most,
			struct hwf_etm3_packet *packet)
{
	unsigned int es = 0;
	bool n;

	while (es < most && is_single(atoms, count, (size_t)2 * es, HWF_ETM3_E))
		es++;
	n = is_single(atoms, count, (size_t)2 * es, HWF_ETM3_N) && (most > 1 || es == 0);
	set(packet, HWF_ETM3_P_HEADER_CYCLE_F1, es, n, es + n);
	return (int)(2 * (es + n));
}

/* Cycles of no instruction, and with them one of an E */
static int pack_waits(const uint8_t *atoms, size_t count, unsigned int most,
		      struct hwf_etm3_packet *packet)
{
	unsigned int waits = 0;
	bool e;

	while (waits < most && is_wait(atoms, count, waits) && !is_insn(atoms, count, waits + 1))
		waits++;
	e = waits < most && is_single(atoms, count, waits, HWF_ETM3_E);
	set(packet, HWF_ETM3_P_HEADER_CYCLE_F3, e, false, waits + e);
	return (int)(waits + 2u * e);
}

static int pack_cycles(const struct hwf_etm3_config *config, const uint8_t *atoms, size_t count,
		       unsigned int singles, unsigned int waits, struct hwf_etm3_packet *packet)
{
	if (atoms[0] != HWF_ETM3_W)
		return pack_more(config, atoms, packet);
	if (is_insn(atoms, count, 1) && is_insn(atoms, count, 2)) {
		set_two(packet, HWF_ETM3_P_HEADER_CYCLE_F2, atoms + 1, 1);
		return 3;
	}
	if (is_insn(atoms, count, 1))
		return pack_singles(atoms, count, singles, packet);
	return pack_waits(atoms, count, waits, packet);
}

static int pack_plain(const uint8_t *atoms, size_t count, unsigned int most,
		      struct hwf_etm3_packet *packet)
{
	unsigned int es = 0;
	bool n;

	if (atoms[0] == HWF_ETM3_W)
		return HWF_ERR_BAD_PAYLOAD;
	if (atoms[0] == HWF_ETM3_N && most > 1 && is_insn(atoms, count, 1)) {
		set_two(packet, HWF_ETM3_P_HEADER_F2, atoms, 0);
		return 2;
	}
	while (es < most && es < count && atoms[es] == HWF_ETM3_E)
		es++;
	n = es < count && atoms[es] == HWF_ETM3_N && (most > 1 || es == 0);
	set(packet, HWF_ETM3_P_HEADER_F1, es, n, 0);
	return (int)(es + n);
}

int hwf_etm3_pack(const struct hwf_etm3_config *config, const uint8_t *atoms, size_t count,
		  struct hwf_etm3_packet *packet)
{
	if (!count)
		return HWF_ERR_BAD_PAYLOAD;
	return config->cycle_accurate ? pack_cycles(config, atoms, count, 7, 8, packet)
				      : pack_plain(atoms, count, 15, packet);
}

int hwf_etm3_pack_cycle(const struct hwf_etm3_config *config, const uint8_t *atoms, size_t count,
			struct hwf_etm3_packet *packet)
{
	if (!count)
		return HWF_ERR_BAD_PAYLOAD;
	return config->cycle_accurate ? pack_cycles(config, atoms, count, 1, 1, packet)
				      : pack_plain(atoms, count, 1, packet);
}
