/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* A struct hwf_decoder gives what the plain stages give, and counts what they give. */
#include "decoder_test.h"
#include "fast/graph_private.h"

static void both_ways_are_the_same(void **state)
{
	static struct seen stages;
	static struct seen decoder;
	const struct hwf_ete_config configs[] = {
		test_config(0, 32, 0),     test_config(IDR0_COMMOPT, 200, 0),
		test_config(0, 32, 0x10),  test_config(IDR0_COMMOPT, 32, 0x1010),
		test_config(0, 0, 0),      test_config(IDR0_COMMOPT, 0, 0x1010),
		test_config(0, 7, 0x1000), test_config(IDR0_COMMOPT, 200, 0x10),
		test_config(0, 40, 0),     test_config(IDR0_COMMOPT, 39, 0x1000),
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

/* Headers of Source Addresses are reserved in ETMv4. */
static void etmv4_has_no_source_addresses(void **state)
{
	static struct seen stages, decoder;
	struct hwf_ete_config config = test_config(0, 0, 0);
	uint8_t bytes[256];
	/* B.cond at 0x18 and CBZ at 0x20, before the reserved header and behind it */
	const size_t length = test_bytes(
		SYNC "01 00 82 00 00 00 00 30 9a 06 00 00 00 f7 f7 b4 0b f7 f7 f7 f7 f7 f7 f7 f7 "
		     "f7 f7 f7 f7 f7 f7 f7 f7 f7 f7 f7 f7 f7 f7",
		bytes);

	(void)state;
	config.protocol = HWF_PROTOCOL_ETMV4;
	stages.count = 0;
	run_stages(&config, bytes, length, 1024, see, &stages);
	short_way(&config, bytes, length, 1024, SIZE_MAX, true, &decoder);
	assert_seen_equal(&stages, &decoder);
	assert_int_equal(stages.events[stages.count - 1][1], HWF_FLOW_END);
	assert_int_equal(stages.events[stages.count - 2][1], HWF_FLOW_NO_SYNC);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ways_are_the_same),
		cmocka_unit_test(address_that_was_expected_allows_calls),
		cmocka_unit_test(jump_that_is_replaced_is_not_counted),
		cmocka_unit_test(joined_ranges_are_one),
		cmocka_unit_test(etmv4_has_no_source_addresses),
		cmocka_unit_test(counts_have_more_than_32_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
