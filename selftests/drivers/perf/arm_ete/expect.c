// SPDX-License-Identifier: GPL-2.0-only
/* Executions, and how two of them are compared. */
#include "expect.h"

#include <errno.h>
#include <hwflow/insn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NESTED 8

void expect_init(struct expect *expect)
{
	memset(expect, 0, sizeof(*expect));
}

void expect_free(struct expect *expect)
{
	free(expect->items);
	expect_init(expect);
}

static void append(struct expect *expect, enum expect_kind kind, uint64_t start, uint64_t end)
{
	if (expect->count == expect->room) {
		const size_t room = expect->room ? 2 * expect->room : 1024;
		struct expect_item *items = realloc(expect->items, room * sizeof(*items));

		if (!items) {
			expect->error = -ENOMEM;
			return;
		}
		expect->items = items;
		expect->room = room;
	}
	expect->items[expect->count++] = (struct expect_item){
		.kind = (uint8_t)kind,
		.start = start,
		.end = end,
	};
}

void expect_range(struct expect *expect, uint64_t start, uint64_t end)
{
	struct expect_item *last = expect->count ? &expect->items[expect->count - 1] : NULL;

	if (start == end)
		return;
	if (last && last->kind == EXPECT_RUN && last->end == start)
		last->end = end;
	else
		append(expect, EXPECT_RUN, start, end);
}

void expect_exception(struct expect *expect, uint64_t number, uint64_t ret)
{
	append(expect, EXPECT_EXCEPTION, number, ret);
}

void expect_rows(struct expect *expect, const struct workload_row *rows)
{
	struct {
		const struct workload_row *row;
		uint64_t times;
	} repeat[NESTED];
	size_t depth = 0;

	for (const struct workload_row *row = rows; row->kind != WORKLOAD_END; row++) {
		if (row->kind == WORKLOAD_RANGE) {
			expect_range(expect, row->first, row->second);
		} else if (row->kind == WORKLOAD_EXCEPTION) {
			expect_exception(expect, row->first, row->second);
		} else if (row->kind == WORKLOAD_REPEAT && depth < NESTED) {
			repeat[depth].row = row;
			repeat[depth++].times = row->first;
		} else if (row->kind == WORKLOAD_REPEAT_END && depth) {
			if (--repeat[depth - 1].times)
				row = repeat[depth - 1].row;
			else
				depth--;
		} else {
			expect->error = -EINVAL;
			return;
		}
	}
}

/* Whether the kernel handled exception @index for itself: execution went on where it was interrupted */
static bool is_interruption(const struct decode *decode, size_t index, uint64_t handler)
{
	const struct decode_item *item = &decode->items[index];

	switch (item->number) {
	case WORKLOAD_EXC_SYSTEM_ERROR:
	case WORKLOAD_EXC_INST_FAULT:
	case WORKLOAD_EXC_DATA_FAULT:
	case WORKLOAD_EXC_IRQ:
	case WORKLOAD_EXC_FIQ:
		break;
	default:
		return false;
	}
	for (size_t i = index + 1; i < decode->count; i++)
		if (decode->items[i].kind == DECODE_RANGE)
			return decode->items[i].start == item->end ||
			       (handler && decode->items[i].start == handler);
		else if (decode->items[i].kind == DECODE_GAP)
			return true;
	return true;
}

/* Whether so many instructions fit between the addresses of a range */
static bool counts_fit(const struct decode_item *item)
{
	const uint64_t size = item->end - item->start;

	if (item->isa == HWF_ISA_A64 || item->isa == HWF_ISA_A32)
		return size == 4 * (uint64_t)item->instructions;
	return size >= 2 * (uint64_t)item->instructions && size <= 4 * (uint64_t)item->instructions;
}

int expect_decoded(struct expect *expect, const struct decode *decode)
{
	for (size_t i = 0; i < decode->count; i++) {
		const struct decode_item *item = &decode->items[i];

		if (item->kind == DECODE_RANGE) {
			if (!counts_fit(item))
				return -EBADMSG;
			expect_range(expect, item->start, item->end);
		} else if (item->kind == DECODE_GAP) {
			append(expect, EXPECT_GAP, item->gap, item->number);
		} else if (item->kind == DECODE_EXCEPTION && is_interruption(decode, i, expect->handler)) {
			expect->interruptions++;
		} else if (item->kind == DECODE_EXCEPTION) {
			expect_exception(expect, item->number, item->end);
		}
	}
	return expect->error;
}

uint64_t expect_instructions(const struct expect *expect)
{
	uint64_t count = 0;

	for (size_t i = 0; i < expect->count; i++)
		if (expect->items[i].kind == EXPECT_RUN)
			count += (expect->items[i].end - expect->items[i].start) / 4;
	return count;
}

static bool same(const struct expect_item *a, const struct expect_item *b)
{
	return a->kind == b->kind && a->start == b->start && a->end == b->end;
}

static void item_text(const struct expect *expect, size_t index, char *text, size_t size)
{
	static const char *const kinds[] = {
		[EXPECT_RUN] = "run", [EXPECT_EXCEPTION] = "exception", [EXPECT_GAP] = "gap",
	};
	const struct expect_item *item = &expect->items[index];

	if (index >= expect->count)
		snprintf(text, size, "the end");
	else
		snprintf(text, size, "%s %" PRIx64 " %" PRIx64, kinds[item->kind], item->start,
			 item->end);
}

static void difference(const struct expect *expected, size_t at, const struct expect *decoded,
		       size_t found_at, char *text, size_t size)
{
	char wanted[64], found[64];

	item_text(expected, at, wanted, sizeof(wanted));
	item_text(decoded, found_at, found, sizeof(found));
	snprintf(text, size, "item %zu of %zu: %s, not %s, which is item %zu of %zu", found_at,
		 decoded->count, found, wanted, at, expected->count);
}

bool expect_equal(const struct expect *expected, const struct expect *decoded, char *text,
		  size_t size)
{
	for (size_t i = 0; i < expected->count || i < decoded->count; i++) {
		if (i < expected->count && i < decoded->count &&
		    same(&expected->items[i], &decoded->items[i]))
			continue;
		difference(expected, i, decoded, i, text, size);
		return false;
	}
	return true;
}

/* Whether @part, which a gap may cut at its beginning or its end, lies in @whole */
static bool is_part(const struct expect_item *part, const struct expect_item *whole, bool cut_start,
		    bool cut_end)
{
	if (part->kind != EXPECT_RUN || whole->kind != EXPECT_RUN)
		return same(part, whole);
	return (cut_start ? part->start >= whole->start && part->start < whole->end :
			    part->start == whole->start) &&
	       (cut_end ? part->end <= whole->end && part->end > whole->start :
			  part->end == whole->end);
}

/* Whether items @from to @to of @decoded are those of @expected from @at */
static bool piece_is_at(const struct expect *expected, size_t at, const struct expect *decoded,
			size_t from, size_t to)
{
	if (to - from > expected->count - at)
		return false;
	for (size_t i = from; i < to; i++)
		if (!is_part(&decoded->items[i], &expected->items[at + i - from],
			     i == from && from, i + 1 == to && to < decoded->count))
			return false;
	return true;
}

bool expect_pieces(const struct expect *expected, const struct expect *decoded, char *text,
		   size_t size)
{
	size_t at = 0, from = 0;

	while (from < decoded->count) {
		size_t to = from;

		while (to < decoded->count && decoded->items[to].kind != EXPECT_GAP)
			to++;
		while (at < expected->count && from &&
		       !piece_is_at(expected, at, decoded, from, to))
			at++;
		if (!piece_is_at(expected, at, decoded, from, to)) {
			difference(expected, at, decoded, from, text, size);
			return false;
		}
		/* a gap may cut the last run in two, so the next piece may begin in the same run */
		at += to - from ? to - from - 1 : 0;
		from = to + 1;
	}
	return true;
}

bool expect_tail(const struct expect *expected, const struct expect *decoded, char *text,
		 size_t size)
{
	const size_t first = expected->count - decoded->count;

	if (!decoded->count || decoded->count > expected->count) {
		snprintf(text, size, "%zu items, not 1 to %zu", decoded->count, expected->count);
		return false;
	}
	for (size_t i = 0; i < decoded->count; i++) {
		if (is_part(&decoded->items[i], &expected->items[first + i], !i, false))
			continue;
		difference(expected, first + i, decoded, i, text, size);
		return false;
	}
	return true;
}
