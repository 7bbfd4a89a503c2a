// SPDX-License-Identifier: GPL-2.0-only
/* Checks of the fuzz target `command`: memory, time, descriptors, files that are opened, text. */
#include "checks.h"

#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/*
 * The budget of Documentation/untrusted-input.rst. A replay has two graphs of 62 MB in diff, which
 * are allocated but hardly touched. Time is under sanitizers, on a machine with other work.
 */
#ifdef HWFLOW_GRAPH_NODES
#define MEMORY_BASE (UINT64_C(64) << 20)
#else
#define MEMORY_BASE (UINT64_C(192) << 20)
#endif
#define MEMORY_EACH  16u
#define SECONDS_BASE 8

/* of the sanitizers' runtime */
int __sanitizer_install_malloc_and_free_hooks(void (*allocated)(const volatile void *, size_t),
					      void (*freed)(const volatile void *));
size_t __sanitizer_get_allocated_size(const volatile void *p);
void __lsan_disable(void);
void __lsan_enable(void);

static struct {
	char directory[PATH_MAX];
	char opened[PATH_MAX]; /* the first file that was opened outside of the directory */
	_Atomic bool on;
	bool installed;
	_Atomic int64_t bytes;
	_Atomic int64_t most;
	int descriptor;
	struct timespec start;
} state;

static bool is_allowed(const char *check)
{
	const char *list = getenv("HWFLOW_FUZZ_ALLOW");
	const size_t length = strlen(check);

	for (; list && *list; list += strcspn(list, ","), list += *list == ',')
		if (strcspn(list, ",") == length && !strncmp(list, check, length))
			return true;
	return false;
}

void checks_finding(const char *check, const char *format, ...)
{
	char message[1024];
	va_list arguments;

	if (is_allowed(check))
		return;
	va_start(arguments, format);
	vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	/* stderr is what the command writes to */
	dprintf(STDERR_FILENO, "ERROR: %s: %s\n", check, message);
	abort();
}

static void count_allocated(const volatile void *memory, size_t size)
{
	int64_t now;

	(void)memory;
	if (!state.on)
		return;
	now = atomic_fetch_add(&state.bytes, (int64_t)size) + (int64_t)size;
	if (now > state.most)
		state.most = now;
}

static void count_freed(const volatile void *memory)
{
	if (state.on && memory)
		atomic_fetch_sub(&state.bytes, (int64_t)__sanitizer_get_allocated_size(memory));
}

/* The lowest number that a new descriptor gets: another one later means that one was left open. */
static int lowest_descriptor(void)
{
	const int fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);

	close(fd);
	return fd;
}

void checks_begin(const char *directory)
{
	if (!state.installed)
		__sanitizer_install_malloc_and_free_hooks(count_allocated, count_freed);
	state.installed = true;
	snprintf(state.directory, sizeof(state.directory), "%s", directory);
	*state.opened = 0;
	state.bytes = 0;
	state.most = 0;
	state.descriptor = lowest_descriptor();
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &state.start);
	state.on = true;
}

void checks_end(size_t input, unsigned int recordings)
{
	const int64_t budget = (int64_t)(recordings * MEMORY_BASE + MEMORY_EACH * input);
	struct timespec end;

	state.on = false;
	if (getenv("HWFLOW_FUZZ_SHOW"))
		dprintf(STDERR_FILENO, "%lld bytes of memory\n", (long long)state.most);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
	if (state.most > budget)
		checks_finding("memory", "%lld bytes for an input of %zu", (long long)state.most,
			       input);
	if (end.tv_sec - state.start.tv_sec > SECONDS_BASE)
		checks_finding("time", "%lld s of CPU",
			       (long long)(end.tv_sec - state.start.tv_sec));
	if (*state.opened)
		checks_finding("open", "%s is outside of %s", state.opened, state.directory);
	if (lowest_descriptor() != state.descriptor)
		checks_finding("descriptor", "one was left open");
}

void checks_text(const char *name, const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		const unsigned char c = (unsigned char)text[i];

		if ((c < ' ' && c != '\n' && c != '\t') || c == 0x7f)
			checks_finding("text", "byte %zu of %s is %#x", i, name, c);
	}
}

/*
 * open() of the command and of elfutils. The path of the file that was opened is the kernel's:
 * links and ".." are resolved in it.
 */
static void look_at(int fd)
{
	char link[64], path[PATH_MAX];
	ssize_t size;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	size = readlink(link, path, sizeof(path) - 1);
	if (size < 0)
		return;
	path[size] = 0;
	if (!strncmp(path, state.directory, strlen(state.directory)) ||
	    !strncmp(path, "/proc/", 6) || !strncmp(path, "/sys/", 5) ||
	    !strcmp(path, "/dev/null") || *state.opened)
		return;
	memcpy(state.opened, path, (size_t)size + 1);
}

static int open_at(int directory, const char *path, int flags, mode_t mode)
{
	const int fd = (int)syscall(SYS_openat, directory, path, flags, mode);

	if (fd >= 0 && state.on)
		look_at(fd);
	return fd;
}

static mode_t mode_of(int flags, va_list arguments)
{
	return flags & (O_CREAT | __O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
}

/* the names of glibc's parameters are reserved */
/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name) */
int open(const char *path, int flags, ...)
{
	va_list arguments;
	int fd;

	va_start(arguments, flags);
	fd = open_at(AT_FDCWD, path, flags, mode_of(flags, arguments));
	va_end(arguments);
	return fd;
}

int open64(const char *path, int flags, ...)
{
	va_list arguments;
	int fd;

	va_start(arguments, flags);
	fd = open_at(AT_FDCWD, path, flags, mode_of(flags, arguments));
	va_end(arguments);
	return fd;
}

int openat(int directory, const char *path, int flags, ...)
{
	va_list arguments;
	int fd;

	va_start(arguments, flags);
	fd = open_at(directory, path, flags, mode_of(flags, arguments));
	va_end(arguments);
	return fd;
}

int openat64(int directory, const char *path, int flags, ...)
{
	va_list arguments;
	int fd;

	va_start(arguments, flags);
	fd = open_at(directory, path, flags, mode_of(flags, arguments));
	va_end(arguments);
	return fd;
}
/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */

/*
 * elfutils 0.188 loses the name of a file that it looks for by a debug link, if the file is another
 * one. The linker has this function called in its place.
 */
int __real_dwfl_standard_find_debuginfo(Dwfl_Module *module, void **data, const char *name,
					Dwarf_Addr base, const char *file, const char *link,
					GElf_Word crc, char **found);
int __wrap_dwfl_standard_find_debuginfo(Dwfl_Module *module, void **data, const char *name,
					Dwarf_Addr base, const char *file, const char *link,
					GElf_Word crc, char **found);

int __wrap_dwfl_standard_find_debuginfo(Dwfl_Module *module, void **data, const char *name,
					Dwarf_Addr base, const char *file, const char *link,
					GElf_Word crc, char **found)
{
	int fd;

	__lsan_disable();
	fd = __real_dwfl_standard_find_debuginfo(module, data, name, base, file, link, crc, found);
	__lsan_enable();
	return fd;
}
