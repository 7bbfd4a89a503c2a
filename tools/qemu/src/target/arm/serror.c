/*
 * Physical SError exceptions of AArch64
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * One is pending, or none. Its syndrome is that of an asynchronous External
 * abort that software may recover from: the PE itself has lost nothing. Where
 * it would be taken to an Exception level that uses AArch32 it stays pending.
 */
#include "qemu/osdep.h"
#include "hw/core/cpu.h"
#include "cpu.h"
#include "internals.h"
#include "syndrome.h"
#include "exec/helper-proto.h"

/* ISS: AET is UEO, restartable; EA; DFSC */
#define SERROR_ISS (2 << 10 | 1 << 9 | 0x11)
#define DISR_A (1u << 31)

static int serror_target(CPUARMState *env)
{
    return arm_phys_excp_target_el(env_cpu(env), EXCP_SERR,
                                   arm_current_el(env), arm_is_secure(env));
}

/* PSTATE.A masks it where it is taken to the level, or regime, of the PE. */
static bool serror_masked(CPUARMState *env, int target)
{
    uint64_t host = HCR_E2H | HCR_TGE;
    int el = arm_current_el(env);
    bool maskable = el == target || (el == 0 && target == 1) ||
        (el == 0 && target == 2 && (arm_hcr_el2_eff(env) & host) == host);

    return target < el || (maskable && (env->daif & PSTATE_A));
}

static void serror_forget(CPUARMState *env)
{
    cpu_reset_interrupt(env_cpu(env), CPU_INTERRUPT_SERR);
}

/* The Exception level it is taken to now; 0 if it has to wait */
int arm_serror_take(CPUARMState *env)
{
    int target = serror_target(env);

    if (serror_masked(env, target) || !arm_el_is_aa64(env, target)) {
        return 0;
    }
    serror_forget(env);
    return target;
}

target_ulong arm_serror_enter(CPUARMState *env, int el)
{
    env->exception.syndrome = syn_serror(SERROR_ISS);
    env->cp15.esr_el[el] = env->exception.syndrome;
    return 0x180;
}

static bool serror_pending(CPUARMState *env)
{
    return env_cpu(env)->interrupt_request & CPU_INTERRUPT_SERR;
}

uint64_t arm_serror_isr(CPUARMState *env, uint64_t hcr)
{
    return !(hcr & HCR_AMO) && serror_pending(env) ? CPSR_A : 0;
}

/* ESB: what is pending and masked is deferred. */
void HELPER(serror_esb)(CPUARMState *env)
{
    if (serror_pending(env) && serror_masked(env, serror_target(env))) {
        env->cp15.disr_el1 = DISR_A | SERROR_ISS;
        serror_forget(env);
    }
}
