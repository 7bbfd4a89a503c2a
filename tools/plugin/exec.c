// SPDX-License-Identifier: GPL-2.0-only
/*
 * execve: QEMU passes it on to the kernel of the machine, which cannot run a program of the target.
 * The plugin executes QEMU on that program instead, with the same options and with itself.
 *
 * A program for the machine itself runs as QEMU would have it, and is not recorded.
 */
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plugin.h"
#include "script_line.h"

#define MAX_STRING       131072 /* MAX_ARG_STRLEN of Linux */
#define MAX_WORDS        (1 << 20)
#define LINUX_EMPTY_PATH 0x1000
#define LINUX_AT_FDCWD   (-100)

/* a list that ends with NULL */
struct words {
	char **word;
	size_t count;
	size_t room;
};

/* enum target_kind - what a file is to execve */
enum target_kind {
	TARGET_NONE, /* no program, or not to be run by us */
	TARGET_OURS,
	TARGET_SCRIPT,
	TARGET_NATIVE,
};

static struct words own_options; /* QEMU's, this plugin's being the last */
static char own_path[PATH_MAX];  /* QEMU */
static char program[PATH_MAX];   /* that it executes */
static char prefix[PATH_MAX];    /* its -L */

static bool words_add(struct words *words, const char *word)
{
	if (words->count + 2 > words->room) {
		size_t room = words->room ? words->room * 2 : 64;
		char **more = realloc(words->word, room * sizeof(*more));

		if (!more)
			return false;
		words->word = more;
		words->room = room;
	}
	words->word[words->count] = strdup(word);
	if (!words->word[words->count])
		return false;
	words->word[++words->count] = NULL;
	return true;
}

static void words_free(struct words *words)
{
	for (size_t i = 0; i < words->count; i++)
		free(words->word[i]);
	free(words->word);
	*words = (struct words){0};
}

/* The words that an array of the program's points to. */
static bool words_read(struct words *words, uint64_t address)
{
	char *text = malloc(MAX_STRING);
	uint64_t at = 0;
	bool good = text != NULL;

	for (size_t i = 0; good && address && i < MAX_WORDS; i++) {
		good = guest_read(address + 8 * i, &at, sizeof(at));
		if (!good || !at)
			break;
		good = guest_read_string(at, text, MAX_STRING) && words_add(words, text);
	}
	free(text);
	/* an array of none still has its NULL */
	if (good && !words->word)
		good = (words->word = calloc(1, sizeof(*words->word))) != NULL;
	return good;
}

/* The file of the program, as QEMU was given it */
const char *exec_program(void)
{
	return program;
}

/* Remember how QEMU was started: its options up to this plugin, which is the last, and the program.
 */
void exec_init(void)
{
	FILE *file = fopen("/proc/self/cmdline", "re");
	const char *environment = getenv("QEMU_LD_PREFIX");
	ssize_t length = readlink("/proc/self/exe", own_path, sizeof(own_path) - 1);
	char *word = NULL;
	size_t room = 0;
	bool last = false;

	if (environment)
		snprintf(prefix, sizeof(prefix), "%s", environment);
	if (length < 0 || !file)
		own_path[0] = '\0';
	while (file && !last && getdelim(&word, &room, 0, file) > 0) {
		size_t have = own_options.count;

		last = have && !strcmp(own_options.word[have - 1], "-plugin");
		if (have && !strcmp(own_options.word[have - 1], "-L"))
			snprintf(prefix, sizeof(prefix), "%s", word);
		if (have && !strcmp(own_options.word[have - 1], "-0")) {
			/* the name of an earlier program */
			free(own_options.word[have - 1]);
			own_options.word[have - 1] = NULL;
			own_options.count--;
		} else if (!words_add(&own_options, word)) {
			last = false;
			break;
		}
	}
	if (!last)
		own_path[0] = '\0';
	else if (getdelim(&word, &room, 0, file) > 0)
		snprintf(program, sizeof(program), "%s", word);
	free(word);
	if (file)
		fclose(file);
}

static enum target_kind target_kind(const char *path, char *head, size_t size)
{
	Elf64_Ehdr elf;
	ssize_t got;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || access(path, X_OK)) {
		if (fd >= 0)
			close(fd);
		return TARGET_NONE;
	}
	got = read(fd, head, size - 1);
	close(fd);
	if (got < 2)
		return TARGET_NONE;
	head[got] = '\0';
	if (head[0] == '#' && head[1] == '!')
		return TARGET_SCRIPT;
	if ((size_t)got < sizeof(elf) || memcmp(head, ELFMAG, SELFMAG) != 0)
		return TARGET_NONE;
	memcpy(&elf, head, sizeof(elf));
	if (elf.e_ident[EI_CLASS] == ELFCLASS64 && elf.e_machine == target->machine)
		return TARGET_OURS;
	return TARGET_NATIVE;
}

/* As QEMU opens files for the program: below its -L first. */
static void target_path(char *path, size_t size, const char *name)
{
	char head[SCRIPT_LINE_BYTES + 1];

	if (prefix[0] && name[0] == '/') {
		enum target_kind kind;

		snprintf(path, size, "%s%s", prefix, name);
		kind = target_kind(path, head, sizeof(head));
		if (kind == TARGET_OURS || kind == TARGET_SCRIPT)
			return;
	}
	/* QEMU would take it for an option */
	snprintf(path, size, "%s%s", name[0] == '-' ? "./" : "", name);
}

/* Put the interpreter of a script, and its argument, before the arguments; false if it has none. */
static bool take_interpreter(const char *head, char *path, struct words *arguments)
{
	struct words more = {0};
	struct script_line line;
	bool good;

	if (!script_line_parse(&line, head, strlen(head)))
		return false;
	good = words_add(&more, line.name) &&
	       (!*line.argument || words_add(&more, line.argument)) && words_add(&more, path);
	for (size_t i = 1; good && i < arguments->count; i++)
		good = words_add(&more, arguments->word[i]);
	words_free(arguments);
	*arguments = more;
	target_path(path, PATH_MAX, line.name);
	return good;
}

/* The path of the program's file; false if there is none that we could tell. */
static bool call_path(const struct exec_call *call, char *path)
{
	char name[PATH_MAX];

	if (!guest_read_string(call->path, name, sizeof(name)))
		return false;
	if (!strcmp(name, "/proc/self/exe")) {
		snprintf(path, PATH_MAX, "%s", program);
		return program[0] != '\0';
	}
	if (call->directory != LINUX_AT_FDCWD && name[0] != '/') {
		bool itself = !name[0] && (call->flags & LINUX_EMPTY_PATH) != 0;
		int length = snprintf(path, PATH_MAX, "/proc/self/fd/%d%s%s", call->directory,
				      itself ? "" : "/", name);

		return (itself || name[0]) && length < PATH_MAX;
	}
	target_path(path, PATH_MAX, name);
	return name[0] != '\0';
}

/* The option of this plugin with the present descriptor of the directory; an earlier exec may have
 * added one */
static const char *with_descriptor(char *text, size_t size)
{
	const char *option = own_options.word[own_options.count - 1];
	const char *old = strrchr(option, ',');
	size_t length = strlen(option);

	/* in a path a comma is written twice */
	if (old && old[-1] != ',' && !strncmp(old + 1, RUN_FD_OPTION, strlen(RUN_FD_OPTION)))
		length = (size_t)(old - option);

	snprintf(text, size, "%.*s,%s%d", (int)length, option, RUN_FD_OPTION, plugin.directory_fd);
	return text;
}

static void run(const char *path, const struct words *arguments, const struct words *environment)
{
	char option[3 * PATH_MAX];
	struct words command = {0};
	size_t options = own_options.count - 2;
	bool good = true;

	for (size_t i = 0; good && i < options; i++)
		good = words_add(&command, own_options.word[i]);
	if (arguments->count)
		good = good && words_add(&command, "-0") && words_add(&command, arguments->word[0]);
	good = good && words_add(&command, "-plugin") &&
	       words_add(&command, with_descriptor(option, sizeof(option)));
	good = good && words_add(&command, path);
	for (size_t i = 1; good && i < arguments->count; i++)
		good = words_add(&command, arguments->word[i]);
	if (good) {
		fcntl(plugin.directory_fd, F_SETFD, 0);
		execve(own_path, command.word, environment->word);
		fcntl(plugin.directory_fd, F_SETFD, FD_CLOEXEC);
	}
	/* still here: QEMU tries, and reports to the program */
	words_free(&command);
}

/* Called before the kernel acts; returns if it is QEMU's to do. */
void exec_follow(const struct exec_call *call)
{
	struct words arguments = {0}, environment = {0};
	char path[PATH_MAX], head[SCRIPT_LINE_BYTES + 1], note[PATH_MAX + 128];
	enum target_kind kind = TARGET_NONE;

	if (!own_path[0] || !call_path(call, path) || !words_read(&arguments, call->argv) ||
	    !words_read(&environment, call->envp))
		goto out;
	for (int i = 0; i <= SCRIPT_LINE_NESTING; i++) {
		kind = target_kind(path, head, sizeof(head));
		if (kind != TARGET_SCRIPT || !take_interpreter(head, path, &arguments))
			break;
	}
	if (kind == TARGET_OURS) {
		run(path, &arguments, &environment);
	} else if (kind == TARGET_NATIVE) {
		snprintf(note, sizeof(note), "%s is no %s program: it runs, but is not traced",
			 path, target->programs);
		event_simple(RUN_NOTE, run_now(), 0, 0, note);
	}
out:
	words_free(&arguments);
	words_free(&environment);
}
