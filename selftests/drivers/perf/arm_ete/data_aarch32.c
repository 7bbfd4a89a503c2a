// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program in A32 and T32, workload_a32, whose execution is known: its trace, decoded, equals it from the first
 * instruction after exec to the system call that ends it.
 */
#include "data.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest.h"

#define MARK "arm_ete workload"

/* The table of rows of a program, which the caller frees; NULL if there is none */
static struct workload_row *read_rows(const char *path)
{
	static char bytes[1 << 20];
	FILE *file = fopen(path, "rb");
	struct workload_row *rows;
	size_t size;
	char *mark;

	if (!file)
		return NULL;
	size = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	mark = memmem(bytes, size, MARK, strlen(MARK));
	if (!mark)
		return NULL;
	size -= (size_t)(mark - bytes) + strlen(MARK);
	rows = malloc(size);
	if (rows)
		memcpy(rows, mark + strlen(MARK), size);
	return rows;
}

/* In the directory of this program */
static void find_program(char *path, size_t size)
{
	char self[PATH_MAX];
	const ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[length > 0 ? length : 0] = '\0';
	snprintf(path, size, "%s/workload_a32", dirname(self));
}

/* Whether the processor and the kernel have AArch32 at EL0; else exit with the reason */
static void need_aarch32(char *path)
{
	char *const argv[] = { path, NULL };
	int status = 0;
	pid_t pid;

	if (access(path, X_OK))
		ksft_exit_skip("%s is missing: it is built where there is an assembler for arm-linux-gnueabihf\n",
			       path);
	pid = fork();
	if (!pid) {
		execv(path, argv);
		_exit(errno == ENOEXEC ? 126 : 127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		ksft_exit_fail_msg("%s: %s\n", path, strerror(errno));
	if (WIFEXITED(status) && WEXITSTATUS(status) == 126)
		ksft_exit_skip("no AArch32 at EL0: the processor or the kernel (CONFIG_COMPAT) lacks it\n");
	if (status)
		ksft_exit_fail_msg("%s ends with status %#x\n", path, (unsigned int)status);
}

/* Whether the data ring tells of the exec, and of the memory that it maps for the program */
static bool has_exec(const struct record *record, uint64_t start)
{
	bool exec = false, mapped = false;

	for (size_t i = 0; i < record->side_count; i++) {
		const struct record_side *side = &record->sides[i];

		if (side->type == PERF_RECORD_COMM && side->misc & PERF_RECORD_MISC_COMM_EXEC &&
		    !strcmp(side->name, "workload_a32"))
			exec = true;
		if (side->type == PERF_RECORD_MMAP2 && start >= side->address &&
		    start - side->address < side->size)
			mapped = true;
	}
	return exec && mapped;
}

static bool run(const struct record_pmu *pmu, const struct data_variant *variant, char *path,
		const struct workload_row *rows, char *text, size_t size)
{
	const struct record_config config = { .pmu = pmu, .config = variant->config, .cpu = -1 };
	char *const argv[] = { path, NULL };
	struct expect expected;
	struct decode decode;
	struct record record;
	bool equal = false;
	int error, status;

	expect_init(&expected);
	decode_init(&decode);
	expect_rows(&expected, rows);
	error = record_program(&record, &config, argv, &status);
	if (!error)
		error = decode_add_elf(&decode, path);
	if (error)
		snprintf(text, size, "recording fails: %s", strerror(-error));
	else if (status)
		snprintf(text, size, "the program ends with status %#x", (unsigned int)status);
	else if (!has_exec(&record, rows[0].first))
		snprintf(text, size, "no records of the exec and of its mapping");
	else
		equal = data_complete(&record, &decode, &expected, text, size);
	record_close(&record);
	decode_free(&decode);
	expect_free(&expected);
	return equal;
}

int main(int argc, char **argv)
{
	struct data_options options;
	struct workload_row *rows;
	struct record_pmu pmu;
	char path[PATH_MAX + 16];

	data_begin(&pmu, &options, argc, argv);
	find_program(path, sizeof(path));
	need_aarch32(path);
	rows = read_rows(path);
	if (!rows)
		ksft_exit_fail_msg("%s has no table of rows\n", path);
	ksft_set_plan((unsigned int)data_variant_count);
	for (size_t i = 0; i < data_variant_count; i++) {
		char text[256] = "";
		const char *why;
		bool equal;

		if (!data_supports(&pmu, &data_variants[i], &why)) {
			ksft_test_result_skip("A32 and T32, %s: %s\n", data_variants[i].name, why);
			continue;
		}
		equal = run(&pmu, &data_variants[i], path, rows, text, sizeof(text));
		if (!equal)
			ksft_print_msg("%s: %s\n", data_variants[i].name, text);
		ksft_test_result(equal, "A32 and T32, %s\n", data_variants[i].name);
	}
	free(rows);
	record_free_pmu(&pmu);
	ksft_finished();
}
