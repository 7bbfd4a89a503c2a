// SPDX-License-Identifier: GPL-2.0-only
/* The ground-truth log as text: lines to events. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "encode_text.h"

#define FIELDS 6

/* no line of the log is as long */
#define LINE_ROOM 160

static int bad(const char **error, const char *cause)
{
	*error = cause;
	return -EINVAL;
}

static bool decimal(const char *text, uint64_t most, uint64_t *value)
{
	if (text[strspn(text, "0123456789")] != '\0')
		return false;
	errno = 0;
	*value = strtoull(text, NULL, 10);
	return !errno && *value <= most;
}

static bool hexadecimal(const char *text, uint64_t *value)
{
	if (strlen(text) > 16 || text[strspn(text, "0123456789abcdefABCDEF")] != '\0')
		return false;
	*value = strtoull(text, NULL, 16);
	return true;
}

/* A number, -1, or, as logs had it once, a hyphen */
static bool is_cpu(const char *text)
{
	uint64_t value;

	return !strcmp(text, "-") || !strcmp(text, "-1") || decimal(text, INT32_MAX, &value);
}

/* Is it this name, with hyphens for its spaces? */
static bool is_name(const char *text, const char *name)
{
	while (*text && *text == (*name == ' ' ? '-' : *name)) {
		text++;
		name++;
	}
	return !*text && !*name;
}

static int take_exception(struct encode_line *line, const char *type, const char **error)
{
	line->kind = TRUTH_EVENT_EXCEPTION;
	/* a transaction that failed is no exception to the trace unit, and the log has none */
	for (unsigned int i = 0; i < HWF_EXC_TRANSACTION_FAILURE; i++) {
		if (is_name(type, hwf_exception_name((uint8_t)i)) &&
		    strcmp(type, "reserved") != 0) {
			line->type = (uint8_t)i;
			return 0;
		}
	}
	return bad(error, "unknown exception type; hwflow-truth(5) lists the types");
}

static int take_gap(struct encode_line *line, const char *reason, const char *nothing,
		    const char **error)
{
	line->kind = TRUTH_EVENT_GAP;
	for (unsigned int i = 0; i < TRUTH_GAPS; i++) {
		if (!strcmp(reason, truth_gap_name(i)) && !strcmp(nothing, "-")) {
			line->type = (uint8_t)i;
			return 0;
		}
	}
	return bad(error, "malformed gap; use 'GAP left -' or 'GAP signal -'");
}

static int take_trcit(struct encode_line *line, const char *el, const char **error)
{
	uint64_t value;

	line->kind = ENCODE_LINE_TRCIT;
	if (!decimal(el, 3, &value))
		return bad(error, "EL must be an exception level (0 to 3)");
	line->el = (uint8_t)value;
	return 0;
}

static int take_instruction(struct encode_line *line, const char *el, const char *isa,
			    const char **error)
{
	static const char *const names[] = {
		[HWF_ISA_A64] = "A64", [HWF_ISA_A32] = "A32", [HWF_ISA_T32] = "T32"};
	uint64_t value;

	line->kind = TRUTH_EVENT_RUN;
	if (!decimal(el, 3, &value))
		return bad(
			error,
			"the fourth field must be an exception level (0 to 3), EXC, GAP or TRCIT");
	line->el = (uint8_t)value;
	for (line->isa = HWF_ISA_A64; line->isa <= HWF_ISA_T32; line->isa++) {
		if (!strcmp(isa, names[line->isa]))
			break;
	}
	if (line->isa > HWF_ISA_T32)
		return bad(error, "the instruction set must be A64, A32 or T32");
	if ((line->address & (line->isa == HWF_ISA_T32 ? 1 : 3)) != 0)
		return bad(error, "the address of the instruction is not aligned");
	if (line->isa != HWF_ISA_A64 && line->address > UINT32_MAX)
		return bad(error, "A32 and T32 have addresses of 32 bits");
	return 0;
}

static int parse(struct encode_line *line, char *text, const char **error)
{
	char *fields[FIELDS] = {NULL};
	char *save = NULL;
	size_t count = 0;
	uint64_t tid;

	for (char *field = strtok_r(text, " ", &save); field; field = strtok_r(NULL, " ", &save)) {
		if (count == FIELDS)
			return bad(error, "the line has more than six fields");
		fields[count++] = field;
	}
	if (count != FIELDS)
		return bad(error, "the line must have six fields: SEQ CPU TID EL ISA PC");
	if (!decimal(fields[0], UINT64_MAX, &line->seq))
		return bad(error, "SEQ is not a number");
	if (!is_cpu(fields[1]))
		return bad(error, "CPU is not a number");
	if (!decimal(fields[2], INT32_MAX, &tid))
		return bad(error, "TID is not a thread number");
	line->tid = (int32_t)tid;
	if (!strcmp(fields[3], "GAP"))
		return take_gap(line, fields[4], fields[5], error);
	if (!hexadecimal(fields[5], &line->address))
		return bad(error, "the address is not a hexadecimal number without 0x");
	if (!strcmp(fields[3], "EXC"))
		return take_exception(line, fields[4], error);
	if (!strcmp(fields[3], "TRCIT"))
		return take_trcit(line, fields[4], error);
	return take_instruction(line, fields[3], fields[4], error);
}

int encode_line_read(FILE *in, struct encode_line *line, const char **error)
{
	uint64_t number = line->number;
	char text[LINE_ROOM];
	size_t length;

	if (!fgets(text, sizeof(text), in)) {
		*error = strerror(errno);
		return ferror(in) ? -EIO : 0;
	}
	*line = (struct encode_line){.number = number + 1};
	/* a zero byte ends it early, too */
	length = strlen(text);
	if (!length || text[length - 1] != '\n')
		return bad(error, feof(in) ? "the last line is not complete: the log was cut"
					   : "this is not a line of a log");
	text[length - 1] = '\0';
	return parse(line, text, error) ? -EINVAL : 1;
}
