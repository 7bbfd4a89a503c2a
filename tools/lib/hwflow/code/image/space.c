/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Address spaces: mappings that do not overlap, in a tree each. */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>

#include "image_private.h"

/* Mappings that hwf_image_hidden() passes over; of more it says that they hide the code */
#define YIELDING_MAX 16

int hwf_image_add_space(struct hwf_image *image, const struct hwf_image_filter *filter,
			const struct hwf_image_space *parent, struct hwf_image_space **result)
{
	struct hwf_image_space *space = calloc(1, sizeof(*space));

	if (!space)
		return -ENOMEM;
	space->image = image;
	space->parent = parent;
	space->filtered = filter != NULL;
	if (filter)
		space->filter = *filter;
	space->next = image->spaces;
	image->spaces = space;
	*result = space;
	return 0;
}

void hwf_image_space_free(struct hwf_image_space *space)
{
	free(space);
}

void hwf_image_space_clear(struct hwf_image_space *space)
{
	hwf_image_tree_drop(space->image, space->tree);
	space->tree = NULL;
	space->image->changes++;
}

int hwf_image_space_copy(struct hwf_image_space *to, const struct hwf_image_space *from)
{
	struct hwf_image_node *tree = hwf_image_tree_share(from->tree);

	hwf_image_space_clear(to);
	to->tree = tree;
	return 0;
}

/* The address of the last byte; the address behind it may overflow. */
static uint64_t last_of(const struct hwf_image_mapping *mapping)
{
	return mapping->start + (mapping->length - 1);
}

int hwf_image_map(struct hwf_image_space *space, uint64_t start, uint64_t length,
		  struct hwf_image_file *file, uint64_t offset)
{
	struct hwf_image_mapping mapping = {start, length, file, offset};
	int error;

	if (!length)
		return 0;
	if (length - 1 > UINT64_MAX - start)
		mapping.length = UINT64_MAX - start + 1;
	error = hwf_image_tree_reserve(space->image, space->tree);
	if (error)
		return error;
	space->image->changes++;
	space->tree = hwf_image_tree_put(space->image, space->tree, &mapping);
	return 0;
}

static int compare_segments(const void *a, const void *b)
{
	const struct hwf_image_segment *x = *(const struct hwf_image_segment *const *)a,
				       *y = *(const struct hwf_image_segment *const *)b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (x > y) - (x < y);
}

int hwf_image_map_elf(struct hwf_image_space *space, struct hwf_image_file *file, uint64_t bias)
{
	const struct hwf_image_segment **order;
	const struct hwf_image_elf *elf;
	int error = hwf_image_file_open(file);

	if (error)
		return error;
	elf = hwf_image_file_elf(file);
	if (!elf)
		return -ENOEXEC;
	/* what links an object file chooses the addresses of its sections */
	if (elf->type == ET_REL)
		return 0;
	order = calloc(elf->segment_count + 1, sizeof(struct hwf_image_segment *));
	if (!order)
		return -ENOMEM;
	/* by address, so that each goes behind the one before */
	for (size_t i = 0; i < elf->segment_count; i++)
		order[i] = &elf->segments[i];
	qsort(order, elf->segment_count, sizeof(struct hwf_image_segment *), compare_segments);
	for (size_t i = 0; i < elf->segment_count && !error; i++)
		error = hwf_image_map(space, order[i]->address + bias, order[i]->size, file,
				      order[i]->offset);
	free(order);
	return error;
}

void hwf_image_space_back(struct hwf_image_space *space)
{
	space->backing = true;
}

const struct hwf_image_mapping *hwf_image_find_mapping(const struct hwf_image_space *space,
						       uint64_t address)
{
	const struct hwf_image_mapping *yielding = NULL;

	for (; space; space = space->parent) {
		const struct hwf_image_mapping *found = hwf_image_tree_after(space->tree, address);

		if (!found || found->start > address || (yielding && !space->backing))
			continue;
		if (!found->file->yields)
			return found;
		if (!yielding)
			yielding = found;
	}
	return yielding;
}

/* Does an address space hide a mapping of a parent? */
static bool hides(const struct hwf_image_space *space, const struct hwf_image_mapping *mapping,
		  bool is_backing)
{
	uint64_t at = mapping->start;

	for (size_t i = 0; i < YIELDING_MAX; i++) {
		const struct hwf_image_mapping *found = hwf_image_tree_after(space->tree, at);

		if (!found || found->start > last_of(mapping))
			return false;
		if (!is_backing || !found->file->yields)
			return true;
		if (last_of(found) >= last_of(mapping))
			return false;
		at = last_of(found) + 1;
	}
	return true;
}

bool hwf_image_hidden(const struct hwf_image_space *space, const struct hwf_image_mapping *mapping)
{
	const struct hwf_image_space *owner = space;

	while (owner && hwf_image_tree_after(owner->tree, mapping->start) != mapping)
		owner = owner->parent;
	for (; owner && space != owner; space = space->parent)
		if (hides(space, mapping, owner->backing))
			return true;
	return false;
}

bool hwf_image_find(const struct hwf_image_space *space, uint64_t address,
		    struct hwf_image_place *place)
{
	const struct hwf_image_mapping *mapping = hwf_image_find_mapping(space, address);

	if (!mapping)
		return false;
	place->file = mapping->file;
	place->offset = mapping->offset + (address - mapping->start);
	place->start = mapping->start;
	place->length = mapping->length;
	return true;
}

bool hwf_image_next(const struct hwf_image_space *space, uint64_t address,
		    struct hwf_image_place *place)
{
	const struct hwf_image_mapping *mapping = hwf_image_tree_after(space->tree, address);

	if (!mapping)
		return false;
	*place = (struct hwf_image_place){mapping->file, mapping->offset, mapping->start,
					  mapping->length};
	return true;
}

static bool fits(const struct hwf_image_filter *filter, const struct hwf_context *context)
{
	if (filter->securities && !(filter->securities >> context->security & 1))
		return false;
	if (filter->els && !(filter->els >> context->el & 1))
		return false;
	if (filter->has_cid && (!context->has_cid || context->cid != filter->cid))
		return false;
	return !filter->has_vmid || (context->has_vmid && context->vmid == filter->vmid);
}

const struct hwf_image_space *hwf_image_space_of(const struct hwf_image *image,
						 const struct hwf_context *context)
{
	for (const struct hwf_image_space *space = image->spaces; space; space = space->next)
		if (space->filtered && fits(&space->filter, context))
			return space;
	return NULL;
}
