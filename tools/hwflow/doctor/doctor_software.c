// SPDX-License-Identifier: GPL-2.0-only
/* hwflow doctor: drivers, and what keeps them from being loaded. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor.h"

#define PLATFORM "sys/bus/platform/devices"
#define MODULE   "arm_ete_pmu"

static const char remedy_install[] =
	"In the source tree of hwflow: make install-module; dkms install arm-ete-pmu/VERSION; "
	"modprobe arm_ete_pmu. Or load the in-tree driver: modprobe coresight-etm4x; modprobe "
	"coresight-trbe.";

bool doctor_has_module(const struct doctor *doctor, const char *name)
{
	return machine_exists(&doctor->machine, "sys/module/%s", name);
}

const struct pmu *doctor_pmu(const struct doctor *doctor)
{
	for (size_t i = 0; i < doctor->pmu_count; i++) {
		const struct pmu *pmu = &doctor->pmus[i];

		if (pmu->unit_count && (pmu->driver == PMU_OURS || *pmu->sinks))
			return pmu;
	}
	return NULL;
}

bool doctor_argument(const struct doctor *doctor, const char *argument)
{
	char *line = machine_read(&doctor->machine, NULL, "proc/cmdline"), *rest = line, *word;
	bool found = false;

	while (rest && !found && (word = strsep(&rest, " \n")))
		found = !strcmp(word, argument);
	free(line);
	return found;
}

/* The driver that is bound to trace buffers, or ""; false if it cannot be known */
static bool find_bound(const struct machine *machine, char *driver, size_t size)
{
	char **names, alias[512];
	size_t count;

	*driver = '\0';
	names = machine_names(machine, &count, PLATFORM);
	if (!names)
		return false;
	for (size_t i = 0; i < count && !*driver; i++) {
		machine_word(machine, alias, sizeof(alias), PLATFORM "/%s/modalias", names[i]);
		if (strstr(alias, "Carm,trace-buffer-extension") ||
		    !strncmp(names[i], "arm,trbe", 8))
			machine_link(machine, driver, size, PLATFORM "/%s/driver", names[i]);
	}
	free(names);
	return true;
}

/* A PMU of the in-tree driver without a trace unit, or without a sink */
static bool check_remains(struct doctor *doctor)
{
	for (size_t i = 0; i < doctor->pmu_count; i++) {
		const struct pmu *pmu = &doctor->pmus[i];

		if (pmu->driver == PMU_OURS || doctor_pmu(doctor) == pmu)
			continue;
		doctor_say(doctor, CHECK_IN_TREE, DOCTOR_FAULT, DOCTOR_REMEDY_CHANGE_OVER,
			   "the in-tree driver has the PMU %s, but %s", pmu->name,
			   pmu->unit_count ? "no sink: coresight-trbe is not loaded"
					   : "no trace unit");
		return true;
	}
	return false;
}

void doctor_in_tree(struct doctor *doctor)
{
	const struct pmu *pmu = doctor_pmu(doctor);
	char driver[64];
	bool readable = find_bound(&doctor->machine, driver, sizeof(driver));
	bool bound = *driver && strcmp(driver, MODULE) != 0;

	/* this project's driver was loaded, and could not be bound */
	if (bound && doctor_has_module(doctor, MODULE))
		doctor_say(doctor, CHECK_IN_TREE, DOCTOR_FAULT, DOCTOR_REMEDY_CHANGE_OVER,
			   "arm_ete_pmu is loaded, but the in-tree driver %s is bound to the trace "
			   "buffers",
			   driver);
	else if (check_remains(doctor))
		return;
	else if (pmu && pmu->driver == PMU_IN_TREE)
		doctor_say(
			doctor, CHECK_IN_TREE, DOCTOR_WARNING, DOCTOR_REMEDY_CHANGE_OVER,
			"the in-tree driver records; it loses trace between a full buffer and its "
			"interrupt");
	else if (bound)
		doctor_say(doctor, CHECK_IN_TREE, DOCTOR_FAULT, DOCTOR_REMEDY_CHANGE_OVER,
			   "the in-tree driver %s is bound to the trace buffers, but has no PMU",
			   driver);
	else if (readable)
		doctor_say(doctor, CHECK_IN_TREE, DOCTOR_OK, NULL,
			   "not bound to the trace buffers");
}

/* Whether a list of modules, as depmod makes it, has this project's; its path in @path */
static bool find_module(const struct machine *machine, const char *release, char *path, size_t size)
{
	char *list = machine_read(machine, NULL, "lib/modules/%s/modules.dep", release);
	char *at = list ? strstr(list, MODULE ".ko") : NULL;
	bool found = at != NULL;

	if (found) {
		while (at > list && at[-1] != '\n')
			at--;
		snprintf(path, size, "lib/modules/%s/%.*s", release, (int)strcspn(at, ":\n"), at);
	}
	free(list);
	return found;
}

/* Another kernel that the module is installed for */
static bool find_other(const struct doctor *doctor, char *release, size_t size)
{
	char path[512], **names;
	bool found = false;
	size_t count;

	names = machine_names(&doctor->machine, &count, "lib/modules");
	for (size_t i = 0; i < count && !found; i++) {
		found = strcmp(names[i], doctor->release) &&
			find_module(&doctor->machine, names[i], path, sizeof(path));
		if (found)
			snprintf(release, size, "%s", names[i]);
	}
	free(names);
	return found;
}

/* A module ends with this line if it is signed and not compressed */
static bool is_unsigned(const struct machine *machine, const char *path)
{
	static const char mark[] = "~Module signature appended~\n";
	const size_t tail = sizeof(mark) - 1, name = strlen(path);
	size_t length = 0;
	char *module;
	bool missing;

	if (name < 3 || strcmp(path + name - 3, ".ko") != 0)
		return false;
	module = machine_read(machine, &length, "%s", path);
	missing = module && (length < tail || memcmp(module + length - tail, mark, tail) != 0);
	free(module);
	return missing;
}

/* none, integrity or confidentiality: the word in brackets; none without lockdown */
static void read_lockdown(const struct machine *machine, char *mode, size_t size)
{
	char line[128], *at;

	machine_word(machine, line, sizeof(line), "sys/kernel/security/lockdown");
	at = strchr(line, '[');
	if (at)
		at[strcspn(at, "]")] = '\0';
	snprintf(mode, size, "%s", at ? at + 1 : "none");
}

static void check_lockdown(struct doctor *doctor, const char *module)
{
	char mode[32];

	read_lockdown(&doctor->machine, mode, sizeof(mode));
	if (!strcmp(mode, "none"))
		doctor_say(doctor, CHECK_LOCKDOWN, DOCTOR_OK, NULL, "none");
	else if (!doctor_pmu(doctor) && *module && is_unsigned(&doctor->machine, module))
		doctor_say(doctor, CHECK_LOCKDOWN, DOCTOR_FAULT, DOCTOR_REMEDY_SIGN,
			   "%s: the kernel loads signed modules only, and /%s is not signed", mode,
			   module);
	else if (!strcmp(mode, "confidentiality"))
		doctor_say(doctor, CHECK_LOCKDOWN, DOCTOR_WARNING,
			   "Boot with lockdown=integrity to record the kernel with --kcore.",
			   "%s: /proc/kcore cannot be read, so the kernel's code is not in a "
			   "recording",
			   mode);
	else
		doctor_say(doctor, CHECK_LOCKDOWN, DOCTOR_OK, NULL, "%s", mode);
}

static void check_installed(struct doctor *doctor, const char *module)
{
	char other[128];

	if (*module)
		doctor_say(doctor, CHECK_DRIVER, DOCTOR_FAULT, "modprobe arm_ete_pmu",
			   "arm_ete_pmu is installed, but not loaded");
	else if (find_other(doctor, other, sizeof(other)))
		doctor_say(doctor, CHECK_DRIVER, DOCTOR_FAULT, DOCTOR_REMEDY_REBUILD,
			   "arm_ete_pmu is installed for Linux %s, and Linux %s runs", other,
			   doctor->release);
	else
		doctor_say(doctor, CHECK_DRIVER, DOCTOR_FAULT, remedy_install,
			   "neither arm_ete_pmu nor the in-tree driver is installed and loaded");
}

void doctor_driver(struct doctor *doctor)
{
	const struct pmu *pmu = doctor_pmu(doctor);
	char module[512] = "", srcversion[64];

	find_module(&doctor->machine, doctor->release, module, sizeof(module));
	check_lockdown(doctor, module);
	machine_word(&doctor->machine, srcversion, sizeof(srcversion),
		     "sys/module/" MODULE "/srcversion");
	if (pmu)
		doctor_say(doctor, CHECK_DRIVER, DOCTOR_OK, NULL, "%s", pmu_driver_name(pmu));
	else if (doctor_has_module(doctor, MODULE))
		doctor_say(doctor, CHECK_DRIVER, DOCTOR_OK, NULL, "arm_ete_pmu is loaded%s%s",
			   *srcversion ? ", srcversion " : "", srcversion);
	else if (doctor_faults(doctor, CHECK_DRIVER))
		doctor_say(doctor, CHECK_DRIVER, DOCTOR_OPEN, NULL,
			   "arm_ete_pmu is not loaded; load it when the fault above is mended");
	else
		check_installed(doctor, module);
	if (pmu)
		doctor_say(doctor, CHECK_PMU, DOCTOR_OK, NULL,
			   "%s; 'hwflow list' prints its capabilities", pmu->name);
	else if (doctor_faults(doctor, CHECK_PMU))
		doctor_say(doctor, CHECK_PMU, DOCTOR_OPEN, NULL,
			   "no PMU records program flow, for the reason above");
	else
		doctor_say(
			doctor, CHECK_PMU, DOCTOR_FAULT,
			"Look for the reason in the kernel's log: dmesg | grep -e arm_ete_pmu -e "
			"coresight -e trbe",
			"no PMU records program flow; %s",
			doctor->log ? "the kernel's log has no reason that is known"
				    : "the kernel's log cannot be read");
}
