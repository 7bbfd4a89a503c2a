// SPDX-License-Identifier: GPL-2.0-only
/*
 * The other side: OpenCSD through its C API. Packets come from a packet processor alone, ranges
 * from a full decoder with its code in memory buffers.
 */
#include <inttypes.h>
#include <stdlib.h>

#include <opencsd/c_api/opencsd_c_api.h>

#include "bench.h"

/* struct peer - one decode tree, and where its packets or elements go */
struct peer {
	struct bench_run *run;
	dcd_tree_handle_t tree;
	unsigned char id;
	bool commit_mode1;
};

/* NOLINTNEXTLINE(bugprone-macro-parentheses): a designator takes none */
#define ROW(ocsd, ours) [ocsd] = HWF_ETE_##ours + 1
/* OpenCSD's packet types that are header bytes, as ours; 0 for what ETE does not have */
static const uint8_t types[0x100] = {
	ROW(ETM4_PKT_I_TRACE_INFO, TRACE_INFO),
	ROW(ETM4_PKT_I_TIMESTAMP, TIMESTAMP),
	ROW(ETM4_PKT_I_TRACE_ON, TRACE_ON),
	ROW(ETM4_PKT_I_EXCEPT, EXCEPTION),
	ROW(ETE_PKT_I_TRANS_ST, TRANSACTION_START),
	ROW(ETE_PKT_I_TRANS_COMMIT, TRANSACTION_COMMIT),
	ROW(ETM4_PKT_I_CCNT_F1, CYCLE_COUNT_F1),
	ROW(ETM4_PKT_I_CCNT_F2, CYCLE_COUNT_F2),
	ROW(ETM4_PKT_I_CCNT_F3, CYCLE_COUNT_F3),
	ROW(ETM4_PKT_I_COMMIT, COMMIT),
	ROW(ETM4_PKT_I_CANCEL_F1, CANCEL_F1),
	ROW(ETM4_PKT_I_CANCEL_F1_MISPRED, CANCEL_F1),
	ROW(ETM4_PKT_I_CANCEL_F2, CANCEL_F2),
	ROW(ETM4_PKT_I_CANCEL_F3, CANCEL_F3),
	ROW(ETM4_PKT_I_MISPREDICT, MISPREDICT),
	ROW(ETM4_PKT_I_IGNORE, IGNORE),
	ROW(ETM4_PKT_I_EVENT, EVENT),
	ROW(ETM4_PKT_I_CTXT, CONTEXT),
	ROW(ETM4_PKT_I_ADDR_CTXT_L_32IS0, TARGET_ADDRESS_WITH_CONTEXT_32BIT_IS0),
	ROW(ETM4_PKT_I_ADDR_CTXT_L_32IS1, TARGET_ADDRESS_WITH_CONTEXT_32BIT_IS1),
	ROW(ETM4_PKT_I_ADDR_CTXT_L_64IS0, TARGET_ADDRESS_WITH_CONTEXT_64BIT_IS0),
	ROW(ETM4_PKT_I_ADDR_CTXT_L_64IS1, TARGET_ADDRESS_WITH_CONTEXT_64BIT_IS1),
	ROW(ETE_PKT_I_TS_MARKER, TIMESTAMP_MARKER),
	ROW(ETM4_PKT_I_ADDR_MATCH, TARGET_ADDRESS_EXACT_MATCH),
	ROW(ETM4_PKT_I_ADDR_S_IS0, TARGET_ADDRESS_SHORT_IS0),
	ROW(ETM4_PKT_I_ADDR_S_IS1, TARGET_ADDRESS_SHORT_IS1),
	ROW(ETM4_PKT_I_ADDR_L_32IS0, TARGET_ADDRESS_32BIT_IS0),
	ROW(ETM4_PKT_I_ADDR_L_32IS1, TARGET_ADDRESS_32BIT_IS1),
	ROW(ETM4_PKT_I_ADDR_L_64IS0, TARGET_ADDRESS_64BIT_IS0),
	ROW(ETM4_PKT_I_ADDR_L_64IS1, TARGET_ADDRESS_64BIT_IS1),
	ROW(ETM4_PKT_I_Q, Q),
	ROW(ETE_PKT_I_SRC_ADDR_MATCH, SOURCE_ADDRESS_EXACT_MATCH),
	ROW(ETE_PKT_I_SRC_ADDR_S_IS0, SOURCE_ADDRESS_SHORT_IS0),
	ROW(ETE_PKT_I_SRC_ADDR_S_IS1, SOURCE_ADDRESS_SHORT_IS1),
	ROW(ETE_PKT_I_SRC_ADDR_L_32IS0, SOURCE_ADDRESS_32BIT_IS0),
	ROW(ETE_PKT_I_SRC_ADDR_L_32IS1, SOURCE_ADDRESS_32BIT_IS1),
	ROW(ETE_PKT_I_SRC_ADDR_L_64IS0, SOURCE_ADDRESS_64BIT_IS0),
	ROW(ETE_PKT_I_SRC_ADDR_L_64IS1, SOURCE_ADDRESS_64BIT_IS1),
	ROW(ETM4_PKT_I_ATOM_F6, ATOM_F6),
	ROW(ETM4_PKT_I_ATOM_F5, ATOM_F5),
	ROW(ETM4_PKT_I_ATOM_F2, ATOM_F2),
	ROW(ETM4_PKT_I_ATOM_F4, ATOM_F4),
	ROW(ETM4_PKT_I_ATOM_F1, ATOM_F1),
	ROW(ETM4_PKT_I_ATOM_F3, ATOM_F3),
};
#undef ROW

static unsigned int type_of(const ocsd_etmv4_i_pkt *packet)
{
	if ((unsigned int)packet->type < 0x100)
		return types[packet->type] ? types[packet->type] - 1u : HWF_ETE_RESERVED;
	switch (packet->type) {
	case ETM4_PKT_I_ASYNC:
		return HWF_ETE_ALIGN_SYNC;
	case ETM4_PKT_I_DISCARD:
		return HWF_ETE_DISCARD;
	case ETM4_PKT_I_OVERFLOW:
		return HWF_ETE_OVERFLOW;
	case ETE_PKT_I_PE_RESET:
		return HWF_ETE_PE_RESET;
	case ETE_PKT_I_TRANS_FAIL:
		return HWF_ETE_TRANSACTION_FAILURE;
	case ETM4_PKT_I_NOTSYNC:
		return HWF_ETE_UNSYNC;
	case ETM4_PKT_I_BAD_SEQUENCE:
		return HWF_ETE_BAD_SEQUENCE;
	case ETM4_PKT_I_INCOMPLETE_EOT:
		return HWF_ETE_INCOMPLETE;
	default:
		return HWF_ETE_RESERVED;
	}
}

static uint64_t address_of(const ocsd_etmv4_i_pkt *packet)
{
	return packet->v_addr.val | packet->v_addr_ISA;
}

static uint64_t context_word(const etmv4_context_t *context)
{
	if (!context->updated)
		return BENCH_CONTEXT_SAME;
	return bench_context(context->EL, context->SF, context->NS, context->NSE,
			     context->updated_v, context->updated_c);
}

static void fold_ids(uint64_t *sum, const etmv4_context_t *context)
{
	*sum = bench_fold_more(*sum, bench_two(context->updated_v ? context->VMID : 0,
					       context->updated_c ? context->ctxtID : 0));
}

static void fold_trace_info(uint64_t *sum, uint64_t offset, const ocsd_etmv4_i_pkt *packet)
{
	*sum = bench_fold_packet(
		*sum, offset, HWF_ETE_TRACE_INFO,
		bench_two(packet->trace_info.val,
			  packet->pkt_valid.bits.cc_thresh_valid ? packet->cc_threshold : 0));
	*sum = bench_fold_more(
		*sum,
		bench_two(packet->pkt_valid.bits.p0_key_valid ? packet->p0_key : 0,
			  packet->pkt_valid.bits.spec_depth_valid ? packet->curr_spec_depth : 0));
}

static void fold_timestamp(uint64_t *sum, uint64_t offset, const ocsd_etmv4_i_pkt *packet)
{
	bool counted = packet->pkt_valid.bits.cc_valid;

	*sum = bench_fold_packet(*sum, offset, HWF_ETE_TIMESTAMP, packet->ts.timestamp);
	if (counted)
		*sum = bench_fold_packet(*sum, offset, HWF_ETE_TIMESTAMP, packet->cycle_count);
}

/* The threshold is no part of the packet; an unknown count is 0 here. */
static void fold_cycle_count(struct peer *peer, uint64_t offset, unsigned int type,
			     const ocsd_etmv4_i_pkt *packet)
{
	/* in commit mode 1 it makes a commit out of a field that has no meaning */
	bool commits = packet->pkt_valid.bits.commit_elem_valid && !peer->commit_mode1;
	uint32_t count = packet->cycle_count ? packet->cycle_count - packet->cc_threshold : 0;

	peer->run->sum = bench_fold_packet(peer->run->sum, offset, type,
					   bench_two(count, commits ? packet->commit_elements : 0));
}

static void fold_resolve(uint64_t *sum, uint64_t offset, unsigned int type,
			 const ocsd_etmv4_i_pkt *packet)
{
	bool mispredict = type != HWF_ETE_COMMIT && packet->type != ETM4_PKT_I_CANCEL_F1;
	uint32_t number = 0;

	if (type == HWF_ETE_COMMIT)
		number = packet->commit_elements;
	else if (type != HWF_ETE_MISPREDICT)
		number = packet->cancel_elements;
	*sum = bench_fold_packet(*sum, offset, type,
				 bench_resolve(bench_atoms(packet->atom.En_bits, packet->atom.num),
					       mispredict, number));
}

static void fold_q(uint64_t *sum, uint64_t offset, const ocsd_etmv4_i_pkt *packet)
{
	bool has_address = packet->Q_pkt.addr_present || packet->Q_pkt.addr_match;

	*sum = bench_fold_packet(*sum, offset, HWF_ETE_Q, has_address ? address_of(packet) : 0);
	*sum = bench_fold_packet(*sum, offset, HWF_ETE_Q,
				 bench_two(packet->Q_pkt.count_present ? packet->Q_pkt.q_count : 0,
					   packet->Q_pkt.q_type));
}

static void fold_rare(uint64_t *sum, uint64_t offset, unsigned int type,
		      const ocsd_etmv4_i_pkt *packet)
{
	switch (type) {
	case HWF_ETE_UNSYNC:
		break;
	case HWF_ETE_TRACE_INFO:
		fold_trace_info(sum, offset, packet);
		break;
	case HWF_ETE_CONTEXT:
		*sum = bench_fold_packet(*sum, offset, type, context_word(&packet->context));
		fold_ids(sum, &packet->context);
		break;
	case HWF_ETE_TARGET_ADDRESS_WITH_CONTEXT_32BIT_IS0:
	case HWF_ETE_TARGET_ADDRESS_WITH_CONTEXT_32BIT_IS1:
	case HWF_ETE_TARGET_ADDRESS_WITH_CONTEXT_64BIT_IS0:
	case HWF_ETE_TARGET_ADDRESS_WITH_CONTEXT_64BIT_IS1:
		*sum = bench_fold_packet(*sum, offset, type, address_of(packet));
		*sum = bench_fold_more(*sum, context_word(&packet->context));
		fold_ids(sum, &packet->context);
		break;
	case HWF_ETE_EXCEPTION:
		*sum = bench_fold_packet(*sum, offset, type,
					 bench_exception(packet->exception_info.exceptionType,
							 packet->exception_info.addr_interp));
		break;
	case HWF_ETE_EVENT:
		*sum = bench_fold_packet(*sum, offset, type, packet->event_val);
		break;
	case HWF_ETE_Q:
		fold_q(sum, offset, packet);
		break;
	default:
		*sum = bench_fold_packet(*sum, offset, type, 0);
		break;
	}
}

static inline void fold_packet(struct peer *peer, uint64_t offset, unsigned int type,
			       const ocsd_etmv4_i_pkt *packet)
{
	uint64_t *sum = &peer->run->sum;

	switch (type) {
	case HWF_ETE_ATOM_F1:
	case HWF_ETE_ATOM_F2:
	case HWF_ETE_ATOM_F3:
	case HWF_ETE_ATOM_F4:
	case HWF_ETE_ATOM_F5:
	case HWF_ETE_ATOM_F6:
		*sum = bench_fold_packet(*sum, offset, type,
					 bench_atoms(packet->atom.En_bits, packet->atom.num));
		break;
	case HWF_ETE_TARGET_ADDRESS_SHORT_IS0:
	case HWF_ETE_TARGET_ADDRESS_SHORT_IS1:
	case HWF_ETE_TARGET_ADDRESS_32BIT_IS0:
	case HWF_ETE_TARGET_ADDRESS_32BIT_IS1:
	case HWF_ETE_TARGET_ADDRESS_64BIT_IS0:
	case HWF_ETE_TARGET_ADDRESS_64BIT_IS1:
	case HWF_ETE_SOURCE_ADDRESS_SHORT_IS0:
	case HWF_ETE_SOURCE_ADDRESS_SHORT_IS1:
	case HWF_ETE_SOURCE_ADDRESS_32BIT_IS0:
	case HWF_ETE_SOURCE_ADDRESS_32BIT_IS1:
	case HWF_ETE_SOURCE_ADDRESS_64BIT_IS0:
	case HWF_ETE_SOURCE_ADDRESS_64BIT_IS1:
		*sum = bench_fold_packet(*sum, offset, type, address_of(packet));
		break;
	case HWF_ETE_TARGET_ADDRESS_EXACT_MATCH:
	case HWF_ETE_SOURCE_ADDRESS_EXACT_MATCH:
		*sum = bench_fold_packet(*sum, offset,
					 bench_exact(type, packet->addr_exact_match_idx),
					 address_of(packet));
		break;
	case HWF_ETE_CYCLE_COUNT_F1:
	case HWF_ETE_CYCLE_COUNT_F2:
	case HWF_ETE_CYCLE_COUNT_F3:
		fold_cycle_count(peer, offset, type, packet);
		break;
	case HWF_ETE_COMMIT:
	case HWF_ETE_CANCEL_F1:
	case HWF_ETE_CANCEL_F2:
	case HWF_ETE_CANCEL_F3:
	case HWF_ETE_MISPREDICT:
		fold_resolve(sum, offset, type, packet);
		break;
	case HWF_ETE_TIMESTAMP:
		fold_timestamp(sum, offset, packet);
		break;
	default:
		fold_rare(sum, offset, type, packet);
		break;
	}
}

static ocsd_datapath_resp_t take_packet(const void *ctx, const ocsd_datapath_op_t op,
					const ocsd_trc_index_t index, const void *packet)
{
	struct peer *peer = (struct peer *)(uintptr_t)ctx;

	if (op == OCSD_OP_DATA)
		fold_packet(peer, index, type_of(packet), packet);
	return OCSD_RESP_CONT;
}

static ocsd_datapath_resp_t watch_packet(const void *ctx, const ocsd_datapath_op_t op,
					 const ocsd_trc_index_t index, const void *packet)
{
	struct peer *peer = (struct peer *)(uintptr_t)ctx;
	unsigned int type;

	if (op != OCSD_OP_DATA)
		return OCSD_RESP_CONT;
	type = type_of(packet);
	fold_packet(peer, index, type, packet);
	if (type != HWF_ETE_UNSYNC)
		bench_watch_note(peer->run->watch, peer->run->sum, index, type, 0);
	return OCSD_RESP_CONT;
}

static unsigned int isa_of(ocsd_isa isa)
{
	switch (isa) {
	case ocsd_isa_aarch64:
		return HWF_ISA_A64;
	case ocsd_isa_arm:
		return HWF_ISA_A32;
	case ocsd_isa_thumb2:
		return HWF_ISA_T32;
	default:
		return HWF_ISA_UNKNOWN;
	}
}

static ocsd_datapath_resp_t take_element(const void *ctx, const ocsd_trc_index_t index,
					 const uint8_t id, const ocsd_generic_trace_elem *element)
{
	struct peer *peer = (struct peer *)(uintptr_t)ctx;

	(void)index;
	(void)id;
	if (element->elem_type == OCSD_GEN_TRC_ELEM_INSTR_RANGE)
		peer->run->sum = bench_fold_range(peer->run->sum, element->st_addr,
						  element->en_addr, element->num_instr_range,
						  isa_of(element->isa), element->last_instr_exec);
	return OCSD_RESP_CONT;
}

/* The same, but whatever their order: as counts of each would be added up */
static ocsd_datapath_resp_t count_element(const void *ctx, const ocsd_trc_index_t index,
					  const uint8_t id, const ocsd_generic_trace_elem *element)
{
	struct peer *peer = (struct peer *)(uintptr_t)ctx;

	(void)index;
	(void)id;
	if (element->elem_type == OCSD_GEN_TRC_ELEM_INSTR_RANGE)
		peer->run->sum += bench_fold_range(0, element->st_addr, element->en_addr,
						   element->num_instr_range, isa_of(element->isa),
						   element->last_instr_exec);
	return OCSD_RESP_CONT;
}

static void say_bad_packet(struct bench_run *run)
{
	char text[160] = "";
	ocsd_trc_index_t index = 0;
	uint8_t id;

	ocsd_get_last_err(&index, &id, text, sizeof(text));
	bench_trouble_say(&run->trouble, "%s", text);
}

/* As take_element(), and tells of each range and of all that went wrong */
static ocsd_datapath_resp_t watch_element(const void *ctx, const ocsd_trc_index_t index,
					  const uint8_t id, const ocsd_generic_trace_elem *element)
{
	struct peer *peer = (struct peer *)(uintptr_t)ctx;
	struct bench_run *run = peer->run;

	take_element(ctx, index, id, element);
	switch (element->elem_type) {
	case OCSD_GEN_TRC_ELEM_INSTR_RANGE:
		bench_watch_note(run->watch, run->sum, element->st_addr, element->en_addr,
				 element->num_instr_range);
		break;
	case OCSD_GEN_TRC_ELEM_ADDR_NACC:
		bench_trouble_say(&run->trouble, "no code at 0x%" PRIx64 ", offset %" PRIu32,
				  element->st_addr, index);
		break;
	case OCSD_GEN_TRC_ELEM_NO_SYNC:
		if (element->unsync_eot_info == UNSYNC_BAD_PACKET)
			say_bad_packet(run);
		break;
	default:
		break;
	}
	return OCSD_RESP_CONT;
}

static void say_error(struct peer *peer, ocsd_err_t err, const char *what)
{
	char text[128] = "";

	ocsd_err_str(err, text, sizeof(text));
	bench_trouble_say(&peer->run->trouble, "%s: %s", what, text);
}

static int add_code(struct peer *peer, const struct bench_code *code)
{
	for (size_t i = 0; i < code->count; i++) {
		const struct bench_region *region = &code->regions[i];
		ocsd_err_t err =
			ocsd_dt_add_buffer_mem_acc(peer->tree, region->start, OCSD_MEM_SPACE_ANY,
						   region->bytes, (uint32_t)region->length);

		if (err != OCSD_OK) {
			say_error(peer, err, "ocsd_dt_add_buffer_mem_acc");
			return -1;
		}
	}
	return 0;
}

static int attach(struct peer *peer, enum bench_kind kind, const struct bench_code *code)
{
	bool watched = peer->run->watch != NULL;
	FnDefPktDataIn sink = watched ? watch_packet : take_packet;
	ocsd_err_t err;

	if (kind != BENCH_PACKETS) {
		err = ocsd_dt_set_gen_elem_outfn(peer->tree,
						 watched                ? watch_element
						 : kind == BENCH_COUNTS ? count_element
									: take_element,
						 peer);
		if (err == OCSD_OK)
			return add_code(peer, code);
	} else {
		/* functions come as data pointers there */
		err = ocsd_dt_attach_packet_callback(peer->tree, peer->id, OCSD_C_API_CB_PKT_SINK,
						     (void *)(uintptr_t)sink, peer);
	}
	if (err == OCSD_OK)
		return 0;
	say_error(peer, err, "callback");
	return -1;
}

/*
 * ocsd_dt_attach_packet_callback() knows all protocols but ETE (1.3.3). It is one packet
 * processor that does both ETE and ETMv4, and it goes by the version in the registers: as
 * ETMv4 of major version 5 it is that of ETE, callback and all.
 */
static uint32_t version_of(const struct hwf_ete_regs *regs)
{
	if (regs->protocol == HWF_PROTOCOL_ETMV4)
		return regs->trcidr1;
	return (regs->trcidr1 & ~0xff0u) | ETE_ARCH_VERSION << 8 |
	       (regs->trcdevarch >> 16 & 0xf) << 4;
}

static ocsd_err_t create_etmv4(struct peer *peer, const struct hwf_ete_regs *regs, int flags)
{
	const ocsd_etmv4_cfg config = {
		.reg_idr0 = regs->trcidr0,
		.reg_idr1 = version_of(regs),
		.reg_idr2 = regs->trcidr2,
		.reg_idr8 = regs->trcidr8,
		.reg_configr = regs->trcconfigr,
		.reg_traceidr = regs->trctraceidr,
		.arch_ver = ARCH_AA64,
		.core_prof = profile_CortexA,
	};

	return ocsd_dt_create_decoder(peer->tree, OCSD_BUILTIN_DCD_ETMV4I, flags, &config,
				      &peer->id);
}

static ocsd_err_t create_decoder(struct peer *peer, const struct hwf_ete_regs *regs)
{
	const ocsd_ete_cfg config = {
		.reg_idr0 = regs->trcidr0,
		.reg_idr1 = regs->trcidr1,
		.reg_idr2 = regs->trcidr2,
		.reg_idr8 = regs->trcidr8,
		.reg_devarch = regs->trcdevarch,
		.reg_configr = regs->trcconfigr,
		.reg_traceidr = regs->trctraceidr,
		.arch_ver = ARCH_AA64,
		.core_prof = profile_CortexA,
	};

	return ocsd_dt_create_decoder(peer->tree, OCSD_BUILTIN_DCD_ETE,
				      OCSD_CREATE_FLG_FULL_DECODER, &config, &peer->id);
}

static int peer_open(struct peer *peer, const struct bench_unit *unit, enum bench_kind kind,
		     const struct bench_code *code)
{
	ocsd_err_t err;

	peer->commit_mode1 = unit->config.commit_mode1;
	peer->tree = ocsd_create_dcd_tree(OCSD_TRC_SRC_SINGLE, 0);
	if (peer->tree == C_API_INVALID_TREE_HANDLE) {
		bench_trouble_say(&peer->run->trouble, "ocsd_create_dcd_tree failed");
		return -1;
	}
	if (kind == BENCH_PACKETS)
		err = create_etmv4(peer, &unit->regs, OCSD_CREATE_FLG_PACKET_PROC);
	else if (unit->regs.protocol == HWF_PROTOCOL_ETMV4)
		err = create_etmv4(peer, &unit->regs, OCSD_CREATE_FLG_FULL_DECODER);
	else
		err = create_decoder(peer, &unit->regs);
	if (err != OCSD_OK) {
		say_error(peer, err, "ocsd_dt_create_decoder");
		return -1;
	}
	return attach(peer, kind, code);
}

static void peer_close(struct peer *peer)
{
	if (peer->tree != C_API_INVALID_TREE_HANDLE)
		ocsd_destroy_dcd_tree(peer->tree);
	peer->tree = C_API_INVALID_TREE_HANDLE;
}

static void peer_decode(struct peer *peer, const struct bench_piece *piece)
{
	ocsd_datapath_resp_t resp = OCSD_RESP_CONT;
	uint32_t taken = 0;
	size_t at = 0;

	while (at < piece->length && !OCSD_DATA_RESP_IS_FATAL(resp)) {
		size_t left = piece->length - at;

		if (left > UINT32_MAX / 2)
			left = UINT32_MAX / 2;
		resp = ocsd_dt_process_data(peer->tree, OCSD_OP_DATA, (ocsd_trc_index_t)at,
					    (uint32_t)left, piece->bytes + at, &taken);
		at += taken;
	}
	if (OCSD_DATA_RESP_IS_FATAL(resp)) {
		bench_trouble_say(&peer->run->trouble, "gives up at offset %zu, response %d", at,
				  (int)resp);
	} else {
		ocsd_dt_process_data(peer->tree, OCSD_OP_EOT, 0, 0, NULL, &taken);
	}
	ocsd_dt_process_data(peer->tree, OCSD_OP_RESET, 0, 0, NULL, &taken);
}

static int run_unit(struct peer *peer, enum bench_kind kind, size_t index)
{
	const struct bench_unit *unit = &peer->run->work->units[index];
	unsigned int repeat = peer->run->repeat;
	size_t code = SIZE_MAX;

	for (size_t i = 0; i < unit->piece_count * repeat; i++) {
		const struct bench_piece *piece = &unit->pieces[i / repeat];

		if (code == SIZE_MAX || (kind != BENCH_PACKETS && piece->code != code)) {
			code = piece->code;
			peer_close(peer);
			if (peer_open(peer, unit, kind, &unit->codes[code]))
				return -1;
		}
		if (peer->run->watch) {
			peer->run->watch->unit = index;
			peer->run->watch->piece = i / repeat;
		}
		peer_decode(peer, piece);
	}
	return 0;
}

static int run_kind(struct bench_run *run, enum bench_kind kind)
{
	struct peer peer = {.run = run, .tree = C_API_INVALID_TREE_HANDLE};
	int err = 0;

	for (size_t i = 0; i < run->work->unit_count && !err; i++) {
		err = run_unit(&peer, kind, i);
		peer_close(&peer);
	}
	return err;
}

static int run_packets(struct bench_run *run)
{
	return run_kind(run, BENCH_PACKETS);
}

static int run_exact(struct bench_run *run)
{
	return run_kind(run, BENCH_EXACT);
}

static int run_counts(struct bench_run *run)
{
	return run_kind(run, BENCH_COUNTS);
}

static const char *version(void)
{
	/* the only call before any decode: errors are kept, not printed */
	ocsd_def_errlog_init(OCSD_ERR_SEV_ERROR, 0);
	return ocsd_get_version_str();
}

const struct bench_side bench_opencsd = {
	.name = "opencsd",
	.version = version,
	.run = {run_packets, run_exact, run_counts},
};
