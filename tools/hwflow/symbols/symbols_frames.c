// SPDX-License-Identifier: GPL-2.0-only
/* Bounds of functions, from the unwind table .eh_frame. */
#include "symbols_frames.h"

#include <stdlib.h>

#include "eh_frame.h"

size_t frames_read(Elf *elf, struct frame **frames)
{
	struct eh_function *functions;
	size_t count = eh_frame_read(elf, &functions);

	*frames = count ? calloc(count, sizeof(**frames)) : NULL;
	if (!*frames)
		count = 0;
	for (size_t i = 0; i < count; i++)
		(*frames)[i] = (struct frame){functions[i].start, functions[i].end};
	free(functions);
	return count;
}
