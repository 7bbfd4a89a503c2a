/* SPDX-License-Identifier: GPL-2.0-only */
/* The code of a block, by functions and positions in the source. */
#include "block_places.h"

#include "source/input.h"
#include "symbols/symbols.h"

unsigned int block_insn_size(const struct profile_binary *binary, unsigned int isa, uint64_t offset)
{
	const uint8_t *bytes;
	size_t size;

	if (!input_isa_is_mixed(isa))
		return 4;
	bytes = hwf_image_file_bytes(binary->image, &size);
	if (!bytes || offset >= size || size - offset < 2)
		return 2;
	return input_insn_size(isa, (uint16_t)(bytes[offset] | bytes[offset + 1] << 8));
}

/* The place of an offset, and how many bytes it has at most */
static uint64_t find_place(const struct profile_binary *binary, uint64_t offset,
			   struct block_place *place)
{
	uint64_t last, bytes;
	bool is_linked;

	*place = (struct block_place){.address = offset};
	is_linked = binary->elf && profile_address(binary->elf, offset, &place->address);
	place->function = symbols_function(binary->symbols, binary->image, place->address, &last);
	bytes = last - place->address;
	bytes += bytes < UINT64_MAX;
	if (!is_linked)
		return bytes;
	place->stack = symbols_frames(binary->symbols, binary->image, place->address);
	if (place->stack.count)
		return place->stack.end - place->address < bytes ? place->stack.end - place->address
								 : bytes;
	/* offsets in a kernel are not those in its file */
	if (!binary->kernel)
		place->line = symbols_line_in_file(binary->symbols, binary->image, offset);
	return place->line.file ? 1 : bytes;
}

int block_places(const struct profile_binary *binary, const struct hwf_profile_block *block,
		 block_place_fn *take, void *ctx)
{
	uint32_t left = block->instructions;
	uint64_t offset = block->start;
	int result = 0;

	while (left && !result) {
		struct block_place place;
		const uint64_t most = find_place(binary, offset, &place);
		uint64_t bytes = 0;

		do {
			bytes += block_insn_size(binary, block->isa, offset + bytes);
			place.instructions++;
		} while (place.instructions < left && bytes < most);
		left -= place.instructions;
		place.is_last = !left;
		offset += bytes;
		result = take(ctx, &place);
	}
	return result;
}
