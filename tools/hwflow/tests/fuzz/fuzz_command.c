// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzz target: a verb of the command, with a small tree of files: recordings, captures, programs,
 * ground-truth logs. command/tree.h has the format of the input, command/lines.h the command lines;
 * command/mutate*.c change inputs in parts that they know. Checked beyond what sanitizers find:
 * command/checks.h, and that
 *
 *   status    the exit status is 0, 2 or 3, or 1 where an option does not fit the input; what is
 * not 0 has a message created   no file is made outside of the directory of the case differs   the
 * same command prints the same again, with two processes as well text      no output has a control
 * character
 */
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <dirent.h>
#include <getopt.h>
#include <unistd.h>

#include "archive/archive.h"
#include "base/input_limits.h"
#include "base/message.h"
#include "base/text.h"
#include "command/checks.h"
#include "command/lines.h"
#include "command/tree.h"
#include "symbols/demangle_process.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Bytes of an output that are compared and looked at */
#define LOOKED_AT (1u << 20)

/* words that a line gets from its input: symfs, jobs and their value, the end */
#define MORE_WORDS 4

/* struct output - what a command has written */
struct output {
	int fd;
	FILE *file;
	size_t size;
	char *bytes;
};

static char root[] = "/dev/shm/hwflow-fuzz-XXXXXX";
static char directory[sizeof(root) + 8];
static struct output outputs[2]; /* standard output, standard error */
static const char *const output_names[] = {"standard output", "standard error"};

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *ftw)
{
	(void)status;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void remove_root(void)
{
	nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void open_output(struct output *output)
{
	output->fd = memfd_create("output", MFD_CLOEXEC);
	output->file = output->fd < 0 ? NULL : fdopen(output->fd, "w");
	output->bytes = malloc(LOOKED_AT);
	if (!output->file || !output->bytes)
		abort();
}

/* Once */
static void prepare(void)
{
	static bool is_prepared;

	if (is_prepared)
		return;
	is_prepared = true;
	if (!mkdtemp(root))
		abort();
	atexit(remove_root);
	snprintf(directory, sizeof(directory), "%s/case", root);
	setenv("TMPDIR", root, 1);
	setenv("HOME", root, 1);
	setenv("TZ", "UTC", 1);
	unsetenv("DEBUGINFOD_URLS");
	open_output(&outputs[0]);
	open_output(&outputs[1]);
}

/* What the command keeps in static variables is as at the start of the program. */
static void reset(void)
{
	static char name[] = "hwflow";
	char *const no_words[] = {name, NULL};

	/* getopt_long() remembers where it was in the words of the run before */
	optind = 0;
	if (getopt(1, no_words, "") != -1)
		abort();
	message_forget();
	limits_forget();
	text_stdout()->hwf.write = NULL;
	for (size_t i = 0; i < 2; i++) {
		clearerr(outputs[i].file);
		rewind(outputs[i].file);
		if (ftruncate(outputs[i].fd, 0))
			abort();
	}
}

static void take_output(struct output *output)
{
	struct stat status;
	ssize_t size;

	fflush(output->file);
	if (fstat(output->fd, &status))
		abort();
	output->size = (size_t)status.st_size;
	size = pread(output->fd, output->bytes, LOOKED_AT, 0);
	if (size < 0)
		abort();
}

static size_t looked_at(const struct output *output)
{
	return output->size < LOOKED_AT ? output->size : LOOKED_AT;
}

/* A word of a command line, with the files of the case; freed by the caller */
static char *make_word(const char *word, const char *argument)
{
	const char *at = strchr(word, '@');
	char *result;
	int size;

	/* the second @ of --image=@FILE@ADDRESS is the option's own */
	if (!at || (at > word && at[-1] != '='))
		return strdup(word);
	size = asprintf(&result, "%.*s%s/%s", (int)(at - word), word, directory,
			at[1] ? at + 1 : argument);
	return size < 0 ? NULL : result;
}

static size_t make_words(char **words, const struct line *line, const char *argument, bool two)
{
	size_t count = 0;

	for (; line->words[count]; count++)
		words[count] = make_word(line->words[count], argument);
	if (line->run == cmd_encode || line->run == cmd_emulate)
		return count;
	words[count++] = make_word("--symfs=@root", argument);
	if (line->jobs)
		words[count++] = strdup(two ? "-j2" : "-j1");
	return count;
}

/* The verb, with outputs of its own in place of those of libFuzzer and of the replay */
static int run_verb(const struct line *line, int argc, char **argv)
{
	FILE *const out = stdout, *const err = stderr;
	int status;

	stdout = outputs[0].file;
	stderr = outputs[1].file;
	reset();
	checks_begin(root);
	status = line->run(argc, argv);
	text_flush(text_stdout());
	fflush(stdout);
	message_forget();
	archive_remove_inputs();
	demangle_process_end();
	stdout = out;
	stderr = err;
	return status;
}

/* One run of the command; its exit status */
static int run(const struct tree *tree, bool two)
{
	const struct line *line = &lines[tree->line % LINES];
	char *words[LINE_WORDS + MORE_WORDS] = {NULL}, *argv[LINE_WORDS + MORE_WORDS];
	char argument[TREE_NAME];
	size_t count;
	int status;

	snprintf(argument, sizeof(argument), "%s", tree->entries[0].name);
	argument[strcspn(argument, "/")] = 0;
	count = make_words(words, line, argument, two);
	/* getopt_long() changes the order */
	memcpy(argv, words, sizeof(argv));
	status = run_verb(line, (int)count, argv);
	checks_end(tree_size(tree), line->run == cmd_diff ? 2 : 1);
	for (size_t i = 0; i < count; i++)
		free(words[i]);
	for (size_t i = 0; i < 2; i++)
		take_output(&outputs[i]);
	return status;
}

static void check_directory(void)
{
	struct dirent *entry;
	DIR *folder = opendir(root);

	while (folder && (entry = readdir(folder)))
		if (*entry->d_name != '.' && strcmp(entry->d_name, "case") != 0)
			checks_finding("created", "%s was made beside the input", entry->d_name);
	if (folder)
		closedir(folder);
}

static void check(const struct line *line, int status)
{
	if (status < 0 || status > 3 || (status == 1 && !line->refuses))
		checks_finding("status", "%d: %.*s", status, (int)looked_at(&outputs[1]),
			       outputs[1].bytes);
	/* verify reports differences on standard output */
	if (status && !outputs[0].size && !outputs[1].size)
		checks_finding("status", "%d without a message", status);
	for (size_t i = 0; i < 2; i++)
		checks_text(output_names[i], outputs[i].bytes, looked_at(&outputs[i]));
	check_directory();
}

static void run_again(const struct tree *tree, int status)
{
	struct output first[2];
	int second;

	for (size_t i = 0; i < 2; i++) {
		first[i] = outputs[i];
		first[i].bytes = malloc(LOOKED_AT);
		if (!first[i].bytes)
			abort();
		memcpy(first[i].bytes, outputs[i].bytes, looked_at(&outputs[i]));
	}
	second = run(tree, tree->flags & TREE_JOBS);
	if (second != status)
		checks_finding("differs", "exit status %d, then %d", status, second);
	for (size_t i = 0; i < 2; i++) {
		if (first[i].size != outputs[i].size ||
		    memcmp(first[i].bytes, outputs[i].bytes, looked_at(&first[i])) != 0)
			checks_finding("differs", "%s%s: %.*s\n=== then ===\n%.*s", output_names[i],
				       tree->flags & TREE_JOBS ? " of two processes" : "",
				       (int)(looked_at(&first[i]) & 511), first[i].bytes,
				       (int)(looked_at(&outputs[i]) & 511), outputs[i].bytes);
		free(first[i].bytes);
	}
}

/* Does a command line give the program by --image? */
static bool names_program(const struct line *line)
{
	for (size_t i = 0; line->words[i]; i++)
		if (strstr(line->words[i], "=@root/program"))
			return true;
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char symfs[sizeof(directory) + 8];
	struct tree tree;
	int status;

	prepare();
	if (!tree_parse(&tree, data, size))
		return 0;
	/* --symfs= requires its directory */
	snprintf(symfs, sizeof(symfs), "%s/root", directory);
	if (mkdir(directory, 0700) || mkdir(symfs, 0700))
		abort();
	tree_write(&tree, directory,
		   names_program(&lines[tree.line % LINES]) ? "root/program" : NULL);
	status = run(&tree, false);
	if (getenv("HWFLOW_FUZZ_SHOW"))
		dprintf(STDERR_FILENO, "status %d\n%.*s\n%.*s\n", status,
			(int)looked_at(&outputs[0]), outputs[0].bytes, (int)looked_at(&outputs[1]),
			outputs[1].bytes);
	check(&lines[tree.line % LINES], status);
	if (tree.flags & TREE_AGAIN)
		run_again(&tree, status);
	nftw(directory, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	return 0;
}
