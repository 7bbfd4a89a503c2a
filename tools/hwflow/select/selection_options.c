// SPDX-License-Identifier: GPL-2.0-only
/* The values of --time, --request, --offset and --limit. */
#include "base/print.h"
#include "selection_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A number in decimal, or with 0x in hexadecimal; false if there is none at @at */
static bool take_number(const char **at, int base, uint64_t *number)
{
	char *end;

	if (!is_digit(**at))
		return false;
	errno = 0;
	*number = strtoull(*at, &end, base);
	*at = end;
	return !errno;
}

/* A time, which may be left out */
static bool take_time(const char **at, struct selection_time *time)
{
	uint64_t unit = 1000000000;

	*time = (struct selection_time){0};
	if (!is_digit(**at))
		return true;
	if (!take_number(at, 10, &time->whole))
		return false;
	time->is_given = true;
	if (**at != '.')
		return true;
	time->has_fraction = true;
	for (++*at; is_digit(**at); ++*at) {
		unit /= 10;
		time->nanoseconds += unit * (uint64_t)(**at - '0');
	}
	return true;
}

/* A number of percent, with its sign */
static bool take_percent(const char **at, double *percent)
{
	char *end;

	if (!is_digit(**at))
		return false;
	*percent = strtod(*at, &end);
	*at = end + 1;
	return *end == '%' && *percent <= 100;
}

/* A%-B%, A%/N: the slice of that number, of A% each, or A%: the first slice */
static bool take_percents(struct selection_options *options, const char *text)
{
	double *percent = options->percent;
	uint64_t slice = 1;

	options->is_percent = true;
	if (!take_percent(&text, &percent[1]))
		return false;
	if (*text == '-') {
		percent[0] = percent[1];
		text++;
		return take_percent(&text, &percent[1]) && !*text && percent[0] < percent[1];
	}
	if (*text == '/') {
		text++;
		if (!take_number(&text, 10, &slice) || !slice)
			return false;
	}
	percent[0] = percent[1] * (double)(slice - 1);
	percent[1] += percent[0];
	return !*text && percent[0] < 100 && percent[0] < percent[1];
}

/* Both times are in one unit, whatever it is. */
static bool is_ordered(const struct selection_time *begin, const struct selection_time *end)
{
	if (!begin->is_given || !end->is_given)
		return true;
	return begin->whole < end->whole ||
	       (begin->whole == end->whole && begin->nanoseconds <= end->nanoseconds);
}

bool selection_take_time(struct selection_options *options, const char *text)
{
	const char *at = text;
	bool is_good;

	options->time = text;
	options->time_option = "time";
	options->request = 0;
	if (strchr(text, '%')) {
		is_good = take_percents(options, text);
	} else {
		options->is_percent = false;
		is_good = take_time(&at, &options->begin) && *at++ == ',' &&
			  take_time(&at, &options->end) && !*at &&
			  is_ordered(&options->begin, &options->end);
	}
	if (is_good)
		return true;
	print(stderr,
	      "hwflow: --time=%s: no range of times; FROM,TO in seconds as script prints them, "
	      "in which FROM or TO may be left out, or a part of the time in percent, such as "
	      "10%%-20%% or 10%%/2\n",
	      text);
	return false;
}

bool selection_take_request(struct selection_options *options, const char *text)
{
	const char *at = text ? text : "1";

	options->time = at;
	options->time_option = "request";
	options->is_percent = false;
	if (take_number(&at, 10, &options->request) && !*at && options->request)
		return true;
	print(stderr,
	      "hwflow: --request=%s: not a number of a request; the first one of the recording "
	      "is 1\n",
	      text);
	return false;
}

bool selection_take_offset(struct selection_options *options, const char *text)
{
	const char *at = text;
	bool is_good;

	options->offset = text;
	options->to = UINT64_MAX;
	options->has_record = strchr(text, ':') != NULL;
	is_good = !options->has_record || (take_number(&at, 10, &options->record) && *at++ == ':');
	is_good = is_good && take_number(&at, 0, &options->from);
	if (is_good && *at == ',') {
		at++;
		is_good = take_number(&at, 0, &options->to) && options->from < options->to;
	}
	if (is_good && !*at)
		return true;
	print(stderr,
	      "hwflow: --offset=%s: no range of offsets; [RECORD:]FROM[,TO] with TO larger than "
	      "FROM, hexadecimal numbers begin with 0x (flow and dump print them without)\n",
	      text);
	return false;
}

bool selection_take_limit(struct selection_options *options, const char *text)
{
	const char *at = text;
	uint64_t limit;

	if (take_number(&at, 10, &limit) && !*at && limit && limit <= SIZE_MAX) {
		options->limit = (size_t)limit;
		return true;
	}
	print(stderr, "hwflow: --limit=%s: not a number of lines, 1 or more\n", text);
	return false;
}
