// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPUs that sleep: trace goes on when they wake, with the configuration that it had.
 */
#include <time.h>

#include "ete.h"
#include "trace.h"

static struct trace trace;

FIXTURE(sleeping) {
	struct perf_event_attr attr;
	int cpu;
};

FIXTURE_SETUP(sleeping)
{
	ETE_NEED_PMU();
	ASSERT_EQ(1, online_cpus(&self->cpu, 1));
	ASSERT_TRUE(pin(self->cpu));
	self->attr = pmu_make_attr();
}

FIXTURE_TEARDOWN(sleeping)
{
	trace_close(&trace);
}

static void nap(long ms)
{
	nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000 }, NULL);
}

/* An event of the CPU stays enabled while nothing is executed there */
TEST_F(sleeping, cpu_goes_on_with_its_event)
{
	uint64_t before, after;
	int i;

	ETE_NEED_ROOT();
	ASSERT_EQ(0, trace_open(&trace, &self->attr, -1, self->cpu, 1 << 22, false));
	ASSERT_EQ(0, trace_enable(&trace));
	spin(5000);
	ASSERT_EQ(0, trace_disable(&trace));
	before = trace_collect(&trace);
	ASSERT_EQ(0, trace_enable(&trace));
	for (i = 0; i < 50; i++)
		nap(10);
	spin(5000);
	ASSERT_EQ(0, trace_disable(&trace));
	after = trace_collect(&trace);
	EXPECT_LE(before - before / 4, after);
	EXPECT_EQ(0, trace.flags & TRACE_LOSS);
	EXPECT_EQ(0, trace.unsynchronised);
}

/* Long enough for the deepest idle state; the thread's event is another one's turn each time */
TEST_F(sleeping, thread_finds_its_configuration_again)
{
	uint64_t plain, broadcast;

	self->attr.config = ARM_ETE_PMU_MASK(branch_broadcast);
	ETE_NEED(!trace_open(&trace, &self->attr, 0, -1, 1 << 22, false),
		 "the trace unit has no branch broadcast (TRCIDR0.TRCBB)");
	ASSERT_EQ(0, trace_enable(&trace));
	spin(5000);
	ASSERT_EQ(0, trace_disable(&trace));
	plain = trace_collect(&trace);
	nap(900);
	ASSERT_EQ(0, trace_enable(&trace));
	nap(900);
	spin(5000);
	ASSERT_EQ(0, trace_disable(&trace));
	broadcast = trace_collect(&trace);
	EXPECT_LE(plain - plain / 8, broadcast);
	ETE_EXPECT_STEPS(&trace, 2 * 5000);
}

#include "ete_main.h"
