/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The program as the flow stage wants it: reads bytes, and answers runs from the P0 map. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "image_private.h"

/* mappings remembered, by space and by stretches of so many address bits */
#define KNOWN      256u
#define KNOWN_STEP 16

/**
 * struct known - a mapping that was looked up
 * @space: where; NULL for an empty slot
 * @start: first address
 * @length: bytes of it that its file has
 * @entries: P0 map, of @start; NULL where there is none
 * @file: the file, open
 * @index: of @start, in the file's P0 map
 */
struct known {
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
	struct known known[KNOWN];
};

/* Bytes of a mapping that its file has, opened; 0 if it is missing. */
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
		/* no run goes past the end of all addresses */
		if (address + done < address)
			break;
	}
	return done;
}

static struct known *slot_of(struct hwf_image_view *view, const void *space, uint64_t address)
{
	const uint64_t mixed =
		(address >> KNOWN_STEP ^ (uintptr_t)space >> 5) * UINT64_C(0x9e3779b97f4a7c15);

	return &view->known[mixed >> 56];
}

/*
 * Looks a mapping up and remembers it; NULL where no map can help: code that is not on 4 bytes,
 * or that a mapping of a nearer address space hides in part.
 */
static const struct known *learn(struct hwf_image_view *view, struct known *known,
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
	known->index = (size_t)(mapping->offset / 4);
	known->space = space;
	known->start = mapping->start;
	known->length = length;
	known->file = mapping->file;
	known->entries = mapping->file->maps[view->wfx].entries + known->index;
	return known;
}

/* The run ends with the P0 instruction of @entry. */
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

/* The mapping at an address; NULL where no P0 map can help. */
static const struct known *known_at(struct hwf_image_view *view, const void *space,
				    uint64_t address)
{
	struct known *slot = slot_of(view, space, address);

	if (slot->space == space && address - slot->start < slot->length)
		return slot;
	return learn(view, slot, space, address);
}

/*
 * Lead the run on through a mapping: to its P0 instruction, or out of the mapping, behind which
 * there is other code than the file's. False where it ends for another reason, or is at a loss.
 */
static bool lead_on(const struct hwf_image_view *view, const struct known *known,
		    struct hwf_run *run)
{
	const uint64_t at = run->end - known->start;
	const uint64_t room = (known->length - at) / 4;
	const uint32_t left = HWF_RUN_MAX - run->instructions;
	const uint32_t most = room < left ? (uint32_t)room : left;
	uint64_t entry = __atomic_load_n(&known->entries[at / 4], __ATOMIC_RELAXED);

	if (!hwf_entry_made(entry))
		entry = hwf_image_map_entry(known->file, view->wfx, known->index + at / 4);
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

/* A run of A32 or T32 code, up to @address */
struct place {
	uint64_t address;
	uint32_t instructions;
};

/* Further on by a hop; false where none leads on. */
static bool hop(struct hwf_image_view *view, const void *space, enum hwf_isa isa,
		struct place *place)
{
	const struct known *known = known_at(view, space, place->address);
	uint64_t at;
	uint64_t hop;
	uint64_t bytes;

	if (!known)
		return false;
	at = place->address - known->start;
	hop = hwf_image_hop(known->file, view->wfx, isa, 2 * known->index + (size_t)(at / 2));
	bytes = 2 * (uint64_t)hwf_hop_halves(hop);
	if (!bytes || bytes > known->length - at ||
	    hwf_hop_instructions(hop) > HWF_RUN_MAX - place->instructions)
		return false;
	place->address += bytes;
	place->instructions += hwf_hop_instructions(hop);
	return true;
}

/*
 * A32 and T32: hop as far as hops lead, and walk from there. Where that is the end of the run its
 * last instruction is wanted, too: it is one of the last hop.
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

/* A64: by the P0 maps */
static void run_a64(struct hwf_image_view *view, const void *space, struct hwf_run *run)
{
	const struct known *known;

	do
		known = known_at(view, space, run->end);
	while (known && lead_on(view, known, run));
}

/* What the P0 maps do not know, or what comes behind them */
static void walk_on(const struct hwf_image_view *view, const void *space, enum hwf_isa isa,
		    struct hwf_run *run)
{
	/* the last instruction of the run, too, is wanted: decode it */
	const uint32_t known = run->instructions ? run->instructions - 1 : 0;
	const uint64_t address = run->instructions ? run->end - 4 : run->end;

	hwf_run_walk(&view->code, space, address, isa, view->wfx, HWF_RUN_MAX - known, UINT64_MAX,
		     run);
	run->instructions += known;
}

/* Mappings have changed: what is known of them holds no more. */
static void forget(struct hwf_image_view *view)
{
	if (view->changes == view->image->changes)
		return;
	memset(view->known, 0, sizeof(view->known));
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
