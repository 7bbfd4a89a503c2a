// SPDX-License-Identifier: GPL-2.0-only
/* Sets of CPUs. */
#include "machine_files.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

void machine_cpus_add(struct machine_cpus *cpus, unsigned int cpu)
{
	if (cpu < MACHINE_CPUS)
		cpus->bits[cpu / 64] |= UINT64_C(1) << (cpu % 64);
}

bool machine_cpus_has(const struct machine_cpus *cpus, unsigned int cpu)
{
	return cpu < MACHINE_CPUS && cpus->bits[cpu / 64] >> (cpu % 64) & 1;
}

unsigned int machine_cpus_count(const struct machine_cpus *cpus)
{
	unsigned int count = 0;

	for (size_t i = 0; i < MACHINE_CPUS / 64; i++)
		count += (unsigned int)__builtin_popcountll(cpus->bits[i]);
	return count;
}

bool machine_cpus_parse(struct machine_cpus *cpus, const char *list)
{
	char *end;

	while (isdigit((unsigned char)*list)) {
		unsigned long first = strtoul(list, &end, 10), last = first;

		if (*end == '-') {
			list = end + 1;
			last = strtoul(list, &end, 10);
			if (end == list)
				return false;
		}
		if (last < first || last >= MACHINE_CPUS)
			return false;
		for (unsigned long cpu = first; cpu <= last; cpu++)
			machine_cpus_add(cpus, (unsigned int)cpu);
		if (*end != ',')
			return !*end;
		list = end + 1;
	}
	return false;
}

bool machine_cpus_read(const struct machine *machine, struct machine_cpus *cpus, const char *path)
{
	char list[4096];

	return machine_word(machine, list, sizeof(list), "%s", path) &&
	       machine_cpus_parse(cpus, list);
}

/* The last CPU of the run that begins with @cpu */
static unsigned int end_of_run(const struct machine_cpus *cpus, unsigned int cpu)
{
	while (machine_cpus_has(cpus, cpu + 1))
		cpu++;
	return cpu;
}

const char *machine_cpus_text(const struct machine_cpus *cpus, char *text)
{
	const char *separator = machine_cpus_count(cpus) == 1 ? "CPU " : "CPUs ";
	size_t at = 0;

	snprintf(text, MACHINE_CPUS_TEXT, "no CPU");
	for (unsigned int cpu = 0; cpu < MACHINE_CPUS && at < MACHINE_CPUS_TEXT; cpu++) {
		unsigned int last;

		if (!machine_cpus_has(cpus, cpu))
			continue;
		last = end_of_run(cpus, cpu);
		at += (size_t)snprintf(text + at, MACHINE_CPUS_TEXT - at, "%s%u", separator, cpu);
		if (last > cpu && at < MACHINE_CPUS_TEXT)
			at += (size_t)snprintf(text + at, MACHINE_CPUS_TEXT - at, "-%u", last);
		separator = ",";
		cpu = last;
	}
	return text;
}
