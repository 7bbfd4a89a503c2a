/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's modules, and the addresses of its code. */
#ifndef HWFLOW_RECORD_KERNEL_MODULES_H
#define HWFLOW_RECORD_KERNEL_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct kernel_module - a module, from a line of /proc/modules
 * @name: its name
 * @start: the first address of its code
 * @size: bytes of its memory; its data may follow its code
 * @loading: the code of its initialization has not ended
 */
struct kernel_module {
	char name[64];
	uint64_t start;
	uint64_t size;
	bool loading;
};

/**
 * struct kernel_modules - all modules
 * @items: the modules, in the order of the file
 * @count: number of @items
 */
struct kernel_modules {
	struct kernel_module *items;
	size_t count;
};

/**
 * kernel_modules_read() - read the list of modules
 * @modules: receives the modules; kernel_modules_free() frees them
 * @path: /proc/modules, or a copy
 *
 * Modules whose address the kernel hides are not in the list.
 *
 * Return: 0 or a negative errno.
 */
int kernel_modules_read(struct kernel_modules *modules, const char *path);

/** kernel_modules_find() - the module of a name; NULL if there is none */
struct kernel_module *kernel_modules_find(const struct kernel_modules *modules, const char *name);

/**
 * kernel_module_section() - the address of a section of a module
 * @directory: /sys/module
 * @module: name of the module
 * @section: name of the section, with its dot
 *
 * Return: the address; 0 if the section does not exist, or the kernel hides the address.
 */
uint64_t kernel_module_section(const char *directory, const char *module, const char *section);

/**
 * kernel_module_code_end() - the address after the code of a module
 * @module: the module
 * @directory: /sys/module
 *
 * Pages of code precede those of data. The addresses of sections are in DIRECTORY/NAME/sections.
 *
 * Return: the lowest address of a section without code; the end of the module's memory if the
 * sections cannot be read.
 */
uint64_t kernel_module_code_end(const struct kernel_module *module, const char *directory);

/** kernel_modules_free() - free the list */
void kernel_modules_free(struct kernel_modules *modules);

/**
 * struct kernel_range - addresses from @start up to @end
 * @start: a multiple of the size of a page
 * @end: likewise
 */
struct kernel_range {
	uint64_t start;
	uint64_t end;
};

/**
 * struct kernel_ranges - a set of addresses
 * @items: its ranges; none overlaps another, and they ascend, after kernel_ranges_sort()
 * @count: number of @items
 * @room: number of elements allocated
 */
struct kernel_ranges {
	struct kernel_range *items;
	size_t count;
	size_t room;
};

/**
 * kernel_ranges_add() - add the pages of some addresses
 * @ranges: the set
 * @start: the first address
 * @end: the address after the last
 *
 * Return: 0 or -ENOMEM.
 */
int kernel_ranges_add(struct kernel_ranges *ranges, uint64_t start, uint64_t end);

/** kernel_ranges_sort() - sort the set, and join ranges that overlap or adjoin */
void kernel_ranges_sort(struct kernel_ranges *ranges);

/** kernel_ranges_free() - make the set empty */
void kernel_ranges_free(struct kernel_ranges *ranges);

struct kernel_core;

/**
 * kernel_ranges_area() - add the pages from an address on, up to a page that is not mapped
 * @ranges: the set
 * @core: /proc/kcore
 * @start: the first address
 * @limit: the address after the last page that may be added
 *
 * Return: 0 or -ENOMEM.
 */
int kernel_ranges_area(struct kernel_ranges *ranges, struct kernel_core *core, uint64_t start,
		       uint64_t limit);

/**
 * kernel_ranges_find() - find all code of the kernel, of its modules, and of BPF programs
 * @ranges: receives the addresses
 * @core: /proc/kcore
 * @kallsyms: /proc/kallsyms, or a copy
 * @modules: /proc/modules, or a copy
 * @sections: /sys/module
 *
 * Return: 0; -ENODATA if the kernel hides the addresses of its symbols; or another negative errno.
 */
int kernel_ranges_find(struct kernel_ranges *ranges, struct kernel_core *core, const char *kallsyms,
		       const char *modules, const char *sections);

#endif /* HWFLOW_RECORD_KERNEL_MODULES_H */
