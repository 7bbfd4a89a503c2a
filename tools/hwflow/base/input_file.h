/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Input files. All files that a user or a recording names are opened here: a pipe or a device is
 * refused before it is opened, since opening one may wait for its writer or start the device.
 */
#ifndef HWFLOW_INPUT_FILE_H
#define HWFLOW_INPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/**
 * input_file_open() - open a regular file for reading
 * @path: of the file
 * @root: the first bytes of @path that name a directory which the path must not leave, neither by
 *        ".." nor by a symbolic link; 0: the path may lead anywhere
 * @size: receives the size of the file in bytes; may be NULL
 *
 * Return: a descriptor with O_CLOEXEC, or a negative errno, which input_file_error() explains:
 * -ESPIPE for a file that is not a regular one, -EISDIR for a directory, -EFBIG for a file larger
 * than the limit `input`.
 */
int input_file_open(const char *path, size_t root, uint64_t *size);

/**
 * input_file_map() - input_file_open() for hwf_image_set_open()
 * @reason: receives the text of input_file_error()
 */
int input_file_map(const char *path, size_t root, uint64_t *size, const char **reason);

/**
 * input_file_stream() - input_file_open() as a stream
 *
 * Return: NULL with a positive errno set.
 */
FILE *input_file_stream(const char *path, size_t root);

/** input_file_exists() - whether input_file_open() would open this file */
bool input_file_exists(const char *path, size_t root);

/**
 * input_file_link() - the path of an open file, without symbolic links
 * @fd: the file
 * @path: receives the path, of PATH_MAX bytes; "" if it is not known
 */
void input_file_link(int fd, char *path);

/**
 * input_file_error() - why a file was not opened, and what to do
 * @error: the negative errno
 *
 * Return: the text, valid until this thread calls the function again.
 */
const char *input_file_error(int error);

/**
 * input_file_parent() - the directory that a path is in, as a @root of input_file_open()
 *
 * Return: number of bytes before the last slash of @path; 0 if there is none.
 */
size_t input_file_parent(const char *path);

/**
 * own_file_open() - open a file of this machine's kernel, or of this program
 * @path: a path that the source code of the command contains: below /proc, /sys, /dev
 * @flags: of open(2); O_CLOEXEC is added
 *
 * No user and no recording names such a file, and it need not be a regular one.
 *
 * Return: a descriptor, or -1 with errno set.
 */
int own_file_open(const char *path, int flags);

/** own_file_stream() - own_file_open() for reading as a stream; NULL with errno set */
FILE *own_file_stream(const char *path);

#endif /* HWFLOW_INPUT_FILE_H */
