// SPDX-License-Identifier: GPL-2.0-only
/* The PMUs of a machine that record program flow, and the trace units that they use. */
#include "machine_pmu.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/arm_ete_pmu.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

/* TRCDEVARCH: ARCHPART, and ARCHVER of ETE and of ETMv4 */
#define DEVARCH_PART      0xfffU
#define DEVARCH_TRACE     0xa13U
#define DEVARCH_VER(arch) ((arch) >> 12 & 0xf)
#define DEVARCH_REV(arch) ((arch) >> 16 & 0xf)
#define DEVARCH_VER_ETM4  4
#define DEVARCH_VER_ETE   5

const char *pmu_driver_name(const struct pmu *pmu)
{
	return pmu->driver == PMU_OURS ? "arm_ete_pmu" : "coresight, the kernel's in-tree driver";
}

bool pmu_unit_is_ete(const struct pmu_unit *unit)
{
	return (unit->devarch & DEVARCH_PART) == DEVARCH_TRACE &&
	       DEVARCH_VER(unit->devarch) == DEVARCH_VER_ETE;
}

const char *pmu_unit_architecture(const struct pmu_unit *unit, char *text, size_t size)
{
	const bool known = (unit->devarch & DEVARCH_PART) == DEVARCH_TRACE;

	if (pmu_unit_is_ete(unit))
		snprintf(text, size, "ETE 1.%u", DEVARCH_REV(unit->devarch));
	else if (known && DEVARCH_VER(unit->devarch) == DEVARCH_VER_ETM4)
		snprintf(text, size, "ETMv4.%u", DEVARCH_REV(unit->devarch));
	else if (unit->idr[1])
		snprintf(text, size, "ETMv%u.%u", pmu_unit_bits(unit, 1, 11, 8),
			 pmu_unit_bits(unit, 1, 7, 4));
	else
		snprintf(text, size, "a trace unit without identification registers");
	return text;
}

static uint32_t read_register(const struct machine *machine, const char *pmu, const char *cpu,
			      const char *file)
{
	uint64_t value;

	if (!machine_number(machine, &value, PMU_DEVICES "/%s/%s/%s", pmu, cpu, file))
		return 0;
	return (uint32_t)value;
}

static void read_unit(const struct machine *machine, const char *pmu, const char *cpu,
		      struct pmu_unit *unit)
{
	char file[32];

	memset(unit, 0, sizeof(*unit));
	for (unsigned int n = 0; n < PMU_IDRS; n++) {
		snprintf(file, sizeof(file), "trcidr/trcidr%u", n);
		unit->idr[n] = read_register(machine, pmu, cpu, file);
	}
	unit->devarch = read_register(machine, pmu, cpu, "mgmt/trcdevarch");
	unit->authstatus = read_register(machine, pmu, cpu, "mgmt/trcauthstatus");
	unit->time = read_register(machine, pmu, cpu, "ts_source");
}

static struct pmu_unit *find_like(struct pmu *pmu, const struct pmu_unit *like)
{
	for (size_t i = 0; i < pmu->unit_count; i++) {
		const struct pmu_unit *unit = &pmu->units[i];

		if (!memcmp(unit->idr, like->idr, sizeof(unit->idr)) &&
		    unit->devarch == like->devarch && unit->authstatus == like->authstatus &&
		    unit->time == like->time)
			return &pmu->units[i];
	}
	return NULL;
}

static void read_units(const struct machine *machine, struct pmu *pmu)
{
	size_t count;
	char **names = machine_names(machine, &count, PMU_DEVICES "/%s", pmu->name);

	for (size_t i = 0; i < count; i++) {
		struct pmu_unit unit, *same;

		if (strncmp(names[i], "cpu", 3) || !isdigit((unsigned char)names[i][3]))
			continue;
		read_unit(machine, pmu->name, names[i], &unit);
		same = find_like(pmu, &unit);
		if (!same && pmu->unit_count < PMU_UNITS) {
			same = &pmu->units[pmu->unit_count++];
			*same = unit;
		}
		if (same)
			machine_cpus_add(&same->cpus,
					 (unsigned int)strtoul(names[i] + 3, NULL, 10));
	}
	free(names);
}

static void read_sinks(const struct machine *machine, struct pmu *pmu)
{
	size_t count, at = 0;
	char **names = machine_names(machine, &count, PMU_DEVICES "/%s/sinks", pmu->name);

	for (size_t i = 0; i < count && at < sizeof(pmu->sinks); i++)
		at += (size_t)snprintf(pmu->sinks + at, sizeof(pmu->sinks) - at, "%s%s",
				       i ? " " : "", names[i]);
	free(names);
}

/* Whether the PMU @name records program flow, and by which driver */
static bool identify(const struct machine *machine, const char *name, enum pmu_driver *driver)
{
	/* a field that this project's driver has, and no other */
	if (machine_exists(machine, PMU_DEVICES "/%s/format/strobe_on", name)) {
		*driver = PMU_OURS;
		return true;
	}
	*driver = PMU_IN_TREE;
	return !strcmp(name, ARM_ETE_PMU_NAME);
}

bool pmu_type(const struct machine *machine, const char *name, uint32_t *type)
{
	uint64_t number;

	if (!*name || *name == '.' || strchr(name, '/') ||
	    !machine_number(machine, &number, PMU_DEVICES "/%s/type", name) || number > UINT32_MAX)
		return false;
	*type = (uint32_t)number;
	return true;
}

bool pmu_read(const struct machine *machine, const char *name, struct pmu *pmu)
{
	enum pmu_driver driver;
	uint64_t number;
	uint32_t type;

	if (strlen(name) >= sizeof(pmu->name) || !identify(machine, name, &driver) ||
	    !pmu_type(machine, name, &type))
		return false;
	*pmu = (struct pmu){.type = type, .driver = driver};
	snprintf(pmu->name, sizeof(pmu->name), "%s", name);
	if (machine_number(machine, &number, PMU_DEVICES "/%s/nr_addr_filters", name))
		pmu->filters = (uint32_t)number;
	read_units(machine, pmu);
	read_sinks(machine, pmu);
	return true;
}

size_t pmus_read(const struct machine *machine, struct pmu *pmus)
{
	size_t name_count, count = 0;
	char **names = machine_names(machine, &name_count, PMU_DEVICES);

	for (size_t i = 0; i < name_count && count < PMUS; i++)
		count += pmu_read(machine, names[i], &pmus[count]);
	free(names);
	return count;
}

const struct pmu_unit *pmu_find_unit(const struct pmu *pmu, unsigned int cpu)
{
	for (size_t i = 0; i < pmu->unit_count; i++)
		if (machine_cpus_has(&pmu->units[i].cpus, cpu))
			return &pmu->units[i];
	return NULL;
}

int pmu_open_event(const struct pmu *pmu, int pid, int cpu)
{
	struct perf_event_attr attr = {
		.type = pmu->type,
		.size = sizeof(attr),
		.sample_period = 1,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}
