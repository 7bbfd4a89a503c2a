/* SPDX-License-Identifier: GPL-2.0-only */
/* Code that the kernel loaded, removed or changed while it was recorded: kcore_changes of hwflow
 * record. */
#ifndef HWFLOW_KCORE_CHANGES_H
#define HWFLOW_KCORE_CHANGES_H

#include "hwflow/image.h"

/**
 * kcore_changes_map() - map the code of kcore_changes over that of the first copy
 * @image: its files are added to this
 * @space: the kernel's code at the beginning of the recording; receives the changes
 * @directory: kcore_changes of the recording
 *
 * Code that was loaded is mapped. Where an instruction was changed, nothing tells when; the address
 * becomes a gap. A breakpoint instruction is not executed: its exception is taken before it. Where
 * one of two versions is a breakpoint, the other one is mapped.
 *
 * Return: 0, also if there is no such directory; -ENOMEM; -EINVAL for a file that is no copy, which
 * is reported on stderr.
 */
int kcore_changes_map(struct hwf_image *image, struct hwf_image_space *space,
		      const char *directory);

#endif /* HWFLOW_KCORE_CHANGES_H */
