/* SPDX-License-Identifier: GPL-2.0-only */
/* Files of an input, as a stored profile has them: by their build ids, or by what they contain. */
#ifndef HWFLOW_VERBS_PROFILE_FILES_H
#define HWFLOW_VERBS_PROFILE_FILES_H

#include "hwflow/image.h"
#include "hwflow/stored_profile.h"

/**
 * struct profile_files - such files
 * @stored: receives them
 * @known: of tsearch(3): those that were looked up, by their struct hwf_image_file
 * @failed: memory ran out
 */
struct profile_files {
	struct hwf_stored_profile *stored;
	void *known;
	bool failed;
};

/** profile_files_is_memory() - is a file the memory of a kernel, with the addresses that the kernel
 * had? */
bool profile_files_is_memory(struct hwf_image_file *image);

/** profile_files_find() - the file of the profile that an ELF file is; NULL for any other file */
const struct hwf_profile_file *profile_files_find(struct profile_files *files,
						  struct hwf_image_file *image);

/** profile_files_forget() - free all but the profile; the files of another input follow */
void profile_files_forget(struct profile_files *files);

#endif /* HWFLOW_VERBS_PROFILE_FILES_H */
