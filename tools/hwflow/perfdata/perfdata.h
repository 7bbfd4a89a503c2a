/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf.data files: what their writer (perfdata_write.h) and their reader (perfdata_read.h) share.
 *
 * Functions return 0 or a negative errno. Facts of the format: perf_event_open(2) and the
 * kernel's tools/perf/Documentation/perf.data-file-format.txt.
 */
#ifndef HWFLOW_PERFDATA_H
#define HWFLOW_PERFDATA_H

#include <linux/arm_ete_pmu.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hwflow/ete.h"
#include "perfdata_clock.h"
#include "perfdata_riscv.h"

/** PERFDATA_ANY - a cpu, pid or tid that is not known, or that does not matter */
#define PERFDATA_ANY (-1)

/* flags of an AUX record */
#define PERFDATA_AUX_TRUNCATED   UINT64_C(0x01) /* no room; the event was stopped */
#define PERFDATA_AUX_OVERWRITE   UINT64_C(0x02) /* snapshot mode */
#define PERFDATA_AUX_PARTIAL     UINT64_C(0x04) /* trace was lost, but went on */
#define PERFDATA_AUX_COLLISION   UINT64_C(0x08) /* part of it was lost to another user */
#define PERFDATA_AUX_FORMAT_MASK ARM_ETE_PMU_AUX_FORMAT_MASK
#define PERFDATA_AUX_FRAMED      UINT64_C(0x0000)       /* 16-byte CoreSight frames */
#define PERFDATA_AUX_RAW         ARM_ETE_PMU_AUX_FORMAT /* bytes as the trace unit made them */

/** enum perfdata_protocol - which trace unit a CPU has */
enum perfdata_protocol {
	PERFDATA_ETE,
	PERFDATA_ETMV4,
	PERFDATA_ETMV3,
	PERFDATA_RISCV,
};

/**
 * struct perfdata_etmv3_regs - registers of an ETMv3 or PTM
 */
struct perfdata_etmv3_regs {
	uint32_t etmcr;
	uint32_t etmtraceidr;
	uint32_t etmccer;
	uint32_t etmidr;
};

/**
 * struct perfdata_cpu - one CPU and its trace unit
 * @cpu: its number
 * @protocol: enum perfdata_protocol: which of the members below holds
 * @sink: the trace buffer of the CPU, by which trace IDs are told apart; 0 where not recorded
 * @regs: ETE and ETMv4, the latter without TRCDEVARCH
 * @etmv3: ETMv3
 * @riscv: RISC-V Processor Trace; in a recording of its own
 * @counter_time: timestamps of its trace are of the counter that the perf clock is made from. All
 *	CPUs have to have this for struct perfdata_clock
 */
struct perfdata_cpu {
	uint32_t cpu;
	uint8_t protocol;
	uint32_t sink;
	struct hwf_ete_regs regs;
	struct perfdata_etmv3_regs etmv3;
	struct perfdata_riscv riscv;
	bool counter_time;
};

/**
 * struct perfdata_mapping - file contents that a process has mapped
 * @address: first virtual address
 * @length: bytes
 * @file_offset: of the first byte, in @path
 * @prot: PROT_READ and so on, as mmap(2)
 * @flags: MAP_PRIVATE and so on, as mmap(2)
 * @path: name of the file on the machine recorded, or "[vdso]", "//anon" and so on
 * @major: device and inode of the file, where known, as in an MMAP2 record
 * @minor: see @major
 * @inode: see @major
 * @build_id: of the file, in place of device and inode, if @build_id_size is not 0
 * @build_id_size: bytes of @build_id, at most 20
 */
struct perfdata_mapping {
	uint64_t address;
	uint64_t length;
	uint64_t file_offset;
	uint32_t prot;
	uint32_t flags;
	const char *path;
	uint32_t major;
	uint32_t minor;
	uint64_t inode;
	uint8_t build_id[20];
	uint8_t build_id_size;
};

/**
 * struct perfdata_cgroup - a cgroup
 * @id: its number
 * @path: below the mount point of the cgroup file system; "/" is the root
 */
struct perfdata_cgroup {
	uint64_t id;
	const char *path;
};

#endif /* HWFLOW_PERFDATA_H */
