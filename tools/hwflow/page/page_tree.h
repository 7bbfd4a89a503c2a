/* SPDX-License-Identifier: GPL-2.0-only */
/* The calling contexts of a recording, for a page: functions with their totals, and a tree. */
#ifndef HWFLOW_PAGE_TREE_H
#define HWFLOW_PAGE_TREE_H

#include "page_functions.h"
#include "page_part.h"
#include "profile/frame_tree.h"

/**
 * page_tree_rows() - append a value for each function, the greatest total first
 * @part: receives [FUNCTION, TOTAL, SELF, CALLS]
 * @tree: the contexts
 * @functions: numbers of functions
 *
 * Return: 0 or -ENOMEM.
 */
int page_tree_rows(struct page_part *part, struct frame_tree *tree,
		   struct page_functions *functions);

/**
 * page_tree_nodes() - append a value for each node, the greatest total first
 * @part: receives [CALLER, FUNCTION, TOTAL, SELF, CALLS]: CALLER is the number of a value before,
 *	or -1
 * @tree: the contexts
 * @functions: numbers of functions
 *
 * No node has a greater total than its caller: if nodes are left out, those with the least totals
 * are.
 *
 * Return: 0 or -ENOMEM.
 */
int page_tree_nodes(struct page_part *part, struct frame_tree *tree,
		    struct page_functions *functions);

#endif /* HWFLOW_PAGE_TREE_H */
