// SPDX-License-Identifier: GPL-2.0-only
#include "kernel_core.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/input_file.h"

#define SEGMENTS_MAX UINT16_MAX

size_t kernel_page(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static int read_all(int fd, void *bytes, size_t size, uint64_t offset)
{
	uint8_t *at = bytes;

	while (size) {
		const ssize_t got = pread(fd, at, size, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : -EINVAL;
		at += got;
		offset += (uint64_t)got;
		size -= (size_t)got;
	}
	return 0;
}

static int write_all(int fd, const void *bytes, size_t size, uint64_t offset)
{
	const uint8_t *at = bytes;

	while (size) {
		const ssize_t put = pwrite(fd, at, size, (off_t)offset);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -errno;
		at += put;
		offset += (uint64_t)put;
		size -= (size_t)put;
	}
	return 0;
}

static int add_segment(struct kernel_core *core, uint64_t address, uint64_t size, uint64_t offset)
{
	if (!core->segments || core->count == core->room) {
		const size_t room = core->room ? 2 * core->room : 64;
		struct kernel_segment *more =
			reallocarray(core->segments, room, sizeof(*core->segments));

		if (!more)
			return -ENOMEM;
		core->segments = more;
		core->room = room;
	}
	core->segments[core->count++] = (struct kernel_segment){address, size, offset};
	return 0;
}

int kernel_core_open(struct kernel_core *core, const char *path)
{
	Elf64_Phdr segment;
	Elf64_Ehdr header;
	int error;

	*core = (struct kernel_core){.fd = own_file_open(path, O_RDONLY)};
	if (core->fd < 0)
		return -errno;
	error = read_all(core->fd, &header, sizeof(header), 0);
	if (!error &&
	    (memcmp(header.e_ident, ELFMAG, SELFMAG) || header.e_type != ET_CORE ||
	     header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(segment)))
		error = -EINVAL;
	for (unsigned int i = 0; !error && i < header.e_phnum; i++) {
		error = read_all(core->fd, &segment, sizeof(segment),
				 header.e_phoff + i * sizeof(segment));
		if (!error && segment.p_type == PT_LOAD)
			error = add_segment(core, segment.p_vaddr, segment.p_filesz,
					    segment.p_offset);
	}
	if (error)
		kernel_core_close(core);
	return error;
}

int kernel_core_create(struct kernel_core *core, const char *path)
{
	*core = (struct kernel_core){
		.fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0400),
		.end = kernel_page(),
	};
	return core->fd < 0 ? -errno : 0;
}

int kernel_core_add(struct kernel_core *core, uint64_t address, const void *bytes)
{
	const size_t page = kernel_page();
	struct kernel_segment *last = core->count ? &core->segments[core->count - 1] : NULL;
	int error = 0;

	if (last && last->address + last->size == address)
		last->size += page;
	else
		error = add_segment(core, address, page, core->end);
	if (!error)
		error = write_all(core->fd, bytes, page, core->end);
	core->end += page;
	return error;
}

int kernel_core_finish(struct kernel_core *core)
{
	const Elf64_Ehdr header = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			    EV_CURRENT},
		.e_type = ET_CORE,
		.e_machine = EM_AARCH64,
		.e_version = EV_CURRENT,
		.e_phoff = core->end,
		.e_ehsize = sizeof(header),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = (Elf64_Half)core->count,
	};
	int error = 0;

	if (core->count > SEGMENTS_MAX)
		return -EOVERFLOW;
	for (size_t i = 0; !error && i < core->count; i++) {
		const Elf64_Phdr segment = {
			.p_type = PT_LOAD,
			.p_flags = PF_R | PF_X,
			.p_offset = core->segments[i].offset,
			.p_vaddr = core->segments[i].address,
			.p_paddr = core->segments[i].address,
			.p_filesz = core->segments[i].size,
			.p_memsz = core->segments[i].size,
			.p_align = kernel_page(),
		};

		error = write_all(core->fd, &segment, sizeof(segment),
				  core->end + i * sizeof(segment));
	}
	return error ? error : write_all(core->fd, &header, sizeof(header), 0);
}

static bool read_page(const struct kernel_core *core, uint64_t address, void *bytes)
{
	for (size_t i = 0; i < core->count; i++) {
		const struct kernel_segment *segment = &core->segments[i];

		if (address >= segment->address && address - segment->address < segment->size)
			return !read_all(core->fd, bytes, kernel_page(),
					 segment->offset + (address - segment->address));
	}
	return false;
}

int kernel_core_prime(struct kernel_core *core, uint64_t mapped)
{
	core->mapped = mapped;
	if (!core->last)
		core->last = malloc(kernel_page());
	if (!core->last)
		return -ENOMEM;
	return read_page(core, mapped, core->last) ? 0 : -EINVAL;
}

/*
 * Was no memory mapped at the page that was just read? Then its bytes are those of the page before,
 * and after another page they are those of that page.
 */
static bool is_hole(struct kernel_core *core, uint64_t address, uint8_t *bytes)
{
	const size_t page = kernel_page();
	bool hole;

	for (uint64_t other = core->mapped; !memcmp(bytes, core->last, page); other += page)
		if (!read_page(core, other, core->last))
			return true;
	if (!read_page(core, address, bytes))
		return true;
	hole = !memcmp(bytes, core->last, page);
	memcpy(core->last, bytes, page);
	return hole;
}

bool kernel_core_read(struct kernel_core *core, uint64_t address, void *bytes)
{
	const size_t page = kernel_page();
	const uint8_t *at = bytes;

	if (!read_page(core, address, bytes))
		return false;
	if (core->last && !memcmp(bytes, core->last, page)) {
		if (is_hole(core, address, bytes))
			return false;
	} else if (core->last) {
		memcpy(core->last, bytes, page);
	}
	/* are all bytes zero: the first, and each equal to the one before */
	return at[0] || memcmp(at, at + 1, page - 1) != 0;
}

void kernel_core_close(struct kernel_core *core)
{
	if (core->fd >= 0)
		close(core->fd);
	free(core->segments);
	free(core->last);
	*core = (struct kernel_core){.fd = -1};
}
