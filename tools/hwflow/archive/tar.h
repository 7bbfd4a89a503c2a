/* SPDX-License-Identifier: GPL-2.0-only */
/* Headers of tar (POSIX ustar, with pax records for long names and large files). */
#ifndef HWFLOW_TAR_H
#define HWFLOW_TAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* headers and the contents of files are filled up to this */
#define TAR_BLOCK 512

/* longest name of a file in an archive, with its NUL */
#define TAR_NAME 4096

/**
 * struct tar_header - the first block of an entry
 */
struct tar_header {
	char name[100];
	char mode[8];
	char uid[8];
	char gid[8];
	char size[12];
	char mtime[12];
	char checksum[8];
	char type;
	char link[100];
	char magic[6];
	char version[2];
	char user[32];
	char group[32];
	char major[8];
	char minor[8];
	char prefix[155];
	char padding[12];
};

_Static_assert(sizeof(struct tar_header) == TAR_BLOCK, "the format");

/* types of entries */
#define TAR_FILE      '0'
#define TAR_FILE_OLD  '\0'
#define TAR_DIRECTORY '5'
#define TAR_PAX       'x'

/**
 * tar_header_make() - a header of a file
 * @header: receives the header
 * @name: name of the file; one that is too long is cut: a pax record has it then
 * @type: TAR_FILE or TAR_PAX
 * @size: bytes of the contents
 * @mtime: time of the last change of the file, in seconds
 */
void tar_header_make(struct tar_header *header, const char *name, char type, uint64_t size,
		     int64_t mtime);

/**
 * tar_pax_make() - records of a file whose name or size the header has no room for
 * @text: receives the records
 * @room: bytes of @text, at least TAR_NAME + 128
 * @name: name of the file
 * @size: bytes of its contents
 *
 * Return: bytes of the records; 0 if the header has room.
 */
size_t tar_pax_make(char *text, size_t room, const char *name, uint64_t size);

/**
 * struct tar_entry - an entry that was read
 * @name: name of the file
 * @size: bytes of the contents
 * @mtime: time of the last change
 * @type: TAR_FILE, TAR_DIRECTORY, ...
 */
struct tar_entry {
	char name[TAR_NAME];
	uint64_t size;
	int64_t mtime;
	char type;
};

/**
 * tar_header_read() - read a header
 * @header: the header
 * @entry: receives what it says
 *
 * Return: NULL, or the reason why this is no header.
 */
const char *tar_header_read(const struct tar_header *header, struct tar_entry *entry);

/**
 * tar_pax_read() - read pax records of the next entry
 * @text: the records
 * @size: bytes of them
 * @entry: receives name and size, if the records have them
 * @has_name: set if they have the name
 * @has_size: set if they have the size
 *
 * Return: NULL, or the reason why these are no records.
 */
const char *tar_pax_read(const char *text, size_t size, struct tar_entry *entry, bool *has_name,
			 bool *has_size);

/**
 * tar_name_is_safe() - is a name one of a file below the directory of the archive?
 * @name: the name
 *
 * Return: false for an absolute name, and for one that has a component that is empty, "." or "..".
 */
bool tar_name_is_safe(const char *name);

#endif /* HWFLOW_TAR_H */
