/* SPDX-License-Identifier: GPL-2.0-only */
/* The .ini files of capture directories: sections of key=value lines. */
#ifndef HWFLOW_INI_H
#define HWFLOW_INI_H

#include <stddef.h>

/**
 * struct ini_entry - one key=value line
 * @section: name of the section it is in
 * @key: without a parenthesis behind it, as in TRCIDR0(0x078)
 * @value: white space around it removed
 */
struct ini_entry {
	char *section;
	char *key;
	char *value;
};

/** struct ini - a file, in its order */
struct ini {
	struct ini_entry *entries;
	size_t count;
	char *text;
};

/** ini_read() - read a file; returns 0 or -errno */
int ini_read(struct ini *ini, const char *path);

/** ini_free() - free what ini_read() made */
void ini_free(struct ini *ini);

/** ini_get() - value of a key; NULL where there is none */
const char *ini_get(const struct ini *ini, const char *section, const char *key);

#endif /* HWFLOW_INI_H */
