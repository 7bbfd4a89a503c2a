// SPDX-License-Identifier: GPL-2.0-only
/* Writing archives: tar, compressed with zstd. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

#include "archive.h"
#include "base/input_file.h"
#include "tar.h"

#define BUFFER 0x20000u

/**
 * struct archive_writer - an archive being written
 * @file: the archive
 * @stream: of zstd
 * @error: the first error, a negative errno
 * @written: bytes of the contents of all files
 * @out: compressed bytes on their way to the file
 */
struct archive_writer {
	FILE *file;
	ZSTD_CCtx *stream;
	int error;
	uint64_t written;
	uint8_t out[BUFFER];
};

/* Compress bytes; at the @end also what zstd holds back. */
static int put(struct archive_writer *writer, const void *bytes, size_t size, bool end)
{
	ZSTD_inBuffer in = {bytes, size, 0};
	size_t left = 1;

	while (!writer->error && (in.pos < in.size || (end && left))) {
		ZSTD_outBuffer out = {writer->out, BUFFER, 0};

		left = ZSTD_compressStream2(writer->stream, &out, &in,
					    end ? ZSTD_e_end : ZSTD_e_continue);
		if (ZSTD_isError(left))
			writer->error = -EIO;
		else if (out.pos && fwrite(writer->out, out.pos, 1, writer->file) != 1)
			writer->error = errno ? -errno : -EIO;
	}
	return writer->error;
}

static int put_padding(struct archive_writer *writer, uint64_t size)
{
	static const uint8_t zero[TAR_BLOCK];

	return put(writer, zero, (size_t)((0 - size) % TAR_BLOCK), false);
}

static int put_header(struct archive_writer *writer, const char *name, uint64_t size, time_t mtime)
{
	char records[TAR_NAME + 128];
	struct tar_header header;
	const size_t length = tar_pax_make(records, sizeof(records), name, size);

	if (length) {
		tar_header_make(&header, "pax", TAR_PAX, length, mtime);
		put(writer, &header, sizeof(header), false);
		put(writer, records, length, false);
		put_padding(writer, length);
	}
	tar_header_make(&header, name, TAR_FILE, size, mtime);
	return put(writer, &header, sizeof(header), false);
}

int archive_writer_open(struct archive_writer **result, const char *path, int level)
{
	struct archive_writer *writer = calloc(1, sizeof(*writer));
	int error = -ENOMEM;

	if (!writer)
		return error;
	writer->stream = ZSTD_createCCtx();
	if (writer->stream &&
	    (ZSTD_isError(ZSTD_CCtx_setParameter(writer->stream, ZSTD_c_compressionLevel, level)) ||
	     ZSTD_isError(ZSTD_CCtx_setParameter(writer->stream, ZSTD_c_checksumFlag, 1))))
		error = -EINVAL;
	else if (writer->stream && !(writer->file = fopen(path, "we")))
		error = -errno;
	if (!writer->file) {
		ZSTD_freeCCtx(writer->stream);
		free(writer);
		return error;
	}
	*result = writer;
	return 0;
}

int archive_write_bytes(struct archive_writer *writer, const char *name, const void *bytes,
			size_t size)
{
	put_header(writer, name, size, time(NULL));
	put(writer, bytes, size, false);
	writer->written += size;
	return put_padding(writer, size);
}

/* The contents of a file, exactly as many bytes as its header says */
static int put_contents(struct archive_writer *writer, int fd, uint64_t size)
{
	uint8_t buffer[BUFFER];

	for (uint64_t left = size; left && !writer->error;) {
		const ssize_t got = read(fd, buffer, left < BUFFER ? (size_t)left : BUFFER);

		if (got < 0 && errno == EINTR)
			continue;
		/* the file has become shorter meanwhile */
		if (got <= 0) {
			writer->error = got ? -errno : -ESTALE;
			break;
		}
		put(writer, buffer, (size_t)got, false);
		left -= (uint64_t)got;
		writer->written += (uint64_t)got;
	}
	return writer->error;
}

int archive_write_file(struct archive_writer *writer, const char *name, const char *path,
		       size_t root)
{
	const int fd = input_file_open(path, root, NULL);
	struct stat status;
	int error = 0;

	if (fd < 0)
		return fd;
	if (fstat(fd, &status))
		error = -errno;
	else if (strlen(name) >= TAR_NAME)
		error = -ENAMETOOLONG;
	if (!error) {
		put_header(writer, name, (uint64_t)status.st_size, status.st_mtime);
		put_contents(writer, fd, (uint64_t)status.st_size);
		error = put_padding(writer, (uint64_t)status.st_size);
	}
	close(fd);
	return error;
}

uint64_t archive_written(const struct archive_writer *writer)
{
	return writer->written;
}

int archive_writer_close(struct archive_writer *writer)
{
	static const uint8_t end[2 * TAR_BLOCK];
	int error;

	if (!writer)
		return 0;
	put(writer, end, sizeof(end), true);
	error = writer->error;
	if (fclose(writer->file) && !error)
		error = -errno;
	ZSTD_freeCCtx(writer->stream);
	free(writer);
	return error;
}
