/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A profile of speedscope, as its schema (https://www.speedscope.app/file-format-schema.json) has
 * it: of type "sampled", a sample for each path of calls, whose weight is the number of
 * instructions.
 */
#include <errno.h>
#include <stdlib.h>

#include <json-c/json.h>

#include "base/escape.h"
#include "base/text.h"
#include <string.h>

#include "frame_tree.h"
#include "hwflow/version.h"

#define SCHEMA "https://www.speedscope.app/file-format-schema.json"

/* A string, escaped so that it is UTF-8 */
static int put_string(struct text *out, const char *value)
{
	char *escaped = escape_copy(value);
	struct json_object *string = escaped ? json_object_new_string(escaped) : NULL;

	free(escaped);
	if (!string)
		return -ENOMEM;
	text_string(out, json_object_to_json_string_ext(string, JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(string);
	return 0;
}

static int put_frame(struct text *out, const struct frame *frame)
{
	text_string(out, "{\"name\":");
	if (put_string(out, frame->name))
		return -ENOMEM;
	if (frame->file) {
		text_string(out, ",\"file\":");
		if (put_string(out, frame->file))
			return -ENOMEM;
	}
	if (frame->line)
		text_named_decimal(out, ",\"line\":", frame->line);
	text_char(out, '}');
	return 0;
}

static int put_frames(struct text *out, const struct frame_tree *tree)
{
	const struct frame *frames = tree->frames.at;

	text_string(out, "\"shared\":{\"frames\":[");
	for (size_t i = 0; i < tree->frames.count; i++) {
		text_string(out, i ? ",\n" : "\n");
		if (put_frame(out, &frames[i]))
			return -ENOMEM;
	}
	text_string(out, "\n]},\n");
	return 0;
}

/* The numbers of the functions of each path; the path of a node begins with that of its caller. */
static void put_samples(struct text *out, const struct frame_tree *tree)
{
	static uint32_t path[FRAMES_MOST + 2];
	const struct frame_node *node = NULL;
	bool has_sample = false;

	text_string(out, "\"samples\":[");
	while ((node = frame_tree_next(tree, node))) {
		path[node->depth] = node->frame;
		if (!node->instructions)
			continue;
		text_string(out, has_sample ? ",\n" : "\n");
		has_sample = true;
		for (size_t i = 1; i <= node->depth; i++) {
			text_char(out, i > 1 ? ',' : '[');
			text_decimal(out, path[i]);
		}
		text_char(out, ']');
	}
	text_string(out, "\n],\n");
}

static void put_weights(struct text *out, const struct frame_tree *tree)
{
	const struct frame_node *node = NULL;
	bool has_weight = false;

	text_string(out, "\"weights\":[");
	while ((node = frame_tree_next(tree, node))) {
		if (!node->instructions)
			continue;
		text_string(out, has_weight ? ",\n" : "\n");
		has_weight = true;
		text_decimal(out, node->instructions);
	}
	text_string(out, "\n]");
}

int profile_speedscope(const struct profile_content *content, struct text *out)
{
	const bool is_time = !strcmp(content->measure, "time");
	struct frame_tree tree;
	int error = frame_tree_make(&tree, content, FRAMES_SOURCES);

	if (!error) {
		text_string(out, "{\"$schema\":\"" SCHEMA "\",\n");
		error = put_frames(out, &tree);
	}
	if (!error) {
		text_string(out, "\"profiles\":[{\"type\":\"sampled\",\"name\":\"");
		text_name(out, content->measure);
		if (is_time)
			text_string(out, "\",\"unit\":\"nanoseconds\",\"startValue\":0,");
		else
			text_string(out, "\",\"unit\":\"none\",\"startValue\":0,");
		text_named_decimal(out, "\"endValue\":", tree.total);
		text_string(out, ",\n");
		put_samples(out, &tree);
		put_weights(out, &tree);
		text_string(out, "}],\n\"exporter\":\"hwflow " HWF_VERSION "\"}");
		text_end_line(out);
	}
	frame_tree_free(&tree);
	return error;
}
