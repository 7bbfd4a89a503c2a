/* SPDX-License-Identifier: GPL-2.0-only */
/* Files of two recordings: which file of the new one takes the place of a file of the old one. */
#ifndef HWFLOW_VERBS_DIFFERENCE_FILES_H
#define HWFLOW_VERBS_DIFFERENCE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct perfdata_info;

/** enum difference_side - one of the two recordings */
enum difference_side {
	DIFFERENCE_OLD,
	DIFFERENCE_NEW,
	DIFFERENCE_SIDES,
};

/** struct difference_files - files of both recordings, by their names without folders */
struct difference_files;

/** difference_files_new() - begin with no files; NULL without memory */
struct difference_files *difference_files_new(void);

/**
 * difference_files_add() - add a file of which instructions were executed
 * @files: receives it
 * @side: the recording
 * @name: without folders; copied
 *
 * Return: 0 or -ENOMEM.
 */
int difference_files_add(struct difference_files *files, enum difference_side side,
			 const char *name);

/** difference_files_builds() - add the build ids of a recording; Return: 0 or -ENOMEM */
int difference_files_builds(struct difference_files *files, enum difference_side side,
			    const struct perfdata_info *info);

/**
 * difference_files_match() - find the new file of each old one
 * @files: all were added
 * @maps: OLD=NEW of the command line; folders of both are left out
 * @count: how many
 *
 * The file of @maps; else one with the same build id; else one with the same name; else the only
 * program that is left in the new recording, if one is left in the old one. Libraries and code that
 * is in no program are no programs.
 *
 * Return: false after a message, if a file of @maps is in neither recording.
 */
bool difference_files_match(struct difference_files *files, const char *const *maps, size_t count);

/**
 * difference_files_common() - the name that a file has in both recordings
 * @files: after difference_files_match()
 * @side: the recording
 * @name: of one of its files
 *
 * Return: the name in the new recording; @name if the file is in one recording only.
 */
const char *difference_files_common(const struct difference_files *files, enum difference_side side,
				    const char *name);

/**
 * difference_files_print() - write which files with different names were compared, and which files
 *	have different build ids
 * @files: after difference_files_match()
 * @out: where to
 */
void difference_files_print(const struct difference_files *files, FILE *out);

/** difference_files_free() - free everything; NULL is allowed */
void difference_files_free(struct difference_files *files);

#endif /* HWFLOW_VERBS_DIFFERENCE_FILES_H */
