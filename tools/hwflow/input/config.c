// SPDX-License-Identifier: GPL-2.0-only
/* --config: NAME=VALUE,... */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "config.h"
#include "cli/print.h"

static const struct config_row *row_of(const struct config_names *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++)
		if (!strcasecmp(name, names->rows[i].name))
			return &names->rows[i];
	return NULL;
}

int config_set(const struct config_names *names, void *config, const char *name, uint64_t value)
{
	const struct config_row *row = row_of(names, name);
	uint8_t *bytes = config;

	if (!row)
		return -1;
	if (value > row->max)
		return -2;
	if (row->size == sizeof(uint8_t))
		bytes[row->at] = (uint8_t)value;
	else if (row->size == sizeof(uint32_t))
		*(uint32_t *)(void *)(bytes + row->at) = (uint32_t)value;
	else
		*(uint64_t *)(void *)(bytes + row->at) = value;
	if (names->was_set)
		names->was_set(config, row);
	return 0;
}

/* @item is cut in two. The value is set, or the reason is printed. */
static bool take_item(char *item, const char *trace, const struct config_names *names, void *config)
{
	char *equals = strchr(item, '=');
	char *end = item;
	uint64_t value = 0;

	if (equals) {
		*equals = '\0';
		errno = 0;
		value = strtoull(equals + 1, &end, 0);
	}
	if (!equals || end == equals + 1 || *end || errno) {
		print(stderr, "hwflow: --config: %s: NAME=VALUE expected\n", item);
		return false;
	}
	switch (config_set(names, config, item, value)) {
	case 0:
		return true;
	case -1:
		print(stderr, "hwflow: --config: %s: not a register or parameter of %s trace\n",
		      item, trace);
		return false;
	default:
		print(stderr, "hwflow: --config: %s=%s: the value is out of range for %s trace\n",
		      item, equals + 1, trace);
		return false;
	}
}

static bool is_missing(const struct config_row *row, bool given)
{
	return row->required && !given;
}

static bool is_complete(const struct config_names *names, const bool *given)
{
	for (size_t i = 0; i < names->count; i++)
		if (is_missing(&names->rows[i], given[i]))
			return false;
	return true;
}

/* Print all names of a protocol, or those of them that are required and not given. */
static void print_names(const struct config_names *names, bool missing, const bool *given)
{
	const char *between = " ";

	for (size_t i = 0; i < names->count; i++) {
		if (missing && !is_missing(&names->rows[i], given[i]))
			continue;
		print(stderr, "%s%s", between, names->rows[i].name);
		between = ", ";
	}
	print(stderr, "\n");
}

/* Print what a user needs to write a correct --config. */
static void explain(const char *trace, const struct config_names *names, const bool *given)
{
	print(stderr, "hwflow: --config: the names for %s trace are", trace);
	print_names(names, false, given);
	if (is_complete(names, given))
		return;
	print(stderr, "hwflow: --config: required for %s trace, and not given:", trace);
	print_names(names, true, given);
}

int config_parse(const char *text, enum input_protocol protocol, const struct config_names *names,
		 void *config)
{
	const char *trace = input_protocol_name(protocol);
	char *copy = strdup(text ? text : "");
	bool given[CONFIG_ROWS] = {false};
	char *save = NULL;
	bool is_wrong = false;

	if (!copy) {
		print(stderr, "hwflow: --config: out of memory\n");
		return EXIT_UNREADABLE;
	}
	for (char *item = strtok_r(copy, ",", &save); item; item = strtok_r(NULL, ",", &save)) {
		const bool is_set = take_item(item, trace, names, config);
		const struct config_row *row = row_of(names, item);

		if (row)
			given[row - names->rows] = true;
		is_wrong |= !is_set;
	}
	free(copy);
	if (!is_wrong && is_complete(names, given))
		return 0;
	explain(trace, names, given);
	return EXIT_USAGE;
}
