/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The format of callgrind, which callgrind_annotate and KCachegrind read. Names of files and
 * functions are compressed: "(NUMBER) NAME" where a name is written first, "(NUMBER)" from there
 * on.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/text.h"
#include "callgrind_costs.h"
#include "hwflow/version.h"

/* What has names with numbers of its own: binaries, source files, functions */
enum { OBJECTS, FILES, FUNCTIONS, NAMESPACES };

/**
 * struct writer - the text as it is written
 * @costs: what is written
 * @out: receives it
 * @named: by namespace and number: the name was written
 * @file: number of the source file that rows are of
 */
struct writer {
	const struct costs *costs;
	struct text *out;
	bool *named[NAMESPACES];
	uint32_t file;
};

static void put_name(struct writer *writer, const char *key, unsigned int space, uint32_t number,
		     uint32_t name)
{
	text_string(writer->out, key);
	text_named_decimal(writer->out, "=(", number + 1);
	text_char(writer->out, ')');
	if (!writer->named[space][number]) {
		writer->named[space][number] = true;
		text_char(writer->out, ' ');
		text_string(writer->out, costs_text(writer->costs, name));
	}
	text_end_line(writer->out);
}

static void put_object(struct writer *writer, const char *key, uint32_t name)
{
	put_name(writer, key, OBJECTS, name, name);
}

static void put_file(struct writer *writer, const char *key, uint32_t name)
{
	put_name(writer, key, FILES, name, name);
}

/* Rows of a function follow. */
static void put_function(struct writer *writer, const struct costs_function *function)
{
	text_end_line(writer->out);
	put_object(writer, "ob", function->object);
	put_file(writer, "fl", function->file);
	put_name(writer, "fn", FUNCTIONS, function->number, function->name);
	writer->file = function->file;
}

/* Rows of another source file follow: of code that is inlined, or of the function again. */
static void set_file(struct writer *writer, const struct costs_row *row)
{
	const struct costs_function *function = costs_function(writer->costs, row->from.function);

	if (row->from.file == writer->file)
		return;
	writer->file = row->from.file;
	put_file(writer, writer->file == function->file ? "fe" : "fi", writer->file);
}

static void put_line(struct writer *writer, uint32_t line, uint64_t count)
{
	text_decimal(writer->out, line);
	text_named_decimal(writer->out, " ", count);
	text_end_line(writer->out);
}

static void put_call(struct writer *writer, const struct costs_row *row)
{
	const struct costs_function *callee = costs_function(writer->costs, row->to.function);

	put_object(writer, "cob", callee->object);
	put_file(writer, "cfi", callee->file);
	put_name(writer, "cfn", FUNCTIONS, callee->number, callee->name);
	text_named_decimal(writer->out, "calls=", row->count);
	text_named_decimal(writer->out, " ", row->to.line);
	text_end_line(writer->out);
	put_line(writer, row->from.line, row->other);
}

static void put_jump(struct writer *writer, const struct costs_row *row)
{
	if (row->to.file != row->from.file)
		put_file(writer, "jfi", row->to.file);
	if (row->kind == COSTS_CONDITIONAL) {
		text_named_decimal(writer->out, "jcnd=", row->count);
		text_named_decimal(writer->out, "/", row->other);
	} else {
		text_named_decimal(writer->out, "jump=", row->count);
	}
	text_named_decimal(writer->out, " ", row->to.line);
	text_end_line(writer->out);
	text_decimal(writer->out, row->from.line);
	text_end_line(writer->out);
}

static void put_row(struct writer *writer, const struct costs_row *row)
{
	set_file(writer, row);
	switch (row->kind) {
	case COSTS_SELF:
		put_line(writer, row->from.line, row->count);
		break;
	case COSTS_CALL:
		put_call(writer, row);
		break;
	default:
		put_jump(writer, row);
		break;
	}
}

static void put_all(struct writer *writer)
{
	const struct costs *costs = writer->costs;
	const struct costs_row *rows = costs->rows.at;

	text_string(writer->out, "# callgrind format\nversion: 1\ncreator: hwflow " HWF_VERSION
				 "\npositions: line\nevents: Ir\n");
	text_named_decimal(writer->out, "summary: ", costs->total);
	text_end_line(writer->out);
	for (size_t i = 0; i < costs->rows.count; i++) {
		if (!i || rows[i].from.function != rows[i - 1].from.function)
			put_function(writer, costs_function(costs, rows[i].from.function));
		put_row(writer, &rows[i]);
	}
	text_named_decimal(writer->out, "\ntotals: ", costs->total);
	text_end_line(writer->out);
}

int profile_callgrind(const struct profile_content *content, struct text *out)
{
	struct costs costs;
	struct writer writer = {.costs = &costs, .out = out};
	int error = costs_make(&costs, content);
	const size_t counts[NAMESPACES] = {
		[OBJECTS] = costs.names.count,
		[FILES] = costs.names.count,
		[FUNCTIONS] = costs.functions.count,
	};

	for (size_t i = 0; i < NAMESPACES && !error; i++) {
		writer.named[i] = calloc(counts[i] + 1, sizeof(*writer.named[i]));
		if (!writer.named[i])
			error = -ENOMEM;
	}
	if (!error)
		put_all(&writer);
	for (size_t i = 0; i < NAMESPACES; i++)
		free(writer.named[i]);
	costs_free(&costs);
	return error;
}
