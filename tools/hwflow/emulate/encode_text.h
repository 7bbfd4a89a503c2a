/* SPDX-License-Identifier: GPL-2.0-only */
/* The ground-truth log as text (truth_format.h) through a trace unit. */
#ifndef HWFLOW_ENCODE_TEXT_H
#define HWFLOW_ENCODE_TEXT_H

#include "encode.h"
#include "hwflow/flow.h"

/** ENCODE_TEXT_ANY - the one thread there is */
#define ENCODE_TEXT_ANY (-1)

/**
 * struct encode_text - a log as text
 * @name: of the log, for messages
 * @in: where it is read
 * @code: the program: the text has no opcodes
 * @tid: this thread only, or ENCODE_TEXT_ANY
 */
struct encode_text {
	const char *name;
	FILE *in;
	const struct hwf_code *code;
	int32_t tid;
};

/**
 * encode_text() - trace one thread
 * @text: the log
 * @options: how; time always goes by instructions, as the text has none
 * @sink: takes the trace; has one session
 * @totals: added to
 * @message: receives what is wrong: name, line, cause and remedy
 *
 * Gives the same bytes as encode_thread() of the same log with virtual time, but in speculation
 * mode: here wrong paths may go wherever @text->code has code.
 *
 * Return: 0; -EINVAL for a text that is damaged, has no code, or contradicts it, and where the
 * trace unit cannot be programmed so; -ENOTUNIQ where there are several threads and none was
 * chosen; -ENOENT where the one chosen is not there; -ENOMEM; -EIO where @sink takes no more, or
 * the text cannot be read.
 */
int encode_text(const struct encode_text *text, const struct encode_options *options,
		const struct encode_sink *sink, struct encode_totals *totals,
		char message[TRUTH_MESSAGE]);

/** ENCODE_LINE_TRCIT - a line of an Instrumentation element; no event of a binary log */
#define ENCODE_LINE_TRCIT 0x80

/**
 * struct encode_line - one line of the text
 * @number: of the line, from 1
 * @seq: SEQ
 * @address: PC or RETURN; or VALUE
 * @tid: TID
 * @kind: enum truth_event_kind: TRUTH_EVENT_RUN for an instruction, an exception, or a gap; or
 *	ENCODE_LINE_TRCIT
 * @el: EL
 * @isa: enum hwf_isa
 * @type: enum hwf_exception, or enum truth_gap
 */
struct encode_line {
	uint64_t number;
	uint64_t seq;
	uint64_t address;
	int32_t tid;
	uint8_t kind;
	uint8_t el;
	uint8_t isa;
	uint8_t type;
};

/**
 * encode_line_read() - the next line
 * @in: where it is read
 * @line: receives it; @line->number counts, and is 0 before the first
 * @error: receives what is wrong with it
 *
 * Return: 1; 0 at the end; -EINVAL for a line that is none of the log's; -EIO.
 */
int encode_line_read(FILE *in, struct encode_line *line, const char **error);

#endif /* HWFLOW_ENCODE_TEXT_H */
