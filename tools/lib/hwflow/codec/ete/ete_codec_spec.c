/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Cycle counts and speculation: spec/ete-packets.md sections 8 and 11. */
#include "codec/ete/ete_private.h"

/* AA of Mispredict and Cancel format 2: the Atoms that come first */
static const struct hwf_ete_atoms aa_atoms[4] = {
	{.bits = 0, .count = 0}, /* none */
	{.bits = 1, .count = 1}, /* E */
	{.bits = 3, .count = 2}, /* EE */
	{.bits = 0, .count = 1}, /* N */
};

static int aa_from_atoms(const struct hwf_ete_atoms *atoms)
{
	for (int aa = 0; aa < 4; aa++) {
		if (atoms->count == aa_atoms[aa].count && atoms->bits == aa_atoms[aa].bits)
			return aa;
	}
	return HWF_ERR_BAD_PAYLOAD;
}

int hwf_ete_decode_cycle_count_f1(const struct hwf_ete_config *config, struct hwf_cursor *cursor,
				  struct hwf_ete_packet *packet)
{
	struct hwf_ete_cycle_count *cc = &packet->u.cycle_count;
	int err = 0;

	*cc = (struct hwf_ete_cycle_count){.unknown = packet->header & 1};
	if (!config->commit_mode1)
		err = hwf_get_uleb32(cursor, 5, &cc->commit);
	if (!err && !cc->unknown)
		err = hwf_get_uleb32(cursor, 3, &cc->count);
	return err;
}

int hwf_ete_encode_cycle_count_f1(const struct hwf_ete_config *config,
				  const struct hwf_ete_packet *packet, uint8_t header,
				  struct hwf_writer *writer)
{
	const struct hwf_ete_cycle_count *cc = &packet->u.cycle_count;

	if ((config->commit_mode1 && cc->commit) || cc->count >> 21 || (cc->unknown && cc->count))
		return HWF_ERR_BAD_PAYLOAD;
	hwf_put_u8(writer, header | (cc->unknown ? 1u : 0u));
	if (!config->commit_mode1)
		hwf_put_uleb(writer, cc->commit);
	if (!cc->unknown)
		hwf_put_uleb(writer, cc->count);
	return 0;
}

int hwf_ete_decode_cycle_count_f2(const struct hwf_ete_config *config, struct hwf_cursor *cursor,
				  struct hwf_ete_packet *packet)
{
	struct hwf_ete_cycle_count *cc = &packet->u.cycle_count;
	uint8_t byte;

	if (hwf_get_u8(cursor, &byte))
		return HWF_ERR_NEED_MORE;
	*cc = (struct hwf_ete_cycle_count){.count = byte & 0x0f};
	if (config->commit_mode1)
		return 0;
	if (packet->header & 1) {
		/* the deepest commits: MAXSPEC + AAAA - 15 */
		uint64_t commit = (uint64_t)config->max_spec + (byte >> 4);

		if (commit < 15 || commit - 15 > UINT32_MAX)
			return HWF_ERR_BAD_PAYLOAD;
		cc->commit = (uint32_t)(commit - 15);
	} else {
		cc->commit = (byte >> 4) + 1u;
	}
	return 0;
}

int hwf_ete_encode_cycle_count_f2(const struct hwf_ete_config *config,
				  const struct hwf_ete_packet *packet, uint8_t header,
				  struct hwf_writer *writer)
{
	const struct hwf_ete_cycle_count *cc = &packet->u.cycle_count;
	unsigned int aaaa = 0x0f;
	unsigned int f = 1;

	if (cc->unknown || cc->count > 0x0f)
		return HWF_ERR_BAD_PAYLOAD;
	if (config->commit_mode1) {
		if (cc->commit)
			return HWF_ERR_BAD_PAYLOAD;
	} else if (cc->commit >= 1 && cc->commit <= 16) {
		f = 0;
		aaaa = cc->commit - 1;
	} else {
		if (cc->commit > config->max_spec || config->max_spec - cc->commit > 15)
			return HWF_ERR_BAD_PAYLOAD;
		aaaa = 15 - (config->max_spec - cc->commit);
	}
	hwf_put_u8(writer, header | f);
	hwf_put_u8(writer, aaaa << 4 | cc->count);
	return 0;
}

int hwf_ete_decode_cycle_count_f3(const struct hwf_ete_config *config, struct hwf_cursor *cursor,
				  struct hwf_ete_packet *packet)
{
	unsigned int aa = packet->header >> 2 & 3;

	(void)cursor;
	/* commit mode 1 has no use for AA */
	if (config->commit_mode1 && aa)
		return HWF_ERR_BAD_PAYLOAD;
	packet->u.cycle_count = (struct hwf_ete_cycle_count){
		.commit = config->commit_mode1 ? 0 : aa + 1, .count = packet->header & 3};
	return 0;
}

int hwf_ete_encode_cycle_count_f3(const struct hwf_ete_config *config,
				  const struct hwf_ete_packet *packet, uint8_t header,
				  struct hwf_writer *writer)
{
	const struct hwf_ete_cycle_count *cc = &packet->u.cycle_count;
	unsigned int aa = 0;

	if (cc->unknown || cc->count > 3)
		return HWF_ERR_BAD_PAYLOAD;
	if (config->commit_mode1) {
		if (cc->commit)
			return HWF_ERR_BAD_PAYLOAD;
	} else {
		if (cc->commit < 1 || cc->commit > 4)
			return HWF_ERR_BAD_PAYLOAD;
		aa = cc->commit - 1;
	}
	hwf_put_u8(writer, header | aa << 2 | cc->count);
	return 0;
}

int hwf_ete_decode_commit(const struct hwf_ete_config *config, struct hwf_cursor *cursor,
			  struct hwf_ete_packet *packet)
{
	(void)config;
	packet->u.resolve = (struct hwf_ete_resolve){0};
	return hwf_get_uleb32(cursor, 5, &packet->u.resolve.commit);
}

int hwf_ete_encode_commit(const struct hwf_ete_config *config, const struct hwf_ete_packet *packet,
			  uint8_t header, struct hwf_writer *writer)
{
	const struct hwf_ete_resolve *resolve = &packet->u.resolve;

	(void)config;
	if (resolve->cancel || resolve->mispredict || resolve->atoms.count)
		return HWF_ERR_BAD_PAYLOAD;
	hwf_put_u8(writer, header);
	hwf_put_uleb(writer, resolve->commit);
	return 0;
}

int hwf_ete_decode_cancel_f1(const struct hwf_ete_config *config, struct hwf_cursor *cursor,
			     struct hwf_ete_packet *packet)
{
	(void)config;
	packet->u.resolve = (struct hwf_ete_resolve){.mispredict = packet->header & 1};
	return hwf_get_uleb32(cursor, 5, &packet->u.resolve.cancel);
}

int hwf_ete_encode_cancel_f1(const struct hwf_ete_config *config,
			     const struct hwf_ete_packet *packet, uint8_t header,
			     struct hwf_writer *writer)
{
	const struct hwf_ete_resolve *resolve = &packet->u.resolve;

	(void)config;
	if (resolve->commit || resolve->atoms.count)
		return HWF_ERR_BAD_PAYLOAD;
	hwf_put_u8(writer, header | (resolve->mispredict ? 1u : 0u));
	hwf_put_uleb(writer, resolve->cancel);
	return 0;
}

int hwf_ete_decode_mispredict(const struct hwf_ete_config *config, struct hwf_cursor *cursor,
			      struct hwf_ete_packet *packet)
{
	(void)config;
	(void)cursor;
	packet->u.resolve =
		(struct hwf_ete_resolve){.atoms = aa_atoms[packet->header & 3], .mispredict = true};
	return 0;
}

int hwf_ete_encode_mispredict(const struct hwf_ete_config *config,
			      const struct hwf_ete_packet *packet, uint8_t header,
			      struct hwf_writer *writer)
{
	const struct hwf_ete_resolve *resolve = &packet->u.resolve;
	int aa = aa_from_atoms(&resolve->atoms);

	(void)config;
	if (aa < 0 || resolve->commit || resolve->cancel || !resolve->mispredict)
		return HWF_ERR_BAD_PAYLOAD;
	hwf_put_u8(writer, header | (unsigned int)aa);
	return 0;
}

int hwf_ete_decode_cancel_f2(const struct hwf_ete_config *config, struct hwf_cursor *cursor,
			     struct hwf_ete_packet *packet)
{
	int err = hwf_ete_decode_mispredict(config, cursor, packet);

	packet->u.resolve.cancel = 1;
	return err;
}

int hwf_ete_encode_cancel_f2(const struct hwf_ete_config *config,
			     const struct hwf_ete_packet *packet, uint8_t header,
			     struct hwf_writer *writer)
{
	const struct hwf_ete_resolve *resolve = &packet->u.resolve;
	int aa = aa_from_atoms(&resolve->atoms);

	(void)config;
	if (aa < 0 || resolve->commit || resolve->cancel != 1 || !resolve->mispredict)
		return HWF_ERR_BAD_PAYLOAD;
	hwf_put_u8(writer, header | (unsigned int)aa);
	return 0;
}

int hwf_ete_decode_cancel_f3(const struct hwf_ete_config *config, struct hwf_cursor *cursor,
			     struct hwf_ete_packet *packet)
{
	(void)config;
	(void)cursor;
	packet->u.resolve = (struct hwf_ete_resolve){.atoms = aa_atoms[packet->header & 1],
						     .cancel = (packet->header >> 1 & 3) + 2u,
						     .mispredict = true};
	return 0;
}

int hwf_ete_encode_cancel_f3(const struct hwf_ete_config *config,
			     const struct hwf_ete_packet *packet, uint8_t header,
			     struct hwf_writer *writer)
{
	const struct hwf_ete_resolve *resolve = &packet->u.resolve;
	int a = aa_from_atoms(&resolve->atoms);

	(void)config;
	if (a < 0 || a > 1 || resolve->commit || resolve->cancel < 2 || resolve->cancel > 5 ||
	    !resolve->mispredict)
		return HWF_ERR_BAD_PAYLOAD;
	hwf_put_u8(writer, header | (resolve->cancel - 2) << 1 | (unsigned int)a);
	return 0;
}
