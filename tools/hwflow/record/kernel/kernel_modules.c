// SPDX-License-Identifier: GPL-2.0-only
#include "kernel_modules.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/input_file.h"
#include "kernel_core.h"
#include "program/kallsyms.h"

/* pages of BPF programs that the kernel allocates together */
#define BPF_AREA_MAX (UINT64_C(2) << 20)

/* A line is NAME SIZE USES USERS STATE ADDRESS. */
static bool parse_module(const char *line, struct kernel_module *module)
{
	char state[16];

	*module = (struct kernel_module){.size = 0};
	if (sscanf(line, "%63s %" SCNu64 " %*s %*s %15s %" SCNx64, module->name, &module->size,
		   state, &module->start) != 4)
		return false;
	module->loading = !strcmp(state, "Loading");
	return module->start && module->size;
}

int kernel_modules_read(struct kernel_modules *modules, const char *path)
{
	FILE *file = own_file_stream(path);
	struct kernel_module module;
	size_t room = 0, size = 0;
	char *line = NULL;
	int error = 0;

	*modules = (struct kernel_modules){.count = 0};
	if (!file)
		return -errno;
	while (!error && getline(&line, &size, file) >= 0) {
		if (!parse_module(line, &module))
			continue;
		if (!modules->items || modules->count == room) {
			struct kernel_module *more;

			room = room ? 2 * room : 64;
			more = reallocarray(modules->items, room, sizeof(*more));
			error = more ? 0 : -ENOMEM;
			modules->items = more ? more : modules->items;
		}
		if (!error)
			modules->items[modules->count++] = module;
	}
	free(line);
	fclose(file);
	return error;
}

struct kernel_module *kernel_modules_find(const struct kernel_modules *modules, const char *name)
{
	for (size_t i = 0; i < modules->count; i++)
		if (!strcmp(modules->items[i].name, name))
			return &modules->items[i];
	return NULL;
}

uint64_t kernel_module_section(const char *directory, const char *module, const char *section)
{
	char path[PATH_MAX];
	uint64_t address;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s/sections/%s", directory, module, section);
	file = own_file_stream(path);
	if (!file || fscanf(file, "%" SCNx64, &address) != 1)
		address = 0;
	if (file)
		fclose(file);
	return address;
}

uint64_t kernel_module_code_end(const struct kernel_module *module, const char *directory)
{
	uint64_t end = module->start + module->size;
	struct dirent *entry;
	char path[PATH_MAX];
	DIR *sections;

	snprintf(path, sizeof(path), "%s/%s/sections", directory, module->name);
	sections = opendir(path);
	while (sections && (entry = readdir(sections)) != NULL) {
		uint64_t address;

		if (strstr(entry->d_name, "text") || strstr(entry->d_name, "plt"))
			continue;
		address = kernel_module_section(directory, module->name, entry->d_name);
		if (address > module->start && address < end)
			end = address;
	}
	if (sections)
		closedir(sections);
	return end & ~(uint64_t)(kernel_page() - 1);
}

void kernel_modules_free(struct kernel_modules *modules)
{
	free(modules->items);
	*modules = (struct kernel_modules){.count = 0};
}

int kernel_ranges_add(struct kernel_ranges *ranges, uint64_t start, uint64_t end)
{
	const uint64_t mask = kernel_page() - 1;

	if (start >= end)
		return 0;
	if (!ranges->items || ranges->count == ranges->room) {
		const size_t room = ranges->room ? 2 * ranges->room : 64;
		struct kernel_range *more =
			reallocarray(ranges->items, room, sizeof(*ranges->items));

		if (!more)
			return -ENOMEM;
		ranges->items = more;
		ranges->room = room;
	}
	ranges->items[ranges->count++] = (struct kernel_range){start & ~mask, (end + mask) & ~mask};
	return 0;
}

static int compare_ranges(const void *a, const void *b)
{
	const struct kernel_range *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

void kernel_ranges_sort(struct kernel_ranges *ranges)
{
	size_t count = 0;

	if (ranges->count)
		qsort(ranges->items, ranges->count, sizeof(*ranges->items), compare_ranges);
	for (size_t i = 0; i < ranges->count; i++) {
		const struct kernel_range range = ranges->items[i];
		struct kernel_range *last = count ? &ranges->items[count - 1] : NULL;

		if (!last || last->end < range.start)
			ranges->items[count++] = range;
		else if (last->end < range.end)
			last->end = range.end;
	}
	ranges->count = count;
}

void kernel_ranges_free(struct kernel_ranges *ranges)
{
	free(ranges->items);
	*ranges = (struct kernel_ranges){.count = 0};
}

static bool has_address(const struct kernel_ranges *ranges, uint64_t address)
{
	for (size_t i = 0; i < ranges->count; i++)
		if (address >= ranges->items[i].start && address < ranges->items[i].end)
			return true;
	return false;
}

int kernel_ranges_area(struct kernel_ranges *ranges, struct kernel_core *core, uint64_t start,
		       uint64_t limit)
{
	const size_t page = kernel_page();
	uint64_t end = start & ~(uint64_t)(page - 1);
	uint8_t *bytes = malloc(page);
	int error;

	if (!bytes)
		return -ENOMEM;
	while (end < limit && kernel_core_read(core, end, bytes))
		end += page;
	error = kernel_ranges_add(ranges, start, end);
	free(bytes);
	return error;
}

/**
 * struct finding - addresses of the kernel's code so far
 * @ranges: receives those of BPF programs and of code that the kernel makes
 * @core: /proc/kcore
 * @stext: address of _stext
 * @etext: address of _etext
 */
struct finding {
	struct kernel_ranges *ranges;
	struct kernel_core *core;
	uint64_t stext;
	uint64_t etext;
};

static int take_kernel_symbol(struct finding *finding, const struct kallsym *symbol)
{
	if (!strcmp(symbol->name, "_etext"))
		finding->etext = symbol->address;
	if (strcmp(symbol->name, "_stext") != 0 || !symbol->address)
		return 0;
	finding->stext = symbol->address;
	return kernel_core_prime(finding->core, symbol->address);
}

/* The kernel names code that it makes "bpf" and "__builtin__...", as it names a module. */
static int take_symbol(void *ctx, const struct kallsym *symbol)
{
	struct finding *finding = ctx;

	if (!*symbol->module)
		return take_kernel_symbol(finding, symbol);
	/* all symbols of modules follow those of the kernel */
	if (!finding->stext)
		return -ENODATA;
	if (!strcmp(symbol->module, "bpf") || !strncmp(symbol->module, "__builtin__", 11)) {
		if (!symbol->address || has_address(finding->ranges, symbol->address))
			return 0;
		return kernel_ranges_area(finding->ranges, finding->core, symbol->address,
					  symbol->address + BPF_AREA_MAX);
	}
	return 0;
}

static int add_modules(const struct finding *finding, const char *path, const char *sections)
{
	struct kernel_modules modules;
	int error = kernel_modules_read(&modules, path);

	for (size_t i = 0; !error && i < modules.count; i++)
		error = kernel_ranges_area(finding->ranges, finding->core, modules.items[i].start,
					   kernel_module_code_end(&modules.items[i], sections));
	kernel_modules_free(&modules);
	/* a kernel without modules has no list */
	return error == -ENOENT ? 0 : error;
}

int kernel_ranges_find(struct kernel_ranges *ranges, struct kernel_core *core, const char *kallsyms,
		       const char *modules, const char *sections)
{
	struct finding finding = {.ranges = ranges, .core = core};
	int error = kallsyms_read(kallsyms, 0, take_symbol, &finding);

	if (!error && (!finding.stext || finding.etext <= finding.stext))
		error = -ENODATA;
	if (!error)
		error = kernel_ranges_add(ranges, finding.stext, finding.etext);
	if (!error)
		error = add_modules(&finding, modules, sections);
	kernel_ranges_sort(ranges);
	return error;
}
