/*
 * Arm virt machine: what it says and wires of trace
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef HW_ARM_VIRT_TRACE_H
#define HW_ARM_VIRT_TRACE_H

#include "hw/acpi/aml-build.h"
#include "hw/arm/virt.h"

/* Connect the trace buffer unit of a CPU, whose INTID 0 is `intidbase`. */
void virt_trace_connect(VirtMachineState *vms, DeviceState *cpudev,
                        int intidbase);
/* Nodes of the device tree; those of the CPUs are there already. */
void virt_trace_add_nodes(VirtMachineState *vms);
/* The trace unit of a CPU, below the device of the CPU */
void virt_trace_add_acpi_device(Aml *cpu_device, int cpu);
/* The head of the MADT is at this offset: give it the revision it needs. */
void virt_trace_madt_head(VirtMachineState *vms, GArray *madt, unsigned at);
/* Complete the GIC CPU Interface Structure at the end of `madt`. */
void virt_trace_madt_gicc(ARMCPU *cpu, GArray *madt);

#endif
