// SPDX-License-Identifier: GPL-2.0-only
/* Packets with all that is in them, addresses with their history put back. */
#include "bench.h"
#include "bench_etm3.h"
#include "peer.h"

#include "hwflow/etmv3.h"

static inline void fold(struct sum *sum, uint64_t offset, unsigned int type, uint64_t content)
{
	sum->sum = bench_fold_packet(sum->sum, offset, type, content);
	sum->items++;
}

static inline uint64_t atoms_word(uint32_t bits, uint32_t count, uint32_t cycles)
{
	return (bits & ((1u << count) - 1)) | count << 24 | (uint64_t)cycles << 32;
}

static inline uint64_t address_word(uint64_t address, bool thumb, unsigned int more)
{
	return address | (uint64_t)thumb << 32 | (uint64_t)more << 33;
}

static void fold_packet(struct sum *sum, uint64_t offset, const struct hwf_etm3_packet *packet,
			struct hwf_etm3_address_state *state)
{
	const struct hwf_etm3_atoms *atoms = &packet->u.atoms;
	uint32_t address;

	switch (packet->type) {
	case HWF_ETM3_A_SYNC:
		fold(sum, offset, HWF_ETM3_A_SYNC, 0);
		break;
	case HWF_ETM3_I_SYNC:
	case HWF_ETM3_I_SYNC_WITH_CYCLE_COUNT:
		address = hwf_etm3_expand_i_sync(state, &packet->u.i_sync);
		fold(sum, offset, packet->type,
		     address_word(address, state->isa == HWF_ISA_T32, packet->u.i_sync.reason));
		sum->sum = bench_fold_more(sum->sum, packet->u.i_sync.cycles);
		break;
	case HWF_ETM3_BRANCH_ADDRESS:
		address = hwf_etm3_expand(state, &packet->u.branch);
		fold(sum, offset, HWF_ETM3_BRANCH_ADDRESS,
		     address_word(address, state->isa == HWF_ISA_T32,
				  hwf_etm3_exception_number(&packet->u.branch)));
		break;
	default:
		if (hwf_etm3_type_codec(packet->type) == HWF_ETM3_CODEC_p_header)
			fold(sum, offset, packet->type,
			     atoms_word(atoms->bits, atoms->count, atoms->waits));
		else
			sum->trouble++;
		break;
	}
}

static int decode_ours(struct program *program, struct sum *sum)
{
	struct hwf_etm3_address_state state = {0};
	struct hwf_etm3_stream stream;
	struct hwf_etm3_packet packet;

	hwf_etm3_stream_init(&stream, &program->config);
	while (stream.offset < program->length) {
		const uint64_t at = stream.offset;

		hwf_etm3_stream_next(&stream, program->trace + at, program->length - at, true,
				     &packet);
		fold_packet(sum, at, &packet, &state);
	}
	return 0;
}

/* The type that P-headers of this format have on our side */
static unsigned int p_header_type(const struct sum *sum, unsigned int format)
{
	static const uint8_t plain[] = {HWF_ETM3_RESERVED, HWF_ETM3_P_HEADER_F1,
					HWF_ETM3_P_HEADER_F2};
	static const uint8_t cycle[] = {HWF_ETM3_P_HEADER_CYCLE_F0, HWF_ETM3_P_HEADER_CYCLE_F1,
					HWF_ETM3_P_HEADER_CYCLE_F2, HWF_ETM3_P_HEADER_CYCLE_F3,
					HWF_ETM3_P_HEADER_CYCLE_F4};

	if (!sum->cycles)
		return format < 3 ? plain[format] : HWF_ETM3_RESERVED;
	return format < 5 ? cycle[format] : HWF_ETM3_RESERVED;
}

static ocsd_datapath_resp_t take_packet(const void *ctx, const ocsd_datapath_op_t op,
					const ocsd_trc_index_t index, const void *data)
{
	struct sum *sum = (struct sum *)(uintptr_t)ctx;
	const ocsd_etmv3_pkt *packet = data;

	if (op != OCSD_OP_DATA)
		return OCSD_RESP_CONT;
	switch (packet->type) {
	case ETM3_PKT_A_SYNC:
		fold(sum, index, HWF_ETM3_A_SYNC, 0);
		break;
	case ETM3_PKT_I_SYNC:
	case ETM3_PKT_I_SYNC_CYCLE:
		fold(sum, index,
		     packet->type == ETM3_PKT_I_SYNC ? HWF_ETM3_I_SYNC
						     : HWF_ETM3_I_SYNC_WITH_CYCLE_COUNT,
		     address_word(packet->addr.val, packet->curr_isa == ocsd_isa_thumb2,
				  packet->isync_info.reason));
		sum->sum = bench_fold_more(
			sum->sum, packet->isync_info.has_cycle_count ? packet->cycle_count : 0);
		break;
	case ETM3_PKT_BRANCH_ADDRESS:
		fold(sum, index, HWF_ETM3_BRANCH_ADDRESS,
		     address_word(packet->addr.val, packet->curr_isa == ocsd_isa_thumb2,
				  packet->exception.bits.present ? packet->exception.number : 0));
		break;
	case ETM3_PKT_P_HDR:
		fold(sum, index, p_header_type(sum, packet->p_hdr_fmt),
		     atoms_word(packet->atom.En_bits, packet->atom.num, packet->cycle_count));
		break;
	default:
		sum->trouble++;
		break;
	}
	return OCSD_RESP_CONT;
}

static int decode_theirs(struct program *program, struct sum *sum)
{
	const FnDefPktDataIn sink = take_packet;
	unsigned char id;
	dcd_tree_handle_t tree = peer_open(program, OCSD_CREATE_FLG_PACKET_PROC, &id);
	int err = tree == C_API_INVALID_TREE_HANDLE;

	sum->cycles = program->config.cycle_accurate;

	/* functions come as data pointers there */
	if (!err)
		err = ocsd_dt_attach_packet_callback(tree, id, OCSD_C_API_CB_PKT_SINK,
						     (void *)(uintptr_t)sink, sum) != OCSD_OK;
	if (!err)
		err = peer_decode(tree, program);
	peer_close(tree);
	return err;
}

const struct work packets = {.name = "packets", .ours = decode_ours, .theirs = decode_theirs};
