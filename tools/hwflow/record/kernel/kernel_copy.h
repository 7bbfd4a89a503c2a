/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Copies of the kernel's code beside a recording.
 *
 *	FILE/data                      the recording
 *	FILE/kcore_dir/                the copy at the beginning, as perf record --kcore makes it:
 *		kcore, kallsyms, modules
 *	FILE/kcore_changes/            code that differs from that copy; stock perf ignores it
 *		kcore                  pages, each in as many versions as were read
 *		kallsyms               symbols at the end, and those of BPF programs
 *		unknown                lines START END: code that was not read
 */
#ifndef HWFLOW_RECORD_KERNEL_COPY_H
#define HWFLOW_RECORD_KERNEL_COPY_H

#include <stdint.h>

/** struct kernel_copy - copies of a recording */
struct kernel_copy;

/**
 * kernel_copy_permitted() - whether this process can copy the kernel's code
 *
 * Return: 0; -EPERM or -EACCES if the kernel does not permit it; -ENODATA if it hides the addresses
 * of its symbols; or another negative errno.
 */
int kernel_copy_permitted(void);

/**
 * kernel_copy_begin() - copy the kernel's code, with its symbols and the list of its modules
 * @result: receives the state; kernel_copy_free() frees it, also after an error
 * @directory: FILE, which exists
 *
 * Return: 0 or a negative errno.
 */
int kernel_copy_begin(struct kernel_copy **result, const char *directory);

/**
 * kernel_copy_range() - copy code that is new
 * @copy: the copies
 * @start: the first address
 * @length: bytes
 *
 * Return: 0 or a negative errno.
 */
int kernel_copy_range(struct kernel_copy *copy, uint64_t start, uint64_t length);

/**
 * kernel_copy_symbol() - add a symbol that the kernel may not have any more at the end
 * @copy: the copies
 * @address: of the symbol
 * @name: of the symbol, a BPF program
 *
 * Return: 0 or -ENOMEM.
 */
int kernel_copy_symbol(struct kernel_copy *copy, uint64_t address, const char *name);

/**
 * kernel_copy_module() - copy the code of a module that was loaded, and of its initialization
 * @copy: the copies
 * @name: of the module
 *
 * Return: 0 or a negative errno.
 */
int kernel_copy_module(struct kernel_copy *copy, const char *name);

/**
 * kernel_copy_unknown() - note that code was executed, perhaps, that was not copied
 * @copy: the copies
 * @start: the first address
 * @length: bytes
 *
 * Return: 0 or -ENOMEM.
 */
int kernel_copy_unknown(struct kernel_copy *copy, uint64_t start, uint64_t length);

/**
 * kernel_copy_lost() - note that code at addresses that are not known was not copied
 * @copy: the copies
 *
 * All code that is in one of the two copies only is then unknown.
 */
void kernel_copy_lost(struct kernel_copy *copy);

/**
 * kernel_copy_compare() - read the kernel's code again, and copy what differs
 * @copy: the copies
 *
 * Return: 0 or a negative errno.
 */
int kernel_copy_compare(struct kernel_copy *copy);

/**
 * kernel_copy_end() - complete the files
 * @copy: the copies
 *
 * Return: 0 or a negative errno.
 */
int kernel_copy_end(struct kernel_copy *copy);

/** kernel_copy_free() - free the state; the files stay; NULL is allowed */
void kernel_copy_free(struct kernel_copy *copy);

/**
 * kernel_copy_remove() - remove a directory FILE, with the files that this command or perf record
 * writes to it
 * @directory: FILE
 *
 * Return: 0 or a negative errno, for example if there are other files.
 */
int kernel_copy_remove(const char *directory);

#endif /* HWFLOW_RECORD_KERNEL_COPY_H */
