/* SPDX-License-Identifier: GPL-2.0-only */
/* The files of a profile: how many, and offsets in them as the addresses that they are linked at.
 */
#include "profile_formats.h"
#include "symbols/symbols.h"

size_t profile_count_files(const struct hwf_stored_profile *stored)
{
	size_t count = 0, at = 0;

	while (hwf_stored_profile_next_file(stored, &at))
		count++;
	return count;
}

bool profile_address(const struct hwf_image_elf *elf, uint64_t offset, uint64_t *address)
{
	for (size_t i = 0; i < elf->segment_count; i++) {
		const struct hwf_image_segment *segment = &elf->segments[i];

		if (!segment->executable || offset - segment->offset >= segment->size)
			continue;
		*address = segment->address + (offset - segment->offset);
		return true;
	}
	return false;
}

bool profile_offset(const struct hwf_image_elf *elf, uint64_t address, uint64_t *offset)
{
	for (size_t i = 0; i < elf->segment_count; i++) {
		const struct hwf_image_segment *segment = &elf->segments[i];

		if (!segment->executable || address - segment->address >= segment->size)
			continue;
		*offset = segment->offset + (address - segment->address);
		return true;
	}
	return false;
}

const struct function *profile_function(const struct function *functions, size_t count,
					uint64_t address)
{
	size_t low = 0, high = count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (functions[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < functions[low - 1].end ? &functions[low - 1] : NULL;
}
