/* SPDX-License-Identifier: GPL-2.0-only */
/* Strobing: a trace unit that traces for a while, and then for a while does not. */
#ifndef HWFLOW_ENCODE_STROBE_H
#define HWFLOW_ENCODE_STROBE_H

#include "encode.h"

/**
 * struct encode_strobe - strobing of a thread
 * @options: how; NULL where nothing is strobed
 * @none: ranges of a trace unit that traces nothing
 * @left: instructions until tracing stops or starts
 * @is_off: nothing is traced at present
 */
struct encode_strobe {
	const struct encode_options *options;
	struct hwf_tu_options none;
	uint64_t left;
	bool is_off;
};

/** encode_strobe_init() - begin to trace; @options must outlive @strobe */
void encode_strobe_init(struct encode_strobe *strobe, const struct encode_options *options);

/** encode_strobe_passed() - so many instructions were executed */
static inline void encode_strobe_passed(struct encode_strobe *strobe, uint32_t instructions)
{
	strobe->left -= strobe->left < instructions ? strobe->left : instructions;
}

/** encode_strobe_switch() - start or stop to trace if it is time; @unit has all instructions before
 */
void encode_strobe_switch(struct encode_strobe *strobe, struct hwf_tu *unit);

#endif /* HWFLOW_ENCODE_STROBE_H */
