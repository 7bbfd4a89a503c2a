// SPDX-License-Identifier: GPL-2.0-only
/* Mutations of ground-truth logs and of jitdump files: both are rows of sections with a size. */
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "mutate.h"
#include "truth/truth_format.h"

#define SECTIONS 512
#define UNPACKED (1u << 17)

/**
 * struct rows - the sections of a file
 * @head: bytes of a section's head
 * @items: sections with their heads
 * @count: number of @items
 */
struct rows {
	size_t head;
	struct mutate_range items[SECTIONS];
	size_t count;
};

static struct rows rows;

static void add_row(struct edit *edit, size_t at, uint64_t size)
{
	if (size > edit->size - at)
		size = edit->size - at;
	rows.items[rows.count++] = (struct mutate_range){at, (size_t)size};
}

static void find_sections(struct edit *edit)
{
	size_t at = edit_get(edit, offsetof(struct truth_head, size), 4);

	rows = (struct rows){.head = sizeof(struct truth_section)};
	while (at < edit->size && edit->size - at >= rows.head && rows.count < SECTIONS) {
		const uint64_t length =
			edit_get(edit, at + offsetof(struct truth_section, length), 8);

		add_row(edit, at,
			rows.head + ((length < edit->size ? length : edit->size) + 7) / 8 * 8);
		at += rows.items[rows.count - 1].size;
	}
}

static void find_dump_records(struct edit *edit)
{
	size_t at = edit_get(edit, 8, 4);

	rows = (struct rows){.head = 16};
	while (at < edit->size && edit->size - at >= rows.head && rows.count < SECTIONS) {
		const uint64_t size = edit_get(edit, at + 4, 4);

		add_row(edit, at, size < rows.head ? rows.head : size);
		at += rows.items[rows.count - 1].size;
	}
}

static struct mutate_range any_row(void)
{
	return rows.items[mutate_below(rows.count)];
}

/* What all rows have in common: they are repeated, left out, put elsewhere, their heads and bodies
 * changed */
static void change_rows(struct edit *edit)
{
	const struct mutate_range row = any_row();

	switch (mutate_below(6)) {
	case 0:
		edit_copy(edit, row.at, row.size, any_row().at);
		break;
	case 1:
		edit_replace(edit, row.at, row.size, NULL, 0);
		break;
	case 2:
		edit_number(edit, row.at, rows.head);
		break;
	case 3:
		edit_number(edit, row.at + rows.head, row.size - rows.head);
		break;
	case 4:
		for (size_t count = mutate_below(64); count; count--)
			edit_copy(edit, row.at, row.size, row.at);
		break;
	default:
		edit_bytes(edit, row.at + rows.head, row.size - rows.head);
		break;
	}
}

/* Bytes before the Zstandard frame of a section; 0: it has none */
static size_t packed_head(uint64_t type)
{
	if (type == TRUTH_PACKED_BLOCKS)
		return sizeof(struct truth_packed);
	return type == TRUTH_PACKED_STREAM
		       ? sizeof(struct truth_stream) + sizeof(struct truth_packed)
		       : 0;
}

static void change_unpacked(uint8_t *bytes, size_t size)
{
	static struct edit plain;

	plain.size = size;
	memcpy(plain.bytes, bytes, size);
	if (mutate_below(2))
		edit_number(&plain, 0, size);
	else
		edit_bytes(&plain, 0, size);
	memcpy(bytes, plain.bytes, size);
}

/* A packed section, with the payload changed before it is packed again */
static void change_packed(struct edit *edit)
{
	const struct mutate_range row = any_row();
	const size_t head = rows.head + packed_head(edit_get(edit, row.at, 4));
	const size_t length = edit_get(edit, row.at + offsetof(struct truth_section, length), 8);
	uint8_t *plain, *packed;
	size_t size;

	if (head == rows.head || head > row.size || length + rows.head > row.size ||
	    length + rows.head < head)
		return;
	plain = malloc(UNPACKED);
	packed = calloc(1, ZSTD_COMPRESSBOUND(UNPACKED) + 8);
	if (!plain || !packed)
		abort();
	size = ZSTD_decompress(plain, UNPACKED, edit->bytes + row.at + head,
			       length + rows.head - head);
	if (!ZSTD_isError(size) && size && size < EDIT_ROOM) {
		change_unpacked(plain, size);
		size = ZSTD_compress(packed, ZSTD_COMPRESSBOUND(UNPACKED), plain, size, 1);
		if (edit_replace(edit, row.at + head, row.size - head, packed,
				 (head + size + 7) / 8 * 8 - head))
			edit_put(edit, row.at + offsetof(struct truth_section, length), 8,
				 head - rows.head + size);
	}
	free(plain);
	free(packed);
}

void mutate_truth(struct edit *edit)
{
	find_sections(edit);
	if (!rows.count || !mutate_below(12))
		edit_number(edit, 8, sizeof(struct truth_head) - 8);
	else if (mutate_below(2))
		change_packed(edit);
	else
		change_rows(edit);
}

void mutate_jitdump(struct edit *edit)
{
	find_dump_records(edit);
	if (!rows.count || !mutate_below(12))
		edit_number(edit, 4, edit->size < 40 ? edit->size - 4 : 36);
	else
		change_rows(edit);
}
