/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Trace as a DSTREAM probe stores it: in blocks of 512 bytes. The last 8 bytes of a block belong to
 * the probe, and the frames of the TPIU continue in the next block.
 *
 *	file     |frames 504 bytes|probe 8|frames 504 bytes|probe 8|frames
 *	joined   |frames 504 bytes|frames 504 bytes|frames
 */
#ifndef HWFLOW_DSTREAM_H
#define HWFLOW_DSTREAM_H

#include "base/file_map.h"

/**
 * dstream_join() - copy the frames of all blocks to a temporary file, one after another
 * @joined: receives the copy; file_unmap() frees it
 * @blocks: the file of the probe
 *
 * Return: 0 or -errno of the temporary file, with an empty @joined.
 */
int dstream_join(struct file_map *joined, const struct file_map *blocks);

/**
 * dstream_offset() - find a byte of the joined frames in the file of the probe
 * @at: its offset in the joined frames
 *
 * Return: its offset in the file.
 */
size_t dstream_offset(size_t at);

#endif /* HWFLOW_DSTREAM_H */
