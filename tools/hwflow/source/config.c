// SPDX-License-Identifier: GPL-2.0-only
/* --config: NAME=VALUE,... */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/print.h"
#include "config.h"

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

bool config_known(const struct config_names *names, const char *name)
{
	return row_of(names, name);
}

char *config_lacks(const struct config_names *names, bool (*has)(const void *ctx, const char *name),
		   const void *ctx)
{
	char *text = NULL, *longer;

	for (size_t i = 0; i < names->count; i++) {
		const struct config_row *row = &names->rows[i];

		if (!row->captured || has(ctx, row->name))
			continue;
		if (asprintf(&longer, "%s%s%s", text ? text : "", text ? ", " : "", row->name) < 0)
			continue;
		free(text);
		text = longer;
	}
	return text;
}

/* A number without a sign, which strtoull() would take */
static bool is_number(const char *text, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 0);
	return end != text && !*end && !errno && !strchr(text, '-');
}

bool config_take(const struct config_names *names, void *config, const char *where,
		 const char *name, const char *value, const char *trace)
{
	const struct config_row *row = row_of(names, name);
	uint64_t number = 0;

	if (!row) {
		print(stderr, "hwflow: %s: %s: not a register or parameter of %s trace\n", where,
		      name, trace);
		return false;
	}
	if (!value || !is_number(value, &number)) {
		print(stderr,
		      "hwflow: %s: %s%s%s: NAME=VALUE expected, with a VALUE from 0 to %#llx\n",
		      where, name, value ? "=" : "", value ? value : "",
		      (unsigned long long)row->max);
		return false;
	}
	if (config_set(names, config, name, number)) {
		print(stderr,
		      "hwflow: %s: %s=%s: the value is out of range for %s trace: 0 to %#llx\n",
		      where, name, value, trace, (unsigned long long)row->max);
		return false;
	}
	return true;
}

void config_print_fault(const char *where, const struct hwf_config_fault *fault)
{
	if (fault->text)
		print(stderr, "hwflow: %s: %s=%#llx: %s\n", where, fault->name,
		      (unsigned long long)fault->value, fault->text);
	else
		print(stderr, "hwflow: %s: %s=%llu: the value is out of range: %llu to %llu\n",
		      where, fault->name, (unsigned long long)fault->value,
		      (unsigned long long)fault->min, (unsigned long long)fault->max);
}

/* @item is cut in two. */
static bool take_item(char *item, const char *trace, const struct config_names *names, void *config)
{
	char *equals = strchr(item, '=');

	if (equals)
		*equals = '\0';
	return config_take(names, config, "--config", item, equals ? equals + 1 : NULL, trace);
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
