// SPDX-License-Identifier: GPL-2.0-only
/*
 * make_landing_pads PROGRAM - print the landing pad of each call on standard input: "none",
 * "unknown" or its address. Addresses are as in the program, in hexadecimal.
 */
#include <inttypes.h>
#include <stdio.h>

#include "hwflow/image.h"
#include "symbols/segments.h"
#include "symbols/symbols.h"

static void print_pad(struct symbols *symbols, struct hwf_image_file *file,
		      const struct segments *by_address, const struct segments *by_offset,
		      uint64_t address)
{
	const struct hwf_image_segment *code = segments_find(by_address, address);
	uint64_t offset = code ? code->offset + (address - code->address) : UINT64_MAX, pad = 0;

	switch (symbols_landing_pad(symbols, file, offset, &pad)) {
	case LANDING_PAD_NONE:
		printf("none\n");
		return;
	case LANDING_PAD_AT:
		code = segments_find(by_offset, pad);
		printf("%" PRIx64 "\n", code ? code->address + (pad - code->offset) : 0);
		return;
	case LANDING_PAD_UNKNOWN:
		printf("unknown\n");
		return;
	}
}

int main(int argc, char **argv)
{
	struct segments *by_address = NULL, *by_offset = NULL;
	struct symbols *symbols = NULL;
	struct hwf_image_file *file;
	struct hwf_image *image = NULL;
	uint64_t address;
	int status = 1;

	if (argc == 2 && !hwf_image_new(&image, NULL, NULL) &&
	    !hwf_image_add_file(image, argv[1], NULL, &file) && !hwf_image_file_open(file) &&
	    hwf_image_file_elf(file) && !symbols_new(&symbols, NULL, false)) {
		by_address = segments_by_address(hwf_image_file_elf(file));
		by_offset = segments_by_offset(hwf_image_file_elf(file));
		while (scanf("%" SCNx64, &address) == 1)
			print_pad(symbols, file, by_address, by_offset, address);
		status = 0;
	}
	segments_free(by_address);
	segments_free(by_offset);
	symbols_free(symbols);
	hwf_image_free(image);
	return status;
}
