// SPDX-License-Identifier: GPL-2.0-only
#include "trace_info.h"

#include <errno.h>
#include <perf/cpumap.h>
#include <stdlib.h>

/*
 * ts_source: the virtual counter, from which the perf clock is made, too. Drivers of Linux
 * before 6.3 have no ts_source; those of an ETE use this counter.
 */
#define TS_SOURCE_VIRTUAL 1
#define TS_SOURCE_NONE    0

static void describe(const struct pmu_unit *unit, int cpu, uint32_t trcconfigr,
		     struct perfdata_cpu *result)
{
	*result = (struct perfdata_cpu){
		.cpu = (uint32_t)cpu,
		.protocol = PERFDATA_ETMV4,
		.regs =
			{
				.trcidr0 = unit->idr[0],
				.trcidr1 = unit->idr[1],
				.trcidr2 = unit->idr[2],
				.trcidr8 = unit->idr[8],
				.trcauthstatus = unit->authstatus,
				.trcconfigr = trcconfigr,
				.trctraceidr = ARM_ETE_PMU_TRACE_ID((uint32_t)cpu),
			},
		.counter_time = unit->time == TS_SOURCE_VIRTUAL,
	};
	if (pmu_unit_is_ete(unit)) {
		result->protocol = PERFDATA_ETE;
		result->counter_time |= unit->time == TS_SOURCE_NONE;
		result->regs.trcdevarch = unit->devarch;
	}
}

int trace_info_read(const struct pmu *pmu, const struct perf_cpu_map *cpus, uint32_t trcconfigr,
		    struct perfdata_cpu **result, size_t *count)
{
	const bool any = perf_cpu_map__has_any_cpu(cpus);
	struct perf_cpu_map *online = any ? perf_cpu_map__new_online_cpus() : NULL;
	struct perfdata_cpu *units;

	if (any && !online)
		return -ENOMEM;
	if (any)
		cpus = online;
	*count = 0;
	units = calloc((size_t)perf_cpu_map__nr(cpus), sizeof(*units));
	for (int i = 0; units && i < perf_cpu_map__nr(cpus); i++) {
		const int cpu = perf_cpu_map__cpu(cpus, i).cpu;
		const struct pmu_unit *unit = pmu_find_unit(pmu, (unsigned int)cpu);

		/* without identification registers the trace of a unit cannot be decoded */
		if (unit && unit->idr[1])
			describe(unit, cpu, trcconfigr, &units[(*count)++]);
	}
	perf_cpu_map__put(online);
	if (!units)
		return -ENOMEM;
	if (!*count) {
		free(units);
		return -ENODEV;
	}
	*result = units;
	return 0;
}
