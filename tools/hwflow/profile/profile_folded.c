/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Folded stacks, as flamegraph.pl, inferno and speedscope read them: a line for each path of calls,
 * "FUNCTION;FUNCTION;FUNCTION COUNT", the outermost function first.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/text.h"
#include "frame_tree.h"

/* What follows the name of a function of the kernel, as in the output of perf's scripts */
#define KERNEL "_[k]"

/**
 * struct path - the functions from the outermost on
 * @bytes: their names, with ';' between them
 * @room: of @bytes
 * @ends: by depth, where the name ends
 */
struct path {
	char *bytes;
	size_t room;
	size_t ends[FRAMES_MOST + 2];
};

/* Replaces what is in the path from the depth of a node on by its escaped name; false without
 * memory. */
static bool set_path(struct path *path, const struct frame_node *node, const struct frame *frame,
		     const char *name)
{
	const size_t length = strlen(name), start = path->ends[node->depth - 1];
	const size_t end = start + (start > 0) + length + (frame->is_kernel ? strlen(KERNEL) : 0);
	char *at;

	if (!path->bytes || end > path->room) {
		char *moved = realloc(path->bytes, 2 * end + 1);

		if (!moved)
			return false;
		path->bytes = moved;
		path->room = 2 * end + 1;
	}
	at = path->bytes + start;
	if (start)
		*at++ = ';';
	stpcpy(at, name);
	/* as in the output of perf's scripts: a name in Rust may have one */
	for (char *c = at; (c = memchr(c, ';', (size_t)(at + length - c)));)
		*c = ':';
	if (frame->is_kernel)
		memcpy(at + length, KERNEL, sizeof(KERNEL) - 1);
	path->ends[node->depth] = end;
	return true;
}

int profile_folded(const struct profile_content *content, struct text *out)
{
	struct path *path = calloc(1, sizeof(*path));
	const struct frame_node *node = NULL;
	struct frame_tree tree = {.total = 0};
	int error = path ? frame_tree_make(&tree, content, FRAMES_NO_FILES) : -ENOMEM;

	while (!error && (node = frame_tree_next(&tree, node))) {
		const struct frame *frame = frame_tree_frame(&tree, node);
		char *name = escape_copy(frame->name);

		if (!name || !set_path(path, node, frame, name)) {
			error = -ENOMEM;
		} else if (node->instructions) {
			text_bytes(out, path->bytes, path->ends[node->depth]);
			text_char(out, ' ');
			text_decimal(out, node->instructions);
			text_end_line(out);
		}
		free(name);
	}
	frame_tree_free(&tree);
	if (path)
		free(path->bytes);
	free(path);
	return error;
}
