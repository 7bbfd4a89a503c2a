// SPDX-License-Identifier: GPL-2.0-only
/* hwflow emulate: why QEMU ended before the program executed an instruction. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/command_status.h"
#include "base/error.h"
#include "base/input_file.h"
#include "emulate.h"
#include "emulate_program.h"
#include "source/input.h"

/* The first QEMU whose plugin interface the plugin is built for */
#define LEAST_MAJOR 7
#define LEAST_MINOR 2

/* struct answer - what QEMU printed of itself, both outputs together; @good: it exited with 0 */
struct answer {
	char text[512];
	bool good;
};

static void become(char **line, int out)
{
	int null = own_file_open("/dev/null", O_RDONLY);

	if (null >= 0)
		dup2(null, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(out, STDERR_FILENO);
	execv(line[0], line);
	_exit(127);
}

/* Runs a command and keeps the first line that it prints. */
static void ask(struct answer *answer, char **line)
{
	int ends[2], status = -1;
	size_t length = 0;
	char rest[512];
	ssize_t got;
	pid_t pid;

	*answer = (struct answer){0};
	if (pipe2(ends, O_CLOEXEC))
		return;
	pid = fork();
	if (!pid)
		become(line, ends[1]);
	close(ends[1]);
	while (pid > 0 &&
	       ((got = read(ends[0], rest, sizeof(rest))) > 0 || (got < 0 && errno == EINTR))) {
		size_t keep = got > 0 ? (size_t)got : 0;

		if (keep > sizeof(answer->text) - 1 - length)
			keep = sizeof(answer->text) - 1 - length;
		memcpy(answer->text + length, rest, keep);
		length += keep;
	}
	close(ends[0]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	answer->good = pid > 0 && WIFEXITED(status) && !WEXITSTATUS(status);
	answer->text[strcspn(answer->text, "\n")] = '\0';
}

/* The file that has the interpreter, in the directories where cross compilers have it */
static const char *known_root(const char *interpreter, bool is_riscv)
{
	const char *root = is_riscv ? "/usr/riscv64-linux-gnu" : "/usr/aarch64-linux-gnu";
	char path[PATH_MAX];

	return emulate_below(path, root, interpreter) && !strncmp(path, root, strlen(root)) ? root
											    : NULL;
}

/* Is the dynamic linker there? It is opened by QEMU below its -L, then on this machine. */
static bool explain_interpreter(const struct emulate_options *options)
{
	const char *sysroot = emulate_sysroot(options->sysroot), *root;
	char path[PATH_MAX];

	if (!*options->interpreter || emulate_below(path, sysroot, options->interpreter))
		return false;
	root = known_root(options->interpreter, options->is_riscv);
	verb_error("%s: the dynamic linker that this program needs, %s, is neither below %s nor "
		   "on this machine; --sysroot=%s%s",
		   options->path, options->interpreter,
		   sysroot ? sysroot : "a --sysroot (none was given)", root ? root : "DIR",
		   root ? " has it" : " names a directory with the libraries of such a machine");
	return true;
}

/* Is it QEMU, of this processor, and not too old? */
static bool explain_version(const struct run *run, const struct emulate_options *options)
{
	char word[] = "-version", *line[] = {run->qemu, word, NULL};
	const char *want = options->is_riscv ? "qemu-riscv64" : "qemu-aarch64";
	unsigned int major = 0, minor = 0;
	struct answer answer;
	char name[64] = "";

	ask(&answer, line);
	if (sscanf(answer.text, "%63s version %u.%u", name, &major, &minor) != 3) {
		verb_error("%s: this is not QEMU: it answers -version with '%s'; name "
			   "%s with --qemu=FILE",
			   run->qemu, answer.text, want);
		return true;
	}
	if (strcmp(name, want) != 0) {
		verb_error("%s: this is %s; %s is a program for %s", run->qemu, name, options->path,
			   want);
		return true;
	}
	if (major > LEAST_MAJOR || (major == LEAST_MAJOR && minor >= LEAST_MINOR))
		return false;
	verb_error("%s: QEMU %u.%u is too old; version %u.%u or later is needed: install it, "
		   "or name another with --qemu=FILE",
		   run->qemu, major, minor, LEAST_MAJOR, LEAST_MINOR);
	return true;
}

/* Does QEMU take each --qemu-option by itself, and the option -plugin? */
static bool explain_options(const struct run *run, const struct emulate_options *options)
{
	size_t count = 0;
	struct answer answer;
	char version[] = "-version", plugin[] = "-plugin", none[] = "file=none";
	char *with_plugin[] = {run->qemu, plugin, none, version, NULL};
	char **line;

	while (options->qemu_options[count])
		count++;
	line = calloc(count + 3, sizeof(*line));
	if (!line)
		return false;
	line[0] = run->qemu;
	memcpy(line + 1, options->qemu_options, count * sizeof(*line));
	line[count + 1] = version;
	ask(&answer, line);
	free(line);
	if (!answer.good) {
		verb_error("--qemu-option: QEMU refuses its options (%s); '%s -help' lists them",
			   answer.text, run->qemu);
		return true;
	}
	ask(&answer, with_plugin);
	if (answer.good)
		return false;
	verb_error("%s: this QEMU is built without plugins (%s), as Debian's is since version "
		   "10.0; build one with 'make qemu-user', or name another with --qemu=FILE",
		   run->qemu, answer.text);
	return true;
}

static void explain_end(const struct run *run, const struct emulate_options *options)
{
	const char *advice = options->qemu_options[0]
				     ? "; its message is above: check the --qemu-option"
				     : "; if it printed a message, that is above";

	if (WIFSIGNALED(run->status))
		verb_error("%s: QEMU (%s) was ended by signal %d (%s) before the program "
			   "executed an instruction%s",
			   options->name, run->qemu, WTERMSIG(run->status),
			   strsignal(WTERMSIG(run->status)), advice);
	else
		verb_error("%s: QEMU (%s) exited with status %d before the program executed an "
			   "instruction%s",
			   options->name, run->qemu, WEXITSTATUS(run->status), advice);
}

int emulate_explain(const struct run *run, const struct emulate_options *options)
{
	if (run->control->failed)
		return verb_error("%s: %.*s", run->qemu, (int)sizeof(run->control->why),
				  run->control->why);
	if (explain_version(run, options) || explain_options(run, options))
		return EXIT_UNREADABLE;
	if (explain_interpreter(options))
		return EXIT_NOT_FOUND;
	explain_end(run, options);
	return EXIT_UNREADABLE;
}
