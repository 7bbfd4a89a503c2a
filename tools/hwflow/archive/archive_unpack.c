// SPDX-License-Identifier: GPL-2.0-only
/*
 * Unpacking archives, which may be damaged or made to do harm: names stay below the directory,
 * there are no links, files are created and never replaced, and the size is bounded.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <zstd.h>

#include "archive.h"
#include "base/input_file.h"
#include "base/input_limits.h"
#include "base/output.h"
#include "tar.h"

#define BUFFER 0x20000u

/* so much an archive may always unpack to; beyond it LIMIT_archive is the most */
#define UNPACKED_FREE (UINT64_C(64) << 20)

/* extended headers have a name and a size */
#define PAX_MAX (TAR_NAME + 4096)

/**
 * struct unpacker - an archive being unpacked
 * @file: the archive
 * @directory: where files are created
 * @stream: of zstd
 * @in: compressed bytes
 * @input: those of them that are not unpacked yet
 * @at: offset of the first byte of @in, in the archive
 * @made: bytes unpacked so far
 * @complete: the last frame of zstd is at its end
 * @entries: files so far
 * @message: receives the reason of an error
 */
struct unpacker {
	FILE *file;
	int directory;
	ZSTD_DStream *stream;
	uint8_t in[BUFFER];
	ZSTD_inBuffer input;
	uint64_t at;
	uint64_t made;
	bool complete;
	size_t entries;
	char *message;
};

static uint64_t offset_of(const struct unpacker *unpacker)
{
	return unpacker->at + unpacker->input.pos;
}

static int fail(struct unpacker *unpacker, int error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static int fail(struct unpacker *unpacker, int error, const char *format, ...)
{
	va_list args;
	int used = snprintf(unpacker->message, ARCHIVE_MESSAGE,
			    "offset %#llx: ", (unsigned long long)offset_of(unpacker));

	va_start(args, format);
	vsnprintf(unpacker->message + used, ARCHIVE_MESSAGE - (size_t)used, format, args);
	va_end(args);
	return error;
}

/* More compressed bytes; false at the end of the archive */
static bool refill(struct unpacker *unpacker)
{
	unpacker->at += unpacker->input.size;
	unpacker->input = (ZSTD_inBuffer){unpacker->in, 0, 0};
	unpacker->input.size = fread(unpacker->in, 1, BUFFER, unpacker->file);
	return unpacker->input.size;
}

/* Unpack some bytes, as many as there is room for and as are at hand. */
static int unpack_some(struct unpacker *unpacker, ZSTD_outBuffer *out)
{
	const size_t before = out->pos;
	size_t left;

	if (unpacker->input.pos == unpacker->input.size && !refill(unpacker))
		return fail(unpacker, -EINVAL,
			    "the archive is cut: copy it again, or pack it again");
	left = ZSTD_decompressStream(unpacker->stream, out, &unpacker->input);
	if (ZSTD_isError(left))
		return fail(unpacker, -EINVAL, "the archive is damaged: %s",
			    ZSTD_getErrorName(left));
	unpacker->complete = !left;
	unpacker->made += out->pos - before;
	if (unpacker->made > UNPACKED_FREE &&
	    (unpacker->made - UNPACKED_FREE) / (offset_of(unpacker) + 1) > limit_of(LIMIT_archive))
		return fail(unpacker, -EFBIG,
			    "the archive unpacks to too many times its size; hwflow archive makes "
			    "none like it; %s",
			    limit_text(LIMIT_archive));
	return 0;
}

/* Exactly @size bytes of the tar file */
static int take(struct unpacker *unpacker, void *bytes, size_t size)
{
	ZSTD_outBuffer out = {bytes, size, 0};
	int error = 0;

	while (out.pos < size && !error)
		error = unpack_some(unpacker, &out);
	return error;
}

static int skip(struct unpacker *unpacker, uint64_t size)
{
	uint8_t buffer[4096];
	int error = 0;

	while (size && !error) {
		const size_t part = size < sizeof(buffer) ? (size_t)size : sizeof(buffer);

		error = take(unpacker, buffer, part);
		size -= part;
	}
	return error;
}

/* The folders of a file, which are created if they do not exist. */
static int make_folders(const struct unpacker *unpacker, char *name)
{
	for (char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
		int error;

		*slash = '\0';
		error = mkdirat(unpacker->directory, name, 0700) && errno != EEXIST ? -errno : 0;
		*slash = '/';
		if (error)
			return error;
	}
	return 0;
}

static bool has_room(const struct unpacker *unpacker, uint64_t size)
{
	struct statvfs status;

	return fstatvfs(unpacker->directory, &status) || size / status.f_frsize < status.f_bavail;
}

static int copy_contents(struct unpacker *unpacker, const struct tar_entry *entry, int fd)
{
	uint8_t buffer[BUFFER];
	int error = 0;

	for (uint64_t left = entry->size; left && !error;) {
		const size_t part = left < BUFFER ? (size_t)left : BUFFER;

		error = take(unpacker, buffer, part);
		if (error)
			return error;
		error = output_write(fd, buffer, part);
		if (error)
			return fail(unpacker, error,
				    "%s cannot be unpacked: %s; TMPDIR names another "
				    "directory",
				    entry->name, strerror(-error));
		left -= part;
	}
	return skip(unpacker, (0 - entry->size) % TAR_BLOCK);
}

static int unpack_file(struct unpacker *unpacker, struct tar_entry *entry)
{
	const struct timespec times[2] = {{.tv_sec = entry->mtime}, {.tv_sec = entry->mtime}};
	int error, fd;

	if (!has_room(unpacker, entry->size))
		return fail(unpacker, -ENOSPC,
			    "%s has %llu bytes, for which there is no room; TMPDIR names another "
			    "directory",
			    entry->name, (unsigned long long)entry->size);
	error = make_folders(unpacker, entry->name);
	fd = error ? -1
		   : openat(unpacker->directory, entry->name,
			    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0) {
		error = error ? error : -errno;
		return fail(unpacker, error, "%s cannot be unpacked: %s", entry->name,
			    error == -EEXIST ? "the archive has it twice" : strerror(-error));
	}
	error = copy_contents(unpacker, entry, fd);
	futimens(fd, times);
	if (close(fd) && !error)
		error = fail(unpacker, -errno, "%s cannot be unpacked: %s", entry->name,
			     strerror(errno));
	return error;
}

/* The records before an entry that replace its name or size */
static int take_pax(struct unpacker *unpacker, struct tar_entry *entry, bool *has_name,
		    bool *has_size)
{
	const uint64_t size = entry->size;
	const char *reason;
	char *text;
	int error;

	if (size > PAX_MAX)
		return fail(unpacker, -EINVAL, "an extended header of %llu bytes is too long",
			    (unsigned long long)size);
	text = malloc((size_t)size + 1);
	if (!text)
		return fail(unpacker, -ENOMEM, "out of memory");
	error = take(unpacker, text, (size_t)size);
	if (!error) {
		reason = tar_pax_read(text, (size_t)size, entry, has_name, has_size);
		if (reason)
			error = fail(unpacker, -EINVAL, "%s", reason);
	}
	free(text);
	return error ? error : skip(unpacker, (0 - size) % TAR_BLOCK);
}

/* The next entry, with its extended header. Returns 1 at the end, 0, or a negative errno. */
static int next_entry(struct unpacker *unpacker, struct tar_entry *entry)
{
	static const struct tar_header zero;
	bool has_name = false, has_size = false, extended = false;

	for (;;) {
		struct tar_header header = {.type = 0};
		struct tar_entry read;
		const char *reason;
		int error = take(unpacker, &header, sizeof(header));

		if (error)
			return error;
		if (!memcmp(&header, &zero, sizeof(header)))
			return extended ? fail(unpacker, -EINVAL, "an entry is missing") : 1;
		reason = tar_header_read(&header, &read);
		if (reason)
			return fail(unpacker, -EINVAL, "%s", reason);
		if (read.type == TAR_PAX) {
			*entry = read;
			error = take_pax(unpacker, entry, &has_name, &has_size);
			if (error)
				return error;
			extended = true;
			continue;
		}
		if (!has_name)
			memcpy(entry->name, read.name, sizeof(entry->name));
		if (!has_size)
			entry->size = read.size;
		entry->type = read.type;
		entry->mtime = read.mtime;
		return 0;
	}
}

static int unpack_entry(struct unpacker *unpacker, struct tar_entry *entry)
{
	const size_t length = strlen(entry->name);

	if (entry->type == TAR_DIRECTORY && length && entry->name[length - 1] == '/')
		entry->name[length - 1] = '\0';
	if (!tar_name_is_safe(entry->name))
		return fail(unpacker, -EINVAL,
			    "'%s' would leave the directory that the archive is unpacked to: "
			    "refused",
			    entry->name);
	if (entry->type != TAR_FILE && entry->type != TAR_DIRECTORY)
		return fail(unpacker, -EINVAL,
			    "'%s' is a link or a special file, which an archive of hwflow does not "
			    "have: refused",
			    entry->name);
	if (unpacker->entries++ >= limit_of(LIMIT_files))
		return fail(unpacker, -EFBIG, "too many files; %s", limit_text(LIMIT_files));
	if (unpacker->entries == 1 && strcmp(entry->name, ARCHIVE_MANIFEST) != 0)
		return fail(unpacker, -EINVAL,
			    "not an archive of hwflow: its first file is not " ARCHIVE_MANIFEST);
	/* folders are made for the files in them */
	return entry->type == TAR_FILE
		       ? unpack_file(unpacker, entry)
		       : skip(unpacker, (entry->size + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK);
}

static int unpack_all(struct unpacker *unpacker)
{
	struct tar_entry entry = {.size = 0};
	int error;

	while (!(error = next_entry(unpacker, &entry)))
		if ((error = unpack_entry(unpacker, &entry)))
			return error;
	if (error < 0)
		return error;
	/* what is behind the end of the tar file, and the checksum of all */
	error = 0;
	while (!error && !unpacker->complete) {
		uint8_t rest[TAR_BLOCK];
		ZSTD_outBuffer out = {rest, sizeof(rest), 0};

		error = unpack_some(unpacker, &out);
	}
	return error;
}

int archive_unpack(const char *path, const char *directory, char message[ARCHIVE_MESSAGE])
{
	struct unpacker *unpacker = calloc(1, sizeof(*unpacker));
	int error = 0;

	if (!unpacker) {
		snprintf(message, ARCHIVE_MESSAGE, "out of memory");
		return -ENOMEM;
	}
	unpacker->message = message;
	unpacker->directory = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	unpacker->file = input_file_stream(path, 0);
	if (unpacker->directory < 0 || !unpacker->file) {
		error = -errno;
		snprintf(message, ARCHIVE_MESSAGE, "%s", strerror(-error));
	}
	unpacker->stream = error ? NULL : ZSTD_createDStream();
	if (unpacker->stream)
		error = unpack_all(unpacker);
	else if (!error)
		error = fail(unpacker, -ENOMEM, "out of memory");
	ZSTD_freeDStream(unpacker->stream);
	if (unpacker->file)
		fclose(unpacker->file);
	if (unpacker->directory >= 0)
		close(unpacker->directory);
	free(unpacker);
	return error;
}
