/*
 * Arm virt machine: what it says and wires of trace
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Nodes as in the bindings arm,trace-buffer-extension and
 * arm,embedded-trace-extension of Linux. For ACPI: the interrupt in the GIC CPU
 * Interface Structure, ACPI 6.5, 5.2.12.14; devices as in Arm's ACPI for
 * CoreSight (DEN0067).
 */
#include "qemu/osdep.h"
#include "hw/arm/virt.h"
#include "hw/arm/virt-trace.h"
#include "hw/arm/fdt.h"
#include "hw/irq.h"
#include "system/device_tree.h"
#include "target/arm/cpu-trace.h"

/* INTID of PPI 0 */
#define PPI_INTID 16

void virt_trace_connect(VirtMachineState *vms, DeviceState *cpudev,
                        int intidbase)
{
    ARMCPU *cpu = ARM_CPU(cpudev);

    if (arm_cpu_has_trbe(cpu)) {
        int irq = intidbase + PPI_INTID + arm_cpu_trbe_ppi(cpu);

        qdev_connect_gpio_out_named(cpudev, "trbe-interrupt", 0,
                                    qdev_get_gpio_in(vms->gic, irq));
    }
}

static void fdt_add_trbe_node(VirtMachineState *vms)
{
    MachineState *ms = MACHINE(vms);
    uint32_t ppi = arm_cpu_trbe_ppi(ARM_CPU(qemu_get_cpu(0)));
    uint32_t flags = GIC_FDT_IRQ_FLAGS_LEVEL_HI;

    if (vms->gic_version == VIRT_GIC_VERSION_2) {
        flags = deposit32(flags, GIC_FDT_IRQ_PPI_CPU_START,
                          GIC_FDT_IRQ_PPI_CPU_WIDTH, (1 << ms->smp.cpus) - 1);
    }
    qemu_fdt_add_subnode(ms->fdt, "/trbe");
    qemu_fdt_setprop_string(ms->fdt, "/trbe", "compatible",
                            "arm,trace-buffer-extension");
    qemu_fdt_setprop_cells(ms->fdt, "/trbe", "interrupts",
                           GIC_FDT_IRQ_TYPE_PPI, ppi, flags);
}

/* The phandle of a cpu node: topology nodes may have given it one. */
static uint32_t fdt_cpu_phandle(MachineState *ms, int cpu)
{
    g_autofree char *path = g_strdup_printf("/cpus/cpu@%d", cpu);
    int len;
    const uint32_t *given = qemu_fdt_getprop(ms->fdt, path, "phandle", &len,
                                             NULL);
    uint32_t phandle;

    if (given) {
        return be32_to_cpu(*given);
    }
    phandle = qemu_fdt_alloc_phandle(ms->fdt);
    qemu_fdt_setprop_cell(ms->fdt, path, "phandle", phandle);
    return phandle;
}

static void fdt_add_ete_node(VirtMachineState *vms, int cpu)
{
    MachineState *ms = MACHINE(vms);
    g_autofree char *path = g_strdup_printf("/ete%d", cpu);

    qemu_fdt_add_subnode(ms->fdt, path);
    qemu_fdt_setprop_string(ms->fdt, path, "compatible",
                            "arm,embedded-trace-extension");
    qemu_fdt_setprop_cell(ms->fdt, path, "cpu", fdt_cpu_phandle(ms, cpu));
}

void virt_trace_add_nodes(VirtMachineState *vms)
{
    int cpus = MACHINE(vms)->smp.cpus;

    if (arm_cpu_has_trbe(ARM_CPU(qemu_get_cpu(0)))) {
        fdt_add_trbe_node(vms);
    }
    for (int cpu = cpus - 1; cpu >= 0; cpu--) {
        if (arm_cpu_has_ete(ARM_CPU(qemu_get_cpu(cpu)))) {
            fdt_add_ete_node(vms, cpu);
        }
    }
}

/* ---- ACPI ---- */

/* ACPI 6.5 */
#define MADT_REVISION 6
/* of a GIC CPU Interface Structure: without, and with the interrupt */
#define GICC_OLD_LENGTH 80
#define GICC_LENGTH 82

void virt_trace_add_acpi_device(Aml *cpu_device, int cpu)
{
    Aml *dev;

    if (!arm_cpu_has_ete(ARM_CPU(qemu_get_cpu(cpu)))) {
        return;
    }
    dev = aml_device("ETE0");
    aml_append(dev, aml_name_decl("_HID", aml_string("ARMHC500")));
    aml_append(dev, aml_name_decl("_UID", aml_int(cpu)));
    aml_append(cpu_device, dev);
}

/* Only where there is a buffer: other machines' tables stay as they are. */
void virt_trace_madt_head(VirtMachineState *vms, GArray *madt, unsigned at)
{
    if (arm_cpu_has_trbe(ARM_CPU(qemu_get_cpu(0)))) {
        /* behind signature and length */
        madt->data[at + 8] = MADT_REVISION;
    }
}

/* What QEMU calls reserved at the end has the interrupt of FEAT_SPE, 0. */
void virt_trace_madt_gicc(ARMCPU *cpu, GArray *madt)
{
    if (!arm_cpu_has_trbe(cpu)) {
        return;
    }
    build_append_int_noprefix(madt, PPI_INTID + arm_cpu_trbe_ppi(cpu), 2);
    assert(madt->data[madt->len - GICC_LENGTH + 1] == GICC_OLD_LENGTH);
    madt->data[madt->len - GICC_LENGTH + 1] = GICC_LENGTH;
}
