/* SPDX-License-Identifier: GPL-2.0-only */
/* Timestamps of the trace as times of the perf clock: TIME_CONV, and the trace units' own word. */
#include "tests/perfdata_test.h"

/* As a machine with a counter of 25 MHz has it: 40 ns a tick */
static const struct perfdata_clock clock_25mhz = {
	.known = true, .shift = 24, .mult = 40 << 24, .zero = 1000};

/* A recording of two CPUs with this conversion, read again */
static struct contents record(const struct perfdata_clock *conversion, bool first, bool second)
{
	struct perfdata_cpu cpus[] = {two_cpus[0], two_cpus[1]};
	struct perfdata_recording recording = recording_make(true);

	cpus[0].counter_time = first;
	cpus[1].counter_time = second;
	recording.cpus = cpus;
	recording.clock = *conversion;
	return make_sample_of(&recording, true);
}

static void check_known(const struct perfdata_clock *conversion, bool first, bool second,
			bool known)
{
	struct contents file = record(conversion, first, second);
	struct perfdata *data = open_bytes(file.bytes, file.size);

	check_sample(data, true);
	assert_int_equal(perfdata_info(data)->clock.known, known);
	perfdata_close(data);
	free(file.bytes);
}

static void the_conversion_is_read_as_written(void **state)
{
	const struct perfdata_clock conversion = {.known = true,
						  .is_short = true,
						  .shift = 5,
						  .mult = 7,
						  .zero = 11,
						  .cycles = 13,
						  .mask = 0xffff};
	struct contents file = record(&conversion, true, true);
	struct perfdata *data = open_bytes(file.bytes, file.size);
	const struct perfdata_clock *found = &perfdata_info(data)->clock;

	(void)state;
	assert_true(found->known);
	assert_true(found->is_short);
	assert_int_equal(found->shift, 5);
	assert_int_equal(found->mult, 7);
	assert_int_equal(found->zero, 11);
	assert_int_equal(found->cycles, 13);
	assert_int_equal(found->mask, 0xffff);
	perfdata_close(data);
	free(file.bytes);
}

static void every_cpu_has_to_use_the_counter(void **state)
{
	const struct perfdata_clock none = {0};

	(void)state;
	check_known(&clock_25mhz, true, true, true);
	check_known(&clock_25mhz, true, false, false);
	check_known(&clock_25mhz, false, true, false);
	check_known(&none, true, true, false);
}

/* The word that follows the registers of the trace units, which are UNKNOWN in the recording */
static void check_source(uint64_t magic, uint64_t source, bool known)
{
	struct contents file = record(&clock_25mhz, false, false);
	struct perfdata *data;
	size_t units = 0;

	for (size_t at = 0; at + 8 <= file.size; at += 8) {
		uint64_t block[3 + PERFDATA_REGS_ETE + 1];
		const uint64_t front[] = {PERFDATA_MAGIC_ETE, units ? 5 : 0, PERFDATA_REGS_ETE + 1};

		if (at + sizeof(block) > file.size || memcmp(file.bytes + at, front, sizeof(front)))
			continue;
		memcpy(block, file.bytes + at, sizeof(block));
		/* an ETMv4 has one register less: its last word is not looked at */
		block[0] = magic;
		block[3 + (magic == PERFDATA_MAGIC_ETE ? PERFDATA_REGS_ETE : PERFDATA_REGS_ETMV4)] =
			source;
		memcpy(file.bytes + at, block, sizeof(block));
		units++;
	}
	assert_int_equal(units, 2);
	data = open_bytes(file.bytes, file.size);
	assert_int_equal(perfdata_info(data)->clock.known, known);
	perfdata_close(data);
	free(file.bytes);
}

static void an_ete_without_a_source_uses_the_counter(void **state)
{
	(void)state;
	check_source(PERFDATA_MAGIC_ETE, PERFDATA_TS_SOURCE_VIRTUAL, true);
	check_source(PERFDATA_MAGIC_ETE, PERFDATA_TS_SOURCE_UNREAD, true);
	check_source(PERFDATA_MAGIC_ETE, PERFDATA_TS_SOURCE_UNKNOWN, false);
	check_source(PERFDATA_MAGIC_ETMV4, PERFDATA_TS_SOURCE_VIRTUAL, true);
	check_source(PERFDATA_MAGIC_ETMV4, PERFDATA_TS_SOURCE_UNREAD, false);
}

static void timestamps_become_times(void **state)
{
	const struct perfdata_clock counter_32bit = {.known = true,
						     .is_short = true,
						     .mult = 1,
						     .cycles = 0x5fffffff0,
						     .mask = 0xffffffff};
	struct perfdata_clock odd = {.known = true, .shift = 3, .mult = 5};

	(void)state;
	assert_int_equal(perfdata_clock_time(&clock_25mhz, 0), 1000);
	assert_int_equal(perfdata_clock_time(&clock_25mhz, 25), 2000);
	/* a year: the product does not fit into 64 bits */
	assert_int_equal(perfdata_clock_time(&clock_25mhz, UINT64_C(788400000000000)),
			 UINT64_C(31536000000001000));
	assert_int_equal(perfdata_clock_time(&odd, 13), 13 * 5 / 8);
	odd.shift = 63;
	assert_int_equal(perfdata_clock_time(&odd, 1), 0);
	/* the counter went round between its value in the recording and the timestamp */
	assert_int_equal(perfdata_clock_time(&counter_32bit, 0xfffffff8), 0x5fffffff8);
	assert_int_equal(perfdata_clock_time(&counter_32bit, 8), 0x600000008);
}

static struct perfdata_time_conv *find_record(const struct contents *file)
{
	for (size_t at = 0; at + sizeof(struct perfdata_time_conv) < file->size; at += 8) {
		const struct perfdata_time_conv *record_at = (void *)(file->bytes + at);

		if (record_at->type == PERFDATA_RECORD_TIME_CONV &&
		    record_at->record_size == sizeof(*record_at))
			return (void *)(file->bytes + at);
	}
	fail_msg("no TIME_CONV");
	return NULL;
}

static void a_damaged_conversion_is_reported(void **state)
{
	struct contents file = record(&clock_25mhz, true, true);
	struct perfdata_time_conv *conversion = find_record(&file);
	const struct perfdata_info *info;
	struct perfdata *data;

	(void)state;
	conversion->shift = 64;
	data = open_bytes(file.bytes, file.size);
	info = perfdata_info(data);
	assert_false(info->clock.known);
	assert_int_equal(info->note_count, 1);
	assert_non_null(strstr(info->notes[0].text, "conversion of timestamps to time is damaged"));
	perfdata_close(data);
	free(file.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_conversion_is_read_as_written),
		cmocka_unit_test(every_cpu_has_to_use_the_counter),
		cmocka_unit_test(an_ete_without_a_source_uses_the_counter),
		cmocka_unit_test(timestamps_become_times),
		cmocka_unit_test(a_damaged_conversion_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
