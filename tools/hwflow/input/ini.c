// SPDX-License-Identifier: GPL-2.0-only
/* The .ini files of capture directories. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "ini.h"
#include "input_private.h"

static char *trim(char *text)
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

static int add(struct ini *ini, char *section, char *key, char *value)
{
	struct ini_entry *entries = realloc(ini->entries, (ini->count + 1) * sizeof(*entries));

	if (!entries)
		return -ENOMEM;
	ini->entries = entries;
	entries[ini->count++] = (struct ini_entry){.section = section, .key = key, .value = value};
	return 0;
}

static int take_line(struct ini *ini, char *line, char **section)
{
	char *equals;

	line = trim(line);
	if (*line == '\0' || *line == ';' || *line == '#')
		return 0;
	if (*line == '[') {
		line[strcspn(line, "]")] = '\0';
		*section = trim(line + 1);
		return 0;
	}
	equals = strchr(line, '=');
	if (!equals)
		return 0;
	*equals = '\0';
	line[strcspn(line, "(")] = '\0';
	return add(ini, *section, trim(line), trim(equals + 1));
}

int ini_read(struct ini *ini, const char *path)
{
	struct file_map map;
	char *section;
	char *save = NULL;
	int err;

	*ini = (struct ini){0};
	err = file_map(&map, path);
	if (err)
		return err;
	ini->text = calloc(1, map.size + 1);
	if (!ini->text) {
		file_unmap(&map);
		return -ENOMEM;
	}
	if (map.size)
		memcpy(ini->text, map.bytes, map.size);
	section = ini->text + map.size;
	file_unmap(&map);
	for (char *line = strtok_r(ini->text, "\r\n", &save); line && !err;
	     line = strtok_r(NULL, "\r\n", &save))
		err = take_line(ini, line, &section);
	if (err)
		ini_free(ini);
	return err;
}

void ini_free(struct ini *ini)
{
	free(ini->entries);
	free(ini->text);
	*ini = (struct ini){0};
}

const char *ini_get(const struct ini *ini, const char *section, const char *key)
{
	for (size_t i = 0; i < ini->count; i++) {
		if (!strcasecmp(ini->entries[i].section, section) &&
		    !strcasecmp(ini->entries[i].key, key))
			return ini->entries[i].value;
	}
	return NULL;
}
