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

static const char *now = "";

/* The target, or a sanitizer, ends the program: it must be known with what. */
static void say_file(void)
{
	if (*now) {
		printf("not ok 1 - %s\n", now);
		fflush(stdout);
	}
}

static void aborted(int number)
{
	say_file();
	signal(number, SIG_DFL);
	raise(number);
}

/* Called by the sanitizers with each report. */
void __asan_on_error(void);

void __asan_on_error(void)
{
	say_file();
}

static void too_long(int number)
{
	static const char line[] = "not ok 1 - an input takes too long: ";

	(void)number;
	if (write(STDOUT_FILENO, line, sizeof(line) - 1) < 0 ||
	    write(STDOUT_FILENO, now, strlen(now)) < 0 || write(STDOUT_FILENO, "\n", 1) < 0)
		_exit(2);
	_exit(1);
}

static int replay_file(const char *path)
{
	FILE *file = fopen(path, "re");
	uint8_t *bytes;
	long size;

	if (!file || fseek(file, 0, SEEK_END) || (size = ftell(file)) < 0) {
		perror(path);
		return -1;
	}
	rewind(file);
	/* exactly as many bytes as there are, for the sanitizers */
	bytes = malloc(size ? (size_t)size : 1);
	if (!bytes || fread(bytes, 1, (size_t)size, file) != (size_t)size) {
		perror(path);
		return -1;
	}
	fclose(file);
	alarm(SECONDS_EACH);
	LLVMFuzzerTestOneInput(bytes, (size_t)size);
	alarm(0);
	free(bytes);
	return 0;
}

int main(int argc, char **argv)
{
	struct dirent **entries;
	unsigned int files = 0;
	char path[4096];
	int count;

	if (argc != 2 || (count = scandir(argv[1], &entries, NULL, alphasort)) < 0) {
		fprintf(stderr, "usage: replay DIRECTORY\n");
		return 2;
	}
	signal(SIGALRM, too_long);
	signal(SIGABRT, aborted);
	for (int i = 0; i < count; i++) {
		if (entries[i]->d_name[0] != '.') {
			snprintf(path, sizeof(path), "%s/%s", argv[1], entries[i]->d_name);
			now = path;
			if (replay_file(path))
				return 1;
			files++;
		}
		free(entries[i]);
	}
	free(entries);
	now = "";
	if (!files) {
		printf("not ok 1 - %s is empty\n1..1\n", argv[1]);
		return 1;
	}
	printf("ok 1 - %s: %u inputs\n1..1\n", argv[1], files);
	return 0;
}
