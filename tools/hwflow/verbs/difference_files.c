// SPDX-License-Identifier: GPL-2.0-only
/* Files of two recordings: which file of the new one takes the place of a file of the old one. */
#include "difference_files.h"

#include <errno.h>
#include <search.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/print.h"
#include "perfdata/perfdata_read.h"

/**
 * struct side_file - a file of one recording
 * @name: without folders
 * @other: the file of the other recording; NULL for none
 * @alone: name of a file of the old recording that has no @other, where the new recording has a
 * file of the same name that is compared with another one; else NULL
 * @program: @other was chosen because each recording has one program left
 */
struct side_file {
	char *name;
	struct side_file *other;
	char *alone;
	bool program;
};

/**
 * struct build - a build of a file, in one recording
 * @file: its name without folders
 * @id: the build id
 * @size: bytes of @id
 * @side: the recording
 */
struct build {
	char *file;
	uint8_t id[20];
	uint8_t size;
	enum difference_side side;
};

/**
 * struct difference_files - files of both recordings
 * @trees: struct side_file of each recording, by name
 * @files: the same in order of appearance
 * @counts: how many
 * @rooms: room for how many
 * @builds: in order of appearance, then sorted
 * @build_count: how many
 * @build_room: room for how many
 */
struct difference_files {
	void *trees[DIFFERENCE_SIDES];
	struct side_file **files[DIFFERENCE_SIDES];
	size_t counts[DIFFERENCE_SIDES];
	size_t rooms[DIFFERENCE_SIDES];
	struct build *builds;
	size_t build_count;
	size_t build_room;
};

struct difference_files *difference_files_new(void)
{
	return calloc(1, sizeof(struct difference_files));
}

static const char *without_folder(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int compare_files(const void *a, const void *b)
{
	const struct side_file *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static struct side_file *find_file(const struct difference_files *files, enum difference_side side,
				   const char *name)
{
	const struct side_file key = {.name = (char *)(uintptr_t)name};
	struct side_file **found = tfind(&key, &files->trees[side], compare_files);

	return found ? *found : NULL;
}

int difference_files_add(struct difference_files *files, enum difference_side side,
			 const char *name)
{
	struct side_file *file, **more;

	if (find_file(files, side, name))
		return 0;
	more = array_room(files->files[side], files->counts[side], &files->rooms[side],
			  sizeof(struct side_file *));
	if (!more)
		return -ENOMEM;
	files->files[side] = more;
	file = calloc(1, sizeof(*file));
	if (file)
		file->name = strdup(name);
	if (file && file->name && tsearch(file, &files->trees[side], compare_files)) {
		more[files->counts[side]++] = file;
		return 0;
	}
	if (file)
		free(file->name);
	free(file);
	return -ENOMEM;
}

static int add_build(struct difference_files *files, enum difference_side side, const char *path,
		     const uint8_t *id, uint8_t size)
{
	struct build *builds =
		array_room(files->builds, files->build_count, &files->build_room, sizeof(*builds));
	struct build build = {.size = size, .side = side};

	if (!builds)
		return -ENOMEM;
	files->builds = builds;
	if (!size || size > sizeof(build.id))
		return 0;
	memcpy(build.id, id, size);
	build.file = strdup(without_folder(path));
	if (!build.file)
		return -ENOMEM;
	builds[files->build_count++] = build;
	return 0;
}

static int compare_builds(const void *a, const void *b)
{
	const struct build *x = a, *y = b;
	int order = strcmp(x->file, y->file);

	if (!order)
		order = (x->size > y->size) - (x->size < y->size);
	if (!order)
		order = memcmp(x->id, y->id, sizeof(x->id));
	return order ? order : (x->side > y->side) - (x->side < y->side);
}

/* Sorts builds; each is there once. */
static void sort_builds(struct difference_files *files)
{
	struct build *builds = files->builds;
	size_t used = 0;

	if (files->build_count)
		qsort(builds, files->build_count, sizeof(*builds), compare_builds);
	for (size_t i = 0; i < files->build_count; i++) {
		if (used && !compare_builds(&builds[used - 1], &builds[i]))
			free(builds[i].file);
		else
			builds[used++] = builds[i];
	}
	files->build_count = used;
}

int difference_files_builds(struct difference_files *files, enum difference_side side,
			    const struct perfdata_info *info)
{
	int error = 0;

	for (size_t i = 0; i < info->build_id_count && !error; i++)
		error = add_build(files, side, info->build_ids[i].path, info->build_ids[i].bytes,
				  info->build_ids[i].size);
	for (size_t i = 0; i < info->event_count && !error; i++) {
		const struct perfdata_mapping *mapping = info->events[i].u.mapping;

		if (info->events[i].kind == PERFDATA_MMAP && mapping->build_id_size)
			error = add_build(files, side, mapping->path, mapping->build_id,
					  mapping->build_id_size);
	}
	sort_builds(files);
	return error;
}

static void join(struct side_file *old, struct side_file *new)
{
	if (old->other || new->other)
		return;
	old->other = new;
	new->other = old;
}

static bool join_by_map(struct difference_files *files, const char *map)
{
	const char *equal = strchr(map, '=');
	char *name = equal ? strndup(map, (size_t)(equal - map)) : NULL;
	struct side_file *old, *new;

	if (!name)
		return false;
	old = find_file(files, DIFFERENCE_OLD, without_folder(name));
	new = find_file(files, DIFFERENCE_NEW, without_folder(equal + 1));
	if (old && new && !old->other && !new->other)
		join(old, new);
	else if (!old)
		print(stderr, "hwflow diff: --map=%s: OLD has executed no file %s\n", map,
		      without_folder(name));
	else if (!new)
		print(stderr, "hwflow diff: --map=%s: NEW has executed no file %s\n", map,
		      without_folder(equal + 1));
	else
		print(stderr, "hwflow diff: --map=%s: another --map has one of these files\n", map);
	free(name);
	return old && new && old->other == new;
}

static bool is_build(const struct build *a, const struct build *b)
{
	return a->size == b->size && !memcmp(a->id, b->id, sizeof(a->id));
}

/* Does the recording have this build under this name? */
static bool has_build(const struct difference_files *files, enum difference_side side,
		      const char *name, const struct build *build)
{
	struct build key = *build;

	key.file = (char *)(uintptr_t)name;
	key.side = side;
	return files->build_count &&
	       bsearch(&key, files->builds, files->build_count, sizeof(key), compare_builds);
}

static int compare_ids(const void *a, const void *b)
{
	const struct build *x = *(struct build *const *)a, *y = *(struct build *const *)b;
	int order = (x->size > y->size) - (x->size < y->size);

	if (!order)
		order = memcmp(x->id, y->id, sizeof(x->id));
	if (!order)
		order = (x->side > y->side) - (x->side < y->side);
	/* they are sorted by name */
	return order ? order : (x > y) - (x < y);
}

/* The last of the builds of the new recording whose file is not joined; @end: after it */
static struct side_file *last_new(const struct difference_files *files, struct build *const *builds,
				  size_t *end)
{
	for (; *end && builds[*end - 1]->side == DIFFERENCE_NEW; --*end) {
		struct side_file *new = find_file(files, DIFFERENCE_NEW, builds[*end - 1]->file);

		if (new && !new->other)
			return new;
	}
	return NULL;
}

/* Joins the files of one build, whose builds are @builds; a file keeps its name where it can. */
static void join_build(struct difference_files *files, struct build *const *builds, size_t count)
{
	size_t end = count;

	for (int same = 1; same >= 0; same--) {
		for (size_t i = 0; i < count && builds[i]->side == DIFFERENCE_OLD; i++) {
			struct side_file *old = find_file(files, DIFFERENCE_OLD, builds[i]->file);
			struct side_file *new = NULL;

			if (!old || old->other)
				continue;
			if (!same)
				new = last_new(files, builds, &end);
			else if (has_build(files, DIFFERENCE_NEW, old->name, builds[i]))
				new = find_file(files, DIFFERENCE_NEW, old->name);
			if (new)
				join(old, new);
		}
	}
}

static bool join_by_build(struct difference_files *files)
{
	struct build **order = calloc(files->build_count + 1, sizeof(*order));
	size_t end;

	if (!order)
		return false;
	for (size_t i = 0; i < files->build_count; i++)
		order[i] = &files->builds[i];
	qsort(order, files->build_count, sizeof(*order), compare_ids);
	for (size_t i = 0; i < files->build_count; i = end) {
		end = i + 1;
		while (end < files->build_count && is_build(order[i], order[end]))
			end++;
		join_build(files, order + i, end - i);
	}
	free(order);
	return true;
}

static void join_by_name(struct difference_files *files)
{
	for (size_t i = 0; i < files->counts[DIFFERENCE_OLD]; i++) {
		struct side_file *old = files->files[DIFFERENCE_OLD][i];
		struct side_file *new = find_file(files, DIFFERENCE_NEW, old->name);

		if (new)
			join(old, new);
	}
}

/* A library, the kernel, a module, code made at run time, and code of no file are no programs. */
static bool is_program(const char *name)
{
	static const char *const no_programs[] = {"", "perf-PID.map", "jit-PID.dump", "FILE.code"};
	const char *library = strstr(name, ".so"), *end = strrchr(name, '.');

	for (size_t i = 0; i < sizeof(no_programs) / sizeof(no_programs[0]); i++)
		if (!strcmp(name, no_programs[i]))
			return false;
	return *name != '[' && (!library || (library[3] && library[3] != '.')) &&
	       (!end || strcmp(end, ".ko") != 0);
}

/* The only program of a recording that the other one does not have; NULL for none or several */
static struct side_file *only_program(const struct difference_files *files,
				      enum difference_side side)
{
	struct side_file *found = NULL;

	for (size_t i = 0; i < files->counts[side]; i++) {
		struct side_file *file = files->files[side][i];

		if (file->other || !is_program(file->name))
			continue;
		if (found)
			return NULL;
		found = file;
	}
	return found;
}

/* Names files of the old recording that would have the name of another file; false without memory.
 */
static bool name_alone(struct difference_files *files)
{
	for (size_t i = 0; i < files->counts[DIFFERENCE_OLD]; i++) {
		struct side_file *old = files->files[DIFFERENCE_OLD][i];

		if (!old->other && find_file(files, DIFFERENCE_NEW, old->name) &&
		    asprintf(&old->alone, "%s of OLD", old->name) < 0) {
			old->alone = NULL;
			return false;
		}
	}
	return true;
}

bool difference_files_match(struct difference_files *files, const char *const *maps, size_t count)
{
	struct side_file *old, *new;

	for (size_t i = 0; i < count; i++)
		if (!join_by_map(files, maps[i]))
			return false;
	if (!join_by_build(files))
		return false;
	join_by_name(files);
	old = only_program(files, DIFFERENCE_OLD);
	new = only_program(files, DIFFERENCE_NEW);
	if (old && new) {
		join(old, new);
		new->program = true;
	}
	return name_alone(files);
}

const char *difference_files_common(const struct difference_files *files, enum difference_side side,
				    const char *name)
{
	const struct side_file *file = find_file(files, side, name);

	if (side == DIFFERENCE_OLD && file && file->other)
		return file->other->name;
	return file && file->alone ? file->alone : name;
}

/* The first build of a file; they are sorted by name. */
static size_t first_build(const struct difference_files *files, const char *name)
{
	size_t low = 0, high = files->build_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (strcmp(files->builds[middle].file, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The first build of a file that the other recording has not under the other name; NULL for none */
static const struct build *own_build(const struct difference_files *files,
				     enum difference_side side, const char *name, const char *other)
{
	const enum difference_side opposite =
		side == DIFFERENCE_OLD ? DIFFERENCE_NEW : DIFFERENCE_OLD;

	for (size_t i = first_build(files, name);
	     i < files->build_count && !strcmp(files->builds[i].file, name); i++) {
		const struct build *build = &files->builds[i];

		if (build->side == side && !has_build(files, opposite, other, build))
			return build;
	}
	return NULL;
}

static void print_id(const struct build *build, FILE *out)
{
	for (size_t i = 0; i < build->size; i++)
		print(out, "%02x", build->id[i]);
}

static void print_file(const struct difference_files *files, const struct side_file *new, FILE *out)
{
	const struct side_file *old = new->other;
	const struct build *was = own_build(files, DIFFERENCE_OLD, old->name, new->name);
	const struct build *is = own_build(files, DIFFERENCE_NEW, new->name, old->name);

	if (strcmp(old->name, new->name) != 0)
		print(out, "%s is %s in OLD%s\n", new->name, old->name,
		      new->program ? ": each recording has one program that the other does not "
				     "have; --map=OLD=NEW compares others"
				   : "");
	if (!was || !is)
		return;
	print(out, "%s: the build ids differ: ", new->name);
	print_id(was, out);
	fputs(", then ", out);
	print_id(is, out);
	fputc('\n', out);
}

static int compare_order(const void *a, const void *b)
{
	return compare_files(*(struct side_file *const *)a, *(struct side_file *const *)b);
}

void difference_files_print(const struct difference_files *files, FILE *out)
{
	struct side_file **order = files->files[DIFFERENCE_NEW];
	const size_t count = files->counts[DIFFERENCE_NEW];

	if (count)
		qsort(order, count, sizeof(struct side_file *), compare_order);
	for (size_t i = 0; i < count; i++)
		if (order[i]->other)
			print_file(files, order[i], out);
}

static void keep(void *item)
{
	(void)item;
}

void difference_files_free(struct difference_files *files)
{
	if (!files)
		return;
	for (int side = 0; side < DIFFERENCE_SIDES; side++) {
		tdestroy(files->trees[side], keep);
		for (size_t i = 0; i < files->counts[side]; i++) {
			free(files->files[side][i]->name);
			free(files->files[side][i]->alone);
			free(files->files[side][i]);
		}
		free(files->files[side]);
	}
	for (size_t i = 0; i < files->build_count; i++)
		free(files->builds[i].file);
	free(files->builds);
	free(files);
}
