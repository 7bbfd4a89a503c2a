/* SPDX-License-Identifier: GPL-2.0-only */
/* A small recording, made by the writer, and how to look at it; for the tests of perf.data. */
#ifndef HWFLOW_TEST_PERFDATA_H
#define HWFLOW_TEST_PERFDATA_H

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>
#include <linux/perf_event.h>

#include "perfdata/perfdata_read.h"
#include "perfdata/perfdata_write.h"
#include "perfdata/perfdata_format.h"

/* struct contents - a file in memory */
struct contents {
	uint8_t *bytes;
	size_t size;
};

static const struct perfdata_cpu two_cpus[] = {
	{.cpu = 0,
	 .protocol = PERFDATA_ETE,
	 .regs = {0x8080, 0x10, 0x288006a1, 0x4100fff0, 0xc0001088, 0, 0xcc, 0x47715a13,
		  HWF_PROTOCOL_ETE}},
	{.cpu = 5,
	 .protocol = PERFDATA_ETE,
	 .regs = {0x8080, 0x1a, 0x288006a1, 0x4100fff0, 0xc0001088, 0, 0xcc, 0x47715a13,
		  HWF_PROTOCOL_ETE}},
};

static const char *const words[] = {"perf", "record", "-e", "cs_etm//u"};

static inline struct perfdata_recording recording_make(bool per_cpu)
{
	return (struct perfdata_recording){
		.argv = words,
		.argc = 4,
		.hostname = "board",
		.osrelease = "6.1.0",
		.cpus = two_cpus,
		.cpu_count = 2,
		.per_cpu = per_cpu,
		.exclude_kernel = true,
	};
}

/* Contents of a file; no bytes if it cannot be opened. */
static inline struct contents try_load(const char *path)
{
	struct contents file = {0};
	FILE *stream = fopen(path, "re");
	long size;

	if (!stream)
		return file;
	assert_int_equal(fseek(stream, 0, SEEK_END), 0);
	size = ftell(stream);
	assert_true(size > 0);
	file.size = (size_t)size;
	rewind(stream);
	file.bytes = calloc(1, file.size);
	assert_non_null(file.bytes);
	assert_int_equal(fread(file.bytes, 1, file.size, stream), file.size);
	fclose(stream);
	return file;
}

/* Contents of a file that is there. */
static inline struct contents load(const char *path)
{
	const struct contents file = try_load(path);

	if (!file.bytes || !file.size)
		abort();
	return file;
}

static inline void temporary(char *path, size_t size)
{
	int fd;

	snprintf(path, size, "/tmp/hwflow-test-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
}

static inline struct perfdata *open_bytes(const void *bytes, size_t size)
{
	char message[PERFDATA_MESSAGE] = "";
	struct perfdata *data = NULL;

	if (perfdata_open_memory(&data, "memory", bytes, size, message))
		fail_msg("%s", message);
	return data;
}

static const uint8_t trace_a[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
static const uint8_t trace_b[] = {21, 22, 23, 24, 25};
static const uint8_t trace_c[] = {31, 32, 33};

static const struct perfdata_mapping mapping_plain = {
	.address = 0x400000,
	.length = 0x3000,
	.file_offset = 0x1000,
	.prot = PROT_READ | PROT_EXEC,
	.flags = MAP_PRIVATE,
	.path = "/usr/bin/program",
	.major = 8,
	.minor = 1,
	.inode = 4711,
};

static const struct perfdata_mapping mapping_build_id = {
	.address = 0xffff800000000000,
	.length = 0x100000,
	.prot = PROT_EXEC,
	.path = "[kernel.kallsyms]_text",
	.build_id = {9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 1, 2, 3, 4, 5, 6},
	.build_id_size = 16,
};

/* Two threads, or two CPUs, three sessions and one that lost all of its trace. */
static inline void write_sample(struct perfdata_writer *w, bool per_cpu)
{
	const struct perfdata_stamp main_thread = {1000, 70, 70, 0}, worker = {1500, 70, 71, 5};
	const struct perfdata_area area_a = {0, 70, per_cpu ? -1 : 70, per_cpu ? 0 : -1};
	const struct perfdata_area area_b = {1, 70, per_cpu ? -1 : 71, per_cpu ? 5 : -1};
	const struct perfdata_stamp kernel = {0, -1, 0, 0}, late = {3000, 70, 70, 0};

	perfdata_write_mmap2(w, &kernel, &mapping_build_id);
	perfdata_write_comm(w, &main_thread, "program", true);
	perfdata_write_mmap2(w, &main_thread, &mapping_plain);
	perfdata_write_itrace_start(w, &main_thread);
	perfdata_write_session(w, &late, &area_a, 0, trace_a, sizeof(trace_a), 0);
	perfdata_write_fork(w, &worker, 70, 70);
	perfdata_write_session(w, &worker, &area_b, 0, trace_b, sizeof(trace_b),
			       PERFDATA_AUX_PARTIAL);
	perfdata_write_round(w);
	perfdata_write_session(w, &late, &area_a, sizeof(trace_a), trace_c, sizeof(trace_c), 0);
	perfdata_write_session(w, &late, &area_a, sizeof(trace_a) + sizeof(trace_c), NULL, 0,
			       PERFDATA_AUX_TRUNCATED);
	perfdata_write_exit(w, &late, 1, 1);
}

static inline struct contents make_sample_of(const struct perfdata_recording *recording,
					     bool per_cpu)
{
	struct perfdata_writer *writer;
	struct contents file;
	char path[64];

	temporary(path, sizeof(path));
	assert_int_equal(perfdata_writer_open(&writer, path, recording), 0);
	write_sample(writer, per_cpu);
	assert_int_equal(perfdata_writer_close(writer), 0);
	file = load(path);
	unlink(path);
	return file;
}

static inline struct contents make_sample(bool per_cpu)
{
	const struct perfdata_recording recording = recording_make(per_cpu);

	return make_sample_of(&recording, per_cpu);
}

static inline void check_session(const struct perfdata_session *session, int32_t tid, int32_t cpu,
				 const void *bytes, size_t size, uint64_t flags)
{
	assert_int_equal(session->tid, tid);
	assert_int_equal(session->cpu, cpu);
	assert_int_equal(session->pid, 70);
	assert_int_equal(session->size, size);
	assert_int_equal(session->missing, 0);
	assert_int_equal(session->flags, flags | PERFDATA_AUX_RAW);
	assert_false(session->framed);
	assert_int_equal(session->unit->cpu, cpu < 0 ? 0 : cpu);
	if (size)
		assert_memory_equal(session->bytes, bytes, size);
}

static inline void check_sample(const struct perfdata *data, bool per_cpu)
{
	const struct perfdata_info *info = perfdata_info(data);
	const struct perfdata_session *session = info->sessions;

	assert_int_equal(info->note_count, 0);
	assert_int_equal(info->session_count, 4);
	check_session(&session[0], 71, per_cpu ? 5 : -1, trace_b, sizeof(trace_b),
		      PERFDATA_AUX_PARTIAL);
	check_session(&session[1], 70, per_cpu ? 0 : -1, trace_a, sizeof(trace_a), 0);
	check_session(&session[2], 70, per_cpu ? 0 : -1, trace_c, sizeof(trace_c), 0);
	check_session(&session[3], 70, per_cpu ? 0 : -1, NULL, 0, PERFDATA_AUX_TRUNCATED);
	assert_int_equal(session[2].aux_offset, sizeof(trace_a));
	assert_int_equal(session[0].area, 1);
	assert_int_equal(info->per_cpu, per_cpu);
}

/* A file of a capture, or a skipped test; none may be missing where CI is set. */
static inline struct contents capture(const char *name)
{
	const char *folder = getenv("HWFLOW_CAPTURES"), *ci = getenv("CI");
	struct contents file;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/perf/%s", folder ? folder : "../shared/data", name);
	file = try_load(path);
	if (!file.bytes && ci && !strcmp(ci, "true"))
		fail_msg("%s is missing", path);
	if (!file.bytes) {
		print_message("SKIP: %s is missing: set HWFLOW_CAPTURES\n", path);
		skip();
	}
	if (!file.bytes || !file.size)
		abort();
	return file;
}

#endif /* HWFLOW_TEST_PERFDATA_H */
