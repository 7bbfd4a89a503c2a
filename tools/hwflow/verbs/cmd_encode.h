/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the files of 'hwflow encode': what the command line says, the log, and the protocols. */
#ifndef HWFLOW_CMD_ENCODE_H
#define HWFLOW_CMD_ENCODE_H

#include "base/output.h"
#include "emulate/emulate_options.h"
#include "emulate/encode_etm3.h"
#include "emulate/encode_riscv.h"
#include "emulate/encode_text.h"
#include "source/input_private.h"

/* values of getopt_long() for the options of this command alone */
enum encode_option_value {
	ENCODE_OPT_PRINT_CONFIG = UNIT_OPT_OTHER,
	ENCODE_OPT_QUIRK,
	ENCODE_OPT_P_HEADERS,
	ENCODE_OPT_TRAPS,
	ENCODE_OPT_BLOCKS,
	ENCODE_OPT_PRIVILEGE,
	ENCODE_OPT_INSTRUMENTATION,
};

struct encode_protocol;

/* struct encode_command - what the command line says; @riscv and @etm3 are of their protocols */
struct encode_command {
	const struct encode_protocol *protocol;
	struct encode_options encode;
	struct unit_parse unit;
	struct input_options input;
	struct encode_riscv riscv;
	struct encode_etm3 etm3;
	struct riscv_words words;
	const char *output;
	const char *unit_option; /* the last one of the trace unit's */
	const char *unit_only;   /* the last one that RISC-V has not */
	bool print_config;
	bool p_headers; /* --p-headers was given */
	bool instrumentation;
};

/*
 * struct encode_job - the log, and where the trace goes; @text NULL: it is binary, @thread of
 * @truth, and of RISC-V encoded as @riscv says
 */
struct encode_job {
	const struct encode_command *command;
	const char *name;
	FILE *text;
	struct truth *truth;
	size_t thread;
	struct encode_riscv_log riscv;
	struct output output;
	struct encode_totals totals;
};

/*
 * struct encode_protocol - the trace of one protocol
 * @check: the options, once all were taken; 0 or an enum exit_status
 * @print_config: what is to be known to decode it
 * @is_text: is a log with this first byte, or EOF, its text?
 * @check_log: does the log fit the options? NULL: any does; 0 or an enum exit_status
 * @encode: all of the log; 0 or an enum exit_status
 *
 * What is wrong each of them says on stderr.
 */
struct encode_protocol {
	int (*check)(struct encode_command *command);
	void (*print_config)(const struct encode_command *command);
	bool (*is_text)(int first);
	int (*check_log)(struct encode_job *job);
	int (*encode)(struct encode_job *job, const struct encode_sink *sink);
};

extern const struct encode_protocol encode_protocol_ete;
extern const struct encode_protocol encode_protocol_etmv4;
extern const struct encode_protocol encode_protocol_etm3;
extern const struct encode_protocol encode_protocol_riscv;

/* One option of one protocol: 0; 1 if it is none of its own; -1 if the argument is wrong. */
int encode_etm3_option(struct encode_command *command, int value, const char *argument);
int encode_riscv_option(struct encode_command *command, int value, const char *argument);

/* Say on stderr what is wrong; EXIT_UNREADABLE. */
int encode_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* As it is given, for a protocol that has no more */
void encode_print_given(const struct encode_command *command);

/* Texts that begin with a number */
bool encode_is_lines(int first);

/* Open the log, and close it; 0 or an enum exit_status. */
int encode_open_log(struct encode_job *job);
void encode_close_log(struct encode_job *job);

/* The one thread of a binary log, or the one asked for; 0 or an enum exit_status */
int encode_choose_thread(struct encode_job *job);

/* How it went, as the functions that encode return it, to an enum exit_status */
int encode_status(const struct encode_job *job, int status, const char *message);

/* A text of lines, which has no opcodes, with the program of --image: @encode does it. */
typedef int encode_lines_fn(struct encode_job *job, const struct encode_text *text,
			    const struct encode_sink *sink, char message[TRUTH_MESSAGE]);
int encode_lines(struct encode_job *job, const struct encode_sink *sink, encode_lines_fn *encode);

#endif /* HWFLOW_CMD_ENCODE_H */
