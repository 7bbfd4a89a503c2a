// SPDX-License-Identifier: GPL-2.0-only
/* hwflow doctor: processors, firmware, and what the kernel does with both. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "doctor.h"
#include "machine_firmware.h"
#include "machine_processor.h"

static const char remedy_architecture[] =
	"Record on an arm64 machine whose CPUs have FEAT_ETE and FEAT_TRBE. Without trace "
	"hardware, "
	"'hwflow emulate -o FILE -- PROGRAM' records an arm64 or riscv64 program.";
static const char remedy_processor[] = "Record on a machine whose CPUs have FEAT_ETE and FEAT_TRBE "
				       "(Armv9). 'hwflow emulate -o FILE "
				       "-- PROGRAM' records a program without trace hardware.";

/* The architecture as uname() has it; "" if unknown */
static void read_architecture(const struct machine *machine, char *name, size_t size)
{
	struct utsname own;
	char *cpuinfo;

	if (machine_word(machine, name, size, "proc/sys/kernel/arch"))
		return;
	if (machine->live && !uname(&own)) {
		snprintf(name, size, "%s", own.machine);
		return;
	}
	cpuinfo = machine_read(machine, NULL, "proc/cpuinfo");
	if (machine_exists(machine, "sys/devices/system/cpu/cpu0/regs/identification/midr_el1") ||
	    (cpuinfo && strstr(cpuinfo, "CPU architecture: 8")))
		snprintf(name, size, "aarch64");
	else if (cpuinfo && strstr(cpuinfo, "vendor_id"))
		snprintf(name, size, "x86_64");
	free(cpuinfo);
}

bool doctor_architecture(struct doctor *doctor)
{
	char name[128] = "";

	read_architecture(&doctor->machine, name, sizeof(name));
	if (!strcmp(name, "aarch64") || !strcmp(name, "aarch64_be")) {
		doctor_say(doctor, CHECK_ARCHITECTURE, DOCTOR_OK, NULL, "%s", name);
		return true;
	}
	if (*name)
		doctor_say(doctor, CHECK_ARCHITECTURE, DOCTOR_FAULT, remedy_architecture,
			   "%s has no Embedded Trace Extension (ETE)", name);
	else
		doctor_say(doctor, CHECK_ARCHITECTURE, DOCTOR_FAULT, remedy_architecture,
			   "unknown: neither /proc/sys/kernel/arch nor /proc/cpuinfo can be read");
	return false;
}

/* Whether the configuration that is installed with the kernel has this line */
static bool configured(const char *config, const char *line)
{
	const char *at = strstr(config, line);

	return at && (at == config || at[-1] == '\n');
}

static void check_config(struct doctor *doctor)
{
	char *config = machine_read(&doctor->machine, NULL, "boot/config-%s", doctor->release);

	if (config && !configured(config, "CONFIG_PID_IN_CONTEXTIDR=y"))
		doctor_say(
			doctor, CHECK_KERNEL, DOCTOR_WARNING,
			"Use a kernel with CONFIG_PID_IN_CONTEXTIDR=y, or record threads and not "
			"CPUs.",
			"Linux %s is built without CONFIG_PID_IN_CONTEXTIDR: the trace of a CPU "
			"does not show which thread runs",
			doctor->release);
	free(config);
}

void doctor_kernel(struct doctor *doctor)
{
	unsigned int major = 0, minor = 0;

	machine_word(&doctor->machine, doctor->release, sizeof(doctor->release),
		     "proc/sys/kernel/osrelease");
	if (!machine_exists(&doctor->machine, "proc/sys/kernel/perf_event_paranoid"))
		doctor_say(doctor, CHECK_KERNEL, DOCTOR_FAULT,
			   "Boot a kernel that is built with CONFIG_PERF_EVENTS=y.",
			   "Linux %s has no perf events (/proc/sys/kernel/perf_event_paranoid is "
			   "missing)",
			   doctor->release);
	if (sscanf(doctor->release, "%u.%u", &major, &minor) == 2 && !doctor_pmu(doctor) &&
	    (major < 6 || (major == 6 && minor < 1)))
		doctor_say(
			doctor, CHECK_KERNEL, DOCTOR_FAULT,
			"Boot Linux 6.1 or later; Documentation/driver.rst lists the kernels that "
			"are tested.",
			"arm_ete_pmu requires Linux 6.1 or later, and this is %s", doctor->release);
	check_config(doctor);
	doctor_say(doctor, CHECK_KERNEL, DOCTOR_OK, NULL, "Linux %s", doctor->release);
}

/* What users of a trace buffer with an erratum have to know */
static void check_errata(struct doctor *doctor, const struct processor *processor, char *all,
			 size_t size)
{
	char cpus[MACHINE_CPUS_TEXT], name[128];
	struct erratum errata[ERRATA];
	size_t count = processor_errata(processor->midr, errata);

	machine_cpus_text(&processor->cpus, cpus);
	processor_text(processor->midr, name, sizeof(name));
	for (size_t i = 0; i < count; i++) {
		size_t at = strlen(all);

		snprintf(all + at, size - at, "%s%u", at ? ", " : "", errata[i].number);
		if (errata[i].kind == ERRATUM_CORRUPT)
			doctor_say(doctor, CHECK_ERRATA, DOCTOR_FAULT, DOCTOR_REMEDY_CORRUPT,
				   "the trace of %s (%s) is corrupt (erratum %u)", cpus, name,
				   errata[i].number);
	}
}

void doctor_processors(struct doctor *doctor)
{
	struct processor processors[PROCESSORS];
	size_t count = processors_read(&doctor->machine, processors), old = 0;
	char text[400] = "", errata[200] = "";

	for (size_t i = 0; i < count; i++) {
		char cpus[MACHINE_CPUS_TEXT], name[128];
		size_t at = strlen(text);

		snprintf(text + at, sizeof(text) - at, "%s%s: %s", i ? "; " : "",
			 machine_cpus_text(&processors[i].cpus, cpus),
			 processor_text(processors[i].midr, name, sizeof(name)));
		old += processor_is_armv8(processors[i].midr);
		check_errata(doctor, &processors[i], errata, sizeof(errata));
	}
	if (!count)
		doctor_say(doctor, CHECK_PROCESSOR, DOCTOR_OPEN, NULL,
			   "unknown: sysfs has no MIDR_EL1");
	else if (old == count && !doctor_pmu(doctor))
		doctor_say(doctor, CHECK_PROCESSOR, DOCTOR_FAULT, remedy_processor,
			   "%s: Armv8 has neither FEAT_ETE nor FEAT_TRBE", text);
	else
		doctor_say(doctor, CHECK_PROCESSOR, DOCTOR_OK, NULL, "%s", text);
	if (*errata)
		doctor_say(doctor, CHECK_ERRATA, DOCTOR_OK, NULL,
			   "%s of the trace buffer; the driver works around them", errata);
	else if (count)
		doctor_say(doctor, CHECK_ERRATA, DOCTOR_OK, NULL,
			   "no erratum of the trace buffer is known");
}

static const char remedy_firmware[] =
	"Update the firmware. A device tree needs a node with compatible = "
	"\"arm,trace-buffer-extension\" and the PPI of the trace buffer in interrupts; ACPI needs "
	"the "
	"TRBE interrupt in the GICC entries of the MADT. In a virtual machine, record on its host: "
	"KVM gives no trace to guests.";
static const char remedy_interrupt[] =
	"Update the firmware, or add the property to the device tree: interrupts = <GIC_PPI N "
	"IRQ_TYPE_LEVEL_HIGH>, where N is the PPI that the manual of the machine gives for the "
	"trace "
	"buffer.";

static void check_tree(struct doctor *doctor, const struct firmware *firmware)
{
	if (!firmware->buffers && *firmware->disabled)
		doctor_say(
			doctor, CHECK_FIRMWARE, DOCTOR_FAULT,
			"Set status = \"okay\" in this node, by the settings or an update of the "
			"firmware.",
			"the trace buffer is disabled in the device tree: /%s", firmware->disabled);
	else if (!firmware->buffers)
		doctor_say(doctor, CHECK_FIRMWARE, DOCTOR_FAULT, remedy_firmware,
			   "the device tree describes no trace buffer: it has no node "
			   "arm,trace-buffer-extension");
	else
		doctor_say(doctor, CHECK_FIRMWARE, DOCTOR_OK, NULL,
			   "the device tree describes trace buffers: /%s", firmware->node);
	if (*firmware->no_interrupt)
		doctor_say(
			doctor, CHECK_INTERRUPT, DOCTOR_FAULT, remedy_interrupt,
			"the trace buffer has no interrupt: the property interrupts is missing in "
			"/%s",
			firmware->no_interrupt);
	else if (*firmware->shared_interrupt)
		doctor_say(
			doctor, CHECK_INTERRUPT, DOCTOR_FAULT, remedy_interrupt,
			"the interrupt of the trace buffer is not an interrupt of each CPU (PPI): "
			"/%s",
			firmware->shared_interrupt);
	else if (firmware->interrupt)
		doctor_say(doctor, CHECK_INTERRUPT, DOCTOR_OK, NULL, "PPI %u",
			   firmware->interrupt - 16);
	else if (firmware->buffers)
		doctor_say(doctor, CHECK_INTERRUPT, DOCTOR_OK, NULL,
			   "described in the device tree");
}

static void check_acpi(struct doctor *doctor, const struct firmware *firmware)
{
	if (!firmware->buffers) {
		doctor_say(doctor, CHECK_FIRMWARE, DOCTOR_FAULT, remedy_firmware,
			   "ACPI describes no trace buffer: no GICC entry of the MADT has a TRBE "
			   "interrupt");
		return;
	}
	doctor_say(doctor, CHECK_FIRMWARE, DOCTOR_OK, NULL, "ACPI describes trace buffers (MADT)");
	if (firmware->differ)
		doctor_say(
			doctor, CHECK_INTERRUPT, DOCTOR_FAULT,
			"Update the firmware: all GICC entries of the MADT have to name the same "
			"TRBE interrupt.",
			"the CPUs have different trace buffer interrupts in the MADT");
	else
		doctor_say(doctor, CHECK_INTERRUPT, DOCTOR_OK, NULL, "interrupt %u of each CPU",
			   firmware->interrupt);
}

void doctor_firmware(struct doctor *doctor)
{
	const struct pmu *pmu = doctor_pmu(doctor);
	struct firmware firmware;

	firmware_read(&doctor->machine, &firmware);
	/* a sink other than the trace buffer needs neither */
	if (pmu && pmu->driver == PMU_IN_TREE && !firmware.buffers) {
		doctor_say(doctor, CHECK_FIRMWARE, DOCTOR_OK, NULL,
			   "describes trace units, and a sink that is not the trace buffer");
		return;
	}
	switch (firmware.kind) {
	case FIRMWARE_TREE:
		check_tree(doctor, &firmware);
		break;
	case FIRMWARE_ACPI:
		check_acpi(doctor, &firmware);
		break;
	case FIRMWARE_ACPI_UNREADABLE:
		doctor_say(doctor, CHECK_FIRMWARE, DOCTOR_OPEN, NULL,
			   "only root can read the ACPI tables");
		break;
	case FIRMWARE_UNKNOWN:
		doctor_say(doctor, CHECK_FIRMWARE, DOCTOR_OPEN, NULL,
			   "neither a device tree nor ACPI tables can be read");
		break;
	}
}

/* sysfs shows KPTI only where a processor is affected by Meltdown; otherwise the log does. */
void doctor_mapping(struct doctor *doctor)
{
	char meltdown[128];

	machine_word(&doctor->machine, meltdown, sizeof(meltdown),
		     "sys/devices/system/cpu/vulnerabilities/meltdown");
	if (strstr(meltdown, "PTI"))
		doctor_say(doctor, CHECK_KPTI, DOCTOR_FAULT, DOCTOR_REMEDY_KPTI,
			   "the kernel is not mapped while user code runs (%s)", meltdown);
	else if (doctor_argument(doctor, "kpti=1") || doctor_argument(doctor, "kpti=on"))
		doctor_say(doctor, CHECK_KPTI, DOCTOR_FAULT, DOCTOR_REMEDY_KPTI,
			   "the kernel is not mapped while user code runs (kpti=1)");
	else if (doctor->log || doctor_pmu(doctor))
		doctor_say(doctor, CHECK_KPTI, DOCTOR_OK, NULL,
			   "the kernel is mapped while user code runs");
	else
		doctor_say(doctor, CHECK_KPTI, DOCTOR_OPEN, NULL,
			   "the kernel's log cannot be read: run hwflow doctor as root");
}

void doctor_online(struct doctor *doctor)
{
	struct machine_cpus present = {0}, online = {0}, offline = {0};
	char text[MACHINE_CPUS_TEXT];

	if (!machine_cpus_read(&doctor->machine, &present, "sys/devices/system/cpu/present") ||
	    !machine_cpus_read(&doctor->machine, &online, "sys/devices/system/cpu/online"))
		return;
	for (unsigned int cpu = 0; cpu < MACHINE_CPUS; cpu++)
		if (machine_cpus_has(&present, cpu) && !machine_cpus_has(&online, cpu))
			machine_cpus_add(&offline, cpu);
	if (machine_cpus_count(&offline))
		doctor_say(doctor, CHECK_CPUS, DOCTOR_WARNING,
			   "A CPU is traced when it is online: echo 1 "
			   ">/sys/devices/system/cpu/cpuN/online",
			   "offline: %s", machine_cpus_text(&offline, text));
	else
		doctor_say(doctor, CHECK_CPUS, DOCTOR_OK, NULL, "%s online, none offline",
			   machine_cpus_text(&online, text));
}
