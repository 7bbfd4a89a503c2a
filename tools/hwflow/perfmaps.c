/* SPDX-License-Identifier: GPL-2.0-only */
/* The programs of a recording: what each process had mapped, over time. */
#include <errno.h>
#include <limits.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hwflow/image.h"
#include "perfmaps.h"

/* struct process - node of perfmaps.processes, by pid */
struct process {
	int32_t pid;
	struct hwf_image_space *space;
};

/* struct thread - node of perfmaps.threads, by tid */
struct thread {
	int32_t tid;
	int32_t pid;
	const char *comm;
};

/* struct mapped_file - node of perfmaps.files, by what the recording says of it */
struct mapped_file {
	const char *path;
	uint8_t build_id[HWF_BUILD_ID_MAX];
	uint8_t build_id_size;
	struct hwf_image_file *file;
};

/* struct given - a stretch of addresses with code that was given besides the recording */
struct given {
	uint64_t start;
	uint64_t length;
};

/**
 * struct perfmaps - address spaces of all processes of a recording
 * @info: the recording
 * @symfs: files are below this directory; "" for the root
 * @image: all address spaces and files
 * @views: one for each WFXMODE; made when needed
 * @code: what perfmaps_code() gave out last: a view's, with our own look-up of contexts
 * @view: that view's code
 * @base: below all others: what was given besides the recording
 * @kernel: mapped in every process
 * @given: what @base has
 * @given_count: how many
 * @processes: tree of struct process
 * @threads: tree of struct thread
 * @files: tree of struct mapped_file
 * @next: the first event that has not happened yet
 * @now: time of the last call
 * @pid: process of contexts that do not say
 * @failed: memory ran out
 */
struct perfmaps {
	const struct perfdata_info *info;
	char *symfs;
	struct hwf_image *image;
	struct hwf_image_view *views[2];
	struct hwf_code code;
	const struct hwf_code *view;
	struct hwf_image_space *base;
	struct hwf_image_space *kernel;
	struct given *given;
	size_t given_count;
	void *processes;
	void *threads;
	void *files;
	size_t next;
	uint64_t now;
	int32_t pid;
	bool failed;
};

static int compare_i32(int32_t a, int32_t b)
{
	return (a > b) - (a < b);
}

static int compare_processes(const void *a, const void *b)
{
	return compare_i32(((const struct process *)a)->pid, ((const struct process *)b)->pid);
}

static int compare_threads(const void *a, const void *b)
{
	return compare_i32(((const struct thread *)a)->tid, ((const struct thread *)b)->tid);
}

static int compare_files(const void *a, const void *b)
{
	const struct mapped_file *x = a, *y = b;
	const int order = memcmp(x->build_id, y->build_id, sizeof(x->build_id));

	return order ? order : strcmp(x->path, y->path);
}

/* The node of a tree that is like @key, a copy of @key where there is none; NULL without memory. */
static void *tree_get(struct perfmaps *maps, void **tree, const void *key, size_t size,
		      int (*compare)(const void *, const void *))
{
	void **found = tfind(key, tree, compare), *node;

	if (found)
		return *found;
	node = malloc(size);
	if (node) {
		memcpy(node, key, size);
		if (tsearch(node, tree, compare))
			return node;
	}
	free(node);
	maps->failed = true;
	return NULL;
}

static struct process *process_get(struct perfmaps *maps, int32_t pid)
{
	const struct process key = {.pid = pid};
	struct process *process =
		tree_get(maps, &maps->processes, &key, sizeof(key), compare_processes);

	if (process && !process->space &&
	    hwf_image_add_space(maps->image, NULL, maps->kernel, &process->space)) {
		maps->failed = true;
		return NULL;
	}
	return process;
}

static struct thread *thread_get(struct perfmaps *maps, int32_t tid, int32_t pid)
{
	const struct thread key = {.tid = tid, .pid = pid};
	struct thread *thread = tree_get(maps, &maps->threads, &key, sizeof(key), compare_threads);

	if (thread)
		thread->pid = pid;
	return thread;
}

static void say_missing(void *ctx, const struct hwf_image_file *file, const char *reason)
{
	const struct perfmaps *maps = ctx;

	fflush(stdout);
	fprintf(stderr, "hwflow: %s: no code: %s%s\n", hwf_image_file_name(file), reason,
		*maps->symfs || !*hwf_image_file_path(file)
			? ""
			: "; files of the machine recorded go below a directory given by --symfs");
}

/*
 * Where a file of the machine recorded is on this one: below symfs by its whole path, or by its
 * name only; or in the cache that perf keeps. Where it is not, the first of these.
 */
static void locate(const struct perfmaps *maps, const struct mapped_file *key, char path[PATH_MAX])
{
	const char *home = getenv("HOME"), *name = strrchr(key->path, '/');
	char hex[2 * HWF_BUILD_ID_MAX + 1] = "";

	if (*maps->symfs && name) {
		snprintf(path, PATH_MAX, "%s%s", maps->symfs, name);
		if (access(path, R_OK))
			path[0] = 0;
	}
	for (size_t i = 0; i < key->build_id_size; i++)
		sprintf(hex + 2 * i, "%02x", key->build_id[i]);
	if (home && key->build_id_size > 1 && !path[0]) {
		snprintf(path, PATH_MAX, "%s/.debug/.build-id/%.2s/%s/elf", home, hex, hex + 2);
		if (access(path, R_OK))
			path[0] = 0;
	}
	if (!path[0])
		snprintf(path, PATH_MAX, "%s%s", maps->symfs, key->path);
}

/* Why there is no file to look for; NULL if there is one. */
static const char *not_a_file(const char *path, int32_t pid)
{
	if (pid < 0)
		return "code of the kernel is not read yet";
	if (!strncmp(path, "[vdso", 5))
		return "the recording does not hold the vdso";
	if (path[0] != '/' || !strncmp(path, "//", 2) || !strncmp(path, "/memfd:", 7) ||
	    !strncmp(path, "/dev/zero", 9))
		return "memory without a file, such as code made at run time, is not recorded";
	return NULL;
}

static int add_file(struct perfmaps *maps, struct mapped_file *node, int32_t pid)
{
	struct hwf_image_identity identity = {.name = node->path, .machine = true};
	const char *reason = not_a_file(node->path, pid);
	char path[PATH_MAX] = "";

	if (reason)
		return hwf_image_add_missing(maps->image, node->path, reason, &node->file);
	snprintf(path, sizeof(path), "%s%s", maps->symfs, node->path);
	if (access(path, R_OK)) {
		path[0] = 0;
		locate(maps, node, path);
	}
	memcpy(identity.build_id, node->build_id, sizeof(identity.build_id));
	identity.build_id_size = node->build_id_size;
	return hwf_image_add_file(maps->image, path, &identity, &node->file);
}

/* The build id of a file: the mapping's own, or that of the list in the recording's head. */
static void find_build_id(const struct perfdata_info *info, const struct perfdata_mapping *mapping,
			  struct mapped_file *key)
{
	key->build_id_size = mapping->build_id_size;
	memcpy(key->build_id, mapping->build_id, sizeof(key->build_id));
	for (size_t i = 0; i < info->build_id_count && !key->build_id_size; i++) {
		const struct perfdata_build_id *id = &info->build_ids[i];

		if (strcmp(id->path, mapping->path))
			continue;
		key->build_id_size = id->size;
		memcpy(key->build_id, id->bytes, id->size);
	}
}

static struct hwf_image_file *file_of(struct perfmaps *maps, const struct perfdata_mapping *mapping,
				      int32_t pid)
{
	struct mapped_file key = {.path = mapping->path}, *node;

	find_build_id(maps->info, mapping, &key);
	node = tree_get(maps, &maps->files, &key, sizeof(key), compare_files);
	if (node && !node->file && add_file(maps, node, pid))
		maps->failed = true;
	return node ? node->file : NULL;
}

/* The part of [start, start + length) that is not before @from; false if there is none. */
static bool cut_before(uint64_t from, uint64_t *start, uint64_t *length)
{
	if (*start >= from)
		return true;
	if (*length <= from - *start)
		return false;
	*length -= from - *start;
	*start = from;
	return true;
}

/* There is no file for this mapping: leaves it out where other code was given. */
static int uncover(const struct perfmaps *maps, struct hwf_image_space *space,
		   const struct perfdata_mapping *mapping)
{
	int err = 0;

	for (size_t i = 0; i < maps->given_count && !err; i++) {
		uint64_t start = maps->given[i].start, length = maps->given[i].length, room;

		if (!cut_before(mapping->address, &start, &length) ||
		    start - mapping->address >= mapping->length)
			continue;
		room = mapping->length - (start - mapping->address);
		err = hwf_image_map(space, start, length < room ? length : room, NULL, 0);
	}
	return err;
}

static void take_mmap(struct perfmaps *maps, const struct perfdata_event *event)
{
	const struct perfdata_mapping *mapping = event->u.mapping;
	struct hwf_image_file *file = file_of(maps, mapping, event->pid);
	struct hwf_image_space *space = maps->kernel;

	if (event->pid >= 0) {
		struct process *process = process_get(maps, event->pid);

		thread_get(maps, event->tid, event->pid);
		space = process ? process->space : NULL;
	}
	if (!file || !space)
		return;
	if (hwf_image_map(space, mapping->address, mapping->length, file, mapping->file_offset))
		maps->failed = true;
	else if (maps->given_count && access(hwf_image_file_path(file), R_OK) &&
		 uncover(maps, space, mapping))
		maps->failed = true;
}

/* A new process begins as a copy of its maker. */
static void take_fork(struct perfmaps *maps, const struct perfdata_event *event)
{
	struct thread *thread = thread_get(maps, event->tid, event->pid);
	const struct thread *maker = thread_get(maps, event->u.parent.tid, event->u.parent.pid);
	const struct process *parent;
	struct process *child;

	if (thread && maker)
		thread->comm = maker->comm;
	if (event->pid == event->u.parent.pid)
		return;
	parent = process_get(maps, event->u.parent.pid);
	child = process_get(maps, event->pid);
	if (parent && child && hwf_image_space_copy(child->space, parent->space))
		maps->failed = true;
}

static void take_comm(struct perfmaps *maps, const struct perfdata_event *event)
{
	struct thread *thread = thread_get(maps, event->tid, event->pid);
	struct process *process = event->u.comm.exec ? process_get(maps, event->pid) : NULL;

	if (thread)
		thread->comm = event->u.comm.name;
	if (process)
		hwf_image_space_clear(process->space);
}

static void take_event(struct perfmaps *maps, const struct perfdata_event *event)
{
	switch (event->kind) {
	case PERFDATA_MMAP:
		take_mmap(maps, event);
		break;
	case PERFDATA_FORK:
		take_fork(maps, event);
		break;
	case PERFDATA_COMM:
		take_comm(maps, event);
		break;
	case PERFDATA_ITRACE_START:
		thread_get(maps, event->tid, event->pid);
		break;
	default:
		break;
	}
}

static void clear_process(const void *node, VISIT which, void *ctx)
{
	(void)ctx;
	if (which == preorder || which == leaf)
		hwf_image_space_clear((*(struct process *const *)node)->space);
}

/* Makes everything as it was at a time: forward from now, or again from the beginning. */
static void go_to(struct perfmaps *maps, uint64_t time)
{
	const struct perfdata_info *info = maps->info;

	if (time < maps->now) {
		hwf_image_space_clear(maps->kernel);
		twalk_r(maps->processes, clear_process, NULL);
		tdestroy(maps->threads, free);
		maps->threads = NULL;
		maps->next = 0;
	}
	maps->now = time;
	while (maps->next < info->event_count && info->events[maps->next].time <= time)
		take_event(maps, &info->events[maps->next++]);
}

static const struct thread *find_thread(const struct perfmaps *maps, int32_t tid)
{
	const struct thread key = {.tid = tid};
	void *const *found = tfind(&key, &maps->threads, compare_threads);

	return found ? *found : NULL;
}

int32_t perfmaps_tid(const struct perfmaps *maps, const struct hwf_context *context)
{
	if (maps->info->context_in_vmid)
		return context->has_vmid ? (int32_t)context->vmid : PERFDATA_ANY;
	if (maps->info->context_in_cid)
		return context->has_cid ? (int32_t)context->cid : PERFDATA_ANY;
	return PERFDATA_ANY;
}

/* The kernel puts the thread's number into the context, not the process'. */
static const void *space_of(void *ctx, const struct hwf_context *context)
{
	struct perfmaps *maps = ctx;
	const int32_t tid = perfmaps_tid(maps, context);
	const struct thread *thread = tid < 0 ? NULL : find_thread(maps, tid);
	const struct process key = {.pid = thread ? thread->pid : tid < 0 ? maps->pid : tid};
	void *const *found = tfind(&key, &maps->processes, compare_processes);

	return found ? (*(struct process *const *)found)->space : maps->kernel;
}

static size_t read_code(void *ctx, const void *space, uint64_t address, void *bytes, size_t length)
{
	const struct perfmaps *maps = ctx;

	return maps->view->read(maps->view->ctx, space, address, bytes, length);
}

static void run_code(void *ctx, const void *space, uint64_t address, enum hwf_isa isa,
		     struct hwf_run *run)
{
	const struct perfmaps *maps = ctx;

	maps->view->run(maps->view->ctx, space, address, isa, run);
}

int perfmaps_new(struct perfmaps **result, const struct perfdata_info *info, const char *symfs)
{
	struct perfmaps *maps = calloc(1, sizeof(*maps));

	if (!maps)
		return -ENOMEM;
	maps->info = info;
	maps->code = (struct hwf_code){maps, space_of, read_code, run_code};
	maps->symfs = strdup(symfs ? symfs : "");
	if (!maps->symfs || hwf_image_new(&maps->image, say_missing, maps) ||
	    hwf_image_add_space(maps->image, NULL, NULL, &maps->base) ||
	    hwf_image_add_space(maps->image, NULL, maps->base, &maps->kernel) ||
	    hwf_image_view_new(&maps->views[0], maps->image, false) ||
	    hwf_image_view_new(&maps->views[1], maps->image, true)) {
		perfmaps_free(maps);
		return -ENOMEM;
	}
	*result = maps;
	return 0;
}

struct hwf_image *perfmaps_image(struct perfmaps *maps)
{
	return maps->image;
}

int perfmaps_map(struct perfmaps *maps, uint64_t start, uint64_t length,
		 struct hwf_image_file *file, uint64_t offset)
{
	struct given *given = reallocarray(maps->given, maps->given_count + 1, sizeof(*given));

	if (!given)
		return -ENOMEM;
	maps->given = given;
	given[maps->given_count++] = (struct given){start, length};
	return hwf_image_map(maps->base, start, length, file, offset);
}

const struct hwf_code *perfmaps_code(struct perfmaps *maps, uint64_t time, int32_t pid, bool wfx)
{
	go_to(maps, time);
	if (maps->failed) {
		fprintf(stderr, "hwflow: %s: out of memory: code is missing\n", maps->info->path);
		maps->failed = false;
	}
	maps->pid = pid;
	maps->view = hwf_image_view_code(maps->views[wfx]);
	return &maps->code;
}

const char *perfmaps_comm(const struct perfmaps *maps, int32_t tid)
{
	const struct thread *thread = find_thread(maps, tid);

	return thread && thread->comm ? thread->comm : "";
}

void perfmaps_free(struct perfmaps *maps)
{
	if (!maps)
		return;
	tdestroy(maps->processes, free);
	tdestroy(maps->threads, free);
	tdestroy(maps->files, free);
	hwf_image_view_free(maps->views[0]);
	hwf_image_view_free(maps->views[1]);
	hwf_image_free(maps->image);
	free(maps->given);
	free(maps->symfs);
	free(maps);
}
