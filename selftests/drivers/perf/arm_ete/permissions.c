// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who may trace what, at each level of perf_event_paranoid.
 */
#include "ete.h"
#include "trace.h"

#define NOBODY 65534
#define PARANOID "/proc/sys/kernel/perf_event_paranoid"

/* A user without privileges, at one level */
FIXTURE(nobody) {
	struct perf_event_attr attr;
	char before[16];
};

FIXTURE_VARIANT(nobody) {
	const char *level;
	bool own_code, kernel, cpus;
};

/* "-1" allows all, 0 no more than... each level takes one thing away; 3 is Debian's addition */
FIXTURE_VARIANT_ADD(nobody, level_minus_1) {
	.level = "-1", .own_code = true, .kernel = true, .cpus = true,
};

FIXTURE_VARIANT_ADD(nobody, level_0) {
	.level = "0", .own_code = true, .kernel = true, .cpus = true,
};

FIXTURE_VARIANT_ADD(nobody, level_1) {
	.level = "1", .own_code = true, .kernel = true,
};

FIXTURE_VARIANT_ADD(nobody, level_2) {
	.level = "2", .own_code = true,
};

FIXTURE_SETUP(nobody)
{
	const int fd = open(PARANOID, O_RDONLY);

	ETE_NEED_PMU();
	ETE_NEED_ROOT();
	ETE_NEED(fd >= 0 && read(fd, self->before, sizeof(self->before) - 1) > 0,
		 PARANOID " cannot be read");
	close(fd);
	ETE_NEED(write_text(PARANOID, variant->level), PARANOID " cannot be written");
	self->attr = pmu_make_attr();
	/* the teardown needs its privileges: setuid() of the effective user only */
	ASSERT_EQ(0, setresgid(NOBODY, NOBODY, 0));
	ASSERT_EQ(0, setresuid(NOBODY, NOBODY, 0));
}

FIXTURE_TEARDOWN(nobody)
{
	if (setresuid(0, 0, 0) == 0 && self->before[0])
		write_text(PARANOID, self->before);
}

/* 0: opened; else the error */
static int refused(const struct perf_event_attr *attr, pid_t pid, int cpu)
{
	const int fd = pmu_open(attr, pid, cpu);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

TEST_F(nobody, own_code)
{
	EXPECT_EQ(variant->own_code ? 0 : EACCES, refused(&self->attr, 0, -1));
}

TEST_F(nobody, the_kernel)
{
	self->attr.exclude_kernel = 0;
	EXPECT_EQ(variant->kernel ? 0 : EACCES, refused(&self->attr, 0, -1));
}

TEST_F(nobody, all_of_a_cpu)
{
	EXPECT_EQ(variant->cpus ? 0 : EACCES, refused(&self->attr, -1, 0));
}

TEST_F(nobody, a_process_of_another_user)
{
	const int error = refused(&self->attr, 1, -1);

	EXPECT_TRUE(error == EACCES || error == EPERM) TH_LOG("process 1: %s", strerror(error));
}

/* perf asks for them by itself: they are no reason to refuse an event */
TEST_F(nobody, context_identifiers)
{
	self->attr.config = ARM_ETE_PMU_MASK(contextid1);
	EXPECT_EQ(0, refused(&self->attr, 0, -1));
}

/* Number of context identifiers in a recording of the caller with the field contextid; -1: it failed */
static int count_identifiers(struct perf_event_attr attr)
{
	static struct trace trace;
	int count = -1;

	attr.config = pmu_kernel_at_el2() ? ARM_ETE_PMU_MASK(contextid2) :
					    ARM_ETE_PMU_MASK(contextid1);
	if (trace_open(&trace, &attr, 0, -1, 1 << 16, false))
		return -1;
	trace_enable(&trace);
	spin(1000);
	trace_disable(&trace);
	trace_collect(&trace);
	if (trace.bytes && !trace_decode(&trace) && !*trace_first_gap(&trace))
		count = (int)trace.decode.identifiers;
	trace_close(&trace);
	return count;
}

/* They are left out of the trace unless its owner may trace the kernel */
TEST_F(nobody, context_identifiers_in_the_trace)
{
	const int count = count_identifiers(self->attr);

	if (variant->kernel) {
		ETE_IN_TREE_MAY(count <= 0, "leaves them out");
		/* Linux 6.1 does not tell a module the level: the driver leaves them out */
		EXPECT_LE(0, count);
	} else {
		ETE_IN_TREE_MAY(count, "refuses them, or leaves them in the trace");
		EXPECT_EQ(0, count);
	}
	ASSERT_EQ(0, setresuid(0, 0, 0));
	if (!ete_in_tree)
		EXPECT_LT(0, count_identifiers(self->attr));
}

/* What may be locked for an AUX area: perf_event_mlock_kb for each CPU, then RLIMIT_MEMLOCK */
TEST_F(nobody, an_area_beyond_the_limit_of_locked_memory)
{
	static struct trace trace;

	ETE_NEED(variant->own_code && strcmp(variant->level, "-1"),
		 "perf_event_paranoid is -1: there is no limit");
	EXPECT_EQ(EPERM, trace_open(&trace, &self->attr, 0, -1, 1 << 30, false));
}

#include "ete_main.h"
