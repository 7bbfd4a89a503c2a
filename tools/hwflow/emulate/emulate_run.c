// SPDX-License-Identifier: GPL-2.0-only
/* hwflow emulate: QEMU, its plugin, and the program. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/print.h"
#include "base/progress.h"
#include "emulate.h"
#include "emulate_guard.h"
#include "emulate_place.h"
#include "emulate_program.h"
#include "emulate_stream.h"
#include "source/input.h"

#ifndef HWFLOW_PLUGIN_DIR
#define HWFLOW_PLUGIN_DIR "/usr/local/lib/hwflow"
#endif

#define PLUGIN_NAME "hwflow-plugin.so"
#define PATIENCE    UINT64_C(2000000000)
#define QEMU_ARM    "qemu-aarch64"
#define QEMU_RISCV  "qemu-riscv64"

/*
 * A file of ours: in the directory of the command where it is built, in lib/hwflow once installed.
 * False if there is none; @path then is where it was sought last.
 */
static bool find_own(char *path, const char *name, int mode)
{
	char own[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", own, sizeof(own) - 1);
	const char *beside[] = {"", "../lib/hwflow/", "../"};
	char *slash;

	if (length > 0) {
		own[length] = '\0';
		slash = strrchr(own, '/');
		for (size_t i = 0; slash && i < sizeof(beside) / sizeof(beside[0]); i++) {
			int written = snprintf(path, PATH_MAX, "%.*s/%s%s", (int)(slash - own), own,
					       beside[i], name);

			if (written > 0 && written < PATH_MAX && !access(path, mode))
				return true;
		}
	}
	snprintf(path, PATH_MAX, "%s/%s", HWFLOW_PLUGIN_DIR, name);
	return !access(path, mode);
}

static int make_control(struct run *run)
{
	char path[PATH_MAX];
	void *control;
	int fd, error;

	snprintf(path, sizeof(path), "%s" RUN_STREAMS "/control", run->directory);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 || fchmod(fd, 0666))
		return verb_error("%s: %s", path, strerror(errno));
	error = posix_fallocate(fd, 0, sizeof(*run->control));
	if (error) {
		close(fd);
		return verb_error("%s: %s", path, strerror(error));
	}
	control = mmap(NULL, sizeof(*run->control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (control == MAP_FAILED)
		return verb_error("%s: %s", path, strerror(errno));
	run->control = control;
	run->control->magic = RUN_MAGIC;
	return 0;
}

/* The command line, for --recover: the current directory and the words, each with a NUL. */
static int write_command(const struct run *run, const struct emulate_options *options)
{
	char path[PATH_MAX + 16], directory[PATH_MAX];
	FILE *file;
	bool bad;

	snprintf(path, sizeof(path), "%s/command", run->directory);
	file = fopen(path, "we");
	if (!file)
		return verb_error("%s: %s", path, strerror(errno));
	fputs(getcwd(directory, sizeof(directory)) ? directory : "/", file);
	fputc('\0', file);
	for (size_t i = 0; i < options->argc; i++)
		fwrite(options->argv[i], 1, strlen(options->argv[i]) + 1, file);
	bad = ferror(file);
	if (fclose(file) || bad)
		return verb_error("%s: %s", path, strerror(errno));
	return 0;
}

int run_prepare(struct run *run, const struct emulate_options *options)
{
	int status = place_make(run);

	if (!status)
		status = write_command(run, options);
	if (!status)
		status = make_control(run);
	if (!status) {
		run->control->riscv = options->is_riscv;
		run->control->syscalls = options->syscalls;
	}
	return status;
}

/* An option for QEMU: a comma in a value is written twice. */
static char *plugin_option(const char *plugin, const char *directory, uint64_t limit)
{
	char streams[PATH_MAX], path[PATH_MAX], *option = NULL;
	const char *values[2] = {plugin, path};
	FILE *out;
	size_t length;

	snprintf(streams, sizeof(streams), "%s" RUN_STREAMS, directory);
	if (!realpath(streams, path))
		return NULL;
	out = open_memstream(&option, &length);
	if (!out)
		return NULL;
	for (int i = 0; i < 2; i++) {
		fputs(i ? ",dir=" : "", out);
		for (const char *at = values[i]; *at; at++)
			fputs(*at == ',' ? ",," : (char[2]){*at}, out);
	}
	if (limit)
		print(out, ",limit=%llu", (unsigned long long)limit);
	if (fclose(out)) {
		free(option);
		return NULL;
	}
	return option;
}

static size_t count_words(char **words)
{
	size_t count = 0;

	while (words && words[count])
		count++;
	return count;
}

/* QEMU's command line; this plugin must be its last option (plugin/exec.c). */
static char **command(const struct emulate_options *options, const char *qemu, char *plugin)
{
	size_t more = count_words(options->qemu_options), words = count_words(options->program);
	char **line = calloc(more + words + 9, sizeof(*line));
	size_t at = 0;

	if (!line)
		return NULL;
	line[at++] = (char *)(uintptr_t)qemu;
	for (size_t i = 0; i < more; i++)
		line[at++] = options->qemu_options[i];
	if (options->sysroot) {
		line[at++] = "-L";
		line[at++] = (char *)(uintptr_t)options->sysroot;
	}
	if (strcmp(options->path, options->program[0]) != 0) {
		line[at++] = "-0";
		line[at++] = options->program[0];
	}
	line[at++] = "-plugin";
	line[at++] = plugin;
	line[at++] = (char *)(uintptr_t)options->path;
	for (size_t i = 1; i < words; i++)
		line[at++] = options->program[i];
	return line;
}

/* as they were for the command */
static struct rlimit descriptors;

/* Each thread that runs has its trace open. */
static void raise_descriptors(void)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &descriptors);
	limit = descriptors;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* Becomes QEMU; where it cannot, the reason is in the control file. */
static void child(const struct run *run, const struct emulate_options *options, char **line,
		  pid_t parent)
{
	guard_child(parent);
	setrlimit(RLIMIT_NOFILE, &descriptors);
	if (options->fixed_addresses)
		personality(ADDR_NO_RANDOMIZE);
	execv(line[0], line);
	run->control->failed = 1;
	snprintf(run->control->why, sizeof(run->control->why),
		 "it cannot be executed: %s; name a QEMU for this machine with --qemu=FILE",
		 strerror(errno));
	_exit(127);
}

/* What the plugin could not record, or we could not take, ends the recording; the program goes on.
 */
static void stop_recording(struct run *run)
{
	uint32_t before = 0;

	if (__atomic_compare_exchange_n(&run->control->failed, &before, 1, false, __ATOMIC_SEQ_CST,
					__ATOMIC_SEQ_CST))
		snprintf(run->control->why, sizeof(run->control->why), "see above");
}

/* Once: the program has ended, but others that it started have not. */
static void say_waiting(bool quiet)
{
	if (!quiet)
		fputs("hwflow emulate: the program has ended; waiting for others that it started\n",
		      stderr);
}

/* Wait for the program, and for all that it started; make trace meanwhile. */
static int wait_all(struct run *run, struct live *live, bool quiet)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	uint64_t ended = 0;
	bool told = false;
	int result = 0;

	for (;;) {
		int status;
		bool busy = false;
		pid_t pid = waitpid(-1, &status, WNOHANG);

		if (pid < 0 && errno == ECHILD)
			return result;
		if (pid == run->main_pid) {
			run->status = status;
			ended = guard_now();
			guard_program_ended(status);
		}
		if (!pid && ended && !told && guard_now() - ended > PATIENCE) {
			told = true;
			say_waiting(quiet);
		}
		if (!result)
			result = live_poll(live, &busy);
		if (result)
			stop_recording(run);
		if (!pid && !busy)
			nanosleep(&pause, NULL);
	}
}

static int start(struct run *run, const struct emulate_options *options, struct live *live,
		 char **line)
{
	int status;
	pid_t parent = getpid();

	raise_descriptors();
	fflush(NULL);
	run->begin = guard_now();
	run->control->worker = parent;
	guard_lock();
	run->main_pid = fork();
	if (!run->main_pid)
		child(run, options, line, parent);
	if (run->main_pid > 0)
		guard_program(run->main_pid);
	guard_unlock(false);
	if (run->main_pid < 0)
		return verb_error("fork: %s", strerror(errno));
	run->control->main_pid = run->main_pid;
	status = wait_all(run, live, options->quiet);
	run->end = guard_now();
	return status;
}

/* QEMU as --qemu names it, or the one that was built with the command, or as it is installed */
static int find_qemu(struct run *run, const struct emulate_options *options)
{
	const char *name = options->is_riscv ? QEMU_RISCV : QEMU_ARM;
	const char *word = options->qemu ? options->qemu : name;
	char path[PATH_MAX];
	struct stat status;

	if (strchr(word, '/'))
		snprintf(path, sizeof(path), "%s", word);
	else if ((options->qemu || !find_own(path, name, X_OK)) &&
		 !emulate_find_in_path(path, NULL, word))
		return verb_error("%s%s: not in a directory of PATH; build %s with 'make "
				  "qemu-user', or name it with --qemu=FILE",
				  options->qemu ? "--qemu=" : "", word, name);
	if (stat(path, &status))
		return verb_error("--qemu=%s: %s", path, strerror(errno));
	if (!S_ISREG(status.st_mode) || access(path, X_OK))
		return verb_error("--qemu=%s: %s; name the executable file %s", path,
				  S_ISDIR(status.st_mode) ? strerror(EISDIR) : strerror(EACCES),
				  name);
	run->qemu = strdup(path);
	return run->qemu ? 0 : verb_error("not enough memory");
}

int run_program(struct run *run, const struct emulate_options *options, struct live *live)
{
	char plugin[PATH_MAX], *option, **line;
	int status = find_qemu(run, options);

	if (status)
		return status;
	if (options->plugin)
		snprintf(plugin, sizeof(plugin), "%s", options->plugin);
	else if (!find_own(plugin, PLUGIN_NAME, R_OK))
		return verb_error(
			PLUGIN_NAME
			" is neither in the directory of the command nor in " HWFLOW_PLUGIN_DIR
			"; build it with 'make demo-user' or 'make "
			"install', or name it with --plugin=FILE");
	if (access(plugin, R_OK))
		return verb_error("--plugin=%s: %s", plugin, strerror(errno));
	option = plugin_option(plugin, run->directory, options->limit);
	line = option ? command(options, run->qemu, option) : NULL;
	status = line ? start(run, options, live, line) : verb_error("not enough memory");
	free(line);
	free(option);
	return status;
}

void run_free(struct run *run, bool keep)
{
	for (size_t i = 0; i < run->happening_count; i++)
		free(run->happenings[i].text);
	free(run->files);
	free(run->happenings);
	if (run->directory && keep)
		place_keep(run);
	else if (run->directory)
		place_remove(run->directory);
	run_release(run);
}

void run_release(struct run *run)
{
	if (run->control)
		munmap(run->control, sizeof(*run->control));
	if (run->lock > 0)
		close(run->lock);
	free(run->directory);
	free(run->qemu);
	*run = (struct run){0};
}
