/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Random traces of a small program, and the ways to decode them: the plain stages, the decoder, and
 * the decoder while it counts.
 */
#ifndef HWF_DECODER_TEST_H
#define HWF_DECODER_TEST_H

#include "tests/ete_test.h"

#include "tests/flow_sums.h"
#include "hwflow/decoder.h"
#include "hwflow/graph.h"

static inline uint64_t random_next(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static inline uint32_t random_below(uint64_t *seed, uint32_t below)
{
	return (uint32_t)((random_next(seed) >> 20) % below);
}

/* The program: B.cond, B, BL, RET, ERET and others, everywhere the same sixteen; and B.cond alone
 */
#define ALL_CONDITIONAL 0x100000u

static inline size_t read_code(void *ctx, const void *space, uint64_t address, void *bytes,
			       size_t length)
{
	static const uint32_t code[16] = {0x54000060, 0xd503201f, 0x14000003, 0x54ffffe1,
					  0xd69f03e0, 0x97fffffb, 0x54000040, 0xd65f03c0,
					  0x34000060, 0xd503201f, 0xd503201f, 0x17fffffd,
					  0xb5000040, 0xd61f0000, 0x36000040, 0x94000002};
	uint8_t *to = bytes;

	(void)ctx;
	(void)space;
	for (size_t i = 0; i < length; i++) {
		uint64_t at = address & ALL_CONDITIONAL ? 24 : address + i;

		to[i] = (uint8_t)(code[at / 4 % 16] >> (address + i) % 4 * 8);
	}
	return length;
}

/* What came out: offset, kind, and a number made of the rest */
struct seen {
	uint64_t events[8192][3];
	size_t count;
};

static inline void see(void *ctx, const struct hwf_flow_event *event)
{
	struct seen *seen = ctx;
	const struct hwf_flow_range *range = &event->u.range;
	uint64_t more = 0;

	assert_true(seen->count < sizeof(seen->events) / sizeof(*seen->events));
	if (event->kind == HWF_FLOW_RANGE)
		more = range->start << 32 ^ (uint64_t)range->instructions << 24 ^ range->end << 1 ^
		       range->taken;
	else if (event->kind == HWF_FLOW_EXCEPTION)
		more = event->u.exception.ret << 8 | event->u.exception.type;
	else if (event->kind == HWF_FLOW_CYCLE_COUNT)
		more = event->u.cycle_count.count;
	else if (event->kind == HWF_FLOW_TIMESTAMP)
		more = event->u.timestamp.value;
	else if (event->kind == HWF_FLOW_CONTEXT)
		more = (uint64_t)event->u.context.context.cid << 8 | event->u.context.isa;
	else if (event->kind == HWF_FLOW_NO_SYNC)
		more = event->u.no_sync.reason;
	else if (event->kind == HWF_FLOW_GAP)
		more = event->u.gap.reason;
	seen->events[seen->count][0] = event->offset;
	seen->events[seen->count][1] = event->kind;
	seen->events[seen->count++][2] = more;
}

static const struct hwf_code code = {.read = read_code};
static struct hwf_element ring[1024];

static inline void push_p0(void *ctx, const struct hwf_element *element)
{
	hwf_p0_push(ctx, element);
}

static inline void push_follower(void *ctx, const struct hwf_element *element)
{
	hwf_follower_push(ctx, element);
}

/* The plain stages, one behind the other */
static inline void run_stages(const struct hwf_ete_config *config, const uint8_t *bytes,
			      size_t length, uint32_t ring_size, hwf_flow_fn *sink, void *ctx)
{
	struct hwf_elements elements;
	struct hwf_follower follower;
	struct hwf_ete_stream stream;
	struct hwf_ete_packet packet;
	struct hwf_p0 p0;
	uint64_t offset = 0;

	hwf_follower_init(&follower, config, &code, sink, ctx);
	hwf_p0_init(&p0, config, ring, ring_size, push_follower, &follower);
	hwf_elements_init(&elements, config, push_p0, &p0);
	hwf_ete_stream_init(&stream, config);
	while (hwf_ete_stream_next(&stream, bytes + offset, length - offset, true, &packet)) {
		bool tentative = stream.tentative || !stream.synced;

		hwf_elements_push(&elements, &packet, offset, tentative);
		offset = stream.offset;
	}
	hwf_elements_flush(&elements);
}

static inline void short_way(const struct hwf_ete_config *config, const uint8_t *bytes,
			     size_t length, uint32_t ring_size, size_t piece, bool cached,
			     struct seen *seen)
{
	static _Alignas(16) uint8_t memory[1 << 17];
	struct hwf_graph cache;
	struct hwf_decoder decoder;
	size_t given = 0;
	size_t taken = 0;

	seen->count = 0;
	memset(memory, 0, sizeof(memory));
	assert_true(hwf_graph_bytes(64) <= sizeof(memory));
	hwf_graph_init(&cache, memory, 64);
	hwf_decoder_init(&decoder, config, &code, ring, ring_size, see, seen);
	if (cached)
		decoder.follower.graph = &cache;
	while (given < length) {
		given = length - given < piece ? length : given + piece;
		taken += hwf_decoder_push(&decoder, bytes + taken, given - taken, given == length);
	}
	assert_int_equal(taken, length);
}

static inline void add_counted(void *ctx, const struct hwf_flow_event *event)
{
	assert_int_not_equal(event->kind, HWF_FLOW_CYCLE_COUNT);
	add_event(ctx, event);
}

/* Ranges are counted where they can be; cycle counts are not given. */
static inline void counted_way(const struct hwf_ete_config *config, const uint8_t *bytes,
			       size_t length, uint32_t ring_size, size_t piece, struct sums *sums)
{
	static _Alignas(16) uint8_t memory[1 << 17];
	struct hwf_decoder decoder;
	struct hwf_graph graph;
	size_t given = 0;
	size_t taken = 0;

	*sums = (struct sums){0};
	memset(memory, 0, sizeof(memory));
	hwf_graph_init(&graph, memory, 64);
	hwf_decoder_init(&decoder, config, &code, ring, ring_size, add_counted, sums);
	decoder.follower.graph = &graph;
	decoder.follower.counting = true;
	decoder.follower.before_flush = add_counts;
	while (given < length) {
		given = length - given < piece ? length : given + piece;
		taken += hwf_decoder_push(&decoder, bytes + taken, given - taken, given == length);
	}
	hwf_graph_settle_counts(&graph);
	add_counts(sums, &graph);
}

static inline void assert_seen_equal(const struct seen *a, const struct seen *b)
{
	size_t count = a->count < b->count ? a->count : b->count;

	for (size_t i = 0; i < count; i++)
		assert_memory_equal(a->events[i], b->events[i], sizeof(a->events[i]));
	assert_int_equal(a->count, b->count);
}

#define SYNC "00 00 00 00 00 00 00 00 00 00 00 80 "

/*
 * struct writer - a trace that is made up, and how many P0 elements wait in it
 * @waits: with few commits
 * @commits: Cycle Counts commit
 */
struct writer {
	uint64_t seed;
	uint8_t bytes[8192];
	size_t length;
	uint32_t waiting;
	uint32_t max_spec;
	bool waits;
	bool runs;
	bool commits;
};

static inline void put(struct writer *writer, const char *hex)
{
	writer->length += test_bytes(hex, writer->bytes + writer->length);
}

static inline void put_two(struct writer *writer, uint32_t first, uint32_t second)
{
	writer->bytes[writer->length++] = (uint8_t)first;
	writer->bytes[writer->length++] = (uint8_t)second;
}

/* Nearly always no more than there are */
static inline uint32_t some(struct writer *writer)
{
	uint32_t number = 1 + random_below(&writer->seed, writer->waiting ? writer->waiting : 1);

	if (!random_below(&writer->seed, 400))
		number += 3;
	writer->waiting -= number < writer->waiting ? number : writer->waiting;
	return number;
}

static inline void put_atoms(struct writer *writer)
{
	static const uint8_t headers[] = {0xf6, 0xf7, 0xd8, 0xdb, 0xf9, 0xfd, 0xff,
					  0xdc, 0xdf, 0xd5, 0xf5, 0xc0, 0xe3, 0xd4};
	static const uint8_t counts[] = {1, 1, 2, 2, 3, 3, 3, 4, 4, 5, 5, 4, 7, 24};
	uint32_t which = random_below(&writer->seed, sizeof(headers));

	writer->bytes[writer->length++] = headers[which];
	writer->waiting += counts[which];
	if (writer->waiting > writer->max_spec)
		writer->waiting = writer->max_spec;
}

/* Atoms, a Cancel, a Mispredict: no more than five are cancelled */
static inline void put_cancel(struct writer *writer)
{
	writer->bytes[writer->length++] = (uint8_t)(0x30 + random_below(&writer->seed, 16));
	writer->waiting -= 5;
}

/* More than fits seven bits, where there are as many */
static inline void put_large_commit(struct writer *writer)
{
	if (writer->waiting < 140)
		return;
	writer->waiting -= 129;
	put(writer, "2d 81 01");
}

/* A short address of two bytes */
static inline void put_short(struct writer *writer)
{
	put_two(writer, 0x95, 0x80 | random_below(&writer->seed, 128));
	writer->bytes[writer->length++] = (uint8_t)random_below(&writer->seed, 256);
}

/* A Source Address of any format, mostly of an instruction near the newest address */
static inline void put_source(struct writer *writer)
{
	static const char *const sources[] = {
		"b0", "b1", "b2", "b5 12", "b6 10 02 40 00", "b8 07 00 00 00 00 00 00 00"};
	const uint32_t which = random_below(&writer->seed, 18);

	if (which < 6)
		put(writer, sources[which]);
	else
		put_two(writer, 0xb4, random_below(&writer->seed, 128));
	writer->waiting++;
}

static inline void put_sync(struct writer *writer)
{
	static const char *const infos[] = {"01 00 82 00 00 40 00 30",
					    "01 05 00 03 82 00 00 40 00 30", "01 00 81 30",
					    "01 09 01 03 82 00 00 40 00 30"};

	put(writer, SYNC);
	put(writer, infos[random_below(&writer->seed, 4)]);
}

/* A Cycle Count of any format; nearly always it commits no more than waits */
static inline void put_count(struct writer *writer)
{
	const uint32_t which = random_below(&writer->seed, 10);
	const uint32_t most = writer->waiting > 16 ? 16 : writer->waiting;
	uint32_t commit = 0;

	if (writer->commits && (most || !random_below(&writer->seed, 50)))
		commit = random_below(&writer->seed, which < 6 && most > 4 ? 4 : most ? most : 1);
	else if (writer->commits)
		return;
	writer->waiting -= commit + 1 < writer->waiting && writer->commits ? commit + 1 : 0;
	if (which < 6 && commit < 4) {
		/* with bits that say how much it commits where it commits nothing */
		if (!random_below(&writer->seed, 30))
			commit = 1 + random_below(&writer->seed, 3);
		writer->bytes[writer->length++] =
			(uint8_t)(0x10 | commit << 2 | random_below(&writer->seed, 4));
	} else if (which < 9) {
		put_two(writer, 0x0c, commit << 4 | random_below(&writer->seed, 16));
	} else {
		put_two(writer, 0x0e,
			writer->commits ? commit + 1 : random_below(&writer->seed, 256));
		writer->bytes[writer->length++] = (uint8_t)random_below(&writer->seed, 128);
	}
}

static inline void put_packet(struct writer *writer)
{
	uint32_t which = random_below(&writer->seed, 100);

	if (which < 45)
		put_atoms(writer);
	else if (which < 46 && writer->waiting)
		/* more bytes than it needs */
		put(writer, "2d 81 00");
	else if (which < 65 && !writer->waits)
		put_two(writer, 0x2d, some(writer));
	else if (which < 65)
		put_large_commit(writer);
	else if (which < 70 && writer->waiting)
		put_two(writer, 0x2e | random_below(&writer->seed, 2),
			random_below(&writer->seed, 20) ? some(writer) : 0);
	else if (which < 74 && writer->waiting > 8)
		put_cancel(writer);
	else if (which < 77 && writer->waiting)
		put(writer, "30");
	else if (which < 82)
		put_two(writer, 0x95, random_below(&writer->seed, 128));
	else if (which < 83)
		put_short(writer);
	else if (which < 85)
		put(writer, "90");
	else if (which < 87)
		put(writer, "9a 10 02 40 00");
	else if (which < 89)
		put(writer, random_below(&writer->seed, 2) ? "06 05 95 10" : "06 44 95 10");
	else if (which < 90)
		put(writer, "72");
	else if (which < 91)
		put(writer, "02 91 12");
	else if (which < 92)
		put_source(writer);
	else if (which < 93)
		put(writer, "a5 10 05");
	else if (which < 99)
		put_count(writer);
	else if (!random_below(&writer->seed, 4))
		put_sync(writer);
}

/* From any place in the ring, nothing else for longer than any ring is */
static inline void put_run(struct writer *writer)
{
	uint32_t first = random_below(&writer->seed, 100);

	put(writer, "9a 00 00 10 00");
	for (uint32_t i = 0; i < 800; i++) {
		put(writer, i % 3 ? "fd 2d 03" : "f7 2d 01");
		if (i == first)
			put(writer, "72");
	}
}

/* A trace; it may end with what is no packet */
static inline void write_trace(struct writer *writer)
{
	writer->length = 0;
	writer->waiting = 0;
	put(writer, SYNC "01 00 82 00 00 40 00 30");
	if (!random_below(&writer->seed, 4)) {
		writer->length = 0;
		put(writer, SYNC "01 05 00 03 82 00 00 40 00 30");
	} else if (random_below(&writer->seed, 2)) {
		writer->length = 0;
		put(writer, SYNC "01 09 01 03 82 00 00 40 00 30");
	}
	if (writer->runs)
		put_run(writer);
	for (int i = 0; i < 300; i++)
		put_packet(writer);
	if (!random_below(&writer->seed, 4))
		put(writer, "05 05 05 05 05 05 05 05 05 05 05 05 05 05 05 05");
}

#endif /* HWF_DECODER_TEST_H */
