/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The calling contexts of a profile as a tree of functions by name: contexts whose functions, and
 * those of whose callers, have the same names are one node. Functions that are inlined at a call
 * are nodes between caller and callee.
 */
#ifndef HWFLOW_PROFILE_FRAME_TREE_H
#define HWFLOW_PROFILE_FRAME_TREE_H

#include "items.h"
#include "profile_formats.h"

/** FRAMES_MOST - a path has at most so many functions; code below them is of one node, which is
 * named FRAMES_DEEPER: each path is written as a whole, and a program may call itself a million
 * times */
#define FRAMES_MOST   2048u
#define FRAMES_DEEPER "[deeper calls]"

/** FRAMES_CALLERS - callers of a function at most in a tree that is inverted */
#define FRAMES_CALLERS 64u

/**
 * struct frame - a function
 * @name: of the function
 * @file: see enum frame_files; NULL: none
 * @line: of its declaration; 0: not known
 * @is_kernel: it is code of the kernel
 */
struct frame {
	char *name;
	char *file;
	uint32_t line;
	bool is_kernel;
};

/**
 * enum frame_files - what is the file of a function
 * @FRAMES_NO_FILES: no file; functions of the same name are one
 * @FRAMES_BINARIES: its program or library; NULL for code that is in none
 * @FRAMES_SOURCES: that of its declaration, with the line; if it is not known, the program or
 * library
 */
enum frame_files {
	FRAMES_NO_FILES,
	FRAMES_BINARIES,
	FRAMES_SOURCES,
};

/**
 * struct frame_node - a function, called by a path of others
 * @parent: number of the node of its caller; 0: the root of the tree, which is no function
 * @frame: number of the function
 * @first: number of the first node that it calls; 0: there is none
 * @last: and of the last one
 * @next: the next node of the same caller; 0: there is none
 * @depth: number of functions on the path, with this one
 * @calls: how often it was called, or began to handle an exception or signal; 0 if it is inlined
 * @instructions: executed in the function itself
 */
struct frame_node {
	uint32_t parent;
	uint32_t frame;
	uint32_t first;
	uint32_t last;
	uint32_t next;
	uint32_t depth;
	uint64_t calls;
	uint64_t instructions;
};

/**
 * struct frame_tree - such a tree
 * @frames: struct frame, by number
 * @nodes: struct frame_node, by number; the first one is the root
 * @total: sum of all instructions
 */
struct frame_tree {
	struct items frames;
	struct items nodes;
	uint64_t total;
};

/**
 * frame_tree_make() - make the tree of a profile
 * @tree: receives it; the caller frees it with frame_tree_free(), also after an error
 * @content: the profile, which has contexts. Instructions of binaries that were not chosen are left
 *	out
 * @files: of functions; those of the same name in two files are two
 *
 * Return: 0 or -ENOMEM.
 */
int frame_tree_make(struct frame_tree *tree, const struct profile_content *content,
		    enum frame_files files);

/**
 * frame_tree_invert() - put functions below those that they have called
 * @tree: the tree
 *
 * The nodes below the root become the functions that have executed instructions, with those. Below
 * a node are the functions that have called it, up to FRAMES_CALLERS of them: each has the
 * instructions and the calls that the function at the top has for it.
 *
 * Return: 0; -ENOMEM: the tree is as it was.
 */
int frame_tree_invert(struct frame_tree *tree);

/** frame_tree_frame() - the function of a node */
static inline const struct frame *frame_tree_frame(const struct frame_tree *tree,
						   const struct frame_node *node)
{
	return (const struct frame *)tree->frames.at + node->frame;
}

/**
 * frame_tree_next() - iterate over the nodes, a caller before those that it calls
 * @tree: the tree
 * @node: the node before; NULL at first
 *
 * Return: the next one, which is not the root; NULL after the last one.
 */
const struct frame_node *frame_tree_next(const struct frame_tree *tree,
					 const struct frame_node *node);

/** frame_tree_free() - free what a tree has */
void frame_tree_free(struct frame_tree *tree);

#endif /* HWFLOW_PROFILE_FRAME_TREE_H */
