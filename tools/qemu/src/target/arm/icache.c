/*
 * Arm: instruction cache maintenance, as far as translated blocks are one
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * IC IVAU by address: see exec/tb-stale.h. IC IALLU and IC IALLUIS remain what
 * they are, for nothing but Linux's start uses them.
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "internals.h"
#include "cpregs.h"
#include "exec/exec-all.h"
#include "exec/tb-stale.h"

static void ic_ivau_write(CPUARMState *env, const ARMCPRegInfo *ri,
                          uint64_t value)
{
    uint64_t line = 4 << extract32(env_archcpu(env)->ctr, 0, 4);
    uint64_t address = value & -line;
    ram_addr_t ram;
    void *host;

    /* no fault, as before; code that is not mapped is not executed either */
    probe_access_flags(env, address, line, MMU_DATA_LOAD,
                       arm_env_mmu_index(env), true, &host, 0);
    if (!host) {
        return;
    }
    ram = qemu_ram_addr_from_host(host);
    if (ram != RAM_ADDR_INVALID) {
        tb_code_changed(ram, ram + line - 1);
    }
}

void define_icache_regs(ARMCPU *cpu)
{
    uint32_t key = ENCODE_AA64_CP_REG(CP_REG_ARM64_SYSREG_CP, 7, 5, 1, 3, 1);
    ARMCPRegInfo *ri = g_hash_table_lookup(cpu->cp_regs, GUINT_TO_POINTER(key));

    if (!arm_feature(&cpu->env, ARM_FEATURE_AARCH64)) {
        return;
    }
    assert(ri && (ri->type & ARM_CP_SPECIAL_MASK) == ARM_CP_NOP);
    ri->type &= ~ARM_CP_SPECIAL_MASK;
    ri->type |= ARM_CP_NO_RAW | ARM_CP_SUPPRESS_TB_END;
    ri->writefn = ic_ivau_write;
}
