/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef HWFLOW_EMULATE_OPTIONS_H
#define HWFLOW_EMULATE_OPTIONS_H

#include "emulate.h"
#include "emulate_program.h"
#include "emulate_riscv.h"

/* values of getopt_long() for the options of the trace unit, common to emulate and encode */
enum unit_option_value {
	UNIT_OPT_CYCLES = 0x200,
	UNIT_OPT_VARY_CYCLES,
	UNIT_OPT_TIMESTAMPS,
	UNIT_OPT_VIRTUAL_TIME,
	UNIT_OPT_CONTEXT,
	UNIT_OPT_VMID,
	UNIT_OPT_RETURN_STACK,
	UNIT_OPT_BROADCAST,
	UNIT_OPT_FILTER,
	UNIT_OPT_STROBE,
	UNIT_OPT_EVENTS,
	UNIT_OPT_Q,
	UNIT_OPT_SOURCE,
	UNIT_OPT_SPECULATION,
	UNIT_OPT_WRONG_PATHS,
	UNIT_OPT_MAX_SPEC,
	UNIT_OPT_COMMIT_MODE,
	UNIT_OPT_SYNC_PERIOD,
	UNIT_OPT_SYNC,
	UNIT_OPT_REVISION,
	UNIT_OPT_MARKERS,
	UNIT_OPT_OTHER, /* the first one free for the command's own */
};

/* clang-format off */
/* Rows for the struct option table of a command */
#define UNIT_LONG_OPTIONS                                                      \
	{ "cycle-counts", optional_argument, NULL, UNIT_OPT_CYCLES },          \
	{ "vary-cycles", required_argument, NULL, UNIT_OPT_VARY_CYCLES },      \
	{ "timestamps", optional_argument, NULL, UNIT_OPT_TIMESTAMPS },        \
	{ "virtual-time", no_argument, NULL, UNIT_OPT_VIRTUAL_TIME },          \
	{ "context-id", no_argument, NULL, UNIT_OPT_CONTEXT },                 \
	{ "vmid", no_argument, NULL, UNIT_OPT_VMID },                          \
	{ "return-stack", no_argument, NULL, UNIT_OPT_RETURN_STACK },          \
	{ "branch-broadcast", optional_argument, NULL, UNIT_OPT_BROADCAST },   \
	{ "filter", required_argument, NULL, UNIT_OPT_FILTER },                \
	{ "strobe", required_argument, NULL, UNIT_OPT_STROBE },                \
	{ "events", optional_argument, NULL, UNIT_OPT_EVENTS },                \
	{ "q-elements", optional_argument, NULL, UNIT_OPT_Q },                 \
	{ "source-addresses", optional_argument, NULL, UNIT_OPT_SOURCE },      \
	{ "speculation", required_argument, NULL, UNIT_OPT_SPECULATION },      \
	{ "wrong-paths", required_argument, NULL, UNIT_OPT_WRONG_PATHS },      \
	{ "max-spec", required_argument, NULL, UNIT_OPT_MAX_SPEC },            \
	{ "commit-mode", required_argument, NULL, UNIT_OPT_COMMIT_MODE },      \
	{ "sync-period", required_argument, NULL, UNIT_OPT_SYNC_PERIOD },      \
	{ "sync", required_argument, NULL, UNIT_OPT_SYNC },                    \
	{ "revision", required_argument, NULL, UNIT_OPT_REVISION },            \
	{ "timestamp-markers", no_argument, NULL, UNIT_OPT_MARKERS }
/* clang-format on */

/**
 * unit_complain() - say what is wrong with the value of an option
 * @verb: of the command
 * @what: the option's name
 * @argument: its value
 * @want: what is wrong, or what to use
 *
 * Return: -1.
 */
int unit_complain(const char *verb, const char *what, const char *argument, const char *want);

/**
 * unit_number() - read the value of an option: a number, behind which K, M or G may stand
 * @verb: of the command
 * @what: the option's name
 * @text: the value
 * @most: the largest number that is allowed
 * @value: receives the number
 *
 * Return: 0; -1 after unit_complain().
 */
int unit_number(const char *verb, const char *what, const char *text, uint64_t most,
		uint64_t *value);

/** UNIT_HELP - text of these options for --help */
extern const char UNIT_HELP[];

/**
 * struct unit_parse - what the command line says of the trace unit
 * @verb: of the command, for messages
 * @encode: receives it
 * @max_spec: TRCIDR8.MAXSPEC
 * @commit_mode: TRCIDR0.COMMOPT
 * @revision: TRCDEVARCH.REVISION
 * @markers: TRCIDR0.TSMARK
 */
struct unit_parse {
	const char *verb;
	struct encode_options *encode;
	uint32_t max_spec;
	uint32_t commit_mode;
	uint32_t revision;
	bool markers;
};

/**
 * unit_parse_init() - all options at their defaults
 * @parse: of the command line
 * @verb: of the command; must outlive @parse
 * @encode: receives the options; must outlive @parse
 */
void unit_parse_init(struct unit_parse *parse, const char *verb, struct encode_options *encode);

/**
 * unit_parse_option() - take one option of getopt_long()
 * @parse: receives it
 * @value: what getopt_long() returned
 * @text: its argument, or NULL
 *
 * Return: 0; 1 if it is none of the trace unit's; -1 if the argument is wrong: it was said on
 * stderr.
 */
int unit_parse_option(struct unit_parse *parse, int value, const char *text);

/**
 * unit_parse_end() - set the registers that say how the trace is to be read
 * @parse: with all options taken
 *
 * Return: 0; -1 where options do not fit each other: it was said on stderr.
 */
int unit_parse_end(struct unit_parse *parse);

/**
 * struct emulate_parse - what the command line says
 * @options: of the run
 * @program: what QEMU is to run; @options points into it
 * @unit: of the trace unit, in @options.encode
 * @riscv: options of RISC-V trace as they were given
 * @ete_option: one that was given and that RISC-V trace has not; NULL for none
 * @show_log: print this log, and do nothing else; NULL: run
 * @tid: of this thread only; INPUT_ANY: all
 * @qemu_option_count: of @options.qemu_options
 */
struct emulate_parse {
	struct emulate_options options;
	struct emulate_program program;
	struct unit_parse unit;
	struct riscv_words riscv;
	const char *ete_option;
	const char *show_log;
	int32_t tid;
	size_t qemu_option_count;
};

/**
 * emulate_parse() - take the command line apart
 * @parse: receives it; to be freed with emulate_parse_free() whatever is returned
 * @argc: of the command
 * @argv: of the command
 *
 * Return: 0; -1 where help was printed; or an exit status: what is wrong was said on stderr.
 */
int emulate_parse(struct emulate_parse *parse, int argc, char **argv);

/**
 * emulate_parse_recovered() - take the command line of a run that was killed apart
 * @parse: as for emulate_parse()
 * @argc: of that command
 * @argv: of that command
 * @riscv: PROGRAM was a riscv64 program
 *
 * PROGRAM need not exist any more.
 *
 * Return: 0 or an exit status.
 */
int emulate_parse_recovered(struct emulate_parse *parse, int argc, char **argv, bool riscv);

/** emulate_parse_free() - free what emulate_parse() allocated */
void emulate_parse_free(struct emulate_parse *parse);

#endif /* HWFLOW_EMULATE_OPTIONS_H */
