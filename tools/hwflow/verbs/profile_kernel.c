// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files of kernel code. The recording has symbols with the addresses that they had (kallsyms).
 * The kernel is one piece, from _stext on. The loader of modules places each section of a module by
 * itself: module_sections.c finds them by the symbols in them. Code in no such section is not of a
 * file: BPF programs, trampolines, the tables of branches that the loader makes.
 */
#include "profile_kernel.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/input_file.h"
#include "base/message.h"
#include "hwflow/image.h"
#include "module_sections.h"
#include "perfdata/perfdata_read.h"
#include "profile/items.h"
#include "program/binary.h"
#include "program/elf_tree.h"
#include "program/kallsyms.h"
#include "program/kcore.h"

#define KERNEL_NAME "[kernel.kallsyms]"

/* Why code is left out */
#define NO_ID   "the recording does not have its build id"
#define SEVERAL "other code was at its addresses during the recording"
#define OTHER                                                                                  \
	"this part of it is in no section of its file that has symbols in the recording; the " \
	"kernel makes such code when it loads a module (.plt)"

/**
 * struct module - a module that the recording has mapped; the kernel is one without a name
 * @name: as kallsyms has it
 * @path: of its file, or its name in brackets
 * @mapping: of the recording
 * @file: as a profile has it
 * @reason: why its code, or a part of it, is left out; NULL: there is no reason
 * @several: the recording has several modules of this name
 */
struct module {
	char *name;
	char *path;
	const struct perfdata_mapping *mapping;
	struct hwf_profile_file file;
	char *reason;
	bool several;
};

/**
 * struct symbol - a symbol of a module
 * @module: its name in brackets
 * @symbol: the symbol
 * @copy: number of the copy of kallsyms that has it
 */
struct symbol {
	char *module;
	struct module_symbol symbol;
	unsigned int copy;
};

/**
 * struct range - addresses of a file
 * @start: the first
 * @end: behind the last
 * @offset: of @start in the file
 * @module: whose file it is
 * @several: other files were at these addresses at other times
 */
struct range {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	struct module *module;
	bool several;
};

/**
 * struct profile_kernel - see profile_kernel.h
 * @image: files of modules
 * @tree: the directory of --symfs; NULL: the files of this machine
 * @modules: struct module by name
 * @symbols: struct symbol, of modules; by address at the end
 * @ranges: struct range by address
 * @opening: the module whose file is opened
 * @copy: number of the copy of kallsyms that is read
 * @start: address of _stext; 0: not known
 * @end: where the code of the kernel ends
 * @failed: memory ran out
 */
struct profile_kernel {
	struct hwf_image *image;
	struct elf_tree *tree;
	struct items modules;
	struct items symbols;
	struct items ranges;
	struct module *opening;
	unsigned int copy;
	uint64_t start;
	uint64_t end;
	bool failed;
};

/* Keeps the first reason. */
static void leave_out(struct profile_kernel *kernel, struct module *module, const char *reason)
{
	if (!module->reason)
		module->reason = strdup(reason);
	kernel->failed |= !module->reason;
}

static void take_missing(void *ctx, const struct hwf_image_file *file, const char *reason)
{
	struct profile_kernel *kernel = ctx;
	struct module *module = kernel->opening;

	(void)file;
	if (!module->reason &&
	    asprintf(&module->reason,
		     "%s; --symfs=DIR finds its file by its build id, with DIR any directory that "
		     "has the file, not compressed",
		     reason) < 0) {
		module->reason = NULL;
		kernel->failed = true;
	}
}

/* ---- what the recording has mapped ---- */

static bool is_kernel(const char *path)
{
	return !strncmp(path, KERNEL_NAME, strlen(KERNEL_NAME));
}

/* The name of a module, of the path of its file or of its name in brackets; NULL without memory */
static char *module_name(const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	const char *end = *base == '[' ? strchr(base, ']') : strstr(base, ".ko");
	char *name;

	if (is_kernel(path))
		return strdup("");
	base += *base == '[';
	name = end ? strndup(base, (size_t)(end - base)) : strdup(base);
	/* files of modules have names with '-' */
	for (char *at = name; at && *at; at++)
		if (*at == '-')
			*at = '_';
	return name;
}

/* The path that a file has when it is not compressed; NULL without memory */
static char *plain_path(const char *path)
{
	const char *slash = strrchr(path, '/'), *end = slash ? strstr(slash, ".ko") : NULL;

	if (is_kernel(path))
		return strdup(KERNEL_NAME);
	return end ? strndup(path, (size_t)(end + strlen(".ko") - path)) : strdup(path);
}

static void add_module(struct profile_kernel *kernel, const struct perfdata_mapping *mapping)
{
	struct module *module = items_add(&kernel->modules, sizeof(*module));

	if (!module) {
		kernel->failed = true;
		return;
	}
	module->mapping = mapping;
	module->name = module_name(mapping->path);
	module->path = plain_path(mapping->path);
	kernel->failed |= !module->name || !module->path;
	module->file.name = module->path;
	module->file.id_size = mapping->build_id_size;
	memcpy(module->file.id, mapping->build_id, mapping->build_id_size);
}

static int compare_modules(const void *a, const void *b)
{
	const struct module *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static struct module *find_module(const struct profile_kernel *kernel, const char *name)
{
	const struct module key = {.name = (char *)(uintptr_t)name};

	return kernel->modules.count ? bsearch(&key, kernel->modules.at, kernel->modules.count,
					       sizeof(key), compare_modules)
				     : NULL;
}

/* Is @id that of the same file? */
static bool is_of(const struct perfdata_build_id *id, const struct module *module)
{
	return !strcmp(id->path, *module->name ? module->mapping->path : KERNEL_NAME);
}

/* A module without a build id of its own has that of the list in the recording's head. */
static void take_build_id(struct profile_kernel *kernel, const struct perfdata_build_id *id)
{
	char *name = module_name(id->path);
	struct module *module = name ? find_module(kernel, name) : NULL;

	kernel->failed |= !name;
	free(name);
	if (!module || module->file.id_size || !is_of(id, module))
		return;
	module->file.id_size = id->size;
	memcpy(module->file.id, id->bytes, id->size);
}

static void free_module(struct module *module)
{
	free(module->name);
	free(module->path);
	free(module->reason);
}

static bool is_same(const struct module *a, const struct module *b)
{
	return a->mapping->address == b->mapping->address && a->file.id_size == b->file.id_size &&
	       !memcmp(a->file.id, b->file.id, sizeof(a->file.id));
}

static void list_modules(struct profile_kernel *kernel, const struct perfdata_info *info)
{
	struct module *modules;
	size_t used = 0;

	for (size_t i = 0; i < info->event_count; i++)
		if (info->events[i].kind == PERFDATA_MMAP && info->events[i].pid < 0)
			add_module(kernel, info->events[i].u.mapping);
	if (kernel->failed)
		return;
	modules = kernel->modules.at;
	items_sort(&kernel->modules, sizeof(*modules), compare_modules);
	for (size_t i = 0; i < kernel->modules.count; i++) {
		if (used && !strcmp(modules[used - 1].name, modules[i].name)) {
			modules[used - 1].several |= !is_same(&modules[used - 1], &modules[i]);
			free_module(&modules[i]);
		} else {
			modules[used++] = modules[i];
		}
	}
	kernel->modules.count = used;
	for (size_t i = 0; i < used; i++)
		modules[i].file.name = modules[i].path;
	for (size_t i = 0; i < info->build_id_count; i++)
		take_build_id(kernel, &info->build_ids[i]);
}

/* ---- symbols ---- */

static int take_kernel_symbol(struct profile_kernel *kernel, const struct kallsym *symbol)
{
	static const char *const ends[] = {"_etext", "_einittext", "_end"};

	if (!strcmp(symbol->name, "_stext"))
		kernel->start = symbol->address;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (!strcmp(symbol->name, ends[i]) && symbol->address > kernel->end)
			kernel->end = symbol->address;
	return 0;
}

static int take_symbol(void *ctx, const struct kallsym *symbol)
{
	struct profile_kernel *kernel = ctx;
	struct symbol *taken;

	if (!*symbol->module)
		return take_kernel_symbol(kernel, symbol);
	taken = items_add(&kernel->symbols, sizeof(*taken));
	if (!taken || asprintf(&taken->module, "[%s]", symbol->module) < 0) {
		kernel->symbols.count -= taken != NULL;
		return -ENOMEM;
	}
	taken->symbol = (struct module_symbol){strdup(symbol->name), symbol->address};
	taken->copy = kernel->copy;
	return taken->symbol.name ? 0 : -ENOMEM;
}

static int compare_symbols(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;
	int order = strcmp(x->module, y->module);

	if (order || x->copy == y->copy)
		return order ? order : strcmp(x->symbol.name, y->symbol.name);
	return x->copy < y->copy ? -1 : 1;
}

static int compare_addresses(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return (x->symbol.address > y->symbol.address) - (x->symbol.address < y->symbol.address);
}

/* The symbols at the beginning, and those at the end, which `hwflow record` adds */
static void read_symbols(struct profile_kernel *kernel, const char *path)
{
	static const char *const directories[] = {KCORE_DIR, KCORE_CHANGES};

	for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]); i++) {
		char kallsyms[PATH_MAX];

		kernel->copy++;
		if (snprintf(kallsyms, sizeof(kallsyms), "%s/%s/" KCORE_KALLSYMS, path,
			     directories[i]) < PATH_MAX)
			kernel->failed |= kallsyms_read(kallsyms, strlen(path), take_symbol,
							kernel) == -ENOMEM;
	}
}

/* ---- addresses of files ---- */

static void add_range(void *ctx, const struct module_section *section)
{
	struct profile_kernel *kernel = ctx;
	struct range *range = items_add(&kernel->ranges, sizeof(*range));

	if (range)
		*range = (struct range){section->address, section->address + section->size,
					section->offset, kernel->opening, false};
	else
		kernel->failed = true;
}

static void place_kernel(struct profile_kernel *kernel, uint16_t machine)
{
	struct module *module = find_module(kernel, "");

	if (!module)
		return;
	if (!module->file.id_size || module->several) {
		leave_out(kernel, module, NO_ID);
		return;
	}
	if (!kernel->start || kernel->end <= kernel->start) {
		leave_out(kernel, module,
			  "the recording does not have the addresses of _stext and _etext");
		return;
	}
	module->file.id_kind = HWF_FILE_ID_KERNEL;
	module->file.machine = machine;
	kernel->opening = module;
	add_range(kernel, &(struct module_section){.address = kernel->start,
						   .size = kernel->end - kernel->start});
}

/* The file of a module; NULL if it is left out */
static struct hwf_image_file *open_module(struct profile_kernel *kernel, struct module *module)
{
	struct hwf_image_file *file;

	if (module->several)
		leave_out(kernel, module, "the recording has several modules of this name");
	else if (!module->file.id_size)
		leave_out(kernel, module, NO_ID);
	if (module->reason)
		return NULL;
	module->file.id_kind = HWF_FILE_ID_BUILD;
	kernel->opening = module;
	if (binary_add(kernel->image, &module->file, kernel->tree, &file)) {
		kernel->failed = true;
		return NULL;
	}
	return hwf_image_file_open(file) ? NULL : file;
}

/* The module whose symbol this is; NULL: it was not mapped when the recording began */
static struct module *module_of(struct profile_kernel *kernel, const struct symbol *symbol)
{
	char *name = module_name(symbol->module);
	struct module *module = name ? find_module(kernel, name) : NULL;

	kernel->failed |= !name;
	free(name);
	return module;
}

/* Symbols of a module in one copy of kallsyms, by name */
static void place_module(struct profile_kernel *kernel, const struct symbol *symbols, size_t count)
{
	struct module_symbol *own = calloc(count, sizeof(*own));
	struct module *module = module_of(kernel, symbols);
	struct hwf_image_file *file = own && module ? open_module(kernel, module) : NULL;

	kernel->failed |= !own;
	if (file) {
		const struct module_bounds bounds = {module->mapping->address,
						     module->mapping->length};
		const char *reason;

		for (size_t i = 0; i < count; i++)
			own[i] = symbols[i].symbol;
		module->file.machine = hwf_image_file_elf(file)->machine;
		reason = module_sections(file, own, count, &bounds, add_range, kernel);
		if (reason)
			leave_out(kernel, module, reason);
	}
	free(own);
}

static void place_modules(struct profile_kernel *kernel)
{
	const struct symbol *symbols;
	size_t end;

	items_sort(&kernel->symbols, sizeof(*symbols), compare_symbols);
	symbols = kernel->symbols.at;
	for (size_t i = 0; i < kernel->symbols.count; i = end) {
		end = i + 1;
		while (end < kernel->symbols.count && symbols[end].copy == symbols[i].copy &&
		       !strcmp(symbols[end].module, symbols[i].module))
			end++;
		place_module(kernel, &symbols[i], end - i);
	}
	items_sort(&kernel->symbols, sizeof(*symbols), compare_addresses);
}

static int compare_ranges(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->end > y->end) - (x->end < y->end);
}

static bool is_equal(const struct range *a, const struct range *b)
{
	return a->start == b->start && a->end == b->end && a->offset == b->offset &&
	       a->module == b->module;
}

/* Two copies of kallsyms have the same ranges; others that overlap are left out. */
static void join_ranges(struct profile_kernel *kernel)
{
	struct range *ranges = kernel->ranges.at;
	size_t used = 0;

	items_sort(&kernel->ranges, sizeof(*ranges), compare_ranges);
	for (size_t i = 0; i < kernel->ranges.count; i++) {
		struct range *last = used ? &ranges[used - 1] : NULL, range = ranges[i];

		if (!last || last->end <= range.start) {
			ranges[used++] = range;
			continue;
		}
		if (is_equal(last, &range))
			continue;
		last->several = true;
		leave_out(kernel, last->module, SEVERAL);
		leave_out(kernel, range.module, SEVERAL);
		if (last->end < range.end)
			last->end = range.end;
	}
	kernel->ranges.count = used;
}

struct profile_kernel *profile_kernel_new(const struct input *input,
					  const struct input_options *options, uint16_t machine)
{
	const struct perfdata_info *info = input_recording(input);
	struct profile_kernel *kernel = calloc(1, sizeof(*kernel));

	if (!kernel)
		return NULL;
	kernel->tree = options->symfs ? elf_tree_new(options->symfs) : NULL;
	kernel->failed = (options->symfs && !kernel->tree) ||
			 hwf_image_new(&kernel->image, take_missing, kernel);
	if (!kernel->failed) {
		hwf_image_set_open(kernel->image, input_file_map);
		list_modules(kernel, info);
	}
	if (!kernel->failed)
		read_symbols(kernel, options->path);
	if (!kernel->failed) {
		place_kernel(kernel, machine);
		place_modules(kernel);
		join_ranges(kernel);
	}
	if (!kernel->failed)
		return kernel;
	profile_kernel_free(kernel);
	return NULL;
}

void profile_kernel_free(struct profile_kernel *kernel)
{
	struct module *modules;
	struct symbol *symbols;

	if (!kernel)
		return;
	modules = kernel->modules.at;
	symbols = kernel->symbols.at;
	for (size_t i = 0; i < kernel->modules.count; i++)
		free_module(&modules[i]);
	for (size_t i = 0; i < kernel->symbols.count; i++) {
		free(symbols[i].module);
		free(symbols[i].symbol.name);
	}
	free(modules);
	free(symbols);
	free(kernel->ranges.at);
	hwf_image_free(kernel->image);
	elf_tree_free(kernel->tree);
	free(kernel);
}

struct kernel_place profile_kernel_find(const struct profile_kernel *kernel, uint64_t address)
{
	const struct range *ranges = kernel->ranges.at;
	size_t low = 0, high = kernel->ranges.count;
	uint64_t start, end;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (ranges[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low && address < ranges[low - 1].end) {
		const struct range *range = &ranges[low - 1];

		return (struct kernel_place){range->several ? NULL : &range->module->file,
					     range->start, range->end - range->start,
					     range->offset};
	}
	start = low ? ranges[low - 1].end : 0;
	end = low < kernel->ranges.count ? ranges[low].start : UINT64_MAX;
	return (struct kernel_place){.start = start, .length = end - start};
}

/* The last symbol of a module at an address or before it; NULL if there is none */
static const struct symbol *symbol_at(const struct profile_kernel *kernel, uint64_t address)
{
	const struct symbol *symbols = kernel->symbols.at;
	size_t low = 0, high = kernel->symbols.count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (symbols[middle].symbol.address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &symbols[low - 1] : NULL;
}

/* Does the kernel make this code while it runs? */
static bool is_made(const char *module)
{
	return !strcmp(module, "[bpf]") || !strncmp(module, "[__builtin__", 12);
}

const char *profile_kernel_left_out(struct profile_kernel *kernel, uint64_t address)
{
	const struct symbol *symbol = symbol_at(kernel, address);
	const bool of_kernel = kernel->start && address >= kernel->start &&
			       (!symbol || symbol->symbol.address < kernel->start);
	const char *name = of_kernel ? KERNEL_NAME : symbol ? symbol->module : "[kernel]";
	const char *reason;
	const struct module *module = of_kernel ? find_module(kernel, "")
				      : symbol  ? module_of(kernel, symbol)
						: NULL;

	if (module)
		reason = module->reason ? module->reason : of_kernel ? NULL : OTHER;
	else
		reason = !symbol || is_made(name) ? NULL : NO_ID;
	if (reason)
		message_once("hwflow: %s: code is left out of the profile: %s",
			     module ? module->path : name, reason);
	return name;
}
