// SPDX-License-Identifier: GPL-2.0-only
/*
 * The .ini files of capture directories. A file may have many sections, keys and values, and long
 * names: entries are sorted once, and searched by bisection. A section has a number, so that its
 * name, which may be long, is not compared for each of its entries.
 */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file_map.h"
#include "ini.h"

char *ini_trim(char *text)
{
	char *end;

	while (isspace((unsigned char)*text))
		text++;
	end = text + strlen(text);
	while (end > text && isspace((unsigned char)end[-1]))
		end--;
	*end = '\0';
	return text;
}

static int add(struct ini *ini, size_t *room, const struct ini_entry *entry)
{
	struct ini_entry *entries;

	if (ini->count == *room) {
		*room = *room ? 2 * *room : 64;
		entries = reallocarray(ini->entries, *room, sizeof(*entries));
		if (!entries)
			return -ENOMEM;
		ini->entries = entries;
	}
	ini->entries[ini->count++] = *entry;
	return 0;
}

/* Ends a line where a comment begins. A quote without another one is a letter. */
static void cut_comment(char *line)
{
	char *end;

	for (; *line; line++) {
		if (*line == '#' || *line == ';') {
			*line = '\0';
			return;
		}
		end = *line == '"' || *line == '\'' ? strchr(line + 1, *line) : NULL;
		if (end)
			line = end;
	}
}

static char *unquote(char *value)
{
	const size_t length = strlen(value);

	if (length < 2 || (*value != '"' && *value != '\'') || value[length - 1] != *value)
		return value;
	value[length - 1] = '\0';
	return value + 1;
}

/* @number: of the line */
static int take_line(struct ini *ini, size_t *room, char *line, size_t number, char **section)
{
	char *equals;

	cut_comment(line);
	line = ini_trim(line);
	if (*line == '\0')
		return 0;
	equals = strchr(line, *line == '[' ? ']' : '=');
	if (!equals) {
		if (!ini->bad_line)
			ini->bad_line = number;
		return 0;
	}
	*equals = '\0';
	if (*line == '[') {
		*section = ini_trim(line + 1);
		return 0;
	}
	line[strcspn(line, "(")] = '\0';
	return add(ini, room,
		   &(struct ini_entry){.section = *section,
				       .key = ini_trim(line),
				       .value = unquote(ini_trim(equals + 1))});
}

/* A line ends with a carriage return, a newline, or both. */
static int take_lines(struct ini *ini, char *text, char *section)
{
	size_t room = 0, number = 0;
	bool is_last = false;
	int err = 0;

	while (!is_last && !err) {
		char *end = text + strcspn(text, "\r\n");
		char *next = end + (end[0] == '\r' && end[1] == '\n' ? 2 : 1);

		is_last = !*end;
		*end = '\0';
		err = take_line(ini, &room, text, ++number, &section);
		text = next;
	}
	return err;
}

/* The text after its byte order mark; NULL for the mark of UTF-16 */
static char *after_mark(char *text)
{
	const uint8_t *bytes = (const uint8_t *)text;

	if ((bytes[0] == 0xff && bytes[1] == 0xfe) || (bytes[0] == 0xfe && bytes[1] == 0xff))
		return NULL;
	return text + (bytes[0] == 0xef && bytes[1] == 0xbb && bytes[2] == 0xbf ? 3 : 0);
}

static int order_of(const struct ini_entry *a, const struct ini_entry *b)
{
	return (a > b) - (a < b);
}

/* Entries below one line of a section have the same pointer to its name. */
static int compare_sections(const void *a, const void *b)
{
	const struct ini_entry *x = *(const struct ini_entry *const *)a;
	const struct ini_entry *y = *(const struct ini_entry *const *)b;
	const int order = x->section == y->section ? 0 : strcasecmp(x->section, y->section);

	return order ? order : order_of(x, y);
}

static int compare_keys(const void *a, const void *b)
{
	const struct ini_entry *x = *(const struct ini_entry *const *)a;
	const struct ini_entry *y = *(const struct ini_entry *const *)b;
	const int order = x->number == y->number  ? strcasecmp(x->key, y->key)
			  : x->number < y->number ? -1
						  : 1;

	return order ? order : order_of(x, y);
}

static int compare_values(const void *a, const void *b)
{
	const struct ini_entry *x = *(const struct ini_entry *const *)a;
	const struct ini_entry *y = *(const struct ini_entry *const *)b;
	const int order = x->number == y->number  ? strcmp(x->value, y->value)
			  : x->number < y->number ? -1
						  : 1;

	return order ? order : order_of(x, y);
}

/* The first entry below each line of a section */
static size_t section_lines(const struct ini *ini, const struct ini_entry **lines)
{
	size_t count = 0;

	for (size_t i = 0; i < ini->count; i++)
		if (!i || ini->entries[i].section != ini->entries[i - 1].section)
			lines[count++] = &ini->entries[i];
	return count;
}

/* Gives all entries the numbers of their sections. @lines: sorted */
static void number_sections(struct ini *ini, const struct ini_entry **lines, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct ini_entry *entry = &ini->entries[lines[i] - ini->entries];
		const struct ini_entry *end = ini->entries + ini->count;
		const char *section = entry->section;

		if (!i || strcasecmp(section, lines[i - 1]->section) != 0)
			ini->sections[ini->section_count++] = entry;
		for (; entry < end && entry->section == section; entry++)
			entry->number = ini->section_count - 1;
	}
}

static int sort(struct ini *ini)
{
	const struct ini_entry **lines = calloc(ini->count + 1, sizeof(*lines));
	size_t count;

	ini->sections = calloc(ini->count + 1, sizeof(*lines));
	ini->by_key = calloc(ini->count + 1, sizeof(*lines));
	ini->by_value = calloc(ini->count + 1, sizeof(*lines));
	if (!lines || !ini->sections || !ini->by_key || !ini->by_value) {
		free(lines);
		return -ENOMEM;
	}
	count = section_lines(ini, lines);
	qsort(lines, count, sizeof(*lines), compare_sections);
	number_sections(ini, lines, count);
	free(lines);
	for (size_t i = 0; i < ini->count; i++)
		ini->by_key[i] = ini->by_value[i] = &ini->entries[i];
	qsort(ini->by_key, ini->count, sizeof(*ini->by_key), compare_keys);
	qsort(ini->by_value, ini->count, sizeof(*ini->by_value), compare_values);
	return 0;
}

int ini_read(struct ini *ini, int fd, size_t size)
{
	struct file_map map;
	char *text;
	int err;

	*ini = (struct ini){0};
	err = file_map_fd(&map, fd, size);
	if (err)
		return err;
	ini->text = calloc(1, map.size + 1);
	if (!ini->text) {
		file_unmap(&map);
		return -ENOMEM;
	}
	if (map.size)
		memcpy(ini->text, map.bytes, map.size);
	text = after_mark(ini->text);
	/* entries before any section have the empty name, at the end of the text */
	err = text ? take_lines(ini, text, ini->text + map.size) : -EILSEQ;
	file_unmap(&map);
	if (!err)
		err = sort(ini);
	if (err)
		ini_free(ini);
	return err;
}

void ini_free(struct ini *ini)
{
	free(ini->entries);
	free(ini->sections);
	free(ini->by_key);
	free(ini->by_value);
	free(ini->text);
	*ini = (struct ini){0};
}

size_t ini_section(const struct ini *ini, const char *section)
{
	size_t from = 0, to = ini->section_count;

	while (from < to) {
		const size_t middle = from + (to - from) / 2;
		const int order = strcasecmp(ini->sections[middle]->section, section);

		if (!order)
			return ini->sections[middle]->number;
		if (order < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return INI_NO_SECTION;
}

/* What an entry is compared with: its section, and its key or its value */
struct sought {
	size_t number;
	const char *text;
	bool is_key;
};

static int compare_with(const struct ini_entry *entry, const struct sought *sought)
{
	if (entry->number != sought->number)
		return entry->number < sought->number ? -1 : 1;
	return sought->is_key ? strcasecmp(entry->key, sought->text)
			      : strcmp(entry->value, sought->text);
}

/* The first entry that is not before the one sought, or with @behind, the first one behind it */
static size_t bound(const struct ini_entry *const *entries, size_t count,
		    const struct sought *sought, bool behind)
{
	size_t from = 0, to = count;

	while (from < to) {
		const size_t middle = from + (to - from) / 2;
		const int order = compare_with(entries[middle], sought);

		if (order < 0 || (behind && !order))
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

const char *ini_value(const struct ini *ini, size_t number, const char *key)
{
	const struct sought sought = {number, key, true};
	const size_t at = bound(ini->by_key, ini->count, &sought, false);

	if (at == ini->count || compare_with(ini->by_key[at], &sought))
		return NULL;
	return ini->by_key[at]->value;
}

const char *ini_get(const struct ini *ini, const char *section, const char *key)
{
	return ini_value(ini, ini_section(ini, section), key);
}

const struct ini_entry *const *ini_with_value(const struct ini *ini, size_t number,
					      const char *value, size_t *count)
{
	const struct sought sought = {number, value, false};
	const size_t from = bound(ini->by_value, ini->count, &sought, false);

	*count = bound(ini->by_value, ini->count, &sought, true) - from;
	return ini->by_value + from;
}
