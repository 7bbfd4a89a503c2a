// SPDX-License-Identifier: GPL-2.0-only
/* Rows of tables and trees of calling contexts. */
#include "frame_rows.h"

#include <stdlib.h>
#include <string.h>

struct frame_row *frame_rows_of_nodes(const struct frame_tree *tree)
{
	const struct frame_node *nodes = tree->nodes.at;
	struct frame_row *rows = calloc(tree->nodes.count, sizeof(*rows));

	if (!rows)
		return NULL;
	for (uint32_t i = 0; i < tree->nodes.count; i++)
		rows[i] = (struct frame_row){.total = nodes[i].instructions,
					     .self = nodes[i].instructions,
					     .calls = nodes[i].calls,
					     .number = i};
	return rows;
}

void frame_rows_add_callees(const struct frame_tree *tree, struct frame_row *rows)
{
	const struct frame_node *nodes = tree->nodes.at;

	/* a function that is called has a greater number than its caller */
	for (size_t i = tree->nodes.count - 1; i > 0; i--)
		rows[nodes[i].parent].total += rows[i].total;
}

struct frame_row *frame_rows_of_functions(const struct frame_tree *tree,
					  const struct frame_row *nodes)
{
	struct frame_row *rows = calloc(tree->frames.count + 1, sizeof(*rows));
	uint32_t *active = calloc(tree->frames.count + 1, sizeof(*active));
	const struct frame_node *node = NULL;
	uint32_t path[FRAMES_MOST + 2] = {0};
	uint32_t depth = 0;

	while (rows && active && (node = frame_tree_next(tree, node))) {
		const struct frame_row *counts =
			&nodes[node - (const struct frame_node *)tree->nodes.at];
		struct frame_row *row = &rows[node->frame];

		for (; depth >= node->depth; depth--)
			active[path[depth]]--;
		depth = node->depth;
		path[depth] = node->frame;
		row->number = node->frame;
		row->self += counts->self;
		row->calls += counts->calls;
		if (!active[node->frame]++)
			row->total += counts->total;
	}
	if (!active) {
		free(rows);
		rows = NULL;
	}
	free(active);
	return rows;
}

static int compare_frames(const struct frame *a, const struct frame *b)
{
	const int order = strcmp(a->name, b->name);

	return order ? order : strcmp(a->file ? a->file : "", b->file ? b->file : "");
}

static int compare_functions(const void *a, const void *b, void *ctx)
{
	const struct frame_tree *tree = ctx;
	const struct frame *frames = tree->frames.at;
	const struct frame_row *x = a, *y = b;

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return compare_frames(&frames[x->number], &frames[y->number]);
}

/* The greatest total comes first; a function before what is below it. */
static int compare_nodes(const void *a, const void *b, void *ctx)
{
	const struct frame_tree *tree = ctx;
	const struct frame_node *nodes = tree->nodes.at;
	const struct frame_row *x = a, *y = b;
	const struct frame_node *p = &nodes[x->number], *q = &nodes[y->number];
	int order = 0;

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	if (p->depth != q->depth)
		return p->depth < q->depth ? -1 : 1;
	for (; p != q && !order; p = &nodes[p->parent], q = &nodes[q->parent])
		order = compare_frames(frame_tree_frame(tree, p), frame_tree_frame(tree, q));
	return order;
}

void frame_rows_sort_functions(struct frame_tree *tree, struct frame_row *rows)
{
	if (tree->frames.count)
		qsort_r(rows, tree->frames.count, sizeof(*rows), compare_functions, tree);
}

void frame_rows_sort_nodes(struct frame_tree *tree, struct frame_row *rows, size_t count)
{
	qsort_r(rows, count, sizeof(*rows), compare_nodes, tree);
}
