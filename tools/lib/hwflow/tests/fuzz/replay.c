// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * replay DIRECTORY - give each file of a corpus to the fuzz target that this is linked with, and
 * say in one line of TAP how many there were. It stands in for libFuzzer.
 */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"

/* No input may take more than a second; the sanitizers and a busy machine need some more. */
#define SECONDS_EACH 30

/* the file at work; empty for none */
static char now[4096];

/* The target, or a sanitizer, ends the program: it must be known with what. */
static void say(const char *what)
{
	if (*now &&
	    (write(STDOUT_FILENO, what, strlen(what)) < 0 ||
	     write(STDOUT_FILENO, now, strlen(now)) < 0 || write(STDOUT_FILENO, "\n", 1) < 0))
		_exit(2);
}

/* Called by the sanitizers with each report: ASan's, and UBSan's */
void __asan_on_error(void);
void __ubsan_on_report(void);

void __asan_on_error(void)
{
	say("not ok 1 - ");
}

void __ubsan_on_report(void)
{
	say("not ok 1 - ");
}

static void end(int number)
{
	say(number == SIGALRM ? "not ok 1 - takes too long: " : "not ok 1 - ");
	_exit(1);
}

static int replay_bytes(FILE *file, size_t size)
{
	/* exactly as many bytes as there are, for the sanitizers */
	uint8_t *bytes = malloc(size ? size : 1);

	if (!bytes || fread(bytes, 1, size, file) != size) {
		free(bytes);
		return -1;
	}
	alarm(SECONDS_EACH);
	LLVMFuzzerTestOneInput(bytes, size);
	alarm(0);
	free(bytes);
	return 0;
}

static int replay_file(void)
{
	FILE *file = fopen(now, "re");
	int error = -1;
	long size;

	if (file && !fseek(file, 0, SEEK_END) && (size = ftell(file)) >= 0) {
		rewind(file);
		error = replay_bytes(file, (size_t)size);
	}
	if (error)
		perror(now);
	if (file)
		fclose(file);
	return error;
}

int main(int argc, char **argv)
{
	struct dirent **entries;
	unsigned int files = 0;
	int count;

	if (argc != 2 || (count = scandir(argv[1], &entries, NULL, alphasort)) < 0) {
		fprintf(stderr, "usage: replay DIRECTORY\n");
		return 2;
	}
	signal(SIGALRM, end);
	signal(SIGABRT, end);
	for (int i = 0; i < count; i++) {
		if (entries[i]->d_name[0] != '.') {
			snprintf(now, sizeof(now), "%s/%s", argv[1], entries[i]->d_name);
			if (replay_file())
				return 1;
			files++;
		}
		free(entries[i]);
	}
	free(entries);
	now[0] = 0;
	if (!files) {
		printf("not ok 1 - %s is empty\n1..1\n", argv[1]);
		return 1;
	}
	printf("ok 1 - %s: %u inputs\n1..1\n", argv[1], files);
	return 0;
}
