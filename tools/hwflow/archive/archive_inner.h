/* SPDX-License-Identifier: GPL-2.0-only */
/* hwflow archive: ELF files that are stored inside the files of a recording. */
#ifndef HWFLOW_ARCHIVE_INNER_H
#define HWFLOW_ARCHIVE_INNER_H

#include <stdint.h>

#include "hwflow/image.h"

struct perfdata_mapping;

/** struct archive_inner - what was found so far; {0} to begin with */
struct archive_inner {
	void *outers;
};

/**
 * archive_inner_find() - the ELF file inside a file that a mapping has code of
 * @inner: each file is searched once
 * @outer: file of the mapping; it is opened
 * @mapping: of the recording
 * @begin: receives the offset at which the inner file begins
 *
 * Return: the inner file, open, until archive_inner_free(); NULL if there is none, as for an ELF
 * file that has the code itself.
 */
struct hwf_image_file *archive_inner_find(struct archive_inner *inner, struct hwf_image_file *outer,
					  const struct perfdata_mapping *mapping, uint64_t *begin);

/** archive_inner_free() - free everything */
void archive_inner_free(struct archive_inner *inner);

#endif /* HWFLOW_ARCHIVE_INNER_H */
