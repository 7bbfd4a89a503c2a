// SPDX-License-Identifier: GPL-2.0-only
/*
 * make_jit KIND COUNT DIRECTORY [NAME] - make a recording DIRECTORY/data of a process that made
 * code at run time, and its jitdump file beside it. NAME: of the mapping that has the code, else
 * //anon.
 *
 *   mappings   COUNT mappings of memory, and as many functions, all of which are in the first
 *   moves      two large functions with the same code, which move COUNT times to one address
 *   name       a function with a name of COUNT bytes
 *   map        the same in perf-PID.map
 */
#include <elf.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perfdata/perfdata_write.h"

#define PID    7
#define MEMORY UINT64_C(0x10000000)
#define CODE   UINT64_C(0x20000000)

static const uint32_t nop = 0xd503201f;

static void put(FILE *file, const void *bytes, size_t size)
{
	if (fwrite(bytes, 1, size, file) != size)
		exit(1);
}

static void put_head(FILE *file)
{
	const struct {
		uint32_t magic, version, size, machine, unused, pid;
		uint64_t time, flags;
	} head = {.magic = 0x4a695444, .version = 1, .size = 40, .machine = EM_AARCH64, .pid = PID};

	put(file, &head, sizeof(head));
}

static void put_name(FILE *file, uint32_t length)
{
	for (uint32_t i = 0; i < length; i++)
		put(file, "n", 1);
}

/* A function that branches to itself, and has a long name */
static void put_named(FILE *file, uint32_t length)
{
	static const uint32_t branch = 0x14000000;
	const struct {
		uint32_t id, length;
		uint64_t time;
		uint32_t pid, tid;
		uint64_t vma, address, size, index;
	} load = {.length = (uint32_t)sizeof(load) + length + 1 + 4,
		  .pid = PID,
		  .tid = PID,
		  .address = MEMORY,
		  .size = sizeof(branch)};

	put(file, &load, sizeof(load));
	put_name(file, length);
	put(file, "", 1);
	put(file, &branch, sizeof(branch));
}

static void write_map(const char *path, uint32_t length)
{
	FILE *file = fopen(path, "we");

	if (!file || fprintf(file, "%llx 4 ", (unsigned long long)MEMORY) < 0)
		exit(1);
	put_name(file, length);
	if (fputc('\n', file) == EOF || fclose(file))
		exit(1);
}

static void put_load(FILE *file, uint64_t address, uint64_t size, uint64_t index)
{
	const struct {
		uint32_t id, length;
		uint64_t time;
		uint32_t pid, tid;
		uint64_t vma, address, size, index;
		char name[4];
	} load = {.length = (uint32_t)(60 + size),
		  .pid = PID,
		  .tid = PID,
		  .address = address,
		  .size = size,
		  .index = index,
		  .name = "fun"};

	put(file, &load, 60);
	for (uint64_t i = 0; i < size; i += sizeof(nop))
		put(file, &nop, sizeof(nop));
}

static void put_move(FILE *file, uint64_t size, uint64_t index)
{
	const struct {
		uint32_t id, length;
		uint64_t time;
		uint32_t pid, tid;
		uint64_t copy, from, to, size, index;
	} move = {.id = 1,
		  .length = 64,
		  .pid = PID,
		  .tid = PID,
		  .to = CODE,
		  .size = size,
		  .index = index};

	put(file, &move, sizeof(move));
}

static void write_dump(const char *path, const char *kind, uint32_t count)
{
	FILE *file = fopen(path, "we");

	if (!file)
		exit(1);
	put_head(file);
	if (!strcmp(kind, "name")) {
		put_named(file, count);
	} else if (!strcmp(kind, "moves")) {
		put_load(file, CODE, UINT64_C(32) * count, 1);
		put_load(file, CODE, UINT64_C(32) * count, 2);
		for (uint32_t i = 0; i < count; i++)
			put_move(file, UINT64_C(32) * count, 1 + i % 2);
	} else {
		for (uint32_t i = 0; i < count; i++)
			put_load(file, MEMORY + UINT64_C(4) * i, 4, i);
	}
	if (fclose(file))
		exit(1);
}

static int map(struct perfdata_writer *writer, uint64_t address, uint64_t length, const char *path)
{
	const struct perfdata_stamp stamp = {1, PID, PID, PERFDATA_ANY};
	const struct perfdata_mapping mapping = {
		.address = address, .length = length, .prot = 5, .path = path};

	return perfdata_write_mmap2(writer, &stamp, &mapping);
}

/* Synchronisation, Trace Info, Trace On, an address with its context, an Atom */
static const uint8_t trace[] = {0, 0, 0,    0, 0, 0, 0,    0, 0, 0, 0, 0x80, 0x01,
				0, 4, 0x85, 0, 0, 0, 0x10, 0, 0, 0, 0, 0x30, 0xf7};

static int write_recording(const char *path, const char *name, uint32_t mappings)
{
	static const char *const words[] = {"hwflow", "record"};
	static const struct perfdata_cpu cpu = {.protocol = PERFDATA_ETE,
						.regs = {.trcconfigr = 1,
							 .trcidr0 = 0x084002a1,
							 .trcidr2 = 0x40001088,
							 .trcdevarch = 0x47735a13}};
	const struct perfdata_recording recording = {.argv = words,
						     .argc = 2,
						     .hostname = "board",
						     .osrelease = "6.1.0",
						     .cpus = &cpu,
						     .cpu_count = 1};
	const struct perfdata_stamp end = {900, PID, PID, PERFDATA_ANY};
	const struct perfdata_area area = {.pid = PID, .tid = PID, .cpu = PERFDATA_ANY};
	struct perfdata_writer *writer;
	int error = perfdata_writer_open(&writer, path, &recording);

	if (error)
		return 1;
	error = map(writer, 0x1000, 0x1000, "/tmp/jit-7.dump");
	if (!error)
		error = map(writer, MEMORY, CODE - MEMORY, name);
	for (uint32_t i = 0; i < mappings && !error; i++)
		error = map(writer, 2 * CODE + UINT64_C(0x1000) * i, 0x1000, "//anon");
	if (!error)
		error = perfdata_write_session(writer, &end, &area, 0, trace, sizeof(trace), 0);
	return perfdata_writer_close(writer) || error;
}

int main(int argc, char **argv)
{
	char path[PATH_MAX];
	uint32_t count;

	if (argc != 4 && argc != 5) {
		fputs("usage: make_jit KIND COUNT DIRECTORY [NAME]\n", stderr);
		return 1;
	}
	count = (uint32_t)strtoul(argv[2], NULL, 10);
	snprintf(path, sizeof(path), "%.4000s/jit-%d.dump", argv[3], PID);
	if (strcmp(argv[1], "map") != 0) {
		write_dump(path, argv[1], count);
	} else {
		snprintf(path, sizeof(path), "%.4000s/perf-%d.map", argv[3], PID);
		write_map(path, count);
	}
	snprintf(path, sizeof(path), "%.4000s/data", argv[3]);
	return write_recording(path, argc == 5 ? argv[4] : "//anon",
			       strcmp(argv[1], "mappings") != 0 ? 0 : count);
}
