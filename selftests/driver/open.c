// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which events can be opened, by whom, and with what error others are refused.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "kselftest_harness.h"
#include "pmu.h"

#define NOBODY 65534
#define PARANOID "/proc/sys/kernel/perf_event_paranoid"

FIXTURE(open) {
	struct perf_event_attr attr;
};

FIXTURE_SETUP(open)
{
	self->attr = pmu_make_attr();
	ASSERT_NE(0, self->attr.type);
}

FIXTURE_TEARDOWN(open)
{
}

TEST_F(open, a_thread)
{
	EXPECT_LE(0, pmu_open(&self->attr, 0, -1));
}

TEST_F(open, a_thread_on_one_cpu)
{
	EXPECT_LE(0, pmu_open(&self->attr, 0, 0));
}

TEST_F(open, a_cpu)
{
	EXPECT_LE(0, pmu_open(&self->attr, -1, 0));
}

TEST_F(open, the_kernel)
{
	self->attr.exclude_kernel = 0;
	EXPECT_LE(0, pmu_open(&self->attr, 0, -1));
}

TEST_F(open, a_thread_has_one_event)
{
	ASSERT_LE(0, pmu_open(&self->attr, 0, -1));
	EXPECT_EQ(-1, pmu_open(&self->attr, 0, -1));
	EXPECT_EQ(EBUSY, errno);
}

TEST_F(open, a_cpu_has_one_event)
{
	ASSERT_LE(0, pmu_open(&self->attr, -1, 0));
	EXPECT_EQ(-1, pmu_open(&self->attr, -1, 0));
	EXPECT_EQ(EBUSY, errno);
}

TEST_F(open, threads_or_cpus_but_not_both)
{
	ASSERT_LE(0, pmu_open(&self->attr, -1, 0));
	EXPECT_EQ(-1, pmu_open(&self->attr, 0, -1));
	EXPECT_EQ(EBUSY, errno);
}

/* Each value that means something, by itself */
FIXTURE(valid) {
	struct perf_event_attr attr;
};

FIXTURE_VARIANT(valid) {
	__u64 config;
	__u64 config1;
};

FIXTURE_VARIANT_ADD(valid, timestamp_level_15) {
	.config = 15ULL << ARM_ETE_PMU_SHIFT(timestamp),
};

FIXTURE_VARIANT_ADD(valid, deprecated_timestamp) {
	.config = ARM_ETE_PMU_MASK(deprecated_timestamp),
};

FIXTURE_VARIANT_ADD(valid, branch_broadcast) {
	.config = ARM_ETE_PMU_MASK(branch_broadcast),
};

FIXTURE_VARIANT_ADD(valid, cycacc) {
	.config = ARM_ETE_PMU_MASK(cycacc),
};

FIXTURE_VARIANT_ADD(valid, contextid1) {
	.config = ARM_ETE_PMU_MASK(contextid1),
};

FIXTURE_VARIANT_ADD(valid, timestamp) {
	.config = ARM_ETE_PMU_MASK(timestamp),
};

FIXTURE_VARIANT_ADD(valid, retstack) {
	.config = ARM_ETE_PMU_MASK(retstack),
};

FIXTURE_SETUP(valid)
{
	self->attr = pmu_make_attr();
	ASSERT_NE(0, self->attr.type);
	self->attr.config = variant->config;
	self->attr.config1 = variant->config1;
}

FIXTURE_TEARDOWN(valid)
{
}

TEST_F(valid, is_opened)
{
	EXPECT_LE(0, pmu_open(&self->attr, 0, -1));
}

/* Each bit that means nothing, by itself */
TEST(reserved_bits_are_refused)
{
	struct perf_event_attr attr = pmu_make_attr();
	int bit;

	ASSERT_NE(0, attr.type);
	for (bit = 0; bit < 64; bit++) {
		attr.config = 1ULL << bit & ~ARM_ETE_PMU_CONFIG_VALID;
		attr.config1 = 1ULL << bit & ~ARM_ETE_PMU_CONFIG1_VALID;
		if (!attr.config && !attr.config1)
			continue;
		errno = 0;
		EXPECT_EQ(-1, pmu_open(&attr, 0, -1))
			TH_LOG("bit %d", bit);
		EXPECT_EQ(EINVAL, errno);
	}
}

TEST_F(open, virtual_context_identifiers_only_of_a_kernel_at_el2)
{
	int fd;

	self->attr.config = ARM_ETE_PMU_MASK(contextid2);
	fd = pmu_open(&self->attr, 0, -1);
	if (pmu_kernel_at_el2()) {
		EXPECT_LE(0, fd);
		return;
	}
	EXPECT_EQ(-1, fd);
	EXPECT_EQ(EINVAL, errno);
}

TEST_F(open, strobing_has_two_lengths)
{
	self->attr.config1 = 1ULL << ARM_ETE_PMU_SHIFT(strobe_on);
	EXPECT_EQ(-1, pmu_open(&self->attr, 0, -1));
	EXPECT_EQ(EINVAL, errno);
}

TEST_F(open, no_branch_stack)
{
	self->attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
	self->attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
	EXPECT_EQ(-1, pmu_open(&self->attr, 0, -1));
	EXPECT_EQ(EOPNOTSUPP, errno);
}

/* Nobody's program, on a machine whose perf is open to all */
FIXTURE(nobody) {
	struct perf_event_attr attr;
};

static bool set_paranoid(const char *value)
{
	int fd = open(PARANOID, O_WRONLY);
	bool done = fd >= 0 && write(fd, value, strlen(value)) > 0;

	close(fd);
	return done;
}

FIXTURE_SETUP(nobody)
{
	self->attr = pmu_make_attr();
	ASSERT_NE(0, self->attr.type);
	ASSERT_TRUE(set_paranoid("-1"));
	ASSERT_EQ(0, setresgid(NOBODY, NOBODY, NOBODY));
	ASSERT_EQ(0, setresuid(NOBODY, NOBODY, NOBODY));
}

FIXTURE_TEARDOWN(nobody)
{
}

TEST_F(nobody, may_trace_own_code)
{
	EXPECT_LE(0, pmu_open(&self->attr, 0, -1));
}

TEST_F(nobody, may_trace_the_kernel_where_the_paranoid_level_allows)
{
	self->attr.exclude_kernel = 0;
	EXPECT_LE(0, pmu_open(&self->attr, 0, -1));
}

TEST_F(nobody, may_ask_for_context_identifiers)
{
	self->attr.config = ARM_ETE_PMU_MASK(contextid1);
	EXPECT_LE(0, pmu_open(&self->attr, 0, -1));
}

/* The AUX area, of one page or of many: for a reader that keeps up, or for the last of the trace */
FIXTURE(area) {
	struct perf_event_attr attr;
	long page;
	int fd;
	struct perf_event_mmap_page *ring;
};

FIXTURE_VARIANT(area) {
	int pages;
	int protection;
};

FIXTURE_VARIANT_ADD(area, one_page) {
	.pages = 1, .protection = PROT_READ | PROT_WRITE,
};

FIXTURE_VARIANT_ADD(area, two_pages) {
	.pages = 2, .protection = PROT_READ | PROT_WRITE,
};

FIXTURE_VARIANT_ADD(area, 16_MiB) {
	.pages = 4096, .protection = PROT_READ | PROT_WRITE,
};

FIXTURE_VARIANT_ADD(area, one_page_overwritten) {
	.pages = 1, .protection = PROT_READ,
};

FIXTURE_VARIANT_ADD(area, 64_pages_overwritten) {
	.pages = 64, .protection = PROT_READ,
};

FIXTURE_SETUP(area)
{
	self->attr = pmu_make_attr();
	ASSERT_NE(0, self->attr.type);
	self->page = sysconf(_SC_PAGESIZE);
	self->fd = pmu_open(&self->attr, 0, -1);
	ASSERT_LE(0, self->fd);
	self->ring = mmap(NULL, 2 * self->page, PROT_READ | PROT_WRITE, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, self->ring);
	self->ring->aux_offset = 2 * self->page;
	self->ring->aux_size = variant->pages * self->page;
}

FIXTURE_TEARDOWN(area)
{
	munmap(self->ring, 2 * self->page);
	close(self->fd);
}

/* Two of them: what the first left behind does not hinder the second */
TEST_F(area, has_trace)
{
	__u64 head = 0;
	int i;

	for (i = 0; i < 2; i++) {
		void *aux = mmap(NULL, self->ring->aux_size, variant->protection, MAP_SHARED,
				 self->fd, self->ring->aux_offset);

		ASSERT_NE(MAP_FAILED, aux);
		ASSERT_EQ(0, ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0));
		sched_yield();
		ASSERT_EQ(0, ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0));
		head = self->ring->aux_head;
		EXPECT_LT(0, head);
		munmap(aux, self->ring->aux_size);
	}
}

TEST_HARNESS_MAIN
