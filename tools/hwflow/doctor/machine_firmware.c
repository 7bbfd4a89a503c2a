// SPDX-License-Identifier: GPL-2.0-only
/* Trace buffers as firmware describes them. */
#include "machine_firmware.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMPATIBLE_BUFFER "arm,trace-buffer-extension"
#define COMPATIBLE_UNIT   "arm,embedded-trace-extension"

/* A tree of nodes is not deeper; a copy of files may be anything */
#define DEEPEST 16

#define TREE       "sys/firmware/devicetree/base"
#define TREE_PROC  "proc/device-tree"
#define MADT       "sys/firmware/acpi/tables/APIC"
#define PPI_OF_ONE 16 /* the first interrupt that is a PPI */

/* ACPI 6.5, 5.2.12.14: GICC entries of the MADT */
#define MADT_HEADER      44
#define GICC             11
#define GICC_FLAGS       12
#define GICC_ENABLED     1U
#define GICC_TRBE        80
#define GICC_TRBE_LENGTH 82

/* Whether a property, which is a list of strings, has this one */
static bool has_string(const struct machine *machine, const char *node, const char *property,
		       const char *string)
{
	size_t length = 0;
	char *list = machine_read(machine, &length, "%s/%s", node, property);
	bool found = false;

	if (!list)
		return false;
	for (size_t at = 0; at < length && !found; at += strlen(list + at) + 1)
		found = !strcmp(list + at, string);
	free(list);
	return found;
}

static bool is_disabled(const struct machine *machine, const char *node)
{
	return machine_exists(machine, "%s/status", node) &&
	       !has_string(machine, node, "status", "okay") &&
	       !has_string(machine, node, "status", "ok");
}

static uint32_t cell(const char *bytes)
{
	const unsigned char *byte = (const unsigned char *)bytes;

	return (uint32_t)byte[0] << 24 | (uint32_t)byte[1] << 16 | (uint32_t)byte[2] << 8 | byte[3];
}

/* The interrupt of a GIC: its kind (1 is a PPI), its number, its flags */
static void read_interrupt(const struct machine *machine, const char *node,
			   struct firmware *firmware)
{
	size_t length = 0;
	char *cells = machine_read(machine, &length, "%s/interrupts", node);

	if (!cells && !machine_exists(machine, "%s/interrupts-extended", node))
		snprintf(firmware->no_interrupt, sizeof(firmware->no_interrupt), "%s", node);
	else if (cells && length >= 12 && cell(cells) == 1)
		firmware->interrupt = cell(cells + 4) + PPI_OF_ONE;
	else if (cells && length >= 12)
		snprintf(firmware->shared_interrupt, sizeof(firmware->shared_interrupt), "%s",
			 node);
	free(cells);
}

static void read_buffer(const struct machine *machine, const char *node, struct firmware *firmware)
{
	if (is_disabled(machine, node)) {
		snprintf(firmware->disabled, sizeof(firmware->disabled), "%s", node);
		return;
	}
	firmware->buffers++;
	snprintf(firmware->node, sizeof(firmware->node), "%s", node);
	read_interrupt(machine, node, firmware);
}

static void read_nodes(const struct machine *machine, const char *node, unsigned int depth,
		       struct firmware *firmware)
{
	size_t count;
	char path[PATH_MAX];
	char **names;

	if (has_string(machine, node, "compatible", COMPATIBLE_BUFFER))
		read_buffer(machine, node, firmware);
	if (has_string(machine, node, "compatible", COMPATIBLE_UNIT))
		firmware->units++;
	names = depth < DEEPEST ? machine_names(machine, &count, "%s", node) : NULL;
	/* machine_names() fails for a property, which is a file */
	for (size_t i = 0; names && i < count; i++)
		if (snprintf(path, sizeof(path), "%s/%s", node, names[i]) < PATH_MAX)
			read_nodes(machine, path, depth + 1, firmware);
	free(names);
}

static uint32_t little(const unsigned char *bytes, unsigned int count)
{
	uint32_t value = 0;

	while (count--)
		value = value << 8 | bytes[count];
	return value;
}

static void read_madt(const unsigned char *table, size_t length, struct firmware *firmware)
{
	size_t at = MADT_HEADER;

	while (length >= 2 && at <= length - 2) {
		const unsigned char *entry = table + at;
		uint32_t interrupt;

		if (entry[1] < 2 || entry[1] > length - at)
			return;
		at += entry[1];
		if (entry[0] != GICC || entry[1] < GICC_TRBE_LENGTH ||
		    !(little(entry + GICC_FLAGS, 4) & GICC_ENABLED))
			continue;
		interrupt = little(entry + GICC_TRBE, 2);
		if (!interrupt)
			continue;
		firmware->differ |= firmware->interrupt && firmware->interrupt != interrupt;
		firmware->interrupt = interrupt;
		firmware->buffers++;
	}
}

static void read_acpi(const struct machine *machine, struct firmware *firmware)
{
	size_t length = 0;
	char *table = machine_read(machine, &length, MADT);

	firmware->kind = table ? FIRMWARE_ACPI : FIRMWARE_ACPI_UNREADABLE;
	if (table)
		read_madt((const unsigned char *)table, length, firmware);
	free(table);
}

void firmware_read(const struct machine *machine, struct firmware *firmware)
{
	const char *tree = machine_exists(machine, TREE) ? TREE : TREE_PROC;

	memset(firmware, 0, sizeof(*firmware));
	/* a machine that is described by ACPI has a device tree with the command line only */
	if (machine_exists(machine, MADT)) {
		read_acpi(machine, firmware);
	} else if (machine_exists(machine, "%s/compatible", tree)) {
		firmware->kind = FIRMWARE_TREE;
		read_nodes(machine, tree, 0, firmware);
	}
}
