/*
 * Arm virt machine: what it says and wires of trace
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef HW_ARM_VIRT_TRACE_H
#define HW_ARM_VIRT_TRACE_H

#include "hw/arm/virt.h"

/* Wire the trace buffer unit of a CPU, whose first PPI is `ppibase`. */
void virt_trace_connect(VirtMachineState *vms, DeviceState *cpudev,
                        int ppibase);
/* Nodes of the device tree; those of the CPUs are there already. */
void virt_trace_add_nodes(VirtMachineState *vms);

#endif
