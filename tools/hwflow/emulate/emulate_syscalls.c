// SPDX-License-Identifier: GPL-2.0-only
/*
 * System calls of a run, as samples of tracepoints. Their description, the section TRACING_DATA, is
 * what tracefs of a kernel has; record/events/tracing_data.c has a drawing of it.
 */
#include "emulate_syscalls.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE 4096u

/* Fields that each tracepoint has */
#define COMMON                                                                         \
	"format:\n"                                                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"                   \
	"\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"

enum { ENTER, EXIT, TRACEPOINTS };

static const struct perfdata_made_tracepoint tracepoints[TRACEPOINTS] = {
	[ENTER] = {"raw_syscalls:sys_enter", 23},
	[EXIT] = {"raw_syscalls:sys_exit", 22},
};

static const char *const formats[TRACEPOINTS] = {
	[ENTER] = "name: sys_enter\nID: 23\n" COMMON
		  "\tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;\n\n"
		  "print fmt: \"NR %ld (%lx, %lx, %lx, %lx, %lx, %lx)\", REC->id, REC->args[0], "
		  "REC->args[1], REC->args[2], REC->args[3], REC->args[4], REC->args[5]\n",
	[EXIT] = "name: sys_exit\nID: 22\n" COMMON
		 "\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n\n"
		 "print fmt: \"NR %ld = %ld\", REC->id, REC->ret\n",
};

static const char header_page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				  "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				  "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
				  "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";

static const char header_event[] = "# compressed entry header\n"
				   "\ttype_len    :    5 bits\n"
				   "\ttime_delta  :   27 bits\n"
				   "\tarray       :   32 bits\n\n"
				   "\tpadding     : type == 29\n"
				   "\ttime_extend : type == 30\n"
				   "\ttime_stamp : type == 31\n"
				   "\tdata max type_len  == 28\n";

/* struct sys_enter, struct sys_exit - fields of the tracepoints, and 4 bytes that end a sample */
struct sys_enter {
	uint16_t type;
	uint8_t flags;
	uint8_t preempt_count;
	int32_t pid;
	int64_t id;
	uint64_t args[6];
	uint32_t end;
} __attribute__((packed));

struct sys_exit {
	uint16_t type;
	uint8_t flags;
	uint8_t preempt_count;
	int32_t pid;
	int64_t id;
	int64_t ret;
	uint32_t end;
} __attribute__((packed));

static void put_number(FILE *out, uint64_t value, size_t size)
{
	/* the file is little-endian, as the machine is */
	fwrite(&value, size, 1, out);
}

static void put_file(FILE *out, const char *contents)
{
	put_number(out, strlen(contents), 8);
	fwrite(contents, 1, strlen(contents), out);
}

static void put_text(FILE *out, const char *text)
{
	fwrite(text, 1, strlen(text) + 1, out);
}

static void put_description(FILE *out)
{
	fputs("\x17\x08\x44"
	      "tracing",
	      out);
	put_text(out, "0.6");
	put_number(out, 0, 1); /* little-endian */
	put_number(out, sizeof(uint64_t), 1);
	put_number(out, PAGE, 4);
	put_text(out, "header_page");
	put_file(out, header_page);
	put_text(out, "header_event");
	put_file(out, header_event);
	put_number(out, 0, 4); /* events of the function tracer */
	put_number(out, 1, 4);
	put_text(out, "raw_syscalls");
	put_number(out, TRACEPOINTS, 4);
	for (size_t i = 0; i < TRACEPOINTS; i++)
		put_file(out, formats[i]);
	put_number(out, 0, 4); /* symbols */
	put_number(out, 0, 4); /* texts of trace_printk() */
	put_number(out, 0, 8); /* names of threads */
}

int emulate_syscalls_describe(struct perfdata_recording *recording)
{
	char *bytes = NULL;
	size_t size;
	FILE *out = open_memstream(&bytes, &size);

	if (out)
		put_description(out);
	if (!out || fclose(out)) {
		free(bytes);
		return -ENOMEM;
	}
	recording->tracepoints = tracepoints;
	recording->tracepoint_count = TRACEPOINTS;
	recording->tracing_data = bytes;
	recording->tracing_data_size = size;
	return 0;
}

void emulate_syscalls_free(struct perfdata_recording *recording)
{
	free((void *)(uintptr_t)recording->tracing_data);
	recording->tracing_data = NULL;
}

int emulate_syscalls_write(struct perfdata_writer *writer, const struct run_event *event)
{
	const struct perfdata_stamp stamp = {
		.time = event->time, .pid = event->pid, .tid = event->tid, .cpu = PERFDATA_ANY};
	const struct sys_exit done = {.type = (uint16_t)tracepoints[EXIT].id,
				      .pid = event->tid,
				      .id = (int64_t)event->a,
				      .ret = (int64_t)event->b};
	struct sys_enter call = {.type = (uint16_t)tracepoints[ENTER].id,
				 .pid = event->tid,
				 .id = (int64_t)event->a};

	if (event->kind == RUN_SYSCALL_DONE)
		return perfdata_write_tracepoint(writer, &stamp, EXIT, &done, sizeof(done));
	memcpy(call.args, event->arguments, sizeof(call.args));
	return perfdata_write_tracepoint(writer, &stamp, ENTER, &call, sizeof(call));
}
