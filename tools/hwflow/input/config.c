// SPDX-License-Identifier: GPL-2.0-only
/* --config: NAME=VALUE,... */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "cli/print.h"

/* @item is cut in two. */
static int take_item(char *item, enum input_protocol protocol, config_set_fn *set, void *ctx)
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
		return EXIT_USAGE;
	}
	switch (set(ctx, item, value)) {
	case 0:
		return 0;
	case -1:
		print(stderr,
		      "hwflow: --config: %s: not a register or parameter of %s trace; try "
		      "--help\n",
		      item, input_protocol_name(protocol));
		return EXIT_USAGE;
	default:
		print(stderr, "hwflow: --config: %s=%s: the value is out of range for %s trace\n",
		      item, equals + 1, input_protocol_name(protocol));
		return EXIT_USAGE;
	}
}

int config_parse(const char *text, enum input_protocol protocol, config_set_fn *set, void *ctx)
{
	char *copy = strdup(text ? text : "");
	char *save = NULL;
	int status = 0;

	if (!copy) {
		print(stderr, "hwflow: --config: out of memory\n");
		return EXIT_UNREADABLE;
	}
	for (char *item = strtok_r(copy, ",", &save); item && !status;
	     item = strtok_r(NULL, ",", &save))
		status = take_item(item, protocol, set, ctx);
	free(copy);
	return status;
}
