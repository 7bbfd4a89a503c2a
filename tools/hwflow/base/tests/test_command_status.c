// SPDX-License-Identifier: GPL-2.0-only
/* The exit status of a verb that ran a command, and its message: commands that really end so. */
#include "base/command_status.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "source/input.h"

/* The status, as waitpid(2) has it, of a process that exits or, with a @killer, is killed by it */
static int ended(int status, int killer)
{
	const pid_t pid = fork();
	int result;

	assert_true(pid >= 0);
	if (!pid) {
		/* no core file */
		prctl(PR_SET_DUMPABLE, 0);
		if (killer) {
			/* cmocka handles some */
			signal(killer, SIG_DFL);
			kill(getpid(), killer);
		}
		_exit(status);
	}
	assert_int_equal(waitpid(pid, &result, 0), pid);
	return result;
}

/* What command_report() prints on standard error */
static const char *reported(int status)
{
	static char text[256];
	FILE *file = tmpfile();
	const int saved = dup(STDERR_FILENO);

	assert_non_null(file);
	fflush(stderr);
	assert_true(dup2(fileno(file), STDERR_FILENO) >= 0);
	command_report("record", "./server", status);
	fflush(stderr);
	assert_true(dup2(saved, STDERR_FILENO) >= 0);
	close(saved);
	rewind(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	return text;
}

static void a_good_recording_has_the_status_of_its_command(void **state)
{
	(void)state;
	for (int lost = 0; lost < 2; lost++) {
		const int recording = lost ? EXIT_GAPS : EXIT_GOOD;

		assert_int_equal(command_status(recording, ended(0, 0), false), 0);
		assert_int_equal(command_status(recording, ended(7, 0), false), 7);
		assert_int_equal(command_status(recording, ended(125, 0), false), 125);
		assert_int_equal(command_status(recording, ended(0, SIGSEGV), false), 139);
		assert_int_equal(command_status(recording, ended(0, SIGINT), false), 130);
	}
}

static void a_loss_is_a_failure_on_request(void **state)
{
	(void)state;
	assert_int_equal(command_status(EXIT_GAPS, ended(0, 0), true), EXIT_LOST);
	assert_int_equal(command_status(EXIT_GAPS, ended(7, 0), true), EXIT_LOST);
	assert_int_equal(command_status(EXIT_GOOD, ended(7, 0), true), 7);
}

static void a_failed_recording_has_a_status_of_its_own(void **state)
{
	(void)state;
	assert_int_equal(command_status(EXIT_UNREADABLE, ended(0, 0), false), EXIT_NOT_RECORDED);
	assert_int_equal(command_status(EXIT_UNREADABLE, ended(7, 0), true), EXIT_NOT_RECORDED);
	assert_int_equal(command_status(EXIT_USAGE, 0, false), EXIT_USAGE);
	assert_int_equal(command_status(command_status_unstarted(ENOENT), 0, false), 127);
	assert_int_equal(command_status(command_status_unstarted(EACCES), 0, true), 126);
	assert_int_equal(command_status(command_status_unstarted(ENOEXEC), 0, false), 126);
}

static void the_end_of_a_command_is_reported(void **state)
{
	(void)state;
	assert_string_equal(reported(ended(0, 0)), "");
	assert_string_equal(reported(ended(125, 0)),
			    "hwflow record: ./server exited with status 125\n");
	assert_string_equal(
		reported(ended(0, SIGSEGV)),
		"hwflow record: ./server was ended by signal 11 (Segmentation fault)\n");
	assert_string_equal(reported(W_EXITCODE(0, SIGSEGV) | WCOREFLAG),
			    "hwflow record: ./server was ended by signal 11 (Segmentation fault), "
			    "core dumped\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_good_recording_has_the_status_of_its_command),
		cmocka_unit_test(a_loss_is_a_failure_on_request),
		cmocka_unit_test(a_failed_recording_has_a_status_of_its_own),
		cmocka_unit_test(the_end_of_a_command_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
