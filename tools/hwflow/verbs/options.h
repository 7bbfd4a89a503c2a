/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line of the verbs that decode. */
#ifndef HWFLOW_OPTIONS_H
#define HWFLOW_OPTIONS_H

#include <getopt.h>

#include "source/input.h"

/* The recording that a verb reads or writes if none is named: as perf does */
#define DEFAULT_INPUT "perf.data"

/* and the one before it, which is kept when a new one is written */
#define DEFAULT_OLD_INPUT "perf.data.old"

/* clang-format off */
/* The rows of a struct option table that all these verbs have */
#define VERB_LONG_OPTIONS                                                      \
	INPUT_LONG_OPTIONS,                                                    \
	{ "sandbox", optional_argument, NULL, INPUT_OPT_SANDBOX },             \
	{ "help", no_argument, NULL, 'h' }
/* and those of verbs that report gaps */
#define GAPS_LONG_OPTIONS                                                      \
	VERB_LONG_OPTIONS,                                                     \
	{ "gaps", required_argument, NULL, INPUT_OPT_GAPS }

/* of verbs that decode a selection of the trace */
#define SELECTION_LONG_OPTIONS                                                 \
	{ "time", required_argument, NULL, INPUT_OPT_TIME },                   \
	{ "request", optional_argument, NULL, INPUT_OPT_REQUEST },             \
	{ "offset", required_argument, NULL, INPUT_OPT_OFFSET }
/* and of those that write lines of it */
#define LIMIT_LONG_OPTION                                                      \
	{ "limit", required_argument, NULL, INPUT_OPT_LIMIT }

/* their lines in --help */
#define SELECTION_HELP                                                         \
	"  --time=FROM,TO       only what is of these times, which are those of script; FROM or "  \
	"TO\n"                                                                   \
	"                       may be left out; or part of the time: 10%-20%, 10%/2\n"            \
	"  --request[=N]        only what is of the times of slow request N, which 'hwflow record\n" \
	"                       --trigger' has marked (default: 1)\n"                                \
	"  --offset=[RECORD:]FROM[,TO]   only what is at offsets FROM to TO - 1 of the trace, as\n" \
	"                       flow and dump print them, in each AUX record, or in this one\n"
#define LIMIT_HELP "  --limit=N            print at most N lines, and decode no more than that needs\n"
#define GAPS_HELP                                                              \
	"  --gaps=kinds|all     report gaps of one kind once, with their number (the default), or\n" \
	"                       each gap\n\n"
/* clang-format on */

/**
 * struct verb_options - the command line of one verb
 * @usage: begins its --help; INPUT_HELP follows
 * @wants: the argument without a dash, as the usage calls it
 * @second: likewise, the second argument of a verb that has two; NULL for the others
 * @is_needed: of a verb that has two: @wants has to be given, and an only argument is @wants
 * @many: the verb takes any number of @wants, and calls verb_open() for each
 * @longs: VERB_LONG_OPTIONS and the verb's own, ended by an empty row
 * @take: takes an option of the verb's own, of which it says on stderr what is wrong with its
 *	argument; false if it is wrong
 */
struct verb_options {
	const char *usage;
	const char *wants;
	const char *second;
	bool is_needed;
	bool many;
	const struct option *longs;
	bool (*take)(void *ctx, int value, const char *argument);
};

/**
 * verb_alone() - say that this process does nothing but the verb
 *
 * verb_parse() enters the sandbox then, which nothing undoes. In a test, which runs verbs one after
 * the other and does other things, it does not.
 */
void verb_alone(void);

/**
 * verb_parse() - take the command line of a verb
 * @verb: its options
 * @argc: of the verb
 * @argv: of the verb: begins with its name
 * @input: receives the common options
 * @ctx: first argument of @verb->take
 *
 * Return: 0; an exit status: the reason was printed on stderr; -1 after --help.
 */
int verb_parse(const struct verb_options *verb, int argc, char **argv, struct input_options *input,
	       void *ctx);

/**
 * verb_open() - prepare to decode the recordings of a command line: archives are unpacked, and the
 * process enters the sandbox if it does nothing but the verb
 * @input: the common options; of a verb that takes any number, with the path of one
 *
 * verb_parse() calls it for verbs that do not take any number.
 *
 * Return: 0, or an exit status: the reason was printed on stderr.
 */
int verb_open(struct input_options *input);

/** verb_sandbox() - the sandbox alone, as verb_open() enters it; an exit status */
int verb_sandbox(const struct input_options *input);

/**
 * verb_choice() - the value of an option that is one of some words
 * @verb: of the command
 * @option: without dashes
 * @text: the value
 * @words: ended by NULL
 *
 * Return: the number of the word; -1 if it is none of them: the reason was printed on stderr.
 */
int verb_choice(const char *verb, const char *option, const char *text, const char *const *words);

/**
 * verb_number() - the value of an option that is a number, 0 or more
 * @verb: of the command
 * @option: without dashes
 * @text: the value
 * @number: receives it
 *
 * Return: false if it is no number: the reason was printed on stderr.
 */
bool verb_number(const char *verb, const char *option, const char *text, size_t *number);

/** verb_size() - likewise, of a number of bytes: with K, M or G after it, or without */
bool verb_size(const char *verb, const char *option, const char *text, uint64_t *size);

#endif /* HWFLOW_OPTIONS_H */
