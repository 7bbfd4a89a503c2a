/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Cycle Count packets whose Commit and count have at most seven bits. Longer packets are rare. */
#ifndef HWF_FAST_COUNTS_H
#define HWF_FAST_COUNTS_H

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

/*
 * struct hwf_count_form - where a Cycle Count packet of commit mode 1 has its count
 * @size: bytes of the packet; 0: it is another packet
 * @header: bits of the header
 * @next: bits of the next byte
 */
struct hwf_count_form {
	uint8_t size;
	uint8_t header;
	uint8_t next;
};

/* By the header */
extern const struct hwf_count_form hwf_count_forms[256];

/*
 * In commit mode 1, where no Cycle Count commits. There is no branch, because the processor could
 * not predict it. At least two bytes can be read at @at.
 */
static inline struct hwf_count hwf_count_read_mode1(const uint8_t *at)
{
	const struct hwf_count_form *form = &hwf_count_forms[at[0]];
	const size_t more = (at[0] == 0x0e) & (at[1] >> 7);

	return (struct hwf_count){.count = (at[0] & form->header) | (at[1] & form->next),
				  .size = form->size & (more - 1)};
}

/* At least three bytes can be read at @at. */
static inline struct hwf_count hwf_count_read(const struct hwf_ete_config *config,
					      const uint8_t *at)
{
	if (config->commit_mode1)
		return hwf_count_read_mode1(at);
	switch (at[0]) {
	case 0x0c:
		return (struct hwf_count){(at[1] >> 4) + 1u, at[1] & 0x0f, 2};
	case 0x0d:
		/* the deepest commits; where that is fewer than none the codec says so */
		if (config->max_spec < 15)
			return (struct hwf_count){0};
		return (struct hwf_count){config->max_spec - 15 + (at[1] >> 4), at[1] & 0x0f, 2};
	case 0x0e:
		if ((at[1] | at[2]) & 0x80)
			return (struct hwf_count){0};
		return (struct hwf_count){at[1], at[2], 3};
	case 0x10 ... 0x1f:
		return (struct hwf_count){(at[0] >> 2 & 3) + 1u, at[0] & 3, 1};
	default:
		return (struct hwf_count){0};
	}
}

#endif /* HWF_FAST_COUNTS_H */
