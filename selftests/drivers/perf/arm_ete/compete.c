// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two events that want the same trace units: the second is refused, or both get their trace.
 */
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>

#include "ete.h"
#include "trace.h"

#define AUX_SIZE (1u << 20)

static struct trace first, second;

FIXTURE(two) {
	struct perf_event_attr attr;
	int cpus[2];
	int nr_cpus;
};

FIXTURE_SETUP(two)
{
	ETE_NEED_PMU();
	self->attr = pmu_make_attr();
	self->nr_cpus = online_cpus(self->cpus, 2);
}

FIXTURE_TEARDOWN(two)
{
}

TEST_F(two, of_a_thread_the_second_is_busy_until_the_first_is_closed)
{
	ASSERT_EQ(0, trace_open(&first, &self->attr, 0, -1, AUX_SIZE, false));
	EXPECT_EQ(EBUSY, trace_open(&second, &self->attr, 0, -1, AUX_SIZE, false));
	trace_close(&first);
	ASSERT_EQ(0, trace_open(&second, &self->attr, 0, -1, AUX_SIZE, false));
	ASSERT_EQ(0, trace_enable(&second));
	spin(1000);
	ASSERT_EQ(0, trace_disable(&second));
	trace_collect(&second);
	ETE_EXPECT_STEPS(&second, 1000);
}

TEST_F(two, of_a_cpu_and_of_a_thread_exclude_each_other)
{
	const int cpu = pmu_open(&self->attr, -1, self->cpus[0]);

	ETE_NEED(cpu >= 0 || errno != EACCES, "events of CPUs need root");
	ASSERT_LE(0, cpu);
	EXPECT_EQ(EBUSY, trace_open(&second, &self->attr, 0, -1, AUX_SIZE, false));
	close(cpu);
	EXPECT_EQ(0, trace_open(&second, &self->attr, 0, -1, AUX_SIZE, false));
}

TEST_F(two, of_two_cpus_are_both_traced)
{
	struct trace *const both[] = { &first, &second };
	int i;

	ETE_NEED(self->nr_cpus > 1, "there is one CPU only");
	ETE_NEED_ROOT();
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, trace_open(both[i], &self->attr, -1, self->cpus[i], AUX_SIZE, false));
		ASSERT_EQ(0, trace_enable(both[i]));
	}
	for (i = 0; i < 2; i++) {
		ASSERT_TRUE(pin(self->cpus[i]));
		spin(5000);
	}
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, trace_disable(both[i]));
		trace_collect(both[i]);
		/* other programs execute there, too, whose code is not known here */
		EXPECT_EQ(0, both[i]->flags & TRACE_LOSS);
		EXPECT_LT(5000 / 8, both[i]->bytes);
	}
}

/* Two threads on one CPU, each with an event of its own: the trace unit is the one's, then the other's */
static void *traced_thread(void *argument)
{
	const struct perf_event_attr attr = pmu_make_attr();
	struct trace *trace = argument;
	int i;

	if (trace_open(trace, &attr, 0, -1, AUX_SIZE, false))
		return NULL;
	trace_enable(trace);
	for (i = 0; i < 50; i++) {
		spin(500);
		sched_yield();
	}
	trace_disable(trace);
	trace_collect(trace);
	return NULL;
}

TEST_F(two, of_threads_on_one_cpu_are_both_traced)
{
	pthread_t other;

	ASSERT_TRUE(pin(self->cpus[0]));
	ASSERT_EQ(0, pthread_create(&other, NULL, traced_thread, &second));
	traced_thread(&first);
	pthread_join(other, NULL);
	EXPECT_EQ(0, (first.flags | second.flags) & TRACE_LOSS);
	ETE_EXPECT_STEPS(&first, 50 * 500);
	ETE_EXPECT_STEPS(&second, 50 * 500);
	EXPECT_EQ(0, first.unsynchronised + second.unsynchronised);
	EXPECT_EQ(0, first.jumps + second.jumps);
}

/* Events that are configured differently: each has its own configuration when its turn comes */
TEST_F(two, of_different_configurations_keep_theirs)
{
	uint64_t plain, broadcast;
	int i;

	ASSERT_TRUE(pin(self->cpus[0]));
	ASSERT_EQ(0, trace_open(&first, &self->attr, 0, -1, AUX_SIZE, false));
	ASSERT_EQ(0, trace_enable(&first));
	spin(5000);
	ASSERT_EQ(0, trace_disable(&first));
	plain = trace_collect(&first);
	trace_close(&first);
	for (i = 0; i < 2; i++) {
		self->attr.config = i ? 0 : ARM_ETE_PMU_MASK(branch_broadcast);
		ETE_NEED(!trace_open(&first, &self->attr, 0, -1, AUX_SIZE, false) || i,
			 "the trace unit has no branch broadcast (TRCIDR0.TRCBB)");
		ASSERT_EQ(0, trace_enable(&first));
		spin(5000);
		ASSERT_EQ(0, trace_disable(&first));
		broadcast = trace_collect(&first);
		ETE_EXPECT_STEPS(&first, 5000);
		trace_close(&first);
		EXPECT_EQ(!i, broadcast > 2 * plain);
	}
}

#include "ete_main.h"
