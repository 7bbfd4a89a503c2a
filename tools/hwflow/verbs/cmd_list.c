// SPDX-License-Identifier: GPL-2.0-only
/* hwflow list: what this machine can trace. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/print.h"
#include "commands.h"
#include "doctor/list.h"
#include "doctor/machine_options.h"
#include "source/input.h"

static const char usage[] =
	"usage: hwflow list [--json] [--root=DIR]\n\n"
	"Prints what this machine can trace: the PMUs that record program flow, their CPUs, the\n"
	"capabilities of the trace units, and the options of an event, as in perf record -e\n"
	"cs_etm/OPTION/.\n\n"
	"  --json               print JSON\n"
	"  --root=DIR           read a copy of another machine's files below DIR\n"
	"  -h, --help           print this summary\n\n"
	"Exit status: 0 success; 1 wrong command line; 2 DIR cannot be read; 3 this machine has "
	"no\n"
	"such PMU.\n";

static void print_unit(const struct pmu *pmu, const struct pmu_unit *unit)
{
	const struct list_capability *capability;
	char text[MACHINE_CPUS_TEXT];

	print(stdout, "\n%s: ", machine_cpus_text(&unit->cpus, text));
	print(stdout, "%s\n", pmu_unit_architecture(unit, text, sizeof(text)));
	print(stdout, "  %-46s%s\n", "clock of timestamps", list_time(pmu, unit));
	for (size_t i = 0; (capability = list_capability(i)); i++) {
		const uint64_t value = list_value(capability, unit);

		if (capability->kind == FLAG)
			print(stdout, "  %-46s%s\n", capability->label, value ? "yes" : "no");
		else
			print(stdout, "  %-46s%" PRIu64 "\n", capability->label, value);
	}
}

static void print_options(const struct machine *machine, const struct pmu *pmu)
{
	struct list_option option;
	char **names;
	size_t count;

	names = machine_names(machine, &count, PMU_DEVICES "/%s/format", pmu->name);
	print(stdout, "\nOptions of an event, as in perf record -e %s/OPTION,OPTION=VALUE/:\n",
	      pmu->name);
	for (size_t i = 0; i < count; i++) {
		list_option(machine, pmu, names[i], &option);
		print(stdout, "  %-18s%-16s%s%s\n", option.name, option.bits,
		      option.obstacle ? "not possible: " : "",
		      option.obstacle ? option.obstacle : option.text);
	}
	free(names);
}

static void print_pmu(const struct machine *machine, const struct pmu *pmu)
{
	char text[MACHINE_CPUS_TEXT], version[128];
	struct machine_cpus cpus;

	list_cpus(machine, pmu, &cpus);
	machine_word(machine, version, sizeof(version), "sys/module/arm_ete_pmu/srcversion");
	print(stdout, "PMU %s, type %u\n", pmu->name, pmu->type);
	print(stdout, "  %-20s%s%s%s\n", "driver", pmu_driver_name(pmu),
	      pmu->driver == PMU_OURS && *version ? ", srcversion " : "",
	      pmu->driver == PMU_OURS ? version : "");
	print(stdout, "  %-20s%s\n", "traced", machine_cpus_text(&cpus, text));
	print(stdout, "  %-20s%s\n", "buffer", list_buffer(pmu, text, sizeof(text)));
	print(stdout, "  %-20s%s\n", "snapshots", "yes");
	print(stdout, "  %-20s%u for each event\n", "address filters", pmu->filters);
	for (size_t i = 0; i < pmu->unit_count; i++)
		print_unit(pmu, &pmu->units[i]);
	print_options(machine, pmu);
}

static int list(const struct machine *machine, bool json)
{
	struct pmu *pmus = calloc(PMUS, sizeof(*pmus));
	bool printed = true;
	size_t count;

	if (!pmus) {
		print(stderr, "hwflow list: out of memory\n");
		return EXIT_UNREADABLE;
	}
	count = pmus_read(machine, pmus);
	if (json)
		printed = list_json(machine, pmus, count);
	for (size_t i = 0; i < count && !json; i++) {
		if (i)
			putchar('\n');
		print_pmu(machine, &pmus[i]);
	}
	free(pmus);
	if (!printed) {
		print(stderr, "hwflow list: out of memory\n");
		return EXIT_UNREADABLE;
	}
	if (count)
		return EXIT_GOOD;
	if (!json)
		puts("No PMU of this machine records program flow that hwflow decodes.\n"
		     "'hwflow doctor' prints the reason and the remedy. 'hwflow emulate -o FILE -- "
		     "PROGRAM'\n"
		     "records an arm64 or riscv64 program without trace hardware.");
	return EXIT_GAPS;
}

int cmd_list(int argc, char **argv)
{
	bool json = false;
	const struct machine_verb verb = {"list", usage, &json};
	struct machine machine;
	int status = machine_parse(&verb, argc, argv, &machine);

	if (status)
		return status < 0 ? EXIT_GOOD : status;
	status = list(&machine, json);
	machine_close(&machine);
	return status;
}
