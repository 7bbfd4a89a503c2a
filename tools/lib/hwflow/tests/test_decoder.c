/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The short way of struct hwf_decoder gives what the stages give one behind the other. */
#include "ete_test.h"

#include "flow_sums.h"
#include "graph/graph_private.h"
#include "hwflow/decoder.h"
#include "hwflow/graph.h"

static uint64_t random_next(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static uint32_t random_below(uint64_t *seed, uint32_t below)
{
	return (uint32_t)((random_next(seed) >> 20) % below);
}

/* The program: B.cond, B, BL, RET, ERET and others, everywhere the same sixteen; and B.cond alone
 */
#define ALL_CONDITIONAL 0x100000u

static size_t read_code(void *ctx, const void *space, uint64_t address, void *bytes, size_t length)
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

static void see(void *ctx, const struct hwf_flow_event *event)
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

static void push_p0(void *ctx, const struct hwf_element *element)
{
	hwf_p0_push(ctx, element);
}

static void push_follower(void *ctx, const struct hwf_element *element)
{
	hwf_follower_push(ctx, element);
}

/* The plain stages, one behind the other */
static void run_stages(const struct hwf_ete_config *config, const uint8_t *bytes, size_t length,
		       uint32_t ring_size, hwf_flow_fn *sink, void *ctx)
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

static void short_way(const struct hwf_ete_config *config, const uint8_t *bytes, size_t length,
		      uint32_t ring_size, size_t piece, bool cached, struct seen *seen)
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

static void add_counted(void *ctx, const struct hwf_flow_event *event)
{
	assert_int_not_equal(event->kind, HWF_FLOW_CYCLE_COUNT);
	add_event(ctx, event);
}

/* Ranges are counted where they can be; cycle counts are not given. */
static void counted_way(const struct hwf_ete_config *config, const uint8_t *bytes, size_t length,
			uint32_t ring_size, size_t piece, struct sums *sums)
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

static void assert_seen_equal(const struct seen *a, const struct seen *b)
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

static void put(struct writer *writer, const char *hex)
{
	writer->length += test_bytes(hex, writer->bytes + writer->length);
}

static void put_two(struct writer *writer, uint32_t first, uint32_t second)
{
	writer->bytes[writer->length++] = (uint8_t)first;
	writer->bytes[writer->length++] = (uint8_t)second;
}

/* Nearly always no more than there are */
static uint32_t some(struct writer *writer)
{
	uint32_t number = 1 + random_below(&writer->seed, writer->waiting ? writer->waiting : 1);

	if (!random_below(&writer->seed, 400))
		number += 3;
	writer->waiting -= number < writer->waiting ? number : writer->waiting;
	return number;
}

static void put_atoms(struct writer *writer)
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
static void put_cancel(struct writer *writer)
{
	writer->bytes[writer->length++] = (uint8_t)(0x30 + random_below(&writer->seed, 16));
	writer->waiting -= 5;
}

/* More than fits seven bits, where there are as many */
static void put_large_commit(struct writer *writer)
{
	if (writer->waiting < 140)
		return;
	writer->waiting -= 129;
	put(writer, "2d 81 01");
}

/* A short address of two bytes */
static void put_short(struct writer *writer)
{
	put_two(writer, 0x95, 0x80 | random_below(&writer->seed, 128));
	writer->bytes[writer->length++] = (uint8_t)random_below(&writer->seed, 256);
}

/* A Source Address of any format, mostly of an instruction near the newest address */
static void put_source(struct writer *writer)
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

static void put_sync(struct writer *writer)
{
	static const char *const infos[] = {"01 00 82 00 00 40 00 30",
					    "01 05 00 03 82 00 00 40 00 30", "01 00 81 30",
					    "01 09 01 03 82 00 00 40 00 30"};

	put(writer, SYNC);
	put(writer, infos[random_below(&writer->seed, 4)]);
}

/* A Cycle Count of any format; nearly always it commits no more than waits */
static void put_count(struct writer *writer)
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

static void put_packet(struct writer *writer)
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
static void put_run(struct writer *writer)
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
static void write_trace(struct writer *writer)
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

static void both_ways_are_the_same(void **state)
{
	static struct seen stages;
	static struct seen decoder;
	const struct hwf_ete_config configs[] = {
		test_config(0, 32, 0),     test_config(IDR0_COMMOPT, 200, 0),
		test_config(0, 32, 0x10),  test_config(IDR0_COMMOPT, 32, 0x1010),
		test_config(0, 0, 0),      test_config(IDR0_COMMOPT, 0, 0x1010),
		test_config(0, 7, 0x1000), test_config(IDR0_COMMOPT, 200, 0x10),
	};
	const int count = sizeof(configs) / sizeof(configs[0]);
	struct writer writer = {.seed = 5};
	struct sums sums, counted;

	(void)state;
	for (int round = 0; round < 1000 * count; round++) {
		const struct hwf_ete_config *config = &configs[round % count];
		/* of P0 elements there is room for too few, for just enough, for more */
		uint32_t size = 128u << random_below(&writer.seed, 4);
		size_t piece = 1 + random_below(&writer.seed, 64);

		writer.max_spec = config->max_spec;
		writer.commits = !config->commit_mode1;
		writer.waits = !random_below(&writer.seed, 3);
		writer.runs = !random_below(&writer.seed, 8);
		write_trace(&writer);
		stages.count = 0;
		run_stages(config, writer.bytes, writer.length, size, see, &stages);
		short_way(config, writer.bytes, writer.length, size, SIZE_MAX, round & 8, &decoder);
		assert_seen_equal(&stages, &decoder);
		short_way(config, writer.bytes, writer.length, size, piece, true, &decoder);
		assert_seen_equal(&stages, &decoder);
		sums = (struct sums){0};
		run_stages(config, writer.bytes, writer.length, size, add_event, &sums);
		counted_way(config, writer.bytes, writer.length, size,
			    round & 16 ? piece : SIZE_MAX, &counted);
		assert_true(sums.events == counted.events);
		assert_true(sums.ranges == counted.ranges);
		assert_true(sums.jumps == counted.jumps);
	}
}

/*
 * R_GZSSX: behind a Trace Info calls go onto the return stack once an address and a context came,
 * whether the address is that of the next range or another one.
 */
static void address_that_was_expected_allows_calls(void **state)
{
	static const char *const addresses[] = {"9a 05 00 00 00", "9a 15 00 00 00"};
	const struct hwf_ete_config config = test_config(0, 0, 0x1000);
	static struct seen stages, decoder;
	uint8_t bytes[256];

	(void)state;
	for (int i = 0; i < 2; i++) {
		/* a loop with BL at 0x14 in it; Trace Info, context, the loop again, the address */
		size_t length =
			test_bytes(SYNC "01 00 82 00 00 00 00 30 9a 05 00 00 00 f7 f7 f7 f7 "
					"01 00 81 30 f7 f7 f7 f7 ",
				   bytes);

		length += test_bytes(addresses[i], bytes + length);
		length += test_bytes("f7 9a 07 00 00 00 f7 f7 f7 f7 f7 f7 f7 f7 f7 f7 f7 f7 f7",
				     bytes + length);
		stages.count = 0;
		run_stages(&config, bytes, length, 1024, see, &stages);
		short_way(&config, bytes, length, 1024, SIZE_MAX, true, &decoder);
		assert_seen_equal(&stages, &decoder);
	}
}

/* A jump that was counted before is not counted where another address replaces its own. */
static void jump_that_is_replaced_is_not_counted(void **state)
{
	const struct hwf_ete_config config = test_config(0, 0, 0);
	struct sums sums = {0}, counted;
	uint8_t bytes[256];
	/* RET at 0x1c and BR at 0x34, each to the other; in the end BR to itself in place of RET */
	const size_t length =
		test_bytes(SYNC "01 00 82 00 00 00 00 30 9a 07 00 00 00 f7 9a 0d 00 00 00 f7 "
				"9a 07 00 00 00 f7 9a 0d 00 00 00 f7 9a 07 00 00 00 f7 "
				"9a 0d 00 00 00 f7 9a 07 00 00 00 9a 0d 00 00 00 f7 "
				"9a 07 00 00 00 f7 f6 f6 f6 f6 f6 f6 f6 f6 f6 f6 f6 f6 f6 f6 f6",
			   bytes);

	(void)state;
	run_stages(&config, bytes, length, 1024, add_event, &sums);
	counted_way(&config, bytes, length, 1024, SIZE_MAX, &counted);
	assert_true(sums.events == counted.events);
	assert_true(sums.ranges == counted.ranges);
	assert_true(sums.jumps == counted.jumps);
}

/* What a Source Address joins is one range, the first time and every other time (I_DJTGL). */
static void joined_ranges_are_one(void **state)
{
	static struct seen stages, decoder;
	const struct hwf_ete_config config = test_config(0, 0, 0);
	struct sums sums = {0}, counted;
	uint8_t bytes[256];
	/* CBZ at 0x20 is not taken, B at 0x2c goes back there; then B.cond at 0x18, and RET at 0x1c
	 */
	const size_t length = test_bytes(
		SYNC "01 00 82 00 00 00 00 30 9a 08 00 00 00 b6 0b 00 00 00 b0 b4 0b b0 b0 f7 f6 "
		     "9a 06 00 00 00 b4 07 9a 06 00 00 00 b4 07 92 b4 07 9a 06 00 00 00 b4 07 "
		     "f6 f6 f6 f6 f6 f6 f6 f6 f6 f6 f6 f6 f6 f6 f6 f6",
		bytes);

	(void)state;
	stages.count = 0;
	run_stages(&config, bytes, length, 1024, see, &stages);
	short_way(&config, bytes, length, 1024, SIZE_MAX, true, &decoder);
	assert_seen_equal(&stages, &decoder);
	run_stages(&config, bytes, length, 1024, add_event, &sums);
	counted_way(&config, bytes, length, 1024, SIZE_MAX, &counted);
	assert_true(sums.events == counted.events);
	assert_true(sums.ranges == counted.ranges);
	assert_true(sums.jumps == counted.jumps);
}

/* A chain may be walked more often than there are numbers for its uses. */
static void counts_have_more_than_32_bits(void **state)
{
	static _Alignas(16) uint8_t memory[1 << 17];
	const struct hwf_ete_config config = test_config(0, 0, 0);
	struct hwf_decoder decoder;
	struct hwf_graph graph;
	uint8_t bytes[64] = {0};
	uint64_t sum = 0, expected = 0;
	size_t length = test_bytes(
		SYNC "01 00 82 00 00 40 00 30 9a 00 00 10 00 f7 f7 f7 f6 f6 f6 f7 f7 f6 f6 "
		     "00 00 00 00 00 00",
		bytes);

	(void)state;
	memset(memory, 0, sizeof(memory));
	hwf_graph_init(&graph, memory, 64);
	for (int round = 0; round < 2; round++) {
		struct sums sums = {0};

		hwf_decoder_init(&decoder, &config, &code, ring, 1024, add_event, &sums);
		decoder.follower.graph = &graph;
		decoder.follower.counting = true;
		/* what is behind the Atoms is no end: the last range would be given */
		hwf_decoder_push(&decoder, bytes, length, false);
		for (size_t i = 0; !round && i < (size_t)graph.used * HWF_CHAINS; i++) {
			if (!graph.uses[i])
				continue;
			/* as if it had been walked so often before */
			expected += (UINT32_MAX + (uint64_t)graph.uses[i]) *
				    hwf_graph_steps_of(&graph, i);
			graph.uses[i] = UINT32_MAX;
		}
	}
	hwf_graph_settle_counts(&graph);
	for (uint32_t i = 0; i < graph.counts.step_count; i++)
		sum += HWF_COUNT(graph.counts.of[graph.counts.steps[i]]);
	assert_true(expected > UINT32_MAX);
	assert_true(sum == expected);
}

/* struct begun - a decoder that began somewhere, and the graph it has, if it has one */
struct begun {
	struct hwf_decoder decoder;
	struct hwf_graph graph;
	struct hwf_element ring[1024];
	struct seen seen;
	size_t at;
	_Alignas(16) uint8_t memory[1 << 17];
};

static void begin_at(struct begun *begun, const struct hwf_ete_config *config, size_t from,
		     bool cached)
{
	memset(begun->memory, 0, sizeof(begun->memory));
	hwf_graph_init(&begun->graph, begun->memory, 64);
	hwf_decoder_init(&begun->decoder, config, &code, begun->ring, 1024, see, &begun->seen);
	if (cached)
		begun->decoder.follower.graph = &begun->graph;
	begun->decoder.stream.offset = from;
	begun->at = from;
}

static void decode_until(struct begun *begun, const struct writer *writer, size_t end)
{
	begun->at += hwf_decoder_push(&begun->decoder, writer->bytes + begun->at, end - begun->at,
				      end == writer->length);
}

static bool have_one_state(struct begun *a, struct begun *b)
{
	uint8_t states[2][HWF_DECODER_STATE];
	size_t size;

	hwf_decoder_settle(&a->decoder);
	hwf_decoder_settle(&b->decoder);
	size = hwf_decoder_state(&a->decoder, states[0], sizeof(states[0]));
	assert_true(size);
	return size == hwf_decoder_state(&b->decoder, states[1], sizeof(states[1])) &&
	       !memcmp(states[0], states[1], size);
}

/* A synchronisation, begun by the Alignment Synchronisation; the end where there is none */
static size_t next_sync(const struct writer *writer, size_t from)
{
	for (size_t at = from; at + 12 <= writer->length; at++)
		if (!memcmp(writer->bytes + at, "\0\0\0\0\0\0\0\0\0\0\0\x80", 12))
			return at;
	return writer->length;
}

/*
 * A decoder that begins at a synchronisation gives the same events as one that began earlier, from
 * where their states are the same; and they become the same.
 */
static void equal_states_have_one_future(void **state)
{
	static struct begun early, late, plain;
	const struct hwf_ete_config configs[] = {
		test_config(0, 0, 0),        test_config(0, 0, 0x1000),
		test_config(0, 32, 0x1010),  test_config(IDR0_COMMOPT, 32, 0x1000),
		test_config(0, 200, 0x1000), test_config(IDR0_COMMOPT, 0, 0x1010),
	};
	const int count = sizeof(configs) / sizeof(configs[0]);
	struct writer writer = {.seed = 9};
	uint32_t joined = 0, apart = 0;

	(void)state;
	for (int round = 0; round < 2000 * count; round++) {
		const struct hwf_ete_config *config = &configs[round % count];
		size_t from, begin;

		writer.max_spec = config->max_spec;
		write_trace(&writer);
		from = next_sync(&writer, 13);
		if (from == writer.length)
			continue;
		begin = from + 12 + random_below(&writer.seed, (uint32_t)(writer.length - from));
		if (begin >= writer.length)
			continue;
		early.seen.count = late.seen.count = plain.seen.count = 0;
		begin_at(&early, config, 0, true);
		begin_at(&plain, config, 0, false);
		begin_at(&late, config, from, round & 1);
		decode_until(&early, &writer, begin);
		decode_until(&plain, &writer, begin);
		decode_until(&late, &writer, begin);
		/* what a decoder remembers for speed is no state */
		assert_true(have_one_state(&early, &plain));
		if (!have_one_state(&early, &late)) {
			apart++;
			continue;
		}
		joined++;
		early.seen.count = late.seen.count = 0;
		decode_until(&early, &writer, writer.length);
		decode_until(&late, &writer, writer.length);
		assert_seen_equal(&early.seen, &late.seen);
	}
	assert_true(joined > 500);
	assert_true(apart > 500);
}

/* Does the state depend on this member, in a decoder where it holds something? */
#define ASSERT_IN_STATE(begun, member)                                                       \
	do {                                                                                 \
		uint8_t states[2][4096];                                                     \
		const size_t size = hwf_decoder_state(&(begun)->decoder, states[0], 4096);   \
		__typeof__((begun)->member) old = (begun)->member;                           \
                                                                                             \
		(begun)->member ^= 1;                                                        \
		assert_true(size != hwf_decoder_state(&(begun)->decoder, states[1], 4096) || \
			    memcmp(states[0], states[1], size));                             \
		(begun)->member = old;                                                       \
	} while (0)

static struct begun full;

/* A decoder in which much waits */
static struct begun *begin_full(void)
{
	static struct hwf_ete_config config;
	struct hwf_decoder *const decoder = &full.decoder;
	struct writer writer = {0};

	config = test_config(0, 32, 0x1000);
	/* A Context, a call, a Target Address, two Atoms with a Cycle Count and an Event, an
	 * address, an Exception */
	put(&writer,
	    SYNC "01 05 00 03 82 00 00 40 00 30 9d 00 00 10 00 00 00 00 00 f7 2d 01 9a 14 00 10 00 "
		 "f7 2d 01 9a 00 10 00 00 f9 0c 15 f7 71 9a 10 02 40 00 f7 9a 10 02 41 00 06 05");
	full.seen.count = 0;
	begin_at(&full, &config, 0, false);
	full.at += hwf_decoder_push(decoder, writer.bytes, writer.length, false);
	hwf_decoder_settle(decoder);
	decoder->follower.fresh = false;
	return &full;
}

static void the_state_has_the_elements(void **state)
{
	struct begun *const begun = begin_full();
	struct hwf_decoder *const decoder = &begun->decoder;

	(void)state;
	ASSERT_IN_STATE(begun, decoder.stream.offset);
	ASSERT_IN_STATE(begun, decoder.stream.synced);
	ASSERT_IN_STATE(begun, decoder.stream.tentative);
	for (int i = 0; i < HWF_HISTORY; i++) {
		ASSERT_IN_STATE(begun, decoder.elements.history.entry[i].value);
		ASSERT_IN_STATE(begun, decoder.elements.history.entry[i].is);
	}
	ASSERT_IN_STATE(begun, decoder.elements.history.timestamp);
	ASSERT_IN_STATE(begun, decoder.elements.history.aarch32);
	ASSERT_IN_STATE(begun, decoder.elements.context.cid);
	ASSERT_IN_STATE(begun, decoder.elements.context.vmid);
	ASSERT_IN_STATE(begun, decoder.elements.context.el);
	ASSERT_IN_STATE(begun, decoder.elements.context.sf);
	ASSERT_IN_STATE(begun, decoder.elements.context.security);
	ASSERT_IN_STATE(begun, decoder.elements.context.has_cid);
	ASSERT_IN_STATE(begun, decoder.elements.context.has_vmid);
	ASSERT_IN_STATE(begun, decoder.elements.context.el_unknown);
	ASSERT_IN_STATE(begun, decoder.elements.last_offset);
	ASSERT_IN_STATE(begun, decoder.elements.cc_threshold);
	ASSERT_IN_STATE(begun, decoder.elements.marker_pending);
	ASSERT_IN_STATE(begun, decoder.elements.marker_seen);
	ASSERT_IN_STATE(begun, decoder.elements.overflowed);
	ASSERT_IN_STATE(begun, decoder.elements.sync);
	ASSERT_IN_STATE(begun, decoder.elements.lost);
	decoder->elements.lost = HWF_NO_SYNC_BAD_PACKET;
	ASSERT_IN_STATE(begun, decoder.elements.lost);
	ASSERT_IN_STATE(begun, decoder.elements.lost_error);
	decoder->elements.marker_pending = true;
	ASSERT_IN_STATE(begun, decoder.elements.marker_offset);
	ASSERT_IN_STATE(begun, decoder.elements.exception_pending);
	assert_true(decoder->elements.exception_pending);
	ASSERT_IN_STATE(begun, decoder.elements.exception.offset);
	ASSERT_IN_STATE(begun, decoder.elements.exception.u.exception.type);
	ASSERT_IN_STATE(begun, decoder.elements.exception.u.exception.ret_is_target);
}

static void the_state_has_the_follower(void **state)
{
	struct begun *const begun = begin_full();
	struct hwf_decoder *const decoder = &begun->decoder;

	(void)state;
	ASSERT_IN_STATE(begun, decoder.follower.has_pc);
	ASSERT_IN_STATE(begun, decoder.follower.has_context);
	ASSERT_IN_STATE(begun, decoder.follower.pop_pending);
	ASSERT_IN_STATE(begun, decoder.follower.push_awaits);
	ASSERT_IN_STATE(begun, decoder.follower.fresh);
	ASSERT_IN_STATE(begun, decoder.follower.gap_open);
	ASSERT_IN_STATE(begun, decoder.follower.is);
	ASSERT_IN_STATE(begun, decoder.follower.isa);
	decoder->follower.has_pc = true;
	ASSERT_IN_STATE(begun, decoder.follower.pc);
	decoder->follower.has_context = true;
	ASSERT_IN_STATE(begun, decoder.follower.context.cid);
	ASSERT_IN_STATE(begun, decoder.follower.context.sf);
	hwf_return_stack_push(&decoder->follower.stack, 0x1000, HWF_ISA_A64);
	ASSERT_IN_STATE(begun, decoder.follower.stack.used);
	ASSERT_IN_STATE(begun, decoder.follower.stack.entry[decoder->follower.stack.top].address);
	decoder->follower.q_pending = decoder->follower.q_context_pending = true;
	decoder->follower.q.kind = HWF_EL_Q;
	decoder->follower.q_context.kind = HWF_EL_CONTEXT;
	ASSERT_IN_STATE(begun, decoder.follower.q_pending);
	ASSERT_IN_STATE(begun, decoder.follower.q_context_pending);
	ASSERT_IN_STATE(begun, decoder.follower.q.u.q.count);
	ASSERT_IN_STATE(begun, decoder.follower.q.u.q.address.value);
	ASSERT_IN_STATE(begun, decoder.follower.q.offset);
	ASSERT_IN_STATE(begun, decoder.follower.q_context.u.context.context.cid);
	ASSERT_IN_STATE(begun, decoder.follower.q_context.u.context.has_is);
}

/* The oldest element of the P0 stage's ring becomes another one. */
static void set_oldest(struct hwf_decoder *decoder, uint8_t kind)
{
	decoder->p0.ring[decoder->p0.head] = (struct hwf_element){.kind = kind};
}

static void the_state_has_what_waits(void **state)
{
	struct begun *const begun = begin_full();
	struct hwf_decoder *const decoder = &begun->decoder;

	(void)state;
	ASSERT_IN_STATE(begun, decoder.p0.unseen);
	ASSERT_IN_STATE(begun, decoder.p0.lost);
	assert_true(decoder->p0.tail - decoder->p0.head >= 3);
	for (uint32_t at = decoder->p0.head; at != decoder->p0.tail; at++)
		ASSERT_IN_STATE(begun, decoder.p0.ring[at].offset);
	set_oldest(decoder, HWF_EL_ATOM);
	ASSERT_IN_STATE(begun, decoder.p0.ring[decoder->p0.head].kind);
	ASSERT_IN_STATE(begun, decoder.p0.ring[decoder->p0.head].u.atoms.bits);
	ASSERT_IN_STATE(begun, decoder.p0.ring[decoder->p0.head].corrected);
	set_oldest(decoder, HWF_EL_TARGET_ADDRESS);
	ASSERT_IN_STATE(begun, decoder.p0.ring[decoder->p0.head].u.address.value);
	set_oldest(decoder, HWF_EL_EXCEPTION);
	ASSERT_IN_STATE(begun, decoder.p0.ring[decoder->p0.head].u.exception.ret.value);
	ASSERT_IN_STATE(begun, decoder.p0.ring[decoder->p0.head].u.exception.type);
	set_oldest(decoder, HWF_EL_EVENT);
	ASSERT_IN_STATE(begun, decoder.p0.ring[decoder->p0.head].u.event);
	ASSERT_IN_STATE(begun, decoder.p0.tail);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ways_are_the_same),
		cmocka_unit_test(address_that_was_expected_allows_calls),
		cmocka_unit_test(jump_that_is_replaced_is_not_counted),
		cmocka_unit_test(joined_ranges_are_one),
		cmocka_unit_test(counts_have_more_than_32_bits),
		cmocka_unit_test(equal_states_have_one_future),
		cmocka_unit_test(the_state_has_the_elements),
		cmocka_unit_test(the_state_has_the_follower),
		cmocka_unit_test(the_state_has_what_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
