/* SPDX-License-Identifier: GPL-2.0-only */
/* Recordings of processes that map three little files, for tests of perfmaps. */
#ifndef HWFLOW_WORLD_TEST_H
#define HWFLOW_WORLD_TEST_H

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "tests/perfdata_test.h"

#include "hwflow/image.h"
#include "program/perfmaps.h"

/* Three little files of code below a directory of our own. */
struct world {
	char root[32];
	struct perfdata_mapping mappings[3];
	struct perfdata_event events[4096];
	struct perfdata_info info;
};

static const char *const names[3] = {"/a", "/lib/b", "/c"};

static inline void write_file(const struct world *world, const char *name, const void *bytes,
			      size_t size)
{
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s%s", world->root, name);
	file = fopen(path, "we");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	fclose(file);
}

/* Each file is full of its own letter. "/lib/b" is at the top of the directory. */
static inline void world_make(struct world *world)
{
	char contents[64];

	*world = (struct world){.root = "/tmp/hwflow-maps-XXXXXX"};
	assert_non_null(mkdtemp(world->root));
	for (int i = 0; i < 3; i++) {
		memset(contents, 'a' + i, sizeof(contents));
		write_file(world, strrchr(names[i], '/'), contents, sizeof(contents));
		world->mappings[i] = (struct perfdata_mapping){
			.address = 0x1000, .length = 64, .path = names[i], .prot = PROT_EXEC};
	}
	world->info.events = world->events;
	world->info.path = "test";
}

static inline void world_remove(const struct world *world)
{
	char path[PATH_MAX];

	for (int i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s%s", world->root, strrchr(names[i], '/'));
		unlink(path);
	}
	rmdir(world->root);
}

static inline struct perfdata_event *add(struct world *world, uint64_t time, int32_t pid,
					 int32_t tid, enum perfdata_event_kind kind)
{
	struct perfdata_event *event = &world->events[world->info.event_count++];

	*event = (struct perfdata_event){
		.time = time, .pid = pid, .tid = tid, .cpu = -1, .kind = (uint8_t)kind};
	return event;
}

static inline void add_mmap(struct world *world, uint64_t time, int32_t pid, int file)
{
	add(world, time, pid, pid, PERFDATA_MMAP)->u.mapping = &world->mappings[file];
}

static inline void add_fork(struct world *world, uint64_t time, int32_t pid, int32_t tid,
			    int32_t parent)
{
	struct perfdata_event *event = add(world, time, pid, tid, PERFDATA_FORK);

	event->u.parent.pid = parent;
	event->u.parent.tid = parent;
}

static inline void add_exec(struct world *world, uint64_t time, int32_t pid, const char *name)
{
	struct perfdata_event *event = add(world, time, pid, pid, PERFDATA_COMM);

	event->u.comm.exec = true;
	event->u.comm.name = name;
}

/* What is at 0x1000 in a context, at a time; '-' for nothing. */
static inline char at(struct perfmaps *maps, uint64_t time, int32_t pid,
		      const struct hwf_context *context)
{
	const struct hwf_code *code =
		perfmaps_code(maps, &(struct perfmaps_time){.end = time}, pid, false);
	char byte = '-';

	code->read(code->ctx, code->space(code->ctx, context), 0x1000, &byte, 1);
	return byte;
}

/* What is at an address in a process, for trace of a stretch of time */
static inline char there(struct perfmaps *maps, const struct perfmaps_time *time, int32_t pid,
			 uint64_t address)
{
	static const struct hwf_context context;
	const struct hwf_code *code = perfmaps_code(maps, time, pid, false);
	char byte = '-';

	code->read(code->ctx, code->space(code->ctx, &context), address, &byte, 1);
	return byte;
}

/* What is at 0x1000 */
static inline char between(struct perfmaps *maps, uint64_t begin, uint64_t end, int32_t pid)
{
	return there(maps, &(struct perfmaps_time){begin, end}, pid, 0x1000);
}

static inline void add_exit(struct world *world, uint64_t time, int32_t pid, int32_t tid)
{
	add(world, time, pid, tid, PERFDATA_EXIT);
}

#endif /* HWFLOW_WORLD_TEST_H */
