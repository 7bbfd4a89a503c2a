/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* struct hwf_code of an image: code bytes, and runs from the P0 map. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "image_private.h"

/* slots of the cache of mappings; a slot is chosen by space and address without the low bits */
#define SLOTS     256u
#define SLOT_BITS 16

/**
 * struct slot - a cached mapping
 * @space: address space; NULL for an empty slot
 * @start: first address
 * @length: bytes of it that its file has
 * @entries: P0 map, of @start; NULL where there is none
 * @file: the file, open
 * @index: of @start, in the file's P0 map
 */
struct slot {
	const struct hwf_image_space *space;
	uint64_t start;
	uint64_t length;
	const uint64_t *entries;
	struct hwf_image_file *file;
	size_t index;
};

struct hwf_image_view {
	struct hwf_code code;
	struct hwf_image *image;
	uint64_t changes;
	bool wfx;
	struct slot slots[SLOTS];
};

/* Bytes of a mapping that are in its file, which is opened; 0 if the file is missing. */
static uint64_t length_in_file(const struct hwf_image_mapping *mapping)
{
	struct hwf_image_file *file = mapping->file;
	uint64_t room;

	if (hwf_image_file_open(file) || mapping->offset >= file->size)
		return 0;
	room = file->size - mapping->offset;
	return room < mapping->length ? room : mapping->length;
}

static size_t read_code(void *ctx, const void *space, uint64_t address, void *bytes, size_t length)
{
	size_t done = 0;

	(void)ctx;
	while (done < length) {
		const struct hwf_image_mapping *mapping =
			hwf_image_find_mapping(space, address + done);
		uint64_t at, room;

		if (!mapping)
			break;
		room = length_in_file(mapping);
		at = address + done - mapping->start;
		if (at >= room)
			break;
		room -= at;
		if (room > length - done)
			room = length - done;
		memcpy((uint8_t *)bytes + done, mapping->file->bytes + mapping->offset + at,
		       (size_t)room);
		done += (size_t)room;
		/* the end of the address range */
		if (address + done < address)
			break;
	}
	return done;
}

static struct slot *slot_of(struct hwf_image_view *view, const void *space, uint64_t address)
{
	const uint64_t mixed =
		(address >> SLOT_BITS ^ (uintptr_t)space >> 5) * UINT64_C(0x9e3779b97f4a7c15);

	return &view->slots[mixed >> 56];
}

/*
 * Fill a slot with the mapping at an address. Return: NULL if the P0 map cannot be used, because
 * the code is not aligned to 4 bytes, or a mapping of a nearer address space hides a part of it.
 */
static const struct slot *fill_slot(struct hwf_image_view *view, struct slot *slot,
				    const struct hwf_image_space *space, uint64_t address)
{
	const struct hwf_image_mapping *mapping = hwf_image_find_mapping(space, address);
	uint64_t length;

	if (!mapping || (mapping->start | mapping->offset) & 3)
		return NULL;
	length = length_in_file(mapping) & ~UINT64_C(3);
	if (address - mapping->start >= length || hwf_image_hidden(space, mapping))
		return NULL;
	if (hwf_image_map_make(&mapping->file->maps[view->wfx], mapping->file->size / 4))
		return NULL;
	slot->index = (size_t)(mapping->offset / 4);
	slot->space = space;
	slot->start = mapping->start;
	slot->length = length;
	slot->file = mapping->file;
	slot->entries = mapping->file->maps[view->wfx].entries + slot->index;
	return slot;
}

/* End a run with the P0 instruction of @entry. */
static void end_run(struct hwf_run *run, uint64_t entry)
{
	const uint8_t kind = entry >> HWF_ENTRY_KIND_AT & 15;
	const int32_t target = (int32_t)(uint32_t)(entry >> HWF_ENTRY_TARGET_AT);

	run->instructions += hwf_entry_count(entry);
	run->end += 4 * (uint64_t)hwf_entry_count(entry);
	run->insn.target = kind == HWF_INSN_DIRECT ? run->end - 4 + (uint64_t)(int64_t)target : 0;
	run->insn.size = 4;
	run->insn.kind = kind;
	run->insn.sub = entry >> HWF_ENTRY_SUB_AT & 15;
	run->insn.target_isa = HWF_ISA_A64;
	run->insn.call = HWF_CALL_NONE;
	run->insn.conditional = entry >> HWF_ENTRY_COND_AT & 1;
	run->status = 0;
}

/* The cached mapping at an address; NULL as for fill_slot() */
static const struct slot *slot_at(struct hwf_image_view *view, const void *space, uint64_t address)
{
	struct slot *slot = slot_of(view, space, address);

	if (slot->space == space && address - slot->start < slot->length)
		return slot;
	return fill_slot(view, slot, space, address);
}

/*
 * Extend a run through a mapping. Return: true if the run leaves the mapping, behind which there
 * may be other code than that of the file. False if the run has ended, or has no entry
 */
static bool extend(const struct hwf_image_view *view, const struct slot *slot, struct hwf_run *run)
{
	const uint64_t at = run->end - slot->start;
	const uint64_t room = (slot->length - at) / 4;
	const uint32_t left = HWF_RUN_MAX - run->instructions;
	const uint32_t most = room < left ? (uint32_t)room : left;
	uint64_t entry = __atomic_load_n(&slot->entries[at / 4], __ATOMIC_RELAXED);

	if (!hwf_entry_made(entry))
		entry = hwf_image_map_entry(slot->file, view->wfx, slot->index + at / 4);
	if (!entry)
		return false;
	if (hwf_entry_count(entry) && hwf_entry_count(entry) <= most) {
		end_run(run, entry);
		return false;
	}
	run->end += 4 * (uint64_t)most;
	run->instructions += most;
	return run->instructions < HWF_RUN_MAX;
}

/* struct place - the end of a part of a run: its address, and the instructions before it */
struct place {
	uint64_t address;
	uint32_t instructions;
};

/* Advance by one hop; false if there is none. */
static bool hop(struct hwf_image_view *view, const void *space, enum hwf_isa isa,
		struct place *place)
{
	const struct slot *slot = slot_at(view, space, place->address);
	uint64_t at;
	uint64_t hop;
	uint64_t bytes;

	if (!slot)
		return false;
	at = place->address - slot->start;
	hop = hwf_image_hop(slot->file, view->wfx, isa, 2 * slot->index + (size_t)(at / 2));
	bytes = 2 * (uint64_t)hwf_hop_halves(hop);
	if (!bytes || bytes > slot->length - at ||
	    hwf_hop_instructions(hop) > HWF_RUN_MAX - place->instructions)
		return false;
	place->address += bytes;
	place->instructions += hwf_hop_instructions(hop);
	return true;
}

/*
 * A32 and T32: advance by hops, then walk. If the walk finds no instruction, the run ends there,
 * and the walk is repeated from the last hop, for the last instruction of the run.
 */
static void run_aarch32(struct hwf_image_view *view, const void *space, enum hwf_isa isa,
			struct hwf_run *run)
{
	struct place here = {.address = run->end};
	struct place before = here;
	struct place next = here;

	while (hop(view, space, isa, &next)) {
		before = here;
		here = next;
	}
	hwf_run_walk(&view->code, space, here.address, isa, view->wfx,
		     HWF_RUN_MAX - here.instructions, UINT64_MAX, run);
	if (!run->instructions && here.instructions) {
		here = before;
		hwf_run_walk(&view->code, space, here.address, isa, view->wfx,
			     HWF_RUN_MAX - here.instructions, UINT64_MAX, run);
	}
	run->instructions += here.instructions;
}

/* A64: extend the run through the P0 maps. */
static void run_a64(struct hwf_image_view *view, const void *space, struct hwf_run *run)
{
	const struct slot *slot;

	do
		slot = slot_at(view, space, run->end);
	while (slot && extend(view, slot, run));
}

/* Continue a run without a P0 map. */
static void walk_on(const struct hwf_image_view *view, const void *space, enum hwf_isa isa,
		    struct hwf_run *run)
{
	/* the last instruction of the run is decoded again: the result has it */
	const uint32_t before = run->instructions ? run->instructions - 1 : 0;
	const uint64_t address = run->instructions ? run->end - 4 : run->end;

	hwf_run_walk(&view->code, space, address, isa, view->wfx, HWF_RUN_MAX - before, UINT64_MAX,
		     run);
	run->instructions += before;
}

/* Empty the cache if mappings have changed. */
static void forget(struct hwf_image_view *view)
{
	if (view->changes == view->image->changes)
		return;
	memset(view->slots, 0, sizeof(view->slots));
	view->changes = view->image->changes;
}

static void run_code(void *ctx, const void *space, uint64_t address, enum hwf_isa isa,
		     struct hwf_run *run)
{
	struct hwf_image_view *view = ctx;

	run->end = address;
	run->instructions = 0;
	run->status = HWF_ERR_NO_SPACE;
	forget(view);
	if (space &&
	    ((isa == HWF_ISA_A32 && !(address & 3)) || (isa == HWF_ISA_T32 && !(address & 1)))) {
		run_aarch32(view, space, isa, run);
		return;
	}
	if (isa == HWF_ISA_A64 && !(address & 3) && space)
		run_a64(view, space, run);
	if (run->status)
		walk_on(view, space, isa, run);
}

static const void *space_of(void *ctx, const struct hwf_context *context)
{
	const struct hwf_image_view *view = ctx;

	return hwf_image_space_of(view->image, context);
}

int hwf_image_view_new(struct hwf_image_view **result, struct hwf_image *image, bool wfx)
{
	struct hwf_image_view *view = calloc(1, sizeof(*view));

	if (!view)
		return -ENOMEM;
	view->image = image;
	view->wfx = wfx;
	view->changes = image->changes;
	view->code = (struct hwf_code){view, space_of, read_code, run_code};
	*result = view;
	return 0;
}

void hwf_image_view_free(struct hwf_image_view *view)
{
	free(view);
}

const struct hwf_code *hwf_image_view_code(const struct hwf_image_view *view)
{
	return &view->code;
}
