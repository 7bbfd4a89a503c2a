// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * Fuzz target: any bytes as a stored profile, once as the file and once as what is compressed in
 * it. What is read is written again byte for byte, and a sum of two has the counts of both.
 */
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "fuzz.h"
#include "profile/stored_private.h"

/* A file whose payload is the input, with the right checksum and size */
static uint8_t *make_file(const uint8_t *data, size_t size, size_t *length)
{
	const size_t room = HWF_STORED_HEAD + ZSTD_compressBound(size);
	uint8_t *file = calloc(1, room);

	if (!file)
		abort();
	*length = HWF_STORED_HEAD + ZSTD_compress(file + HWF_STORED_HEAD, room - HWF_STORED_HEAD,
						  data, size, ZSTD_CLEVEL_DEFAULT);
	memcpy(file, HWF_PROFILE_MAGIC, sizeof(HWF_PROFILE_MAGIC) - 1);
	for (size_t i = 0; i < 8; i++)
		file[HWF_STORED_SIZE + i] = (uint8_t)((uint64_t)size >> 8 * i);
	hwf_stored_checksum(file + HWF_STORED_CHECKSUM, file, *length);
	return file;
}

/* One profile has one file. */
static void check(struct hwf_stored_profile *stored, const uint8_t *file, size_t length)
{
	size_t size;
	uint8_t *again = hwf_stored_profile_pack(stored, &size);

	if (!again || size != length || memcmp(again, file, size) != 0)
		abort();
	free(again);
}

static void try(const uint8_t *file, size_t length)
{
	struct hwf_stored_profile *stored, *sum;
	const char *reason = NULL;
	size_t count;

	if (hwf_stored_profile_unpack(&stored, file, length, &reason)) {
		if (!reason)
			abort();
		return;
	}
	sum = hwf_stored_profile_new();
	if (!sum || hwf_stored_profile_add(sum, stored))
		abort();
	check(sum, file, length);
	hwf_stored_profile_recordings(stored, &count);
	/* each recording is in it already */
	if (count && !hwf_stored_profile_add(sum, stored))
		abort();
	hwf_stored_profile_free(sum);
	hwf_stored_profile_free(stored);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t length;
	uint8_t *file = make_file(data, size, &length);

	try(file, length);
	free(file);
	try(data, size);
	return 0;
}
