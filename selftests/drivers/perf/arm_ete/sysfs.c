// SPDX-License-Identifier: GPL-2.0-only
/*
 * The PMU is found, and its files in sysfs and debugfs are those of Documentation/ABI.
 */
#include <sys/utsname.h>

#include "ete.h"
#include "trace.h"

#define DEVARCH_ETE 0x5a13u
#define NR_IDR 14

FIXTURE(sysfs) {
	int cpus[64];
	int nr_cpus;
};

FIXTURE_SETUP(sysfs)
{
	ETE_NEED_PMU();
	self->nr_cpus = online_cpus(self->cpus, 64);
	ASSERT_LT(0, self->nr_cpus);
}

FIXTURE_TEARDOWN(sysfs)
{
}

/* A file of a CPU's directory as a number, ~0 if there is none */
static uint64_t cpu_number(int cpu, const char *file)
{
	char path[256];

	snprintf(path, sizeof(path), PMU_DIR "cpu%d/%s", cpu, file);
	return read_number(path);
}

TEST_F(sysfs, type_is_a_number)
{
	EXPECT_LT(0, pmu_type());
}

TEST_F(sysfs, there_is_no_cpumask)
{
	ETE_OURS_ONLY("is not bound to this ABI");
	EXPECT_NE(0, access(PMU_DIR "cpumask", F_OK));
	EXPECT_NE(0, access(PMU_DIR "cpus", F_OK));
}

TEST_F(sysfs, address_filters_are_the_comparator_pairs_of_all_cpus)
{
	uint64_t pairs = 8;
	int i;

	for (i = 0; i < self->nr_cpus; i++) {
		const uint64_t idr4 = cpu_number(self->cpus[i], "trcidr/trcidr4");

		ASSERT_NE(~0ULL, idr4);
		if ((idr4 & 0xf) < pairs)
			pairs = idr4 & 0xf;
	}
	if (ete_in_tree) {
		EXPECT_NE(~0ULL, read_number(PMU_DIR "nr_addr_filters"));
		return;
	}
	EXPECT_EQ(pairs, read_number(PMU_DIR "nr_addr_filters"));
}

TEST_F(sysfs, each_cpu_has_its_registers)
{
	int i, n;

	for (i = 0; i < self->nr_cpus; i++) {
		for (n = 0; n < NR_IDR; n++) {
			char file[32];

			snprintf(file, sizeof(file), "trcidr/trcidr%d", n);
			ETE_IN_TREE_MAY(cpu_number(self->cpus[i], file) == ~0ULL, "has no %s",
					file);
			EXPECT_GE(UINT32_MAX, cpu_number(self->cpus[i], file))
				TH_LOG("cpu%d/%s", self->cpus[i], file);
		}
		EXPECT_GE(UINT32_MAX, cpu_number(self->cpus[i], "mgmt/trcauthstatus"));
		EXPECT_EQ(DEVARCH_ETE, cpu_number(self->cpus[i], "mgmt/trcdevarch") & 0xffff);
	}
}

TEST_F(sysfs, each_cpu_has_its_number)
{
	int i;

	for (i = 0; i < self->nr_cpus; i++)
		EXPECT_EQ((uint64_t)self->cpus[i], cpu_number(self->cpus[i], "cpu"));
}

TEST_F(sysfs, timestamps_are_the_kernels_clock)
{
	int i;

	for (i = 0; i < self->nr_cpus; i++) {
		const uint64_t source = cpu_number(self->cpus[i], "ts_source");

		if (ete_in_tree && source != 1)
			XFAIL(return, "the in-tree driver of this kernel says %lld",
			      (long long)source);
		EXPECT_EQ(1, source);
	}
}

/* Each field of the header, where it is */
FIXTURE(format) {
	char line[64];
};

FIXTURE_VARIANT(format) {
	const char *name;
	const char *value;
	bool ours;
};

#define FORMAT(field, text)                                             \
	FIXTURE_VARIANT_ADD(format, field) { .name = #field, .value = text }
#define FORMAT_OURS(field, text)                                        \
	FIXTURE_VARIANT_ADD(format, field) {                            \
		.name = #field, .value = text, .ours = true             \
	}

FORMAT(branch_broadcast, "config:8");
FORMAT(cycacc, "config:12");
FORMAT(contextid1, "config:14");
FORMAT(contextid2, "config:15");
FORMAT(timestamp, "config:4-7");
FORMAT(retstack, "config:29");
FORMAT(preset, "config:0-3");
FORMAT(sinkid, "config2:0-31");
FORMAT(configid, "config2:32-63");
FORMAT_OURS(physical, "config1:12");
FORMAT_OURS(event, "config1:16-31");
FORMAT_OURS(strobe_on, "config1:32-47");
FORMAT_OURS(strobe_off, "config1:48-63");

FIXTURE_SETUP(format)
{
	char file[64];

	ETE_NEED_PMU();
	snprintf(file, sizeof(file), "format/%s", variant->name);
	pmu_read(file, self->line, sizeof(self->line));
}

FIXTURE_TEARDOWN(format)
{
}

TEST_F(format, is_where_the_header_has_it)
{
	if (ete_in_tree && strcmp(self->line, variant->value))
		XFAIL(return, "the in-tree driver of this kernel has %s at \"%s\"", variant->name,
		      self->line);
	EXPECT_STREQ(variant->value, self->line);
}

/* Without FEAT_ITE, or unless the administrator says that firmware allows it, there is no such field. */
TEST_F(sysfs, instrumentation_is_in_config1_where_it_is_possible)
{
	const char *parameter = "/sys/module/arm_ete_pmu/parameters/instrumentation";
	char line[64];
	int fd;

	ETE_OURS_ONLY("has no such field");
	pmu_read("format/instrumentation", line, sizeof(line));
	if (!line[0])
		return;
	EXPECT_STREQ("config1:13", line);
	fd = open(parameter, O_RDONLY);
	ASSERT_LE(0, fd);
	EXPECT_EQ(1, read(fd, line, 1));
	EXPECT_EQ('Y', line[0]);
	close(fd);
}

TEST_F(sysfs, the_threshold_is_in_config3_where_the_kernel_has_it)
{
	struct utsname name;
	char line[64];
	int major, minor;

	ETE_OURS_ONLY("has cc_threshold since Linux 6.7 only");
	ASSERT_EQ(0, uname(&name));
	if (sscanf(name.release, "%d.%d", &major, &minor) != 2)
		SKIP(return, "the kernel's release is %s", name.release);
	pmu_read("format/cc_threshold", line, sizeof(line));
	EXPECT_STREQ(major > 6 || (major == 6 && minor >= 3) ? "config3:0-11" : "config1:0-11",
		     line);
}

TEST_F(sysfs, the_context_identifier_is_that_of_the_kernels_level)
{
	char line[64];

	pmu_read("format/contextid", line, sizeof(line));
	EXPECT_TRUE(!strcmp(line, "config:14") || !strcmp(line, "config:15"))
		TH_LOG("contextid is %s", line);
}

FIXTURE(debugfs) {
	int cpu;
};

FIXTURE_SETUP(debugfs)
{
	ETE_NEED_PMU();
	ETE_OURS_ONLY("has no statistics in debugfs");
	ETE_NEED_ROOT();
	ETE_NEED(!access(ETE_STATS, F_OK),
		 "debugfs is not mounted: mount -t debugfs debugfs /sys/kernel/debug");
	ASSERT_LT(0, online_cpus(&self->cpu, 1));
}

FIXTURE_TEARDOWN(debugfs)
{
}

static uint64_t statistic(int cpu, const char *file)
{
	char path[256];

	snprintf(path, sizeof(path), ETE_STATS "/cpu%d/%s", cpu, file);
	return read_number(path);
}

TEST_F(debugfs, has_each_statistic)
{
	static const char *const names[] = {
		"sessions", "bytes", "early_warnings", "wraps", "fills", "triggers",
		"faults_stage1", "faults_stage2", "external_aborts", "impdef_events",
		"unknown_events", "spurious", "losses", "refusals", "retries", "register_writes",
	};
	unsigned int i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		EXPECT_NE(~0ULL, statistic(self->cpu, names[i])) TH_LOG("%s", names[i]);
}

/* No interrupt but those of a full buffer, and no byte more than what the records have */
TEST_F(debugfs, counts_what_was_recorded)
{
	static struct trace trace;
	const struct perf_event_attr attr = pmu_make_attr();
	uint64_t sessions, bytes, spurious;

	ASSERT_TRUE(pin(self->cpu));
	sessions = statistic(self->cpu, "sessions");
	bytes = statistic(self->cpu, "bytes");
	spurious = statistic(self->cpu, "spurious");
	ASSERT_EQ(0, trace_open(&trace, &attr, 0, -1, 64 * 4096, false));
	ASSERT_EQ(0, trace_enable(&trace));
	spin(20000);
	ASSERT_EQ(0, trace_disable(&trace));
	trace_collect(&trace);
	EXPECT_LT(sessions, statistic(self->cpu, "sessions"));
	EXPECT_LT(bytes, statistic(self->cpu, "bytes"));
	EXPECT_GE(bytes + trace.bytes, statistic(self->cpu, "bytes"));
	EXPECT_EQ(spurious, statistic(self->cpu, "spurious"));
	trace_close(&trace);
}

/* An event that comes back to its CPU finds its configuration there, and that of TRCIT */
TEST_F(debugfs, an_event_that_returns_writes_no_register)
{
	static struct trace trace;
	struct perf_event_attr attr = pmu_make_attr();
	int i, written = 0;

	if (pmu_has_instrumentation())
		attr.config1 = ARM_ETE_PMU_MASK(instrumentation);
	ASSERT_TRUE(pin(self->cpu));
	ASSERT_EQ(0, trace_open(&trace, &attr, 0, -1, 64 * 4096, false));
	ASSERT_EQ(0, trace_enable(&trace));
	spin(100);
	ASSERT_EQ(0, trace_disable(&trace));
	EXPECT_LT(0, statistic(self->cpu, "register_writes"));
	for (i = 0; i < 10; i++) {
		const uint64_t writes = statistic(self->cpu, "register_writes");

		ASSERT_EQ(0, trace_enable(&trace));
		spin(100);
		ASSERT_EQ(0, trace_disable(&trace));
		trace_collect(&trace);
		written += statistic(self->cpu, "register_writes") != writes;
	}
	/* a CPU that sleeps in between may lose its registers */
	EXPECT_GT(5, written);
	trace_close(&trace);
}

#include "ete_main.h"
