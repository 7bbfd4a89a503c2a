/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of the functions of what a verb decodes. */
#ifndef HWFLOW_VERBS_NAMES_H
#define HWFLOW_VERBS_NAMES_H

#include <stdbool.h>

#include "source/input.h"
#include "symbols/symbols.h"

/** DEBUG_DIR_HELP - text of --debug-dir for --help */
#define DEBUG_DIR_HELP \
	"  --debug-dir=DIR      search for separate debug files below DIR as well; repeatable\n"

/**
 * names_open() - begin with the names of an input
 * @names: receives them; the caller frees them, also after an error
 * @input: what is decoded; must outlive them. NULL: files only
 * @options: where its files are
 * @demangle: see symbols_new()
 *
 * Return: 0 or -ENOMEM.
 */
int names_open(struct symbols **names, const struct input *input,
	       const struct input_options *options, bool demangle);

#endif /* HWFLOW_VERBS_NAMES_H */
