/* SPDX-License-Identifier: GPL-2.0-only */
/* The binaries of a profile, found on this machine, for the formats that need them. */
#ifndef HWFLOW_VERBS_PROFILE_BINARIES_H
#define HWFLOW_VERBS_PROFILE_BINARIES_H

#include <stdio.h>

#include "profile/profile_formats.h"
#include "source/input.h"

/**
 * struct profile_binaries - binaries that were found
 * @image: has them
 * @symbols: their names
 * @tree: the directory of --symfs; NULL: the files of this machine
 * @items: the binaries
 * @count: how many
 */
struct profile_binaries {
	struct hwf_image *image;
	struct symbols *symbols;
	struct elf_tree *tree;
	struct profile_binary *items;
	size_t count;
};

/**
 * profile_binaries_find() - find those of a profile
 * @found: receives them; the caller frees them with profile_binaries_free(), also after an error
 * @stored: the profile
 * @scope: which of them
 * @dso: as for profile_binaries_write()
 * @options: where the files of the machine recorded are
 *
 * Return: an enum exit_status; EXIT_GAPS: one of several was not found, after a message.
 */
int profile_binaries_find(struct profile_binaries *found, const struct hwf_stored_profile *stored,
			  enum profile_scope scope, const char *dso,
			  const struct input_options *options);

/** profile_binaries_free() - forget them */
void profile_binaries_free(struct profile_binaries *found);

/**
 * profile_binaries_write() - write a profile in a format
 * @stored: the profile
 * @format: the format
 * @measure: see struct profile_content
 * @dso: of a format of one binary: its name or path; NULL: the only one. Of a format of several:
 *	the one that is written; NULL: all
 * @options: where the files of the machine recorded are
 * @out: where to
 *
 * A format of calling contexts is refused if the profile has none.
 *
 * A binary that is another one than when it was recorded is refused. Of all binaries, one that
 * cannot be used is left out, with a message, and the status is EXIT_GAPS.
 *
 * Return: an enum exit_status.
 */
int profile_binaries_write(struct hwf_stored_profile *stored, const struct profile_format *format,
			   const char *measure, const char *dso,
			   const struct input_options *options, FILE *out);

#endif /* HWFLOW_VERBS_PROFILE_BINARIES_H */
