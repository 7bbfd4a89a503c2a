// SPDX-License-Identifier: GPL-2.0-only
/*
 * The program of a trace as plain regions of bytes, so that both sides are given the same. A
 * first decode shows which code the trace needs; what lies next to it comes along, so that
 * regions are whole mappings and neither side has to search among splinters.
 */
#include <stdlib.h>
#include <string.h>

#include "hwflow/graph.h"

#include "bench.h"

/* no mapping of code is longer */
#define REGION_MAX (UINT64_C(256) << 20)
#define PAGE       UINT64_C(4096)

#define CACHED_RANGES 0x10000u

struct gather {
	const struct hwf_code *inner;
	struct bench_code found;
	bool mixed;
	bool failed;
};

void bench_code_free(struct bench_code *code)
{
	for (size_t i = 0; i < code->count; i++)
		free(code->regions[i].bytes);
	free(code->regions);
	*code = (struct bench_code){0};
}

static uint64_t end_of(const struct bench_region *region)
{
	return region->start + region->length;
}

/* Read all of it, however many mappings it is made of; bytes that were read. */
static uint64_t read_through(const struct hwf_code *code, const void *space, uint64_t address,
			     uint8_t *bytes, uint64_t length)
{
	uint64_t done = 0;

	while (done < length) {
		size_t got = code->read(code->ctx, space, address + done, bytes + done,
					(size_t)(length - done));

		if (!got)
			break;
		done += got;
	}
	return done;
}

static uint64_t find_low(const struct hwf_code *code, const void *space, uint64_t address)
{
	uint8_t probe[PAGE];
	uint64_t low = address;
	uint64_t step = PAGE;

	while (step >= 2 && address - low < REGION_MAX) {
		if (low >= step && read_through(code, space, low - step, probe, step) == step)
			low -= step;
		else
			step /= 2;
	}
	return low;
}

static uint64_t find_high(const struct hwf_code *code, const void *space, uint64_t address)
{
	uint8_t probe[PAGE];
	uint64_t high = address;
	uint64_t got = PAGE;

	while (got == PAGE && high - address < REGION_MAX && high <= UINT64_MAX - PAGE) {
		got = read_through(code, space, high, probe, PAGE);
		high += got;
	}
	return high;
}

static struct bench_region *append(struct bench_code *code)
{
	struct bench_region *regions = realloc(code->regions, (code->count + 1) * sizeof(*regions));

	if (!regions)
		return NULL;
	code->regions = regions;
	return &regions[code->count++];
}

static const struct bench_region *find(const struct bench_code *code, uint64_t address)
{
	for (size_t i = 0; i < code->count; i++) {
		if (address - code->regions[i].start < code->regions[i].length)
			return &code->regions[i];
	}
	return NULL;
}

static const struct bench_region *grow(struct gather *gather, const void *space, uint64_t address)
{
	uint64_t high = find_high(gather->inner, space, address);
	struct bench_region *region;
	uint64_t low;

	if (high == address)
		return NULL;
	low = find_low(gather->inner, space, address);
	region = append(&gather->found);
	if (!region) {
		gather->failed = true;
		return NULL;
	}
	*region = (struct bench_region){
		.start = low, .length = high - low, .bytes = malloc(high - low), .space = space};
	if (!region->bytes) {
		gather->failed = true;
		gather->found.count--;
		return NULL;
	}
	read_through(gather->inner, space, low, region->bytes, region->length);
	return region;
}

static size_t gather_read(void *ctx, const void *space, uint64_t address, void *bytes,
			  size_t length)
{
	struct gather *gather = ctx;
	const struct bench_region *region = find(&gather->found, address);

	if (region && region->space != space) {
		/* another address space: it is no matter as long as the code is the same */
		size_t got = (size_t)read_through(gather->inner, space, address, bytes, length);
		uint64_t room = end_of(region) - address;

		if (!got || memcmp(bytes, region->bytes + (address - region->start),
				   got < room ? got : (size_t)room))
			gather->mixed = true;
		return got;
	}
	if (!region)
		region = grow(gather, space, address);
	if (!region)
		return 0;
	if (length > end_of(region) - address)
		length = (size_t)(end_of(region) - address);
	memcpy(bytes, region->bytes + (address - region->start), length);
	return length;
}

static const void *gather_space(void *ctx, const struct hwf_context *context)
{
	struct gather *gather = ctx;

	return gather->inner->space ? gather->inner->space(gather->inner->ctx, context) : NULL;
}

static void no_event(void *ctx, const struct hwf_flow_event *event)
{
	(void)ctx;
	(void)event;
}

static int decode(const struct bench_unit *unit, const struct bench_piece *piece,
		  struct gather *gather)
{
	const struct hwf_code code = {.ctx = gather, .space = gather_space, .read = gather_read};
	uint32_t ring_size = hwf_p0_ring_size(&unit->config);
	struct hwf_element *ring = calloc(ring_size, sizeof(*ring));
	void *memory = calloc(1, hwf_graph_bytes(CACHED_RANGES));
	struct hwf_graph cache;
	struct hwf_decoder decoder;

	if (ring && memory) {
		hwf_graph_init(&cache, memory, CACHED_RANGES);
		hwf_decoder_init(&decoder, &unit->config, &code, ring, ring_size, no_event, NULL);
		decoder.follower.graph = &cache;
		hwf_decoder_push(&decoder, piece->bytes, piece->length, true);
	} else {
		gather->failed = true;
	}
	free(ring);
	free(memory);
	return gather->failed ? -1 : 0;
}

/* Do two regions that meet have the same bytes where they overlap? */
static bool agree(const struct bench_region *a, const struct bench_region *b)
{
	uint64_t low = a->start > b->start ? a->start : b->start;
	uint64_t high = end_of(a) < end_of(b) ? end_of(a) : end_of(b);

	return low >= high || !memcmp(a->bytes + (low - a->start), b->bytes + (low - b->start),
				      (size_t)(high - low));
}

static bool fits(const struct bench_code *code, const struct bench_code *more)
{
	for (size_t i = 0; i < code->count; i++) {
		for (size_t j = 0; j < more->count; j++) {
			if (!agree(&code->regions[i], &more->regions[j]))
				return false;
		}
	}
	return true;
}

/* Add what is new in @region, which is taken over; those it meets become one with it. */
static int merge(struct bench_code *code, struct bench_region region)
{
	struct bench_region *end;

	for (size_t i = 0; i < code->count; i++) {
		struct bench_region *old = &code->regions[i];
		struct bench_region both = region;

		if (region.start > end_of(old) || old->start > end_of(&region))
			continue;
		both.start = old->start < region.start ? old->start : region.start;
		both.length = (end_of(old) > end_of(&region) ? end_of(old) : end_of(&region)) -
			      both.start;
		both.bytes = malloc((size_t)both.length);
		if (!both.bytes) {
			free(region.bytes);
			return -1;
		}
		memcpy(both.bytes + (old->start - both.start), old->bytes, (size_t)old->length);
		memcpy(both.bytes + (region.start - both.start), region.bytes,
		       (size_t)region.length);
		free(old->bytes);
		free(region.bytes);
		*old = code->regions[--code->count];
		return merge(code, both);
	}
	end = append(code);
	if (!end) {
		free(region.bytes);
		return -1;
	}
	*end = region;
	return 0;
}

static int keep(struct bench_unit *unit, struct bench_code *found)
{
	struct bench_code *last = unit->code_count ? &unit->codes[unit->code_count - 1] : NULL;

	if (!last || !fits(last, found)) {
		struct bench_code *codes =
			realloc(unit->codes, (unit->code_count + 1) * sizeof(*codes));

		if (!codes)
			return -1;
		unit->codes = codes;
		last = &codes[unit->code_count++];
		*last = (struct bench_code){0};
	}
	for (size_t i = 0; i < found->count; i++) {
		struct bench_region region = found->regions[i];

		found->regions[i].bytes = NULL;
		if (merge(last, region))
			return -1;
	}
	return 0;
}

int bench_code_gather(struct bench_unit *unit, struct bench_piece *piece,
		      const struct hwf_code *code, bool *mixed)
{
	struct gather gather = {.inner = code};
	int err = decode(unit, piece, &gather);

	if (!err)
		err = keep(unit, &gather.found);
	if (!err)
		piece->code = unit->code_count - 1;
	*mixed = *mixed || gather.mixed;
	bench_code_free(&gather.found);
	return err;
}
