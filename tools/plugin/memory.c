// SPDX-License-Identifier: GPL-2.0-only
/* Reading the program's memory where it may not be there. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "plugin.h"

/* Through the kernel: a bad address is an error, and no fault in the wrong place. */
static ssize_t read_own_memory(void *address, void *bytes, size_t length)
{
	struct iovec local = {.iov_base = bytes, .iov_len = length};
	struct iovec remote = {.iov_base = address, .iov_len = length};
	ssize_t got = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
	int fd;

	if (got >= 0 || (errno != EPERM && errno != ENOSYS))
		return got;
	fd = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	got = pread(fd, bytes, length, (off_t)(uintptr_t)address);
	close(fd);
	return got;
}

bool guest_read(uint64_t address, void *bytes, size_t length)
{
	void *host = (void *)(uintptr_t)(address + plugin.guest_base);

	return plugin.guest_base_known && read_own_memory(host, bytes, length) == (ssize_t)length;
}

bool guest_read_string(uint64_t address, char *text, size_t size)
{
	size_t have = 0;

	while (have < size) {
		uint64_t at = address + have;
		size_t chunk = RUN_PAGE - (size_t)(at & (RUN_PAGE - 1));

		if (chunk > size - have)
			chunk = size - have;
		if (!guest_read(at, text + have, chunk))
			return false;
		if (memchr(text + have, 0, chunk))
			return true;
		have += chunk;
	}
	return false;
}
