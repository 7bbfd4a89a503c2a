// SPDX-License-Identifier: GPL-2.0-only
/* Strobing. A real trace unit has counters of cycles for it, and ViewInst follows their sequencer.
 */
#include "encode_strobe.h"

void encode_strobe_init(struct encode_strobe *strobe, const struct encode_options *options)
{
	*strobe = (struct encode_strobe){.left = options->strobe_on};
	if (!options->strobe_on)
		return;
	strobe->options = options;
	strobe->none.exclude[0].high = UINT64_MAX;
	strobe->none.exclude_ranges = 1;
}

void encode_strobe_switch(struct encode_strobe *strobe, struct hwf_tu *unit)
{
	const struct encode_options *options = strobe->options;

	if (!options || strobe->left)
		return;
	strobe->is_off = !strobe->is_off;
	strobe->left = strobe->is_off ? options->strobe_off : options->strobe_on;
	hwf_tu_ranges(unit, strobe->is_off ? &strobe->none : &options->unit);
}
