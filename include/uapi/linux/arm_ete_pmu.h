/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Program flow trace of the Embedded Trace Extension through perf: the configuration fields of an
 * event, the metadata that a recording holds for each trace unit, and the layout of trace in the
 * AUX area.
 *
 * Stock perf fixes these numbers for a PMU of the name "cs_etm". Each field, word and flag is
 * located in this header and nowhere else. The driver's sysfs attributes, its register values and
 * the programs that make or read recordings all use it.
 */
#ifndef _UAPI_LINUX_ARM_ETE_PMU_H
#define _UAPI_LINUX_ARM_ETE_PMU_H

#include <linux/types.h>

/*
 * Version of this header. The number grows when a field is added or moved. A reserved bit or word
 * is 0 and must be written as 0.
 */
#define ARM_ETE_PMU_VERSION 4

/* Name of the PMU, unless the module parameter pmu_name gives another one */
#define ARM_ETE_PMU_NAME "cs_etm"

/*
 * Fields of struct perf_event_attr. Each field has a name, as in the PMU's sysfs directory
 * "format", the member that holds it, and its lowest and highest bit.
 *
 *   preset            preset of a system configuration; must be 0
 *   timestamp         interval of timestamps: 0 is off; n from 2 to 14 is 2^(n-1) cycles; 15 is
 *                     only with synchronisation; 1, which perf sets by itself for a CPU-wide
 *                     event, is 4096 cycles, as 13 is
 *   branch_broadcast  trace the target addresses of all taken branches
 *   cycacc            trace cycle counts
 *   contextid1        trace CONTEXTIDR_EL1
 *   contextid2        trace CONTEXTIDR_EL2 as virtual context identifier; the kernel must be at EL2
 *   deprecated_timestamp
 *                     timestamp=1 at its former place: older perfs set this bit by themselves;
 *                     sysfs does not show it
 *   retstack          omit the target address of a return that the return stack predicts
 *   sinkid            trace buffer; must be 0, which is the PE's own
 *   configid          system configuration; must be 0
 *   cc_threshold      with cycacc: minimum number of cycles between two cycle counts; 0 is 256
 *   deprecated_cc_threshold
 *                     cc_threshold at its former place, for kernels and perfs without config3;
 *                     sysfs shows this place on a kernel before 6.3
 *
 * The fields of config1 exist in this driver only:
 *
 *   physical          the trace buffer does not translate addresses; the AUX area must be
 *                     physically contiguous. For trace of code that changes the kernel's mappings.
 *   instrumentation   trace the values that software writes with TRCIT (FEAT_ITE)
 *   event             PMU event number; the trace has an Event element where the event occurs
 *   strobe_on         trace for this number of cycles, then
 *   strobe_off        do not trace for this number of cycles, and repeat; 0 and 0: no strobing
 *
 * The sysfs name contextid stands for contextid1 or contextid2, whichever register holds the
 * kernel's thread number.
 */
#define ARM_ETE_PMU_FLD_preset_CFG		config
#define ARM_ETE_PMU_FLD_preset_LO		0
#define ARM_ETE_PMU_FLD_preset_HI		3

#define ARM_ETE_PMU_FLD_branch_broadcast_CFG	config
#define ARM_ETE_PMU_FLD_branch_broadcast_LO	8
#define ARM_ETE_PMU_FLD_branch_broadcast_HI	8

#define ARM_ETE_PMU_FLD_cycacc_CFG		config
#define ARM_ETE_PMU_FLD_cycacc_LO		12
#define ARM_ETE_PMU_FLD_cycacc_HI		12

#define ARM_ETE_PMU_FLD_contextid1_CFG		config
#define ARM_ETE_PMU_FLD_contextid1_LO		14
#define ARM_ETE_PMU_FLD_contextid1_HI		14

#define ARM_ETE_PMU_FLD_contextid2_CFG		config
#define ARM_ETE_PMU_FLD_contextid2_LO		15
#define ARM_ETE_PMU_FLD_contextid2_HI		15

#define ARM_ETE_PMU_FLD_timestamp_CFG		config
#define ARM_ETE_PMU_FLD_timestamp_LO		4
#define ARM_ETE_PMU_FLD_timestamp_HI		7

#define ARM_ETE_PMU_FLD_deprecated_timestamp_CFG	config
#define ARM_ETE_PMU_FLD_deprecated_timestamp_LO		28
#define ARM_ETE_PMU_FLD_deprecated_timestamp_HI		28

#define ARM_ETE_PMU_FLD_retstack_CFG		config
#define ARM_ETE_PMU_FLD_retstack_LO		29
#define ARM_ETE_PMU_FLD_retstack_HI		29

#define ARM_ETE_PMU_FLD_sinkid_CFG		config2
#define ARM_ETE_PMU_FLD_sinkid_LO		0
#define ARM_ETE_PMU_FLD_sinkid_HI		31

#define ARM_ETE_PMU_FLD_configid_CFG		config2
#define ARM_ETE_PMU_FLD_configid_LO		32
#define ARM_ETE_PMU_FLD_configid_HI		63

#define ARM_ETE_PMU_FLD_cc_threshold_CFG	config3
#define ARM_ETE_PMU_FLD_cc_threshold_LO		0
#define ARM_ETE_PMU_FLD_cc_threshold_HI		11

#define ARM_ETE_PMU_FLD_deprecated_cc_threshold_CFG	config1
#define ARM_ETE_PMU_FLD_deprecated_cc_threshold_LO	0
#define ARM_ETE_PMU_FLD_deprecated_cc_threshold_HI	11

#define ARM_ETE_PMU_FLD_physical_CFG		config1
#define ARM_ETE_PMU_FLD_physical_LO		12
#define ARM_ETE_PMU_FLD_physical_HI		12

#define ARM_ETE_PMU_FLD_instrumentation_CFG	config1
#define ARM_ETE_PMU_FLD_instrumentation_LO	13
#define ARM_ETE_PMU_FLD_instrumentation_HI	13

#define ARM_ETE_PMU_FLD_event_CFG		config1
#define ARM_ETE_PMU_FLD_event_LO		16
#define ARM_ETE_PMU_FLD_event_HI		31

#define ARM_ETE_PMU_FLD_strobe_on_CFG		config1
#define ARM_ETE_PMU_FLD_strobe_on_LO		32
#define ARM_ETE_PMU_FLD_strobe_on_HI		47

#define ARM_ETE_PMU_FLD_strobe_off_CFG		config1
#define ARM_ETE_PMU_FLD_strobe_off_LO		48
#define ARM_ETE_PMU_FLD_strobe_off_HI		63

/* Lowest bit of a field, and its bits in place: ARM_ETE_PMU_MASK(cycacc) */
#define ARM_ETE_PMU_SHIFT(name) ARM_ETE_PMU_FLD_##name##_LO
#define ARM_ETE_PMU_MASK(name)						\
	((~(__u64)0 >> (63 - ARM_ETE_PMU_FLD_##name##_HI +		\
			ARM_ETE_PMU_FLD_##name##_LO))			\
	 << ARM_ETE_PMU_FLD_##name##_LO)

/* Bits that belong to a field; all others are reserved. In config2 no bit is. */
#define ARM_ETE_PMU_CONFIG_VALID					\
	(ARM_ETE_PMU_MASK(preset) | ARM_ETE_PMU_MASK(timestamp) |	\
	 ARM_ETE_PMU_MASK(branch_broadcast) | ARM_ETE_PMU_MASK(cycacc) |\
	 ARM_ETE_PMU_MASK(contextid1) | ARM_ETE_PMU_MASK(contextid2) |	\
	 ARM_ETE_PMU_MASK(deprecated_timestamp) | ARM_ETE_PMU_MASK(retstack))

#define ARM_ETE_PMU_CONFIG1_VALID					\
	(ARM_ETE_PMU_MASK(deprecated_cc_threshold) |			\
	 ARM_ETE_PMU_MASK(physical) | ARM_ETE_PMU_MASK(instrumentation) |\
	 ARM_ETE_PMU_MASK(event) | ARM_ETE_PMU_MASK(strobe_on) |	\
	 ARM_ETE_PMU_MASK(strobe_off))

#define ARM_ETE_PMU_CONFIG3_VALID	ARM_ETE_PMU_MASK(cc_threshold)

/* Value of the field timestamp: no counter, only the timestamps of synchronisation */
#define ARM_ETE_PMU_TIMESTAMP_SYNC	15

/*
 * The AUXTRACE_INFO record: its type, then a struct arm_ete_pmu_info, then a struct
 * arm_ete_pmu_cpu for each CPU recorded, in ascending order, to the end of the record.
 */
#define ARM_ETE_PMU_AUXTRACE_TYPE	3
#define ARM_ETE_PMU_INFO_VERSION	1

/**
 * struct arm_ete_pmu_info - of the whole recording
 * @version: ARM_ETE_PMU_INFO_VERSION; one who reads refuses a higher one
 * @pmu_type_cpus: number of struct arm_ete_pmu_cpu that follow; in bits 63:32 the type of the PMU
 * @snapshot: 1 for a recording in snapshot mode, else 0
 */
struct arm_ete_pmu_info {
	__u64 version;
	__u64 pmu_type_cpus;
	__u64 snapshot;
};

#define ARM_ETE_PMU_CPU_MAGIC	0x5050505050505050ULL

/* Words of struct arm_ete_pmu_cpu after @words. One who reads passes over any beyond. */
#define ARM_ETE_PMU_CPU_WORDS	8

/**
 * struct arm_ete_pmu_cpu - one CPU and how its trace is to be read
 * @magic: ARM_ETE_PMU_CPU_MAGIC
 * @cpu: number of the CPU
 * @words: how many follow: ARM_ETE_PMU_CPU_WORDS
 * @trcconfigr: made from the event's config, see below; not read from the trace unit
 * @trctraceidr: as perf numbers CPUs: 0x10 + 2 * @cpu up to CPU 47; see ARM_ETE_PMU_TRACE_ID()
 * @trcidr0: as the trace unit has it, and so are all below
 * @trcidr1: implementation
 * @trcidr2: sizes of context identifiers and counts
 * @trcidr8: MAXSPEC
 * @trcauthstatus: which trace is allowed
 * @trcdevarch: says that this is an ETE, and which version
 */
struct arm_ete_pmu_cpu {
	__u64 magic;
	__u64 cpu;
	__u64 words;
	__u64 trcconfigr;
	__u64 trctraceidr;
	__u64 trcidr0;
	__u64 trcidr1;
	__u64 trcidr2;
	__u64 trcidr8;
	__u64 trcauthstatus;
	__u64 trcdevarch;
};

/*
 * Trace ID of a CPU. CoreSight has the IDs 1 to 0x6f. perf's own number, 0x10 + 2 * CPU, is taken
 * as far as it goes; then come the odd ones, then those below. 111 CPUs have an ID that no other
 * one has. From there on IDs repeat: a decoder goes by the buffer that the trace is in.
 */
#define ARM_ETE_PMU_TRACE_ID(cpu)					\
	((cpu) % 111 < 48 ? 0x10 + 2 * ((cpu) % 111) :			\
	 (cpu) % 111 < 96 ? 0x11 + 2 * ((cpu) % 111 - 48) :		\
	 (cpu) % 111 - 95)

/*
 * Payload of PERF_RECORD_AUX_OUTPUT_HW_ID, which names the trace ID of the CPU that the record's
 * sample ID names: version 0.1 in the upper byte, a number of the CPU's own trace buffer, the ID.
 */
#define ARM_ETE_PMU_HW_ID(cpu)						\
	((1ULL << 56) | ((__u64)((cpu) + 1) << 8) | ARM_ETE_PMU_TRACE_ID(cpu))

/*
 * Bits of trcconfigr, and the field of config that sets each. The trace unit is programmed with
 * just these, for the decoder knows nothing else of how it was.
 */
#define ARM_ETE_PMU_TRCCONFIGR_BB	(1U << 3)	/* branch_broadcast */
#define ARM_ETE_PMU_TRCCONFIGR_CCI	(1U << 4)	/* cycacc */
#define ARM_ETE_PMU_TRCCONFIGR_CID	(1U << 6)	/* contextid1 */
#define ARM_ETE_PMU_TRCCONFIGR_VMID	(1U << 7)	/* contextid2 */
#define ARM_ETE_PMU_TRCCONFIGR_TS	(1U << 11)	/* timestamp */
#define ARM_ETE_PMU_TRCCONFIGR_RS	(1U << 12)	/* retstack */
#define ARM_ETE_PMU_TRCCONFIGR_VMIDOPT	(1U << 15)	/* contextid2 */

/*
 * AUX records. Bits 15:8 of the flags say what the bytes are: trace as the trace unit made it,
 * in no CoreSight frames. Each record begins with an alignment synchronisation and can be decoded
 * alone. Bytes that are there only to fill are Ignore packets.
 */
#define ARM_ETE_PMU_AUX_FORMAT_MASK	0xff00ULL
#define ARM_ETE_PMU_AUX_FORMAT		0x0100ULL
#define ARM_ETE_PMU_PADDING		0x70

#if defined(__cplusplus) && __cplusplus >= 201103L
#define _ARM_ETE_PMU_ASSERT(what, text) static_assert(what, text)
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define _ARM_ETE_PMU_ASSERT(what, text) _Static_assert(what, text)
#else
#define _ARM_ETE_PMU_ASSERT(what, text) struct arm_ete_pmu_cpu
#endif

_ARM_ETE_PMU_ASSERT(sizeof(struct arm_ete_pmu_info) == 3 * 8, "three words");
_ARM_ETE_PMU_ASSERT(sizeof(struct arm_ete_pmu_cpu) == (3 + ARM_ETE_PMU_CPU_WORDS) * 8,
		    "three words and those that are counted");
_ARM_ETE_PMU_ASSERT(ARM_ETE_PMU_CONFIG_VALID == 0x3000d1ffULL, "fields do not overlap or move");
_ARM_ETE_PMU_ASSERT(ARM_ETE_PMU_CONFIG1_VALID == 0xffffffffffff3fffULL,
		    "fields of config1 do not overlap or move");
_ARM_ETE_PMU_ASSERT(ARM_ETE_PMU_MASK(sinkid) + ARM_ETE_PMU_MASK(configid) == ~(__u64)0,
		    "all of config2");

#endif /* _UAPI_LINUX_ARM_ETE_PMU_H */
