// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzz target: any bytes as an archive, or, if they do not begin like one, as the tar file in it.
 * The checksums of its headers are made right, so that the fuzzer gets behind them. Nothing but the
 * directory may be written to.
 */
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "archive/archive.h"
#include "archive/tar.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define INPUT_MAX 65536

static char root[] = "/tmp/hwflow-fuzz-XXXXXX";
static char in_memory[32];
static int memory_fd = -1;

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *ftw)
{
	(void)type;
	(void)ftw;
	/* a file of the archive that another user could read, or a link */
	if (!S_ISDIR(status->st_mode) && (!S_ISREG(status->st_mode) || status->st_mode & 077))
		abort();
	return remove(path);
}

static void remove_root(void)
{
	rmdir(root);
}

static void prepare(void)
{
	if (memory_fd >= 0)
		return;
	if (!mkdtemp(root))
		abort();
	atexit(remove_root);
	memory_fd = memfd_create("archive", MFD_CLOEXEC);
	snprintf(in_memory, sizeof(in_memory), "/proc/self/fd/%d", memory_fd);
	if (memory_fd < 0)
		abort();
}

/* The sum that a header has: of its bytes, with blanks in place of the sum */
static void mend(uint8_t *block)
{
	struct tar_header *header = (struct tar_header *)block;
	unsigned int sum = 0;

	if (memcmp(header->magic, "ustar", sizeof(header->magic)) != 0)
		return;
	memset(header->checksum, ' ', sizeof(header->checksum));
	for (size_t i = 0; i < TAR_BLOCK; i++)
		sum += block[i];
	snprintf(header->checksum, sizeof(header->checksum), "%06o", sum);
}

static void put(const void *bytes, size_t size)
{
	if (ftruncate(memory_fd, 0) || pwrite(memory_fd, bytes, size, 0) != (ssize_t)size)
		abort();
}

static void put_tar(const uint8_t *data, size_t size)
{
	static uint8_t packed[ZSTD_COMPRESSBOUND(INPUT_MAX)];
	uint8_t *tar = malloc(size);

	if (!tar)
		abort();
	memcpy(tar, data, size);
	for (size_t at = 0; at + TAR_BLOCK <= size; at += TAR_BLOCK)
		mend(tar + at);
	put(packed, ZSTD_compress(packed, sizeof(packed), tar, size, 1));
	free(tar);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t magic[] = {0x28, 0xb5, 0x2f, 0xfd};
	char directory[sizeof(root) + 8], message[ARCHIVE_MESSAGE] = "";
	struct dirent *entry;
	DIR *folder;

	prepare();
	if (!size || size > INPUT_MAX)
		return 0;
	if (size >= sizeof(magic) && !memcmp(data, magic, sizeof(magic)))
		put(data, size);
	else
		put_tar(data, size);
	snprintf(directory, sizeof(directory), "%s/in", root);
	if (mkdir(directory, 0700))
		abort();
	if (archive_unpack(in_memory, directory, message) && !*message)
		abort();
	nftw(directory, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	folder = opendir(root);
	if (!folder)
		abort();
	while ((entry = readdir(folder)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			abort();
	closedir(folder);
	return 0;
}
