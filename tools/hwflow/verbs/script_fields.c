/* SPDX-License-Identifier: GPL-2.0-only */
/* The columns of hwflow script. */
#include "base/print.h"
#include "script_fields.h"

/* Columns of a time and the blanks after it */
#define TIME_COLUMNS 16u

static const struct {
	const char *name;
	unsigned int field;
} names[] = {
	{"comm", FIELD_COMM},   {"tid", FIELD_TID},         {"cpu", FIELD_CPU},
	{"time", FIELD_TIME},   {"insn", FIELD_INSN},       {"ip", FIELD_IP},
	{"sym", FIELD_SYM},     {"symoff", FIELD_SYMOFF},   {"dso", FIELD_DSO},
	{"addr", FIELD_ADDR},   {"srcline", FIELD_SRCLINE}, {"flags", FIELD_FLAGS},
	{"dsoff", FIELD_DSOFF}, {"buildid", FIELD_BUILDID}, {"cyc", FIELD_CYC},
};

unsigned int script_fields_default(bool insn)
{
	return FIELD_COMM | FIELD_TID | FIELD_TIME | FIELD_IP | FIELDS_DEFAULT_NAMES |
	       (insn ? FIELD_INSN : FIELD_ADDR | FIELD_FLAGS);
}

static unsigned int field_of(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i].name) == length && !memcmp(names[i].name, name, length))
			return names[i].field;
	return 0;
}

bool script_fields_parse(const char *list, unsigned int *fields)
{
	*fields = 0;
	for (;;) {
		const size_t length = strcspn(list, ",");
		const unsigned int field = field_of(list, length);

		if (!field) {
			print(stderr,
			      "hwflow script: --fields: '%.*s': unknown field; use comm, tid, "
			      "cpu, "
			      "time, cyc, insn, ip, sym, symoff, dso, dsoff, buildid, srcline, "
			      "addr or "
			      "flags\n",
			      (int)length, list);
			return false;
		}
		*fields |= field;
		/* these are printed behind the file's name */
		if (field & (FIELD_DSOFF | FIELD_BUILDID))
			*fields |= FIELD_DSO;
		if (!list[length])
			return true;
		list += length + 1;
	}
}

static bool is_wrong(bool wrong, const char *what)
{
	if (wrong)
		print(stderr, "hwflow script: --fields: %s\n", what);
	return wrong;
}

bool script_fields_fit(unsigned int fields, bool insn)
{
	return !is_wrong(insn && fields & FIELD_ADDR, "addr: not with --insn") &&
	       !is_wrong(insn && fields & FIELD_FLAGS, "flags: not with --insn") &&
	       !is_wrong(!insn && fields & FIELD_INSN, "insn: only with --insn") &&
	       !is_wrong(fields & FIELD_SYMOFF && !(fields & FIELD_SYM), "symoff: only with sym") &&
	       !is_wrong(fields & FIELDS_NAMES && !(fields & (FIELD_IP | FIELD_ADDR)),
			 "sym, dso and srcline: only with ip or addr");
}

void script_put_thread(struct text *out, unsigned int fields, const char *name, int32_t tid,
		       int32_t cpu)
{
	if (fields & FIELD_COMM) {
		text_left(out, name, 15);
		text_char(out, ' ');
	}
	if (fields & FIELD_TID && tid < 0)
		text_string(out, "      - ");
	else if (fields & FIELD_TID) {
		text_decimal_padded(out, (uint64_t)tid, 7);
		text_char(out, ' ');
	}
	if (fields & FIELD_CPU && cpu < 0)
		text_string(out, "[  -] ");
	else if (fields & FIELD_CPU)
		text_format(out, "[%03d] ", cpu);
}

void script_put_cycles(struct text *out, uint64_t cycles)
{
	if (cycles)
		text_decimal_padded(out, cycles, 8);
	else
		text_right(out, "-", 8);
	text_char(out, ' ');
}

void script_put_seconds(struct text *out, uint64_t time)
{
	text_seconds(out, time);
	text_string(out, "  ");
}

void script_put_no_time(struct text *out)
{
	text_right(out, "-", TIME_COLUMNS);
	text_string(out, "  ");
}
