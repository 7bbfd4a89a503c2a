// SPDX-License-Identifier: GPL-2.0-only
/* Two recordings side by side. */
#include "difference.h"

#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "cli/print.h"
#include "perfdata/perfdata_read.h"
#include "shorten.h"

/* columns before the name in a row; of a name at least */
#define COUNTS_WIDTH 79u
#define LEAST_NAME   32u

/**
 * struct pair - a function or file, in both recordings
 * @name: of the function; of the file if rows are files
 * @file: of the function; "" if rows are files
 * @counts: in each recording
 * @there: it is in that recording
 */
struct pair {
	char *name;
	char *file;
	struct tally_counts counts[DIFFERENCE_SIDES];
	bool there[DIFFERENCE_SIDES];
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
 * struct difference - the counts of both recordings
 * @by: what a row stands for
 * @pairs: in order of appearance; each is in memory of its own
 * @count: how many
 * @room: room for how many
 * @by_name: tree of @pairs
 * @files: tree of the names of files of which instructions were executed
 * @builds: in order of appearance, then sorted
 * @build_count: how many
 * @build_room: room for how many
 */
struct difference {
	enum tally_by by;
	struct pair **pairs;
	size_t count;
	size_t room;
	void *by_name;
	void *files;
	struct build *builds;
	size_t build_count;
	size_t build_room;
};

struct difference *difference_new(enum tally_by by)
{
	struct difference *difference = calloc(1, sizeof(*difference));

	if (difference)
		difference->by = by;
	return difference;
}

static int compare_names(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	const int by_name = strcmp(x->name, y->name);

	return by_name ? by_name : strcmp(x->file, y->file);
}

static int compare_words(const void *a, const void *b)
{
	return strcmp(a, b);
}

static const char *without_folder(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Is it @before, a number, and @after? */
static bool has_number(const char *text, const char *before, const char *after)
{
	const size_t length = strlen(before);
	size_t digits;

	if (strncmp(text, before, length) != 0)
		return false;
	digits = strspn(text + length, "0123456789");
	return digits && !strcmp(text + length + digits, after);
}

/*
 * The name of a file as it is in any recording: without folders, and without the number of the
 * process or the name of the recording in files of code made at run time
 */
static const char *common_name(const char *file, const char *recording)
{
	const char *name = without_folder(file);
	const size_t length = strlen(without_folder(recording));

	if (has_number(name, "perf-", ".map"))
		return "perf-PID.map";
	if (has_number(name, "jit-", ".dump"))
		return "jit-PID.dump";
	if (!strncmp(name, without_folder(recording), length) && !strcmp(name + length, ".code"))
		return "FILE.code";
	return name;
}

static void free_pair(struct pair *pair)
{
	if (!pair)
		return;
	free(pair->name);
	free(pair->file);
	free(pair);
}

/* Makes a pair of these names; NULL without memory. */
static struct pair *make_pair(const struct difference *difference, const struct function *function,
			      const char *recording)
{
	const char *file = common_name(function->file, recording);
	struct pair *pair = calloc(1, sizeof(*pair));
	char *name = NULL;

	if (!pair)
		return NULL;
	if (difference->by == TALLY_DSO)
		name = strdup(*file ? file : "[unknown]");
	else if (!function->bounded && *file)
		/* code outside of functions has the name of its file */
		name = asprintf(&name, "[%s]", file) < 0 ? NULL : name;
	else
		name = strdup(function->name);
	pair->name = name;
	pair->file = strdup(difference->by == TALLY_DSO ? "" : file);
	if (pair->name && pair->file)
		return pair;
	free_pair(pair);
	return NULL;
}

/* Makes room in an array for one element more; returns the array, NULL without memory. */
static void *grow(void *array, size_t *room, size_t count, size_t size)
{
	if (count < *room)
		return array;
	array = reallocarray(array, 2 * count + 64, size);
	if (array)
		*room = 2 * count + 64;
	return array;
}

/* Finds or adds a pair; @pair is the difference's own from now on, or freed. */
static struct pair *pair_get(struct difference *difference, struct pair *pair)
{
	struct pair **found = tfind(pair, &difference->by_name, compare_names);
	struct pair **pairs;

	if (found) {
		free_pair(pair);
		return *found;
	}
	pairs = grow(difference->pairs, &difference->room, difference->count, sizeof(*pairs));
	if (pairs)
		difference->pairs = pairs;
	if (!pairs || !tsearch(pair, &difference->by_name, compare_names)) {
		free_pair(pair);
		return NULL;
	}
	difference->pairs[difference->count++] = pair;
	return pair;
}

/* struct addition - counts that are being added */
struct addition {
	struct difference *difference;
	const char *path;
	enum difference_side side;
	int error;
};

static int add_file(struct difference *difference, const char *name)
{
	char *copy;

	if (tfind(name, &difference->files, compare_words))
		return 0;
	copy = strdup(name);
	if (copy && tsearch(copy, &difference->files, compare_words))
		return 0;
	free(copy);
	return -ENOMEM;
}

static void add_row(void *ctx, const struct function *function, const struct tally_counts *counts)
{
	struct addition *addition = ctx;
	struct pair *pair = make_pair(addition->difference, function, addition->path);
	struct tally_counts *sum;

	if (pair)
		pair = pair_get(addition->difference, pair);
	if (!pair || add_file(addition->difference, without_folder(function->file))) {
		addition->error = -ENOMEM;
		return;
	}
	pair->there[addition->side] = true;
	sum = &pair->counts[addition->side];
	sum->instructions += counts->instructions;
	sum->calls += counts->calls;
	sum->taken += counts->taken;
	sum->not_taken += counts->not_taken;
}

static int add_build(struct difference *difference, enum difference_side side, const char *path,
		     const uint8_t *id, uint8_t size)
{
	struct build *builds = grow(difference->builds, &difference->build_room,
				    difference->build_count, sizeof(*builds));
	struct build build = {.size = size, .side = side};

	if (!builds)
		return -ENOMEM;
	difference->builds = builds;
	if (!size || size > sizeof(build.id))
		return 0;
	memcpy(build.id, id, size);
	build.file = strdup(without_folder(path));
	if (!build.file)
		return -ENOMEM;
	builds[difference->build_count++] = build;
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

/* Each build once; @difference->builds is sorted. */
static void merge_builds(struct difference *difference)
{
	struct build *builds = difference->builds;
	size_t used = 0;

	for (size_t i = 0; i < difference->build_count; i++) {
		if (used && !compare_builds(&builds[used - 1], &builds[i]))
			free(builds[i].file);
		else
			builds[used++] = builds[i];
	}
	difference->build_count = used;
}

static int add_builds(struct difference *difference, enum difference_side side,
		      const struct perfdata_info *info)
{
	int error = 0;

	for (size_t i = 0; i < info->build_id_count && !error; i++)
		error = add_build(difference, side, info->build_ids[i].path,
				  info->build_ids[i].bytes, info->build_ids[i].size);
	for (size_t i = 0; i < info->event_count && !error; i++) {
		const struct perfdata_mapping *mapping = info->events[i].u.mapping;

		if (info->events[i].kind == PERFDATA_MMAP && mapping->build_id_size)
			error = add_build(difference, side, mapping->path, mapping->build_id,
					  mapping->build_id_size);
	}
	if (difference->build_count)
		qsort(difference->builds, difference->build_count, sizeof(*difference->builds),
		      compare_builds);
	merge_builds(difference);
	return error;
}

int difference_add(struct difference *difference, enum difference_side side,
		   const struct tally *tally, const char *path, const struct perfdata_info *info)
{
	struct addition addition = {difference, path, side, 0};

	tally_visit(tally, add_row, &addition);
	if (!addition.error && info)
		addition.error = add_builds(difference, side, info);
	return addition.error;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static uint64_t difference_of(const struct pair *pair)
{
	return distance(pair->counts[DIFFERENCE_OLD].instructions,
			pair->counts[DIFFERENCE_NEW].instructions);
}

static uint64_t difference_of_calls(const struct pair *pair)
{
	return distance(pair->counts[DIFFERENCE_OLD].calls, pair->counts[DIFFERENCE_NEW].calls);
}

static int compare_pairs(const void *a, const void *b)
{
	const struct pair *x = *(struct pair *const *)a, *y = *(struct pair *const *)b;
	const uint64_t keys[2][2] = {
		{difference_of(x), difference_of(y)},
		{difference_of_calls(x), difference_of_calls(y)},
	};

	for (size_t i = 0; i < 2; i++)
		if (keys[i][0] != keys[i][1])
			return keys[i][0] > keys[i][1] ? -1 : 1;
	return compare_names(x, y);
}

/* new / old, or where the function is alone */
static void print_ratio(const struct pair *pair, FILE *out)
{
	const uint64_t was = pair->counts[DIFFERENCE_OLD].instructions;
	const uint64_t is = pair->counts[DIFFERENCE_NEW].instructions;

	if (!pair->there[DIFFERENCE_OLD])
		print(out, " %9s", "only new");
	else if (!pair->there[DIFFERENCE_NEW])
		print(out, " %9s", "only old");
	else if (was)
		print(out, " %9.3f", (double)is / (double)was);
	else
		print(out, " %9s", "-");
}

/* A count and its sign, in 14 columns */
static void print_change(uint64_t was, uint64_t is, FILE *out)
{
	char text[32];

	snprintf(text, sizeof(text), "%s%" PRIu64,
		 is > was   ? "+"
		 : is < was ? "-"
			    : "",
		 distance(was, is));
	print(out, "%14s", text);
}

static void print_pair(const struct pair *pair, size_t width, FILE *out)
{
	const struct tally_counts *was = &pair->counts[DIFFERENCE_OLD];
	const struct tally_counts *is = &pair->counts[DIFFERENCE_NEW];
	char *file = shorten(pair->file, 0);
	const size_t length = file && *file ? strlen(file) + 4 : 0;
	size_t columns = LEAST_NAME;

	print_change(was->instructions, is->instructions, out);
	print_ratio(pair, out);
	print(out, " %14" PRIu64 " %14" PRIu64 " %10" PRIu64 " %10" PRIu64 "  ", was->instructions,
	      is->instructions, was->calls, is->calls);
	if (width > COUNTS_WIDTH + length + LEAST_NAME)
		columns = width - COUNTS_WIDTH - length;
	shorten_print(pair->name, width ? columns : 0, out);
	if (length) {
		fputs("  (", out);
		fputs(file, out);
		fputc(')', out);
	}
	fputc('\n', out);
	free(file);
}

static void print_id(const struct build *build, FILE *out)
{
	for (size_t i = 0; i < build->size; i++)
		print(out, "%02x", build->id[i]);
}

/* Is the same build in the other recording? Builds are sorted. */
static bool in_both(const struct build *builds, size_t count, size_t i)
{
	const struct build *build = &builds[i];

	for (int step = -1; step <= 1; step += 2) {
		const size_t other = i + (size_t)step;

		if (other < count && !strcmp(builds[other].file, build->file) &&
		    builds[other].size == build->size &&
		    !memcmp(builds[other].id, build->id, sizeof(build->id)))
			return true;
	}
	return false;
}

/* The first build of a file, from @from on, that only one recording has; @count if there is none */
static size_t find_build(const struct difference *difference, const char *file, size_t from,
			 enum difference_side side)
{
	const struct build *builds = difference->builds;

	for (size_t i = from; i < difference->build_count && !strcmp(builds[i].file, file); i++)
		if (builds[i].side == side && !in_both(builds, difference->build_count, i))
			return i;
	return difference->build_count;
}

/* Files of which each recording has a build that the other does not have */
static void print_builds(const struct difference *difference, FILE *out)
{
	const struct build *builds = difference->builds;

	for (size_t i = 0; i < difference->build_count; i++) {
		size_t old, new;

		if (i && !strcmp(builds[i].file, builds[i - 1].file))
			continue;
		old = find_build(difference, builds[i].file, i, DIFFERENCE_OLD);
		new = find_build(difference, builds[i].file, i, DIFFERENCE_NEW);
		if (old == difference->build_count || new == difference->build_count ||
		    !tfind(builds[i].file, &difference->files, compare_words))
			continue;
		print(out, "%s: the build ids differ: ", builds[i].file);
		print_id(&builds[old], out);
		fputs(", then ", out);
		print_id(&builds[new], out);
		fputc('\n', out);
	}
}

void difference_print(struct difference *difference, size_t limit, size_t width, FILE *out)
{
	const char *title = difference->by == TALLY_DSO ? "file" : "function";
	size_t different = 0;

	if (difference->count)
		qsort(difference->pairs, difference->count, sizeof(struct pair *), compare_pairs);
	print(out, "%14s %9s %14s %14s %10s %10s  %s\n", "difference", "ratio", "old", "new",
	      "old calls", "new calls", title);
	while (different < difference->count && (difference_of(difference->pairs[different]) ||
						 difference_of_calls(difference->pairs[different])))
		different++;
	for (size_t i = 0; i < different && (!limit || i < limit); i++)
		print_pair(difference->pairs[i], width, out);
	if (limit && different > limit)
		print(out, "%zu more differ: --limit=0 shows all\n", different - limit);
	print(out, "%zu %s%s the same counts\n", difference->count - different, title,
	      difference->count - different == 1 ? " has" : "s have");
	print_builds(difference, out);
}

static void keep(void *item)
{
	(void)item;
}

void difference_free(struct difference *difference)
{
	if (!difference)
		return;
	tdestroy(difference->by_name, keep);
	tdestroy(difference->files, free);
	for (size_t i = 0; i < difference->count; i++)
		free_pair(difference->pairs[i]);
	for (size_t i = 0; i < difference->build_count; i++)
		free(difference->builds[i].file);
	free(difference->pairs);
	free(difference->builds);
	free(difference);
}
