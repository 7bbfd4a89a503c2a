// SPDX-License-Identifier: GPL-2.0-only
/* Processors by their MIDR_EL1, and the errata of their trace buffers. */
#include "machine_processor.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* MIDR_EL1 without variant and revision */
#define KIND_OF(implementer, part) ((uint32_t)(implementer) << 24 | (uint32_t)(part) << 4)
#define KIND_MASK                  0xff00fff0U

enum {
#define P(name, implementer, part, called) NAME_##name = KIND_OF(implementer, part),
#include "machine_errata.def"
};

/* Processors with a name. Those of Armv8 have no ETE: FEAT_ETE and FEAT_TRBE begin with Armv9. */
static const struct {
	uint32_t kind;
	bool armv8;
	const char *name;
} names[] = {
	{KIND_OF(0x41, 0xd03), true, "Cortex-A53"},   {KIND_OF(0x41, 0xd05), true, "Cortex-A55"},
	{KIND_OF(0x41, 0xd07), true, "Cortex-A57"},   {KIND_OF(0x41, 0xd08), true, "Cortex-A72"},
	{KIND_OF(0x41, 0xd09), true, "Cortex-A73"},   {KIND_OF(0x41, 0xd0a), true, "Cortex-A75"},
	{KIND_OF(0x41, 0xd0b), true, "Cortex-A76"},   {KIND_OF(0x41, 0xd0c), true, "Neoverse-N1"},
	{KIND_OF(0x41, 0xd0d), true, "Cortex-A77"},   {KIND_OF(0x41, 0xd40), true, "Neoverse-V1"},
	{KIND_OF(0x41, 0xd41), true, "Cortex-A78"},   {KIND_OF(0x41, 0xd44), true, "Cortex-X1"},
	{KIND_OF(0x41, 0xd4f), false, "Neoverse-V2"},
#define P(name, implementer, part, called) {NAME_##name, false, called},
#include "machine_errata.def"
};

static const struct {
	enum erratum_kind kind;
	uint32_t processor;
	uint32_t last;
	unsigned int number;
} table[] = {
#define E(kind, processor, last, number) {ERRATUM_##kind, NAME_##processor, last, number},
#include "machine_errata.def"
};

static struct processor *find(struct processor *processors, size_t count, uint32_t midr)
{
	for (size_t i = 0; i < count; i++)
		if (processors[i].midr == midr)
			return &processors[i];
	return NULL;
}

size_t processors_read(const struct machine *machine, struct processor *processors)
{
	size_t names_count, count = 0;
	char **directories = machine_names(machine, &names_count, "sys/devices/system/cpu");

	for (size_t i = 0; i < names_count; i++) {
		const char *name = directories[i];
		struct processor *same;
		uint64_t midr;

		if (strncmp(name, "cpu", 3) || !isdigit((unsigned char)name[3]) ||
		    !machine_number(machine, &midr,
				    "sys/devices/system/cpu/%s/regs/identification/midr_el1", name))
			continue;
		same = find(processors, count, (uint32_t)midr);
		if (!same && count < PROCESSORS) {
			same = &processors[count++];
			*same = (struct processor){.midr = (uint32_t)midr};
		}
		if (same)
			machine_cpus_add(&same->cpus, (unsigned int)strtoul(name + 3, NULL, 10));
	}
	free(directories);
	return count;
}

const char *processor_text(uint32_t midr, char *text, size_t size)
{
	const unsigned int variant = midr >> 20 & 0xf, revision = midr & 0xf;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (names[i].kind != (midr & KIND_MASK))
			continue;
		snprintf(text, size, "%s r%up%u", names[i].name, variant, revision);
		return text;
	}
	snprintf(text, size, "implementer %#x part %#x r%up%u", midr >> 24, midr >> 4 & 0xfff,
		 variant, revision);
	return text;
}

bool processor_is_armv8(uint32_t midr)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].kind == (midr & KIND_MASK))
			return names[i].armv8;
	return false;
}

size_t processor_errata(uint32_t midr, struct erratum *errata)
{
	const uint32_t revision = (midr >> 16 & 0xf0) | (midr & 0xf);
	size_t count = 0;

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (table[i].processor == (midr & KIND_MASK) && revision <= table[i].last)
			errata[count++] =
				(struct erratum){.kind = table[i].kind, .number = table[i].number};
	return count;
}
