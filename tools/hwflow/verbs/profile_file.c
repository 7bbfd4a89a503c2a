/* SPDX-License-Identifier: GPL-2.0-only */
/* The bytes of a .hwprof file, written. */
#include "profile_file.h"

#include <errno.h>
#include <stdlib.h>

#include "base/output.h"

int profile_file_put(struct hwf_stored_profile *stored, int fd)
{
	size_t size;
	void *packed = hwf_stored_profile_pack(stored, &size);
	const int error = packed ? output_write(fd, packed, size) : -ENOMEM;

	free(packed);
	return error;
}
