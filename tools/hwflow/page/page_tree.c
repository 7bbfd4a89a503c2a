/* SPDX-License-Identifier: GPL-2.0-only */
/* Calling contexts for a page. */
#include "page_tree.h"

#include <errno.h>
#include <stdlib.h>

#include "base/json.h"
#include "profile/frame_rows.h"

static uint32_t number_of(struct page_functions *functions, const struct frame *frame)
{
	return page_function(functions, frame->name, frame->file);
}

static void put_counts(struct text *out, const struct frame_row *row)
{
	text_char(out, ',');
	json_number(out, row->total);
	text_char(out, ',');
	json_number(out, row->self);
	text_char(out, ',');
	json_number(out, row->calls);
	text_char(out, ']');
}

/* The rows of all nodes, with the totals of those below; NULL without memory */
static struct frame_row *rows_of_nodes(const struct frame_tree *tree)
{
	struct frame_row *rows = frame_rows_of_nodes(tree);

	if (rows)
		frame_rows_add_callees(tree, rows);
	return rows;
}

int page_tree_rows(struct page_part *part, struct frame_tree *tree,
		   struct page_functions *functions)
{
	struct frame_row *nodes = rows_of_nodes(tree);
	struct frame_row *rows = nodes ? frame_rows_of_functions(tree, nodes) : NULL;

	free(nodes);
	if (!rows)
		return -ENOMEM;
	frame_rows_sort_functions(tree, rows);
	for (size_t i = 0; i < tree->frames.count && (rows[i].total || rows[i].calls); i++) {
		const struct frame *frame = (const struct frame *)tree->frames.at + rows[i].number;
		struct text *out = page_part_item(part);

		if (!out)
			continue;
		text_named_decimal(out, "[", number_of(functions, frame));
		put_counts(out, &rows[i]);
		page_part_end_item(part);
	}
	free(rows);
	return 0;
}

int page_tree_nodes(struct page_part *part, struct frame_tree *tree,
		    struct page_functions *functions)
{
	const size_t count = tree->nodes.count - 1;
	const struct frame_node *nodes = tree->nodes.at;
	struct frame_row *all = rows_of_nodes(tree), *rows = all ? all + 1 : NULL;
	/* where each node is in the list */
	uint32_t *places = calloc(tree->nodes.count, sizeof(*places));

	if (!all || !places) {
		free(all);
		free(places);
		return -ENOMEM;
	}
	frame_rows_sort_nodes(tree, rows, tree->nodes.count - 1);
	for (size_t i = 0; i < count; i++) {
		const struct frame_node *node = &nodes[rows[i].number];
		struct text *out = page_part_item(part);

		if (!out)
			continue;
		places[rows[i].number] = (uint32_t)part->count;
		text_string(out, "[");
		if (node->parent)
			text_decimal(out, places[node->parent]);
		else
			text_string(out, "-1");
		text_named_decimal(out, ",", number_of(functions, frame_tree_frame(tree, node)));
		put_counts(out, &rows[i]);
		page_part_end_item(part);
	}
	free(all);
	free(places);
	return 0;
}
