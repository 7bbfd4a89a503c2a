// SPDX-License-Identifier: GPL-2.0-only
/*
 * The section TRACING_DATA, which the libraries of trace-cmd and perf read. Version 0.6:
 *
 *   17 08 44 "tracing" "0.6\0", byte order, size of long, size of a page (4 bytes)
 *   "header_page\0", file; "header_event\0", file
 *   number of events of ftrace (4 bytes), a file for each
 *   number of systems (4 bytes); for each: name, number of events (4 bytes), a file for each
 *   symbols of the kernel, texts of trace_printk(): size (4 bytes), contents
 *   names of threads: file
 *
 * A file is its size (8 bytes) and its contents.
 */
#include "tracing_data.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/input_file.h"

#define VERSION "0.6"

/* no file of tracefs that this section has is longer */
#define CONTENTS_MAX (UINT32_C(16) << 20)

static void put_u32(FILE *out, uint32_t value)
{
	fwrite(&value, sizeof(value), 1, out);
}

/* All bytes of a file: files of tracefs have no size of their own. */
static int read_contents(const char *path, struct tracing_data *contents)
{
	FILE *in = own_file_stream(path), *out;
	size_t length, total = 0;
	char buffer[4096];
	int error = 0;

	if (!in)
		return -errno;
	out = open_memstream(&contents->bytes, &contents->size);
	if (!out) {
		fclose(in);
		return -ENOMEM;
	}
	while ((length = fread(buffer, 1, sizeof(buffer), in)) && (total += length) <= CONTENTS_MAX)
		fwrite(buffer, 1, length, out);
	if (ferror(in))
		error = errno ? -errno : -EIO;
	if (total > CONTENTS_MAX)
		error = -EFBIG;
	fclose(in);
	if (fclose(out) && !error)
		error = -ENOMEM;
	return error;
}

/* Size and contents of DIRECTORY/NAME. A file that is @optional is empty if it cannot be read. */
static int put_file(FILE *out, const char *directory, const char *name, size_t size_bytes,
		    bool optional)
{
	struct tracing_data contents = {.bytes = NULL};
	char path[PATH_MAX];
	uint64_t size;
	int error;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	error = read_contents(path, &contents);
	if (error && optional)
		contents.size = 0;
	if (!error || optional) {
		/* the machine is little-endian: the low bytes come first */
		size = contents.size;
		fwrite(&size, size_bytes, 1, out);
		fwrite(contents.bytes ? contents.bytes : "", 1, contents.size, out);
	}
	free(contents.bytes);
	return optional ? 0 : error;
}

static void put_head(FILE *out)
{
	static const char magic[] = "\x17\x08\x44"
				    "tracing" VERSION;

	/* with the NUL that ends the version */
	fwrite(magic, sizeof(magic), 1, out);
	fputc(0, out); /* little-endian */
	fputc((int)sizeof(long), out);
	put_u32(out, (uint32_t)sysconf(_SC_PAGESIZE));
}

static int put_event_headers(FILE *out, const char *tracefs)
{
	static const char *const names[] = {"header_page", "header_event"};
	char directory[PATH_MAX];
	int error = 0;

	snprintf(directory, sizeof(directory), "%s/events", tracefs);
	for (size_t i = 0; !error && i < sizeof(names) / sizeof(names[0]); i++) {
		fwrite(names[i], strlen(names[i]) + 1, 1, out);
		error = put_file(out, directory, names[i], 8, false);
	}
	return error;
}

static size_t system_length(const char *name)
{
	return strcspn(name, ":");
}

static bool same_system(const char *a, const char *b)
{
	const size_t length = system_length(a);

	return system_length(b) == length && !strncmp(a, b, length);
}

/* Is names[i] the first of its system, or, with @whole, the first of its name? */
static bool is_first(const char *const *names, size_t i, bool whole)
{
	for (size_t j = 0; j < i; j++)
		if (whole ? !strcmp(names[i], names[j]) : same_system(names[i], names[j]))
			return false;
	return true;
}

/* The formats of all tracepoints that are in the system of @name */
static int put_system(FILE *out, const char *tracefs, const char *name, const char *const *names,
		      size_t count)
{
	uint32_t events = 0;
	int error = 0;

	for (size_t i = 0; i < count; i++)
		events += same_system(name, names[i]) && is_first(names, i, true);
	put_u32(out, events);
	for (size_t i = 0; !error && i < count; i++) {
		char directory[PATH_MAX];

		if (!same_system(name, names[i]) || !is_first(names, i, true))
			continue;
		snprintf(directory, sizeof(directory), "%s/events/%.*s/%s", tracefs,
			 (int)system_length(name), name, names[i] + system_length(name) + 1);
		error = put_file(out, directory, "format", 8, false);
	}
	return error;
}

static int put_systems(FILE *out, const char *tracefs, const char *const *names, size_t count)
{
	uint32_t systems = 0;
	int error;

	/* events of the function tracer, which the kernel lists as a system of their own */
	error = put_system(out, tracefs, "ftrace:", names, count);
	for (size_t i = 0; i < count; i++)
		systems += is_first(names, i, false) && !same_system(names[i], "ftrace");
	put_u32(out, systems);
	for (size_t i = 0; !error && i < count; i++) {
		if (!is_first(names, i, false) || same_system(names[i], "ftrace"))
			continue;
		fwrite(names[i], system_length(names[i]), 1, out);
		fputc('\0', out);
		error = put_system(out, tracefs, names[i], names, count);
	}
	return error;
}

int tracing_data_read(struct tracing_data *data, const char *tracefs, const char *const *names,
		      size_t count)
{
	FILE *out;
	int error;

	*data = (struct tracing_data){.bytes = NULL};
	out = open_memstream(&data->bytes, &data->size);
	if (!out)
		return -ENOMEM;
	put_head(out);
	error = put_event_headers(out, tracefs);
	if (!error)
		error = put_systems(out, tracefs, names, count);
	if (!error) {
		put_u32(out, 0); /* symbols: readers take them from elsewhere */
		put_file(out, tracefs, "printk_formats", 4, true);
		put_file(out, tracefs, "saved_cmdlines", 8, true);
	}
	if (fclose(out) && !error)
		error = -ENOMEM;
	if (error) {
		free(data->bytes);
		*data = (struct tracing_data){.bytes = NULL};
	}
	return error;
}
