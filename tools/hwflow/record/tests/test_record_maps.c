// SPDX-License-Identifier: GPL-2.0-only
/* hwflow record: mappings of a process, as they are in /proc/PID/maps. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../../plugin/maps_path.h"
#include "perfdata/perfdata_write.h"
#include "record/synthesize.h"

static void read_path(const char *line, const char *path)
{
	char text[256];

	snprintf(text, sizeof(text), "%s", line);
	maps_path_read(text, "");
	assert_string_equal(text, path);
}

static void a_newline_in_a_path_is_written_in_octal(void **state)
{
	(void)state;
	read_path("/usr/bin/true", "/usr/bin/true");
	read_path("/nowhere\\012/x\\012", "/nowhere\n/x\n");
	read_path("/nowhere\\012\\012", "/nowhere\n\n");
	read_path("/nowhere\\011\\01\\0", "/nowhere\\011\\01\\0");
}

/* Writes the mappings of this process to a file; does it have the text? */
static bool is_recorded(const char *directory, const char *text)
{
	static const char *const words[] = {"hwflow", "record"};
	static const struct perfdata_cpu cpu = {.protocol = PERFDATA_ETE};
	const struct perfdata_recording recording = {.argv = words,
						     .argc = 2,
						     .hostname = "board",
						     .osrelease = "6.1.0",
						     .cpus = &cpu,
						     .cpu_count = 1};
	struct perfdata_writer *writer;
	char path[128], *bytes;
	struct stat status;
	bool found;
	FILE *file;

	snprintf(path, sizeof(path), "%s/data", directory);
	assert_int_equal(perfdata_writer_open(&writer, path, &recording), 0);
	assert_int_equal(synthesize_process(writer, getpid()), 0);
	assert_int_equal(perfdata_writer_close(writer), 0);
	file = fopen(path, "re");
	assert_non_null(file);
	assert_int_equal(fstat(fileno(file), &status), 0);
	bytes = malloc((size_t)status.st_size);
	assert_int_equal(fread(bytes, 1, (size_t)status.st_size, file), status.st_size);
	found = memmem(bytes, (size_t)status.st_size, text, strlen(text)) != NULL;
	fclose(file);
	free(bytes);
	unlink(path);
	return found;
}

static void mappings_have_the_paths_of_their_files(void **state)
{
	static const char *const names[] = {"plain", "new\nline", "new\\012line"};
	char directory[] = "/tmp/hwflow-maps-XXXXXX", path[128];

	(void)state;
	assert_non_null(mkdtemp(directory));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		void *code;
		int fd;

		snprintf(path, sizeof(path), "%s/%s", directory, names[i]);
		fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0700);
		assert_int_equal(ftruncate(fd, 4096), 0);
		code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
		assert_ptr_not_equal(code, MAP_FAILED);
		close(fd);
		assert_true(is_recorded(directory, path));
		munmap(code, 4096);
		unlink(path);
	}
	rmdir(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_newline_in_a_path_is_written_in_octal),
		cmocka_unit_test(mappings_have_the_paths_of_their_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
