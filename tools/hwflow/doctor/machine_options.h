/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line of the verbs that examine a machine: list and doctor. */
#ifndef HWFLOW_MACHINE_OPTIONS_H
#define HWFLOW_MACHINE_OPTIONS_H

#include "machine_files.h"

/**
 * struct machine_verb - a verb that examines a machine
 * @name: its name
 * @usage: text of --help
 * @json: receives whether --json is given; NULL for a verb without this option
 */
struct machine_verb {
	const char *name;
	const char *usage;
	bool *json;
};

/**
 * machine_parse() - parse a command line, and open the machine that --root selects
 * @verb: the verb
 * @argc: of the verb
 * @argv: of the verb: begins with its name
 * @machine: receives this machine, or the files below the directory of --root; the caller closes it
 *
 * Errors are reported on standard error.
 *
 * Return: 0; -1 after --help; otherwise the exit status of an error.
 */
int machine_parse(const struct machine_verb *verb, int argc, char **argv, struct machine *machine);

#endif /* HWFLOW_MACHINE_OPTIONS_H */
