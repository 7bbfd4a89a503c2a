/* SPDX-License-Identifier: GPL-2.0-only */
/* A list of JSON values within a budget. */
#include "page_part.h"

#include <errno.h>
#include <stdlib.h>

#include "base/json.h"

/* As write of struct hwf_text */
static int take_bytes(void *ctx, const char *bytes, size_t size)
{
	struct page_part *part = ctx;
	size_t room = part->room ? part->room : 2 * (size_t)TEXT_BYTES;
	char *moved = part->bytes;

	while (room < part->size + size)
		room *= 2;
	if (room != part->room)
		moved = realloc(part->bytes, room);
	if (!moved)
		return -ENOMEM;
	part->bytes = moved;
	part->room = room;
	memcpy(part->bytes + part->size, bytes, size);
	part->size += size;
	return 0;
}

void page_part_init(struct page_part *part, uint64_t budget)
{
	part->budget = budget;
	part->skips = false;
	part->count = part->left = 0;
	part->bytes = NULL;
	part->size = part->room = part->ended = 0;
	text_init(&part->text, take_bytes, part);
}

struct text *page_part_item(struct page_part *part)
{
	if (part->left && !part->skips) {
		part->left++;
		return NULL;
	}
	json_separate(&part->text, part->count);
	return &part->text;
}

bool page_part_end_item(struct page_part *part)
{
	text_flush(&part->text);
	if (part->size > part->budget) {
		part->size = part->ended;
		part->left++;
		return false;
	}
	part->ended = part->size;
	part->count++;
	return true;
}

void page_part_write(struct page_part *part, struct text *out)
{
	text_char(out, '[');
	text_pass(out, part->bytes, part->ended);
	text_char(out, ']');
	if (part->text.hwf.error && !out->hwf.error)
		out->hwf.error = part->text.hwf.error;
}

void page_part_free(struct page_part *part)
{
	free(part->bytes);
	part->bytes = NULL;
}
