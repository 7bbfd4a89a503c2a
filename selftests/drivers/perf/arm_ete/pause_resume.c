// SPDX-License-Identifier: GPL-2.0-only
/*
 * Other events of a group pause and resume trace, where the kernel can (Linux 6.13 and later).
 */
#include <linux/hw_breakpoint.h>
#include <stddef.h>

#include "ete.h"
#include "trace.h"

#define AUX_START_PAUSED 1u
#define AUX_PAUSE	 2u
#define AUX_RESUME	 4u

#define STEPS 20000

static struct trace trace;
static volatile unsigned int sink;

__attribute__((noinline)) void pause_here(void)
{
	sink++;
}

__attribute__((noinline)) void resume_here(void)
{
	sink--;
}

FIXTURE(pausing) {
	struct perf_event_attr attr;
};

static void set_action(struct perf_event_attr *attr, __u32 action)
{
	memcpy((char *)attr + RECORD_ATTR_ACTION, &action, sizeof(action));
}

/* In the group of the trace: where the function begins, trace is paused or resumed */
static int open_action(void (*function)(void), __u32 action)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT,
		.size = sizeof(attr),
		.bp_type = HW_BREAKPOINT_X,
		.bp_addr = (uintptr_t)function,
		.bp_len = sizeof(long),
		.sample_period = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	set_action(&attr, action);
	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, trace.rec.fd, PERF_FLAG_FD_CLOEXEC);
}

FIXTURE_SETUP(pausing)
{
	int err;

	ETE_NEED_PMU();
	self->attr = pmu_make_attr();
	set_action(&self->attr, AUX_START_PAUSED);
	err = trace_open(&trace, &self->attr, 0, -1, 1 << 22, false);
	if (err == EINVAL || err == E2BIG || err == EOPNOTSUPP) {
		if (ete_in_tree)
			XFAIL(return, "the in-tree driver of this kernel cannot pause trace");
		SKIP(return, "the kernel cannot pause trace: aux_start_paused is since Linux 6.13");
	}
	ASSERT_EQ(0, err);
	ASSERT_LE(0, open_action(pause_here, AUX_PAUSE));
	ASSERT_LE(0, open_action(resume_here, AUX_RESUME));
	ASSERT_EQ(0, trace_enable(&trace));
}

FIXTURE_TEARDOWN(pausing)
{
	trace_close(&trace);
}

static uint64_t bytes_of(void)
{
	trace_disable(&trace);
	trace_collect(&trace);
	return trace.bytes;
}

TEST_F(pausing, begins_paused)
{
	spin(STEPS);
	EXPECT_GT(400, bytes_of());
	ETE_EXPECT_STEPS(&trace, 0);
}

TEST_F(pausing, is_resumed)
{
	spin(STEPS);
	resume_here();
	spin(STEPS);
	EXPECT_LT(3000, bytes_of());
	ETE_EXPECT_STEPS(&trace, STEPS);
}

TEST_F(pausing, is_paused_again)
{
	uint64_t once, twice;

	resume_here();
	spin(STEPS);
	pause_here();
	once = bytes_of();
	trace_enable(&trace);
	spin(STEPS);
	twice = bytes_of();
	EXPECT_LT(3000, once);
	EXPECT_GT(once + 400, twice);
	ETE_EXPECT_STEPS(&trace, STEPS);
}

#include "ete_main.h"
