// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which events can be opened, by whom, and with what error others are refused.
 */
#include <stddef.h>

#include "ete.h"

#define CONFIG1(field, value) ((unsigned long long)(value) << ARM_ETE_PMU_SHIFT(field))

FIXTURE(open) {
	struct perf_event_attr attr;
};

FIXTURE_SETUP(open)
{
	ETE_NEED_PMU();
	self->attr = pmu_make_attr();
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

/* The next message of the driver; false if there is none for now */
static bool next_message(int log, char *text, size_t size)
{
	ssize_t length;

	while ((length = read(log, text, size - 1)) > 0) {
		text[length] = '\0';
		if (strstr(text, ";arm_ete_pmu: "))
			return true;
	}
	return false;
}

/*
 * Whether the kernel's log gets a reason when an event is refused, and only if the driver's debug messages are switched
 * on. True if the log cannot be read, or if they cannot be switched on.
 */
static bool refusal_has_reason(const struct perf_event_attr *attr)
{
	const char *control = "/proc/dynamic_debug/control";
	const int log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	char text[1024] = "";
	bool silent, found;

	if (log < 0 || lseek(log, 0, SEEK_END) < 0)
		return true;
	pmu_open(attr, 0, -1);
	silent = !next_message(log, text, sizeof(text));
	if (!write_text(control, "module arm_ete_pmu +p")) {
		close(log);
		return silent;
	}
	pmu_open(attr, 0, -1);
	found = silent && next_message(log, text, sizeof(text));
	write_text(control, "module arm_ete_pmu -p");
	close(log);
	return found && !strstr(text, "(null)");
}

/* What a trace unit has to have for a field: a bit field of TRCIDRn that is not less than a value */
struct capability {
	const char *name;
	unsigned int idr, low, width, least;
};

static const struct capability capabilities[] = {
#define BRANCH_BROADCAST 1u
	{ "TRCIDR0.TRCBB", 0, 5, 1, 1 },
#define CYCLES 2u
	{ "TRCIDR0.TRCCCI", 0, 7, 1, 1 },
#define TIMESTAMPS 4u
	{ "TRCIDR0.TSSIZE", 0, 24, 5, 1 },
#define CONTEXT 8u
	{ "TRCIDR2.CIDSIZE", 2, 5, 5, 1 },
#define VIRTUAL_CONTEXT 16u
	{ "TRCIDR2.VMIDSIZE", 2, 10, 5, 1 },
#define EVENTS 32u
	{ "TRCIDR0.NUMEVENT", 0, 10, 2, 1 },
#define INPUTS 64u
	{ "TRCIDR5.NUMEXTINSEL", 5, 9, 3, 1 },
#define ONE_PAIR 128u
	{ "TRCIDR4.NUMRSPAIR", 4, 16, 4, 1 },
#define THREE_PAIRS 256u
	{ "TRCIDR4.NUMRSPAIR", 4, 16, 4, 3 },
#define COUNTERS 512u
	{ "TRCIDR5.NUMCNTR", 5, 28, 3, 2 },
#define SEQUENCER 1024u
	{ "TRCIDR5.NUMSEQSTATE", 5, 25, 3, 1 },
};

/* FEAT_ITE, which the PMU has a field for only if the driver may use it */
#define INSTRUMENTATION 2048u

/* The capability of a set that some CPU does not have, or NULL */
static const char *missing_capability(unsigned int needed)
{
	int cpus[64];
	const int n = online_cpus(cpus, 64);
	unsigned int i;
	int cpu;

	if (needed & INSTRUMENTATION && !pmu_has_instrumentation())
		return "FEAT_ITE, or the module has not the parameter instrumentation=1";
	for (i = 0; i < sizeof(capabilities) / sizeof(*capabilities); i++) {
		const struct capability *cap = &capabilities[i];

		for (cpu = 0; cpu < n && needed & 1u << i; cpu++) {
			char path[256];
			uint64_t idr;

			snprintf(path, sizeof(path), PMU_DIR "cpu%d/trcidr/trcidr%u", cpus[cpu],
				 cap->idr);
			idr = read_number(path);
			if ((idr >> cap->low & ((1u << cap->width) - 1)) < cap->least)
				return cap->name;
		}
	}
	return NULL;
}

/* Each value that means something, by itself: it is opened, or the trace unit cannot do it */
FIXTURE(valid) {
	struct perf_event_attr attr;
};

FIXTURE_VARIANT(valid) {
	__u64 config;
	__u64 config1;
	unsigned int needed;
};

#define LEVEL(value) ((unsigned long long)(value) << ARM_ETE_PMU_SHIFT(timestamp))
#define VALID(name, ...) FIXTURE_VARIANT_ADD(valid, name) { __VA_ARGS__ }

VALID(nothing, .config = 0);
VALID(timestamp_level_1, .config = LEVEL(1), .needed = TIMESTAMPS);
VALID(timestamp_level_2, .config = LEVEL(2), .needed = TIMESTAMPS);
VALID(timestamp_level_8, .config = LEVEL(8), .needed = TIMESTAMPS);
VALID(timestamp_level_14, .config = LEVEL(14), .needed = TIMESTAMPS);
VALID(timestamp_level_15, .config = LEVEL(15), .needed = TIMESTAMPS);
VALID(deprecated_timestamp, .config = ARM_ETE_PMU_MASK(deprecated_timestamp),
      .needed = TIMESTAMPS);
VALID(branch_broadcast, .config = ARM_ETE_PMU_MASK(branch_broadcast), .needed = BRANCH_BROADCAST);
VALID(cycacc, .config = ARM_ETE_PMU_MASK(cycacc), .needed = CYCLES);
VALID(cycacc_with_a_threshold, .config = ARM_ETE_PMU_MASK(cycacc),
      .config1 = ARM_ETE_PMU_MASK(deprecated_cc_threshold), .needed = CYCLES);
VALID(contextid1, .config = ARM_ETE_PMU_MASK(contextid1), .needed = CONTEXT);
VALID(retstack, .config = ARM_ETE_PMU_MASK(retstack));
VALID(everything_of_config,
      .config = ARM_ETE_PMU_MASK(contextid1) | ARM_ETE_PMU_MASK(cycacc) |
		ARM_ETE_PMU_MASK(retstack) | LEVEL(8),
      .needed = CONTEXT | CYCLES | TIMESTAMPS);
VALID(event, .config1 = CONFIG1(event, 0x11), .needed = EVENTS | INPUTS | ONE_PAIR);
VALID(instrumentation, .config1 = CONFIG1(instrumentation, 1), .needed = INSTRUMENTATION);
VALID(strobing, .config1 = CONFIG1(strobe_on, 100) | CONFIG1(strobe_off, 1000),
      .needed = THREE_PAIRS | COUNTERS | SEQUENCER);
VALID(longest_strobing, .config1 = CONFIG1(strobe_on, 0xffff) | CONFIG1(strobe_off, 0xffff),
      .needed = THREE_PAIRS | COUNTERS | SEQUENCER);

FIXTURE_SETUP(valid)
{
	ETE_NEED_PMU();
	self->attr = pmu_make_attr();
	self->attr.config = variant->config;
	self->attr.config1 = variant->config1;
}

FIXTURE_TEARDOWN(valid)
{
}

TEST_F(valid, is_opened)
{
	const char *missing = missing_capability(variant->needed);
	const int fd = pmu_open(&self->attr, 0, -1);

	if (ete_in_tree && fd < 0)
		XFAIL(return, "the in-tree driver refuses it: %s", strerror(errno));
	if (!missing || ete_in_tree) {
		EXPECT_LE(0, fd);
		return;
	}
	EXPECT_EQ(-1, fd) TH_LOG("the trace units lack %s", missing);
	EXPECT_EQ(EOPNOTSUPP, errno);
	EXPECT_TRUE(refusal_has_reason(&self->attr));
}

/* Each value that means nothing, by itself */
FIXTURE(invalid) {
	struct perf_event_attr attr;
};

FIXTURE_VARIANT(invalid) {
	__u64 config;
	__u64 config1;
	__u64 config2;
};

#define INVALID(name, ...) FIXTURE_VARIANT_ADD(invalid, name) { __VA_ARGS__ }

INVALID(preset, .config = 1);
INVALID(last_preset, .config = ARM_ETE_PMU_MASK(preset));
INVALID(sinkid, .config2 = 1);
INVALID(configid, .config2 = 1ULL << ARM_ETE_PMU_SHIFT(configid));
INVALID(threshold_without_cycles, .config1 = CONFIG1(deprecated_cc_threshold, 256));
INVALID(threshold_below_the_minimum, .config = ARM_ETE_PMU_MASK(cycacc),
	.config1 = CONFIG1(deprecated_cc_threshold, 1));
INVALID(strobing_without_an_end, .config1 = CONFIG1(strobe_on, 1));
INVALID(strobing_without_a_beginning, .config1 = CONFIG1(strobe_off, 1));

FIXTURE_SETUP(invalid)
{
	ETE_NEED_PMU();
	self->attr = pmu_make_attr();
	self->attr.config = variant->config;
	self->attr.config1 = variant->config1;
	self->attr.config2 = variant->config2;
}

FIXTURE_TEARDOWN(invalid)
{
}

/* TRCIDR3.CCITMIN: of all trace units the greatest, as an event of a thread may come to each */
static unsigned int minimum_threshold(void)
{
	unsigned int cpu, cpus = (unsigned int)sysconf(_SC_NPROCESSORS_CONF), greatest = 0;

	for (cpu = 0; cpu < cpus; cpu++) {
		char name[64], line[32];
		unsigned int minimum;

		snprintf(name, sizeof(name), "cpu%u/trcidr/trcidr3", cpu);
		pmu_read(name, line, sizeof(line));
		minimum = strtoul(line, NULL, 0) & 0xfff;
		if (minimum > greatest)
			greatest = minimum;
	}
	return greatest;
}

TEST_F(invalid, is_refused)
{
	int fd;

	if (variant->config & ARM_ETE_PMU_MASK(cycacc))
		ETE_NEED(minimum_threshold() > 1, "TRCIDR3.CCITMIN of the trace unit is 1");
	fd = pmu_open(&self->attr, 0, -1);
	if (ete_in_tree && (fd >= 0 || errno != EINVAL))
		XFAIL(return, "the in-tree driver does not refuse it with EINVAL");
	EXPECT_EQ(-1, fd);
	EXPECT_EQ(EINVAL, errno);
	if (!ete_in_tree)
		EXPECT_TRUE(refusal_has_reason(&self->attr));
}

TEST(the_threshold_of_cycle_counts_has_a_minimum)
{
	struct perf_event_attr attr = pmu_make_attr();
	unsigned int minimum;

	ETE_NEED_PMU();
	ETE_OURS_ONLY("has another field for it since Linux 6.7");
	attr = pmu_make_attr();
	attr.config = ARM_ETE_PMU_MASK(cycacc);
	minimum = minimum_threshold();
	ETE_NEED(minimum, "the trace units have no cycle counts, or TRCIDR3.CCITMIN is not shown");
	attr.config1 = CONFIG1(deprecated_cc_threshold, minimum);
	EXPECT_LE(0, pmu_open(&attr, 0, -1));
	ETE_NEED(minimum > 1, "TRCIDR3.CCITMIN of the trace units is 1");
	attr.config1 = CONFIG1(deprecated_cc_threshold, minimum - 1);
	EXPECT_EQ(-1, pmu_open(&attr, 0, -1));
	EXPECT_EQ(EINVAL, errno);
}

/* Each bit that means nothing, by itself */
TEST(reserved_bits_are_refused)
{
	struct perf_event_attr attr = pmu_make_attr();
	int bit;

	ETE_NEED_PMU();
	ETE_OURS_ONLY("accepts reserved bits");
	attr = pmu_make_attr();
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
	if (ete_in_tree && fd >= 0 && !pmu_kernel_at_el2())
		XFAIL(return, "the in-tree driver opens it, and traces none");
	if (pmu_kernel_at_el2() && !missing_capability(VIRTUAL_CONTEXT)) {
		EXPECT_LE(0, fd);
		return;
	}
	EXPECT_EQ(-1, fd);
	EXPECT_EQ(pmu_kernel_at_el2() ? EOPNOTSUPP : EINVAL, errno);
	EXPECT_TRUE(ete_in_tree || refusal_has_reason(&self->attr));
}

TEST_F(open, an_event_of_nothing_is_refused)
{
	ETE_OURS_ONLY("opens it");
	self->attr.exclude_user = 1;
	EXPECT_EQ(-1, pmu_open(&self->attr, 0, -1));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_TRUE(refusal_has_reason(&self->attr));
}

TEST_F(open, guests_only_is_refused)
{
	ETE_OURS_ONLY("opens it");
	self->attr.exclude_host = 1;
	EXPECT_EQ(-1, pmu_open(&self->attr, 0, -1));
	EXPECT_EQ(EOPNOTSUPP, errno);
}

TEST_F(open, a_cpu_that_does_not_exist_is_refused)
{
	EXPECT_EQ(-1, pmu_open(&self->attr, -1, 1 << 20));
}

TEST_F(open, no_branch_stack)
{
	ETE_OURS_ONLY("opens it");
	self->attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
	self->attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
	EXPECT_EQ(-1, pmu_open(&self->attr, 0, -1));
	EXPECT_EQ(EOPNOTSUPP, errno);
}

/*
 * The bits of the flags of struct perf_event_attr, by number, which <linux/perf_event.h> has as bit fields
 */
#define FLAG_EXCLUDE_USER 4
#define FLAG_EXCLUDE_IDLE 7
#define FLAG_FREQ 10
#define FLAG_PRECISE_IP 15
#define FLAG_EXCLUDE_HOST 19
#define FLAG_SIGTRAP 37
/* Bits from this one on are reserved, or were added after this test was written. */
#define FLAG_UNKNOWN 40

/* What perf's core does by itself with the flag, or what the driver does not do anyway */
static bool is_flag_refused(unsigned int bit)
{
	switch (bit) {
	case FLAG_EXCLUDE_USER:
	case FLAG_EXCLUDE_IDLE:
	case FLAG_FREQ:
	case FLAG_PRECISE_IP:
	case FLAG_PRECISE_IP + 1:
	case FLAG_EXCLUDE_HOST:
	case FLAG_SIGTRAP:
		return true;
	}
	return bit >= FLAG_UNKNOWN;
}

static uint64_t *attr_flags(struct perf_event_attr *attr)
{
	return (uint64_t *)(void *)((char *)attr + offsetof(struct perf_event_attr, read_format) + 8);
}

TEST(each_flag_is_used_or_refused)
{
	struct perf_event_attr attr = pmu_make_attr();
	unsigned int bit;

	ETE_NEED_PMU();
	ETE_OURS_ONLY("accepts flags that it does not use");
	for (bit = 0; bit < 64; bit++) {
		int fd;

		attr = pmu_make_attr();
		*attr_flags(&attr) ^= 1ULL << bit;
		/* sigtrap is refused by perf's core without it */
		attr.remove_on_exec |= bit == FLAG_SIGTRAP;
		fd = pmu_open(&attr, 0, -1);
		if (is_flag_refused(bit))
			EXPECT_EQ(-1, fd) TH_LOG("flag %u", bit);
		if (fd >= 0)
			close(fd);
	}
	attr = pmu_make_attr();
	attr.exclude_idle = 1;
	EXPECT_EQ(-1, pmu_open(&attr, 0, -1));
	EXPECT_EQ(EOPNOTSUPP, errno);
}

/* Where struct perf_event_attr had its end in Linux 6.3: config4 is there, or what comes after it */
#define ATTR_CONFIG4 136
#define ATTR_LARGEST 256

TEST(each_word_of_the_attributes_is_used_or_refused)
{
	struct {
		struct perf_event_attr attr;
		char more[ATTR_LARGEST];
	} longer;
	size_t at;

	ETE_NEED_PMU();
	ETE_OURS_ONLY("accepts words that it does not use");
	for (at = ATTR_CONFIG4; at < ATTR_LARGEST; at += sizeof(uint64_t)) {
		memset(&longer, 0, sizeof(longer));
		longer.attr = pmu_make_attr();
		longer.attr.size = at + sizeof(uint64_t);
		((char *)&longer)[at] = 1;
		EXPECT_EQ(-1, pmu_open(&longer.attr, 0, -1)) TH_LOG("the word at %zu", at);
	}
	longer.attr = pmu_make_attr();
	longer.attr.bp_type = 1;
	EXPECT_EQ(-1, pmu_open(&longer.attr, 0, -1));
	EXPECT_EQ(EINVAL, errno);
}

#include "ete_main.h"
