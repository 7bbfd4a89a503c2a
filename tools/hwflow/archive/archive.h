/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Archives: a recording with the files that it needs, for another machine. An archive is a tar
 * file, compressed with zstd:
 *
 *   hwflow-archive      version of the layout, and the name of the recording
 *   recording/NAME      the recording, a file or a directory; beside it NAME.code, NAME.truth, and
 *                       the files that name code made at run time
 *   files/PATH          program files and debug files of the machine recorded
 *   files/.build-id/XX/YY.../elf, .../vdso   of several files with one path, and without a path
 */
#ifndef HWFLOW_ARCHIVE_H
#define HWFLOW_ARCHIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "source/input.h"

/* names in an archive */
#define ARCHIVE_MANIFEST  "hwflow-archive"
#define ARCHIVE_RECORDING "recording"
#define ARCHIVE_FILES     "files"

/* first line of the manifest */
#define ARCHIVE_VERSION "hwflow archive 1"

/** struct archive_writer - an archive being written */
struct archive_writer;

/**
 * archive_writer_open() - begin an archive
 * @result: receives the writer
 * @path: of the archive; replaced if it exists
 * @level: of zstd
 *
 * Return: 0 or a negative errno.
 */
int archive_writer_open(struct archive_writer **result, const char *path, int level);

/**
 * archive_write_bytes() - add a file with these contents
 * @writer: the archive
 * @name: of the file in the archive
 * @bytes: the contents
 * @size: bytes of them
 *
 * Return: 0, or the first error of the archive, a negative errno.
 */
int archive_write_bytes(struct archive_writer *writer, const char *name, const void *bytes,
			size_t size);

/**
 * archive_write_file() - add a file
 * @writer: the archive
 * @name: of the file in the archive
 * @path: of the file
 * @root: see input_file_open()
 *
 * Return: 0; the errno of the file, whose entry is then not begun; or the first error of the
 * archive, which archive_writer_close() returns again.
 */
int archive_write_file(struct archive_writer *writer, const char *name, const char *path,
		       size_t root);

/** archive_written() - bytes of the contents of all files so far */
uint64_t archive_written(const struct archive_writer *writer);

/**
 * archive_writer_close() - complete the archive and free the writer
 * @writer: the archive; NULL is allowed
 *
 * Return: 0, or the first error: the archive is then unusable.
 */
int archive_writer_close(struct archive_writer *writer);

/** ARCHIVE_MESSAGE - room for the message of archive_unpack() */
#define ARCHIVE_MESSAGE 512

/**
 * archive_unpack() - write the files of an archive to a directory
 * @path: of the archive
 * @directory: exists, is empty, and only this user may write to it
 * @message: receives the offset and the reason of an error, one line
 *
 * Names that leave the directory, links and special files are errors. So is an archive that is
 * longer than the free room of the file system, or that unpacks to very much more than its size.
 *
 * Return: 0 or a negative errno.
 */
int archive_unpack(const char *path, const char *directory, char message[ARCHIVE_MESSAGE]);

/** archive_is_archive() - does a file begin like an archive? */
bool archive_is_archive(const char *path);

/**
 * archive_open_inputs() - unpack the recordings of a command line that are archives
 * @options: path and symfs of the recordings are set to those of the unpacked files
 *
 * The directory they are unpacked to is below TMPDIR, or /tmp. It is removed when the command ends,
 * also by a signal.
 *
 * Return: 0, or an enum exit_status after an error, which is reported.
 */
int archive_open_inputs(struct input_options *options);

/**
 * archive_remove_inputs() - remove the directory of archive_open_inputs()
 *
 * Context: called at the end of the process; earlier only if no input is open.
 */
void archive_remove_inputs(void);

#endif /* HWFLOW_ARCHIVE_H */
