/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Cycle Count packets whose Commit and count have at most seven bits. Longer packets are rare. */
#ifndef HWF_WINDOW_COUNTS_H
#define HWF_WINDOW_COUNTS_H

#include "hwflow/ete.h"

/*
 * struct hwf_count - a Cycle Count packet: the Commit comes first (R_BZQWX)
 * @commit: P0 elements that it commits
 * @count: cycles above the threshold
 * @size: bytes of the packet; 0: it is another packet
 */
struct hwf_count {
	uint32_t commit;
	uint32_t count;
	size_t size;
};

/* At least three bytes can be read at @at. */
static inline struct hwf_count hwf_count_read(const struct hwf_ete_config *config,
					      const uint8_t *at)
{
	const bool commits = !config->commit_mode1;
	const uint32_t aa = at[0] >> 2 & 3;

	switch (at[0]) {
	case 0x0c:
		return (struct hwf_count){commits ? (at[1] >> 4) + 1u : 0, at[1] & 0x0f, 2};
	case 0x0d:
		/* the deepest commits; where that is fewer than none the codec says so */
		if (commits && config->max_spec < 15)
			return (struct hwf_count){0};
		return (struct hwf_count){commits ? config->max_spec - 15 + (at[1] >> 4) : 0,
					  at[1] & 0x0f, 2};
	case 0x0e:
		if (at[1] & 0x80 || (commits && at[2] & 0x80))
			return (struct hwf_count){0};
		return commits ? (struct hwf_count){at[1], at[2], 3}
			       : (struct hwf_count){0, at[1], 2};
	case 0x10 ... 0x1f:
		if (!commits && aa)
			return (struct hwf_count){0};
		return (struct hwf_count){commits ? aa + 1 : 0, at[0] & 3, 1};
	default:
		return (struct hwf_count){0};
	}
}

#endif /* HWF_WINDOW_COUNTS_H */
