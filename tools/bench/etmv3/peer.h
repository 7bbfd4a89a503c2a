/* SPDX-License-Identifier: GPL-2.0-only */
/* The other side: a decode tree of OpenCSD for one trace. */
#ifndef HWFLOW_BENCH_ETMV3_PEER_H
#define HWFLOW_BENCH_ETMV3_PEER_H

#include <opencsd/c_api/opencsd_c_api.h>

#include "program.h"

/**
 * peer_open() - make a decoder
 * @program: its trace
 * @flags: OCSD_CREATE_FLG_FULL_DECODER or OCSD_CREATE_FLG_PACKET_PROC
 * @id: receives the trace ID
 *
 * Return: the tree, or C_API_INVALID_TREE_HANDLE. Close it in any case.
 */
dcd_tree_handle_t peer_open(const struct program *program, int flags, unsigned char *id);

/** peer_decode() - give it the trace; 0, or -1 where it fails */
int peer_decode(dcd_tree_handle_t tree, const struct program *program);

void peer_close(dcd_tree_handle_t tree);

#endif /* HWFLOW_BENCH_ETMV3_PEER_H */
