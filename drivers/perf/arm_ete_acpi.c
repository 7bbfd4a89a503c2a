// SPDX-License-Identifier: GPL-2.0-only
/*
 * Trace buffers as ACPI describes them.
 */
#include <linux/acpi.h>
#include <linux/platform_device.h>

#include "arm_ete.h"

/* The MADT's last field of a CPU, which older kernels have no name for; ACPI 6.5, 5.2.12.14 */
#define ETE_MADT_TRBE_OFFSET	80
#define ETE_MADT_TRBE_END	(ETE_MADT_TRBE_OFFSET + sizeof(u16))

static struct platform_device *ete_acpi_device;

/* The interrupt of the trace buffer of a CPU that is there, 0 if it has none */
static u32 ete_acpi_gsi(const struct acpi_madt_generic_interrupt *gicc)
{
	u16 gsi;

	if (gicc->header.length < ETE_MADT_TRBE_END)
		return 0;
	memcpy(&gsi, (const u8 *)gicc + ETE_MADT_TRBE_OFFSET, sizeof(gsi));
	return gsi;
}

/*
 * The one that all CPUs have which have one: a PPI has the same number on each. It is in the table
 * alone: what the kernel keeps of it for each CPU ends with the last field that the kernel knows.
 */
static u32 ete_acpi_find_gsi(const struct acpi_table_header *table)
{
	const struct acpi_subtable_header *part;
	u32 at, gsi = 0;

	for (at = sizeof(struct acpi_table_madt); at + sizeof(*part) <= table->length;
	     at += part->length) {
		const struct acpi_madt_generic_interrupt *gicc;
		u32 own;

		part = (const void *)((const u8 *)table + at);
		if (part->length < sizeof(*part) || part->length > table->length - at)
			return 0;
		gicc = (const void *)part;
		if (part->type != ACPI_MADT_TYPE_GENERIC_INTERRUPT ||
		    part->length < offsetofend(struct acpi_madt_generic_interrupt, flags) ||
		    !(gicc->flags & ACPI_MADT_ENABLED))
			continue;
		own = ete_acpi_gsi(gicc);
		if (own && gsi && own != gsi)
			return 0;
		gsi = own ?: gsi;
	}
	return gsi;
}

static u32 ete_acpi_common_gsi(void)
{
	struct acpi_table_header *table;
	u32 gsi;

	if (ACPI_FAILURE(acpi_get_table(ACPI_SIG_MADT, 0, &table)))
		return 0;
	gsi = ete_acpi_find_gsi(table);
	acpi_put_table(table);
	return gsi;
}

static int ete_acpi_match(struct device *dev, const void *name)
{
	return !strcmp(to_platform_device(dev)->name, name);
}

/**
 * arm_ete_acpi_add_device() - make the platform device that not every kernel makes of the MADT
 *
 * Return: 0, also if there are no trace buffers or there is such a device; or a negative error.
 */
int arm_ete_acpi_add_device(void)
{
	struct device *known = bus_find_device(&platform_bus_type, NULL, ARM_ETE_ACPI_DEVICE,
					       ete_acpi_match);
	struct resource interrupt = { .flags = IORESOURCE_IRQ };
	u32 gsi;
	int irq;

	put_device(known);
	if (acpi_disabled || known)
		return 0;
	gsi = ete_acpi_common_gsi();
	if (!gsi)
		return 0;
	irq = acpi_register_gsi(NULL, gsi, ACPI_LEVEL_SENSITIVE, ACPI_ACTIVE_HIGH);
	if (irq < 0)
		return irq;
	interrupt.start = irq;
	interrupt.end = irq;
	ete_acpi_device = platform_device_register_simple(ARM_ETE_ACPI_DEVICE, PLATFORM_DEVID_NONE,
							  &interrupt, 1);
	if (IS_ERR(ete_acpi_device)) {
		int err = PTR_ERR(ete_acpi_device);

		ete_acpi_device = NULL;
		acpi_unregister_gsi(gsi);
		return err;
	}
	return 0;
}

/**
 * arm_ete_acpi_remove_device() - undo arm_ete_acpi_add_device()
 */
void arm_ete_acpi_remove_device(void)
{
	if (!ete_acpi_device)
		return;
	platform_device_unregister(ete_acpi_device);
	acpi_unregister_gsi(ete_acpi_common_gsi());
}
