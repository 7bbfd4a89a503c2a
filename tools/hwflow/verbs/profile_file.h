/* SPDX-License-Identifier: GPL-2.0-only */
/* A profile goes from one process to another, or to a file. */
#ifndef HWFLOW_VERBS_PROFILE_FILE_H
#define HWFLOW_VERBS_PROFILE_FILE_H

#include "hwflow/stored_profile.h"

/**
 * profile_file_put() - write the bytes of a .hwprof file
 * @stored: the profile
 * @fd: where to
 *
 * Return: 0; -ENOMEM; or the errno of write(2).
 */
int profile_file_put(struct hwf_stored_profile *stored, int fd);

#endif /* HWFLOW_VERBS_PROFILE_FILE_H */
