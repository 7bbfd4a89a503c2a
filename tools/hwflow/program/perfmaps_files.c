/* SPDX-License-Identifier: GPL-2.0-only */
/* The files that a recording has mapped: which of this machine's they are. */
#include <errno.h>
#include <limits.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/input_file.h"
#include "base/message.h"
#include "elf_tree.h"
#include "hwflow/image.h"
#include "kcore.h"
#include "memory_names.h"
#include "perfmaps_files.h"
#include "replaced_paths.h"
#include "vdso.h"

/* What the recording calls it, and our name for that of programs with 32-bit addresses */
#define VDSO     "[vdso]"
#define VDSO_A32 "[vdso32]"

/* struct mapped_file - node of perfmaps_files.tree, by what the recording says of it */
struct mapped_file {
	const char *path;
	uint8_t build_id[HWF_BUILD_ID_MAX];
	uint8_t build_id_size;
	bool is_copy;     /* FILE.code of the recording FILE */
	bool is_replaced; /* another file has this path now */
	struct hwf_image_file *file;
};

/**
 * struct perfmaps_files - files of a recording, and the image they are in
 * @info: the recording
 * @symfs: files are below this directory; "" for the root
 * @root: length of @symfs, for input_file_open()
 * @below: ELF files below @symfs; NULL for the root
 * @copies: path of FILE.code beside the recording FILE
 * @image: has them all
 * @tree: of struct mapped_file
 * @build_ids: those of the recording's head by path, the first one of each
 * @build_id_count: how many
 * @replaced: paths that several files had, see replaced_paths_new()
 * @kcore: the kernel's memory, or NULL
 */
struct perfmaps_files {
	const struct perfdata_info *info;
	char *symfs;
	size_t root;
	struct elf_tree *below;
	char *copies;
	struct hwf_image *image;
	void *tree;
	const struct perfdata_build_id **build_ids;
	size_t build_id_count;
	struct replaced_paths *replaced;
	struct kcore *kcore;
};

/**
 * struct place - a file on this machine
 * @path: of the file; "" for none
 * @root: see input_file_open()
 */
struct place {
	char path[PATH_MAX];
	size_t root;
};

static int compare_files(const void *a, const void *b)
{
	const struct mapped_file *x = a, *y = b;
	const int order = memcmp(x->build_id, y->build_id, sizeof(x->build_id));

	if (order || x->is_replaced == y->is_replaced)
		return order ? order : strcmp(x->path, y->path);
	return x->is_replaced ? 1 : -1;
}

static void say_missing(void *ctx, const struct hwf_image_file *file, const char *reason)
{
	const struct perfmaps_files *files = ctx;
	const char *name = hwf_image_file_name(file);
	const bool copy = !strcmp(name, files->copies);

	message_once("hwflow: %s: no code: %s%s", name, reason,
		     copy ? "; it has code that no other file has: keep it beside the recording"
			  : "");
	if (!copy && !*files->symfs && name[0] != '[' && *hwf_image_file_path(file))
		message_once("hwflow: --symfs=DIR finds files of the recorded machine, with DIR a "
			     "copy of its root, or any directory that has the files");
}

/*
 * Looks for a file by its build id: below symfs, where an archive has files that are not under
 * their own names, and in the cache that perf keeps. The path is empty where it is not there.
 */
static void locate_cached(const struct perfmaps_files *files, const struct mapped_file *key,
			  const char *name, struct place *place)
{
	const char *home = getenv("HOME");
	char hex[2 * HWF_BUILD_ID_MAX + 1] = "", *path = place->path;

	place->root = files->root;
	path[0] = 0;
	for (size_t i = 0; i < key->build_id_size; i++)
		sprintf(hex + 2 * i, "%02x", key->build_id[i]);
	if (key->build_id_size < 2)
		return;
	snprintf(path, PATH_MAX, "%s/.build-id/%.2s/%s/%s", files->symfs, hex, hex + 2, name);
	if (*files->symfs && input_file_exists(path, place->root))
		return;
	path[0] = 0;
	place->root = 0;
	if (!home)
		return;
	snprintf(path, PATH_MAX, "%s/.debug/.build-id/%.2s/%s/%s", home, hex, hex + 2, name);
	if (!input_file_exists(path, 0))
		path[0] = 0;
}

/* Is the vdso of the recording that of this machine? */
static bool is_own_vdso(const struct mapped_file *key, struct vdso *vdso)
{
	return key->build_id_size && vdso_find(vdso) && vdso->build_id_size == key->build_id_size &&
	       !memcmp(vdso->build_id, key->build_id, key->build_id_size);
}

/* Is this the file that was mapped, by its build id? */
static bool fits(const struct mapped_file *key, const struct place *place)
{
	struct hwf_image_identity identity = {.build_id_size = key->build_id_size,
					      .root = place->root};
	struct hwf_image_file *file;
	struct hwf_image *image;
	bool good;

	if (hwf_image_new(&image, NULL, NULL))
		return false;
	hwf_image_set_open(image, input_file_map);
	memcpy(identity.build_id, key->build_id, sizeof(identity.build_id));
	good = !hwf_image_add_file(image, place->path, &identity, &file) &&
	       !hwf_image_file_open(file);
	hwf_image_free(image);
	return good;
}

/* Makes a candidate of a path if there is a file. */
static void add_candidate(const struct place *candidates, size_t *count)
{
	const struct place *place = &candidates[*count];

	*count += place->path[0] && input_file_exists(place->path, place->root);
}

/*
 * Where a file of the machine recorded is on this one: below symfs by its whole path, or by its
 * name only; or in the cache that perf keeps; or by its build id anywhere below symfs. The first
 * one with the right build id; if none has it, or there is no build id, the first one. Without any:
 * the path below symfs.
 */
static void locate(const struct perfmaps_files *files, const struct mapped_file *key,
		   struct place *place)
{
	struct place candidates[3];
	const char *name = strrchr(key->path, '/');
	size_t count = 0, found = 0;
	const char *by_id;

	place->root = files->root;
	snprintf(place->path, PATH_MAX, "%s%s", files->symfs, key->path);
	candidates[count] = *place;
	add_candidate(candidates, &count);
	if (*files->symfs && name) {
		candidates[count].root = files->root;
		snprintf(candidates[count].path, PATH_MAX, "%s%s", files->symfs, name);
		add_candidate(candidates, &count);
	}
	locate_cached(files, key, "elf", &candidates[count]);
	add_candidate(candidates, &count);
	/* without symfs, a single file is checked when its code is needed */
	while ((count > 1 || files->below) && key->build_id_size && found < count &&
	       !fits(key, &candidates[found]))
		found++;
	by_id = found == count && files->below ? elf_tree_find(files->below, key->build_id,
							       key->build_id_size, ELF_PART_CODE)
					       : NULL;
	if (by_id)
		snprintf(place->path, PATH_MAX, "%s", by_id);
	else if (count)
		*place = candidates[found < count ? found : 0];
}

/*
 * Is a mapping one of FILE.code, which 'hwflow emulate' writes beside FILE? The mapping has the
 * path from then, and no inode.
 */
static bool is_copy(const struct perfdata_mapping *mapping)
{
	static const char suffix[] = ".code";
	const size_t length = strlen(mapping->path);

	return !mapping->inode && !mapping->major && !mapping->minor && !mapping->build_id_size &&
	       mapping->path[0] == '/' && length >= sizeof(suffix) &&
	       !strcmp(mapping->path + length - strlen(suffix), suffix);
}

/*
 * FILE.code is looked for beside FILE first: both may have been moved or renamed since. The path
 * from then is not below symfs.
 */
static void locate_copy(const struct perfmaps_files *files, const struct mapped_file *key,
			char path[PATH_MAX])
{
	char real[PATH_MAX];

	snprintf(path, PATH_MAX, "%s", files->copies);
	if (input_file_exists(path, 0))
		return;
	if (realpath(files->info->path, real) &&
	    snprintf(path, PATH_MAX, "%s.code", real) < PATH_MAX && input_file_exists(path, 0))
		return;
	snprintf(path, PATH_MAX, "%s",
		 *files->symfs || !input_file_exists(key->path, 0) ? files->copies : key->path);
}

bool perfmaps_is_vdso(const char *path)
{
	return !strcmp(path, VDSO);
}

/* Why there is no file to look for; NULL if there is one. */
static const char *not_a_file(const struct perfmaps_files *files, const struct mapped_file *key,
			      int32_t pid)
{
	const char *path = key->path;

	if (pid < 0)
		return files->kcore ? "the recording's copy of the kernel's code does not have it"
				    : "the recording has no copy of the kernel's code: record as "
				      "root, hwflow record without --no-kcore, perf record with "
				      "--kcore";
	if (perfmaps_is_vdso(path))
		return "the recording does not hold the vdso, and it is not that of this machine: "
		       "hwflow record adds it; with perf, record with --kcore, or pack the "
		       "recording where it was made (hwflow archive)";
	if (!strcmp(path, VDSO_A32))
		return "the vdso of 32-bit programs is not recorded";
	if (memory_has_no_file(path))
		return "memory without a file, such as code made at run time, is not recorded";
	if (key->is_replaced)
		return "it was replaced: several files had this path, and this is not the one that "
		       "has it now; perf record --buildid-mmap records which file is which";
	return NULL;
}

static bool is_riscv(const struct perfdata_info *info)
{
	return info->cpu_count && info->cpus[0].protocol == PERFDATA_RISCV;
}

static int add_file(struct perfmaps_files *files, struct mapped_file *node, int32_t pid)
{
	struct hwf_image_identity identity = {
		.name = node->path, .machine = true, .riscv = is_riscv(files->info)};
	const char *reason = not_a_file(files, node, pid);
	struct place place = {.root = 0};
	struct vdso vdso;

	if (perfmaps_is_vdso(node->path)) {
		node->file = files->kcore ? kcore_vdso(files->kcore) : NULL;
		if (node->file)
			return 0;
		if (files->info->vdso)
			return hwf_image_add_bytes(files->image, node->path, files->info->vdso,
						   files->info->vdso_size, &node->file);
		locate_cached(files, node, "vdso", &place);
		if (!place.path[0] && is_own_vdso(node, &vdso))
			return hwf_image_add_bytes(files->image, VDSO, vdso.bytes, vdso.size,
						   &node->file);
	}
	if (node->is_copy) {
		locate_copy(files, node, place.path);
		identity.name = place.path;
		return hwf_image_add_file(files->image, place.path, &identity, &node->file);
	}
	if (reason && !place.path[0])
		return hwf_image_add_missing(files->image, node->path, reason, &node->file);
	if (!place.path[0])
		locate(files, node, &place);
	identity.root = place.root;
	memcpy(identity.build_id, node->build_id, sizeof(identity.build_id));
	identity.build_id_size = node->build_id_size;
	return hwf_image_add_file(files->image, place.path, &identity, &node->file);
}

static int compare_build_ids(const void *a, const void *b)
{
	const struct perfdata_build_id *x = *(const struct perfdata_build_id *const *)a,
				       *y = *(const struct perfdata_build_id *const *)b;
	const int order = strcmp(x->path, y->path);

	/* all are in one array: as they stand there */
	return order ? order : (x > y) - (x < y);
}

/* Sorts the list of build ids in the recording's head. */
static int sort_build_ids(struct perfmaps_files *files)
{
	const struct perfdata_info *info = files->info;
	const struct perfdata_build_id **ids = calloc(info->build_id_count + 1, sizeof(*ids));
	size_t count = 0;

	if (!ids)
		return -ENOMEM;
	for (size_t i = 0; i < info->build_id_count; i++)
		if (info->build_ids[i].size)
			ids[count++] = &info->build_ids[i];
	qsort(ids, count, sizeof(*ids), compare_build_ids);
	for (size_t i = 0; i < count; i++)
		if (!i || strcmp(ids[i]->path, ids[i - 1]->path) != 0)
			ids[files->build_id_count++] = ids[i];
	files->build_ids = ids;
	return 0;
}

static int compare_path(const void *path, const void *id)
{
	return strcmp(path, (*(const struct perfdata_build_id *const *)id)->path);
}

/*
 * The build id of a file: the mapping's own, or that of the list in the recording's head, which
 * perf reads when it ends. Without its own, a file that was replaced has none.
 */
static void find_build_id(const struct perfmaps_files *files,
			  const struct perfdata_mapping *mapping, struct mapped_file *key)
{
	const struct perfdata_build_id *const *found;

	key->build_id_size = mapping->build_id_size;
	memcpy(key->build_id, mapping->build_id, sizeof(key->build_id));
	key->is_replaced = !key->build_id_size && replaced_path(files->replaced, mapping);
	if (key->build_id_size || key->is_replaced)
		return;
	found = bsearch(mapping->path, files->build_ids, files->build_id_count,
			sizeof(struct perfdata_build_id *), compare_path);
	if (!found)
		return;
	key->build_id_size = (*found)->size;
	memcpy(key->build_id, (*found)->bytes, (*found)->size);
}

/* The node that is like @key, a copy of @key where there is none; NULL without memory. */
static struct mapped_file *get_node(struct perfmaps_files *files, const struct mapped_file *key)
{
	void **found = tfind(key, &files->tree, compare_files);
	struct mapped_file *node;

	if (found)
		return *found;
	node = malloc(sizeof(*node));
	if (!node)
		return NULL;
	*node = *key;
	if (tsearch(node, &files->tree, compare_files))
		return node;
	free(node);
	return NULL;
}

struct hwf_image_file *perfmaps_files_get(struct perfmaps_files *files,
					  const struct perfdata_mapping *mapping, int32_t pid)
{
	struct mapped_file key = {.path = mapping->path, .is_copy = is_copy(mapping)}, *node;

	if (perfmaps_is_vdso(key.path) && mapping->address <= UINT32_MAX)
		key.path = VDSO_A32;
	find_build_id(files, mapping, &key);
	node = get_node(files, &key);
	if (node && !node->file && add_file(files, node, pid))
		return NULL;
	return node ? node->file : NULL;
}

static void take_place(struct perfmaps_location *location, const struct place *place)
{
	memcpy(location->path, place->path, sizeof(location->path));
	location->root = place->root;
}

void perfmaps_files_locate(const struct perfmaps_files *files,
			   const struct perfdata_mapping *mapping, int32_t pid,
			   struct perfmaps_location *location)
{
	struct mapped_file key = {.path = mapping->path, .is_copy = is_copy(mapping)};
	struct place place = {.root = 0};
	struct vdso vdso;

	*location = (struct perfmaps_location){.is_copy = key.is_copy};
	if (perfmaps_is_vdso(key.path) && mapping->address <= UINT32_MAX)
		key.path = VDSO_A32;
	find_build_id(files, mapping, &key);
	memcpy(location->build_id, key.build_id, sizeof(location->build_id));
	location->build_id_size = key.build_id_size;
	if (key.is_copy) {
		locate_copy(files, &key, location->path);
		return;
	}
	location->is_vdso = perfmaps_is_vdso(key.path);
	if (location->is_vdso)
		locate_cached(files, &key, "vdso", &place);
	take_place(location, &place);
	if (location->is_vdso && !location->path[0] && is_own_vdso(&key, &vdso)) {
		location->bytes = vdso.bytes;
		location->size = vdso.size;
	}
	if (location->path[0] || location->bytes)
		return;
	location->reason = not_a_file(files, &key, pid);
	if (location->reason)
		return;
	locate(files, &key, &place);
	take_place(location, &place);
	location->differs = key.build_id_size && input_file_exists(place.path, place.root) &&
			    !fits(&key, &place);
}

int perfmaps_files_new(struct perfmaps_files **result, const struct perfdata_info *info,
		       const char *symfs)
{
	struct perfmaps_files *files = calloc(1, sizeof(*files));

	if (!files)
		return -ENOMEM;
	files->info = info;
	files->symfs = strdup(symfs ? symfs : "");
	files->root = symfs ? strlen(symfs) : 0;
	files->below = files->root ? elf_tree_new(symfs) : NULL;
	if (asprintf(&files->copies, "%s.code", info->path) < 0)
		files->copies = NULL;
	if (!files->symfs || !files->copies || (files->root && !files->below) ||
	    sort_build_ids(files) || replaced_paths_new(&files->replaced, info, files->symfs) ||
	    hwf_image_new(&files->image, say_missing, files)) {
		perfmaps_files_free(files);
		return -ENOMEM;
	}
	hwf_image_set_open(files->image, input_file_map);
	*result = files;
	return 0;
}

void perfmaps_files_kcore(struct perfmaps_files *files, struct kcore *kcore)
{
	files->kcore = kcore;
}

struct hwf_image *perfmaps_files_image(const struct perfmaps_files *files)
{
	return files->image;
}

void perfmaps_files_free(struct perfmaps_files *files)
{
	if (!files)
		return;
	hwf_image_free(files->image);
	tdestroy(files->tree, free);
	free(files->build_ids);
	replaced_paths_free(files->replaced);
	elf_tree_free(files->below);
	free(files->symfs);
	free(files->copies);
	free(files);
}
