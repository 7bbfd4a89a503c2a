/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The table of what packets do with P0 elements. */
#include "fast/ops.h"

#include "fast/counts.h"

const struct hwf_count_form hwf_count_forms[256] = {
	[0x0c ... 0x0d] = {2, 0x00, 0x0f},
	[0x0e] = {2, 0x00, 0x7f},
	[0x10 ... 0x13] = {1, 0x03, 0x00},
};

/* @sub of an op that commits and cancels so many P0 elements */
static uint64_t resolved(uint64_t commit, uint64_t cancel)
{
	return commit << 32 | HWF_OP_BOTH(cancel);
}

/* Make the op of a packet; false if it is neither of Atoms nor resolves P0 elements. */
static bool make_op(const struct hwf_ete_config *config, uint8_t header, uint8_t second,
		    struct hwf_op *op)
{
	const uint8_t bytes[HWF_ETE_MAX_PACKET] = {header, second};
	struct hwf_ete_atoms atoms = {0};
	struct hwf_ete_packet packet;
	int size = hwf_ete_decode(config, bytes, sizeof(bytes), &packet);

	*op = (struct hwf_op){.size = (uint8_t)size};
	if (size != 1 && size != 2)
		return false;
	switch (hwf_ete_type_codec(packet.type)) {
	case HWF_ETE_CODEC_atoms:
		atoms = packet.u.atoms;
		break;
	case HWF_ETE_CODECS_RESOLVE:
		atoms = packet.u.resolve.atoms;
		op->sub = resolved(packet.u.resolve.commit, packet.u.resolve.cancel);
		op->mispredict = packet.u.resolve.mispredict ? UINT64_MAX : 0;
		break;
	default:
		return false;
	}
	op->add = HWF_OP_BOTH(atoms.count);
	op->taken = atoms.bits;
	return true;
}

/* Complete the op of a packet whose second byte is a number; false if it is not such a packet. */
static bool add_second(const struct hwf_ete_config *config, uint8_t header, struct hwf_op *op)
{
	struct hwf_op with;

	if (!make_op(config, header, 1, &with) || with.size != 2)
		return false;
	op->times = with.sub - op->sub;
	if (op->times != resolved(1, 0) && op->times != resolved(0, 1))
		return false;
	for (unsigned int second = 0; second < 256; second++) {
		const bool made = make_op(config, header, (uint8_t)second, &with) && with.size == 2;

		if (made != (second < 0x80) || (made && with.sub != op->sub + second * op->times))
			return false;
	}
	return true;
}

/* The Commit of a Cycle Count of one byte; an empty op for other packets */
static struct hwf_op count_op(const struct hwf_ete_config *config, uint8_t header)
{
	const uint8_t bytes[HWF_ETE_MAX_PACKET] = {header};
	const struct hwf_count count = hwf_count_read(config, bytes);

	if (count.size != 1)
		return (struct hwf_op){0};
	return (struct hwf_op){.size = 1, .sub = resolved(count.commit, 0)};
}

void hwf_ops_init(struct hwf_ops *ops, const struct hwf_ete_config *config)
{
	*ops = (struct hwf_ops){0};
	for (unsigned int i = 0; i < 256; i++) {
		struct hwf_op op;

		ops->counting[i] = count_op(config, (uint8_t)i);
		if (!make_op(config, (uint8_t)i, 0, &op) ||
		    (op.size == 2 && !add_second(config, (uint8_t)i, &op)))
			continue;
		ops->op[i] = op;
		if (!op.add)
			ops->counting[i] = ops->after_atoms[i] = op;
	}
}
