// SPDX-License-Identifier: GPL-2.0-only
/* Executed RISC-V instructions as text: lines to events. */
#include "exec_csv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS 8

/* no line is as long */
#define LINE_ROOM 160

#define ECALL  0x00000073u
#define EBREAK 0x00100073u

/* the columns, in order */
enum { VALID, ADDRESS, INSN, PRIVILEGE, EXCEPTION, ECAUSE, TVAL, INTERRUPT };

/* 1, 0 at the end, or an error */
static int read_line(struct exec_csv *csv, char *text)
{
	size_t length;

	if (!fgets(text, LINE_ROOM, csv->in)) {
		csv->error = strerror(errno);
		return ferror(csv->in) ? -EIO : 0;
	}
	csv->number++;
	/* a zero byte ends it early, too */
	length = strlen(text);
	if (!length || text[length - 1] != '\n') {
		csv->error = feof(csv->in) ? "the last line is not complete: the file was cut"
					   : "this is not a line of an execution log";
		return -EINVAL;
	}
	text[length - 1] = '\0';
	if (length > 1 && text[length - 2] == '\r')
		text[length - 2] = '\0';
	return 1;
}

int exec_csv_begin(struct exec_csv *csv)
{
	char text[LINE_ROOM];
	int status = read_line(csv, text);

	if (status == 1 && !strcmp(text, EXEC_CSV_HEADER))
		return 0;
	if (status >= 0)
		csv->error = "the first line must be " EXEC_CSV_HEADER;
	return -EINVAL;
}

static bool number(const char *text, const char *digits, int base, uint64_t most, uint64_t *value)
{
	if (!*text || text[strspn(text, digits)])
		return false;
	errno = 0;
	*value = strtoull(text, NULL, base);
	return !errno && *value <= most;
}

static bool hexadecimal(const char *text, uint64_t most, uint64_t *value)
{
	return number(text, "0123456789abcdefABCDEF", 16, most, value);
}

static bool decimal(const char *text, uint64_t most, uint64_t *value)
{
	return number(text, "0123456789", 10, most, value);
}

/* Cut the line at its commas. */
static bool split(char *text, char **fields)
{
	for (size_t i = 0; i < FIELDS; i++) {
		fields[i] = text;
		text = strchr(text, ',');
		if (!text)
			return i == FIELDS - 1;
		*text++ = '\0';
	}
	return false;
}

static const char *parse(char *text, struct hwf_te_event *event, bool *valid)
{
	char *fields[FIELDS];
	uint64_t value[FIELDS];

	if (!split(text, fields))
		return "the line must have eight fields: " EXEC_CSV_HEADER;
	if (!decimal(fields[VALID], 1, &value[VALID]))
		return "VALID must be 0 or 1";
	if (!hexadecimal(fields[ADDRESS], UINT64_MAX, &value[ADDRESS]))
		return "ADDRESS is not a hexadecimal number of 64 bits";
	if (!hexadecimal(fields[INSN], UINT32_MAX, &value[INSN]))
		return "INSN is not a hexadecimal number of 32 bits";
	if (!decimal(fields[PRIVILEGE], 15, &value[PRIVILEGE]))
		return "PRIVILEGE is not a number of 4 bits";
	if (!decimal(fields[EXCEPTION], 1, &value[EXCEPTION]))
		return "EXCEPTION must be 0 or 1";
	if (!hexadecimal(fields[ECAUSE], UINT16_MAX, &value[ECAUSE]))
		return "ECAUSE is not a hexadecimal number of 16 bits";
	if (!hexadecimal(fields[TVAL], UINT64_MAX, &value[TVAL]))
		return "TVAL is not a hexadecimal number of 64 bits";
	if (!decimal(fields[INTERRUPT], value[EXCEPTION], &value[INTERRUPT]))
		return "INTERRUPT must be 0, or 1 with EXCEPTION 1";
	*valid = value[VALID] != 0;
	*event = (struct hwf_te_event){
		.address = value[ADDRESS],
		.opcode = (uint32_t)value[INSN],
		.priv = (uint8_t)value[PRIVILEGE],
		.cause = (uint16_t)value[ECAUSE],
		.tval = value[TVAL],
	};
	if (value[EXCEPTION])
		event->trap = value[INTERRUPT] ? HWF_TE_INTERRUPT : HWF_TE_EXCEPTION;
	event->retired = !event->trap || (event->trap == HWF_TE_EXCEPTION &&
					  (event->opcode == ECALL || event->opcode == EBREAK));
	return NULL;
}

int exec_csv_next(struct exec_csv *csv, struct hwf_te_event *event)
{
	bool valid = false;

	while (!valid) {
		char text[LINE_ROOM];
		int status = read_line(csv, text);

		if (status <= 0)
			return status;
		csv->error = parse(text, event, &valid);
		if (csv->error)
			return -EINVAL;
	}
	return 1;
}
