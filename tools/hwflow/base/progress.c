// SPDX-License-Identifier: GPL-2.0-only
/* How far a long command has got: one line on the terminal, rewritten in place. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "print.h"
#include "progress.h"

#define MILLISECOND UINT64_C(1000000)

/* Nanoseconds until the line comes, and from one to the next */
#define FIRST (1000 * MILLISECOND)
#define EACH  (200 * MILLISECOND)

static struct {
	struct progress what;
	uint64_t done;
	uint64_t next;          /* time of the next line */
	uint64_t next_download; /* likewise, of downloads; 0: none is shown */
	bool on;
	bool shown;
	bool silent;
} state;

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000 * MILLISECOND + (uint64_t)time.tv_nsec;
}

/* Tests set the environment, so that the line comes on short traces. */
static uint64_t first(void)
{
	const char *for_tests = getenv("HWFLOW_PROGRESS_MS");

	return for_tests ? strtoul(for_tests, NULL, 10) * MILLISECOND : FIRST;
}

void progress_begin(const struct progress *progress)
{
	state.what = *progress;
	state.done = 0;
	state.on = isatty(STDERR_FILENO) && !(progress->lines && isatty(STDOUT_FILENO));
	state.next = state.on ? now() + first() : 0;
}

static void show(void)
{
	const double done = (double)state.done, total = (double)state.what.total;

	print(stderr, "\rhwflow %s: %.1f of %.1f MB, %.0f%%", state.what.verb, done / 1e6,
	      total / 1e6, state.done < state.what.total ? 100 * done / total : 100);
	if (state.what.compared)
		print(stderr, ", %.1f million instructions compared",
		      (double)*state.what.compared / 1e6);
	/* to the end of the line */
	fputs("\033[K", stderr);
	state.shown = true;
}

void progress_add(uint64_t bytes)
{
	uint64_t time;

	if (!state.on)
		return;
	state.done += bytes;
	time = now();
	if (time < state.next)
		return;
	state.next = time + EACH;
	show();
}

void progress_download(const char *from, uint64_t done, uint64_t total)
{
	const uint64_t time = now();

	if (state.silent || !isatty(STDERR_FILENO))
		return;
	if (!state.next_download)
		state.next_download = time + first();
	if (time < state.next_download)
		return;
	state.next_download = time + EACH;
	print(stderr, "\rhwflow: debug file from %s: %.1f", from, (double)done / 1e6);
	if (total)
		print(stderr, " of %.1f MB, %.0f%%", (double)total / 1e6,
		      100 * (double)done / (double)total);
	else
		fputs(" MB", stderr);
	fputs("\033[K", stderr);
	state.shown = true;
}

void progress_download_end(void)
{
	if (state.next_download)
		progress_hide();
	state.next_download = 0;
}

void progress_silence(void)
{
	state.silent = true;
}

void progress_hide(void)
{
	if (state.shown)
		fputs("\r\033[K", stderr);
	state.shown = false;
}

void progress_end(void)
{
	progress_hide();
	state.on = false;
}
