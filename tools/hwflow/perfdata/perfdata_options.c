/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Options of the trace event: its attribute is what the driver was given; TRCCONFIGR in
 * AUXTRACE_INFO is what perf record made of that attribute, with the places of the fields that it
 * knew. perf 6.1 and 6.12 look for `timestamp` in bit 28, and leave out TS where it is a level in
 * bits 7:4.
 */
#include "perfdata_reader.h"

/* struct option - a field of the event's config, and the bits of TRCCONFIGR that it sets */
struct option {
	uint64_t config;
	uint32_t trcconfigr;
};

static const struct option options[] = {
	{ARM_ETE_PMU_MASK(branch_broadcast), ARM_ETE_PMU_TRCCONFIGR_BB},
	{ARM_ETE_PMU_MASK(cycacc), ARM_ETE_PMU_TRCCONFIGR_CCI},
	{ARM_ETE_PMU_MASK(contextid1), ARM_ETE_PMU_TRCCONFIGR_CID},
	{ARM_ETE_PMU_MASK(contextid2),
	 ARM_ETE_PMU_TRCCONFIGR_VMID | ARM_ETE_PMU_TRCCONFIGR_VMIDOPT},
	{ARM_ETE_PMU_MASK(timestamp) | ARM_ETE_PMU_MASK(deprecated_timestamp),
	 ARM_ETE_PMU_TRCCONFIGR_TS},
	{ARM_ETE_PMU_MASK(retstack), ARM_ETE_PMU_TRCCONFIGR_RS},
};

/* TRCCONFIGR of AUXTRACE_INFO, with the bits that are options as the event has them */
static uint32_t trcconfigr_of(uint32_t described, uint64_t config)
{
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		described &= ~options[i].trcconfigr;
		if (config & options[i].config)
			described |= options[i].trcconfigr;
	}
	return described;
}

static const struct perfdata_attr *trace_event(const struct perfdata *data)
{
	const struct perfdata_attr *attrs = data->attrs.items;

	for (size_t i = 0; i < data->attrs.count; i++)
		if (data->have_info && attrs[i].type == data->pmu_type)
			return &attrs[i];
	return NULL;
}

void perfdata_find_options(struct perfdata *data)
{
	const struct perfdata_attr *event = trace_event(data);
	struct perfdata_cpu *cpus = data->cpus.items;
	struct perfdata_info *info = &data->info;
	uint32_t trcconfigr;

	for (size_t i = 0; event && i < data->cpus.count; i++)
		if (cpus[i].protocol == PERFDATA_ETE || cpus[i].protocol == PERFDATA_ETMV4)
			cpus[i].regs.trcconfigr =
				trcconfigr_of(cpus[i].regs.trcconfigr, event->config);
	trcconfigr = data->cpus.count ? cpus->regs.trcconfigr : 0;
	info->config = event ? event->config : 0;
	info->context_in_vmid = trcconfigr & ARM_ETE_PMU_TRCCONFIGR_VMID &&
				trcconfigr & ARM_ETE_PMU_TRCCONFIGR_VMIDOPT;
	info->context_in_cid = !info->context_in_vmid && trcconfigr & ARM_ETE_PMU_TRCCONFIGR_CID;
	info->timestamps = (trcconfigr & ARM_ETE_PMU_TRCCONFIGR_TS) != 0;
}
