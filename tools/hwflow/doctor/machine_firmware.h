/* SPDX-License-Identifier: GPL-2.0-only */
/* Trace buffers as firmware describes them: by the device tree, or by the MADT of ACPI. */
#ifndef HWFLOW_MACHINE_FIRMWARE_H
#define HWFLOW_MACHINE_FIRMWARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine_files.h"

enum firmware_kind {
	FIRMWARE_UNKNOWN, /* neither can be read */
	FIRMWARE_TREE,
	FIRMWARE_ACPI,
	FIRMWARE_ACPI_UNREADABLE, /* the tables are for root only */
};

/**
 * struct firmware - what firmware describes
 * @kind: how
 * @buffers: nodes of trace buffers in the device tree; entries of the MADT that have their
 * interrupt
 * @units: nodes of trace units in the device tree
 * @node: path of the last node of a trace buffer that is enabled
 * @disabled: path of a node of a trace buffer that is disabled, or ""
 * @no_interrupt: path of an enabled node of a trace buffer that has no interrupt, or ""
 * @shared_interrupt: path of one whose interrupt is none of each CPU (PPI), or ""
 * @interrupt: number of the interrupt; 0 if unknown
 * @differ: CPUs have different interrupts in the MADT
 */
struct firmware {
	enum firmware_kind kind;
	unsigned int buffers;
	unsigned int units;
	char node[256];
	char disabled[256];
	char no_interrupt[256];
	char shared_interrupt[256];
	unsigned int interrupt;
	bool differ;
};

/** firmware_read() - what the firmware of a machine describes */
void firmware_read(const struct machine *machine, struct firmware *firmware);

#endif /* HWFLOW_MACHINE_FIRMWARE_H */
