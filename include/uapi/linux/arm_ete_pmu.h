/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Program flow trace of the Embedded Trace Extension through perf: what an event's config says,
 * what a recording says of each trace unit, and how trace lies in the AUX area.
 *
 * It is what stock perf does with a PMU of the name "cs_etm"; the numbers are fixed. A field, a
 * word or a flag is located here and nowhere else: for the driver's sysfs attributes, for its
 * register values, and for programs that make or read recordings.
 */
#ifndef _UAPI_LINUX_ARM_ETE_PMU_H
#define _UAPI_LINUX_ARM_ETE_PMU_H

#include <linux/types.h>

/*
 * Version of this header: raised when something is added. What is there does not change its
 * meaning; a reserved bit or word is 0 and must be given as 0.
 */
#define ARM_ETE_PMU_VERSION 2

/* Name of the PMU, unless the driver is told another one */
#define ARM_ETE_PMU_NAME "cs_etm"

/*
 * Fields of struct perf_event_attr. Each is a name as in the PMU's sysfs directory "format", the
 * member it is in, and its lowest and highest bit.
 *
 *   preset            with configid: a configuration the driver knows; 0 for none
 *   branch_broadcast  give the targets of all branches taken
 *   cycacc            count cycles
 *   contextid1        trace CONTEXTIDR_EL1
 *   contextid2        trace CONTEXTIDR_EL2 as virtual context identifier; refused where the
 *                     kernel is not at EL2
 *   timestamp         trace timestamps
 *   retstack          leave out the targets of returns that the return stack knows
 *   sinkid            which trace buffer; 0 for the PE's own, the only one there is
 *   configid          see preset
 *
 * Of config1, which no other driver of this PMU's name has:
 *
 *   cc_threshold      with cycacc: cycles between two counts, at least; 0 for the usual
 *   physical          the buffer is not translated while trace is written; it has to be
 *                     contiguous. For tracing what changes the kernel's mappings.
 *   event             a PMU event: an Event element where it occurs; 0 for none
 *   strobe_on         trace for so many cycles, then
 *   strobe_off        do not for so many, and again; both 0 to trace all the time
 *
 * In sysfs there is one more name, contextid: the one of contextid1 and contextid2 that has the
 * kernel's thread number, by the exception level the kernel is at.
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
#define ARM_ETE_PMU_FLD_timestamp_LO		28
#define ARM_ETE_PMU_FLD_timestamp_HI		28

#define ARM_ETE_PMU_FLD_retstack_CFG		config
#define ARM_ETE_PMU_FLD_retstack_LO		29
#define ARM_ETE_PMU_FLD_retstack_HI		29

#define ARM_ETE_PMU_FLD_sinkid_CFG		config2
#define ARM_ETE_PMU_FLD_sinkid_LO		0
#define ARM_ETE_PMU_FLD_sinkid_HI		31

#define ARM_ETE_PMU_FLD_configid_CFG		config2
#define ARM_ETE_PMU_FLD_configid_LO		32
#define ARM_ETE_PMU_FLD_configid_HI		63

#define ARM_ETE_PMU_FLD_cc_threshold_CFG	config1
#define ARM_ETE_PMU_FLD_cc_threshold_LO		0
#define ARM_ETE_PMU_FLD_cc_threshold_HI		11

#define ARM_ETE_PMU_FLD_physical_CFG		config1
#define ARM_ETE_PMU_FLD_physical_LO		12
#define ARM_ETE_PMU_FLD_physical_HI		12

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

/* Bits of config and config1 that mean something; all others are reserved. In config2 none are. */
#define ARM_ETE_PMU_CONFIG_VALID					\
	(ARM_ETE_PMU_MASK(preset) | ARM_ETE_PMU_MASK(branch_broadcast) |\
	 ARM_ETE_PMU_MASK(cycacc) | ARM_ETE_PMU_MASK(contextid1) |	\
	 ARM_ETE_PMU_MASK(contextid2) | ARM_ETE_PMU_MASK(timestamp) |	\
	 ARM_ETE_PMU_MASK(retstack))

#define ARM_ETE_PMU_CONFIG1_VALID					\
	(ARM_ETE_PMU_MASK(cc_threshold) | ARM_ETE_PMU_MASK(physical) |	\
	 ARM_ETE_PMU_MASK(event) | ARM_ETE_PMU_MASK(strobe_on) |	\
	 ARM_ETE_PMU_MASK(strobe_off))

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
 * @trctraceidr: ARM_ETE_PMU_TRACE_ID_FIRST + @cpu * ARM_ETE_PMU_TRACE_ID_STEP
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

#define ARM_ETE_PMU_TRACE_ID_FIRST	0x10
#define ARM_ETE_PMU_TRACE_ID_STEP	2

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
_ARM_ETE_PMU_ASSERT(ARM_ETE_PMU_CONFIG_VALID == 0x3000d10fULL, "fields do not overlap or move");
_ARM_ETE_PMU_ASSERT(ARM_ETE_PMU_CONFIG1_VALID == 0xffffffffffff1fffULL,
		    "fields of config1 do not overlap or move");
_ARM_ETE_PMU_ASSERT(ARM_ETE_PMU_MASK(sinkid) + ARM_ETE_PMU_MASK(configid) == ~(__u64)0,
		    "all of config2");

#endif /* _UAPI_LINUX_ARM_ETE_PMU_H */
