/* SPDX-License-Identifier: GPL-2.0-only */
/* hwflow doctor: checks of a machine, one line each. */
#ifndef HWFLOW_DOCTOR_H
#define HWFLOW_DOCTOR_H

#include "machine_files.h"
#include "machine_pmu.h"

enum doctor_check {
#define D(check, name) CHECK_##check,
#include "doctor.def"
	CHECKS,
};

enum doctor_state {
	DOCTOR_OPEN, /* not checked */
	DOCTOR_OK,
	DOCTOR_WARNING,
	DOCTOR_FAULT,
};

/* Remedies that more than one check has */
#define DOCTOR_REMEDY_KPTI                                                                  \
	"Boot with kpti=0, if the processors are not affected by Meltdown or user code is " \
	"trusted: "                                                                         \
	"the trace buffer is written through the kernel's page tables."
#define DOCTOR_REMEDY_CORRUPT                                                                      \
	"This erratum has no workaround: record on other CPUs (perf record -C CPUS, taskset), or " \
	"on "                                                                                      \
	"a machine with a later revision of this processor."
#define DOCTOR_REMEDY_CHANGE_OVER                                                                  \
	"To change over to arm_ete_pmu: modprobe -r coresight-trbe coresight-etm4x coresight; "    \
	"modprobe arm_ete_pmu. The file modprobe.d/arm_ete_pmu.conf, which 'make install-module' " \
	"installs, keeps the in-tree driver from being loaded at boot."
#define DOCTOR_REMEDY_REBUILD                                                 \
	"Build it for the running kernel: dkms autoinstall; or make modules " \
	"KDIR=/lib/modules/$(uname -r)/build in the source tree of hwflow, then insmod."
#define DOCTOR_REMEDY_SIGN                                                                  \
	"Sign the module: DKMS does it with the machine owner's key, which is enrolled by " \
	"'mokutil "                                                                         \
	"--import /var/lib/dkms/mok.pub' and a reboot. Or disable Secure Boot in the firmware."

/**
 * struct doctor_finding - the result of a check
 * @state: the result
 * @text: a line
 * @remedy: sentences with the commands to type, or NULL
 */
struct doctor_finding {
	enum doctor_state state;
	char text[512];
	const char *remedy;
};

/**
 * struct doctor - an examination
 * @machine: the machine
 * @release: of its kernel
 * @log: the kernel's log, or NULL
 * @pmus: PMUs that record program flow
 * @pmu_count: number of @pmus
 * @findings: results, by enum doctor_check
 */
struct doctor {
	struct machine machine;
	char release[128];
	char *log;
	struct pmu pmus[PMUS];
	size_t pmu_count;
	struct doctor_finding findings[CHECKS];
};

/**
 * doctor_say() - note the result of a check
 * @doctor: the examination
 * @check: the check
 * @state: the result; it replaces one that is less severe
 * @remedy: how to mend the fault; a string that is never freed, or NULL
 * @format: the line, as for printf()
 */
__attribute__((format(printf, 5, 6))) void doctor_say(struct doctor *doctor,
						      enum doctor_check check,
						      enum doctor_state state, const char *remedy,
						      const char *format, ...);

/** doctor_faults() - number of faults found by the checks before @before */
unsigned int doctor_faults(const struct doctor *doctor, enum doctor_check before);

/** doctor_pmu() - a PMU that can trace at least one CPU, or NULL */
const struct pmu *doctor_pmu(const struct doctor *doctor);

/** doctor_has_module() - whether a kernel module is loaded */
bool doctor_has_module(const struct doctor *doctor, const char *name);

/** doctor_argument() - whether the kernel's command line has this word */
bool doctor_argument(const struct doctor *doctor, const char *word);

/** doctor_architecture() - the machine is an arm64 one; false: no other check makes sense */
bool doctor_architecture(struct doctor *doctor);

/** doctor_kernel() - version and configuration of the kernel */
void doctor_kernel(struct doctor *doctor);

/** doctor_processors() - the processors can have trace units; errata of their trace buffers */
void doctor_processors(struct doctor *doctor);

/** doctor_firmware() - firmware describes trace buffers and their interrupt */
void doctor_firmware(struct doctor *doctor);

/** doctor_mapping() - the kernel is mapped while user code runs */
void doctor_mapping(struct doctor *doctor);

/** doctor_online() - all CPUs are online */
void doctor_online(struct doctor *doctor);

/** doctor_in_tree() - the in-tree driver is not bound */
void doctor_in_tree(struct doctor *doctor);

/** doctor_log() - refusals in the kernel's log, each with its cause */
void doctor_log(struct doctor *doctor);

/** doctor_driver() - a driver is installed for this kernel, and loaded; lockdown */
void doctor_driver(struct doctor *doctor);

/** doctor_permission() - perf_event_paranoid and the capabilities of this process */
void doctor_permission(struct doctor *doctor);

/** doctor_memory() - memory that may be locked for buffers */
void doctor_memory(struct doctor *doctor);

/** doctor_tracefs() - tracepoints can be recorded */
void doctor_tracefs(struct doctor *doctor);

/** doctor_attempt() - open an event of this thread, and trace it */
void doctor_attempt(struct doctor *doctor);

#endif /* HWFLOW_DOCTOR_H */
