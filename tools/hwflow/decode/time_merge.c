/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lines by time.
 *
 *   temporary file:  | blocks of source 0 | blocks of source 1 | ...
 *   block:           struct block_head, then records, compressed
 *   record:          struct record_head, then text of one time
 *   text:            characters, of which none is NUL, and marks
 *   mark:            NUL MARK_WORD, number of the word in 3 bytes
 *                    NUL MARK_START, size in 1 byte, that many characters: the start of this line
 * and of the next ones NUL MARK_SAME: the last start of this source
 */
#include "time_merge.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "base/temporary.h"

/* Bytes of a block before compression, at most */
#define BLOCK 0x8000u

/* Bytes of text that are handed on at once, at most: they fit an empty block */
#define TEXT_AT_ONCE (BLOCK / 2)

enum {
	MARK_WORD = 1,
	MARK_START,
	MARK_SAME,
};

/* Words and the bytes of all of them, at most; the number of a word has 3 bytes */
#define WORDS      0x10000u
#define WORD_BYTES 0x800000u

/* zstd's fastest level that is not tuned for speed alone */
#define LEVEL 1

struct block_head {
	uint32_t size; /* of the records */
	uint32_t packed;
};

struct record_head {
	uint64_t time; /* 0: the first one of the piece */
	uint32_t piece;
	uint32_t length;
};

/**
 * struct words - texts that are stored once
 * @bytes: all texts, one after another
 * @size: of @bytes
 * @starts: where each word begins in @bytes; word 0 is empty, and there is a start after the last
 * @count: how many words
 * @slots: numbers of words, by a hash of the text; 0: free
 */
struct words {
	char *bytes;
	uint32_t size;
	uint32_t starts[WORDS + 1];
	uint32_t count;
	uint32_t slots[2 * WORDS];
};

/**
 * struct source - the lines of a source
 * @from: of its blocks, in the file
 * @to: their end
 * @firsts: first time of each piece; 0 where it has none
 * @piece_count: how many pieces
 * @key: time of the next record, or less
 * @last: time of the record before
 * @block: the records being read; NULL before the first and after the last
 * @size: bytes of @block
 * @at: the next record in @block
 * @start: the last start of a line
 * @start_size: of @start
 */
struct source {
	uint64_t from;
	uint64_t to;
	uint64_t *firsts;
	size_t piece_count;
	uint64_t key;
	uint64_t last;
	uint8_t *block;
	size_t size;
	size_t at;
	char start[TIME_MERGE_START];
	uint8_t start_size;
};

/**
 * struct time_merge - see time_merge.h
 * @fd: the temporary file
 * @end: its size
 * @lines: takes lines; it is emptied when the time changes
 * @sources: in the order in which they came
 * @count: how many
 * @heap: numbers of sources: the one with the least time is the first
 * @heap_count: of @heap
 * @source: pointer that stands for the last source
 * @piece: pointer that stands for its last piece
 * @time: of the lines in the buffer of @lines
 * @block: records being gathered
 * @size: of them
 * @packed: room for a compressed block
 * @packer: of zstd
 * @unpacker: of zstd
 * @words: texts that are stored once
 * @error: -errno, once anything has failed
 * @place: takes times in place of the file; NULL: the file does
 * @ctx: its first argument
 */
struct time_merge {
	int fd;
	uint64_t end;
	struct text lines;
	struct source *sources;
	size_t count;
	size_t *heap;
	size_t heap_count;
	const void *source;
	const void *piece;
	uint64_t time;
	uint8_t block[BLOCK];
	size_t size;
	uint8_t packed[ZSTD_COMPRESSBOUND(BLOCK)];
	ZSTD_CCtx *packer;
	ZSTD_DCtx *unpacker;
	struct words words;
	int error;
	void (*place)(void *ctx, const void *source, const void *piece, uint64_t time);
	void *ctx;
};

static bool write_all(struct time_merge *merge, const void *bytes, size_t size)
{
	const int error = temporary_write(merge->fd, merge->end, bytes, size);

	if (error)
		merge->error = error;
	else
		merge->end += size;
	return !error;
}

static void write_block(struct time_merge *merge)
{
	struct block_head head = {.size = (uint32_t)merge->size};
	size_t packed;

	if (!merge->size || merge->error)
		return;
	packed = ZSTD_compressCCtx(merge->packer, merge->packed, sizeof(merge->packed),
				   merge->block, merge->size, LEVEL);
	merge->size = 0;
	if (ZSTD_isError(packed)) {
		merge->error = -ENOMEM;
		return;
	}
	head.packed = (uint32_t)packed;
	if (write_all(merge, &head, sizeof(head)))
		write_all(merge, merge->packed, packed);
}

/* Text of @merge->time, as @merge->lines hands it on. A mark is in one record, as it was appended
 * at once. */
static int take_text(void *ctx, const char *text, size_t size)
{
	struct time_merge *merge = ctx;
	const struct source *source = merge->count ? &merge->sources[merge->count - 1] : NULL;
	struct record_head head = {.time = merge->time, .length = (uint32_t)size};

	/* the error is reported at the end */
	if (merge->error || !source)
		return 0;
	head.piece = (uint32_t)source->piece_count - 1;
	if (merge->size + sizeof(head) + size > BLOCK)
		write_block(merge);
	memcpy(merge->block + merge->size, &head, sizeof(head));
	memcpy(merge->block + merge->size + sizeof(head), text, size);
	merge->size += sizeof(head) + size;
	return 0;
}

int time_merge_new(struct time_merge **result)
{
	struct time_merge *merge = calloc(1, sizeof(*merge));
	int error = -ENOMEM;

	if (!merge)
		return error;
	merge->fd = temporary_open();
	if (merge->fd < 0)
		error = -errno;
	merge->packer = ZSTD_createCCtx();
	merge->unpacker = ZSTD_createDCtx();
	text_init(&merge->lines, take_text, merge);
	merge->lines.hwf.end = merge->lines.bytes + TEXT_AT_ONCE;
	merge->words.count = 1;
	merge->words.bytes = malloc(WORD_BYTES);
	if (merge->fd < 0 || !merge->packer || !merge->unpacker || !merge->words.bytes) {
		time_merge_free(merge);
		return error;
	}
	*result = merge;
	return 0;
}

static void end_source(struct time_merge *merge)
{
	text_flush(&merge->lines);
	write_block(merge);
	if (merge->count)
		merge->sources[merge->count - 1].to = merge->end;
}

static void begin_source(struct time_merge *merge)
{
	struct source *more;

	end_source(merge);
	more = reallocarray(merge->sources, merge->count + 1, sizeof(*more));
	if (!more) {
		merge->error = -ENOMEM;
		return;
	}
	merge->sources = more;
	merge->sources[merge->count++] = (struct source){.from = merge->end, .to = merge->end};
	merge->time = 0;
}

static void begin_piece(struct time_merge *merge)
{
	struct source *source = &merge->sources[merge->count - 1];
	const size_t count = source->piece_count;

	text_flush(&merge->lines);
	/* full at powers of two */
	if (!(count & (count - 1))) {
		uint64_t *more = reallocarray(source->firsts, count ? 2 * count : 1, sizeof(*more));

		if (!more) {
			merge->error = -ENOMEM;
			return;
		}
		source->firsts = more;
	}
	source->firsts[source->piece_count++] = 0;
	merge->time = 0;
}

struct text *time_merge_at(struct time_merge *merge, const void *source, const void *piece,
			   uint64_t time)
{
	struct source *last;

	if (merge->place) {
		text_flush(&merge->lines);
		merge->place(merge->ctx, source, piece, time);
		return &merge->lines;
	}
	/* lines that cannot be kept are written to no use */
	if (merge->error)
		return &merge->lines;
	if (merge->source != source) {
		begin_source(merge);
		merge->piece = NULL;
	}
	if (!merge->error && merge->piece != piece)
		begin_piece(merge);
	merge->source = source;
	merge->piece = piece;
	if (merge->error || time <= merge->time)
		return &merge->lines;
	text_flush(&merge->lines);
	merge->time = time;
	last = &merge->sources[merge->count - 1];
	if (last->firsts && !last->firsts[last->piece_count - 1])
		last->firsts[last->piece_count - 1] = time;
	return &merge->lines;
}

void time_merge_forward(struct time_merge *merge,
			void (*place)(void *ctx, const void *source, const void *piece,
				      uint64_t time),
			int (*write)(void *ctx, const char *bytes, size_t size), void *ctx)
{
	merge->place = place;
	merge->ctx = ctx;
	text_init(&merge->lines, write, ctx);
	merge->lines.hwf.end = merge->lines.bytes + TEXT_AT_ONCE;
}

struct text *time_merge_lines(struct time_merge *merge)
{
	return &merge->lines;
}

static uint64_t hash_text(const char *text, size_t size)
{
	uint64_t hash = size;

	for (; size >= 8; size -= 8, text += 8) {
		uint64_t part;

		memcpy(&part, text, sizeof(part));
		hash = (hash ^ part) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 32;
	}
	for (; size; size--, text++)
		hash = (hash ^ (uint8_t)*text) * UINT64_C(0x9e3779b97f4a7c15);
	return hash >> 32;
}

uint32_t time_merge_word(struct time_merge *merge, const char *text, size_t size)
{
	struct words *words = &merge->words;
	uint32_t at = (uint32_t)hash_text(text, size) % (2 * WORDS);

	/* it is known to this process alone */
	if (merge->place)
		return 0;
	/* half of the slots are free at least */
	for (; words->slots[at]; at = (at + 1) % (2 * WORDS)) {
		const uint32_t word = words->slots[at], start = words->starts[word];

		if (words->starts[word + 1] - start == size &&
		    !memcmp(words->bytes + start, text, size))
			return word;
	}
	if (words->count == WORDS || size > WORD_BYTES - words->size)
		return 0;
	memcpy(words->bytes + words->size, text, size);
	words->size += (uint32_t)size;
	words->slots[at] = words->count++;
	words->starts[words->count] = words->size;
	return words->slots[at];
}

void time_merge_put_word(struct text *lines, uint32_t word)
{
	char *at = text_room(lines, 5);

	at[0] = '\0';
	at[1] = MARK_WORD;
	at[2] = (char)(word & 0xff);
	at[3] = (char)(word >> 8 & 0xff);
	at[4] = (char)(word >> 16);
	lines->hwf.at += 5;
}

void time_merge_put_start(struct text *lines, const char *bytes, size_t size)
{
	char *at = text_room(lines, 3 + TIME_MERGE_START);

	at[0] = '\0';
	at[1] = MARK_START;
	at[2] = (char)size;
	memcpy(at + 3, bytes, size);
	lines->hwf.at += 3 + size;
}

void time_merge_put_same_start(struct text *lines)
{
	char *at = text_room(lines, 2);

	at[0] = '\0';
	at[1] = MARK_SAME;
	lines->hwf.at += 2;
}

static bool read_all(struct time_merge *merge, uint64_t from, void *bytes, size_t size)
{
	uint8_t *at = bytes;

	while (size) {
		const ssize_t got = pread(merge->fd, at, size, (off_t)from);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			merge->error = got ? -errno : -EIO;
			return false;
		}
		at += got;
		size -= (size_t)got;
		from += (uint64_t)got;
	}
	return true;
}

/* The next block of a source; false at its end, and where that cannot be read. */
static bool read_block(struct time_merge *merge, struct source *source)
{
	struct block_head head;
	size_t size;

	if (source->from == source->to || !read_all(merge, source->from, &head, sizeof(head)) ||
	    !read_all(merge, source->from + sizeof(head), merge->packed, head.packed))
		return false;
	if (!source->block)
		source->block = malloc(BLOCK);
	if (!source->block) {
		merge->error = -ENOMEM;
		return false;
	}
	size = ZSTD_decompressDCtx(merge->unpacker, source->block, BLOCK, merge->packed,
				   head.packed);
	if (ZSTD_isError(size) || size != head.size) {
		merge->error = -EIO;
		return false;
	}
	source->from += sizeof(head) + head.packed;
	source->size = size;
	source->at = 0;
	return true;
}

/* Sets the key of a source to the time of its next record; false if there is none. */
static bool find_next(struct time_merge *merge, struct source *source)
{
	struct record_head head;

	if ((!source->block || source->at == source->size) && !read_block(merge, source)) {
		free(source->block);
		source->block = NULL;
		return false;
	}
	memcpy(&head, source->block + source->at, sizeof(head));
	source->key = head.time ? head.time : source->firsts[head.piece];
	if (source->key < source->last)
		source->key = source->last;
	return true;
}

/* Writes what a mark stands for; returns its end. */
static const char *print_mark(const struct time_merge *merge, struct source *source,
			      const char *mark, struct text *out)
{
	const struct words *words = &merge->words;
	uint32_t word;

	switch (mark[1]) {
	case MARK_WORD:
		word = (uint8_t)mark[2] | (uint32_t)(uint8_t)mark[3] << 8 |
		       (uint32_t)(uint8_t)mark[4] << 16;
		text_bytes(out, words->bytes + words->starts[word],
			   words->starts[word + 1] - words->starts[word]);
		return mark + 5;
	case MARK_START:
		source->start_size = (uint8_t)mark[2];
		memcpy(source->start, mark + 3, source->start_size);
		text_bytes(out, source->start, source->start_size);
		return mark + 3 + source->start_size;
	default:
		text_bytes(out, source->start, source->start_size);
		return mark + 2;
	}
}

static void print_record(const struct time_merge *merge, struct source *source, struct text *out)
{
	struct record_head head;
	const char *text, *end, *mark;

	memcpy(&head, source->block + source->at, sizeof(head));
	text = (const char *)source->block + source->at + sizeof(head);
	end = text + head.length;
	while (text < end) {
		/* a line is a mark, a mark and a newline in most cases */
		if (*text == '\n') {
			text++;
			text_end_line(out);
			continue;
		}
		mark = *text ? memchr(text, '\0', (size_t)(end - text)) : text;
		text_bytes(out, text, (size_t)((mark ? mark : end) - text));
		text = mark ? print_mark(merge, source, mark, out) : end;
	}
	source->at += sizeof(head) + head.length;
	source->last = source->key;
}

static bool is_before(const struct time_merge *merge, size_t a, size_t b)
{
	const uint64_t x = merge->sources[a].key, y = merge->sources[b].key;

	return x != y ? x < y : a < b;
}

/* Moves the entry at @at of the heap down to its place. */
static void sift_down(struct time_merge *merge, size_t at)
{
	size_t *heap = merge->heap;

	for (;;) {
		size_t least = at, entry;

		for (size_t child = 2 * at + 1; child <= 2 * at + 2; child++)
			if (child < merge->heap_count && is_before(merge, heap[child], heap[least]))
				least = child;
		if (least == at)
			return;
		entry = heap[at];
		heap[at] = heap[least];
		heap[least] = entry;
		at = least;
	}
}

static int make_heap(struct time_merge *merge)
{
	merge->heap = calloc(merge->count + 1, sizeof(*merge->heap));
	if (!merge->heap)
		return -ENOMEM;
	for (size_t i = 0; i < merge->count; i++) {
		/* a source is not read before its time has come */
		merge->sources[i].key = merge->sources[i].firsts[0];
		merge->heap[merge->heap_count++] = i;
	}
	for (size_t i = merge->heap_count; i--;)
		sift_down(merge, i);
	return 0;
}

int time_merge_print(struct time_merge *merge, struct text *out)
{
	end_source(merge);
	if (!merge->error)
		merge->error = make_heap(merge);
	while (!merge->error && merge->heap_count) {
		struct source *source = &merge->sources[merge->heap[0]];

		/* at first, and after a print, the key is not that of the next record */
		if (source->block)
			print_record(merge, source, out);
		if (!find_next(merge, source))
			merge->heap[0] = merge->heap[--merge->heap_count];
		sift_down(merge, 0);
	}
	return merge->error;
}

void time_merge_free(struct time_merge *merge)
{
	if (!merge)
		return;
	if (merge->fd >= 0)
		close(merge->fd);
	for (size_t i = 0; i < merge->count; i++) {
		free(merge->sources[i].firsts);
		free(merge->sources[i].block);
	}
	free(merge->sources);
	free(merge->words.bytes);
	free(merge->heap);
	ZSTD_freeCCtx(merge->packer);
	ZSTD_freeDCtx(merge->unpacker);
	free(merge);
}
