/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Trees of mappings: AVL trees by address, whose nodes several address spaces share.
 *
 *	    A         B, a copy of A          A         B, where y was replaced
 *	     \       /                        |         |
 *	      x                               x         x'
 *	     / \                             / \       / \
 *	    w   y                           w   y     w   y'
 *
 * A node with one reference is changed in place. One with more references is copied before it is
 * changed, and with it the path to it: own(). So a copy of a tree takes no time, and a change O(log
 * n). All changes are made of split() and join(), which keep the tree balanced.
 *
 * A change cannot fail: hwf_image_tree_reserve() allocates all nodes that the next one may need.
 */
#include <errno.h>
#include <stdlib.h>

#include "image_private.h"

/* Nodes that are allocated at a time */
#define SLAB_NODES 64u

/* A change copies fewer nodes for each level of a tree: split() and join() are called twice each,
 * and copy a node and two that they rotate */
#define NODES_PER_LEVEL 24u

struct hwf_image_slab {
	struct hwf_image_slab *next;
	struct hwf_image_node nodes[SLAB_NODES];
};

/* The address of the last byte; the address behind it may overflow. */
static uint64_t last_of(const struct hwf_image_mapping *mapping)
{
	return mapping->start + (mapping->length - 1);
}

static uint32_t height_of(const struct hwf_image_node *node)
{
	return node ? node->height : 0;
}

static void put_spare(struct hwf_image *image, struct hwf_image_node *node)
{
	node->left = image->spare;
	image->spare = node;
	image->spare_count++;
}

static struct hwf_image_node *take_spare(struct hwf_image *image)
{
	struct hwf_image_node *node = image->spare;

	image->spare = node->left;
	image->spare_count--;
	return node;
}

int hwf_image_tree_reserve(struct hwf_image *image, const struct hwf_image_node *tree)
{
	const size_t need = NODES_PER_LEVEL * ((size_t)height_of(tree) + 2);

	while (image->spare_count < need) {
		struct hwf_image_slab *slab = malloc(sizeof(*slab));

		if (!slab)
			return -ENOMEM;
		slab->next = image->slabs;
		image->slabs = slab;
		for (size_t i = SLAB_NODES; i--;)
			put_spare(image, &slab->nodes[i]);
	}
	return 0;
}

void hwf_image_tree_free_slabs(struct hwf_image *image)
{
	while (image->slabs) {
		struct hwf_image_slab *slab = image->slabs;

		image->slabs = slab->next;
		free(slab);
	}
}

struct hwf_image_node *hwf_image_tree_share(struct hwf_image_node *tree)
{
	if (tree)
		tree->refs++;
	return tree;
}

void hwf_image_tree_drop(struct hwf_image *image, struct hwf_image_node *tree)
{
	while (tree && !--tree->refs) {
		struct hwf_image_node *right = tree->right;

		hwf_image_tree_drop(image, tree->left);
		put_spare(image, tree);
		tree = right;
	}
}

/* The node, or a copy of it: the caller's alone. The caller's reference becomes one of the result.
 */
static struct hwf_image_node *own(struct hwf_image *image, struct hwf_image_node *node)
{
	struct hwf_image_node *copy;

	if (node->refs == 1)
		return node;
	copy = take_spare(image);
	*copy = *node;
	copy->refs = 1;
	hwf_image_tree_share(copy->left);
	hwf_image_tree_share(copy->right);
	node->refs--;
	return copy;
}

static struct hwf_image_node *new_node(struct hwf_image *image,
				       const struct hwf_image_mapping *mapping)
{
	struct hwf_image_node *node = take_spare(image);

	*node = (struct hwf_image_node){.mapping = *mapping, .refs = 1, .height = 1};
	return node;
}

static void set_height(struct hwf_image_node *node)
{
	const uint32_t left = height_of(node->left), right = height_of(node->right);

	node->height = 1 + (left > right ? left : right);
}

/* The left child becomes the root. */
static struct hwf_image_node *turn_right(struct hwf_image *image, struct hwf_image_node *node)
{
	struct hwf_image_node *root = own(image, node->left);

	node->left = root->right;
	set_height(node);
	root->right = node;
	set_height(root);
	return root;
}

/* The right child becomes the root. */
static struct hwf_image_node *turn_left(struct hwf_image *image, struct hwf_image_node *node)
{
	struct hwf_image_node *root = own(image, node->right);

	node->right = root->left;
	set_height(node);
	root->left = node;
	set_height(root);
	return root;
}

/* Balances a node that the caller owns, whose children differ in height by two at most. */
static struct hwf_image_node *balance(struct hwf_image *image, struct hwf_image_node *node)
{
	const uint32_t left = height_of(node->left), right = height_of(node->right);

	if (node->left && left > right + 1) {
		if (height_of(node->left->left) < height_of(node->left->right)) {
			node->left = own(image, node->left);
			node->left = turn_left(image, node->left);
		}
		return turn_right(image, node);
	}
	if (node->right && right > left + 1) {
		if (height_of(node->right->right) < height_of(node->right->left)) {
			node->right = own(image, node->right);
			node->right = turn_right(image, node->right);
		}
		return turn_left(image, node);
	}
	set_height(node);
	return node;
}

/* One tree of @left, then @middle, which the caller owns, then @right */
static struct hwf_image_node *join(struct hwf_image *image, struct hwf_image_node *left,
				   struct hwf_image_node *middle, struct hwf_image_node *right)
{
	if (height_of(left) > height_of(right) + 1) {
		left = own(image, left);
		left->right = join(image, left->right, middle, right);
		return balance(image, left);
	}
	if (height_of(right) > height_of(left) + 1) {
		right = own(image, right);
		right->left = join(image, left, middle, right->left);
		return balance(image, right);
	}
	middle->left = left;
	middle->right = right;
	set_height(middle);
	return middle;
}

/* struct parts - two trees: addresses below another one, and those from it on */
struct parts {
	struct hwf_image_node *left;
	struct hwf_image_node *right;
};

/* Removes addresses up to @address, which is in the mapping, but not its first one. */
static void cut_front(struct hwf_image_mapping *mapping, uint64_t address)
{
	const uint64_t gone = address - mapping->start;

	mapping->start += gone;
	mapping->offset += gone;
	mapping->length -= gone;
}

/* A tree, which is gone, becomes two. A mapping that has @address in its middle is cut there. */
static struct parts split(struct hwf_image *image, struct hwf_image_node *tree, uint64_t address)
{
	struct hwf_image_node *left, *right;
	struct parts parts = {NULL, NULL};

	if (!tree)
		return parts;
	tree = own(image, tree);
	left = tree->left;
	right = tree->right;
	if (tree->mapping.start >= address) {
		parts = split(image, left, address);
		parts.right = join(image, parts.right, tree, right);
	} else if (last_of(&tree->mapping) < address) {
		parts = split(image, right, address);
		parts.left = join(image, left, tree, parts.left);
	} else {
		struct hwf_image_node *rest = new_node(image, &tree->mapping);

		cut_front(&rest->mapping, address);
		tree->mapping.length = address - tree->mapping.start;
		parts.left = join(image, left, tree, NULL);
		parts.right = join(image, NULL, rest, right);
	}
	return parts;
}

/* Takes the first node off a tree, which is not empty. */
static struct hwf_image_node *take_first(struct hwf_image *image, struct hwf_image_node *tree,
					 struct hwf_image_node **rest)
{
	struct hwf_image_node *first, *right;

	tree = own(image, tree);
	right = tree->right;
	if (!tree->left) {
		*rest = right;
		return tree;
	}
	first = take_first(image, tree->left, rest);
	*rest = join(image, *rest, tree, right);
	return first;
}

struct hwf_image_node *hwf_image_tree_put(struct hwf_image *image, struct hwf_image_node *tree,
					  const struct hwf_image_mapping *mapping)
{
	const uint64_t last = last_of(mapping);
	struct parts front = split(image, tree, mapping->start), back = {NULL, NULL};
	struct hwf_image_node *middle;

	if (last != UINT64_MAX) {
		back = split(image, front.right, last + 1);
		front.right = back.left;
	}
	hwf_image_tree_drop(image, front.right);
	if (mapping->file)
		return join(image, front.left, new_node(image, mapping), back.right);
	if (!back.right)
		return front.left;
	middle = take_first(image, back.right, &back.right);
	return join(image, front.left, middle, back.right);
}

const struct hwf_image_mapping *hwf_image_tree_after(const struct hwf_image_node *tree,
						     uint64_t address)
{
	const struct hwf_image_mapping *found = NULL;

	while (tree) {
		if (last_of(&tree->mapping) < address) {
			tree = tree->right;
		} else {
			found = &tree->mapping;
			tree = tree->left;
		}
	}
	return found;
}
