// SPDX-License-Identifier: GPL-2.0-only
/* hwflow list: capabilities of trace units, and options of events. */
#include "list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FORMAT PMU_DEVICES "/%s/format"

/* What an option needs of a trace unit */
enum list_need {
	NEED_BROADCAST = 1 << 0,
	NEED_CYCLES = 1 << 1,
	NEED_CONTEXT = 1 << 2,
	NEED_VIRTUAL_CONTEXT = 1 << 3,
	NEED_TIMESTAMPS = 1 << 4,
	NEED_EVENT = 1 << 5,
	NEED_STROBE = 1 << 6,
	NEED_EL2 = 1 << 7,
};

static const struct list_capability capabilities[] = {
#define U(key, label, kind, n, high, low, scale, offset) \
	{#key, label, kind, n, high, low, scale, offset},
#include "list_tables.def"
};

static const struct {
	const char *name;
	const char *text;
	unsigned int needs;
} options[] = {
#define O(name, text, needs) {#name, text, needs},
#include "list_tables.def"
};

/* The obstacles where a need is not met, in the order of enum list_need */
static const char *const obstacles[] = {
	"the trace unit has no branch broadcast",
	"the trace unit cannot count cycles",
	"the trace unit cannot trace context identifiers",
	"the trace unit cannot trace virtual context identifiers",
	"the trace unit has no timestamps",
	"requires a selector, an external input and two events",
	"requires two counters, a sequencer and six selectors",
	"requires a kernel at EL2",
};

const struct list_capability *list_capability(size_t index)
{
	return index < sizeof(capabilities) / sizeof(capabilities[0]) ? &capabilities[index] : NULL;
}

uint64_t list_value(const struct list_capability *capability, const struct pmu_unit *unit)
{
	uint64_t field = pmu_unit_bits(unit, capability->n, capability->high, capability->low);

	if (capability->kind == FLAG)
		return field != 0;
	return field ? field * capability->scale + capability->offset : 0;
}

const char *list_time(const struct pmu *pmu, const struct pmu_unit *unit)
{
	if (!pmu_unit_bits(unit, 0, 28, 24))
		return "none";
	if (pmu->driver == PMU_OURS)
		return "the kernel's clock";
	switch (unit->time) {
	case 1:
		return "the virtual counter (CNTVCT_EL0)";
	case 2:
		return "the guest physical counter";
	case 3:
		return "the physical counter (CNTPCT_EL0)";
	default:
		return "not known";
	}
}

const char *list_buffer(const struct pmu *pmu, char *text, size_t size)
{
	if (pmu->driver == PMU_OURS)
		snprintf(text, size, "trace buffer of each CPU (TRBE)");
	else if (*pmu->sinks)
		snprintf(text, size, "sinks: %s", pmu->sinks);
	else
		snprintf(text, size, "none: no sink is loaded");
	return text;
}

/* The needs that a trace unit does not meet */
static unsigned int unmet(const struct pmu_unit *unit, bool at_el2)
{
	const uint32_t pairs = pmu_unit_bits(unit, 4, 19, 16);
	unsigned int missing = 0;

	if (!pmu_unit_bits(unit, 0, 5, 5))
		missing |= NEED_BROADCAST;
	if (!pmu_unit_bits(unit, 0, 7, 7))
		missing |= NEED_CYCLES;
	if (!pmu_unit_bits(unit, 2, 9, 5))
		missing |= NEED_CONTEXT;
	if (!pmu_unit_bits(unit, 2, 14, 10))
		missing |= NEED_VIRTUAL_CONTEXT;
	if (!pmu_unit_bits(unit, 0, 28, 24))
		missing |= NEED_TIMESTAMPS;
	if (!pmu_unit_bits(unit, 0, 11, 10) || !pmu_unit_bits(unit, 5, 11, 9) || pairs < 1)
		missing |= NEED_EVENT;
	if (pmu_unit_bits(unit, 5, 30, 28) < 2 || !pmu_unit_bits(unit, 5, 27, 25) || pairs < 3)
		missing |= NEED_STROBE;
	if (!at_el2)
		missing |= NEED_EL2;
	return missing;
}

/* The identifier of threads is CONTEXTIDR_EL2 where the kernel is at EL2 */
static bool is_at_el2(const struct machine *machine, const struct pmu *pmu)
{
	char bits[64];

	return machine_word(machine, bits, sizeof(bits), FORMAT "/contextid", pmu->name) &&
	       !strcmp(bits, "config:15");
}

void list_option(const struct machine *machine, const struct pmu *pmu, const char *name,
		 struct list_option *option)
{
	const bool at_el2 = is_at_el2(machine, pmu);
	unsigned int needs = 0, missing = 0;

	*option = (struct list_option){.name = name, .text = ""};
	machine_word(machine, option->bits, sizeof(option->bits), FORMAT "/%s", pmu->name, name);
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		if (strcmp(options[i].name, name))
			continue;
		option->text = options[i].text;
		needs = options[i].needs;
	}
	if (!strcmp(name, "contextid2"))
		needs |= NEED_EL2;
	else if (!strcmp(name, "contextid") && at_el2)
		needs = NEED_VIRTUAL_CONTEXT;
	for (size_t i = 0; i < pmu->unit_count; i++)
		missing |= unmet(&pmu->units[i], at_el2) & needs;
	for (size_t i = 0; i < sizeof(obstacles) / sizeof(obstacles[0]) && !option->obstacle; i++)
		if (missing >> i & 1)
			option->obstacle = obstacles[i];
}

/* A driver that cannot trace a CPU refuses an event of it with ENODEV */
static bool is_refused(const struct pmu *pmu, unsigned int cpu)
{
	const int fd = pmu_open_event(pmu, 0, (int)cpu);

	if (fd >= 0)
		close(fd);
	return fd < 0 && errno == ENODEV;
}

void list_cpus(const struct machine *machine, const struct pmu *pmu, struct machine_cpus *cpus)
{
	struct machine_cpus online = {0};
	bool known = machine_cpus_read(machine, &online, "sys/devices/system/cpu/online");

	memset(cpus, 0, sizeof(*cpus));
	for (size_t i = 0; i < pmu->unit_count; i++)
		for (unsigned int cpu = 0; cpu < MACHINE_CPUS; cpu++)
			if (machine_cpus_has(&pmu->units[i].cpus, cpu) &&
			    (!known || machine_cpus_has(&online, cpu)) &&
			    !(machine->live && is_refused(pmu, cpu)))
				machine_cpus_add(cpus, cpu);
}
