// SPDX-License-Identifier: GPL-2.0-only
/*
 * make_lines PROGRAM - print the source line of each address on standard input, as addr2line(1)
 * does. An address is as in the program, in hexadecimal.
 *
 * make_lines PROGRAM rows - print all rows: first address, address after the last, file:line
 */
#include <inttypes.h>
#include <stdio.h>

#include "hwflow/image.h"
#include "symbols/symbols.h"

static int print_lines(struct symbols *symbols, const struct hwf_image_space *space)
{
	uint64_t address;

	while (scanf("%" SCNx64, &address) == 1) {
		const struct source_line line = symbols_line(symbols, space, address);

		printf("%s:%d\n", line.file ? line.file : "??", line.line);
	}
	return 0;
}

static int print_row(void *ctx, const struct source_row *row)
{
	(void)ctx;
	printf("%" PRIx64 " %" PRIx64 " %s:%d\n", row->start, row->end, row->line.file,
	       row->line.line);
	return 0;
}

int main(int argc, char **argv)
{
	struct symbols *symbols = NULL;
	struct hwf_image_space *space;
	struct hwf_image_file *file;
	struct hwf_image *image = NULL;
	int status = 1;

	if (argc >= 2 && !hwf_image_new(&image, NULL, NULL) &&
	    !hwf_image_add_space(image, NULL, NULL, &space) &&
	    !hwf_image_add_file(image, argv[1], NULL, &file) &&
	    !hwf_image_map_elf(space, file, 0) && !symbols_new(&symbols, NULL, false))
		status = argc == 2 ? print_lines(symbols, space)
				   : symbols_rows(symbols, file, print_row, NULL);
	symbols_free(symbols);
	hwf_image_free(image);
	return status;
}
