// SPDX-License-Identifier: GPL-2.0-only
/* In place of all other files of this directory, if libperf or libtraceevent was not found */
#include "base/error.h"
#include "record.h"

int record_run(const struct record_options *options, struct record_cost *cost)
{
	(void)options;
	(void)cost;
	return verb_error("this hwflow was built without libperf and libtraceevent: run 'make "
			  "deps', and build it again");
}

int record_untraced(const struct record_options *options, struct record_cost *cost)
{
	return record_run(options, cost);
}
