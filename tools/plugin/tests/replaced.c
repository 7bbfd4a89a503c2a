// SPDX-License-Identifier: GPL-2.0-only
/*
 * replaced WAY FILE PROGRAM...: each PROGRAM in turn becomes FILE and is executed under its name.
 * WAY:
 *
 *   renamed  it is renamed over FILE
 *   removed  it is a new file, and FILE is removed after it; at the end this program removes itself
 *   written  FILE is written to
 *   mapped   as written; in addition, code is written to while it is mapped
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arch.h"
#include "check.h"

#define PAGE 4096
#define SIZE (3 * PAGE)

typedef int function(int);

static void copy(const char *from, const char *to)
{
	struct stat status;
	const int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0755);

	CHECK(in >= 0 && out >= 0 && !fstat(in, &status));
	CHECK(sendfile(out, in, NULL, (size_t)status.st_size) == status.st_size);
	CHECK(!close(in) && !close(out));
}

static void execute(const char *file)
{
	const pid_t child = fork();
	int status;

	if (!child) {
		execl(file, file, NULL);
		_exit(127);
	}
	CHECK(waitpid(child, &status, 0) == child && !status);
}

static int call(const uint8_t *code, int argument)
{
	function *to;

	memcpy(&to, &code, sizeof(to));
	return to(argument);
}

/* A function that adds @count to its argument, in as many instructions */
static void write_code(int fd, off_t at, size_t count)
{
	uint32_t code[16] = {0};

	for (size_t i = 0; i < count; i++)
		code[i] = ADD(1);
	code[count] = RET;
	CHECK(pwrite(fd, code, sizeof(code), at) == sizeof(code));
}

/*
 * One file, mapped at one address: written to while it is mapped, and while it is not. Code that
 * was executed before may be executed as it was, since QEMU does not see that the file is written
 * to.
 */
static void change_mapped(const char *name)
{
	const int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0755);
	uint8_t *code;
	int result;

	CHECK(fd >= 0 && !ftruncate(fd, SIZE));
	write_code(fd, 0, 1);
	write_code(fd, 2 * PAGE, 2);
	code = mmap(NULL, SIZE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	CHECK(code != MAP_FAILED && call(code, 5) == 6 && call(code + 2 * PAGE, 5) == 7);
	/* in a page that was executed, and in another */
	write_code(fd, 0, 3);
	write_code(fd, 64, 4);
	write_code(fd, PAGE, 5);
	CHECK(call(code + 64, 5) == 9 && call(code + PAGE, 5) == 10);
	result = call(code, 5);
	CHECK(result == 6 || result == 8);
	CHECK(!munmap(code, SIZE));
	write_code(fd, 0, 6);
	write_code(fd, PAGE, 7);
	write_code(fd, 2 * PAGE, 8);
	CHECK(mmap(code, SIZE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, 0) == code);
	CHECK(call(code, 5) == 11 && call(code + PAGE, 5) == 12 && call(code + 2 * PAGE, 5) == 13);
	CHECK(!munmap(code, SIZE) && !close(fd));
}

int main(int argc, char **argv)
{
	const char *way = argc > 3 ? argv[1] : "", *file = argv[2];
	const bool renamed = !strcmp(way, "renamed"), removed = !strcmp(way, "removed");
	const bool mapped = !strcmp(way, "mapped");
	char next[PATH_MAX];

	CHECK(renamed || removed || mapped || !strcmp(way, "written"));
	snprintf(next, sizeof(next), "%s.next", file);
	for (int i = 3; i < argc; i++) {
		copy(argv[i], renamed ? next : file);
		CHECK(!renamed || !rename(next, file));
		execute(file);
		CHECK(!removed || !unlink(file));
	}
	if (mapped)
		change_mapped(next);
	CHECK(!removed || !unlink(argv[0]));
	puts("replaced: good");
	return 0;
}
