// SPDX-License-Identifier: GPL-2.0-only
/* hwflow emulate: QEMU, its plugin, and the program. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "emulate.h"
#include "emulate_program.h"
#include "input.h"
#include "progress.h"

#ifndef HWFLOW_PLUGIN_DIR
#define HWFLOW_PLUGIN_DIR "/usr/local/lib/hwflow"
#endif

#define PLUGIN_NAME "hwflow-plugin.so"
#define QEMU_ARM    "qemu-aarch64"
#define QEMU_RISCV  "qemu-riscv64"

int emulate_error(const char *format, ...)
{
	va_list args;

	progress_hide();
	fflush(stdout);
	fputs("hwflow emulate: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return EXIT_UNREADABLE;
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}

/* The plugin stands beside the command where it is built, and in lib/hwflow once installed. */
static bool find_plugin(char *path)
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
					       beside[i], PLUGIN_NAME);

			if (written > 0 && written < PATH_MAX && !access(path, R_OK))
				return true;
		}
	}
	snprintf(path, PATH_MAX, "%s/%s", HWFLOW_PLUGIN_DIR, PLUGIN_NAME);
	return !access(path, R_OK);
}

static int make_control(struct run *run)
{
	char path[PATH_MAX];
	void *control;
	int fd;

	snprintf(path, sizeof(path), "%s/control", run->directory);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0 || ftruncate(fd, sizeof(*run->control)))
		return emulate_error("%s: %s", path, strerror(errno));
	control = mmap(NULL, sizeof(*run->control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (control == MAP_FAILED)
		return emulate_error("%s: %s", path, strerror(errno));
	run->control = control;
	run->control->magic = RUN_MAGIC;
	return 0;
}

/* The directory of the run, beside the output: there is the room for it. */
int run_prepare(struct run *run, const struct emulate_options *options)
{
	*run = (struct run){.main_pid = -1};
	if (asprintf(&run->directory, "%s.run-XXXXXX", options->output) < 0) {
		run->directory = NULL;
		return emulate_error("not enough memory");
	}
	if (!mkdtemp(run->directory)) {
		int status = emulate_error("%s: %s; choose another -o FILE", run->directory,
					   strerror(errno));

		free(run->directory);
		run->directory = NULL;
		return status;
	}
	return make_control(run);
}

/* An option for QEMU: a comma in a value is written twice. */
static char *plugin_option(const char *plugin, const char *directory, uint64_t limit)
{
	char path[PATH_MAX], *option = NULL;
	const char *values[2] = {plugin, path};
	FILE *out;
	size_t length;

	if (!realpath(directory, path))
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
		fprintf(out, ",limit=%llu", (unsigned long long)limit);
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

/* Becomes QEMU; where it cannot, the reason is in the control file. */
static void child(const struct run *run, const struct emulate_options *options, char **line)
{
	if (options->fixed_addresses)
		personality(ADDR_NO_RANDOMIZE);
	execv(line[0], line);
	run->control->failed = 1;
	snprintf(run->control->why, sizeof(run->control->why),
		 "it cannot be executed: %s; name a QEMU for this machine with --qemu=FILE",
		 strerror(errno));
	_exit(127);
}

/* Wait for the program, and for all that it started. */
static void wait_all(struct run *run, bool quiet)
{
	const struct timespec pause = {.tv_nsec = 10000000};
	int patience = 200;
	bool ended = false;

	for (;;) {
		int status;
		pid_t pid = waitpid(-1, &status, ended && patience ? WNOHANG : 0);

		if (pid < 0 && errno != EINTR)
			break;
		if (pid == run->main_pid) {
			run->status = status;
			ended = true;
		} else if (!pid && --patience) {
			nanosleep(&pause, NULL);
		} else if (!pid && !quiet) {
			fputs("hwflow emulate: the program has ended; waiting for others that it "
			      "started\n",
			      stderr);
		}
	}
}

static int start(struct run *run, const struct emulate_options *options, char **line)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, old_int, old_quit;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	fflush(NULL);
	run->begin = now();
	run->main_pid = fork();
	if (run->main_pid < 0)
		return emulate_error("fork: %s", strerror(errno));
	if (!run->main_pid)
		child(run, options, line);
	/* what the terminal sends is for the program */
	sigaction(SIGINT, &ignore, &old_int);
	sigaction(SIGQUIT, &ignore, &old_quit);
	wait_all(run, options->quiet);
	run->end = now();
	sigaction(SIGINT, &old_int, NULL);
	sigaction(SIGQUIT, &old_quit, NULL);
	return 0;
}

/* QEMU as --qemu names it, or as it is installed */
static int find_qemu(struct run *run, const struct emulate_options *options)
{
	const char *name = options->is_riscv ? QEMU_RISCV : QEMU_ARM;
	const char *word = options->qemu ? options->qemu : name;
	char path[PATH_MAX];
	struct stat status;

	if (strchr(word, '/'))
		snprintf(path, sizeof(path), "%s", word);
	else if (!emulate_find_in_path(path, NULL, word))
		return emulate_error("%s%s: not in a directory of PATH; install %s (Debian, Fedora "
				     "and Arch have it in the package qemu-user), or name it with "
				     "--qemu=FILE",
				     options->qemu ? "--qemu=" : "", word, name);
	if (stat(path, &status))
		return emulate_error("--qemu=%s: %s", path, strerror(errno));
	if (!S_ISREG(status.st_mode) || access(path, X_OK))
		return emulate_error("--qemu=%s: %s; name the executable file %s", path,
				     S_ISDIR(status.st_mode) ? strerror(EISDIR) : strerror(EACCES),
				     name);
	run->qemu = strdup(path);
	return run->qemu ? 0 : emulate_error("not enough memory");
}

int run_program(struct run *run, const struct emulate_options *options)
{
	char plugin[PATH_MAX], *option, **line;
	int status = find_qemu(run, options);

	if (status)
		return status;
	if (options->plugin)
		snprintf(plugin, sizeof(plugin), "%s", options->plugin);
	else if (!find_plugin(plugin))
		return emulate_error(
			PLUGIN_NAME
			" is neither in the directory of the command nor in " HWFLOW_PLUGIN_DIR
			"; build it with 'make demo-user' or 'make "
			"install', or name it with --plugin=FILE");
	if (access(plugin, R_OK))
		return emulate_error("--plugin=%s: %s", plugin, strerror(errno));
	option = plugin_option(plugin, run->directory, options->limit);
	line = option ? command(options, run->qemu, option) : NULL;
	status = line ? start(run, options, line) : emulate_error("not enough memory");
	free(line);
	free(option);
	return status;
}

static void remove_directory(const char *directory)
{
	DIR *dir = opendir(directory);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)) != NULL) {
		if (entry->d_name[0] != '.')
			unlinkat(dirfd(dir), entry->d_name, 0);
	}
	if (dir)
		closedir(dir);
	rmdir(directory);
}

void run_free(struct run *run, bool keep)
{
	for (size_t i = 0; i < run->file_count; i++)
		munmap((void *)(uintptr_t)run->files[i].bytes, run->files[i].mapped);
	for (size_t i = 0; i < run->block_count; i++) {
		if (run->blocks[i].bytes)
			munmap((void *)(uintptr_t)run->blocks[i].bytes, run->blocks[i].mapped);
	}
	for (size_t i = 0; i < run->happening_count; i++)
		free(run->happenings[i].text);
	free(run->files);
	free(run->blocks);
	free(run->table.blocks);
	free(run->happenings);
	if (run->control)
		munmap(run->control, sizeof(*run->control));
	if (run->directory && !keep)
		remove_directory(run->directory);
	free(run->directory);
	free(run->qemu);
	*run = (struct run){0};
}
