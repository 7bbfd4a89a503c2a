// SPDX-License-Identifier: GPL-2.0-only
/* Mutations of texts: ini files of captures, symbols of kernels, names of code, logs. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mutate.h"

static const char *const words[] = {
	"[device]",
	"[device_list]",
	"[trace]",
	"[trace_buffers]",
	"[buffer0]",
	"[source_buffers]",
	"[core_trace_sources]",
	"[core_to_trace_sources]",
	"[dump]",
	"[dump1]",
	"[regs]",
	"[global]",
	"[snapshot]",
	"[extra]",
	"name=",
	"class=core",
	"class=trace_source",
	"type=ETE",
	"type=ETM4",
	"type=Cortex-A57",
	"file=",
	"address=0x",
	"offset=",
	"length=0x",
	"format=",
	"coresight",
	"source_data",
	"buffers=",
	"metadata=trace.ini",
	"version=1.0",
	"space=",
	"ETMCR=",
	"ETMTRACEIDR=",
	"TRCCONFIGR=",
	"TRCTRACEIDR=",
	"TRCIDR0=",
	"TRCIDR1=",
	"TRCIDR2=",
	"TRCIDR8=",
	"TRCDEVARCH=",
	"../",
	"/etc/passwd",
	"\033[31m",
	"\r",
	"\n",
	"A64",
	"A32",
	"T32",
	"EXC",
	"GAP",
	"call",
	"left",
	"interrupt",
	"-1",
	" T _text",
	" t [ext4]",
	"[vdso]",
	"_stext",
	"Live 0x",
	"#",
	";",
	"=",
	",",
	"VALID,ADDRESS,INSN,PRIVILEGE,EXCEPTION,ECAUSE,TVAL,INTERRUPT",
};

/* The line that a byte is in, with its newline */
static struct mutate_range line_at(const struct edit *edit, size_t at)
{
	struct mutate_range line = {.at = at};

	while (line.at && edit->bytes[line.at - 1] != '\n')
		line.at--;
	while (line.at + line.size < edit->size && edit->bytes[line.at + line.size] != '\n')
		line.size++;
	line.size += line.at + line.size < edit->size;
	return line;
}

static struct mutate_range any_line(const struct edit *edit)
{
	return line_at(edit, mutate_below(edit->size));
}

static void insert_word(struct edit *edit)
{
	const char *word = words[mutate_below(sizeof(words) / sizeof(words[0]))];

	edit_replace(edit, mutate_below(edit->size + 1), 0, word, strlen(word));
}

static void insert_line(struct edit *edit)
{
	const char *word = words[mutate_below(sizeof(words) / sizeof(words[0]))];
	char line[256];
	const int length = snprintf(line, sizeof(line), "%s%" PRIx64 "\n", word, mutate_number());

	edit_replace(edit, any_line(edit).at, 0, line, (size_t)length);
}

static void copy_line(struct edit *edit)
{
	const struct mutate_range line = any_line(edit);

	edit_copy(edit, line.at, line.size, any_line(edit).at);
}

static void remove_line(struct edit *edit)
{
	const struct mutate_range line = any_line(edit);

	edit_replace(edit, line.at, line.size, NULL, 0);
}

static void repeat_line(struct edit *edit)
{
	const struct mutate_range line = any_line(edit);

	for (size_t count = mutate_below(64); count; count--)
		edit_copy(edit, line.at, line.size, line.at);
}

static bool is_digit(uint8_t c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/* The digits from a byte on are another number */
static void change_number(struct edit *edit)
{
	size_t at = mutate_below(edit->size), digits = 0;
	char text[32];
	int length;

	while (at < edit->size && !is_digit(edit->bytes[at]))
		at++;
	while (at + digits < edit->size && is_digit(edit->bytes[at + digits]))
		digits++;
	length = snprintf(text, sizeof(text), mutate_below(2) ? "%" PRIx64 : "%" PRIu64,
			  mutate_number());
	edit_replace(edit, at, digits, text, (size_t)length);
}

/* What is behind = in one line is behind = in another */
static void copy_value(struct edit *edit)
{
	const struct mutate_range from = any_line(edit), to = any_line(edit);
	const uint8_t *value = memchr(edit->bytes + from.at, '=', from.size);
	const uint8_t *place = memchr(edit->bytes + to.at, '=', to.size);
	char text[256];
	size_t size;

	if (!value || !place)
		return;
	size = (size_t)(edit->bytes + from.at + from.size - value);
	if (size > sizeof(text))
		return;
	memcpy(text, value, size);
	edit_replace(edit, (size_t)(place - edit->bytes),
		     (size_t)(edit->bytes + to.at + to.size - place), text, size);
}

static void change_bytes(struct edit *edit)
{
	edit_bytes(edit, 0, edit->size);
}

void mutate_text(struct edit *edit)
{
	static void (*const all[])(struct edit *edit) = {
		insert_word,   insert_line,   copy_line,  remove_line,  repeat_line,
		change_number, change_number, copy_value, change_bytes,
	};

	if (edit->size)
		all[mutate_below(sizeof(all) / sizeof(all[0]))](edit);
	else
		insert_line(edit);
}
