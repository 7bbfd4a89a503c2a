// SPDX-License-Identifier: GPL-2.0-only
/* The PMU, and the registers of its trace units in sysfs. */
#include "record.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kselftest.h"

#define PMU_DIRECTORY "/sys/bus/event_source/devices"

/* The number in a file of the PMU; false if there is no such file */
static bool read_number(const char *pmu, const char *file, uint32_t *value)
{
	char path[384];
	FILE *stream;
	long number;
	bool done;

	snprintf(path, sizeof(path), PMU_DIRECTORY "/%s/%s", pmu, file);
	stream = fopen(path, "r");
	if (!stream)
		return false;
	done = fscanf(stream, "%li", &number) == 1;
	fclose(stream);
	if (done)
		*value = (uint32_t)number;
	return done;
}

static bool read_unit(const char *pmu, int cpu, struct record_unit *unit)
{
	const struct {
		const char *name;
		uint32_t *value;
	} rows[] = {
		{ "trcidr/trcidr0", &unit->trcidr0 },
		{ "trcidr/trcidr1", &unit->trcidr1 },
		{ "trcidr/trcidr2", &unit->trcidr2 },
		{ "trcidr/trcidr8", &unit->trcidr8 },
		{ "mgmt/trcauthstatus", &unit->trcauthstatus },
		{ "mgmt/trcdevarch", &unit->trcdevarch },
	};
	char file[64];

	memset(unit, 0, sizeof(*unit));
	unit->cpu = cpu;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		snprintf(file, sizeof(file), "cpu%d/%s", cpu, rows[i].name);
		read_number(pmu, file, rows[i].value);
	}
	/* no trace unit has TRCIDR1 0 */
	return unit->trcidr1;
}

static int read_units(struct record_pmu *pmu)
{
	const long cpus = sysconf(_SC_NPROCESSORS_CONF);

	pmu->units = calloc((size_t)cpus, sizeof(*pmu->units));
	if (!pmu->units)
		return -ENOMEM;
	for (int cpu = 0; cpu < cpus; cpu++)
		pmu->unit_count += read_unit(pmu->name, cpu, &pmu->units[pmu->unit_count]);
	if (pmu->unit_count)
		return 0;
	record_free_pmu(pmu);
	return -ENODEV;
}

int record_find_pmu(struct record_pmu *pmu, const char *name)
{
	char path[384];

	memset(pmu, 0, sizeof(*pmu));
	if (!name)
		name = getenv(RECORD_PMU_ENV);
	if (!name || !*name)
		name = RECORD_PMU_NAME;
	snprintf(pmu->name, sizeof(pmu->name), "%s", name);
	if (!read_number(pmu->name, "type", &pmu->type))
		return -ENOENT;
	/* a field that the in-tree driver does not have */
	snprintf(path, sizeof(path), PMU_DIRECTORY "/%s/format/strobe_on", pmu->name);
	pmu->in_tree = access(path, F_OK);
	return read_units(pmu);
}

void record_free_pmu(struct record_pmu *pmu)
{
	free(pmu->units);
	pmu->units = NULL;
	pmu->unit_count = 0;
}

const struct record_unit *record_find_unit(const struct record_pmu *pmu, int cpu)
{
	for (size_t i = 0; i < pmu->unit_count; i++)
		if (pmu->units[i].cpu == cpu)
			return &pmu->units[i];
	return NULL;
}
