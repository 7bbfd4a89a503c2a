/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How far a long command has got: one line on the terminal, rewritten in place. There is one a
 * program, as there is one terminal.
 */
#ifndef HWFLOW_PROGRESS_H
#define HWFLOW_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct progress - what is shown
 * @verb: of the command
 * @total: bytes there are to do
 * @compared: instructions compared so far, which the owner counts; NULL: not shown
 * @lines: the command writes lines to standard output all the time: nothing is shown where
 *	these go to a terminal
 */
struct progress {
	const char *verb;
	uint64_t total;
	const uint64_t *compared;
	bool lines;
};

/**
 * progress_begin() - from here on, show how far the command has got
 * @progress: what to show; copied
 *
 * Only where standard error is a terminal, and only after a second.
 */
void progress_begin(const struct progress *progress);

/**
 * progress_add() - more is done
 * @bytes: how much more
 *
 * Looks at the clock: to be called for some thousand bytes at least. Does nothing before
 * progress_begin() and after progress_end().
 */
void progress_add(uint64_t bytes);

/**
 * progress_download() - a file is being downloaded
 * @from: where it comes from
 * @done: bytes downloaded so far
 * @total: bytes of the file; 0 where not known
 *
 * Only where standard error is a terminal, after a second, and not after progress_silence().
 */
void progress_download(const char *from, uint64_t done, uint64_t total);

/** progress_download_end() - no file is being downloaded: take its line away, if there is one */
void progress_download_end(void);

/** progress_silence() - show nothing from here on */
void progress_silence(void);

/** progress_hide() - take the line away for now: something else is to be written */
void progress_hide(void);

/** progress_end() - take the line away, and show no more */
void progress_end(void);

#endif /* HWFLOW_PROGRESS_H */
