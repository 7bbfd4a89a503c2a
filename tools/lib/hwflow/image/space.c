/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Address spaces: sorted lists of mappings that do not overlap. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "image_private.h"

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
	free(space->mappings);
	free(space);
}

void hwf_image_space_clear(struct hwf_image_space *space)
{
	space->count = 0;
	space->image->changes++;
}

static int reserve(struct hwf_image_space *space, size_t room)
{
	struct hwf_image_mapping *mappings;

	if (room <= space->room)
		return 0;
	room += room / 2 + 8;
	mappings = reallocarray(space->mappings, room, sizeof(*mappings));
	if (!mappings)
		return -ENOMEM;
	space->mappings = mappings;
	space->room = room;
	return 0;
}

int hwf_image_space_copy(struct hwf_image_space *to, const struct hwf_image_space *from)
{
	int error = reserve(to, from->count);

	if (error)
		return error;
	to->image->changes++;
	to->count = from->count;
	if (from->count)
		memcpy(to->mappings, from->mappings, from->count * sizeof(*from->mappings));
	return 0;
}

/* The address of the last byte; the address behind it may overflow. */
static uint64_t last_of(const struct hwf_image_mapping *mapping)
{
	return mapping->start + (mapping->length - 1);
}

/* The first mapping that ends after @address. */
static size_t first_after(const struct hwf_image_space *space, uint64_t address)
{
	size_t low = 0, high = space->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (last_of(&space->mappings[middle]) < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Remove the addresses up to @last, which is in the mapping. */
static void cut_front(struct hwf_image_mapping *mapping, uint64_t last)
{
	const uint64_t gone = last - mapping->start + 1;

	mapping->start += gone;
	mapping->offset += gone;
	mapping->length -= gone;
}

/*
 * Unmap @start to @last; there is room for one more mapping. Return: the index for a mapping there
 */
static size_t cut_out(struct hwf_image_space *space, uint64_t start, uint64_t last)
{
	struct hwf_image_mapping *mappings = space->mappings;
	size_t at = first_after(space, start), behind;

	if (at < space->count && mappings[at].start < start) {
		const uint64_t old_last = last_of(&mappings[at]);

		if (old_last > last) {
			memmove(&mappings[at + 1], &mappings[at],
				(space->count - at) * sizeof(*mappings));
			space->count++;
			cut_front(&mappings[at + 1], last);
		}
		mappings[at].length = start - mappings[at].start;
		at++;
	}
	for (behind = at; behind < space->count; behind++) {
		if (last_of(&mappings[behind]) <= last)
			continue;
		if (mappings[behind].start <= last)
			cut_front(&mappings[behind], last);
		break;
	}
	memmove(&mappings[at], &mappings[behind], (space->count - behind) * sizeof(*mappings));
	space->count -= behind - at;
	return at;
}

int hwf_image_map(struct hwf_image_space *space, uint64_t start, uint64_t length,
		  struct hwf_image_file *file, uint64_t offset)
{
	size_t at;
	int error;

	if (!length)
		return 0;
	if (length - 1 > UINT64_MAX - start)
		length = UINT64_MAX - start + 1;
	error = reserve(space, space->count + 2);
	if (error)
		return error;
	space->image->changes++;
	at = cut_out(space, start, start + (length - 1));
	if (!file)
		return 0;
	memmove(&space->mappings[at + 1], &space->mappings[at],
		(space->count - at) * sizeof(*space->mappings));
	space->count++;
	space->mappings[at] = (struct hwf_image_mapping){start, length, file, offset};
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

const struct hwf_image_mapping *hwf_image_find_mapping(const struct hwf_image_space *space,
						       uint64_t address)
{
	for (; space; space = space->parent) {
		const size_t at = first_after(space, address);

		if (at < space->count && space->mappings[at].start <= address)
			return &space->mappings[at];
	}
	return NULL;
}

bool hwf_image_hidden(const struct hwf_image_space *space, const struct hwf_image_mapping *mapping)
{
	for (; space; space = space->parent) {
		const size_t at = first_after(space, mapping->start);

		if (at < space->count && &space->mappings[at] == mapping)
			return false;
		if (at < space->count && space->mappings[at].start <= last_of(mapping))
			return true;
	}
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
	const size_t at = first_after(space, address);
	const struct hwf_image_mapping *mapping;

	if (at == space->count)
		return false;
	mapping = &space->mappings[at];
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
