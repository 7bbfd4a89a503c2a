/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The .ini files of capture directories: sections of key=value lines. A '#' or ';' outside of
 * quotes begins a comment. A byte order mark is skipped.
 */
#ifndef HWFLOW_INI_H
#define HWFLOW_INI_H

#include <stddef.h>
#include <stdint.h>

/** INI_NO_SECTION - ini_section() of a name that no section has */
#define INI_NO_SECTION SIZE_MAX

/**
 * struct ini_entry - one key=value line
 * @section: name of the section it is in
 * @number: of the section; sections of one name, but for the case of letters, have one number
 * @key: without a parenthesis behind it, as in TRCIDR0(0x078)
 * @value: without white space and quotes around it
 */
struct ini_entry {
	char *section;
	size_t number;
	char *key;
	char *value;
};

/**
 * struct ini - a file
 * @entries: in the order of the file
 * @count: elements of @entries
 * @sections: by name: an entry of each section number
 * @section_count: elements of @sections
 * @by_key: all entries, by section number, key, and their order in the file
 * @by_value: all entries, by section number, value, and their order in the file
 * @bad_line: the first line that is none of this, from 1; 0: there is none
 * @text: of the file; the strings of the entries are in it
 */
struct ini {
	struct ini_entry *entries;
	size_t count;
	const struct ini_entry **sections;
	size_t section_count;
	const struct ini_entry **by_key;
	const struct ini_entry **by_value;
	size_t bad_line;
	char *text;
};

/**
 * ini_read() - read a file
 * @ini: receives it
 * @fd: of the file
 * @size: bytes of the file
 *
 * Return: 0 or a negative errno; -EILSEQ for UTF-16.
 */
int ini_read(struct ini *ini, int fd, size_t size);

/** ini_trim() - cut white space at both ends of a text; returns where it begins */
char *ini_trim(char *text);

/** ini_free() - free what ini_read() made */
void ini_free(struct ini *ini);

/** ini_section() - number of a section; INI_NO_SECTION where there is none */
size_t ini_section(const struct ini *ini, const char *section);

/** ini_value() - the first value of a key in the section of this number; NULL where there is none
 */
const char *ini_value(const struct ini *ini, size_t number, const char *key);

/** ini_get() - the first value of a key in the section of this name; NULL where there is none */
const char *ini_get(const struct ini *ini, const char *section, const char *key);

/**
 * ini_with_value() - the entries of a section that have a value
 * @ini: the file
 * @number: of the section
 * @value: the value
 * @count: receives how many entries there are
 *
 * Return: the first of them, in the order of the file.
 */
const struct ini_entry *const *ini_with_value(const struct ini *ini, size_t number,
					      const char *value, size_t *count);

#endif /* HWFLOW_INI_H */
