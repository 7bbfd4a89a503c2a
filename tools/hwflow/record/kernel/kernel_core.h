/* SPDX-License-Identifier: GPL-2.0-only */
/* The memory of the running kernel, and ELF core files with parts of that memory. */
#ifndef HWFLOW_RECORD_KERNEL_CORE_H
#define HWFLOW_RECORD_KERNEL_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct kernel_segment - contiguous memory in an ELF core file
 * @address: the first address
 * @size: bytes
 * @offset: place of the first byte in the file
 */
struct kernel_segment {
	uint64_t address;
	uint64_t size;
	uint64_t offset;
};

/**
 * struct kernel_core - an ELF core file
 * @fd: the file
 * @segments: its memory
 * @count: number of @segments
 * @room: number of elements allocated
 * @end: where the next page of a file that is written goes
 * @last: of /proc/kcore: the page that was read last; NULL for other files
 * @mapped: of /proc/kcore: the first of many pages that are mapped, see kernel_core_prime()
 */
struct kernel_core {
	int fd;
	struct kernel_segment *segments;
	size_t count;
	size_t room;
	uint64_t end;
	uint8_t *last;
	uint64_t mapped;
};

/** kernel_page() - bytes of a page of the kernel's memory */
size_t kernel_page(void);

/**
 * kernel_core_open() - open /proc/kcore, or another ELF core file, to read it
 * @core: receives the file; kernel_core_close() closes it
 * @path: of the file
 *
 * Return: 0; -EACCES or -EPERM without CAP_SYS_RAWIO; -EINVAL for a file of another kind; or
 * another negative errno.
 */
int kernel_core_open(struct kernel_core *core, const char *path);

/**
 * kernel_core_prime() - name code of the kernel
 * @core: /proc/kcore
 * @mapped: address of the first page of the kernel's code
 *
 * Linux 6.1 leaves its buffer as it is where no memory is mapped: a read returns the page that was
 * read before. kernel_core_read() recognises that by a page with other contents.
 *
 * Return: 0 or a negative errno.
 */
int kernel_core_prime(struct kernel_core *core, uint64_t mapped);

/**
 * kernel_core_create() - create an ELF core file
 * @core: receives the file
 * @path: of the file, which must not exist
 *
 * Return: 0 or a negative errno.
 */
int kernel_core_create(struct kernel_core *core, const char *path);

/**
 * kernel_core_add() - append a page to a file that was created
 * @core: the file
 * @address: of the page
 * @bytes: the page
 *
 * Return: 0 or a negative errno.
 */
int kernel_core_add(struct kernel_core *core, uint64_t address, const void *bytes);

/**
 * kernel_core_finish() - write the ELF headers of a file that was created
 * @core: the file; it can be read after this call
 *
 * Return: 0 or a negative errno.
 */
int kernel_core_finish(struct kernel_core *core);

/**
 * kernel_core_read() - read a page
 * @core: the file; /proc/kcore after kernel_core_prime()
 * @address: of the page
 * @bytes: receives the page
 *
 * Return: whether the file has the page, the page was mapped, and any of its bytes is not zero.
 */
bool kernel_core_read(struct kernel_core *core, uint64_t address, void *bytes);

/** kernel_core_close() - close the file and free @core->segments */
void kernel_core_close(struct kernel_core *core);

#endif /* HWFLOW_RECORD_KERNEL_CORE_H */
