// SPDX-License-Identifier: GPL-2.0-only
/* hwflow doctor: why this machine cannot trace, and how to mend each fault. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>

#include "base/error.h"
#include "base/print.h"
#include "commands.h"
#include "doctor/doctor.h"
#include "doctor/machine_options.h"
#include "source/input.h"

static const char usage[] =
	"usage: hwflow doctor [--root=DIR]\n\n"
	"Checks whether this machine can record program flow trace. Each check prints one line;\n"
	"for each fault, the lines after it say how to mend it. The last check traces this\n"
	"command itself for a moment.\n\n"
	"  --root=DIR           examine a copy of another machine's files below DIR (an "
	"sosreport,\n"
	"                       for instance); the kernel's log is DIR/sos_commands/kernel/dmesg,\n"
	"                       DIR/var/log/dmesg or DIR/dmesg; nothing is traced\n"
	"  -h, --help           print this summary\n\n"
	"Exit status: 0 no fault: the machine can trace; 1 wrong command line; 2 DIR cannot be\n"
	"read; 3 a fault.\n";

/* From the kernel's include/linux/syslog.h: read the ring, and its size */
#define LOG_READ_ALL 3
#define LOG_SIZE     10

#define LINE_WIDTH 96
#define NAME_WIDTH 15

static const char *const names[] = {
#define D(check, name) name,
#include "doctor/doctor.def"
};

static const char *const states[] = {
	[DOCTOR_OPEN] = "-",
	[DOCTOR_OK] = "ok",
	[DOCTOR_WARNING] = "warning",
	[DOCTOR_FAULT] = "FAULT",
};

static char *read_own_log(void)
{
	int size = klogctl(LOG_SIZE, NULL, 0), length;
	char *log = size > 0 ? malloc((size_t)size + 1) : NULL;

	if (!log)
		return NULL;
	length = klogctl(LOG_READ_ALL, log, size);
	if (length < 0) {
		free(log);
		return NULL;
	}
	log[length] = '\0';
	return log;
}

static char *read_log(const struct machine *machine)
{
	static const char *const places[] = {"sos_commands/kernel/dmesg", "var/log/dmesg", "dmesg"};
	char *log = NULL;

	if (machine->live)
		return read_own_log();
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && !log; i++)
		log = machine_read(machine, NULL, "%s", places[i]);
	return log;
}

/* In this order: the log explains what the files do not show; then both decide what is missing */
static void examine(struct doctor *doctor)
{
	if (!doctor_architecture(doctor))
		return;
	doctor->pmu_count = pmus_read(&doctor->machine, doctor->pmus);
	doctor->log = read_log(&doctor->machine);
	doctor_kernel(doctor);
	doctor_processors(doctor);
	doctor_firmware(doctor);
	doctor_mapping(doctor);
	doctor_in_tree(doctor);
	doctor_log(doctor);
	doctor_driver(doctor);
	doctor_online(doctor);
	doctor_permission(doctor);
	doctor_memory(doctor);
	doctor_tracefs(doctor);
	doctor_attempt(doctor);
}

/* The words of a remedy, in lines below the text of the finding */
static void print_remedy(const char *remedy)
{
	const int indent = 9 + NAME_WIDTH + 2;
	int column = 0;

	while (*remedy) {
		int length = (int)strcspn(remedy, " ");

		if (column && column + 1 + length > LINE_WIDTH) {
			putchar('\n');
			column = 0;
		}
		column += print(stdout, "%*s%.*s", column ? 1 : indent, "", length, remedy);
		remedy += length;
		remedy += strspn(remedy, " ");
	}
	putchar('\n');
}

static void print_findings(const struct doctor *doctor)
{
	const struct doctor_finding *in_tree = &doctor->findings[CHECK_IN_TREE];
	unsigned int faults = doctor_faults(doctor, CHECKS);

	for (unsigned int check = 0; check < CHECKS; check++) {
		const struct doctor_finding *finding = &doctor->findings[check];

		if (!*finding->text)
			continue;
		print(stdout, "%-8s %-*s  %s\n", states[finding->state], NAME_WIDTH, names[check],
		      finding->text);
		if (finding->state >= DOCTOR_WARNING && finding->remedy)
			print_remedy(finding->remedy);
	}
	/* the in-tree driver may record where this project's driver cannot */
	if (faults)
		print(stdout,
		      "\nThis machine cannot record program flow trace %sas it is: %u fault%s.\n",
		      doctor_pmu(doctor) && in_tree->state == DOCTOR_FAULT ? "with arm_ete_pmu "
									   : "",
		      faults, faults == 1 ? "" : "s");
	else if (doctor_pmu(doctor))
		print(stdout,
		      "\nThis machine can record program flow trace: hwflow record -- PROGRAM\n");
}

static int run(const struct machine *machine)
{
	struct doctor *doctor = calloc(1, sizeof(*doctor));
	int status;

	if (!doctor) {
		print(stderr, "hwflow doctor: out of memory\n");
		return EXIT_UNREADABLE;
	}
	doctor->machine = *machine;
	examine(doctor);
	print_findings(doctor);
	status = doctor_faults(doctor, CHECKS) ? EXIT_GAPS : EXIT_GOOD;
	free(doctor->log);
	free(doctor);
	return status;
}

int cmd_doctor(int argc, char **argv)
{
	static const struct machine_verb verb = {.name = "doctor", .usage = usage};
	struct machine machine;
	int status = machine_parse(&verb, argc, argv, &machine);

	if (status)
		return status < 0 ? EXIT_GOOD : status;
	status = run(&machine);
	machine_close(&machine);
	return status;
}
