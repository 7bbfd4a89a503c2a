/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lines of several sources in the order of their times. Sources are decoded one after another, so
 * the lines wait in a temporary file, compressed, until the last source is decoded.
 *
 * Memory: 32 KB for each source whose times overlap with others', 8 bytes a piece, and 9 MB at most
 * for texts that occur in many lines.
 */
#ifndef HWFLOW_DECODE_TIME_MERGE_H
#define HWFLOW_DECODE_TIME_MERGE_H

#include <stdint.h>

#include "base/text.h"

/** TIME_MERGE_START - the longest text for time_merge_put_start() */
#define TIME_MERGE_START 64u

/** struct time_merge - the lines */
struct time_merge;

/**
 * time_merge_new() - begin with no lines
 * @result: receives it
 *
 * The temporary file is in temporary_directory().
 *
 * Return: 0 or -errno.
 */
int time_merge_new(struct time_merge **result);

/**
 * time_merge_at() - where and when the next lines belong
 * @merge: the lines
 * @source: any pointer that stands for the source; all lines of a source come in one go
 * @piece: any pointer that stands for the piece of it
 * @time: of the lines; where it is less than the time of lines before in this source, it counts
 *	as that. 0 where not known yet: it is then the first time of the piece
 *
 * Return: what takes the lines; the next call may empty it. No character may be NUL, and
 * text_room() gives 16 KB at most.
 */
struct text *time_merge_at(struct time_merge *merge, const void *source, const void *piece,
			   uint64_t time);

/**
 * time_merge_word() - store a text that occurs in many lines
 * @merge: the lines
 * @text: the text
 * @size: of @text
 *
 * Return: its number, for time_merge_put_word(), the same for the same text; 0 if there is no more
 * room.
 */
uint32_t time_merge_word(struct time_merge *merge, const char *text, size_t size);

/** time_merge_put_word() - append a stored text to the @lines of time_merge_at() */
void time_merge_put_word(struct text *lines, uint32_t word);

/** time_merge_put_start() - append a text that the next lines of this source may begin with, too */
void time_merge_put_start(struct text *lines, const char *bytes, size_t size);

/** time_merge_put_same_start() - append the last text of time_merge_put_start() of this source */
void time_merge_put_same_start(struct text *lines);

/**
 * time_merge_forward() - keep no lines from here on, but hand them on
 * @merge: the lines
 * @place: takes the arguments of each time_merge_at()
 * @write: takes the text of the lines that belong there; returns 0 or -errno
 * @ctx: first argument of both
 */
void time_merge_forward(struct time_merge *merge,
			void (*place)(void *ctx, const void *source, const void *piece,
				      uint64_t time),
			int (*write)(void *ctx, const char *bytes, size_t size), void *ctx);

/** time_merge_lines() - what time_merge_at() returns */
struct text *time_merge_lines(struct time_merge *merge);

/**
 * time_merge_print() - write all lines, by time; those of the same time in the order of sources
 * @merge: the lines; takes no more
 * @out: receives them
 *
 * Return: 0; -errno of the temporary file. An error of @out is left to its caller.
 */
int time_merge_print(struct time_merge *merge, struct text *out);

/** time_merge_free() - free everything; NULL is allowed */
void time_merge_free(struct time_merge *merge);

#endif /* HWFLOW_DECODE_TIME_MERGE_H */
