/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers of the perf.data format that linux/perf_event.h does not have. */
#ifndef HWFLOW_PERFDATA_FORMAT_H
#define HWFLOW_PERFDATA_FORMAT_H

#include <linux/arm_ete_pmu.h>
#include <stddef.h>
#include <stdint.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error perf.data is in the byte order of the machine; only little-endian is supported
#endif

#define PERFDATA_MAGIC     UINT64_C(0x32454c4946524550) /* PERFILE2 */
#define PERFDATA_MAGIC_BE  UINT64_C(0x50455246494c4532) /* the same, of a big-endian machine */
#define PERFDATA_MAGIC_OLD UINT64_C(0x454c494646524550) /* PERFFILE, before 2010 */

/* the feature VERSION of a file that hwflow has not completed, or will not */
#define PERFDATA_VERSION_INCOMPLETE "hwflow, not completed"

/* a part of the file */
struct perfdata_section {
	uint64_t offset;
	uint64_t size;
};

/* head of a file; of one from a pipe, only magic and size */
struct perfdata_header {
	uint64_t magic;
	uint64_t size;
	uint64_t attr_size;
	struct perfdata_section attrs;
	struct perfdata_section data;
	struct perfdata_section event_types;
	uint64_t features[4];
};

#define PERFDATA_PIPE_HEADER 16

/* bytes of struct perf_event_attr as of its first version */
#define PERFDATA_ATTR_SIZE_MIN 64

_Static_assert(sizeof(struct perfdata_header) == 104, "the format");

/* bits of perfdata_header.features; their sections follow the data, in this order */
enum perfdata_feature {
	PERFDATA_FEATURE_TRACING_DATA = 1,
	PERFDATA_FEATURE_BUILD_ID = 2,
	PERFDATA_FEATURE_HOSTNAME = 3,
	PERFDATA_FEATURE_OSRELEASE = 4,
	PERFDATA_FEATURE_VERSION = 5,
	PERFDATA_FEATURE_ARCH = 6,
	PERFDATA_FEATURE_NRCPUS = 7,
	PERFDATA_FEATURE_CMDLINE = 11,
	PERFDATA_FEATURE_EVENT_DESC = 12,
	PERFDATA_FEATURE_PMU_MAPPINGS = 16,
	PERFDATA_FEATURE_AUXTRACE = 18,
	PERFDATA_FEATURE_DIR_FORMAT = 24,
	PERFDATA_FEATURE_COMPRESSED = 27,
	PERFDATA_FEATURES = 256,
};

#define PERFDATA_VDSO_MAGIC "hwf-vdso"

/**
 * struct perfdata_vdso_tail - the last bytes of a file that has the vdso: the ELF file is before
 * them
 * @size: bytes of the ELF file
 * @magic: PERFDATA_VDSO_MAGIC, without its last byte
 */
struct perfdata_vdso_tail {
	uint64_t size;
	char magic[8];
};

/* in perf_event_header.misc of a record of the list of build ids: its size is given */
#define PERFDATA_MISC_BUILD_ID_SIZE (1u << 15)

/* records that perf itself adds; simpleperf's own begin at 32768 */
enum perfdata_user_record {
	PERFDATA_RECORD_HEADER_ATTR = 64,
	PERFDATA_RECORD_TRACING_DATA = 66,
	PERFDATA_RECORD_BUILD_ID = 67,
	PERFDATA_RECORD_FINISHED_ROUND = 68,
	PERFDATA_RECORD_ID_INDEX = 69,
	PERFDATA_RECORD_AUXTRACE_INFO = 70,
	PERFDATA_RECORD_AUXTRACE = 71,
	PERFDATA_RECORD_TIME_CONV = 79,
	PERFDATA_RECORD_HEADER_FEATURE = 80,
	PERFDATA_RECORD_COMPRESSED = 81,
	PERFDATA_RECORD_FINISHED_INIT = 82,
	PERFDATA_RECORD_COMPRESSED2 = 83,
	PERFDATA_RECORD_SIMPLEPERF = 32768,
};

/* AUXTRACE record; the trace follows it, @size bytes */
struct perfdata_auxtrace {
	uint32_t type;
	uint16_t misc;
	uint16_t record_size;
	uint64_t size;
	uint64_t offset;
	uint64_t reference;
	uint32_t idx;
	uint32_t tid;
	uint32_t cpu;
	uint32_t reserved;
};

_Static_assert(sizeof(struct perfdata_auxtrace) == 48, "the format");

/* an entry of an ID_INDEX record: the area whose trace the samples with an identifier have */
struct perfdata_id_entry {
	uint64_t id;
	uint64_t idx;
	uint64_t cpu;
	uint64_t tid;
};

_Static_assert(sizeof(struct perfdata_id_entry) == 32, "the format");

/* attr.branch_sample_type, since Linux 6.8: a word of counters follows for each branch */
#define PERFDATA_BRANCH_COUNTERS (UINT64_C(1) << 19)

/* TIME_CONV record; before Linux 5.10 it ends before @cycles */
struct perfdata_time_conv {
	uint32_t type;
	uint16_t misc;
	uint16_t record_size;
	uint64_t shift;
	uint64_t mult;
	uint64_t zero;
	uint64_t cycles;
	uint64_t mask;
	uint8_t has_zero;
	uint8_t is_short;
	uint8_t reserved[6];
};

_Static_assert(sizeof(struct perfdata_time_conv) == 56, "the format");

/*
 * The word that follows the registers: timestamps are of the virtual counter; their source is
 * unknown; or perf did not read it, because the kernel's driver does not show it. perf before 6.3
 * writes no word.
 */
#define PERFDATA_TS_SOURCE_VIRTUAL 1
#define PERFDATA_TS_SOURCE_UNKNOWN 0
#define PERFDATA_TS_SOURCE_UNREAD  UINT64_MAX

/* AUXTRACE_INFO of cs_etm: linux/arm_ete_pmu.h; blocks of older trace units besides */
/*
 * Versions of AUXTRACE_INFO: 0 has no number of registers, 2 is as 1, with trace IDs that records
 * (PERF_RECORD_AUX_OUTPUT_HW_ID) put in order.
 */
#define PERFDATA_INFO_VERSION_READ 2

#define PERFDATA_MAGIC_ETMV3 UINT64_C(0x3030303030303030)
#define PERFDATA_MAGIC_ETMV4 UINT64_C(0x4040404040404040)
#define PERFDATA_MAGIC_ETE   ARM_ETE_PMU_CPU_MAGIC

/* words of a block: magic, cpu and number of registers come before the registers */
#define PERFDATA_INFO_WORDS  (sizeof(struct arm_ete_pmu_info) / 8)
#define PERFDATA_BLOCK_WORDS (offsetof(struct arm_ete_pmu_cpu, trcconfigr) / 8)
#define PERFDATA_REGS_ETMV3  ((size_t)4)
#define PERFDATA_REGS_ETMV4  ((size_t)7)
#define PERFDATA_REGS_ETE    ((size_t)ARM_ETE_PMU_CPU_WORDS)

#endif /* HWFLOW_PERFDATA_FORMAT_H */
