/*
 * Arm trace: ground-truth log of what each PE executed while it was traced
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * The format is that of tools/hwflow/truth/truth_format.h, version 1, which
 * this file states anew. Its threads are contexts: a thread identifier is what
 * CONTEXTIDR_EL1 holds, which Linux makes the identifier of the thread; with
 * the property trace-log-threads=off, it is the number of the PE. All PEs write
 * into one file, a section at a time.
 */
#include "qemu/osdep.h"
#include "qemu/thread.h"
#include "qapi/error.h"
#include "qemu/error-report.h"
#include "system/runstate.h"
#include "system/system.h"
#include "cpu.h"
#include "internals.h"
#include "cpu-trace-internal.h"

#define LOG_MAGIC UINT64_C(0x4854555254465748)
#define LOG_VERSION 1

enum { SECTION_BLOCKS = 1, SECTION_STREAM, SECTION_END };
enum {
    LOG_DONE,
    LOG_STOP,
    LOG_EXCEPTION,
    LOG_CALL,
    LOG_GAP,
    LOG_TIME,
    LOG_CONTEXT,
    LOG_ENABLED = 8,
    LOG_DISABLED,
    LOG_FIRST_BLOCK = 16,
};

/* A section is written when a PE has so many bytes. */
#define LOG_FULL (1 << 20)
/* The most bytes that a number takes */
#define LOG_NUMBER 10

/* A block that runs where it was not translated, and its number */
typedef struct LogMoved {
    uint64_t pc;
    const ARMTraceCode *code;
    uint32_t number;
} LogMoved;

struct ARMTraceLog {
    int cpu;
    bool by_thread;
    /* of the stream that is open, if it has anything */
    uint32_t tid, part;
    uint64_t start, time;
    GByteArray *blocks;
    uint8_t *stream;
    size_t length, size;
    /* one more than the number of each ARMTraceCode at its pc; 0: none yet */
    uint32_t *numbers;
    uint32_t codes;
    /* LogMoved */
    GHashTable *moved;
};

/* All that is shared between PEs */
static struct {
    QemuMutex lock;
    FILE *file;
    char *path;
    uint32_t blocks;
    GPtrArray *logs;
    /* streams of each thread so far */
    GHashTable *parts;
    Notifier exit;
} shared;

static void log_flush_all(Notifier *notifier, void *unused);

typedef struct LogHead {
    uint64_t magic;
    uint32_t version, size;
} LogHead;

typedef struct LogSection {
    uint32_t type, reserved;
    uint64_t length;
} LogSection;

typedef struct LogBlockHead {
    uint32_t size, number;
    uint64_t pc;
    uint8_t isa, reserved;
    uint16_t count;
    uint32_t reserved2;
} LogBlockHead;

typedef struct LogStreamHead {
    int32_t pid, tid;
    uint32_t part, reserved;
    uint64_t start;
} LogStreamHead;

/* A new file */
static bool log_begin(Error **errp)
{
    const LogHead head = {
        cpu_to_le64(LOG_MAGIC), cpu_to_le32(LOG_VERSION), cpu_to_le32(16)
    };

    shared.file = fopen(shared.path, "wb");
    if (!shared.file || fwrite(&head, sizeof(head), 1, shared.file) != 1) {
        error_setg_errno(errp, errno, "trace-log: %s", shared.path);
        return false;
    }
    return true;
}

/* What a section of the file that goes on means for what comes: its numbers */
static void log_learn(uint32_t type, const uint8_t *bytes, uint64_t length)
{
    LogBlockHead block;
    LogStreamHead stream;

    if (type == SECTION_STREAM && length >= sizeof(stream)) {
        uint32_t parts;
        void *key;

        memcpy(&stream, bytes, sizeof(stream));
        key = GUINT_TO_POINTER(le32_to_cpu(stream.tid));
        /* PEs wrote them as they were full, not in the order of the thread */
        parts = GPOINTER_TO_UINT(g_hash_table_lookup(shared.parts, key));
        parts = MAX(parts, le32_to_cpu(stream.part) + 1);
        g_hash_table_insert(shared.parts, key, GUINT_TO_POINTER(parts));
    }
    while (type == SECTION_BLOCKS && length >= sizeof(block)) {
        memcpy(&block, bytes, sizeof(block));
        shared.blocks = MAX(shared.blocks, le32_to_cpu(block.number) + 1);
        block.size = le32_to_cpu(block.size);
        if (block.size < sizeof(block) || block.size > length) {
            return;
        }
        bytes += block.size;
        length -= block.size;
    }
}

/* The log of the machine that this one was, in which it goes on */
static bool log_go_on(Error **errp)
{
    g_autofree char *bytes = NULL;
    LogSection section;
    LogHead head;
    gsize length, at = sizeof(head);

    if (!g_file_get_contents(shared.path, &bytes, &length, NULL)) {
        return log_begin(errp);
    }
    if (length < sizeof(head) || memcmp(bytes, &(LogHead) {
            cpu_to_le64(LOG_MAGIC), cpu_to_le32(LOG_VERSION), cpu_to_le32(16)
        }, sizeof(head))) {
        error_setg(errp, "trace-log: %s: this is no log, and is not replaced",
                   shared.path);
        return false;
    }
    while (length - at >= sizeof(section)) {
        memcpy(&section, bytes + at, sizeof(section));
        section.type = le32_to_cpu(section.type);
        section.length = le64_to_cpu(section.length);
        if (section.type == SECTION_END ||
            section.length > length - at - sizeof(section)) {
            error_setg(errp, "trace-log: %s: a log that has ended, or was cut",
                       shared.path);
            return false;
        }
        at += sizeof(section);
        log_learn(section.type, (uint8_t *)bytes + at, section.length);
        at += ROUND_UP(section.length, 8);
    }
    shared.file = fopen(shared.path, "ab");
    if (!shared.file) {
        error_setg_errno(errp, errno, "trace-log: %s", shared.path);
        return false;
    }
    return true;
}

/* The machine has come here from elsewhere: now its log is complete. */
bool trace_log_arrive(Error **errp)
{
    return !shared.path || shared.file || log_go_on(errp);
}

static guint moved_hash(gconstpointer p)
{
    const LogMoved *moved = p;

    return (moved->pc >> 2) * 31 + moved->code->number;
}

static gboolean moved_equal(gconstpointer p, gconstpointer q)
{
    const LogMoved *a = p, *b = q;

    return a->pc == b->pc && a->code == b->code;
}

/* Open the log if it is not open yet; false: @errp says why not. */
bool trace_log_open(ARMTrace *trace, int cpu, Error **errp)
{
    ARMTraceLog *log;

    if (!trace->log_path) {
        return true;
    }
    if (!shared.path) {
        shared.path = g_strdup(trace->log_path);
        qemu_mutex_init(&shared.lock);
        shared.logs = g_ptr_array_new();
        shared.parts = g_hash_table_new(NULL, NULL);
        shared.exit.notify = log_flush_all;
        qemu_add_exit_notifier(&shared.exit);
        if (!runstate_check(RUN_STATE_INMIGRATE) && !log_begin(errp)) {
            return false;
        }
    } else if (strcmp(shared.path, trace->log_path)) {
        error_setg(errp, "trace-log: one file for all CPUs, please");
        return false;
    }
    log = g_new0(ARMTraceLog, 1);
    log->cpu = cpu;
    log->by_thread = trace->config.logthreads;
    log->blocks = g_byte_array_new();
    log->moved = g_hash_table_new(moved_hash, moved_equal);
    trace->log = log;
    g_ptr_array_add(shared.logs, log);
    return true;
}

/* There is room for @count more numbers. */
static inline void make_room(ARMTraceLog *log, size_t count)
{
    if (unlikely(log->size - log->length < count * LOG_NUMBER)) {
        log->size += LOG_FULL;
        log->stream = g_realloc(log->stream, log->size);
    }
}

static inline void put_in_room(ARMTraceLog *log, uint64_t value)
{
    uint8_t *to = log->stream + log->length;

    while (value >= 0x80) {
        *to++ = value | 0x80;
        value >>= 7;
    }
    *to++ = value;
    log->length = to - log->stream;
}

static void put(ARMTraceLog *log, uint64_t value)
{
    make_room(log, 1);
    put_in_room(log, value);
}

/* A block that this PE has not executed before */
static uint32_t log_add_block(ARMTraceLog *log, uint64_t pc,
                              const ARMTraceCode *code)
{
    uint32_t bytes = code->run.instructions * sizeof(*code->words);
    uint32_t number = qatomic_fetch_inc(&shared.blocks);
    const LogBlockHead head = {
        .size = cpu_to_le32(sizeof(head) + bytes),
        .number = cpu_to_le32(number),
        .pc = cpu_to_le64(pc),
        .isa = code->run.isa,
        .count = cpu_to_le16(code->run.instructions),
    };

    g_byte_array_append(log->blocks, (uint8_t *)&head, sizeof(head));
    for (uint32_t i = 0; i < code->run.instructions; i++) {
        uint32_t word = cpu_to_le32(code->words[i]);

        g_byte_array_append(log->blocks, (uint8_t *)&word, sizeof(word));
    }
    return number;
}

static uint32_t log_moved_number(ARMTraceLog *log, uint64_t pc,
                                 const ARMTraceCode *code)
{
    LogMoved *moved = g_hash_table_lookup(log->moved,
                                          &(LogMoved) { pc, code });

    if (!moved) {
        moved = g_new(LogMoved, 1);
        *moved = (LogMoved) { pc, code, log_add_block(log, pc, code) };
        g_hash_table_add(log->moved, moved);
    }
    return moved->number;
}

/* Room for the numbers of all codes up to this one */
static void log_grow(ARMTraceLog *log, const ARMTraceCode *code)
{
    uint32_t codes = MAX(2 * log->codes, code->number + 1);

    log->numbers = g_renew(uint32_t, log->numbers, codes);
    memset(log->numbers + log->codes, 0,
           (codes - log->codes) * sizeof(*log->numbers));
    log->codes = codes;
}

static inline uint32_t log_block_number(ARMTraceLog *log, uint64_t pc,
                                        const ARMTraceCode *code)
{
    if (unlikely(pc != code->run.pc)) {
        return log_moved_number(log, pc, code);
    }
    if (unlikely(code->number >= log->codes)) {
        log_grow(log, code);
    }
    if (unlikely(!log->numbers[code->number])) {
        log->numbers[code->number] = 1 + log_add_block(log, pc, code);
    }
    return log->numbers[code->number] - 1;
}

static void log_section(uint32_t type, const uint8_t *bytes, uint64_t length)
{
    const LogSection head = { cpu_to_le32(type), 0, cpu_to_le64(length) };
    static const uint8_t zeros[8];

    if (fwrite(&head, sizeof(head), 1, shared.file) != 1 ||
        fwrite(bytes, 1, length, shared.file) != length ||
        fwrite(zeros, 1, -length & 7, shared.file) != (-length & 7)) {
        error_report("trace-log: %s: %s", shared.path, strerror(errno));
        exit(1);
    }
}

static void log_flush(ARMTraceLog *log)
{
    const LogStreamHead head = {
        cpu_to_le32(log->by_thread ? log->tid : -1), cpu_to_le32(log->tid),
        cpu_to_le32(log->part), 0, cpu_to_le64(log->start)
    };

    if (!log->length) {
        return;
    }
    put(log, LOG_DONE);
    /* log_open() has left room for it */
    memcpy(log->stream, &head, sizeof(head));
    qemu_mutex_lock(&shared.lock);
    if (log->blocks->len) {
        log_section(SECTION_BLOCKS, log->blocks->data, log->blocks->len);
    }
    log_section(SECTION_STREAM, log->stream, log->length);
    qemu_mutex_unlock(&shared.lock);
    g_byte_array_set_size(log->blocks, 0);
    log->length = 0;
}

/* A new stream; one thread's are numbered in the order of their beginning. */
static void log_open(ARMTraceLog *log, uint32_t tid, uint64_t now)
{
    void *key = GUINT_TO_POINTER(tid);

    qemu_mutex_lock(&shared.lock);
    log->part = GPOINTER_TO_UINT(g_hash_table_lookup(shared.parts, key));
    g_hash_table_insert(shared.parts, key, GUINT_TO_POINTER(log->part + 1));
    qemu_mutex_unlock(&shared.lock);
    log->tid = tid;
    log->start = log->time = now;
    if (!log->size) {
        log->size = LOG_FULL;
        log->stream = g_malloc(log->size);
    }
    log->length = sizeof(LogStreamHead);
}

/* Has another PE begun a stream of the same thread since? */
static bool log_overtaken(ARMTraceLog *log)
{
    uint32_t parts;

    qemu_mutex_lock(&shared.lock);
    parts = GPOINTER_TO_UINT(g_hash_table_lookup(shared.parts,
                                                 GUINT_TO_POINTER(log->tid)));
    qemu_mutex_unlock(&shared.lock);
    return parts != log->part + 1;
}

/* This CPU has stopped, and might go on elsewhere. */
void trace_log_stopped(ARMTraceLog *log)
{
    if (shared.file) {
        log_flush(log);
        fflush(shared.file);
    }
}

/* All CPUs have stopped. A machine that has moved goes on elsewhere. */
static void log_flush_all(Notifier *notifier, void *unused)
{
    if (!shared.file || runstate_check(RUN_STATE_POSTMIGRATE)) {
        return;
    }
    for (unsigned i = 0; i < shared.logs->len; i++) {
        log_flush(g_ptr_array_index(shared.logs, i));
    }
    log_section(SECTION_END, NULL, 0);
    if (fclose(shared.file)) {
        error_report("trace-log: %s: %s", shared.path, strerror(errno));
    }
}

/* The first @executed instructions of the block were executed. */
void trace_log_block(CPUARMState *env, ARMTrace *trace, uint64_t pc,
                     const ARMTraceCode *code, uint32_t executed)
{
    ARMTraceLog *log = trace->log;

    if (unlikely(!log->length)) {
        trace_log_context(env, trace);
    }
    put(log, LOG_FIRST_BLOCK + log_block_number(log, pc, code));
    if (executed < code->run.instructions) {
        put(log, LOG_STOP);
        put(log, executed);
    }
}

/* Blocks that were executed to their ends */
void trace_log_runs(CPUARMState *env, ARMTrace *trace,
                    const struct hwf_tu_run *runs, size_t count)
{
    ARMTraceLog *log = trace->log;

    if (unlikely(!log->length)) {
        trace_log_context(env, trace);
    }
    make_room(log, count);
    for (size_t i = 0; i < count; i++) {
        put_in_room(log, LOG_FIRST_BLOCK +
            log_block_number(log, runs[i].pc, arm_trace_code_of(&runs[i])));
    }
}

void trace_log_exception(CPUARMState *env, ARMTrace *trace, unsigned type,
                         uint64_t ret)
{
    if (likely(!trace->log)) {
        return;
    }
    if (unlikely(!trace->log->length)) {
        trace_log_context(env, trace);
    }
    put(trace->log, LOG_EXCEPTION);
    put(trace->log, type);
    put(trace->log, ret);
}

/* The thread, as Linux says: its CONTEXTIDR_EL1 is CONTEXTIDR_EL2 with VHE. */
static uint32_t log_thread(CPUARMState *env, const ARMTraceFeed *f)
{
    uint64_t hcr = arm_hcr_el2_eff(env);
    bool host = (hcr & HCR_E2H) &&
        (f->el == 2 || (f->el == 0 && (hcr & HCR_TGE)));

    return host ? f->vmid : f->cid;
}

bool trace_log_full(const ARMTraceLog *log)
{
    return log->length >= LOG_FULL;
}

static void log_put_context(CPUARMState *env, ARMTrace *trace, uint64_t now)
{
    ARMTraceLog *log = trace->log;

    put(log, LOG_TIME);
    put(log, now - log->time);
    log->time = now;
    put(log, LOG_CONTEXT);
    put(log, trace->feed.el);
    put(log, arm_is_secure_below_el3(env) ? HWF_SEC_SECURE : HWF_SEC_NONSECURE);
    put(log, log->cpu + 1);
    put(log, trace->feed.cid);
    put(log, trace->feed.vmid);
}

/* The context is another one, or a new section is to begin. */
void trace_log_context(CPUARMState *env, ARMTrace *trace)
{
    ARMTraceLog *log = trace->log;
    uint64_t now;
    uint32_t tid;

    if (likely(!log)) {
        return;
    }
    now = arm_trace_now(env);
    tid = log->by_thread ? log_thread(env, &trace->feed) : log->cpu;
    /* a thread that comes back to this PE goes on behind what others have */
    if (log->length >= LOG_FULL || tid != log->tid ||
        log_overtaken(log)) {
        log_flush(log);
    }
    if (!log->length) {
        log_open(log, tid, now);
    }
    if (trace->unit.enabled_unlogged) {
        put(log, LOG_ENABLED);
        put(log, trace->unit.enabled_at);
        trace->unit.enabled_unlogged = false;
    }
    log_put_context(env, trace, now);
}

/*
 * The trace unit was enabled or disabled at a time as it is in timestamps. The
 * log says so where something was executed in between.
 */
void trace_log_enabled(CPUARMState *env, ARMTrace *trace, bool enabled,
                       uint64_t timestamp)
{
    ARMTraceLog *log = trace->log;
    uint64_t now;

    if (likely(!log)) {
        return;
    }
    if (enabled) {
        trace->unit.enabled_unlogged = true;
        trace->unit.enabled_at = timestamp;
    } else if (!trace->unit.enabled_unlogged) {
        if (!log->length) {
            now = arm_trace_now(env);
            log_open(log, log->tid, now);
            log_put_context(env, trace, now);
        }
        put(log, LOG_DISABLED);
        put(log, timestamp);
    }
}
