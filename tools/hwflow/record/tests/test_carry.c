// SPDX-License-Identifier: GPL-2.0-only
/* Threads and mappings that one part of a recording begins with. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "perfdata/perfdata_writer.h"
#include "record/parts/carry.h"

/* A part in memory */
struct part {
	int fd;
	char path[32];
	struct perfdata_writer *writer;
	struct perfdata *data;
	const struct perfdata_info *info;
};

static void begin(struct part *part)
{
	const struct perfdata_cpu cpu = {.cpu = 0};
	const struct perfdata_recording recording = {.cpus = &cpu, .cpu_count = 1, .per_cpu = true};

	part->fd = memfd_create("part", MFD_CLOEXEC);
	assert_true(part->fd >= 0);
	snprintf(part->path, sizeof(part->path), "/proc/self/fd/%d", part->fd);
	assert_int_equal(perfdata_writer_open(&part->writer, part->path, &recording), 0);
}

static void end(struct part *part)
{
	char message[PERFDATA_MESSAGE];

	assert_int_equal(perfdata_write_round(part->writer), 0);
	assert_int_equal(perfdata_writer_close(part->writer), 0);
	assert_int_equal(perfdata_open(&part->data, part->path, 0, message), 0);
	part->info = perfdata_info(part->data);
}

static void close_part(struct part *part)
{
	perfdata_close(part->data);
	close(part->fd);
}

static struct perfdata_stamp stamp(uint64_t time, int32_t pid, int32_t tid)
{
	return (struct perfdata_stamp){.time = time, .pid = pid, .tid = tid, .cpu = 0};
}

static void comm(struct part *part, uint64_t time, int32_t pid, int32_t tid, const char *name,
		 bool exec)
{
	const struct perfdata_stamp at = stamp(time, pid, tid);

	assert_int_equal(perfdata_write_comm(part->writer, &at, name, exec), 0);
}

static void make(struct part *part, uint64_t time, int32_t pid, int32_t tid, int32_t ppid)
{
	const struct perfdata_stamp at = stamp(time, pid, tid);

	assert_int_equal(perfdata_write_fork(part->writer, &at, ppid, ppid), 0);
}

static void leave(struct part *part, uint64_t time, int32_t pid, int32_t tid)
{
	const struct perfdata_stamp at = stamp(time, pid, tid);

	assert_int_equal(perfdata_write_exit(part->writer, &at, 1, 1), 0);
}

static void map(struct part *part, uint64_t time, int32_t pid, uint64_t address, uint64_t length,
		const char *path)
{
	const struct perfdata_stamp at = stamp(time, pid, pid);
	const struct perfdata_mapping mapping = {
		.address = address, .length = length, .prot = PROT_EXEC, .path = path};

	assert_int_equal(perfdata_write_mmap2(part->writer, &at, &mapping), 0);
}

/* What a part says, a line for each record: time, process, thread, and what it is */
static const char *said(const struct part *part)
{
	static char text[4096];
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < part->info->event_count; i++) {
		const struct perfdata_event *event = &part->info->events[i];

		used += (size_t)snprintf(text + used, sizeof(text) - used, "%d %d/%d ",
					 (int)event->time, event->pid, event->tid);
		switch (event->kind) {
		case PERFDATA_COMM:
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s %s\n",
						 event->u.comm.exec ? "exec" : "name",
						 event->u.comm.name);
			break;
		case PERFDATA_FORK:
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s by %d\n",
						 event->u.parent.listed ? "listed" : "made",
						 event->u.parent.pid);
			break;
		case PERFDATA_EXIT:
			used += (size_t)snprintf(text + used, sizeof(text) - used, "ended\n");
			break;
		case PERFDATA_MMAP:
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s at %d\n",
						 event->u.mapping->path,
						 (int)event->u.mapping->address);
			break;
		case PERFDATA_LOST:
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%d lost\n",
						 (int)event->u.lost);
			break;
		case PERFDATA_SESSION:
			used += (size_t)snprintf(
				text + used, sizeof(text) - used, "%d bytes of CPU %d\n",
				(int)part->info->sessions[event->u.session].size, event->cpu);
			break;
		default:
			used += (size_t)snprintf(text + used, sizeof(text) - used, "other\n");
			break;
		}
	}
	return text;
}

/* Carries @settled bytes of @before as a state, and the rest as records. */
static void carry(struct part *next, const struct part *before, uint64_t settled)
{
	begin(next);
	assert_int_equal(carry_write(next->writer, before->info, settled), 0);
	end(next);
}

/* All records are written again, with their times. */
static void test_repeats_all(void **state)
{
	struct part before, next, third;

	(void)state;
	begin(&before);
	comm(&before, 0, 10, 10, "shell", false);
	map(&before, 0, 10, 4096, 4096, "/bin/sh");
	make(&before, 5, 11, 11, 10);
	comm(&before, 6, 11, 11, "ls", true);
	map(&before, 7, 11, 8192, 4096, "/bin/ls");
	leave(&before, 8, 11, 11);
	end(&before);
	carry(&next, &before, 0);
	assert_string_equal(said(&next), "0 10/10 name shell\n"
					 "0 10/10 /bin/sh at 4096\n"
					 "5 11/11 made by 10\n"
					 "6 11/11 exec ls\n"
					 "7 11/11 /bin/ls at 8192\n"
					 "8 11/11 ended\n");
	carry(&third, &next, 0);
	assert_int_equal(third.info->event_count, 6);
	close_part(&before);
	close_part(&next);
	close_part(&third);
}

/* What was true when all was settled replaces the records before. */
static void test_settles(void **state)
{
	struct part before, next;
	uint64_t settled;

	(void)state;
	begin(&before);
	comm(&before, 0, 10, 10, "shell", false);
	map(&before, 0, 10, 4096, 8192, "/bin/sh");
	/* a copy of the shell that goes on when the shell has ended */
	make(&before, 2, 11, 11, 10);
	make(&before, 3, 11, 12, 11);
	comm(&before, 4, 11, 12, "worker", false);
	/* a program that has ended */
	make(&before, 5, 13, 13, 10);
	comm(&before, 6, 13, 13, "ls", true);
	map(&before, 7, 13, 8192, 4096, "/bin/ls");
	leave(&before, 8, 13, 13);
	/* a program in the place of another one, which maps over what it has mapped */
	make(&before, 10, 14, 14, 10);
	comm(&before, 11, 14, 14, "one", true);
	map(&before, 12, 14, 4096, 4096, "/bin/one");
	comm(&before, 13, 14, 14, "two", true);
	map(&before, 14, 14, 4096, 4096, "/bin/two");
	map(&before, 15, 14, 12288, 4096, "/lib/a");
	map(&before, 16, 14, 12288, 8192, "/lib/b");
	map(&before, 17, 14, 16384, 8192, "/lib/c");
	leave(&before, 18, 10, 10);
	settled = before.writer->at;
	/* read from another ring later */
	leave(&before, 9, 11, 11);
	map(&before, 19, 14, 65536, 4096, "/lib/d");
	end(&before);
	carry(&next, &before, settled);
	assert_string_equal(said(&next), "0 11/12 listed by 11\n"
					 "0 11/12 name worker\n"
					 "0 11/11 /bin/sh at 4096\n"
					 "0 14/14 listed by 10\n"
					 "0 14/14 name two\n"
					 "0 14/14 /bin/two at 4096\n"
					 "0 14/14 /lib/b at 12288\n"
					 "0 14/14 /lib/c at 16384\n"
					 "19 14/14 /lib/d at 65536\n");
	close_part(&before);
	close_part(&next);
}

/* The number of a process that has ended is that of another one. */
static void test_number_again(void **state)
{
	struct part before, next;

	(void)state;
	begin(&before);
	comm(&before, 0, 10, 10, "shell", false);
	map(&before, 0, 10, 4096, 4096, "/bin/sh");
	comm(&before, 1, 20, 20, "old", false);
	map(&before, 2, 20, 8192, 4096, "/bin/old");
	/* its end was lost */
	make(&before, 5, 20, 20, 10);
	end(&before);
	carry(&next, &before, UINT64_MAX);
	assert_string_equal(said(&next), "0 10/10 listed by 10\n"
					 "0 10/10 name shell\n"
					 "0 10/10 /bin/sh at 4096\n"
					 "0 20/20 listed by 10\n"
					 "0 20/20 name shell\n"
					 "0 20/20 /bin/sh at 4096\n");
	close_part(&before);
	close_part(&next);
}

static void trace(struct part *part, uint64_t time, int32_t cpu, const char *bytes)
{
	const struct perfdata_area area = {
		.idx = (uint32_t)cpu, .pid = PERFDATA_ANY, .tid = PERFDATA_ANY, .cpu = cpu};
	const struct perfdata_stamp at = {.time = time, .pid = 10, .tid = 10, .cpu = cpu};

	assert_int_equal(
		perfdata_write_session(part->writer, &at, &area, time, bytes, strlen(bytes), 0), 0);
}

/* The end of the trace of each CPU so far, and that events were lost, which is reported once */
static void test_trace_and_losses(void **state)
{
	const struct perfdata_stamp at = stamp(3, 10, 10);
	struct part before, next, third;

	(void)state;
	begin(&before);
	comm(&before, 0, 10, 10, "shell", false);
	assert_int_equal(perfdata_write_lost(before.writer, &at, 7), 0);
	trace(&before, 4, 0, "12345678");
	trace(&before, 5, 1, "1234567812345678");
	trace(&before, 6, 0, "12345678");
	end(&before);
	assert_int_equal(before.info->note_count, 1);
	carry(&next, &before, UINT64_MAX);
	assert_string_equal(said(&next), "0 10/10 listed by 10\n"
					 "0 10/10 name shell\n"
					 "3 10/10 0 lost\n"
					 "5 10/10 0 bytes of CPU 1\n"
					 "6 10/10 0 bytes of CPU 0\n");
	assert_int_equal(next.info->note_count, 0);
	carry(&third, &next, UINT64_MAX);
	assert_string_equal(said(&third), said(&next));
	close_part(&before);
	close_part(&next);
	close_part(&third);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_repeats_all),
		cmocka_unit_test(test_settles),
		cmocka_unit_test(test_number_again),
		cmocka_unit_test(test_trace_and_losses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
