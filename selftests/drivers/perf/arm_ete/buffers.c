// SPDX-License-Identifier: GPL-2.0-only
/*
 * AUX areas of all sizes: what is recorded is there, in one piece, and what is lost is said.
 */
#include <poll.h>
#include <sys/resource.h>
#include <time.h>

#include "ete.h"
#include "trace.h"

#define KB 1024ULL
#define MB (1024 * KB)

static struct trace trace;

FIXTURE(area) {
	struct perf_event_attr attr;
	size_t size;
};

/* Pages, or KB of what is larger than a page may be */
FIXTURE_VARIANT(area) {
	unsigned int pages;
	unsigned long kb;
	bool snapshot;
	bool physical;
};

#define AREA(name, ...)                                                 \
	FIXTURE_VARIANT_ADD(area, name) { __VA_ARGS__ };                \
	FIXTURE_VARIANT_ADD(area, name##_snapshot) { .snapshot = true, __VA_ARGS__ }

AREA(one_page, .pages = 1);
AREA(two_pages, .pages = 2);
AREA(four_pages, .pages = 4);
/* with physical addresses an area is not mapped twice, and a record ends at its end */
AREA(one_page_physical, .pages = 1, .physical = true);
AREA(four_pages_physical, .pages = 4, .physical = true);
AREA(256_KB, .kb = 256);
AREA(1_MB, .kb = MB / KB);
AREA(16_MB, .kb = 16 * MB / KB);
AREA(64_MB, .kb = 64 * MB / KB);
AREA(256_MB, .kb = 256 * MB / KB);
AREA(1_GB, .kb = 1024 * MB / KB);

/* KB of memory that programs can have */
static unsigned long available(void)
{
	FILE *file = fopen("/proc/meminfo", "r");
	unsigned long kb = 0;
	char line[128];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "MemAvailable: %lu", &kb) == 1)
			break;
	if (file)
		fclose(file);
	return kb;
}

FIXTURE_SETUP(area)
{
	const unsigned long kb = available();

	ETE_NEED_PMU();
	self->size = variant->kb ? variant->kb * KB : variant->pages * (size_t)getpagesize();
	ETE_NEED(self->size / KB + 64 * KB < kb, "the area has %zu MB, and of memory %lu MB are free",
		 self->size / (size_t)MB, kb / 1024);
	self->attr = pmu_make_attr();
	if (variant->physical)
		ETE_OURS_ONLY("has no such option for events");
	self->attr.config1 = (__u64)variant->physical << ARM_ETE_PMU_SHIFT(physical);
}

FIXTURE_TEARDOWN(area)
{
	trace_close(&trace);
}

/* As many rounds as fill it three times, if it is small */
static uint64_t enough(size_t size)
{
	return size <= 64 * KB ? 3 * size : 64 * KB;
}

/* Whether a trace buffer of the machine has erratum 2224489, which is that of the driver's bit 1 in debugfs */
static bool writes_behind_limit(void)
{
	char path[80], text[32];
	int cpu, fd;

	for (cpu = 0; cpu < (int)sysconf(_SC_NPROCESSORS_CONF); cpu++) {
		ssize_t length;

		snprintf(path, sizeof(path), ETE_STATS "/cpu%d/errata", cpu);
		fd = open(path, O_RDONLY);
		length = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
		if (fd >= 0)
			close(fd);
		text[length < 0 ? 0 : length] = '\0';
		if (strtoul(text, NULL, 0) & 2)
			return true;
	}
	return false;
}

TEST_F(area, has_trace)
{
	const int err = trace_open(&trace, &self->attr, 0, -1, self->size, variant->snapshot);
	const uint64_t wanted = enough(self->size);
	uint64_t i, rounds = 0;

	if (ete_in_tree && err && variant->pages)
		XFAIL(return, "the in-tree driver refuses an area of %u pages: %s", variant->pages,
		      strerror(err));
	ETE_NEED(err != ENOMEM || !variant->physical, "the area is not one piece of memory");
	ETE_NEED(err != ENOMEM || variant->pages != 1 || !writes_behind_limit(),
		 "a trace buffer has erratum 2224489, so that a page is too small");
	ETE_NEED(err != ENOMEM || self->size <= 16 * MB, "no memory for an area of %zu MB",
		 self->size / (size_t)MB);
	ASSERT_EQ(0, err);
	for (; trace.bytes < wanted && rounds < 4000; rounds++) {
		ASSERT_EQ(0, trace_enable(&trace));
		spin(2000);
		ASSERT_EQ(0, trace_disable(&trace));
		trace_collect(&trace);
	}
	EXPECT_LE(wanted, trace.bytes);
	EXPECT_EQ(0, trace.rec.lost);
	ETE_IN_TREE_MAY(trace.flags & TRACE_LOSS, "loses trace in an area of %zu bytes",
			self->size);
	EXPECT_EQ(0, trace.unsynchronised);
	EXPECT_EQ(0, trace.jumps);
	if (!ete_in_tree)
		EXPECT_EQ(0, trace.rec.unpadded);
	for (i = 0; i < trace.rec.part_count && !variant->snapshot; i++)
		EXPECT_GE(self->size, trace.rec.parts[i].size);
	EXPECT_EQ(variant->snapshot, !!(trace.flags & PERF_AUX_FLAG_OVERWRITE));
	if (trace.flags & TRACE_LOSS) {
		/* a page holds less than a round; the rest of the round is said to be missing */
		EXPECT_GE(4 * getpagesize(), self->size);
		return;
	}
	ASSERT_EQ(0, trace_decode(&trace));
	ETE_IN_TREE_MAY(variant->snapshot && *trace_first_gap(&trace),
			"begins a snapshot anew in its middle: %s", trace_first_gap(&trace));
	EXPECT_STREQ("", trace_first_gap(&trace));
	if (variant->snapshot) {
		EXPECT_LT(0, trace_executions(&trace, spin_step));
		EXPECT_GE(2000 * rounds, trace_executions(&trace, spin_step));
	} else {
		EXPECT_EQ(2000 * rounds, trace_executions(&trace, spin_step));
	}
}

/* What an event leaves behind does not hinder the next one */
TEST_F(area, is_mapped_again)
{
	int i;

	ETE_NEED(self->size <= 16 * MB, "an area of %zu MB is mapped once only",
		 self->size / (size_t)MB);
	for (i = 0; i < 3; i++) {
		const int err = trace_open(&trace, &self->attr, 0, -1, self->size,
					   variant->snapshot);

		if (ete_in_tree && err && variant->pages)
			XFAIL(return, "the in-tree driver refuses it: %s", strerror(err));
		ETE_NEED(err != ENOMEM || !variant->physical, "the area is not one piece of memory");
		ETE_NEED(err != ENOMEM || variant->pages != 1 || !writes_behind_limit(),
			 "a trace buffer has erratum 2224489, so that a page is too small");
		ASSERT_EQ(0, err);
		ASSERT_EQ(0, trace_enable(&trace));
		spin(200);
		ASSERT_EQ(0, trace_disable(&trace));
		trace_collect(&trace);
		EXPECT_LT(0, trace.bytes);
		trace_close(&trace);
	}
}

FIXTURE(reader) {
	struct perf_event_attr attr;
};

FIXTURE_SETUP(reader)
{
	ETE_NEED_PMU();
	self->attr = pmu_make_attr();
}

FIXTURE_TEARDOWN(reader)
{
	trace_close(&trace);
}

/* The event stays enabled: records come by interrupts alone */
TEST_F(reader, that_keeps_up_gets_records_while_the_event_is_enabled)
{
	const uint64_t size = 64 * (uint64_t)getpagesize();

	ASSERT_EQ(0, trace_open(&trace, &self->attr, 0, -1, size, false));
	spin_steps = 0;
	ASSERT_EQ(0, trace_enable(&trace));
	EXPECT_LE(4 * size, spin_for(&trace, 4 * size));
	EXPECT_LE(4, trace.rec.part_count);
	EXPECT_EQ(0, trace.jumps);
	ASSERT_EQ(0, trace_disable(&trace));
	trace_collect(&trace);
	ETE_IN_TREE_MAY(trace.flags & TRACE_LOSS, "loses trace until its interrupt");
	EXPECT_EQ(0, trace.unsynchronised);
	EXPECT_EQ(0, trace.flags & TRACE_LOSS);
	ETE_EXPECT_STEPS(&trace, spin_steps);
}

/*
 * Each record is longer than the one before it. With erratum 2224489 each begins at the start of
 * such a small area, and ends behind the end of the one before it.
 */
TEST_F(reader, of_a_snapshot_sees_the_end_of_a_longer_record)
{
	const unsigned int steps[] = { 100, 300, 1000, 1500 };
	unsigned int i;

	ETE_OURS_ONLY("refuses an area of two pages");
	ASSERT_EQ(0, trace_open(&trace, &self->attr, 0, -1, 2 * (size_t)getpagesize(), true));
	for (i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		ASSERT_EQ(0, trace_enable(&trace));
		spin(steps[i]);
		ASSERT_EQ(0, trace_disable(&trace));
		trace_collect(&trace);
	}
	EXPECT_EQ(0, trace.flags & TRACE_LOSS);
	ASSERT_EQ(0, trace_decode(&trace));
	EXPECT_STREQ("", trace_first_gap(&trace));
	EXPECT_LE(steps[i - 1], trace_executions(&trace, spin_step));
}

/* The early warning: what a reader asks to be woken at is less than the area */
TEST_F(reader, is_woken_at_its_watermark)
{
	const uint64_t page = (uint64_t)getpagesize();
	struct pollfd poll_fd = { .events = POLLIN };
	unsigned int i;

	self->attr.aux_watermark = (__u32)(4 * page);
	ASSERT_EQ(0, trace_open(&trace, &self->attr, 0, -1, 256 * page, false));
	poll_fd.fd = trace.rec.fd;
	ASSERT_EQ(0, trace_enable(&trace));
	for (i = 0; i < 4000 && poll(&poll_fd, 1, 0) == 0; i++)
		spin(500);
	EXPECT_EQ(POLLIN, poll_fd.revents);
	trace_collect(&trace);
	EXPECT_LT(0, trace.bytes);
	EXPECT_GT(128 * page, trace.bytes);
	ASSERT_EQ(0, trace_disable(&trace));
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* How often this thread was switched */
static long switches(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_THREAD, &usage) ? -1 : usage.ru_nvcsw + usage.ru_nivcsw;
}

/* Nobody reads: the area is full, and the records that follow say that trace is missing */
TEST_F(reader, that_stops_is_told_what_it_missed)
{
	const uint64_t size = 16 * (uint64_t)getpagesize();
	unsigned int i;

	ASSERT_EQ(0, trace_open(&trace, &self->attr, 0, -1, size, false));
	ASSERT_EQ(0, trace_enable(&trace));
	for (i = 0; i < 400; i++)
		spin(2000);
	trace_collect(&trace);
	EXPECT_GE(size, trace.bytes);
	EXPECT_LE(size / 2, trace.bytes);
	/* the record that fills the area says so itself: there may be no other */
	if (!ete_in_tree) {
		ASSERT_LT(0, trace.rec.part_count);
		EXPECT_NE(0, trace.rec.parts[trace.rec.part_count - 1].flags & TRACE_LOSS);
		/* nothing was written behind the end, which is the start of the area again: the loss is the only gap */
		ASSERT_EQ(0, trace_decode(&trace));
		EXPECT_EQ(trace_first_gap(&trace), strstr(trace_first_gap(&trace), "gap: flags of the AUX record"));
	}
	/* it goes on, and the loss is in a record */
	for (i = 0; i < 40; i++) {
		usleep(20000);
		spin(2000);
		trace_collect(&trace);
		if (ete_in_tree) {
			trace_disable(&trace);
			trace_enable(&trace);
		}
	}
	ASSERT_EQ(0, trace_disable(&trace));
	trace_collect(&trace);
	EXPECT_LT(size, trace.bytes);
	EXPECT_NE(0, trace.flags & (PERF_AUX_FLAG_TRUNCATED | PERF_AUX_FLAG_PARTIAL));
	/* since the reader keeps up, nothing is missing any more */
	if (!ete_in_tree)
		EXPECT_EQ(0, trace.rec.parts[trace.rec.part_count - 1].flags & TRACE_LOSS);
}

static void read_up_to(uint64_t tail)
{
	__atomic_store_n(&trace.rec.page->aux_tail, tail, __ATOMIC_RELEASE);
}

static void read_all(void)
{
	read_up_to(trace_head(&trace));
}

static unsigned int count_empty_records(void)
{
	unsigned int count = 0;
	size_t i;

	for (i = 0; i < trace.rec.part_count; i++)
		count += !trace.rec.parts[i].size;
	return count;
}

/* The driver looks for room again and again, and says once that there is none; after a switch once more. */
TEST_F(reader, that_stops_is_told_once)
{
	const uint64_t size = 4 * (uint64_t)getpagesize();
	double end;
	long before;

	ASSERT_EQ(0, trace_open(&trace, &self->attr, 0, -1, size, false));
	before = switches();
	ASSERT_EQ(0, trace_enable(&trace));
	for (end = seconds() + 1; seconds() < end;)
		spin(2000);
	ASSERT_EQ(0, trace_disable(&trace));
	before = switches() - before;
	trace_collect(&trace);
	EXPECT_NE(0, trace.flags & TRACE_LOSS);
	EXPECT_GE(2 + before, count_empty_records());
}

/*
 * A full area is used again when it was read, even if nothing makes the event start anew: the thread stays on its CPU.
 * Where the machine does switch it, the test begins again.
 */
TEST_F(reader, that_comes_late_gets_trace_without_a_switch)
{
	const uint64_t size = 4 * (uint64_t)getpagesize();
	const double patience = seconds() + 10;
	bool again = false;

	ASSERT_EQ(0, trace_open(&trace, &self->attr, 0, -1, size, false));
	ASSERT_EQ(0, trace_enable(&trace));
	while (!again && seconds() < patience) {
		uint64_t head;
		long before;
		double end;

		/* more than the area holds */
		spin(60000);
		trace_collect(&trace);
		before = switches();
		head = trace_head(&trace);
		end = seconds() + 1;
		while (trace_head(&trace) == head && switches() == before && seconds() < end)
			spin(2000);
		again = trace_head(&trace) != head && switches() == before;
		trace_collect(&trace);
	}
	ASSERT_EQ(0, trace_disable(&trace));
	ETE_IN_TREE_MAY(!again, "waits for a switch");
	EXPECT_TRUE(again);
}

/* The console is written with interrupts off: a trace buffer can fill before its interrupt is taken */
static bool write_console(int log)
{
	char lines[400];
	size_t i;

	/* the kernel puts the time before each line */
	for (i = 0; i < sizeof(lines); i++)
		lines[i] = i % 4 == 3 ? '\n' : '.';
	memcpy(lines, "<0>arm_ete: test", 16);
	return write(log, lines, sizeof(lines)) > 0;
}

/* Each branch of the kernel makes trace. */
static int open_verbose(struct perf_event_attr *attr, uint64_t size)
{
	attr->exclude_kernel = 0;
	attr->config = ARM_ETE_PMU_MASK(branch_broadcast);
	return trace_open(&trace, attr, 0, -1, size, false);
}

TEST_F(reader, of_the_kernel_with_interrupts_off_gets_no_more_than_the_area)
{
	const uint64_t size = 2 * (uint64_t)getpagesize();
	const int log = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
	unsigned int i;

	ETE_NEED_ROOT();
	ETE_NEED(log >= 0, "/dev/kmsg cannot be written");
	ETE_NEED(!open_verbose(&self->attr, size), "the trace units have no branch broadcast");
	ASSERT_EQ(0, trace_enable(&trace));
	for (i = 0; i < 20; i++) {
		spin(150);
		EXPECT_TRUE(write_console(log));
		trace_collect(&trace);
	}
	ASSERT_EQ(0, trace_disable(&trace));
	trace_collect(&trace);
	close(log);
	EXPECT_EQ(0, trace.rec.error);
	EXPECT_EQ(0, trace.jumps);
	EXPECT_LT(0, trace.bytes);
	for (i = 0; i < trace.rec.part_count; i++)
		EXPECT_GE(size, trace.rec.parts[i].size);
	ETE_IN_TREE_MAY(trace.unsynchronised, "begins records in the middle");
	EXPECT_EQ(0, trace.unsynchronised);
}

/*
 * The area is full, then a page and a byte are read, and the rest stays. What comes next fills that room, and nothing
 * is written behind it. perf keeps a byte free, so the end of the room is a page boundary, where the window may end.
 * Whether the window is full before the interrupt is taken depends on the console: several attempts.
 */
TEST_F(reader, of_a_part_finds_the_rest_as_it_was)
{
	const uint64_t page = (uint64_t)getpagesize(), size = 4 * page, tail = page + 1;
	unsigned int attempt, i;
	uint8_t rest[256];
	uint64_t head;

	ETE_NEED_ROOT();
	for (attempt = 0; attempt < 8; attempt++) {
		/* the kernel takes ten lines of each that opens it */
		const int log = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);

		ETE_NEED(log >= 0, "/dev/kmsg cannot be written");
		ETE_NEED(!open_verbose(&self->attr, size), "the trace units have no branch broadcast");
		ASSERT_EQ(0, trace_enable(&trace));
		/* more than the area holds */
		spin((unsigned int)(15 * page));
		ASSERT_EQ(0, trace_disable(&trace));
		ASSERT_LE(2 * page, trace_head(&trace));
		memcpy(rest, trace.rec.aux + tail, sizeof(rest));
		read_up_to(tail);
		ASSERT_EQ(0, trace_enable(&trace));
		for (i = 0; i < 5; i++)
			EXPECT_TRUE(write_console(log));
		close(log);
		EXPECT_GE(size + tail, trace_head(&trace));
		EXPECT_EQ(0, memcmp(rest, trace.rec.aux + tail, sizeof(rest)));
		/* all is read, but the event may end before the driver has seen that; it can begin again */
		read_all();
		ASSERT_EQ(0, trace_disable(&trace));
		read_all();
		head = trace_head(&trace);
		ASSERT_EQ(0, trace_enable(&trace));
		spin(2000);
		ASSERT_EQ(0, trace_disable(&trace));
		EXPECT_LT(head, trace_head(&trace));
		trace_close(&trace);
	}
}

/* A snapshot that was filled many times is its last part, without an interrupt of the reader's */
TEST_F(reader, of_a_snapshot_finds_its_end)
{
	const uint64_t size = 16 * (uint64_t)getpagesize();
	uint64_t once;
	unsigned int i;

	ASSERT_EQ(0, trace_open(&trace, &self->attr, 0, -1, 2 * size, false));
	ASSERT_EQ(0, trace_enable(&trace));
	spin(10 * 2000);
	ASSERT_EQ(0, trace_disable(&trace));
	trace_collect(&trace);
	once = trace.bytes / 10;
	trace_close(&trace);
	ASSERT_EQ(0, trace_open(&trace, &self->attr, 0, -1, size, true));
	ASSERT_EQ(0, trace_enable(&trace));
	for (i = 0; i < 400; i++)
		spin(2000);
	ASSERT_EQ(0, trace_disable(&trace));
	trace_collect(&trace);
	if (!ete_in_tree) {
		/* the sizes of the records tell how often it was filled */
		EXPECT_LT(400 * once / 10 * 8, trace.bytes);
		EXPECT_GT(400 * once / 10 * 15, trace.bytes);
	}
	EXPECT_LT(0, trace.bytes);
	EXPECT_LT(0, trace.rec.page->aux_head);
	EXPECT_NE(0, trace.flags & PERF_AUX_FLAG_OVERWRITE);
	ASSERT_EQ(0, trace_decode(&trace));
	ETE_IN_TREE_MAY(*trace_first_gap(&trace), "begins a snapshot anew in its middle: %s",
			trace_first_gap(&trace));
	EXPECT_STREQ("", trace_first_gap(&trace));
	/* most of the area is of spin(), which has more than one step in a byte */
	EXPECT_LT(size / 2, trace_executions(&trace, spin_step));
}

#include "ete_main.h"
