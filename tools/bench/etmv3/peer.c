// SPDX-License-Identifier: GPL-2.0-only
/* The other side: a decode tree of OpenCSD for one trace. */
#include "peer.h"

dcd_tree_handle_t peer_open(const struct program *program, int flags, unsigned char *id)
{
	const ocsd_etmv3_cfg config = {
		.reg_idr = program->regs.etmidr,
		.reg_ctrl = program->regs.etmcr,
		.reg_ccer = program->regs.etmccer,
		.reg_trc_id = program->regs.etmtraceidr,
		.arch_ver = ARCH_V7,
		.core_prof = profile_CortexA,
	};
	dcd_tree_handle_t tree = ocsd_create_dcd_tree(OCSD_TRC_SRC_SINGLE, 0);

	if (tree == C_API_INVALID_TREE_HANDLE)
		return tree;
	if (ocsd_dt_create_decoder(tree, OCSD_BUILTIN_DCD_ETMV3, flags, &config, id) == OCSD_OK)
		return tree;
	peer_close(tree);
	return C_API_INVALID_TREE_HANDLE;
}

int peer_decode(dcd_tree_handle_t tree, const struct program *program)
{
	uint32_t taken = 0;

	for (size_t at = 0; at < program->length; at += taken) {
		ocsd_datapath_resp_t resp = ocsd_dt_process_data(
			tree, OCSD_OP_DATA, (ocsd_trc_index_t)at, (uint32_t)(program->length - at),
			program->trace + at, &taken);

		if (OCSD_DATA_RESP_IS_FATAL(resp))
			return -1;
	}
	ocsd_dt_process_data(tree, OCSD_OP_EOT, 0, 0, NULL, &taken);
	return 0;
}

void peer_close(dcd_tree_handle_t tree)
{
	if (tree != C_API_INVALID_TREE_HANDLE)
		ocsd_destroy_dcd_tree(tree);
}
