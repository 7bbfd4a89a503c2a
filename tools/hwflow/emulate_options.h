/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef HWFLOW_EMULATE_OPTIONS_H
#define HWFLOW_EMULATE_OPTIONS_H

#include "emulate.h"

/**
 * struct emulate_parse - what the command line says
 * @options: of the run
 * @show_log: print this log, and do nothing else; NULL: run
 * @tid: of this thread only; INPUT_ANY: all
 * @max_spec: TRCIDR8.MAXSPEC
 * @commit_mode: TRCIDR0.COMMOPT
 * @revision: TRCDEVARCH.REVISION
 * @markers: TRCIDR0.TSMARK
 * @qemu_option_count: of @options.qemu_options
 */
struct emulate_parse {
	struct emulate_options options;
	const char *show_log;
	int32_t tid;
	uint32_t max_spec;
	uint32_t commit_mode;
	uint32_t revision;
	bool markers;
	size_t qemu_option_count;
};

/**
 * emulate_parse() - take the command line apart
 * @parse: receives it; @parse->options.qemu_options is the caller's to free
 * @argc: of the command
 * @argv: of the command
 *
 * Return: 0; -1 where help was printed; or an exit status: what is wrong was said on stderr.
 */
int emulate_parse(struct emulate_parse *parse, int argc, char **argv);

extern const char EMULATE_HELP[];

#endif /* HWFLOW_EMULATE_OPTIONS_H */
