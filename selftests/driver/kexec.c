// SPDX-License-Identifier: GPL-2.0-only
/*
 * kexec [-p] KERNEL INITRD OLD NEW - the next kernel, with the device tree that this one was booted
 * with, where NEW is in place of OLD on the command line. They have the same length. It is booted at
 * once; with -p when this one panics.
 *
 * KERNEL is an Image, as Debian's are.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/kexec.h>
#include <linux/reboot.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ALIGN		0x200000ul
#define BASE		0x10000000ul	/* from the start of memory, if this kernel goes */
#define FDT_BEGIN	1
#define FDT_PROP	3
#define FDT_NOP		4

static void die(const char *what)
{
	perror(what);
	exit(1);
}

struct file {
	void *bytes;
	size_t size;
};

static struct file file_read(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct file file;
	size_t got = 0;
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		die(path);
	file.size = (size_t)st.st_size;
	file.bytes = malloc(file.size + 1);
	if (!file.bytes)
		die(path);
	while (got < file.size) {
		ssize_t n = read(fd, (char *)file.bytes + got, file.size - got);

		if (n <= 0)
			die(path);
		got += (size_t)n;
	}
	close(fd);
	return file;
}

/* Where what is called so begins in memory */
static uint64_t memory_of(const char *name)
{
	FILE *iomem = fopen("/proc/iomem", "r");
	unsigned long long start;
	char line[256];

	while (iomem && fgets(line, sizeof(line), iomem))
		if (strstr(line, name) && sscanf(line, "%llx-", &start) == 1) {
			fclose(iomem);
			return start;
		}
	errno = ENOENT;
	die(name);
	return 0;
}

static uint32_t fdt_word(const struct file *fdt, uint32_t offset)
{
	uint32_t word;

	if (offset + sizeof(word) > fdt->size)
		exit(1);
	memcpy(&word, (const char *)fdt->bytes + offset, sizeof(word));
	return be32toh(word);
}

/* The value of a property that only one node has; its length is set */
static char *fdt_property(const struct file *fdt, const char *name, uint32_t *length)
{
	uint32_t at = fdt_word(fdt, 8), strings = fdt_word(fdt, 12);
	uint32_t end = at + fdt_word(fdt, 36);

	while (at < end) {
		uint32_t token = fdt_word(fdt, at);
		char *text = (char *)fdt->bytes + at + 4;

		at += 4;
		if (token == FDT_BEGIN) {
			at += (uint32_t)(strlen(text) + 4) & ~3u;
		} else if (token == FDT_PROP) {
			*length = fdt_word(fdt, at);
			if (!strcmp((char *)fdt->bytes + strings + fdt_word(fdt, at + 4), name))
				return text + 8;
			at += 8 + ((*length + 3) & ~3u);
		} else if (token > FDT_NOP) {
			break;
		}
	}
	errno = ENOENT;
	die(name);
	return NULL;
}

static void fdt_set(const struct file *fdt, const char *name, uint64_t value)
{
	uint32_t length, word = htobe32((uint32_t)value);
	char *property = fdt_property(fdt, name, &length);
	uint64_t two = htobe64(value);

	memcpy(property, length == 4 ? (void *)&word : (void *)&two, length == 4 ? 4 : 8);
}

static void fdt_replace(const struct file *fdt, const char *old, const char *new)
{
	uint32_t length;
	char *found = strstr(fdt_property(fdt, "bootargs", &length), old);

	errno = EINVAL;
	if (!found || strlen(old) != strlen(new))
		die(old);
	memcpy(found, new, strlen(new));
}

/* What the next kernel is entered by, with the address of its device tree in x0 */
struct entry {
	uint32_t code[6];
	uint64_t kernel, fdt;
};

static uint64_t up(uint64_t at)
{
	return (at + ALIGN - 1) & ~(ALIGN - 1);
}

static struct kexec_segment segment(const void *bytes, size_t size, uint64_t at, uint64_t room)
{
	return (struct kexec_segment) {
		.buf = bytes, .bufsz = size, .mem = (void *)at, .memsz = up(room),
	};
}

int main(int argc, char **argv)
{
	bool panic = argc > 1 && !strcmp(argv[1], "-p");
	struct kexec_segment segments[4];
	struct file kernel, initrd, fdt;
	uint64_t at, size;
	struct entry entry = {
		/* ldr x17, kernel; ldr x0, fdt; mov x1, x2, x3, xzr; br x17 */
		.code = { 0x580000d1, 0x580000e0, 0xaa1f03e1, 0xaa1f03e2, 0xaa1f03e3, 0xd61f0220 },
	};

	argv += panic;
	if (argc - panic != 5)
		return 2;
	kernel = file_read(argv[1]);
	initrd = file_read(argv[2]);
	fdt = file_read("/sys/firmware/fdt");
	memcpy(&size, (char *)kernel.bytes + 16, sizeof(size));	/* image_size of the header */
	at = panic ? up(memory_of("Crash kernel")) : memory_of("System RAM") + BASE;
	entry.kernel = at;
	segments[0] = segment(kernel.bytes, kernel.size, at, size);
	at += up(size);
	segments[1] = segment(initrd.bytes, initrd.size, at, initrd.size);
	fdt_set(&fdt, "linux,initrd-start", at);
	fdt_set(&fdt, "linux,initrd-end", at + initrd.size);
	at += up(initrd.size);
	entry.fdt = at;
	fdt_replace(&fdt, argv[3], argv[4]);
	segments[2] = segment(fdt.bytes, fdt.size, at, fdt.size);
	at += up(fdt.size);
	segments[3] = segment(&entry, sizeof(entry), at, sizeof(entry));
	if (syscall(SYS_kexec_load, at, 4, segments,
		    KEXEC_ARCH_AARCH64 | (panic ? KEXEC_ON_CRASH : 0)))
		die("kexec_load");
	if (!panic && syscall(SYS_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2,
			      LINUX_REBOOT_CMD_KEXEC, NULL))
		die("reboot");
	return 0;
}
