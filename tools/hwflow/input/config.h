/* SPDX-License-Identifier: GPL-2.0-only */
/* --config: registers of a trace unit, or parameters of a trace encoder, as NAME=VALUE,... */
#ifndef HWFLOW_CONFIG_H
#define HWFLOW_CONFIG_H

#include <stdint.h>

#include "input.h"

/**
 * config_set_fn - takes one of them
 * @ctx: as given
 * @name: of the register or parameter
 * @value: its value
 *
 * Return: 0; -1 where there is none of that name, -2 where it cannot have that value.
 */
typedef int config_set_fn(void *ctx, const char *name, uint64_t value);

/**
 * config_parse() - take --config apart
 * @text: as given; NULL for nothing
 * @protocol: whose it is, for messages
 * @set: takes each one, in order
 * @ctx: first argument of @set
 *
 * Return: 0, or an enum exit_status: it was said on stderr.
 */
int config_parse(const char *text, enum input_protocol protocol, config_set_fn *set, void *ctx);

#endif /* HWFLOW_CONFIG_H */
