// SPDX-License-Identifier: GPL-2.0-only
/*
 * Software instrumentation (FEAT_ITE): the trace has the values that TRCIT writes if the event asks for them, of the
 * Exception levels that it traces.
 */
#include <sys/wait.h>
#include <time.h>

#include "ete.h"
#include "trace.h"

#define AUX_SIZE (1u << 22)

static struct trace trace;

/* Among them are bytes that packets begin with: padding, synchronisation, and the header of the packet itself */
static const uint64_t values[] = {
	0, 1, 0x2a, ~0ULL, 1ULL << 63, 0x0123456789abcdefULL, 0x7070707070707070ULL,
	0x8000000000000000ULL >> 8, 0x0909090909090909ULL, 0x00000000ffffffffULL,
};

#define NR_VALUES (sizeof(values) / sizeof(*values))

/* TRCIT, which assemblers without FEAT_ITE do not know: SYS #3, c7, c2, #7, x0 */
static void trcit(uint64_t value)
{
	register uint64_t x0 __asm__("x0") = value;

	__asm__ volatile(".inst 0xd50b72e0" : : "r"(x0));
}

static void write_values(void)
{
	size_t i;

	for (i = 0; i < NR_VALUES; i++) {
		trcit(values[i]);
		spin(3);
	}
}

/* The trace has the values of so many calls of write_values(), in their order and of EL0, and no others */
static bool has_values(size_t times)
{
	const struct decode *decode = &trace.decode;
	size_t i;

	for (i = 0; i < decode->value_count; i++)
		if (decode->values[i].value != values[i % NR_VALUES] || decode->values[i].el)
			return false;
	return decode->value_count == times * NR_VALUES;
}

FIXTURE(instrumentation) {
	struct perf_event_attr attr;
};

FIXTURE_SETUP(instrumentation)
{
	ETE_NEED_PMU();
	ETE_OURS_ONLY("has no such field");
	ETE_NEED(pmu_has_instrumentation(),
		 "the CPUs have no FEAT_ITE, or the module has not the parameter instrumentation=1");
	self->attr = pmu_make_attr();
	self->attr.config1 = ARM_ETE_PMU_MASK(instrumentation);
}

FIXTURE_TEARDOWN(instrumentation)
{
	trace_close(&trace);
}

/* One recording of write_values(), which is decoded */
static int record_values(const struct perf_event_attr *attr)
{
	int err = trace_open(&trace, attr, 0, -1, AUX_SIZE, false);

	if (err)
		return err;
	trace_enable(&trace);
	write_values();
	trace_disable(&trace);
	trace_collect(&trace);
	return trace_decode(&trace);
}

TEST_F(instrumentation, is_in_the_trace_in_its_order)
{
	ASSERT_EQ(0, record_values(&self->attr));
	EXPECT_STREQ("", trace_first_gap(&trace));
	EXPECT_EQ(3 * NR_VALUES, trace_executions(&trace, spin_step));
	EXPECT_TRUE(has_values(1)) TH_LOG("%zu values", trace.decode.value_count);
}

TEST_F(instrumentation, is_in_many_records)
{
	int i;

	ASSERT_EQ(0, trace_open(&trace, &self->attr, 0, -1, AUX_SIZE, false));
	for (i = 0; i < 200; i++) {
		ASSERT_EQ(0, trace_enable(&trace));
		write_values();
		ASSERT_EQ(0, trace_disable(&trace));
		write_values();
		trace_collect(&trace);
	}
	EXPECT_EQ(0, trace.flags & TRACE_LOSS);
	ETE_EXPECT_DECODED(&trace);
	EXPECT_TRUE(has_values(200)) TH_LOG("%zu values", trace.decode.value_count);
}

TEST_F(instrumentation, is_not_in_the_trace_unless_the_event_asks)
{
	int i;

	/* the event before asked for it */
	for (i = 0; i < 3; i++) {
		self->attr.config1 = i % 2 ? 0 : ARM_ETE_PMU_MASK(instrumentation);
		ASSERT_EQ(0, record_values(&self->attr));
		EXPECT_EQ(3 * NR_VALUES, trace_executions(&trace, spin_step));
		EXPECT_TRUE(has_values(i % 2 ? 0 : 1))
			TH_LOG("event %d: %zu values", i, trace.decode.value_count);
		trace_close(&trace);
	}
}

/* The event of another process, which does not ask; 0 if its trace has no value */
static int record_without(const struct perf_event_attr *attr)
{
	struct perf_event_attr plain = *attr;
	pid_t child = fork();
	int status = -1;

	if (child) {
		waitpid(child, &status, 0);
		return status;
	}
	plain.config1 = 0;
	_exit(record_values(&plain) || !trace.bytes || trace.decode.value_count);
}

/* Two events take turns on one CPU */
TEST_F(instrumentation, is_of_the_event_that_asks)
{
	int cpu, i;

	ASSERT_EQ(1, online_cpus(&cpu, 1));
	ASSERT_TRUE(pin(cpu));
	ASSERT_EQ(0, trace_open(&trace, &self->attr, 0, -1, AUX_SIZE, false));
	ASSERT_EQ(0, trace_enable(&trace));
	for (i = 0; i < 5; i++) {
		write_values();
		ASSERT_EQ(0, record_without(&self->attr));
		write_values();
	}
	ASSERT_EQ(0, trace_disable(&trace));
	trace_collect(&trace);
	ETE_EXPECT_DECODED(&trace);
	EXPECT_TRUE(has_values(10)) TH_LOG("%zu values", trace.decode.value_count);
}

/* The kernel's code is not known here: gaps are no failure */
TEST_F(instrumentation, of_el0_is_not_in_the_trace_of_the_kernel_alone)
{
	ETE_NEED_ROOT();
	self->attr.exclude_user = 1;
	self->attr.exclude_kernel = 0;
	ASSERT_EQ(0, record_values(&self->attr));
	EXPECT_LT(0, trace.bytes);
	EXPECT_EQ(0, trace.decode.value_count);
}

TEST_F(instrumentation, of_el0_is_in_the_trace_of_kernel_and_user)
{
	ETE_NEED_ROOT();
	self->attr.exclude_kernel = 0;
	ASSERT_EQ(0, record_values(&self->attr));
	EXPECT_TRUE(has_values(1)) TH_LOG("%zu values", trace.decode.value_count);
}

/* ViewInst does not limit it (I_MHGVF) */
TEST_F(instrumentation, is_in_the_trace_of_code_that_a_filter_leaves_out)
{
	char filter[512], file[256] = "";

	ETE_NEED(read_number(PMU_DIR "nr_addr_filters"),
		 "the trace units have no address comparators (TRCIDR4.NUMACPAIRS)");
	ASSERT_LT(0, readlink("/proc/self/exe", file, sizeof(file) - 1));
	snprintf(filter, sizeof(filter), "filter 0x%llx/0x%llx@%s",
		 (unsigned long long)file_offset(spin_elsewhere),
		 (unsigned long long)(file_offset(spin_elsewhere_end) - file_offset(spin_elsewhere)), file);
	ASSERT_EQ(0, trace_open(&trace, &self->attr, 0, -1, AUX_SIZE, false));
	ASSERT_EQ(0, ioctl(trace.rec.fd, PERF_EVENT_IOC_SET_FILTER, filter));
	ASSERT_EQ(0, trace_enable(&trace));
	write_values();
	spin_elsewhere(10);
	ASSERT_EQ(0, trace_disable(&trace));
	trace_collect(&trace);
	ETE_EXPECT_DECODED(&trace);
	EXPECT_EQ(0, trace_executions(&trace, spin_step));
	EXPECT_EQ(10, trace_executions(&trace, spin_elsewhere_step));
	EXPECT_TRUE(has_values(1)) TH_LOG("%zu values", trace.decode.value_count);
}

/* On each CPU, and after the CPU may have lost its registers in a low-power state */
TEST_F(instrumentation, follows_the_thread)
{
	const struct timespec nap = { .tv_nsec = 300000000 };
	int cpus[64], n = online_cpus(cpus, 64), i;

	ASSERT_LT(0, n);
	ASSERT_EQ(0, trace_open(&trace, &self->attr, 0, -1, AUX_SIZE, false));
	ASSERT_EQ(0, trace_enable(&trace));
	for (i = 0; i < 2 * n; i++) {
		ASSERT_TRUE(pin(cpus[i % n]));
		write_values();
		nanosleep(&nap, NULL);
		write_values();
	}
	ASSERT_EQ(0, trace_disable(&trace));
	trace_collect(&trace);
	EXPECT_EQ(0, trace.flags & TRACE_LOSS);
	ETE_EXPECT_DECODED(&trace);
	EXPECT_TRUE(has_values(4 * (size_t)n)) TH_LOG("%zu values", trace.decode.value_count);
}

#include "ete_main.h"
