/* SPDX-License-Identifier: GPL-2.0-only */
/* Durations of calls for a page. */
#include "page_calls.h"

#include <errno.h>
#include <stdlib.h>

#include "base/json.h"

/* Percentiles, in tenths of a percent */
static const unsigned int shares[] = {500, 900, 990, 999};

#define SHARES (sizeof(shares) / sizeof(shares[0]))

/* struct measured - a function that was called, and its id */
struct measured {
	const struct function_durations *durations;
	size_t id;
};

static int compare(const void *a, const void *b)
{
	const struct measured *x = a, *y = b;
	const uint64_t p = x->durations->durations.sum, q = y->durations->durations.sum;

	if (p != q)
		return p > q ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

static void put(struct text *out, uint64_t number)
{
	text_char(out, ',');
	json_number(out, number);
}

static void put_percentiles(struct text *out, const struct durations *durations)
{
	for (size_t i = 0; i < SHARES; i++) {
		text_char(out, i ? ',' : '[');
		json_number(out, durations_percentile(durations, shares[i] / 1000.0));
	}
	text_char(out, ']');
}

static void put_rows(struct text *out, const struct durations *durations)
{
	bool has_rows = false;

	text_char(out, '[');
	for (unsigned int i = 0; i < DURATIONS_ROWS; i++) {
		if (!durations->rows[i])
			continue;
		text_named_decimal(out, has_rows ? "," : "", i);
		put(out, durations->rows[i]);
		has_rows = true;
	}
	text_char(out, ']');
}

static void put_longest(struct text *out, const struct page_feed *feed,
			const struct function_durations *function)
{
	text_char(out, '[');
	for (size_t i = 0; i < function->longest_count; i++) {
		const struct listed_call *call = &function->longest[i];

		json_separate(out, i);
		text_char(out, '[');
		json_number(out, call->begin);
		put(out, call->duration);
		put(out, call->instructions);
		if (call->caller)
			put(out, feed->ids[call->caller]);
		else
			text_string(out, ",-1");
		if (call->tid >= 0)
			put(out, (uint64_t)call->tid);
		else
			text_string(out, ",null");
		text_char(out, ']');
	}
	text_char(out, ']');
}

static void put_function(struct text *out, const struct page_feed *feed,
			 const struct measured *measured)
{
	const struct function_durations *function = measured->durations;
	const struct durations *durations = &function->durations;

	text_named_decimal(out, "[", feed->ids[measured->id]);
	put(out, durations->count);
	put(out, durations->sum);
	put(out, durations->least);
	put(out, durations->most);
	put(out, function->partial);
	text_char(out, ',');
	put_percentiles(out, durations);
	text_char(out, ',');
	put_rows(out, durations);
	text_char(out, ',');
	put_longest(out, feed, function);
	text_char(out, ']');
}

int page_calls(struct page_part *part, const struct page_feed *feed)
{
	const struct call_durations *durations = &feed->durations;
	struct measured *all = calloc(durations->function_count + 1, sizeof(*all));
	size_t count = 0;

	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < durations->function_count; i++)
		if (durations->functions[i])
			all[count++] = (struct measured){durations->functions[i], i};
	qsort(all, count, sizeof(*all), compare);
	for (size_t i = 0; i < count; i++) {
		struct text *out = page_part_item(part);

		if (!out)
			continue;
		put_function(out, feed, &all[i]);
		page_part_end_item(part);
	}
	free(all);
	return 0;
}

void page_calls_scale(struct text *out)
{
	text_string(out, "\"shares\":[");
	for (size_t i = 0; i < SHARES; i++) {
		text_named_decimal(out, i ? "," : "", shares[i] / 10);
		if (shares[i] % 10)
			text_named_decimal(out, ".", shares[i] % 10);
	}
	text_string(out, "],\n\"scale\":[");
	for (unsigned int i = 0; i < DURATIONS_ROWS; i++) {
		if (i)
			text_char(out, ',');
		json_number(out, durations_row(i));
	}
	text_char(out, ']');
}
