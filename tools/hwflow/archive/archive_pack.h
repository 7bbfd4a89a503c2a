/* SPDX-License-Identifier: GPL-2.0-only */
/* Which files an archive of a recording has. */
#ifndef HWFLOW_ARCHIVE_PACK_H
#define HWFLOW_ARCHIVE_PACK_H

#include <stdbool.h>

#include "source/input.h"

/**
 * struct archive_options - what to pack
 * @path: the recording, a perf.data file or the directory of perf record --kcore
 * @output: the archive
 * @input: --symfs and --debug-dir: where its files are
 * @truth: pack the ground-truth log, too
 * @no_debug: pack no separate debug files
 * @quiet: print no summary
 */
struct archive_options {
	const char *path;
	const char *output;
	struct input_options input;
	bool truth;
	bool no_debug;
	bool quiet;
};

/**
 * archive_pack() - make an archive
 * @options: what to pack
 *
 * Files that are missing, or that have changed since the recording, are reported and not packed.
 *
 * Return: 0; EXIT_GAPS if a file is missing; or EXIT_UNREADABLE: then there is no archive.
 */
int archive_pack(const struct archive_options *options);

#endif /* HWFLOW_ARCHIVE_PACK_H */
