// SPDX-License-Identifier: GPL-2.0-only
/* A copy of /proc/kallsyms: lines of ADDRESS TYPE NAME, and [MODULE] behind a tab. */
#include "kallsyms.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/input_file.h"

bool kallsyms_is_code(const struct kallsym *symbol)
{
	return strchr("tTwW", symbol->type) != NULL;
}

/* Takes a line apart, which it writes to. */
static bool parse(char *line, struct kallsym *symbol)
{
	char *at, *tab, *end;

	line[strcspn(line, "\r\n")] = '\0';
	if (!isxdigit((unsigned char)*line))
		return false;
	errno = 0;
	symbol->address = strtoull(line, &at, 16);
	if (errno || at[0] != ' ' || !isalpha((unsigned char)at[1]) || at[2] != ' ' || !at[3])
		return false;
	symbol->type = at[1];
	/*
	 * Linux before 5.0 lists T32 functions of modules with bit 0 set, the T bit of ELF. No
	 * instruction of Arm or RISC-V is at an odd address.
	 */
	if (kallsyms_is_code(symbol))
		symbol->address &= ~UINT64_C(1);
	symbol->name = at + 3;
	symbol->module = "";
	tab = strchr(at + 3, '\t');
	if (!tab)
		return true;
	*tab = '\0';
	end = strchr(tab + 1, ']');
	if (tab[1] != '[' || !end)
		return false;
	*end = '\0';
	symbol->module = tab + 2;
	return true;
}

int kallsyms_read(const char *path, size_t root, kallsyms_fn *take, void *ctx)
{
	FILE *file = input_file_stream(path, root);
	struct kallsym symbol;
	char *line = NULL;
	size_t room = 0;
	int result = 0;

	if (!file)
		return -errno;
	while (!result && getline(&line, &room, file) >= 0)
		if (parse(line, &symbol))
			result = take(ctx, &symbol);
	if (!result && ferror(file))
		result = -EIO;
	free(line);
	fclose(file);
	return result;
}
