/* SPDX-License-Identifier: GPL-2.0-only */
/* Code that the kernel loaded, removed or changed while it was recorded: kcore_changes of hwflow
 * record. */
#ifndef HWFLOW_KCORE_CHANGES_H
#define HWFLOW_KCORE_CHANGES_H

#include "hwflow/image.h"

/**
 * typedef kcore_changes_fn - addresses have code, or are known to have changed
 * @ctx: the taker's own
 * @start: the first address
 * @length: bytes
 *
 * Return: 0 or a negative errno.
 */
typedef int kcore_changes_fn(void *ctx, uint64_t start, uint64_t length);

/**
 * kcore_changes_map() - map the code of kcore_changes over that of the first copy
 * @image: its files are added to this
 * @space: the kernel's code at the beginning of the recording; receives the changes
 * @directory: kcore_changes of the recording
 * @cover: told of all addresses that are mapped; may be called several times for an address
 * @ctx: its first argument
 *
 * Code that was loaded is mapped. Where an instruction was changed, nothing tells when; the address
 * becomes a gap. A breakpoint instruction is not executed: its exception is taken before it. Where
 * one of two versions is a breakpoint, the other one is mapped.
 *
 * Return: 0, also if there is no such directory; -ENOMEM; -EINVAL for a file that is no copy, which
 * is reported on stderr.
 */
int kcore_changes_map(struct hwf_image *image, struct hwf_image_space *space, const char *directory,
		      kcore_changes_fn *cover, void *ctx);

#endif /* HWFLOW_KCORE_CHANGES_H */
