/*
 * Arm Embedded Trace Extension: claim tags and OS Lock
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * TRCCLAIMSET changes what TRCCLAIMCLR reads as; OSLAR_EL1 changes OSLSR_EL1
 * and TRCOSLSR. Such a change of another register is an indirect write. With
 * trace-sync=strict a direct read, and the trace unit, see it from the next
 * Context synchronization event on. A write to TRCCLAIMCLR is seen by the next
 * read of TRCCLAIMCLR, which is the same register.
 */
#include "qemu/osdep.h"
#include "qemu/log.h"
#include "cpu.h"
#include "internals.h"
#include "cpu-trace-internal.h"

/* ---- claim tags ---- */

static uint64_t ete_claim_mask(CPUARMState *env)
{
    return (1ull << env_trace(env)->config.claimtags) - 1;
}

uint64_t ete_claimset_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    return ete_claim_mask(env);
}

void ete_claimset_write(CPUARMState *env, const ARMCPRegInfo *ri,
                        uint64_t value)
{
    ARMTrace *trace = env_trace(env);

    value &= ete_claim_mask(env);
    if (trace->config.strict && !trace_sync_chooses(trace)) {
        trace->sync.claim_set |= value;
    } else {
        trace->ete.claim |= value;
    }
}

uint64_t ete_claimclr_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    ARMTrace *trace = env_trace(env);

    if (trace->sync.claim_set & ~trace->ete.claim) {
        qemu_log_mask(LOG_GUEST_ERROR, "TRCCLAIMCLR: an old value is read: no "
                      "context synchronization event since TRCCLAIMSET was "
                      "written\n");
    }
    return trace->ete.claim;
}

void ete_claimclr_write(CPUARMState *env, const ARMCPRegInfo *ri,
                        uint64_t value)
{
    ARMTrace *trace = env_trace(env);

    trace->ete.claim &= ~value;
    trace->sync.claim_set &= ~value;
}

/* ---- OS Lock ---- */

uint64_t ete_oslsr_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    ARMTrace *trace = env_trace(env);

    if (trace->sync.os_lock_written &&
        trace->sync.os_lock != ete_os_locked(env)) {
        qemu_log_mask(LOG_GUEST_ERROR, "TRCOSLSR: an old value is read: no "
                      "context synchronization event since OSLAR_EL1 was "
                      "written\n");
    }
    /* OSLM is 0b100: the PE OS Lock controls the trace unit */
    return 1 << 4 | ete_os_locked(env) << 1;
}

/*
 * OSLAR_EL1 is written. Return true if OSLSR_EL1 changes with the next Context
 * synchronization event, false if the caller is to change it.
 */
bool arm_trace_os_lock_write(CPUARMState *env, bool lock)
{
    ARMTrace *trace = env_trace(env);

    if (!arm_cpu_has_ete(env_archcpu(env)) || !trace->config.strict) {
        return false;
    }
    trace->sync.os_lock_written = !trace_sync_chooses(trace);
    trace->sync.os_lock = lock;
    return trace->sync.os_lock_written;
}

/* A Context synchronization event */
void ete_management_context_sync(CPUARMState *env)
{
    ARMTrace *trace = env_trace(env);
    ARMTraceSync *sync = &trace->sync;

    trace->ete.claim |= sync->claim_set;
    sync->claim_set = 0;
    if (sync->os_lock_written) {
        sync->os_lock_written = false;
        env->cp15.oslsr_el1 =
            deposit64(env->cp15.oslsr_el1, 1, 1, sync->os_lock);
        arm_trace_controls_changed(env);
    }
}
