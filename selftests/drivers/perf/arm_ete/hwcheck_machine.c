// SPDX-License-Identifier: GPL-2.0-only
/* Identification registers of the machine, and errata by MIDR_EL1. */
#include "hwcheck.h"

#include <inttypes.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "kselftest.h"

#define PMU_FILE "/sys/bus/event_source/devices/%s/cpu%d/%s"
#define NR_IDR 14

/* Implementer and part number; variant and revision are 0xVR */
#define PE(implementer, part) ((implementer) << 24 | (part) << 4)
#define PE_MASK 0xff00fff0u

static const struct {
	uint32_t pe;
	const char *name;
} processors[] = {
	{ PE(0x41u, 0xd46u), "Cortex-A510" },  { PE(0x41u, 0xd47u), "Cortex-A710" },
	{ PE(0x41u, 0xd48u), "Cortex-X2" },    { PE(0x41u, 0xd49u), "Neoverse N2" },
	{ PE(0x41u, 0xd4du), "Cortex-A715" },  { PE(0x41u, 0xd4eu), "Cortex-X3" },
	{ PE(0x41u, 0xd4fu), "Neoverse V2" },  { PE(0x41u, 0xd80u), "Cortex-A520" },
	{ PE(0x41u, 0xd81u), "Cortex-A720" },  { PE(0x41u, 0xd82u), "Cortex-X4" },
	{ PE(0x41u, 0xd84u), "Neoverse V3" },  { PE(0x41u, 0xd8eu), "Neoverse N3" },
	{ PE(0x6du, 0xd49u), "Azure Cobalt 100" },
};

/*
 * Errata of trace buffers in Documentation/arch/arm64/silicon-errata.rst and arch/arm64/Kconfig of Linux: the last
 * variant and revision that has it, 0xff for all, and the driver's bit for the workaround, of its file errata.
 */
static const struct {
	uint32_t pe;
	uint32_t last;
	uint32_t number;
	uint32_t bit;
	const char *effect;
} errata[] = {
	{ PE(0x41u, 0xd46u), 0x01, 1902691, 0x20, "trace is corrupt; there is no workaround" },
	{ PE(0x41u, 0xd46u), 0x02, 2038923, 0x10, "trace is corrupt soon after the buffer is enabled" },
	{ PE(0x41u, 0xd46u), 0x02, 2064142, 0x08, "register writes are ignored after disabling" },
	{ PE(0x41u, 0xd47u), 0xff, 2054223, 0x04, "TSB CSYNC may not flush trace" },
	{ PE(0x41u, 0xd47u), 0xff, 2119858, 0x01, "a full buffer is overwritten at its base" },
	{ PE(0x41u, 0xd47u), 0xff, 2224489, 0x02, "trace may be written behind the limit" },
	{ PE(0x41u, 0xd48u), 0x20, 2119858, 0x01, "a full buffer is overwritten at its base" },
	{ PE(0x41u, 0xd48u), 0x20, 2224489, 0x02, "trace may be written behind the limit" },
	{ PE(0x41u, 0xd49u), 0xff, 2067961, 0x04, "TSB CSYNC may not flush trace" },
	{ PE(0x41u, 0xd49u), 0xff, 2139208, 0x01, "a full buffer is overwritten at its base" },
	{ PE(0x41u, 0xd49u), 0xff, 2253138, 0x02, "trace may be written behind the limit" },
	{ PE(0x6du, 0xd49u), 0xff, 2067961, 0x04, "TSB CSYNC may not flush trace" },
	{ PE(0x6du, 0xd49u), 0xff, 2139208, 0x01, "a full buffer is overwritten at its base" },
	{ PE(0x6du, 0xd49u), 0xff, 2253138, 0x02, "trace may be written behind the limit" },
};

static uint64_t read_midr(int cpu)
{
	return hwcheck_number("/sys/devices/system/cpu/cpu%d/regs/identification/midr_el1", cpu);
}

static const char *processor(uint64_t midr)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(processors); i++)
		if ((midr & PE_MASK) == processors[i].pe)
			return processors[i].name;
	return "unknown";
}

/* The registers of a CPU: keys end with its number */
static void add_cpu(struct hwcheck *check, int cpu)
{
	const uint64_t midr = read_midr(cpu);
	const uint64_t trbidr = hwcheck_number(HWCHECK_STATS "/cpu%d/trbidr", cpu);
	char key[48], label[64], file[32];
	int n;

	snprintf(key, sizeof(key), "midr_%d", cpu);
	snprintf(label, sizeof(label), "cpu%d MIDR_EL1 (%s r%up%u)", cpu, processor(midr),
		 (unsigned int)(midr >> 20 & 0xf), (unsigned int)(midr & 0xf));
	if (midr != UINT64_MAX)
		report_hex(&check->report, key, label, midr);
	snprintf(key, sizeof(key), "trbidr_%d", cpu);
	snprintf(label, sizeof(label), "cpu%d TRBIDR_EL1", cpu);
	if (trbidr != UINT64_MAX)
		report_hex(&check->report, key, label, trbidr);
	for (n = -2; n < NR_IDR; n++) {
		uint64_t value;

		if (n == -2)
			snprintf(file, sizeof(file), "mgmt/trcdevarch");
		else if (n == -1)
			snprintf(file, sizeof(file), "mgmt/trcauthstatus");
		else
			snprintf(file, sizeof(file), "trcidr/trcidr%d", n);
		value = hwcheck_number(PMU_FILE, check->pmu.name, cpu, file);
		if (value == UINT64_MAX)
			continue;
		snprintf(key, sizeof(key), "%s_%d", strchr(file, '/') + 1, cpu);
		snprintf(label, sizeof(label), "cpu%d %s", cpu, strchr(file, '/') + 1);
		/* the text has the first CPU of a kind only */
		report_hex(&check->report, key, cpu == check->cpu ? label : NULL, value);
	}
}

/* What TRBIDR_EL1 of the measured CPU says, in words */
static void add_buffer(struct hwcheck *check)
{
	static const char *const aborts[] = { "not said", "ignored", "SError", "reserved" };
	const uint64_t trbidr = hwcheck_number(HWCHECK_STATS "/cpu%d/trbidr", check->cpu);

	if (trbidr == UINT64_MAX)
		return;
	report_uint(&check->report, "align", "alignment of the write pointer (TRBIDR_EL1.Align)", "bytes",
		    1ULL << (trbidr & 0xf));
	report_uint(&check->report, "flag_updates", "updates the Access flag (TRBIDR_EL1.F)", "",
		    trbidr >> 5 & 1);
	report_string(&check->report, "external_aborts", "External aborts (TRBIDR_EL1.EA)", "%s",
		      aborts[trbidr >> 8 & 3]);
}

/**
 * check_identity() - the machine, its kernel, and the identification registers of each CPU
 * @check: the machine
 */
void check_identity(struct hwcheck *check)
{
	struct utsname name = { 0 };
	size_t i;

	uname(&name);
	report_section(&check->report, "identity", "Identification", "");
	report_string(&check->report, "kernel", "kernel", "%s", name.release);
	report_string(&check->report, "driver", "driver", "%s",
		      check->pmu.in_tree ? "coresight" : "arm_ete_pmu");
	report_uint(&check->report, "trace_units", "CPUs with a trace unit", "", check->pmu.unit_count);
	report_uint(&check->report, "cpu", "CPU that is measured", "", (uint64_t)check->cpu);
	report_uint(&check->report, "seconds", "time for all checks", "s", check->seconds);
	report_uint(&check->report, "page", NULL, "bytes", (uint64_t)getpagesize());
	for (i = 0; i < check->pmu.unit_count; i++)
		add_cpu(check, check->pmu.units[i].cpu);
	add_buffer(check);
	if (!check->root)
		report_finding(&check->report, "not-root",
			       "hwflow-hwcheck is not run as root: checks that need the driver's statistics, tracepoints or events of a CPU are left out.");
	else if (!check->stats && !check->pmu.in_tree)
		report_finding(&check->report, "no-debugfs",
			       "there is no " HWCHECK_STATS ": mount -t debugfs debugfs /sys/kernel/debug");
}

/* An erratum that a CPU has by its MIDR_EL1; returns whether the driver handles it */
static bool add_erratum(struct hwcheck *check, int cpu, size_t row)
{
	const uint64_t bits = hwcheck_number(HWCHECK_STATS "/cpu%d/errata", cpu);
	const bool known = bits != UINT64_MAX;
	const bool done = known && bits & errata[row].bit;
	char key[48], label[64];

	snprintf(key, sizeof(key), "erratum_%u_%d", errata[row].number, cpu);
	snprintf(label, sizeof(label), "cpu%d erratum %u", cpu, errata[row].number);
	report_string(&check->report, key, label, "%s: %s", errata[row].effect,
		      !known ? "workaround unknown" :
		      done ? "the driver works around it" : "no workaround in this driver");
	return !known || done;
}

/**
 * check_errata() - errata of each CPU's trace buffer by MIDR_EL1, and what the driver does about them
 * @check: the machine
 */
void check_errata(struct hwcheck *check)
{
	unsigned int found = 0, open = 0, forced = 0;
	size_t i, row;

	report_section(&check->report, "errata", "Errata by MIDR_EL1", "H1");
	for (i = 0; i < check->pmu.unit_count; i++) {
		const int cpu = check->pmu.units[i].cpu;
		const uint64_t midr = read_midr(cpu);
		const uint64_t bits = hwcheck_number(HWCHECK_STATS "/cpu%d/errata", cpu);
		const uint32_t revision = (uint32_t)((midr >> 16 & 0xf0) | (midr & 0xf));
		const unsigned int before = found;

		for (row = 0; row < ARRAY_SIZE(errata); row++)
			if ((midr & PE_MASK) == errata[row].pe && revision <= errata[row].last) {
				found++;
				open += !add_erratum(check, cpu, row);
			}
		forced += found == before && bits != UINT64_MAX && bits;
	}
	report_uint(&check->report, "known", "known errata, of all CPUs together", "", found);
	report_uint(&check->report, "without_workaround", "of these without a workaround", "", open);
	report_uint(&check->report, "forced", NULL, "", forced);
	if (open)
		report_finding(&check->report, "erratum-without-workaround",
			       "the processor has an erratum that the driver does not work around, or its module was built before it was known.");
	report_verdict(&check->report, "%s",
		       !found ? "no erratum of a trace buffer is known of these processors" :
		       open ? "recordings may be wrong" : "all known errata are worked around");
}
