/*
 * What firmware at EL3 would have set up for Non-secure software
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * A machine with EL3 that boots a kernel directly has no firmware: QEMU takes
 * its place, for the first CPU and for those that PSCI turns on.
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "cpu-trace.h"

void arm_emulate_el3_firmware(ARMCPU *cpu)
{
    CPUARMState *env = &cpu->env;

    if (cpu_isar_feature(aa64_pauth, cpu)) {
        env->cp15.scr_el3 |= SCR_API | SCR_APK;
    }
    if (cpu_isar_feature(aa64_mte, cpu)) {
        env->cp15.scr_el3 |= SCR_ATA;
    }
    if (cpu_isar_feature(aa64_sve, cpu)) {
        env->cp15.cptr_el[3] |= R_CPTR_EL3_EZ_MASK;
        env->vfp.zcr_el[3] = 0xf;
    }
    if (cpu_isar_feature(aa64_sme, cpu)) {
        env->cp15.cptr_el[3] |= R_CPTR_EL3_ESM_MASK;
        env->cp15.scr_el3 |= SCR_ENTP2;
        env->vfp.smcr_el[3] = 0xf;
    }
    if (cpu_isar_feature(aa64_hcx, cpu)) {
        env->cp15.scr_el3 |= SCR_HXEN;
    }
    if (arm_cpu_has_trbe(cpu)) {
        /* NSTB: Non-secure state owns the buffer, and accesses do not trap */
        env->cp15.mdcr_el3 |= 3 << 24;
    }
}
