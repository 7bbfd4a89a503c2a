/* SPDX-License-Identifier: GPL-2.0-only */
/* The end of the command is the end of QEMU. Apart from plugin.h, whose names signal.h has, too. */
#ifndef HWFLOW_PLUGIN_WATCH_H
#define HWFLOW_PLUGIN_WATCH_H

#include <stdbool.h>
#include <sys/types.h>

/** watch_begin() - end this process when @worker ends; in each process, also one that was forked */
void watch_begin(pid_t worker);

/** watch_worker_is_gone() - has it ended? */
bool watch_worker_is_gone(void);

#endif /* HWFLOW_PLUGIN_WATCH_H */
