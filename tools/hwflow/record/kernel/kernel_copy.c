// SPDX-License-Identifier: GPL-2.0-only
#include "kernel_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/input_file.h"
#include "kernel_core.h"
#include "kernel_modules.h"
#include "program/kallsyms.h"
#include "program/kcore.h"

#define KCORE    "/proc/kcore"
#define KALLSYMS "/proc/kallsyms"
#define MODULES  "/proc/modules"
#define SECTIONS "/sys/module"

/* code of a module's initialization is no longer than this */
#define INIT_MAX (UINT64_C(64) << 10)

/**
 * struct kernel_copy - copies of a recording
 * @directory: FILE
 * @kernel: /proc/kcore
 * @first: the copy at the beginning
 * @ranges: addresses of @first
 * @changes: pages that differ; created with the first such page
 * @unknown: code that was never read
 * @symbols: writes to @symbol_lines; NULL: there are none
 * @symbol_lines: lines of KALLSYMS that are added to those at the end
 * @symbol_bytes: length of @symbol_lines
 * @page: a page of the kernel
 * @before: the same page in @first
 * @lost: see kernel_copy_lost()
 */
struct kernel_copy {
	char *directory;
	struct kernel_core kernel;
	struct kernel_core first;
	struct kernel_ranges ranges;
	struct kernel_core changes;
	struct kernel_ranges unknown;
	FILE *symbols;
	char *symbol_lines;
	size_t symbol_bytes;
	uint8_t *page;
	uint8_t *before;
	bool lost;
};

static int path_of(char path[PATH_MAX], const struct kernel_copy *copy, const char *name)
{
	return snprintf(path, PATH_MAX, "%s/%s", copy->directory, name) < PATH_MAX ? 0
										   : -ENAMETOOLONG;
}

static int is_hidden(void *ctx, const struct kallsym *symbol)
{
	(void)ctx;
	return symbol->address ? 1 : 0;
}

int kernel_copy_permitted(void)
{
	struct kernel_core core;
	int error = kernel_core_open(&core, KCORE);

	if (error)
		return error;
	kernel_core_close(&core);
	error = kallsyms_read(KALLSYMS, 0, is_hidden, NULL);
	return error == 1 ? 0 : error ? error : -ENODATA;
}

/* Files of /proc have no size: they are read to their end. */
static int copy_file(const struct kernel_copy *copy, const char *from, const char *to)
{
	char path[PATH_MAX], buffer[65536];
	int error = path_of(path, copy, to), in, out;
	ssize_t size;

	if (error)
		return error;
	in = own_file_open(from, O_RDONLY);
	if (in < 0)
		return -errno;
	out = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	error = out < 0 ? -errno : 0;
	while (!error && (size = read(in, buffer, sizeof(buffer))) != 0) {
		errno = 0;
		if (size < 0 || write(out, buffer, (size_t)size) != size)
			error = errno ? -errno : -ENOSPC;
	}
	if (out >= 0 && close(out) && !error)
		error = -errno;
	close(in);
	return error;
}

static int copy_first(struct kernel_copy *copy)
{
	const size_t page = kernel_page();
	int error = 0;

	for (size_t i = 0; !error && i < copy->ranges.count; i++) {
		const struct kernel_range *range = &copy->ranges.items[i];

		for (uint64_t at = range->start; !error && at < range->end; at += page)
			if (kernel_core_read(&copy->kernel, at, copy->page))
				error = kernel_core_add(&copy->first, at, copy->page);
	}
	return error ? error : kernel_core_finish(&copy->first);
}

static int make_first(struct kernel_copy *copy)
{
	char kcore[PATH_MAX], kallsyms[PATH_MAX], modules[PATH_MAX];
	int error = path_of(kcore, copy, KCORE_DIR);

	if (!error && mkdir(kcore, 0700))
		error = -errno;
	if (!error)
		error = copy_file(copy, KALLSYMS, KCORE_DIR "/" KCORE_KALLSYMS);
	if (!error)
		error = copy_file(copy, MODULES, KCORE_DIR "/" KCORE_MODULES);
	if (!error)
		error = path_of(kallsyms, copy, KCORE_DIR "/" KCORE_KALLSYMS);
	if (!error)
		error = path_of(modules, copy, KCORE_DIR "/" KCORE_MODULES);
	if (!error)
		error = kernel_ranges_find(&copy->ranges, &copy->kernel, kallsyms, modules,
					   SECTIONS);
	if (!error)
		error = path_of(kcore, copy, KCORE_DIR "/" KCORE_MEMORY);
	if (!error)
		error = kernel_core_create(&copy->first, kcore);
	return error ? error : copy_first(copy);
}

int kernel_copy_begin(struct kernel_copy **result, const char *directory)
{
	struct kernel_copy *copy = calloc(1, sizeof(*copy));
	int error;

	*result = copy;
	if (!copy)
		return -ENOMEM;
	copy->kernel.fd = copy->first.fd = copy->changes.fd = -1;
	copy->directory = strdup(directory);
	copy->page = malloc(kernel_page());
	copy->before = malloc(kernel_page());
	if (!copy->directory || !copy->page || !copy->before)
		return -ENOMEM;
	error = kernel_core_open(&copy->kernel, KCORE);
	return error ? error : make_first(copy);
}

/* The directory of changes and its file of memory are made when they are needed. */
static int open_changes(struct kernel_copy *copy)
{
	char path[PATH_MAX];
	int error;

	if (copy->changes.fd >= 0)
		return 0;
	error = path_of(path, copy, KCORE_CHANGES);
	if (!error && mkdir(path, 0700))
		error = -errno;
	if (!error)
		error = path_of(path, copy, KCORE_CHANGES "/" KCORE_MEMORY);
	return error ? error : kernel_core_create(&copy->changes, path);
}

/* Reads a page again. Code that is gone or new is unknown if code may have come and gone unseen. */
static int compare_page(struct kernel_copy *copy, uint64_t address)
{
	const bool now = kernel_core_read(&copy->kernel, address, copy->page);
	const bool before = kernel_core_read(&copy->first, address, copy->before);
	int error;

	if (copy->lost && now != before)
		return kernel_ranges_add(&copy->unknown, address, address + kernel_page());
	if (!now || (before && !memcmp(copy->page, copy->before, kernel_page())))
		return 0;
	error = open_changes(copy);
	return error ? error : kernel_core_add(&copy->changes, address, copy->page);
}

static int compare_ranges(struct kernel_copy *copy, const struct kernel_ranges *ranges)
{
	int error = 0;

	for (size_t i = 0; !error && i < ranges->count; i++)
		for (uint64_t at = ranges->items[i].start; !error && at < ranges->items[i].end;
		     at += kernel_page())
			error = compare_page(copy, at);
	return error;
}

int kernel_copy_range(struct kernel_copy *copy, uint64_t start, uint64_t length)
{
	struct kernel_ranges ranges = {.count = 0};
	int error = kernel_ranges_add(&ranges, start, start + length);

	if (!error)
		error = compare_ranges(copy, &ranges);
	kernel_ranges_free(&ranges);
	return error;
}

int kernel_copy_symbol(struct kernel_copy *copy, uint64_t address, const char *name)
{
	if (!copy->symbols)
		copy->symbols = open_memstream(&copy->symbol_lines, &copy->symbol_bytes);
	if (!copy->symbols ||
	    fprintf(copy->symbols, "%016" PRIx64 " t %s\t[bpf]\n", address, name) < 0)
		return -ENOMEM;
	return 0;
}

/* The pages of a module, without those of its initialization; false if the module is not loaded */
static bool module_ranges(struct kernel_copy *copy, const char *name, struct kernel_ranges *ranges,
			  bool *loading, int *error)
{
	const struct kernel_module *module;
	struct kernel_modules modules;

	*error = kernel_modules_read(&modules, MODULES);
	module = *error ? NULL : kernel_modules_find(&modules, name);
	if (module) {
		*loading = module->loading;
		*error = kernel_ranges_area(ranges, &copy->kernel, module->start,
					    kernel_module_code_end(module, SECTIONS));
	}
	kernel_modules_free(&modules);
	return module;
}

/* The end of the pages that the code of an initialization may have had: those of other code are not
 */
static uint64_t init_end(struct kernel_copy *copy, uint64_t init, uint64_t module)
{
	const uint64_t limit = init + INIT_MAX;
	uint64_t end = init;

	do
		end += kernel_page();
	while (end < limit && end != module && !kernel_core_read(&copy->first, end, copy->before));
	return end;
}

/* Copy the code of a module's initialization. The kernel frees that code when it has run. */
static int copy_init(struct kernel_copy *copy, const char *name, uint64_t start)
{
	const uint64_t init = kernel_module_section(SECTIONS, name, ".init.text");
	struct kernel_ranges code = {.count = 0};
	bool loading = false;
	uint64_t end;
	int error;

	if (!init)
		return 0;
	end = init_end(copy, init, start);
	error = kernel_copy_range(copy, init, end - init);
	/* is it other code that was read? */
	if (!error && (!module_ranges(copy, name, &code, &loading, &error) || !loading))
		error = kernel_copy_unknown(copy, init, end - init);
	kernel_ranges_free(&code);
	return error;
}

int kernel_copy_module(struct kernel_copy *copy, const char *name)
{
	struct kernel_ranges ranges = {.count = 0}, again = {.count = 0};
	bool loading;
	int error;

	if (!module_ranges(copy, name, &ranges, &loading, &error) || !ranges.count) {
		copy->lost = true;
		kernel_ranges_free(&ranges);
		return error;
	}
	if (!error)
		error = copy_init(copy, name, ranges.items[0].start);
	if (!error)
		error = compare_ranges(copy, &ranges);
	/* is it the module still that was read? */
	if (!error && (!module_ranges(copy, name, &again, &loading, &error) || !again.count ||
		       again.items[0].start != ranges.items[0].start))
		copy->lost = true;
	kernel_ranges_free(&ranges);
	kernel_ranges_free(&again);
	return error;
}

int kernel_copy_unknown(struct kernel_copy *copy, uint64_t start, uint64_t length)
{
	return kernel_ranges_add(&copy->unknown, start, start + length);
}

void kernel_copy_lost(struct kernel_copy *copy)
{
	copy->lost = true;
}

int kernel_copy_compare(struct kernel_copy *copy)
{
	struct kernel_ranges ranges = {.count = 0};
	int error = kernel_ranges_find(&ranges, &copy->kernel, KALLSYMS, MODULES, SECTIONS);

	for (size_t i = 0; !error && i < copy->ranges.count; i++)
		error = kernel_ranges_add(&ranges, copy->ranges.items[i].start,
					  copy->ranges.items[i].end);
	kernel_ranges_sort(&ranges);
	if (!error)
		error = compare_ranges(copy, &ranges);
	kernel_ranges_free(&ranges);
	return error;
}

/* After a loss, other code may have been where code was read that was not there at the beginning.
 */
static int distrust_changes(struct kernel_copy *copy)
{
	const size_t page = kernel_page();
	int error = 0;

	for (size_t i = 0; !error && i < copy->changes.count; i++) {
		const struct kernel_segment *segment = &copy->changes.segments[i];

		for (uint64_t at = 0; !error && at < segment->size; at += page)
			if (!kernel_core_read(&copy->first, segment->address + at, copy->before))
				error = kernel_copy_unknown(copy, segment->address + at, page);
	}
	return error;
}

static int write_unknown(struct kernel_copy *copy)
{
	char path[PATH_MAX];
	int error = open_changes(copy);
	FILE *file;

	if (!error)
		error = path_of(path, copy, KCORE_CHANGES "/" KCORE_UNKNOWN);
	if (error)
		return error;
	file = fopen(path, "we");
	if (!file)
		return -errno;
	kernel_ranges_sort(&copy->unknown);
	for (size_t i = 0; i < copy->unknown.count; i++)
		fprintf(file, "%" PRIx64 " %" PRIx64 "\n", copy->unknown.items[i].start,
			copy->unknown.items[i].end);
	error = ferror(file) ? -EIO : 0;
	return fclose(file) && !error ? -errno : error;
}

/* The symbols at the end, and those that are added */
static int write_symbols(struct kernel_copy *copy)
{
	char path[PATH_MAX];
	int error = path_of(path, copy, KCORE_CHANGES "/" KCORE_KALLSYMS);
	FILE *file;

	if (!error)
		error = copy_file(copy, KALLSYMS, KCORE_CHANGES "/" KCORE_KALLSYMS);
	if (error || !copy->symbols)
		return error;
	if (fflush(copy->symbols))
		return -ENOMEM;
	file = fopen(path, "ae");
	if (!file)
		return -errno;
	error = fputs(copy->symbol_lines, file) < 0 ? -EIO : 0;
	return fclose(file) && !error ? -errno : error;
}

int kernel_copy_end(struct kernel_copy *copy)
{
	int error = 0;

	if (copy->lost)
		error = distrust_changes(copy);
	if (!error && copy->unknown.count)
		error = write_unknown(copy);
	if (error || copy->changes.fd < 0)
		return error;
	error = kernel_core_finish(&copy->changes);
	return error ? error : write_symbols(copy);
}

void kernel_copy_free(struct kernel_copy *copy)
{
	if (!copy)
		return;
	kernel_core_close(&copy->kernel);
	kernel_core_close(&copy->first);
	kernel_core_close(&copy->changes);
	kernel_ranges_free(&copy->ranges);
	kernel_ranges_free(&copy->unknown);
	free(copy->directory);
	if (copy->symbols)
		fclose(copy->symbols);
	free(copy->symbol_lines);
	free(copy->page);
	free(copy->before);
	free(copy);
}

int kernel_copy_remove(const char *directory)
{
	static const char *const files[] = {
		"data",
		KCORE_DIR "/" KCORE_MEMORY,
		KCORE_DIR "/" KCORE_KALLSYMS,
		KCORE_DIR "/" KCORE_MODULES,
		KCORE_DIR,
		KCORE_CHANGES "/" KCORE_MEMORY,
		KCORE_CHANGES "/" KCORE_KALLSYMS,
		KCORE_CHANGES "/" KCORE_UNKNOWN,
		KCORE_CHANGES,
	};
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		if (snprintf(path, sizeof(path), "%s/%s", directory, files[i]) >= PATH_MAX)
			return -ENAMETOOLONG;
		if (remove(path) && errno != ENOENT && errno != ENOTDIR)
			return -errno;
	}
	return rmdir(directory) ? -errno : 0;
}
