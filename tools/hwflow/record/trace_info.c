// SPDX-License-Identifier: GPL-2.0-only
#include "trace_info.h"

#include <errno.h>
#include <perf/cpumap.h>
#include <stdlib.h>

/* TRCDEVARCH.ARCHID: ARCHPART in bits 11:0 is that of all trace units; ARCHVER in bits 15:12 is 5
 * for ETE */
#define ARCHPART(devarch)   ((devarch)&0xfff)
#define ARCHPART_TRACE_UNIT 0xa13
#define ARCHVER(devarch)    ((devarch) >> 12 & 0xf)
#define ARCHVER_ETE         5

/* ts_source: the virtual counter, from which the perf clock is made, too */
#define TS_SOURCE_VIRTUAL 1

/* The registers that ETE and ETMv4 have in common */
static const struct {
	const char *path;
	size_t offset;
} registers[] = {
	{"trcidr/trcidr0", offsetof(struct hwf_ete_regs, trcidr0)},
	{"trcidr/trcidr1", offsetof(struct hwf_ete_regs, trcidr1)},
	{"trcidr/trcidr2", offsetof(struct hwf_ete_regs, trcidr2)},
	{"trcidr/trcidr8", offsetof(struct hwf_ete_regs, trcidr8)},
	{"mgmt/trcauthstatus", offsetof(struct hwf_ete_regs, trcauthstatus)},
};

static int read_unit(const struct record_pmu *pmu, int cpu, uint32_t trcconfigr,
		     struct perfdata_cpu *unit)
{
	uint64_t value;

	*unit = (struct perfdata_cpu){.cpu = (uint32_t)cpu, .protocol = PERFDATA_ETMV4};
	for (size_t i = 0; i < sizeof(registers) / sizeof(registers[0]); i++) {
		int error = record_pmu_register(pmu, cpu, registers[i].path, &value);

		if (error)
			return error;
		*(uint32_t *)((char *)&unit->regs + registers[i].offset) = (uint32_t)value;
	}
	unit->regs.trcconfigr = trcconfigr;
	unit->regs.trctraceidr = ARM_ETE_PMU_TRACE_ID((uint32_t)cpu);
	if (!record_pmu_register(pmu, cpu, "mgmt/trcdevarch", &value) &&
	    ARCHPART(value) == ARCHPART_TRACE_UNIT && ARCHVER(value) >= ARCHVER_ETE) {
		unit->protocol = PERFDATA_ETE;
		unit->regs.trcdevarch = (uint32_t)value;
	}
	if (!record_pmu_register(pmu, cpu, "ts_source", &value))
		unit->counter_time = value == TS_SOURCE_VIRTUAL;
	return 0;
}

int trace_info_read(const struct record_pmu *pmu, const struct perf_cpu_map *cpus,
		    uint32_t trcconfigr, struct perfdata_cpu **result, size_t *count)
{
	const bool any = perf_cpu_map__has_any_cpu(cpus);
	struct perf_cpu_map *online = any ? perf_cpu_map__new_online_cpus() : NULL;
	struct perfdata_cpu *units;
	int error = 0;

	if (any && !online)
		return -ENOMEM;
	if (any)
		cpus = online;
	*count = 0;
	units = calloc((size_t)perf_cpu_map__nr(cpus), sizeof(*units));
	if (!units)
		error = -ENOMEM;
	for (int i = 0; !error && i < perf_cpu_map__nr(cpus); i++) {
		struct perf_cpu cpu = perf_cpu_map__cpu(cpus, i);

		error = read_unit(pmu, cpu.cpu, trcconfigr, &units[*count]);
		if (!error)
			(*count)++;
		else if (error == -ENOENT)
			error = 0;
	}
	perf_cpu_map__put(online);
	if (!error && !*count)
		error = -ENODEV;
	if (error)
		free(units);
	else
		*result = units;
	return error;
}
