/* SPDX-License-Identifier: GPL-2.0-only */
/* The functions or nodes of a tree of calling contexts, with their totals, in an order. */
#ifndef HWFLOW_PROFILE_FRAME_ROWS_H
#define HWFLOW_PROFILE_FRAME_ROWS_H

#include "frame_tree.h"

/**
 * struct frame_row - a function, or a node of a tree
 * @total: instructions that it and what it has called have executed
 * @self: those that it has executed itself
 * @calls: how often it was called
 * @number: of the function or node
 */
struct frame_row {
	uint64_t total;
	uint64_t self;
	uint64_t calls;
	uint32_t number;
};

/** frame_rows_of_nodes() - the rows of all nodes, the root included; NULL without memory */
struct frame_row *frame_rows_of_nodes(const struct frame_tree *tree);

/** frame_rows_add_callees() - add to each total the totals of the nodes below */
void frame_rows_add_callees(const struct frame_tree *tree, struct frame_row *rows);

/**
 * frame_rows_of_functions() - sum up the nodes of each function
 * @tree: the tree
 * @nodes: the rows of all nodes, with the totals of those below
 *
 * Instructions that are executed while a function is in the stack several times count once in its
 * total.
 *
 * Return: a row for each function of @tree, for free(); NULL without memory.
 */
struct frame_row *frame_rows_of_functions(const struct frame_tree *tree,
					  const struct frame_row *nodes);

/** frame_rows_sort_functions() - the greatest total first; then by name */
void frame_rows_sort_functions(struct frame_tree *tree, struct frame_row *rows);

/**
 * frame_rows_sort_nodes() - the greatest total first, and a node before those below it
 * @tree: the tree
 * @rows: rows of nodes
 * @count: how many
 */
void frame_rows_sort_nodes(struct frame_tree *tree, struct frame_row *rows, size_t count);

#endif /* HWFLOW_PROFILE_FRAME_ROWS_H */
