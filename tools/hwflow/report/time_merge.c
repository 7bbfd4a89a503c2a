/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lines by time.
 *
 *   temporary file:  | blocks of source 0 | blocks of source 1 | ...
 *   block:           struct block_head, then records, compressed
 *   record:          struct record_head, then text of one time
 */
#include "time_merge.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

/* Bytes of a block before compression, at most */
#define BLOCK 0x8000u

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
 * @error: -errno, once anything has failed
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
	int error;
};

const char *time_merge_directory(void)
{
	const char *directory = getenv("TMPDIR");

	return directory && *directory ? directory : "/tmp";
}

static int open_temporary(void)
{
	char path[PATH_MAX];
	int fd = open(time_merge_directory(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	/* not all file systems have it */
	if (fd >= 0 || errno == ENOENT || errno == EACCES)
		return fd;
	snprintf(path, sizeof(path), "%s/hwflow.XXXXXX", time_merge_directory());
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

static bool write_all(struct time_merge *merge, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;

	while (size) {
		const ssize_t written = pwrite(merge->fd, at, size, (off_t)merge->end);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0) {
			merge->error = written ? -errno : -EIO;
			return false;
		}
		at += written;
		size -= (size_t)written;
		merge->end += (uint64_t)written;
	}
	return true;
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

/* Text of @merge->time, as @merge->lines hands it on */
static int take_text(void *ctx, const char *text, size_t size)
{
	struct time_merge *merge = ctx;

	/* the error is reported at the end */
	for (size_t at = 0; at < size && !merge->error;) {
		const struct source *source = &merge->sources[merge->count - 1];
		struct record_head head = {.time = merge->time,
					   .piece = (uint32_t)source->piece_count - 1};
		size_t room = BLOCK - merge->size;

		if (room <= sizeof(head)) {
			write_block(merge);
			continue;
		}
		room -= sizeof(head);
		head.length = (uint32_t)(size - at < room ? size - at : room);
		memcpy(merge->block + merge->size, &head, sizeof(head));
		memcpy(merge->block + merge->size + sizeof(head), text + at, head.length);
		merge->size += sizeof(head) + head.length;
		at += head.length;
	}
	return 0;
}

int time_merge_new(struct time_merge **result)
{
	struct time_merge *merge = calloc(1, sizeof(*merge));
	int error = -ENOMEM;

	if (!merge)
		return error;
	merge->fd = open_temporary();
	if (merge->fd < 0)
		error = -errno;
	merge->packer = ZSTD_createCCtx();
	merge->unpacker = ZSTD_createDCtx();
	text_init(&merge->lines, take_text, merge);
	if (merge->fd < 0 || !merge->packer || !merge->unpacker) {
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

static void print_record(struct source *source, struct text *out)
{
	struct record_head head;

	memcpy(&head, source->block + source->at, sizeof(head));
	text_bytes(out, (const char *)source->block + source->at + sizeof(head), head.length);
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
			print_record(source, out);
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
	free(merge->heap);
	ZSTD_freeCCtx(merge->packer);
	ZSTD_freeDCtx(merge->unpacker);
	free(merge);
}
