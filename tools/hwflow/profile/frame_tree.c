/* SPDX-License-Identifier: GPL-2.0-only */
/* The calling contexts of a profile as a tree of functions by name. */
#include "frame_tree.h"

#include <errno.h>
#include <search.h>
#include <string.h>

#include "context_code.h"
#include "symbols/source_frames.h"
#include "symbols/symbols.h"

/* Names of functions that are not known */
#define UNKNOWN "[unknown]"

/**
 * struct known - functions of some code that were found: those inlined at a call, or the one of a
 *	context
 * @file: of the code; NULL: it is in no file
 * @offset: in @file
 * @name: of code in no file
 * @is_site: it is a call
 * @first: where the numbers of the functions are in maker.numbers
 * @count: how many
 */
struct known {
	const struct hwf_profile_file *file;
	uint64_t offset;
	const char *name;
	bool is_site;
	size_t first;
	size_t count;
};

/* struct numbered - node of maker.frames: a function, and its number */
struct numbered {
	struct frame frame;
	uint32_t number;
};

/**
 * struct maker - a tree as it is made
 * @tree: so far
 * @content: the profile
 * @known: tree of struct known
 * @numbers: uint32_t: numbers of functions, which struct known refers to
 * @frames: tree of struct numbered; their strings belong to @tree
 * @slots: a hash table of nodes by caller and function; 0: the slot is free
 * @slot_count: how many, a power of two
 * @of_contexts: the node of each context, by number
 * @files: see frame_tree_make()
 */
struct maker {
	struct frame_tree *tree;
	const struct profile_content *content;
	void *known;
	struct items numbers;
	void *frames;
	uint32_t *slots;
	size_t slot_count;
	uint32_t *of_contexts;
	enum frame_files files;
};

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_known(const void *a, const void *b)
{
	const struct known *x = a, *y = b;
	int order = compare_numbers((uintptr_t)x->file, (uintptr_t)y->file);

	order = order ? order : compare_numbers(x->offset, y->offset);
	order = order ? order : compare_numbers(x->is_site, y->is_site);
	return order || x->file ? order : strcmp(x->name, y->name);
}

static int compare_frames(const void *a, const void *b)
{
	const struct frame *x = &((const struct numbered *)a)->frame;
	const struct frame *y = &((const struct numbered *)b)->frame;
	int order = strcmp(x->name, y->name);

	order = order ? order : strcmp(x->file ? x->file : "", y->file ? y->file : "");
	order = order ? order : compare_numbers(x->line, y->line);
	return order ? order : compare_numbers(x->is_kernel, y->is_kernel);
}

/* Appends a function to the numbers; 0 or -ENOMEM. Strings are copied. */
static int add_frame(struct maker *maker, const char *name, const char *file, uint32_t line,
		     bool is_kernel)
{
	struct numbered key = {.frame = {.line = maker->files == FRAMES_SOURCES ? line : 0,
					 .is_kernel = is_kernel}};
	const bool has_file = maker->files != FRAMES_NO_FILES && file;
	struct numbered **found, *added;
	struct frame *frame;
	uint32_t *number;

	key.frame.name = strdup(name && *name ? name : UNKNOWN);
	key.frame.file = has_file ? strdup(file) : NULL;
	number = items_add(&maker->numbers, sizeof(*number));
	if (!number || !key.frame.name || (has_file && !key.frame.file))
		goto failed;
	found = tfind(&key, &maker->frames, compare_frames);
	if (found) {
		*number = (*found)->number;
		free(key.frame.name);
		free(key.frame.file);
		return 0;
	}
	key.number = *number = (uint32_t)maker->tree->frames.count;
	added = tree_add(&maker->frames, &key, sizeof(key), compare_frames);
	frame = added ? items_add(&maker->tree->frames, sizeof(*frame)) : NULL;
	if (frame) {
		*frame = key.frame;
		return 0;
	}
	if (added)
		tdelete(added, &maker->frames, compare_frames);
	free(added);
failed:
	free(key.frame.name);
	free(key.frame.file);
	return -ENOMEM;
}

/* The file of a function that is inlined; some compilers declare functions in no file. */
static const char *file_of(const struct maker *maker, const struct profile_binary *binary,
			   const struct source_frame *frame)
{
	if (maker->files == FRAMES_BINARIES)
		return binary->file->name;
	return frame->file ? frame->file : frame->at.file;
}

/* The functions that are inlined at a call, from the outermost on */
static int add_inlined(struct maker *maker, const struct profile_binary *binary, uint64_t offset,
		       bool is_kernel)
{
	struct source_stack stack;
	int error = 0;

	if (!binary || !binary->elf)
		return 0;
	stack = symbols_frames(binary->symbols, binary->image, context_address(binary, offset));
	for (size_t i = 1; i < stack.count && !error; i++) {
		const struct source_frame *frame = &stack.frames[i];
		char *name = frame->name ? context_demangle(frame->name) : NULL;

		error = frame->name && !name ? -ENOMEM
					     : add_frame(maker, name, file_of(maker, binary, frame),
							 frame->line, is_kernel);
		free(name);
	}
	return error;
}

static int add_function(struct maker *maker, const struct hwf_profile_context *context)
{
	const struct profile_binary *binary = context_binary(maker->content, context->file);
	const char *file = context->file ? context->file->name : NULL;
	char *name = context_function(maker->content, context);
	struct source_stack stack = {0};
	uint32_t line = 0;
	int error;

	if (!name)
		return -ENOMEM;
	if (maker->files == FRAMES_SOURCES && binary && binary->elf)
		stack = symbols_frames(binary->symbols, binary->image,
				       context_address(binary, context->entry));
	if (stack.count && file_of(maker, binary, stack.frames)) {
		file = file_of(maker, binary, stack.frames);
		line = stack.frames->line;
	}
	error = add_frame(maker, name, file, line, context_is_kernel(context));
	free(name);
	return error;
}

/* The functions of a context, or those inlined at its call; NULL without memory */
static const struct known *find_known(struct maker *maker,
				      const struct hwf_profile_context *context, bool is_site)
{
	struct known key = {.is_site = is_site, .first = maker->numbers.count}, **found;
	int error;

	key.file = is_site ? context->site_file : context->file;
	key.offset = is_site ? context->site : context->entry;
	key.name = is_site ? "" : context->name;
	found = tfind(&key, &maker->known, compare_known);
	if (found)
		return *found;
	if (is_site) {
		const struct hwf_profile_context site = {.file = key.file, .name = ""};

		error = add_inlined(maker, context_binary(maker->content, key.file), key.offset,
				    context_is_kernel(&site));
	} else {
		error = add_function(maker, context);
	}
	key.count = maker->numbers.count - key.first;
	return error ? NULL : tree_add(&maker->known, &key, sizeof(key), compare_known);
}

static uint32_t *slot_of(const struct maker *maker, uint32_t parent, uint32_t frame)
{
	const struct frame_node *nodes = maker->tree->nodes.at;
	uint64_t hash = ((uint64_t)parent << 32 | frame) * UINT64_C(0x9e3779b97f4a7c15);

	for (hash ^= hash >> 32;; hash++) {
		uint32_t *slot = &maker->slots[hash & (maker->slot_count - 1)];

		if (!*slot || (nodes[*slot].parent == parent && nodes[*slot].frame == frame))
			return slot;
	}
}

/* Makes a larger hash table; false without memory. */
static bool grow_slots(struct maker *maker)
{
	const struct frame_node *nodes = maker->tree->nodes.at;
	const size_t count = maker->slot_count ? 2 * maker->slot_count : 1024;
	uint32_t *slots = calloc(count, sizeof(*slots));

	if (!slots)
		return false;
	free(maker->slots);
	maker->slots = slots;
	maker->slot_count = count;
	for (uint32_t i = 1; i < maker->tree->nodes.count; i++)
		*slot_of(maker, nodes[i].parent, nodes[i].frame) = i;
	return true;
}

/* Adds the node of a function that a node calls; its number, or 0 without memory */
static uint32_t add_node(struct maker *maker, uint32_t parent, uint32_t frame)
{
	struct items *const items = &maker->tree->nodes;
	const uint32_t number = (uint32_t)items->count;
	struct frame_node *nodes;

	if (items->count == UINT32_MAX || !items_add(items, sizeof(*nodes)))
		return 0;
	nodes = items->at;
	nodes[number].parent = parent;
	nodes[number].frame = frame;
	nodes[number].depth = nodes[parent].depth + 1;
	if (nodes[parent].last)
		nodes[nodes[parent].last].next = number;
	else
		nodes[parent].first = number;
	nodes[parent].last = number;
	return number;
}

/* The node of a function that a node calls; 0 without memory */
static uint32_t find_node(struct maker *maker, uint32_t parent, uint32_t frame)
{
	uint32_t *slot;

	if (2 * maker->tree->nodes.count >= maker->slot_count && !grow_slots(maker))
		return 0;
	slot = slot_of(maker, parent, frame);
	if (!*slot)
		*slot = add_node(maker, parent, frame);
	return *slot;
}

/* Goes from a node to that of a function that it calls; 0 or -ENOMEM. */
static int enter(struct maker *maker, uint32_t *at, uint32_t frame)
{
	const struct frame_node *node = (struct frame_node *)maker->tree->nodes.at + *at;

	if (node->depth > FRAMES_MOST)
		return 0;
	if (node->depth == FRAMES_MOST) {
		if (add_frame(maker, FRAMES_DEEPER, NULL, 0, false))
			return -ENOMEM;
		frame = ((uint32_t *)maker->numbers.at)[--maker->numbers.count];
	}
	*at = find_node(maker, *at, frame);
	return *at ? 0 : -ENOMEM;
}

static int enter_all(struct maker *maker, uint32_t *at, const struct known *known)
{
	int error = known ? 0 : -ENOMEM;

	for (size_t i = 0; !error && i < known->count; i++)
		error = enter(maker, at, ((uint32_t *)maker->numbers.at)[known->first + i]);
	return error;
}

/* A function whose caller is not known is below one of that name. */
static int enter_unknown(struct maker *maker, uint32_t *at)
{
	if (add_frame(maker, UNKNOWN, NULL, 0, false))
		return -ENOMEM;
	return enter(maker, at, ((uint32_t *)maker->numbers.at)[--maker->numbers.count]);
}

static void add_to_node(struct maker *maker, uint32_t number, uint64_t calls, uint64_t instructions)
{
	struct frame_node *node = (struct frame_node *)maker->tree->nodes.at + number;

	node->calls += calls;
	node->instructions += instructions;
}

static int add_context(struct maker *maker, const struct hwf_profile_context *context,
		       uint32_t *node)
{
	const struct profile_content *content = maker->content;
	int error = 0;

	*node = maker->of_contexts[context->caller];
	if (context->site_file)
		error = enter_all(maker, node, find_known(maker, context, true));
	if (!error && context->open == HWF_CONTEXT_UNKNOWN)
		error = enter_unknown(maker, node);
	if (!error)
		error = enter_all(maker, node, find_known(maker, context, false));
	if (error || (content->count != profile_count_files(content->stored) &&
		      !context_binary(content, context->file)))
		return error;
	add_to_node(maker, *node, context->calls, context->instructions);
	maker->tree->total += context->instructions;
	return 0;
}

static size_t count_contexts(const struct hwf_stored_profile *stored)
{
	size_t at = 0;

	while (hwf_stored_profile_next_context(stored, &at))
		;
	return at;
}

int frame_tree_make(struct frame_tree *tree, const struct profile_content *content,
		    enum frame_files files)
{
	struct maker maker = {.tree = tree, .content = content, .files = files};
	const struct hwf_profile_context *context;
	size_t at = 0;
	int error = 0;

	*tree = (struct frame_tree){.total = 0};
	maker.of_contexts = calloc(count_contexts(content->stored) + 1, sizeof(*maker.of_contexts));
	if (!maker.of_contexts || !items_add(&tree->nodes, sizeof(struct frame_node)))
		error = -ENOMEM;
	while (!error && (context = hwf_stored_profile_next_context(content->stored, &at)))
		error = add_context(&maker, context, &maker.of_contexts[at]);
	tdestroy(maker.known, free);
	tdestroy(maker.frames, free);
	free(maker.numbers.at);
	free(maker.slots);
	free(maker.of_contexts);
	return error;
}

/* Adds what a node has itself to the inverted nodes of its function and its callers. */
static int invert_node(struct maker *maker, const struct frame_node *nodes,
		       const struct frame_node *node)
{
	const uint64_t calls = node->calls, instructions = node->instructions;
	uint32_t at = 0;

	for (size_t i = 0; node != nodes && i <= FRAMES_CALLERS; i++) {
		at = find_node(maker, at, node->frame);
		if (!at)
			return -ENOMEM;
		add_to_node(maker, at, calls, instructions);
		node = &nodes[node->parent];
	}
	return 0;
}

int frame_tree_invert(struct frame_tree *tree)
{
	const struct frame_node *nodes = tree->nodes.at;
	struct frame_tree inverted = {.total = tree->total};
	struct maker maker = {.tree = &inverted};
	int error = items_add(&inverted.nodes, sizeof(*nodes)) ? 0 : -ENOMEM;

	for (size_t i = 1; i < tree->nodes.count && !error; i++)
		if (nodes[i].instructions)
			error = invert_node(&maker, nodes, &nodes[i]);
	free(maker.slots);
	if (error) {
		free(inverted.nodes.at);
		return error;
	}
	free(tree->nodes.at);
	tree->nodes = inverted.nodes;
	return 0;
}

const struct frame_node *frame_tree_next(const struct frame_tree *tree,
					 const struct frame_node *node)
{
	const struct frame_node *nodes = tree->nodes.at;

	node = node ? node : nodes;
	if (node->first)
		return &nodes[node->first];
	while (node != nodes && !node->next)
		node = &nodes[node->parent];
	return node == nodes ? NULL : &nodes[node->next];
}

void frame_tree_free(struct frame_tree *tree)
{
	struct frame *frames = tree->frames.at;

	for (size_t i = 0; i < tree->frames.count; i++) {
		free(frames[i].name);
		free(frames[i].file);
	}
	free(tree->frames.at);
	free(tree->nodes.at);
}
