/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* What the examples share: a file in memory, registers on the command line, errors. */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hwflow/session.h>

static inline void fail(const char *what, const char *why)
{
	fprintf(stderr, "%s: %s\n", what, why);
	exit(1);
}

static inline unsigned char *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	unsigned char *bytes;
	long end;

	if (!file || fseek(file, 0, SEEK_END) || (end = ftell(file)) < 0)
		fail(path, "cannot be read");
	rewind(file);
	*size = (size_t)end;
	bytes = malloc(*size + 1);
	if (!bytes || fread(bytes, 1, *size, file) != *size)
		fail(path, "cannot be read");
	fclose(file);
	return bytes;
}

/* NAME=VALUE: a register of an ETE or ETMv4 */
static inline void set_register(struct hwf_ete_regs *regs, const char *text)
{
	const struct {
		const char *name;
		uint32_t *value;
	} rows[] = {
		{"TRCCONFIGR=", &regs->trcconfigr}, {"TRCTRACEIDR=", &regs->trctraceidr},
		{"TRCIDR0=", &regs->trcidr0},	    {"TRCIDR1=", &regs->trcidr1},
		{"TRCIDR2=", &regs->trcidr2},	    {"TRCIDR8=", &regs->trcidr8},
		{"TRCAUTHSTATUS=", &regs->trcauthstatus},
		{"TRCDEVARCH=", &regs->trcdevarch},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strncmp(text, rows[i].name, strlen(rows[i].name)))
			continue;
		*rows[i].value = (uint32_t)strtoul(text + strlen(rows[i].name), NULL, 0);
		return;
	}
	fail(text, "not a register");
}

#endif /* EXAMPLE_H */
