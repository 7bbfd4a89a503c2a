// SPDX-License-Identifier: GPL-2.0-only
/*
 * hwflow-hwcheck - a verdict on the trace units and trace buffers of the machine that it is executed on.
 *
 * It needs neither perf nor a compiler nor a network. Documentation/testing.rst describes it; the numbers in brackets
 * are questions of Documentation/open-questions.rst.
 */
#include <errno.h>
#include <getopt.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "hwcheck.h"

#define SECONDS 600
#define SECONDS_QUICK 20

static const char usage[] =
	"usage: hwflow-hwcheck [OPTION]...\n"
	"A verdict on this machine's trace units (ETE) and trace buffers (TRBE), as text on standard output.\n"
	"Run it as root, with arm_ete_pmu or the in-tree coresight driver loaded, on an otherwise idle machine.\n"
	"\n"
	"  -j, --json FILE     write the report as JSON, too\n"
	"  -s, --seconds N     time for all checks together (default: 600)\n"
	"  -q, --quick         the same as --seconds 20\n"
	"  -c, --cpu N         CPU to measure (default: the first one with a trace unit)\n"
	"  -d, --driver NAME   arm_ete_pmu or coresight: the driver that must be loaded (default: either)\n"
	"  -C, --compare FILE  JSON report about the other driver on this machine: its losses and its cost of a switch are\n"
	"                      printed below those of this driver\n"
	"  -b, --barriers      leave out each barrier of the driver on purpose. The machine may crash, and files may be\n"
	"                      damaged. Needs a module that was built with HWFLOW_HWCHECK=y\n"
	"  -h, --help          print this text\n"
	"\n"
	"Exit status: 0 nothing is wrong, 1 the report has findings, 2 wrong usage, 4 there is nothing to check.\n"
	"Mail both reports; they name the kernel and the processor, and no other program of the machine.\n";

struct options {
	const char *json;
	const char *driver;
	const char *compare;
	int cpu;
	unsigned int seconds;
	bool barriers;
};

/* A number from 0 to @most, or the program ends */
static unsigned int parse_number(const char *option, const char *text, unsigned int most)
{
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(text, &end, 10);
	if (errno || end == text || *end || *text == '-' || value > most) {
		fprintf(stderr, "hwflow-hwcheck: %s %s: give a number from 0 to %u\n", option, text, most);
		exit(2);
	}
	return (unsigned int)value;
}

static void read_options(struct options *options, int argc, char **argv)
{
	static const struct option names[] = {
		{ "json", required_argument, NULL, 'j' },   { "seconds", required_argument, NULL, 's' },
		{ "quick", no_argument, NULL, 'q' },	    { "cpu", required_argument, NULL, 'c' },
		{ "driver", required_argument, NULL, 'd' }, { "barriers", no_argument, NULL, 'b' },
		{ "help", no_argument, NULL, 'h' },	    { "compare", required_argument, NULL, 'C' },
		{ 0 },
	};
	int option;

	*options = (struct options){ .seconds = SECONDS, .cpu = -1, .driver = getenv("ARM_ETE_DRIVER") };
	while ((option = getopt_long(argc, argv, "j:s:qc:d:C:bh", names, NULL)) != -1) {
		if (option == 'j')
			options->json = optarg;
		else if (option == 's')
			options->seconds = parse_number("--seconds", optarg, 86400);
		else if (option == 'q')
			options->seconds = SECONDS_QUICK;
		else if (option == 'c')
			options->cpu = (int)parse_number("--cpu", optarg, CPU_SETSIZE - 1);
		else if (option == 'd')
			options->driver = optarg;
		else if (option == 'C')
			options->compare = optarg;
		else if (option == 'b')
			options->barriers = true;
		else if (option == 'h' && printf("%s", usage))
			exit(0);
		else
			exit(2);
	}
	if (options->driver && strcmp(options->driver, "coresight") &&
	    strcmp(options->driver, "arm_ete_pmu")) {
		fprintf(stderr, "hwflow-hwcheck: --driver %s: the drivers are arm_ete_pmu and coresight\n",
			options->driver);
		exit(2);
	}
	if (optind < argc) {
		fprintf(stderr, "hwflow-hwcheck: %s: there are options only; see --help\n", argv[optind]);
		exit(2);
	}
}

/* Find the PMU and the CPU; the program ends if there is nothing to check */
static void begin(struct hwcheck *check, const struct options *options)
{
	const int error = record_find_pmu(&check->pmu, NULL);
	const char *driver = check->pmu.in_tree ? "coresight" : "arm_ete_pmu";
	const char *reason;

	if (error) {
		printf("hwflow-hwcheck: there is no PMU %s: load arm_ete_pmu, or the in-tree coresight "
		       "modules; hwflow doctor finds out what is missing\n",
		       check->pmu.name);
		exit(4);
	}
	if (options->driver && strcmp(options->driver, driver)) {
		printf("hwflow-hwcheck: driver %s: not present; the PMU %s is that of %s\n", options->driver,
		       check->pmu.name, driver);
		exit(4);
	}
	check->cpu = options->cpu < 0 ? check->pmu.units[0].cpu : options->cpu;
	if (!record_find_unit(&check->pmu, check->cpu) || !hwcheck_pin(check->cpu)) {
		fprintf(stderr, "hwflow-hwcheck: --cpu %d: the CPU is offline or has no trace unit\n",
			check->cpu);
		exit(2);
	}
	reason = options->compare ? hwcheck_compare_open(check, options->compare) : NULL;
	if (reason) {
		fprintf(stderr, "hwflow-hwcheck: --compare %s: %s\n", options->compare, reason);
		exit(2);
	}
	check->seconds = options->seconds;
	check->barriers = options->barriers;
	check->root = !geteuid();
	if (check->root && access(HWCHECK_STATS, F_OK))
		mount("debugfs", "/sys/kernel/debug", "debugfs", 0, NULL);
	check->stats = !access(HWCHECK_STATS, F_OK);
}

static void write_json(const struct hwcheck *check, const char *path)
{
	FILE *file = fopen(path, "w");

	if (file)
		report_json(&check->report, file);
	if (!file || ferror(file) || fclose(file)) {
		fprintf(stderr, "hwflow-hwcheck: %s: %s\n", path, strerror(errno));
		exit(2);
	}
}

static void run_checks(struct hwcheck *check)
{
	check_trigger(check);
	check_snapshot(check);
	check_rates(check);
	check_timestamps(check);
	check_losses(check);
	check_switches(check);
	check_idle(check);
	check_full(check);
	check_barriers(check);
}

int main(int argc, char **argv)
{
	struct hwcheck check = { 0 };
	struct options options;
	bool findings;

	read_options(&options, argc, argv);
	begin(&check, &options);
	check_identity(&check);
	check_errata(&check);
	check_statistics(&check, false);
	if (check_first(&check))
		run_checks(&check);
	check_statistics(&check, true);
	report_text(&check.report, stdout);
	if (options.json)
		write_json(&check, options.json);
	findings = report_findings(&check.report);
	hwcheck_compare_close(&check);
	report_free(&check.report);
	record_free_pmu(&check.pmu);
	return findings ? 1 : 0;
}
