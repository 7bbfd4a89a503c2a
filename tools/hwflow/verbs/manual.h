/* SPDX-License-Identifier: GPL-2.0-only */
/* hwflow help: the manual pages. */
#ifndef HWFLOW_MANUAL_H
#define HWFLOW_MANUAL_H

/**
 * manual_show() - show a manual page with man(1)
 * @name: hwflow-@name is the page: a verb, or a file format
 *
 * Looks for the page where the command is built and where it is installed, so that no installation
 * is needed. The process becomes man. Returns if standard output is not a terminal, or if man or
 * the page is missing.
 */
void manual_show(const char *name);

#endif /* HWFLOW_MANUAL_H */
