// SPDX-License-Identifier: GPL-2.0-only
/*
 * A CPU goes offline and comes online again while it, or a thread on it, is traced.
 */
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#include "ete.h"
#include "trace.h"

#define AUX_SIZE (1u << 20)

static struct trace trace;

FIXTURE(cpu) {
	struct perf_event_attr attr;
	int number, other;
	char online[96];
};

FIXTURE_SETUP(cpu)
{
	int cpus[64];
	const int n = online_cpus(cpus, 64);

	ETE_NEED_PMU();
	ETE_NEED_ROOT();
	ETE_NEED(n > 1, "there is one CPU only");
	self->number = cpus[n - 1];
	self->other = cpus[0];
	snprintf(self->online, sizeof(self->online), "/sys/devices/system/cpu/cpu%d/online",
		 self->number);
	ETE_NEED(!access(self->online, W_OK), "CPU %d cannot be taken offline: there is no %s",
		 self->number, self->online);
	self->attr = pmu_make_attr();
}

FIXTURE_TEARDOWN(cpu)
{
	if (self->online[0])
		write_text(self->online, "1");
}

static void set_both(const FIXTURE_DATA(cpu) *self)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((unsigned int)self->number, &set);
	CPU_SET((unsigned int)self->other, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* A thread that may execute elsewhere is traced on */
TEST_F(cpu, that_goes_leaves_the_trace_of_its_thread)
{
	uint64_t before;
	int i;

	ASSERT_EQ(0, trace_open(&trace, &self->attr, 0, -1, AUX_SIZE, false));
	ASSERT_EQ(0, trace_enable(&trace));
	for (i = 0; i < 5; i++) {
		ASSERT_TRUE(pin(self->number));
		set_both(self);
		spin(500);
		ASSERT_TRUE(write_text(self->online, "0"));
		spin(500);
		trace_collect(&trace);
		ASSERT_TRUE(write_text(self->online, "1"));
		spin(500);
	}
	before = trace.bytes;
	ASSERT_TRUE(pin(self->number));
	spin(2000);
	ASSERT_EQ(0, trace_disable(&trace));
	trace_collect(&trace);
	EXPECT_LT(before + 400, trace.bytes);
	EXPECT_EQ(0, trace.unsynchronised);
	EXPECT_EQ(0, trace.jumps);
	if (!(trace.flags & TRACE_LOSS))
		ETE_EXPECT_STEPS(&trace, 5 * 3 * 500 + 2000);
}

/* The CPU's own event: what it has collected is there; it is of no use after that */
TEST_F(cpu, that_goes_leaves_its_own_trace)
{
	pid_t busy = fork();

	if (!busy) {
		pin(self->number);
		set_both(self);
		for (;;)
			spin(1000);
	}
	ASSERT_TRUE(pin(self->other));
	ASSERT_EQ(0, trace_open(&trace, &self->attr, -1, self->number, AUX_SIZE, false));
	ASSERT_EQ(0, trace_enable(&trace));
	usleep(100000);
	ASSERT_TRUE(write_text(self->online, "0"));
	usleep(20000);
	ASSERT_TRUE(write_text(self->online, "1"));
	kill(busy, SIGKILL);
	waitpid(busy, NULL, 0);
	trace_disable(&trace);
	trace_collect(&trace);
	ETE_IN_TREE_MAY(!trace.bytes, "drops the trace of a CPU that goes offline");
	EXPECT_LT(100, trace.bytes);
	ETE_IN_TREE_MAY(!(trace.flags & TRACE_LOSS), "does not say that trace is missing");
	EXPECT_NE(0, trace.flags & TRACE_LOSS);
}

/* An event that is opened after it came back */
TEST_F(cpu, that_came_back_is_traced)
{
	int i;

	for (i = 0; i < 5; i++) {
		ASSERT_TRUE(write_text(self->online, "0"));
		ASSERT_TRUE(write_text(self->online, "1"));
	}
	ASSERT_EQ(0, trace_open(&trace, &self->attr, -1, self->number, AUX_SIZE, false));
	ASSERT_EQ(0, trace_enable(&trace));
	ASSERT_TRUE(pin(self->number));
	spin(5000);
	ASSERT_EQ(0, trace_disable(&trace));
	trace_collect(&trace);
	EXPECT_EQ(0, trace.flags & TRACE_LOSS);
	EXPECT_LT(5000 / 8, trace.bytes);
}

TEST_F(cpu, that_is_offline_has_no_event)
{
	int fd;

	ASSERT_TRUE(write_text(self->online, "0"));
	fd = pmu_open(&self->attr, -1, self->number);
	EXPECT_EQ(-1, fd);
	EXPECT_EQ(ENODEV, errno);
	ASSERT_TRUE(write_text(self->online, "1"));
}

#include "ete_main.h"
