// SPDX-License-Identifier: GPL-2.0-only
/*
 * late FILE - maps FILE, a copy of itself, and executes a function of it, again and again in other
 * places.
 * late alone says where in the file that function is, OFFSET/SIZE, as perf's filters have it.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define ROUNDS 5

extern const char __ehdr_start[];
static volatile uint64_t sink;

/* Nothing in it depends on where it is, and nothing of it on what comes before or behind. */
static __attribute__((noinline, section(".text.late"), aligned(64))) uint64_t late(uint64_t n)
{
	uint64_t steps = 0;

	while (n != 1) {
		n = n & 1 ? 3 * n + 1 : n / 2;
		steps++;
	}
	return steps;
}

static __attribute__((noinline, section(".text.late"))) void late_end(void)
{
	sink++;
}

int main(int argc, char **argv)
{
	const uint64_t offset = (uint64_t)((const char *)(uintptr_t)late - __ehdr_start);
	const size_t page = (size_t)getpagesize(), skip = offset % page;
	int fd;

	if (argc < 2) {
		printf("%#llx/%#llx\n", (unsigned long long)offset,
		       (unsigned long long)((uintptr_t)late_end - (uintptr_t)late));
		return 0;
	}
	fd = open(argv[1], O_RDONLY);
	if (fd < 0)
		return 1;
	for (uint64_t round = 0; round < ROUNDS; round++) {
		char *code = mmap(NULL, 2 * page, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd,
				  (off_t)(offset - skip));

		if (code == MAP_FAILED)
			return 1;
		sink += ((uint64_t (*)(uint64_t n))(uintptr_t)(code + skip))(27 + round);
		/* not unmapped: the next one lies elsewhere */
		sink += late(3);
	}
	late_end();
	return 0;
}
