// SPDX-License-Identifier: GPL-2.0-only
/*
 * make_frames PROGRAM - print the frames of each address on standard input, as llvm-symbolizer(1)
 * does with --inlines --verbose. An address is as in the program, in hexadecimal.
 */
#include <inttypes.h>
#include <stdio.h>

#include "hwflow/image.h"
#include "symbols/source_frames.h"
#include "symbols/symbols.h"

static void print_frame(const struct source_frame *frame)
{
	printf("%s\n", frame->name ? frame->name : "??");
	printf("  Filename: %s\n", frame->at.file ? frame->at.file : "??");
	printf("  Function start filename: %s\n", frame->file ? frame->file : "??");
	printf("  Function start line: %" PRIu32 "\n", frame->line);
	printf("  Line: %" PRIu32 "\n", frame->at.line);
	printf("  Column: %" PRIu32 "\n", frame->at.column);
	printf("  Discriminator: %" PRIu32 "\n", frame->at.discriminator);
}

static int print_frames(struct symbols *symbols, struct hwf_image_file *file)
{
	uint64_t address;

	while (scanf("%" SCNx64, &address) == 1) {
		const struct source_stack stack = symbols_frames(symbols, file, address);

		if (stack.end <= address)
			return 1;
		if (!stack.count)
			printf("??\n");
		for (size_t i = stack.count; i; i--)
			print_frame(&stack.frames[i - 1]);
		printf("\n");
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct symbols *symbols = NULL;
	struct hwf_image_space *space;
	struct hwf_image_file *file;
	struct hwf_image *image = NULL;
	int status = 1;

	if (argc == 2 && !hwf_image_new(&image, NULL, NULL) &&
	    !hwf_image_add_space(image, NULL, NULL, &space) &&
	    !hwf_image_add_file(image, argv[1], NULL, &file) &&
	    !hwf_image_map_elf(space, file, 0) && !symbols_new(&symbols, NULL, false))
		status = print_frames(symbols, file);
	symbols_free(symbols);
	hwf_image_free(image);
	return status;
}
