// SPDX-License-Identifier: GPL-2.0-only
/* Two recordings side by side. */
#include "difference.h"

#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/print.h"
#include "perfdata/perfdata_read.h"
#include "shorten.h"

/* columns before the name in a row; of a name at least */
#define COUNTS_WIDTH 79u
#define LEAST_NAME   32u

/**
 * struct pair - a function or file, in both recordings
 * @name: of the function; of the file if rows are files. "" until pairs are matched if the name is
 *	made of that of the file; "+0xSTART" for a function without a name
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
 * struct difference - the counts of both recordings
 * @by: what a row stands for
 * @pairs: in order of appearance; each is in memory of its own
 * @count: how many
 * @room: room for how many
 * @by_name: tree of @pairs
 * @files: files of both recordings
 */
struct difference {
	enum tally_by by;
	struct pair **pairs;
	size_t count;
	size_t room;
	void *by_name;
	struct difference_files *files;
};

struct difference *difference_new(enum tally_by by)
{
	struct difference *difference = calloc(1, sizeof(*difference));

	if (!difference)
		return NULL;
	difference->by = by;
	difference->files = difference_files_new();
	if (difference->files)
		return difference;
	free(difference);
	return NULL;
}

static int compare_names(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	const int by_name = strcmp(x->name, y->name);

	return by_name ? by_name : strcmp(x->file, y->file);
}

/* The same of pairs that were not matched yet: each recording has its own. */
static int compare_unmatched(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	if (x->there[DIFFERENCE_OLD] != y->there[DIFFERENCE_OLD])
		return x->there[DIFFERENCE_OLD] ? -1 : 1;
	return compare_names(a, b);
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

/* Makes a pair of a function of one recording; NULL without memory. */
static struct pair *make_pair(const struct difference *difference, enum difference_side side,
			      const struct function *function, const char *recording)
{
	struct pair *pair = calloc(1, sizeof(*pair));

	if (!pair)
		return NULL;
	if (difference->by == TALLY_DSO || (!function->bounded && *function->file))
		/* code outside of functions has the name of its file */
		pair->name = strdup("");
	else if (!function->stem)
		pair->name = strdup(function->name);
	else if (asprintf(&pair->name, "+%#" PRIx64, function->start) < 0)
		pair->name = NULL;
	pair->file = strdup(common_name(function->file, recording));
	pair->there[side] = true;
	if (pair->name && pair->file)
		return pair;
	free_pair(pair);
	return NULL;
}

/* Gives a pair the names that are printed, which are those of the new recording; 0 or -ENOMEM. */
static int set_names(const struct difference *difference, struct pair *pair)
{
	const enum difference_side side =
		pair->there[DIFFERENCE_OLD] ? DIFFERENCE_OLD : DIFFERENCE_NEW;
	const char *file = difference_files_common(difference->files, side, pair->file);
	const bool files = difference->by == TALLY_DSO;
	char *name = NULL, *own = strdup(files ? "" : file);

	if (files)
		name = strdup(*file ? file : "[unknown]");
	else if (!*pair->name && asprintf(&name, "[%s]", file) < 0)
		name = NULL;
	else if (!strncmp(pair->name, "+0x", 3) && asprintf(&name, "%s%s", file, pair->name) < 0)
		name = NULL;
	else if (!name)
		name = strdup(pair->name);
	if (!name || !own) {
		free(name);
		free(own);
		return -ENOMEM;
	}
	free(pair->name);
	free(pair->file);
	pair->name = name;
	pair->file = own;
	return 0;
}

/* Finds or adds a pair; @pair is the difference's own from now on, or freed. */
static struct pair *pair_get(struct difference *difference, struct pair *pair)
{
	struct pair **found = tfind(pair, &difference->by_name, compare_unmatched);
	struct pair **pairs;

	if (found) {
		free_pair(pair);
		return *found;
	}
	pairs = array_room(difference->pairs, difference->count, &difference->room, sizeof(*pairs));
	if (pairs)
		difference->pairs = pairs;
	if (!pairs || !tsearch(pair, &difference->by_name, compare_unmatched)) {
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

static void add_counts(struct tally_counts *sum, const struct tally_counts *counts)
{
	sum->instructions += counts->instructions;
	sum->calls += counts->calls;
	sum->taken += counts->taken;
	sum->not_taken += counts->not_taken;
}

static void add_row(void *ctx, const struct function *function, const struct tally_counts *counts)
{
	struct addition *addition = ctx;
	struct difference *difference = addition->difference;
	struct pair *pair = make_pair(difference, addition->side, function, addition->path);

	if (pair)
		pair = pair_get(difference, pair);
	if (!pair || difference_files_add(difference->files, addition->side, pair->file)) {
		addition->error = -ENOMEM;
		return;
	}
	add_counts(&pair->counts[addition->side], counts);
}

int difference_add(struct difference *difference, enum difference_side side,
		   const struct tally *tally, const char *path, const struct perfdata_info *info)
{
	struct addition addition = {difference, path, side, 0};

	tally_visit(tally, add_row, &addition);
	if (!addition.error && info)
		addition.error = difference_files_builds(difference->files, side, info);
	return addition.error;
}

static int compare_pair_names(const void *a, const void *b)
{
	return compare_names(*(struct pair *const *)a, *(struct pair *const *)b);
}

/* Pairs with the same names become one. */
static void merge_pairs(struct difference *difference)
{
	size_t used = 0;

	if (difference->count)
		qsort(difference->pairs, difference->count, sizeof(struct pair *),
		      compare_pair_names);
	for (size_t i = 0; i < difference->count; i++) {
		struct pair *pair = difference->pairs[i];
		struct pair *last = used ? difference->pairs[used - 1] : NULL;

		if (!last || compare_names(last, pair)) {
			difference->pairs[used++] = pair;
			continue;
		}
		for (int side = 0; side < DIFFERENCE_SIDES; side++) {
			last->there[side] |= pair->there[side];
			add_counts(&last->counts[side], &pair->counts[side]);
		}
		free_pair(pair);
	}
	difference->count = used;
}

static void keep(void *item)
{
	(void)item;
}

int difference_match(struct difference *difference, const char *const *maps, size_t count)
{
	if (!difference_files_match(difference->files, maps, count))
		return -EINVAL;
	/* their keys change */
	tdestroy(difference->by_name, keep);
	difference->by_name = NULL;
	for (size_t i = 0; i < difference->count; i++)
		if (set_names(difference, difference->pairs[i]))
			return -ENOMEM;
	merge_pairs(difference);
	return 0;
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
	difference_files_print(difference->files, out);
}

void difference_free(struct difference *difference)
{
	if (!difference)
		return;
	tdestroy(difference->by_name, keep);
	difference_files_free(difference->files);
	for (size_t i = 0; i < difference->count; i++)
		free_pair(difference->pairs[i]);
	free(difference->pairs);
	free(difference);
}
