/*
 * Arm trace: state shared by trace unit and trace buffer unit
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef TARGET_ARM_CPU_TRACE_INTERNAL_H
#define TARGET_ARM_CPU_TRACE_INTERNAL_H

#include "cpu-trace.h"
#include "cpregs.h"
#include "hwflow/trace_unit.h"
#include "trace-code.h"

/* What is implemented: set by properties, const from realize on */
typedef struct ARMTraceConfig {
#define TRACE_BOOL(NAME, FIELD, DEFAULT, TEXT) bool FIELD;
#define TRACE_UINT(NAME, FIELD, DEFAULT, LEAST, MOST, TEXT) uint32_t FIELD;
#include "cpu-trace-props.h.inc"
#undef TRACE_BOOL
#undef TRACE_UINT
    /* trace-sync=strict */
    bool strict;
    /* nothing implemented observes trace block by block */
    bool batched;
    /* of the PE, not of the trace unit */
    bool el2, el3, sel2;
} ARMTraceConfig;

/* An index for each register that has storage, arrays in one piece */
typedef enum ETERegIndex {
#define ETE_RW(NAME, OFFSET, STEP, MOST, PRESENT, WRITABLE, ONES)       \
    ETE_##NAME, ETE_##NAME##_LAST = ETE_##NAME + (MOST) - 1,
#define ETE_RO(NAME, OFFSET, VALUE)
#define ETE_FN(NAME, OFFSET, READ, WRITE)
#include "ete-regs.h.inc"
#undef ETE_RW
#undef ETE_RO
#undef ETE_FN
    ETE_REG_COUNT
} ETERegIndex;

/* Architected state of the trace unit */
typedef struct ETEState {
    uint64_t prgctlr;
    uint64_t claim;
    uint64_t reg[ETE_REG_COUNT];
} ETEState;

/* Architected state of the trace buffer unit */
typedef struct TRBEState {
    uint64_t limitr;
    uint64_t ptr;
    uint64_t baser;
    uint64_t sr;
    uint64_t mar;
    uint64_t trg;
} TRBEState;

/* All registers that trace operations read or write */
typedef enum TraceReg {
    /* up to ETE_REG_COUNT: an ETERegIndex */
    TRACE_REG_PRGCTLR = ETE_REG_COUNT,
    TRACE_REG_LIMITR,
    TRACE_REG_PTR,
    TRACE_REG_BASER,
    TRACE_REG_SR,
    TRACE_REG_MAR,
    TRACE_REG_TRG,
    TRACE_REG_TRFCR1,
    TRACE_REG_TRFCR2,
    TRACE_REG_TRCITECR1,
    TRACE_REG_TRCITECR2,
    TRACE_REG_COUNT
} TraceReg;

#define TRACE_FIFO_SIZE 256
#define TRACE_STORE_SIZE 64
#define TRACE_STORES 256

/* Trace data that was accepted, and is on its way to memory */
typedef struct TraceStore {
    uint64_t address;
    uint32_t attrs;
    uint8_t length;
    /* a TSB CSYNC came after it: the next DSB waits for it */
    uint8_t synchronized;
    uint8_t bytes[TRACE_STORE_SIZE];
} TraceStore;

/* Is a start point or a stop point speculative, for all that software did? */
enum {
    TRACE_POINTS_SETTLED,
    TRACE_POINTS_SPECULATIVE,
    TRACE_POINTS_DSB,           /* and a DSB came since */
};

/* With trace-sync=strict only: trace-sync.c */
typedef struct ARMTraceSync {
    /* the registers as software reads them */
    ETEState ete;
    TRBEState trbe;
    uint64_t trfcr[2];
    uint64_t trcitecr[2];
    /* written by software, and not yet seen by trace operations: a bit each */
    uint64_t written[DIV_ROUND_UP(TRACE_REG_COUNT, 64)];
    /* since the last Context synchronization event */
    bool prohibited;
    /* TSB CSYNC came, and no Context synchronization event since */
    bool tsb_unit, tsb_buffer;
    /* a TSB CSYNC was abandoned, and is to come again */
    bool abandoned;
    /* TRACE_POINTS_* */
    uint8_t points;
    /* TRCCLAIMSET and OSLAR_EL1, written since: ete-management.c */
    bool os_lock_written, os_lock;
    uint64_t claim_set;
    /* trace data was rejected that the trace unit believed to be output */
    bool lost;
    uint32_t fifo_used;
    uint8_t fifo[TRACE_FIFO_SIZE];
    uint32_t stores_used;
    TraceStore stores[TRACE_STORES];
    /* state of the generator that makes the choices */
    uint64_t random;
} ARMTraceSync;

/* What comes each so many bytes */
typedef enum TraceFault {
    TRACE_FAULT_TRANSLATION,
    TRACE_FAULT_ABORT,
    TRACE_FAULT_SPURIOUS,
    TRACE_FAULTS
} TraceFault;

/* Faults and errata on demand: trace-faults.c */
typedef struct ARMTraceFaults {
    /* bytes until it comes; 0: now, or it is not asked for */
    uint32_t left[TRACE_FAULTS];
    /* bytes that will be written where they should not */
    uint32_t overwrites, beyond;
    /* Context synchronization events since the buffer is enabled, to 3 */
    uint32_t syncs;
    /* writes to registers are ignored: until 2 TSB CSYNC, 1 DSB */
    uint32_t blocked;
    /* faults that had a class of their own */
    uint32_t turn;
    bool corrupt;
    bool tsb_failed;
    bool prohibited;
} ARMTraceFaults;

/* Groups of resources: Table D4-26 */
typedef enum ETEGroup {
    ETE_GROUP_EXTERNAL = 0,
    ETE_GROUP_PE = 1,
    /* counters at zero [3:0], sequencer states [7:4] */
    ETE_GROUP_COUNTER = 2,
    ETE_GROUP_SINGLE_SHOT = 3,
    ETE_GROUP_ADDRESS = 4,
    ETE_GROUP_RANGE = 5,
    ETE_GROUP_CONTEXT = 6,
    ETE_GROUP_VIRTUAL_CONTEXT = 7,
    ETE_GROUPS
} ETEGroup;

/* The resources of the trace unit: ete-resources.c */
typedef struct ETEResources {
    /* what is programmed: each instruction is a cycle of the resources */
    bool stepping;
    /* some comparators do not match in all contexts */
    bool qualified;
    /* selectors, address comparators and ranges that something depends on */
    uint32_t selectors;
    uint16_t addresses, ranges;
    /* External Input Selectors that are active in each cycle */
    uint16_t external_always;
    /* Running, not Paused */
    bool running;
    /* address comparators and ranges that can match in this context */
    uint16_t addresses_match, ranges_match;
    /* External inputs, and single-shot controls, to be active next */
    uint16_t external, single_shot;
    /* in this cycle: resources by number, and selectors */
    uint16_t active[ETE_GROUPS];
    uint32_t fired;
    /* ETEEvents in this cycle */
    uint32_t events;
    /* a timestamp is requested; instructions until it can be had */
    bool timestamp;
    uint32_t timestamp_wait;
} ETEResources;

/* The trace unit at work: ete-unit.c */
typedef struct ARMTraceUnit {
    void *memory;
    /* NULL: not operative */
    struct hwf_tu *tu;
    bool enabled;
    /* since this time of its timestamps, and the log does not say so yet */
    bool enabled_unlogged;
    uint64_t enabled_at;
    bool counts_cycles;
    /* the last instruction was traced; a P0 element must show it: R_KHDNX */
    bool viewing, must_show;
    /* the trace buffer unit wants a trace unit flush */
    bool flush_requested;
    uint64_t cycles_mark;
    ETEResources resources;
    /* what the library's trace unit holds, on its way to another machine */
    uint8_t *saved;
    uint32_t saved_size;
} ARMTraceUnit;

/* The most blocks that begin between two looks at them */
#define TRACE_BATCH 256

/* What the PE executes: trace-feed.c */
typedef struct ARMTraceFeed {
    /*
     * Blocks that were entered and are not settled, in order; where the next
     * one goes, and from where on it calls HELPER(trace_blocks). An entry
     * without code says in front of which instruction the block before it was
     * left. There is room for the newest block, a batch behind it, and where
     * that was left.
     */
    struct hwf_tu_run *next, *limit;
    struct hwf_tu_run entries[TRACE_BATCH + 2];
    /* the condition of the last block's last instruction, where it is noted */
    bool passed;
    /* of the instructions that are traced */
    bool context_known;
    /* ViewInst leaves their Exception level in */
    bool viewed;
    /* something since TRCRSR.TA was noted: trace_feed_note_active() */
    bool executed;
    int32_t el;
    uint32_t cid, vmid;
    bool sf;
} ARMTraceFeed;

/* Events that the PMU can count: ete-pmu.c */
typedef enum ETEPMUEvent {
#define TRACE_EVENT(NAME, NUMBER) ETE_PMU_##NAME,
    ARM_TRACE_PMU_EVENTS(TRACE_EVENT)
#undef TRACE_EVENT
    ETE_PMU_EVENTS
} ETEPMUEvent;

typedef struct ARMTracePMU {
    uint64_t count[ETE_PMU_EVENTS];
    /* one more than the PMU has seen */
    bool counted;
    /* PMU_OVFS and PMU_HOVFS occurred: bits 0 and 1 */
    uint32_t overflows;
} ARMTracePMU;

typedef struct ARMTraceLog ARMTraceLog;

/* For the monitor: what happened so far */
typedef struct ARMTraceCount {
    /* bytes of trace that came to the trace buffer unit */
    uint64_t accepted, discarded, rejected;
    /* accesses to TRC* registers, and to TRB*, that were not trapped */
    uint64_t unit_reads, unit_writes, buffer_reads, buffer_writes;
    /* and to TRFCR_ELx and TRCITECR_ELx */
    uint64_t filter;
} ARMTraceCount;

typedef struct ARMTrace {
    ARMTraceConfig config;
    ETEState ete;
    TRBEState trbe;
    ARMTraceUnit unit;
    ARMTraceFeed feed;
    ARMTracePMU pmu;
    ARMTraceCount count;
    ARMTraceSync sync;
    ARMTraceFaults faults;
    ARMTraceLog *log;
    char *log_path;
    /* trace-cpus */
    char *cpus;
    /* state of the generator that gives UNKNOWN values */
    uint64_t random;
    /* the reset under way, and what it keeps of the PE; not the first one */
    bool warm, was_reset;
    uint64_t oslsr;
    VMChangeStateEntry *vm_state;
    qemu_irq trbirq;
} ARMTrace;

static inline ARMTrace *env_trace(CPUARMState *env)
{
    return env_archcpu(env)->trace;
}

uint64_t arm_trace_random(uint64_t *state);
/* An UNKNOWN value for a field that resets to one */
uint64_t arm_trace_unknown(ARMTrace *trace);
uint64_t arm_trace_now(CPUARMState *env);
void arm_trace_interrupt(CPUARMState *env, int mask);
/* A write that the manual lets us ignore: tell, and say whether to take it. */
bool arm_trace_take_busy_write(CPUARMState *env, const ARMCPRegInfo *ri);

/*
 * Trace that goes elsewhere than to the trace buffer has an enable of its own
 * from ETEv1p3 on. Nothing is there to take it.
 */
static inline bool ete_has_output_enable(const ARMTraceConfig *c)
{
    return c->version >= 3 && c->traceid;
}

/* ete-config.c: what the ID registers say */
uint64_t ete_idr0(const ARMTraceConfig *c);
uint64_t ete_idr1(const ARMTraceConfig *c);
uint64_t ete_idr2(const ARMTraceConfig *c);
uint64_t ete_idr3(const ARMTraceConfig *c);
uint64_t ete_idr4(const ARMTraceConfig *c);
uint64_t ete_idr5(const ARMTraceConfig *c);
uint64_t ete_authstatus(const ARMTraceConfig *c);
uint64_t ete_devarch(const ARMTraceConfig *c);

/* ete.c */
void define_ete_regs(ARMCPU *cpu);
void ete_reset(CPUARMState *env, ARMTrace *trace);
bool ete_prohibited(CPUARMState *env, int el, bool secure);

/* ete-management.c */
uint64_t ete_claimset_read(CPUARMState *env, const ARMCPRegInfo *ri);
void ete_claimset_write(CPUARMState *env, const ARMCPRegInfo *ri,
                        uint64_t value);
uint64_t ete_claimclr_read(CPUARMState *env, const ARMCPRegInfo *ri);
void ete_claimclr_write(CPUARMState *env, const ARMCPRegInfo *ri,
                        uint64_t value);
uint64_t ete_oslsr_read(CPUARMState *env, const ARMCPRegInfo *ri);
void ete_management_context_sync(CPUARMState *env);

/* ete-instrumentation.c */
#define MDCR_EL3_ENITE (1ull << 47)
static inline bool ete_has_instrumentation(ARMCPU *cpu)
{
    return cpu->trace && cpu->trace->config.ite;
}
void define_instrumentation_regs(ARMCPU *cpu);

/* ete-unit.c */
static inline bool ete_operative(const ARMTrace *trace)
{
    return trace->unit.tu != NULL;
}
static inline uint64_t ete_reg(const ARMTrace *trace, ETERegIndex index)
{
    return trace->ete.reg[index];
}
bool ete_allowed(CPUARMState *env, int el);
void ete_unit_reset(ARMTrace *trace);
int ete_unit_restore(CPUARMState *env, ARMTrace *trace);
void ete_switch(CPUARMState *env, bool enabled);
void ete_flush_requested(CPUARMState *env);
void ete_flush(CPUARMState *env);
void ete_count_cycles(CPUARMState *env, ARMTrace *trace);
void ete_context(CPUARMState *env, ARMTrace *trace);

static inline bool ete_os_locked(CPUARMState *env)
{
    return extract64(env->cp15.oslsr_el1, 1, 1);
}

/* The PE OS Lock disables the trace unit as TRCPRGCTLR.EN does. */
static inline bool ete_enabled(CPUARMState *env)
{
    return env_trace(env)->ete.prgctlr && !ete_os_locked(env);
}

/*
 * Enable or disable the trace unit where TRCPRGCTLR.EN or the OS Lock say
 * something else than it does.
 */
static inline void ete_update(CPUARMState *env)
{
    bool enabled = ete_enabled(env);

    if (unlikely(env_trace(env)->unit.enabled != enabled)) {
        ete_switch(env, enabled);
    }
}

/* What cannot be done while the trace unit is in the middle of something */
static inline void ete_after(CPUARMState *env, ARMTrace *trace)
{
    if (unlikely(trace->unit.flush_requested)) {
        ete_flush_requested(env);
    }
}

/* ete-view.c */
bool ete_has_points(const ARMTrace *trace);
bool ete_views_el(const ARMTrace *trace, int el, bool secure);
bool ete_view(ARMTrace *trace);
void ete_view_mistake(ARMTrace *trace);
void ete_program_ranges(const ARMTrace *trace, struct hwf_tu_options *options);

/* ete-resources.c */
bool ete_steps(const ARMTrace *trace);
bool ete_event_false(uint64_t selector);
bool ete_event(const ARMTrace *trace, unsigned selector);
void ete_resources_start(CPUARMState *env, ARMTrace *trace);
void ete_resources_run(CPUARMState *env, ARMTrace *trace);
void ete_resources_pause(ARMTrace *trace);
void ete_cycle(CPUARMState *env, ARMTrace *trace, uint64_t pc);
void ete_signal(CPUARMState *env, ARMTrace *trace);

/* ete-counters.c */
void ete_counters_start(ARMTrace *trace);
void ete_counters_cycle(ARMTrace *trace);

/* ete-pmu.c */
void ete_pmu_event(ARMTrace *trace, ETEPMUEvent event);
void ete_pmu_settle(CPUARMState *env, ARMTrace *trace);

/* trace-feed.c */
void trace_feed_reset(ARMTrace *trace);
void trace_feed_catch_up(CPUARMState *env);
void trace_feed_stopped(CPUARMState *env, ARMTrace *trace);
void trace_feed_pe_reset(CPUARMState *env, ARMTrace *trace);
void trace_feed_note_active(CPUARMState *env, ARMTrace *trace);
void arm_trace_controls_changed(CPUARMState *env);

/* trace-sync.c */
extern const VMStateDescription vmstate_trace_sync;
void trace_sync_reset(CPUARMState *env, ARMTrace *trace);
void trace_sync_complete(CPUARMState *env, ARMTrace *trace);
void trace_sync_warm_reset(CPUARMState *env, ARMTrace *trace);
uint64_t trace_reg_read(CPUARMState *env, TraceReg reg);
void trace_reg_write(CPUARMState *env, TraceReg reg, uint64_t value);
bool trace_sync_chooses(ARMTrace *trace);
void trace_sync_point(ARMTrace *trace);
bool trace_sync_idle(CPUARMState *env, ARMTrace *trace);
bool trace_fifo_write(CPUARMState *env, const uint8_t *bytes, size_t length);
void trace_fifo_flush(CPUARMState *env, ARMTrace *trace);
void trace_store(CPUARMState *env, uint64_t address, MemTxAttrs attrs,
                 const uint8_t *bytes, size_t length);
void trace_context_sync(CPUARMState *env);
void trace_interrupt_taken(CPUARMState *env);

/* trace-faults.c */
extern const VMStateDescription vmstate_trace_faults;
void trace_faults_reset(ARMTrace *trace, bool prohibited);
uint64_t trace_faults_piece(const ARMTrace *trace, uint64_t piece);
void trace_faults_count(ARMTrace *trace, uint64_t bytes);
bool trace_faults_due(ARMTrace *trace, TraceFault fault);
unsigned trace_faults_class(ARMTrace *trace);
void trace_faults_wrapped(ARMTrace *trace, bool full);
uint64_t trace_faults_address(ARMTrace *trace, uint64_t *piece);
void trace_faults_stopped(CPUARMState *env, ARMTrace *trace,
                          const uint8_t *bytes, size_t length);
const uint8_t *trace_faults_data(const ARMTrace *trace, uint64_t address,
                                 const uint8_t *bytes, uint8_t *copy,
                                 size_t length);
void trace_faults_enabled(ARMTrace *trace, bool enabled);
bool trace_faults_ignores(ARMTrace *trace, TraceReg reg, const char *name);
bool trace_faults_tsb(ARMTrace *trace, bool prohibited);
void trace_faults_data_sync(ARMTrace *trace);
void trace_faults_context_sync(ARMTrace *trace, bool prohibited);
void trace_faults_filter(ARMTrace *trace, bool prohibited);
bool trace_faults_barriers(const ARMTraceConfig *c);
bool trace_faults_configured(const ARMTraceConfig *c);

/*
 * cpu-trace-props.c: what no two properties may say together; NULL if all is
 * well
 */
const char *trace_config_conflict(const ARMTraceConfig *c);
/* What trace-cpus says of this CPU */
bool trace_cpus_apply(ARMCPU *cpu, Error **errp);

/* trace-log.c */
bool trace_log_open(ARMTrace *trace, int cpu, Error **errp);
bool trace_log_full(const ARMTraceLog *log);
bool trace_log_arrive(Error **errp);
void trace_log_stopped(ARMTraceLog *log);
void trace_log_block(CPUARMState *env, ARMTrace *trace, uint64_t pc,
                     const ARMTraceCode *code, uint32_t executed);
void trace_log_runs(CPUARMState *env, ARMTrace *trace,
                    const struct hwf_tu_run *runs, size_t count);
void trace_log_exception(CPUARMState *env, ARMTrace *trace, unsigned type,
                         uint64_t ret);
void trace_log_context(CPUARMState *env, ARMTrace *trace);
void trace_log_enabled(CPUARMState *env, ARMTrace *trace, bool enabled,
                       uint64_t timestamp);

/* trbe.c */
void define_trbe_regs(ARMCPU *cpu);
void trbe_reset(ARMTrace *trace);
void trbe_update_irq(ARMTrace *trace);
void trbe_limitr_changed(ARMTrace *trace, uint64_t before);
bool trbe_owned_by_el2(CPUARMState *env);
bool trbe_running(const ARMTrace *trace);
uint64_t trbe_space(const ARMTrace *trace);
bool trbe_allows(CPUARMState *env, int el, bool secure);

/* trbe-write.c */
void trbe_raise(ARMTrace *trace);
bool trbe_external_abort(CPUARMState *env, ARMTrace *trace);
bool trbe_store(CPUARMState *env, ARMTrace *trace, uint64_t address,
                const uint8_t *bytes, size_t length);
bool trbe_take(CPUARMState *env, const uint8_t *bytes, size_t length);
void trbe_sync(CPUARMState *env);
void trbe_flushed(CPUARMState *env);
void trbe_detected_trigger(CPUARMState *env);

#endif
