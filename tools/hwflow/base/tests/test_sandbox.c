// SPDX-License-Identifier: GPL-2.0-only
/* The sandbox: processes that entered it try what it denies, and what it allows. */
#include "base/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/input_file.h"
#include "base/temporary.h"

static char directory[] = "/tmp/test_sandbox.XXXXXX";

static int make_directory(void **state)
{
	int fd;

	(void)state;
	if (!mkdtemp(directory) || chdir(directory) || mkdir("tmp", 0700) || mkdir("cache", 0700))
		return -1;
	fd = open("file", O_WRONLY | O_CREAT, 0600);
	if (fd < 0 || write(fd, "text", 4) != 4)
		return -1;
	close(fd);
	return symlink("file", "link") || setenv("TMPDIR", "tmp", 1) || unsetenv("DEBUGINFOD_URLS");
}

static int remove_directory(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	return chdir("/") || system(command);
}

/* Runs a function in a process of its own; it returns the line where it found a fault, or 0. */
static void in_process(int (*run)(void))
{
	int status = 0;
	const pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		const int line = run();

		if (line)
			fprintf(stderr, "test_sandbox.c:%d: %s\n", line, strerror(errno));
		_exit(line ? 1 : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

#define EXPECT(condition)                \
	do {                             \
		if (!(condition))        \
			return __LINE__; \
	} while (0)

/* An errno of Landlock, or of the filter */
static bool is_denied(long result)
{
	return result < 0 && (errno == EACCES || errno == EPERM || errno == ENOSYS);
}

/* Files, which may also be written with openat2(2) */
static int change_files(void)
{
	const struct open_how how = {.flags = O_WRONLY};

	EXPECT(is_denied(open("file", O_WRONLY)));
	EXPECT(is_denied(open("file", O_RDWR)));
	EXPECT(is_denied(open("file", O_RDONLY | O_TRUNC)));
	EXPECT(is_denied(open("new", O_RDONLY | O_CREAT, 0600)));
	EXPECT(is_denied(open("tmp/new", O_WRONLY | O_CREAT, 0600)));
	EXPECT(is_denied(syscall(SYS_openat2, AT_FDCWD, "file", &how, sizeof(how))));
	EXPECT(is_denied(mkdir("new", 0700)));
	EXPECT(is_denied(unlink("file")));
	EXPECT(is_denied(rmdir("cache")));
	EXPECT(is_denied(rename("file", "new")));
	EXPECT(is_denied(link("file", "new")));
	EXPECT(is_denied(symlink("file", "new")));
	EXPECT(is_denied(mkfifo("new", 0600)));
	EXPECT(is_denied(truncate("file", 0)));
	EXPECT(is_denied(chmod("file", 0644)));
	EXPECT(is_denied(chown("file", getuid(), getgid())));
	EXPECT(access("new", F_OK) && !access("file", F_OK));
	return 0;
}

static int use_others(void)
{
	char *command[] = {(char[]){"/bin/true"}, NULL};
	char byte = 'x';

	execv(command[0], command);
	EXPECT(is_denied(-1));
	EXPECT(is_denied(syscall(SYS_io_uring_setup, 1, NULL)));
	EXPECT(is_denied(syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0)));
	EXPECT(is_denied(syscall(SYS_process_vm_writev, getppid(), NULL, 0, NULL, 0, 0)));
	EXPECT(is_denied(syscall(SYS_unshare, 0)));
	EXPECT(is_denied(ioctl(STDIN_FILENO, TIOCSTI, &byte)));
	return 0;
}

static int use_network(void)
{
	EXPECT(is_denied(socket(AF_INET, SOCK_STREAM, 0)));
	EXPECT(is_denied(socket(AF_INET6, SOCK_DGRAM, 0)));
	EXPECT(is_denied(socket(AF_UNIX, SOCK_STREAM, 0)));
	return 0;
}

/* What a verb does after its options */
static int decode(void)
{
	char text[8] = "";
	uint64_t size;
	int fd = input_file_open("file", 0, &size), ends[2];
	pid_t pid;

	EXPECT(fd >= 0 && read(fd, text, 4) == 4 && !strcmp(text, "text"));
	EXPECT(mmap(NULL, 4, PROT_READ, MAP_PRIVATE, fd, 0) != MAP_FAILED);
	close(fd);
	fd = input_file_open("./link", 1, NULL);
	EXPECT(fd >= 0);
	close(fd);
	fd = temporary_open();
	EXPECT(fd >= 0 && !temporary_write(fd, 0, "text", 4));
	close(fd);
	EXPECT(memfd_create("test", 0) >= 0);
	EXPECT(!pipe(ends));
	pid = fork();
	if (!pid)
		_exit(is_denied(open("file", O_WRONLY)) ? 7 : 1);
	EXPECT(waitpid(pid, &fd, 0) == pid && WEXITSTATUS(fd) == 7);
	return 0;
}

/* What must fail in a sandbox, and then what must not: 0, or the line of a check that failed */
static int try_all(void)
{
	int line = change_files();

	if (!line)
		line = use_others();
	if (!line)
		line = use_network();
	return line ? line : decode();
}

static int enter_and_try(void)
{
	EXPECT(sandbox_enter(SANDBOX_REQUIRE));
	return try_all();
}

static void code_in_the_sandbox_cannot_do_harm(void **state)
{
	(void)state;
	in_process(enter_and_try);
}

static int filter_and_try(void)
{
	const struct sandbox_state filtered = {.filter = true};

	EXPECT(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	EXPECT(!sandbox_filter(&filtered));
	return try_all();
}

static void the_filter_alone_does_so_without_landlock(void **state)
{
	(void)state;
	in_process(filter_and_try);
}

/* With debuginfod: the network, and files below its cache, but no others */
static int download(void)
{
	int fd;

	EXPECT(!setenv("DEBUGINFOD_URLS", "http://127.0.0.1:1", 1));
	EXPECT(!setenv("DEBUGINFOD_CACHE_PATH", "cache", 1));
	EXPECT(sandbox_enter(SANDBOX_AUTO));
	EXPECT(socket(AF_INET, SOCK_STREAM, 0) >= 0);
	EXPECT(!mkdir("cache/id", 0700));
	fd = open("cache/id/new", O_RDWR | O_CREAT, 0600);
	EXPECT(fd >= 0 && write(fd, "text", 4) == 4);
	EXPECT(!rename("cache/id/new", "cache/id/debuginfo"));
	EXPECT(!unlink("cache/id/debuginfo") && !rmdir("cache/id"));
	/* names of files are restricted by Landlock alone */
	if (syscall(SYS_landlock_create_ruleset, NULL, 0, 1) < 1)
		return use_others();
	EXPECT(is_denied(open("file", O_WRONLY)));
	EXPECT(is_denied(mkdir("new", 0700)));
	EXPECT(is_denied(unlink("file")));
	return use_others();
}

static void debuginfod_keeps_what_it_needs(void **state)
{
	(void)state;
	in_process(download);
}

static int do_not_enter(void)
{
	EXPECT(sandbox_enter(SANDBOX_OFF));
	EXPECT(!mkdir("off", 0700) && !rmdir("off"));
	EXPECT(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0);
	return 0;
}

static void off_restricts_nothing(void **state)
{
	(void)state;
	in_process(do_not_enter);
}

/* A filter that refuses other filters, as a container has it */
static int be_refused(void)
{
	const struct sandbox_state filtered = {.filter = true};

	EXPECT(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	/* filters are limited in number, by the sum of their instructions */
	while (!sandbox_filter(&filtered))
		;
	EXPECT(sandbox_enter(SANDBOX_DEFAULT));
	EXPECT(sandbox_enter(SANDBOX_AUTO));
	EXPECT(!sandbox_enter(SANDBOX_REQUIRE));
	return 0;
}

static void require_fails_where_the_kernel_refuses(void **state)
{
	(void)state;
	in_process(be_refused);
}

static void the_mode_is_a_word(void **state)
{
	enum sandbox_mode mode = SANDBOX_DEFAULT;

	(void)state;
	assert_true(sandbox_take("auto", &mode));
	assert_int_equal(mode, SANDBOX_AUTO);
	assert_true(sandbox_take("off", &mode));
	assert_int_equal(mode, SANDBOX_OFF);
	assert_true(sandbox_take(NULL, &mode));
	assert_int_equal(mode, SANDBOX_REQUIRE);
	assert_false(sandbox_take("on", &mode));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_in_the_sandbox_cannot_do_harm),
		cmocka_unit_test(the_filter_alone_does_so_without_landlock),
		cmocka_unit_test(debuginfod_keeps_what_it_needs),
		cmocka_unit_test(off_restricts_nothing),
		cmocka_unit_test(require_fails_where_the_kernel_refuses),
		cmocka_unit_test(the_mode_is_a_word),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
