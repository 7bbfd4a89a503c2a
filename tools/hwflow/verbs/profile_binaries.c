/* SPDX-License-Identifier: GPL-2.0-only */
/* The binaries of a profile. */
#include "profile_binaries.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/input_file.h"
#include "base/print.h"
#include "base/text.h"
#include "names.h"
#include "program/binary.h"
#include "program/elf_tree.h"

static bool is_named(const struct hwf_profile_file *file, const char *name)
{
	const char *slash = strrchr(file->name, '/');

	return !strcmp(file->name, name) || (slash && !strcmp(slash + 1, name)) ||
	       (file->id_kind == HWF_FILE_ID_KERNEL && !strcmp(name, "vmlinux"));
}

/* The one binary that is named, or the only one; an exit status after a message */
static int choose(const struct hwf_stored_profile *stored, const char *dso,
		  const struct hwf_profile_file **chosen)
{
	const struct hwf_profile_file *file;
	size_t found = 0, at = 0;

	while ((file = hwf_stored_profile_next_file(stored, &at))) {
		if (dso && !is_named(file, dso))
			continue;
		*chosen = file;
		found++;
	}
	if (found == 1)
		return EXIT_GOOD;
	if (!found && dso)
		verb_error("--dso=%s: the profile has no such file; it has:", dso);
	else if (!found)
		return verb_error("the profile has no file: nothing was executed, or no code of "
				  "it is in a file");
	else
		verb_error("%s; choose one with --dso=NAME:",
			   dso ? "several files have this name" : "the profile has several files");
	at = 0;
	while ((file = hwf_stored_profile_next_file(stored, &at)))
		if (!dso || !found || is_named(file, dso))
			print(stderr, "  %s\n", file->name);
	return EXIT_USAGE;
}

/* Why a file cannot be used is said by the image. */
static void report_missing(void *ctx, const struct hwf_image_file *file, const char *reason)
{
	const char *name = hwf_image_file_name(file);

	(void)ctx;
	if (*name == '[')
		verb_error("%s: %s; name a directory that has its file (vmlinux, or a module's .ko "
			   "that is not compressed) with --symfs=DIR",
			   name, reason);
	else
		verb_error("%s: %s; name the directory that has the files of the machine recorded "
			   "with --symfs=DIR",
			   name, reason);
}

/*
 * The headers of a kernel, with offsets as a profile has them: from _stext on, wherever the code is
 * in the file. An exit status after a message
 */
static int open_kernel(struct profile_binary *binary)
{
	const struct hwf_image_elf *elf = binary->elf;
	struct hwf_image_segment *segments;
	uint64_t start;

	if (!binary_stext(binary->image, &start)) {
		verb_error("%s: it has no symbol _stext, from which a profile counts its offsets",
			   hwf_image_file_path(binary->image));
		binary->elf = NULL;
		return EXIT_UNREADABLE;
	}
	binary->kernel = malloc(sizeof(*elf) + elf->segment_count * sizeof(*segments));
	if (!binary->kernel)
		return verb_error("out of memory");
	segments = (struct hwf_image_segment *)(binary->kernel + 1);
	*binary->kernel = *elf;
	binary->kernel->segments = segments;
	for (size_t i = 0; i < elf->segment_count; i++) {
		segments[i] = elf->segments[i];
		segments[i].offset = segments[i].address - start;
	}
	binary->elf = binary->kernel;
	return EXIT_GOOD;
}

/* Finds a binary; an exit status, after a message if it is not there */
static int open_binary(struct hwf_image *image, const struct hwf_profile_file *file,
		       struct elf_tree *tree, struct profile_binary *binary)
{
	binary->file = file;
	if (binary_add(image, file, tree, &binary->image))
		return verb_error("out of memory");
	if (hwf_image_file_open(binary->image))
		return EXIT_UNREADABLE;
	binary->elf = hwf_image_file_elf(binary->image);
	if (binary->elf && file->id_kind == HWF_FILE_ID_KERNEL)
		return open_kernel(binary);
	if (binary->elf)
		return EXIT_GOOD;
	report_missing(NULL, binary->image, "this is no ELF file");
	return EXIT_UNREADABLE;
}

/* All binaries; EXIT_GAPS if one of them is not there */
static int open_all(const struct hwf_stored_profile *stored, struct profile_binaries *found)
{
	const struct hwf_profile_file *file;
	int status = EXIT_GOOD;
	size_t at = 0;

	while ((file = hwf_stored_profile_next_file(stored, &at))) {
		struct profile_binary *binary = &found->items[found->count++];

		if (open_binary(found->image, file, found->tree, binary))
			status = EXIT_GAPS;
	}
	return status;
}

int profile_binaries_find(struct profile_binaries *found, const struct hwf_stored_profile *stored,
			  enum profile_scope scope, const char *dso,
			  const struct input_options *options)
{
	const struct hwf_profile_file *file = NULL;
	int status;

	*found = (struct profile_binaries){
		.items = calloc(profile_count_files(stored) + 1, sizeof(*found->items))};
	if (!found->items || hwf_image_new(&found->image, report_missing, NULL) ||
	    names_open(&found->symbols, NULL, options, false))
		return verb_error("out of memory");
	hwf_image_set_open(found->image, input_file_map);
	found->tree = options->symfs ? elf_tree_new(options->symfs) : NULL;
	if (scope == PROFILE_BINARY || dso) {
		status = choose(stored, dso, &file);
		if (!status && file)
			status = open_binary(found->image, file, found->tree,
					     &found->items[found->count++]);
	} else {
		status = open_all(stored, found);
	}
	for (size_t i = 0; i < found->count; i++)
		found->items[i].symbols = found->symbols;
	return status;
}

void profile_binaries_free(struct profile_binaries *found)
{
	symbols_free(found->symbols);
	hwf_image_free(found->image);
	elf_tree_free(found->tree);
	for (size_t i = 0; i < found->count; i++)
		free(found->items[i].kernel);
	free(found->items);
}

int profile_binaries_write(struct hwf_stored_profile *stored, const struct profile_format *format,
			   const char *measure, const char *dso,
			   const struct input_options *options, FILE *out)
{
	struct profile_binaries found = {0};
	struct text text;
	int status = EXIT_GOOD, error;

	if (format->needs == PROFILE_CONTEXTS && !hwf_stored_profile_has_contexts(stored))
		return verb_error("--for=%s: the profile has no calling contexts; make it with "
				  "--call-graph from its recordings (a group of --by has none)",
				  format->name);
	if (format->needs == PROFILE_CONTEXT_BLOCKS &&
	    !hwf_stored_profile_has_context_counts(stored))
		return verb_error(
			"--for=%s: the profile has no blocks of calling contexts; make it "
			"with --call-graph=blocks from its recordings (a group of --by "
			"has none)",
			format->name);
	if (format->scope != PROFILE_NUMBERS)
		status = profile_binaries_find(&found, stored, format->scope, dso, options);
	if (!status || status == EXIT_GAPS) {
		text_to_file(&text, out);
		error = format->write(
			&(struct profile_content){stored, found.items, found.count, measure},
			&text);
		text_flush(&text);
		if (error == -ENOMEM)
			verb_error("out of memory");
		status = error ? EXIT_UNREADABLE : status;
	}
	profile_binaries_free(&found);
	return status;
}
