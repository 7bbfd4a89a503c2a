/* SPDX-License-Identifier: GPL-2.0-only */
/* --config: registers of a trace unit, or parameters of a trace encoder, as NAME=VALUE,... */
#ifndef HWFLOW_CONFIG_H
#define HWFLOW_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input.h"

/* A protocol has at most so many names. */
#define CONFIG_ROWS 64u

/**
 * struct config_row - a register or parameter
 * @name: its name; case does not matter
 * @at: offset of its value in the configuration
 * @size: bytes of the value: 1, 4 or 8
 * @max: largest value
 * @required: does --config have to give it? Others are 0 or a default if they are not given.
 * @captured: a capture that does not have it is not whole
 */
struct config_row {
	const char *name;
	size_t at;
	size_t size;
	uint64_t max;
	bool required;
	bool captured;
};

/* A register of 32 bits */
#define CONFIG_REGISTER(name, type, member, required, captured) \
	{name, offsetof(type, member), sizeof(uint32_t), UINT32_MAX, required, captured}

/**
 * struct config_names - the registers or parameters of a protocol
 * @rows: one for each name
 * @count: of @rows, at most CONFIG_ROWS
 * @was_set: called after a value was set; may be NULL
 */
struct config_names {
	const struct config_row *rows;
	size_t count;
	void (*was_set)(void *config, const struct config_row *row);
};

/**
 * config_set() - set a register or parameter
 * @names: of the protocol
 * @config: the configuration
 * @name: of the register or parameter, in upper or lower case
 * @value: its value
 *
 * Return: 0; -1 if no row has this name, -2 if the value is larger than the largest one.
 */
int config_set(const struct config_names *names, void *config, const char *name, uint64_t value);

/**
 * config_known() - does a protocol have a register or parameter of this name?
 * @names: of the protocol
 * @name: in upper or lower case
 */
bool config_known(const struct config_names *names, const char *name);

/**
 * config_lacks() - the registers that a capture does not have
 * @names: of the protocol
 * @has: does the capture have a register?
 * @ctx: first argument of @has
 *
 * Return: their names, in memory that the caller frees; NULL if it has them all, or without memory.
 */
char *config_lacks(const struct config_names *names, bool (*has)(const void *ctx, const char *name),
		   const void *ctx);

/**
 * config_take() - set a register or parameter that is given as text
 * @names: of the protocol
 * @config: the configuration
 * @where: where it was given, for messages: an option or a file
 * @name: of the register or parameter
 * @value: its value; NULL: it was given without one
 * @trace: of the protocol, for messages
 *
 * Return: false if the reason was printed on stderr: an unknown name, no number, or out of bounds.
 */
bool config_take(const struct config_names *names, void *config, const char *where,
		 const char *name, const char *value, const char *trace);

/** config_print_fault() - print on stderr which value of a configuration, given @where, is not
 * possible */
void config_print_fault(const char *where, const struct hwf_config_fault *fault);

/**
 * config_parse() - set what --config gives
 * @text: NAME=VALUE,...; NULL for nothing
 * @protocol: for messages
 * @names: of the protocol
 * @config: receives the values
 *
 * Return: 0, or an enum exit_status: the reason was printed on stderr, with the names of the
 * protocol.
 */
int config_parse(const char *text, enum input_protocol protocol, const struct config_names *names,
		 void *config);

#endif /* HWFLOW_CONFIG_H */
