// SPDX-License-Identifier: GPL-2.0-only
/* Input files: kinds of files, sizes, and paths below a directory. */
#include "base/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/input_limits.h"
#include "base/resolve.h"

/* The tests work in a directory of their own, which is the current one. */
static char directory[] = "/tmp/test_input_file.XXXXXX";

static void write_file(const char *path, const char *text)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

/*
 *	secret				outside
 *	root/inside
 *	root/secret			another one
 *	root/a/file
 *	root/a/absolute		-> /inside
 *	root/a/relative		-> ../inside
 *	root/a/up		-> ../../../../../../../../secret
 *	root/a/loop		-> loop
 *	root/to-a		-> a
 *	root/fifo
 */
static int make_tree(void **state)
{
	(void)state;
	if (!mkdtemp(directory) || chdir(directory) || mkdir("root", 0700) || mkdir("root/a", 0700))
		return -1;
	write_file("secret", "outside");
	write_file("root/inside", "inside");
	write_file("root/secret", "not outside");
	write_file("root/a/file", "file");
	return symlink("/inside", "root/a/absolute") || symlink("../inside", "root/a/relative") ||
	       symlink("../../../../../../../../secret", "root/a/up") ||
	       symlink("loop", "root/a/loop") || symlink("a", "root/to-a") ||
	       mkfifo("root/fifo", 0600);
}

static int remove_tree(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	return chdir("/") || system(command);
}

static void expect_text(int fd, const char *text)
{
	char bytes[32] = "";

	assert_true(fd >= 0);
	assert_true(read(fd, bytes, sizeof(bytes) - 1) >= 0);
	assert_string_equal(bytes, text);
	close(fd);
}

static void other_kinds_of_files_are_refused(void **state)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "socket"};
	const int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	(void)state;
	if (fd < 0)
		fail();
	assert_int_equal(bind(fd, (struct sockaddr *)&name, sizeof(name)), 0);
	alarm(300);
	assert_int_equal(input_file_open("root/fifo", 0, NULL), -ESPIPE);
	assert_int_equal(input_file_open("root/fifo", 4, NULL), -ESPIPE);
	assert_int_equal(input_file_open("/dev/zero", 0, NULL), -ESPIPE);
	assert_int_equal(input_file_open("socket", 0, NULL), -ESPIPE);
	assert_int_equal(input_file_open("root", 0, NULL), -EISDIR);
	assert_int_equal(input_file_open("nothing", 0, NULL), -ENOENT);
	alarm(0);
	close(fd);
	assert_string_equal(input_file_error(-EISDIR), "Is a directory");
	assert_non_null(strstr(input_file_error(-ESPIPE), "a pipe, a device or a socket"));
}

static void the_size_is_limited(void **state)
{
	uint64_t size = 0;
	int fd;

	(void)state;
	assert_true(limit_take("input=5"));
	assert_int_equal(input_file_open("root/inside", 0, &size), -EFBIG);
	assert_non_null(strstr(input_file_error(-EFBIG), "--max=input=N raises it"));
	assert_true(limit_take("input=6"));
	fd = input_file_open("root/inside", 0, &size);
	assert_int_equal(size, 6);
	expect_text(fd, "inside");
	assert_true(limit_take("input=1T"));
}

static void a_stream_reads_a_file(void **state)
{
	char line[32];
	FILE *file = input_file_stream("root/a/file", 4);

	(void)state;
	assert_non_null(file);
	assert_non_null(fgets(line, sizeof(line), file));
	assert_string_equal(line, "file");
	fclose(file);
	errno = 0;
	assert_null(input_file_stream("root/fifo", 0));
	assert_int_equal(errno, ESPIPE);
	assert_true(input_file_exists("root/a/file", 0));
	assert_false(input_file_exists("root/a/none", 0));
}

static void a_path_does_not_leave_its_root(void **state)
{
	(void)state;
	expect_text(input_file_open("root/../secret", 0, NULL), "outside");
	expect_text(input_file_open("root/../secret", 4, NULL), "not outside");
	expect_text(input_file_open("root/a/../../../secret", 4, NULL), "not outside");
	expect_text(input_file_open("root/a/up", 4, NULL), "not outside");
	expect_text(input_file_open("root/a/absolute", 4, NULL), "inside");
	expect_text(input_file_open("root/to-a/relative", 4, NULL), "inside");
	assert_int_equal(input_file_open("root/a/loop", 4, NULL), -ELOOP);
	assert_int_equal(input_file_open("none/a", 4, NULL), -ENOENT);
}

/* Both ways to resolve a path, with the result that the text of the file tells */
static void both_resolve(int root, const char *path, const char *text)
{
	expect_text(resolve_open(root, path, O_RDONLY), text);
	expect_text(resolve_walk(root, path, O_RDONLY), text);
}

static void both_fail(int root, const char *path, int flags, int error)
{
	errno = 0;
	assert_int_equal(resolve_open(root, path, flags), -1);
	assert_int_equal(errno, error);
	errno = 0;
	assert_int_equal(resolve_walk(root, path, flags), -1);
	assert_int_equal(errno, error);
}

static void the_walk_is_as_openat2(void **state)
{
	const int root = open("root", O_PATH | O_DIRECTORY);
	static const char turn[] = "a/../", last[] = "inside";
	const size_t size = sizeof(turn) - 1;
	char deep[2048];

	(void)state;
	both_resolve(root, "inside", "inside");
	both_resolve(root, "/inside", "inside");
	both_resolve(root, "//a/./file", "file");
	both_resolve(root, "../../secret", "not outside");
	both_resolve(root, "a/../a/../a/../../secret", "not outside");
	both_resolve(root, "a/up", "not outside");
	both_resolve(root, "a/absolute", "inside");
	both_resolve(root, "to-a/relative", "inside");
	both_resolve(root, "to-a/../to-a/file", "file");
	for (size_t i = 0; i < 300; i++)
		memcpy(deep + i * size, turn, sizeof(turn));
	memcpy(deep + 300 * size, last, sizeof(last));
	both_resolve(root, deep, "inside");
	both_fail(root, "a/loop", O_RDONLY, ELOOP);
	both_fail(root, "a/none", O_RDONLY, ENOENT);
	both_fail(root, "none/../inside", O_RDONLY, ENOENT);
	both_fail(root, "inside/../inside", O_RDONLY, ENOTDIR);
	both_fail(root, "inside/", O_RDONLY, ENOTDIR);
	both_fail(root, "to-a", O_RDONLY | O_NOFOLLOW, ELOOP);
	close(root);
}

static void the_walk_opens_directories_and_links(void **state)
{
	const int root = open("root", O_PATH | O_DIRECTORY);
	static const char *const paths[] = {".", "/", "..", "a/..", "a/", "to-a", "to-a/", "a/."};
	struct stat opened, walked;
	char target[8] = "";

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		const int a = resolve_open(root, paths[i], O_RDONLY | O_DIRECTORY);
		const int b = resolve_walk(root, paths[i], O_RDONLY | O_DIRECTORY);

		if (a < 0 || b < 0)
			fail();
		assert_int_equal(fstat(a, &opened), 0);
		assert_int_equal(fstat(b, &walked), 0);
		assert_int_equal(opened.st_ino, walked.st_ino);
		close(a);
		close(b);
	}
	for (int i = 0; i < 2; i++) {
		const int link =
			(i ? resolve_walk : resolve_open)(root, "to-a", O_PATH | O_NOFOLLOW);

		assert_int_equal(readlinkat(link, "", target, sizeof(target)), 1);
		assert_string_equal(target, "a");
		close(link);
	}
	close(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(other_kinds_of_files_are_refused),
		cmocka_unit_test(the_size_is_limited),
		cmocka_unit_test(a_stream_reads_a_file),
		cmocka_unit_test(a_path_does_not_leave_its_root),
		cmocka_unit_test(the_walk_is_as_openat2),
		cmocka_unit_test(the_walk_opens_directories_and_links),
	};

	return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
