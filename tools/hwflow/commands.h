/* SPDX-License-Identifier: GPL-2.0-only */
/* The verbs: each takes its own argv, argv[0] being the verb, and returns an exit status. */
#ifndef HWFLOW_COMMANDS_H
#define HWFLOW_COMMANDS_H

#include "hwflow/version.h"

#define HWFLOW_VERSION HWF_VERSION

#define V(name, does) int cmd_##name(int argc, char **argv);
#include "commands.def"
#undef V

#endif /* HWFLOW_COMMANDS_H */
