// SPDX-License-Identifier: GPL-2.0-only
/*
 * Address filters, start points, stop points and strobing: how much is traced with them.
 */
#include "ete.h"
#include "trace.h"

#define AUX_SIZE (1u << 22)
#define STEPS 20000

static struct trace trace;

FIXTURE(filter) {
	struct perf_event_attr attr;
	uint64_t start, size, pairs;
	char file[256];
	uint64_t all;
};

static uint64_t traced_spins, traced_elsewhere, traced_first, traced_behind;
static size_t cycle_counts, timestamps;

/* Bytes of trace of both functions with the filter that is set, 0 if there is a gap in it; the last ones only */
static uint64_t record_both(void)
{
	const uint64_t before = trace.bytes;

	traced_spins = traced_elsewhere = traced_first = traced_behind = 0;
	cycle_counts = timestamps = 0;
	trace.rec.part_count = trace.rec.length = trace.seen = 0;
	trace_enable(&trace);
	spin(STEPS);
	spin_elsewhere(STEPS);
	spin_elsewhere_end();
	spin(STEPS);
	trace_disable(&trace);
	trace_collect(&trace);
	if (trace_decode(&trace) || *trace_first_gap(&trace))
		return 0;
	traced_spins = trace_executions(&trace, spin_step);
	traced_elsewhere = trace_executions(&trace, spin_elsewhere_step);
	traced_first = trace_executions(&trace, spin_elsewhere);
	traced_behind = trace_executions(&trace, spin_elsewhere_end);
	cycle_counts = trace.decode.cycle_counts;
	timestamps = trace.decode.timestamps;
	return trace.bytes - before;
}

FIXTURE_SETUP(filter)
{
	ssize_t length;

	ETE_NEED_PMU();
	self->pairs = read_number(PMU_DIR "nr_addr_filters");
	ETE_NEED(self->pairs && self->pairs != ~0ULL,
		 "the trace units have no address comparators (TRCIDR4.NUMACPAIRS)");
	self->attr = pmu_make_attr();
	length = readlink("/proc/self/exe", self->file, sizeof(self->file) - 1);
	ASSERT_LT(0, length);
	self->start = file_offset(spin_elsewhere);
	self->size = file_offset(spin_elsewhere_end) - self->start;
	ASSERT_GT(4096, self->size);
	ASSERT_EQ(0, trace_open(&trace, &self->attr, 0, -1, AUX_SIZE, false));
	self->all = record_both();
	ASSERT_LT(5000, self->all);
	ASSERT_EQ(2 * STEPS, traced_spins);
	ASSERT_EQ(STEPS, traced_elsewhere);
}

FIXTURE_TEARDOWN(filter)
{
	trace_close(&trace);
}

static int set_filter(const char *text)
{
	return ioctl(trace.rec.fd, PERF_EVENT_IOC_SET_FILTER, text) ? errno : 0;
}

#define FILTER(text, ...)                                               \
	({                                                              \
		char line[1024];                                        \
									\
		snprintf(line, sizeof(line), text, ##__VA_ARGS__);      \
		set_filter(line);                                       \
	})

TEST_F(filter, of_a_range_leaves_out_all_other_code)
{
	uint64_t some;

	ASSERT_EQ(0, FILTER("filter 0x%llx/0x%llx@%s", (unsigned long long)self->start,
			    (unsigned long long)self->size, self->file));
	some = record_both();
	EXPECT_LT(self->all / 5, some);
	EXPECT_GT(self->all / 2, some);
	EXPECT_EQ(0, traced_spins);
	EXPECT_EQ(STEPS, traced_elsewhere);
	/* the first instruction of the range */
	EXPECT_EQ(1, traced_first);
}

TEST_F(filter, of_a_range_leaves_out_the_instruction_behind_it)
{
	ASSERT_EQ(0, FILTER("filter 0x%llx/0x%llx@%s", (unsigned long long)self->start,
			    (unsigned long long)self->size, self->file));
	EXPECT_LT(0, record_both());
	EXPECT_EQ(STEPS, traced_elsewhere);
	/* the end of a range of comparators is part of the range: R_LLQPL */
	ETE_IN_TREE_MAY(traced_behind, "traces the first instruction behind a range");
	EXPECT_EQ(0, traced_behind);
}

TEST_F(filter, of_code_that_is_not_executed_leaves_nothing)
{
	ASSERT_EQ(0, FILTER("filter 0x%llx/0x4@%s",
			    (unsigned long long)file_offset(trace_close), self->file));
	EXPECT_GT(400, record_both());
}

/* A record without trace takes no room, even if the trace buffer needs padding before trace */
TEST_F(filter, of_code_that_is_not_executed_takes_no_room)
{
	uint64_t before;
	unsigned int i;

	ASSERT_EQ(0, FILTER("filter 0x%llx/0x4@%s",
			    (unsigned long long)file_offset(trace_close), self->file));
	before = trace_head(&trace);
	for (i = 0; i < 100; i++) {
		ASSERT_EQ(0, trace_enable(&trace));
		spin(100);
		ASSERT_EQ(0, trace_disable(&trace));
	}
	ETE_IN_TREE_MAY(trace_head(&trace) != before, "takes room for nothing");
	EXPECT_EQ(before, trace_head(&trace));
}

TEST_F(filter, of_a_file_that_is_not_mapped_leaves_nothing)
{
	strcpy(strrchr(self->file, '/') + 1, "spinner");
	ETE_NEED(!access(self->file, F_OK), "the program spinner is not beside this one");
	ASSERT_EQ(0, FILTER("filter 0x0/0x1000@%s", self->file));
	EXPECT_GT(400, record_both());
	EXPECT_EQ(0, traced_spins);
	EXPECT_EQ(0, traced_elsewhere);
}

TEST_F(filter, of_two_points_is_what_is_between)
{
	uint64_t some;
	const int err = FILTER("start 0x%llx@%s,stop 0x%llx@%s", (unsigned long long)self->start,
			       self->file, (unsigned long long)(self->start + self->size),
			       self->file);

	ETE_NEED(self->pairs > 1 || err != EOPNOTSUPP, "two points need two address comparator pairs");
	ASSERT_EQ(0, err);
	some = record_both();
	ETE_IN_TREE_MAY(traced_spins, "traces code outside of two points");
	EXPECT_LT(self->all / 5, some);
	EXPECT_GT(self->all / 2, some);
	EXPECT_EQ(0, traced_spins);
	EXPECT_EQ(STEPS, traced_elsewhere);
}

TEST_F(filter, of_a_start_point_is_what_follows)
{
	uint64_t some;

	ASSERT_EQ(0, FILTER("start 0x%llx@%s", (unsigned long long)self->start, self->file));
	some = record_both();
	ETE_IN_TREE_MAY(traced_spins != STEPS, "traces what comes before a start point");
	EXPECT_LT(self->all / 2, some);
	EXPECT_GT(self->all - self->all / 5, some);
	EXPECT_EQ(STEPS, traced_spins);
	EXPECT_EQ(STEPS, traced_elsewhere);
}

TEST_F(filter, of_a_stop_point_is_what_comes_before)
{
	uint64_t some;

	ASSERT_EQ(0, FILTER("stop 0x%llx@%s", (unsigned long long)self->start, self->file));
	some = record_both();
	if (ete_in_tree && some < self->all / 5)
		XFAIL(return, "the in-tree driver traces nothing with a stop point alone");
	EXPECT_LT(self->all / 5, some);
	EXPECT_GT(self->all / 2, some);
	EXPECT_EQ(STEPS, traced_spins);
	EXPECT_EQ(0, traced_elsewhere);
}

TEST_F(filter, of_both_at_one_place_is_refused)
{
	const int err = FILTER("start 0x%llx@%s,stop 0x%llx@%s", (unsigned long long)self->start,
			       self->file, (unsigned long long)self->start, self->file);

	ETE_NEED(self->pairs > 1, "two points need two address comparator pairs");
	ETE_OURS_ONLY("accepts it");
	EXPECT_EQ(EINVAL, err);
}

TEST_F(filter, of_a_range_that_begins_at_a_start_point_is_the_range)
{
	const int err = FILTER("filter 0x%llx/0x%llx@%s,start 0x%llx@%s", (unsigned long long)self->start,
			       (unsigned long long)self->size, self->file, (unsigned long long)self->start,
			       self->file);

	ETE_NEED(self->pairs > 1, "a range and a point need two address comparator pairs");
	ETE_IN_TREE_MAY(err, "refuses it: %s", strerror(err));
	ASSERT_EQ(0, err);
	record_both();
	EXPECT_EQ(0, traced_spins);
	EXPECT_EQ(STEPS, traced_elsewhere);
}

TEST_F(filter, of_an_empty_range_is_refused)
{
	EXPECT_EQ(EINVAL, FILTER("filter 0x%llx/0x0@%s", (unsigned long long)self->start,
				 self->file));
}

/* A list of filters, each of one instruction */
static const char *list_filters(const char *file, uint64_t start, uint64_t count)
{
	static char text[16384];
	char one[320];
	uint64_t i;

	text[0] = '\0';
	for (i = 0; i < count; i++) {
		snprintf(one, sizeof(one), "%sfilter 0x%llx/0x4@%s", i ? "," : "",
			 (unsigned long long)(start + 8 * i), file);
		strcat(text, one);
	}
	return text;
}

TEST_F(filter, that_is_one_too_many_is_refused)
{
	const int err = set_filter(list_filters(self->file, self->start, self->pairs + 1));

	ETE_IN_TREE_MAY(err != EOPNOTSUPP, "accepts it");
	EXPECT_EQ(EOPNOTSUPP, err);
	EXPECT_EQ(0, set_filter(list_filters(self->file, self->start, self->pairs)));
	record_both();
	EXPECT_EQ(0, traced_spins);
}

/* Comparators are in the order of the addresses: that of the function is the last, behind those of the file's header */
TEST_F(filter, of_the_last_comparators_has_its_effect)
{
	char text[16384 + 320];
	uint64_t bytes;

	snprintf(text, sizeof(text), "%s%sfilter 0x%llx/0x%llx@%s",
		 list_filters(self->file, 64, self->pairs - 1), self->pairs > 1 ? "," : "",
		 (unsigned long long)self->start, (unsigned long long)self->size, self->file);
	ASSERT_EQ(0, set_filter(text));
	bytes = record_both();
	ETE_IN_TREE_MAY(!bytes, "says that there are more comparators than the trace units have");
	EXPECT_LT(0, bytes);
	EXPECT_EQ(0, traced_spins);
	EXPECT_EQ(STEPS, traced_elsewhere);
}

TEST_F(filter, that_is_replaced_has_no_effect_any_more)
{
	ASSERT_EQ(0, FILTER("filter 0x%llx/0x4@%s",
			    (unsigned long long)file_offset(trace_close), self->file));
	EXPECT_GT(400, record_both());
	ASSERT_EQ(0, FILTER("filter 0x%llx/0x%llx@%s", (unsigned long long)self->start,
			    (unsigned long long)self->size, self->file));
	EXPECT_LT(self->all / 5, record_both());
	EXPECT_EQ(0, traced_spins);
	EXPECT_EQ(STEPS, traced_elsewhere);
}

TEST_F(filter, of_a_stop_point_that_is_replaced_stops_nothing)
{
	ASSERT_EQ(0, FILTER("stop 0x%llx@%s", (unsigned long long)self->start, self->file));
	EXPECT_LT(0, record_both());
	EXPECT_EQ(STEPS, traced_spins);
	/* begins where the stop point was */
	ASSERT_EQ(0, FILTER("filter 0x%llx/0x%llx@%s", (unsigned long long)self->start,
			    (unsigned long long)self->size, self->file));
	EXPECT_LT(0, record_both());
	EXPECT_EQ(0, traced_spins);
	EXPECT_EQ(STEPS, traced_elsewhere);
}

/* Options that make more trace, or less */
FIXTURE(option) {
	struct perf_event_attr attr;
	uint64_t all;
};

FIXTURE_VARIANT(option) {
	__u64 config, config1;
	bool ours, strobed;
	/* expected bytes, of 100 without the option */
	unsigned int least, most;
};

FIXTURE_VARIANT_ADD(option, branch_broadcast) {
	.config = ARM_ETE_PMU_MASK(branch_broadcast), .least = 200, .most = 10000,
};

FIXTURE_VARIANT_ADD(option, cycacc) {
	.config = ARM_ETE_PMU_MASK(cycacc), .least = 101, .most = 10000,
};

FIXTURE_VARIANT_ADD(option, timestamp) {
	.config = 8ULL << ARM_ETE_PMU_SHIFT(timestamp), .least = 101, .most = 10000,
};

/* The level that perf sets by itself: some thousand cycles between two of them */
FIXTURE_VARIANT_ADD(option, timestamp_of_perf) {
	.config = 1ULL << ARM_ETE_PMU_SHIFT(timestamp), .least = 100, .most = 200,
};

FIXTURE_VARIANT_ADD(option, strobing) {
	.config1 = (100ULL << ARM_ETE_PMU_SHIFT(strobe_on)) |
		   (10000ULL << ARM_ETE_PMU_SHIFT(strobe_off)),
	.ours = true, .strobed = true, .most = 50,
};

FIXTURE_SETUP(option)
{
	ETE_NEED_PMU();
	if (variant->ours)
		ETE_OURS_ONLY("has no such option for events");
	self->attr = pmu_make_attr();
	ASSERT_EQ(0, trace_open(&trace, &self->attr, 0, -1, AUX_SIZE, false));
	self->all = record_both();
	trace_close(&trace);
	self->attr.config = variant->config;
	self->attr.config1 = variant->config1;
	/* where the in-tree driver of older kernels has the field */
	if (ete_in_tree && variant->config & ARM_ETE_PMU_MASK(timestamp))
		self->attr.config = ARM_ETE_PMU_MASK(deprecated_timestamp);
	ETE_NEED(!trace_open(&trace, &self->attr, 0, -1, AUX_SIZE, false),
		 "the trace units cannot do it: %s", strerror(errno));
}

FIXTURE_TEARDOWN(option)
{
	trace_close(&trace);
}

TEST_F(option, changes_the_amount_of_trace)
{
	const uint64_t some = record_both();

	ASSERT_LT(5000, self->all);
	EXPECT_LE(self->all * variant->least / 100, some);
	EXPECT_GE(self->all * variant->most / 100, some);
	EXPECT_LT(0, some);
	EXPECT_EQ(!!(variant->config & ARM_ETE_PMU_MASK(cycacc)), !!cycle_counts);
	if (variant->config & ARM_ETE_PMU_MASK(timestamp))
		EXPECT_LT(STEPS / 1000, timestamps);
	if (!variant->strobed) {
		EXPECT_EQ(2 * STEPS, traced_spins);
		EXPECT_EQ(STEPS, traced_elsewhere);
	}
}

/* The trace unit traces for @on cycles, and then nothing for @off cycles */
FIXTURE(strobing) {
	struct perf_event_attr attr;
};

FIXTURE_VARIANT(strobing) {
	uint64_t on, off;
};

FIXTURE_VARIANT_ADD(strobing, more_off) { .on = 2000, .off = 3000 };
FIXTURE_VARIANT_ADD(strobing, more_on) { .on = 3000, .off = 2000 };

FIXTURE_SETUP(strobing)
{
	ETE_NEED_PMU();
	ETE_OURS_ONLY("has no such option for events");
	self->attr = pmu_make_attr();
	self->attr.config1 = variant->on << ARM_ETE_PMU_SHIFT(strobe_on) |
			     variant->off << ARM_ETE_PMU_SHIFT(strobe_off);
	ETE_NEED(!trace_open(&trace, &self->attr, 0, -1, AUX_SIZE, false),
		 "the trace units cannot do it: %s", strerror(errno));
}

FIXTURE_TEARDOWN(strobing)
{
	trace_close(&trace);
}

TEST_F(strobing, divides_the_time)
{
	const uint64_t expected = 3 * STEPS * variant->on / (variant->on + variant->off);

	ASSERT_LT(0, record_both());
	EXPECT_LT(expected * 4 / 5, traced_spins + traced_elsewhere);
	EXPECT_GT(expected * 6 / 5, traced_spins + traced_elsewhere);
}

/* Executes 1000 instructions a round, which make a bit of trace */
static void run_straight(unsigned int rounds)
{
	while (rounds--)
		__asm__ volatile(".rept 1000\n\tnop\n\t.endr");
}

/* Timestamps of 3 million instructions, and the number of places where the trace unit inserts one by itself */
static void count_timestamps(unsigned int level, size_t *count, size_t *places)
{
	struct perf_event_attr attr = pmu_make_attr();
	size_t i;

	attr.config = (uint64_t)level << ARM_ETE_PMU_SHIFT(timestamp);
	*count = *places = 0;
	if (trace_open(&trace, &attr, 0, -1, AUX_SIZE, false))
		return;
	trace_enable(&trace);
	run_straight(3000);
	trace_disable(&trace);
	trace_collect(&trace);
	if (!trace_decode(&trace)) {
		*count = trace.decode.timestamps;
		*places = trace_count_synchronisations(&trace);
		for (i = 0; i < trace.decode.count; i++)
			*places += trace.decode.items[i].kind == DECODE_TRACE_ON;
	}
	trace_close(&trace);
}

/*
 * At the level of synchronisations there is a timestamp where tracing begins, and at an exception and the change of
 * context that come with that, and none for a number of cycles.
 */
TEST(timestamps_at_synchronisations)
{
	size_t of_cycles, at_places, places;

	ETE_NEED_PMU();
	ETE_OURS_ONLY("has no level without a counter on all kernels");
	count_timestamps(10, &of_cycles, &places);
	ETE_NEED(of_cycles > 32 * places,
		 "%zu timestamps, and %zu places: the machine is slow, or its trace units have no counter for them",
		 of_cycles, places);
	count_timestamps(ARM_ETE_PMU_TIMESTAMP_SYNC, &at_places, &places);
	EXPECT_LT(0, at_places);
	EXPECT_GE(2 * places, at_places);
}

#include "ete_main.h"
