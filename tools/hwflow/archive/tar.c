/* SPDX-License-Identifier: GPL-2.0-only */
#include "tar.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* what eleven octal digits hold */
#define SIZE_MAX_OCTAL ((UINT64_C(1) << 33) - 1)

static void put_octal(char *field, size_t room, uint64_t value)
{
	for (size_t i = room - 1; i--; value >>= 3)
		field[i] = (char)('0' + (value & 7));
	field[room - 1] = '\0';
}

/* The sum of all bytes of the header, with blanks in place of the sum */
static uint64_t checksum_of(const struct tar_header *header)
{
	const uint8_t *bytes = (const uint8_t *)header;
	uint64_t sum = 0;

	for (size_t i = 0; i < sizeof(*header); i++) {
		const size_t at = i - offsetof(struct tar_header, checksum);

		sum += at < sizeof(header->checksum) ? ' ' : bytes[i];
	}
	return sum;
}

void tar_header_make(struct tar_header *header, const char *name, char type, uint64_t size,
		     int64_t mtime)
{
	const size_t length = strlen(name);

	memset(header, 0, sizeof(*header));
	memcpy(header->name, name, length < sizeof(header->name) ? length : sizeof(header->name));
	put_octal(header->mode, sizeof(header->mode), 0644);
	put_octal(header->uid, sizeof(header->uid), 0);
	put_octal(header->gid, sizeof(header->gid), 0);
	put_octal(header->size, sizeof(header->size), size > SIZE_MAX_OCTAL ? 0 : size);
	put_octal(header->mtime, sizeof(header->mtime), mtime < 0 ? 0 : (uint64_t)mtime);
	header->type = type;
	memcpy(header->magic, "ustar", sizeof(header->magic));
	memcpy(header->version, "00", sizeof(header->version));
	/* six digits, NUL, blank */
	put_octal(header->checksum, sizeof(header->checksum) - 1, checksum_of(header));
	header->checksum[sizeof(header->checksum) - 1] = ' ';
}

/* "LENGTH KEY=VALUE\n", where LENGTH counts itself */
static size_t put_record(char *text, size_t room, const char *key, const char *value)
{
	const size_t rest = strlen(key) + strlen(value) + 3;
	size_t length = rest + 1;
	int digits;

	/* one digit more may make the number longer */
	while ((digits = snprintf(NULL, 0, "%zu", length)) > 0 && rest + (size_t)digits != length)
		length = rest + (size_t)digits;
	return (size_t)snprintf(text, room, "%zu %s=%s\n", length, key, value);
}

size_t tar_pax_make(char *text, size_t room, const char *name, uint64_t size)
{
	char number[32];
	size_t used = 0;

	if (strlen(name) > sizeof(((struct tar_header *)0)->name))
		used += put_record(text, room, "path", name);
	snprintf(number, sizeof(number), "%" PRIu64, size);
	if (size > SIZE_MAX_OCTAL)
		used += put_record(text + used, room - used, "size", number);
	return used;
}

/* Octal digits with blanks around; false for anything else */
static bool get_octal(const char *field, size_t room, uint64_t *value)
{
	size_t i = 0;

	*value = 0;
	while (i < room && field[i] == ' ')
		i++;
	for (; i < room && field[i] >= '0' && field[i] <= '7'; i++) {
		if (*value >> 61)
			return false;
		*value = *value << 3 | (uint64_t)(field[i] - '0');
	}
	while (i < room && (field[i] == ' ' || !field[i]))
		i++;
	return i == room;
}

const char *tar_header_read(const struct tar_header *header, struct tar_entry *entry)
{
	uint64_t checksum, mtime;
	int prefix = 0;

	if (!get_octal(header->checksum, sizeof(header->checksum), &checksum) ||
	    checksum != checksum_of(header))
		return "the checksum of an entry is wrong: the archive is damaged";
	if (!get_octal(header->size, sizeof(header->size), &entry->size) ||
	    !get_octal(header->mtime, sizeof(header->mtime), &mtime) || mtime > INT64_MAX)
		return "a number of an entry is wrong: the archive is damaged";
	if (!memcmp(header->magic, "ustar", sizeof(header->magic)))
		prefix = (int)strnlen(header->prefix, sizeof(header->prefix));
	snprintf(entry->name, sizeof(entry->name), "%.*s%s%.*s", prefix, header->prefix,
		 prefix ? "/" : "", (int)strnlen(header->name, sizeof(header->name)), header->name);
	entry->mtime = (int64_t)mtime;
	entry->type = header->type;
	if (entry->type == TAR_FILE_OLD)
		entry->type = TAR_FILE;
	return NULL;
}

/* The value of a record for a key; NULL if it has another key */
static const char *value_of(const char *record, size_t length, const char *key, size_t *size)
{
	const size_t used = strlen(key);

	if (length < used + 2 || strncmp(record, key, used) != 0 || record[used] != '=')
		return NULL;
	/* without the end of line */
	*size = length - used - 2;
	return record + used + 1;
}

static bool take_number(const char *value, size_t size, uint64_t *number)
{
	*number = 0;
	if (!size || size > 18)
		return false;
	for (size_t i = 0; i < size; i++) {
		if (!isdigit((unsigned char)value[i]))
			return false;
		*number = 10 * *number + (uint64_t)(value[i] - '0');
	}
	return true;
}

static const char *take_record(const char *record, size_t length, struct tar_entry *entry,
			       bool *has_name, bool *has_size)
{
	size_t size;
	const char *value = value_of(record, length, "path", &size);

	if (value) {
		if (size >= sizeof(entry->name) || memchr(value, '\0', size))
			return "the name of an entry is too long, or not a name";
		memcpy(entry->name, value, size);
		entry->name[size] = '\0';
		*has_name = true;
		return NULL;
	}
	value = value_of(record, length, "size", &size);
	if (value && !take_number(value, size, &entry->size))
		return "the size of an entry is not a number";
	*has_size |= value != NULL;
	return NULL;
}

const char *tar_pax_read(const char *text, size_t size, struct tar_entry *entry, bool *has_name,
			 bool *has_size)
{
	static const char damaged[] = "the extended header of an entry is damaged";
	const char *reason = NULL;
	size_t at = 0;

	while (!reason && at < size) {
		size_t length = 0, digits = 0;

		while (at + digits < size && digits < 8 &&
		       isdigit((unsigned char)text[at + digits]))
			length = 10 * length + (size_t)(text[at + digits++] - '0');
		/* digits, blank, KEY=, end of line */
		if (!digits || length < digits + 4 || length > size - at ||
		    text[at + digits] != ' ' || text[at + length - 1] != '\n')
			return damaged;
		reason = take_record(text + at + digits + 1, length - digits - 1, entry, has_name,
				     has_size);
		at += length;
	}
	return reason;
}

bool tar_name_is_safe(const char *name)
{
	if (!*name || *name == '/')
		return false;
	for (;;) {
		const size_t length = strcspn(name, "/");

		if (!length || (length == 1 && *name == '.') ||
		    (length == 2 && name[0] == '.' && name[1] == '.'))
			return false;
		name += length;
		if (!*name)
			return true;
		name++;
	}
}
