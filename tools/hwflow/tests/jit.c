/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For jit.sh, and for the cell hwjit of the emulated machine: makes code at run time and writes of
 * it for perf, as the first argument says: "map" for /tmp/perf-PID.map, "dump" for jit-PID.dump in
 * the working directory, "load" likewise, but no code is replaced.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define RET    0xd65f03c0u
#define NOP    0xd503201fu
#define ADD(n) (0x91000000u | (n) << 10) /* add x0, x0, #n */
#define SUBS   0xf1000400u               /* subs x0, x0, #1 */
#define BNE(n) (0x54000001u | ((uint32_t)(n) & 0x7ffff) << 5)

static FILE *dump;

static uint64_t now(void)
{
	struct timespec time;

	/* by a system call: the code of a vdso is no code of this program */
	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void put32(uint32_t value)
{
	fwrite(&value, sizeof(value), 1, dump);
}

static void put64(uint64_t value)
{
	fwrite(&value, sizeof(value), 1, dump);
}

static int dump_open(void)
{
	char name[64];

	snprintf(name, sizeof(name), "jit-%d.dump", (int)getpid());
	dump = fopen(name, "w+");
	if (!dump ||
	    mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(dump), 0) == MAP_FAILED)
		return 1;
	put32(0x4a695444);
	put32(1);
	put32(40);
	put32(183);
	put32(0);
	put32((uint32_t)getpid());
	put64(now());
	put64(0);
	return 0;
}

static void dump_line(const uint32_t *code, int line)
{
	put32(2);
	put32(32 + 16 + 8);
	put64(now());
	put64((uintptr_t)code);
	put64(1);
	put64((uintptr_t)code);
	put32((uint32_t)line);
	put32(0);
	fwrite("jit.src", 8, 1, dump);
}

static void dump_load(const char *name, const uint32_t *code, size_t size, uint64_t index)
{
	put32(0);
	put32((uint32_t)(56 + strlen(name) + 1 + size));
	put64(now());
	put32((uint32_t)getpid());
	put32((uint32_t)syscall(SYS_gettid));
	put64((uintptr_t)code);
	put64((uintptr_t)code);
	put64(size);
	put64(index);
	fwrite(name, strlen(name) + 1, 1, dump);
	fwrite(code, size, 1, dump);
	fflush(dump);
}

static void dump_move(const uint32_t *from, const uint32_t *to, size_t size, uint64_t index)
{
	put32(1);
	put32(64);
	put64(now());
	put32((uint32_t)getpid());
	put32((uint32_t)syscall(SYS_gettid));
	put64((uintptr_t)to);
	put64((uintptr_t)from);
	put64((uintptr_t)to);
	put64(size);
	put64(index);
	fflush(dump);
}

/* Counts down from @times, with @nops instructions that do nothing in between. */
static size_t make(uint32_t *code, size_t nops)
{
	size_t at = 0;

	while (at < nops)
		code[at++] = NOP;
	code[at++] = SUBS;
	code[at] = BNE(-(int64_t)at);
	at++;
	code[at++] = RET;
	__builtin___clear_cache((char *)code, (char *)(code + at));
	return 4 * at;
}

static void call(uint32_t *code, uint64_t times)
{
	void (*function)(uint64_t);

	memcpy(&function, &code, sizeof(code));
	function(times);
}

int main(int argc, char **argv)
{
	uint32_t *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t first, second;
	char name[64];
	FILE *map;

	if (argc < 2 || page == MAP_FAILED)
		return 1;
	if (!strcmp(argv[1], "map")) {
		snprintf(name, sizeof(name), "/tmp/perf-%d.map", (int)getpid());
		map = fopen(name, "w");
		if (!map)
			return 1;
		first = make(page, 1);
		second = make(page + 64, 5);
		fprintf(map, "%lx %zx older than the next line\n", (unsigned long)page, first);
		fprintf(map, "%lx %zx first in map.js:1\n", (unsigned long)page, first);
		fprintf(map, "0x%lx 0x%zx second\n", (unsigned long)(page + 64), second);
		fclose(map);
		call(page, 1000);
		call(page + 64, 1000);
		return 0;
	}
	if (dump_open())
		return 1;
	first = make(page, 1);
	dump_line(page, 42);
	dump_load("before", page, first, 1);
	call(page, 1000);
	if (!strcmp(argv[1], "load")) {
		second = make(page + 64, 5);
		dump_load("second", page + 64, second, 2);
		memcpy(page + 1024, page, first);
		__builtin___clear_cache((char *)(page + 1024), (char *)(page + 1040));
		dump_move(page, page + 1024, first, 1);
		call(page + 64, 1000);
		call(page + 1024, 500);
		return fclose(dump) != 0;
	}
	/* other code at the same address */
	first = make(page, 2);
	dump_load("after", page, first, 2);
	call(page, 1000);
	/* and that elsewhere */
	memcpy(page + 1024, page, first);
	__builtin___clear_cache((char *)(page + 1024), (char *)(page + 1040));
	dump_move(page, page + 1024, first, 2);
	call(page + 1024, 500);
	/* over all of it, but not executed: other code, and then the same again */
	dump_load("too late", page, make(page, 3), 3);
	dump_load("too late", page, make(page, 2), 4);
	put32(3);
	put32(16);
	put64(now());
	return fclose(dump) != 0;
}
